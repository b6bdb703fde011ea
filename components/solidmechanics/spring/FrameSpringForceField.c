/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FrameSpringForceField: springs between points that are fixed in two frames, and their rotations.
 */
#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "components/solidmechanics/spring/frame_kernels.h"
#include "components/solidmechanics/spring/frame_springs.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/quaternion.h"

#include <string.h>

enum { QUIRK_FRAME_SPRINGS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_FRAME_SPRINGS, "frame-springs",
     "FrameSpringForceField mixes axes, drives the second frame and has an incomplete tangent",
     "test_quirks_elements.springs"},
    QUIRK_SPRING_DAMPING_MATRIX_ROW,
};

typedef struct FrameSpringForceField {
  SofaForceField force_field;
  char *spring;
  bool show_lawful, show_extra;
  /* state */
  struct {
    FrameSpring *data;
    size_t n, capacity;
  } springs;
  bool as_sofa; /* quirk */
} FrameSpringForceField;

typedef FrameSpringForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(spring, "spring", "", "",
             "springs: BEGIN_SPRING first second, then any of KS_T (stiffness), KS_R (angular "
             "stiffness), KD (damping), VEC1 VEC2 (points fixed in the frames), END_SPRING"),
    SOFA_ROW(show_lawful, "showLawfulTorsion", "0", "", "not drawn", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(show_extra, "showExtraTorsion", "0", "", "not drawn", .flags = SOFA_FIELD_DISPLAY),
};

static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(FrameSpringForceField, springs,
                 SOFA_TABLE(SOFA_ENDS(SOFA_STATE_FIRST, SOFA_STATE_SECOND))),
};

#define KEY(word, n, member)                                                                       \
  { word, n, offsetof(FrameSpring, member) }
static const SofaItemKey keys[] = {KEY("KS_T", 1, kt), KEY("KS_R", 1, kr), KEY("KD", 1, damping),
                                   KEY("VEC1", 3, arm1), KEY("VEC2", 3, arm2)};
static const FrameSpring preset = {.kt = 0};
static const SofaItemFormat format = {sizeof(FrameSpring), 2, keys, sizeof keys / sizeof *keys,
                                      &preset};

static SofaFrameEnds ends_of(const FrameSpring *s) {
  return (SofaFrameEnds){2, {0, 1}, {s->head.points[0], s->head.points[1]}};
}

static SofaErr frame_spring_bwd_init(SofaObject *object) {
  FrameSpringForceField *f = (FrameSpringForceField *)object;
  SofaErr err = sofa_spring_items_read(object, "spring", f->spring, &format, &f->springs);
  for (size_t k = 0; k < f->springs.n && err == SOFA_OK; k++) {
    const FrameSpring *s = &f->springs.data[k];
    const SofaFrameEnds ends = ends_of(s);
    const double values[3] = {s->kt, s->kr, s->damping};
    err = sofa_spring_check_values(object, "spring", values, 3);
    if (err == SOFA_OK) err = sofa_frame_check(&f->force_field, k, &ends);
  }
  if (err != SOFA_OK) f->springs.n = 0;
  if (!f->springs.n) return err;
  f->as_sofa = sofa_quirk(object, QUIRK_FRAME_SPRINGS);
  f->force_field.partial_tangent = f->as_sofa;
  return SOFA_OK;
}

/* ---- forces ---- */

static SofaErr frame_spring_add_force(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at, double *const *forces) {
  (void)params;
  FrameSpringForceField *f = (FrameSpringForceField *)ff;
  const FrameVectors vectors = {at->x, at->v, forces};
  frame_spring_kernels(ff->object.ctx)->force(f->springs.data, f->springs.n, f->as_sofa, &vectors);
  return SOFA_OK;
}

static SofaErr frame_spring_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                       const SofaPoint *at, const double *const *dx,
                                       double *const *df) {
  (void)at;
  const FrameSpringForceField *f = (FrameSpringForceField *)ff;
  const SofaSpringFactors by = sofa_spring_factors(ff, params);
  frame_spring_kernels(ff->object.ctx)
      ->product(f->springs.data, f->springs.n, f->as_sofa, by, dx, df);
  return SOFA_OK;
}

/* The forces of the end with the arm a by the moves of that with the arm b, but for the sign: kt
 * [1, -[b]; [a], -[a] [b]] and kr of the rotations, with the matrices [a] of cross products. */
static void arm_block(const double *a, const double *b, double kt, double kr, double *block) {
  const double dot = sofa_vec3_dot(a, b);
  memset(block, 0, 36 * sizeof *block);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    block[7 * i] = kt;
    // row i of [v] has -v_k at j and v_j at k
    block[6 * i + 3 + j] = kt * b[k];
    block[6 * i + 3 + k] = -kt * b[j];
    block[6 * (3 + i) + j] = -kt * a[k];
    block[6 * (3 + i) + k] = kt * a[j];
    for (int c = 0; c < 3; c++) block[6 * (3 + i) + 3 + c] = -kt * b[i] * a[c];
    block[7 * (3 + i)] += kt * dot + kr;
  }
}

