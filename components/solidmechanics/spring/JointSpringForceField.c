/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JointSpringForceField: joints between frames, free about chosen axes within limits. */
#include "base/quirks.h"
#include "behavior/draw_state.h"
#include "behavior/topology_change.h"
#include "components/solidmechanics/spring/frame_springs.h"
#include "components/solidmechanics/spring/joint_spring.h"
#include "math/quaternion.h"

typedef struct JointSpringForceField {
  SofaForceField force_field;
  char *spring;
  SofaFileName infile, outfile;
  double period;
  bool reinit, show_lawful, show_extra;
  double show_size;
  /* state */
  struct {
    SofaJointSpring *data;
    size_t n, capacity;
  } springs;
  bool without_matrix; /* quirk */
} JointSpringForceField;

#define ROW(member, xml, def, unit, ...)                                                           \
  SOFA_FIELD(JointSpringForceField, member, xml, def, unit, __VA_ARGS__)

static const SofaField fields[] = {
    ROW(spring, "spring", "", "",
        "joints: BEGIN_SPRING first second, then any of FREE_AXIS (6 flags: translations and "
        "rotations), KS_T and KS_R (stiffness of free and of blocked axes), KS_B (beyond the "
        "limits), KD (damping), R_LIM_X R_LIM_Y R_LIM_Z (limits in rad), REST_T (offset), REST_R "
        "(quaternion), END_SPRING"),
    ROW(outfile, "outfile", "", "", "file to write the forces to", .flags = SOFA_FIELD_UNSUPPORTED),
    ROW(infile, "infile", "", "", "file with constant forces", .flags = SOFA_FIELD_UNSUPPORTED),
    ROW(period, "period", "0", "s", "time between two outputs", .flags = SOFA_FIELD_UNSUPPORTED),
    ROW(reinit, "reinit", "0", "", "write the file anew at every step",
        .flags = SOFA_FIELD_UNSUPPORTED),
    ROW(show_lawful, "showLawfulTorsion", "0", "", "draw the rotation within the limits",
        .flags = SOFA_FIELD_DISPLAY),
    ROW(show_extra, "showExtraTorsion", "0", "", "draw the rotation beyond the limits",
        .flags = SOFA_FIELD_DISPLAY),
    ROW(show_size, "showFactorSize", "1", "", "size of what is drawn", .flags = SOFA_FIELD_DISPLAY),
};

static SofaFrameEnds ends_of(const SofaJointSpring *s) {
  return (SofaFrameEnds){2, {0, 1}, {s->head.points[0], s->head.points[1]}};
}

/* ---- init ---- */

static SofaErr check(const JointSpringForceField *j, size_t k) {
  const SofaJointSpring *s = &j->springs.data[k];
  const SofaFrameEnds ends = ends_of(s);
  const double values[6] = {s->translation[0], s->translation[1], s->rotation[0],
                            s->rotation[1],    s->beyond,         s->damping};
  for (int i = 0; i < 3; i++) {
    if (s->limit[2 * i] <= s->limit[2 * i + 1]) continue;
    return sofa_field_fail(&j->force_field.object, "spring", SOFA_ERR_RANGE,
                           "spring %zu: limits %g and %g about axis %d are in the wrong order", k,
                           s->limit[2 * i], s->limit[2 * i + 1], i);
  }
  SOFA_TRY(sofa_spring_check_values(&j->force_field.object, "spring", values, 6));
  return sofa_frame_check(&j->force_field, k, &ends);
}

/* Positions of mapped states are known only now. */
static SofaErr joint_bwd_init(SofaObject *object) {
  JointSpringForceField *j = (JointSpringForceField *)object;
  SOFA_TRY(sofa_spring_items_read(object, "spring", j->spring, &sofa_joint_format, &j->springs));
  SofaErr err = SOFA_OK;
  for (size_t k = 0; k < j->springs.n && err == SOFA_OK; k++) {
    sofa_joint_finish(&j->springs.data[k]);
    err = check(j, k);
  }
  if (err != SOFA_OK) {
    j->springs.n = 0;
    return err;
  }
  for (size_t k = 0; k < j->springs.n; k++) {
    SofaJointSpring *s = &j->springs.data[k];
    s->unscaled_pivot = sofa_joint_is_pivot(s) && sofa_quirk(object->ctx, SOFA_QUIRK_JOINT_PIVOT);
    if (!sofa_joint_rest_given(s) || !sofa_quirk(object->ctx, SOFA_QUIRK_JOINT_REST)) continue;
    sofa_joint_take_rest(s, j->force_field.state[0]->position.data + 7 * (size_t)s->head.points[0],
                         j->force_field.state[1]->position.data + 7 * (size_t)s->head.points[1]);
  }
  j->without_matrix = j->springs.n && sofa_quirk(object->ctx, SOFA_QUIRK_SPRINGS_WITHOUT_MATRIX);
  j->force_field.partial_tangent = j->without_matrix;
  return SOFA_OK;
}

