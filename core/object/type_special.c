/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values with a grammar of their own: bool, single-precision attributes, colours, materials, masses
 * of rigid points. */
#include <string.h>
#include <strings.h>
#include "object/object_impl.h"
#include "object/type_impl.h"

/* ---- bool ---- */

SofaErr sofa_parse_bool(const SofaType *type, const SofaParse *parse, const char *text,
                        void *value) {
  bool *b = value;
  const char *p = text, *word = NULL;
  size_t n = 0;
  (void)type;
  if (sofa_at_end(&p)) return SOFA_OK;
  const char *q = p;
  sofa_read_word(&q, &word, &n);
  const bool alone = sofa_at_end(&q);
  // SOFA looks at the first character only
  const char c = *p;
  if (strchr("tTfF", c)) {
    *b = c == 't' || c == 'T';
    const char *full = *b ? "true" : "false";
    if (alone && (n == 1 || (n == strlen(full) && strncasecmp(word, full, n) == 0))) return SOFA_OK;
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    int64_t i = 0;
    sofa_read_int(&p, &i);
    *b = i != 0;
    if (sofa_at_end(&p)) return SOFA_OK;
  }
  return sofa_refuse(parse, "expected 0, 1, true or false, found '%.*s'", sofa_word_length(word),
                     word);
}

/* ---- attribute SOFA reads in single precision ---- */

SofaErr sofa_parse_float(const SofaType *type, const SofaParse *parse, const char *text,
                         void *value) {
  const char *p = text;
  double v = 0;
  if (sofa_at_end(&p)) return SOFA_OK;
  // with anything behind the number SOFA keeps the default
  const char *at = p;
  if (!sofa_read_real(&p, &v)) return sofa_refuse_word(type, parse, at);
  if (!sofa_at_end(&p)) {
    return sofa_refuse(parse,
                       "expected one number and nothing after it, found '%.*s'; the value "
                       "stays as it was",
                       sofa_word_length(p), p);
  }
  const double single = (double)(float)v;
  if (parse->object && sofa_quirk(parse->object, SOFA_QUIRK_FLOAT_ATTRIBUTES)) v = single;
  ((SofaFloat *)value)->value = v;
  return SOFA_OK;
}

/* ---- colours ---- */

static const struct {
  const char *name;
  double rgb[3];
} color_names[] = {
    {"white", {1, 1, 1}},
    {"black", {0, 0, 0}},
    {"red", {1, 0, 0}},
    {"green", {0, 1, 0}},
    {"blue", {0, 0, 1}},
    {"cyan", {0, 1, 1}},
    {"magenta", {1, 0, 1}},
    {"yellow", {1, 1, 0}},
    {"gray", {0.5, 0.5, 0.5}},
    {"darkgray", {0.25, 0.25, 0.25}},
    {"lightgray", {0.75, 0.75, 0.75}},
    {"orange", {1, 0.5, 0}},
    {"purple", {0.5, 0, 0.5}},
    {"pink", {1, 0, 0.5}},
    {"brown", {0.6, 0.3, 0}},
    {"lime", {0.5, 1, 0}},
    {"teal", {0, 0.5, 0.5}},
    {"navy", {0, 0, 0.5}},
    {"olive", {0.5, 0.5, 0}},
    {"maroon", {0.5, 0, 0}},
    {"silver", {0.75, 0.75, 0.75}},
    {"gold", {1, 0.84, 0}},
    {"azure", {0, 0.5, 1}},
};

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* #rgb #rgba #rrggbb #rrggbbaa; digits: without the '#'. */
static bool hex_color(const char *digits, size_t n, double rgba[4]) {
  if (n != 3 && n != 4 && n != 6 && n != 8) return false;
  for (size_t i = 0; i < n; i++) {
    if (hex_digit(digits[i]) < 0) return false;
  }
  rgba[3] = 1;
  for (size_t i = 0; i < (n < 5 ? n : n / 2); i++) {
    const int high = hex_digit(digits[n < 5 ? i : 2 * i]);
    const int low = n < 5 ? high : hex_digit(digits[2 * i + 1]);
    rgba[i] = (16 * high + low) / 255.0;
  }
  return true;
}

static bool word_color(const char *word, size_t n, double rgba[4]) {
  if (*word == '#') return hex_color(word + 1, n - 1, rgba);
  for (size_t i = 0; i < sizeof color_names / sizeof *color_names; i++) {
    if (strlen(color_names[i].name) != n || strncmp(color_names[i].name, word, n) != 0) continue;
    memcpy(rgba, color_names[i].rgb, sizeof color_names[i].rgb);
    rgba[3] = 1;
    return true;
  }
  return false;
}

static SofaErr refuse_color(const SofaParse *parse, const char *p) {
  return sofa_refuse(parse,
                     "expected a colour: 3 or 4 numbers from 0, '#rrggbb' or a name such as "
                     "'red', found '%.*s'",
                     sofa_word_length(p), p);
}

