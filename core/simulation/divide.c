/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which meshes are divided: those of main states. */
#include "simulation/divide.h"

#include <string.h>

#include "base/checksum.h"
#include "behavior/list_owner.h"
#include "behavior/loader.h"
#include "behavior/mapping.h"
#include "behavior/state_division.h"
#include "object/process.h"

/* Where the points of a state or topology come from; NULL: from its own field. */
static SofaObject *source_of(const SofaObject *object) {
  const SofaField *field = sofa_class_field(object->klass, "position");
  const SofaFieldState *state = field ? sofa_field_state(object, field) : NULL;
  if (state && state->source) return state->source;
  if (!sofa_implements(object, SOFA_MECHANICAL_STATE) || (state && state->set)) return NULL;
  const SofaObject *linked = sofa_link_target(object, "topology");
  if (linked) return (SofaObject *)(uintptr_t)linked;
  return sofa_node_find(object->node, SOFA_TOPOLOGY, SOFA_SEARCH_LOCAL);
}

static SofaErr divide_points_of(SofaObject *object) {
  SofaObject *source = source_of(object);
  enum { MOST = 64 }; /* links; a cycle is an error of its own */
  for (int i = 0; i < MOST && source; i++, source = source_of(source)) {
    if (!sofa_valid(source)) return SOFA_OK;
    if (sofa_class_is_a(source->klass, &sofa_mesh_loader_class))
      return sofa_mesh_loader_divide((SofaMeshLoader *)source);
    if (!sofa_implements(source, SOFA_TOPOLOGY)) continue;
    SofaTopology *topology = (SofaTopology *)source;
    const SofaTopologyOps *ops = sofa_topology_ops(topology);
    if (!ops || !ops->divide || topology->division) continue;
    return ops->divide(topology);
  }
  return SOFA_OK;
}

/* Meshes that waited for their division and are not divided. */
static SofaErr make_whole(SofaObject *object) {
  if (!sofa_valid(object)) return SOFA_OK;
  if (sofa_class_is_a(object->klass, &sofa_mesh_loader_class))
    return sofa_mesh_loader_complete((SofaMeshLoader *)object);
  if (!sofa_implements(object, SOFA_TOPOLOGY)) return SOFA_OK;
  SofaTopology *topology = (SofaTopology *)object;
  const SofaTopologyOps *ops = sofa_topology_ops(topology);
  return ops && ops->make_whole && !topology->division ? ops->make_whole(topology) : SOFA_OK;
}

static bool is_mapped(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_MAPPING)) return true;
  return false;
}

/* Processes with other objects would wait for each other in vain. */
static SofaErr check_same_scene(SofaContext *ctx, const SofaNodes *nodes) {
  uint64_t sum = SOFA_CHECKSUM_BEGIN;
  bool same;
  for (size_t i = 0; i < nodes->n; i++) {
    const SofaNode *node = nodes->data[i];
    sum = sofa_checksum(sum, node->object.name, strlen(node->object.name) + 1);
    for (size_t k = 0; k < node->objects.n; k++) {
      const char *name = node->objects.data[k]->klass->name;
      sum = sofa_checksum(sum, name, strlen(name) + 1);
    }
  }
  SOFA_TRY(sofa_process_same(ctx, sizeof sum, &sum, &same));
  if (same) return SOFA_OK;
  return sofa_fail(ctx, SOFA_ERR_SCENE, NULL,
                   "the processes have different objects in their scenes");
}

SofaErr sofa_divide_meshes(SofaNode *root) {
  SofaContext *ctx = root->object.ctx;
  SofaNodes nodes = {0};
  SofaErr err = SOFA_OK;
  if (!ctx->processes) return SOFA_OK;
  SOFA_GO(err, done, sofa_node_order(root, &nodes));
  SOFA_GO(err, done, check_same_scene(ctx, &nodes));
  for (size_t i = 0; i < nodes.n; i++) {
    const SofaNode *node = nodes.data[i];
    if (is_mapped(node)) continue;
    for (size_t k = 0; k < node->objects.n; k++)
      if (sofa_implements(node->objects.data[k], SOFA_MECHANICAL_STATE))
        SOFA_GO(err, done, divide_points_of(node->objects.data[k]));
  }
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++)
      SOFA_GO(err, done, make_whole(nodes.data[i]->objects.data[k]));
done:
  sofa_list_free(ctx, &nodes);
  return err;
}

bool sofa_is_divided(SofaNode *root) {
  SofaNodes nodes = {0};
  bool found = false;
  if (!root->object.ctx->processes || sofa_node_order(root, &nodes) != SOFA_OK) return false;
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++) {
      const SofaObject *object = nodes.data[i]->objects.data[k];
      found = found || (sofa_implements(object, SOFA_MECHANICAL_STATE) &&
                        sofa_state_division((const SofaState *)object));
    }
  sofa_list_free(root->object.ctx, &nodes);
  return found;
}
