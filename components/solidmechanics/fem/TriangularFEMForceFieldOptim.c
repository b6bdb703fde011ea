/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangularFEMForceFieldOptim: linear corotational triangles with strains in the rest shape. */
#include <math.h>
#include <string.h>
#include "behavior/draw_state.h"
#include "components/solidmechanics/fem/triangle_fem.h"
#include "object/checkpoint.h"

typedef struct TriangularFEMForceFieldOptim {
  SofaTriangleFem triangle;
  char *triangle_info, *triangle_state, *method;
  double damping, rest_scale;
  bool compute_principal_stress, show_stress_vector;
  double stress_max, show_stress_threshold;
} TriangularFEMForceFieldOptim;

typedef TriangularFEMForceFieldOptim SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_BOOKKEEPING(triangle_info, "triangleInfo"),
    SOFA_ROW_BOOKKEEPING(triangle_state, "triangleState"),
    SOFA_ROW(method, "method", "large", "", "'large': the only method", .flags = SOFA_FIELD_LEGACY),
    SOFA_ROW(damping, "damping", "0", "1", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(rest_scale, "restScale", "1", "1", "factor of the edges at rest",
             .range = SOFA_ABOVE(0)),
    SOFA_ROW(compute_principal_stress, "computePrincipalStress", "0", "",
             "compute principal stresses, for drawing", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(stress_max, "stressMaxValue", "0", "Pa", "largest principal stress of all triangles",
             .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK),
    SOFA_ROW(show_stress_vector, "showStressVector", "0", "", "draw directions of stress",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(show_stress_threshold, "showStressThreshold", "0", "Pa", "draw stresses above this",
             .flags = SOFA_FIELD_DISPLAY),
};

/* Corners with their edges scaled, n x 9. */
static void scale_corners(const TriangularFEMForceFieldOptim *t, const SofaTriangles *triangles,
                          double *corners) {
  size_t n_points;
  const double *rest = sofa_linear_fem_rest(&t->triangle.fem, &n_points);
  for (size_t e = 0; e < triangles->n; e++) {
    const uint32_t *v = triangles->data[e].v;
    for (size_t k = 0; k < 9; k++) {
      const double a = rest[3 * (size_t)v[0] + k % 3];
      corners[9 * e + k] = a + t->rest_scale * (rest[3 * (size_t)v[k / 3] + k % 3] - a);
    }
  }
}

static SofaErr make_scaled(TriangularFEMForceFieldOptim *t, const SofaTriangles *triangles) {
  SofaContext *ctx = t->triangle.fem.force_field.object.ctx;
  SOFA_TRY(sofa_linear_fem_check_vertices(&t->triangle.fem, SOFA_ELEMENT_TRIANGLE, triangles->data,
                                          triangles->n));
  double *corners = sofa_alloc(ctx, 9 * triangles->n, sizeof *corners);
  if (!corners) return SOFA_ERR_MEMORY;
  scale_corners(t, triangles, corners);
  const SofaErr err = sofa_triangle_fem_make(&t->triangle, SOFA_TRIANGLE_LARGE, triangles, corners);
  sofa_free(ctx, corners);
  return err;
}

static SofaErr optim_init(SofaObject *object) {
  TriangularFEMForceFieldOptim *t = (TriangularFEMForceFieldOptim *)object;
  const SofaTriangles *triangles = sofa_topology_triangles(t->triangle.fem.mesh);
  SOFA_TRY(t->triangle.fem.mesh->failure);
  if (t->method && strcmp(t->method, "large") != 0) {
    if (!object->ctx->keep_going)
      return sofa_field_fail(object, "method", SOFA_ERR_ARGUMENT, "is '%s', expected 'large'",
                             t->method);
    sofa_object_message(object, SOFA_WARNING, "'method' is '%s': 'large' is used", t->method);
  }
  if (t->rest_scale < 1 || t->rest_scale > 1) SOFA_TRY(make_scaled(t, triangles));
  else SOFA_TRY(sofa_triangle_fem_make(&t->triangle, SOFA_TRIANGLE_LARGE, triangles, NULL));
  sofa_triangle_fem_isotropic(&t->triangle, false, 1);
  return SOFA_OK;
}

static SofaErr optim_add_force(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, double *const *f) {
  const SofaTriangleFem *t = (SofaTriangleFem *)ff;
  if (t->revision != t->fem.mesh->revision) SOFA_TRY(optim_init(&ff->object));
  return sofa_triangle_fem_add_force(ff, params, at, f);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = optim_add_force,
    .add_dforce = sofa_triangle_fem_add_dforce,
    .add_k = sofa_triangle_fem_add_k,
    .potential_energy = sofa_triangle_fem_potential_energy,
    .approximation = sofa_triangle_fem_approximation,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static SofaErr optim_compute(SofaObject *object, const SofaField *field) {
  TriangularFEMForceFieldOptim *t = (TriangularFEMForceFieldOptim *)object;
  const SofaLinearFem *fem = &t->triangle.fem;
  SOFA_TRY(sofa_linear_fem_compute(object, sofa_class_field(object->klass, "elementStress")));
  t->stress_max = 0;
  for (size_t e = 0; e < fem->results.element_stress.n; e++) {
    const double *s = fem->results.element_stress.data[e].v;
    const double largest = (s[0] + s[1]) / 2 + hypot((s[0] - s[1]) / 2, s[3]);
    if (e == 0 || largest > t->stress_max) t->stress_max = largest;
  }
  sofa_field_touch(object, field);
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(TriangularFEMForceFieldOptim, triangle.batch),
};

SOFA_CLASS(TriangularFEMForceFieldOptim) = {
    SOFA_NAMED(TriangularFEMForceFieldOptim),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic triangles of thickness 1 in plane stress, corotational: a membrane. "
            "Strains are taken in the rest shape of the elements.",
    .equations = "f = -A R B^T D B (R^T x - X)",
    .base = &sofa_linear_fem_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    SOFA_RANGES({"poissonRatio", SOFA_BETWEEN(-1, 1), SOFA_BAD_DEFAULT}),
    .templates = templates,
    .init = optim_init,
    .reinit = optim_init,
    .compute_output = optim_compute,
    .destroy = sofa_triangle_fem_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit},
                    {SOFA_DRAW, &sofa_draw_field_triangles}),
};
