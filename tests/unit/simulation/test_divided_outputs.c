/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is written of scenes whose mesh is divided among processes: quantities, lists of the whole
 * mesh, and saved states that any number of processes restores. */
#include "tests/unit/scene/scene_test.h"
#include "tests/unit/simulation/processes.h"

#include <math.h>

#include "behavior/whole_list.h"
#include "components/builtins.h"
#include "scene/checkpoint.h"
#include "simulation/quantity.h"
#include "simulation/simulation.h"

static const char scene[] =
    "<Node gravity='0 -9.81 0' dt='0.02'><RequiredPlugin pluginName='Sofa.Component'/>"
    "<DefaultAnimationLoop/><EulerImplicitSolver rayleighStiffness='0.02'/>"
    "<CGLinearSolver iterations='2000' tolerance='1e-14' threshold='1e-40'/><Node name='body'>"
    "<RegularGridTopology name='grid' n='8 3 3' min='0 0 0' max='0.7 0.2 0.2'/>"
    "<MechanicalObject name='dofs'/>"
    "<BoxROI name='roi' box='-0.01 -1 -1 0.01 1 1' drawBoxes='0'/>"
    "<FixedProjectiveConstraint indices='@roi.indices'/>"
    "<HexahedronFEMForceField name='fem' youngModulus='3e4' poissonRatio='0.4' method='large'/>"
    "<UniformMass totalMass='2'/>%s</Node></Node>";
/* Lists of points and of elements, those that follow from the scene, and frames: their places and
 * rates of change have other lengths. */
static const char *const more[] = {
    "",
    "<LinearMovementProjectiveConstraint indices='71 40' keyTimes='0 1' movements='0 0 0 0.1 0 0'/>"
    "<RestShapeSpringsForceField stiffness='30' points='23 31'/>"
    "<ConstantForceField indices='7 15 70' forces='1 2 0'/>",
    "</Node><Node name='frames'><MechanicalObject name='state' template='Rigid3' "
    "position='0 1 0 0 0 0 1 1 1 0 0 0 1 0' velocity='0 0 0 1 2 3 0 0 1 0 0 0'/>"
    "<UniformMass totalMass='2'/><RestShapeSpringsForceField stiffness='100' "
    "angularStiffness='10'/><RigidToQuatEngine name='places' rigids='@state.position'/>",
};
enum { N_MORE = sizeof more / sizeof *more };
/* The radii of the ellipsoid are equal: the tangent of another one is not symmetric, and where CG
 * does not converge the result depends on rounding. */
static const char *const kept[] = {
    "<PlaneForceField normal='0 1 0' d='0.05' stiffness='300' damping='1'/>",
    "<ConicalForceField coneCenter='-0.2 0 0' coneHeight='2 0.1 0.1' coneAngle='10' stiffness='50' "
    "damping='1'/>",
    "<EllipsoidForceField center='0.6 0.1 0.1' vradius='0.2 0.2 0.2' stiffness='50' "
    "damping='1'/>",
    "<SphereForceField center='0.6 0.1 0.1' radius='0.25' stiffness='90' damping='1'/>",
    "<StiffSpringForceField spring='0 62 9 3 0.5  6 56 5 1 0.7  20 21 20 1 0.1'/>",
    "<MeshSpringForceField linesStiffness='30' linesDamping='1'/>",
    "<QuadBendingSprings stiffness='30' damping='1'/>"};
enum { N_KEPT = sizeof kept / sizeof *kept };
enum { N_POINTS = 8 * 3 * 3 };

static const char *const quantities[] = {
    "/body/dofs.position",         "/body/dofs.position[71]",      "/body/dofs.position[0].y",
    "/body/dofs.position.x",       "/body/dofs.position:min",      "/body/dofs.position.y:max",
    "/body/dofs.position:mean",    "/body/dofs.position:sum",      "/body/dofs.velocity:norm",
    "/body/dofs.velocity:maxnorm", "/body/dofs.position:count",    "/body/dofs.position[40]:norm",
    "/body/fem.poissonRatio",      "/body/dofs.velocity[30].z:sum"};
