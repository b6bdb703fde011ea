/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* File search, paths, and reading of plain, compressed, broken and oversized files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/files.h"
#include "base/output.h"
#include "object/factory.h"
#include "failing_allocator.h"

typedef struct Fixture {
  char folder[64], plain[128], packed[128], cut[128];
  SofaContext *ctx;
  FailingAllocator allocator;
} Fixture;

#define N_LINES 20000

static int setup(void **state) {
  Fixture *f = calloc(1, sizeof *f);
  strcpy(f->folder, "/tmp/csofa_files_XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(f->plain, sizeof f->plain, "%s/plain.obj", f->folder);
  snprintf(f->packed, sizeof f->packed, "%s/packed.xml.gz", f->folder);
  snprintf(f->cut, sizeof f->cut, "%s/cut.gz", f->folder);
  FILE *out = fopen(f->plain, "wb");
  gzFile zip = gzopen(f->packed, "wb");
  for (int i = 0; i < N_LINES; i++) {
    fprintf(out, "v %d\n", i % 10);
    gzprintf(zip, "v %d\n", i % 10);
  }
  fclose(out);
  gzclose(zip);
  // a compressed file without its second half
  struct stat info;
  stat(f->packed, &info);
  char *bytes = malloc((size_t)info.st_size);
  FILE *in = fopen(f->packed, "rb");
  const size_t n = fread(bytes, 1, (size_t)info.st_size, in);
  fclose(in);
  out = fopen(f->cut, "wb");
  fwrite(bytes, 1, n / 2, out);
  fclose(out);
  free(bytes);
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = &f->allocator, .sink = quiet_sink};
  *state = f;
  return sofa_context_create(&options, &f->ctx) == SOFA_OK ? 0 : -1;
}

static int teardown(void **state) {
  Fixture *f = *state;
  sofa_context_destroy(&f->ctx);
  const int64_t live = f->allocator.live;
  unlink(f->plain);
  unlink(f->packed);
  unlink(f->cut);
  rmdir(f->folder);
  free(f);
  return live != 0;
}

static void reading(void **state) {
  Fixture *f = *state;
  const char *const paths[] = {f->plain, f->packed};
  for (int i = 0; i < 2; i++) {
    char *bytes = NULL;
    size_t n = 0;
    assert_int_equal(sofa_read_file(f->ctx, paths[i], 0, &bytes, &n), SOFA_OK);
    assert_int_equal(n, 4 * N_LINES);
    assert_int_equal(strlen(bytes), n);
    assert_memory_equal(bytes + n - 8, "v 8\nv 9\n", 8);
    sofa_free(f->ctx, bytes);
    // the limit is on the size after decompression
    assert_int_equal(sofa_read_file(f->ctx, paths[i], 4 * N_LINES, &bytes, &n), SOFA_OK);
    sofa_free(f->ctx, bytes);
    assert_int_equal(sofa_read_file(f->ctx, paths[i], 4 * N_LINES - 1, &bytes, &n), SOFA_ERR_RANGE);
    assert_null(bytes);
    assert_int_equal(sofa_read_file(f->ctx, paths[i], 1, &bytes, &n), SOFA_ERR_RANGE);
  }
}

static void refusing(void **state) {
  Fixture *f = *state;
  char *bytes = NULL;
  size_t n = 0;
  assert_int_equal(sofa_read_file(f->ctx, f->cut, 0, &bytes, &n), SOFA_ERR_IO);
  assert_int_equal(sofa_read_file(f->ctx, f->folder, 0, &bytes, &n), SOFA_ERR_IO);
  assert_int_equal(sofa_read_file(f->ctx, "/no/such/file", 0, &bytes, &n), SOFA_ERR_NOT_FOUND);
  assert_null(bytes);
  assert_int_equal(f->ctx->n_messages[SOFA_ERROR], 3);
  // without memory
  f->allocator.fail_at = f->allocator.calls + 1;
  assert_int_equal(sofa_read_file(f->ctx, f->plain, 0, &bytes, &n), SOFA_ERR_MEMORY);
  f->allocator.fail_at = 0;
}

