/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CSVRecorder: chosen quantities over time as a table for spreadsheets and plots. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "object/checkpoint.h"
#include "behavior/mass.h"
#include "behavior/whole_list.h"
#include "change/topology_change.h"
#include "numerics/io/output_file.h"
#include "math/vec.h"
#include "object/event.h"
#include "object/process.h"
#include "simulation/mechanics.h"
#include "simulation/quantity.h"

/* Quantities, in the order in which `columns` may name them. */
typedef enum Quantity {
  POSITION,
  VELOCITY,
  FORCE,
  REACTION,
  KINETIC_ENERGY,
  POTENTIAL_ENERGY,
  MOMENTUM,
  ANGULAR_MOMENTUM,
  N_QUANTITIES
} Quantity;

static const char *const words[N_QUANTITIES] = {"position", "velocity",       "force",
                                                "reaction", "kineticEnergy",  "potentialEnergy",
                                                "momentum", "angularMomentum"};

SOFA_LIST(SofaForceField *, ForceFields);
SOFA_LIST(SofaQuantity, Others);

typedef struct CSVRecorder {
  SofaObject object;
  SofaFileName filename;
  SofaStrings columns, quantities;
  SofaIndices indices; /* points */
  SofaIndices numbers; /* of these, where the state is divided: in the whole mesh; owned */
  uint32_t every;      /* steps */
  double period;       /* s */
  SofaLink mstate;
  SofaState *state;
  SofaCoords reaction; /* of the points, by all constraints; owned */
  Quantity *kinds;     /* of columns, owned */
  Others others;       /* of quantities, opened; owned */
  ForceFields fields;  /* masses and force fields of the node and below; owned list */
  SofaOutputFile *file;
  SofaText line;
  uint64_t n_steps;
  double last; /* time of the last line, s */
} CSVRecorder;

static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE,
                                        .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(CSVRecorder, filename, "filename", NULL, "",
               "file to write, relative to the current directory; default: the object's name with "
               ".csv"),
    SOFA_FIELD(
        CSVRecorder, columns, "columns", "position", "",
        "quantities to write, in this order: position, velocity, force, reaction (of the points), "
        "kineticEnergy, potentialEnergy, momentum, angularMomentum about the origin (of the "
        "node and those below); none where only quantities are given"),
    SOFA_FIELD(
        CSVRecorder, quantities, "quantities", NULL, "",
        "numbers of any fields, behind the columns: PATH.FIELD[ENTRY].NUMBER:OPERATION as of "
        "the option --record, such as FEM.vonMisesPerElement:max; the path begins at this "
        "node, with / at the root"),
    SOFA_FIELD(CSVRecorder, indices, "indices", NULL, "1",
               "points whose positions, velocities and forces are written; default: all. A point "
               "keeps its columns in topological changes; they are empty after its removal",
               SOFA_INDICES_OF(SOFA_ELEMENT_POINT, .link = "mstate", .keep_places = true)),
    SOFA_FIELD(CSVRecorder, every, "everyNumberOfSteps", "1", "1", "steps between two lines",
               .range = SOFA_AT_LEAST(1)),
    SOFA_FIELD(CSVRecorder, period, "period", "0", "s",
               "time between two lines; when > 0 it is used instead of the number of steps",
               .range = SOFA_AT_LEAST(0)),
    SOFA_FIELD(CSVRecorder, mstate, "mstate", NULL, "",
               "state with the points; default: in context", .link = &state_rule),
};

/* ---- setting up ---- */

static bool of_points(Quantity q) {
  return q <= REACTION;
}

