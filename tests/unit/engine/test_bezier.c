/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bezier elements of GenerateCylinder and GenerateSphere: their surface is that of the solid, and
 * neighbours share their control points. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "object/data_graph.h"

typedef struct Net {
  uint32_t degree;
  const SofaVec3s *points;
  const SofaReals *weights;
  const SofaTriangles *triangles;
  size_t n_plain;                   /* points of the linear mesh */
  uint32_t edges[2000][2], n_edges; /* in order of their control points */
} Net;

static const void *value(SceneRun *run, const char *name) {
  const SofaObject *object = scene_run_object(run, "/e");
  return sofa_field_value(object, sofa_class_field(object->klass, name));
}

static uint32_t edge_rank(const Net *net, uint32_t a, uint32_t b) {
  const uint32_t low = a < b ? a : b, high = a < b ? b : a;
  uint32_t k = 0;
  while (k < net->n_edges && (net->edges[k][0] != low || net->edges[k][1] != high)) k++;
  return k;
}

static void open_net(SceneRun *run, Net *net, const char *engine, uint32_t degree) {
  char scene[600];
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><%s BezierTriangleDegree='%u' "
           "BezierTetrahedronDegree='%u' name='e'/></Node>",
           engine, degree, degree);
  scene_run_open(run, scene, NULL);
  memset(net, 0, sizeof *net);
  net->degree = degree;
  net->points = value(run, "output_TrianglesPosition");
  net->weights = value(run, "BezierTriangleWeights");
  net->triangles = value(run, "triangles");
  for (size_t e = 0; e < net->triangles->n; e++)
    for (int k = 0; k < 3; k++) {
      const uint32_t *v = net->triangles->data[e].v;
      const uint32_t a = v[(k + 1) % 3], b = v[(k + 2) % 3];
      if (edge_rank(net, a, b) < net->n_edges) continue;
      assert_true(net->n_edges < 2000);
      net->edges[net->n_edges][0] = a < b ? a : b;
      net->edges[net->n_edges++][1] = a < b ? b : a;
    }
  const size_t n_inside = (degree - 1) * (degree - 2) / 2 * net->triangles->n;
  net->n_plain = net->points->n - net->n_edges * (degree - 1) - n_inside;
  assert_int_equal(net->weights->n, net->points->n);
}

/* The control point with multi-index i of triangle e. */
static size_t control(const Net *net, size_t e, const uint32_t i[3]) {
  const uint32_t *v = net->triangles->data[e].v, n = net->degree;
  for (int k = 0; k < 3; k++)
    if (i[k] == n) return v[k];
  for (int k = 0; k < 3; k++) {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    if (i[k]) continue;
    const uint32_t along = v[a] < v[b] ? i[b] : i[a];
    return net->n_plain + edge_rank(net, v[a], v[b]) * (n - 1) + along - 1;
  }
  size_t inside = i[1] - 1;
  for (uint32_t row = 1; row < i[0]; row++) inside += n - 1 - row;
  return net->n_plain + net->n_edges * (n - 1) + e * ((n - 1) * (n - 2) / 2) + inside;
}

/* The point of triangle e at barycentric coordinates l. */
static void evaluate(const Net *net, size_t e, const double l[3], double x[3]) {
  double sum = 0;
  x[0] = x[1] = x[2] = 0;
  for (uint32_t i = 0; i <= net->degree; i++)
    for (uint32_t j = 0; i + j <= net->degree; j++) {
      const uint32_t index[3] = {i, j, net->degree - i - j};
      const size_t p = control(net, e, index);
      double b = tgamma(net->degree + 1) * net->weights->data[p];
      for (int k = 0; k < 3; k++) b *= pow(l[k], index[k]) / tgamma(index[k] + 1);
      for (int k = 0; k < 3; k++) x[k] += b * net->points->data[p].v[k];
      sum += b;
    }
  for (int k = 0; k < 3; k++) x[k] /= sum;
}

/* Largest distance from the surface, at 28 points of each of the first n triangles; edges only: at
 * those of their border. */
static double deviation(const Net *net, size_t n, bool mantle, const double o[3], double radius,
                        bool edges_only) {
  double most = 0;
  for (size_t e = 0; e < n; e++)
    for (int i = 0; i <= 6; i++)
      for (int j = 0; i + j <= 6; j++) {
        const double l[3] = {i / 6.0, j / 6.0, (6 - i - j) / 6.0};
        double x[3];
        if (edges_only && i && j && i + j < 6) continue;
        evaluate(net, e, l, x);
        const double dz = mantle ? 0 : x[2] - o[2];
        const double r =
            sqrt((x[0] - o[0]) * (x[0] - o[0]) + (x[1] - o[1]) * (x[1] - o[1]) + dz * dz);
        if (fabs(r - radius) > most) most = fabs(r - radius);
      }
  return most;
}

