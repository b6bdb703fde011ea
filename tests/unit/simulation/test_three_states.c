/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A force field of three states: derivatives at two points in turn, the step of matrix-free and
 * assembled systems, one state mapped, explicit above the solvers, wiring, topological changes. */
#include <math.h>

#include "base/abi.h"
#include "tests/support/topology_edits.h"

/* E = sum of k/2 |r|^2 + k/4 |r|^4 with r = x0 - 2 x1 + x2 of the points of equal number. r is kept
 * of the point, for the derivatives. */
enum { N_STATES = 3, PAIRED = 2, DOFS = N_STATES * PAIRED * 3 };
typedef struct Bend {
  SofaForceField force_field;
  double stiffness, r[PAIRED][3];
} Bend;
static const double weights[N_STATES] = {1, -2, 1};

static const SofaField fields[] = {
    SOFA_FIELD(Bend, stiffness, "stiffness", "10", "N/m", "k of the energy"),
};

static SofaErr construct(SofaObject *object) {
  return sofa_force_field_set_n_states((SofaForceField *)object, N_STATES);
}

static void bend_at(const SofaPoint *at, double r[PAIRED][3]) {
  for (int i = 0; i < PAIRED; i++) {
    for (int c = 0; c < 3; c++) {
      r[i][c] = 0;
      for (int k = 0; k < N_STATES; k++) r[i][c] += weights[k] * at->x[k][3 * i + c];
    }
  }
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                         double *const *f) {
  Bend *b = (Bend *)ff;
  (void)p;
  assert_int_equal(at->n, N_STATES);
  bend_at(at, b->r);
  for (int i = 0; i < PAIRED; i++) {
    const double *r = b->r[i], rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    for (int k = 0; k < N_STATES; k++)
      for (int c = 0; c < 3; c++) f[k][3 * i + c] -= weights[k] * b->stiffness * (1 + rr) * r[c];
  }
  return SOFA_OK;
}

static double tangent_of(const Bend *b, int i, int row, int column) {
  const double *r = b->r[i], rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  return -b->stiffness * (2 * r[row] * r[column] + (row == column ? 1 + rr : 0));
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  const Bend *b = (const Bend *)ff;
  (void)at;
  for (int i = 0; i < PAIRED; i++)
    for (int k = 0; k < N_STATES; k++)
      for (int l = 0; l < N_STATES; l++)
        for (int c = 0; c < 3; c++)
          for (int d = 0; d < 3; d++)
            df[k][3 * i + c] += sofa_kfactor(ff, p) * weights[k] * weights[l] *
                                tangent_of(b, i, c, d) * dx[l][3 * i + d];
  return SOFA_OK;
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                     const SofaTangent *tangent) {
  const Bend *b = (const Bend *)ff;
  (void)p, (void)at;
  for (uint32_t i = 0; i < PAIRED; i++)
    for (int k = 0; k < N_STATES; k++)
      for (int l = 0; l < N_STATES; l++) {
        double block[9];
        for (int e = 0; e < 9; e++)
          block[e] = weights[k] * weights[l] * tangent_of(b, (int)i, e / 3, e % 3);
        sofa_tangent_add(tangent, k, i, l, i, block);
      }
  return SOFA_OK;
}

static SofaErr energy(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                      double *out) {
  const Bend *b = (const Bend *)ff;
  double r[PAIRED][3];
  (void)p;
  *out = 0;
  bend_at(at, r);
  for (int i = 0; i < PAIRED; i++) {
    const double rr = r[i][0] * r[i][0] + r[i][1] * r[i][1] + r[i][2] * r[i][2];
    *out += b->stiffness * (rr / 2 + rr * rr / 4);
  }
  return SOFA_OK;
}

static const SofaForceFieldOps ops = {.add_force = add_force,
                                      .add_dforce = add_dforce,
                                      .add_k = add_k,
                                      .potential_energy = energy,
                                      .tangent_is_dforce = true,
                                      .keeps_point = true};

/* Forgets its middle state. */
static SofaErr lose_state(SofaObject *object) {
  ((SofaForceField *)object)->state[1] = NULL;
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", NULL};
#define BEND_CLASS(variable, tag, ...)                                                             \
  static const SofaClass variable = {.name = tag,                                                  \
                                     .module = "tests",                                            \
                                     .category = "InteractionForceField",                          \
                                     .help = "A force between three states.",                      \
                                     .base = &sofa_multi_force_field_class,                        \
                                     .size = sizeof(Bend),                                         \
                                     SOFA_FIELDS(fields),                                          \
                                     .templates = templates,                                       \
                                     .construct = construct,                                       \
                                     SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}),                    \
                                     __VA_ARGS__}