/* Reads the words; an unknown one is reported. */
static SofaErr take_columns(CSVRecorder *r) {
  SofaContext *ctx = r->object.ctx;
  sofa_free(ctx, r->kinds);
  // the default gives way to quantities
  if (r->quantities.n && !sofa_field_is_set(&r->object, "columns"))
    sofa_strings_free(ctx, &r->columns);
  r->kinds = sofa_alloc(ctx, r->columns.n, sizeof *r->kinds);
  if (!r->kinds) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < r->columns.n; i++) {
    const char *word = r->columns.data[i];
    size_t q = 0;
    while (q < N_QUANTITIES && strcmp(word, words[q]) != 0) q++;
    if (q == N_QUANTITIES) {
      const size_t near = sofa_nearest_word(word, words, N_QUANTITIES);
      return sofa_field_fail(
          &r->object, "columns", SOFA_ERR_PARSE,
          "there is no quantity '%s'%s%s%s; there are position, velocity, force, "
          "reaction, kineticEnergy, potentialEnergy, momentum, angularMomentum",
          word, near < N_QUANTITIES ? "; did you mean '" : "",
          near < N_QUANTITIES ? words[near] : "", near < N_QUANTITIES ? "'" : "");
    }
    r->kinds[i] = (Quantity)q;
  }
  return SOFA_OK;
}

static bool any_of_points(const CSVRecorder *r) {
  bool any = false;
  for (size_t i = 0; i < r->columns.n; i++) any |= of_points(r->kinds[i]);
  return any;
}

static SofaErr init(SofaObject *object) {
  CSVRecorder *r = (CSVRecorder *)object;
  r->state = r->mstate.target ? (SofaState *)r->mstate.target : sofa_node_state(object->node);
  SOFA_TRY(take_columns(r));
  if (any_of_points(r) && !r->state)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "no mechanical state in this node or above");
  // columns are those of all processes: the object looks for its own points in them
  const SofaField *field = sofa_class_field(object->klass, "indices");
  if (object->ctx->processes) sofa_field_state(object, field)->divided = true;
  return SOFA_OK;
}

/* Masses and force fields of the node and below, once. */
static SofaErr collect_fields(CSVRecorder *r) {
  SofaContext *ctx = r->object.ctx;
  SofaNodes nodes = {0};
  SofaErr err;
  r->fields.n = 0;
  SOFA_GO(err, done, sofa_node_order(r->object.node, &nodes));
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++) {
      SofaForceField *ff = (SofaForceField *)nodes.data[i]->objects.data[k];
      if (!sofa_implements(&ff->object, SOFA_FORCE_FIELD) || !sofa_valid(&ff->object)) continue;
      if (ff->state[0]) SOFA_GO(err, done, SOFA_APPEND(ctx, &r->fields, &ff));
    }
done:
  sofa_list_free(ctx, &nodes);
  return err;
}

static SofaErr add_reals(CSVRecorder *r, const double *x, size_t n) {
  SofaContext *ctx = r->object.ctx;
  for (size_t k = 0; k < n; k++) {
    SOFA_TRY(sofa_text_append(ctx, &r->line, ",", 1));
    SOFA_TRY(sofa_text_real(ctx, &r->line, x[k], 0));
  }
  return SOFA_OK;
}

/* ---- points of a state of which each process has a part ---- */

static const SofaDivision *division_of(const CSVRecorder *r) {
  return r->state ? sofa_state_division(r->state) : NULL;
}

/* A list that the scene gives has numbers of the whole mesh. */
static SofaErr copy_numbers(CSVRecorder *r) {
  const size_t n_whole = division_of(r)->n_whole;
  SOFA_TRY(SOFA_RESIZE(r->object.ctx, &r->numbers, r->indices.n));
  sofa_copy(r->numbers.data, r->indices.data, r->indices.n * sizeof *r->numbers.data);
  for (size_t i = 0; i < r->numbers.n; i++)
    if (r->numbers.data[i] >= n_whole)
      return sofa_field_fail(&r->object, "indices", SOFA_ERR_RANGE,
                             "point %u, the state has %zu points on all processes",
                             r->numbers.data[i], n_whole);
  return SOFA_OK;
}

