/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GearSpringForceField: two frames that turn about their axes in a fixed ratio. */
#include "behavior/draw_state.h"
#include "object/checkpoint.h"
#include "change/topology_change.h"
#include "components/solidmechanics/spring/frame_kernels.h"
#include "components/solidmechanics/spring/frame_springs.h"
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
static int axis_of(const GearSpring *s, int side) {
  return (int)s->axis[side];
}

/* Takes a point in; f: NULL, or where forces are added. report: of each gear, or NULL. */
static void evaluate(const GearSpringForceField *g, GearSpring *springs, size_t n, bool advances,
                     const FrameVectors *at, GearReport *report) {
  const GearCall call = {g->as_sofa, advances, report};
  gear_kernels(g->force_field.object.ctx)->force(springs, n, &call, at);
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

/* The angles about the axes of the parents. */
static void take_start(GearSpringForceField *g) {
  SofaState *const *state = g->force_field.state;
  const double *const x[2] = {state[0]->position.data, state[1]->position.data};
  for (size_t k = 0; k < g->springs.n; k++) {
    GearSpring *s = &g->springs.data[k];
    for (int side = 0; side < 2; side++) {
      memcpy(s->parent[side], pose_of(g, s, 2 * side), sizeof s->parent[side]);
      s->angle[side] = s->previous[side] = 0;
    }
  }
  evaluate(g, g->springs.data, g->springs.n, true, &(FrameVectors){x, NULL, NULL}, NULL);
  for (size_t k = 0; k < g->springs.n; k++)
    memcpy(g->springs.data[k].first, g->springs.data[k].angle, sizeof g->springs.data[k].first);
}

static SofaErr gear_bwd_init(SofaObject *object) {
  GearSpringForceField *g = (GearSpringForceField *)object;
  SOFA_TRY(sofa_spring_log_init(&g->log, object, "filename"));
  SofaErr err = sofa_spring_items_read(object, "spring", g->spring, &format, &g->springs);
  for (size_t k = 0; k < g->springs.n && err == SOFA_OK; k++) err = check(g, k);
  if (err != SOFA_OK) g->springs.n = 0;
  g->as_sofa = g->springs.n && sofa_quirk(object, QUIRK_GEAR_ANGLE);
  if (!g->springs.n) return err;
  take_start(g);
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

/* ---- file ---- */

static SofaErr write_gear(GearSpringForceField *g, const GearReport *report, double time) {
  sofa_spring_log_begin(&g->log, time);
  sofa_spring_log_row(&g->log, "Angles", report->angle, 2, " , ");
  sofa_spring_log_row(&g->log, "F", &report->torque, 1, "");
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
    GearReport report;
    evaluate(g, &s, 1, false, &(FrameVectors){x, NULL, NULL}, &report);
    SOFA_TRY(write_gear(g, &report, time));
  }
  return SOFA_OK;
}

static SofaErr gear_event(SofaObject *object, const SofaEvent *event) {
  GearSpringForceField *g = (GearSpringForceField *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || g->log.per_call) return SOFA_OK;
  return write_gears(g, object->node->time);
}

/* ---- forces ---- */

/* As SOFA does: gear by gear, with a record when a gear's force is evaluated. */
static SofaErr force_by_force(GearSpringForceField *g, const FrameVectors *at, double time) {
  for (size_t k = 0; k < g->springs.n; k++) {
    GearReport report;
    evaluate(g, &g->springs.data[k], 1, g->as_sofa, at, &report);
    SOFA_TRY(sofa_spring_log_rewind(&g->log));
    if (sofa_spring_log_due(&g->log, time)) SOFA_TRY(write_gear(g, &report, time));
  }
  return SOFA_OK;
}

/* SOFA's angles follow each trial. */
static SofaErr gear_add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *const *f) {
  (void)params;
  GearSpringForceField *g = (GearSpringForceField *)ff;
  const FrameVectors vectors = {at->x, at->v, f};
  if (g->log.per_call) return force_by_force(g, &vectors, at->time);
  evaluate(g, g->springs.data, g->springs.n, g->as_sofa, &vectors, NULL);
  return SOFA_OK;
}