BEND_CLASS(bend_class, "Bend", .init = NULL);
BEND_CLASS(lossy_class, "LossyBend", .init = lose_state);
static const SofaClass *const classes[] = {&bend_class, &lossy_class, NULL};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "tests", .version = "1", .classes = classes};

/* ---- scenes ---- */

#define ONE_BODY(name, solver, positions)                                                          \
  "<Node name='" name "'>" solver "<MechanicalObject name='state' position='" positions "'/>"      \
  "<UniformMass totalMass='2'/></Node>"
#define SCENE(solver, own, third, content)                                                         \
  "<Node name='root' dt='0.05' gravity='0 -1 0'><DefaultAnimationLoop/>"                           \
  "<DefaultVisualManagerLoop/>" solver ONE_BODY("a", own, "0 0 0  0 1 0.2")                        \
      ONE_BODY("b", own, "1 0.3 0  1.1 1 0") third content "</Node>"
#define THIRD(own) ONE_BODY("c", own, "2 0 0  2.3 1.2 0")
/* points 2 and 0 of three */
#define MAPPED_THIRD                                                                               \
  "<Node name='c'><MechanicalObject name='state' position='2.3 1.2 0  5 5 5  2 0 0'/>"             \
  "<UniformMass totalMass='3'/><Node name='sub'><MechanicalObject name='state'/>"                  \
  "<SubsetMapping indices='2 0'/></Node></Node>"
#define BEND(third) "<Bend name='bend' states='@a/state @b/state @" third "/state'/>"
#define LDL "<EulerImplicitSolver/><SparseLDLSolver/>"
#define CG                                                                                         \
  "<EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-15' threshold='0'/>"
#define PCG                                                                                        \
  "<EulerImplicitSolver/><CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' "             \
  "iterations='100' tolerance='1e-15' threshold='0'/>"

static SofaErr begin(SceneRun *run, const char *scene) {
  memset(run, 0, sizeof *run);
  scene_run_context(run, NULL);
  assert_int_equal(sofa_factory_register(run->ctx, &module), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(run->ctx, scene, &run->simulation), SOFA_OK);
  return sofa_simulation_init(run->simulation);
}

static void open_scene(SceneRun *run, const char *scene) {
  assert_int_equal(begin(run, scene), SOFA_OK);
  assert_int_equal(run->n_problems, 0);
}

/* ---- derivatives ---- */

/* Arrays of the three states, one behind the other. */
typedef struct Place {
  double x[DOFS];
  const double *part[N_STATES], *speed[N_STATES];
  SofaPoint at;
} Place;

static void place(Place *p, double shift, uint64_t id) {
  static const double zero[PAIRED * 3] = {0};
  for (int i = 0; i < DOFS; i++) p->x[i] = sin(3.7 * i + shift);
  for (int k = 0; k < N_STATES; k++) {
    p->part[k] = p->x + k * PAIRED * 3;
    p->speed[k] = zero;
  }
  p->at = (SofaPoint){.x = p->part, .v = p->speed, .n = N_STATES, .id = id};
}

static const SofaMechParams stiff = {.dt = 0.01, .k = 1};

static void force_at(SofaForceField *ff, const Place *p, double f[DOFS]) {
  double *parts[N_STATES];
  for (int k = 0; k < N_STATES; k++) parts[k] = f + k * PAIRED * 3;
  memset(f, 0, DOFS * sizeof *f);
  assert_int_equal(sofa_force_field_add_force(ff, &stiff, &p->at, parts), SOFA_OK);
}

static void moved(const Place *p, int dof, double h, Place *out) {
  place(out, 0, 0);
  memcpy(out->x, p->x, sizeof p->x);
  out->x[dof] += h;
}

static void check_force(SofaForceField *ff, const Place *p) {
  double f[DOFS];
  force_at(ff, p, f);
  for (int i = 0; i < DOFS; i++) {
    const double h = 1e-5;
    double e[2];
    for (int s = 0; s < 2; s++) {
      Place q;
      moved(p, i, s ? h : -h, &q);
      assert_int_equal(sofa_force_field_potential_energy(ff, &stiff, &q.at, &e[s]), SOFA_OK);
    }
    assert_true(fabs(f[i] + (e[1] - e[0]) / (2 * h)) < 1e-6 * (1 + fabs(f[i])));
  }
}

