/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DeformableOnRigidFrameMapping: a deformable body carried by frames, x_i = c + R u_i. */
#include "change/topology_change.h"
#include "numerics/mapping/map_matrix.h"
#include "numerics/mapping/multi_mapping.h"
#include "math/quaternion.h"
#include "object/checkpoint.h"

typedef struct DeformableOnRigidFrameMapping {
  SofaMultiMapping multi;
  uint32_t index;
  bool index_from_end, global_to_local;
  SofaIndices repartition;
  double angular_scale, linear_scale;
  size_t n_in[2];    /* points and frames */
  SofaIndices frame; /* of each point; empty without frames: the mapping is then the identity */
  SofaReals turn;    /* R of each frame, 9 reals, at the last apply */
  SofaReals arm;     /* R u of each point, at the last apply */
  SofaMapMatrix j[2];
} DeformableOnRigidFrameMapping;

typedef DeformableOnRigidFrameMapping SofaSelf; /* of SOFA_ROW */

static const SofaField deformable_fields[] = {
    SOFA_ROW(index, "index", "0", "", "frame that carries the points"),
    SOFA_ROW(index_from_end, "indexFromEnd", "0", "",
             "`index` counts from the last frame backwards"),
    SOFA_ROW(
        repartition, "repartition", "", "",
        "numbers of consecutive points that each frame carries: one for all frames, or one per "
        "frame; default: `index` carries all; after topological changes not consecutive"),
    SOFA_ROW_NO_EFFECT(global_to_local, "globalToLocalCoords", "0",
                       "no effect: the points are always in the coordinates of their frame"),
    SOFA_ROW(angular_scale, "rootAngularForceScaleFactor", "1", "",
             "scale of torques of constraints on the frame", .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_ROW(linear_scale, "rootLinearForceScaleFactor", "1", "",
             "scale of forces of constraints on the frame", .flags = SOFA_FIELD_UNSUPPORTED),
};

/* ---- setup ---- */

/* Consecutive points for each frame. */
static SofaErr share_out(DeformableOnRigidFrameMapping *m) {
  const SofaObject *object = &m->multi.mapping.object;
  size_t at = 0;
  if (m->repartition.n > 1 && m->repartition.n != m->n_in[1])
    return sofa_field_fail(object, "repartition", SOFA_ERR_RANGE, "%zu numbers for %zu frames",
                           m->repartition.n, m->n_in[1]);
  for (size_t r = 0; r < m->n_in[1]; r++) {
    const size_t n = m->repartition.data[m->repartition.n == 1 ? 0 : r];
    if (n > m->n_in[0] - at) break;
    for (size_t k = 0; k < n; k++) m->frame.data[at++] = (uint32_t)r;
    if (r + 1 == m->n_in[1] && at == m->n_in[0]) return SOFA_OK;
  }
  return sofa_field_fail(object, "repartition", SOFA_ERR_RANGE,
                         "its numbers must have the sum %zu, the number of points", m->n_in[0]);
}

static SofaErr choose_frames(DeformableOnRigidFrameMapping *m) {
  const uint32_t last = (uint32_t)m->n_in[1] - 1;
  if (m->repartition.n) return share_out(m);
  if (m->index > last || m->n_in[1] == 0)
    return sofa_field_fail(&m->multi.mapping.object, "index", SOFA_ERR_RANGE,
                           "frame %u: the input has %zu frames", m->index, m->n_in[1]);
  for (size_t i = 0; i < m->n_in[0]; i++)
    m->frame.data[i] = m->index_from_end ? last - m->index : m->index;
  return SOFA_OK;
}

static SofaErr deformable_setup(SofaMapping *mapping) {
  DeformableOnRigidFrameMapping *m = (DeformableOnRigidFrameMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  if (m->multi.sources.n != 1 || m->multi.second.n > 1)
    return sofa_field_fail(&mapping->object, m->multi.sources.n != 1 ? "input1" : "input2",
                           SOFA_ERR_RANGE, "it must name one state");
  for (size_t k = 0; k < mapping->n_inputs; k++) m->n_in[k] = mapping->inputs[k]->position.n;
  const bool carried = mapping->n_inputs == 2;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->frame, carried ? m->n_in[0] : 0));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->turn, carried ? 9 * m->n_in[1] : 0));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->arm, carried ? 3 * m->n_in[0] : 0));
  if (carried) SOFA_TRY(choose_frames(m));
  else
    sofa_object_message(&mapping->object, SOFA_WARNING,
                        "'input2' names no frames: the points are mapped to themselves");
  return mapping->out->position.n == m->n_in[0] ? SOFA_OK
                                                : sofa_state_resize(mapping->out, m->n_in[0]);
}

/* ---- operations ---- */

