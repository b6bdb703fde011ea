/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TubularMapping: a circle of points around the x axis of each frame. */
#include "numerics/mapping/frame_sums.h"
#include "math/vec.h"
#include "math/quaternion.h"
#include "object/checkpoint.h"

enum { QUIRK_TUBULAR_SUMS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_TUBULAR_SUMS, "tubular-sums",
     "TubularMapping gives each frame the forces of all circles before, too",
     "test_quirks_elements.mappings"},
};

typedef struct TubularMapping {
  SofaFrameSums sums;
  uint32_t n_circle;
  double radius;
  int peak;
} TubularMapping;

static const SofaField tubular_fields[] = {
    SOFA_FIELD(TubularMapping, n_circle, "nbPointsOnEachCircle", "0", "1",
               "points on each circle, >= 1", .flags = SOFA_FIELD_REQUIRED,
               .range = SOFA_WITHIN(0, 100000)),
    SOFA_FIELD(TubularMapping, radius, "radius", "0", "m", "radius of the circles",
               .flags = SOFA_FIELD_REQUIRED),
    SOFA_FIELD(TubularMapping, peak, "peak", "0", "1",
               "number of circles over which the tube begins (negative: ends) in a point"),
};

/* Radius of the circle of frame i. */
static double radius_at(const TubularMapping *m, size_t i) {
  const size_t n = m->peak < 0 ? (size_t)(-(int64_t)m->peak) : (size_t)m->peak;
  const size_t rank = m->peak < 0 ? m->sums.n_in - 1 - i : i;
  return rank < n ? m->radius * (double)rank / (double)n : m->radius;
}

static SofaErr add_circle(TubularMapping *m, uint32_t frame) {
  const double turn = 6.283185307179586, r = radius_at(m, frame);
  for (uint32_t k = 0; k < m->n_circle; k++) {
    const double phi = turn * k / m->n_circle;
    const double local[3] = {0, r * cos(phi), r * sin(phi)};
    SOFA_TRY(sofa_frame_sums_entry(&m->sums, frame, 1, local));
    SOFA_TRY(sofa_frame_sums_next(&m->sums));
  }
  return SOFA_OK;
}

static SofaErr tubular_setup(SofaMapping *mapping) {
  TubularMapping *m = (TubularMapping *)mapping;
  if (m->n_circle < 1)
    return sofa_field_fail(&mapping->object, "nbPointsOnEachCircle", SOFA_ERR_RANGE,
                           "%u: it must be 1 or larger", m->n_circle);
  SOFA_TRY(sofa_frame_sums_begin(&m->sums));
  for (uint32_t i = 0; i < m->sums.n_in; i++) SOFA_TRY(add_circle(m, i));
  return sofa_frame_sums_finish(&m->sums);
}

/* A circle comes with a frame; those that are there keep their radius. Points that do not belong to
 * a circle have no place. */
static SofaErr tubular_listen(SofaObject *object, const SofaTopologyChange *change) {
  TubularMapping *m = (TubularMapping *)object;
  SofaMapping *mapping = &m->sums.mapping;
  SOFA_TRY(sofa_frame_sums_listen(object, change));
  if (change->kind != SOFA_CHANGE_ADD) return SOFA_OK;
  if (sofa_change_moves(change, mapping->inputs[0]))
    return sofa_state_add_points(change->edit, mapping->out, change->n * m->n_circle, NULL);
  if (!sofa_change_moves(change, mapping->out)) return SOFA_OK;
  if (m->sums.n + change->n != m->sums.n_in * m->n_circle)
    return sofa_object_unsupported(object, "points inserted into circles");
  for (size_t i = m->sums.n / m->n_circle; i < m->sums.n_in; i++)
    SOFA_TRY(add_circle(m, (uint32_t)i));
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = tubular_listen, .moves_output = true};

/* SOFA's sums: frame i also gets the forces and torques of all circles before. */
static void add_running_sums(const TubularMapping *m, const double *f, double *in) {
  double force[3] = {0, 0, 0}, torque[3] = {0, 0, 0}, t[3];
  for (size_t i = 0; i < m->sums.n; i++) {
    sofa_vec3_cross(m->sums.arm.data + 3 * i, f + 3 * i, t);
    sofa_vec3_add(force, f + 3 * i, force);
    sofa_vec3_add(torque, t, torque);
    if ((i + 1) % m->n_circle) continue;
    double *to = SOFA_TWIST(in, i / m->n_circle);
    sofa_vec3_add(to, force, to);
    sofa_vec3_add(to + 3, torque, to + 3);
  }
}

static SofaErr tubular_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                                double *const *f_in) {
  const TubularMapping *m = (const TubularMapping *)mapping;
  if (!sofa_quirk(&mapping->object, QUIRK_TUBULAR_SUMS))
    return sofa_frame_sums_apply_jt(mapping, at, f_out, f_in);
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->sums.n_in, m->sums.n));
  add_running_sums(m, f_out, f_in[0]);
  return SOFA_OK;
}

static const SofaMappingOps tubular_ops = {
    .setup = tubular_setup,
    .apply = sofa_frame_sums_apply,
    .apply_j = sofa_frame_sums_apply_j,
    .apply_jt = tubular_apply_jt,
    .jacobian = sofa_frame_sums_jacobian,
    .keeps_point = true,
};

static const char *const tubular_templates[] = {"Rigid3d,Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(TubularMapping, sums.arm),
    SOFA_REMADE(TubularMapping, sums.j),
};

SOFA_CLASS(TubularMapping) = {
    SOFA_NAMED(TubularMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Makes a tube around a line of frames: a circle of points about the x axis of each.",
    .equations = "y_{ik} = c_i + R_i (0, r cos a_k, r sin a_k)",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(tubular_fields),
    .templates = tubular_templates,
    .destroy = sofa_frame_sums_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &tubular_ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
