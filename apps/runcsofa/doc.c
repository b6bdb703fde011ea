/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of components and pages about one, from the class tables. */
#include "doc.h"
#include "numerics/direct/gpl_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "object/factory.h"

/* First sentence of a help text. */
static int summary_length(const char *help) {
  const char *dot = strstr(help, ". ");
  return dot ? (int)(dot - help) + 1 : (int)strlen(help);
}

static int by_module(const void *a, const void *b) {
  const SofaClass *const *left = a, *const *right = b;
  const int order = strcmp((*left)->module, (*right)->module);
  return order ? order : strcmp((*left)->name, (*right)->name);
}

SofaErr doc_list(SofaContext *ctx, FILE *out) {
  const size_t n = sofa_factory_n_classes(ctx);
  const SofaClass **classes = sofa_alloc(ctx, n, sizeof *classes);
  if (!classes) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) classes[i] = sofa_factory_class_at(ctx, i);
  sofa_sort(classes, n, sizeof *classes, by_module);
  const char *module = "";
  for (size_t i = 0; i < n; i++) {
    const SofaClass *klass = classes[i];
    if (klass->abstract) continue;
    if (strcmp(module, klass->module) != 0)
      fprintf(out, "%s%s\n", *module ? "\n" : "", klass->module);
    module = klass->module;
    const char *help = klass->help ? klass->help : "";
    fprintf(out, "  %-36s %.*s\n", klass->name, summary_length(help), help);
  }
  sofa_free(ctx, (void *)(uintptr_t)classes);
  return SOFA_OK;
}

SofaErr doc_list_quirks(SofaContext *ctx, FILE *out) {
  SofaQuirkUses list = {0};
  const SofaErr err = sofa_factory_quirks(ctx, &list);
  for (size_t i = 0; err == SOFA_OK && i < list.n; i++) {
    const SofaQuirk *q = list.data[i].quirk;
    fprintf(out, "%s\t%s\t%s\t%s\n", q->word, list.data[i].klass->name, q->test, q->text);
  }
  sofa_list_free(ctx, &list);
  return err;
}

/* ---- a page ---- */

/* Text for a cell of a table. */
static void cell(FILE *out, const char *text) {
  for (; text && *text; text++) {
    if (*text == '|') fputs("\\|", out);
    else fputc(*text == '\n' ? ' ' : *text, out);
  }
}

