/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Springs between places. */
#include "viewer/mouse_spring.h"

#include <math.h>

#include "behavior/mass.h"
#include "change/topology_change.h"
#include "math/quaternion.h"
#include "behavior/ode_solver.h"

typedef struct MouseSpring {
  SofaForceField force_field;
  double stiffness; /* k, N/m */
  int n_ends;       /* 1: to the target */
  PickAnchor end[2];
  int side[2];      /* number of the end's state among those of the force field */
  double target[3]; /* m */
  bool gone;
} MouseSpring;

/* ---- f0 = k (p1 - p0) = -f1, p = sum w x (+ the arm of a frame) ---- */

static const SofaStateKindInfo *kind_of(const MouseSpring *s, int e) {
  return sofa_state_kind_info(s->end[e].state->object.kind);
}

static bool is_there(const MouseSpring *s) {
  for (int e = 0; e < s->n_ends; e++)
    for (unsigned i = 0; i < s->end[e].n; i++)
      if (s->end[e].points[i] >= s->end[e].state->position.n) return false;
  return !s->gone;
}

/* From the frame to the place, in world axes; 0 where there is no frame. */
static void arm_of(const MouseSpring *s, int e, const double *x, double arm[3]) {
  const PickAnchor *a = &s->end[e];
  double rotation[9];
  sofa_vec3_set(arm, 0, 0, 0);
  if (!kind_of(s, e)->rigid) return;
  sofa_quat_to_matrix(x + a->points[0] * kind_of(s, e)->coord + 3, rotation);
  sofa_mat3_apply(rotation, a->arm, arm);
}

/* Where the ends are with positions x, and the arms. */
static void places_of(const MouseSpring *s, const double *const *x, double place[2][3],
                      double arm[2][3]) {
  sofa_vec3_copy(s->target, place[1]);
  for (int e = 0; e < s->n_ends; e++) {
    const PickAnchor *a = &s->end[e];
    const double *from = x[s->side[e]];
    arm_of(s, e, from, arm[e]);
    sofa_vec3_copy(arm[e], place[e]);
    for (unsigned i = 0; i < a->n; i++)
      sofa_vec3_axpy(a->weights[i], from + a->points[i] * kind_of(s, e)->coord, place[e]);
  }
}

/* f += J^T force */
static void spread(const MouseSpring *s, int e, const double force[3], const double arm[3],
                   double *f) {
  const PickAnchor *a = &s->end[e];
  const unsigned deriv = kind_of(s, e)->deriv;
  double torque[3];
  for (unsigned i = 0; i < a->n; i++)
    sofa_vec3_axpy(a->weights[i], force, f + a->points[i] * deriv);
  if (!kind_of(s, e)->rigid) return;
  sofa_vec3_cross(arm, force, torque);
  sofa_vec3_axpy(1, torque, f + a->points[0] * deriv + 3);
}

static void spread_both(const MouseSpring *s, double force[3], double arm[2][3], double *const *f) {
  for (int e = 0; e < s->n_ends; e++) {
    spread(s, e, force, arm[e], f[s->side[e]]);
    sofa_vec3_scale(-1, force, force);
  }
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         double *const *f) {
  const MouseSpring *s = (const MouseSpring *)ff;
  double place[2][3], arm[2][3], force[3];
  (void)params;
  if (!is_there(s)) return SOFA_OK;
  places_of(s, at->x, place, arm);
  sofa_vec3_sub(place[1], place[0], force);
  sofa_vec3_scale(s->stiffness, force, force);
  spread_both(s, force, arm, f);
  return SOFA_OK;
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const double *const *moves, double *const *df) {
  const MouseSpring *s = (const MouseSpring *)ff;
  double arm[2][3], d[3] = {0, 0, 0}, turn[3];
  if (!is_there(s)) return SOFA_OK;
  for (int e = 0; e < s->n_ends; e++) {
    const PickAnchor *a = &s->end[e];
    const unsigned deriv = kind_of(s, e)->deriv;
    const double sign = e ? -1 : 1, *dx = moves[s->side[e]];
    arm_of(s, e, at->x[s->side[e]], arm[e]);
    for (unsigned i = 0; i < a->n; i++)
      sofa_vec3_axpy(sign * a->weights[i], dx + a->points[i] * deriv, d);
    if (!kind_of(s, e)->rigid) continue;
    sofa_vec3_cross(dx + a->points[0] * deriv + 3, arm[e], turn);
    sofa_vec3_axpy(sign, turn, d);
  }
  sofa_vec3_scale(-sofa_kfactor(ff, params) * s->stiffness, d, d);
  spread_both(s, d, arm, df);
  return SOFA_OK;
}

