/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of bodies in the colours of a field: their outer faces, ranges, memory. Without OpenGL
 * those that draw are skipped. */
#include "view_support.h"

#include "viewer/boundary.h"

static const char bar[] =
    "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
    "<BackgroundSetting color='0 0 0 1'/><InteractiveCamera position='1 0.5 6' lookAt='1 0.5 0'/>"
    "<Node name='bar'><RegularGridTopology name='grid' n='3 2 2' min='0 0 0' max='2 1 1'/>"
    "<MechanicalObject name='state' position='@grid.position'/></Node></Node>";

/* ---- faces ---- */

static size_t n_faces(SofaContext *ctx, SofaElements list, SofaElementKind kind, size_t n_points) {
  BoundaryFaces faces = {0};
  assert_int_equal(boundary_find(ctx, &list, &kind, 1, n_points, &faces), SOFA_OK);
  const size_t n = faces.n;
  for (size_t i = 0; i < n; i++) assert_true(faces.data[i].element < list.n);
  sofa_list_free(ctx, &faces);
  return n;
}

static void finds_outer_faces(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  const uint32_t hexas[] = {0, 1, 2, 3, 4, 5, 6, 7, 1, 8, 9, 2, 5, 10, 11, 6};
  const uint32_t tetras[] = {0, 1, 2, 3, 1, 2, 3, 4};
  const uint32_t prisms[] = {0, 1, 2, 3, 4, 5}, pyramids[] = {0, 1, 2, 3, 4};
  const uint32_t triangles[] = {0, 1, 2, 0, 1, 2};
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  // two hexahedra share a face
  assert_int_equal(n_faces(ctx, (SofaElements){hexas, 1, 8}, SOFA_ELEMENT_HEXA, 12), 6);
  assert_int_equal(n_faces(ctx, (SofaElements){hexas, 2, 8}, SOFA_ELEMENT_HEXA, 12), 10);
  assert_int_equal(n_faces(ctx, (SofaElements){tetras, 2, 4}, SOFA_ELEMENT_TETRA, 5), 6);
  assert_int_equal(n_faces(ctx, (SofaElements){prisms, 1, 6}, SOFA_ELEMENT_PRISM, 6), 5);
  assert_int_equal(n_faces(ctx, (SofaElements){pyramids, 1, 5}, SOFA_ELEMENT_PYRAMID, 5), 5);
  // faces of surfaces are all seen, also two in one place
  assert_int_equal(n_faces(ctx, (SofaElements){triangles, 2, 3}, SOFA_ELEMENT_TRIANGLE, 3), 2);
  // elements with a point that there is not
  assert_int_equal(n_faces(ctx, (SofaElements){hexas, 2, 8}, SOFA_ELEMENT_HEXA, 11), 6);
  assert_int_equal(n_faces(ctx, (SofaElements){NULL, 0, 8}, SOFA_ELEMENT_HEXA, 11), 0);
  sofa_context_destroy(&ctx);
}

/* ---- views ---- */

static const SofaColorRange free_range = {1, 0};

static int n_like(const View *v, bool yellow) {
  int n = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    const uint8_t *c = v->pixels + 3 * i;
    const bool high = c[0] > 90 && c[1] > 90 && c[2] < c[1] / 2;
    const bool low = c[2] > 30 && c[2] > 3 * c[1] / 2;
    n += yellow ? high : low;
  }
  return n;
}

/* The range grows with the numbers, until it is asked for anew; a given one stays. Once warm, a
 * frame asks for no memory. */