/* Remarks that follow from the flags. */
static void print_flags(FILE *out, const SofaField *field) {
  static const struct {
    unsigned flag;
    const char *text;
  } rows[] = {
      {SOFA_FIELD_REQUIRED, "required"},
      {SOFA_FIELD_OUTPUT, "computed"},
      {SOFA_FIELD_DISPLAY, "drawing only"},
      {SOFA_FIELD_UNSUPPORTED, "not supported yet: only the default is accepted"},
      {SOFA_FIELD_NO_EFFECT, "no effect"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (field->flags & rows[i].flag) fprintf(out, " (%s)", rows[i].text);
}

const char *doc_on_bad(SofaOnBad on_bad) {
  static const char *const words[] = {[SOFA_BAD_DEFAULT] = "the default",
                                      [SOFA_BAD_CLAMP] = "the nearest",
                                      [SOFA_BAD_KEEP] = "kept",
                                      [SOFA_BAD_DROP] = NULL};
  return words[on_bad];
}

static void print_range(FILE *out, const SofaClass *klass, const SofaField *field) {
  const SofaFieldRange rule = sofa_class_range(klass, field);
  char text[SOFA_RANGE_TEXT];
  if (!sofa_range_given(&rule.range)) return;
  fprintf(out, " (%s", sofa_range_text(&rule.range, text));
  if (doc_on_bad(rule.on_bad)) fprintf(out, "; `--keep-going`: %s", doc_on_bad(rule.on_bad));
  fputc(')', out);
}

/* A default that is a number of single precision, 0.00009999999747378752, as it was meant: 1e-4. */
static const char *short_default(const char *def, char *text, size_t size) {
  const char *at = def;
  double value = 0;
  if (strlen(def) < 12 || !sofa_read_real(&at, &value) || *at || !isfinite((float)value))
    return def;
  for (int digits = 1; digits <= 8; digits++) {
    char number[32];
    snprintf(number, sizeof number, "%.*e", digits - 1, value);
    const double shorter = strtod(number, NULL);
    if ((float)shorter != (float)value || (double)(float)shorter != value) continue;
    sofa_print_real(number, shorter, 0);
    snprintf(text, size, "%s", number);
    return text;
  }
  return def;
}

const char *doc_default(const SofaField *field, char *text, size_t size) {
  return field->def ? short_default(field->def, text, size) : "";
}

static void print_field(FILE *out, const SofaClass *klass, const SofaField *field) {
  fprintf(out, "| `%s` | %s | ", field->name, field->type->name);
  if (field->def && *field->def) {
    char text[64];
    fputc('`', out);
    cell(out, doc_default(field, text, sizeof text));
    fputc('`', out);
  }
  fputs(" | ", out);
  cell(out, field->unit);
  fputs(" | ", out);
  cell(out, field->help);
  print_range(out, klass, field);
  print_flags(out, field);
  for (int i = 0; field->options && field->options[i]; i++)
    fprintf(out, "%s`%s`", i ? ", " : ". One of ", field->options[i]);
  const char *word, *at = field->aliases;
  for (size_t n = 0, k = 0; at && sofa_read_word(&at, &word, &n); k++)
    fprintf(out, "%s`%.*s`", k ? ", " : ". Also written: ", (int)n, word);
  fputs(" |\n", out);
}

/* Fields whose number or type depends on the object. */
static void print_family(FILE *out, const SofaClass *klass, const SofaFieldFamily *family) {
  static const SofaType by_template = {.name = "list of the template's values"};
  SofaField field = family->row;
  char name[128];
  if (!field.type) field.type = &by_template;
  const SofaField *count = family->count ? sofa_class_field(klass, family->count) : NULL;
  if (count && count->type->list) snprintf(name, sizeof name, "each of `%s", family->count);
  else
    snprintf(name, sizeof name, count ? "%s1`, `%s2`, ... by `%s" : "%s", field.name, field.name,
             family->count);
  field.name = name;
  print_field(out, klass, &field);
}

static void print_words(FILE *out, const char *title, const char *const *words) {
  if (!words || !words[0]) return;
  fprintf(out, "%s: ", title);
  for (size_t i = 0; words[i]; i++) fprintf(out, "%s`%s`", i ? ", " : "", words[i]);
  fputs("\n\n", out);
}

/* Quirks of the class and its bases, but for those that all components have. */
static void print_quirks(FILE *out, const SofaClass *klass) {
  bool any = false;
  for (const SofaClass *k = klass; k && k != &sofa_object_class; k = sofa_class_base(k)) {
    for (size_t i = 0; i < k->n_quirks; i++) {
      const SofaQuirk *q = &k->quirks[i];
      if (!any) fputs("Quirks of SOFA, off by default:\n\n", out);
      fprintf(out, "- `%s`: %s\n", q->word, q->text);
      any = true;
    }
  }
  if (any) fputc('\n', out);
}

const char *doc_equations(const SofaClass *klass) {
  while (klass && !klass->equations) klass = sofa_class_base(klass);
  return klass ? klass->equations : NULL;
}

/* A line each, as a block of text. */
static void print_equations(FILE *out, const SofaClass *klass) {
  const char *at = doc_equations(klass);
  if (!at) return;
  fputs("    ", out);
  for (; *at; at++) {
    if (*at == '\n') fputs("\n    ", out);
    else if (*at != '"') fputc(*at, out); // text is quoted
  }
  fputs("\n\n", out);
}

/* By its name, in whatever case it is written. */
static const SofaClass *find_class(SofaContext *ctx, const char *name, const char **renamed) {
  const SofaClass *klass = sofa_factory_find(ctx, name, renamed);
  const size_t n = sofa_factory_n_classes(ctx);
  for (size_t i = 0; !klass && i < n; i++)
    if (strcasecmp(sofa_factory_class_at(ctx, i)->name, name) == 0)
      klass = sofa_factory_class_at(ctx, i);
  return klass;
}

static bool is_required(const SofaField *field) {
  return (field->flags & SOFA_FIELD_REQUIRED) != 0;
}

/* The required fields, then the others. Own fields come last in the class's order, and first for a
 * reader. */
static void print_fields(FILE *out, const SofaClass *klass) {
  const size_t n = sofa_class_n_fields(klass), own = n - klass->n_fields;
  for (int others = 0; others < 2; others++)
    for (size_t i = 0; i < n; i++) {
      const SofaField *field = sofa_class_field_at(klass, (i + own) % n);
      if (is_required(field) == !others) print_field(out, klass, field);
    }
}

static SofaErr print_class(SofaContext *ctx, const char *name, FILE *out) {
  const char *renamed = NULL;
  const SofaClass *klass = find_class(ctx, name, &renamed);
  const char *prefab = klass ? NULL : sofa_factory_prefab(ctx, name);
  if (prefab) {
    fprintf(out, "# %s\n\nStands for this part of a scene:\n\n```xml\n%s\n```\n", name, prefab);
    return SOFA_OK;
  }
  if (!klass) {
    SofaText why = {0};
    const SofaErr err = sofa_factory_explain(ctx, name, &why);
    if (err != SOFA_ERR_MEMORY)
      sofa_message(ctx, SOFA_ERROR, NULL, "--doc %s: %s", name, why.n ? why.data : "see --list");
    sofa_list_free(ctx, &why);
    return SOFA_ERR_NOT_FOUND;
  }
  fprintf(out, "# %s\n\n", klass->name);
  if (renamed) fprintf(out, "Formerly called `%s`.\n\n", name);
  fprintf(out, "%s\n\n", klass->help ? klass->help : "");
  print_equations(out, klass);
  fprintf(out, "Module: `%s`\n\n", klass->module);
  print_words(out, "Also called", klass->aliases);
  print_words(out, "Templates", klass->templates);
  print_quirks(out, klass);
  fputs("| field | type | default | unit | meaning |\n|---|---|---|---|---|\n", out);
  print_fields(out, klass);
  for (size_t i = 0; i < klass->n_families; i++) print_family(out, klass, &klass->families[i]);
  return SOFA_OK;
}

SofaErr doc_classes(SofaContext *ctx, const char *names, FILE *out) {
  SofaErr result = SOFA_OK;
  SofaText name = {0};
  for (const char *at = names, *end; result != SOFA_ERR_MEMORY; at = end + 1) {
    end = strchrnul(at, ',');
    name.n = 0;
    SofaErr err = sofa_text_append(ctx, &name, at, (size_t)(end - at));
    if (err == SOFA_OK) err = print_class(ctx, name.data, out);
    if (err != SOFA_OK) result = err;
    if (!*end) break;
    if (err == SOFA_OK) fputs("\n", out);
  }
  sofa_list_free(ctx, &name);
  return result;
}

void doc_licenses(FILE *out) {
  const bool gpl = sofa_has_gpl_parts();
  fputs("csofa is free software under the GNU Lesser General Public License, version 2.1 or\n"
        "later (LGPL-2.1-or-later).\n"
        "\n"
        "It is linked with\n"
        "  libxml2                    MIT\n"
        "  zlib                       Zlib\n"
        "  OpenBLAS                   BSD-3-Clause\n"
        "  SuiteSparse: AMD, COLAMD, CAMD, CCOLAMD, SuiteSparse_config   BSD-3-Clause\n"
        "  SuiteSparse: CHOLMOD core, Cholesky, partition modules        LGPL-2.1-or-later\n",
        out);
  if (gpl)
    fputs("  SuiteSparse: CHOLMOD supernodal module                        GPL-2.0-or-later\n"
          "  SuiteSparse: SPQR                                             GPL-2.0-or-later\n"
          "  SuiteSparse: UMFPACK                                          GPL-2.0-or-later\n"
          "\n"
          "This build has the parts under the GPL (CSOFA_GPL is on). A binary of this program\n"
          "with these libraries is therefore distributed under the GNU General Public License,\n"
          "version 2 or later. The sources of csofa stay under the LGPL.\n",
          out);
  else
    fputs(
        "\n"
        "This build calls no part of SuiteSparse that is under the GPL (CSOFA_GPL is off). It\n"
        "refuses EigenSparseLU, EigenSparseQR and SofaCaribou's LUSolver; factors of CHOLMOD\n"
        "are simplicial. A distribution under the LGPL alone also needs a CHOLMOD that was built\n"
        "without its GPL modules (-DNGPL): Debian's libcholmod contains them.\n",
        out);
}
