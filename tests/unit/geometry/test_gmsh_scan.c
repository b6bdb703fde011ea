/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scan of binary Gmsh files in front of slices: how many nodes and elements there are, and
 * where the blocks of them are. */
#include "tests/unit/geometry/slice_files.h"
#include "tests/unit/geometry/sliced_mesh.h"
#include "tests/unit/scene/scene_test.h"

#include "base/file_part.h"
#include "numerics/io/gmsh_scan_impl.h"

static const FileWay ways[] = {
    {"2.2", 20, false, 8, 1, 1, 1, false, false},
    {"2.2, blocks", 20, false, 8, 1, 1, 7, true, false},
    {"2.2, single precision", 20, true, 8, 0, 1, 2, false, true},
    {"4.1", 41, false, 8, 1, 1, 3, false, false},
    {"4.1, big-endian", 41, true, 8, 5, 3, 5, false, false},
    {"4.1, of four bytes", 41, false, 4, 1, 1, 2, true, false},
};

static double node_real(const SofaGmshScan *scan, const SofaGmshBlock *block, uint64_t i, int k) {
  char bytes[8];
  const unsigned size = scan->version == 20 ? scan->data_size : 8;
  const uint64_t at = block->points + i * block->step + (uint64_t)k * size;
  assert_int_equal(sofa_part_read(scan->file, at, size, bytes), SOFA_OK);
  return sofa_gmsh_real(scan, bytes, size);
}

static void check_nodes(const SofaGmshScan *scan, const FileWay *way, const SofaMesh *mesh) {
  uint64_t n = 0;
  assert_int_equal(scan->n[SOFA_ELEMENT_POINT], mesh->position.n);
  for (size_t b = 0; b < scan->nodes.n; b++) {
    const SofaGmshBlock *block = &scan->nodes.data[b];
    assert_int_equal(block->first, n);
    for (uint64_t i = 0; i < block->n; i++)
      for (int k = 0; k < 3; k++) {
        const double x = mesh->position.data[n + i].v[k];
        assert_true(node_real(scan, block, i, k) == (way->singles ? (float)x : x));
      }
    n += block->n;
  }
  assert_int_equal(n, mesh->position.n);
}

/* Blocks have the kinds of the mesh, each in its order. */
static void check_elements(const SofaGmshScan *scan, const SofaMesh *mesh) {
  uint64_t n[SOFA_N_ELEMENT_KINDS] = {0};
  for (size_t b = 0; b < scan->elements.n; b++) {
    const SofaGmshBlock *block = &scan->elements.data[b];
    assert_int_equal(block->first, n[block->kind]);
    assert_int_equal(block->n_nodes, sofa_element_kind_info(block->kind)->width);
    n[block->kind] += block->n;
  }
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    assert_int_equal(n[k], sofa_mesh_elements(mesh, (SofaElementKind)k).n);
    assert_int_equal(scan->n[k], n[k]);
  }
}

static void blocks_are_found(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(ways); i++) {
    static Bench b;
    SofaMesh mesh = {0};
    SofaGmshScan scan = {0};
    SofaPartFile file = {.descriptor = -1};
    bench_open(&b, false);
    const char *path = bench_path(&b, "mesh.msh");
    assert_int_equal(sliced_make(b.ctx, true, &mesh), SOFA_OK);
    assert_true(write_binary_gmsh(path, &ways[i], &mesh));
    assert_int_equal(sofa_part_open(b.ctx, &(SofaOrigin){.file = path}, &file), SOFA_OK);
    assert_int_equal(sofa_gmsh_scan(&file, &scan), SOFA_OK);
    assert_no_message(&b);
    assert_int_equal(scan.version, ways[i].version);
    /* a block of single points is left out */
    assert_int_equal(scan.left_out, ways[i].extra ? 1 << 15 : 0);
    assert_true(scan.has_slices);
    check_nodes(&scan, &ways[i], &mesh);
    check_elements(&scan, &mesh);
    sofa_gmsh_scan_free(b.ctx, &scan);
    sofa_part_close(&file);
    sofa_mesh_free(b.ctx, &mesh);
    bench_close(&b);
  }
}

static void put_count(char *to, uint64_t count, const FileWay *way) {
  for (unsigned k = 0; k < way->word; k++)
    to[k] = (char)(count >> 8 * (way->swap ? way->word - 1 - k : k) & 255);
}

/* What the scan of a file that was changed says. */
static void scan_fails(Bench *b, const char *path, const char *bytes, size_t n) {
  SofaGmshScan scan = {0};
  SofaPartFile file = {.descriptor = -1};
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, n, out), n);
  assert_int_equal(fclose(out), 0);
  bench_clear(b);
  assert_int_equal(sofa_part_open(b->ctx, &(SofaOrigin){.file = path}, &file), SOFA_OK);
  assert_int_not_equal(sofa_gmsh_scan(&file, &scan), SOFA_OK);
  sofa_part_close(&file);
}

/* A block takes 16 bytes or more, a node or an element 8: a section that counts more is refused by
 * its head, one that counts as many is not. */
static void check_counts(Bench *b, const FileWay *way, const char *section) {
  static char bytes[1 << 17];
  const char *path = bench_path(b, "mesh.msh");
  for (int i = 0; i < 4; i++) {
    const bool blocks = i / 2, fits = i % 2;
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    const size_t n = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    assert_true(n < sizeof bytes);
    char *head = memmem(bytes, n, section, strlen(section)), before[8];
    assert_non_null(head);
    head += strlen(section) + (blocks ? 0 : way->word);
    const size_t rest = n - (size_t)(head - bytes) - (blocks ? 4 : 3) * way->word;
    memcpy(before, head, way->word);
    put_count(head, rest / (blocks ? 16 : 8) + !fits, way);
    scan_fails(b, path, bytes, n);
    if (fits == (strstr(b->messages, "do not fit the rest") != NULL))
      fail_msg("%s: %s", way->name, b->messages);
    memcpy(head, before, way->word);
    FILE *out = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
  }
}

static void counts_that_do_not_fit(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(ways); i++) {
    static Bench b;
    SofaMesh mesh = {0};
    if (ways[i].version != 41) continue;
    bench_open(&b, false);
    assert_int_equal(sliced_make(b.ctx, true, &mesh), SOFA_OK);
    assert_true(write_binary_gmsh(bench_path(&b, "mesh.msh"), &ways[i], &mesh));
    check_counts(&b, &ways[i], "$Nodes\n");
    check_counts(&b, &ways[i], "$Elements\n");
    sofa_mesh_free(b.ctx, &mesh);
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_found),
      cmocka_unit_test(counts_that_do_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
