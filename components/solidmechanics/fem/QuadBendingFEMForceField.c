/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QuadBendingFEMForceField: linear elastic rectangular plates without rotations. */
#include <math.h>
#include <string.h>
#include "behavior/checks.h"
#include "behavior/draw_state.h"
#include "behavior/force_field.h"
#include "change/topology_change.h"
#include "math/vec.h"
#include "numerics/fem/edge_matrix.h"
#include "numerics/fem/element_results.h"

enum { QUIRK_QUAD_BENDING_AXES = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_QUAD_BENDING_AXES, "quad-bending-axes",
     "QuadBendingFEMForceField takes all quads as parallel to the world's x and y axes",
     "test_triangle_fem.quirks_change_forces"},
};

/* A Reissner-Mindlin plate of which rotations are zero: a membrane in its plane, with shear as the
 * only resistance across it (Zienkiewicz, Taylor: The Finite Element Method, volume 2). With R the
 * element's axes, c and C the middles of the diagonal 0-2, f = R^T K (R (X - C) - R (x - c)). R and
 * K do not change: the forces are products with the blocks R^T K R of pairs of points. */
typedef struct Quad {
  uint32_t v[4];
  double r[9];     /* rows: along 0-1, in the plane, across it */
  double rest[12]; /* R (X_n - C), m */
  double young, poisson;
} Quad;
enum { K_REALS = 144 }; /* of the matrix of a quad, 12 x 12 */

typedef struct QuadBendingFEMForceField {
  SofaForceField force_field;
  char *quad_info, *vertex_info, *edge_info, *method;
  SofaReals poisson_ratio, young_modulus;
  double thickness;
  SofaLink topology;
  SofaTopology *mesh;
  Quad *quads;
  size_t n;
  uint32_t revision;
  SofaEdgeMatrix matrix; /* of all quads */
  bool world;            /* quirk: world axes, current lengths */
  SofaReals k;           /* of each quad then; else of none */
  SofaElementResults results;
} QuadBendingFEMForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};
static const char *const methods[] = {"small", NULL};

typedef QuadBendingFEMForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_BOOKKEEPING(quad_info, "quadInfo"),
    SOFA_ROW_BOOKKEEPING(vertex_info, "vertexInfo"),
    SOFA_ROW_BOOKKEEPING(edge_info, "edgeInfo"),
    SOFA_ROW(method, "method", "small", "", "'small': the only method", .options = methods),
    SOFA_ROW(poisson_ratio, "poissonRatio", "0.45", "1",
             "Poisson ratio; one value, or one per quad", .range = SOFA_BETWEEN(-1, 1),
             SOFA_PER(SOFA_ELEMENT_QUAD)),
    SOFA_ROW(young_modulus, "youngModulus", "1000", "Pa",
             "Young modulus; one value, or one per quad", .range = SOFA_FINITE_AT_LEAST(0),
             SOFA_PER(SOFA_ELEMENT_QUAD)),
    SOFA_ROW(thickness, "thickness", "1", "m", "thickness of the plate", .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology with the quads; default: the node's, else the nearest ancestor's",
             .link = &topology_rule),
    SOFA_RESULT_ROWS(QuadBendingFEMForceField,
                     "plane stress in the axes of the element (x along its first edge) and shear "
                     "across it, mean over the thickness",
                     "of small displacements, in the same axes"),
};

/* ---- one quad ---- */

static const double sign_x[4] = {-1, 1, 1, -1}, sign_y[4] = {-1, -1, 1, 1};

/* A membrane of half sides l and h with the law C = c [1 nu; nu 1; (1 - nu) / 2]. */
typedef struct Membrane {
  double l, h, c, nu;
} Membrane;

/* Adds the part of the Gauss point (gx, gy): l h B^T C B. */
static void add_membrane(const Membrane *membrane, double gx, double gy, double *k) {
  const double l = membrane->l, h = membrane->h, c = membrane->c, nu = membrane->nu;
  double bx[4], by[4];
  for (int n = 0; n < 4; n++) {
    bx[n] = sign_x[n] * (1 + sign_y[n] * gy) / (4 * l);
    by[n] = sign_y[n] * (1 + sign_x[n] * gx) / (4 * h);
  }
  const double w = l * h * c, g = (1 - nu) / 2;
  for (int n = 0; n < 4; n++) {
    for (int m = 0; m < 4; m++) {
      double *block = k + 36 * n + 3 * m;
      block[0] += w * (bx[n] * bx[m] + g * by[n] * by[m]);
      block[1] += w * (nu * bx[n] * by[m] + g * by[n] * bx[m]);
      block[12] += w * (nu * by[n] * bx[m] + g * bx[n] * by[m]);
      block[13] += w * (by[n] * by[m] + g * bx[n] * bx[m]);
    }
  }
}

