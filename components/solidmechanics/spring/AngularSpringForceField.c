/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AngularSpringForceField: torques that turn frames to their predecessors. */
#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "components/solidmechanics/spring/frame_kernels.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/vec.h"

enum { QUIRK_ANGULAR_SPRINGS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_ANGULAR_SPRINGS, "angular-springs",
     "AngularSpringForceField turns the long way round and stiffens the first frame",
     "test_quirks_elements.springs"},
};

typedef struct AngularSpringForceField {
  SofaForceField force_field;
  SofaIndices indices;
  SofaReals stiffness, limit;
  bool draw_spring;
  SofaColor color;
  /* state */
  struct {
    AngularSpring *data;
    size_t n, capacity;
  } springs;
  bool first_too; /* quirk: the tangent has the first listed frame */
} AngularSpringForceField;

typedef AngularSpringForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        indices, "indices", NULL, "",
        "frames: each but the first of the list is turned to the frame whose number is one less"),
    SOFA_ROW(
        stiffness, "angularStiffness", NULL, "N m",
        "stiffness of each frame's spring; the first value where the list is shorter; empty: 100",
        .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(limit, "limit", NULL, "rad", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(draw_spring, "drawSpring", "0", "", "draw the springs", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(color, "springColor", "0 1 0 1", "", "colour of drawn springs",
             .flags = SOFA_FIELD_DISPLAY),
};

static const SofaPrivateList lists[] = {
    // a frame that loses the one before it is free
    SOFA_PRIVATE(AngularSpringForceField, springs,
                 SOFA_TABLE(SOFA_ENDS(SOFA_STATE_FIRST, SOFA_STATE_FIRST))),
};

static SofaErr add_spring(AngularSpringForceField *a, size_t k) {
  const SofaObject *object = &a->force_field.object;
  const size_t n = sofa_state_size(a->force_field.state[0]);
  const uint32_t i = a->indices.data[k];
  if (i >= n || (i == 0 && k > 0))
    return sofa_field_fail(object, "indices", SOFA_ERR_RANGE,
                           "entry %zu is %u, expected a frame from %d to %zu", k, i, k > 0, n - 1);
  if (k == 0 && !a->first_too) return SOFA_OK;
  const double stiffness = sofa_spring_entry(&a->stiffness, k, 100);
  const AngularSpring spring = {i, k ? i - 1 : i, k ? stiffness : 0, stiffness};
  return SOFA_APPEND(object->ctx, &a->springs, &spring);
}

static SofaErr angular_spring_bwd_init(SofaObject *object) {
  AngularSpringForceField *a = (AngularSpringForceField *)object;
  a->springs.n = 0;
  a->first_too = a->indices.n && sofa_quirk(object, QUIRK_ANGULAR_SPRINGS);
  SofaErr err = SOFA_OK;
  for (size_t k = 0; k < a->indices.n && err == SOFA_OK; k++) err = add_spring(a, k);
  if (err != SOFA_OK) a->springs.n = 0;
  return err;
}

/* ---- forces ---- */

static SofaErr angular_spring_add_force(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaPoint *at, double *const *f) {
  (void)params;
  const AngularSpringForceField *a = (AngularSpringForceField *)ff;
  frame_spring_kernels(ff->object.ctx)
      ->angular(a->springs.data, a->springs.n, a->first_too, at->x[0], f[0]);
  return SOFA_OK;
}

/* Own rotations only: the torque has no reaction, and the matrix stays symmetric. */
static SofaErr angular_spring_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                         const SofaPoint *point, const double *const *dx,
                                         double *const *df) {
  (void)point;
  const AngularSpringForceField *a = (AngularSpringForceField *)ff;
  const double factor = sofa_kfactor(ff, params);
  for (size_t k = 0; k < a->springs.n; k++) {
    const size_t at = 6 * (size_t)a->springs.data[k].frame + 3;
    sofa_vec3_axpy(-a->springs.data[k].tangent * factor, dx[0] + at, df[0] + at);
  }
  return SOFA_OK;
}

static SofaErr angular_spring_add_k(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  const AngularSpringForceField *a = (AngularSpringForceField *)ff;
  for (size_t k = 0; k < a->springs.n; k++) {
    const uint32_t i = a->springs.data[k].frame;
    double block[36] = {0};
    for (int c = 3; c < 6; c++) block[7 * c] = -a->springs.data[k].tangent;
    sofa_tangent_add(tangent, 0, i, 0, i, block);
  }
  return SOFA_OK;
}

static const SofaApproximation left_out = {
    "the tangent leaves out the derivative of the axes of the angles", true};

static const SofaApproximation *approximation(const SofaForceField *ff) {
  (void)ff;
  return &left_out;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = angular_spring_add_force,
    .add_dforce = angular_spring_add_dforce,
    .add_k = angular_spring_add_k,
    .approximation = approximation,
    .tangent_is_dforce = true,
};

/* A line from each frame to the one it turns to. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const AngularSpringForceField *a = (const AngularSpringForceField *)object;
  const SofaState *state = a->force_field.state[0];
  if (!a->draw_spring) return;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)a->force_field.state)) return;
  for (size_t k = 0; k < a->springs.n; k++)
    sofa_draw_link(args->list, (SofaStatePoint){state, a->springs.data[k].before},
                   (SofaStatePoint){state, a->springs.data[k].frame}, 5, sofa_rgba(&a->color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Rigid3d", NULL};

SOFA_CLASS(AngularSpringForceField) = {
    SOFA_NAMED(AngularSpringForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "ForceField",
    .help = "Torques that turn each listed frame of a chain to the frame before it; there is no "
            "reaction on that one.",
    .equations = "m_i = -k_i theta_i\n"
                 "\"theta_i: rotation vector from the frame before to frame i\"",
    .base = &sofa_force_field_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .bwd_init = angular_spring_bwd_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}, {SOFA_DRAW, &draw_ops}),
};
