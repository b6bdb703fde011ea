/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GearSpringForceField: two frames that turn about their axes in a fixed ratio. */
#include "behavior/draw_state.h"
#include "object/checkpoint.h"
#include "change/topology_change.h"
#include "components/solidmechanics/spring/frame_springs.h"
#include "components/solidmechanics/spring/spring_items.h"
#include "components/solidmechanics/spring/spring_log.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/quaternion.h"

enum { QUIRK_GEAR_ANGLE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_GEAR_ANGLE, "gear-angle",
     "GearSpringForceField counts tilts as turns and takes 2/pi for a full turn",
     "test_quirks_elements.springs"},
    QUIRK_SPRING_FILES_ROW,
    QUIRK_SPRINGS_WITHOUT_MATRIX_ROW,
    QUIRK_SPRING_DAMPING_MATRIX_ROW,
};

#define PI 3.14159265358979323846
static const double turn_of_sofa = 2 / PI; /* M_2_PI, taken for a full turn */

/* points: parent 1, gear 1 (first state), parent 2, gear 2 (second state). A gear that is its own
 * parent turns about where it was at the start. */
typedef struct GearSpring {
  SofaItemHead head;
  double axis[2];                                  /* 0 1 2: which axis of the gear is free */
  double translation, rotation[2], damping, ratio; /* N/m; N m: of the gearing, of blocked axes */
  /* state */
  double parent[2][7]; /* poses at the last force */
  /* history, rad: angles summed up; the last ones; those at the start */
  double angle[2], previous[2], first[2];
} GearSpring;

typedef struct GearSpringForceField {
  SofaForceField force_field;
  char *spring;
  SofaSpringLog log;
  double show_size;
  /* state */
  struct {
    GearSpring *data;
    size_t n, capacity;
  } springs;
  bool without_matrix, as_sofa; /* quirks */
} GearSpringForceField;

typedef GearSpringForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        spring, "spring", "", "",
        "gears: BEGIN_SPRING parent1 gear1 parent2 gear2, then any of AXIS (free axis of each "
        "gear, "
        "0 1 or 2), KS_T (stiffness), KS_R (angular stiffness of the gearing and of blocked axes), "
        "KD (damping), RATIO, END_SPRING"),
    SOFA_SPRING_LOG_ROWS(GearSpringForceField, "filename", "angles and torques"),
    SOFA_ROW(show_size, "showFactorSize", "1", "", "size of the drawing",
             .flags = SOFA_FIELD_DISPLAY),
};

static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(GearSpringForceField, springs,
                 SOFA_TABLE(SOFA_ENDS(SOFA_STATE_FIRST, SOFA_STATE_FIRST, SOFA_STATE_SECOND,
                                      SOFA_STATE_SECOND))),
};

#define KEY(word, n, member)                                                                       \
  { word, n, offsetof(GearSpring, member) }
static const SofaItemKey keys[] = {KEY("AXIS", 2, axis), KEY("KS_T", 1, translation),
                                   KEY("KS_R", 2, rotation), KEY("KD", 1, damping),
                                   KEY("RATIO", 1, ratio)};
static const GearSpring preset = {
    .translation = 10000, .rotation = {10000, 10000}, .damping = 10000, .ratio = 1};
static const SofaItemFormat format = {sizeof(GearSpring), 4, keys, sizeof keys / sizeof *keys,
                                      &preset};

static SofaFrameEnds ends_of(const GearSpring *s) {
  const uint32_t *p = s->head.points;
  return (SofaFrameEnds){4, {0, 0, 1, 1}, {p[0], p[1], p[2], p[3]}};
}
static bool is_fixed(const GearSpring *s, int side) {
  return s->head.points[2 * side] == s->head.points[2 * side + 1];
}
static int axis_of(const GearSpring *s, int side) {
  return (int)s->axis[side];
}

/* ---- angles ---- */

/* Rotation vector that turns u to v, both of unit length; 0 when they are opposite. */
static void turning(const double *u, const double *v, double *r) {
  sofa_vec3_cross(u, v, r);
  const double sine = sofa_vec3_norm(r);
  sofa_vec3_scale(sine > 0 ? atan2(sine, sofa_vec3_dot(u, v)) / sine : 0, r, r);
}

static void axis_vector(const double *pose, int axis, double *v) {
  const double e[3] = {axis == 0, axis == 1, axis == 2};
  sofa_quat_rotate(pose + 3, e, v);
}

