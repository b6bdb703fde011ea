/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading files that say which elements are inserted and removed when. */
#include "change_script.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

typedef struct Reader {
  const SofaObject *object;
  const char *path, *at; /* next line */
  int line;
  char *buffer; /* the current line, owned */
} Reader;

static void free_action(SofaContext *ctx, ScriptAction *action) {
  sofa_list_free(ctx, &action->ids);
  sofa_list_free(ctx, &action->weights);
  sofa_list_free(ctx, &action->path);
  sofa_list_free(ctx, &action->rest);
}

void script_free(SofaContext *ctx, ScriptActions *actions) {
  for (size_t i = 0; i < actions->n; i++) free_action(ctx, &actions->data[i]);
  sofa_list_free(ctx, actions);
}

/* Reports a problem of the current line; SOFA_OK where the run goes on. */
static SofaErr problem(const Reader *r, const char *what) {
  SofaContext *ctx = r->object->ctx;
  const SofaOrigin origin = {
      .file = r->path, .line = r->line, .emitter = r->object->klass->name, .path = NULL};
  const SofaErr err = sofa_fail(ctx, SOFA_ERR_PARSE, &origin, "%s", what);
  return ctx->keep_going ? SOFA_OK : err;
}

/* Copies the next line; *found false at the end. */
static SofaErr next_line(Reader *r, bool *found) {
  SofaContext *ctx = r->object->ctx;
  sofa_free(ctx, r->buffer);
  r->buffer = NULL;
  *found = *r->at != '\0';
  if (!*found) return SOFA_OK;
  const char *end = strchr(r->at, '\n');
  const size_t n = end ? (size_t)(end - r->at) : strlen(r->at);
  r->buffer = sofa_strndup(ctx, r->at, n);
  r->at += n + (end != NULL);
  r->line++;
  return r->buffer ? SOFA_OK : SOFA_ERR_MEMORY;
}

static bool is_word(const char *word, size_t length, const char *expected) {
  return strlen(expected) == length && !sofa_compare(word, expected, length);
}

/* A number of elements or an index; anything else is reported and 0. */
static SofaErr read_index(Reader *r, const char **text, const char *what, uint32_t *value) {
  int64_t number = 0;
  char message[160];
  *value = 0;
  if (sofa_read_int(text, &number) && number >= 0 && number < SOFA_NO_ELEMENT) {
    *value = (uint32_t)number;
    return SOFA_OK;
  }
  snprintf(message, sizeof message,
           "%s is missing or is not an index: expected a whole number >= 0", what);
  return problem(r, message);
}

static SofaErr read_indices(Reader *r, const char **text, size_t n, SofaIndices *out) {
  char what[60];
  for (size_t i = 0; i < n; i++) {
    uint32_t value = 0;
    snprintf(what, sizeof what, "number %zu of %zu", i + 1, n);
    SOFA_TRY(read_index(r, text, what, &value));
    SOFA_TRY(SOFA_APPEND(r->object->ctx, out, &value));
  }
  return SOFA_OK;
}

/* Triangle and two weights per point. */
static SofaErr read_points(Reader *r, const char **text, ScriptAction *action) {
  for (size_t i = 0; i < action->n; i++) {
    SOFA_TRY(read_indices(r, text, 1, &action->ids));
    for (int k = 0; k < 2; k++) {
      double weight = 0;
      if (!sofa_read_real(text, &weight))
        SOFA_TRY(problem(r, "a weight is missing: expected a triangle and two numbers per point"));
      SOFA_TRY(SOFA_APPEND(r->object->ctx, &action->weights, &weight));
    }
  }
  return SOFA_OK;
}

typedef struct AddedKind {
  const char *one, *many;
  SofaElementKind kind;
} AddedKind;

static const AddedKind added_kinds[] = {
    {"PointInTriangle", "PointsInTriangle", SOFA_ELEMENT_POINT},
    {"Edge", "Edges", SOFA_ELEMENT_EDGE},
    {"Triangle", "Triangles", SOFA_ELEMENT_TRIANGLE},
    {"Quad", "Quads", SOFA_ELEMENT_QUAD},
    {"Tetrahedron", "Tetrahedra", SOFA_ELEMENT_TETRA},
    {"Hexahedron", "Hexahedra", SOFA_ELEMENT_HEXA},
};

static SofaErr read_kind(Reader *r, const char **text, ScriptAction *action, bool *known) {
  const char *word = NULL;
  size_t length = 0;
  *known = false;
  if (!sofa_read_word(text, &word, &length)) length = 0;
  for (size_t i = 0; i < sizeof added_kinds / sizeof *added_kinds; i++) {
    if (!length ||
        (!is_word(word, length, added_kinds[i].one) && !is_word(word, length, added_kinds[i].many)))
      continue;
    action->kind = added_kinds[i].kind;
    *known = true;
    return SOFA_OK;
  }
  return problem(r, "expected after ADD=: PointsInTriangle, Edges, Triangles, Quads, Tetrahedra or "
                    "Hexahedra");
}