/* J of a place: (w I), of a frame (I, -[arm]). */
static void jacobian(const MouseSpring *s, int e, const SofaPoint *at, double j[3][6]) {
  double arm[3];
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 6; c++) j[k][c] = k == c;
  arm_of(s, e, at->x[s->side[e]], arm);
  for (unsigned k = 0; kind_of(s, e)->rigid && k < 3; k++) {
    j[k][3 + (k + 1) % 3] = arm[(k + 2) % 3];
    j[k][3 + (k + 2) % 3] = -arm[(k + 1) % 3];
  }
}

/* The blocks of end a by end b. */
static void add_pair(const MouseSpring *s, int a, int b, const SofaPoint *at,
                     const SofaTangent *tangent) {
  const PickAnchor *row = &s->end[a], *column = &s->end[b];
  const unsigned n = kind_of(s, a)->deriv, m = kind_of(s, b)->deriv;
  double ja[3][6], jb[3][6], block[36];
  jacobian(s, a, at, ja);
  jacobian(s, b, at, jb);
  for (unsigned i = 0; i < row->n; i++)
    for (unsigned k = 0; k < column->n; k++) {
      const double factor = (a == b ? -1 : 1) * s->stiffness * row->weights[i] * column->weights[k];
      for (unsigned r = 0; r < n; r++)
        for (unsigned c = 0; c < m; c++)
          block[r * m + c] =
              factor * (ja[0][r] * jb[0][c] + ja[1][r] * jb[1][c] + ja[2][r] * jb[2][c]);
      sofa_tangent_add(tangent, s->side[a], row->points[i], s->side[b], column->points[k], block);
    }
}

/* -k J^T J with J = (J0, -J1) */
static SofaErr add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                     const SofaTangent *tangent) {
  const MouseSpring *s = (const MouseSpring *)ff;
  (void)params;
  if (!is_there(s)) return SOFA_OK;
  for (int a = 0; a < s->n_ends; a++)
    for (int b = 0; b < s->n_ends; b++) add_pair(s, a, b, at, tangent);
  return SOFA_OK;
}

static SofaErr potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *energy) {
  const MouseSpring *s = (const MouseSpring *)ff;
  double place[2][3], arm[2][3];
  (void)params;
  *energy = 0;
  if (!is_there(s)) return SOFA_OK;
  places_of(s, at->x, place, arm);
  const double d = sofa_vec3_distance(place[0], place[1]);
  *energy = 0.5 * s->stiffness * d * d;
  return SOFA_OK;
}

static const SofaForceFieldOps ops = {.add_force = add_force,
                                      .add_dforce = add_dforce,
                                      .add_k = add_k,
                                      .potential_energy = potential_energy,
                                      .tangent_is_dforce = true};

/* ---- topological changes ---- */

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  MouseSpring *s = (MouseSpring *)object;
  for (int e = 0; e < s->n_ends; e++) {
    PickAnchor *a = &s->end[e];
    if (change->kind != SOFA_CHANGE_REMOVE || !sofa_change_moves(change, a->state)) continue;
    for (unsigned i = 0; i < a->n; i++) {
      const bool was = a->points[i] < change->n_before;
      a->points[i] = was ? sofa_change_renamed(change, a->points[i]) : SOFA_NO_ELEMENT;
      s->gone = s->gone || a->points[i] == SOFA_NO_ELEMENT;
    }
  }
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = listen};

#define SPRING_CLASS(variable, xml, base_class)                                                    \
  static const SofaClass variable = {                                                              \
      .name = xml,                                                                                 \
      .module = "csofa",                                                                           \
      .category = "InteractionForceField",                                                         \
      .help = "A spring of the mouse.",                                                            \
      .base = base_class,                                                                          \
      .size = sizeof(MouseSpring),                                                                 \
      SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),              \
  }

SPRING_CLASS(spring_class, "MouseSpring", &sofa_force_field_class);
SPRING_CLASS(pair_class, "MouseSuture", &sofa_interaction_force_field_class); /* of two states */

/* ---- from outside ---- */

static bool is_above(const SofaNode *node, const SofaNode *other) {
  if (node == other) return true;
  for (size_t i = 0; i < node->children.n; i++)
    if (is_above(node->children.data[i], other)) return true;
  return false;
}

/* What moves a state; NULL: nothing does. */
static const SofaObject *solver_of(const SofaState *state) {
  return sofa_node_find(state->object.node, SOFA_ODE_SOLVER, SOFA_SEARCH_UP);
}

/* Where the solver sees the spring: of a fixed body only the position counts. */
static SofaNode *node_of(const PickAnchor *from, const PickAnchor *to) {
  SofaNode *node = from->state->object.node;
  if (to && solver_of(to->state) && !solver_of(from->state)) return to->state->object.node;
  if (to && solver_of(from->state) && !solver_of(to->state)) return node;
  while (to && !is_above(node, to->state->object.node) && node->parents.n)
    node = node->parents.data[0];
  return node;
}

