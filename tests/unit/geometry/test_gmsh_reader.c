/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reader of Gmsh files: all versions, text and binary, and broken files. */
#include "reader_test.h"
#include "object/factory.h"

/* One tetrahedron and one of its faces, nodes numbered with a hole and out of order. */
static const char version1[] = "$NOD\n4\n10 0 0 0\n3 1 0 0\n7 0 1 0\n1 0 0 1.5\n$ENDNOD\n"
                               "$ELM\n2\n1 4 1 1 4 10 3 7 1\n2 2 1 1 3 10 7 3\n$ENDELM\n";
static const char version2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n"
    "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1.5\n$EndNodes\n"
    "$Elements\n3\n1 15 2 0 1 1\n2 4 2 0 5 1 2 3 4\n3 2 2 0 6 1 3 2\n$EndElements\n";
static const char version4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
    "$Nodes\n2 4 1 40\n2 1 0 3\n10\n20\n40\n0 0 0\n1 0 0\n0 0 1.5\n3 1 0 1\n30\n0 1 0\n$EndNodes\n"
    "$Elements\n2 2 1 2\n3 1 4 1\n1 10 20 30 40\n2 9 2 1\n2 10 30 20\n$EndElements\n";
static const char version40[] =
    "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Nodes\n2 4\n1 2 0 3\n10 0 0 0\n20 1 0 0\n40 0 0 1.5\n"
    "1 3 1 1\n30 0 1 0 0.1 0.2 0.3\n$EndNodes\n"
    "$Elements\n2 2\n1 3 4 1\n1 10 20 30 40\n9 2 2 1\n2 10 30 20\n$EndElements\n";

static void tetra_is(const Reader *r, const uint32_t tetra[4], const uint32_t triangle[3]) {
  const SofaMesh *m = &r->data.mesh;
  assert_int_equal(m->position.n, 4);
  assert_int_equal(m->tetrahedra.n, 1);
  assert_int_equal(m->triangles.n, 1);
  assert_memory_equal(m->tetrahedra.data[0].v, tetra, 16);
  assert_memory_equal(m->triangles.data[0].v, triangle, 12);
}

static void reads_version_1_with_numbers_in_any_order(void **state) {
  Reader r;
  (void)state;
  reader_open(&r);
  assert_int_equal(reader_gmsh(&r, version1, strlen(version1)), SOFA_OK);
  tetra_is(&r, (uint32_t[]){0, 1, 2, 3}, (uint32_t[]){0, 2, 1});
  assert_true(r.data.mesh.position.data[3].v[2] == 1.5);
  reader_close(&r);
}

static void reads_version_2_with_groups(void **state) {
  Reader r;
  (void)state;
  reader_open(&r);
  assert_int_equal(reader_gmsh(&r, version2, strlen(version2)), SOFA_OK);
  tetra_is(&r, (uint32_t[]){0, 1, 2, 3}, (uint32_t[]){0, 2, 1});
  const SofaMeshGroups *groups = &r.data.groups[SOFA_ELEMENT_TETRA];
  assert_int_equal(groups->n, 1);
  assert_string_equal(groups->data[0].name, "5");
  assert_int_equal(groups->data[0].first, 0);
  assert_int_equal(groups->data[0].n, 1);
  assert_int_equal(r.n_warnings, 0);
  reader_close(&r);
}

static void reads_version_4_by_node_tags(void **state) {
  Reader r;
  (void)state;
  reader_open(&r);
  static const char *const files[2] = {version4, version40};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(reader_gmsh(&r, files[i], strlen(files[i])), SOFA_OK);
    tetra_is(&r, (uint32_t[]){0, 1, 3, 2}, (uint32_t[]){0, 3, 1});
    assert_true(r.data.mesh.position.data[2].v[2] == 1.5);
    assert_string_equal(r.data.groups[SOFA_ELEMENT_TRIANGLE].data[0].name, "9");
  }
  reader_close(&r);
}