enum { N_QUANTITIES = sizeof quantities / sizeof *quantities, MOST_COLUMNS = 3 * N_POINTS };

typedef struct Shared {
  int before;                       /* steps before a state is restored */
  int steps;                        /* to make */
  const char *parts;                /* of the body */
  const SofaText *saved;            /* restored first, or NULL */
  SofaText bytes;                   /* saved by process 0; malloc */
  double x[3 * N_POINTS];           /* by process 0 */
  double places[MOST_PROCESSES][6]; /* of the frames */
  double values[MOST_PROCESSES][N_QUANTITIES][MOST_COLUMNS];
  size_t n_columns[MOST_PROCESSES][N_QUANTITIES];
  char messages[1 << 12]; /* of process 0 */
} Shared;

static SofaErr read_quantities(SofaSimulation *s, int rank, Shared *shared) {
  for (size_t i = 0; i < N_QUANTITIES; i++) {
    SofaQuantity q;
    SOFA_TRY(sofa_quantity_open(s->root, quantities[i], &q));
    shared->n_columns[rank][i] = q.n_columns;
    const SofaErr err = q.n_columns <= MOST_COLUMNS
                            ? sofa_quantity_read(s->ctx, &q, shared->values[rank][i])
                            : SOFA_ERR_RANGE;
    sofa_quantity_close(s->ctx, &q);
    if (err != SOFA_OK) return err;
  }
  return SOFA_OK;
}

static SofaErr take_state(SofaSimulation *s, int rank, Shared *shared) {
  const SofaState *state = (const SofaState *)sofa_resolve_path(s->root, "/body/dofs", NULL);
  if (!state) return SOFA_ERR_NOT_FOUND;
  if (sofa_state_n_whole(state) != N_POINTS) return SOFA_ERR_RANGE;
  const SofaDivision *division = sofa_state_division(state);
  if (division)
    return sofa_division_gather(s->ctx, division, 0, 3, state->position.data, shared->x);
  if (rank == 0) memcpy(shared->x, state->position.data, sizeof shared->x);
  return SOFA_OK;
}

/* What follows from the frames has the values of the last time it was asked for. */
static SofaErr read_places(SofaSimulation *s, int rank, Shared *shared) {
  SofaQuantity q;
  if (!strstr(shared->parts, "RigidToQuatEngine")) return SOFA_OK;
  SOFA_TRY(sofa_quantity_open(s->root, "/frames/places.positions", &q));
  const SofaErr err =
      q.n_columns == 6 ? sofa_quantity_read(s->ctx, &q, shared->places[rank]) : SOFA_ERR_RANGE;
  sofa_quantity_close(s->ctx, &q);
  return err;
}

static SofaErr save(SofaSimulation *s, int rank, Shared *shared) {
  SofaText bytes = {0};
  const SofaErr err = sofa_checkpoint_write(s, &bytes);
  if (err == SOFA_OK && rank == 0) {
    shared->bytes.data = malloc(bytes.n);
    shared->bytes.n = bytes.n;
    memcpy(shared->bytes.data, bytes.data, bytes.n);
  }
  sofa_list_free(s->ctx, &bytes);
  return err;
}

static SofaErr run_scene(SofaContext *ctx, int rank, Shared *shared) {
  SofaSimulation *s = NULL;
  SofaErr err = SOFA_OK;
  char text[3000];
  snprintf(text, sizeof text, scene, shared->parts);
  SOFA_GO(err, done, sofa_simulation_load_text(ctx, text, &s));
  SOFA_GO(err, done, sofa_simulation_init(s));
  for (int i = 0; i < shared->before; i++) SOFA_GO(err, done, sofa_simulation_step(s, 0));
  if (shared->saved)
    SOFA_GO(err, done, sofa_checkpoint_read(s, "saved", shared->saved->data, shared->saved->n));
  for (int i = 0; i < shared->steps; i++) SOFA_GO(err, done, sofa_simulation_step(s, 0));
  SOFA_GO(err, done, read_quantities(s, rank, shared));
  SOFA_GO(err, done, take_state(s, rank, shared));
  SOFA_GO(err, done, read_places(s, rank, shared));
  err = save(s, rank, shared);
done:
  sofa_simulation_destroy(&s);
  return err;
}