/* One colour at *p; numbers: 4 of them, or, at the end of the text, 3. */
static SofaErr read_color(const SofaParse *parse, const char **p, double rgba[4]) {
  double c[4] = {0, 0, 0, 1};
  sofa_at_end(p);
  const char *at = *p, *word = NULL;
  size_t n = 0;
  if (*at < '0' || *at > '9') {
    sofa_read_word(p, &word, &n);
    if (!word_color(word, n, c)) return refuse_color(parse, at);
  } else {
    for (int i = 0; i < 4; i++) {
      if (i == 3 && sofa_at_end(p)) break;
      if (!sofa_read_real(p, &c[i])) return refuse_color(parse, at);
    }
  }
  memcpy(rgba, c, sizeof c);
  return SOFA_OK;
}

SofaErr sofa_parse_color(const SofaType *type, const SofaParse *parse, const char *text,
                         void *value) {
  const char *p = text;
  (void)type;
  if (sofa_at_end(&p)) return SOFA_OK;
  SOFA_TRY(read_color(parse, &p, ((SofaColor *)value)->rgba));
  if (sofa_at_end(&p)) return SOFA_OK;
  return sofa_tolerate(parse, "'%.*s' after the colour is ignored", sofa_word_length(p), p);
}

SofaErr sofa_parse_colors(const SofaType *type, const SofaParse *parse, const char *text,
                          void *value) {
  SofaColors *colors = value;
  const char *p = text;
  (void)type;
  colors->n = 0;
  while (!sofa_at_end(&p)) {
    SofaColor color;
    SOFA_TRY(read_color(parse, &p, color.rgba));
    SOFA_TRY(SOFA_APPEND(parse->ctx, colors, &color));
  }
  return SOFA_OK;
}

/* ---- material ---- */

static const char *const material_groups[5] = {"Diffuse", "Ambient", "Specular", "Emissive",
                                               "Shininess"};

/* use, then 4 numbers, or 1 for the shininess */
static SofaErr read_group(const SofaParse *parse, const char **p, SofaMaterial *m, int group) {
  int64_t use = 0;
  bool ok = sofa_read_int(p, &use);
  double *numbers = group < 4 ? m->color[group] : &m->shininess;
  m->use[group] = use != 0;
  for (int i = 0; i < (group < 4 ? 4 : 1); i++) ok = ok && sofa_read_real(p, &numbers[i]);
  if (ok) return SOFA_OK;
  return sofa_refuse(parse, "expected 0 or 1 and %s after '%s', found '%.*s'",
                     group < 4 ? "4 numbers" : "a number", material_groups[group],
                     sofa_word_length(*p), *p);
}

/* What SOFA prints behind the groups and does not read. */
static bool is_remark(const char *text) {
  return strncmp(text, "No texture ", 11) == 0;
}

SofaErr sofa_parse_material(const SofaType *type, const SofaParse *parse, const char *text,
                            void *value) {
  SofaMaterial *m = value;
  const char *p = text, *word = NULL;
  size_t n = 0;
  (void)type;
  if (!sofa_read_word(&p, &word, &n)) return SOFA_OK;
  char *name = sofa_strndup(parse->ctx, word, n);
  if (!name) return SOFA_ERR_MEMORY;
  sofa_free(parse->ctx, m->name);
  m->name = name;
  // groups in any order
  while (sofa_read_word(&p, &word, &n)) {
    int group = 0;
    while (group < 5 && (strlen(material_groups[group]) != n ||
                         strncasecmp(material_groups[group], word, n) != 0)) {
      group++;
    }
    if (group == 5) {
      if (is_remark(word)) return SOFA_OK;
      return sofa_refuse(parse,
                         "expected Diffuse, Ambient, Specular, Emissive or Shininess, found "
                         "'%.*s'",
                         sofa_word_length(word), word);
    }
    SOFA_TRY(read_group(parse, &p, m, group));
  }
  return SOFA_OK;
}

SofaErr sofa_print_material(const SofaType *type, SofaContext *ctx, const SofaField *field,
                            const void *value, SofaText *out) {
  const SofaMaterial *m = value;
  (void)type;
  (void)field;
  if (!m->name) return SOFA_OK;
  SOFA_TRY(sofa_text_append(ctx, out, m->name, strlen(m->name)));
  for (int group = 0; group < 5; group++) {
    SOFA_TRY(sofa_text_printf(ctx, out, " %s %d ", material_groups[group], m->use[group]));
    const double *numbers = group < 4 ? m->color[group] : &m->shininess;
    SOFA_TRY(sofa_print_reals(ctx, numbers, group < 4 ? 4 : 1, out));
  }
  return SOFA_OK;
}

SofaErr sofa_copy_material(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  const SofaMaterial *source = from;
  SofaMaterial *target = to;
  (void)type;
  char *name = sofa_strdup(ctx, source->name);
  if (source->name && !name) return SOFA_ERR_MEMORY;
  sofa_free(ctx, target->name);
  *target = *source;
  target->name = name;
  return SOFA_OK;
}

