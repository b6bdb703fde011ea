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
#include "topology/ties.h"

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

static bool can_divide(const SofaObject *object) {
  if (sofa_class_is_a(object->klass, &sofa_mesh_loader_class)) return true;
  if (!sofa_implements(object, SOFA_TOPOLOGY)) return false;
  const SofaTopologyOps *ops = sofa_topology_ops((const SofaTopology *)object);
  return ops && ops->divide;
}

/* The object that can divide the mesh of a state's points; NULL: there is none. */
static SofaObject *mesh_of(const SofaObject *state) {
  SofaObject *source = source_of(state);
  enum { MOST = 64 }; /* links; a cycle is an error of its own */
  for (int i = 0; i < MOST && source && sofa_valid(source); i++, source = source_of(source))
    if (can_divide(source)) return source;
  return NULL;
}

static bool is_mapped(const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_MAPPING)) return true;
  return false;
}

/* Points of a mapped state without a source may be those of the state above. */
static const SofaObject *mesh_of_ties(const SofaObject *state) {
  const SofaObject *mesh = mesh_of(state);
  const SofaNode *parent = sofa_node_parent(state->node);
  if (mesh || !parent || !is_mapped(state->node)) return mesh;
  const SofaObject *above = sofa_node_find(parent, SOFA_MECHANICAL_STATE, SOFA_SEARCH_UP);
  return above ? mesh_of(above) : NULL;
}

static SofaErr add_ties(const SofaObject *object, const SofaObject *mesh, SofaTies *out) {
  const SofaTiesOps *ops = sofa_ops(object, SOFA_TIES);
  SofaTies found = {.faces = false};
  const SofaObject *state = NULL;
  SofaErr err = ops->ties(object, &state, &found);
  const bool here = err == SOFA_OK && state && mesh_of_ties(state) == mesh;
  out->faces |= here && found.faces;
  out->star |= here && found.star;
  for (size_t i = 0; here && i < found.pairs.n && err == SOFA_OK; i++)
    err = SOFA_APPEND(object->ctx, &out->pairs, &found.pairs.data[i]);
  sofa_list_free(object->ctx, &found.pairs);
  return err;
}

static SofaErr list_ties(const SofaNodes *nodes, const SofaObject *mesh, SofaTies *out) {
  for (size_t i = 0; i < nodes->n; i++)
    for (size_t k = 0; k < nodes->data[i]->objects.n; k++) {
      const SofaObject *object = nodes->data[i]->objects.data[k];
      if (sofa_valid(object) && sofa_implements(object, SOFA_TIES))
        SOFA_TRY(add_ties(object, mesh, out));
    }
  return SOFA_OK;
}

static SofaErr divide_points_of(const SofaNodes *nodes, const SofaObject *state) {
  SofaContext *ctx = state->ctx;
  SofaTies ties = {.faces = false};
  SofaObject *mesh = mesh_of(state);
  if (!mesh) return SOFA_OK;
  SofaErr err = list_ties(nodes, mesh, &ties);
  ctx->processes->ties = &ties;
  if (err != SOFA_OK) goto done;
  if (sofa_class_is_a(mesh->klass, &sofa_mesh_loader_class)) {
    err = sofa_mesh_loader_divide((SofaMeshLoader *)mesh);
  } else {
    SofaTopology *topology = (SofaTopology *)mesh;
    if (!topology->division) err = sofa_topology_ops(topology)->divide(topology);
  }
done:
  ctx->processes->ties = NULL;
  sofa_list_free(ctx, &ties.pairs);
  return err;
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
        SOFA_GO(err, done, divide_points_of(&nodes, node->objects.data[k]));
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