/* Ascending numbers of the points that any process has in its list, or of all points. */
static SofaErr list_numbers(CSVRecorder *r, bool all) {
  SofaContext *ctx = r->object.ctx;
  const SofaDivision *d = division_of(r);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *marks = SOFA_SCRATCH(ctx, double, d->n_whole + 1);
  SofaErr err = marks ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; i < d->n_whole && marks; i++) marks[i] = all;
  for (size_t i = 0; i < r->indices.n && marks; i++)
    if (r->indices.data[i] < d->n_owned) marks[d->number.data[r->indices.data[i]]] = 1;
  if (err == SOFA_OK && !all) err = sofa_process_max(ctx, d->n_whole, marks);
  r->numbers.n = 0;
  for (uint32_t i = 0; i < d->n_whole && err == SOFA_OK; i++)
    if (marks[i] > 0) err = SOFA_APPEND(ctx, &r->numbers, &i);
  sofa_scratch_release(ctx, mark);
  return err;
}

/* Columns are the same on all processes. */
static SofaErr take_divided_points(CSVRecorder *r) {
  const SofaField *field = sofa_class_field(r->object.klass, "indices");
  const bool set = sofa_field_is_set(&r->object, "indices");
  const bool linked = sofa_field_state(&r->object, field)->source != NULL;
  return set && !linked ? copy_numbers(r) : list_numbers(r, !set);
}

/* Appends the cells of the points, from the processes that own them. */
static SofaErr add_divided_points(CSVRecorder *r, const SofaCoords *list) {
  SofaContext *ctx = r->object.ctx;
  const SofaDivision *d = division_of(r);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const size_t n = r->numbers.n * list->width;
  double *values = SOFA_SCRATCH(ctx, double, n + 1);
  bool *have = SOFA_SCRATCH(ctx, bool, n + 1);
  SofaErr err = values && have ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n && err == SOFA_OK; i++) {
    const uint32_t at = sofa_division_local(d, r->numbers.data[i / list->width]);
    have[i] = at < d->n_owned && at < list->n;
    if (have[i]) values[i] = list->data[at * list->width + i % list->width];
  }
  if (err == SOFA_OK) err = sofa_share_values(ctx, n, have, values);
  if (err == SOFA_OK) err = add_reals(r, values, n);
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr take_points(CSVRecorder *r) {
  SofaContext *ctx = r->object.ctx;
  if (!any_of_points(r)) return SOFA_OK;
  if (division_of(r)) return take_divided_points(r);
  const size_t n = r->state->position.n;
  for (size_t i = 0; i < r->indices.n; i++)
    if (r->indices.data[i] >= n)
      return sofa_field_fail(&r->object, "indices", SOFA_ERR_RANGE,
                             "point %u, the state has %zu points", r->indices.data[i], n);
  if (sofa_field_is_set(&r->object, "indices")) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(ctx, &r->indices, n));
  for (size_t i = 0; i < n; i++) r->indices.data[i] = (uint32_t)i;
  return SOFA_OK;
}

static void close_quantities(CSVRecorder *r) {
  for (size_t i = 0; i < r->others.n; i++) sofa_quantity_close(r->object.ctx, &r->others.data[i]);
  r->others.n = 0;
}

static SofaErr open_quantities(CSVRecorder *r) {
  close_quantities(r);
  for (size_t i = 0; i < r->quantities.n; i++) {
    SofaQuantity q;
    if (sofa_quantity_open(r->object.node, r->quantities.data[i], &q) != SOFA_OK)
      return sofa_field_fail(&r->object, "quantities", SOFA_ERR_ARGUMENT, "'%s' cannot be recorded",
                             r->quantities.data[i]);
    const SofaErr err = SOFA_APPEND(r->object.ctx, &r->others, &q);
    if (err != SOFA_OK) sofa_quantity_close(r->object.ctx, &q);
    if (err != SOFA_OK) return err;
  }
  return SOFA_OK;
}

/* ---- the header ---- */

/* Names of the numbers of a position, velocity, force of a kind of state. */
static const char *const *component_names(SofaStateKind kind, Quantity q) {
  static const char *const points[4][6] = {{"x", "y", "z", "x3", "x4", "x5"},
                                           {"vx", "vy", "vz", "v3", "v4", "v5"},
                                           {"fx", "fy", "fz", "f3", "f4", "f5"},
                                           {"rx", "ry", "rz", "r3", "r4", "r5"}};
  static const char *const rigid3[4][7] = {{"x", "y", "z", "qx", "qy", "qz", "qw"},
                                           {"vx", "vy", "vz", "wx", "wy", "wz", ""},
                                           {"fx", "fy", "fz", "tx", "ty", "tz", ""},
                                           {"rx", "ry", "rz", "rtx", "rty", "rtz", ""}};
  static const char *const rigid2[4][3] = {
      {"x", "y", "angle"}, {"vx", "vy", "w"}, {"fx", "fy", "t"}, {"rx", "ry", "rt"}};
  if (kind == SOFA_RIGID3) return rigid3[q];
  return kind == SOFA_RIGID2 ? rigid2[q] : points[q];
}