void sofa_free_material(SofaContext *ctx, void *value) {
  SofaMaterial *m = value;
  sofa_free(ctx, m->name);
  m->name = NULL;
}

/* ---- mass of a point ---- */

enum { MASS_NUMBERS = sizeof(SofaRigidMass) / sizeof(double) }; /* mass, volume, 9 of the inertia */

/* Numbers of one entry: a point has a mass only, in two dimensions the inertia is one number. */
static unsigned mass_width(SofaStateKind kind) {
  if (kind == SOFA_RIGID2) return 3;
  return kind == SOFA_RIGID3 || kind == SOFA_NO_KIND ? MASS_NUMBERS : 1;
}

static const char *mass_text(SofaStateKind kind) {
  const unsigned width = mass_width(kind);
  return width == 1   ? "a mass"
         : width == 3 ? "mass, volume and inertia"
                      : "mass, volume and 9 inertia entries";
}

/* The inertia is a matrix, whose rows may be in brackets and separated by commas. */
static void skip_brackets(const char **p) {
  while (sofa_at_end(p), **p == '[' || **p == ']' || **p == ',') ++*p;
}

/* Up to `width` numbers into the mass; *n: how many there were. */
static SofaErr read_mass(const SofaParse *parse, const char **p, unsigned width,
                         SofaRigidMass *mass, unsigned *n) {
  for (*n = 0; *n < width; ++*n) {
    double *v = *n == 0 ? &mass->mass : *n == 1 ? &mass->volume : &mass->inertia[*n - 2];
    if (*n >= 2) skip_brackets(p);
    sofa_at_end(p);
    const char *at = *p;
    const SofaGot got = sofa_read_scalar(SOFA_SCALAR_REAL, p, v);
    if (got == SOFA_GOT_END) return SOFA_OK;
    if (got == SOFA_GOT_IT) continue;
    return sofa_refuse(parse, "expected %s, found '%.*s'", mass_text(parse->kind),
                       sofa_word_length(at), at);
  }
  if (width > 2) skip_brackets(p);
  return SOFA_OK;
}

/* All numbers are accepted for every kind; a lone mass keeps the volume and the inertia. */
SofaErr sofa_parse_rigid_mass(const SofaType *type, const SofaParse *parse, const char *text,
                              void *value) {
  const char *p = text;
  unsigned n = 0;
  (void)type;
  if (sofa_at_end(&p)) return SOFA_OK;
  SOFA_TRY(read_mass(parse, &p, MASS_NUMBERS, value, &n));
  if (!sofa_at_end(&p)) {
    return sofa_tolerate(parse, "'%.*s' after the mass is ignored", sofa_word_length(p), p);
  }
  if (n == MASS_NUMBERS || n == mass_width(parse->kind)) return SOFA_OK;
  if (n == 1) return sofa_tolerate(parse, "volume and inertia keep their values");
  return sofa_refuse(parse, "expected %s, found only %u numbers", mass_text(parse->kind), n);
}

static bool is_zero(const double *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (v[i] < 0 || v[i] > 0) return false;
  }
  return true;
}

/* As many numbers as the kind the mass was read for has: the others are zero. */
SofaErr sofa_print_rigid_mass(const SofaType *type, SofaContext *ctx, const SofaField *field,
                              const void *value, SofaText *out) {
  const SofaRigidMass *mass = value;
  const bool flat = is_zero(mass->inertia + 1, 8);
  const bool point = flat && is_zero(mass->inertia, 1) && is_zero(&mass->volume, 1);
  (void)type;
  (void)field;
  return sofa_print_reals(ctx, value, point ? 1 : flat ? 3 : MASS_NUMBERS, out);
}

SofaErr sofa_parse_rigid_masses(const SofaType *type, const SofaParse *parse, const char *text,
                                void *value) {
  SofaRigidMasses *masses = value;
  const unsigned width = mass_width(parse->kind);
  const char *p = text;
  unsigned n = 0;
  (void)type;
  masses->n = 0;
  while (!sofa_at_end(&p)) {
    SofaRigidMass mass = {0};
    SOFA_TRY(read_mass(parse, &p, width, &mass, &n));
    if (n < width) {
      return sofa_refuse(parse, "expected %s per entry, the last one has only %u numbers",
                         mass_text(parse->kind), n);
    }
    SOFA_TRY(SOFA_APPEND(parse->ctx, masses, &mass));
  }
  return SOFA_OK;
}

SofaErr sofa_print_rigid_masses(const SofaType *type, SofaContext *ctx, const SofaField *field,
                                const void *value, SofaText *out) {
  const SofaRigidMasses *masses = value;
  for (size_t i = 0; i < masses->n; i++) {
    if (i) SOFA_TRY(sofa_text_append(ctx, out, " ", 1));
    SOFA_TRY(sofa_print_rigid_mass(type, ctx, field, &masses->data[i], out));
  }
  return SOFA_OK;
}

SofaErr sofa_copy_rigid_masses(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  (void)type;
  return sofa_list_copy(ctx, to, from, sizeof(SofaRigidMass));
}
