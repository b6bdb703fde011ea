/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ConstantForceField: given forces on given points. */
#include "behavior/state_division.h"
#include <math.h>

#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "components/mechanicalload/load.h"

typedef struct ConstantForceField {
  SofaForceField force_field;
  SofaIndices indices;    /* empty: all */
  SofaCoords forces;      /* one for all or one per index; derivs */
  SofaCoords total_force; /* one deriv */
  bool from_end;
  double arrow_size;
  SofaColor color;
  SofaLink topology;
  bool listed;    /* indices were given */
  double *values; /* owned; one deriv per point of the state: what add_force adds */
  size_t n;       /* reals of values */
} ConstantForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(ConstantForceField, indices, "indices", NULL, "",
               "points the forces act on; empty: all", .flags = SOFA_FIELD_REINIT,
               SOFA_INDICES_OF(SOFA_ELEMENT_POINT, .by_object = true)),
    SOFA_FIELD(ConstantForceField, from_end, "indexFromEnd", "0", "",
               "count indices from the last point backwards"),
    SOFA_FIELD(ConstantForceField, forces, "forces", NULL, "N",
               "one force for every index, or one per index; counts before totalForce; rigid "
               "kinds: force and torque",
               .flags = SOFA_FIELD_REINIT | SOFA_FIELD_DERIV),
    SOFA_FIELD(ConstantForceField, total_force, "totalForce", NULL, "N",
               "sum of the forces, shared equally by the indices",
               .flags = SOFA_FIELD_REINIT | SOFA_FIELD_DERIV),
    SOFA_FIELD(ConstantForceField, arrow_size, "showArrowSize", "0", "1", "length of drawn arrows",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(ConstantForceField, color, "showColor", "0.2 0.9 0.3 1", "",
               "colour of drawn arrows", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(ConstantForceField, topology, "topology", NULL, "",
               "topology whose points are loaded", .link = &topology_rule),
};

/* ---- what the scene says ---- */

static SofaErr check_finite(const SofaObject *object, const char *field, const SofaCoords *list) {
  for (size_t k = 0; k < list->n * list->width; k++)
    if (!isfinite(list->data[k]))
      return sofa_field_fail(object, field, SOFA_ERR_RANGE, "force %zu is not finite",
                             k / list->width);
  return SOFA_OK;
}

static SofaErr check(const ConstantForceField *c, size_t n_loaded) {
  const SofaObject *object = &c->force_field.object;
  if (!c->forces.n && !sofa_field_is_set(object, "forces") && !c->total_force.n)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT, "neither forces nor totalForce is given");
  SOFA_TRY(check_finite(object, "forces", &c->forces));
  SOFA_TRY(check_finite(object, "totalForce", &c->total_force));
  if (c->forces.n && c->total_force.n)
    sofa_object_message(object, SOFA_WARNING, "forces and totalForce are both given: forces count");
  if (c->forces.n > 1 && c->forces.n != n_loaded)
    return sofa_field_fail(object, "forces", SOFA_ERR_ARGUMENT,
                           "has %zu forces, expected 1 or one for each of the %zu points",
                           c->forces.n, n_loaded);
  if (c->total_force.n > 1)
    return sofa_field_fail(object, "totalForce", SOFA_ERR_ARGUMENT, "has %zu forces, expected 1",
                           c->total_force.n);
  return SOFA_OK;
}

/* Adds up what every point gets: duplicate indices accumulate. */
static void fill(ConstantForceField *c, size_t n_points, size_t n_loaded, double n_shares) {
  const unsigned deriv = load_kind(&c->force_field)->deriv;
  const SofaCoords *from = c->forces.n ? &c->forces : &c->total_force;
  const double share = c->forces.n ? 1 : 1 / n_shares;
  if (!from->n) return;
  for (size_t k = 0; k < n_loaded; k++) {
    size_t i = c->indices.n ? c->indices.data[k] : k;
    if (c->from_end) i = n_points - i - 1;
    const double *force = from->data + (from->n > 1 ? k : 0) * deriv;
    for (unsigned e = 0; e < deriv; e++) c->values[i * deriv + e] += share * force[e];
  }
}

/* Without indices: the points of the topology, where there is one. */
static size_t n_loaded_points(const ConstantForceField *c, size_t n) {
  if (c->indices.n) return c->indices.n;
  const SofaTopology *topology = (const SofaTopology *)c->topology.target;
  return topology && topology->n_points && topology->n_points < n ? topology->n_points : n;
}

/* Is the list that of this process, so that an empty one means none? */
static bool is_part(const ConstantForceField *c) {
  const SofaObject *object = &c->force_field.object;
  const SofaFieldState *state = sofa_field_state(object, &fields[0]);
  return sofa_state_division(c->force_field.state[0]) && (state->divided || state->source);
}

/* Points of all processes that share totalForce; what cannot be known of them is refused. */
static SofaErr count_shares(const ConstantForceField *c, size_t n_loaded, double *out) {
  const SofaState *state = c->force_field.state[0];
  const size_t n_owned = sofa_state_n_owned(state);
  uint64_t n = 0;
  *out = (double)n_loaded;
  if (!sofa_state_division(state)) return SOFA_OK;
  if (c->from_end || c->forces.n > 1)
    return sofa_object_undivided(&c->force_field.object,
                                 "indexFromEnd, or forces of their own for the points, on a mesh "
                                 "that is divided among processes");
  for (size_t k = 0; k < n_loaded; k++) n += (c->indices.n ? c->indices.data[k] : k) < n_owned;
  SOFA_TRY(sofa_process_sum_counts(state->object.ctx, 1, &n));
  *out = (double)n;
  return SOFA_OK;
}