/* Three numbers per point, or a triangle before them: how many there are tells. */
static SofaErr split_path(Reader *r, const SofaReals *numbers, ScriptAction *action) {
  const size_t with = numbers->n == 4 * action->n, each = with ? 4 : 3;
  for (size_t i = 0; i < action->n; i++) {
    const double *values = numbers->data + each * i;
    if (with) {
      const bool good = values[0] >= 0 && values[0] < SOFA_NO_ELEMENT;
      const uint32_t triangle = good ? (uint32_t)values[0] : 0;
      if (!good || triangle != values[0])
        SOFA_TRY(problem(r, "expected the index of a triangle before each point of the path"));
      SOFA_TRY(SOFA_APPEND(r->object->ctx, &action->ids, &triangle));
    }
    for (size_t k = each - 3; k < each; k++)
      SOFA_TRY(SOFA_APPEND(r->object->ctx, &action->path, &values[k]));
  }
  return SOFA_OK;
}

/* The line of numbers of an incision. */
static SofaErr read_path(Reader *r, const char *text, ScriptAction *action) {
  SofaReals numbers = {0};
  SofaErr err = SOFA_OK;
  double value = 0;
  while (err == SOFA_OK && sofa_read_real(&text, &value))
    err = isfinite(value) ? SOFA_APPEND(r->object->ctx, &numbers, &value)
                          : problem(r, "a number of the path is not finite");
  if (err == SOFA_OK && !sofa_at_end(&text)) err = problem(r, "expected numbers only");
  if (err == SOFA_OK && numbers.n != 3 * action->n && numbers.n != 4 * action->n)
    err = problem(r, "expected three coordinates per point, or a triangle and three coordinates");
  // with keep_going incomplete changes are left out
  if (numbers.n < 3 * action->n) action->n = numbers.n / 3;
  if (err == SOFA_OK && action->n < 2) err = problem(r, "a path needs two points at least");
  if (err == SOFA_OK) err = split_path(r, &numbers, action);
  sofa_list_free(r->object->ctx, &numbers);
  return err;
}

/* The rest of the line of an ADD=, REMOVE= or INCISE=, and the line of numbers behind it. */
static SofaErr read_action(Reader *r, const char *text, ScriptAction *action) {
  bool found = true;
  uint32_t n = 0;
  action->line = r->line;
  if (action->verb == SCRIPT_ADD) SOFA_TRY(read_kind(r, &text, action, &found));
  if (!found) return next_line(r, &found);
  SOFA_TRY(read_index(r, &text, "the number of elements", &n));
  action->n = n;
  SOFA_TRY(next_line(r, &found));
  if (!found) action->n = 0;
  if (!found) return problem(r, "the line with the numbers is missing");
  text = r->buffer;
  if (n > strlen(text) + 16) {
    // no file is so far off by mistake
    action->n = 0;
    return problem(r, "far fewer numbers than announced");
  }
  if (action->verb == SCRIPT_INCISE) return read_path(r, text, action);
  if (action->verb == SCRIPT_REMOVE) return read_indices(r, &text, n, &action->ids);
  if (action->kind == SOFA_ELEMENT_POINT) return read_points(r, &text, action);
  return read_indices(r, &text, n * (size_t)sofa_element_kind_info(action->kind)->width,
                      &action->ids);
}

static SofaErr read_line(Reader *r, double *time, ScriptActions *actions) {
  const char *text = r->buffer, *word = NULL;
  size_t length = 0;
  ScriptAction action = {.time = *time};
  if (!sofa_read_word(&text, &word, &length)) return SOFA_OK;
  if (is_word(word, length, "T=")) {
    double t = 0;
    if (!sofa_read_real(&text, &t)) return problem(r, "expected a time in seconds after T=");
    *time = t;
    return SOFA_OK;
  }
  if (is_word(word, length, "INCISE=")) action.verb = SCRIPT_INCISE;
  else if (is_word(word, length, "ADD=")) action.verb = SCRIPT_ADD;
  else if (is_word(word, length, "REMOVE=")) action.verb = SCRIPT_REMOVE;
  else return problem(r, "expected T=, ADD=, REMOVE= or INCISE=");
  SofaErr err = read_action(r, text, &action);
  if (err == SOFA_OK) err = SOFA_APPEND(r->object->ctx, actions, &action);
  if (err == SOFA_OK) return SOFA_OK;
  free_action(r->object->ctx, &action);
  return err;
}

SofaErr script_read(const SofaObject *object, const char *path, const char *text,
                    ScriptActions *actions, double *end) {
  Reader r = {.object = object, .path = path, .at = text};
  double time = 0;
  bool found = true;
  SofaErr err = SOFA_OK;
  while (found && err == SOFA_OK) {
    err = next_line(&r, &found);
    if (err == SOFA_OK && found) err = read_line(&r, &time, actions);
  }
  sofa_free(object->ctx, r.buffer);
  *end = time;
  return err;
}
