/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BeamFEMForceField: corotational Euler-Bernoulli beams of round section between frames. */
#include <math.h>
#include <string.h>
#include "behavior/draw_state.h"
#include "numerics/fem/linear_fem.h"
#include "math/quaternion.h"

enum { QUIRK_BEAM_FRAME = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_BEAM_FRAME, "beam-frame",
     "BeamFEMForceField mixes the frames of a beam, of its first and of its second point",
     "test_quirks_elements.elements"},
};

/* A beam from a to b. Local dofs: translation and rotation of a, then of b, x along the beam. With
 * q_a the orientation of a and o the constant turn from it to the beam's frame,
 *   u = o^-1 (q_a^-1 (x_b - x_a) - q_a0^-1 (X_b - X_a)),
 *   theta = o^-1 (rotation vector of q_a^-1 q_b (q_a0^-1 q_b0)^-1),
 * and the force is -K (0, 0, u, theta) (Przemieniecki: Theory of Matrix Structural Analysis, 1968,
 * 5.6, without shear deformation), turned back by q_a o. */
typedef struct Beam {
  uint32_t a, b;
  double length;         /* m */
  double axial, torsion; /* E A / L, N/m; G J / L, N m */
  double bending;        /* E I, N m^2 */
  double offset[4];      /* o */
  double rest[3];        /* q_a0^-1 (X_b - X_a), m */
  double rest_turn[4];   /* q_a0^-1 q_b0 */
  double frame[4];       /* q_a o of the last force */
  bool end_turn;         /* quirk: theta is taken in the frame of b, and o is none */
} Beam;

typedef struct BeamFEMForceField {
  SofaLinearFem fem;
  SofaReals beams_data; /* output: forces at the ends */
  double radius, radius_inner;
  SofaIndices list_segment;
  bool symmetric_assembly;
  Beam *beams;
  size_t n;
  uint32_t revision;
  bool none; /* all of listSegment were removed */
} BeamFEMForceField;

typedef BeamFEMForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        beams_data, "beamsData", NULL, "N, N m",
        "12 reals per beam: force and torque that act on its first end, then on its second one, in "
        "its frame (x along the beam); an axial force < 0 at the first end is a pull",
        .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK),
    SOFA_ROW(radius, "radius", "0.1", "m", "radius of the section", .flags = SOFA_FIELD_REQUIRED,
             .range = SOFA_ABOVE(0)),
    SOFA_ROW(radius_inner, "radiusInner", "0", "m",
             "radius of the hole in the section, smaller than radius", .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(list_segment, "listSegment", NULL, "1",
             "edges of the topology that are beams; empty: all", .on_bad = SOFA_BAD_DEFAULT,
             SOFA_INDICES_OF(SOFA_ELEMENT_EDGE, .emptied = offsetof(BeamFEMForceField, none))),
    SOFA_ROW(symmetric_assembly, "useSymmetricAssembly", "0", "",
             "assemble a symmetric matrix; no effect: it always is symmetric",
             .flags = SOFA_FIELD_NO_EFFECT),
};

/* ---- one beam ---- */

/* f = K u, both 12. */
static void beam_product(const Beam *beam, const double *u, double *f) {
  const double l = beam->length, k1 = beam->bending / l, k2 = 6 * k1 / l, k3 = 2 * k2 / l;
  f[0] = beam->axial * (u[0] - u[6]);
  f[3] = beam->torsion * (u[3] - u[9]);
  f[6] = -f[0];
  f[9] = -f[3];
  // bending in the plane of x and y
  const double dy = u[1] - u[7];
  f[1] = k3 * dy + k2 * (u[5] + u[11]);
  f[5] = k2 * dy + k1 * (4 * u[5] + 2 * u[11]);
  f[7] = -f[1];
  f[11] = k2 * dy + k1 * (2 * u[5] + 4 * u[11]);
  // and of x and z
  const double dz = u[2] - u[8];
  f[2] = k3 * dz - k2 * (u[4] + u[10]);
  f[4] = -k2 * dz + k1 * (4 * u[4] + 2 * u[10]);
  f[8] = -f[2];
  f[10] = -k2 * dz + k1 * (2 * u[4] + 4 * u[10]);
}