/* Positions and velocities of frames end with turns and turning rates, forces with torques. */
static const char *unit_of(const SofaState *state, Quantity q, unsigned c) {
  static const char *const units[4] = {"m", "m/s", "N", "N"};
  static const char *const turned[4] = {"1", "1/s", "N m", "N m"};
  const SofaStateKindInfo *info = sofa_state_kind_info(state->object.kind);
  return info->rigid && c >= info->space ? turned[q] : units[q];
}

static const SofaCoords *list_of(const CSVRecorder *r, Quantity q) {
  const SofaState *s = r->state;
  const SofaCoords *lists[] = {&s->position, &s->velocity, &s->force, &r->reaction};
  return lists[q];
}

static SofaErr add_point_names(CSVRecorder *r, Quantity q) {
  SofaContext *ctx = r->object.ctx;
  const char *const *names = component_names(r->state->object.kind, q);
  const SofaIndices *points = division_of(r) ? &r->numbers : &r->indices;
  for (size_t i = 0; i < points->n; i++)
    for (unsigned c = 0; c < list_of(r, q)->width; c++)
      SOFA_TRY(sofa_text_printf(ctx, &r->line, ",%s[%u] [%s]", names[c], points->data[i],
                                unit_of(r->state, q, c)));
  return SOFA_OK;
}

static SofaErr write_header(CSVRecorder *r) {
  SofaContext *ctx = r->object.ctx;
  static const char *const names[N_QUANTITIES] = {
      [KINETIC_ENERGY] = ",kinetic energy [J]",
      [POTENTIAL_ENERGY] = ",potential energy [J]",
      [MOMENTUM] = ",px [kg m/s],py [kg m/s],pz [kg m/s]",
      [ANGULAR_MOMENTUM] = ",Lx [kg m^2/s],Ly [kg m^2/s],Lz [kg m^2/s]"};
  r->line.n = 0;
  SOFA_TRY(sofa_text_printf(ctx, &r->line, "time [s]"));
  for (size_t i = 0; i < r->columns.n; i++) {
    const Quantity q = r->kinds[i];
    if (of_points(q)) SOFA_TRY(add_point_names(r, q));
    else SOFA_TRY(sofa_text_append(ctx, &r->line, names[q], strlen(names[q])));
  }
  for (size_t i = 0; i < r->others.n; i++)
    SOFA_TRY(sofa_quantity_names(ctx, &r->others.data[i], &r->line));
  SOFA_TRY(sofa_text_append(ctx, &r->line, "\n", 1));
  return sofa_output_file_write(r->file, r->line.data, r->line.n);
}

/* ---- a line ---- */

static void add_list(const SofaCoords *from, SofaCoords *to) {
  for (size_t k = 0; k < from->n * from->width && k < to->n * to->width; k++)
    to->data[k] += from->data[k];
}

/* The sum of what the constraints add to the points; 0 before a solver knows them. */
static SofaErr find_reaction(CSVRecorder *r) {
  const SofaState *s = r->state;
  const SofaMechanics *m = s->mechanics;
  r->reaction.width = s->force.width;
  SOFA_TRY(sofa_coords_resize(r->object.ctx, &r->reaction, s->position.n));
  sofa_zero(r->reaction.data, r->reaction.n * r->reaction.width * sizeof *r->reaction.data);
  for (size_t i = 0; m && i < m->n_constraints; i++) {
    SofaProjective *c = m->constraints[i];
    if (c->state != s && c->second != s) continue;
    SOFA_TRY(c->find_reactions(c));
    if (c->state == s) add_list(&c->reactions, &r->reaction);
    if (c->second == s) add_list(&c->second_reactions, &r->reaction);
  }
  return SOFA_OK;
}

