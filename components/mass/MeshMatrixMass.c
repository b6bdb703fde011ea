/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshMatrixMass: the consistent mass matrix of a mesh, or its lumped form. */
#include <math.h>

#include "behavior/checks.h"
#include "object/checkpoint.h"
#include "behavior/state_division.h"
#include "object/event.h"
#include "components/mass/edge_search.h"
#include "components/mass/mesh_matrix_mass.h"
#include "numerics/mass/element_mass.h"
#include "numerics/mass/mass_rows.h"
#include "topology/element_source.h"

enum { QUIRK_MESH_MATRIX_MASS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_MESH_MATRIX_MASS, "mesh-matrix-mass",
     "MeshMatrixMass couples points of quads and hexahedra along edges only; edges have no mass",
     "test_element_masses.quirk_of_the_couplings"},
    SOFA_QUIRK_MASS_MEASURE_ROW,
};

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};
static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE,
                                        .search = SOFA_SEARCH_NONE};

static const SofaLinkRule elements_rule = {.interface = SOFA_ELEMENT_SOURCE,
                                           .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(MeshMatrixMass, elements, "elements", NULL, "",
               "object with the elements instead of the topology, as a CaribouTopology: those of "
               "second order with all their nodes, measured at rest; with lumping the diagonal of "
               "each element is scaled to its mass (addition of csofa)",
               .link = &elements_rule),
    SOFA_FIELD(MeshMatrixMass, density, "massDensity", NULL, "kg/m^d",
               "mass per area or volume: one value, or one per element", .flags = SOFA_FIELD_REINIT,
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP,
               SOFA_PER(SOFA_ELEMENT_POINT, .kind_at = offsetof(MeshMatrixMass, element))),
    SOFA_FIELD(MeshMatrixMass, total_mass, "totalMass", "1", "kg",
               "sum of all entries of the mass matrix", .flags = SOFA_FIELD_REINIT,
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(MeshMatrixMass, vertex_mass, "vertexMass", NULL, "kg",
               "diagonal of the mass matrix, one per point", .flags = SOFA_FIELD_REINIT,
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(MeshMatrixMass, edge_mass, "edgeMass", NULL, "kg",
               "off-diagonal entries, one per edge of the topology", .flags = SOFA_FIELD_REINIT,
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(MeshMatrixMass, on_rest, "computeMassOnRest", "0", "",
               "measure the elements at rest instead of at the initial positions"),
    SOFA_FIELD(MeshMatrixMass, lumping, "lumping", "0", "",
               "diagonal matrix: each row's sum on its diagonal", .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(MeshMatrixMass, print_mass, "printMass", "0", "",
               "write the sum and the means of the entries after every step"),
    SOFA_FIELD(MeshMatrixMass, graph, "graph", NULL, "", "curves of printMass",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(MeshMatrixMass, show_center, "showGravityCenter", "0", "", "draw the centre of mass",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(MeshMatrixMass, axis_size, "showAxisSizeFactor", "1", "", "size of the drawn axes",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(MeshMatrixMass, topology, "topology", NULL, "", "topology with the elements",
               .link = &topology_rule),
    SOFA_FIELD(MeshMatrixMass, geometry_state, "geometryState", NULL, "",
               "state whose positions measure the elements; default: that of the topology's node",
               .link = &state_rule),
};

/* ---- entries of the matrix ---- */

static double density_of(const SofaReals *list, size_t e) {
  return !list || !list->n ? 1 : list->data[list->n == 1 ? 0 : e];
}

static void clear(SofaReals *list) {
  for (size_t i = 0; i < list->n; i++) list->data[i] = 0;
}

static SofaErr add_edges(MeshMatrixMass *m, const SofaMassGeometry *g, const Shares *s, size_t e,
                         const EdgeKeys *keys, double part) {
  const uint32_t *v = g->vertices + e * g->n_vertices;
  for (unsigned k = 0; k < s->n_edges; k++) {
    const size_t edge = find_edge(keys, v[s->edges[k][0]], v[s->edges[k][1]]);
    if (edge == keys->n)
      return sofa_object_fail(&m->mass.force_field.object, SOFA_ERR_ARGUMENT,
                              "the topology has no edge (%u, %u), which element %zu needs",
                              v[s->edges[k][0]], v[s->edges[k][1]], e);
    m->edge_mass.data[edge] += part;
  }
  return SOFA_OK;
}

static bool is_quirky(const MeshMatrixMass *m) {
  return sofa_quirk(&m->mass.force_field.object, QUIRK_MESH_MATRIX_MASS);
}

/* Entry (i, j), 0 where the row has none; columns are ascending. */
static double entry_of(const SofaMassMatrix *all, uint32_t i, uint32_t j) {
  uint32_t low = all->start[i], high = all->start[i + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (all->column[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low < all->start[i + 1] && all->column[low] == j ? all->value[low] : 0;
}

/* The lists of entries, and the couplings, from the whole matrix. */
static SofaErr take_matrix(MeshMatrixMass *m, const SofaMassMatrix *all, const SofaEdges *edges) {
  SofaContext *ctx = m->mass.force_field.object.ctx;
  const size_t n_edges = m->lumping ? 0 : edges->n;
  uint32_t at = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->vertex_mass, all->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->row_sum, all->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->edge_mass, n_edges));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->start, all->n + 2));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->column, m->lumping ? 0 : all->start[all->n]));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->value, m->column.n));
  for (size_t e = 0; e < n_edges; e++)
    m->edge_mass.data[e] = entry_of(all, edges->data[e].v[0], edges->data[e].v[1]);
  for (uint32_t i = 0; i < all->n; i++) {
    m->row_sum.data[i] = all->row_sum[i];
    m->vertex_mass.data[i] = m->lumping ? all->row_sum[i] : entry_of(all, i, i);
    m->start.data[i] = at;
    for (uint32_t k = all->start[i]; !m->lumping && k < all->start[i + 1]; k++) {
      if (all->column[k] == i) continue;
      m->column.data[at] = all->column[k];
      m->value.data[at++] = all->value[k];
    }
  }
  m->start.data[all->n] = m->start.data[all->n + 1] = at;
  m->column.n = m->value.n = at;
  m->rows_stale = false;
  return SOFA_OK;
}

/* Quads and hexahedra: the integrals of products of their shape functions. */
static SofaErr integrate_all(MeshMatrixMass *m, const SofaMassGeometry *g, const SofaEdges *edges,
                             const SofaReals *density) {
  SofaContext *ctx = m->mass.force_field.object.ctx;
  const double one = 1;
  const bool given = density && density->n;
  SofaMassMatrix all = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done,
          sofa_mass_matrix_of_geometry(ctx, g, given ? density->data : &one,
                                       given && density->n > 1, &all));
  SOFA_GO(err, done, take_matrix(m, &all, edges));
done:
  sofa_mass_matrix_free(ctx, &all);
  return err;
}

static SofaErr source_mesh(const MeshMatrixMass *m, SofaElementMesh *mesh) {
  const SofaState *state = (const SofaState *)m->geometry_state.target;
  if (!state) state = m->mass.force_field.state[0];
  return sofa_element_source_mesh(&m->mass.force_field.object, m->elements.target, SOFA_N_SHAPES,
                                  state, mesh);
}

/* Elements of another object. The lumped matrix takes the place of the sums of the rows. */
static SofaErr integrate_source(MeshMatrixMass *m, const SofaReals *density) {
  SofaContext *ctx = m->mass.force_field.object.ctx;
  const double one = 1;
  const bool given = density && density->n;
  const SofaMassDensity rho = {given ? density->data : &one, given ? density->n : 1, false};
  const SofaEdges none = {0};
  SofaMassMatrix all = {0};
  SofaElementMesh mesh;
  double *lumped = NULL;
  SofaErr err = SOFA_OK;
  SOFA_TRY(source_mesh(m, &mesh));
  if (m->lumping && !(lumped = sofa_alloc(ctx, mesh.n_points, sizeof *lumped)))
    return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, sofa_mass_matrix_of_elements(ctx, &mesh, SOFA_RULE_MASS, &rho, &all, lumped));
  if (lumped) sofa_copy(all.row_sum, lumped, mesh.n_points * sizeof *lumped);
  SOFA_GO(err, done, take_matrix(m, &all, &none));
done:
  sofa_free(ctx, lumped);
  sofa_mass_matrix_free(ctx, &all);
  return err;
}