/* Angle by which a gear is turned about the axis of its parent: mean over the two other axes. SOFA
 * takes for it the whole angles that these are turned by, tilts included. */
static double angle_about(const double *parent, const double *gear, int axis, bool whole) {
  double a[3], sum = 0;
  axis_vector(parent, axis, a);
  for (int i = 0; i < 3; i++) {
    double u[3], v[3], r[3];
    if (i == axis) continue;
    axis_vector(parent, i, u);
    axis_vector(gear, i, v);
    turning(u, v, r);
    const double along = sofa_vec3_dot(r, a);
    sum += !whole ? along : along < 0 ? -sofa_vec3_norm(r) : sofa_vec3_norm(r);
  }
  return sum / 2;
}

/* Goes on from the last angle, which is less than half a turn away. */
static void advance(GearSpring *s, int side, double angle, double turn) {
  while (angle - s->previous[side] > PI) angle -= turn;
  while (angle - s->previous[side] < -PI) angle += turn;
  s->angle[side] += angle - s->previous[side];
  s->previous[side] = angle;
}

/* ---- init ---- */

static SofaErr check(const GearSpringForceField *g, size_t k) {
  const GearSpring *s = &g->springs.data[k];
  const SofaObject *object = &g->force_field.object;
  const SofaFrameEnds ends = ends_of(s);
  const double values[4] = {s->translation, s->rotation[0], s->rotation[1], s->damping};
  for (int side = 0; side < 2; side++) {
    const double axis = s->axis[side];
    if (axis >= 0 && axis <= 2 && axis <= (int)axis) continue;
    return sofa_field_fail(object, "spring", SOFA_ERR_RANGE,
                           "spring %zu: axis %g, expected 0, 1 or 2", k, axis);
  }
  if (!(s->ratio < 0 || s->ratio > 0))
    return sofa_field_fail(object, "spring", SOFA_ERR_RANGE, "spring %zu: the ratio is %g", k,
                           s->ratio);
  SOFA_TRY(sofa_spring_check_values(object, "spring", values, 4));
  return sofa_frame_check(&g->force_field, k, &ends);
}

static const double *pose_of(const GearSpringForceField *g, const GearSpring *s, int end) {
  return SOFA_POSE(g->force_field.state[end / 2]->position.data, s->head.points[end]);
}

static SofaErr gear_bwd_init(SofaObject *object) {
  GearSpringForceField *g = (GearSpringForceField *)object;
  SOFA_TRY(sofa_spring_log_init(&g->log, object, "filename"));
  SofaErr err = sofa_spring_items_read(object, "spring", g->spring, &format, &g->springs);
  for (size_t k = 0; k < g->springs.n && err == SOFA_OK; k++) err = check(g, k);
  if (err != SOFA_OK) g->springs.n = 0;
  g->as_sofa = g->springs.n && sofa_quirk(object, QUIRK_GEAR_ANGLE);
  for (size_t k = 0; k < g->springs.n; k++) {
    GearSpring *s = &g->springs.data[k];
    for (int side = 0; side < 2; side++) {
      const double *parent = pose_of(g, s, 2 * side);
      memcpy(s->parent[side], parent, sizeof s->parent[side]);
      s->first[side] =
          angle_about(parent, pose_of(g, s, 2 * side + 1), axis_of(s, side), g->as_sofa);
      s->angle[side] = s->previous[side] = s->first[side];
    }
  }
  if (!g->springs.n) return err;
  g->without_matrix = sofa_quirk(object, QUIRK_SPRINGS_WITHOUT_MATRIX);
  g->force_field.partial_tangent = g->without_matrix;
  return err;
}

static SofaErr gear_reset(SofaObject *object) {
  GearSpringForceField *g = (GearSpringForceField *)object;
  sofa_spring_log_reset(&g->log);
  for (size_t k = 0; k < g->springs.n; k++) {
    GearSpring *s = &g->springs.data[k];
    for (int side = 0; side < 2; side++) s->angle[side] = s->previous[side] = s->first[side];
  }
  return SOFA_OK;
}

static void gear_destroy(SofaObject *object) {
  GearSpringForceField *g = (GearSpringForceField *)object;
  sofa_spring_log_destroy(&g->log);
}

/* ---- forces ---- */

