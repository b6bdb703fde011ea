/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract mapping: finds its states, sets its output up and maps it for the first time. */
#include "behavior/mapping.h"

#include <string.h>
#include "object/element.h"

static const SofaLinkRule state_rule = {.interface = SOFA_STATE, .search = SOFA_SEARCH_NONE};

static const SofaField mapping_fields[] = {
    SOFA_FIELD(SofaMapping, input, "input", NULL, "",
               "State that is mapped; that of the parent node when none is given.",
               .link = &state_rule),
    SOFA_FIELD(SofaMapping, output, "output", NULL, "",
               "State that is computed; that of this node when none is given.",
               .link = &state_rule),
    SOFA_FIELD(SofaMapping, map_forces, "mapForces", "1", "",
               "Forces on the output act on the input.", .aliases = "isMechanical"),
    SOFA_FIELD(SofaMapping, map_constraints, "mapConstraints", "1", "",
               "Lagrangian constraints on the output act on the input.", .aliases = "isMechanical"),
    SOFA_FIELD(SofaMapping, map_masses, "mapMasses", "1", "",
               "Masses of the output are carried by the input.", .aliases = "isMechanical"),
    SOFA_FIELD(SofaMapping, map_matrices, "mapMatrices", "0", "",
               "Not used: assembled systems always map the matrices of the output.",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaMapping, apply_rest_position, "applyRestPosition", "0", "",
               "The rest positions of the output are those of the input, mapped.", ),
};

static bool is_state(const SofaObject *object, const void *user) {
  (void)user;
  return sofa_implements(object, SOFA_STATE);
}

static bool is_mechanical_state(const SofaObject *object, const void *user) {
  (void)user;
  return sofa_implements(object, SOFA_MECHANICAL_STATE);
}

/* The state at a path. In a node with a mechanical state and a visual one, the former. */
static SofaState *find_state(SofaNode *node, SofaObject *owner, const char *path) {
  path += *path == '@';
  SofaObject *found = sofa_resolve_path(node, owner, path, is_state, NULL, false, false);
  if (!found) found = sofa_resolve_path(node, owner, path, is_mechanical_state, NULL, false, false);
  if (found) return (SofaState *)found;
  // a node without a state means the nearest one above
  found = sofa_resolve_path(node, owner, path, NULL, NULL, true, false);
  return found ? sofa_node_state((SofaNode *)found) : NULL;
}

static const char *path_or(const char *path, const char *other) {
  return path && *path ? path : other;
}

/* ---- creation ---- */

/* Is the kind of the state the one of part `i` of the template "In,Out"? */
static bool kind_fits(const SofaState *state, const char *template_name, int i) {
  const char *comma = strchr(template_name, ',');
  char name[32] = "";
  const char *part = i && comma ? comma + 1 : template_name;
  const size_t n = strcspn(part, ",");
  if (!*template_name || n >= sizeof name) return !*template_name;
  memcpy(name, part, n);
  return sofa_state_kind_from_name(name) == state->object.kind;
}

bool sofa_mapping_can_create(SofaNode *node, const struct SofaElement *element,
                             const char *template_name, SofaText *why) {
  SofaContext *ctx = node->object.ctx;
  static const char *const names[2] = {"input", "output"}, *const paths[2] = {"../", "./"};
  SofaState *states[2];
  for (int i = 0; i < 2; i++) {
    const char *given = element ? sofa_element_attribute(element, names[i]) : NULL;
    const char *path = path_or(given, paths[i]);
    states[i] = find_state(node, NULL, path);
    if (!states[i]) {
      (void)sofa_text_printf(ctx, why, "no state at %s=\"%s\"", names[i], path);
      return false;
    }
    if (!kind_fits(states[i], template_name, i)) {
      (void)sofa_text_printf(ctx, why, "the %s is of kind %s", names[i],
                             sofa_state_kind_info(states[i]->object.kind)->name);
      return false;
    }
  }
  if (states[0] != states[1]) return true;
  (void)sofa_text_printf(ctx, why, "input and output are the same state");
  return false;
}

/* ---- life ---- */