SofaErr mesh_matrix_integrate(MeshMatrixMass *m, const SofaMassGeometry *g, const SofaEdges *edges,
                              const SofaReals *density) {
  SofaContext *ctx = m->mass.force_field.object.ctx;
  const Shares *s = &shares[g->cell];
  const size_t n = sofa_state_size(m->mass.force_field.state[0]);
  EdgeKeys keys = {0};
  SofaErr err = SOFA_OK;
  m->row_sum.n = 0;
  if (m->elements.target) return integrate_source(m, density);
  if (m->coupled) return integrate_all(m, g, edges, density);
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &m->vertex_mass, n > g->n_points ? n : g->n_points));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &m->edge_mass, m->lumping ? 0 : edges->n));
  clear(&m->vertex_mass);
  clear(&m->edge_mass);
  if (g->cell == MASS_EDGE && is_quirky(m)) goto done;
  if (!m->lumping) SOFA_GO(err, done, sort_edges(ctx, edges, &keys));
  for (size_t e = 0; e < g->n_elements; e++) {
    const double element = density_of(density, e) * sofa_mass_measure(g, e);
    for (unsigned k = 0; k < g->n_vertices; k++)
      m->vertex_mass.data[g->vertices[e * g->n_vertices + k]] += element / s->vertex;
    if (!m->lumping) SOFA_GO(err, done, add_edges(m, g, s, e, &keys, element / s->edge));
  }