static void take_parents(GearSpring *s, const double *const *x) {
  for (int side = 0; side < 2; side++)
    if (!is_fixed(s, side))
      memcpy(s->parent[side], x[side] + 7 * (size_t)s->head.points[2 * side],
             sizeof s->parent[side]);
}

/* The gear is held at its parent, but for the rotation about the free axis. */
static void side_force(GearSpring *s, int side, const SofaPoint *at, double *const *forces) {
  const size_t p = s->head.points[2 * side], m = s->head.points[2 * side + 1];
  const double *x = SOFA_POSE(at->x[side], m), *v = SOFA_TWIST(at->v[side], m);
  const double *pv = SOFA_TWIST(at->v[side], p);
  const bool fixed = is_fixed(s, side);
  double f[6], u[3], w[3];
  if (!fixed) memcpy(s->parent[side], SOFA_POSE(at->x[side], p), sizeof s->parent[side]);
  axis_vector(x, axis_of(s, side), u);
  axis_vector(s->parent[side], axis_of(s, side), w);
  turning(u, w, f + 3);
  for (int i = 0; i < 3; i++) {
    f[i] = s->translation * (s->parent[side][i] - x[i]);
    f[3 + i] *= s->rotation[1];
  }
  for (size_t i = 0; i < 6; i++) {
    f[i] += s->damping * ((fixed ? 0 : pv[i]) - v[i]);
    SOFA_TWIST(forces[side], m)[i] += f[i];
    if (!fixed) SOFA_TWIST(forces[side], p)[i] -= f[i];
  }
}

/* Takes the angles at these poses in; the torque F of the gearing. */
static double turn(const GearSpringForceField *g, GearSpring *s, const double *const *x) {
  for (int side = 0; side < 2; side++) {
    const double *pose = SOFA_POSE(x[side], s->head.points[2 * side + 1]);
    advance(s, side, angle_about(s->parent[side], pose, axis_of(s, side), g->as_sofa),
            g->as_sofa ? turn_of_sofa : 2 * PI);
  }
  return -(s->angle[0] * s->ratio + s->angle[1]) * s->rotation[0];
}

/* Torques of the gearing, F = -soft (ratio angle1 + angle2): ratio F' and F' / 1 without reaction
 * on the parents. */
static void gearing(const GearSpring *s, double force, const SofaPoint *at, double *const *f) {
  for (int side = 0; side < 2; side++) {
    const size_t m = s->head.points[2 * side + 1];
    double axis[3];
    axis_vector(SOFA_POSE(at->x[side], m), axis_of(s, side), axis);
    sofa_vec3_axpy(side ? force / s->ratio : force, axis, SOFA_TWIST_ANGULAR(f[side], m));
  }
}

/* ---- file ---- */

static SofaErr write_gear(GearSpringForceField *g, const GearSpring *s, double force, double time) {
  sofa_spring_log_begin(&g->log, time);
  sofa_spring_log_row(&g->log, "Angles", s->angle, 2, " , ");
  sofa_spring_log_row(&g->log, "F", &force, 1, "");
  return sofa_spring_log_end(&g->log);
}

/* All gears as they are now; their angles do not count this. */
static SofaErr write_gears(GearSpringForceField *g, double time) {
  SofaState *const *state = g->force_field.state;
  const double *const x[2] = {state[0]->position.data, state[1]->position.data};
  if (!sofa_spring_log_due(&g->log, time)) return SOFA_OK;
  SOFA_TRY(sofa_spring_log_rewind(&g->log));
  for (size_t k = 0; k < g->springs.n; k++) {
    GearSpring s = g->springs.data[k];
    for (int side = 0; side < 2; side++)
      if (!is_fixed(&s, side)) memcpy(s.parent[side], pose_of(g, &s, 2 * side), sizeof s.parent[0]);
    const double force = turn(g, &s, x);
    SOFA_TRY(write_gear(g, &s, force, time));
  }
  return SOFA_OK;
}

static SofaErr gear_event(SofaObject *object, const SofaEvent *event) {
  GearSpringForceField *g = (GearSpringForceField *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || g->log.per_call) return SOFA_OK;
  return write_gears(g, object->node->time);
}

/* As SOFA does: when a spring's force is evaluated. */
static SofaErr write_one(GearSpringForceField *g, const GearSpring *s, double force, double time) {
  if (!g->log.per_call) return SOFA_OK;
  SOFA_TRY(sofa_spring_log_rewind(&g->log));
  return sofa_spring_log_due(&g->log, time) ? write_gear(g, s, force, time) : SOFA_OK;
}

