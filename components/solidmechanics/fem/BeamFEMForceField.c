/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BeamFEMForceField: corotational beams between frames. */
#include <math.h>
#include <string.h>
#include "behavior/draw_state.h"
#include "base/team.h"
#include "components/solidmechanics/fem/BeamFEMForceField.h"
#include "math/quaternion.h"
#include "object/checkpoint.h"

enum { QUIRK_BEAM_FRAME = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_BEAM_FRAME, "beam-frame",
     "BeamFEMForceField takes the frame of a beam's first point and leaves its derivative out",
     "test_quirks_elements.elements"},
};

typedef BeamFEMForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        beams_data, "beamsData", NULL, "N, N m",
        "12 reals per beam: force and torque that act on its first end, then on its second one, in "
        "its frame (x along the beam); an axial force < 0 at the first end is a pull",
        .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK),
    SOFA_ROW(
        section_forces, "sectionForces", NULL, "N, N m",
        "of each beam in its middle, in its axes: axial force (> 0 is a pull), shear forces y z, "
        "torque, bending moments y z. The stress of a beam is the mean over its section; "
        "vonMisesPerElement is that at the outer radius of a ring, and not a number where the "
        "section is given by A, Iy, Iz or J",
        .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK),
    SOFA_ROW(radius, "radius", "0.1", "m", "radius of the section", .flags = SOFA_FIELD_REQUIRED,
             .range = SOFA_ABOVE(0)),
    SOFA_ROW(radius_inner, "radiusInner", "0", "m",
             "radius of the hole in the section, smaller than radius", .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(area, "A", "0", "m^2", "area of the section; 0: that of the ring of the two radii",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(iy, "Iy", "0", "m^4",
             "second moment of area about the section's y axis, for bending in the plane of x and "
             "z; 0: that of the ring. The axes are those of the first point's frame at rest, "
             "turned with x along the beam the shortest way",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(iz, "Iz", "0", "m^4",
             "second moment of area about the z axis, for bending in the plane of x and y; 0: that "
             "of the ring",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(j, "J", "0", "m^4",
             "torsion constant, G J / length is the stiffness; 0: Iy + Iz, right for a ring only",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(shear, "shear", "0", "",
             "beams deform in shear (Timoshenko); off: sections stay normal to the axis "
             "(Euler-Bernoulli)"),
    SOFA_ROW(shear_y, "shearAreaY", "0", "m^2",
             "area times the shear factor for forces along y; 0: that of the ring (Cowper 1966)",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(shear_z, "shearAreaZ", "0", "m^2", "the same for forces along z",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(list_segment, "listSegment", NULL, "1",
             "edges of the topology that are beams; empty: all", .on_bad = SOFA_BAD_DEFAULT,
             SOFA_INDICES_OF(SOFA_ELEMENT_EDGE, .emptied = offsetof(BeamFEMForceField, none))),
    SOFA_ROW(symmetric_assembly, "useSymmetricAssembly", "0", "",
             "assemble a symmetric matrix; no effect: it always is symmetric",
             .flags = SOFA_FIELD_NO_EFFECT),
};

/* ---- the quirk: a beam in the frame of its first point ---- */

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

/* Displacement and rotation of b against a, behind six zeros, in the frame of a. */
static void first_frame_deformation(const BeamFEMBeam *beam, const double *x, double *d) {
  const double *a = SOFA_POSE(x, beam->a), *b = SOFA_POSE(x, beam->b);
  double edge[3], turn[4];
  memset(d, 0, 6 * sizeof *d);
  sofa_vec3_sub(b, a, edge);
  sofa_quat_rotate_inverse(a + 3, edge, edge);
  sofa_vec3_sub(edge, beam->rest, d + 6);
  relative_turn(a + 3, b + 3, true, turn);
  relative_turn(beam->rest_turn, turn, true, turn);
  sofa_quat_to_rotation_vector(turn, d + 9);
}

static void first_frame_pose(BeamFEMBeam *beam, const double *x) {
  double d[12];
  first_frame_deformation(beam, x, d);
  sofa_beam_product(&beam->law, d, beam->pose.load);
  memcpy(beam->pose.frame, SOFA_POSE_QUAT(x, beam->a), sizeof beam->pose.frame);
}

/* K in the world, 12 x 12. */
static void first_frame_stiffness(const BeamFEMBeam *beam, double *k) {
  double q[4], r[9];
  memcpy(q, beam->pose.frame, sizeof q);
  sofa_quat_normalize(q);
  sofa_quat_to_matrix(q, r);
  for (size_t j = 0; j < 12; j++) {
    // column j: the force of a unit displacement along a world axis
    double d[12] = {0}, f[12];
    for (size_t i = 0; i < 3; i++) d[j / 3 * 3 + i] = r[3 * (j % 3) + i];
    sofa_beam_product(&beam->law, d, f);
    for (size_t n = 0; n < 4; n++) {
      sofa_mat3_apply(r, f + 3 * n, f + 3 * n);
      for (size_t i = 0; i < 3; i++) k[12 * (3 * n + i) + j] = f[3 * n + i];
    }
  }
}

/* ---- one beam ---- */

static void beam_pose(const BeamFEMForceField *t, BeamFEMBeam *beam, const double *x) {
  if (t->first_frame) first_frame_pose(beam, x);
  else sofa_beam_pose(&beam->law, SOFA_POSE(x, beam->a), SOFA_POSE(x, beam->b), &beam->pose);
}

static double beam_energy(const BeamFEMForceField *t, const BeamFEMBeam *beam, const double *x) {
  SofaBeamPose pose;
  double d[12], f[12], energy = 0;
  if (!t->first_frame) {
    sofa_beam_pose(&beam->law, SOFA_POSE(x, beam->a), SOFA_POSE(x, beam->b), &pose);
    return sofa_beam_energy(&beam->law, &pose);
  }
  first_frame_deformation(beam, x, d);
  sofa_beam_product(&beam->law, d, f);
  for (int k = 6; k < 12; k++) energy += d[k] * f[k] / 2;
  return energy;
}

static void first_frame_force(BeamFEMBeam *beam, const double *x, double *f) {
  double g[12];
  first_frame_pose(beam, x);
  sofa_beam_gradient(&beam->pose, g);
  for (size_t k = 0; k < 4; k++)
    sofa_vec3_axpy(-1, g + 3 * k, SOFA_TWIST(f, k < 2 ? beam->a : beam->b) + 3 * (k % 2));
}

/* A loop over beams; what its kind does not read is 0. */
typedef struct BeamLoop {
  const BeamFEMForceField *t;
  const SofaBeamKernels *kernels;
  double factor;
  const double *x; /* poses, or changes of them */
  double *f;
} BeamLoop;

static SofaBeamBatch part_of(const BeamLoop *loop, size_t begin, size_t end) {
  SofaBeamBatch part = loop->t->batch;
  part.n = end - begin;
  part.groups += begin / SOFA_LANES;
  return part;
}

static void make_tangents(void *user, size_t begin, size_t end) {
  const BeamLoop *loop = user;
  const SofaBeamBatch part = part_of(loop, begin, end);
  loop->kernels->tangents(&part);
}

static void make_first_frame_tangents(const BeamFEMForceField *t) {
  for (size_t i = 0; i < t->n; i++) {
    double k[144];
    first_frame_stiffness(&t->beams[i], k);
    sofa_beam_batch_set_tangent(&t->batch, i, k);
  }
}

enum { LEAST = 1024, TANGENTS_GRAIN = 16 * SOFA_LANES }; /* beams */

/* What derivatives need and forces do not. */
static void ensure_tangents(BeamFEMForceField *t) {
  SofaContext *ctx = t->fem.force_field.object.ctx;
  if (t->tangents) return;
  BeamLoop loop = {.t = t, .kernels = sofa_beam_kernels(ctx)};
  if (t->first_frame) make_first_frame_tangents(t);
  else sofa_team_for(ctx, t->n, TANGENTS_GRAIN, make_tangents, &loop);
  t->tangents = true;
}

/* ---- beams ---- */

/* Shear area of a ring: A k with k = 6 (1 + nu) (1 + m^2)^2 / ((7 + 6 nu) (1 + m^2)^2 +
 * (20 + 12 nu) m^2), m the ratio of the radii (G. R. Cowper, J. Appl. Mech. 33, 1966). */
static double ring_shear_area(double area, double m, double nu) {
  const double m2 = m * m, s = (1 + m2) * (1 + m2);
  return area * 6 * (1 + nu) * s / ((7 + 6 * nu) * s + (20 + 12 * nu) * m2);
}

static SofaBeamSection section_of(const BeamFEMForceField *t, size_t edge) {
  const double r2 = t->radius * t->radius, i2 = t->radius_inner * t->radius_inner;
  const double pi = 3.14159265358979323846, inertia = pi * (r2 * r2 - i2 * i2) / 4;
  const double nu = sofa_linear_fem_poisson(&t->fem, edge), ring = pi * (r2 - i2);
  const double shear = t->shear ? ring_shear_area(ring, t->radius_inner / t->radius, nu) : 0;
  SofaBeamSection s = {.young = sofa_linear_fem_young(&t->fem, edge)};
  s.shear = s.young / (2 * (1 + nu));
  s.area = t->area > 0 ? t->area : ring;
  s.iy = t->iy > 0 ? t->iy : inertia;
  s.iz = t->iz > 0 ? t->iz : inertia;
  s.j = t->j > 0 ? t->j : s.iy + s.iz;
  s.shear_y = t->shear && t->shear_y > 0 ? t->shear_y : shear;
  s.shear_z = t->shear && t->shear_z > 0 ? t->shear_z : shear;
  return s;
}

static SofaErr make_beam(BeamFEMForceField *t, size_t edge, const SofaEdge *points,
                         BeamFEMBeam *beam) {
  size_t n_points;
  const double *x = sofa_linear_fem_rest(&t->fem, &n_points);
  const double *a = SOFA_POSE(x, points->v[0]), *b = SOFA_POSE(x, points->v[1]);
  const SofaBeamSection section = section_of(t, edge);
  *beam = (BeamFEMBeam){.a = points->v[0], .b = points->v[1]};
  if (!(t->exact ? sofa_beam_make_exact : sofa_beam_make)(&section, a, b, &beam->law))
    return sofa_object_fail(&t->fem.force_field.object, SOFA_ERR_GEOMETRY,
                            "beam %zu (points %u %u) has no length at rest", edge, beam->a,
                            beam->b);
  sofa_vec3_sub(b, a, beam->rest);
  sofa_quat_rotate_inverse(a + 3, beam->rest, beam->rest);
  relative_turn(a + 3, b + 3, true, beam->rest_turn);
  return SOFA_OK;
}

static SofaErr check_section(BeamFEMForceField *t) {
  SofaObject *object = &t->fem.force_field.object;
  if (!(t->radius_inner < t->radius))
    return sofa_field_fail(object, "radiusInner", SOFA_ERR_RANGE, "%g, expected < radius = %g",
                           t->radius_inner, t->radius);
  if (t->exact && !t->shear)
    return sofa_field_fail(object, "shear", SOFA_ERR_ARGUMENT,
                           "is off, but a geometrically exact beam deforms in shear");
  if (!t->shear && (t->shear_y > 0 || t->shear_z > 0))
    return sofa_field_fail(object, "shear", SOFA_ERR_ARGUMENT,
                           "is off, but shearAreaY or shearAreaZ is given: set shear=\"1\"");
  if (t->shear && t->area > 0 && !(t->shear_y > 0 && t->shear_z > 0))
    return sofa_field_fail(object, "shearAreaY", SOFA_ERR_ARGUMENT,
                           "and shearAreaZ must be given with shear and the area of a section "
                           "that is not a ring");
  return SOFA_OK;
}

static void forget(BeamFEMForceField *t) {
  sofa_free(t->fem.force_field.object.ctx, t->beams);
  sofa_free(t->fem.force_field.object.ctx, t->batch.groups);
  t->beams = NULL;
  sofa_element_sums_free(t->fem.force_field.object.ctx, &t->sums);
  sofa_packed_pairs_free(t->fem.force_field.object.ctx, &t->pairs);
  t->batch = (SofaBeamBatch){.n = 0};
  t->n = 0;
}

static SofaErr allocate(BeamFEMForceField *t, size_t n) {
  SofaContext *ctx = t->fem.force_field.object.ctx;
  t->beams = sofa_alloc(ctx, n, sizeof *t->beams);
  t->batch.groups = sofa_alloc(ctx, n / SOFA_LANES + 1, sizeof *t->batch.groups);
  if (t->beams && t->batch.groups) return SOFA_OK;
  forget(t);
  return SOFA_ERR_MEMORY;
}

static SofaErr make_sums(BeamFEMForceField *t, size_t n) {
  SofaContext *ctx = t->fem.force_field.object.ctx;
  SofaSummed of = {.states = 1, .width = 6, .kind = SOFA_SUM_EACH};
  sofa_linear_fem_rest(&t->fem, &of.n_points);
  if (ctx->threads < 2 || n < LEAST) return SOFA_OK;
  uint32_t *ends = sofa_alloc(ctx, 2 * n, sizeof *ends);
  if (!ends) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    ends[2 * i] = t->beams[i].a;
    ends[2 * i + 1] = t->beams[i].b;
  }
  of.elements = (SofaElements){ends, n, 2};
  const SofaErr err = sofa_element_sums_create(ctx, &of, &t->sums);
  sofa_free(ctx, ends);
  return err;
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
  SOFA_TRY(allocate(t, n));
  for (size_t i = 0; i < n; i++) {
    const size_t edge = subset ? t->list_segment.data[i] : i;
    const SofaErr err = make_beam(t, edge, &edges->data[edge], &t->beams[i]);
    if (err != SOFA_OK) {
      forget(t);
      return err;
    }
    sofa_beam_batch_set(&t->batch, i, edges->data[edge].v, &t->beams[i].law);
  }
  if (!sofa_quirk(object, QUIRK_BEAM_FRAME)) SOFA_TRY(make_sums(t, n));
  t->n = t->batch.n = n;
  t->batch.exact = t->exact;
  t->first_frame = !t->exact && sofa_quirk(object, QUIRK_BEAM_FRAME);
  t->revision = t->fem.mesh->revision;
  return SOFA_OK;
}

static void beam_destroy(SofaObject *object) {
  forget((BeamFEMForceField *)object);
}

/* ---- forces ---- */

static void give_forces(void *user, size_t begin, size_t end, double *parts) {
  const BeamLoop *loop = user;
  const SofaBeamBatch part = part_of(loop, begin, end);
  loop->kernels->force(&part, loop->x, (SofaVectorsTo){loop->f, parts});
}

static void give_products(void *user, size_t begin, size_t end, double *parts) {
  const BeamLoop *loop = user;
  const SofaBeamBatch part = part_of(loop, begin, end);
  loop->kernels->product(&part, loop->factor, loop->x, (SofaVectorsTo){loop->f, parts});
}

static SofaErr beam_add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *const *f) {
  (void)params;
  BeamFEMForceField *t = (BeamFEMForceField *)ff;
  if (t->revision != t->fem.mesh->revision) SOFA_TRY(beam_init(&ff->object));
  t->tangents = false;
  BeamLoop loop = {t, sofa_beam_kernels(ff->object.ctx), 1, at->x[0], f[0]};
  if (!t->first_frame) sofa_element_sums_run(&t->sums, t->n, give_forces, &loop, f);
  for (size_t i = 0; t->first_frame && i < t->n; i++)
    first_frame_force(&t->beams[i], at->x[0], f[0]);
  return SOFA_OK;
}

static SofaErr beam_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  BeamFEMForceField *t = (BeamFEMForceField *)ff;
  const double factor = sofa_kfactor(ff, params);
  ensure_tangents(t);
  BeamLoop loop = {t, sofa_beam_kernels(ff->object.ctx), factor, dx[0], df[0]};
  sofa_element_sums_run(&t->sums, t->n, give_products, &loop, df);
  return SOFA_OK;
}

static SofaErr beam_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const SofaTangent *tangent) {
  (void)params, (void)at;
  BeamFEMForceField *t = (BeamFEMForceField *)ff;
  ensure_tangents(t);
  if (!t->n) return SOFA_OK;
  const SofaBeamGroup *first = t->batch.groups;
  const SofaPackedElements elements = {.n = t->n,
                                       .n_nodes = 2,
                                       .v = first->v[0],
                                       .v_stride = sizeof *first / sizeof(uint32_t),
                                       .k = first->tangent[0],
                                       .k_stride = sizeof *first / sizeof(double)};
  size_t n_points;
  sofa_linear_fem_rest(&t->fem, &n_points);
  return sofa_packed_pairs_add(ff->object.ctx, &elements, n_points, tangent, &t->pairs);
}

static SofaErr beam_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                     const SofaPoint *at, double *energy) {
  (void)params;
  const BeamFEMForceField *t = (BeamFEMForceField *)ff;
  *energy = 0;
  for (size_t i = 0; i < t->n; i++) *energy += beam_energy(t, &t->beams[i], at->x[0]);
  return SOFA_OK;
}

/* ---- results ---- */

/* What the two ends are loaded with in the beam's axes to the forces in its middle. */
static void forces_in_middle(const double *load, double *out) {
  for (int k = 0; k < 3; k++) {
    out[k] = (load[6 + k] - load[k]) / 2;
    out[3 + k] = (load[9 + k] - load[3 + k]) / 2;
  }
}

static bool is_ring(const BeamFEMForceField *t) {
  return !(t->area > 0) && !(t->iy > 0) && !(t->iz > 0) && !(t->j > 0);
}

/* Von Mises stress of a ring where it is largest, at its outer radius: of the axial force, the
 * torque and the larger bending moment of the two ends. */
static double mises_of(const BeamFEMForceField *t, const SofaBeamSection *s, const double *load) {
  if (!is_ring(t)) return NAN;
  const double bend = fmax(hypot(load[4], load[5]), hypot(load[10], load[11]));
  const double normal = fabs(load[6]) / s->area + bend * t->radius / s->iy;
  const double shear = fabs(load[9]) * t->radius / s->j;
  return sqrt(normal * normal + 3 * shear * shear);
}

/* Means over the section: forces over its area. */
static void section_tensors(const BeamFEMForceField *t, const SofaBeamSection *s,
                            const double *force, SofaElementSample *out) {
  const double shear_area[2] = {s->shear_y, s->shear_z};
  memset(out->stress[0], 0, sizeof out->stress[0]);
  memset(out->strain[0], 0, sizeof out->strain[0]);
  out->stress[0][0] = force[0] / s->area;
  out->stress[0][3] = force[1] / s->area;
  out->stress[0][5] = force[2] / s->area;
  out->strain[0][0] = force[0] / (s->young * s->area);
  for (int k = 0; k < 2 && t->shear; k++)
    out->strain[0][3 + 2 * k] = force[1 + k] / (2 * s->shear * shear_area[k]);
}

static void sample(const void *source, size_t i, SofaElementSample *out) {
  const BeamFEMForceField *t = source;
  BeamFEMBeam now = t->beams[i];
  const double *x = t->fem.force_field.state[0]->position.data;
  size_t n_points;
  const double *rest = sofa_linear_fem_rest(&t->fem, &n_points);
  const double *a = SOFA_POSE(rest, now.a), *b = SOFA_POSE(rest, now.b);
  const size_t edge = t->list_segment.n ? t->list_segment.data[i] : i;
  const SofaBeamSection section = section_of(t, edge);
  double force[6], q[4], columns[9];
  beam_pose(t, &now, x);
  forces_in_middle(now.pose.load, force);
  out->v[0] = now.a;
  out->v[1] = now.b;
  out->weight[0] = now.law.length;
  for (int k = 0; k < 3; k++) out->place[0][k] = out->middle_place[k] = (a[k] + b[k]) / 2;
  section_tensors(t, &section, force, out);
  sofa_quat_multiply(a + 3, now.law.rest_a, q);
  sofa_quat_to_matrix(q, columns);
  sofa_mat3_transpose(columns, out->axes[0]);
  memcpy(out->middle_axes, out->axes[0], sizeof out->middle_axes);
  sofa_element_sample_mean(1, out);
  out->energy = beam_energy(t, &t->beams[i], x);
  out->mises = mises_of(t, &section, now.pose.load);
}

static SofaErr elements(SofaForceField *ff, SofaResultElements *out) {
  const BeamFEMForceField *t = (const BeamFEMForceField *)ff;
  size_t n_points;
  out->n = 0;
  if (!t->n || t->revision != t->fem.mesh->revision) return SOFA_OK;
  *out = (SofaResultElements){.n = t->n,
                              .n_points = ff->state[0]->position.n,
                              .n_nodes = 2,
                              .n_gauss = 1,
                              .dim = 1,
                              .rest_width = 7,
                              .space = 3,
                              .middle = true,
                              .turned = true,
                              .source = t,
                              .sample = sample};
  out->rest = sofa_linear_fem_rest(&t->fem, &n_points);
  return SOFA_OK;
}

static const SofaElementResultsOps results_ops = {.elements = elements};

/* What the ends are loaded with to be deformed as they are. */
static SofaErr beam_compute(SofaObject *object, const SofaField *field) {
  BeamFEMForceField *t = (BeamFEMForceField *)object;
  const SofaCoords *x = &t->fem.force_field.state[0]->position;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->beams_data, 12 * t->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->section_forces, t->n));
  for (size_t i = 0; i < t->n; i++) {
    BeamFEMBeam now = t->beams[i];
    if (now.a >= x->n || now.b >= x->n) continue;
    beam_pose(t, &now, x->data);
    memcpy(t->beams_data.data + 12 * i, now.pose.load, sizeof now.pose.load);
    forces_in_middle(now.pose.load, t->section_forces.data[i].v);
  }
  sofa_field_touch(object, field);
  return SOFA_OK;
}