static SofaErr constant_init(SofaObject *object) {
  ConstantForceField *c = (ConstantForceField *)object;
  const size_t n = load_n_points(&c->force_field);
  const size_t n_loaded = is_part(c) ? c->indices.n : n_loaded_points(c, n);
  double n_shares;
  c->n = 0;
  c->listed = c->indices.n > 0;
  SOFA_TRY(count_shares(c, n_loaded, &n_shares));
  SOFA_TRY(check(c, n_loaded));
  sofa_free(object->ctx, c->values);
  const size_t size = n * load_kind(&c->force_field)->deriv;
  c->values = sofa_alloc(object->ctx, size, sizeof *c->values);
  if (!c->values) return SOFA_ERR_MEMORY;
  c->n = size;
  fill(c, n, n_loaded, n_shares);
  return SOFA_OK;
}

static void constant_destroy(SofaObject *object) {
  sofa_free(object->ctx, ((ConstantForceField *)object)->values);
}

/* ---- operations ---- */

static SofaErr constant_add_force(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, double *const *f) {
  (void)params, (void)at;
  const ConstantForceField *c = (ConstantForceField *)ff;
  for (size_t k = 0; k < c->n; k++) f[0][k] += c->values[k];
  return SOFA_OK;
}

/* -F.x; the torque on a frame has no potential that a position tells. */
static SofaErr constant_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                         const SofaPoint *at, double *energy) {
  (void)params;
  const ConstantForceField *c = (ConstantForceField *)ff;
  *energy = 0;
  if (load_kind(ff)->rigid) return SOFA_OK;
  const size_t owned = sofa_state_n_owned(ff->state[0]) * load_kind(ff)->deriv;
  for (size_t k = 0; k < c->n && k < owned; k++) *energy -= c->values[k] * at->x[0][k];
  return SOFA_OK;
}

/* ---- topological changes ---- */

/* Numbers of points instead of ranks from the end, which would mean other points. */
static void count_from_start(ConstantForceField *c, size_t n) {
  for (size_t k = 0; c->from_end && k < c->indices.n; k++)
    c->indices.data[k] = (uint32_t)(n - 1 - c->indices.data[k]);
  if (c->from_end && c->forces.n > 1 && !c->listed) {
    const size_t width = c->forces.width;
    double *f = c->forces.data;
    for (size_t i = 0, j = c->forces.n - 1; i < j; i++, j--)
      for (size_t e = 0; e < width; e++) {
        const double one = f[i * width + e];
        f[i * width + e] = f[j * width + e];
        f[j * width + e] = one;
      }
  }
  c->from_end = false;
}

/* Removed points lose their forces; inserted points do not get one of a list. */
static SofaErr points_change(ConstantForceField *c, const SofaTopologyChange *change) {
  SofaContext *ctx = c->force_field.object.ctx;
  const size_t width = c->forces.width;
  static const char *const names[] = {"indices", "forces", "indexFromEnd"};
  for (size_t i = 0; i < SOFA_COUNT(names); i++)
    sofa_field_touch_name(&c->force_field.object, names[i]);
  count_from_start(c, change->n_before);
  if (c->forces.n > 1 && !c->listed) {
    if (change->kind == SOFA_CHANGE_REMOVE) return sofa_change_coords(change, ctx, &c->forces);
    return sofa_coords_resize(ctx, &c->forces, c->forces.n + change->n);
  }
  if (change->kind != SOFA_CHANGE_REMOVE) return SOFA_OK;
  const bool each = c->forces.n > 1;
  for (size_t k = 0; k < c->indices.n;) {
    const uint32_t now = sofa_change_renamed(change, c->indices.data[k]);
    if (now != SOFA_NO_ELEMENT) {
      c->indices.data[k++] = now;
      continue;
    }
    const size_t last = --c->indices.n;
    c->indices.data[k] = c->indices.data[last];
    if (!each) continue;
    for (size_t e = 0; e < width; e++)
      c->forces.data[k * width + e] = c->forces.data[last * width + e];
  }
  return each ? sofa_coords_resize(ctx, &c->forces, c->indices.n) : SOFA_OK;
}

static SofaErr constant_listen(SofaObject *object, const SofaTopologyChange *change) {
  ConstantForceField *c = (ConstantForceField *)object;
  if (sofa_change_moves(change, c->force_field.state[0])) return points_change(c, change);
  if (change->kind != SOFA_CHANGE_DONE) return SOFA_OK;
  // a list that has become empty means no point, not all
  if (!c->listed || c->indices.n) return constant_init(object);
  c->n = 0;
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = constant_listen};
static const SofaForceFieldOps ops = {.add_force = constant_add_force,
                                      .potential_energy = constant_potential_energy,
                                      .conservative = load_is_conservative,
                                      .is_load = true,
                                      .own_points = true};

static void force_of(const SofaForceField *ff, size_t point, double *f) {
  const ConstantForceField *c = (const ConstantForceField *)ff;
  const unsigned deriv = load_kind(ff)->deriv;
  for (unsigned k = 0; k < deriv; k++) f[k] = c->values[point * deriv + k];
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const ConstantForceField *c = (const ConstantForceField *)object;
  if (!c->force_field.state[0] || !c->values) return;
  const size_t n = c->n / load_kind(&c->force_field)->deriv;
  load_draw_arrows(&c->force_field, args,
                   &(LoadArrows){force_of, n, c->arrow_size, sofa_rgba(&c->color)});
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d",   "Vec1d",   "Vec2d", "Vec6d",
                                        "Rigid2d", "Rigid3d", NULL};

SOFA_CLASS(ConstantForceField) = {
    SOFA_NAMED(ConstantForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "Constant forces on points, in world axes: F_i given, or a total shared equally. On "
            "rigid frames, force and torque.",
    .equations = "f_i = F_i",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = constant_init,
    .reinit = constant_init,
    .destroy = constant_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
