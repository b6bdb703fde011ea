/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Help, manual page and completion, all from the option table. */
#include <string.h>

#include "option_table.h"
#include "options.h"

static const char *const group_titles[] = {
#define OPTION_GROUP_TITLE(symbol, title) title,
    OPTION_GROUPS(OPTION_GROUP_TITLE)
#undef OPTION_GROUP_TITLE
};
enum { N_GROUPS = sizeof group_titles / sizeof *group_titles };

static const char summary[] =
    "Loads a SOFA scene (.scn, .xml), initialises it and makes N time steps.";

static const struct {
  int status;
  const char *text;
} statuses[] = {
    {EXIT_DONE, "done; also after an interrupt, which completes the current step and the outputs"},
    {EXIT_SCENE, "the scene has errors or cannot be read, or an output cannot be written"},
    {EXIT_USAGE, "wrong command line"},
    {EXIT_FAILED, "the simulation failed: a value that is not finite, a failed factorization, ..."},
};
enum { N_STATUSES = sizeof statuses / sizeof *statuses };

static const struct {
  const char *name, *text;
} variables[] = {
    {"CSOFA_DATA_PATH", "folders to search for files, after those of --data-path"},
    {"CSOFA_PLUGIN_PATH", "folders to search plugins in"},
    {"XDG_DATA_HOME", "its csofa/plugins is the user's folder of plugins; default ~/.local/share"},
    {"NO_COLOR", "when set, 'auto' means no colours"},
};
enum { N_VARIABLES = sizeof variables / sizeof *variables };

/* Prints text from column `indent` on, broken between words before column 80. */
static void wrap(FILE *out, const char *text, int indent) {
  int column = indent;
  while (*text) {
    const int length = (int)strcspn(text, " ");
    if (column > indent && column + 1 + length > 80) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      fputc(' ', out);
      column++;
    }
    fprintf(out, "%.*s", length, text);
    column += length;
    text += length;
    while (*text == ' ') text++;
  }
  fputc('\n', out);
}

/* "  -n, --nbIter N" */
static int print_names(FILE *out, const Option *o) {
  int n = o->letter ? fprintf(out, "  -%c, ", o->letter) : fprintf(out, "      ");
  n += fprintf(out, "--%s", o->name);
  if (o->argument && o->argument[0] == '[')
    n += fprintf(out, "[=%.*s]", (int)strlen(o->argument) - 2, o->argument + 1);
  else if (o->argument) n += fprintf(out, " %s", o->argument);
  return n;
}

static void print_option(FILE *out, const Option *o) {
  const int indent = 30;
  const int n = print_names(out, o);
  if (n >= indent) fprintf(out, "\n%*s", indent, "");
  else fprintf(out, "%*s", indent - n, "");
  wrap(out, o->help, indent);
}

void options_print_help(FILE *out) {
  fprintf(out, "usage: runcsofa [options] SCENE\n\n%s\n", summary);
  for (int g = 0; g < N_GROUPS; g++) {
    fprintf(out, "\n%s\n", group_titles[g]);
    for (size_t i = 0; i < n_option_table; i++)
      if (option_table[i].group == (OptionGroup)g) print_option(out, &option_table[i]);
  }
  fprintf(out, "\nExit status\n");
  for (int i = 0; i < N_STATUSES; i++) {
    fprintf(out, "  %d   ", statuses[i].status);
    wrap(out, statuses[i].text, 6);
  }
  fprintf(out, "\nEnvironment\n");
  for (int i = 0; i < N_VARIABLES; i++) {
    fprintf(out, "  %-20s", variables[i].name);
    wrap(out, variables[i].text, 22);
  }
}

/* ---- manual page ---- */

/* Text for troff: hyphens are minus signs, a dot or quote may not begin a line. */
static void troff(FILE *out, const char *text) {
  if (*text == '.' || *text == '\'') fputs("\\&", out);
  for (; *text; text++) {
    if (*text == '-') fputs("\\-", out);
    else if (*text == '\\') fputs("\\e", out);
    else fputc(*text, out);
  }
}

static void man_option(FILE *out, const Option *o) {
  fputs(".TP\n", out);
  fputs("\\fB", out);
  if (o->letter) fprintf(out, "\\-%c\\fR, \\fB", o->letter);
  fputs("\\-\\-", out);
  troff(out, o->name);
  fputs("\\fR", out);
  if (o->argument) {
    const bool optional = o->argument[0] == '[';
    fputs(optional ? "[=\\fI" : " \\fI", out);
    char word[32];
    snprintf(word, sizeof word, "%s", o->argument + optional);
    word[strcspn(word, "]")] = '\0';
    troff(out, word);
    fputs(optional ? "\\fR]" : "\\fR", out);
  }
  fputc('\n', out);
  troff(out, o->help);
  fputc('\n', out);
}

void options_print_man(FILE *out) {
  fprintf(out, ".TH RUNCSOFA 1 \"\" \"csofa %s\" \"User Commands\"\n", CSOFA_VERSION);
  fputs(".SH NAME\nruncsofa \\- run a SOFA scene\n.SH SYNOPSIS\n"
        "\\fBruncsofa\\fR [\\fIoptions\\fR] \\fISCENE\\fR\n.SH DESCRIPTION\n",
        out);
  troff(out, summary);
  fputs("\nMessages name the scene file, the line and the path of the object.\n.SH OPTIONS\n", out);
  for (int g = 0; g < N_GROUPS; g++) {
    fprintf(out, ".SS %s\n", group_titles[g]);
    for (size_t i = 0; i < n_option_table; i++)
      if (option_table[i].group == (OptionGroup)g) man_option(out, &option_table[i]);
  }
  fputs(".SH EXIT STATUS\n", out);
  for (int i = 0; i < N_STATUSES; i++) {
    fprintf(out, ".TP\n%d\n", statuses[i].status);
    troff(out, statuses[i].text);
    fputc('\n', out);
  }
  fputs(".SH ENVIRONMENT\n", out);
  for (int i = 0; i < N_VARIABLES; i++) {
    fprintf(out, ".TP\n\\fB%s\\fR\n", variables[i].name);
    troff(out, variables[i].text);
    fputc('\n', out);
  }
}

/* ---- completion ---- */

/* The values of options that accept some words only. */
static void complete_words(FILE *out) {
  for (size_t i = 0; i < n_option_table; i++) {
    const Option *o = &option_table[i];
    // an optional value is written with =
    const char *words = option_words(o->key);
    if (!words || o->argument[0] == '[') continue;
    fputs("    ", out);
    if (o->letter) fprintf(out, "-%c|", o->letter);
    fprintf(out, "--%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return;;\n", o->name, words);
  }
}

void options_print_completion(FILE *out) {
  fputs("# bash completion for runcsofa\n_runcsofa() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  case $before in\n",
        out);
  complete_words(out);
  fputs("    --doc) COMPREPLY=($(compgen -W \"$(runcsofa --list 2>/dev/null | sed -n "
        "'s/^  \\([^ ]*\\).*/\\1/p')\" -- \"$word\")); return;;\n"
        "  esac\n"
        "  if [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W '",
        out);
  for (size_t i = 0; i < n_option_table; i++) {
    if (option_table[i].letter) fprintf(out, "-%c ", option_table[i].letter);
    fprintf(out, "--%s ", option_table[i].name);
  }
  fputs("' -- \"$word\"))\n  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n"
        "complete -o filenames -F _runcsofa runcsofa\n",
        out);
}
