/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BeamLinearMapping: points along a line of frames, blended smoothly between neighbours. */
#include "components/mapping/beam_linear.h"
#include "math/quaternion.h"

static const SofaField beam_fields[] = {
    SOFA_FIELD(BeamLinearMapping, local_coord, "localCoord", "1", "",
               "the output's positions at init are (beam number + fraction, y, z in beam lengths); "
               "else they are in the world"),
};

/* Length of the beam from frame i: that of the rigid difference, so turns between its frames make
 * it longer. */
static double beam_length(const double *x, size_t n, size_t i) {
  if (i + 1 >= n) i = n - 2;
  const double *a = x + 7 * i, *b = a + 7;
  double d[3], q[4];
  sofa_vec3_sub(a, b, d);
  sofa_quat_inverse(b + 3, q);
  sofa_quat_multiply(q, a + 3, q);
  return sqrt(sofa_vec3_norm2(d) + sofa_vec3_norm2(q));
}

/* From the world to (beam number + fraction, y, z in beam lengths). */
static void to_beams(const double *x, size_t n, double *p) {
  size_t k = 0;
  sofa_rigid3_to_local(x, p, p);
  double length = beam_length(x, n, 0);
  while (k + 1 < n && p[0] >= length) {
    p[0] -= length;
    length = beam_length(x, n, ++k);
  }
  sofa_vec3_scale(1 / length, p, p);
  p[0] += (double)k;
}

static SofaErr add_point(BeamLinearMapping *m, const double *x, const double *p) {
  const size_t n = m->sums.n_in;
  const double cell = floor(p[0]);
  const size_t i = !(cell > 0) ? 0 : cell > (double)(n - 2) ? n - 2 : (size_t)cell;
  const double u = p[0] - (double)i, phi = u * u * (3 - 2 * u), length = beam_length(x, n, i);
  // (c_i + rho_0) (1 - phi) + (c_i+1 + rho_1) phi
  for (size_t end = 0; end < 2; end++) {
    const double w = end ? phi : 1 - phi;
    double local[3] = {u - (double)end, p[1], p[2]};
    sofa_vec3_scale(w * length, local, local);
    SOFA_TRY(sofa_frame_sums_entry(&m->sums, (uint32_t)(i + end), w, local));
  }
  return sofa_frame_sums_next(&m->sums);
}

static SofaErr beam_setup(SofaMapping *mapping) {
  BeamLinearMapping *m = (BeamLinearMapping *)mapping;
  const double *x = mapping->inputs[0]->position.data;
  SOFA_TRY(sofa_frame_sums_begin(&m->sums));
  const size_t n = m->sums.n_in;
  if (n < 2)
    return sofa_object_fail(&mapping->object, SOFA_ERR_RANGE,
                            "the input '%s' has %zu frames: a beam has at least 2",
                            mapping->inputs[0]->object.name, n);
  for (size_t i = 0; i + 1 < n; i++)
    if (!(beam_length(x, n, i) > 0))
      return sofa_object_fail(&mapping->object, SOFA_ERR_GEOMETRY,
                              "the frames %zu and %zu of the input '%s' are the same", i, i + 1,
                              mapping->inputs[0]->object.name);
  for (size_t i = 0; i < mapping->out->position.n; i++) {
    double p[3];
    sofa_vec3_copy(mapping->out->position.data + 3 * i, p);
    if (!m->local_coord) to_beams(x, n, p);
    SOFA_TRY(add_point(m, x, p));
  }
  return sofa_frame_sums_finish(&m->sums);
}

static const SofaMappingOps beam_ops = {
    .setup = beam_setup,
    .apply = sofa_frame_sums_apply,
    .apply_j = sofa_frame_sums_apply_j,
    .apply_jt = sofa_frame_sums_apply_jt,
    .jacobian = sofa_frame_sums_jacobian,
};

static const char *const beam_templates[] = {"Rigid3d,Vec3d", NULL};

const SofaClass sofa_BeamLinearMapping_class = {
    .name = "BeamLinearMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Moves points along a line of frames: each by the two frames of its beam, blended with "
            "3 u^2 - 2 u^3.",
    .base = &sofa_mapping_class,
    .size = sizeof(BeamLinearMapping),
    .fields = beam_fields,
    .n_fields = sizeof beam_fields / sizeof *beam_fields,
    .templates = beam_templates,
    .destroy = sofa_frame_sums_destroy,
    .ops = {[SOFA_MAPPING] = &beam_ops},
};
