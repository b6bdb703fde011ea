/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the mesh of a Gmsh file from its nodes and elements. */
#include "numerics/io/gmsh_build_impl.h"
#include "numerics/io/mesh_faces.h"
#include "numerics/io/quadratic_nodes.h"

#include <math.h>

void sofa_gmsh_build_free(SofaGmshBuild *b) {
  sofa_tuple_map_free(b->text.ctx, &b->nodes);
  sofa_tuple_map_free(b->text.ctx, &b->group_ids);
  sofa_tuple_map_free(b->text.ctx, &b->mid_edges);
}

unsigned sofa_gmsh_type_nodes(int64_t type) {
  static const uint8_t nodes[32] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                    8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
  if (type == 92) return 64;
  if (type == 93) return 125;
  return type >= 0 && type < 32 ? nodes[type] : 0;
}

SofaErr sofa_gmsh_read_type(SofaGmshBuild *b, int64_t type, unsigned *n_nodes) {
  *n_nodes = sofa_gmsh_type_nodes(type);
  if (*n_nodes) return SOFA_OK;
  return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "element type %lld does not exist",
                        (long long)type);
}

static SofaTuple number_key(int64_t number) {
  return (SofaTuple){{(uint32_t)((uint64_t)number >> 32), (uint32_t)number, 0, 0}};
}

/* From the first number that breaks the sequence on, numbers are looked up. */
static SofaErr leave_sequence(SofaGmshBuild *b) {
  b->consecutive = false;
  for (size_t i = 0; i < b->out->mesh.position.n; i++) {
    const SofaTuple key = number_key(b->first + (int64_t)i);
    uint32_t found;
    SOFA_TRY(sofa_tuple_map_add(b->text.ctx, &b->nodes, &key, (uint32_t)i, &found));
  }
  return SOFA_OK;
}

SofaErr sofa_gmsh_add_node(SofaGmshBuild *b, int64_t number, const double x[3]) {
  const size_t n = b->out->mesh.position.n;
  for (int k = 0; k < 3; k++)
    if (!isfinite(x[k]))
      return sofa_mesh_fail(&b->text, SOFA_ERR_NOT_FINITE,
                            "node %lld has a coordinate that is not a number", (long long)number);
  if (n >= INT32_MAX) return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "more than 2^31 nodes");
  if (n == 0) b->first = number, b->consecutive = true;
  if (b->consecutive && (uint64_t)number - (uint64_t)b->first != n) SOFA_TRY(leave_sequence(b));
  if (!b->consecutive) {
    const SofaTuple key = number_key(number);
    uint32_t found;
    SOFA_TRY(sofa_tuple_map_add(b->text.ctx, &b->nodes, &key, (uint32_t)n, &found));
    if (found != n)
      return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "node %lld is given twice",
                            (long long)number);
  }
  const SofaVec3 p = {{x[0], x[1], x[2]}};
  return SOFA_APPEND(b->text.ctx, &b->out->mesh.position, &p);
}

/* Rank of the node with this number, UINT32_MAX when there is none. */
static uint32_t node_rank(const SofaGmshBuild *b, int64_t number) {
  if (b->consecutive) {
    const uint64_t i = (uint64_t)number - (uint64_t)b->first;
    return i < b->out->mesh.position.n ? (uint32_t)i : UINT32_MAX;
  }
  const SofaTuple key = number_key(number);
  return sofa_tuple_map_find(&b->nodes, &key);
}

/* Counts the newest element of a kind to the group of its tag. */
static SofaErr count_in_group(SofaGmshBuild *b, SofaElementKind kind, int64_t tag) {
  SofaContext *ctx = b->text.ctx;
  SofaMeshGroups *groups = &b->out->groups[kind];
  SofaTuple key = number_key(tag);
  key.v[2] = (uint32_t)kind;
  uint32_t id;
  SOFA_TRY(sofa_tuple_map_add(ctx, &b->group_ids, &key, (uint32_t)groups->n, &id));
  if (id == groups->n) {
    SofaMeshGroup group = {.material_id = -1};
    group.first = (uint32_t)sofa_mesh_elements(&b->out->mesh, kind).n - 1;
    group.name = sofa_format(ctx, "%lld", (long long)tag);
    group.material = sofa_strdup(ctx, "");
    const SofaErr err =
        group.name && group.material ? SOFA_APPEND(ctx, groups, &group) : SOFA_ERR_MEMORY;
    if (err != SOFA_OK) {
      sofa_free(ctx, group.name);
      sofa_free(ctx, group.material);
      return err;
    }
  }
  groups->data[id].n++;
  return SOFA_OK;
}