static SofaErr gear_add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *const *f) {
  (void)params;
  GearSpringForceField *g = (GearSpringForceField *)ff;
  for (size_t k = 0; k < g->springs.n; k++) {
    GearSpring *s = &g->springs.data[k];
    side_force(s, 0, at, f);
    side_force(s, 1, at, f);
    GearSpring trial = *s, *turned = g->as_sofa ? s : &trial; /* SOFA's angles follow each trial */
    const double force = turn(g, turned, at->x);
    gearing(s, force, at, f);
    SOFA_TRY(write_one(g, turned, force, at->time));
  }
  return SOFA_OK;
}

/* Poses of the parents alone: the product knows no angles. */
static SofaErr gear_linearise(SofaForceField *ff, const SofaMechParams *params,
                              const SofaPoint *at) {
  (void)params;
  GearSpringForceField *g = (GearSpringForceField *)ff;
  for (size_t k = 0; k < g->springs.n; k++) take_parents(&g->springs.data[k], at->x);
  return SOFA_OK;
}

static SofaErr gear_accept(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at) {
  GearSpringForceField *g = (GearSpringForceField *)ff;
  SOFA_TRY(gear_linearise(ff, params, at));
  for (size_t k = 0; k < g->springs.n && !g->as_sofa; k++)
    (void)turn(g, &g->springs.data[k], at->x);
  return SOFA_OK;
}

/* Axes count as fixed in the parents, and parents as not turning for the gearing: exact at rest
 * where gears are their own parents, symmetric everywhere. */
static void product(const void *spring, const double (*dx)[6], double (*df)[6]) {
  const GearSpring *s = spring;
  double turned[2];
  for (int side = 0; side < 2; side++) {
    const int p = 2 * side, m = 2 * side + 1, axis = axis_of(s, side);
    const double *q = s->parent[side] + 3;
    double d[6], r[3];
    for (int i = 0; i < 6; i++) d[i] = (is_fixed(s, side) ? 0 : dx[p][i]) - dx[m][i];
    sofa_quat_rotate_inverse(q, dx[m] + 3, r);
    turned[side] = r[axis];
    sofa_quat_rotate_inverse(q, d + 3, r);
    for (int i = 0; i < 3; i++) r[i] *= i == axis ? 0 : s->rotation[1];
    sofa_quat_rotate(q, r, d + 3);
    for (int i = 0; i < 3; i++) d[i] *= s->translation;
    for (int i = 0; i < 6; i++) {
      df[m][i] = d[i];
      df[p][i] = is_fixed(s, side) ? 0 : -d[i];
    }
  }
  const double force = -s->rotation[0] * (turned[0] * s->ratio + turned[1]);
  for (int side = 0; side < 2; side++) {
    double axis[3];
    axis_vector(s->parent[side], axis_of(s, side), axis);
    sofa_vec3_axpy(side ? force / s->ratio : force, axis, df[2 * side + 1] + 3);
  }
}

/* The same by velocities: each gear in relation to its parent. */
static void damping_product(const void *spring, const double (*dv)[6], double (*df)[6]) {
  const GearSpring *s = spring;
  for (int side = 0; side < 2; side++) {
    const int p = 2 * side, m = 2 * side + 1;
    const bool fixed = is_fixed(s, side);
    for (int i = 0; i < 6; i++) {
      df[m][i] = s->damping * ((fixed ? 0 : dv[p][i]) - dv[m][i]);
      if (!fixed) df[p][i] = -df[m][i];
    }
  }
}

static SofaErr gear_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  const GearSpringForceField *g = (GearSpringForceField *)ff;
  const SofaSpringFactors by = sofa_spring_factors(ff, params);
  for (size_t k = 0; k < g->springs.n; k++) {
    const GearSpring *s = &g->springs.data[k];
    const SofaFrameEnds ends = ends_of(s);
    sofa_frame_dforce(&ends, product, s, by.k, dx, df);
    if (by.b * s->damping != 0) sofa_frame_dforce(&ends, damping_product, s, by.b, dx, df);
  }
  return SOFA_OK;
}