/* r = b a^-1 or, from_left, a^-1 b, on the same side of the sphere and of length one. */
static void relative_turn(const double *a, const double *b, bool from_left, double *r) {
  double inverse[4], near[4];
  double dot = 0;
  for (int i = 0; i < 4; i++) dot += a[i] * b[i];
  for (int i = 0; i < 4; i++) near[i] = dot < 0 ? -b[i] : b[i];
  sofa_quat_inverse(a, inverse);
  if (from_left) sofa_quat_multiply(inverse, near, r);
  else sofa_quat_multiply(near, inverse, r);
  sofa_quat_normalize(r);
}

/* Deformation (0, 0, u, theta) at x, 12. */
static void beam_deformation(const Beam *beam, const double *x, double *d) {
  const double *a = SOFA_POSE(x, beam->a), *b = SOFA_POSE(x, beam->b);
  double edge[3], turn[4];
  memset(d, 0, 6 * sizeof *d);
  sofa_vec3_sub(b, a, edge);
  sofa_quat_rotate_inverse(a + 3, edge, edge);
  sofa_vec3_sub(edge, beam->rest, edge);
  sofa_quat_rotate_inverse(beam->offset, edge, d + 6);
  relative_turn(a + 3, b + 3, true, turn);
  relative_turn(beam->rest_turn, turn, beam->end_turn, turn);
  sofa_quat_to_rotation_vector(turn, d + 9);
  sofa_quat_rotate_inverse(beam->offset, d + 9, d + 9);
}

static void beam_force(Beam *beam, const double *x, double *f) {
  double d[12], local[12], frame[4];
  beam_deformation(beam, x, d);
  beam_product(beam, d, local);
  sofa_quat_multiply(SOFA_POSE_QUAT(x, beam->a), beam->offset, frame);
  for (size_t k = 0; k < 4; k++) {
    double *to = SOFA_TWIST(f, k < 2 ? beam->a : beam->b) + 3 * (k % 2);
    sofa_quat_rotate(frame, local + 3 * k, local + 3 * k);
    sofa_vec3_axpy(-1, local + 3 * k, to);
  }
  memcpy(beam->frame, frame, sizeof frame);
  sofa_quat_normalize(beam->frame);
}

static void beam_dforce(const Beam *beam, double factor, const double *dx, double *df) {
  double d[12], local[12];
  for (size_t k = 0; k < 4; k++)
    sofa_quat_rotate_inverse(beam->frame, SOFA_TWIST(dx, k < 2 ? beam->a : beam->b) + 3 * (k % 2),
                             d + 3 * k);
  beam_product(beam, d, local);
  for (size_t k = 0; k < 4; k++) {
    double *to = SOFA_TWIST(df, k < 2 ? beam->a : beam->b) + 3 * (k % 2);
    sofa_quat_rotate(beam->frame, local + 3 * k, local + 3 * k);
    sofa_vec3_axpy(-factor, local + 3 * k, to);
  }
}

/* -K in the world, 12 x 12. */
static void beam_matrix(const Beam *beam, double *k) {
  double r[9];
  sofa_quat_to_matrix(beam->frame, r);
  for (size_t j = 0; j < 12; j++) {
    // column j: the force of a unit displacement along a world axis
    double d[12] = {0}, f[12];
    for (size_t i = 0; i < 3; i++) d[j / 3 * 3 + i] = r[3 * (j % 3) + i];
    beam_product(beam, d, f);
    for (size_t n = 0; n < 4; n++) {
      sofa_mat3_apply(r, f + 3 * n, f + 3 * n);
      for (size_t i = 0; i < 3; i++) k[12 * (3 * n + i) + j] = -f[3 * n + i];
    }
  }
}

/* ---- beams ---- */

/* The shortest turn from x to a direction. */
static void turn_from_x(const double *direction, double *q) {
  const double x[3] = {1, 0, 0};
  double axis[3];
  sofa_vec3_cross(x, direction, axis);
  const double sine = sofa_vec3_norm(axis);
  sofa_quat_identity(q);
  if (sine < 1e-12) {
    if (direction[0] > 0) return;
    // backwards: half a turn about y
    q[1] = 1;
    q[3] = 0;
    return;
  }
  sofa_quat_from_axis_angle(axis, atan2(sine, direction[0]), q);
}