static void reads_windows_line_ends(void **state) {
  Reader r;
  char text[600];
  size_t n = 0;
  (void)state;
  for (const char *p = version2; *p; p++) {
    if (*p == '\n') text[n++] = '\r';
    text[n++] = *p;
  }
  reader_open(&r);
  assert_int_equal(reader_gmsh(&r, text, n), SOFA_OK);
  tetra_is(&r, (uint32_t[]){0, 1, 2, 3}, (uint32_t[]){0, 2, 1});
  reader_close(&r);
}

static void quadratic_elements_give_corners_and_edges(void **state) {
  static const char text[] =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 1 0 0\n"
      "5 1 1 0\n6 0 1 0\n$EndNodes\n$Elements\n1\n1 9 0 3 2 1 5 4 6\n$EndElements\n";
  Reader r;
  (void)state;
  reader_open(&r);
  assert_int_equal(reader_gmsh(&r, text, strlen(text)), SOFA_OK);
  const SofaMesh *m = &r.data.mesh;
  assert_int_equal(m->triangles.n, 1);
  assert_memory_equal(m->triangles.data[0].v, ((uint32_t[]){2, 1, 0}), 12);
  assert_int_equal(m->edges.n, 3);
  assert_memory_equal(m->edges.data, ((uint32_t[]){1, 2, 0, 1, 0, 2}), 24);
  assert_memory_equal(r.data.mid_edges.data, ((uint32_t[]){4, 0, 1, 1, 3, 1, 1, 1, 5, 2, 1, 1}),
                      48);
  reader_close(&r);
}

static void unused_types_are_left_out_with_a_warning(void **state) {
  static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n"
                             "$Elements\n2\n1 26 1 1 1 1 1 1\n2 26 1 1 1 1 1 1\n$EndElements\n";
  Reader r;
  (void)state;
  reader_open(&r);
  assert_int_equal(reader_gmsh(&r, text, strlen(text)), SOFA_OK);
  assert_int_equal(r.data.mesh.edges.n, 0);
  assert_int_equal(r.n_warnings, 1);
  reader_close(&r);
}

/* ---- binary ---- */

typedef struct Bytes {
  char data[4000];
  size_t n;
  bool big; /* byte order */
} Bytes;

static void put(Bytes *b, uint64_t value, int size) {
  for (int k = 0; k < size; k++) b->data[b->n++] = (char)(value >> 8 * (b->big ? size - 1 - k : k));
}
static void put_real(Bytes *b, double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  put(b, bits, 8);
}
static void put_text(Bytes *b, const char *text) {
  memcpy(b->data + b->n, text, strlen(text));
  b->n += strlen(text);
}
static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.5}};

static void make_binary2(Bytes *b) {
  put_text(b, "$MeshFormat\n2.2 1 8\n");
  put(b, 1, 4);
  put_text(b, "\n$EndMeshFormat\n$Nodes\n4\n");
  for (uint32_t i = 0; i < 4; i++) {
    put(b, i + 1, 4);
    for (int k = 0; k < 3; k++) put_real(b, corners[i][k]);
  }
  put_text(b, "\n$EndNodes\n$Elements\n2\n");
  const uint32_t blocks[] = {4, 1, 2, 1, 0, 5, 1, 2, 3, 4, 2, 1, 1, 2, 6, 1, 3, 2};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) put(b, blocks[i], 4);
  put_text(b, "\n$EndElements\n");
}

static void make_binary4(Bytes *b) {
  put_text(b, "$MeshFormat\n4.1 1 8\n");
  put(b, 1, 4);
  put_text(b, "\n$EndMeshFormat\n$Nodes\n");
  const uint64_t header[] = {1, 4, 10, 13}, elements[] = {2, 2, 1, 2};
  for (int k = 0; k < 4; k++) put(b, header[k], 8);
  put(b, 2, 4), put(b, 1, 4), put(b, 1, 4), put(b, 4, 8); /* parametric: two more reals each */
  for (uint64_t i = 0; i < 4; i++) put(b, 10 + i, 8);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) put_real(b, corners[i][k]);
    put_real(b, 0.5), put_real(b, 0.5);
  }
  put_text(b, "\n$EndNodes\n$Elements\n");
  for (int k = 0; k < 4; k++) put(b, elements[k], 8);
  put(b, 3, 4), put(b, 1, 4), put(b, 4, 4), put(b, 1, 8);
  const uint64_t tetra[] = {1, 10, 11, 12, 13}, triangle[] = {2, 10, 12, 11};
  for (int k = 0; k < 5; k++) put(b, tetra[k], 8);
  put(b, 2, 4), put(b, 1, 4), put(b, 2, 4), put(b, 1, 8);
  for (int k = 0; k < 4; k++) put(b, triangle[k], 8);
  put_text(b, "\n$EndElements\n");
}

