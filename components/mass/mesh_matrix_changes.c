/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topological changes of MeshMatrixMass: entries follow points, edges and elements. */
#include "components/mass/edge_search.h"
#include "components/mass/mesh_matrix_mass.h"

/* Does the scene list the entries of the matrix? */
static bool entries_given(const MeshMatrixMass *m) {
  return !m->total_given && !m->density_given && m->vertex_given;
}

static const SofaState *geometry_of(const MeshMatrixMass *m) {
  const SofaState *state = (const SofaState *)m->geometry_state.target;
  const SofaTopology *topology = (const SofaTopology *)m->topology.target;
  return state ? state : sofa_node_state(topology->object.node);
}

/* Are the entries those of the elements at rest, and will they be after changes? */
static bool is_kept(const MeshMatrixMass *m) {
  const SofaState *geometry = geometry_of(m);
  return m->at_rest && geometry == m->mass.force_field.state[0] && geometry->rest_position.n;
}

/* What the entries add to the sum of all entries, times `sign`. */
static void count(MeshMatrixMass *m, bool vertices, double value, double sign) {
  const double factor = vertices ? (m->lumping ? m->coefficient : 1) : 2;
  m->total_mass += sign * factor * value;
}

/* The entries of removed points or edges are removed, those of inserted ones are zero. */
static SofaErr change_entries(MeshMatrixMass *m, const SofaTopologyChange *change, bool vertices) {
  SofaReals *list = vertices ? &m->vertex_mass : &m->edge_mass;
  m->remake = m->remake || m->coupled;
  if (list->n != change->n_before) {
    m->remake = true;
    return SOFA_OK;
  }
  if (change->kind == SOFA_CHANGE_ADD)
    return SOFA_RESIZE(m->mass.force_field.object.ctx, list, change->n_before + change->n);
  for (size_t k = 0; k < change->n; k++) count(m, vertices, list->data[change->ids[k]], -1);
  sofa_change_remove_entries(change, list, sizeof *list->data);
  return SOFA_OK;
}

/* The density of an element, by its index after the change. */
static double density_now(const MeshMatrixMass *m, size_t e) {
  return m->by_element && m->density.n ? m->density.data[m->density.n == 1 ? 0 : e] : m->uniform;
}

/* The sum over the elements around a vertex or an edge that remain; zero when none does. */
static double sum_around(const MeshMatrixMass *m, const SofaTopologyChange *change,
                         const SofaMassGeometry *g, const SofaAround *around, uint32_t id) {
  const uint32_t *elements = NULL;
  const size_t n = sofa_around_row(around, id, &elements);
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    const uint32_t now = sofa_change_renamed(change, elements[i]);
    if (now != SOFA_NO_ELEMENT) sum += density_now(m, now) * sofa_mass_measure(g, elements[i]);
  }
  return sum;
}

/* The entries of vertices or edges of changed elements: `subs`, `per` of each element. */
static void change_shares(MeshMatrixMass *m, const SofaTopologyChange *change,
                          const SofaMassGeometry *g, const uint32_t *subs, unsigned per) {
  SofaTopology *topology = change->topology;
  const bool vertices = subs == g->vertices, removal = change->kind == SOFA_CHANGE_REMOVE;
  SofaReals *list = vertices ? &m->vertex_mass : &m->edge_mass;
  const double share = vertices ? shares[m->cell].vertex : shares[m->cell].edge;
  const SofaElementKind sub = vertices ? SOFA_ELEMENT_POINT : SOFA_ELEMENT_EDGE;
  const SofaAround *around = removal ? sofa_topology_around(topology, m->element, sub) : NULL;
  for (size_t k = 0; k < change->n * per; k++) {
    const uint32_t element = change->ids[k / per], id = subs[element * (size_t)per + k % per];
    if (id >= list->n) {
      m->remake = true;
      return;
    }
    double *entry = &list->data[id];
    count(m, vertices, *entry, -1);
    if (removal) *entry = sum_around(m, change, g, around, id) / share;
    else *entry += density_now(m, element) * sofa_mass_measure(g, element) / share;
    count(m, vertices, *entry, 1);
  }
}

