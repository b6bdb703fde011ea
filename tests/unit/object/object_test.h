/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the tests of the object model: a context that collects its messages and can run out of
 * memory, and a few classes. */
#ifndef TESTS_OBJECT_TEST_H
#define TESTS_OBJECT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "base/context.h"
#include "object/data_graph.h"
#include "object/event.h"
#include "base/abi.h"
#include "object/factory.h"
#include "behavior/state.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- context ---- */

typedef struct Bench {
  SofaContext *ctx;
  SofaNode *root;
  uint64_t graph_version;
  char messages[1 << 14]; /* "severity:line:path: text", one per line */
  size_t n;
  long live, calls, fail_at; /* blocks; calls; call from which on all fail, 0: none */
  const SofaObject *object;  /* whose values are parsed; NULL: nobody's */
} Bench;

static inline void *bench_allocate(void *user, void *block, size_t size) {
  Bench *b = user;
  if (!size) {
    b->live -= block != NULL;
    free(block);
    return NULL;
  }
  b->calls++;
  if (b->fail_at && b->calls >= b->fail_at) return NULL;
  void *result = realloc(block, size);
  b->live += result && !block;
  return result;
}

static inline void bench_sink(void *user, const SofaMessage *m) {
  Bench *b = user;
  const size_t room = sizeof b->messages - b->n;
  const int n =
      snprintf(b->messages + b->n, room, "%s:%d:%s: %s\n", sofa_severity_text(m->severity),
               m->origin.line, m->origin.path ? m->origin.path : "", m->text);
  b->n += n > 0 && (size_t)n < room ? (size_t)n : 0;
}

static inline SofaErr bench_try_open(Bench *b, long fail_at) {
  memset(b, 0, sizeof *b);
  b->fail_at = fail_at;
  const SofaContextOptions options = {
      .allocate = bench_allocate, .allocate_user = b, .sink = bench_sink, .sink_user = b};
  SOFA_TRY(sofa_context_create(&options, &b->ctx));
  const SofaErr err = sofa_node_create(b->ctx, NULL, "root", &b->root);
  if (b->root) b->root->graph_version = &b->graph_version;
  return err;
}

static inline void bench_open(Bench *b) {
  assert_int_equal(bench_try_open(b, 0), SOFA_OK);
}

static inline void bench_close(Bench *b) {
  sofa_node_destroy(&b->root);
  sofa_context_destroy(&b->ctx);
  assert_int_equal(b->live, 0);
}

static inline void bench_clear(Bench *b) {
  b->n = 0;
  b->messages[0] = '\0';
}

/* The messages since the last look contain the words; then they are forgotten. */
static inline void bench_said(Bench *b, const char *words) {
  if (!strstr(b->messages, words)) {
    print_error("expected \"%s\" among:\n%s", words, b->messages);
    fail();
  }
  bench_clear(b);
}

static inline void bench_silent(const Bench *b) {
  assert_string_equal(b->messages, "");
}

/* ---- classes ---- */

/* A bit of everything. */
typedef struct Thing {
  SofaObject object;
  double mass, total;
  int count;
  bool flag;
  SofaVec3 vector;
  SofaReals values;
  SofaIndices indices;
  SofaVec3s points;
  SofaCoords position, velocity;
  SofaOption method;
  char *mode, *text;
  SofaFileName file;
  SofaLink friend;
  SofaLinks friends;
  double fixed, old, left, right;
  int n_reinit;
} Thing;

static const char *const thing_methods[] = {"small", "large", "polar", NULL};
static const SofaLinkRule thing_engine_rule = {.interface = SOFA_ENGINE, .search = SOFA_SEARCH_UP};