static void make_binary40(Bytes *b) {
  static const double none[3] = {0, 0, 0};
  put_text(b, "$MeshFormat\n4 1 8\n");
  put(b, 1, 4);
  put_text(b, "\n$EndMeshFormat\n$Nodes\n");
  put(b, 1, 8), put(b, 4, 8);
  // entity, dimension, parametric
  put(b, 5, 4), put(b, 3, 4), put(b, 1, 4), put(b, 4, 8);
  for (uint32_t i = 0; i < 4; i++) {
    put(b, i + 7, 4);
    for (int k = 0; k < 3; k++) put_real(b, corners[i][k]);
    for (int k = 0; k < 3; k++) put_real(b, none[k]);
  }
  put_text(b, "\n$EndNodes\n$Elements\n");
  put(b, 2, 8), put(b, 2, 8);
  const uint32_t tetra[] = {1, 7, 8, 9, 10}, triangle[] = {2, 7, 9, 8};
  put(b, 5, 4), put(b, 3, 4), put(b, 4, 4), put(b, 1, 8);
  for (int k = 0; k < 5; k++) put(b, tetra[k], 4);
  put(b, 6, 4), put(b, 2, 4), put(b, 2, 4), put(b, 1, 8);
  for (int k = 0; k < 4; k++) put(b, triangle[k], 4);
  put_text(b, "\n$EndElements\n");
}

static void reads_binary_of_both_byte_orders(void **state) {
  Reader r;
  (void)state;
  reader_open(&r);
  for (int i = 0; i < 6; i++) {
    Bytes b = {.big = i % 2 != 0};
    if (i < 2) make_binary2(&b);
    else if (i < 4) make_binary4(&b);
    else make_binary40(&b);
    assert_int_equal(reader_gmsh(&r, b.data, b.n), SOFA_OK);
    tetra_is(&r, (uint32_t[]){0, 1, 2, 3}, (uint32_t[]){0, 2, 1});
    for (int p = 0; p < 4; p++)
      assert_memory_equal(r.data.mesh.position.data[p].v, corners[p], sizeof corners[p]);
  }
  reader_close(&r);
}

/* Every beginning of a file is refused with one error, none crashes. */
static void truncated_files_are_refused(void **state) {
  Reader r;
  Bytes b[3] = {{.n = 0}, {.n = 0}, {.n = 0}};
  (void)state;
  reader_open(&r);
  make_binary2(&b[0]);
  make_binary4(&b[1]);
  make_binary40(&b[2]);
  const char *files[] = {version1, version2, version4, version40, b[0].data, b[1].data, b[2].data};
  const size_t sizes[] = {strlen(version1),
                          strlen(version2),
                          strlen(version4),
                          strlen(version40),
                          b[0].n,
                          b[1].n,
                          b[2].n};
  for (int i = 0; i < 7; i++) {
    for (size_t n = 0; n + 1 < sizes[i]; n++) {
      assert_int_not_equal(reader_gmsh(&r, files[i], n), SOFA_OK);
      assert_int_equal(r.n_errors, 1);
      assert_null(r.data.mesh.position.data);
    }
  }
  reader_close(&r);
}

#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n"
#define NODE2 HEAD2 "1\n1 0 0 0\n$EndNodes\n$Elements\n"

