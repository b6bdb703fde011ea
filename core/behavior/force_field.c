/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bases of force fields on one state, between two and on any number, and how they find their
 * states. */
#include "behavior/force_field.h"

#include <string.h>
#include "behavior/list_division.h"
#include "behavior/list_owner.h"
#include "object/element.h"
#include "object/checkpoint.h"

const SofaInterface sofa_force_field_interface = {
    .name = "force field",
    SOFA_REQUIRES(offsetof(SofaForceFieldOps, add_force)),
    .keeps_topology = true,
    .ops_member = offsetof(SofaForceField, ops)};
const SofaInterface sofa_interaction_interface = {.name = "interaction force field",
                                                  .keeps_topology = true};

static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE,
                                        .search = SOFA_SEARCH_NONE};

#define RAYLEIGH_ROW                                                                               \
  SOFA_FIELD(SofaForceField, rayleigh_stiffness, "rayleighStiffness", "0", "s",                    \
             "Rayleigh damping proportional to this stiffness: adds rayleighStiffness K to the "   \
             "damping")

static const SofaField force_field_fields[] = {
    RAYLEIGH_ROW,
    SOFA_FIELD(SofaForceField, mstate, "mstate", NULL, "",
               "mechanical state acted on; default: the node's, else the nearest ancestor's",
               .link = &state_rule),
};

static const SofaField interaction_fields[] = {
    RAYLEIGH_ROW,
    SOFA_FIELD(SofaForceField, object1, "object1", NULL, "",
               "first mechanical state; default: the node's, else the nearest ancestor's",
               .link = &state_rule),
    SOFA_FIELD(SofaForceField, object2, "object2", NULL, "",
               "second mechanical state; default: the node's, else the nearest ancestor's",
               .link = &state_rule),
};

static const SofaField multi_fields[] = {
    RAYLEIGH_ROW,
    SOFA_FIELD(SofaForceField, states, "states", NULL, "",
               "the mechanical states acted on, in the order that the class asks for",
               .link = &state_rule),
};

/* ---- states ---- */

static void use_few_states(SofaForceField *ff, size_t n) {
  ff->state = ff->few_states;
  ff->n_states = n;
}

SofaErr sofa_force_field_set_n_states(SofaForceField *ff, size_t n) {
  const size_t few = sizeof ff->few_states / sizeof *ff->few_states - 1;
  SofaState **more = NULL;
  if (n > few && !(more = sofa_alloc(ff->object.ctx, n + 1, sizeof *more))) return SOFA_ERR_MEMORY;
  if (ff->state != ff->few_states) sofa_free(ff->object.ctx, ff->state);
  memset(ff->few_states, 0, sizeof ff->few_states);
  use_few_states(ff, n);
  if (more) ff->state = more;
  return SOFA_OK;
}

static SofaErr forget(SofaObject *object) {
  sofa_force_field_forget_point((SofaForceField *)object);
  return SOFA_OK;
}

static SofaErr force_field_reinit(SofaObject *object) {
  SOFA_TRY(forget(object));
  return sofa_object_settle_lists(object);
}

static void destroy(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
  if (ff->state != ff->few_states) sofa_free(object->ctx, ff->state);
  ff->state = ff->few_states;
}

static SofaErr force_field_construct(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
  use_few_states(ff, 1);
  ff->state[0] = sofa_node_state(object->node);
  return SOFA_OK;
}

static SofaErr force_field_parsed(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
  if (ff->mstate.target) ff->state[0] = (SofaState *)ff->mstate.target;
  return SOFA_OK;
}

/* Kind that part k of a template such as "Vec3d,Rigid3d" names; the last part is that of all
 * further states. */
static SofaStateKind part_kind(const char *template_name, size_t k) {
  const char *from = template_name ? template_name : "", *comma = NULL;
  char part[32];
  while ((comma = strchr(from, ',')) && k-- > 0) from = comma + 1;
  if (!comma) return sofa_state_kind_from_name(from);
  const size_t n = (size_t)(comma - from);
  if (n >= sizeof part) return SOFA_NO_KIND;
  sofa_copy(part, from, n);
  part[n] = 0;
  return sofa_state_kind_from_name(part);
}

