/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PrecomputedConstraintCorrection: a state moves by the compliance of its first step. */
#include <string.h>

#include "base/bytes.h"
#include "base/files.h"
#include "object/checkpoint.h"
#include "base/text.h"
#include "behavior/checks.h"
#include "behavior/constrained_state.h"
#include "behavior/rotation_finder.h"
#include "components/constraint/lagrangian/correction/precomputed_compliance.h"
#include "components/constraint/lagrangian/correction/turned_rows.h"
#include "components/linearsolver/rotations.h"
#include "math/quaternion.h"

enum {
  QUIRK_PRECOMPUTED_REGULARIZATION = 1 << 0,
  QUIRK_PRECOMPUTED_NAMES = 1 << 1,
  QUIRK_PRECOMPUTED_ROTATIONS = 1 << 2,
  QUIRK_PRECOMPUTED_WEIGHT = 1 << 3
};
static const SofaQuirk quirks[] = {
    {QUIRK_PRECOMPUTED_REGULARIZATION, "precomputed-regularization",
     "PrecomputedConstraintCorrection adds regularizationTerm to a row once for each of its "
     "points; "
     "without the compliance matrix to the blocks alone",
     "test_correction_factors.precomputed_regularization"},
    {QUIRK_PRECOMPUTED_NAMES, "precomputed-names",
     "PrecomputedConstraintCorrection takes the compliance of another one whose node has the same "
     "name, whatever its matrix",
     "test_correction_factors.precomputed_names"},
    {QUIRK_PRECOMPUTED_ROTATIONS, "precomputed-rotations",
     "the fields rotations and restDeformations of PrecomputedConstraintCorrection have no effect",
     "test_correction_factors.compliance_turns"},
    {QUIRK_PRECOMPUTED_WEIGHT, "precomputed-weight",
     "a PrecomputedConstraintCorrection that computes its compliance leaves its node without "
     "gravity "
     "in the first step",
     "test_correction_factors.precomputed_weight"},
};

typedef struct PrecomputedConstraintCorrection {
  StateCorrection base;
  SofaLink ode, linear_solver; /* the scene's */
  bool recompute, rotations, rest_deformations;
  double regularization, frame_scale;
  char *file, *folder; /* the scene's */
  char *key;           /* owned; file name of the compliance */
  bool by_frames;      /* the frames of the state are the rotations */
  bool from_file;      /* the compliance was read, here or by the one it is shared with */
  PrecomputedCompliance *compliance; /* NULL: not known yet */
  SofaObject *finder;                /* of rotations; borrowed; NULL: nothing turns */
  SofaReals turned, built;           /* rotations now, and when the compliance was computed */
  TurnedRows rows;                   /* of the step, in the axes of the compliance */
  SofaReals side;                    /* forces in these axes */
  SofaReals image;                   /* of a row: C J_k^T at the columns of all rows */
  SofaIndices columns, seen; /* columns of all rows; of each scalar dof: is it among them? */
  UnbuiltRows unbuilt;
} PrecomputedConstraintCorrection;
typedef PrecomputedConstraintCorrection Precomputed;