static SofaErr gear_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const SofaTangent *tangent) {
  (void)params, (void)at;
  const GearSpringForceField *g = (GearSpringForceField *)ff;
  if (g->without_matrix) return SOFA_OK;
  for (size_t k = 0; k < g->springs.n; k++) {
    const SofaFrameEnds ends = ends_of(&g->springs.data[k]);
    sofa_frame_add_k(&ends, product, &g->springs.data[k], ff->state[0] == ff->state[1], tangent);
  }
  return SOFA_OK;
}

static SofaErr gear_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const SofaTangent *tangent) {
  (void)params, (void)at;
  const GearSpringForceField *g = (GearSpringForceField *)ff;
  if (g->without_matrix || sofa_spring_damps_late(ff)) return SOFA_OK;
  for (size_t k = 0; k < g->springs.n; k++) {
    const SofaFrameEnds ends = ends_of(&g->springs.data[k]);
    if (g->springs.data[k].damping != 0)
      sofa_frame_add_k(&ends, damping_product, &g->springs.data[k], ff->state[0] == ff->state[1],
                       tangent);
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
    .add_force = gear_add_force,
    .add_dforce = gear_add_dforce,
    .add_k = gear_add_k,
    .add_b = gear_add_b,
    .approximation = approximation,
    .linearise = gear_linearise,
    .accept = gear_accept,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* A rod along the free axis of each gear, a line to its parent and between the gears. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const GearSpringForceField *g = (const GearSpringForceField *)object;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)g->force_field.state)) return;
  for (size_t k = 0; k < g->springs.n; k++) {
    const GearSpring *s = &g->springs.data[k];
    const SofaFrameEnds ends = ends_of(s);
    const double *pose[4];
    bool good = true;
    for (unsigned i = 0; i < 4; i++)
      good = (pose[i] = sofa_frame_pose(&g->force_field, &ends, i)) != NULL && good;
    if (!good) continue;
    for (int side = 0; side < 2; side++) {
      const double *parent = pose[2 * side], *gear = pose[2 * side + 1];
      sofa_draw_line(args->list, parent, gear, 1, SOFA_RGB(1, 1, 0));
      sofa_frame_draw_axis(args->list, gear, axis_of(s, side), g->show_size,
                           side ? SOFA_RGB(0.2, 0.4, 1) : SOFA_RGB(1, 0.4, 0.2));
    }
    sofa_draw_line(args->list, pose[1], pose[3], 1, SOFA_RGB(0, 1, 0));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Rigid3d", NULL};

/* ---- checkpoints: the file goes on ---- */

static SofaErr save_file(const SofaObject *object, SofaCheckpointWriter *to) {
  sofa_output_file_save(((const GearSpringForceField *)object)->log.file, to);
  return SOFA_OK;
}

static SofaErr restore_file(SofaObject *object, SofaCheckpointReader *from) {
  return sofa_output_file_restore(((GearSpringForceField *)object)->log.file, from);
}

static const SofaCheckpointOps checkpoint = {.save = save_file, .restore = restore_file};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(GearSpringForceField, log.last),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(GearSpringForceField, log.file),
    SOFA_REMADE(GearSpringForceField, log.n),
    SOFA_REMADE(GearSpringForceField, log.text),
};

SOFA_CLASS(GearSpringForceField) = {
    SOFA_NAMED(GearSpringForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Gears: two frames, each held at a parent frame or where it was, turn about their free "
            "axes such that ratio times the first angle plus the second one stays zero. The "
            "torques of the gearing have no reaction on the parents.",
    .equations = "f_g = k_t (x_p - x_g) + c (v_p - v_g), f_p = -f_g\n"
                 "m_g = k_b theta + c (w_p - w_g), m_p = -m_g\n"
                 "n_1 = -k_g (rho phi_1 + phi_2) u_1, n_2 = -k_g/rho (rho phi_1 + phi_2) u_2\n"
                 "\"f_g, m_g: on a gear held at its parent p, theta: rotation vector from its free "
                 "axis u to that of the parent; n_1, n_2: torques of the gearing, phi: angles of "
                 "the gears about their axes; k_t: KS_T, k_g and k_b: KS_R, c: KD, rho: RATIO; a "
                 "gear that is its own parent is held where it began\"",
    .base = &sofa_interaction_force_field_class,
    SOFA_KEEPS(kept),
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .bwd_init = gear_bwd_init,
    .reset = gear_reset,
    .listening = true,
    .handle_event = gear_event,
    .destroy = gear_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}, {SOFA_DRAW, &draw_ops}),
};
