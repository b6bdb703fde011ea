/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshSpringForceField: a spring for each edge, side and diagonal of a mesh. */
#include <float.h>
#include "behavior/checks.h"
#include "behavior/state_division.h"
#include "change/topology_change.h"
#include "topology/shared_sides.h"
#include "topology/topology.h"
#include "components/solidmechanics/spring/MeshSpringForceField.h"
#include "components/solidmechanics/spring/pair_map.h"

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef MeshSpringForceField SofaSelf; /* of SOFA_ROW */
#define GROUP_ROWS(group, xml, what, stiffness_names, damping_names)                               \
  SOFA_ROW(stiffness[group], xml "Stiffness", "0", "N",                                            \
           "stiffness of the springs " what ", divided by their rest lengths",                     \
           .aliases = stiffness_names, .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP), \
      SOFA_ROW(damping[group], xml "Damping", "0", "N s",                                          \
               "damping of the springs " what ", divided by their rest lengths",                   \
               .aliases = damping_names, .range = SOFA_FINITE_AT_LEAST(0),                         \
               .on_bad = SOFA_BAD_KEEP)

static const SofaField fields[] = {
    GROUP_ROWS(MESH_SPRING_LINES, "lines", "along edges", "stiffness", "damping"),
    GROUP_ROWS(MESH_SPRING_TRIANGLES, "triangles", "along sides of triangles", "stiffness",
               "damping"),
    GROUP_ROWS(MESH_SPRING_QUADS, "quads", "along sides and diagonals of quads", "stiffness",
               "damping"),
    GROUP_ROWS(MESH_SPRING_TETRAHEDRA, "tetrahedra", "along edges of tetrahedra",
               "tetrasStiffness stiffness", "tetrasDamping damping"),
    GROUP_ROWS(MESH_SPRING_CUBES, "cubes", "along edges and diagonals of hexahedra", "stiffness",
               "damping"),
    SOFA_ROW(no_compression, "noCompression", "0", "", "springs pull but do not push"),
    SOFA_ROW(
        local_range, "localRange", "-1 -1", "",
        "only springs with no point below the first number and not both points above the second; "
        "-1: no limit"),
    SOFA_ROW(draw_min_elongation, "drawMinElongationRange", "8", "%",
             "elongation drawn as the first colour", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(draw_max_elongation, "drawMaxElongationRange", "15", "%",
             "elongation drawn as the last colour", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(draw_spring_size, "drawSpringSize", "8", "", "size of drawn springs",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology with the elements; default: the node's, else the nearest ancestor's",
             .link = &topology_rule),
};

static const SofaPrivateList lists[] = {
    SOFA_PRIVATE_NAMES(MeshSpringForceField, named),
};

static bool out_of_range(const MeshSpringForceField *m, uint32_t a, uint32_t b) {
  if (m->local_range.n < 2) return false;
  a = sofa_point_number(&m->named, a);
  b = sofa_point_number(&m->named, b);
  const int64_t low = m->local_range.data[0], high = m->local_range.data[1];
  return (low >= 0 && (a < low || b < low)) || (high >= 0 && a > high && b > high);
}

static SofaErr add_spring(MeshSpringForceField *m, SofaPairMap *seen, int group, uint32_t a,
                          uint32_t b) {
  SpringForceField *s = &m->springs;
  SofaContext *ctx = s->force_field.object.ctx;
  bool is_new;
  uint32_t *unused;
  if (out_of_range(m, a, b)) return SOFA_OK;
  SOFA_TRY(sofa_pair_map_get(ctx, seen, a, b, &unused, &is_new));
  if (!is_new) return SOFA_OK;
  const double length = sofa_springs_rest_length(s->force_field.state[0], s->space, a, b);
  const double scale = length > DBL_EPSILON ? length : 1;
  const SofaSpring spring = {.m1 = a,
                             .m2 = b,
                             .stiffness = m->stiffness[group] / scale,
                             .damping = m->damping[group] / scale,
                             .length = length,
                             .elongation_only = m->no_compression,
                             .enabled = true};
  return SOFA_APPEND(ctx, &s->springs, &spring);
}

/* All pairs of the elements' points. Triangles, quads and tetrahedra list them by their first
 * point, (0,1) (0,2) .. (1,2) ..; hexahedra by their second one. */
static SofaErr add_group(MeshSpringForceField *m, SofaPairMap *seen, int group, const uint32_t *v,
                         size_t n, unsigned width) {
  if (m->stiffness[group] == 0 && m->damping[group] == 0) return SOFA_OK;
  const SofaState *state = m->springs.force_field.state[0];
  for (size_t e = 0; e < n; e++, v += width) {
    SOFA_TRY(sofa_check_element(&m->springs.force_field.object, "element", e, v, width,
                                sofa_state_size(state)));
    for (unsigned i = 0; i < width; i++) {
      const unsigned begin = group == MESH_SPRING_CUBES ? 0 : i + 1,
                     end = group == MESH_SPRING_CUBES ? i : width;
      for (unsigned j = begin; j < end; j++) SOFA_TRY(add_spring(m, seen, group, v[i], v[j]));
    }
  }
  return SOFA_OK;
}

static SofaErr make_springs(MeshSpringForceField *m, SofaTopology *topology, SofaPairMap *seen,
                            size_t first[MESH_SPRING_GROUPS + 1]) {
  const SofaEdges *edges = sofa_topology_edges(topology);
  const SofaTriangles *triangles = sofa_topology_triangles(topology);
  const SofaQuads *quads = sofa_topology_quads(topology);
  const SofaTetras *tetras = sofa_topology_tetrahedra(topology);
  const SofaHexas *hexas = sofa_topology_hexahedra(topology);
  if (topology->failure) return topology->failure;
  const struct {
    int group;
    const void *v;
    size_t n;
    unsigned width;
  } all[MESH_SPRING_GROUPS] = {{MESH_SPRING_LINES, edges->data, edges->n, 2},
                               {MESH_SPRING_TRIANGLES, triangles->data, triangles->n, 3},
                               {MESH_SPRING_QUADS, quads->data, quads->n, 4},
                               {MESH_SPRING_TETRAHEDRA, tetras->data, tetras->n, 4},
                               {MESH_SPRING_CUBES, hexas->data, hexas->n, 8}};
  first[0] = 0;
  for (int k = 0; k < MESH_SPRING_GROUPS; k++) {
    SOFA_TRY(add_group(m, seen, all[k].group, all[k].v, all[k].n, all[k].width));
    first[k + 1] = m->springs.springs.n;
  }
  return SOFA_OK;
}

/* ---- meshes that are divided among processes: each pair of points is joined by one of them ----
 */

/* Springs of this process by groups: those of group g are first[g] to first[g + 1] - 1. */
typedef struct Groups {
  size_t first[MESH_SPRING_GROUPS + 1];
  uint32_t *pairs, *lowest;
  bool *mine;
} Groups;

/* In a group the lowest process counts; before it those with the pair in an earlier group. */
static SofaErr choose(const MeshSpringForceField *m, int group, Groups *g) {
  const SofaForceField *ff = &m->springs.force_field;
  const SofaDivision *division = sofa_state_division(ff->state[0]);
  const size_t first = g->first[group], n = g->first[group + 1] - first;
  const uint32_t rank = (uint32_t)sofa_process_rank(ff->object.ctx);
  const SofaElements asked = {g->pairs + 2 * first, n, 2}, before = {g->pairs, first, 2};
  SOFA_TRY(sofa_find_shared_sides(ff->object.ctx, division, before, asked, g->lowest));
  for (size_t i = 0; i < n; i++) g->mine[first + i] = g->lowest[i] == SOFA_NO_ELEMENT;
  SOFA_TRY(sofa_find_shared_sides(ff->object.ctx, division, asked, asked, g->lowest));
  for (size_t i = 0; i < n; i++)
    if (g->lowest[i] < rank) g->mine[first + i] = false;
  return SOFA_OK;
}

static SofaErr keep_own(MeshSpringForceField *m, Groups *g) {
  SofaSprings *springs = &m->springs.springs;
  SofaContext *ctx = m->springs.force_field.object.ctx;
  size_t n = 0;
  SofaErr err = SOFA_OK;
  g->pairs = sofa_alloc(ctx, 2 * springs->n, sizeof *g->pairs);
  g->lowest = sofa_alloc(ctx, springs->n, sizeof *g->lowest);
  g->mine = sofa_alloc(ctx, springs->n, sizeof *g->mine);
  if (!g->pairs || !g->lowest || !g->mine) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  for (size_t i = 0; i < springs->n; i++) {
    g->pairs[2 * i] = springs->data[i].m1;
    g->pairs[2 * i + 1] = springs->data[i].m2;
  }
  for (int k = 0; k < MESH_SPRING_GROUPS; k++) SOFA_GO(err, done, choose(m, k, g));
  for (size_t i = 0; i < springs->n; i++)
    if (g->mine[i]) springs->data[n++] = springs->data[i];
  springs->n = n;
done:
  sofa_free(ctx, g->pairs);
  sofa_free(ctx, g->lowest);
  sofa_free(ctx, g->mine);
  return err;
}

static SofaErr mesh_spring_init(SofaObject *object) {
  MeshSpringForceField *m = (MeshSpringForceField *)object;
  SofaTopology *topology =
      m->topology.target ? (SofaTopology *)m->topology.target : sofa_node_topology(object->node);
  if (!topology)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take elements from");
  SofaPairMap seen = {0};
  Groups groups = {.pairs = NULL};
  const SofaForceField *ff = &m->springs.force_field;
  const SofaDivision *division = sofa_state_division(ff->state[0]);
  if (division && ff->state[1] && ff->state[1] != ff->state[0])
    return sofa_object_undivided(object, "springs between two states of which one is divided "
                                         "among processes");
  m->springs.springs.n = 0;
  SofaErr err = make_springs(m, topology, &seen, groups.first);
  sofa_pair_map_free(object->ctx, &seen);
  if (err == SOFA_OK && division) err = keep_own(m, &groups);
  if (err != SOFA_OK) m->springs.springs.n = 0;
  return err;
}

/* ---- topological changes ---- */

/* Rest lengths are those of the rest positions, so the springs can be made again. */
static SofaErr mesh_spring_done(SofaObject *object) {
  SOFA_TRY(mesh_spring_init(object));
  return sofa_object_run(object, SOFA_RUN_BWD_INIT);
}

static const SofaTopologyListenerOps listener = {.done = mesh_spring_done};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", NULL};

SOFA_CLASS(MeshSpringForceField) = {
    SOFA_NAMED(MeshSpringForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Linear damped springs along the edges, sides and diagonals of a mesh, each pair of "
            "points joined once; stiffness and damping are divided by the rest length.",
    .base = &sofa_SpringForceField_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .init = mesh_spring_init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}),
};