static SofaErr add_points(CSVRecorder *r, Quantity q) {
  if (q == FORCE) SOFA_TRY(sofa_state_find_force(r->state));
  if (q == REACTION) SOFA_TRY(find_reaction(r));
  const SofaCoords *list = list_of(r, q);
  if (division_of(r)) return add_divided_points(r, list);
  for (size_t i = 0; i < r->indices.n; i++) {
    const size_t at = r->indices.data[i];
    // the column of a removed point stays empty
    for (size_t k = 0; at == SOFA_NO_ELEMENT && k < list->width; k++)
      SOFA_TRY(sofa_text_append(r->object.ctx, &r->line, ",", 1));
    if (at == SOFA_NO_ELEMENT) continue;
    if (at >= list->n)
      return sofa_field_fail(&r->object, "indices", SOFA_ERR_RANGE,
                             "point %zu, the state has %zu by now", at, list->n);
    SOFA_TRY(add_reals(r, list->data + at * list->width, list->width));
  }
  return SOFA_OK;
}

/* Points of a state that count in the sums of this process over products with a mass: partial
 * products at all points of a divided state add up; what is the same on all counts once. */
static size_t n_counted(const SofaMass *mass) {
  const SofaState *s = mass->force_field.state[0];
  if (!s->object.ctx->processes) return s->velocity.n;
  if (!sofa_state_division(s)) return sofa_process_rank(s->object.ctx) == 0 ? s->velocity.n : 0;
  const bool by_points =
      sofa_class_divided(mass->force_field.object.klass) == SOFA_DIVIDED_BY_POINTS;
  return by_points ? sofa_state_n_owned(s) : s->velocity.n;
}

/* sum += a.M b over the counted points: of velocities 2 T; of positions with gravity, -U. */
static SofaErr add_mass_energy(SofaMass *mass, Quantity q, double *energy) {
  const SofaState *s = mass->force_field.state[0];
  SofaContext *ctx = s->object.ctx;
  const unsigned width = s->velocity.width;
  const size_t n = s->velocity.n * width, counted = n_counted(mass) * width;
  const double *g = s->object.node->gravity.v;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *b = SOFA_SCRATCH(ctx, double, 2 * n + 1), sum = 0;
  if (!b) return SOFA_ERR_MEMORY;
  sofa_zero(b, 2 * n * sizeof *b);
  for (size_t i = 0; i < n; i++)
    b[i] = q == KINETIC_ENERGY ? s->velocity.data[i] : i % width < 3 ? g[i % width] : 0;
  const SofaErr err = sofa_mass_ops(mass)->add_mdx(mass, s->position.data, b, b + n, 1);
  const double *a = q == KINETIC_ENERGY ? s->velocity.data : s->position.data;
  for (size_t i = 0; i < counted; i++) sum += a[i] * b[n + i];
  *energy += q == KINETIC_ENERGY ? sum / 2 : -sum;
  sofa_scratch_release(ctx, mark);
  return err;
}

/* The part of this process of the energy of a field of a divided state. */
static SofaErr add_divided_energy(SofaForceField *ff, const SofaMechParams *params, Quantity q,
                                  double *energy) {
  SofaMass *mass = sofa_implements(&ff->object, SOFA_MASS) ? (SofaMass *)ff : NULL;
  double part = 0;
  SofaPoint at;
  if (mass) return mass->inert ? SOFA_OK : add_mass_energy(mass, q, energy);
  if (q != POTENTIAL_ENERGY) return SOFA_OK;
  if (sofa_class_divided(ff->object.klass) == SOFA_DIVIDED_BY_POINTS &&
      !sofa_force_field_ops(ff)->own_points)
    return sofa_object_undivided(&ff->object,
                                 "the energy of fields of points on a state that is divided "
                                 "among processes");
  SOFA_TRY(sofa_force_field_state_point(ff, params->time, &at));
  SOFA_TRY(sofa_force_field_potential_energy(ff, params, &at, &part));
  *energy += part;
  return SOFA_OK;
}