/* Stiffness of a plate of half sides l and h, N/m, in its axes. */
static void quad_stiffness(const Quad *quad, double l, double h, double thickness, double *k) {
  const double gauss = sqrt(3) / 3, nu = quad->poisson;
  const Membrane membrane = {l, h, quad->young * thickness / (1 - nu * nu), nu};
  const double shear = 4 * l * h * (5.0 / 6.0) * quad->young * thickness / (2 * (1 + nu));
  memset(k, 0, K_REALS * sizeof *k);
  for (int p = 0; p < 4; p++) add_membrane(&membrane, sign_x[p] * gauss, sign_y[p] * gauss, k);
  for (int n = 0; n < 4; n++) {
    for (int m = 0; m < 4; m++)
      k[12 * (3 * n + 2) + 3 * m + 2] =
          shear * (sign_x[n] * sign_x[m] / (16 * l * l) + sign_y[n] * sign_y[m] / (16 * h * h));
  }
}

/* R (x_n - c) of all nodes. */
static void local_positions(const Quad *quad, const double *x, double *p) {
  double c[3];
  for (size_t i = 0; i < 3; i++)
    c[i] = (x[3 * (size_t)quad->v[0] + i] + x[3 * (size_t)quad->v[2] + i]) / 2;
  for (size_t n = 0; n < 4; n++) {
    sofa_vec3_sub(x + 3 * (size_t)quad->v[n], c, p + 3 * n);
    sofa_mat3_apply(quad->r, p + 3 * n, p + 3 * n);
  }
}

/* f += factor R^T K d */
static void add_product(const Quad *quad, const double *k, double factor, const double *d,
                        double *f) {
  for (size_t n = 0; n < 4; n++) {
    double local[3] = {0, 0, 0};
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 12; j++) local[i] += k[12 * (3 * n + i) + j] * d[j];
    }
    sofa_mat3_apply_t(quad->r, local, local);
    sofa_vec3_axpy(factor, local, f + 3 * (size_t)quad->v[n]);
  }
}

/* Block R^T K R of the nodes n and m, negative: dF_n/dx_m. */
static void turned_block(const Quad *quad, const double *k, size_t n, size_t m, double *block) {
  for (size_t i = 0; i < 9; i++) block[i] = -k[12 * (3 * n + i / 3) + 3 * m + i % 3];
  sofa_mat3_mul_tn(quad->r, block, block);
  sofa_mat3_mul(block, quad->r, block);
}

static void half_sides(const Quad *quad, const double *x, double *l, double *h) {
  const double *x0 = x + 3 * (size_t)quad->v[0];
  *l = sofa_vec3_distance(x + 3 * (size_t)quad->v[1], x0) / 2;
  *h = sofa_vec3_distance(x + 3 * (size_t)quad->v[3], x0) / 2;
}

/* ---- quads ---- */

static const double *rest_positions(const QuadBendingFEMForceField *t, size_t *n) {
  const SofaState *state = t->force_field.state[0];
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  *n = rest->n;
  return rest->data;
}

static SofaErr check_fields(const QuadBendingFEMForceField *t) {
  const SofaObject *object = &t->force_field.object;
  if (!t->poisson_ratio.n || !t->young_modulus.n)
    return sofa_field_fail(object, t->poisson_ratio.n ? "youngModulus" : "poissonRatio",
                           SOFA_ERR_ARGUMENT, "is empty");
  return SOFA_OK;
}