static SofaErr check(const DeformableOnRigidFrameMapping *m) {
  return sofa_mapping_check_sizes(&m->multi.mapping, m->n_in, m->n_in[0]);
}

static SofaErr deformable_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  DeformableOnRigidFrameMapping *m = (DeformableOnRigidFrameMapping *)mapping;
  SOFA_TRY(check(m));
  if (!m->frame.n) {
    sofa_copy(x_out, at->x[0], 3 * m->n_in[0] * sizeof *x_out);
    return SOFA_OK;
  }
  for (size_t r = 0; r < m->n_in[1]; r++)
    sofa_quat_to_matrix(SOFA_POSE_QUAT(at->x[1], r), m->turn.data + 9 * r);
  for (size_t i = 0; i < m->n_in[0]; i++) {
    const size_t r = m->frame.data[i];
    double *arm = m->arm.data + 3 * i;
    sofa_mat3_apply(m->turn.data + 9 * r, at->x[0] + 3 * i, arm);
    sofa_vec3_add(SOFA_POSE(at->x[1], r), arm, x_out + 3 * i);
  }
  return SOFA_OK;
}

static SofaErr deformable_apply_j(SofaMapping *mapping, const SofaPoint *at,
                                  const double *const *v_in, double *v_out) {
  const DeformableOnRigidFrameMapping *m = (const DeformableOnRigidFrameMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  if (!m->frame.n) sofa_copy(v_out, v_in[0], 3 * m->n_in[0] * sizeof *v_out);
  for (size_t i = 0; i < m->frame.n; i++) {
    const size_t r = m->frame.data[i];
    double w[3], own[3];
    sofa_vec3_cross(SOFA_TWIST_ANGULAR(v_in[1], r), m->arm.data + 3 * i, w);
    sofa_mat3_apply(m->turn.data + 9 * r, v_in[0] + 3 * i, own);
    for (int c = 0; c < 3; c++)
      v_out[3 * i + (size_t)c] = SOFA_TWIST(v_in[1], r)[c] + w[c] + own[c];
  }
  return SOFA_OK;
}

static SofaErr deformable_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                                   double *const *f_in) {
  const DeformableOnRigidFrameMapping *m = (const DeformableOnRigidFrameMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < 3 * m->n_in[0] && !m->frame.n; i++) f_in[0][i] += f_out[i];
  for (size_t i = 0; i < m->frame.n; i++) {
    const size_t r = m->frame.data[i];
    double w[3];
    sofa_mat3_apply_t(m->turn.data + 9 * r, f_out + 3 * i, w);
    sofa_vec3_add(f_in[0] + 3 * i, w, f_in[0] + 3 * i);
    sofa_vec3_cross(m->arm.data + 3 * i, f_out + 3 * i, w);
    sofa_vec3_add(SOFA_TWIST(f_in[1], r), f_out + 3 * i, SOFA_TWIST(f_in[1], r));
    sofa_vec3_add(SOFA_TWIST_ANGULAR(f_in[1], r), w, SOFA_TWIST_ANGULAR(f_in[1], r));
  }
  return SOFA_OK;
}

/* Row c of point i: R by the point, (I, -[R u]x) by the frame. */
static void write_row(DeformableOnRigidFrameMapping *m, size_t k, size_t i, size_t c) {
  SofaMapMatrix *j = &m->j[k];
  const size_t a = (c + 1) % 3, b = (c + 2) % 3;
  sofa_map_matrix_row(j);
  if (!m->frame.n) {
    sofa_map_matrix_entry(j, 3 * i + c, 1);
    return;
  }
  const size_t r = m->frame.data[i];
  const double *arm = m->arm.data + 3 * i;
  for (size_t d = 0; k == 0 && d < 3; d++)
    sofa_map_matrix_entry(j, 3 * i + d, m->turn.data[9 * r + 3 * c + d]);
  if (k == 0) return;
  sofa_map_matrix_entry(j, 6 * r + c, 1);
  sofa_map_matrix_entry(j, 6 * r + 3 + a, arm[b]);
  sofa_map_matrix_entry(j, 6 * r + 3 + b, -arm[a]);
}

static SofaErr deformable_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                   SofaJacobian *out) {
  DeformableOnRigidFrameMapping *m = (DeformableOnRigidFrameMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  const size_t rows = 3 * m->n_in[0];
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, &m->j[k], rows, (k ? 6 : 3) * m->n_in[k],
                                 3 * rows));
  for (size_t row = 0; row < rows; row++) write_row(m, k, row / 3, row % 3);
  sofa_map_matrix_end(&m->j[k], out);
  return SOFA_OK;
}

static void deformable_destroy(SofaObject *object) {
  DeformableOnRigidFrameMapping *m = (DeformableOnRigidFrameMapping *)object;
  sofa_list_free(object->ctx, &m->frame);
  sofa_list_free(object->ctx, &m->turn);
  sofa_list_free(object->ctx, &m->arm);
  for (int k = 0; k < 2; k++) sofa_map_matrix_free(object->ctx, &m->j[k]);
}

