/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan of an ODE solver: collecting what lies below its node and laying out the flat vectors.
 */
#include "simulation/mechanics.h"

#include "behavior/step_limiter.h"
#include "object/outside_plans.h"
#include "simulation/divided_plan.h"
#include "simulation/reactions_impl.h"

/* A vector handed out to a solver. */
typedef struct SofaMechVector {
  struct SofaMechVector *next;
  size_t n;
  double *data;
} SofaMechVector;

/* Growable lists used while collecting; they become the arrays of the plan. */
SOFA_LIST(void *, PointerList);
typedef struct Collected {
  PointerList main, mapped, mappings, force_fields, masses, constraints, limiters;
} Collected;

static SofaErr push(SofaContext *ctx, PointerList *list, void *pointer) {
  return SOFA_APPEND(ctx, list, &pointer);
}

/* ---- collecting ---- */

static bool holds_slot(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    if (sofa_implements(object, SOFA_MAPPING) && sofa_quirk(object, SOFA_QUIRK_MAPPING_SLOT))
      return true;
  }
  return false;
}

/* A state is mapped when a mechanical mapping writes to it. SOFA asks only whether the state's node
 * holds a mapping, also one towards a visual model. */
static bool is_mapped(const Collected *c, const SofaState *state) {
  for (size_t i = 0; i < c->mappings.n; i++)
    if (((SofaMapping *)c->mappings.data[i])->out == state) return true;
  return holds_slot(state->object.node);
}

/* Do force and matrix operations reach this node? They stop at mappings without map_forces. */
static bool forces_reach(const SofaNode *node, const SofaNode *top) {
  for (const SofaNode *n = node; n; n = sofa_node_parent(n)) {
    for (size_t i = 0; i < n->objects.n; i++) {
      SofaObject *object = n->objects.data[i];
      if (!sofa_implements(object, SOFA_MAPPING) || !sofa_valid(object)) continue;
      const SofaMapping *map = (const SofaMapping *)object;
      if (map->map_forces) continue;
      if (map->mechanical || sofa_quirk(object, SOFA_QUIRK_MAPPING_SLOT)) return false;
    }
    if (n == top) break;
  }
  return true;
}

static SofaErr collect_object(SofaContext *ctx, Collected *c, SofaObject *object, bool forces) {
  if (sofa_implements(object, SOFA_MECHANICAL_STATE)) {
    SofaState *state = (SofaState *)object;
    state->mapped = is_mapped(c, state);
    SOFA_TRY(push(ctx, state->mapped ? &c->mapped : &c->main, state));
  }
  if (sofa_implements(object, SOFA_MASS) && forces) SOFA_TRY(push(ctx, &c->masses, object));
  if (sofa_implements(object, SOFA_PROJECTIVE)) SOFA_TRY(push(ctx, &c->constraints, object));
  if (sofa_implements(object, SOFA_STEP_LIMITER)) SOFA_TRY(push(ctx, &c->limiters, object));
  return SOFA_OK;
}

static SofaErr collect_mappings(SofaContext *ctx, Collected *c, const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    if (!sofa_implements(object, SOFA_MAPPING) || !sofa_valid(object)) continue;
    if (((SofaMapping *)object)->mechanical) SOFA_TRY(push(ctx, &c->mappings, object));
  }
  return SOFA_OK;
}

static SofaErr collect_node(SofaContext *ctx, Collected *c, const SofaNode *node,
                            const SofaNode *top) {
  const bool forces = forces_reach(node, top);
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_valid(node->objects.data[i]))
      SOFA_TRY(collect_object(ctx, c, node->objects.data[i], forces));
  if (!forces) return SOFA_OK;

  /* force fields of one state (masses among them) come before interactions */
  for (int interactions = 0; interactions < 2; interactions++) {
    for (size_t i = 0; i < node->objects.n; i++) {
      SofaObject *object = node->objects.data[i];
      if (!sofa_valid(object) || !sofa_implements(object, SOFA_FORCE_FIELD)) continue;
      if (sofa_implements(object, SOFA_INTERACTION) != (interactions == 1)) continue;
      SOFA_TRY(sofa_force_field_check_states((const SofaForceField *)object));
      SOFA_TRY(push(ctx, &c->force_fields, object));
    }
  }
  return SOFA_OK;
}

