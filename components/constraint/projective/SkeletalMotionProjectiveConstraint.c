/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SkeletalMotionProjectiveConstraint: frames that follow the bones of an animated skeleton. */
#include <string.h>

#include "base/text.h"
#include "behavior/draw_state.h"
#include "components/constraint/projective/indexed.h"
#include "math/quaternion.h"
#include "object/checkpoint.h"

enum { QUIRK_SKELETON_SPEED = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_SKELETON_SPEED, "skeleton-speed",
     "SkeletalMotionProjectiveConstraint's velocities look ahead by dt at any animationSpeed",
     "test_quirks_motion.constraints"},
    QUIRK_UNPROJECTED_MATRIX_ROW,
    QUIRK_LATE_MOVEMENT_ROW,
};

enum { COORD = 7, DERIV = 6 };
static const uint32_t NO_BONE = UINT32_MAX;

/* A joint of the skeleton. Its frame is given in that of its parent. */
typedef struct Joint {
  int64_t parent;      /* -1: none */
  size_t n_keys;       /* 0: not animated, the frame stays at rest */
  size_t first;        /* of the joint's keys in `channels` and `times` */
  double rest[COORD];  /* before the first key, at time 0 */
  double local[COORD]; /* at the time asked for */
  double world[COORD]; /* the same in the world */
} Joint;
SOFA_LIST(Joint, Joints);

typedef struct SkeletalMotionProjectiveConstraint {
  SofaProjective constraint;
  char *joint_text, *bone_text;
  double speed; /* seconds of animation per second of simulation */
  bool active;
  Joints joints;
  SofaIndices bones;         /* joint of each point, from the first point on; or NO_BONE */
  SofaReals channels, times; /* frames (7 reals) and times of all keys */
} SkeletalMotionProjectiveConstraint;

typedef SkeletalMotionProjectiveConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        joint_text, "joints", NULL, "",
        "joints of the skeleton, `[joint, joint, ...]`, each written `Parent p Channels n frames "
        "Times n times PreviousMotion frame NextMotion frame LocalRigid frame`: number of the "
        "parent joint (-1: none), keys in the parent's frame with their times in s, and the frame "
        "at rest, which counts at time 0 and for joints without keys",
        .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(bone_text, "bones", NULL, "",
             "joint that each point of the state follows, `[joint, joint, ...]`",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(speed, "animationSpeed", "1", "1", "seconds of animation per second of simulation"),
    SOFA_ROW(active, "active", "1", "", "is the constraint active?"),
};

static SkeletalMotionProjectiveConstraint *self(SofaProjective *c) {
  return (SkeletalMotionProjectiveConstraint *)c;
}

/* ---- reading ---- */

/* Brackets and commas separate as white space does. */
static void skip(const char **at) {
  *at += strspn(*at, "[], \t\r\n");
}

static bool read_real(const char **at, double *value) {
  skip(at);
  return sofa_read_real(at, value);
}

static bool read_count(const char **at, size_t *value) {
  int64_t n = 0;
  skip(at);
  if (!sofa_read_int(at, &n) || n < 0 || n > 1000000) return false;
  *value = (size_t)n;
  return true;
}

static bool read_reals(const char **at, size_t n, double *out) {
  for (size_t k = 0; k < n; k++)
    if (!read_real(at, out + k)) return false;
  return true;
}

static bool word_is(const char *word, size_t length, const char *expected) {
  return strlen(expected) == length && strncmp(word, expected, length) == 0;
}

/* Appends n * width reals of the text to the list. */
static SofaErr append_reals(SofaContext *ctx, const char **at, size_t n, SofaReals *list) {
  double value;
  for (size_t k = 0; k < n; k++) {
    if (!read_real(at, &value)) return SOFA_ERR_PARSE;
    SOFA_TRY(SOFA_APPEND(ctx, list, &value));
  }
  return SOFA_OK;
}

