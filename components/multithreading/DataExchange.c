/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DataExchange: copies a field of one part of a scene to a field of another between their steps. */
#include <string.h>
#include "object/data_graph.h"
#include "object/event.h"
#include "object/checkpoint.h"

/* A field of an object, found again by its path when the graph changes. */
typedef struct End {
  char *path; /* owned */
  SofaObject *object;
  const SofaField *field;
} End;

typedef struct DataExchange {
  SofaObject object;
  char *from_text, *to_text;
  End from, to;
  uint64_t graph_version;
} DataExchange;

static const SofaField fields[] = {
    SOFA_FIELD(DataExchange, from_text, "from", NULL, "", "field that is read: @path.field",
               .flags = SOFA_FIELD_REQUIRED),
    SOFA_FIELD(DataExchange, to_text, "to", NULL, "", "field that is written: @path.field",
               .flags = SOFA_FIELD_REQUIRED),
};

/* Is this a state that comes later, without positions of the scene? */
static bool is_open(const End *to) {
  return !to->object->initialised && !sofa_field_state(to->object, to->field)->set;
}

/* Both must have the same number of entries: positions of a state keep their number. An open state
 * takes what is written as if the scene gave it. */
static SofaErr copy(DataExchange *e) {
  const SofaField *from = e->from.field, *to = e->to.field;
  const void *value = sofa_field_value(e->from.object, from);
  void *target = sofa_field_value(e->to.object, to);
  const bool coords = to->type == &sofa_type_coords, open = coords && is_open(&e->to);
  if (coords && !open) {
    SofaAnyList a = {0}, b;
    if (from->type->list) memcpy(&a, value, sizeof a);
    memcpy(&b, target, sizeof b);
    if (a.n != b.n)
      return sofa_field_fail(&e->object, "from", SOFA_ERR_RANGE, "has %zu entries, 'to' has %zu",
                             a.n, b.n);
  }
  SOFA_TRY(sofa_type_convert(e->object.ctx, from->type, value, to->type, target));
  if (open) sofa_field_state(e->to.object, to)->set = true;
  sofa_field_touch(e->to.object, to);
  return SOFA_OK;
}

/* What the scene linked; the link itself goes, as values are handed over at an event. */
static SofaErr take_end(DataExchange *e, const char *name, End *end) {
  SofaObject *object = &e->object;
  SofaFieldState *state = sofa_field_state(object, sofa_class_field(object->klass, name));
  if (!state->source)
    return sofa_field_fail(object, name, SOFA_ERR_ARGUMENT,
                           "must name a field of another object, as @path.field");
  end->object = state->source;
  end->field = state->source_field;
  end->path = sofa_object_path(end->object);
  state->source = NULL;
  state->source_field = NULL;
  state->source_state = NULL;
  return end->path ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr init(SofaObject *object) {
  DataExchange *e = (DataExchange *)object;
  if (e->from.path) return SOFA_OK;
  SOFA_TRY(take_end(e, "from", &e->from));
  SOFA_TRY(take_end(e, "to", &e->to));
  e->graph_version = *object->node->graph_version;
  return copy(e);
}

static SofaErr find_again(DataExchange *e, End *end) {
  end->object =
      sofa_resolve_path(sofa_node_root(e->object.node), end->path, &(SofaPathRule){.strict = true});
  if (end->object) return SOFA_OK;
  return sofa_object_fail(&e->object, SOFA_ERR_NOT_FOUND, "'%s' was removed", end->path);
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  DataExchange *e = (DataExchange *)object;
  if (event->type != SOFA_EVENT_DATA_EXCHANGE || !e->to.path) return SOFA_OK;
  if (e->graph_version != *object->node->graph_version) {
    SOFA_TRY(find_again(e, &e->from));
    SOFA_TRY(find_again(e, &e->to));
    e->graph_version = *object->node->graph_version;
  }
  return copy(e);
}

static void destroy(SofaObject *object) {
  DataExchange *e = (DataExchange *)object;
  sofa_free(object->ctx, e->from.path);
  sofa_free(object->ctx, e->to.path);
}

/* SOFA's: any is accepted, as the fields have types of their own */
static const char *const templates[] = {"Vec3d",
                                        "Vec3f",
                                        "bool",
                                        "d",
                                        "f",
                                        "vector<I>",
                                        "vector<Vec2d>",
                                        "vector<Vec2f>",
                                        "vector<Vec3d>",
                                        "vector<Vec3f>",
                                        "vector<d>",
                                        "vector<f>",
                                        "vector<i>",
                                        NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(DataExchange, graph_version),
};

SOFA_CLASS(DataExchange) = {
    SOFA_NAMED(DataExchange),
    .module = "MultiThreading",
    .category = "_Miscellaneous",
    .help = "Copies a field of one part of a scene to a field of another when all parts have made "
            "a step of AnimationLoopParallelScheduler.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = templates,
    .listening = true,
    .init = init,
    .handle_event = handle_event,
    .destroy = destroy,
};