/* ---- topological changes ---- */

static SofaErr frames_change(DeformableOnRigidFrameMapping *m, const SofaTopologyChange *change) {
  for (size_t i = 0; i < m->frame.n && change->kind == SOFA_CHANGE_REMOVE; i++) {
    const uint32_t frame = m->frame.data[i];
    m->frame.data[i] = sofa_change_renamed(change, frame);
    if (m->frame.data[i] == SOFA_NO_ELEMENT)
      return sofa_object_fail(&m->multi.mapping.object, SOFA_ERR_ARGUMENT,
                              "frame %u cannot be removed: it carries point %zu", frame, i);
  }
  return SOFA_OK;
}

/* Inserted points are carried by the frame of their first ancestor, or by `index`. */
static SofaErr points_change(DeformableOnRigidFrameMapping *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->multi.mapping.object.ctx;
  const SofaAncestors *a = change->ancestors;
  const uint32_t last = (uint32_t)m->n_in[1] - 1;
  sofa_change_remove_entries(change, &m->frame, sizeof *m->frame.data);
  for (size_t i = 0; i < change->n && m->multi.mapping.n_inputs == 2; i++) {
    if (change->kind != SOFA_CHANGE_ADD) break;
    uint32_t frame = m->index_from_end ? last - m->index : m->index;
    if (a && a->start.data[i] < a->start.data[i + 1])
      frame = m->frame.data[a->points.data[a->start.data[i]]];
    SOFA_TRY(SOFA_APPEND(ctx, &m->frame, &frame));
  }
  return sofa_state_follow(change, m->multi.mapping.out);
}

/* Numbers of points per frame and `index` are those of the list. */
static SofaErr write_fields(DeformableOnRigidFrameMapping *m) {
  SofaObject *object = &m->multi.mapping.object;
  if (m->repartition.n == 0) {
    if (m->frame.n == 0) return SOFA_OK;
    const uint32_t frame = m->frame.data[0];
    m->index = m->index_from_end ? (uint32_t)m->n_in[1] - 1 - frame : frame;
    sofa_field_touch_name(object, "index");
    return SOFA_OK;
  }
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->repartition, m->n_in[1]));
  sofa_zero(m->repartition.data, m->n_in[1] * sizeof *m->repartition.data);
  for (size_t i = 0; i < m->frame.n; i++) m->repartition.data[m->frame.data[i]]++;
  sofa_field_touch_name(object, "repartition");
  return SOFA_OK;
}

static SofaErr deformable_listen(SofaObject *object, const SofaTopologyChange *change) {
  DeformableOnRigidFrameMapping *m = (DeformableOnRigidFrameMapping *)object;
  SofaMapping *mapping = &m->multi.mapping;
  if (sofa_change_moves(change, mapping->inputs[0])) return points_change(m, change);
  if (mapping->n_inputs == 2 && sofa_change_moves(change, mapping->inputs[1]))
    return frames_change(m, change);
  if (change->kind != SOFA_CHANGE_DONE) return SOFA_OK;
  for (size_t k = 0; k < mapping->n_inputs; k++) {
    m->n_in[k] = mapping->inputs[k]->position.n;
    sofa_map_matrix_free(object->ctx, &m->j[k]);
  }
  if (mapping->n_inputs == 2) {
    SOFA_TRY(write_fields(m));
    SOFA_TRY(SOFA_RESIZE(object->ctx, &m->turn, 9 * m->n_in[1]));
    SOFA_TRY(SOFA_RESIZE(object->ctx, &m->arm, 3 * m->n_in[0]));
  }
  return sofa_mapping_put(mapping);
}

static const SofaTopologyListenerOps listener = {.listen = deformable_listen, .moves_output = true};

static const SofaMappingOps deformable_ops = {
    .setup = deformable_setup,
    .apply = deformable_apply,
    .apply_j = deformable_apply_j,
    .apply_jt = deformable_apply_jt,
    .jacobian = deformable_jacobian,
    .keeps_point = true,
};

static const char *const deformable_templates[] = {"Vec3d,Rigid3d,Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(DeformableOnRigidFrameMapping, arm),
    SOFA_REMADE(DeformableOnRigidFrameMapping, turn),
};

SOFA_CLASS(DeformableOnRigidFrameMapping) = {
    SOFA_NAMED(DeformableOnRigidFrameMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Moves points by their own displacements and by the frame that carries them: the first "
            "input holds the points in the frame's coordinates.",
    .equations = "y_i = c + R x_i",
    .base = &sofa_two_kinds_mapping_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(deformable_fields),
    .templates = deformable_templates,
    .destroy = deformable_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &deformable_ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