static SofaErr make_beam(BeamFEMForceField *t, size_t edge, const SofaEdge *points, Beam *beam) {
  SofaObject *object = &t->fem.force_field.object;
  size_t n_points;
  const double *x = sofa_linear_fem_rest(&t->fem, &n_points);
  const double *a = SOFA_POSE(x, points->v[0]), *b = SOFA_POSE(x, points->v[1]);
  const double r2 = t->radius * t->radius, i2 = t->radius_inner * t->radius_inner;
  const double pi = 3.14159265358979323846, inertia = pi * (r2 * r2 - i2 * i2) / 4;
  const double young = sofa_linear_fem_young(&t->fem, edge);
  const double shear = young / (2 * (1 + sofa_linear_fem_poisson(&t->fem, edge)));
  *beam = (Beam){.a = points->v[0], .b = points->v[1]};
  beam->length = sofa_vec3_distance(a, b);
  if (!(beam->length > 0) || !(beam->length < INFINITY))
    return sofa_object_fail(object, SOFA_ERR_GEOMETRY,
                            "beam %zu (points %u %u) has no length at rest", edge, beam->a,
                            beam->b);
  beam->axial = young * pi * (r2 - i2) / beam->length;
  beam->torsion = shear * 2 * inertia / beam->length;
  beam->bending = young * inertia;
  sofa_vec3_sub(b, a, beam->rest);
  sofa_quat_rotate_inverse(a + 3, beam->rest, beam->rest);
  relative_turn(a + 3, b + 3, true, beam->rest_turn);
  double direction[3];
  sofa_vec3_scale(1 / beam->length, beam->rest, direction);
  turn_from_x(direction, beam->offset);
  if ((beam->offset[3] < 1 || sofa_vec3_norm(beam->rest_turn) > 1e-12) &&
      sofa_quirk(object, QUIRK_BEAM_FRAME)) {
    sofa_quat_identity(beam->offset);
    beam->end_turn = true;
  }
  sofa_quat_multiply(a + 3, beam->offset, beam->frame);
  sofa_quat_normalize(beam->frame);
  return SOFA_OK;
}

static SofaErr check_section(BeamFEMForceField *t) {
  SofaObject *object = &t->fem.force_field.object;
  if (!(t->radius_inner < t->radius))
    return sofa_field_fail(object, "radiusInner", SOFA_ERR_RANGE, "%g, expected < radius = %g",
                           t->radius_inner, t->radius);
  return SOFA_OK;
}

static void forget(BeamFEMForceField *t) {
  sofa_free(t->fem.force_field.object.ctx, t->beams);
  t->beams = NULL;
  t->n = 0;
}

static SofaErr beam_init(SofaObject *object) {
  BeamFEMForceField *t = (BeamFEMForceField *)object;
  const SofaEdges *edges = sofa_topology_edges(t->fem.mesh);
  const bool subset = t->list_segment.n > 0;
  t->fem.elements = SOFA_ELEMENT_EDGE;
  t->fem.parts = 1;
  forget(t);
  SOFA_TRY(t->fem.mesh->failure);
  SOFA_TRY(check_section(t));
  if (!edges->n && !sofa_topology_may_be_empty(t->fem.mesh))
    return sofa_object_fail(object, SOFA_ERR_SCENE, "the topology has no edges");
  SOFA_TRY(sofa_linear_fem_check_vertices(&t->fem, SOFA_ELEMENT_EDGE, edges->data, edges->n));
  if (subset) t->none = false;
  const size_t n = subset ? t->list_segment.n : t->none ? 0 : edges->n;
  if (!(t->beams = sofa_alloc(object->ctx, n + 1, sizeof *t->beams))) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    const size_t edge = subset ? t->list_segment.data[i] : i;
    const SofaErr err = make_beam(t, edge, &edges->data[edge], &t->beams[i]);
    if (err == SOFA_OK) continue;
    forget(t);
    return err;
  }
  t->n = n;
  t->revision = t->fem.mesh->revision;
  return SOFA_OK;
}

static void beam_destroy(SofaObject *object) {
  forget((BeamFEMForceField *)object);
}

/* ---- topological changes ---- */

/* ---- forces ---- */