static void mantle_is_a_cylinder(void **state) {
  static const uint32_t degrees[] = {2, 3, 4, 7};
  const double o[3] = {0.5, -1, 2};
  (void)state;
  for (size_t d = 0; d < 4; d++) {
    SceneRun run;
    Net net;
    open_net(&run, &net,
             "GenerateCylinder radius='0.7' origin='0.5 -1 2' resCircumferential='5' resHeight='3' "
             "openSurface='0'",
             degrees[d]);
    // the mantle comes first, then the ends, whose border is round
    assert_true(deviation(&net, 20, true, o, 0.7, false) < 1e-14);
    const SofaBools *rational = value(&run, "isBezierTriangleRational");
    assert_int_equal(rational->n, 30);
    for (int e = 0; e < 30; e++) assert_true(rational->data[e]);
    scene_run_close(&run);
  }
}

static void solids_become_spheres(void **state) {
  static const char *const solids[] = {"tetrahedron", "octahedron", "icosahedron"};
  const double o[3] = {1, 2, -3};
  (void)state;
  for (uint32_t degree = 2; degree <= 6; degree++)
    for (int s = 0; s < 3; s++) {
      SceneRun run;
      Net net;
      char engine[200];
      snprintf(engine, sizeof engine,
               "GenerateSphere radius='2' origin='1 2 -3' platonicSolid='%s'", solids[s]);
      open_net(&run, &net, engine, degree);
      assert_true(deviation(&net, net.triangles->n, false, o, 2, true) < 1e-13);
      const double inside = deviation(&net, net.triangles->n, false, o, 2, false);
      // the icosahedron's corners are those of SOFA: regular to 1e-11
      assert_true(degree < 4 ? inside > 1e-3 : inside < (s == 2 ? 1e-10 : 1e-13));
      scene_run_close(&run);
    }
}

/* Finer spheres have round edges at any degree; between them they come near the sphere fast. */
static void finer_spheres_are_nearly_exact(void **state) {
  const double o[3] = {0, 0, 0};
  double before = 1;
  (void)state;
  for (int parts = 2; parts <= 4; parts += 2) {
    SceneRun run;
    Net net;
    char engine[200];
    snprintf(engine, sizeof engine, "GenerateSphere radius='1' tessellationDegree='%d'", parts);
    open_net(&run, &net, engine, 4);
    const double inside = deviation(&net, net.triangles->n, false, o, 1, false);
    assert_true(deviation(&net, net.triangles->n, false, o, 1, true) < 1e-14);
    assert_true(inside < before / 10);
    before = inside;
    scene_run_close(&run);
  }
  assert_true(before < 1e-3);
}

/* The ball's control points on its surface are those of the surface; the others come of linear
 * interpolation and arcs. */
static void tetrahedra_have_the_same_surface(void **state) {
  (void)state;
  for (uint32_t degree = 2; degree <= 5; degree++) {
    SceneRun run;
    Net net;
    open_net(&run, &net, "GenerateSphere", degree);
    const SofaVec3s *ball = value(&run, "output_TetrahedraPosition");
    const SofaReals *weights = value(&run, "BezierTetrahedronWeights");
    const size_t n = degree, n_edges = 30 + 12, n_faces = 20 + 30;
    const size_t wanted = 13 + n_edges * (n - 1) + n_faces * (n - 1) * (n - 2) / 2 +
                          20 * (n - 1) * (n - 2) * (n - 3) / 6;
    assert_int_equal(ball->n, wanted);
    assert_int_equal(weights->n, wanted);
    for (size_t i = 0; i < net.points->n; i++) {
      double least = 1;
      for (size_t k = 0; k < ball->n; k++) {
        double d = fabs(weights->data[k] - net.weights->data[i]);
        for (int c = 0; c < 3; c++) d += fabs(ball->data[k].v[c] - net.points->data[i].v[c]);
        if (d < least) least = d;
      }
      assert_true(least < 1e-14);
    }
    scene_run_close(&run);
  }
}

static void lists_are_made_anew(void **state) {
  SceneRun run;
  Net net;
  (void)state;
  open_net(&run, &net, "GenerateCylinder", 3);
  SofaObject *object = scene_run_object(&run, "/e");
  assert_int_equal(sofa_field_set_text(object, "BezierTriangleDegree", "0", 0), SOFA_OK);
  assert_int_equal(sofa_data_update(object), SOFA_OK);
  assert_int_equal(net.points->n, 30);
  assert_int_equal(net.weights->n, 0);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mantle_is_a_cylinder),
      cmocka_unit_test(solids_become_spheres),
      cmocka_unit_test(finer_spheres_are_nearly_exact),
      cmocka_unit_test(tetrahedra_have_the_same_surface),
      cmocka_unit_test(lists_are_made_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