static void collected_free(SofaContext *ctx, Collected *c) {
  sofa_list_free(ctx, &c->main);
  sofa_list_free(ctx, &c->mapped);
  sofa_list_free(ctx, &c->mappings);
  sofa_list_free(ctx, &c->force_fields);
  sofa_list_free(ctx, &c->masses);
  sofa_list_free(ctx, &c->constraints);
  sofa_list_free(ctx, &c->limiters);
}

static SofaErr collect(SofaMechanics *m, Collected *c) {
  SofaNodes nodes = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, sofa_node_order(m->node, &nodes));
  for (size_t i = 0; i < nodes.n; i++)
    SOFA_GO(err, done, collect_mappings(m->ctx, c, nodes.data[i]));
  for (size_t i = 0; i < nodes.n; i++)
    SOFA_GO(err, done, collect_node(m->ctx, c, nodes.data[i], m->node));
done:
  sofa_list_free(m->ctx, &nodes);
  return err;
}

/* Moves a collected list into the plan. */
#define TAKE(m, list, array, count)                                                                \
  ((m)->array = (void *)(list).data, (m)->count = (list).n, (list).data = NULL, (list).n = 0)

/* ---- layout ---- */

/* Copies the state's list into its place of the flat vector and makes it a view. */
static void make_view(SofaContext *ctx, SofaCoords *list, double *place) {
  if (list->n) sofa_copy(place, list->data, list->n * list->width * sizeof *place);
  if (!list->view) sofa_free(ctx, list->data);
  list->data = place;
  list->capacity = list->n;
  list->view = true;
}

static SofaErr make_owner(SofaContext *ctx, SofaCoords *list) {
  if (!list->view) return SOFA_OK;
  const size_t size = list->n * list->width;
  double *own = NULL;
  if (size) {
    own = sofa_alloc(ctx, size, sizeof *own);
    if (own) sofa_copy(own, list->data, size * sizeof *own);
  }
  if (size && !own) list->n = 0;
  list->data = own;
  list->capacity = list->n;
  list->view = false;
  return size && !own ? SOFA_ERR_MEMORY : SOFA_OK;
}

static void measure(SofaMechanics *m) {
  uint32_t block = 0;
  for (size_t i = 0; i < m->n_states; i++) {
    SofaState *s = m->states[i];
    const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
    s->x_offset = m->n_x;
    s->v_offset = m->n_v;
    s->block_row = block;
    m->n_x += s->position.n * kind->coord;
    m->n_v += s->position.n * kind->deriv;
    block += (uint32_t)s->position.n;
    if (i + 1 == m->n_main) m->n_x_main = m->n_x, m->n_v_main = m->n_v;
  }
}

/* The list gets an entry per point, those of `from` when it had none, and becomes a view. */
static SofaErr make_free(SofaContext *ctx, SofaCoords *list, const SofaCoords *from,
                         double *place) {
  if (list->n != from->n) {
    list->width = from->width;
    SOFA_TRY(sofa_coords_resize(ctx, list, from->n));
    if (from->n) sofa_copy(list->data, from->data, from->n * from->width * sizeof *list->data);
  }
  if (place) make_view(ctx, list, place);
  return SOFA_OK;
}

static bool wants_free(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_states; i++)
    if (m->states[i]->free_position.n > 0) return true;
  return false;
}

static SofaErr new_vector(SofaMechanics *m, size_t n, double **out) {
  *out = NULL;
  SofaMechVector *v = sofa_alloc(m->ctx, 1, sizeof *v);
  if (!v) return SOFA_ERR_MEMORY;
  v->data = sofa_alloc(m->ctx, n + 1, sizeof *v->data);
  if (!v->data) {
    sofa_free(m->ctx, v);
    return SOFA_ERR_MEMORY;
  }
  v->n = n;
  v->next = m->vectors;
  m->vectors = v;
  *out = v->data;
  return SOFA_OK;
}

SofaErr sofa_mechanics_want_free(SofaMechanics *m) {
  if (m->x_free) return SOFA_OK;
  SOFA_TRY(new_vector(m, m->n_v, &m->v_free));
  SOFA_TRY(new_vector(m, m->n_x, &m->x_free));
  for (size_t i = 0; i < m->n_states; i++) {
    SofaState *s = m->states[i];
    SOFA_TRY(make_free(m->ctx, &s->free_position, &s->position, m->x_free + s->x_offset));
    SOFA_TRY(make_free(m->ctx, &s->free_velocity, &s->velocity, m->v_free + s->v_offset));
  }
  return SOFA_OK;
}