done:
  sofa_list_free(ctx, &keys);
  return err;
}

double mesh_matrix_sum(const MeshMatrixMass *m) {
  double sum = 0;
  for (size_t i = 0; i < m->row_sum.n; i++) sum += m->row_sum.data[i];
  if (m->row_sum.n) return sum;
  for (size_t i = 0; i < m->vertex_mass.n; i++) sum += m->vertex_mass.data[i];
  if (m->lumping) return sum * m->coefficient;
  for (size_t i = 0; i < m->edge_mass.n; i++) sum += 2 * m->edge_mass.data[i];
  return sum;
}

/* Of all processes. */
static SofaErr sum_all(const MeshMatrixMass *m, double *sum) {
  *sum = mesh_matrix_sum(m);
  if (!sofa_state_division(m->mass.force_field.state[0])) return SOFA_OK;
  return sofa_process_sum(m->mass.force_field.object.ctx, 1, sum);
}

static SofaErr from_total(MeshMatrixMass *m, const SofaMassGeometry *g, const SofaEdges *edges) {
  SOFA_TRY(mesh_matrix_integrate(m, g, edges, NULL));
  double sum, factor;
  SOFA_TRY(sum_all(m, &sum));
  SOFA_TRY(sofa_mass_factor(&m->mass.force_field.object, g, m->total_mass, sum, &factor));
  m->uniform = factor;
  for (size_t i = 0; i < m->vertex_mass.n; i++) m->vertex_mass.data[i] *= factor;
  for (size_t i = 0; i < m->edge_mass.n; i++) m->edge_mass.data[i] *= factor;
  for (size_t i = 0; i < m->row_sum.n; i++) m->row_sum.data[i] *= factor;
  for (size_t i = 0; m->row_sum.n && i < m->value.n; i++) m->value.data[i] *= factor;
  return SOFA_OK;
}

/* ---- what the scene says ---- */

/* SOFA_ERR_RANGE for a list that its range has warned of. */
static SofaErr check_signs(const SofaReals *list) {
  for (size_t i = 0; i < list->n; i++)
    if (!(list->data[i] >= 0)) return SOFA_ERR_RANGE;
  return SOFA_OK;
}

static SofaErr check_density(const MeshMatrixMass *m, const SofaMassGeometry *g) {
  const SofaObject *object = &m->mass.force_field.object;
  if (m->density.n != 1 && m->density.n != g->n_elements)
    return sofa_field_fail(object, "massDensity", SOFA_ERR_RANGE,
                           "%zu values for %zu elements: expected 1 or one per element",
                           m->density.n, g->n_elements);
  return check_signs(&m->density);
}

static SofaErr check_list(const MeshMatrixMass *m, const char *name, const SofaReals *list,
                          size_t n) {
  const SofaObject *object = &m->mass.force_field.object;
  if (list->n != n)
    return sofa_field_fail(object, name, SOFA_ERR_RANGE, "%zu values, expected %zu", list->n, n);
  return check_signs(list);
}