static SofaErr make_quad(QuadBendingFEMForceField *t, size_t e, const SofaQuad *points) {
  SofaObject *object = &t->force_field.object;
  Quad *quad = &t->quads[e];
  size_t n_points;
  const double *x = rest_positions(t, &n_points);
  double l, h, u[3], w[3], normal[3], k[K_REALS];
  memcpy(quad->v, points->v, sizeof quad->v);
  sofa_vec3_sub(x + 3 * (size_t)quad->v[1], x + 3 * (size_t)quad->v[0], u);
  sofa_vec3_sub(x + 3 * (size_t)quad->v[3], x + 3 * (size_t)quad->v[0], w);
  sofa_vec3_cross(u, w, normal);
  if (!(sofa_vec3_norm(normal) > 1e-15 * sofa_vec3_norm(u) * sofa_vec3_norm(w)))
    return sofa_object_fail(object, SOFA_ERR_GEOMETRY,
                            "quad %zu (vertices %u %u %u %u) has no area at its first vertex", e,
                            quad->v[0], quad->v[1], quad->v[2], quad->v[3]);
  if (t->world) sofa_mat3_identity(quad->r);
  else sofa_mat3_frame(u, w, quad->r);
  quad->young = t->young_modulus.data[e < t->young_modulus.n ? e : 0];
  quad->poisson = t->poisson_ratio.data[e < t->poisson_ratio.n ? e : 0];
  local_positions(quad, x, quad->rest);
  half_sides(quad, x, &l, &h);
  quad_stiffness(quad, l, h, t->thickness, t->world ? t->k.data + K_REALS * e : k);
  if (t->world) return SOFA_OK;
  for (unsigned n = 0; n < 4; n++) {
    for (unsigned m = n + 1; m < 4; m++) {
      double block[9];
      turned_block(quad, k, n, m, block);
      sofa_edge_matrix_add(&t->matrix, e, n, m, block);
    }
  }
  return SOFA_OK;
}

static void forget(QuadBendingFEMForceField *t) {
  SofaContext *ctx = t->force_field.object.ctx;
  sofa_free(ctx, t->quads);
  sofa_edge_matrix_free(ctx, &t->matrix);
  sofa_list_free(ctx, &t->k);
  t->quads = NULL;
  t->n = 0;
}

static SofaErr make_quads(QuadBendingFEMForceField *t, const SofaQuads *quads) {
  SofaObject *object = &t->force_field.object;
  size_t n_points;
  const double *x = rest_positions(t, &n_points);
  const SofaElements elements = sofa_mesh_elements(&t->mesh->mesh, SOFA_ELEMENT_QUAD);
  if (!(t->quads = sofa_alloc(object->ctx, quads->n, sizeof *t->quads))) return SOFA_ERR_MEMORY;
  for (size_t e = 0; e < quads->n; e++)
    SOFA_TRY(sofa_check_element(object, "quad", e, quads->data[e].v, 4, n_points));
  if (t->world) SOFA_TRY(SOFA_RESIZE(object->ctx, &t->k, K_REALS * quads->n));
  else SOFA_TRY(sofa_edge_matrix_create(object->ctx, elements, x, n_points, &t->matrix));
  for (size_t e = 0; e < quads->n; e++) SOFA_TRY(make_quad(t, e, &quads->data[e]));
  if (!t->world) sofa_edge_matrix_finish(&t->matrix);
  return SOFA_OK;
}

static SofaErr quad_bending_init(SofaObject *object) {
  QuadBendingFEMForceField *t = (QuadBendingFEMForceField *)object;
  sofa_object_changed(object);
  forget(t);
  SOFA_TRY(check_fields(t));
  t->mesh =
      t->topology.target ? (SofaTopology *)t->topology.target : sofa_node_topology(object->node);
  if (!t->mesh)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take quads from");
  const SofaQuads *quads = sofa_topology_quads(t->mesh);
  SOFA_TRY(t->mesh->failure);
  SOFA_TRY(sofa_check_any(object, t->mesh, SOFA_ELEMENT_QUAD, quads->n));
  t->world = sofa_quirk(object, QUIRK_QUAD_BENDING_AXES);
  const SofaErr err = make_quads(t, quads);
  if (err != SOFA_OK) {
    forget(t);
    return err;
  }
  t->n = quads->n;
  t->revision = t->mesh->revision;
  return SOFA_OK;
}

static void quad_bending_destroy(SofaObject *object) {
  sofa_element_results_free(object->ctx, &((QuadBendingFEMForceField *)object)->results);
  forget((QuadBendingFEMForceField *)object);
}

/* ---- forces ---- */