/* The mass that acts on a state, or what it is mapped from. */
static SofaMass *mass_of(const SofaState *state) {
  for (SofaNode *node = state->object.node; node; node = sofa_node_parent(node)) {
    SofaObject *mass = sofa_node_slot(node, SOFA_MASS);
    if (mass && sofa_valid(mass)) return (SofaMass *)mass;
  }
  return NULL;
}

/* 1/m = sum w^2 / m_ii; of a state without a mass of its own, of a mean point. dx, mdx: 0 */
static double inverse_mass(const PickAnchor *a, double *dx, double *mdx) {
  SofaMass *mass = mass_of(a->state);
  const size_t deriv = sofa_state_kind_info(a->state->object.kind)->deriv;
  double inverse = 0;
  if (!mass) return 0;
  const SofaState *state = mass->force_field.state[0];
  const SofaMassOps *mass_ops = sofa_mass_ops(mass);
  if (state != a->state) {
    const double total = mass_ops->total_mass ? mass_ops->total_mass(mass) : 0;
    return total > 0 ? (double)state->position.n / total : 0;
  }
  for (unsigned i = 0; i < a->n; i++) {
    const size_t at = a->points[i] * deriv;
    mdx[at] = 0;
    dx[at] = 1;
    mass_ops->add_mdx(mass, state->position.data, dx, mdx, 1);
    dx[at] = 0;
    if (mdx[at] > 0) inverse += a->weights[i] * a->weights[i] / mdx[at];
  }
  return inverse;
}

/* k dt^2 / m = 1/4: far from the 4 that a mass on a spring bears. */
SofaErr mouse_spring_limit(const PickAnchor *from, const PickAnchor *to, double *limit) {
  const PickAnchor *ends[2] = {from, to};
  const SofaNode *root = sofa_node_root(from->state->object.node);
  const SofaObject *solvers[2] = {solver_of(from->state), solver_of(to->state)};
  double inverse = 0;
  *limit = INFINITY;
  if (!solvers[0] || !solvers[1] || solvers[0] == solvers[1]) return SOFA_OK;
  for (int e = 0; e < 2; e++) {
    SofaContext *ctx = root->object.ctx;
    const SofaState *s = ends[e]->state;
    const size_t n = s->position.n * sofa_state_kind_info(s->object.kind)->deriv;
    double *vectors = sofa_alloc(ctx, 2 * n + 1, sizeof *vectors);
    if (!vectors) return SOFA_ERR_MEMORY;
    inverse += inverse_mass(ends[e], vectors, vectors + n);
    sofa_free(ctx, vectors);
  }
  if (inverse > 0 && root->dt > 0) *limit = 0.25 / (inverse * root->dt * root->dt);
  return SOFA_OK;
}

SofaErr mouse_spring_create(const char *name, const PickAnchor *from, const PickAnchor *to,
                            double stiffness, SofaObject **out) {
  double place[3], other[3];
  *out = NULL;
  if (!pick_anchor_place(from, place) || (to && !pick_anchor_place(to, other)))
    return SOFA_ERR_ARGUMENT;
  const bool pair = to && to->state != from->state;
  SOFA_TRY(
      sofa_object_create(node_of(from, to), pair ? &pair_class : &spring_class, name, NULL, out));
  MouseSpring *s = (MouseSpring *)*out;
  s->stiffness = stiffness;
  s->n_ends = to ? 2 : 1;
  s->end[0] = *from;
  s->force_field.state[0] = from->state;
  if (to) s->end[1] = *to;
  s->force_field.state[1] = pair ? to->state : NULL;
  s->side[1] = pair;
  sofa_vec3_copy(place, s->target);
  (*out)->initialised = true;
  return SOFA_OK;
}

void mouse_spring_hold(SofaObject *spring, const double target[3]) {
  sofa_vec3_copy(target, ((MouseSpring *)spring)->target);
}

bool mouse_spring_ends(const SofaObject *spring, PickAnchor *from, PickAnchor *to) {
  const MouseSpring *s = (const MouseSpring *)spring;
  *from = s->end[0];
  if (to) *to = s->n_ends == 2 ? s->end[1] : (PickAnchor){.state = NULL};
  return is_there(s);
}

bool mouse_spring_places(const SofaObject *spring, double from[3], double to[3]) {
  const MouseSpring *s = (const MouseSpring *)spring;
  if (!is_there(s) || !pick_anchor_place(&s->end[0], from)) return false;
  sofa_vec3_copy(s->target, to);
  return s->n_ends == 1 || pick_anchor_place(&s->end[1], to);
}