/* Lists given by hand count when they define the whole matrix. */
static SofaErr check_lists(MeshMatrixMass *m, const SofaEdges *edges) {
  const size_t n = sofa_state_size(m->mass.force_field.state[0]);
  if (sofa_state_division(m->mass.force_field.state[0]))
    return sofa_object_undivided(
        &m->mass.force_field.object,
        "entries that are given one by one, of a mesh that is divided among processes");
  if (!m->lumping && !m->edge_given)
    return sofa_object_fail(&m->mass.force_field.object, SOFA_ERR_ARGUMENT,
                            "vertexMass alone needs lumping=\"1\"; otherwise give edgeMass, too");
  SOFA_TRY(check_list(m, "vertexMass", &m->vertex_mass, n));
  if (!m->lumping) SOFA_TRY(check_list(m, "edgeMass", &m->edge_mass, edges->n));
  m->row_sum.n = 0;
  m->coupled = false;
  m->total_mass = mesh_matrix_sum(m);
  return SOFA_OK;
}

/* totalMass counts before massDensity before the lists; what is refused falls back to totalMass
 * when the run goes on. */
static SofaErr take_values(MeshMatrixMass *m, const SofaMassGeometry *g, const SofaEdges *edges) {
  SofaErr err = SOFA_OK;
  m->by_element = false;
  m->at_rest = m->on_rest;
  if (!m->total_given && m->density_given) {
    err = check_density(m, g);
    if (err == SOFA_OK) {
      m->uniform = m->density.data[0];
      m->by_element = m->density.n > 1;
      SOFA_TRY(mesh_matrix_integrate(m, g, edges, &m->density));
      return sum_all(m, &m->total_mass);
    }
  } else if (!m->total_given && m->vertex_given) {
    err = check_lists(m, edges);
    if (err == SOFA_OK) return SOFA_OK;
  }
  if (err != SOFA_OK && !m->mass.force_field.object.ctx->keep_going) return err;
  return from_total(m, g, edges);
}

/* Couplings row by row, in the order of the edges. */
static SofaErr build_rows(MeshMatrixMass *m, const SofaEdges *edges) {
  SofaContext *ctx = m->mass.force_field.object.ctx;
  const size_t n = m->vertex_mass.n, n_edges = m->lumping ? 0 : m->edge_mass.n;
  if (m->row_sum.n) { // the matrix has made them
    m->rows_stale = false;
    return SOFA_OK;
  }
  SOFA_TRY(SOFA_RESIZE(ctx, &m->start, n + 2));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->column, 2 * n_edges));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->value, 2 * n_edges));
  uint32_t *start = m->start.data;
  for (size_t i = 0; i < n + 2; i++) start[i] = 0;
  for (size_t e = 0; e < n_edges; e++)
    for (int k = 0; k < 2; k++) start[edges->data[e].v[k] + 2]++;
  for (size_t i = 2; i < n + 2; i++) start[i] += start[i - 1];
  /* start[i + 1] walks to the end of row i while the row is filled */
  for (size_t e = 0; e < n_edges; e++)
    for (int k = 0; k < 2; k++) {
      const uint32_t at = start[edges->data[e].v[k] + 1]++;
      m->column.data[at] = edges->data[e].v[1 - k];
      m->value.data[at] = m->edge_mass.data[e];
    }
  m->rows_stale = false;
  return SOFA_OK;
}

void mesh_matrix_set_cell(MeshMatrixMass *m, SofaMassCell cell) {
  m->cell = cell;
  m->element = cell < MASS_N_CELLS ? sofa_mass_cell_kind(cell) : SOFA_ELEMENT_POINT;
  m->coefficient = cell < MASS_N_CELLS ? shares[cell].coefficient : 1;
  m->coupled = (cell == MASS_QUAD || cell == MASS_HEXA) && !is_quirky(m);
}

/* The elements of another object. */
static SofaErr compute_source(MeshMatrixMass *m) {
  const SofaObject *object = &m->mass.force_field.object;
  const size_t n = sofa_state_size(m->mass.force_field.state[0]);
  SofaElementMesh mesh;
  if (m->vertex_given || m->edge_given)
    return sofa_object_unsupported(object, "vertexMass and edgeMass with 'elements'");
  SOFA_TRY(source_mesh(m, &mesh));
  if (mesh.n_points != n)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT, "the geometry has %zu points, the state %zu",
                            mesh.n_points, n);
  m->coupled = true;
  m->element = SOFA_ELEMENT_POINT; // its lists do not follow changes
  return take_values(m, &(SofaMassGeometry){.n_elements = mesh.n}, NULL);
}

