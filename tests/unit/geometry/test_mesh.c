/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain functions on meshes: orders of derived elements, sub-elements, transforms, normals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include <math.h>

#include "object/factory.h"
#include "topology/mesh_finish.h"
#include "topology/tuple_map.h"

typedef struct Fixture {
  SofaContext *ctx;
  SofaMesh mesh;
} Fixture;

static void assert_near(double a, double b, double margin) {
  if (!(fabs(a - b) <= margin)) fail_msg("%.17g is not %.17g", a, b);
}

static void open_fixture(Fixture *f) {
  memset(f, 0, sizeof *f);
  assert_int_equal(sofa_context_create(NULL, &f->ctx), SOFA_OK);
}
static void close_fixture(Fixture *f) {
  sofa_mesh_free(f->ctx, &f->mesh);
  sofa_context_destroy(&f->ctx);
}
static void add(Fixture *f, SofaElementKind kind, const uint32_t *v, size_t n) {
  const size_t width = sofa_element_kind_info(kind)->width;
  for (size_t i = 0; i < n; i++)
    assert_int_equal(
        sofa_list_append(f->ctx, sofa_mesh_list(&f->mesh, kind), width * sizeof *v, v + i * width),
        SOFA_OK);
}
static void add_point(Fixture *f, double x, double y, double z) {
  const SofaVec3 p = {{x, y, z}};
  assert_int_equal(SOFA_APPEND(f->ctx, &f->mesh.position, &p), SOFA_OK);
}
static void list_is(const Fixture *f, SofaElementKind kind, const uint32_t *v, size_t n) {
  const SofaElements list = sofa_mesh_elements(&f->mesh, kind);
  assert_int_equal(list.n, n);
  for (size_t i = 0; i < n * list.width; i++) assert_int_equal(list.v[i], v[i]);
}

static void tetrahedra_give_edges_and_triangles_in_table_order(void **state) {
  static const uint32_t tetras[] = {3, 1, 2, 0, 1, 2, 3, 4};
  static const uint32_t edges[] = {1, 3, 2, 3, 0, 3, 1, 2, 0, 1, 0, 2, 1, 4, 2, 4, 3, 4};
  // faces (1,2,3) (0,3,2) (1,3,0) (0,2,1) of each, smallest vertex first; the shared one once
  static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3,
                                       2, 2, 3, 4, 1, 4, 3, 1, 2, 4};
  Fixture f;
  (void)state;
  open_fixture(&f);
  add(&f, SOFA_ELEMENT_TETRA, tetras, 2);
  assert_int_equal(sofa_derive_tetra_edges(f.ctx, &f.mesh, &f.mesh.edges), SOFA_OK);
  assert_int_equal(sofa_derive_triangles(f.ctx, &f.mesh.tetrahedra, &f.mesh.triangles), SOFA_OK);
  list_is(&f, SOFA_ELEMENT_EDGE, edges, 9);
  list_is(&f, SOFA_ELEMENT_TRIANGLE, triangles, 7);
  close_fixture(&f);
}

static void hexahedra_give_quads_and_edges_in_table_order(void **state) {
  static const uint32_t hexas[] = {0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10};
  static const uint32_t quads[] = {0,  3,  4, 1,  6, 7, 10, 9, 0,  1, 7, 6,  1,  4, 10,
                                   7,  3,  9, 10, 4, 0, 6,  9, 3,  1, 4, 5,  2,  7, 8,
                                   11, 10, 1, 2,  8, 7, 2,  5, 11, 8, 4, 10, 11, 5};
  Fixture f;
  (void)state;
  open_fixture(&f);
  add(&f, SOFA_ELEMENT_HEXA, hexas, 2);
  assert_int_equal(sofa_derive_quads(f.ctx, &f.mesh.hexahedra, &f.mesh.quads), SOFA_OK);
  assert_int_equal(sofa_derive_hexa_edges(f.ctx, &f.mesh, &f.mesh.edges), SOFA_OK);
  list_is(&f, SOFA_ELEMENT_QUAD, quads, 11);
  assert_int_equal(f.mesh.edges.n, 20);
  static const uint32_t first[] = {0, 1,  0, 3, 0, 6, 1, 4, 1, 7,  3, 4,
                                   4, 10, 3, 9, 6, 7, 6, 9, 7, 10, 9, 10};
  for (int i = 0; i < 24; i++) assert_int_equal(f.mesh.edges.data[i / 2].v[i % 2], first[i]);
  close_fixture(&f);
}

static void surfaces_give_edges_of_triangles_oriented_then_of_quads_sorted(void **state) {
  static const uint32_t triangles[] = {2, 0, 1, 1, 3, 2}, quads[] = {5, 4, 3, 1};
  static const uint32_t edges[] = {0, 1, 1, 2, 2, 0, 3, 2, 1, 3, 3, 4, 1, 5, 4, 5};
  Fixture f;
  (void)state;
  open_fixture(&f);
  add(&f, SOFA_ELEMENT_TRIANGLE, triangles, 2);
  add(&f, SOFA_ELEMENT_QUAD, quads, 1);
  assert_int_equal(sofa_derive_surface_edges(f.ctx, &f.mesh, &f.mesh.edges), SOFA_OK);
  list_is(&f, SOFA_ELEMENT_EDGE, edges, 8);
  close_fixture(&f);
}