static SofaErr change_elements(MeshMatrixMass *m, const SofaTopologyChange *change) {
  const SofaState *geometry = geometry_of(m);
  SofaMassGeometry g;
  unsigned per = 0;
  m->remake = m->remake || m->coupled || m->cell == MASS_EDGE;
  if (m->remake || !is_kept(m)) return SOFA_OK;
  sofa_mass_geometry_unchecked(&m->mass.force_field.object, change->topology, geometry, true, &g);
  m->remake = g.cell != m->cell;
  for (size_t k = 0; k < change->n * g.n_vertices && !m->remake; k++)
    m->remake =
        g.vertices[change->ids[k / g.n_vertices] * (size_t)g.n_vertices + k % g.n_vertices] >=
        g.n_points;
  if (m->remake) return SOFA_OK;
  change_shares(m, change, &g, g.vertices, g.n_vertices);
  if (m->lumping) return change->topology->failure;
  const uint32_t *edges = sofa_topology_sub(change->topology, SOFA_ELEMENT_EDGE, m->element, &per);
  if (!edges) m->remake = true;
  else change_shares(m, change, &g, edges, per);
  return change->topology->failure;
}

/* Entries that the scene lists belong to points and edges alone (no element keeps them); the others
 * are those of the current elements, measured at rest, with the density of the beginning. */
static SofaErr matrix_listen(SofaObject *object, const SofaTopologyChange *change) {
  MeshMatrixMass *m = (MeshMatrixMass *)object;
  const SofaTopology *topology = (const SofaTopology *)m->topology.target;
  if (sofa_change_moves(change, m->mass.force_field.state[0])) {
    // vertices of elements are unknown while the points of the state alone change
    m->remake = m->remake || change->topology != topology;
    return change_entries(m, change, true);
  }
  if (sofa_change_of(change, topology, SOFA_ELEMENT_EDGE) && !m->lumping)
    return change_entries(m, change, false);
  if (m->element == SOFA_ELEMENT_POINT) return SOFA_OK;
  return sofa_change_of(change, topology, m->element) ? change_elements(m, change) : SOFA_OK;
}

static SofaErr measure_again(MeshMatrixMass *m) {
  SofaObject *object = &m->mass.force_field.object;
  SofaTopology *topology = (SofaTopology *)m->topology.target;
  SofaReals uniform = {.data = &m->uniform, .n = 1};
  SofaMassGeometry g;
  SOFA_TRY(sofa_mass_geometry(object, topology, geometry_of(m), true, &g));
  if (g.cell == MASS_N_CELLS) g.cell = MASS_EDGE; // nothing is left
  else mesh_matrix_set_cell(m, g.cell);
  SOFA_TRY(mesh_matrix_integrate(m, &g, sofa_topology_edges(topology),
                                 m->by_element ? &m->density : &uniform));
  m->total_mass = mesh_matrix_sum(m);
  m->remake = false;
  m->at_rest = true;
  return SOFA_OK;
}

static SofaErr matrix_done(SofaObject *object) {
  MeshMatrixMass *m = (MeshMatrixMass *)object;
  SofaMassGeometry g;
  static const char *const names[] = {"totalMass", "vertexMass", "edgeMass"};
  for (size_t i = 0; i < SOFA_COUNT(names); i++) sofa_field_touch_name(object, names[i]);
  m->rows_stale = true;
  if (entries_given(m)) return SOFA_OK;
  sofa_mass_geometry_unchecked(object, (SofaTopology *)m->topology.target, geometry_of(m), true,
                               &g);
  return m->remake || !is_kept(m) || g.cell != m->cell ? measure_again(m) : SOFA_OK;
}

/* Elements of another object are its own. */
static bool matrix_can_listen(const SofaObject *object, const char **why) {
  *why = "is about to change, and the object in 'elements' keeps its elements";
  return !((const MeshMatrixMass *)object)->elements.target;
}

const SofaTopologyListenerOps mesh_matrix_listener = {
    .listen = matrix_listen, .done = matrix_done, .can_listen = matrix_can_listen};
