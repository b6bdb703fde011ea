/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangleFEMForceField: linear corotational triangles with a thickness. */
#include <string.h>
#include "behavior/draw_state.h"
#include "behavior/state_division.h"
#include "components/solidmechanics/fem/triangle_fem.h"
#include "object/checkpoint.h"

static const SofaQuirk quirks[] = {
    QUIRK_TRIANGLE_SMALL_ROW,
};

typedef struct TriangleFEMForceField {
  SofaTriangleFem triangle;
  SofaVec3s initial_points;
  char *method;
  double thickness;
  bool plane_strain;
  SofaTriangles split; /* of quads */
} TriangleFEMForceField;

static const char *const methods[] = {"large", "small", NULL};

typedef TriangleFEMForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(initial_points, "initialPoints", NULL, "m",
             "rest positions of the elements; default: those of the state",
             SOFA_PER(SOFA_ELEMENT_POINT, .inserted = SOFA_INSERTED_REST,
                      .lengths = SOFA_LENGTH_NONE | SOFA_LENGTH_ALL)),
    SOFA_ROW(method, "method", "large", "",
             "frame of an element: 'large' turns with it, 'small' is fixed (linear elasticity)",
             .options = methods),
    SOFA_ROW(thickness, "thickness", "1", "m", "thickness of the elements",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(plane_strain, "planeStrain", "0", "", "plane strain instead of plane stress"),
};

/* ---- elements ---- */

static SofaErr split_quads(TriangleFEMForceField *t, const SofaQuads *quads) {
  sofa_linear_fem_give_split(&t->triangle.fem, NULL, 0, 0); // that are about to move
  SOFA_TRY(SOFA_RESIZE(t->triangle.fem.force_field.object.ctx, &t->split, 2 * quads->n));
  for (size_t i = 0; i < quads->n; i++) {
    const uint32_t *v = quads->data[i].v;
    t->split.data[2 * i] = (SofaTriangle){{v[0], v[1], v[2]}};
    t->split.data[2 * i + 1] = (SofaTriangle){{v[0], v[2], v[3]}};
  }
  return SOFA_OK;
}

/* Fills initialPoints when the scene does not give them. */
static SofaErr take_initial_points(TriangleFEMForceField *t) {
  SofaObject *object = &t->triangle.fem.force_field.object;
  size_t n;
  const double *rest = sofa_linear_fem_rest(&t->triangle.fem, &n);
  if (t->initial_points.n == n) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->initial_points, n));
  if (n) sofa_copy(t->initial_points.data, rest, 3 * n * sizeof *rest);
  return SOFA_OK;
}

static SofaErr make_elements(TriangleFEMForceField *t, const SofaTriangles *triangles) {
  SofaObject *object = &t->triangle.fem.force_field.object;
  SofaErr err = SOFA_OK;
  double *corners = NULL;
  SofaTriangleMethod method = SOFA_TRIANGLE_CURRENT;
  if (strcmp(t->method, "small") == 0)
    method =
        sofa_quirk(object, QUIRK_TRIANGLE_SMALL) ? SOFA_TRIANGLE_WORLD_FLAT : SOFA_TRIANGLE_SMALL;
  SOFA_GO(err, done,
          sofa_linear_fem_check_vertices(&t->triangle.fem, SOFA_ELEMENT_TRIANGLE, triangles->data,
                                         triangles->n));
  if (!(corners = sofa_alloc(object->ctx, 9 * triangles->n, sizeof *corners)))
    SOFA_GO(err, done, SOFA_ERR_MEMORY);
  for (size_t k = 0; k < 3 * triangles->n; k++)
    memcpy(corners + 3 * k, t->initial_points.data[triangles->data[k / 3].v[k % 3]].v,
           3 * sizeof *corners);
  SOFA_GO(err, done, sofa_triangle_fem_make(&t->triangle, method, triangles, corners));
  sofa_triangle_fem_isotropic(&t->triangle, t->plane_strain, t->thickness);
done:
  sofa_free(object->ctx, corners);
  return err;
}

static SofaErr triangle_fem_init(SofaObject *object) {
  TriangleFEMForceField *t = (TriangleFEMForceField *)object;
  const SofaTriangles *triangles = sofa_topology_triangles(t->triangle.fem.mesh);
  const SofaQuads *quads = sofa_topology_quads(t->triangle.fem.mesh);
  SOFA_TRY(t->triangle.fem.mesh->failure);
  for (size_t i = 0; t->plane_strain && i < t->triangle.fem.poisson_ratio.n; i++)
    if (!(t->triangle.fem.poisson_ratio.data[i] < 0.5))
      return sofa_field_fail(object, "poissonRatio", SOFA_ERR_RANGE,
                             "entry %zu: %g, expected < 0.5 in plane strain", i,
                             t->triangle.fem.poisson_ratio.data[i]);
  if (!sofa_topology_n_whole(t->triangle.fem.mesh, SOFA_ELEMENT_TRIANGLE) && quads->n) {
    SOFA_TRY(split_quads(t, quads));
    triangles = &t->split;
  }
  SOFA_TRY(take_initial_points(t));
  return make_elements(t, triangles);
}

static void triangle_fem_destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((TriangleFEMForceField *)object)->split);
  sofa_triangle_fem_destroy(object);
}

static SofaErr triangle_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at, double *const *f) {
  const SofaTriangleFem *t = (SofaTriangleFem *)ff;
  if (t->revision != t->fem.mesh->revision) SOFA_TRY(triangle_fem_init(&ff->object));
  return sofa_triangle_fem_add_force(ff, params, at, f);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = triangle_fem_add_force,
    .add_dforce = sofa_triangle_fem_add_dforce,
    .add_k = sofa_triangle_fem_add_k,
    .potential_energy = sofa_triangle_fem_potential_energy,
    .approximation = sofa_triangle_fem_approximation,
    .constant_tangent = sofa_triangle_fem_constant,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(TriangleFEMForceField, triangle.batch),
};

SOFA_CLASS(TriangleFEMForceField) = {
    SOFA_NAMED(TriangleFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic triangles in plane stress or plane strain, corotational: a membrane. "
            "Strains are taken in the current shape of the elements. Without triangles in the "
            "topology, quads are split into two.",
    .equations = "f = -A t R B^T D B (R^T x - X)",
    .base = &sofa_linear_fem_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_RANGES({"poissonRatio", SOFA_BETWEEN(-1, 1), SOFA_BAD_DEFAULT}),
    .templates = templates,
    .init = triangle_fem_init,
    .reinit = triangle_fem_init,
    .destroy = triangle_fem_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit},
                    {SOFA_DRAW, &sofa_draw_field_triangles}),
};
