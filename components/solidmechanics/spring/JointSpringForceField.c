/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JointSpringForceField: joints between frames, free about chosen axes within limits. */
#include <string.h>

#include "base/text.h"
#include "object/checkpoint.h"
#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "numerics/io/object_file.h"
#include "components/solidmechanics/spring/frame_kernels.h"
#include "components/solidmechanics/spring/frame_springs.h"
#include "components/solidmechanics/spring/spring_log.h"
#include "math/quaternion.h"

enum { QUIRK_JOINT_PIVOT = 1, QUIRK_JOINT_REST = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_JOINT_PIVOT, "joint-pivot",
     "JointSpringForceField with one free axis resists tilting by angle times its sine",
     "test_spring_kinds.a_hinge_resists_tilting"},
    {QUIRK_JOINT_REST, "joint-rest",
     "JointSpringForceField replaces a given REST_T by the offset of the initial poses",
     "test_quirks_elements.springs"},
    QUIRK_SPRING_FILES_ROW,
    QUIRK_SPRINGS_WITHOUT_MATRIX_ROW,
    QUIRK_SPRING_DAMPING_MATRIX_ROW,
};

typedef struct ConstantForce {
  double f[6];
} ConstantForce;
SOFA_LIST(ConstantForce, ConstantForces);

typedef struct JointSpringForceField {
  SofaForceField force_field;
  char *spring;
  SofaFileName infile;
  SofaSpringLog log;
  bool show_lawful, show_extra;
  double show_size;
  /* state */
  struct {
    SofaJointSpring *data;
    size_t n, capacity;
  } springs;
  ConstantForces constants; /* of infile */
  size_t next;              /* line of the next evaluation, with a quirk */
  bool line_per_call, without_matrix, unscaled_pivot; /* quirks */
} JointSpringForceField;

