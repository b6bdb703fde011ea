/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ModesAnimationLoop: shows the shapes of a scene's modes in place of its motion. */
#include "behavior/animation_loop.h"

#include <math.h>
#include "numerics/modes/modes.h"
#include "simulation/mechanics.h"
#include "simulation/schedule.h"
#include "simulation/vectors.h"
#include "object/checkpoint.h"

typedef struct ModesAnimationLoop {
  SofaAnimationLoop loop;
  SofaOption kind;   /* SofaModesKind */
  unsigned n, shown; /* shown: from 1 */
  double amplitude;  /* m; 0: by the size of the scene */
  double period;     /* s of the scene's time */
  SofaReals values;  /* output */
  SofaModes *modes;  /* owned; NULL: not computed yet */
  SofaOdeSolver *solver;
  uint64_t graph_version; /* of the graph in which it was found */
  uint64_t serial;        /* of the plan that they are of */
  double *start;          /* owned; its positions then */
  double size;            /* of the scene, m */
} ModesAnimationLoop;

typedef ModesAnimationLoop SofaSelf; /* of SOFA_ROW */

/* In the order of SofaModesKind. */
static const char *const kinds[] = {"vibration", "buckling", NULL};

static const SofaField fields[] = {
    SOFA_ROW(kind, "kind", "vibration", "",
             "'vibration': modes of vibration; 'buckling': those of linear buckling",
             .options = kinds),
    SOFA_ROW(n, "modes", "6", "1", "number of modes that are computed, the lowest ones",
             .range = SOFA_WITHIN(1, 100000)),
    SOFA_ROW(shown, "mode", "1", "1", "the one that is shown, from 1; may change at any time"),
    SOFA_ROW(amplitude, "amplitude", "0", "m",
             "largest displacement that is shown; 0: a tenth of the diagonal of the scene"),
    SOFA_ROW(period, "period", "1", "s", "time of the scene in which a shape goes to and fro"),
    SOFA_ROW(values, "values", NULL, "",
             "frequencies in Hz, of buckling the factors of the loads; 0 before the first step",
             .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_NO_AUTOLINK),
};

/* ---- the modes ---- */

static void forget(ModesAnimationLoop *l) {
  sofa_modes_destroy(&l->modes);
  sofa_free(l->loop.object.ctx, l->start);
  l->start = NULL;
}

/* The diagonal of the box around the places of the independent states. */
static double size_of(const SofaMechanics *m) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double sum = 0;
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const unsigned space = sofa_state_kind_info(s->object.kind)->space;
    for (size_t k = 0; k < s->position.n; k++)
      for (unsigned c = 0; c < space && c < 3; c++) {
        const double x = s->position.data[k * s->position.width + c];
        low[c] = fmin(low[c], x);
        high[c] = fmax(high[c], x);
      }
  }
  for (int c = 0; c < 3; c++) sum += high[c] > low[c] ? pow(high[c] - low[c], 2) : 0;
  return sum > 0 ? sqrt(sum) : 1;
}

static SofaErr tell_values(ModesAnimationLoop *l) {
  SofaObject *object = &l->loop.object;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &l->values, l->modes->n));
  for (size_t i = 0; i < l->modes->n; i++) {
    const SofaMode *mode = &l->modes->mode[i];
    l->values.data[i] =
        l->modes->kind == SOFA_MODES_BUCKLING ? mode->value : (mode->rigid ? 0 : mode->frequency);
  }
  sofa_field_touch_name(object, "values");
  return SOFA_OK;
}

/* The modes at the positions of the start, which the states get back. */
static SofaErr compute(ModesAnimationLoop *l, SofaNode *root, SofaMechanics *m) {
  SofaContext *ctx = root->object.ctx;
  const SofaModesRequest request = {.kind = (SofaModesKind)l->kind.index, .n = l->n};
  forget(l);
  for (size_t i = 0; i < m->n_main; i++)
    SOFA_TRY(sofa_object_run(&m->states[i]->object, SOFA_RUN_RESET));
  SOFA_TRY(sofa_schedule_propagate(l->loop.schedule));
  SOFA_TRY(sofa_modes_create_below(root, &request, &l->modes));
  if (!(l->start = sofa_alloc(ctx, m->n_x + 1, sizeof *l->start))) return SOFA_ERR_MEMORY;
  sofa_copy(l->start, m->x, m->n_x * sizeof *l->start);
  l->serial = m->serial;
  l->size = size_of(m);
  return tell_values(l);
}

/* ---- motion ---- */

