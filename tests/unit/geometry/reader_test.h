/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests of the mesh readers: a context that remembers the last message. */
#ifndef TESTS_GEOMETRY_READER_TEST_H
#define TESTS_GEOMETRY_READER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "numerics/io/gmsh_reader.h"
#include "numerics/io/obj_reader.h"
#include "object/factory.h"
#include "tests/unit/base/failing_allocator.h"

typedef struct Reader {
  SofaContext *ctx;
  SofaMeshData data;
  SofaObjData obj;
  char message[500]; /* last error or warning */
  int line, n_errors, n_warnings;
} Reader;

static inline void reader_sink(void *user, const SofaMessage *m) {
  Reader *r = user;
  if (m->severity < SOFA_WARNING) return;
  if (m->severity == SOFA_WARNING) r->n_warnings++;
  else r->n_errors++;
  r->line = m->origin.line;
  snprintf(r->message, sizeof r->message, "%s", m->text);
}

static inline void reader_open(Reader *r) {
  memset(r, 0, sizeof *r);
  const SofaContextOptions options = {.sink = reader_sink, .sink_user = r};
  assert_int_equal(sofa_context_create(&options, &r->ctx), SOFA_OK);
}

/* Frees what was read, for the next file. */
static inline void reader_clear(Reader *r) {
  sofa_mesh_data_free(r->ctx, &r->data);
  sofa_obj_data_free(r->ctx, &r->obj);
  r->obj = (SofaObjData){0};
  r->n_errors = r->n_warnings = r->line = 0;
  r->message[0] = '\0';
}

static inline void reader_close(Reader *r) {
  reader_clear(r);
  sofa_context_destroy(&r->ctx);
}

static inline SofaErr reader_gmsh(Reader *r, const char *bytes, size_t size) {
  const SofaOrigin origin = {.file = "test.msh"};
  reader_clear(r);
  return sofa_gmsh_read(r->ctx, &(SofaFileBytes){&origin, bytes, size}, &r->data);
}

static inline SofaErr reader_obj(Reader *r, const char *text, const SofaObjOptions *options) {
  const SofaOrigin origin = {.file = "test.obj"};
  const SofaObjOptions plain = {0};
  reader_clear(r);
  return sofa_obj_read(r->ctx, &(SofaFileBytes){&origin, text, strlen(text)},
                       options ? options : &plain, &r->data, &r->obj);
}

/* The read failed with one error at that line that contains the words; nothing is left. */
static inline void reader_refused(Reader *r, SofaErr err, int line, const char *words) {
  assert_int_not_equal(err, SOFA_OK);
  assert_int_equal(r->n_errors, 1);
  if (!strstr(r->message, words)) fail_msg("'%s' is not in '%s'", words, r->message);
  assert_int_equal(r->line, line);
  assert_int_equal(r->data.mesh.position.n, 0);
  assert_null(r->data.mesh.position.data);
}

#endif
