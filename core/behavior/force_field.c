/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bases of force fields on one state and between two, and how they find their states. */
#include "behavior/force_field.h"

#include <string.h>
#include "object/element.h"

const SofaInterface sofa_force_field_interface = {
    .name = "force field",
    SOFA_REQUIRES(offsetof(SofaForceFieldOps, add_force)),
    .keeps_topology = true};
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

/* ---- states ---- */

static SofaErr force_field_construct(SofaObject *object) {
  ((SofaForceField *)object)->state[0] = sofa_node_state(object->node);
  return SOFA_OK;
}

static SofaErr force_field_parsed(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
  if (ff->mstate.target) ff->state[0] = (SofaState *)ff->mstate.target;
  return SOFA_OK;
}

/* Kind that part k of a template such as "Vec3d,Rigid3d" names; a template of one part is that of
 * both states. */
static SofaStateKind part_kind(const char *template_name, int k) {
  const char *comma = template_name ? strchr(template_name, ',') : NULL;
  char part[32];
  if (!template_name || !comma || k)
    return sofa_state_kind_from_name(comma ? comma + 1 : template_name ? template_name : "");
  const size_t n = (size_t)(comma - template_name);
  if (n >= sizeof part) return SOFA_NO_KIND;
  memcpy(part, template_name, n);
  part[n] = 0;
  return sofa_state_kind_from_name(part);
}

/* A state of another kind than the template's, or none, makes the field unusable. */
static SofaErr check_state(SofaForceField *ff, int k) {
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
  return check_state((SofaForceField *)object, 0);
}

static SofaErr interaction_construct(SofaObject *object) {
  SofaForceField *ff = (SofaForceField *)object;
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

/* ---- creation ---- */

static bool is_mechanical_state(const SofaObject *object, const void *user) {
  (void)user;
  return sofa_implements(object, SOFA_MECHANICAL_STATE);
}

/* The state a link attribute names, or the one in context when it is absent. */
static const SofaState *state_for(SofaNode *node, const char *path) {
  if (!path || !*path) return sofa_node_state(node);
  path += *path == '@';
  SofaObject *found = sofa_resolve_path(node, NULL, path, is_mechanical_state, NULL, false, false);
  if (found) return (SofaState *)found;
  // a path to a node without a state of its own means the nearest ancestor's
  found = sofa_resolve_path(node, NULL, path, NULL, NULL, true, false);
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

const SofaClass sofa_force_field_class = {
    .name = "ForceField",
    .module = "csofa",
    .category = "ForceField",
    .help = "A force on one mechanical state.",
    .base = &sofa_object_class,
    .size = sizeof(SofaForceField),
    SOFA_FIELDS(force_field_fields),
    .abstract = true,
    .can_create = sofa_force_field_can_create,
    .construct = force_field_construct,
    .parsed = force_field_parsed,
    .init = force_field_init,
};

const SofaClass sofa_interaction_force_field_class = {
    .name = "InteractionForceField",
    .module = "csofa",
    .category = "InteractionForceField",
    .help = "A force between two mechanical states, which may be the same.",
    .base = &sofa_object_class,
    .size = sizeof(SofaForceField),
    SOFA_FIELDS(interaction_fields),
    .abstract = true,
    .can_create = sofa_interaction_can_create,
    .construct = interaction_construct,
    .parsed = interaction_parsed,
    .init = interaction_init,
    SOFA_IMPLEMENTS({SOFA_INTERACTION, SOFA_NO_OPS}),
};
