/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The readers of OBJ files and material libraries. */
#include "reader_test.h"
#include "object/factory.h"

static const char square[] = "# a square of two triangles, one quad, a pentagon and a line\n"
                             "mtllib a.mtl b.mtl\n"
                             "v 0 0 0\nv 1 0 0\nv 1 1 0 0.5 0.5 0.5\nv 0 1 0\nv 2 2 0\n"
                             "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 2\nvn 0 0 -1\n"
                             "g front side\nusemtl red\nf 1/1/1 2/2/1 3/3/1\nf -5 -3 -2\n"
                             "g back\nf 1//2 2//2 3//2 4//2\nf 1 2 3 5 4\nl 4 2\n";

static void reads_faces_groups_and_libraries(void **state) {
  Reader r;
  (void)state;
  reader_open(&r);
  assert_int_equal(reader_obj(&r, square, NULL), SOFA_OK);
  const SofaMesh *m = &r.data.mesh;
  assert_int_equal(m->position.n, 5);
  assert_int_equal(m->triangles.n, 5);
  assert_memory_equal(m->triangles.data,
                      ((uint32_t[]){0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 4, 0, 4, 3}), 60);
  assert_int_equal(m->quads.n, 1);
  assert_int_equal(m->edges.n, 1);
  assert_memory_equal(m->edges.data, ((uint32_t[]){1, 3}), 8);
  assert_int_equal(r.obj.libraries.n, 2);
  assert_string_equal(r.obj.libraries.data[1], "b.mtl");
  const SofaMeshGroups *groups = &r.data.groups[SOFA_ELEMENT_TRIANGLE];
  assert_int_equal(groups->n, 2);
  assert_string_equal(groups->data[0].name, "front side");
  assert_string_equal(groups->data[0].material, "red");
  assert_int_equal(groups->data[1].first, 2);
  assert_int_equal(groups->data[1].n, 3);
  assert_int_equal(groups->data[0].material_id, -1);
  // sum of the normals 0 0 2, -1: the file's lengths count
  assert_int_equal(r.data.normals.n, 5);
  assert_true(r.data.normals.data[0].v[2] == 1);
  assert_true(r.data.normals.data[3].v[2] == -1);
  assert_int_equal(r.obj.point_texcoords.n, 5);
  assert_true(r.obj.point_texcoords.data[2].v[1] == 1);
  reader_close(&r);
}

