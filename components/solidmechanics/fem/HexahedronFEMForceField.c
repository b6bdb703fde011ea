/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedronFEMForceField: trilinear corotational hexahedra. */
#include "behavior/draw_state.h"
#include "components/solidmechanics/fem/HexahedronFEMForceField.h"

#include <math.h>
#include <string.h>
#include "base/team.h"
#include "behavior/rotation_finder.h"
#include "numerics/fem/element_kernels_impl.h"
#include "numerics/fem/hexa_element.h"
#include "numerics/fem/node_rotations.h"
#include "numerics/fem/tetra_element.h"
#include "object/checkpoint.h"

static const SofaQuirk quirks[] = {
    QUIRK_HEXA_NODE_ROTATIONS_ROW,
    QUIRK_POLAR_EDGES_ROW,
    QUIRK_HEXA_PARALLELEPIPED_ROW,
};

static const char *const methods[] = {"large", "polar", "small", NULL};
static const SofaFrame frame_of[] = {SOFA_FRAME_EDGES, SOFA_FRAME_CENTER, SOFA_FRAME_FIXED};

typedef HexahedronFEMForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        method, "method", "large", "",
        "frame of an element: 'large' from its mean edges along xi and eta, 'polar' by "
        "decomposition of its deformation at the center (of its mean edges in "
        "NonUniformHexahedron... and HexahedronComposite...), 'small' fixed (linear elasticity)",
        .options = methods),
    SOFA_ROW_CONSISTENT(consistent, "'polar'"),
    SOFA_ROW(update_stiffness_matrix, "updateStiffnessMatrix", "0", "",
             "take the element stiffness from the current shape of the elements"),
    SOFA_ROW(gather_point, "gatherPt", NULL, "", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(gather_size, "gatherBsize", NULL, "", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(drawing, "drawing", "1", "", "draw the elements", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(draw_percentage, "drawPercentageOffset", "0.15", "1",
             "size of the gaps drawn between elements", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(stiffness_matrices, "stiffnessMatrices", NULL, "N/m",
             "the 24 x 24 matrices of the elements in their frames, row by row",
             .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK),
    SOFA_ROW(initial_points, "initialPoints", NULL, "m", "rest positions the elements were made of",
             .flags = SOFA_FIELD_OUTPUT),
};

/* ---- elements ---- */

/* Stiffness of element e from the node positions p in its frame. */
static void set_stiffness(HexahedronFEMForceField *h, size_t e, const double *p, double *det_min) {
  double lambda, mu, k[576], straight[24];
  const double *factor, *mass;
  if (h->straight && sofa_hexa_straighten(p, straight)) p = straight;
  sofa_lame(sofa_linear_fem_young(&h->fem, e), sofa_linear_fem_poisson(&h->fem, e), &lambda, &mu);
  sofa_hexa_stiffness(p, lambda, mu, k, det_min);
  // sparse grids: elements that the surface crosses count less
  if (sofa_topology_factors(h->fem.mesh, &factor, &mass))
    for (int i = 0; i < 576; i++) k[i] *= factor[e];
  sofa_element_batch_stiffness(&h->batch, e, k);
}

static SofaErr set_rest_stiffness(HexahedronFEMForceField *h) {
  const SofaObject *object = &h->fem.force_field.object;
  for (size_t e = 0; e < h->batch.n; e++) {
    double q[24], det;
    sofa_element_batch_rest(&h->batch, e, q);
    set_stiffness(h, e, q, &det);
    if (det == 0 || det != det)
      return sofa_object_fail(object, SOFA_ERR_GEOMETRY,
                              "hexahedron %zu is degenerate at rest: its Jacobian is singular at "
                              "an integration point",
                              e);
  }
  // those of the current shape are other ones in each step
  return h->update_stiffness_matrix ? SOFA_OK : sofa_element_batch_compare(object->ctx, &h->batch);
}

static SofaErr keep_initial_points(HexahedronFEMForceField *h) {
  size_t n;
  const double *rest = sofa_linear_fem_rest(&h->fem, &n);
  SOFA_TRY(SOFA_RESIZE(h->fem.force_field.object.ctx, &h->initial_points, n));
  if (n) sofa_copy(h->initial_points.data, rest, 3 * n * sizeof *rest);
  sofa_field_touch_name(&h->fem.force_field.object, "initialPoints");
  return SOFA_OK;
}

/* Frame of the fields; `consistent` with others is refused. */
static SofaErr choose_frame(const HexahedronFEMForceField *h, SofaFrame *frame) {
  const SofaObject *object = &h->fem.force_field.object;
  *frame = frame_of[sofa_linear_fem_option(methods, h->method)];
  if (h->consistent)
    SOFA_TRY(polar_frame_check(object, "method", h->method,
                               h->update_stiffness_matrix ? "updateStiffnessMatrix"
                               : h->mean_edges            ? "the frames of this class"
                                                          : NULL));
  else if (*frame == SOFA_FRAME_CENTER && (h->mean_edges || sofa_quirk(object, QUIRK_POLAR_EDGES)))
    *frame = SOFA_FRAME_POLAR_EDGES;
  return SOFA_OK;
}

static double energy_of(const SofaLinearFem *fem, size_t element);

static SofaErr build(HexahedronFEMForceField *h) {
  SofaContext *ctx = h->fem.force_field.object.ctx;
  SofaElementMesh mesh;
  SofaFrame frame;
  SOFA_TRY(choose_frame(h, &frame));
  sofa_element_batch_free(ctx, &h->batch);
  sofa_object_changed(&h->fem.force_field.object);
  SOFA_TRY(sofa_linear_fem_elements(&h->fem, SOFA_SHAPE_HEXA, &mesh));
  SOFA_TRY(sofa_element_batch_create(ctx, &mesh, frame, ctx->threads, &h->batch));
  if (h->consistent && frame != SOFA_FRAME_FIXED)
    SOFA_TRY(sofa_element_batch_make_exact(ctx, &h->batch));
  sofa_linear_fem_give_strain(&h->fem, SOFA_SHAPE_HEXA, h->batch.frame == SOFA_FRAME_FIXED, 3,
                              NULL);
  h->fem.energy_of = energy_of;
  h->fem.graded = true;
  h->straight = sofa_quirk(&h->fem.force_field.object, QUIRK_HEXA_PARALLELEPIPED);
  SOFA_TRY(set_rest_stiffness(h));
  SOFA_TRY(keep_initial_points(h));
  h->revision = h->fem.mesh->revision;
  return SOFA_OK;
}

/* Node positions of element e relative to its first node, in a frame. */
static void local_positions(const SofaElementBatch *b, size_t e, const double *r, const double *x,
                            double *p) {
  const uint32_t *v = b->vertices + 8 * sofa_element_batch_lane(b, e);
  for (int n = 0; n < 8; n++) {
    for (int i = 0; i < 3; i++) {
      p[3 * n + i] = 0;
      for (size_t k = 0; k < 3; k++)
        p[3 * n + i] += r[3 * (size_t)i + k] * (x[3 * (size_t)v[n] + k] - x[3 * (size_t)v[0] + k]);
    }
  }
}

typedef struct Update {
  HexahedronFEMForceField *h;
  const double *x;
} Update;

static void update_elements(void *user, size_t begin, size_t end) {
  const Update *update = user;
  HexahedronFEMForceField *h = update->h;
  const double *x = update->x;
  for (size_t e = begin; e < end; e++) {
    const size_t lane = sofa_element_batch_lane(&h->batch, e);
    double r[9], p[24];
    for (size_t k = 0; k < 9; k++)
      r[k] = h->batch.rotation[9 * (lane / SOFA_LANES) + k][lane % SOFA_LANES];
    local_positions(&h->batch, e, r, x, p);
    set_stiffness(h, e, p, NULL);
  }
}

/* Stiffness of all elements from their shape at x. */
static void update_stiffness(HexahedronFEMForceField *h, const double *x) {
  const SofaContext *ctx = h->fem.force_field.object.ctx;
  Update update = {h, x};
  sofa_element_kernels(ctx)->dense_force(&h->batch, ctx, x, NULL);
  sofa_team_for(ctx, h->batch.n, SOFA_LANES, update_elements, &update);
}

/* With the stiffness of the current shape, which the batch has at the point of the last force only.
 */
static double updated_energy(const HexahedronFEMForceField *h, size_t e, const double *x) {
  const SofaElementBatch *b = &h->batch;
  const uint32_t *v = b->vertices + 8 * sofa_element_batch_lane(b, e);
  double world[24], arm[24], q[24], r[9], p[24], d[24], lambda, mu, k[576], energy = 0;
  for (size_t n = 0; n < 8; n++) memcpy(world + 3 * n, x + 3 * (size_t)v[n], 3 * sizeof *world);
  sofa_element_batch_rest(b, e, q);
  const size_t lane = sofa_element_batch_lane(b, e);
  for (size_t i = 0; b->arm && i < 24; i++)
    arm[i] = b->arm[24 * (lane / SOFA_LANES) + i][lane % SOFA_LANES];
  sofa_element_frame(SOFA_SHAPE_HEXA, 3, b->frame, b->arm ? arm : q, world, r);
  local_positions(b, e, r, x, p);
  sofa_lame(sofa_linear_fem_young(&h->fem, e), sofa_linear_fem_poisson(&h->fem, e), &lambda, &mu);
  sofa_hexa_stiffness(p, lambda, mu, k, NULL);
  for (int i = 0; i < 24; i++) d[i] = q[i] - q[i % 3] - p[i];
  for (int i = 0; i < 576; i++) energy += d[i / 24] * k[i] * d[i % 24] / 2;
  const double *factor, *mass;
  return sofa_topology_factors(h->fem.mesh, &factor, &mass) ? factor[e] * energy : energy;
}

static double energy_of(const SofaLinearFem *fem, size_t element) {
  const HexahedronFEMForceField *h = (const HexahedronFEMForceField *)fem;
  const double *x = fem->force_field.state[0]->position.data;
  if (element >= h->batch.n) return NAN;
  return h->update_stiffness_matrix ? updated_energy(h, element, x)
                                    : sofa_element_batch_energy_of(&h->batch, element, x);
}

/* ---- lifecycle ---- */

static SofaErr hexahedron_fem_init(SofaObject *object) {
  return build((HexahedronFEMForceField *)object);
}

static void hexahedron_fem_destroy(SofaObject *object) {
  sofa_element_batch_free(object->ctx, &((HexahedronFEMForceField *)object)->batch);
}

/* ---- forces ---- */

SofaErr hexahedron_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  HexahedronFEMForceField *h = (HexahedronFEMForceField *)ff;
  if (h->revision != h->fem.mesh->revision) SOFA_TRY(build(h));
  if (h->update_stiffness_matrix) update_stiffness(h, at->x[0]);
  return sofa_element_batch_add_force(ff, &h->batch, at, f);
}

SofaErr hexahedron_fem_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  return sofa_element_batch_add_dforce(ff, &((HexahedronFEMForceField *)ff)->batch, params, dx, df);
}

SofaErr hexahedron_fem_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  return sofa_element_batch_add_k(ff, &((HexahedronFEMForceField *)ff)->batch, tangent);
}