static SofaErr run_process(ThreadProcess *process, void *user) {
  Shared *shared = user;
  Bench *b = calloc(1, sizeof *b);
  bench_open(b, false);
  SofaErr err = sofa_register_builtins(b->ctx);
  if (err == SOFA_OK && process->all->n > 1) err = thread_join(process, b->ctx);
  if (err == SOFA_OK) err = run_scene(b->ctx, process->rank, shared);
  if (process->rank == 0)
    snprintf(shared->messages, sizeof shared->messages, "%.*s", (int)sizeof shared->messages - 1,
             b->messages);
  bench_close(b);
  free(b);
  return err;
}

/* After the steps, from the beginning or from what was saved. */
static Shared *run_parts(const char *parts, int n, int steps, const SofaText *saved) {
  Shared *shared = calloc(1, sizeof *shared);
  shared->steps = steps;
  shared->parts = parts;
  shared->saved = saved;
  const SofaErr err = threads_run(n, run_process, shared);
  if (err != SOFA_OK)
    fail_msg("%d processes, %d steps: %s\n%s", n, steps, sofa_err_text(err), shared->messages);
  return shared;
}

static Shared *run_on(int n, int steps, const SofaText *saved) {
  return run_parts("", n, steps, saved);
}

static void end(Shared *shared) {
  free(shared->bytes.data);
  free(shared);
}

static double farthest(const Shared *a, const Shared *b) {
  double most = 0;
  for (size_t i = 0; i < 3 * N_POINTS; i++) most = fmax(most, fabs(a->x[i] - b->x[i]));
  return most;
}

/* Quantities have the numbers of the whole mesh, on all processes. */
static void test_quantities(void **state) {
  (void)state;
  Shared *one = run_on(1, 2, NULL);
  for (int n = 2; n <= 4; n++) {
    Shared *many = run_on(n, 2, NULL);
    for (int rank = 0; rank < n; rank++)
      for (size_t i = 0; i < N_QUANTITIES; i++) {
        assert_int_equal(one->n_columns[0][i], many->n_columns[rank][i]);
        for (size_t k = 0; k < one->n_columns[0][i]; k++)
          if (!(fabs(one->values[0][i][k] - many->values[rank][i][k]) < 1e-9))
            fail_msg("%s: %.17g of one, %.17g of process %d of %d", quantities[i],
                     one->values[0][i][k], many->values[rank][i][k], rank, n);
      }
    assert_true(farthest(one, many) < 1e-9);
    end(many);
  }
  end(one);
}

/* A run goes on from a saved state on any number of processes; on the same one with the same bits.
 */
static void test_saved(void **state) {
  (void)state;
  for (int k = 0; k < N_MORE; k++) {
    Shared *whole = run_parts(more[k], 2, 4, NULL), *first = run_parts(more[k], 2, 2, NULL);
    assert_true(first->bytes.n > 1000);
    for (int n = 1; n <= 4; n++) {
      Shared *rest = run_parts(more[k], n, 2, &first->bytes);
      if (!(farthest(whole, rest) < 1e-9))
        fail_msg("scene %d restored on %d: %g apart", k, n, farthest(whole, rest));
      if (n == 2) assert_memory_equal(whole->x, rest->x, sizeof whole->x);
      end(rest);
    }
    assert_true(farthest(whole, first) > 1e-4);
    end(whole);
    end(first);
  }
}