static void options_triangulate_and_flip(void **state) {
  const SofaObjOptions options = {.faces = {.triangulate = true, .flip_normals = true}};
  Reader r;
  (void)state;
  reader_open(&r);
  assert_int_equal(reader_obj(&r, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", &options),
                   SOFA_OK);
  assert_int_equal(r.data.mesh.quads.n, 0);
  assert_memory_equal(r.data.mesh.triangles.data, ((uint32_t[]){2, 1, 0, 3, 2, 0}), 24);
  reader_close(&r);
}

/* Points in order of (vertex, texture coordinate, normal), absent ones first; unused ones go. */
static void seams_split_points(void **state) {
  static const char text[] = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                             "vt 0 0\nvt 1 1\nvn 0 0 1\nvn 0 0 -1\n"
                             "f 2/2/1 3/1/1 4/1/1\nf 2/1/1 4/1/1 5/1/2\nf 2/2/2 3 5/1/2\n";
  const SofaObjOptions options = {.handle_seams = true};
  Reader r;
  (void)state;
  reader_open(&r);
  assert_int_equal(reader_obj(&r, text, &options), SOFA_OK);
  // vertex 1: (1,1) (2,1) (2,2); vertex 2: (-,-) (1,1); vertices 3 and 4: one each
  assert_int_equal(r.data.mesh.position.n, 7);
  assert_memory_equal(r.data.mesh.triangles.data, ((uint32_t[]){1, 4, 5, 0, 5, 6, 2, 3, 6}), 36);
  assert_memory_equal(r.obj.point_position.data, ((int[]){1, 1, 1, 2, 2, 3, 4}), 28);
  assert_memory_equal(r.obj.point_normal.data, ((int[]){0, 0, 1, 2, 3, 4, 5}), 28);
  assert_true(r.obj.point_texcoords.data[2].v[0] == 1);
  assert_true(r.data.normals.data[3].v[2] == 0);
  reader_close(&r);
}

/* ---- seams against a search ---- */

enum { N_CORNERS = 12 };

static bool same_corner(const int *a, const int *b, bool with_texcoord) {
  return a[0] == b[0] && (!with_texcoord || a[1] == b[1]) && a[2] == b[2];
}

/* Corners in order, each once; returns how many. */
static size_t distinct(int (*corners)[3], size_t n, int (*out)[3]) {
  size_t m = 0;
  for (int p = 0; p < 4; p++)
    for (int t = -1; t < 3; t++)
      for (int v = -1; v < 3; v++)
        for (size_t i = 0; i < n; i++)
          if (same_corner(corners[i], (const int[]){p, t, v}, true)) {
            memcpy(out[m++], corners[i], sizeof *out);
            break;
          }
  return m;
}

static void corner_text(char *to, size_t size, const int *c) {
  const size_t used = strlen(to);
  char texcoord[20] = "", normal[20] = "";
  if (c[1] >= 0) snprintf(texcoord, sizeof texcoord, "%d", c[1] + 1);
  if (c[2] >= 0) snprintf(normal, sizeof normal, "%d", c[2] + 1);
  snprintf(to + used, size - used, " %d/%s/%s", c[0] + 1, texcoord, normal);
}

static void seams_of_random_corners(void **state) {
  const SofaObjOptions options = {.handle_seams = true};
  unsigned seed = 1;
  (void)state;
  for (int turn = 0; turn < 200; turn++) {
    int corners[N_CORNERS][3], points[N_CORNERS][3];
    char text[1000] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\n"
                      "vn 1 0 0\nvn 0 1 0\nvn 0 0 1\n";
    for (int i = 0; i < N_CORNERS; i++) {
      for (int k = 0; k < 3; k++) {
        seed = seed * 1664525 + 1013904223;
        corners[i][k] = (int)(seed >> 16) % 4 - (k > 0);
      }
      if (i % 3 == 0) strcat(text, "\nf");
      corner_text(text, sizeof text, corners[i]);
    }
    const size_t n = distinct(corners, N_CORNERS, points);
    Reader r;
    reader_open(&r);
    assert_int_equal(reader_obj(&r, text, &options), SOFA_OK);
    assert_int_equal(r.data.mesh.position.n, n);
    const bool split = r.obj.point_position.n > 0;
    assert_true(split || n == 4);
    int n_normals = 0;
    for (size_t i = 0; i < n && split; i++) {
      size_t first = 0;
      while (!same_corner(points[first], points[i], false)) first++;
      assert_int_equal(r.obj.point_position.data[i], points[i][0]);
      if (first == i) n_normals++;
      if (!r.obj.point_normal.n) continue;
      if (first == i) assert_int_equal(r.obj.point_normal.data[i], n_normals - 1);
      else assert_int_equal(r.obj.point_normal.data[i], r.obj.point_normal.data[first]);
    }
    assert_true(!split || (r.obj.point_normal.n > 0) == ((size_t)n_normals < n));
    for (int i = 0; i < N_CORNERS; i++) {
      const uint32_t at = r.data.mesh.triangles.data[i / 3].v[i % 3];
      assert_true(same_corner(points[at], corners[i], true));
    }
    reader_close(&r);
  }
}

static void broken_files_are_refused_with_their_line(void **state) {
  static const struct {
    const char *text;
    int line;
    const char *words;
  } cases[] = {
      {"v 1 2\n", 1, "2 numbers"},
      {"v 0 0 0\nv 1 x 2\n", 2, "number"},
      {"v 0 0 0\nv 1 nan 2\n", 2, "number"},
      {"v 0 0 0\nf 1 1 2\n", 2, "vertex 2"},
      {"v 0 0 0\nf 1 1 -2\n", 2, "-2"},
      {"v 0 0 0\n\nf 1 1 0\n", 3, "0 is not an index"},
      {"v 0 0 0\nf 1 1 99999999999\n", 2, "99999999999"},
      {"v 0 0 0\nf 1 1 1.5\n", 2, "corner"},
      {"v 0 0 0\nf 1 1 /1\n", 2, "corner"},
      {"v 0 0 0\nf 1/1/1/1 1 1\n", 2, ""},
  };
  Reader r;
  (void)state;
  reader_open(&r);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    reader_refused(&r, reader_obj(&r, cases[i].text, NULL), cases[i].line, cases[i].words);
  reader_close(&r);
}

static void missing_texture_coordinates_are_dropped_with_a_warning(void **state) {
  Reader r;
  (void)state;
  reader_open(&r);
  assert_int_equal(reader_obj(&r, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/7/8 2/7 3\n", NULL), SOFA_OK);
  assert_int_equal(r.n_warnings, 1);
  assert_int_equal(r.data.mesh.triangles.n, 1);
  reader_close(&r);
}

static void faces_may_stand_before_their_vertices(void **state) {
  Reader r;
  (void)state;
  reader_open(&r);
  assert_int_equal(reader_obj(&r, "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0", NULL), SOFA_OK);
  assert_int_equal(r.data.mesh.triangles.n, 1);
  reader_close(&r);
}

static void reads_materials(void **state) {
  static const char text[] = "# two\nnewmtl red\n\tKd 1 0 0\n  Ns 12\nd 0.5\nmap_Kd a.png\n"
                             "newmtl dull\nKa 0.1 0.2 0.3\nKs 0 0 0\nillum 2\n";
  SofaMaterials materials = {0};
  Reader r;
  (void)state;
  reader_open(&r);
  assert_int_equal(sofa_mtl_read(r.ctx, &(SofaFileBytes){NULL, text, strlen(text)}, &materials),
                   SOFA_OK);
  assert_int_equal(materials.n, 2);
  assert_string_equal(materials.data[0].name, "red");
  assert_true(materials.data[0].color[0][0] == 1 && materials.data[0].color[0][3] == 0.5);
  assert_true(materials.data[0].use[4] && materials.data[0].shininess == 12);
  assert_true(materials.data[1].color[1][2] == 0.3);
  sofa_materials_free(r.ctx, &materials);
  assert_int_not_equal(sofa_mtl_read(r.ctx, &(SofaFileBytes){NULL, "Kd 1 1 1\n", 9}, &materials),
                       SOFA_OK);
  sofa_materials_free(r.ctx, &materials);
  reader_close(&r);
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  for (int seams = 0; seams < 2; seams++) {
    const SofaObjOptions plan = {.handle_seams = seams != 0};
    for (uint64_t fail_at = 1;; fail_at++) {
      FailingAllocator allocator = {0};
      SofaContext *ctx = NULL;
      SofaMeshData data = {0};
      SofaObjData obj = {0};
      const SofaContextOptions options = {
          .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
      assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
      allocator.fail_at = allocator.calls + fail_at;
      const SofaErr err =
          sofa_obj_read(ctx, &(SofaFileBytes){NULL, square, strlen(square)}, &plan, &data, &obj);
      sofa_mesh_data_free(ctx, &data);
      sofa_obj_data_free(ctx, &obj);
      sofa_context_destroy(&ctx);
      assert_int_equal(allocator.live, 0);
      if (err == SOFA_OK) break;
      assert_int_equal(err, SOFA_ERR_MEMORY);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_faces_groups_and_libraries),
      cmocka_unit_test(options_triangulate_and_flip),
      cmocka_unit_test(seams_split_points),
      cmocka_unit_test(seams_of_random_corners),
      cmocka_unit_test(broken_files_are_refused_with_their_line),
      cmocka_unit_test(missing_texture_coordinates_are_dropped_with_a_warning),
      cmocka_unit_test(faces_may_stand_before_their_vertices),
      cmocka_unit_test(reads_materials),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