static const SofaLinkRule linear_solver_rule = {.interface = SOFA_LINEAR_SOLVER,
                                                .search = SOFA_SEARCH_NONE},
                          ode_rule = {.interface = SOFA_ODE_SOLVER, .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(Precomputed, ode, "ODESolver", NULL, "",
               "ODE solver that moves the state; default: the nearest in the node or above",
               .link = &ode_rule),
    SOFA_FIELD(Precomputed, linear_solver, "linearSolver", NULL, "",
               "linear solver of the ODE solver, by which the compliance is computed; default: "
               "that one",
               .link = &linear_solver_rule),
    SOFA_FIELD(
        Precomputed, recompute, "recompute", "0", "",
        "compute the compliance although a file NODE-DOFS-DT.comp is found on the data path"),
    SOFA_FIELD(
        Precomputed, rotations, "rotations", "0", "",
        "turn the compliance with the points, by the rotations that an object of the node knows "
        "(a corotational force field does), or with the frames of a Rigid3d state"),
    SOFA_FIELD(
        Precomputed, rest_deformations, "restDeformations", "0", "",
        "with `rotations` of a Rigid3d state: the compliance of a file belongs to the frames "
        "at rest; 0: to frames along the axes of the world"),
    SOFA_FIELD(Precomputed, regularization, "regularizationTerm", "0", "",
               "added to the diagonal of the compliance, for each row of this correction",
               .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_FIELD(Precomputed, frame_scale, "debugViewFrameScale", "1", "1",
               "size of the frames that are drawn", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(Precomputed, file, "fileCompliance", NULL, "",
               "file of the compliance: doubles of h A^-1, row by row", .aliases = "filePrefix"),
    SOFA_FIELD(Precomputed, folder, "fileDir", NULL, "",
               "folder where the file is searched, instead of the data path and whatever "
               "`recompute` says"),
};

static void destroy(SofaObject *object) {
  Precomputed *p = (Precomputed *)object;
  sofa_free(object->ctx, p->key);
  precomputed_compliance_drop(object->ctx, p->compliance);
  turned_rows_free(object->ctx, &p->rows);
  SofaReals *reals[] = {&p->turned, &p->built, &p->side, &p->image};
  for (size_t i = 0; i < SOFA_COUNT(reals); i++) sofa_list_free(object->ctx, reals[i]);
  sofa_list_free(object->ctx, &p->columns);
  sofa_list_free(object->ctx, &p->seen);
  unbuilt_free(object->ctx, &p->unbuilt);
}

/* ---- the compliance ---- */

static bool is_given(const char *text) {
  return text && text[0];
}

static size_t n_dofs(const Precomputed *p) {
  const SofaState *state = p->base.state;
  return state->position.n * sofa_state_kind_info(state->object.kind)->deriv;
}

/* NODE-DOFS-DT.comp */
static SofaErr default_key(Precomputed *p, double dt) {
  const SofaObject *object = &p->base.correction.object;
  char text[32];
  sofa_print_real(text, dt, 6);
  sofa_free(object->ctx, p->key);
  p->key = sofa_format(object->ctx, "%s-%zu-%s.comp", object->node->object.name, n_dofs(p), text);
  return p->key ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* *path: owned; NULL: there is no such file */
static SofaErr find_file(const Precomputed *p, const char *name, char **path) {
  const SofaObject *object = &p->base.correction.object;
  SofaContext *ctx = object->ctx;
  char *folder = sofa_path_folder(ctx, object->file ? object->file : "");
  char *inside = is_given(p->folder) ? sofa_path_join(ctx, p->folder, name) : NULL;
  SofaErr err = SOFA_ERR_MEMORY;
  *path = NULL;
  if (folder && (inside || !is_given(p->folder)))
    err = sofa_find_file(ctx, folder, inside ? inside : name, path);
  sofa_free(ctx, folder);
  sofa_free(ctx, inside);
  return err == SOFA_ERR_NOT_FOUND ? SOFA_OK : err;
}

typedef struct Search {
  const Precomputed *asks;
  const Precomputed *found;
} Search;

static SofaVisit find_in_node(SofaNode *node, void *user) {
  Search *search = user;
  const Precomputed *asks = search->asks;
  const SofaObject *me = &asks->base.correction.object;
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    const Precomputed *p = (const Precomputed *)object;
    if (object == me || object->klass != me->klass || !p->compliance) continue;
    if (strcmp(p->key, asks->key) != 0 || p->compliance->n != n_dofs(asks)) continue;
    if (!p->from_file && !sofa_quirk(me, QUIRK_PRECOMPUTED_NAMES)) continue;
    search->found = p;
    return SOFA_STOP;
  }
  return SOFA_CONTINUE;
}

/* Of another correction of the scene with the same key. A computed one is that of its own matrix.
 */
static SofaErr share(Precomputed *p) {
  Search search = {.asks = p};
  SofaNode *root = sofa_node_root(p->base.correction.object.node);
  SOFA_TRY(sofa_visit(root, &(SofaVisitor){find_in_node, NULL, &search, .inactive_too = true}));
  if (!search.found) return SOFA_OK;
  p->compliance = search.found->compliance;
  p->compliance->n_users++;
  p->from_file = search.found->from_file;
  return SOFA_OK;
}

static SofaErr make_room(Precomputed *p) {
  const SofaObject *object = &p->base.correction.object;
  p->compliance = precomputed_compliance_create(object->ctx, n_dofs(p));
  if (p->compliance) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_MEMORY,
                          "no memory for the compliance of %zu scalar dofs, %zu squared numbers",
                          n_dofs(p), n_dofs(p));
}

static void drop(Precomputed *p) {
  precomputed_compliance_drop(p->base.correction.object.ctx, p->compliance);
  p->compliance = NULL;
}

/* Reads the file of that name if there is one. */
static SofaErr read_file(Precomputed *p, const char *name, bool *found) {
  const SofaObject *object = &p->base.correction.object;
  char *path = NULL;
  SofaErr err = SOFA_OK;
  *found = false;
  SOFA_TRY(find_file(p, name, &path));
  if (!path) return SOFA_OK;
  *found = true;
  SOFA_GO(err, done, make_room(p));
  SOFA_GO(err, done, precomputed_compliance_read(object, path, p->compliance));
  p->from_file = true;
  sofa_object_message(object, SOFA_INFO, "compliance read from '%s'", path);
done:
  if (err != SOFA_OK) drop(p);
  sofa_free(object->ctx, path);
  return err;
}

/* The file that the scene names. Without it SOFA goes on with the default name. */
static SofaErr read_given(Precomputed *p) {
  SofaObject *object = &p->base.correction.object;
  bool found = false;
  if (!is_given(p->file)) return SOFA_OK;
  sofa_free(object->ctx, p->key);
  p->key = sofa_format(object->ctx, "%s", p->file);
  if (!p->key) return SOFA_ERR_MEMORY;
  SOFA_TRY(share(p));
  if (p->compliance) return SOFA_OK;
  SofaErr err = read_file(p, p->file, &found);
  if (err == SOFA_OK && !found)
    err = sofa_field_fail(object, "fileCompliance", SOFA_ERR_NOT_FOUND,
                          "no file '%s'%s%s: correct the name, or leave the field out, and the "
                          "compliance is computed",
                          p->file, is_given(p->folder) ? " in the folder " : "",
                          is_given(p->folder) ? p->folder : "");
  return err == SOFA_OK ? SOFA_OK : sofa_keep_going(object, err);
}

/* The columns are solutions of the step's own system. */
static void check_linear_solver(const Precomputed *p) {
  const SofaLinearSolver *used = p->base.factors.linear_solver;
  const SofaObject *named = p->linear_solver.target;
  if (!named || (used && named == &used->object)) return;
  sofa_object_message(&p->base.correction.object, SOFA_WARNING,
                      "'linearSolver' names '%s', but the ODE solver '%s' takes %s%s%s: the "
                      "compliance is computed by that; name it, or leave the field out",
                      named->name, p->base.ode->object.name, used ? "'" : "no linear solver",
                      used ? used->object.name : "", used ? "'" : "");
}

static SofaErr find_compliance(Precomputed *p, double dt) {
  bool found = false;
  p->from_file = false;
  SOFA_TRY(read_given(p));
  if (p->compliance) return SOFA_OK;
  SOFA_TRY(default_key(p, dt));
  SOFA_TRY(share(p));
  if (p->compliance) return SOFA_OK;
  if (!p->recompute || is_given(p->folder)) SOFA_TRY(read_file(p, p->key, &found));
  if (p->compliance) return SOFA_OK;
  SOFA_TRY(make_room(p));
  check_linear_solver(p);
  const SofaErr err = precomputed_compliance_compute(&p->base, dt, p->compliance);
  if (err != SOFA_OK) drop(p);
  return err;
}

/* ---- init ---- */

static SofaVisit find_earlier(SofaNode *node, void *user) {
  Search *search = user;
  const SofaObject *me = &search->asks->base.correction.object;
  for (size_t i = 0; i < node->objects.n; i++) {
    const Precomputed *p = (const Precomputed *)node->objects.data[i];
    if (node->objects.data[i] == me || node->objects.data[i]->klass != me->klass || !p->key)
      continue;
    if (strcmp(p->key, search->asks->key) == 0) search->found = p;
  }
  return SOFA_CONTINUE;
}

/* SOFA computes at init, with gravity off, and does not turn it on again. */
static SofaErr lose_weight(Precomputed *p) {
  SofaNode *node = p->base.correction.object.node;
  Search search = {.asks = p};
  char *given = NULL, *usual = NULL;
  SOFA_TRY(default_key(p, node->dt));
  SOFA_TRY(sofa_visit(sofa_node_root(node),
                      &(SofaVisitor){find_earlier, NULL, &search, .inactive_too = true}));
  if (is_given(p->file)) SOFA_TRY(find_file(p, p->file, &given));
  SofaErr err = SOFA_OK;
  if (!p->recompute || is_given(p->folder)) err = find_file(p, p->key, &usual);
  if (!search.found && !given && !usual) node->gravity = (SofaVec3){{0}};
  sofa_free(node->object.ctx, given);
  sofa_free(node->object.ctx, usual);
  return err;
}

static SofaErr bwd_init(SofaObject *object) {
  Precomputed *p = (Precomputed *)object;
  p->base.ode = correction_ode_solver(object, &p->ode);
  if (!p->base.ode) return correction_no_ode_solver(object);
  if (sofa_quirk(object, QUIRK_PRECOMPUTED_WEIGHT)) SOFA_TRY(lose_weight(p));
  p->finder = NULL;
  p->by_frames = false;
  if (!p->rotations || sofa_quirk(object, QUIRK_PRECOMPUTED_ROTATIONS)) return SOFA_OK;
  p->by_frames = p->base.state->object.kind == SOFA_RIGID3;
  if (p->base.state->object.kind != SOFA_VEC3) return SOFA_OK;
  p->finder = sofa_node_find(object->node, SOFA_ROTATION_FINDER, SOFA_SEARCH_LOCAL);
  if (p->finder) return SOFA_OK;
  return sofa_keep_going(
      object, sofa_field_fail(object, "rotations", SOFA_ERR_NOT_FOUND,
                              "no object in the node knows how the points turn: add a corotational "
                              "force field, or leave the field out"));
}

/* ---- rows ---- */

static SofaErr find_columns(Precomputed *p) {
  SofaContext *ctx = p->base.correction.object.ctx;
  const SofaSparseRows *j = &p->rows.j;
  const size_t n = p->compliance->n;
  SOFA_TRY(SOFA_RESIZE(ctx, &p->seen, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &p->image, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &p->side, n));
  p->columns.n = 0;
  for (size_t i = 0; i < n; i++) p->seen.data[i] = 0;
  for (size_t k = 0; j->n_rows && k < j->start[j->n_rows]; k++) p->seen.data[j->column[k]] = 1;
  for (uint32_t i = 0; i < n; i++)
    if (p->seen.data[i]) SOFA_TRY(SOFA_APPEND(ctx, &p->columns, &i));
  return SOFA_OK;
}

/* The rotations of the state's points since the compliance was computed; NULL: none. */
static const double *rotations_of(const Precomputed *p) {
  if (p->by_frames) return p->turned.data;
  return p->turned.n ? p->turned.data + 3 * p->base.state->v_offset : NULL;
}

/* Of the frames: one for forces and one for torques of each. */
static SofaErr frame_rotations(Precomputed *p) {
  const SofaState *state = p->base.state;
  const bool from_rest = p->rest_deformations && p->from_file;
  SOFA_TRY(SOFA_RESIZE(p->base.correction.object.ctx, &p->turned, 18 * state->position.n));
  for (size_t i = 0; i < state->position.n; i++) {
    double *r = p->turned.data + 18 * i, q[4], rest[4];
    sofa_copy(q, SOFA_POSE_QUAT(state->position.data, i), sizeof q);
    if (from_rest && i < state->rest_position.n) {
      sofa_quat_inverse(SOFA_POSE_QUAT(state->rest_position.data, i), rest);
      sofa_quat_multiply(q, rest, q);
    }
    sofa_quat_to_matrix(q, r);
    sofa_copy(r + 9, r, 9 * sizeof *r);
  }
  return SOFA_OK;
}

static SofaErr finder_rotations(Precomputed *p) {
  bool found = false;
  SOFA_TRY(rotations_find(p->finder, p->base.state->mechanics, &p->turned, &found));
  if (found) return SOFA_OK;
  return sofa_object_fail(&p->base.correction.object, SOFA_ERR_ARGUMENT,
                          "the object '%s' knows nothing about rotations of the points of '%s'",
                          p->finder->name, p->base.state->object.name);
}

static SofaErr find_rotations(Precomputed *p, bool first) {
  if (!p->finder && !p->by_frames) return SOFA_OK;
  SOFA_TRY(p->by_frames ? frame_rotations(p) : finder_rotations(p));
  if (first && !p->from_file)
    SOFA_TRY(sofa_list_copy(p->base.correction.object.ctx, &p->built, &p->turned, sizeof(double)));
  rotations_since(&p->built, &p->turned);
  return SOFA_OK;
}

static SofaErr begin(SofaConstraintCorrection *c, const SofaConstraintProblem *problem) {
  Precomputed *p = (Precomputed *)c;
  SOFA_TRY(correction_begin(&p->base, problem));
  if (p->compliance && p->compliance->n != n_dofs(p)) drop(p);
  const bool first = !p->compliance;
  if (first) SOFA_TRY(find_compliance(p, problem->dt));
  SOFA_TRY(find_rotations(p, first));
  const SofaConstrainedState *s = correction_rows(&p->base, problem);
  SOFA_TRY(turned_rows_make(&p->rows, c->object.ctx, s ? &s->j : NULL, rotations_of(p)));
  return find_columns(p);
}

/* image = C J_k^T at the columns of all rows */
static void find_image(Precomputed *p, const SofaSparseRows *j, size_t k) {
  const PrecomputedCompliance *c = p->compliance;
  for (size_t i = 0; i < p->columns.n; i++) {
    const double *row = c->value + c->n * p->columns.data[i];
    double sum = 0;
    for (uint32_t e = j->start[k]; e < j->start[k + 1]; e++) sum += row[j->column[e]] * j->value[e];
    p->image.data[p->columns.data[i]] = sum;
  }
}

static size_t n_points_of(const Precomputed *p, const SofaSparseRows *j, size_t i) {
  const unsigned width = sofa_state_kind_info(p->base.state->object.kind)->deriv;
  size_t n = 0;
  for (uint32_t e = j->start[i]; e < j->start[i + 1]; e++)
    n += e == j->start[i] || j->column[e] / width != j->column[e - 1] / width;
  return n;
}

/* w += factor J C J^T, each symmetric pair of entries computed once; number NULL: 0, 1, .. */
static void add_rows(Precomputed *p, const SofaSparseRows *j, double factor, size_t ld, double *w) {
  for (size_t k = 0; k < j->n_rows; k++) {
    const size_t column = j->number ? j->number[k] : k;
    find_image(p, j, k);
    for (size_t i = 0; i <= k; i++) {
      const size_t row = j->number ? j->number[i] : i;
      double sum = 0;
      for (uint32_t e = j->start[i]; e < j->start[i + 1]; e++)
        sum += j->value[e] * p->image.data[j->column[e]];
      w[ld * column + row] += factor * sum;
      if (i < k) w[ld * row + column] += factor * sum;
    }
  }
}

static void add_regularization(const Precomputed *p, const SofaSparseRows *j, size_t ld,
                               double *w) {
  const bool by_points = sofa_quirk(&p->base.correction.object, QUIRK_PRECOMPUTED_REGULARIZATION);
  for (size_t k = 0; k < j->n_rows; k++)
    w[(ld + 1) * (j->number ? j->number[k] : k)] +=
        p->regularization * (by_points ? (double)n_points_of(p, j, k) : 1);
}

/* Of the kept h A^-1, where A^-1 has the factors of the ODE solver. */
static double factor_of(const Precomputed *p, const SofaConstraintProblem *problem) {
  return correction_factor(problem, &p->base.factors) / problem->dt;
}

static SofaErr add_compliance(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                              double *w) {
  Precomputed *p = (Precomputed *)c;
  add_rows(p, &p->rows.j, factor_of(p, problem), problem->n, w);
  add_regularization(p, &p->rows.j, problem->n, w);
  return SOFA_OK;
}

static SofaErr find_motion(SofaConstraintCorrection *c, SofaConstraintProblem *problem) {
  Precomputed *p = (Precomputed *)c;
  const PrecomputedCompliance *h = p->compliance;
  const SofaOdeFactors *f = &p->base.factors;
  const CorrectionMove move = {&c->object, f->position / problem->dt, f->velocity / problem->dt};
  SofaConstrainedState *s = NULL;
  SOFA_TRY(correction_move(problem, p->base.state, &move, &s));
  if (!s || s->force.n != h->n) return SOFA_OK;
  sofa_copy(p->side.data, s->force.data, h->n * sizeof(double));
  turn_points(rotations_of(p), true, h->n, p->side.data);
  for (size_t i = 0; i < h->n; i++) {
    const double *row = h->value + h->n * i;
    double sum = 0;
    for (size_t k = 0; k < p->columns.n; k++)
      sum += row[p->columns.data[k]] * p->side.data[p->columns.data[k]];
    s->motion.data[i] = sum;
  }
  turn_points(rotations_of(p), false, h->n, s->motion.data);
  return SOFA_OK;
}

/* ---- without W ---- */

/* As SOFA does: the displacements of `unbuilt` have none. */
static void regularize_blocks(const Precomputed *p, const SofaConstraintProblem *problem,
                              double *const *blocks) {
  for (size_t b = 0; b < problem->blocks.n; b++) {
    const SofaConstraintBlock *block = &problem->blocks.data[b];
    for (uint32_t i = 0; i < block->n; i++)
      if (p->unbuilt.place.data[block->first + i])
        blocks[b][(block->n + 1) * i] += p->regularization;
  }
}

static SofaErr start(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                     double *const *blocks, const double *lambda) {
  Precomputed *p = (Precomputed *)c;
  const bool in_blocks = sofa_quirk(&c->object, QUIRK_PRECOMPUTED_REGULARIZATION);
  SofaSparseRows own = p->rows.j;
  own.number = NULL;
  SOFA_TRY(unbuilt_open(&p->unbuilt, problem, &p->rows.j));
  add_rows(p, &own, factor_of(p, problem), own.n_rows, p->unbuilt.w.data);
  if (!in_blocks) add_regularization(p, &own, own.n_rows, p->unbuilt.w.data);
  unbuilt_close(&p->unbuilt, problem, blocks, lambda);
  if (in_blocks) regularize_blocks(p, problem, blocks);
  return SOFA_OK;
}

static bool knows(const SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                  const SofaConstraintBlock *block) {
  (void)problem;
  return unbuilt_knows(&((const Precomputed *)c)->unbuilt, block);
}

static void add_displacement(const SofaConstraintCorrection *c,
                             const SofaConstraintProblem *problem, const SofaConstraintBlock *block,
                             double *d) {
  (void)problem;
  unbuilt_add_displacement(&((const Precomputed *)c)->unbuilt, block, d);
}

static void add_force(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                      const SofaConstraintBlock *block, const double *change) {
  (void)problem;
  unbuilt_add_force(&((Precomputed *)c)->unbuilt, block, change);
}

static const SofaConstraintCorrectionOps ops = {
    .begin = begin,
    .add_compliance = add_compliance,
    .find_motion = find_motion,
    .start = start,
    .knows = knows,
    .add_displacement = add_displacement,
    .add_force = add_force,
};

static const char *const templates[] = {"Vec3d", "Vec1d", "Rigid3d", NULL};

/* ---- checkpoints ---- */

/* A compliance that was read is read again. */
static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const Precomputed *p = (const Precomputed *)object;
  const size_t n = p->compliance && !p->from_file ? p->compliance->n : 0;
  sofa_checkpoint_put_uint(to, n);
  if (!n) return SOFA_OK;
  sofa_checkpoint_put_text(to, p->key);
  sofa_checkpoint_put(to, p->compliance->value, n * n * sizeof(double));
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  Precomputed *p = (Precomputed *)object;
  const uint64_t n = sofa_checkpoint_get_uint(from);
  drop(p);
  if (!n) return SOFA_OK;
  const char *key = sofa_checkpoint_get_text(from);
  if (!key || n != n_dofs(p)) {
    sofa_checkpoint_misread(from);
    return SOFA_OK;
  }
  sofa_free(object->ctx, p->key);
  p->key = sofa_strdup(object->ctx, key);
  if (!p->key) return SOFA_ERR_MEMORY;
  SOFA_TRY(make_room(p));
  p->from_file = false;
  sofa_checkpoint_get(from, p->compliance->value, n * n * sizeof(double));
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_LIST(PrecomputedConstraintCorrection, built),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PrecomputedConstraintCorrection, columns),
    SOFA_REMADE(PrecomputedConstraintCorrection, image),
    SOFA_REMADE(PrecomputedConstraintCorrection, rows),
    SOFA_REMADE(PrecomputedConstraintCorrection, seen),
    SOFA_REMADE(PrecomputedConstraintCorrection, side),
};

SOFA_CLASS(PrecomputedConstraintCorrection) = {
    SOFA_NAMED(PrecomputedConstraintCorrection),
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .category = "ConstraintCorrection",
    .help = "Moves one state under constraint forces by the compliance of its first step, kept as "
            "a dense matrix, or read from a file.",
    .equations = "dx = R C R^T f",
    .base = &state_correction_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    .checkpoint = &checkpoint,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = bwd_init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_CORRECTION, &ops}),
};
