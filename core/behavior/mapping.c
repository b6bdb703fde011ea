/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of mappings: how they find their states, and what every mapping does at init. */
#include "behavior/mapping.h"

#include <string.h>
#include "behavior/draw_state.h"
#include "behavior/list_owner.h"
#include "object/element.h"
#include "object/checkpoint.h"

const SofaInterface sofa_mapping_interface = {
    .name = "mapping",
    SOFA_REQUIRES(offsetof(SofaMappingOps, setup), offsetof(SofaMappingOps, jacobian)),
    .keeps_topology = true,
    .ops_member = offsetof(SofaMapping, ops)};

#define DEFAULT_INPUT "@../"
#define DEFAULT_OUTPUT "@./"

static const SofaLinkRule state_rule = {.interface = SOFA_STATE, .search = SOFA_SEARCH_NONE};

static const SofaField mapping_fields[] = {
    SOFA_FIELD(SofaMapping, input, "input", NULL, "",
               "state that moves the output; default: the one of the parent node",
               .link = &state_rule),
    SOFA_FIELD(SofaMapping, output, "output", NULL, "",
               "state that is moved; default: the one of this node", .link = &state_rule),
    SOFA_MAPPING_ROWS,
};

/* ---- templates ---- */

void sofa_mapping_split_template(const char *text, SofaStateKind kinds[2]) {
  char part[32];
  const char *comma = strchr(text, ',');
  const size_t n = comma ? (size_t)(comma - text) : strlen(text);
  kinds[0] = kinds[1] = SOFA_NO_KIND;
  if (n < sizeof part) {
    sofa_copy(part, text, n);
    part[n] = '\0';
    kinds[0] = sofa_state_kind_from_name(part);
  }
  kinds[1] = comma ? sofa_state_kind_from_name(comma + 1) : SOFA_VEC1;
}

static const char *kind_name(SofaStateKind kind) {
  return kind == SOFA_NO_KIND ? "unknown" : sofa_state_kind_info(kind)->name;
}

/* ---- creation ---- */

static bool is_state(const SofaObject *object, const void *user) {
  (void)user;
  return sofa_implements(object, SOFA_STATE);
}

static size_t count_states(const SofaNode *node) {
  size_t n = 0;
  for (size_t i = 0; i < node->objects.n; i++) n += is_state(node->objects.data[i], NULL);
  return n;
}

const SofaState *sofa_mapping_state_at(SofaNode *node, const char *path, bool *ambiguous) {
  path += *path == '@';
  *ambiguous = false;
  SofaObject *found = sofa_resolve_path(node, path, &(SofaPathRule){.accept = is_state});
  if (found) return (SofaState *)found;
  // a path to a node without a state of its own means the nearest one above
  found = sofa_resolve_path(node, path, &(SofaPathRule){.node = true});
  if (!found || found->klass != &sofa_node_class) return NULL;
  *ambiguous = count_states((SofaNode *)found) > 1;
  return *ambiguous ? NULL : (SofaState *)sofa_node_slot_up((SofaNode *)found, SOFA_STATE);
}

/* The state of one end; when there is none the reason is appended to *why. */
static const SofaState *end_state(SofaNode *node, const struct SofaElement *element,
                                  const char *attribute, const char *missing, SofaText *why) {
  const char *given = element ? sofa_element_attribute(element, attribute) : NULL;
  const char *path = given && *given ? given : missing;
  bool ambiguous = false;
  const SofaState *state = sofa_mapping_state_at(node, path, &ambiguous);
  // a reason that cannot be written is a memory error, which the next allocation reports
  if (!state)
    (void)sofa_text_printf(node->object.ctx, why, "'%s' %s%s: \"%s\"%s", attribute,
                           ambiguous ? "means a node with several states, name one of them"
                                     : "names no state",
                           given && *given ? "" : " (its default)", path,
                           node->parents.n || ambiguous ? "" : ", and this is the root node");
  return state;
}

bool sofa_mapping_can_create(SofaNode *node, const struct SofaElement *element,
                             const char *template_name, SofaText *why) {
  SofaContext *ctx = node->object.ctx;
  SofaStateKind wanted[2];
  const SofaState *in = end_state(node, element, "input", DEFAULT_INPUT, why);
  if (!in) return false;
  const SofaState *out = end_state(node, element, "output", DEFAULT_OUTPUT, why);
  if (!out) return false;
  if (in == out) {
    (void)sofa_text_printf(ctx, why, "'input' and 'output' are the same state '%s'",
                           in->object.name);
    return false;
  }
  sofa_mapping_split_template(template_name, wanted);
  if (in->object.kind == wanted[0] && out->object.kind == wanted[1]) return true;
  (void)sofa_text_printf(ctx, why, "the states are of kinds %s,%s", kind_name(in->object.kind),
                         kind_name(out->object.kind));
  return false;
}

