/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BeamLinearMapping: points along a line of frames, blended smoothly between neighbours. */
#include "components/mapping/beam_linear.h"
#include "math/quaternion.h"
#include "object/checkpoint.h"

static const SofaField beam_fields[] = {
    SOFA_FIELD(BeamLinearMapping, local_coord, "localCoord", "1", "",
               "the output's positions at init are (beam number + fraction, y, z in beam lengths); "
               "else they are in the world"),
};

/* Frame i along the line, of the positions x. */
static const double *frame_at(const BeamLinearMapping *m, const double *x, size_t i) {
  return SOFA_POSE(x, m->chain.data[i]);
}

/* Length of the beam from frame i of the line: that of the rigid difference, so turns between its
 * frames make it longer. */
static double beam_length(const BeamLinearMapping *m, const double *x, size_t i) {
  if (i + 1 >= m->chain.n) i = m->chain.n - 2;
  const double *a = frame_at(m, x, i), *b = frame_at(m, x, i + 1);
  double d[3], q[4];
  sofa_vec3_sub(a, b, d);
  sofa_quat_inverse(b + 3, q);
  sofa_quat_multiply(q, a + 3, q);
  return sqrt(sofa_vec3_norm2(d) + sofa_vec3_norm2(q));
}

/* From the world to (beam number + fraction, y, z in beam lengths). */
static void to_beams(const BeamLinearMapping *m, const double *x, double *p) {
  size_t k = 0;
  sofa_rigid3_to_local(frame_at(m, x, 0), p, p);
  double length = beam_length(m, x, 0);
  while (k + 1 < m->chain.n && p[0] >= length) {
    p[0] -= length;
    length = beam_length(m, x, ++k);
  }
  sofa_vec3_scale(1 / length, p, p);
  p[0] += (double)k;
}

static SofaErr add_point(BeamLinearMapping *m, const double *x, const double *p) {
  const size_t n = m->chain.n;
  const double cell = floor(p[0]);
  const size_t i = !(cell > 0) ? 0 : cell > (double)(n - 2) ? n - 2 : (size_t)cell;
  const double u = p[0] - (double)i, phi = u * u * (3 - 2 * u), length = beam_length(m, x, i);
  // (c_i + rho_0) (1 - phi) + (c_i+1 + rho_1) phi
  for (size_t end = 0; end < 2; end++) {
    const double w = end ? phi : 1 - phi;
    double local[3] = {u - (double)end, p[1], p[2]};
    sofa_vec3_scale(w * length, local, local);
    SOFA_TRY(sofa_frame_sums_entry(&m->sums, m->chain.data[i + end], w, local));
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
  for (uint32_t i = 0; i < n; i++) SOFA_TRY(SOFA_APPEND(mapping->object.ctx, &m->chain, &i));
  for (size_t i = 0; i + 1 < n; i++)
    if (!(beam_length(m, x, i) > 0))
      return sofa_object_fail(&mapping->object, SOFA_ERR_GEOMETRY,
                              "the frames %zu and %zu of the input '%s' are the same", i, i + 1,
                              mapping->inputs[0]->object.name);
  for (size_t i = 0; i < mapping->out->position.n; i++) {
    double p[3];
    sofa_vec3_copy(mapping->out->position.data + 3 * i, p);
    if (!m->local_coord) to_beams(m, x, p);
    SOFA_TRY(add_point(m, x, p));
  }
  return sofa_frame_sums_finish(&m->sums);
}

/* ---- topological changes ---- */

/* The frames that stay are a line in the same order; inserted ones are at its end. */
static SofaErr chain_changes(BeamLinearMapping *m, const SofaTopologyChange *change) {
  size_t n = 0;
  for (size_t i = 0; i < m->chain.n && change->kind == SOFA_CHANGE_REMOVE; i++) {
    const uint32_t now = sofa_change_renamed(change, m->chain.data[i]);
    if (now != SOFA_NO_ELEMENT) m->chain.data[n++] = now;
  }
  if (change->kind == SOFA_CHANGE_REMOVE) m->chain.n = n;
  for (size_t i = 0; i < change->n && change->kind == SOFA_CHANGE_ADD; i++)
    SOFA_TRY(SOFA_APPEND(m->sums.mapping.object.ctx, &m->chain, &change->ids[i]));
  return SOFA_OK;
}

/* A point that has lost one frame of its beam moves with the other; inserted points are put where
 * the current line has them. */
static SofaErr beam_listen(SofaObject *object, const SofaTopologyChange *change) {
  BeamLinearMapping *m = (BeamLinearMapping *)object;
  const SofaMapping *mapping = &m->sums.mapping;
  if (sofa_change_moves(change, mapping->inputs[0])) SOFA_TRY(chain_changes(m, change));
  SOFA_TRY(sofa_frame_sums_listen(object, change));
  if (!sofa_change_moves(change, mapping->out) || change->kind != SOFA_CHANGE_ADD) return SOFA_OK;
  for (size_t i = change->n_before; i < change->n_before + change->n; i++) {
    double p[3];
    if (m->chain.n < 2)
      return sofa_object_fail(object, SOFA_ERR_RANGE, "a point inserted into a line of %zu frames",
                              m->chain.n);
    sofa_vec3_copy(mapping->out->position.data + 3 * i, p);
    to_beams(m, mapping->inputs[0]->position.data, p);
    SOFA_TRY(add_point(m, mapping->inputs[0]->position.data, p));
  }
  return SOFA_OK;
}

static void beam_destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((BeamLinearMapping *)object)->chain);
  sofa_frame_sums_destroy(object);
}

static const SofaTopologyListenerOps listener = {.listen = beam_listen, .moves_output = true};

static const SofaMappingOps beam_ops = {
    .setup = beam_setup,
    .apply = sofa_frame_sums_apply,
    .apply_j = sofa_frame_sums_apply_j,
    .apply_jt = sofa_frame_sums_apply_jt,
    .jacobian = sofa_frame_sums_jacobian,
    .keeps_point = true,
};

static const char *const beam_templates[] = {"Rigid3d,Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(BeamLinearMapping, sums.arm),
};

SOFA_CLASS(BeamLinearMapping) = {
    SOFA_NAMED(BeamLinearMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Moves points along a line of frames: each by the two frames of its beam, blended with "
            "3 u^2 - 2 u^3.",
    .equations = "y = (1 - s) (c_a + R_a p_a) + s (c_b + R_b p_b), s = 3 u^2 - 2 u^3",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(beam_fields),
    .templates = beam_templates,
    .destroy = beam_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &beam_ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