typedef JointSpringForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        spring, "spring", "", "",
        "joints: BEGIN_SPRING first second, then any of FREE_AXIS (6 flags: translations and "
        "rotations), KS_T and KS_R (stiffness of free and of blocked axes), KS_B (beyond the "
        "limits), KD (damping), R_LIM_X R_LIM_Y R_LIM_Z (limits in rad), REST_T (offset), REST_R "
        "(quaternion), END_SPRING"),
    SOFA_SPRING_LOG_ROWS(JointSpringForceField, "outfile", "offsets, velocities and forces"),
    SOFA_ROW(
        infile, "infile", "", "",
        "file of constant forces: force and torque along the axes of the first frame, a line for "
        "each joint, from the first line again where there are fewer"),
    SOFA_ROW(show_lawful, "showLawfulTorsion", "0", "", "draw the rotation within the limits",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(show_extra, "showExtraTorsion", "0", "", "draw the rotation beyond the limits",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(show_size, "showFactorSize", "1", "", "size of the drawing",
             .flags = SOFA_FIELD_DISPLAY),
};

static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(JointSpringForceField, springs,
                 SOFA_TABLE(SOFA_ENDS(SOFA_STATE_FIRST, SOFA_STATE_SECOND))),
    SOFA_PRIVATE(JointSpringForceField, constants),
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

/* ---- constant forces of a file ---- */

static bool is_blank(const char *begin, const char *end) {
  while (begin < end && (unsigned char)*begin <= ' ') begin++;
  return begin == end;
}

/* A line of six numbers each. Blank lines, also behind the last end of a line, are zeros in SOFA.
 */
static SofaErr read_constants(void *user, const SofaFileBytes *file) {
  JointSpringForceField *j = user;
  SofaContext *ctx = j->force_field.object.ctx;
  const bool blanks = sofa_quirk(&j->force_field.object, QUIRK_SPRING_FILES);
  const char *file_end = file->bytes + file->size;
  SofaOrigin here = *file->origin;
  here.line = 0;
  for (const char *at = file->bytes, *end; at <= file_end; at = end + 1) {
    ConstantForce one = {{0}};
    bool good = true;
    end = at < file_end ? memchr(at, '\n', (size_t)(file_end - at)) : NULL;
    if (!end) end = file_end;
    here.line++;
    const bool blank = is_blank(at, end);
    if (blank && !blanks) continue;
    for (int i = 0; i < 6 && !blank && good; i++)
      good = sofa_read_real(&at, &one.f[i]) && at <= end;
    if (!good || !is_blank(at, end)) {
      sofa_message(ctx, SOFA_ERROR, &here, "expected 6 numbers: a force and a torque");
      return SOFA_ERR_PARSE;
    }
    SOFA_TRY(SOFA_APPEND(ctx, &j->constants, &one));
  }
  return SOFA_OK;
}

static SofaErr take_constants(JointSpringForceField *j) {
  j->constants.n = j->next = 0;
  if (!j->infile.text || !j->infile.text[0]) return SOFA_OK;
  SOFA_TRY(sofa_object_read_file(&j->force_field.object, "infile", &j->infile, read_constants, j));
  if (!j->constants.n)
    return sofa_field_fail(&j->force_field.object, "infile", SOFA_ERR_PARSE, "'%s' has no forces",
                           j->infile.path);
  for (size_t k = 0; k < j->springs.n; k++)
    memcpy(j->springs.data[k].constant, j->constants.data[k % j->constants.n].f,
           sizeof j->springs.data[k].constant);
  j->line_per_call = sofa_quirk(&j->force_field.object, QUIRK_SPRING_FILES);
  return SOFA_OK;
}

/* Positions of mapped states are known only now. */
static SofaErr joint_bwd_init(SofaObject *object) {
  JointSpringForceField *j = (JointSpringForceField *)object;
  SOFA_TRY(sofa_spring_log_init(&j->log, object, "outfile"));
  SOFA_TRY(sofa_spring_items_read(object, "spring", j->spring, &sofa_joint_format, &j->springs));
  SofaErr err = SOFA_OK;
  for (size_t k = 0; k < j->springs.n && err == SOFA_OK; k++) {
    sofa_joint_finish(&j->springs.data[k]);
    err = check(j, k);
  }
  if (err == SOFA_OK) err = take_constants(j);
  if (err != SOFA_OK) {
    j->springs.n = 0;
    return err;
  }
  for (size_t k = 0; k < j->springs.n; k++) {
    SofaJointSpring *s = &j->springs.data[k];
    if (sofa_joint_is_pivot(s)) j->unscaled_pivot = sofa_quirk(object, QUIRK_JOINT_PIVOT);
    if (!sofa_joint_rest_given(s) || !sofa_quirk(object, QUIRK_JOINT_REST)) continue;
    sofa_joint_take_rest(s, SOFA_POSE(j->force_field.state[0]->position.data, s->head.points[0]),
                         SOFA_POSE(j->force_field.state[1]->position.data, s->head.points[1]));
  }
  j->without_matrix = j->springs.n && sofa_quirk(object, QUIRK_SPRINGS_WITHOUT_MATRIX);
  j->force_field.partial_tangent = j->without_matrix;
  return SOFA_OK;
}

static SofaErr joint_reset(SofaObject *object) {
  JointSpringForceField *j = (JointSpringForceField *)object;
  sofa_spring_log_reset(&j->log);
  j->next = 0;
  return SOFA_OK;
}

static void joint_destroy(SofaObject *object) {
  JointSpringForceField *j = (JointSpringForceField *)object;
  sofa_spring_log_destroy(&j->log);
}

/* ---- file of forces ---- */

static SofaErr write_joint(JointSpringForceField *j, const SofaJointSpring *s, double time,
                           const SofaJointReport *report) {
  SofaSpringLog *log = &j->log;
  sofa_spring_log_begin(log, time);
  sofa_spring_log_row(log, "Xrel", report->x, 7, " ");
  sofa_spring_log_row(log, "Vrel", report->v, 6, " ");
  sofa_spring_log_row(log, "Frel", report->spring, 6, " ");
  sofa_spring_log_row(log, "Fdamp", report->damping, 6, " ");
  if (j->constants.n) sofa_spring_log_row(log, "Fconstant", s->constant, 6, " ");
  sofa_spring_log_row(log, "F", report->f, 6, " ");
  return sofa_spring_log_end(log);
}

/* Forces of n joints; report: of each of them, or NULL. */
static void evaluate(const JointSpringForceField *j, SofaJointSpring *springs, size_t n,
                     const FrameVectors *at, SofaJointReport *report) {
  const JointCall call = {j->constants.n > 0, j->unscaled_pivot, report};
  joint_kernels(j->force_field.object.ctx)->force(springs, n, &call, at);
}

/* All joints as they are now. */
static SofaErr joint_event(SofaObject *object, const SofaEvent *event) {
  JointSpringForceField *j = (JointSpringForceField *)object;
  SofaState *const *state = j->force_field.state;
  const double time = object->node->time;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || j->log.per_call) return SOFA_OK;
  if (!sofa_spring_log_due(&j->log, time)) return SOFA_OK;
  SOFA_TRY(sofa_spring_log_rewind(&j->log));
  const double *const x[2] = {state[0]->position.data, state[1]->position.data};
  const double *const v[2] = {state[0]->velocity.data, state[1]->velocity.data};
  for (size_t k = 0; k < j->springs.n; k++) {
    SofaJointSpring s = j->springs.data[k];
    SofaJointReport report;
    evaluate(j, &s, 1, &(FrameVectors){x, v, NULL}, &report);
    SOFA_TRY(write_joint(j, &s, time, &report));
  }
  return SOFA_OK;
}

/* ---- forces ---- */

/* As SOFA does: joint by joint, with a line of the file at each evaluation of a joint's force, and
 * its record then. */
static SofaErr force_by_force(JointSpringForceField *j, const FrameVectors *at, double time) {
  for (size_t k = 0; k < j->springs.n; k++) {
    SofaJointSpring *s = &j->springs.data[k];
    SofaJointReport report;
    if (j->line_per_call) {
      memcpy(s->constant, j->constants.data[j->next].f, sizeof s->constant);
      j->next = (j->next + 1) % j->constants.n;
    }
    evaluate(j, s, 1, at, &report);
    if (!j->log.per_call) continue;
    SOFA_TRY(sofa_spring_log_rewind(&j->log));
    if (sofa_spring_log_due(&j->log, time)) SOFA_TRY(write_joint(j, s, time, &report));
  }
  return SOFA_OK;
}