static void searching(void **state) {
  Fixture *f = *state;
  char *path = NULL;
  assert_int_equal(sofa_find_file(f->ctx, f->folder, "plain.obj", &path), SOFA_OK);
  assert_string_equal(path, f->plain);
  sofa_free(f->ctx, path);
  assert_int_equal(sofa_find_file(f->ctx, NULL, f->plain, &path), SOFA_OK);
  sofa_free(f->ctx, path);
  assert_int_equal(sofa_find_file(f->ctx, NULL, "plain.obj", &path), SOFA_ERR_NOT_FOUND);
  assert_null(path);
  assert_int_equal(sofa_context_add_data_paths(f->ctx, "/no/such"), SOFA_OK);
  assert_int_equal(sofa_context_add_data_paths(f->ctx, f->folder), SOFA_OK);
  assert_int_equal(sofa_find_file(f->ctx, "/", "./plain.obj", &path), SOFA_OK);
  sofa_free(f->ctx, path);
  assert_int_equal(sofa_find_file(f->ctx, "/", "", &path), SOFA_ERR_NOT_FOUND);
  assert_false(sofa_is_file(f->folder));
  assert_true(sofa_is_file(f->packed));
}

static void check_owned(SofaContext *ctx, char *text, const char *expected) {
  assert_string_equal(text, expected);
  sofa_free(ctx, text);
}

static void paths(void **state) {
  Fixture *f = *state;
  check_owned(f->ctx, sofa_path_folder(f->ctx, "a/b/c.scn"), "a/b");
  check_owned(f->ctx, sofa_path_folder(f->ctx, "c.scn"), ".");
  check_owned(f->ctx, sofa_path_folder(f->ctx, "/c.scn"), "/");
  check_owned(f->ctx, sofa_path_join(f->ctx, "a", "b"), "a/b");
  check_owned(f->ctx, sofa_path_join(f->ctx, "a/", "b"), "a/b");
  check_owned(f->ctx, sofa_path_join(f->ctx, "/", "b"), "/b");
  check_owned(f->ctx, sofa_path_join(f->ctx, "a", "/b"), "/b");
  check_owned(f->ctx, sofa_path_join(f->ctx, NULL, "b"), "b");
  assert_string_equal(sofa_path_name("a/b.obj"), "b.obj");
  assert_string_equal(sofa_path_extension("a.b/c"), "");
  assert_string_equal(sofa_path_extension("a/c.vtk.gz"), "gz");
  assert_string_equal(sofa_path_extension("a/.hidden"), "");
  assert_true(sofa_is_absolute("/a"));
  assert_false(sofa_is_absolute("a"));
}

/* Nothing is made of files that are written in a context without outputs, and nothing is lost. */
static void discarded_outputs(void **state) {
  const Fixture *f = *state;
  static const char *const names[] = {"out.txt", "out.txt.gz"};
  for (int discard = 0; discard < 2; discard++) {
    SofaContext *ctx = NULL;
    const SofaContextOptions options = {.discard_outputs = discard};
    assert_int_equal(sofa_context_create_bare(&options, &ctx), SOFA_OK);
    for (int i = 0; i < 2; i++) {
      char path[128];
      SofaOutput *file = NULL;
      snprintf(path, sizeof path, "%s/%s", f->folder, names[i]);
      const SofaOutputSpec spec = {.path = path, .gzip = true};
      assert_int_equal(sofa_output_open(ctx, &spec, &file), SOFA_OK);
      assert_int_equal(sofa_output_write(file, "abc", 3), SOFA_OK);
      if (!i) assert_int_equal(sofa_output_rewind(file), SOFA_OK);
      assert_int_equal(sofa_output_write(file, "def", 3), SOFA_OK);
      assert_int_equal(access(sofa_output_temporary(file), F_OK), 0);
      assert_int_equal(sofa_output_close(&file), SOFA_OK);
      assert_int_equal(access(path, F_OK) == 0, !discard);
      remove(path);
    }
    assert_int_equal(ctx->n_lost_outputs, 0);
    sofa_context_destroy(&ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(reading, setup, teardown),
      cmocka_unit_test_setup_teardown(refusing, setup, teardown),
      cmocka_unit_test_setup_teardown(searching, setup, teardown),
      cmocka_unit_test_setup_teardown(paths, setup, teardown),
      cmocka_unit_test_setup_teardown(discarded_outputs, setup, teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