SofaErr sofa_state_want_free(SofaState *s) {
  if (s->mechanics) return sofa_mechanics_want_free(s->mechanics);
  SOFA_TRY(make_free(s->object.ctx, &s->free_position, &s->position, NULL));
  return make_free(s->object.ctx, &s->free_velocity, &s->velocity, NULL);
}

static SofaErr lay_out(SofaMechanics *m) {
  SofaContext *ctx = m->ctx;
  for (size_t i = 0; i < m->n_states; i++) {
    SofaState *s = m->states[i];
    if (s->velocity.n != s->position.n || s->force.n != s->position.n)
      SOFA_TRY(sofa_state_resize(s, s->position.n));
  }
  measure(m);
  m->graph_version = *m->node->graph_version;
  m->x = sofa_alloc(ctx, m->n_x + 1, sizeof *m->x);
  m->v = sofa_alloc(ctx, m->n_v + 1, sizeof *m->v);
  m->f = sofa_alloc(ctx, m->n_v + 1, sizeof *m->f);
  m->x_good = sofa_alloc(ctx, m->n_x + 1, sizeof *m->x);
  m->v_good = sofa_alloc(ctx, m->n_v + 1, sizeof *m->v);
  if (!m->x || !m->v || !m->f || !m->x_good || !m->v_good) return SOFA_ERR_MEMORY;
  if (m->n_limiters && !(m->x_taken = sofa_alloc(ctx, m->n_x + 1, sizeof *m->x)))
    return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < m->n_states; i++) {
    SofaState *s = m->states[i];
    // the plan of another node, which has the state too, is made again when it is asked for
    if (s->mechanics) s->mechanics->graph_version = ~*m->node->graph_version;
    make_view(ctx, &s->position, m->x + s->x_offset);
    make_view(ctx, &s->velocity, m->v + s->v_offset);
    make_view(ctx, &s->force, m->f + s->v_offset);
    s->mechanics = m;
    s->find_force = sofa_mech_find_force;
  }
  return wants_free(m) ? sofa_mechanics_want_free(m) : SOFA_OK;
}

static size_t size_outside(const SofaMechanics *m, const SofaState *s) {
  if (!s || s->mechanics == m) return 0;
  return s->position.n * sofa_state_kind_info(s->object.kind)->deriv;
}

static void take_larger(size_t *largest, size_t size) {
  if (size > *largest) *largest = size;
}

/* Room for forces on states outside the plan (interactions reaching out of the subtree).
 */
static SofaErr make_outside(SofaMechanics *m) {
  size_t largest = 0;
  for (size_t i = 0; i < m->n_force_fields; i++)
    for (size_t k = 0; k < m->force_fields[i]->n_states; k++)
      take_larger(&largest, size_outside(m, m->force_fields[i]->state[k]));
  for (size_t i = 0; i < m->n_constraints; i++) {
    take_larger(&largest, size_outside(m, m->constraints[i]->state));
    take_larger(&largest, size_outside(m, m->constraints[i]->second));
  }
  for (size_t i = 0; i < m->n_mappings; i++)
    for (size_t k = 0; k < m->mappings[i]->n_inputs; k++)
      take_larger(&largest, size_outside(m, m->mappings[i]->inputs[k]));
  m->outside_size = largest;
  m->outside = sofa_alloc(m->ctx, largest + 1, sizeof *m->outside);
  m->outside_zero = sofa_alloc(m->ctx, largest + 1, sizeof *m->outside_zero);
  return m->outside && m->outside_zero ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr make_point_arguments(SofaMechanics *m) {
  size_t most = 1;
  for (size_t i = 0; i < m->n_force_fields; i++)
    if (m->force_fields[i]->n_states > most) most = m->force_fields[i]->n_states;
  for (size_t i = 0; i < m->n_mappings; i++)
    if (m->mappings[i]->n_inputs > most) most = m->mappings[i]->n_inputs;
  for (size_t i = 0; i < m->n_limiters; i++) {
    const SofaStepLimiterOps *ops = sofa_ops(m->limiters[i], SOFA_STEP_LIMITER);
    SofaState *const *states;
    size_t n;
    ops->states(m->limiters[i], &states, &n);
    if (n > most) most = n;
  }
  m->at_x = sofa_alloc(m->ctx, most, sizeof *m->at_x);
  m->at_v = sofa_alloc(m->ctx, most, sizeof *m->at_v);
  m->at_dx = sofa_alloc(m->ctx, most, sizeof *m->at_dx);
  m->at_f = sofa_alloc(m->ctx, most, sizeof *m->at_f);
  return m->at_x && m->at_v && m->at_dx && m->at_f ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* Does a mapping need the forces of a point? */
static bool needs_forces(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_mappings; i++)
    if (m->mappings[i]->map_forces && sofa_mapping_ops(m->mappings[i])->apply_djt) return true;
  return false;
}

static SofaErr make_arguments(SofaMechanics *m) {
  size_t most = 1;
  SOFA_TRY(make_point_arguments(m));
  if (needs_forces(m) && !(m->point_f = sofa_alloc(m->ctx, m->n_v + 1, sizeof *m->point_f)))
    return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < m->n_mappings; i++)
    if (m->mappings[i]->n_inputs > most) most = m->mappings[i]->n_inputs;
  m->in = sofa_alloc(m->ctx, most, sizeof *m->in);
  m->in2 = sofa_alloc(m->ctx, most, sizeof *m->in2);
  return m->in && m->in2 ? SOFA_OK : SOFA_ERR_MEMORY;
}

