/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FrameSpringForceField: springs between points that are fixed in two frames, and their rotations.
 */
#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "components/solidmechanics/spring/frame_springs.h"
#include "components/solidmechanics/spring/spring_items.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/quaternion.h"

enum { QUIRK_FRAME_SPRINGS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_FRAME_SPRINGS, "frame-springs",
     "FrameSpringForceField mixes axes, drives the second frame and has an incomplete tangent",
     "test_quirks_elements.springs"},
    QUIRK_SPRING_DAMPING_MATRIX_ROW,
};

/* With arms a_i = R_i vec_i, d = c2 + a2 - c1 - a1 and the rotation vector r of R2 R1^T, the energy
 * is kt |d|^2 / 2 + kr |r|^2 / 2. The damping acts on the velocities of the ends of the arms and on
 * the angular velocities (SOFA: on the velocities of the frames). */
typedef struct FrameSpring {
  SofaItemHead head; /* points: first frame, second frame */
  double kt, kr, damping, arm1[3], arm2[3];
  /* of the last force */
  double a1[3], a2[3];
} FrameSpring;

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

/* ---- topological changes ---- */

/* ---- forces ---- */

static void pull_of(const FrameSpring *s, const double *x1, const double *x2, double *d,
                    double *r) {
  double q[4];
  for (int i = 0; i < 3; i++) d[i] = x2[i] + s->a2[i] - x1[i] - s->a1[i];
  sofa_quat_inverse(x1 + 3, q);
  sofa_quat_multiply(x2 + 3, q, q);
  sofa_quat_to_rotation_vector(q, r);
}

static void set_arms(FrameSpring *s, const double *x1, const double *x2) {
  sofa_quat_rotate(x1 + 3, s->arm1, s->a1);
  sofa_quat_rotate(x2 + 3, s->arm2, s->a2);
}

/* Velocity of the end of the second arm in relation to that of the first. */
static void closing(const FrameSpring *s, const double *v1, const double *v2, double *out) {
  double turn1[3], turn2[3];
  sofa_vec3_cross(v1 + 3, s->a1, turn1);
  sofa_vec3_cross(v2 + 3, s->a2, turn2);
  for (int i = 0; i < 3; i++) out[i] = v2[i] + turn2[i] - v1[i] - turn1[i];
}

/* f1, f2: what is added to both frames. */
static void spring_force(FrameSpring *s, bool as_sofa, const SofaPoint *at, double *f1,
                         double *f2) {
  const size_t a = s->head.points[0], b = s->head.points[1];
  const double *x1 = SOFA_POSE(at->x[0], a), *x2 = SOFA_POSE(at->x[1], b);
  const double *v1 = SOFA_TWIST(at->v[0], a), *v2 = SOFA_TWIST(at->v[1], b);
  double d[3], r[3], torque[3], rate[3];
  set_arms(s, x1, x2);
  pull_of(s, x1, x2, d, r);
  // SOFA leaves the rotation vector in the axes of the first frame
  if (as_sofa) sofa_quat_rotate_inverse(x1 + 3, r, r);
  if (as_sofa) sofa_vec3_sub(v2, v1, rate);
  else closing(s, v1, v2, rate);
  for (int i = 0; i < 3; i++) {
    f1[i] = s->kt * d[i] + s->damping * rate[i];
    f2[i] = -f1[i];
  }
  sofa_vec3_cross(s->a1, f1, torque);
  for (int i = 0; i < 3; i++)
    f1[3 + i] = s->kr * r[i] + torque[i] + s->damping * (v2[3 + i] - v1[3 + i]);
  sofa_vec3_cross(s->a2, f1, torque);
  // and damps the first only: the second is driven
  const double sign = as_sofa ? 1 : -1;
  for (int i = 0; i < 3; i++)
    f2[3 + i] = -s->kr * r[i] - torque[i] + sign * s->damping * (v2[3 + i] - v1[3 + i]);
}

static SofaErr frame_spring_add_force(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at, double *const *forces) {
  (void)params;
  FrameSpringForceField *f = (FrameSpringForceField *)ff;
  for (size_t k = 0; k < f->springs.n; k++) {
    FrameSpring *s = &f->springs.data[k];
    const size_t a = s->head.points[0], b = s->head.points[1];
    double f1[6], f2[6];
    spring_force(s, f->as_sofa, at, f1, f2);
    for (size_t i = 0; i < 6; i++) {
      SOFA_TWIST(forces[0], a)[i] += f1[i];
      SOFA_TWIST(forces[1], b)[i] += f2[i];
    }
  }
  return SOFA_OK;
}