/* The energy of one force field or mass at the current state. */
static SofaErr add_energy(SofaForceField *ff, const SofaMechParams *params, Quantity q,
                          double *energy) {
  double part = 0;
  SofaPoint at;
  if (sofa_state_division(ff->state[0])) return add_divided_energy(ff, params, q, energy);
  if (sofa_process_rank(ff->object.ctx) > 0) return SOFA_OK; // it is the same on the first
  SOFA_TRY(sofa_force_field_state_point(ff, params->time, &at));
  if (sofa_implements(&ff->object, SOFA_MASS)) {
    SofaMass *mass = (SofaMass *)ff;
    const SofaMassOps *ops = sofa_mass_ops(mass);
    if (mass->inert) return SOFA_OK;
    part = q == KINETIC_ENERGY ? ops->kinetic_energy(mass, at.x[0], at.v[0])
                               : ops->potential_energy(mass, at.x[0], ff->object.node->gravity.v);
  } else if (q == POTENTIAL_ENERGY) {
    SOFA_TRY(sofa_force_field_potential_energy(ff, params, &at, &part));
  }
  *energy += part;
  return SOFA_OK;
}

static SofaErr energy_of(const CSVRecorder *r, Quantity q, double *energy) {
  const SofaNode *node = r->object.node;
  const SofaMechParams params = sofa_mech_params(0, node->time, 0, 0, 0);
  const SofaScratchMark mark = sofa_scratch_mark(r->object.ctx);
  SofaErr err = SOFA_OK;
  *energy = 0;
  for (size_t i = 0; i < r->fields.n && err == SOFA_OK; i++)
    err = add_energy(r->fields.data[i], &params, q, energy);
  sofa_scratch_release(r->object.ctx, mark);
  return err == SOFA_OK ? sofa_process_sum(r->object.ctx, 1, energy) : err;
}