/* With axes of the world: of the lengths that the quads have now. */
static void world_force(QuadBendingFEMForceField *t, const double *x, double *f) {
  for (size_t e = 0; e < t->n; e++) {
    const Quad *quad = &t->quads[e];
    double d[12], l, h, *k = t->k.data + K_REALS * e;
    half_sides(quad, x, &l, &h);
    quad_stiffness(quad, l, h, t->thickness, k);
    local_positions(quad, x, d);
    for (int i = 0; i < 12; i++) d[i] = quad->rest[i] - d[i];
    add_product(quad, k, 1, d, f);
  }
}

static void world_product(const QuadBendingFEMForceField *t, double factor, const double *dx,
                          double *df) {
  for (size_t e = 0; e < t->n; e++) {
    double d[12];
    for (size_t n = 0; n < 4; n++)
      sofa_mat3_apply(t->quads[e].r, dx + 3 * (size_t)t->quads[e].v[n], d + 3 * n);
    add_product(&t->quads[e], t->k.data + K_REALS * e, -factor, d, df);
  }
}

static SofaErr quad_bending_add_force(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at, double *const *f) {
  (void)params;
  QuadBendingFEMForceField *t = (QuadBendingFEMForceField *)ff;
  if (t->revision != t->mesh->revision) SOFA_TRY(quad_bending_init(&ff->object));
  if (!t->world)
    return sofa_edge_matrix_multiply(ff->object.ctx, &t->matrix, 1, at->x[0], t->matrix.rest.data,
                                     f[0]);
  world_force(t, at->x[0], f[0]);
  return SOFA_OK;
}

static SofaErr quad_bending_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                       const SofaPoint *at, const double *const *dx,
                                       double *const *df) {
  (void)at;
  const QuadBendingFEMForceField *t = (QuadBendingFEMForceField *)ff;
  const double factor = sofa_kfactor(ff, params);
  if (!t->world)
    return sofa_edge_matrix_multiply(ff->object.ctx, &t->matrix, factor, dx[0], NULL, df[0]);
  world_product(t, factor, dx[0], df[0]);
  return SOFA_OK;
}

static SofaErr quad_bending_add_k(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  QuadBendingFEMForceField *t = (QuadBendingFEMForceField *)ff;
  if (!t->world) sofa_edge_matrix_add_k(ff->object.ctx, &t->matrix, tangent);
  for (size_t e = 0; e < t->n && t->world; e++) {
    const Quad *quad = &t->quads[e];
    for (size_t nm = 0; nm < 16; nm++) {
      double block[9];
      turned_block(quad, t->k.data + K_REALS * e, nm / 4, nm % 4, block);
      sofa_tangent_add(tangent, 0, quad->v[nm / 4], 0, quad->v[nm % 4], block);
    }
  }
  return SOFA_OK;
}

static bool constant_tangent(const SofaForceField *ff) {
  return !((const QuadBendingFEMForceField *)ff)->world;
}

static SofaErr quad_bending_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                             const SofaPoint *at, double *energy) {
  (void)params;
  const QuadBendingFEMForceField *t = (QuadBendingFEMForceField *)ff;
  *energy = 0;
  if (!t->world) *energy = sofa_edge_matrix_energy(&t->matrix, at->x[0], t->matrix.rest.data);
  for (size_t e = 0; e < t->n && t->world; e++) {
    const double *k = t->k.data + K_REALS * e;
    double d[12];
    local_positions(&t->quads[e], at->x[0], d);
    for (int i = 0; i < 12; i++) d[i] = t->quads[e].rest[i] - d[i];
    for (int i = 0; i < K_REALS; i++) *energy += d[i / 12] * k[i] * d[i % 12] / 2;
  }
  return SOFA_OK;
}

/* ---- results ---- */

