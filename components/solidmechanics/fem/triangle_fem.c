/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What force fields of linear corotational triangles share. */
#include "behavior/checks.h"
#include "components/solidmechanics/fem/triangle_fem.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/* ---- elements ---- */

/* Rest positions of all corners, n x 9. */
static void gather_corners(const SofaTriangleFem *t, const SofaTriangles *triangles,
                           double *corners) {
  size_t n_points;
  const double *rest = sofa_linear_fem_rest(&t->fem, &n_points);
  for (size_t k = 0; k < 3 * triangles->n; k++)
    memcpy(corners + 3 * k, rest + 3 * (size_t)triangles->data[k / 3].v[k % 3], 3 * sizeof *rest);
}

static SofaErr make_batch(SofaTriangleFem *t, SofaTriangleMethod method,
                          const SofaTriangles *triangles, const double *corners) {
  const SofaObject *object = &t->fem.force_field.object;
  SofaTriangleMesh mesh = {
      .method = method, .triangles = triangles->data, .n = triangles->n, .corners = corners};
  size_t bad = 0;
  sofa_linear_fem_rest(&t->fem, &mesh.n_points);
  const SofaErr err = sofa_triangle_batch_create(object->ctx, &mesh, &t->batch, &bad);
  if (err == SOFA_ERR_GEOMETRY) {
    const uint32_t *v = triangles->data[bad].v;
    return sofa_object_fail(object, err, "triangle %zu (vertices %u %u %u) has no area at rest",
                            bad, v[0], v[1], v[2]);
  }
  return err;
}

SofaErr sofa_triangle_fem_make(SofaTriangleFem *t, SofaTriangleMethod method,
                               const SofaTriangles *triangles, const double *corners) {
  SofaObject *object = &t->fem.force_field.object;
  SofaErr err = SOFA_OK;
  double *own = NULL;
  sofa_linear_fem_give_split(&t->fem, NULL, 0, 0);
  sofa_triangle_batch_free(object->ctx, &t->batch);
  sofa_object_changed(object);
  // else each quad is split in two
  const bool own_list = triangles == sofa_topology_triangles(t->fem.mesh);
  t->fem.elements = own_list ? SOFA_ELEMENT_TRIANGLE : SOFA_ELEMENT_QUAD;
  t->fem.parts = own_list ? 1 : 2;
  SOFA_TRY(sofa_check_any(object, t->fem.mesh, SOFA_ELEMENT_TRIANGLE, triangles->n));
  SOFA_TRY(sofa_linear_fem_check_vertices(&t->fem, SOFA_ELEMENT_TRIANGLE, triangles->data,
                                          triangles->n));
  if (!corners) {
    if (!(own = sofa_alloc(object->ctx, 9 * triangles->n, sizeof *own))) return SOFA_ERR_MEMORY;
    gather_corners(t, triangles, own);
    corners = own;
  }
  err = make_batch(t, method, triangles, corners);
  if (err == SOFA_OK && !own_list)
    sofa_linear_fem_give_split(&t->fem, triangles->data->v, triangles->n, sizeof *triangles->data);
  if (err == SOFA_OK) t->revision = t->fem.mesh->revision; // else the next force fails, too
  sofa_free(object->ctx, own);
  return err;
}

static double energy_of(const SofaLinearFem *fem, size_t element) {
  const SofaTriangleFem *t = (const SofaTriangleFem *)fem;
  if (element >= t->batch.n) return NAN;
  return sofa_triangle_energy_of(&t->batch, element, fem->force_field.state[0]->position.data);
}

/* The edges of the forces, which may be others than those of the state, in its plane. */
static void rest_of(const SofaLinearFem *fem, size_t i, double *rest) {
  const SofaTriangleFem *t = (const SofaTriangleFem *)fem;
  double ab[3], ac[3], axes[9];
  if (i >= t->batch.n) return;
  const SofaTriangleElement e = sofa_triangle_at(&t->batch, i);
  const double *q = e.q;
  sofa_vec3_sub(rest + 3, rest, ab);
  sofa_vec3_sub(rest + 6, rest, ac);
  sofa_mat3_frame(ab, ac, axes);
  for (int k = 0; k < 3; k++) {
    rest[3 + k] = rest[k] + q[0] * axes[k] + q[1] * axes[3 + k];
    rest[6 + k] = rest[k] + q[2] * axes[k] + q[3] * axes[3 + k];
  }
}