SofaErr sofa_mechanics_create(SofaNode *node, SofaMechanics **out) {
  SofaContext *ctx = node->object.ctx;
  Collected c = {0};
  SofaErr err = SOFA_OK;
  *out = NULL;
  SofaMechanics *m = sofa_alloc(ctx, 1, sizeof *m);
  if (!m) return SOFA_ERR_MEMORY;
  m->ctx = ctx;
  m->node = node;
  SOFA_GO(err, done, collect(m, &c));
  m->n_main = c.main.n;
  for (size_t i = 0; i < c.mapped.n; i++) SOFA_GO(err, done, push(ctx, &c.main, c.mapped.data[i]));
  TAKE(m, c.main, states, n_states);
  TAKE(m, c.mappings, mappings, n_mappings);
  TAKE(m, c.force_fields, force_fields, n_force_fields);
  TAKE(m, c.masses, masses, n_masses);
  TAKE(m, c.constraints, constraints, n_constraints);
  TAKE(m, c.limiters, limiters, n_limiters);
  SOFA_GO(err, done, lay_out(m));
  for (size_t i = 0; i < m->n_constraints; i++)
    m->constraints[i]->find_reactions = sofa_mech_find_reactions;
  SOFA_GO(err, done, make_outside(m));
  SOFA_GO(err, done, make_arguments(m));
  for (size_t i = 0; i < m->n_mappings; i++)
    if (m->mappings[i]->map_forces) m->has_mapped_forces = true;
  SOFA_GO(err, done, sofa_divided_plan_create(m));
done:
  collected_free(ctx, &c);
  if (err != SOFA_OK) sofa_mechanics_destroy(&m);
  *out = m;
  return err;
}

static void free_vectors(SofaContext *ctx, SofaMechVector *v) {
  for (SofaMechVector *next; v; v = next) {
    next = v->next;
    sofa_free(ctx, v->data);
    sofa_free(ctx, v);
  }
}

void sofa_mechanics_destroy(SofaMechanics **mechanics) {
  SofaMechanics *m = *mechanics;
  if (!m) return;
  SofaContext *ctx = m->ctx;
  for (size_t i = 0; i < m->n_states; i++) {
    SofaState *s = m->states[i];
    if (s->mechanics != m) continue;
    make_owner(ctx, &s->position);
    make_owner(ctx, &s->velocity);
    make_owner(ctx, &s->force);
    make_owner(ctx, &s->free_position);
    make_owner(ctx, &s->free_velocity);
    s->mechanics = NULL;
  }
  free_vectors(ctx, m->vectors);
  free_vectors(ctx, m->restored);
  sofa_divided_plan_destroy(m);
  void *owned[] = {
      m->states,  m->mappings, m->force_fields, m->masses,       m->constraints,   m->x,
      m->v,       m->f,        m->x_good,       m->v_good,       m->outside,       m->outside_zero,
      m->in,      m->in2,      (void *)m->at_x, (void *)m->at_v, (void *)m->at_dx, m->at_f,
      m->point_f, m->limiters, m->x_taken};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sofa_free(ctx, owned[i]);
  sofa_free(ctx, m);
  *mechanics = NULL;
}