/* A state of another kind than the template's, or none, makes the field unusable. */
static SofaErr check_state(SofaForceField *ff, size_t k) {
  const SofaObject *object = &ff->object;
  const SofaStateKind expected = part_kind(object->template_name, k);
  if (!ff->state[k])
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no mechanical state in this node or above for the force "
                            "to act on");
  const SofaStateKind kind = ff->state[k]->object.kind;
  if (expected == SOFA_NO_KIND || kind == expected) return SOFA_OK;
  ff->state[k] = NULL;
  return sofa_object_fail(object, SOFA_ERR_TYPE, "the state is of kind %s, the force field of %s",
                          sofa_state_kind_info(kind)->name, sofa_state_kind_info(expected)->name);
}

static SofaErr force_field_init(SofaObject *object) {
  SOFA_TRY(force_field_parsed(object));
  SOFA_TRY(check_state((SofaForceField *)object, 0));
  return sofa_object_settle_lists(object);
}

static SofaErr interaction_construct(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
  use_few_states(ff, 2);
  ff->state[0] = ff->state[1] = sofa_node_state(object->node);
  return SOFA_OK;
}

static SofaErr interaction_parsed(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
  if (ff->object1.target) ff->state[0] = (SofaState *)ff->object1.target;
  if (ff->object2.target) ff->state[1] = (SofaState *)ff->object2.target;
  return SOFA_OK;
}

static SofaErr interaction_init(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
  SOFA_TRY(interaction_parsed(object));
  SOFA_TRY(check_state(ff, 0));
  return check_state(ff, 1);
}

/* One until the class says how many. */
static SofaErr multi_construct(SofaObject *object) {
  use_few_states((SofaForceField *)object, 1);
  return SOFA_OK;
}

/* Without a message: init looks at it again. */
static SofaErr multi_parsed(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
  if (ff->states.n != ff->n_states) return SOFA_OK;
  for (size_t k = 0; k < ff->n_states; k++) ff->state[k] = (SofaState *)ff->states.data[k].target;
  return SOFA_OK;
}

static SofaErr multi_init(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
  if (ff->states.n != ff->n_states)
    return sofa_field_fail(object, "states", SOFA_ERR_RANGE, "%zu mechanical states, expected %zu",
                           ff->states.n, ff->n_states);
  SOFA_TRY(multi_parsed(object));
  for (size_t k = 0; k < ff->n_states; k++) SOFA_TRY(check_state(ff, k));
  return SOFA_OK;
}

SofaErr sofa_force_field_check_states(const SofaForceField *ff) {
  for (size_t k = 1; ff->state[0] && k < ff->n_states; k++)
    if (!ff->state[k])
      return sofa_object_fail(&ff->object, SOFA_ERR_NOT_FOUND,
                              "the force acts on %zu mechanical states, number %zu is missing",
                              ff->n_states, k + 1);
  return SOFA_OK;
}

/* ---- evaluation ---- */

SofaErr sofa_force_field_state_point(const SofaForceField *ff, double time, SofaPoint *out) {
  SofaContext *ctx = ff->object.ctx;
  const double **x = SOFA_SCRATCH(ctx, const double *, ff->n_states + 1);
  const double **v = SOFA_SCRATCH(ctx, const double *, ff->n_states + 1);
  if (!x || !v) return SOFA_ERR_MEMORY;
  *out = (SofaPoint){.x = x, .v = v, .time = time, .id = sofa_point_id(ctx)};
  for (; out->n < ff->n_states && ff->state[out->n]; out->n++) {
    x[out->n] = ff->state[out->n]->position.data;
    v[out->n] = ff->state[out->n]->velocity.data;
  }
  return SOFA_OK;
}

static SofaErr add_own_damping(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, double *const *f) {
  SofaMechParams own = sofa_mech_params(params->dt, params->time, 0, 0, 0);
  own.r = 1;
  for (size_t k = 0; k < at->n; k++)
    if (!at->v[k]) return SOFA_OK;
  return sofa_force_field_add_dforce(ff, &own, at, at->v, f);
}

SofaErr sofa_interaction_add_force(SofaForceField *ff, const SofaMechParams *params,
                                   double *const *f) {
  const SofaScratchMark mark = sofa_scratch_mark(ff->object.ctx);
  SofaPoint at;
  SofaErr err = sofa_force_field_state_point(ff, params->time, &at);
  if (err == SOFA_OK) err = sofa_force_field_add_force(ff, params, &at, f);
  if (err == SOFA_OK && ff->rayleigh_stiffness != 0 &&
      !sofa_quirk(&ff->object, SOFA_QUIRK_INTERACTION_RAYLEIGH))
    err = add_own_damping(ff, params, &at, f);
  sofa_scratch_release(ff->object.ctx, mark);
  return err;
}