static void follows_numbers(void **state) {
  (void)state;
  View v;
  double low = 0, high = 0;
  view_open(&v, bar);
  SofaState *body = scene_run_state(&v.run, "/bar/state");
  assert_false(scene_view_color_range(v.view, &low, &high));
  assert_int_equal(scene_view_color(v.view, "/bar/state.position.x", free_range), SOFA_OK);
  for (int i = 0; i < 3; i++) view_draw(&v);
  assert_true(scene_view_color_range(v.view, &low, &high));
  assert_true(low == 0 && high == 2);
  assert_true(n_like(&v, true) > 100 && n_like(&v, false) > 100);
  const uint64_t requests = v.run.ctx->n_allocations;
  for (size_t i = 0; i < body->position.n; i++) body->position.data[3 * i] *= 0.5;
  sofa_state_touch(body);
  view_draw(&v);
  assert_int_equal(v.run.ctx->n_allocations, requests);
  assert_true(scene_view_color_range(v.view, &low, &high));
  assert_true(low == 0 && high == 2);
  scene_view_rescale(v.view);
  view_draw(&v);
  assert_true(scene_view_color_range(v.view, &low, &high));
  assert_true(low == 0 && high == 1);
  assert_int_equal(scene_view_color(v.view, "/bar/state.position", (SofaColorRange){-3, 7}),
                   SOFA_OK);
  view_draw(&v);
  assert_true(scene_view_color_range(v.view, &low, &high));
  assert_true(low == -3 && high == 7);
  // what is refused changes nothing
  assert_int_equal(scene_view_color(v.view, "/bar/state.nothing", free_range), SOFA_ERR_ARGUMENT);
  assert_true(scene_view_color_range(v.view, &low, &high));
  assert_int_equal(scene_view_color(v.view, NULL, free_range), SOFA_OK);
  assert_false(scene_view_color_range(v.view, &low, &high));
  view_draw(&v);
  view_close(&v);
}

/* A list that no longer has a number for each point is not drawn, and is again when it fits. */
static void leaves_out_what_does_not_fit(void **state) {
  (void)state;
  View v;
  view_open(&v, "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/>"
                "<BackgroundSetting color='0 0 0 1'/>"
                "<InteractiveCamera position='0 0 5' lookAt='0 0 0'/><Node name='a'>"
                "<EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' "
                "threshold='1e-9'/><MeshTopology position='-1 -1 0  0 -1 0  -0.5 1 0  -0.5 0 -1 "
                "0.2 -1 0  1.2 -1 0  0.7 1 0  0.7 0 -1' tetrahedra='0 2 1 3  4 6 5 7'/>"
                "<MechanicalObject name='state'/><TetrahedronFEMForceField name='fem' "
                "youngModulus='1000 5000' poissonRatio='0.3' method='large'/>"
                "<UniformMass totalMass='1'/></Node></Node>");
  SofaObject *fem = scene_run_object(&v.run, "/a/fem");
  const SofaField *field = sofa_class_field(fem->klass, "youngModulus");
  assert_int_equal(scene_view_color(v.view, "/a/fem.youngModulus", free_range), SOFA_OK);
  view_draw(&v);
  assert_true(n_like(&v, true) > 50);
  SofaReals *list = (SofaReals *)(uintptr_t)sofa_field_value(fem, field);
  list->n = 1;
  view_draw(&v);
  assert_int_equal(n_like(&v, true), 0);
  list->n = 2;
  view_draw(&v);
  assert_true(n_like(&v, true) > 50);
  view_close(&v);
}

/* Whichever request for memory fails: an error or a poorer picture, and nothing is lost. */
static void survives_lack_of_memory(void **state) {
  (void)state;
  View v;
  SofaErr err = SOFA_ERR_MEMORY;
  for (long n = 0; err != SOFA_OK && n < 400; n += 1 + n / 20) {
    view_open(&v, bar);
    v.left = n;
    err = scene_view_color(v.view, "/bar/state.position.x", free_range);
    if (err == SOFA_OK) err = scene_view_draw(v.view, WIDTH, HEIGHT);
    if (v.left == 0) err = SOFA_ERR_MEMORY; // a poorer picture
    v.left = -1;
    view_draw(&v);
    view_close(&v);
  }
  assert_int_equal(err, SOFA_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_outer_faces),
      cmocka_unit_test(follows_numbers),
      cmocka_unit_test(leaves_out_what_does_not_fit),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