static void subelements_follow_those_of_the_file(void **state) {
  static const uint32_t tetra[] = {0, 1, 2, 3}, triangle[] = {3, 2, 1}, edge[] = {2, 1};
  static const uint32_t triangles[] = {3, 2, 1, 0, 2, 1, 0, 1, 3, 0, 3, 2};
  static const uint32_t edges[] = {2, 1, 1, 3, 3, 2, 1, 0, 0, 2, 3, 0};
  Fixture f;
  (void)state;
  open_fixture(&f);
  add(&f, SOFA_ELEMENT_TETRA, tetra, 1);
  add(&f, SOFA_ELEMENT_TRIANGLE, triangle, 1);
  add(&f, SOFA_ELEMENT_EDGE, edge, 1);
  assert_int_equal(sofa_mesh_add_subelements(f.ctx, &f.mesh), SOFA_OK);
  list_is(&f, SOFA_ELEMENT_TRIANGLE, triangles, 4);
  list_is(&f, SOFA_ELEMENT_EDGE, edges, 6);
  close_fixture(&f);
}

static void prisms_and_pyramids_give_faces(void **state) {
  static const uint32_t prism[] = {0, 1, 2, 3, 4, 5}, pyramid[] = {0, 1, 4, 3, 6};
  static const uint32_t quads[] = {0, 3, 4, 1, 0, 2, 5, 3, 1, 4, 5, 2};
  static const uint32_t triangles[] = {0, 1, 2, 4, 3, 5, 0, 1, 6, 1, 4, 6, 3, 6, 4, 0, 6, 3};
  Fixture f;
  (void)state;
  open_fixture(&f);
  add(&f, SOFA_ELEMENT_PRISM, prism, 1);
  add(&f, SOFA_ELEMENT_PYRAMID, pyramid, 1);
  assert_int_equal(sofa_mesh_add_subelements(f.ctx, &f.mesh), SOFA_OK);
  list_is(&f, SOFA_ELEMENT_QUAD, quads, 3); /* the pyramid's base is the prism's first quad */
  list_is(&f, SOFA_ELEMENT_TRIANGLE, triangles, 6);
  close_fixture(&f);
}

static void unused_points_are_dropped_in_order(void **state) {
  static const uint32_t edge[] = {3, 1};
  Fixture f;
  (void)state;
  open_fixture(&f);
  for (int i = 0; i < 5; i++) add_point(&f, i, 0, 0);
  add(&f, SOFA_ELEMENT_EDGE, edge, 1);
  assert_int_equal(sofa_mesh_drop_unused(f.ctx, &f.mesh, NULL), SOFA_OK);
  assert_int_equal(f.mesh.position.n, 2);
  assert_true(f.mesh.position.data[0].v[0] == 1 && f.mesh.position.data[1].v[0] == 3);
  list_is(&f, SOFA_ELEMENT_EDGE, (uint32_t[]){1, 0}, 1);
  close_fixture(&f);
}

static void transforms_scale_then_rotate_then_move(void **state) {
  const SofaVec3 translation = {{10, 20, 30}}, rotation = {{90, 0, 90}}, scale = {{2, 3, 4}};
  Fixture f;
  SofaMat4 m;
  (void)state;
  open_fixture(&f);
  add_point(&f, 1, 1, 1);
  sofa_mesh_matrix(&translation, &rotation, &scale, &m);
  sofa_mesh_transform(&f.mesh.position, &m);
  // (2,3,4) about x: (2,-4,3); about z: (4,2,3)
  const double expected[3] = {14, 22, 33};
  for (int k = 0; k < 3; k++) assert_near(f.mesh.position.data[0].v[k], expected[k], 1e-12);
  close_fixture(&f);
}

static void normals_are_means_of_unit_normals(void **state) {
  static const uint32_t triangles[] = {0, 1, 2, 0, 3, 1}, quads[] = {0, 1, 4, 2};
  SofaVec3s normals = {0};
  Fixture f;
  (void)state;
  open_fixture(&f);
  add_point(&f, 0, 0, 0), add_point(&f, 2, 0, 0), add_point(&f, 0, 3, 0);
  add_point(&f, 0, 0, 5), add_point(&f, 2, 3, 0), add_point(&f, 9, 9, 9);
  add(&f, SOFA_ELEMENT_TRIANGLE, triangles, 2);
  assert_int_equal(sofa_mesh_normals(f.ctx, &f.mesh, &normals), SOFA_OK);
  assert_near(normals.data[0].v[1], 0.70710678118654752, 1e-15);
  assert_near(normals.data[0].v[2], 0.70710678118654752, 1e-15);
  assert_true(normals.data[2].v[2] == 1);
  assert_true(normals.data[5].v[2] == 0);
  add(&f, SOFA_ELEMENT_QUAD, quads, 1);
  assert_int_equal(sofa_mesh_normals(f.ctx, &f.mesh, &normals), SOFA_OK);
  assert_true(normals.data[4].v[2] == 1);
  sofa_list_free(f.ctx, &normals);
  close_fixture(&f);
}