SofaErr sofa_force_field_add_force(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, double *const *f) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  ff->kept_point = 0;
  SOFA_TRY(ops->add_force(ff, params, at, f));
  if (ops->keeps_point) ff->kept_point = at->id;
  return SOFA_OK;
}

/* add_force for what it keeps. */
static SofaErr force_for_nothing(SofaForceField *ff, const SofaForceFieldOps *ops,
                                 const SofaMechParams *params, const SofaPoint *at) {
  SofaContext *ctx = ff->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double **f = SOFA_SCRATCH(ctx, double *, ff->n_states + 1);
  SofaErr err = f ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t k = 0; err == SOFA_OK && k < ff->n_states && ff->state[k]; k++) {
    const size_t n =
        sofa_state_size(ff->state[k]) * sofa_state_kind_info(ff->state[k]->object.kind)->deriv;
    f[k] = SOFA_SCRATCH(ctx, double, n + 1);
    if (f[k]) sofa_zero(f[k], n * sizeof *f[k]);
    else err = SOFA_ERR_MEMORY;
  }
  if (err == SOFA_OK) err = ops->add_force(ff, params, at, f);
  sofa_scratch_release(ctx, mark);
  return err;
}

/* Before a derivative: is what is kept that of the point? */
static inline SofaErr keep_point(SofaForceField *ff, const SofaForceFieldOps *ops,
                                 const SofaMechParams *params, const SofaPoint *at) {
  if (!ops->keeps_point || (at->id != 0 && ff->kept_point == at->id)) return SOFA_OK;
  ff->kept_point = 0;
  SOFA_TRY(ops->linearise ? ops->linearise(ff, params, at)
                          : force_for_nothing(ff, ops, params, at));
  ff->kept_point = at->id;
  return SOFA_OK;
}

SofaErr sofa_force_field_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, const double *const *dx,
                                    double *const *df) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  if (!ops->add_dforce) return SOFA_OK;
  SOFA_TRY(keep_point(ff, ops, params, at));
  return ops->add_dforce(ff, params, at, dx, df);
}

SofaErr sofa_force_field_add_k(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  if (!ops->add_k) return SOFA_OK;
  SOFA_TRY(keep_point(ff, ops, params, at));
  return ops->add_k(ff, params, at, tangent);
}

SofaErr sofa_force_field_add_b(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  if (!ops->add_b) return SOFA_OK;
  SOFA_TRY(keep_point(ff, ops, params, at));
  return ops->add_b(ff, params, at, tangent);
}

SofaErr sofa_force_field_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                          const SofaPoint *at, double *energy) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  if (!ops->potential_energy) {
    *energy = 0;
    return SOFA_OK;
  }
  ff->kept_point = 0; /* some take the same element data */
  return ops->potential_energy(ff, params, at, energy);
}

bool sofa_force_field_has_energy(const SofaForceField *ff) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  return ops->potential_energy && (!ops->conservative || ops->conservative(ff));
}

const SofaApproximation *sofa_force_field_approximation(const SofaForceField *ff) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  return ops->approximation ? ops->approximation(ff) : NULL;
}

SofaErr sofa_force_field_accept(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  if (!ops->accept) return SOFA_OK;
  ff->kept_point = 0;
  return ops->accept(ff, params, at);
}

bool sofa_force_field_dissipated(const SofaForceField *ff, double *energy) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  *energy = 0;
  return ops->dissipated && ops->dissipated(ff, energy);
}

/* ---- creation ---- */

static bool is_mechanical_state(const SofaObject *object, const void *user) {
  (void)user;
  return sofa_implements(object, SOFA_MECHANICAL_STATE);
}

/* The state a link attribute names, or the one in context when it is absent. */
static const SofaState *state_for(SofaNode *node, const char *path) {
  if (!path || !*path) return sofa_node_state(node);
  path += *path == '@';
  SofaObject *found = sofa_resolve_path(node, path, &(SofaPathRule){.accept = is_mechanical_state});
  if (found) return (SofaState *)found;
  // a path to a node without a state of its own means the nearest ancestor's
  found = sofa_resolve_path(node, path, &(SofaPathRule){.node = true});
  return found && found->klass == &sofa_node_class ? sofa_node_state((SofaNode *)found) : NULL;
}

