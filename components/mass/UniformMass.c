/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UniformMass: every listed point has the same mass. */
#include "behavior/list_division.h"
#include "behavior/mass.h"
#include "behavior/state_division.h"
#include "behavior/tangent_rows.h"
#include "change/topology_change.h"
#include "numerics/mass/diagonal_kernels.h"
#include "numerics/mass/rigid_mass.h"

typedef struct UniformMass {
  SofaMass mass;
  SofaRigidMass vertex_mass; /* of every point, kg */
  double total_mass;         /* kg */
  SofaFileName filename;
  SofaIndices indices; /* points with mass; empty in the scene: all */
  SofaInts local_range;
  bool preserve_total_mass, show_center, show_initial_center, show_x0, compute_mapping_inertia;
  double axis_size;
  SofaLink topology;
  bool everywhere;   /* indices are all points of the state, in order */
  double inverse[9]; /* of mass * inertia, rigid kinds */
} UniformMass;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(UniformMass, vertex_mass, "vertexMass", NULL, "kg",
               "mass of each point; rigid kinds: mass, volume, inertia per unit mass in the axes "
               "of the body; default: 1, "
               "1, identity",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(UniformMass, total_mass, "totalMass", "1", "kg",
               "sum of the masses; given, it sets vertexMass", .flags = SOFA_FIELD_REINIT,
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(UniformMass, filename, "filename", NULL, "",
               "rigid mass file (Rigid3d); its mass replaces totalMass"),
    SOFA_FIELD(UniformMass, indices, "indices", NULL, "", "points with mass; empty: all",
               .flags = SOFA_FIELD_REINIT, SOFA_INDICES_OF(SOFA_ELEMENT_POINT)),
    SOFA_FIELD(UniformMass, local_range, "localRange", "-1 -1", "",
               "first and last point with mass, when not negative; replaces indices"),
    SOFA_FIELD(UniformMass, preserve_total_mass, "preserveTotalMass", "0", "",
               "keep totalMass, not vertexMass, when the number of points changes"),
    SOFA_FIELD(UniformMass, compute_mapping_inertia, "compute_mapping_inertia", "0", "", "not used",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(UniformMass, show_center, "showGravityCenter", "0", "", "draw the centre of mass",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(UniformMass, axis_size, "showAxisSizeFactor", "1", "", "size of the drawn axes",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(UniformMass, show_initial_center, "showInitialCenterOfGravity", "0", "",
               "draw the initial centre of mass", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(UniformMass, show_x0, "showX0", "0", "", "draw the rest positions",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(UniformMass, topology, "topology", NULL, "",
               "topology whose changes renumber indices", .link = &topology_rule),
};

static const SofaQuirk quirks[] = {SOFA_QUIRK_RIGID_WORLD_INERTIA_ROW};

static UniformMass *uniform(SofaMass *mass) {
  return (UniformMass *)mass;
}

/* ---- what the scene says ---- */

/* A list from another object, of a divided mesh: it may be empty here and not on other processes.
 */
static bool linked(const UniformMass *u) {
  const SofaObject *object = &u->mass.force_field.object;
  return sofa_state_division(u->mass.force_field.state[0]) &&
         sofa_field_state(object, sofa_class_field(object->klass, "indices"))->source;
}

/* localRange = a b is used when 0 <= a, 0 < b, b + 1 < size; then indices are a..b. */
static SofaErr take_range(UniformMass *u, size_t n) {
  SofaContext *ctx = u->mass.force_field.object.ctx;
  if (u->local_range.n < 2) return SOFA_OK;
  const int a = u->local_range.data[0], b = u->local_range.data[1];
  if (a < 0 || b <= 0 || (size_t)b + 1 >= n) return SOFA_OK;
  u->indices.n = 0;
  for (uint32_t i = (uint32_t)a; i <= (uint32_t)b; i++) SOFA_TRY(SOFA_APPEND(ctx, &u->indices, &i));
  return SOFA_OK;
}

static SofaErr take_indices(UniformMass *u) {
  const SofaState *state = u->mass.force_field.state[0];
  if (!sofa_state_division(state)) {
    SOFA_TRY(take_range(u, sofa_state_size(state)));
  } else if (u->local_range.n == 2 && (u->local_range.data[0] >= 0 || u->local_range.data[1] > 0)) {
    sofa_process_refuse(u->mass.force_field.object.ctx);
    return sofa_field_fail(&u->mass.force_field.object, "localRange", SOFA_ERR_UNSUPPORTED,
                           "is not supported yet on a mesh that is divided among processes");
  }
  u->everywhere =
      !u->indices.n && !sofa_list_was_divided(&u->mass.force_field.object, "indices") && !linked(u);
  return SOFA_OK;
}

static size_t n_masses(const UniformMass *u) {
  return u->everywhere ? sofa_state_size(u->mass.force_field.state[0]) : u->indices.n;
}

/* The mass of a file counts as a given vertexMass and drops a given totalMass. */
static SofaErr take_file(UniformMass *u, bool *vertex_given, bool *total_given) {
  SofaObject *object = &u->mass.force_field.object;
  if (!u->filename.text || !u->filename.text[0]) return SOFA_OK;
  if (object->kind != SOFA_RIGID3) {
    sofa_object_message(object, SOFA_WARNING, "filename is read for Rigid3d only: left out");
    return SOFA_OK;
  }
  if (!u->filename.path)
    return sofa_field_fail(object, "filename", SOFA_ERR_NOT_FOUND, "no file '%s'",
                           u->filename.text);
  SofaRigidFile file;
  SOFA_TRY(sofa_rigid_file_read(object, u->filename.path, &file));
  if (file.has_inertia)
    sofa_copy(u->vertex_mass.inertia, file.value.inertia, sizeof file.value.inertia);
  if (file.has_volume) u->vertex_mass.volume = file.value.volume;
  if (file.has_mass && !*vertex_given) {
    u->vertex_mass.mass = file.value.mass;
    *vertex_given = true;
    *total_given = false;
  }
  return SOFA_OK;
}

/* Of all processes. */
static SofaErr count_masses(const UniformMass *u, double *out) {
  const SofaState *state = u->mass.force_field.state[0];
  const size_t n_owned = sofa_state_n_owned(state);
  uint64_t n = 0;
  *out = u->everywhere ? (double)sofa_state_n_whole(state) : (double)u->indices.n;
  if (u->everywhere || !sofa_state_division(state)) return SOFA_OK;
  for (size_t k = 0; k < u->indices.n; k++) n += u->indices.data[k] < n_owned;
  SOFA_TRY(sofa_process_sum_counts(u->mass.force_field.object.ctx, 1, &n));
  *out = (double)n;
  return SOFA_OK;
}

/* One of totalMass and vertexMass follows from the other. A refused value falls back to 1. */
static SofaErr take_values(UniformMass *u, bool vertex_given, bool total_given) {
  SofaObject *object = &u->mass.force_field.object;
  double n;
  SOFA_TRY(count_masses(u, &n));
  if (!vertex_given && !total_given)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT, "neither totalMass nor vertexMass is given");
  if (total_given) {
    if (vertex_given)
      sofa_object_message(object, SOFA_WARNING,
                          "totalMass and vertexMass are both given: totalMass counts");
    if (u->total_mass < 0)
      return sofa_field_fail(object, "totalMass", SOFA_ERR_RANGE, "%g is negative", u->total_mass);
    u->vertex_mass.mass = n > 0 ? u->total_mass / n : 0;
    return SOFA_OK;
  }
  if (u->vertex_mass.mass < 0)
    return sofa_field_fail(object, "vertexMass", SOFA_ERR_RANGE, "%g is negative",
                           u->vertex_mass.mass);
  u->total_mass = u->vertex_mass.mass * n;
  return SOFA_OK;
}

/* The default depends on the kind: a point has no volume and no inertia. */
static SofaErr uniform_construct(SofaObject *object) {
  UniformMass *u = (UniformMass *)object;
  u->vertex_mass = (SofaRigidMass){.mass = 1};
  if (object->kind == SOFA_RIGID2)
    u->vertex_mass = (SofaRigidMass){.mass = 1, .volume = 1, .inertia = {1}};
  else if (object->kind == SOFA_RIGID3)
    u->vertex_mass =
        (SofaRigidMass){.mass = 1, .volume = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return SOFA_OK;
}

static void prepare_rigid(UniformMass *u) {
  const SofaObject *object = &u->mass.force_field.object;
  sofa_point_mass_inverse(object->kind, &u->vertex_mass, u->inverse);
  u->mass.turns = object->kind == SOFA_RIGID3 && sofa_point_mass_turns(&u->vertex_mass) &&
                  !sofa_quirk(object, SOFA_QUIRK_RIGID_WORLD_INERTIA);
}

static SofaErr uniform_init(SofaObject *object) {
  UniformMass *u = (UniformMass *)object;
  bool vertex_given = sofa_field_is_set(object, "vertexMass");
  bool total_given = sofa_field_is_set(object, "totalMass");
  u->mass.inert = u->mass.turns = false;
  SOFA_TRY(take_indices(u));
  SOFA_TRY(take_file(u, &vertex_given, &total_given));
  const SofaErr err = take_values(u, vertex_given, total_given);
  if (err != SOFA_OK) return sofa_mass_refuse(&u->mass, err);
  prepare_rigid(u);
  return SOFA_OK;
}

/* ---- operations ---- */

/* Orientation of body i; NULL: it does not matter. */
static const double *turn_of(const SofaMass *mass, const double *x, size_t i) {
  return mass->turns ? SOFA_POSE_QUAT(x, i) : NULL;
}

static SofaErr uniform_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *forces) {
  (void)params, (void)at;
  const UniformMass *u = (UniformMass *)ff;
  if (u->mass.gravity_apart) return SOFA_OK;
  const SofaStateKindInfo *kind = sofa_state_kind_info(ff->state[0]->object.kind);
  const double *g = ff->object.node->gravity.v;
  double weight[3];
  for (int c = 0; c < 3; c++) weight[c] = u->vertex_mass.mass * g[c];
  const size_t n = n_masses(u);
  if (u->everywhere && kind->deriv == 3 && kind->space == 3) {
    sofa_diagonal_kernels_of(ff->object.ctx)->add_weight(weight, n, forces[0]);
    return SOFA_OK;
  }
  for (size_t k = 0; k < n; k++) {
    double *f = forces[0] + (u->everywhere ? k : u->indices.data[k]) * kind->deriv;
    for (unsigned c = 0; c < kind->space; c++) f[c] += weight[c];
  }
  return SOFA_OK;
}

static SofaErr uniform_add_mdx(SofaMass *mass, const double *x, const double *dx, double *res,
                               double factor) {
  const UniformMass *u = uniform(mass);
  if (mass->inert) return SOFA_OK;
  const SofaStateKind kind = mass->force_field.state[0]->object.kind;
  const size_t deriv = sofa_state_kind_info(kind)->deriv, n = n_masses(u);
  if (u->everywhere && !sofa_state_kind_info(kind)->rigid) {
    const double f = factor * u->vertex_mass.mass;
    sofa_diagonal_kernels_of(u->mass.force_field.object.ctx)->add(f, dx, n * deriv, res);
    return SOFA_OK;
  }
  for (size_t k = 0; k < n; k++) {
    const size_t i = u->everywhere ? k : u->indices.data[k], at = i * deriv;
    point_mass_apply(kind, &u->vertex_mass, turn_of(mass, x, i), factor, dx + at, res + at);
  }
  return SOFA_OK;
}

static SofaErr uniform_acc_from_f(SofaMass *mass, const double *x, const double *f, double *a) {
  const UniformMass *u = uniform(mass);
  if (mass->inert) return SOFA_OK;
  const SofaStateKind kind = mass->force_field.state[0]->object.kind;
  const size_t deriv = sofa_state_kind_info(kind)->deriv, n = n_masses(u);
  if (u->everywhere && !sofa_state_kind_info(kind)->rigid) {
    const SofaDiagonalKernels *kernels = sofa_diagonal_kernels_of(u->mass.force_field.object.ctx);
    kernels->divide(u->vertex_mass.mass, f, n * deriv, a);
    return SOFA_OK;
  }
  for (size_t k = 0; k < n; k++) {
    const size_t i = u->everywhere ? k : u->indices.data[k], at = i * deriv;
    sofa_point_mass_divide(kind, &u->vertex_mass, u->inverse, turn_of(mass, x, i), f + at, a + at);
  }
  return SOFA_OK;
}

static void copy_block(void *user, size_t point, double *block) {
  (void)point;
  sofa_copy(block, user, 9 * sizeof *block);
}

static SofaErr uniform_add_m(SofaMass *mass, const double *x, const SofaTangent *tangent) {
  const UniformMass *u = uniform(mass);
  if (mass->inert) return SOFA_OK;
  double block[36];
  const SofaStateKind kind = mass->force_field.state[0]->object.kind;
  sofa_point_mass_block(kind, &u->vertex_mass, NULL, block);
  const uint32_t n = (uint32_t)n_masses(u);
  if (u->everywhere && kind == SOFA_VEC3) {
    const SofaPointRows rows = {.n = n, .block = copy_block, .user = block};
    sofa_tangent_add_rows(mass->force_field.object.ctx, &rows, tangent);
    return SOFA_OK;
  }
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t i = u->everywhere ? k : u->indices.data[k];
    if (mass->turns) sofa_point_mass_block(kind, &u->vertex_mass, turn_of(mass, x, i), block);
    sofa_tangent_add(tangent, 0, i, 0, i, block);
  }
  return SOFA_OK;
}

static bool uniform_is_diagonal(const SofaMass *mass) {
  (void)mass;
  return true;
}

static double uniform_kinetic_energy(SofaMass *mass, const double *x, const double *v) {
  const UniformMass *u = uniform(mass);
  const SofaStateKind kind = mass->force_field.state[0]->object.kind;
  const size_t deriv = sofa_state_kind_info(kind)->deriv, n = n_masses(u);
  double energy = 0;
  for (size_t k = 0; k < n; k++) {
    const size_t i = u->everywhere ? k : u->indices.data[k];
    energy += sofa_point_mass_kinetic(kind, &u->vertex_mass, turn_of(mass, x, i), v + i * deriv);
  }
  return energy;
}

static void uniform_add_inertia(SofaMass *mass, const double *x, double *inertia) {
  const UniformMass *u = uniform(mass);
  const size_t n = mass->inert ? 0 : n_masses(u);
  for (size_t k = 0; k < n; k++) {
    const size_t i = u->everywhere ? k : u->indices.data[k];
    sofa_point_mass_add_inertia(&u->vertex_mass, turn_of(mass, x, i), inertia + 9 * i);
  }
}

static double uniform_potential_energy(SofaMass *mass, const double *x, const double g[3]) {
  const UniformMass *u = uniform(mass);
  const SofaStateKindInfo *kind = sofa_state_kind_info(mass->force_field.state[0]->object.kind);
  const size_t n = n_masses(u);
  double energy = 0;
  for (size_t k = 0; k < n; k++) {
    const double *p = x + (u->everywhere ? k : u->indices.data[k]) * kind->coord;
    for (unsigned c = 0; c < kind->space; c++) energy -= u->vertex_mass.mass * g[c] * p[c];
  }
  return energy;
}

static double uniform_total_mass(const SofaMass *mass) {
  const UniformMass *u = (const UniformMass *)mass;
  return u->vertex_mass.mass * (double)n_masses(u);
}

/* The listed points follow; the total or the mass of each point stays. */
static SofaErr uniform_done(SofaObject *object) {
  UniformMass *u = (UniformMass *)object;
  const size_t n = n_masses(u);
  if (u->preserve_total_mass && n) u->vertex_mass.mass = u->total_mass / (double)n;
  else u->total_mass = u->vertex_mass.mass * (double)n;
  sofa_field_touch_name(object, "totalMass");
  sofa_field_touch_name(object, "vertexMass");
  prepare_rigid(u);
  return SOFA_OK;
}

static const SofaTopologyListenerOps uniform_listener = {.done = uniform_done};
static const SofaForceFieldOps force_field_ops = {.add_force = uniform_add_force, .is_load = true};
static const SofaMassOps mass_ops = {
    .add_mdx = uniform_add_mdx,
    .acc_from_f = uniform_acc_from_f,
    .add_m = uniform_add_m,
    .is_diagonal = uniform_is_diagonal,
    .kinetic_energy = uniform_kinetic_energy,
    .potential_energy = uniform_potential_energy,
    .total_mass = uniform_total_mass,
    .add_inertia = uniform_add_inertia,
    .tangent_is_mdx = true,
    .constant = true,
};

static const char *const templates[] = {"Vec3d",   "Vec1d",   "Vec2d", "Vec6d",
                                        "Rigid2d", "Rigid3d", NULL};

SOFA_CLASS(UniformMass) = {
    SOFA_NAMED(UniformMass),
    .module = "Sofa.Component.Mass",
    .category = "Mass",
    .help = "Gives the listed points (default: all) the same mass.",
    .equations = "M = m I, f_i = m g",
    .base = &sofa_mass_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = uniform_construct,
    .init = uniform_init,
    .reinit = uniform_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_MASS, &mass_ops},
                    {SOFA_TOPOLOGY_LISTENER, &uniform_listener}),
};