/* The sum of a row. */
static double lumped_of(const MeshMatrixMass *m, size_t i) {
  return m->row_sum.n ? m->row_sum.data[i] : m->vertex_mass.data[i] * m->coefficient;
}

/* Masses that forces are divided by, where copies of a point have parts of them. */
static SofaErr find_divisors(MeshMatrixMass *m) {
  const SofaState *state = m->mass.force_field.state[0];
  SofaContext *ctx = m->mass.force_field.object.ctx;
  SofaReals own = {0};
  SofaErr err = SOFA_OK;
  if (!m->lumping || !sofa_state_division(state)) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(ctx, &own, sofa_state_size(state)));
  for (size_t i = 0; i < own.n; i++) own.data[i] = i < m->vertex_mass.n ? lumped_of(m, i) : 0;
  err = sofa_mass_diagonal_whole(state, 1, own.data, &m->divisor);
  sofa_list_free(ctx, &own);
  return err;
}

static SofaErr compute(MeshMatrixMass *m) {
  SofaObject *object = &m->mass.force_field.object;
  if (m->elements.target) return compute_source(m);
  SofaTopology *topology = (SofaTopology *)m->topology.target;
  if (!topology)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology with elements in context");
  const SofaState *geometry = (SofaState *)m->geometry_state.target;
  if (!geometry) geometry = sofa_node_state(topology->object.node);
  if (!geometry)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no state with the topology's positions");
  SofaMassGeometry g;
  SOFA_TRY(sofa_mass_geometry(object, topology, geometry, m->on_rest, &g));
  if (g.cell == MASS_N_CELLS)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT, "the topology has no elements");
  if (g.cell == MASS_EDGE && is_quirky(m) && !object->ctx->keep_going)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                            "the topology has no triangles, quads, tetrahedra or hexahedra");
  const size_t n = sofa_state_size(m->mass.force_field.state[0]);
  const SofaEdges *edges = sofa_topology_edges(topology);
  SOFA_TRY(topology->failure);
  if (g.n_points != n)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT, "the geometry has %zu points, the state %zu",
                            g.n_points, n);
  const SofaElements edge_list = sofa_mesh_elements(&topology->mesh, SOFA_ELEMENT_EDGE);
  SOFA_TRY(sofa_check_elements(object, SOFA_ELEMENT_EDGE, edge_list, n));
  mesh_matrix_set_cell(m, g.cell);
  SOFA_TRY(take_values(m, &g, edges));
  return build_rows(m, edges);
}

static SofaErr matrix_init(SofaObject *object) {
  MeshMatrixMass *m = (MeshMatrixMass *)object;
  if (!m->started) {
    m->started = true;
    m->total_given = sofa_field_is_set(object, "totalMass");
    m->density_given = sofa_field_is_set(object, "massDensity");
    m->vertex_given = sofa_field_is_set(object, "vertexMass");
    m->edge_given = sofa_field_is_set(object, "edgeMass");
    m->was_lumping = m->lumping;
  } else if (m->lumping != m->was_lumping) {
    return sofa_field_fail(object, "lumping", SOFA_ERR_ARGUMENT,
                           "cannot change during a simulation");
  }
  SofaErr err = compute(m);
  if (err == SOFA_OK) err = find_divisors(m);
  if (err != SOFA_OK) m->vertex_mass.n = m->edge_mass.n = m->row_sum.n = 0;
  return err;
}

static void matrix_destroy(SofaObject *object) {
  MeshMatrixMass *m = (MeshMatrixMass *)object;
  sofa_list_free(object->ctx, &m->row_sum);
  sofa_list_free(object->ctx, &m->start);
  sofa_list_free(object->ctx, &m->column);
  sofa_list_free(object->ctx, &m->value);
  sofa_list_free(object->ctx, &m->divisor);
}

/* The couplings, after changes of the entries. */
static SofaErr refresh(MeshMatrixMass *m) {
  if (!m->rows_stale) return SOFA_OK;
  SofaTopology *topology = (SofaTopology *)m->topology.target;
  const SofaEdges *edges = sofa_topology_edges(topology);
  SOFA_TRY(topology->failure);
  return build_rows(m, edges);
}