/* Six tetrahedra fill the hexahedron, plain and mirrored in every way. */
static void tetrahedra_of_a_hexahedron_fill_it(void **state) {
  static const double x[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const SofaHexa hexa = {{0, 1, 2, 3, 4, 5, 6, 7}};
  (void)state;
  for (size_t i = 0; i < 8; i++) {
    uint32_t v[8];
    // cell i of a grid of 2 x 2 cells per layer
    const bool odd = sofa_hexa_swapped(&hexa, i, 2, 2, v);
    double volume = 0;
    for (int k = 0; k < 6; k++) {
      const uint8_t *p = odd ? sofa_hexa_tetras_mirrored[k] : sofa_hexa_tetras[k];
      double d[3][3];
      for (int j = 0; j < 3; j++)
        for (int c = 0; c < 3; c++) d[j][c] = x[v[p[j + 1]]][c] - x[v[p[0]]][c];
      const double det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                         d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
      assert_true(det > 0); /* whatever was mirrored */
      volume += det / 6;
    }
    assert_near(volume, 1, 1e-14);
  }
}

static void tuple_map_finds_what_was_added(void **state) {
  SofaTupleMap map = {0};
  Fixture f;
  (void)state;
  open_fixture(&f);
  for (uint32_t i = 0; i < 5000; i++) {
    const SofaTuple key = sofa_tuple4(i, 7 * i + 1, i / 3, 5);
    uint32_t found;
    assert_int_equal(sofa_tuple_map_add(f.ctx, &map, &key, i, &found), SOFA_OK);
    assert_int_equal(found, i);
  }
  for (uint32_t i = 0; i < 5000; i++) {
    const SofaTuple key = sofa_tuple4(5, i / 3, 7 * i + 1, i);
    assert_int_equal(sofa_tuple_map_find(&map, &key), i);
  }
  const SofaTuple other = sofa_tuple3(1, 2, 3);
  assert_int_equal(sofa_tuple_map_find(&map, &other), UINT32_MAX);
  sofa_tuple_map_free(f.ctx, &map);
  close_fixture(&f);
}

/* Lists per vertex, one of which is longer than lists may be; vertices beyond the known ones. */
static void tuple_map_of_a_mesh(void **state) {
  enum { VERTICES = 100, STAR = 5000 };
  SofaContext *ctx = NULL;
  SofaTupleMap map = {0};
  uint32_t found, id = 0;
  (void)state;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  sofa_tuple_map_local(&map, VERTICES);
  const SofaTuple none = sofa_tuple2(1, 2);
  assert_int_equal(sofa_tuple_map_find(&map, &none), UINT32_MAX);
  assert_int_equal(sofa_tuple_map_reserve(ctx, &map, 10), SOFA_OK);
  for (int turn = 0; turn < 3; turn++) {
    id = 0;
    for (uint32_t i = 1; i < STAR; i++, id += 3) {
      const SofaTuple key[3] = {sofa_tuple2(i, 0), sofa_tuple3(i, i + 2, i + 1),
                                sofa_tuple4(i + 3, i, i + 1, i + 2)};
      for (uint32_t k = 0; k < 3; k++) {
        found = UINT32_MAX;
        if (turn == 2) found = sofa_tuple_map_find(&map, &key[k]);
        else
          assert_int_equal(
              sofa_tuple_map_add(ctx, &map, &key[k], turn ? UINT32_MAX - 1 : id + k, &found),
              SOFA_OK);
        assert_int_equal(found, id + k);
      }
    }
  }
  assert_true(map.n > STAR && map.n_links > VERTICES && map.n + map.n_links == id);
  const SofaTuple missing[] = {sofa_tuple2(0, STAR), sofa_tuple2(5, 6), sofa_tuple2(STAR, 7000)};
  for (int k = 0; k < 3; k++) assert_int_equal(sofa_tuple_map_find(&map, &missing[k]), UINT32_MAX);
  sofa_tuple_map_free(ctx, &map);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tetrahedra_give_edges_and_triangles_in_table_order),
      cmocka_unit_test(hexahedra_give_quads_and_edges_in_table_order),
      cmocka_unit_test(surfaces_give_edges_of_triangles_oriented_then_of_quads_sorted),
      cmocka_unit_test(subelements_follow_those_of_the_file),
      cmocka_unit_test(prisms_and_pyramids_give_faces),
      cmocka_unit_test(unused_points_are_dropped_in_order),
      cmocka_unit_test(transforms_scale_then_rotate_then_move),
      cmocka_unit_test(normals_are_means_of_unit_normals),
      cmocka_unit_test(tetrahedra_of_a_hexahedron_fill_it),
      cmocka_unit_test(tuple_map_finds_what_was_added),
      cmocka_unit_test(tuple_map_of_a_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