/* The largest displacement of a point in a shape; of frames without one the largest rotation. */
static double largest(const SofaMechanics *m, const double *shape) {
  double most = 0, turn = 0;
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
    for (size_t k = 0; k < s->position.n; k++) {
      double moved = 0, turned = 0;
      for (unsigned c = 0; c < kind->deriv; c++) {
        const double d = shape[s->v_offset + k * kind->deriv + c];
        *(c < kind->space ? &moved : &turned) += d * d;
      }
      most = fmax(most, sqrt(moved));
      turn = fmax(turn, sqrt(turned));
    }
  }
  return most > 0 ? most : turn;
}

static SofaErr show(const ModesAnimationLoop *l, SofaMechanics *m, double time) {
  const SofaObject *object = &l->loop.object;
  if (l->shown < 1 || l->shown > l->modes->n)
    return sofa_field_fail(object, "mode", SOFA_ERR_RANGE, "%u, expected 1 to %zu", l->shown,
                           l->modes->n);
  const double *shape = sofa_modes_shape(l->modes, l->shown - 1);
  const double most = largest(m, shape), pi = 3.14159265358979323846;
  const double amplitude = l->amplitude > 0 ? l->amplitude : 0.1 * l->size;
  sofa_copy(m->x, l->start, m->n_x * sizeof *m->x);
  if (most > 0)
    sofa_mech_integrate_x(m, amplitude / most * sin(2 * pi * time / l->period), shape, m->x);
  return SOFA_OK;
}

/* The plan of the solver, which is looked for when the graph has changed. */
static SofaErr plan_of(ModesAnimationLoop *l, SofaNode *root, SofaMechanics **m) {
  if (!l->solver || l->graph_version != *root->graph_version)
    SOFA_TRY(sofa_modes_find_solver(root, &l->solver));
  l->graph_version = *root->graph_version;
  return sofa_node_mechanics(l->solver->object.node, m);
}

static SofaErr step(SofaAnimationLoop *loop, SofaNode *root, double dt) {
  ModesAnimationLoop *l = (ModesAnimationLoop *)loop;
  SofaMechanics *m = NULL;
  SOFA_TRY(sofa_schedule_renew(&loop->schedule, root));
  SOFA_TRY(sofa_schedule_send(loop->schedule, SOFA_EVENT_ANIMATE_BEGIN, dt));
  SOFA_TRY(sofa_schedule_update_data(loop->schedule));
  SOFA_TRY(plan_of(l, root, &m));
  if (!l->modes || l->serial != m->serial) SOFA_TRY(compute(l, root, m));
  SOFA_TRY(show(l, m, root->time + dt));
  SOFA_TRY(sofa_schedule_propagate(loop->schedule));
  sofa_animation_loop_set_time(root, root->time + dt);
  SOFA_TRY(sofa_schedule_update_context(loop->schedule));
  return sofa_schedule_finish(loop->schedule, dt);
}

/* Values that are not known yet are 0. */
static SofaErr check(SofaObject *object) {
  ModesAnimationLoop *l = (ModesAnimationLoop *)object;
  if (!l->modes) SOFA_TRY(SOFA_RESIZE(object->ctx, &l->values, l->n));
  for (size_t i = 0; !l->modes && i < l->values.n; i++) l->values.data[i] = 0;
  if (!(l->period > 0) || !isfinite(l->period))
    return sofa_field_fail(object, "period", SOFA_ERR_RANGE, "%g, expected > 0", l->period);
  return SOFA_OK;
}

/* Computed again at the next step. */
static SofaErr reset(SofaObject *object) {
  forget((ModesAnimationLoop *)object);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  forget((ModesAnimationLoop *)object);
}

static const SofaAnimationLoopOps ops = {.step = step};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(ModesAnimationLoop, graph_version), SOFA_REMADE(ModesAnimationLoop, modes),
    SOFA_REMADE(ModesAnimationLoop, serial),        SOFA_REMADE(ModesAnimationLoop, size),
    SOFA_REMADE(ModesAnimationLoop, solver),        SOFA_REMADE(ModesAnimationLoop, start),
};

SOFA_CLASS(ModesAnimationLoop) = {
    SOFA_NAMED(ModesAnimationLoop),
    .module = "Sofa.Simulation.Core",
    .category = "AnimationLoop",
    .help = "Shows the modes of vibration or buckling of the scene at its start, instead of a "
            "motion: each step moves the states along a shape. Nothing is solved but the modes "
            "(addition of csofa).",
    .equations = "K phi = w^2 M phi\n"
                 "x = x_0 + a sin(2 pi t / T) phi / max |phi|\n"
                 "\"a: amplitude, T: period\"",
    .base = &sofa_animation_loop_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .init = check,
    .reinit = check,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_ANIMATION_LOOP, &ops}),
};