static const SofaApproximation left_out = {
    "the tangent leaves out the derivative of the elements' rotations", false};

static const SofaApproximation *approximation(const SofaForceField *ff) {
  (void)ff;
  return &left_out;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = beam_add_force,
    .add_dforce = beam_add_dforce,
    .add_k = beam_add_k,
    .potential_energy = beam_potential_energy,
    .approximation = approximation,
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

static const SofaSparedMember spared[] = {
    SOFA_REMADE(BeamFEMForceField, batch),
    SOFA_REMADE(BeamFEMForceField, pairs),
    SOFA_REMADE(BeamFEMForceField, tangents),
};

SOFA_CLASS(BeamFEMForceField) = {
    SOFA_NAMED(BeamFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Elastic beams along the edges of a topology, corotational: strains are small, "
            "rotations may be large, those of the two ends of a beam against each other less than "
            "half a turn. The section is a ring, or given by A, Iy, Iz and J. Force and tangent "
            "are the exact derivatives of the energy; the matrix is the symmetric second "
            "derivative.",
    .equations = "W = 1/2 d^T K d, f = -partial W/partial x\n"
                 "\"d: displacements and turns of the ends in the turned axes of the beam\"",
    .base = &sofa_linear_fem_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = beam_init,
    .reinit = beam_init,
    .compute_output = beam_compute,
    .destroy = beam_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_ELEMENT_RESULTS, &results_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit}, {SOFA_DRAW, &draw_ops}),
};