/* Column `dof` of the derivative by the products, and by the matrix. */
static void column_of(SofaForceField *ff, const Place *p, int dof, double product[DOFS],
                      SofaBlockMatrix *matrix, double assembled[DOFS]) {
  double dx[DOFS] = {0}, *to[N_STATES];
  const double *from[N_STATES];
  SofaTangentPair pairs[N_STATES * N_STATES];
  for (uint32_t k = 0; k < N_STATES; k++) {
    from[k] = dx + k * PAIRED * 3;
    to[k] = product + k * PAIRED * 3;
    for (uint32_t l = 0; l < N_STATES; l++)
      pairs[N_STATES * k + l] = (SofaTangentPair){matrix, k * PAIRED, l * PAIRED};
  }
  dx[dof] = 1;
  memset(product, 0, DOFS * sizeof *product);
  assert_int_equal(sofa_force_field_add_dforce(ff, &stiff, &p->at, from, to), SOFA_OK);
  const SofaTangent tangent = {.pairs = pairs, .n = N_STATES, .factor = 1};
  sofa_block_matrix_begin(matrix);
  assert_int_equal(sofa_force_field_add_k(ff, &stiff, &p->at, &tangent), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  sofa_block_matrix_multiply(matrix, dx, assembled, 1);
}

static void check_tangent(SofaForceField *ff, const Place *p, SofaBlockMatrix *matrix) {
  for (int j = 0; j < DOFS; j++) {
    const double h = 1e-6;
    double f[2][DOFS], product[DOFS], assembled[DOFS];
    for (int s = 0; s < 2; s++) {
      Place q;
      moved(p, j, s ? h : -h, &q);
      force_at(ff, &q, f[s]);
    }
    column_of(ff, p, j, product, matrix, assembled);
    for (int i = 0; i < DOFS; i++) {
      const double expected = (f[1][i] - f[0][i]) / (2 * h);
      assert_true(fabs(product[i] - expected) < 1e-6 * (1 + fabs(expected)));
      assert_true(fabs(assembled[i] - product[i]) < 1e-12 * (1 + fabs(expected)));
    }
  }
}

static void derivatives(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, SCENE(LDL, "", THIRD(""), BEND("c")));
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/bend");
  assert_int_equal(ff->n_states, N_STATES);
  uint8_t sizes[N_STATES * PAIRED];
  memset(sizes, 3, sizeof sizes);
  SofaBlockMatrix *matrix = NULL;
  assert_int_equal(
      sofa_block_matrix_create(run.ctx, sizeof sizes, sizes, sizeof sizes, sizes, &matrix),
      SOFA_OK);
  Place places[2];
  for (int i = 0; i < 2; i++) place(&places[i], i, sofa_point_id(run.ctx));
  for (int turn = 0; turn < 4; turn++) {
    check_force(ff, &places[turn % 2]);
    check_tangent(ff, &places[(turn + 1) % 2], matrix);
  }
  sofa_block_matrix_destroy(&matrix);
  scene_run_close(&run);
}

/* ---- steps ---- */

/* Positions of the three bodies after some steps. */
static size_t motion(const char *scene, double *x) {
  static const char *const paths[] = {"/a/state", "/b/state", "/c/state"};
  SceneRun run;
  size_t n = 0;
  open_scene(&run, scene);
  scene_run_steps(&run, 1);
  const uint64_t allocations = run.ctx->n_allocations;
  scene_run_steps(&run, 19);
  assert_int_equal(run.ctx->n_allocations, allocations);
  for (int k = 0; k < N_STATES; k++) {
    const SofaState *s = scene_run_state(&run, paths[k]);
    memcpy(x + n, s->position.data, 3 * sofa_state_size(s) * sizeof *x);
    n += 3 * sofa_state_size(s);
  }
  scene_run_close(&run);
  return n;
}

static void same_motion(const char *one, const char *other, double tolerance) {
  double x[DOFS + 3], y[DOFS + 3];
  const size_t n = motion(one, x);
  assert_int_equal(motion(other, y), n);
  for (size_t i = 0; i < n; i++) assert_true(fabs(x[i] - y[i]) < tolerance);
}

static void systems(void **state) {
  (void)state;
  static const char direct[] = SCENE(LDL, "", THIRD(""), BEND("c"));
  same_motion(direct, SCENE(CG, "", THIRD(""), BEND("c")), 1e-10);
  same_motion(direct, SCENE(PCG, "", THIRD(""), BEND("c")), 1e-10);
}

static void mapped_state(void **state) {
  (void)state;
  static const char direct[] = SCENE(LDL, "", MAPPED_THIRD, BEND("c/sub"));
  same_motion(direct, SCENE(CG, "", MAPPED_THIRD, BEND("c/sub")), 1e-10);
  same_motion(direct, SCENE(PCG, "", MAPPED_THIRD, BEND("c/sub")), 1e-10);
  /* the bodies move as when the points of the third are independent */
  double x[DOFS + 3], y[DOFS];
  motion(direct, x);
  motion(SCENE(LDL, "", THIRD(""), BEND("c")), y);
  for (int i = 0; i < 2 * PAIRED * 3; i++) assert_true(fabs(x[i] - y[i]) < 1e-12);
  for (int c = 0; c < 3; c++) {
    assert_true(fabs(x[12 + 6 + c] - y[12 + c]) < 1e-12);
    assert_true(fabs(x[12 + c] - y[12 + 3 + c]) < 1e-12);
  }
}