static const SofaField thing_fields[] = {
    SOFA_FIELD(Thing, mass, "mass", "1", "kg", "mass", .aliases = "weight m"),
    SOFA_FIELD(Thing, total, "total", "2", "kg", "reinitialises", .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(Thing, count, "count", "3", "", "count"),
    SOFA_FIELD(Thing, flag, "flag", "1", "", "flag"),
    SOFA_FIELD(Thing, vector, "vector", "1 1 1", "m", "vector"),
    SOFA_FIELD(Thing, values, "values", "1 2 3", "", "values", .aliases = "out"),
    SOFA_FIELD(Thing, indices, "indices", NULL, "", "indices"),
    SOFA_FIELD(Thing, points, "points", NULL, "m", "points"),
    SOFA_FIELD(Thing, position, "position", NULL, "m", "positions"),
    SOFA_FIELD(Thing, velocity, "velocity", NULL, "m/s", "velocities", .flags = SOFA_FIELD_DERIV),
    SOFA_FIELD(Thing, method, "method", "large", "", "method", .options = thing_methods),
    SOFA_FIELD(Thing, mode, "mode", "small", "", "mode", .options = thing_methods),
    SOFA_FIELD(Thing, text, "text", NULL, "", "text"),
    SOFA_FIELD(Thing, file, "filename", NULL, "", "file"),
    SOFA_FIELD(Thing, friend, "friend", NULL, "", "an engine", .link = &thing_engine_rule),
    SOFA_FIELD(Thing, friends, "friends", NULL, "", "things"),
    SOFA_FIELD(Thing, fixed, "fixed", "1", "", "only 1", .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(Thing, old, "old", "0", "", "no Data", .flags = SOFA_FIELD_LEGACY),
    SOFA_FIELD(Thing, left, "left", "0", "", "left", .aliases = "both"),
    SOFA_FIELD(Thing, right, "right", "0", "", "right", .aliases = "both"),
};

static SofaErr thing_reinit(SofaObject *object) {
  ((Thing *)object)->n_reinit++;
  return SOFA_OK;
}

static const char *const thing_templates[] = {"Vec3d", "Rigid3d", "Vec1d", NULL};
static const char *const thing_aliases[] = {"Object1", NULL};
static const SofaClass thing_class = {
    .name = "Thing",
    .aliases = thing_aliases,
    .module = "Test",
    .help = "A bit of everything.",
    .base = &sofa_object_class,
    .size = sizeof(Thing),
    .fields = thing_fields,
    .n_fields = COUNT(thing_fields),
    .templates = thing_templates,
    .reinit = thing_reinit,
    SOFA_IMPLEMENTS({SOFA_STATE, SOFA_NO_OPS}),
};

/* out = sum of in, double of it. */
typedef struct Summer {
  SofaObject object;
  SofaReals in, out;
  int n_updates;
} Summer;

static const SofaField summer_fields[] = {
    SOFA_FIELD(Summer, in, "in", "1 2", "", "summands", .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(Summer, out, "out", NULL, "", "the sum and its double", .flags = SOFA_FIELD_OUTPUT,
               .aliases = "values"),
};

static SofaErr summer_update(SofaObject *object) {
  Summer *summer = (Summer *)object;
  double sum = 0;
  for (size_t i = 0; i < summer->in.n; i++) sum += summer->in.data[i];
  SOFA_TRY(SOFA_RESIZE(object->ctx, &summer->out, 2));
  summer->out.data[0] = sum;
  summer->out.data[1] = 2 * sum;
  summer->n_updates++;
  return SOFA_OK;
}

static const SofaClass summer_class = {
    .name = "Summer",
    .module = "Test",
    .help = "Adds numbers.", /* no base: the object class */
    .size = sizeof(Summer),
    .fields = summer_fields,
    .n_fields = COUNT(summer_fields),
    .update = summer_update,
    .listening = true,
    SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),
};

static const SofaClass *const test_classes[] = {&thing_class, &summer_class, NULL};
static const SofaModule test_module = {
    .abi = SOFA_ABI, .name = "Test", .version = "1", .classes = test_classes};

static inline SofaNode *add_node(SofaNode *parent, const char *name) {
  SofaNode *node = NULL;
  assert_int_equal(sofa_node_create(parent->object.ctx, parent, name, &node), SOFA_OK);
  return node;
}

static inline SofaObject *add(SofaNode *node, const SofaClass *klass, const char *name) {
  SofaObject *object = NULL;
  assert_int_equal(sofa_object_create(node, klass, name, NULL, &object), SOFA_OK);
  return object;
}

static inline Thing *add_thing(SofaNode *node, const char *name) {
  return (Thing *)add(node, &thing_class, name);
}
static inline Summer *add_summer(SofaNode *node, const char *name) {
  return (Summer *)add(node, &summer_class, name);
}

/* The field's text is this. */
static inline void expect_field(SofaObject *object, const char *name, const char *text) {
  SofaText out = {0};
  const SofaField *field = sofa_class_field(object->klass, name);
  assert_non_null(field);
  assert_int_equal(sofa_field_print(object, field, &out), SOFA_OK);
  assert_string_equal(out.data, text);
  sofa_list_free(object->ctx, &out);
}

static inline SofaErr set(void *object, const char *name, const char *text) {
  return sofa_field_set_text(object, name, text, 7);
}

#endif