/* The law of the batch: A t C. */
static void stress_of(const SofaLinearFem *fem, size_t i, const double *strain, double *stress) {
  const SofaTriangleFem *t = (const SofaTriangleFem *)fem;
  memset(stress, 0, 6 * sizeof *stress);
  if (i >= t->batch.n) return;
  const SofaTriangleElement e = sofa_triangle_at(&t->batch, i);
  const double *c = e.law, scale = t->unscaled ? 1 : e.area * t->thickness;
  const double x = strain[0], y = strain[1], xy = 2 * strain[3];
  if (!(scale > 0)) return;
  stress[0] = (c[0] * x + c[1] * y + c[2] * xy) / scale;
  stress[1] = (c[1] * x + c[3] * y + c[4] * xy) / scale;
  stress[3] = (c[2] * x + c[4] * y + c[5] * xy) / scale;
  if (fem->law_dim == 3) stress[2] = sofa_linear_fem_poisson(fem, i) * (stress[0] + stress[1]);
}

void sofa_triangle_fem_isotropic(SofaTriangleFem *t, bool plane_strain, double thickness) {
  const bool fixed =
      t->batch.method != SOFA_TRIANGLE_LARGE && t->batch.method != SOFA_TRIANGLE_CURRENT;
  sofa_linear_fem_give_strain(&t->fem, SOFA_SHAPE_TRIANGLE, fixed, plane_strain ? 3 : 2, NULL);
  t->fem.energy_of = energy_of;
  t->fem.stress_of = stress_of;
  t->fem.rest_of = rest_of;
  t->thickness = thickness;
  for (size_t e = 0; e < t->batch.n; e++) {
    const double young = sofa_linear_fem_young(&t->fem, e);
    const double poisson = sofa_linear_fem_poisson(&t->fem, e);
    double law[SOFA_TRIANGLE_LAW];
    if (plane_strain) sofa_plane_strain(young, poisson, law);
    else sofa_plane_stress(young, poisson, law);
    sofa_triangle_set_law(&t->batch, e, thickness, law);
  }
}

/* ---- forces ---- */

SofaErr sofa_triangle_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, double *const *f) {
  (void)params;
  SofaTriangleFem *t = (SofaTriangleFem *)ff;
  sofa_triangle_force(&t->batch, at->x[0], f[0]);
  return SOFA_OK;
}

SofaErr sofa_triangle_fem_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                     const SofaPoint *at, const double *const *dx,
                                     double *const *df) {
  (void)at;
  const SofaTriangleFem *t = (SofaTriangleFem *)ff;
  sofa_triangle_dforce(&t->batch, sofa_kfactor(ff, params), dx[0], df[0]);
  return SOFA_OK;
}

SofaErr sofa_triangle_fem_add_k(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  return sofa_triangle_add_k(ff->object.ctx, &((SofaTriangleFem *)ff)->batch, tangent);
}

SofaErr sofa_triangle_fem_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                           const SofaPoint *at, double *energy) {
  (void)params;
  *energy = sofa_triangle_energy(&((SofaTriangleFem *)ff)->batch, at->x[0]);
  return SOFA_OK;
}

const SofaApproximation *sofa_triangle_fem_approximation(const SofaForceField *ff) {
  const SofaTriangleMethod method = ((const SofaTriangleFem *)ff)->batch.method;
  return method == SOFA_TRIANGLE_SMALL ? NULL : &sofa_frames_left_out;
}

bool sofa_triangle_fem_constant(const SofaForceField *ff) {
  return ((const SofaTriangleFem *)ff)->batch.method == SOFA_TRIANGLE_SMALL;
}

void sofa_triangle_fem_destroy(SofaObject *object) {
  sofa_triangle_batch_free(object->ctx, &((SofaTriangleFem *)object)->batch);
}