static void add_arm_blocks(const FrameSpring *s, double kt, double kr, bool same_state,
                           const SofaTangent *tangent) {
  const SofaFrameEnds ends = ends_of(s);
  const double *const arms[2] = {s->a1, s->a2};
  for (unsigned i = 0; i < 2; i++) {
    for (unsigned j = 0; j < 2; j++) {
      const double sign = i == j ? -1 : 1;
      double block[36];
      arm_block(arms[i], arms[j], sign * kt, sign * kr, block);
      sofa_frame_add_block(&ends, i, j, block, same_state, tangent);
    }
  }
}

static SofaErr frame_spring_add_k(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  const FrameSpringForceField *f = (FrameSpringForceField *)ff;
  if (f->as_sofa) return SOFA_OK;
  for (size_t k = 0; k < f->springs.n; k++) {
    const FrameSpring *s = &f->springs.data[k];
    add_arm_blocks(s, s->kt, s->kr, ff->state[0] == ff->state[1], tangent);
  }
  return SOFA_OK;
}

static SofaErr frame_spring_add_b(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  const FrameSpringForceField *f = (FrameSpringForceField *)ff;
  if (f->as_sofa || sofa_spring_damps_late(ff)) return SOFA_OK;
  for (size_t k = 0; k < f->springs.n; k++) {
    const FrameSpring *s = &f->springs.data[k];
    if (s->damping != 0)
      add_arm_blocks(s, s->damping, s->damping, ff->state[0] == ff->state[1], tangent);
  }
  return SOFA_OK;
}

/* ---- energy ---- */

static void pull_of(const FrameSpring *s, const double *x1, const double *x2, double *d,
                    double *r) {
  double a1[3], a2[3], q[4];
  sofa_quat_rotate(x1 + 3, s->arm1, a1);
  sofa_quat_rotate(x2 + 3, s->arm2, a2);
  for (int i = 0; i < 3; i++) d[i] = x2[i] + a2[i] - x1[i] - a1[i];
  sofa_quat_inverse(x1 + 3, q);
  sofa_quat_multiply(x2 + 3, q, q);
  sofa_quat_to_rotation_vector(q, r);
}

static SofaErr frame_spring_energy(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, double *energy) {
  (void)params;
  const FrameSpringForceField *f = (FrameSpringForceField *)ff;
  *energy = 0;
  for (size_t k = 0; k < f->springs.n; k++) {
    const FrameSpring *s = &f->springs.data[k];
    double d[3], r[3];
    pull_of(s, SOFA_POSE(at->x[0], s->head.points[0]), SOFA_POSE(at->x[1], s->head.points[1]), d,
            r);
    *energy += 0.5 * (s->kt * sofa_vec3_dot(d, d) + s->kr * sofa_vec3_dot(r, r));
  }
  return SOFA_OK;
}

static const SofaApproximation left_out = {
    "the tangent leaves out the derivative of the axes that turn with the frames", false};

static const SofaApproximation *approximation(const SofaForceField *ff) {
  (void)ff;
  return &left_out;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = frame_spring_add_force,
    .add_dforce = frame_spring_add_dforce,
    .add_k = frame_spring_add_k,
    .add_b = frame_spring_add_b,
    .approximation = approximation,
    .potential_energy = frame_spring_energy,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* From each frame to the end of its arm, and from one end to the other. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const FrameSpringForceField *f = (const FrameSpringForceField *)object;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)f->force_field.state)) return;
  for (size_t k = 0; k < f->springs.n; k++) {
    const FrameSpring *s = &f->springs.data[k];
    const SofaFrameEnds ends = ends_of(s);
    const double *arm[2] = {s->arm1, s->arm2};
    double tip[2][3];
    bool good = true;
    for (unsigned i = 0; i < 2; i++) {
      const double *pose = sofa_frame_pose(&f->force_field, &ends, i);
      good = good && pose;
      if (!good) break;
      sofa_quat_rotate(pose + 3, arm[i], tip[i]);
      sofa_vec3_add(tip[i], pose, tip[i]);
      sofa_draw_line(args->list, pose, tip[i], 2, SOFA_RGB(1, 1, 0));
    }
    if (good) sofa_draw_line(args->list, tip[0], tip[1], 2, SOFA_RGB(0, 1, 0));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Rigid3d", NULL};

SOFA_CLASS(FrameSpringForceField) = {
    SOFA_NAMED(FrameSpringForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Damped springs of six degrees of freedom between two frames: one joins points that "
            "are fixed in the frames, one turns the frames to each other.",
    .equations =
        "a_i = R_i p_i, d = x_2 + a_2 - x_1 - a_1, r = log(R_2 R_1^T)\n"
        "f_1 = k_t d + c d', f_2 = -f_1\n"
        "m_1 = a_1 times f_1 + k_r r + c (w_2 - w_1), m_2 = a_2 times f_2 - k_r r - c (w_2 - w_1)\n"
        "\"p_i: VEC1 and VEC2, k_t: KS_T, k_r: KS_R, c: KD, d': velocity of d, w_1, w_2: spins of "
        "the frames\"",
    .base = &sofa_interaction_force_field_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .bwd_init = frame_spring_bwd_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}, {SOFA_DRAW, &draw_ops}),
};