/* ---- operations ---- */

static const SofaStateKindInfo *kind_of(const SofaMass *mass) {
  return sofa_state_kind_info(mass->force_field.state[0]->object.kind);
}

static size_t n_masses(const MeshMatrixMass *m) {
  const size_t n = sofa_state_size(m->mass.force_field.state[0]);
  return m->vertex_mass.n < n ? m->vertex_mass.n : n;
}

/* Gravity acts on the sum of a row, lumped or not. */
static SofaErr matrix_add_force(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *const *f) {
  (void)params, (void)at;
  const MeshMatrixMass *m = (MeshMatrixMass *)ff;
  if (m->mass.gravity_apart) return SOFA_OK;
  const SofaStateKindInfo *kind = sofa_state_kind_info(ff->state[0]->object.kind);
  const double *g = ff->object.node->gravity.v;
  const size_t n = n_masses(m);
  for (size_t i = 0; i < n; i++) {
    const double own = lumped_of(m, i);
    for (unsigned c = 0; c < kind->space; c++) f[0][i * kind->deriv + c] += own * g[c];
  }
  return SOFA_OK;
}

/* lumped: room for one real of each mass. */
static SofaScalarRows mass_rows(const MeshMatrixMass *m, size_t deriv, double *lumped) {
  const size_t n = n_masses(m);
  for (size_t i = 0; m->lumping && i < n; i++) lumped[i] = lumped_of(m, i);
  return (SofaScalarRows){.n = n,
                          .deriv = deriv,
                          .own = m->lumping ? lumped : m->vertex_mass.data,
                          .start = m->start.data,
                          .column = m->column.data,
                          .value = m->value.data};
}