/* Axes of the parents alone: the product knows no angles. */
static SofaErr gear_linearise(SofaForceField *ff, const SofaMechParams *params,
                              const SofaPoint *at) {
  (void)params;
  GearSpringForceField *g = (GearSpringForceField *)ff;
  evaluate(g, g->springs.data, g->springs.n, false, &(FrameVectors){at->x, NULL, NULL}, NULL);
  return SOFA_OK;
}

static SofaErr gear_accept(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at) {
  (void)params;
  GearSpringForceField *g = (GearSpringForceField *)ff;
  evaluate(g, g->springs.data, g->springs.n, !g->as_sofa, &(FrameVectors){at->x, NULL, NULL}, NULL);
  return SOFA_OK;
}

static SofaErr gear_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  const GearSpringForceField *g = (GearSpringForceField *)ff;
  gear_kernels(ff->object.ctx)
      ->product(g->springs.data, g->springs.n, sofa_spring_factors(ff, params), dx, df);
  return SOFA_OK;
}

/* ---- matrices ---- */

/* to += factor u v^T for the rotations of a block. */
static void add_axes(double factor, const double *u, const double *v, double *to) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) to[6 * (3 + i) + 3 + j] += factor * u[i] * v[j];
}

/* Adds the block of a gear by its own moves, and that of what holds it for its parent. */
static void add_side(const SofaFrameEnds *ends, unsigned side, const double *own,
                     const double *block, bool same_state, const SofaTangent *tangent) {
  const unsigned p = 2 * side, m = p + 1;
  double minus[36];
  sofa_frame_add_block(ends, m, m, own, same_state, tangent);
  if (ends->point[p] == ends->point[m]) return;
  for (int e = 0; e < 36; e++) minus[e] = -block[e];
  sofa_frame_add_block(ends, p, p, minus, same_state, tangent);
  sofa_frame_add_block(ends, p, m, block, same_state, tangent);
  sofa_frame_add_block(ends, m, p, block, same_state, tangent);
}

/* The block of the forces of gear `side` by the moves of the other one. */
static void add_gearing(const GearSpring *s, const SofaFrameEnds *ends, unsigned side,
                        bool same_state, const SofaTangent *tangent) {
  double block[36] = {0};
  add_axes(-s->rotation[0], s->along[side], s->along[1 - side], block);
  sofa_frame_add_block(ends, 2 * side + 1, 3 - 2 * side, block, same_state, tangent);
}

static SofaErr gear_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const SofaTangent *tangent) {
  (void)params, (void)at;
  const GearSpringForceField *g = (GearSpringForceField *)ff;
  const bool same = ff->state[0] == ff->state[1];
  if (g->without_matrix) return SOFA_OK;
  for (size_t k = 0; k < g->springs.n; k++) {
    const GearSpring *s = &g->springs.data[k];
    const SofaFrameEnds ends = ends_of(s);
    for (unsigned side = 0; side < 2; side++) {
      const double soft = -s->rotation[0] * (side ? 1 / s->ratio : s->ratio);
      double block[36] = {0}, own[36];
      for (int i = 0; i < 6; i++) block[7 * i] = i < 3 ? s->translation : s->rotation[1];
      add_axes(-s->rotation[1], s->along[side], s->along[side], block);
      for (int e = 0; e < 36; e++) own[e] = -block[e];
      add_axes(soft, s->along[side], s->along[side], own);
      add_side(&ends, side, own, block, same, tangent);
      add_gearing(s, &ends, side, same, tangent);
    }
  }
  return SOFA_OK;
}

/* The same by velocities: each gear in relation to its parent. */
static SofaErr gear_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const SofaTangent *tangent) {
  (void)params, (void)at;
  const GearSpringForceField *g = (GearSpringForceField *)ff;
  if (g->without_matrix || sofa_spring_damps_late(ff)) return SOFA_OK;
  for (size_t k = 0; k < g->springs.n; k++) {
    const GearSpring *s = &g->springs.data[k];
    const SofaFrameEnds ends = ends_of(s);
    double block[36] = {0}, own[36] = {0};
    if (s->damping == 0) continue;
    for (int i = 0; i < 6; i++) own[7 * i] = -(block[7 * i] = s->damping);
    for (unsigned side = 0; side < 2; side++)
      add_side(&ends, side, own, block, ff->state[0] == ff->state[1], tangent);
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