static void broken_files_are_refused_with_their_line(void **state) {
  static const struct {
    const char *text;
    int line;
    const char *words;
  } cases[] = {
      {"", 1, "file ends"},
      {"solid x\n", 1, "$MeshFormat"},
      {"$MeshFormat\n5.0 0 8\n$EndMeshFormat\n", 3, "version 5"},
      {"$MeshFormat\n4.2 0 8\n$EndMeshFormat\n", 3, "version 4.2"},
      {"$MeshFormat\n2.2 1 3\n", 2, "size is 3"},
      {HEAD2 "-3\n1 0 0 0\n", 5, "-3"},
      {HEAD2 "4000000000000\n1 0 0 0\n", 5, "does not fit"},
      {HEAD2 "1\n1 0 nan 0\n$EndNodes\n", 6, "coordinate"},
      {HEAD2 "1\n1 0 1e999 0\n$EndNodes\n", 6, ""},
      {HEAD2 "2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", 7, "twice"},
      {HEAD2 "3\n1 0 0 0\n5 0 0 0\n1 1 0 0\n$EndNodes\n", 8, "twice"},
      {HEAD2 "1\n1 0 0\n$EndNodes\n", 7, "coordinate, found '$EndNodes'"},
      {NODE2 "1\n1 2 0 1 1 2\n$EndElements\n", 10, "node 2"},
      {NODE2 "1\n1 2 0 1 1 -1\n$EndElements\n", 10, "node -1"},
      {NODE2 "1\n1 99 0 1\n$EndElements\n", 10, "type 99"},
      {NODE2 "1\n1 -4 0 1\n$EndElements\n", 10, "type -4"},
      {NODE2 "1\n1 2 100000 1 1 1\n$EndElements\n", 10, "tags"},
      {NODE2 "2\n1 15 0 1\n$EndElements\n", 11, "element number"},
      {"$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1\n1 4 1 1 3 1 1 1 1\n$ENDELM\n", 7, "3 nodes"},
  };
  Reader r;
  (void)state;
  reader_open(&r);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    reader_refused(&r, reader_gmsh(&r, cases[i].text, strlen(cases[i].text)), cases[i].line,
                   cases[i].words);
  reader_close(&r);
}

/* Announced counts must not make the reader ask for more memory than the file justifies. */
static void huge_binary_counts_allocate_nothing(void **state) {
  Reader r;
  Bytes b = {.n = 0};
  (void)state;
  reader_open(&r);
  put_text(&b, "$MeshFormat\n4.1 1 8\n");
  put(&b, 1, 4);
  put_text(&b, "\n$EndMeshFormat\n$Nodes\n");
  for (int k = 0; k < 6; k++) put(&b, UINT64_MAX / 3, 8);
  assert_int_not_equal(reader_gmsh(&r, b.data, b.n), SOFA_OK);
  assert_non_null(strstr(r.message, "byte "));
  reader_close(&r);
}

/* Allocation n fails, for every n: a clean error each time, nothing lost. */
static void survives_lack_of_memory(void **state) {
  (void)state;
  for (uint64_t fail_at = 1;; fail_at++) {
    FailingAllocator allocator = {0};
    SofaContext *ctx = NULL;
    SofaMeshData data = {0};
    const SofaContextOptions options = {
        .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    allocator.fail_at = allocator.calls + fail_at;
    const SofaFileBytes file = {.bytes = version1, .size = strlen(version1)};
    const SofaErr err = sofa_gmsh_read(ctx, &file, &data);
    sofa_mesh_data_free(ctx, &data);
    sofa_context_destroy(&ctx);
    assert_int_equal(allocator.live, 0);
    if (err == SOFA_OK) break;
    assert_int_equal(err, SOFA_ERR_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_version_1_with_numbers_in_any_order),
      cmocka_unit_test(reads_version_2_with_groups),
      cmocka_unit_test(reads_version_4_by_node_tags),
      cmocka_unit_test(reads_windows_line_ends),
      cmocka_unit_test(quadratic_elements_give_corners_and_edges),
      cmocka_unit_test(unused_types_are_left_out_with_a_warning),
      cmocka_unit_test(reads_binary_of_both_byte_orders),
      cmocka_unit_test(truncated_files_are_refused),
      cmocka_unit_test(broken_files_are_refused_with_their_line),
      cmocka_unit_test(huge_binary_counts_allocate_nothing),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