/* ---- init ---- */

static SofaErr resolve(SofaMapping *map, SofaLink *link, const char *field, const char *missing,
                       SofaState **out) {
  const char *path = link->path && *link->path ? link->path : missing;
  if (!link->target) link->target = sofa_resolve_link(&map->object, &state_rule, path);
  *out = (SofaState *)link->target;
  if (*out) return SOFA_OK;
  return sofa_field_fail(&map->object, field, SOFA_ERR_NOT_FOUND, "there is no state at \"%s\"",
                         path);
}

/* The links may have changed since the template was chosen. */
static SofaErr check_states(const SofaMapping *map) {
  const SofaState *in = map->inputs[0], *out = map->out;
  SofaStateKind wanted[2];
  if (in == out)
    return sofa_object_fail(&map->object, SOFA_ERR_ARGUMENT,
                            "'input' and 'output' are the same state '%s'", in->object.name);
  if (!map->object.template_name || !*map->object.template_name) return SOFA_OK;
  sofa_mapping_split_template(map->object.template_name, wanted);
  if (in->object.kind == wanted[0] && out->object.kind == wanted[1]) return SOFA_OK;
  return sofa_object_fail(
      &map->object, SOFA_ERR_TYPE, "the states are of kinds %s,%s, the mapping of %s",
      kind_name(in->object.kind), kind_name(out->object.kind), map->object.template_name);
}

SofaErr sofa_mapping_check_sizes(const SofaMapping *map, const size_t *n_in, size_t n_out) {
  for (size_t k = 0; k <= map->n_inputs; k++) {
    const SofaState *s = k < map->n_inputs ? map->inputs[k] : map->out;
    const size_t wanted = k < map->n_inputs ? n_in[k] : n_out;
    if (s->position.n != wanted)
      return sofa_object_fail(&map->object, SOFA_ERR_RANGE,
                              "state '%s' has %zu points; when the mapping was made it had %zu "
                              "(a state must be complete before what maps it)",
                              s->object.name, s->position.n, wanted);
  }
  return SOFA_OK;
}

/* Rest positions of the output: the mapped ones. */
static SofaErr map_rest(SofaMapping *map) {
  SofaState *out = map->out;
  SofaPoint rest;
  SOFA_TRY(sofa_mapping_point(map, &rest));
  const double **x = (const double **)(uintptr_t)rest.x;
  for (size_t k = 0; k < map->n_inputs; k++) {
    const SofaCoords *in = &map->inputs[k]->rest_position;
    if (in->n != map->inputs[k]->position.n)
      return sofa_field_fail(&map->object, "applyRestPosition", SOFA_ERR_RANGE,
                             "the input has %zu rest positions for %zu points", in->n,
                             map->inputs[k]->position.n);
    x[k] = in->data;
  }
  const size_t n = out->position.n;
  const bool fresh = out->rest_position.n != n;
  SOFA_TRY(sofa_coords_resize(map->object.ctx, &out->rest_position, n));
  // what the mapping leaves (orientations of frames) is that of the positions
  if (fresh && n)
    sofa_copy(out->rest_position.data, out->position.data,
              n * out->position.width * sizeof *out->position.data);
  SOFA_TRY(sofa_mapping_apply(map, &rest, out->rest_position.data));
  sofa_field_touch_name(&out->object, "rest_position");
  return SOFA_OK;
}

SofaErr sofa_mapping_start(SofaMapping *map) {
  const SofaMappingOps *ops = sofa_mapping_ops(map);
  if (!ops->apply && !ops->linear)
    return sofa_object_fail(&map->object, SOFA_ERR_ARGUMENT,
                            "%s is not linear and does not give the positions of its output",
                            map->object.klass->name);
  map->mechanical = sofa_implements(&map->out->object, SOFA_MECHANICAL_STATE);
  if (!map->mechanical) map->map_forces = map->map_constraints = map->map_masses = false;
  sofa_mapping_forget(map);
  SOFA_TRY(sofa_object_check_lists(&map->object));
  SOFA_TRY(ops->setup(map));
  return sofa_mapping_put(map);
}

