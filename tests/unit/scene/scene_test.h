/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the tests of scene files: a context that collects its messages, folders with files, an
 * allocator that counts blocks and can fail. */
#ifndef TESTS_SCENE_TEST_H
#define TESTS_SCENE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* after the headers it needs */
#include <cmocka.h>

#include "base/context.h"
#include "object/factory.h"

typedef struct Bench {
  SofaContext *ctx;
  char messages[1 << 16]; /* one per line: file:line: severity: text */
  size_t n;
  long blocks;  /* alive */
  long fail_at; /* call that fails; 0: none */
  long calls;
  char folder[64];
} Bench;

static inline void bench_sink(void *user, const SofaMessage *message) {
  Bench *b = user;
  const char *name = message->origin.file ? message->origin.file : "";
  const char *slash = strrchr(name, '/');
  if (b->n + 600 > sizeof b->messages) return;
  b->n +=
      (size_t)snprintf(b->messages + b->n, 600, "%s:%d: %s: %.500s\n", slash ? slash + 1 : name,
                       message->origin.line, sofa_severity_text(message->severity), message->text);
}

static inline void *bench_allocate(void *user, void *block, size_t size) {
  Bench *b = user;
  if (size == 0) {
    b->blocks -= block != NULL;
    free(block);
    return NULL;
  }
  if (++b->calls == b->fail_at) return NULL;
  void *result = realloc(block, size);
  b->blocks += result && !block;
  return result;
}

static inline void bench_open(Bench *b, bool keep_going) {
  memset(b, 0, sizeof *b);
  const SofaContextOptions options = {.allocate = bench_allocate,
                                      .allocate_user = b,
                                      .sink = bench_sink,
                                      .sink_user = b,
                                      .keep_going = keep_going};
  assert_int_equal(sofa_context_create(&options, &b->ctx), SOFA_OK);
  snprintf(b->folder, sizeof b->folder, "/tmp/csofa-scene-XXXXXX");
  assert_non_null(mkdtemp(b->folder));
}

static inline void bench_close(Bench *b) {
  char command[128];
  sofa_context_destroy(&b->ctx);
  assert_int_equal(b->blocks, 0);
  snprintf(command, sizeof command, "rm -rf %s", b->folder);
  assert_int_equal(system(command), 0);
}

/* Path of a file in the bench's folder; the buffer is shared. */
static inline const char *bench_path(Bench *b, const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", b->folder, name);
  return path;
}

static inline const char *bench_file(Bench *b, const char *name, const char *text) {
  const char *path = bench_path(b, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
  assert_int_equal(fclose(out), 0);
  return path;
}

static inline void bench_clear(Bench *b) {
  b->messages[b->n = 0] = '\0';
}

#define assert_message(bench, text)                                                                \
  do {                                                                                             \
    if (!strstr((bench)->messages, (text)))                                                        \
      fail_msg("no message '%s' in:\n%s", (text), (bench)->messages);                              \
  } while (0)
#define assert_no_message(bench) assert_string_equal((bench)->messages, "")

#endif
