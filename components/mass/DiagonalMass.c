/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DiagonalMass: one mass per point, from a density or a total shared out over the elements. */
#include "behavior/checks.h"
#include "behavior/mass.h"
#include "behavior/state_division.h"
#include "change/topology_change.h"
#include "numerics/mass/measure.h"
#include "numerics/io/mesh_readers.h"
#include "numerics/io/object_file.h"
#include "numerics/mass/diagonal_kernels.h"
#include "numerics/mass/rigid_mass.h"

typedef struct DiagonalMass {
  SofaMass mass;
  SofaRigidMasses vertex_mass; /* one per point, kg */
  double density;              /* per length, area or volume of the elements */
  double total_mass;           /* kg */
  bool on_rest, show_center;
  double axis_size;
  SofaFileName filename;
  SofaLink topology, geometry_state;
  SofaReals inverse;                                      /* rigid kinds: 9 per point */
  SofaMassCell cell;                                      /* the elements that carry the mass */
  bool started, density_given, total_given, vertex_given; /* by the scene */
} DiagonalMass;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};
static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE,
                                        .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(
        DiagonalMass, vertex_mass, "vertexMass", NULL, "kg",
        "mass of each point; rigid kinds: mass, volume, inertia per unit mass in the axes of "
        "the body",
        .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(DiagonalMass, density, "massDensity", "1", "kg/m^d",
               "mass per length, area or volume of the elements, shared equally by their vertices",
               .flags = SOFA_FIELD_REINIT, .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(DiagonalMass, total_mass, "totalMass", "1", "kg",
               "sum of the masses; given, it sets massDensity", .flags = SOFA_FIELD_REINIT,
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(DiagonalMass, on_rest, "computeMassOnRest", "1", "",
               "measure the elements at rest instead of at the initial positions"),
    SOFA_FIELD(DiagonalMass, show_center, "showGravityCenter", "0", "", "draw the centre of mass",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(DiagonalMass, axis_size, "showAxisSizeFactor", "1", "", "size of the drawn axes",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(DiagonalMass, filename, "filename", NULL, "",
               "Xsp file with the masses of all points; used instead of the fields above",
               .aliases = "fileMass"),
    SOFA_FIELD(DiagonalMass, topology, "topology", NULL, "", "topology with the elements",
               .link = &topology_rule),
    SOFA_FIELD(DiagonalMass, geometry_state, "geometryState", NULL, "",
               "state whose positions measure the elements; default: that of the topology's node",
               .link = &state_rule),
};

static const SofaQuirk quirks[] = {
    SOFA_QUIRK_RIGID_WORLD_INERTIA_ROW,
    SOFA_QUIRK_MASS_MEASURE_ROW,
};

/* ---- what the scene says ---- */

static SofaErr set_uniform_list(DiagonalMass *d, size_t n) {
  SofaContext *ctx = d->mass.force_field.object.ctx;
  SOFA_TRY(SOFA_RESIZE(ctx, &d->vertex_mass, n));
  for (size_t i = 0; i < n; i++)
    d->vertex_mass.data[i] = (SofaRigidMass){.volume = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return SOFA_OK;
}

/* Each vertex of an element gets density * measure / vertices; *sum is the mass of all. */
static SofaErr share_out(DiagonalMass *d, const SofaMassGeometry *g, double density, double *sum) {
  const size_t n = sofa_state_size(d->mass.force_field.state[0]);
  SOFA_TRY(set_uniform_list(d, n > g->n_points ? n : g->n_points));
  *sum = 0;
  for (size_t e = 0; e < g->n_elements; e++) {
    const double part = density * sofa_mass_measure(g, e) / g->n_vertices;
    for (unsigned k = 0; k < g->n_vertices; k++) {
      d->vertex_mass.data[g->vertices[e * g->n_vertices + k]].mass += part;
      *sum += part;
    }
  }
  return SOFA_OK;
}

/* Copies of a point of a divided mesh get the masses of all elements around it. */
static SofaErr sum_copies(DiagonalMass *d, double *sum) {
  const SofaDivision *division = sofa_state_division(d->mass.force_field.state[0]);
  SofaContext *ctx = d->mass.force_field.object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  if (!division) return SOFA_OK;
  double *masses = SOFA_SCRATCH(ctx, double, division->n + 1);
  SofaErr err = masses ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; masses && i < division->n; i++) masses[i] = d->vertex_mass.data[i].mass;
  if (err == SOFA_OK) err = sofa_division_sum(ctx, division, 1, masses);
  for (size_t i = 0; masses && i < division->n; i++) d->vertex_mass.data[i].mass = masses[i];
  if (err == SOFA_OK) err = sofa_process_sum(ctx, 1, sum);
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr from_density(DiagonalMass *d, const SofaMassGeometry *g) {
  SOFA_TRY(share_out(d, g, d->density, &d->total_mass));
  return sum_copies(d, &d->total_mass);
}

/* The density that gives the total mass. */
static SofaErr from_total(DiagonalMass *d, const SofaMassGeometry *g) {
  double sum = 0;
  SOFA_TRY(share_out(d, g, 1, &sum));
  SOFA_TRY(sum_copies(d, &sum));
  SOFA_TRY(sofa_mass_factor(&d->mass.force_field.object, g, d->total_mass, sum, &d->density));
  for (size_t i = 0; i < d->vertex_mass.n; i++) d->vertex_mass.data[i].mass *= d->density;
  return SOFA_OK;
}

/* The list as it stands, extended with its last value up to the state's size. */
static SofaErr from_list(DiagonalMass *d, const SofaMassGeometry *g) {
  SofaContext *ctx = d->mass.force_field.object.ctx;
  const size_t n = sofa_state_size(d->mass.force_field.state[0]), given = d->vertex_mass.n;
  double measure = 0;
  if (given < n) {
    SOFA_TRY(SOFA_RESIZE(ctx, &d->vertex_mass, n));
    for (size_t i = given; i < n; i++) d->vertex_mass.data[i] = d->vertex_mass.data[given - 1];
  }
  d->total_mass = 0;
  for (size_t i = 0; i < n; i++) d->total_mass += d->vertex_mass.data[i].mass;
  for (size_t e = 0; e < g->n_elements; e++) measure += sofa_mass_measure(g, e);
  if (measure > 0) d->density = d->total_mass / measure;
  return SOFA_OK;
}

/* Is the list of masses usable? Reports what is wrong. */
static bool list_is_good(const DiagonalMass *d, SofaErr *err) {
  const SofaObject *object = &d->mass.force_field.object;
  const size_t n = sofa_state_size(d->mass.force_field.state[0]);
  *err = SOFA_OK;
  if (!d->vertex_mass.n || d->vertex_mass.n > n)
    *err = sofa_field_fail(object, "vertexMass", SOFA_ERR_RANGE,
                           "%zu masses for a state of %zu points", d->vertex_mass.n, n);
  for (size_t i = 0; i < d->vertex_mass.n && *err == SOFA_OK; i++)
    if (d->vertex_mass.data[i].mass < 0)
      *err = sofa_field_fail(object, "vertexMass", SOFA_ERR_RANGE, "mass %zu is negative: %g", i,
                             d->vertex_mass.data[i].mass);
  return *err == SOFA_OK;
}

/* totalMass counts before massDensity before vertexMass; what is refused falls back to totalMass
 * when the run goes on. */
static SofaErr take_values(DiagonalMass *d, const SofaMassGeometry *g) {
  const SofaObject *object = &d->mass.force_field.object;
  const bool density = d->density_given, vertex = d->vertex_given;
  SofaErr err = SOFA_OK;
  if (d->total_given + density + vertex > 1)
    sofa_object_message(object, SOFA_WARNING,
                        "several of totalMass, massDensity and vertexMass are given: %s counts",
                        d->total_given ? "totalMass" : "massDensity");
  if (!d->total_given && density) {
    if (d->density >= 0) return from_density(d, g);
  } else if (!d->total_given && vertex && list_is_good(d, &err)) {
    return from_list(d, g);
  }
  if (err != SOFA_OK && !object->ctx->keep_going) return err;
  return from_total(d, g);
}

static SofaErr invert_inertia(DiagonalMass *d) {
  const SofaStateKind kind = d->mass.force_field.state[0]->object.kind;
  SOFA_TRY(SOFA_RESIZE(d->mass.force_field.object.ctx, &d->inverse, 9 * d->vertex_mass.n));
  for (size_t i = 0; i < d->vertex_mass.n; i++)
    sofa_point_mass_inverse(kind, &d->vertex_mass.data[i], d->inverse.data + 9 * i);
  return SOFA_OK;
}

/* Rigid bodies have no geometry here: the list must say everything. */
static SofaErr take_rigid_list(DiagonalMass *d) {
  SofaObject *object = &d->mass.force_field.object;
  const SofaStateKind kind = d->mass.force_field.state[0]->object.kind;
  const size_t n = sofa_state_size(d->mass.force_field.state[0]);
  SofaErr err = SOFA_OK;
  if (!d->vertex_given)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                            "the masses of rigid bodies must be given: vertexMass is missing");
  if (!list_is_good(d, &err)) return err;
  if (d->vertex_mass.n < n && !object->ctx->keep_going)
    return sofa_field_fail(object, "vertexMass", SOFA_ERR_RANGE,
                           "%zu masses for a state of %zu bodies", d->vertex_mass.n, n);
  d->total_mass = 0;
  for (size_t i = 0; i < d->vertex_mass.n; i++) {
    d->total_mass += d->vertex_mass.data[i].mass;
    d->mass.turns |= kind == SOFA_RIGID3 && sofa_point_mass_turns(&d->vertex_mass.data[i]) &&
                     !sofa_quirk(object, SOFA_QUIRK_RIGID_WORLD_INERTIA);
  }
  return invert_inertia(d);
}

/* ---- masses of a file ---- */

static SofaErr read_xsp(void *user, const SofaFileBytes *file) {
  DiagonalMass *d = (DiagonalMass *)user;
  SofaContext *ctx = d->mass.force_field.object.ctx;
  SofaMeshData mesh = {0};
  SofaXspData xsp = {0};
  SofaErr err;
  SOFA_GO(err, done, sofa_xsp_read(ctx, file, &mesh, &xsp));
  SOFA_GO(err, done, set_uniform_list(d, xsp.masses.n));
  for (size_t i = 0; i < xsp.masses.n; i++) d->vertex_mass.data[i].mass = xsp.masses.data[i];
done:
  sofa_mesh_data_free(ctx, &mesh);
  sofa_xsp_data_free(ctx, &xsp);
  return err;
}

static SofaErr from_file(DiagonalMass *d) {
  SofaObject *object = &d->mass.force_field.object;
  const SofaState *state = d->mass.force_field.state[0];
  if (sofa_state_kind_info(state->object.kind)->rigid)
    return sofa_object_unsupported(object, "masses of rigid bodies from a file");
  SOFA_TRY(sofa_object_read_file(object, "filename", &d->filename, read_xsp, d));
  if (d->vertex_mass.n != sofa_state_size(state))
    return sofa_field_fail(object, "filename", SOFA_ERR_RANGE,
                           "%s has %zu masses, the state has %zu points", d->filename.path,
                           d->vertex_mass.n, sofa_state_size(state));
  d->total_mass = 0;
  for (size_t i = 0; i < d->vertex_mass.n; i++) d->total_mass += d->vertex_mass.data[i].mass;
  return SOFA_OK;
}

static SofaErr compute(DiagonalMass *d) {
  SofaObject *object = &d->mass.force_field.object;
  const SofaState *state = d->mass.force_field.state[0];
  const bool file = d->filename.text && d->filename.text[0];
  if ((file || (d->vertex_given && !d->total_given && !d->density_given)) &&
      sofa_state_division(state))
    return sofa_object_undivided(
        object, "masses that are given one by one, of a mesh that is divided among processes");
  if (file) return from_file(d);
  if (sofa_state_kind_info(state->object.kind)->rigid) return take_rigid_list(d);
  SofaTopology *topology = (SofaTopology *)d->topology.target;
  if (!topology)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology with elements in context");
  const SofaState *geometry = (SofaState *)d->geometry_state.target;
  if (!geometry) geometry = sofa_node_state(topology->object.node);
  if (!geometry)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no state with the topology's positions");
  SofaMassGeometry g;
  SOFA_TRY(sofa_mass_geometry(object, topology, geometry, d->on_rest, &g));
  d->cell = g.cell;
  const bool none = g.cell == MASS_N_CELLS;
  if (none && sofa_topology_may_be_empty(topology)) return set_uniform_list(d, g.n_points);
  if (none) return sofa_object_fail(object, SOFA_ERR_ARGUMENT, "the topology has no elements");
  return take_values(d, &g);
}

static SofaErr diagonal_init(SofaObject *object) {
  DiagonalMass *d = (DiagonalMass *)object;
  if (!d->started) {
    d->started = true;
    d->total_given = sofa_field_is_set(object, "totalMass");
    d->density_given = sofa_field_is_set(object, "massDensity");
    d->vertex_given = sofa_field_is_set(object, "vertexMass");
  }
  d->mass.turns = false;
  const SofaErr err = compute(d);
  if (err != SOFA_OK) d->vertex_mass.n = 0;
  return err;
}

static void diagonal_destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((DiagonalMass *)object)->inverse);
}

/* ---- operations ---- */

/* Points that have a mass: lists may be shorter than the state. */
static size_t n_masses(const DiagonalMass *d) {
  const size_t n = sofa_state_size(d->mass.force_field.state[0]);
  return d->vertex_mass.n < n ? d->vertex_mass.n : n;
}

static const SofaStateKindInfo *kind_of(const SofaMass *mass) {
  return sofa_state_kind_info(mass->force_field.state[0]->object.kind);
}

/* Orientation of body i; NULL: it does not matter. */
static const double *turn_of(const SofaMass *mass, const double *x, size_t i) {
  return mass->turns ? SOFA_POSE_QUAT(x, i) : NULL;
}

/* Points in space have kernels. */
static bool is_of_points(const SofaMass *mass) {
  return kind_of(mass)->deriv == 3 && kind_of(mass)->space == 3;
}

static SofaErr diagonal_add_force(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, double *const *f) {
  (void)params, (void)at;
  const DiagonalMass *d = (DiagonalMass *)ff;
  if (d->mass.gravity_apart) return SOFA_OK;
  const SofaStateKindInfo *kind = sofa_state_kind_info(ff->state[0]->object.kind);
  const double *g = ff->object.node->gravity.v;
  const size_t n = n_masses(d);
  if (is_of_points(&d->mass)) {
    sofa_diagonal_kernels_of(ff->object.ctx)->add_weights(d->vertex_mass.data, g, n, f[0]);
    return SOFA_OK;
  }
  for (size_t i = 0; i < n; i++)
    for (unsigned c = 0; c < kind->space; c++)
      f[0][i * kind->deriv + c] += d->vertex_mass.data[i].mass * g[c];
  return SOFA_OK;
}

static SofaErr diagonal_add_mdx(SofaMass *mass, const double *x, const double *dx, double *res,
                                double factor) {
  const DiagonalMass *d = (DiagonalMass *)mass;
  const SofaStateKind kind = mass->force_field.state[0]->object.kind;
  const size_t deriv = kind_of(mass)->deriv, n = n_masses(d);
  if (is_of_points(mass)) {
    const SofaDiagonalKernels *kernels = sofa_diagonal_kernels_of(mass->force_field.object.ctx);
    kernels->add_points(d->vertex_mass.data, factor, dx, n, res);
    return SOFA_OK;
  }
  for (size_t i = 0; i < n; i++)
    point_mass_apply(kind, &d->vertex_mass.data[i], turn_of(mass, x, i), factor, dx + i * deriv,
                     res + i * deriv);
  return SOFA_OK;
}

static SofaErr diagonal_acc_from_f(SofaMass *mass, const double *x, const double *f, double *a) {
  const DiagonalMass *d = (DiagonalMass *)mass;
  const SofaStateKind kind = mass->force_field.state[0]->object.kind;
  const size_t deriv = kind_of(mass)->deriv, n = n_masses(d);
  if (is_of_points(mass)) {
    const SofaDiagonalKernels *kernels = sofa_diagonal_kernels_of(mass->force_field.object.ctx);
    kernels->divide_points(d->vertex_mass.data, f, n, a);
    return SOFA_OK;
  }
  for (size_t i = 0; i < n; i++)
    sofa_point_mass_divide(kind, &d->vertex_mass.data[i],
                           d->inverse.n ? d->inverse.data + 9 * i : NULL, turn_of(mass, x, i),
                           f + i * deriv, a + i * deriv);
  return SOFA_OK;
}

static SofaErr diagonal_add_m(SofaMass *mass, const double *x, const SofaTangent *tangent) {
  const DiagonalMass *d = (DiagonalMass *)mass;
  const SofaStateKind kind = mass->force_field.state[0]->object.kind;
  const uint32_t n = (uint32_t)n_masses(d);
  double block[36];
  for (uint32_t i = 0; i < n; i++) {
    sofa_point_mass_block(kind, &d->vertex_mass.data[i], turn_of(mass, x, i), block);
    sofa_tangent_add(tangent, 0, i, 0, i, block);
  }
  return SOFA_OK;
}

static bool diagonal_is_diagonal(const SofaMass *mass) {
  (void)mass;
  return true;
}

static double diagonal_kinetic_energy(SofaMass *mass, const double *x, const double *v) {
  const DiagonalMass *d = (DiagonalMass *)mass;
  const SofaStateKind kind = mass->force_field.state[0]->object.kind;
  const size_t deriv = kind_of(mass)->deriv, n = n_masses(d);
  double energy = 0;
  for (size_t i = 0; i < n; i++)
    energy +=
        sofa_point_mass_kinetic(kind, &d->vertex_mass.data[i], turn_of(mass, x, i), v + i * deriv);
  return energy;
}

static void diagonal_add_inertia(SofaMass *mass, const double *x, double *inertia) {
  const DiagonalMass *d = (DiagonalMass *)mass;
  const size_t n = n_masses(d);
  for (size_t i = 0; i < n; i++)
    sofa_point_mass_add_inertia(&d->vertex_mass.data[i], turn_of(mass, x, i), inertia + 9 * i);
}

static double diagonal_potential_energy(SofaMass *mass, const double *x, const double g[3]) {
  const DiagonalMass *d = (DiagonalMass *)mass;
  const SofaStateKindInfo *kind = kind_of(mass);
  const size_t n = n_masses(d);
  double energy = 0;
  for (size_t i = 0; i < n; i++)
    for (unsigned c = 0; c < kind->space; c++)
      energy -= d->vertex_mass.data[i].mass * g[c] * x[i * kind->coord + c];
  return energy;
}

static double diagonal_total_mass(const SofaMass *mass) {
  const DiagonalMass *d = (const DiagonalMass *)mass;
  double sum = 0;
  for (size_t i = 0; i < n_masses(d); i++) sum += d->vertex_mass.data[i].mass;
  return sum;
}

/* ---- topological changes ---- */

/* Elements take their mass along and bring it, measured at rest. */
static SofaErr move_elements(DiagonalMass *d, const SofaTopologyChange *change) {
  const SofaState *geometry = (SofaState *)d->geometry_state.target;
  if (!geometry) geometry = sofa_node_state(change->topology->object.node);
  SofaMassGeometry g;
  sofa_mass_geometry_unchecked(&d->mass.force_field.object, change->topology, geometry, true, &g);
  const double sign = change->kind == SOFA_CHANGE_ADD ? 1 : -1;
  const size_t n_points = g.n_points < d->vertex_mass.n ? g.n_points : d->vertex_mass.n;
  for (size_t k = 0; k < change->n; k++) {
    const uint32_t *v = g.vertices + change->ids[k] * (size_t)g.n_vertices;
    SOFA_TRY(sofa_check_element(&d->mass.force_field.object, "element", change->ids[k], v,
                                g.n_vertices, n_points));
    const double part = sign * d->density * sofa_mass_measure(&g, change->ids[k]) / g.n_vertices;
    for (unsigned c = 0; c < g.n_vertices; c++) {
      d->vertex_mass.data[v[c]].mass += part;
      d->total_mass += part;
    }
  }
  return SOFA_OK;
}

static SofaErr move_points(DiagonalMass *d, const SofaTopologyChange *change) {
  SofaContext *ctx = d->mass.force_field.object.ctx;
  const size_t n = d->vertex_mass.n;
  if (n != change->n_before) return SOFA_OK;
  if (change->kind == SOFA_CHANGE_ADD) {
    SOFA_TRY(SOFA_RESIZE(ctx, &d->vertex_mass, n + change->n));
    for (size_t i = n; i < d->vertex_mass.n; i++)
      d->vertex_mass.data[i] = (SofaRigidMass){.volume = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  } else {
    for (size_t k = 0; k < change->n; k++)
      d->total_mass -= d->vertex_mass.data[change->ids[k]].mass;
    sofa_change_remove_entries(change, &d->vertex_mass, sizeof *d->vertex_mass.data);
  }
  return d->inverse.n ? invert_inertia(d) : SOFA_OK;
}

static SofaErr diagonal_listen(SofaObject *object, const SofaTopologyChange *change) {
  DiagonalMass *d = (DiagonalMass *)object;
  const SofaState *state = d->mass.force_field.state[0];
  const SofaTopology *topology = (SofaTopology *)d->topology.target;
  sofa_field_touch_name(object, "vertexMass");
  sofa_field_touch_name(object, "totalMass");
  if (sofa_change_moves(change, state)) return move_points(d, change);
  if (sofa_state_kind_info(state->object.kind)->rigid) return SOFA_OK;
  // the first elements of an empty topology tell which kind it is
  if (d->cell == MASS_N_CELLS)
    for (int cell = 0; cell < MASS_N_CELLS && d->cell == MASS_N_CELLS; cell++)
      if (sofa_mesh_elements(&topology->mesh, sofa_mass_cell_kind((SofaMassCell)cell)).n)
        d->cell = (SofaMassCell)cell;
  if (d->cell == MASS_N_CELLS) return SOFA_OK;
  return sofa_change_of(change, topology, sofa_mass_cell_kind(d->cell)) ? move_elements(d, change)
                                                                        : SOFA_OK;
}

static const SofaTopologyListenerOps diagonal_listener = {.listen = diagonal_listen};
static const SofaForceFieldOps force_field_ops = {.add_force = diagonal_add_force, .is_load = true};
static const SofaMassOps mass_ops = {
    .add_mdx = diagonal_add_mdx,
    .acc_from_f = diagonal_acc_from_f,
    .add_m = diagonal_add_m,
    .is_diagonal = diagonal_is_diagonal,
    .kinetic_energy = diagonal_kinetic_energy,
    .potential_energy = diagonal_potential_energy,
    .total_mass = diagonal_total_mass,
    .add_inertia = diagonal_add_inertia,
    .tangent_is_mdx = true,
    .constant = true,
};

static const char *const templates[] = {
    "Vec3d,Vec3d", "Rigid2d,Rigid2d", "Rigid2d,Rigid3d", "Rigid3d,Rigid3d", "Vec1d,Vec1d",
    "Vec1d,Vec2d", "Vec1d,Vec3d",     "Vec2d,Vec2d",     "Vec2d,Vec3d",     NULL};

SOFA_CLASS(DiagonalMass) = {
    SOFA_NAMED(DiagonalMass),
    .module = "Sofa.Component.Mass",
    .category = "Mass",
    .help = "Gives every point its own mass: the elements' mass is shared equally by their "
            "vertices. Only the elements of highest dimension count.",
    .equations = "m_i = sum_e rho V_e/n_e\n"
                 "\"V_e and n_e: volume (area, length) and number of points of the elements e "
                 "around point i\"",
    .base = &sofa_mass_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = diagonal_init,
    .reinit = diagonal_init,
    .destroy = diagonal_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_MASS, &mass_ops},
                    {SOFA_TOPOLOGY_LISTENER, &diagonal_listener}),
};