static bool same_bytes(const Shared *a, const Shared *b) {
  return a->bytes.n == b->bytes.n && memcmp(a->bytes.data, b->bytes.data, a->bytes.n) == 0;
}

/* A restored state has the saved bits, whatever number of processes restores it. Saved again at
 * once it has the same bytes. Where three or more processes saved, lists that each has for itself
 * are left out, which are empty where they are restored: then it does not depend on their number.
 */
static void test_saved_again(void **state) {
  (void)state;
  for (int k = 0; k < N_MORE; k++)
    for (int n = 1; n <= 4; n++) {
      Shared *first = run_parts(more[k], n, 2, NULL), *before = NULL;
      for (int m = n > 1 ? 4 : 1; m >= (n > 1 ? 2 : 1); m--) {
        Shared *again = run_parts(more[k], m, 0, &first->bytes);
        const Shared *expected = n <= 2 ? first : before;
        assert_memory_equal(again->x, first->x, sizeof first->x);
        for (int rank = 0; rank < m; rank++)
          assert_memory_equal(again->places[rank], first->places[0], sizeof first->places[0]);
        if (expected && (n <= 2 || m > 2) && !same_bytes(again, expected))
          fail_msg("scene %d, saved by %d, again by %d processes: other bytes", k, n, m);
        if (before) end(before);
        before = again;
      }
      end(before);
      end(first);
    }
}

/* A run that has gone elsewhere goes on from a saved state as one that has just begun. */
static void test_restored_later(void **state) {
  (void)state;
  for (int k = 0; k < N_MORE; k++) {
    Shared *first = run_parts(more[k], 2, 2, NULL), *expected = run_parts(more[k], 2, 4, NULL);
    for (int steps = 0; steps < 3; steps += 2) {
      Shared *later = calloc(1, sizeof *later);
      *later = (Shared){.before = 3, .steps = steps, .parts = more[k], .saved = &first->bytes};
      const SofaErr err = threads_run(2, run_process, later);
      if (err != SOFA_OK) fail_msg("scene %d: %s\n%s", k, sofa_err_text(err), later->messages);
      const Shared *same = steps ? expected : first;
      assert_memory_equal(later->x, same->x, sizeof same->x);
      assert_memory_equal(later->places, same->places, sizeof same->places);
      end(later);
    }
    end(expected);
    end(first);
  }
}

/* What a penalty has of each point is saved by its number; init makes springs of the scene. */
static void test_saved_parts(void **state) {
  (void)state;
  for (int k = 0; k < N_KEPT; k++) {
    Shared *whole = run_parts(kept[k], 3, 4, NULL), *none = run_on(3, 4, NULL);
    Shared *first = run_parts(kept[k], 3, 2, NULL);
    assert_true(farthest(whole, none) > 1e-6); // it acts
    for (int n = 1; n <= 4; n++) {
      Shared *rest = run_parts(kept[k], n, 2, &first->bytes);
      if (!(farthest(whole, rest) < 1e-9))
        fail_msg("%s restored on %d: %g apart", kept[k], n, farthest(whole, rest));
      if (n == 3) assert_memory_equal(whole->x, rest->x, sizeof whole->x);
      end(rest);
    }
    end(whole);
    end(first);
    end(none);
  }
}

/* A file that was cut is no state. */
static void test_cut(void **state) {
  (void)state;
  Shared *first = run_on(2, 1, NULL), *rest = calloc(1, sizeof *rest);
  const SofaText cut = {.data = first->bytes.data, .n = first->bytes.n - 100};
  rest->parts = "";
  rest->saved = &cut;
  assert_int_equal(threads_run(3, run_process, rest), SOFA_ERR_PARSE);
  assert_non_null(strstr(rest->messages, "the file is cut"));
  end(first);
  end(rest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quantities),     cmocka_unit_test(test_saved),
      cmocka_unit_test(test_saved_parts),    cmocka_unit_test(test_saved_again),
      cmocka_unit_test(test_restored_later), cmocka_unit_test(test_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