static SofaErr joint_add_force(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, double *const *forces) {
  (void)params;
  JointSpringForceField *j = (JointSpringForceField *)ff;
  const FrameVectors vectors = {at->x, at->v, forces};
  if (j->line_per_call || j->log.per_call) return force_by_force(j, &vectors, at->time);
  evaluate(j, j->springs.data, j->springs.n, &vectors, NULL);
  return SOFA_OK;
}

/* Without the file and its next line. */
static SofaErr joint_linearise(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at) {
  (void)params;
  JointSpringForceField *j = (JointSpringForceField *)ff;
  evaluate(j, j->springs.data, j->springs.n, &(FrameVectors){at->x, at->v, NULL}, NULL);
  return SOFA_OK;
}

static SofaErr joint_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  const JointSpringForceField *j = (JointSpringForceField *)ff;
  joint_kernels(ff->object.ctx)
      ->product(j->springs.data, j->springs.n, sofa_spring_factors(ff, params), dx, df);
  return SOFA_OK;
}

static SofaErr joint_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                           const SofaTangent *tangent) {
  (void)params, (void)at;
  const JointSpringForceField *j = (JointSpringForceField *)ff;
  if (j->without_matrix) return SOFA_OK;
  for (size_t k = 0; k < j->springs.n; k++) {
    const SofaFrameEnds ends = ends_of(&j->springs.data[k]);
    double block[36];
    sofa_joint_matrix(&j->springs.data[k], block);
    sofa_frame_add_opposite(&ends, block, ff->state[0] == ff->state[1], tangent);
  }
  return SOFA_OK;
}

static SofaErr joint_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                           const SofaTangent *tangent) {
  (void)params, (void)at;
  const JointSpringForceField *j = (JointSpringForceField *)ff;
  if (j->without_matrix || sofa_spring_damps_late(ff)) return SOFA_OK;
  for (size_t k = 0; k < j->springs.n; k++) {
    const SofaFrameEnds ends = ends_of(&j->springs.data[k]);
    double block[36] = {0};
    if (j->springs.data[k].damping == 0) continue;
    for (int i = 0; i < 6; i++) block[7 * i] = j->springs.data[k].damping;
    sofa_frame_add_opposite(&ends, block, ff->state[0] == ff->state[1], tangent);
  }
  return SOFA_OK;
}

static const SofaApproximation left_out = {
    "the tangent leaves out the derivative of the axes that turn with the frames", true};

static const SofaApproximation *approximation(const SofaForceField *ff) {
  (void)ff;
  return &left_out;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = joint_add_force,
    .add_dforce = joint_add_dforce,
    .add_k = joint_add_k,
    .add_b = joint_add_b,
    .approximation = approximation,
    .linearise = joint_linearise,
    .tangent_is_dforce = true,
    .keeps_point = true,
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

/* ---- checkpoints: the file goes on ---- */

static SofaErr save_file(const SofaObject *object, SofaCheckpointWriter *to) {
  sofa_output_file_save(((const JointSpringForceField *)object)->log.file, to);
  return SOFA_OK;
}

static SofaErr restore_file(SofaObject *object, SofaCheckpointReader *from) {
  return sofa_output_file_restore(((JointSpringForceField *)object)->log.file, from);
}

static const SofaCheckpointOps checkpoint = {.save = save_file, .restore = restore_file};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(JointSpringForceField, next),
    SOFA_KEEP(JointSpringForceField, log.last),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(JointSpringForceField, log.file),
    SOFA_REMADE(JointSpringForceField, log.n),
    SOFA_REMADE(JointSpringForceField, log.text),
};

SOFA_CLASS(JointSpringForceField) = {
    SOFA_NAMED(JointSpringForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help =
        "Joints made of stiff springs between two frames: each translation and rotation is free "
        "or blocked, rotations within limits. The forces at both frames are opposite, without "
        "a lever arm: the frames are meant to coincide.",
    .equations =
        "d = R_1^T (x_2 - x_1 - t_0), theta = log(R_1^T R_2 R_0)\n"
        "f_1 = R_1 (K_t d + f_c) + c (v_2 - v_1), f_2 = -f_1\n"
        "m_1 = R_1 (K_r theta + m_c) + c (w_2 - w_1), m_2 = -m_1\n"
        "\"K_t, K_r: diagonal, of the two values of KS_T and KS_R the first for free axes, the "
        "second for blocked ones; beyond a limit only the excess of theta counts, with KS_B; "
        "within the limits of a single free axis the other components of theta turn this axis "
        "back; t_0: REST_T, R_0: REST_R, c: KD, f_c, m_c: of infile\"",
    .base = &sofa_interaction_force_field_class,
    .checkpoint = &checkpoint,
    SOFA_KEEPS(kept),
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .bwd_init = joint_bwd_init,
    .reset = joint_reset,
    .listening = true,
    .handle_event = joint_event,
    .destroy = joint_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}, {SOFA_DRAW, &draw_ops}),
};