/* How types are stored: kind of the corners, number of nodes, and the edges of the further nodes
 * whose records SOFA makes. */
typedef struct GmshType {
  SofaElementKind kind;
  unsigned corners, nodes, mid_edges;
  uint8_t pairs[6][2];
} GmshType;

static const GmshType *gmsh_type(int64_t type) {
  static const GmshType types[] = {
      [1] = {SOFA_ELEMENT_EDGE, 2, 2, 0, {{0}}},
      [2] = {SOFA_ELEMENT_TRIANGLE, 3, 3, 0, {{0}}},
      [3] = {SOFA_ELEMENT_QUAD, 4, 4, 0, {{0}}},
      [4] = {SOFA_ELEMENT_TETRA, 4, 4, 0, {{0}}},
      [5] = {SOFA_ELEMENT_HEXA, 8, 8, 0, {{0}}},
      [6] = {SOFA_ELEMENT_PRISM, 6, 6, 0, {{0}}},
      [7] = {SOFA_ELEMENT_PYRAMID, 5, 5, 0, {{0}}},
      [8] = {SOFA_ELEMENT_EDGE, 2, 3, 1, {{0, 1}}},
      [9] = {SOFA_ELEMENT_TRIANGLE, 3, 6, 3, {{0, 1}, {1, 2}, {2, 0}}},
      [10] = {SOFA_ELEMENT_QUAD, 4, 9, 0, {{0}}},
      [11] = {SOFA_ELEMENT_TETRA, 4, 10, 6, {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}}},
      [12] = {SOFA_ELEMENT_HEXA, 8, 27, 0, {{0}}},
      [16] = {SOFA_ELEMENT_QUAD, 4, 8, 0, {{0}}},
      [17] = {SOFA_ELEMENT_HEXA, 8, 20, 0, {{0}}},
      [18] = {SOFA_ELEMENT_PRISM, 6, 15, 0, {{0}}},
      [19] = {SOFA_ELEMENT_PYRAMID, 5, 13, 0, {{0}}}};
  if ((uint64_t)type >= SOFA_COUNT(types) || types[type].corners == 0) return NULL;
  return &types[type];
}

bool sofa_gmsh_kind(int64_t type, SofaElementKind *kind, bool *first_order) {
  const GmshType *info = gmsh_type(type);
  if (!info) return false;
  *kind = info->kind;
  *first_order = info->nodes == info->corners;
  return true;
}

/* Tells once per type that its elements are not used. */
static void leave_out(SofaGmshBuild *b, int64_t type) {
  const uint64_t bit = (uint64_t)1 << (type & 63);
  if (type == 15 || b->left_out & bit) return;
  b->left_out |= bit;
  sofa_mesh_warn(&b->text, "elements of Gmsh type %lld are left out", (long long)type);
}

SofaErr sofa_gmsh_add_element(SofaGmshBuild *b, int64_t type, int64_t tag, const int64_t *numbers) {
  const GmshType *info = gmsh_type(type);
  const SofaShape quadratic = sofa_gmsh_quadratic(type);
  uint32_t v[SOFA_SHAPE_MAX_NODES];
  if (!info) {
    leave_out(b, type);
    return SOFA_OK;
  }
  for (unsigned i = 0; i < info->nodes; i++) {
    v[i] = node_rank(b, numbers[i]);
    if (v[i] == UINT32_MAX)
      return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE,
                            "%s names node %lld, which the file does not have",
                            sofa_element_kind_info(info->kind)->name, (long long)numbers[i]);
  }
  SOFA_TRY(sofa_list_append(b->text.ctx, sofa_mesh_list(&b->out->mesh, info->kind),
                            info->corners * sizeof *v, v));
  if (quadratic < SOFA_N_SHAPES) SOFA_TRY(sofa_add_gmsh_nodes(b->text.ctx, b->out, quadratic, v));
  SOFA_TRY(count_in_group(b, info->kind, tag));
  for (unsigned j = 0; j < info->mid_edges; j++) {
    const uint32_t edge[3] = {v[info->pairs[j][0]], v[info->pairs[j][1]], v[info->corners + j]};
    SOFA_TRY(sofa_mesh_add_mid_edge(b->text.ctx, edge, info->kind == SOFA_ELEMENT_EDGE,
                                    b->unique_mid_edges ? &b->mid_edges : NULL, b->out));
  }
  return SOFA_OK;
}