/* At the Gauss point (gx, gy); shear across the plate is that of its middle. */
static void tensors_at(const Quad *quad, const double *half, const double *at, const double *u,
                       double *strain, double *stress) {
  const double nu = quad->poisson, c = quad->young / (1 - nu * nu);
  const double g = quad->young / (2 * (1 + nu));
  memset(strain, 0, 6 * sizeof *strain);
  memset(stress, 0, 6 * sizeof *stress);
  for (int n = 0; n < 4; n++) {
    const double bx = sign_x[n] * (1 + sign_y[n] * at[1]) / (4 * half[0]);
    const double by = sign_y[n] * (1 + sign_x[n] * at[0]) / (4 * half[1]);
    strain[0] += bx * u[3 * n];
    strain[1] += by * u[3 * n + 1];
    strain[3] += (by * u[3 * n] + bx * u[3 * n + 1]) / 2;
    strain[4] += sign_y[n] / (4 * half[1]) * u[3 * n + 2] / 2;
    strain[5] += sign_x[n] / (4 * half[0]) * u[3 * n + 2] / 2;
  }
  stress[0] = c * (strain[0] + nu * strain[1]);
  stress[1] = c * (strain[1] + nu * strain[0]);
  stress[3] = 2 * g * strain[3];
  for (int k = 4; k < 6; k++) stress[k] = 5.0 / 6 * 2 * g * strain[k];
}

static void sample(const void *source, size_t e, SofaElementSample *out) {
  const QuadBendingFEMForceField *t = source;
  const Quad *quad = &t->quads[e];
  const double *x = t->force_field.state[0]->position.data, gauss = sqrt(3) / 3;
  size_t n_points;
  const double *rest = rest_positions(t, &n_points);
  double u[12], half[2];
  local_positions(quad, x, u);
  for (int i = 0; i < 12; i++) u[i] -= quad->rest[i];
  half_sides(quad, rest, &half[0], &half[1]);
  out->energy = 0;
  memcpy(out->v, quad->v, sizeof quad->v);
  memset(out->middle_place, 0, sizeof out->middle_place);
  memcpy(out->middle_axes, quad->r, sizeof out->middle_axes);
  for (int q = 0; q < 4; q++) {
    const double at[2] = {sign_x[q] * gauss, sign_y[q] * gauss};
    tensors_at(quad, half, at, u, out->strain[q], out->stress[q]);
    out->weight[q] = half[0] * half[1];
    memcpy(out->axes[q], quad->r, sizeof out->axes[q]);
    memset(out->place[q], 0, sizeof out->place[q]);
    for (int n = 0; n < 4; n++) {
      const double shape = (1 + sign_x[n] * at[0]) * (1 + sign_y[n] * at[1]) / 4;
      sofa_vec3_axpy(shape, rest + 3 * (size_t)quad->v[n], out->place[q]);
    }
    sofa_vec3_axpy(0.25, out->place[q], out->middle_place);
    for (int k = 0; k < 6; k++)
      out->energy +=
          out->weight[q] * t->thickness * (k < 3 ? 0.5 : 1) * out->stress[q][k] * out->strain[q][k];
  }
  sofa_element_sample_mean(4, out);
}

static SofaErr elements(SofaForceField *ff, SofaResultElements *out) {
  const QuadBendingFEMForceField *t = (const QuadBendingFEMForceField *)ff;
  size_t n_points;
  out->n = 0;
  if (!t->n || t->revision != t->mesh->revision) return SOFA_OK;
  *out = (SofaResultElements){.n = t->n,
                              .n_points = ff->state[0]->position.n,
                              .n_nodes = 4,
                              .n_gauss = 4,
                              .dim = 2,
                              .rest_width = 3,
                              .space = 3,
                              .middle = true,
                              .turned = true,
                              .source = t,
                              .sample = sample};
  out->rest = rest_positions(t, &n_points);
  return SOFA_OK;
}

static const SofaElementResultsOps results_ops = {.elements = elements};

static SofaErr compute_output(SofaObject *object, const SofaField *field) {
  return sofa_element_results_output(object, field, &((QuadBendingFEMForceField *)object)->results);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = quad_bending_add_force,
    .add_dforce = quad_bending_add_dforce,
    .add_k = quad_bending_add_k,
    .potential_energy = quad_bending_potential_energy,
    .constant_tangent = constant_tangent,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(QuadBendingFEMForceField) = {
    SOFA_NAMED(QuadBendingFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic rectangular plates of small displacements: membrane in the plane, "
            "shear across it. Points do not have rotations, so there is no bending moment.",
    .equations = "f = -K (x - X)",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = quad_bending_init,
    .reinit = quad_bending_init,
    .compute_output = compute_output,
    .destroy = quad_bending_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_ELEMENT_RESULTS, &results_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit},
                    {SOFA_DRAW, &sofa_draw_field_quads}),
};