static void joint_destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((JointSpringForceField *)object)->springs);
}

/* ---- topological changes ---- */

static SofaErr joint_follow(SofaObject *object, const SofaTopologyChange *change) {
  JointSpringForceField *j = (JointSpringForceField *)object;
  sofa_change_springs(change, &j->force_field, &j->springs, sizeof *j->springs.data);
  return SOFA_OK;
}

static const SofaFollowerOps follower = {.follow = joint_follow};

/* ---- forces ---- */

static SofaErr joint_add_force(SofaForceField *ff, const SofaMechParams *params,
                               const SofaForceArgs *args) {
  (void)params;
  JointSpringForceField *j = (JointSpringForceField *)ff;
  for (size_t k = 0; k < j->springs.n; k++) {
    SofaJointSpring *s = &j->springs.data[k];
    const size_t a = s->head.points[0], b = s->head.points[1];
    double f[6];
    sofa_joint_force(s, args->x[0] + 7 * a, args->x[1] + 7 * b, args->v[0] + 6 * a,
                     args->v[1] + 6 * b, f);
    for (size_t i = 0; i < 6; i++) {
      args->f[0][6 * a + i] += f[i];
      args->f[1][6 * b + i] -= f[i];
    }
  }
  return SOFA_OK;
}

static SofaErr joint_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                const SofaDForceArgs *args) {
  const JointSpringForceField *j = (JointSpringForceField *)ff;
  for (size_t k = 0; k < j->springs.n; k++) {
    const SofaFrameEnds ends = ends_of(&j->springs.data[k]);
    sofa_frame_dforce(&ends, sofa_joint_product, &j->springs.data[k], sofa_kfactor(ff, params),
                      args);
  }
  return SOFA_OK;
}

static SofaErr joint_add_k(SofaForceField *ff, const SofaMechParams *params,
                           const SofaTangent *tangent) {
  (void)params;
  const JointSpringForceField *j = (JointSpringForceField *)ff;
  if (j->without_matrix) return SOFA_OK;
  for (size_t k = 0; k < j->springs.n; k++) {
    const SofaFrameEnds ends = ends_of(&j->springs.data[k]);
    sofa_frame_add_k(&ends, sofa_joint_product, &j->springs.data[k], ff->state[0] == ff->state[1],
                     tangent);
  }
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = joint_add_force,
    .add_dforce = joint_add_dforce,
    .add_k = joint_add_k,
    .tangent_is_dforce = true,
};

/* A line between the frames, and a rod along each axis about which the second may turn: green
 * within the limits, red beyond them. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const JointSpringForceField *j = (const JointSpringForceField *)object;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)j->force_field.state)) return;
  for (size_t k = 0; k < j->springs.n; k++) {
    const SofaJointSpring *s = &j->springs.data[k];
    const SofaFrameEnds ends = ends_of(s);
    const double *a = sofa_frame_pose(&j->force_field, &ends, 0);
    const double *b = sofa_frame_pose(&j->force_field, &ends, 1);
    if (!a || !b) continue;
    sofa_draw_line(args->list, a, b, 2, SOFA_RGB(1, 1, 0));
    if (!j->show_lawful && !j->show_extra) continue;
    double q[4], r[3];
    sofa_quat_inverse(a + 3, q);
    sofa_quat_multiply(q, b + 3, q);
    sofa_quat_to_rotation_vector(q, r);
    for (int axis = 0; axis < 3; axis++) {
      const bool beyond = r[axis] < s->limit[2 * axis] || r[axis] > s->limit[2 * axis + 1];
      if (!(s->free[3 + axis] > 0) || !(beyond ? j->show_extra : j->show_lawful)) continue;
      sofa_frame_draw_axis(args->list, a, axis, j->show_size,
                           beyond ? SOFA_RGB(1, 0, 0) : SOFA_RGB(0, 1, 0));
    }
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Rigid3d", NULL};

extern const SofaClass sofa_JointSpringForceField_class;
const SofaClass sofa_JointSpringForceField_class = {
    .name = "JointSpringForceField",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help =
        "Joints made of stiff springs between two frames: each translation and rotation is free "
        "or blocked, rotations within limits. The forces at both frames are opposite, without "
        "a lever arm: the frames are meant to coincide.",
    .base = &sofa_interaction_force_field_class,
    .size = sizeof(JointSpringForceField),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .bwd_init = joint_bwd_init,
    .destroy = joint_destroy,
    .ops = {[SOFA_FORCE_FIELD] = &force_field_ops,
            [SOFA_FOLLOWER] = &follower,
            [SOFA_DRAW] = &draw_ops},
};
