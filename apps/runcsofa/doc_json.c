/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class tables as JSON. */
#include "doc_json.h"

#include "base/text.h"
#include "doc.h"
#include "json_text.h"
#include "object/factory.h"
#include "object/node.h"

static void print_member(FILE *out, const char *name, const char *text) {
  if (!text || !*text) return;
  fprintf(out, ", \"%s\": ", name);
  json_print_text(out, text);
}

static void print_words(FILE *out, const char *name, const char *const *words) {
  if (!words || !words[0]) return;
  fprintf(out, ", \"%s\": [", name);
  for (size_t i = 0; words[i]; i++) {
    if (i) fputs(", ", out);
    json_print_text(out, words[i]);
  }
  fputc(']', out);
}

/* Words that spaces separate. */
static void print_list(FILE *out, const char *name, const char *text) {
  const char *at = text, *word;
  size_t n = 0, k = 0;
  while (at && sofa_read_word(&at, &word, &n)) {
    if (k++) fputs(", ", out);
    else fprintf(out, ", \"%s\": [", name);
    fprintf(out, "\"%.*s\"", (int)n, word);
  }
  if (k) fputc(']', out);
}

static void print_flags(FILE *out, unsigned flags) {
  static const struct {
    unsigned flag;
    const char *name;
  } rows[] = {{SOFA_FIELD_REQUIRED, "required"},
              {SOFA_FIELD_OUTPUT, "computed"},
              {SOFA_FIELD_DISPLAY, "drawing"},
              {SOFA_FIELD_UNSUPPORTED, "unsupported"},
              {SOFA_FIELD_NO_EFFECT, "noEffect"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (flags & rows[i].flag) fprintf(out, ", \"%s\": true", rows[i].name);
}

static const char *search_text(SofaSearch search) {
  switch (search) {
  case SOFA_SEARCH_LOCAL:
    return "node";
  case SOFA_SEARCH_UP:
  case SOFA_SEARCH_SLOT:
    return "node or above";
  case SOFA_SEARCH_DOWN:
    return "node or below";
  case SOFA_SEARCH_UP_PARENTS:
    return "above";
  default:
    return NULL;
  }
}

/* What a link accepts, and where it looks without a path. */
static void print_link(FILE *out, const SofaLinkRule *rule) {
  if (!rule) return;
  if (rule->interface) print_member(out, "linkInterface", rule->interface->name);
  if (rule->klass) print_member(out, "linkClass", rule->klass->name);
  if (rule->node) fputs(", \"linkNode\": true", out);
  print_member(out, "linkSearch", search_text(rule->search));
}

static void print_range(FILE *out, const SofaClass *klass, const SofaField *field) {
  const SofaFieldRange rule = sofa_class_range(klass, field);
  char text[SOFA_RANGE_TEXT];
  if (!sofa_range_given(&rule.range)) return;
  print_member(out, "range", sofa_range_text(&rule.range, text));
  print_member(out, "keepGoing", doc_on_bad(rule.on_bad));
}

/* `owner`: the class whose table has the row. */
static void print_field(FILE *out, const SofaClass *klass, const SofaClass *owner,
                        const SofaField *field) {
  char text[64];
  fputs("{\"name\": ", out);
  json_print_text(out, field->name);
  print_member(out, "type", field->type ? field->type->name : NULL);
  print_member(out, "default", doc_default(field, text, sizeof text));
  print_member(out, "unit", field->unit);
  print_member(out, "help", field->help);
  if (owner != klass) print_member(out, "of", owner->name);
  print_range(out, klass, field);
  print_flags(out, field->flags);
  print_words(out, "options", field->options);
  print_list(out, "aliases", field->aliases);
  print_link(out, field->link);
}

/* Own fields first, then those of the bases. */
static void print_fields(FILE *out, const SofaClass *klass) {
  const char *between = "\n    ";
  fputs(", \"fields\": [", out);
  for (const SofaClass *k = klass; k; k = sofa_class_base(k))
    for (size_t i = 0; i < k->n_fields; i++, between = ",\n    ") {
      fputs(between, out);
      print_field(out, klass, k, &k->fields[i]);
      fputc('}', out);
    }
  for (size_t i = 0; i < klass->n_families; i++, between = ",\n    ") {
    fputs(between, out);
    print_field(out, klass, klass, &klass->families[i].row);
    fputs(", \"family\": true", out);
    print_member(out, "count", klass->families[i].count);
    fputc('}', out);
  }
  fputc(']', out);
}

/* Of the class and its bases, but for those that all components have. */
static void print_quirks(FILE *out, const SofaClass *klass) {
  bool any = false;
  for (const SofaClass *k = klass; k && k != &sofa_object_class; k = sofa_class_base(k))
    for (size_t i = 0; i < k->n_quirks; i++, any = true) {
      fprintf(out, "%s{\"word\": \"%s\"", any ? ", " : ", \"quirks\": [", k->quirks[i].word);
      print_member(out, "text", k->quirks[i].text);
      fputc('}', out);
    }
  if (any) fputc(']', out);
}

/* Is it not implemented by a class between `klass` and `base`? */
static bool is_last(const SofaClass *klass, const SofaClass *base, const SofaInterface *interface) {
  for (const SofaClass *k = klass; k != base; k = sofa_class_base(k))
    for (const SofaImplementation *i = k->implements; i && i->interface; i++)
      if (i->interface == interface) return false;
  return true;
}

static void print_interfaces(FILE *out, const SofaClass *klass) {
  bool any = false;
  for (const SofaClass *k = klass; k; k = sofa_class_base(k))
    for (const SofaImplementation *i = k->implements; i && i->interface; i++) {
      if (!is_last(klass, k, i->interface)) continue;
      fputs(any ? ", " : ", \"implements\": [", out);
      json_print_text(out, i->interface->name);
      any = true;
    }
  if (any) fputc(']', out);
}

/* From the nearest base on, without that of all. */
static void print_bases(FILE *out, const SofaClass *klass) {
  bool any = false;
  for (const SofaClass *k = sofa_class_base(klass); k && k != &sofa_object_class;
       k = sofa_class_base(k), any = true) {
    fputs(any ? ", " : ", \"bases\": [", out);
    json_print_text(out, k->name);
  }
  if (any) fputc(']', out);
}

static void print_class(FILE *out, const SofaClass *klass) {
  fputs("{\"name\": ", out);
  json_print_text(out, klass->name);
  print_member(out, "module", klass->module);
  print_member(out, "category", klass->category);
  print_member(out, "help", klass->help);
  print_member(out, "equations", doc_equations(klass));
  print_bases(out, klass);
  print_words(out, "aliases", klass->aliases);
  print_words(out, "templates", klass->templates);
  print_interfaces(out, klass);
  print_quirks(out, klass);
  print_fields(out, klass);
  fputc('}', out);
}

SofaErr doc_json(SofaContext *ctx, FILE *out) {
  const char *between = "[\n  ";
  for (size_t i = 0, n = sofa_factory_n_classes(ctx); i < n; i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    if (klass->abstract) continue;
    fputs(between, out);
    print_class(out, klass);
    between = ",\n  ";
  }
  fputs("\n]\n", out);
  return SOFA_OK;
}