static SofaErr beam_add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *const *f) {
  (void)params;
  BeamFEMForceField *t = (BeamFEMForceField *)ff;
  if (t->revision != t->fem.mesh->revision) SOFA_TRY(beam_init(&ff->object));
  for (size_t i = 0; i < t->n; i++) beam_force(&t->beams[i], at->x[0], f[0]);
  return SOFA_OK;
}

static SofaErr beam_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  const BeamFEMForceField *t = (BeamFEMForceField *)ff;
  const double factor = sofa_kfactor(ff, params);
  for (size_t i = 0; i < t->n; i++) beam_dforce(&t->beams[i], factor, dx[0], df[0]);
  return SOFA_OK;
}

static SofaErr beam_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const SofaTangent *tangent) {
  (void)params, (void)at;
  const BeamFEMForceField *t = (BeamFEMForceField *)ff;
  for (size_t i = 0; i < t->n; i++) {
    const uint32_t v[2] = {t->beams[i].a, t->beams[i].b};
    double k[144], block[36];
    beam_matrix(&t->beams[i], k);
    for (size_t nm = 0; nm < 4; nm++) {
      const size_t n = nm / 2, m = nm % 2;
      for (size_t e = 0; e < 36; e++) block[e] = k[12 * (6 * n + e / 6) + 6 * m + e % 6];
      sofa_tangent_add(tangent, 0, v[n], 0, v[m], block);
    }
  }
  return SOFA_OK;
}

static SofaErr beam_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                     const SofaPoint *at, double *energy) {
  (void)params;
  const BeamFEMForceField *t = (BeamFEMForceField *)ff;
  *energy = 0;
  for (size_t i = 0; i < t->n; i++) {
    double d[12], f[12];
    beam_deformation(&t->beams[i], at->x[0], d);
    beam_product(&t->beams[i], d, f);
    for (int k = 6; k < 12; k++) *energy += d[k] * f[k] / 2;
  }
  return SOFA_OK;
}

/* What the ends are loaded with to be deformed as they are: K d. */
static SofaErr beam_compute(SofaObject *object, const SofaField *field) {
  BeamFEMForceField *t = (BeamFEMForceField *)object;
  const SofaCoords *x = &t->fem.force_field.state[0]->position;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->beams_data, 12 * t->n));
  for (size_t i = 0; i < t->n; i++) {
    double d[12];
    if (t->beams[i].a >= x->n || t->beams[i].b >= x->n) continue;
    beam_deformation(&t->beams[i], x->data, d);
    beam_product(&t->beams[i], d, t->beams_data.data + 12 * i);
  }
  sofa_field_touch(object, field);
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = beam_add_force,
    .add_dforce = beam_add_dforce,
    .add_k = beam_add_k,
    .potential_energy = beam_potential_energy,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* A tube of the section's radius along each beam, and the frames of its ends. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const BeamFEMForceField *ff = (const BeamFEMForceField *)object;
  const SofaState *state = ff->fem.force_field.state[0];
  if (!state || !sofa_display_shows(args->flags, SOFA_DISPLAY_FORCE_FIELDS)) return;
  const bool wires = sofa_display_shows(args->flags, SOFA_DISPLAY_WIREFRAME);
  for (size_t i = 0; i < ff->n; i++) {
    double a[3], b[3];
    if (ff->beams[i].a >= state->position.n || ff->beams[i].b >= state->position.n) continue;
    sofa_state_point(state, ff->beams[i].a, a);
    sofa_state_point(state, ff->beams[i].b, b);
    if (wires) sofa_draw_line(args->list, a, b, 2, SOFA_RGB(1, 0.75, 0));
    else sofa_draw_tube(args->list, a, b, ff->radius, ff->radius, SOFA_RGB(1, 0.75, 0));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Rigid3d", NULL};

SOFA_CLASS(BeamFEMForceField) = {
    SOFA_NAMED(BeamFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Elastic beams of round section along the edges of a topology, corotational: strains "
            "are small, rotations may be large. The frame of a beam turns with its first point.",
    .base = &sofa_linear_fem_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = beam_init,
    .reinit = beam_init,
    .compute_output = beam_compute,
    .destroy = beam_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit}, {SOFA_DRAW, &draw_ops}),
};