/* Is there a state of the template's kind for this link? If not, the reason is appended. */
static bool has_state(SofaNode *node, const struct SofaElement *element, const char *attribute,
                      SofaStateKind kind, SofaText *why) {
  SofaContext *ctx = node->object.ctx;
  const char *path = element ? sofa_element_attribute(element, attribute) : NULL;
  const SofaState *state = state_for(node, path);
  if (state && (kind == SOFA_NO_KIND || state->object.kind == kind)) return true;
  // a reason that cannot be written is a memory error, which the next allocation reports
  if (!state && path)
    (void)sofa_text_printf(ctx, why, "'%s' names no mechanical state: \"%s\"", attribute, path);
  else if (!state)
    (void)sofa_text_printf(ctx, why, "there is no mechanical state in this node or above");
  else
    (void)sofa_text_printf(ctx, why, "the mechanical state is of kind %s, not %s",
                           sofa_state_kind_info(state->object.kind)->name,
                           sofa_state_kind_info(kind)->name);
  return false;
}

/* Of templates such as "Vec3d,Tetrahedron" the first part names the state. */
bool sofa_force_field_can_create(SofaNode *node, const struct SofaElement *element,
                                 const char *template_name, SofaText *why) {
  return has_state(node, element, "mstate", part_kind(template_name, 0), why);
}

bool sofa_interaction_can_create(SofaNode *node, const struct SofaElement *element,
                                 const char *template_name, SofaText *why) {
  return has_state(node, element, "object1", part_kind(template_name, 0), why) &&
         has_state(node, element, "object2", part_kind(template_name, 1), why);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaForceField, kept_point),
};

const SofaClass sofa_force_field_class = {
    .name = "ForceField",
    .module = "csofa",
    .category = "ForceField",
    .help = "A force on one mechanical state.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    .size = sizeof(SofaForceField),
    SOFA_FIELDS(force_field_fields),
    .abstract = true,
    .can_create = sofa_force_field_can_create,
    .construct = force_field_construct,
    .parsed = force_field_parsed,
    .init = force_field_init,
    .reinit = force_field_reinit,
    .reset = forget,
    .list_owner = sofa_list_owner,
    .destroy = destroy,
};

static const SofaQuirk interaction_quirks[] = {
    {SOFA_QUIRK_INTERACTION_RAYLEIGH, "interaction-rayleigh",
     "rayleighStiffness of interactions above the solvers has no effect",
     "test_interactions.damping_above_solvers"},
};

static const SofaSparedMember interaction_force_field_spared[] = {
    SOFA_REMADE(SofaForceField, kept_point),
};

const SofaClass sofa_interaction_force_field_class = {
    .name = "InteractionForceField",
    .module = "csofa",
    .category = "InteractionForceField",
    .help = "A force between two mechanical states, which may be the same.",
    .base = &sofa_object_class,
    SOFA_SPARES(interaction_force_field_spared),
    .size = sizeof(SofaForceField),
    SOFA_QUIRKS(interaction_quirks),
    SOFA_FIELDS(interaction_fields),
    .abstract = true,
    .can_create = sofa_interaction_can_create,
    .construct = interaction_construct,
    .parsed = interaction_parsed,
    .init = interaction_init,
    .bwd_init = sofa_object_settle_lists, /* states of nodes below have their sizes then */
    .reinit = force_field_reinit,
    .reset = forget,
    .list_owner = sofa_list_owner,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_INTERACTION, SOFA_NO_OPS}),
};

const SofaClass sofa_multi_force_field_class = {
    .name = "MultiForceField",
    .module = "csofa",
    .category = "InteractionForceField",
    .help = "A force between any number of mechanical states.",
    .base = &sofa_object_class,
    .size = sizeof(SofaForceField),
    SOFA_QUIRKS(interaction_quirks),
    SOFA_FIELDS(multi_fields),
    .abstract = true,
    .construct = multi_construct,
    .parsed = multi_parsed,
    .init = multi_init,
    .reinit = forget,
    .reset = forget,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_INTERACTION, SOFA_NO_OPS}),
};