/* The value that follows one word of a joint. */
static SofaErr read_part(SkeletalMotionProjectiveConstraint *s, const char *word, size_t length,
                         const char **at, Joint *joint) {
  SofaContext *ctx = s->constraint.object.ctx;
  double ignored[COORD];
  size_t n = 0;
  if (word_is(word, length, "Channels")) {
    if (!read_count(at, &n)) return SOFA_ERR_PARSE;
    joint->n_keys = n;
    joint->first = s->times.n;
    return append_reals(ctx, at, COORD * n, &s->channels);
  }
  if (word_is(word, length, "Times")) {
    if (!read_count(at, &n) || n != joint->n_keys) return SOFA_ERR_PARSE;
    return append_reals(ctx, at, n, &s->times);
  }
  if (word_is(word, length, "PreviousMotion"))
    return read_reals(at, COORD, joint->rest) ? SOFA_OK : SOFA_ERR_PARSE;
  if (word_is(word, length, "LocalRigid"))
    return read_reals(at, COORD, joint->local) ? SOFA_OK : SOFA_ERR_PARSE;
  if (word_is(word, length, "NextMotion"))
    return read_reals(at, COORD, ignored) ? SOFA_OK : SOFA_ERR_PARSE;
  if (word_is(word, length, "PreviousMotionTime") || word_is(word, length, "NextMotionTime"))
    return read_reals(at, 1, ignored) ? SOFA_OK : SOFA_ERR_PARSE;
  return SOFA_ERR_PARSE;
}

static SofaErr read_joint(SkeletalMotionProjectiveConstraint *s, const char **at) {
  Joint joint = {.parent = -1, .rest = {0, 0, 0, 0, 0, 0, 1}, .local = {0, 0, 0, 0, 0, 0, 1}};
  const size_t n_times = s->times.n;
  const char *word = NULL, *before = *at;
  size_t length = 0;
  if (!sofa_read_word(at, &word, &length) || !word_is(word, length, "Parent"))
    return SOFA_ERR_PARSE;
  skip(at);
  if (!sofa_read_int(at, &joint.parent)) return SOFA_ERR_PARSE;
  // parts until the next joint
  for (skip(at), before = *at; **at; skip(at), before = *at) {
    if (!sofa_read_word(at, &word, &length)) return SOFA_ERR_PARSE;
    if (word_is(word, length, "Parent")) break;
    SOFA_TRY(read_part(s, word, length, at, &joint));
  }
  *at = before;
  if (s->times.n - n_times != joint.n_keys) return SOFA_ERR_PARSE;
  return SOFA_APPEND(s->constraint.object.ctx, &s->joints, &joint);
}

static SofaErr read_joints(SkeletalMotionProjectiveConstraint *s) {
  const char *text = s->joint_text ? s->joint_text : "", *at = text;
  for (skip(&at); *at; skip(&at)) {
    const SofaErr err = read_joint(s, &at);
    if (err == SOFA_ERR_PARSE)
      return sofa_field_fail(&s->constraint.object, "joints", err,
                             "joint %zu cannot be read at character %zu: expected `Parent p "
                             "Channels n frames Times n times PreviousMotion frame NextMotion "
                             "frame LocalRigid frame`",
                             s->joints.n, (size_t)(at - text) + 1);
    SOFA_TRY(err);
  }
  return SOFA_OK;
}

static SofaErr read_bones(SkeletalMotionProjectiveConstraint *s) {
  SofaObject *object = &s->constraint.object;
  const char *at = s->bone_text ? s->bone_text : "";
  int64_t bone = 0;
  for (skip(&at); *at; skip(&at)) {
    if (!sofa_read_int(&at, &bone))
      return sofa_field_fail(object, "bones", SOFA_ERR_PARSE, "\"%.20s\" is not a joint number",
                             at);
    if (bone < 0 || (size_t)bone >= s->joints.n)
      return sofa_field_fail(object, "bones", SOFA_ERR_RANGE,
                             "%lld is not a joint: there are %zu, counted from 0", (long long)bone,
                             s->joints.n);
    const uint32_t index = (uint32_t)bone;
    SOFA_TRY(SOFA_APPEND(object->ctx, &s->bones, &index));
  }
  if (s->bones.n > sofa_state_size(s->constraint.state))
    return sofa_field_fail(object, "bones", SOFA_ERR_RANGE, "%zu bones for a state of %zu points",
                           s->bones.n, sofa_state_size(s->constraint.state));
  return SOFA_OK;
}