SofaErr sofa_mapping_update(SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  const SofaState *out = map->out;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaErr err = SOFA_OK;
  SofaPoint at;
  sofa_mapping_forget(map);
  SOFA_GO(err, done, sofa_mapping_point(map, &at));
  SOFA_GO(err, done, sofa_mapping_apply(map, &at, out->position.data));
  bool moving = map->mechanical && out->velocity.n == out->position.n;
  for (size_t k = 0; k < map->n_inputs; k++) moving = moving && at.v[k];
  if (moving) SOFA_GO(err, done, sofa_mapping_apply_j(map, &at, at.v, out->velocity.data));
  sofa_state_touch(map->out);
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

SofaErr sofa_mapping_put(SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  SOFA_TRY(sofa_mapping_update(map));
  if (!map->apply_rest_position) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const SofaErr err = map_rest(map);
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr mapping_init(SofaObject *object) {
  SofaMapping *map = (SofaMapping *)object;
  SofaState *in = NULL, *out = NULL;
  SOFA_TRY(resolve(map, &map->input, "input", DEFAULT_INPUT, &in));
  SOFA_TRY(resolve(map, &map->output, "output", DEFAULT_OUTPUT, &out));
  sofa_mapping_free(map);
  map->inputs = sofa_alloc(object->ctx, 1, sizeof *map->inputs);
  if (!map->inputs) return SOFA_ERR_MEMORY;
  map->inputs[0] = in;
  map->n_inputs = 1;
  map->out = out;
  SOFA_TRY(check_states(map));
  return sofa_mapping_start(map);
}

static void mapping_destroy(SofaObject *object) {
  sofa_mapping_free((SofaMapping *)object);
}

/* ---- drawing ---- */

/* Is position i of the state a place in space? (a distance or an angle is not) */
static bool is_place(const SofaState *state) {
  const SofaStateKind kind = state->object.kind;
  return kind != SOFA_NO_KIND && kind != SOFA_VEC1 && kind != SOFA_VEC6;
}

/* Lines from points of an input to the points of the output that J moves with them. */
static void draw_links(SofaMapping *m, const SofaPoint *at, size_t k, SofaDrawList *list) {
  const SofaState *in = m->inputs[k], *out = m->out;
  SofaJacobian j;
  if (!is_place(in) || !is_place(out)) return;
  if (sofa_mapping_jacobian(m, at, k, &j) != SOFA_OK) return;
  const unsigned rows = sofa_state_kind_info(out->object.kind)->deriv;
  const unsigned columns = sofa_state_kind_info(in->object.kind)->deriv;
  for (size_t i = 0; i < out->position.n && (i + 1) * rows <= j.n_rows; i++) {
    size_t last = SIZE_MAX;
    double a[3], b[3];
    sofa_state_point(out, i, b);
    for (size_t e = j.start[i * rows]; e < j.start[i * rows + 1]; e++) {
      const size_t parent = j.column[e] / columns;
      if (parent == last || parent >= in->position.n) continue;
      last = parent;
      sofa_state_point(in, parent, a);
      sofa_draw_line(list, a, b, 1, SOFA_RGB(0.5, 0.8, 1));
    }
  }
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  SofaMapping *m = (SofaMapping *)object;
  const SofaDisplayFlag flag =
      m->mechanical ? SOFA_DISPLAY_MECHANICAL_MAPPINGS : SOFA_DISPLAY_MAPPINGS;
  if (!sofa_display_shows(args->flags, flag) || !m->out || !m->inputs) return;
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  SofaPoint at;
  if (sofa_mapping_point(m, &at) == SOFA_OK)
    for (size_t k = 0; k < m->n_inputs; k++) draw_links(m, &at, k, args->list);
  sofa_scratch_release(object->ctx, mark);
  if (is_place(m->out)) sofa_draw_state_points(args->list, m->out, NULL, 0, SOFA_RGB(1, 1, 0));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const SofaQuirk mapping_quirks[] = {
    {SOFA_QUIRK_MAPPING_SLOT, "mapping-slot",
     "a state is not integrated when its node holds any mapping, even one towards a visual model",
     "test_quirks_motion.solvers"},
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaMapping, memory),
};

const SofaClass sofa_mapping_class = {
    .name = "Mapping",
    .module = "Sofa.Core",
    .category = "Mapping",
    .help = "Moves one state by another: maps positions and velocities to the output and forces to "
            "the input.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    .size = sizeof(SofaMapping),
    SOFA_FIELDS(mapping_fields),
    SOFA_QUIRKS(mapping_quirks),
    .abstract = true,
    .can_create = sofa_mapping_can_create,
    .init = mapping_init,
    .list_owner = sofa_list_owner,
    .destroy = mapping_destroy,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