SofaErr sofa_node_mechanics(SofaNode *node, SofaMechanics **out) {
  if (node->mechanics &&
      sofa_graph_same_plans(node->mechanics->graph_version, *node->graph_version)) {
    *out = node->mechanics;
    return SOFA_OK;
  }
  sofa_mechanics_destroy(&node->mechanics);
  *out = NULL;
  SOFA_TRY(sofa_mechanics_create(node, &node->mechanics));
  node->mechanics->serial = ++node->n_plans;
  node->mechanics->load_factor = 1;
  node->free_mechanics = sofa_mechanics_destroy;
  *out = node->mechanics;
  return SOFA_OK;
}

void sofa_node_drop_mechanics(SofaNode *node) {
  sofa_mechanics_destroy(&node->mechanics);
}

/* ---- checkpoints ---- */

/* Those of the free motion are values of states; others are work space. */
static bool is_of_solver(const SofaMechanics *m, const SofaMechVector *v) {
  return v->data != m->x_free && v->data != m->v_free && v->data != m->total_f &&
         v->data != m->v_before;
}

size_t sofa_mechanics_n_vectors(const SofaMechanics *m) {
  size_t n = 0;
  for (const SofaMechVector *v = m->vectors; v; v = v->next) n += is_of_solver(m, v);
  return n;
}

static SofaMechVector *vector_at(const SofaMechanics *m, size_t i) {
  size_t k = sofa_mechanics_n_vectors(m); /* the list begins with the last one */
  for (SofaMechVector *v = m->vectors; v; v = v->next)
    if (is_of_solver(m, v) && --k == i) return v;
  return NULL;
}

const double *sofa_mechanics_vector(const SofaMechanics *m, size_t i, size_t *n) {
  const SofaMechVector *v = vector_at(m, i);
  *n = v ? v->n : 0;
  return v ? v->data : NULL;
}

SofaErr sofa_mechanics_restore_vector(SofaMechanics *m, size_t i, size_t n, const double *values) {
  const SofaMechVector *there = vector_at(m, i);
  if (there) {
    if (there->n != n) return SOFA_ERR_RANGE;
    sofa_copy(there->data, values, n * sizeof *values);
    return SOFA_OK;
  }
  SofaMechVector *v = sofa_alloc(m->ctx, 1, sizeof *v);
  if (!v) return SOFA_ERR_MEMORY;
  *v = (SofaMechVector){.n = n, .data = sofa_alloc(m->ctx, n + 1, sizeof *v->data)};
  if (!v->data) {
    sofa_free(m->ctx, v);
    return SOFA_ERR_MEMORY;
  }
  sofa_copy(v->data, values, n * sizeof *values);
  SofaMechVector **last = &m->restored;
  while (*last) last = &(*last)->next;
  *last = v;
  return SOFA_OK;
}

void sofa_mechanics_clear_vectors(SofaMechanics *m) {
  m->h = 0;
  for (SofaMechVector *v = m->vectors; v; v = v->next) sofa_zero(v->data, v->n * sizeof *v->data);
}

/* A vector that is handed out has the values that a checkpoint has for it. */
static SofaErr hand_out(SofaMechanics *m, size_t n, double **out) {
  SofaMechVector *from = m->restored;
  SOFA_TRY(new_vector(m, n, out));
  if (!from) return SOFA_OK;
  if (from->n == n) sofa_copy(*out, from->data, n * sizeof **out);
  m->restored = from->next;
  sofa_free(m->ctx, from->data);
  sofa_free(m->ctx, from);
  return SOFA_OK;
}

SofaErr sofa_mechanics_deriv(SofaMechanics *m, double **out) {
  return hand_out(m, m->n_v, out);
}
SofaErr sofa_mechanics_work(SofaMechanics *m, double **out) {
  return new_vector(m, m->n_v, out);
}
SofaErr sofa_mechanics_coord(SofaMechanics *m, double **out) {
  return hand_out(m, m->n_x, out);
}

uint32_t sofa_mech_block_row(const SofaMechanics *m, const SofaState *state) {
  (void)m;
  return state->block_row;
}

size_t sofa_mech_n_blocks(const SofaMechanics *m) {
  size_t n = 0;
  for (size_t i = 0; i < m->n_main; i++) n += m->states[i]->position.n;
  return n;
}