/* Parents must exist and end at a root; key times ascend. */
static SofaErr check_joints(SkeletalMotionProjectiveConstraint *s) {
  for (size_t i = 0; i < s->joints.n; i++) {
    const Joint *joint = s->joints.data + i;
    size_t steps = 0;
    for (int64_t p = joint->parent; p != -1; p = s->joints.data[p].parent)
      if (p < 0 || (size_t)p >= s->joints.n || steps++ > s->joints.n)
        return sofa_field_fail(&s->constraint.object, "joints", SOFA_ERR_RANGE,
                               "the parents of joint %zu do not lead to a root (-1)", i);
    for (size_t k = 1; k < joint->n_keys; k++)
      if (!(s->times.data[joint->first + k] >= s->times.data[joint->first + k - 1]))
        return sofa_field_fail(&s->constraint.object, "joints", SOFA_ERR_RANGE,
                               "joint %zu: key %zu lies before key %zu", i, k, k - 1);
  }
  return SOFA_OK;
}

static void clear(SkeletalMotionProjectiveConstraint *s) {
  s->joints.n = s->bones.n = s->channels.n = s->times.n = 0;
}

static SofaErr skeleton_init(SofaObject *object) {
  SkeletalMotionProjectiveConstraint *s = (SkeletalMotionProjectiveConstraint *)object;
  clear(s);
  SofaErr err = read_joints(s);
  if (err == SOFA_OK) err = check_joints(s);
  if (err == SOFA_OK) err = read_bones(s);
  if (err != SOFA_OK) clear(s);
  return err;
}

static void skeleton_destroy(SofaObject *object) {
  SkeletalMotionProjectiveConstraint *s = (SkeletalMotionProjectiveConstraint *)object;
  sofa_list_free(object->ctx, &s->joints);
  sofa_list_free(object->ctx, &s->bones);
  sofa_list_free(object->ctx, &s->channels);
  sofa_list_free(object->ctx, &s->times);
}

/* ---- topological changes ---- */

/* Points keep their bones; inserted points have none. */
static SofaErr skeleton_listen(SofaObject *object, const SofaTopologyChange *change) {
  SkeletalMotionProjectiveConstraint *s = (SkeletalMotionProjectiveConstraint *)object;
  if (!sofa_change_moves(change, s->constraint.state) || change->kind != SOFA_CHANGE_REMOVE)
    return SOFA_OK;
  while (s->bones.n < change->n_before) SOFA_TRY(SOFA_APPEND(object->ctx, &s->bones, &NO_BONE));
  sofa_change_remove_entries(change, &s->bones, sizeof *s->bones.data);
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = skeleton_listen};

/* ---- motion ---- */

/* Frame of an animated joint at animation time t: centres on the line, orientations on the great
 * arc between the two keys around t; the last key from its time on. */
static void move_joint(const SkeletalMotionProjectiveConstraint *s, Joint *joint, double t) {
  const double *times = s->times.data + joint->first;
  const double *frames = s->channels.data + COORD * joint->first;
  size_t next = 0;
  while (next < joint->n_keys && times[next] <= t) next++;
  if (!joint->n_keys) return;
  if (next == joint->n_keys) {
    memcpy(joint->local, frames + COORD * (next - 1), sizeof joint->local);
    return;
  }
  const double *from = next ? frames + COORD * (next - 1) : joint->rest;
  const double *to = frames + COORD * next, t0 = next ? times[next - 1] : 0;
  const double share = times[next] != t0 ? (t - t0) / (times[next] - t0) : 1;
  for (size_t a = 0; a < 3; a++) joint->local[a] = from[a] + share * (to[a] - from[a]);
  // the shorter of the two arcs
  double end[4];
  double dot = 0;
  for (size_t a = 3; a < COORD; a++) dot += from[a] * to[a];
  for (size_t a = 0; a < 4; a++) end[a] = dot < 0 ? -to[3 + a] : to[3 + a];
  sofa_quat_slerp(from + 3, end, share, joint->local + 3);
}

static const double *place(SkeletalMotionProjectiveConstraint *s, size_t i) {
  Joint *joint = s->joints.data + i;
  memcpy(joint->world, joint->local, sizeof joint->world);
  for (int64_t p = joint->parent; p != -1; p = s->joints.data[p].parent)
    sofa_rigid3_multiply(s->joints.data[p].local, joint->world, joint->world);
  return joint->world;
}