/* Three solvers: the force at the start of a step is an external force of each state. */
static void explicit_above_the_solvers(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, SCENE("", LDL, THIRD(LDL), BEND("c")));
  static const char *const paths[] = {"/a/state", "/b/state", "/c/state"};
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/bend");
  Place p;
  place(&p, 0, 0);
  for (int k = 0; k < N_STATES; k++)
    memcpy(p.x + k * PAIRED * 3, scene_run_state(&run, paths[k])->position.data, 6 * sizeof *p.x);
  double f[DOFS];
  force_at(ff, &p, f);
  scene_run_steps(&run, 1);
  for (int i = 0; i < DOFS; i++) {
    const double v = 0.05 * (f[i] - (i % 3 == 1)); /* mass 1 */
    assert_true(fabs(scene_run_state(&run, paths[i / 6])->velocity.data[i % 6] - v) < 1e-12);
  }
  scene_run_close(&run);
}

/* ---- wiring ---- */

static void refused(const char *bend, const char *words) {
  char scene[3000];
  SceneRun run = {.quiet = true};
  snprintf(
      scene, sizeof scene, "%s%s</Node>",
      "<Node name='root' dt='0.05'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" LDL ONE_BODY(
          "a", "", "0 0 0  0 1 0") ONE_BODY("b", "", "0 0 0  0 1 0")
          ONE_BODY("c", "", "0 0 0  0 1 0") "<Node name='d'><MechanicalObject name='state' "
                                            "template='Rigid3d'/></Node>",
      bend);
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_factory_register(run.ctx, &module), SOFA_OK);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_step(run.simulation, 0);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.all, words)) fail_msg("'%s' is not in '%s'", words, run.all);
  scene_run_close(&run);
}

static void wiring(void **state) {
  (void)state;
  refused("<Bend name='bend'/>", "field 'states': 0 mechanical states, expected 3");
  refused("<Bend name='bend' states='@a/state @b/state'/>",
          "field 'states': 2 mechanical states, expected 3");
  refused("<Bend name='bend' states='@a/state @b/state @c/state @a/state'/>",
          "field 'states': 4 mechanical states, expected 3");
  refused("<Bend name='bend' template='Vec3d' states='@a/state @b/state @d/state'/>",
          "the state is of kind Rigid3d, the force field of Vec3d");
  refused("<Bend name='bend' states='@a/state @nowhere @c/state'/>", "nothing was found");
  refused("<LossyBend name='bend' states='@a/state @b/state @c/state'/>",
          "the force acts on 3 mechanical states, number 2 is missing");
}

/* A field that cannot follow stops a change of points of each of its states. */
static void topological_changes(void **state) {
  (void)state;
  for (int k = 0; k < N_STATES; k++) {
    SceneRun run;
    char scene[3000];
    int n = snprintf(scene, sizeof scene,
                     "<Node name='root' dt='0.05'><DefaultAnimationLoop/>"
                     "<DefaultVisualManagerLoop/>");
    for (int i = 0; i < N_STATES; i++)
      n += snprintf(scene + n, sizeof scene - (size_t)n,
                    "<Node name='%c'>%s<MechanicalObject name='state' position='0 0 0  0 1 0'/>"
                    "</Node>",
                    'a' + i,
                    i == k ? "<PointSetTopologyContainer name='points' position='0 0 0  0 1 0'/>"
                             "<PointSetTopologyModifier/>"
                           : "");
    snprintf(scene + n, sizeof scene - (size_t)n, BEND("c") "</Node>");
    open_scene(&run, scene);
    run.quiet = true;
    char path[] = "/a/points";
    path[1] = (char)('a' + k);
    const Edit edits[MOST_EDITS] = {{path, SOFA_ELEMENT_POINT, false, 1, {0}, 0}};
    assert_int_equal(try_edits(run.simulation, edits), SOFA_ERR_UNSUPPORTED);
    assert_non_null(strstr(run.all, "Bend cannot update"));
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives),  cmocka_unit_test(systems),
      cmocka_unit_test(mapped_state), cmocka_unit_test(explicit_above_the_solvers),
      cmocka_unit_test(wiring),       cmocka_unit_test(topological_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