SofaErr hexahedron_fem_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaPoint *at, double *energy) {
  (void)params;
  HexahedronFEMForceField *h = (HexahedronFEMForceField *)ff;
  if (h->update_stiffness_matrix) update_stiffness(h, at->x[0]);
  *energy = sofa_element_batch_energy(&h->batch, at->x[0]);
  return SOFA_OK;
}

const SofaApproximation *hexahedron_fem_approximation(const SofaForceField *ff) {
  return sofa_element_batch_approximation(&((const HexahedronFEMForceField *)ff)->batch);
}

bool hexahedron_fem_constant(const SofaForceField *ff) {
  const HexahedronFEMForceField *h = (const HexahedronFEMForceField *)ff;
  return h->batch.frame == SOFA_FRAME_FIXED && !h->update_stiffness_matrix;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = hexahedron_fem_add_force,
    .add_dforce = hexahedron_fem_add_dforce,
    .add_k = hexahedron_fem_add_k,
    .potential_energy = hexahedron_fem_potential_energy,
    .approximation = hexahedron_fem_approximation,
    .constant_tangent = hexahedron_fem_constant,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* ---- rotations of points ---- */

static SofaState *rotation_state(SofaObject *object) {
  return ((SofaForceField *)object)->state[0];
}

static SofaErr rotations(SofaObject *object, double *r) {
  const HexahedronFEMForceField *h = (HexahedronFEMForceField *)object;
  const SofaElementBatch *b = &h->batch;
  const bool inverse = sofa_quirk(object, QUIRK_HEXA_NODE_ROTATIONS);
  sofa_node_rotations_begin(b->n_points, r);
  for (size_t i = 0; i < 9 * b->n_points && inverse; i++) r[i] = i % 9 % 4 == 0;
  for (size_t e = 0; e < b->n; e++) {
    const uint32_t *v = b->vertices + 8 * sofa_element_batch_lane(b, e);
    double p[24], rest[9], now[9];
    for (int n = 0; n < 8; n++) memcpy(p + 3 * n, h->initial_points.data[v[n]].v, 3 * sizeof *p);
    sofa_element_rest_frame(b->shape, 3, b->frame, p, rest);
    const size_t lane = sofa_element_batch_lane(b, e);
    for (size_t k = 0; k < 9; k++)
      now[k] = b->rotation[9 * (lane / SOFA_LANES) + k][lane % SOFA_LANES];
    if (inverse) sofa_node_rotations_add_inverse(rest, now, v, 8, r);
    else sofa_node_rotations_add(rest, now, v, 8, r);
  }
  sofa_node_rotations_end(b->n_points, r);
  return SOFA_OK;
}

static const SofaRotationFinderOps rotation_ops = {.state = rotation_state, .rotations = rotations};

static const char *const templates[] = {"Vec3d", NULL};

static SofaErr hexahedron_fem_compute(SofaObject *object, const SofaField *field) {
  HexahedronFEMForceField *h = (HexahedronFEMForceField *)object;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &h->stiffness_matrices, 576 * h->batch.n));
  for (size_t e = 0; e < h->batch.n; e++)
    sofa_element_batch_matrix(&h->batch, e, h->stiffness_matrices.data + 576 * e);
  sofa_field_touch(object, field);
  return SOFA_OK;
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(HexahedronFEMForceField, batch),
};

SOFA_CLASS(HexahedronFEMForceField) = {
    SOFA_NAMED(HexahedronFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic hexahedra, corotational: strains are small, rotations may be large.",
    .equations = "f = -R K (R^T x - X)\n"
                 "K = int B^T D B dV\n"
                 "mu = E/(2 (1 + nu)), lambda = E nu/((1 + nu) (1 - 2 nu))\n"
                 "\"f: forces of an element, R: its rotation, x and X: its positions and rest "
                 "positions, D: Hooke's law\"",
    .base = &sofa_linear_fem_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = hexahedron_fem_init,
    .reinit = hexahedron_fem_init,
    .compute_output = hexahedron_fem_compute,
    .destroy = hexahedron_fem_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit},
                    {SOFA_ROTATION_FINDER, &rotation_ops}, {SOFA_DRAW, &sofa_draw_field_hexahedra}),
};