/* Places all joints at animation time t; false: every key lies in the past. */
static bool pose(SkeletalMotionProjectiveConstraint *s, double t) {
  bool moving = false;
  for (size_t i = 0; i < s->joints.n; i++) {
    Joint *joint = s->joints.data + i;
    move_joint(s, joint, t);
    moving |= joint->n_keys && s->times.data[joint->first + joint->n_keys - 1] > t;
  }
  return moving;
}

/* As in SOFA nothing moves at time 0 exactly. */
static SofaErr skeleton_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  SkeletalMotionProjectiveConstraint *s = self(c);
  const double t = imposed_time(c, params) * s->speed;
  if (!s->active || t == 0) return SOFA_OK;
  pose(s, t);
  for (size_t i = 0; i < s->bones.n; i++)
    if (s->bones.data[i] != NO_BONE)
      memcpy(x + COORD * i, place(s, s->bones.data[i]), COORD * sizeof *x);
  return SOFA_OK;
}

/* v = (x(t + dt) - x(t)) / dt; zero when the animation is over. */
static SofaErr skeleton_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  SkeletalMotionProjectiveConstraint *s = self(c);
  const double t = imposed_time(c, params) * s->speed;
  const bool plain_dt = sofa_quirk(&c->object, QUIRK_SKELETON_SPEED);
  if (!s->active || t == 0) return SOFA_OK;
  if (!pose(s, t + (plain_dt ? 1 : s->speed) * params->dt)) {
    sofa_zero(v, DERIV * sofa_state_size(c->state) * sizeof *v);
    return SOFA_OK;
  }
  for (size_t i = 0; i < s->bones.n; i++) {
    if (s->bones.data[i] == NO_BONE) continue;
    const double *now = c->state->position.data + COORD * i;
    sofa_rigid3_difference(place(s, s->bones.data[i]), now, v + DERIV * i);
    for (size_t a = 0; a < DERIV; a++) v[DERIV * i + a] /= params->dt;
  }
  return SOFA_OK;
}

/* All points of the state, also those without a bone. */
static SofaErr skeleton_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  (void)params;
  if (self(c)->active) sofa_zero(dx, DERIV * sofa_state_size(c->state) * sizeof *dx);
  return SOFA_OK;
}

static SofaErr skeleton_discard(SofaProjective *c, const SofaMechParams *params,
                                SofaDiscard *discard) {
  (void)params;
  if (self(c)->active && !sofa_quirk(&c->object, QUIRK_UNPROJECTED_MATRIX))
    sofa_fill(discard->mask, 1, discard->n);
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {.response = skeleton_response,
                                      .velocity = skeleton_velocity,
                                      .position = skeleton_position,
                                      .discard = skeleton_discard};

/* The bones: from each joint to its parent. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SkeletalMotionProjectiveConstraint *s = (const SkeletalMotionProjectiveConstraint *)object;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS) || !s->constraint.state)
    return;
  for (size_t i = 0; i < s->joints.n; i++) {
    const Joint *joint = &s->joints.data[i];
    sofa_draw_point(args->list, joint->world, 8, SOFA_RGB(1, 0.5, 0.5));
    if (joint->parent < 0 || (size_t)joint->parent >= s->joints.n) continue;
    sofa_draw_line(args->list, s->joints.data[joint->parent].world, joint->world, 2,
                   SOFA_RGB(1, 0.5, 0.5));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Rigid3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SkeletalMotionProjectiveConstraint, joints),
};

SOFA_CLASS(SkeletalMotionProjectiveConstraint) = {
    SOFA_NAMED(SkeletalMotionProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Moves frames with the bones of a skeleton whose joints have key frames. At time 0 "
            "nothing is moved.",
    .equations =
        "T_j = T_p L_j(a t), v = (T_j(t + h) - T_j(t))/h\n"
        "c = (1 - s) c_k + s c_{k+1}, q = q_k (q_k^-1 q_{k+1})^s, s = (a t - t_k)/(t_{k+1} - t_k)\n"
        "\"T_j: frame of joint j, p: its parent, L_j: its frame in that of the parent, with centre "
        "c and orientation q between the keys k and k + 1; a: animationSpeed\"",
    .base = &sofa_projective_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = skeleton_init,
    .reinit = skeleton_init,
    .destroy = skeleton_destroy,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