static SofaErr resolve(SofaMapping *mapping, SofaLink *link, const char *field,
                       const char *otherwise, SofaState **out) {
  SofaObject *object = &mapping->object;
  const char *path = path_or(link->path, otherwise);
  *out = link->target ? (SofaState *)link->target : find_state(object->node, object, path);
  link->target = *out ? &(*out)->object : NULL;
  if (*out) return SOFA_OK;
  return sofa_field_fail(object, field, SOFA_ERR_NOT_FOUND, "no state at '%s'", path);
}

/* Mappings with several inputs fill `inputs` themselves, in their `parsed`. */
static SofaErr resolve_states(SofaMapping *mapping) {
  SofaContext *ctx = mapping->object.ctx;
  SOFA_TRY(resolve(mapping, &mapping->output, "output", "./", &mapping->out));
  if (mapping->inputs) return SOFA_OK;
  SofaState *in;
  SOFA_TRY(resolve(mapping, &mapping->input, "input", "../", &in));
  if (in == mapping->out)
    return sofa_object_fail(&mapping->object, SOFA_ERR_ARGUMENT,
                            "input and output are the same state");
  mapping->inputs = (SofaState **)sofa_alloc(ctx, 1, sizeof(SofaState *));
  if (!mapping->inputs) return SOFA_ERR_MEMORY;
  mapping->inputs[0] = in;
  mapping->n_inputs = 1;
  return SOFA_OK;
}

/* Maps vectors of the inputs picked by `which` (0 positions, 1 velocities, 2 rest positions). */
static SofaErr map_vectors(SofaMapping *mapping, int which, double *out) {
  SofaContext *ctx = mapping->object.ctx;
  const SofaMappingOps *ops = sofa_mapping_ops(mapping);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const double **in = SOFA_SCRATCH(ctx, const double *, mapping->n_inputs + 1);
  SofaErr err = in ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t k = 0; in && k < mapping->n_inputs; k++) {
    const SofaState *s = mapping->inputs[k];
    const bool rest = which == 2 && s->rest_position.n == s->position.n;
    in[k] = which == 1 ? s->velocity.data : rest ? s->rest_position.data : s->position.data;
  }
  if (in && which == 1) err = ops->apply_j(mapping, in, out);
  if (in && which != 1) err = ops->apply(mapping, in, out);
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr mapping_init(SofaObject *object) {
  SofaMapping *mapping = (SofaMapping *)object;
  const SofaMappingOps *ops = sofa_mapping_ops(mapping);
  SOFA_TRY(resolve_states(mapping));
  SofaState *out = mapping->out;
  mapping->mechanical = sofa_implements(&out->object, SOFA_MECHANICAL_STATE);
  if (!mapping->mechanical)
    mapping->map_forces = mapping->map_constraints = mapping->map_masses = false;
  SofaErr err = ops->setup(mapping);
  if (err != SOFA_OK) {
    mapping->out = NULL; // inert
    object->component_state.index = SOFA_INVALID;
    return err;
  }
  // the first mapping of positions, velocities, rest positions
  SOFA_TRY(map_vectors(mapping, 0, out->position.data));
  if (mapping->mechanical && out->velocity.n == out->position.n)
    SOFA_TRY(map_vectors(mapping, 1, out->velocity.data));
  if (mapping->apply_rest_position) {
    SOFA_TRY(sofa_coords_resize(object->ctx, &out->rest_position, out->position.n));
    SOFA_TRY(map_vectors(mapping, 2, out->rest_position.data));
    sofa_field_touch_name(&out->object, "rest_position");
  }
  sofa_state_touch(out);
  return SOFA_OK;
}

static void mapping_destroy(SofaObject *object) {
  SofaMapping *mapping = (SofaMapping *)object;
  sofa_free(object->ctx, mapping->inputs);
  mapping->inputs = NULL;
  mapping->n_inputs = 0;
}

const SofaClass sofa_mapping_class = {
    .name = "Mapping",
    .module = "csofa",
    .category = "Mapping",
    .help = "Computes one state from others.",
    .base = &sofa_object_class,
    .size = sizeof(SofaMapping),
    .fields = mapping_fields,
    .n_fields = sizeof mapping_fields / sizeof *mapping_fields,
    .abstract = true,
    .can_create = sofa_mapping_can_create,
    .init = mapping_init,
    .destroy = mapping_destroy,
};