/* Adds the momentum M v of one mass, or its moment about the origin. */
static SofaErr add_momentum(SofaMass *mass, Quantity q, double sum[3]) {
  SofaContext *ctx = mass->force_field.object.ctx;
  const SofaState *s = mass->force_field.state[0];
  const unsigned width = s->velocity.width, space = sofa_state_kind_info(s->object.kind)->space;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *mv = SOFA_SCRATCH(ctx, double, s->velocity.n *width + 1);
  if (!mv) return SOFA_ERR_MEMORY;
  sofa_zero(mv, s->velocity.n * width * sizeof *mv);
  const SofaErr err = sofa_mass_ops(mass)->add_mdx(mass, s->position.data, s->velocity.data, mv, 1);
  const size_t n = n_counted(mass);
  for (size_t i = 0; err == SOFA_OK && i < n; i++) {
    const double *x = s->position.data + i * s->position.width;
    double p[3] = {0, 0, 0}, at[3] = {0, 0, 0}, moment[3];
    for (unsigned c = 0; c < space && c < 3; c++) p[c] = mv[i * width + c], at[c] = x[c];
    sofa_vec3_cross(at, p, moment);
    // frames also have a spin
    if (s->object.kind == SOFA_RIGID3)
      for (size_t c = 0; c < 3; c++) moment[c] += mv[i * width + 3 + c];
    if (s->object.kind == SOFA_RIGID2) moment[2] += mv[i * width + 2];
    for (int c = 0; c < 3; c++) sum[c] += q == MOMENTUM ? p[c] : moment[c];
  }
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr add_quantity(CSVRecorder *r, Quantity q) {
  double sum[3] = {0, 0, 0};
  if (of_points(q)) return add_points(r, q);
  if (q == KINETIC_ENERGY || q == POTENTIAL_ENERGY) {
    SOFA_TRY(energy_of(r, q, sum));
    return add_reals(r, sum, 1);
  }
  for (size_t i = 0; i < r->fields.n; i++) {
    SofaMass *mass = (SofaMass *)r->fields.data[i];
    if (sofa_implements(&mass->force_field.object, SOFA_MASS) && !mass->inert)
      SOFA_TRY(add_momentum(mass, q, sum));
  }
  SOFA_TRY(sofa_process_sum(r->object.ctx, 3, sum));
  return add_reals(r, sum, 3);
}

static SofaErr write_line(CSVRecorder *r) {
  r->line.n = 0;
  r->last = r->object.node->time;
  SOFA_TRY(sofa_text_real(r->object.ctx, &r->line, r->last, 0));
  for (size_t i = 0; i < r->columns.n; i++) SOFA_TRY(add_quantity(r, r->kinds[i]));
  for (size_t i = 0; i < r->others.n; i++)
    SOFA_TRY(sofa_quantity_cells(r->object.ctx, &r->others.data[i], &r->line));
  SOFA_TRY(sofa_text_append(r->object.ctx, &r->line, "\n", 1));
  return sofa_output_file_write(r->file, r->line.data, r->line.n);
}

/* ---- life ---- */

/* The table starts again with the current state. */
static SofaErr start(CSVRecorder *r) {
  SofaContext *ctx = r->object.ctx;
  const bool named = r->filename.text && r->filename.text[0];
  char *path =
      named ? sofa_strdup(ctx, r->filename.text) : sofa_format(ctx, "%s.csv", r->object.name);
  if (!path) return SOFA_ERR_MEMORY;
  sofa_output_file_close(&r->file);
  SofaErr err = sofa_output_file_open(&r->object, "filename", path, &r->file);
  sofa_free(ctx, path);
  r->n_steps = 0;
  if (r->state) r->reaction.width = r->state->force.width;
  if (err == SOFA_OK) err = take_points(r);
  if (err == SOFA_OK) err = collect_fields(r);
  if (err == SOFA_OK) err = open_quantities(r);
  if (err == SOFA_OK) err = write_header(r);
  return err == SOFA_OK ? write_line(r) : err;
}

static bool is_due(const CSVRecorder *r) {
  const SofaNode *node = r->object.node;
  if (r->period > 0) return node->time >= r->last + r->period - 0.1 * node->dt;
  return r->n_steps % r->every == 0;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  CSVRecorder *r = (CSVRecorder *)object;
  SofaErr err = SOFA_OK;
  if (event->type == SOFA_EVENT_READY ||
      (event->type == SOFA_EVENT_ANIMATE_BEGIN && !r->file && r->kinds)) {
    err = start(r);
  } else if (event->type == SOFA_EVENT_ANIMATE_END && r->file) {
    r->n_steps++;
    if (is_due(r)) err = write_line(r);
  }
  if (err == SOFA_OK || !object->ctx->keep_going) return err;
  // a run that shall go on goes on without the file
  sofa_output_file_close(&r->file);
  sofa_free(object->ctx, r->kinds);
  r->kinds = NULL;
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  sofa_output_file_close(&((CSVRecorder *)object)->file);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  CSVRecorder *r = (CSVRecorder *)object;
  sofa_output_file_close(&r->file);
  sofa_free(object->ctx, r->kinds);
  sofa_list_free(object->ctx, &r->fields);
  sofa_list_free(object->ctx, &r->numbers);
  close_quantities(r);
  sofa_list_free(object->ctx, &r->others);
  sofa_coords_free(object->ctx, &r->reaction);
  sofa_list_free(object->ctx, &r->line);
}

/* ---- checkpoints: the file goes on ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  sofa_output_file_save(((const CSVRecorder *)object)->file, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  return sofa_output_file_restore(((CSVRecorder *)object)->file, from);
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(CSVRecorder, n_steps),
    SOFA_KEEP(CSVRecorder, last),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(CSVRecorder, line),
};

SOFA_CLASS(CSVRecorder) = {
    SOFA_NAMED(CSVRecorder),
    .module = "csofa",
    .category = "Exporter",
    .help =
        "Records chosen quantities over time in a table of comma-separated values (addition of "
        "csofa). The first line names them with their units. During the run the file is NAME.part; "
        "each line is complete in it when its step ends.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    SOFA_KEEPS(kept),
    SOFA_FIELDS(fields),
    .listening = true,
    .init = init,
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