static void arm_product(const FrameSpring *s, double kt, double kr, const double (*dx)[6],
                        double (*df)[6]) {
  double f[3], r[3], torque[3];
  closing(s, dx[0], dx[1], f);
  sofa_vec3_scale(kt, f, f);
  for (int i = 0; i < 3; i++) {
    r[i] = kr * (dx[1][3 + i] - dx[0][3 + i]);
    df[0][i] = f[i];
    df[1][i] = -f[i];
  }
  sofa_vec3_cross(s->a1, f, torque);
  sofa_vec3_add(torque, r, df[0] + 3);
  sofa_vec3_cross(s->a2, f, torque);
  for (int i = 0; i < 3; i++) df[1][3 + i] = -torque[i] - r[i];
}

/* The part of the second derivative of the energy that is exact at rest and never indefinite. */
static void product(const void *spring, const double (*dx)[6], double (*df)[6]) {
  const FrameSpring *s = spring;
  arm_product(s, s->kt, s->kr, dx, df);
}
static void damping_product(const void *spring, const double (*dv)[6], double (*df)[6]) {
  const FrameSpring *s = spring;
  arm_product(s, s->damping, s->damping, dv, df);
}

/* What SOFA has: no arms. */
static void product_of_sofa(const void *spring, const double (*dx)[6], double (*df)[6]) {
  const FrameSpring *s = spring;
  for (int i = 0; i < 6; i++) {
    df[0][i] = (i < 3 ? s->kt : s->kr) * (dx[1][i] - dx[0][i]);
    df[1][i] = -df[0][i];
  }
}

static SofaErr frame_spring_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                       const SofaPoint *at, const double *const *dx,
                                       double *const *df) {
  (void)at;
  const FrameSpringForceField *f = (FrameSpringForceField *)ff;
  const SofaSpringFactors by = sofa_spring_factors(ff, params);
  for (size_t k = 0; k < f->springs.n; k++) {
    const SofaFrameEnds ends = ends_of(&f->springs.data[k]);
    const FrameSpring *s = &f->springs.data[k];
    if (f->as_sofa) {
      sofa_frame_dforce(&ends, product_of_sofa, s, 1, dx, df);
      continue;
    }
    sofa_frame_dforce(&ends, product, s, by.k, dx, df);
    if (by.b * s->damping != 0) sofa_frame_dforce(&ends, damping_product, s, by.b, dx, df);
  }
  return SOFA_OK;
}

static SofaErr frame_spring_add_k(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  const FrameSpringForceField *f = (FrameSpringForceField *)ff;
  if (f->as_sofa) return SOFA_OK;
  for (size_t k = 0; k < f->springs.n; k++) {
    const SofaFrameEnds ends = ends_of(&f->springs.data[k]);
    sofa_frame_add_k(&ends, product, &f->springs.data[k], ff->state[0] == ff->state[1], tangent);
  }
  return SOFA_OK;
}

static SofaErr frame_spring_add_b(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  const FrameSpringForceField *f = (FrameSpringForceField *)ff;
  if (f->as_sofa || sofa_spring_damps_late(ff)) return SOFA_OK;
  for (size_t k = 0; k < f->springs.n; k++) {
    const SofaFrameEnds ends = ends_of(&f->springs.data[k]);
    if (f->springs.data[k].damping != 0)
      sofa_frame_add_k(&ends, damping_product, &f->springs.data[k], ff->state[0] == ff->state[1],
                       tangent);
  }
  return SOFA_OK;
}

static SofaErr frame_spring_energy(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, double *energy) {
  (void)params;
  FrameSpringForceField *f = (FrameSpringForceField *)ff;
  *energy = 0;
  for (size_t k = 0; k < f->springs.n; k++) {
    FrameSpring s = f->springs.data[k];
    const double *x1 = SOFA_POSE(at->x[0], s.head.points[0]);
    const double *x2 = SOFA_POSE(at->x[1], s.head.points[1]);
    double d[3], r[3];
    set_arms(&s, x1, x2);
    pull_of(&s, x1, x2, d, r);
    *energy += 0.5 * (s.kt * sofa_vec3_dot(d, d) + s.kr * sofa_vec3_dot(r, r));
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