static SofaErr matrix_add_mdx(SofaMass *mass, const double *x, const double *dx, double *res,
                              double factor) {
  (void)x;
  MeshMatrixMass *m = (MeshMatrixMass *)mass;
  SofaContext *ctx = mass->force_field.object.ctx;
  SOFA_TRY(refresh(m));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *lumped = SOFA_SCRATCH(ctx, double, n_masses(m) + 1);
  if (lumped) {
    const SofaScalarRows rows = mass_rows(m, kind_of(mass)->deriv, lumped);
    sofa_mass_rows_multiply(ctx, &rows, dx, res, factor);
  }
  sofa_scratch_release(ctx, mark);
  return lumped ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr matrix_acc_from_f(SofaMass *mass, const double *x, const double *f, double *a) {
  (void)x;
  const MeshMatrixMass *m = (MeshMatrixMass *)mass;
  if (!m->lumping)
    return sofa_object_fail(&mass->force_field.object, SOFA_ERR_ARGUMENT,
                            "an explicit solver needs a diagonal mass: set lumping=\"1\"");
  const size_t deriv = kind_of(mass)->deriv, n = n_masses(m);
  for (size_t i = 0; i < n; i++) {
    const double own = m->divisor.n ? m->divisor.data[i] : lumped_of(m, i);
    for (size_t k = i * deriv; k < (i + 1) * deriv; k++)
      a[k] = f[k] != 0 ? f[k] / own : 0; // points without mass may have no force
  }
  return SOFA_OK;
}

static SofaErr matrix_add_m(SofaMass *mass, const double *x, const SofaTangent *tangent) {
  (void)x;
  MeshMatrixMass *m = (MeshMatrixMass *)mass;
  SofaContext *ctx = mass->force_field.object.ctx;
  SOFA_TRY(refresh(m));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *lumped = SOFA_SCRATCH(ctx, double, n_masses(m) + 1);
  if (lumped) {
    const SofaScalarRows rows = mass_rows(m, kind_of(mass)->deriv, lumped);
    sofa_tangent_add_scalar_rows(ctx, &rows, tangent);
  }
  sofa_scratch_release(ctx, mark);
  return lumped ? SOFA_OK : SOFA_ERR_MEMORY;
}

static double mean(const SofaReals *list) {
  double sum = 0;
  for (size_t i = 0; i < list->n; i++) sum += list->data[i];
  return list->n ? sum / (double)list->n : 0;
}

static SofaErr matrix_handle_event(SofaObject *object, const SofaEvent *event) {
  const MeshMatrixMass *m = (const MeshMatrixMass *)object;
  if (event->type != SOFA_EVENT_ANIMATE_END || !m->print_mass) return SOFA_OK;
  char *path = sofa_object_path(object);
  const SofaOrigin origin = {.path = path, .emitter = object->klass->name};
  sofa_message(object->ctx, SOFA_INFO, &origin,
               "t = %g s: mass %g kg, mean of the diagonal %g kg, mean of the edges %g kg",
               object->node->time, mesh_matrix_sum(m), mean(&m->vertex_mass), mean(&m->edge_mass));
  sofa_free(object->ctx, path);
  return SOFA_OK;
}

static bool matrix_is_diagonal(const SofaMass *mass) {
  return ((const MeshMatrixMass *)mass)->lumping;
}

static double matrix_kinetic_energy(SofaMass *mass, const double *x, const double *v) {
  (void)x;
  MeshMatrixMass *m = (MeshMatrixMass *)mass;
  if (refresh(m) != SOFA_OK) return NAN; // without memory, which was reported
  const size_t deriv = kind_of(mass)->deriv, n = n_masses(m);
  double energy = 0;
  for (size_t i = 0; i < n; i++) {
    const double *vi = v + i * deriv, own = m->lumping ? lumped_of(m, i) : m->vertex_mass.data[i];
    for (size_t c = 0; c < deriv; c++) energy += own * vi[c] * vi[c];
    for (uint32_t k = m->start.data[i]; k < m->start.data[i + 1]; k++)
      for (size_t c = 0; c < deriv; c++)
        energy += m->value.data[k] * vi[c] * v[m->column.data[k] * deriv + c];
  }
  return 0.5 * energy;
}

static double matrix_potential_energy(SofaMass *mass, const double *x, const double g[3]) {
  const MeshMatrixMass *m = (MeshMatrixMass *)mass;
  const SofaStateKindInfo *kind = kind_of(mass);
  const size_t n = n_masses(m);
  double energy = 0;
  for (size_t i = 0; i < n; i++)
    for (unsigned c = 0; c < kind->space; c++)
      energy -= lumped_of(m, i) * g[c] * x[i * kind->coord + c];
  return energy;
}

static double matrix_total_mass(const SofaMass *mass) {
  return mesh_matrix_sum((const MeshMatrixMass *)mass);
}

static const SofaForceFieldOps force_field_ops = {.add_force = matrix_add_force, .is_load = true};
static const SofaMassOps mass_ops = {
    .add_mdx = matrix_add_mdx,
    .acc_from_f = matrix_acc_from_f,
    .add_m = matrix_add_m,
    .is_diagonal = matrix_is_diagonal,
    .kinetic_energy = matrix_kinetic_energy,
    .potential_energy = matrix_potential_energy,
    .total_mass = matrix_total_mass,
    .tangent_is_mdx = true,
    .constant = true,
};

static const char *const templates[] = {"Vec3d,Vec3d", "Vec1d,Vec1d", "Vec1d,Vec2d", "Vec1d,Vec3d",
                                        "Vec2d,Vec2d", "Vec2d,Vec3d", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(MeshMatrixMass, uniform),    SOFA_KEEP(MeshMatrixMass, coefficient),
    SOFA_KEEP(MeshMatrixMass, rows_stale), SOFA_KEEP_LIST(MeshMatrixMass, row_sum),
    SOFA_KEEP_LIST(MeshMatrixMass, start), SOFA_KEEP_LIST(MeshMatrixMass, column),
    SOFA_KEEP_LIST(MeshMatrixMass, value),
};

SOFA_CLASS(MeshMatrixMass) = {
    SOFA_NAMED(MeshMatrixMass),
    .module = "Sofa.Component.Mass",
    .category = "Mass",
    .help = "The consistent mass matrix of a mesh, or its lumped form. Only the elements of "
            "highest dimension count.",
    .equations = "M_{ij} = int rho N_i N_j dV\n"
                 "\"N_i: shape function of point i, rho: density\"",
    .base = &sofa_mass_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .listening = true,
    .init = matrix_init,
    .reinit = matrix_init,
    .handle_event = matrix_handle_event,
    .destroy = matrix_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_MASS, &mass_ops},
                    {SOFA_TOPOLOGY_LISTENER, &mesh_matrix_listener}),
};
