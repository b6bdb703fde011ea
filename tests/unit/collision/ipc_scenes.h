/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes in which a contact must keep surfaces apart, of any size, and the exact test that it does.
 */
#ifndef TESTS_IPC_SCENES_H
#define TESTS_IPC_SCENES_H

#include <math.h>

#include "behavior/collision_model.h"
#include "numerics/contact/exact.h"
#include "tests/support/scene_run.h"

/* ---- text ---- */

typedef struct IpcText {
  char *data;
  size_t size;
  FILE *file;
} IpcText;

static inline void ipc_open(IpcText *t) {
  memset(t, 0, sizeof *t);
  t->file = open_memstream(&t->data, &t->size);
  assert_non_null(t->file);
}

typedef struct IpcScene {
  double dt;
  const char *gravity, *solver; /* NULL: BDFOdeSolver */
  double accuracy;              /* of velocities, m/s, or of positions in statics */
  int iterations;
  const char *contact; /* attributes */
} IpcScene;

static inline void ipc_head(FILE *f, const IpcScene *s) {
  fprintf(f,
          "<Node name='root' dt='%g' gravity='%s'>"
          "<RequiredPlugin pluginName='IncrementalPotentialContact SofaCaribou'/>"
          "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='all'>%s"
          "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='%d' "
          "relativeSuccessiveStoppingThreshold='0' relativeInitialStoppingThreshold='0' "
          "absoluteResidualStoppingThreshold='0' absoluteEstimateDifferenceThreshold='%g' "
          "warnWhenLineSearchFails='0'/><SparseLDLSolver/>"
          "<IncrementalPotentialContact name='contact' %s/>",
          s->dt, s->gravity, s->solver ? s->solver : "<BDFOdeSolver/>", s->iterations, s->accuracy,
          s->contact ? s->contact : "");
}

/* ---- bodies ---- */

/* A block of n[0] x n[1] x n[2] points from `low` to `high`. */
static inline void ipc_block(FILE *f, const char *name, const int n[3], const double low[3],
                             const double high[3], const char *content) {
  fprintf(f,
          "<Node name='%s'><RegularGridTopology name='grid' n='%d %d %d' min='%g %g %g' "
          "max='%g %g %g'/><MechanicalObject name='state'/>%s<TriangleCollisionModel "
          "name='surface'/></Node>",
          name, n[0], n[1], n[2], low[0], low[1], low[2], high[0], high[1], high[2], content);
}

/* A grid of n x m points from a corner along two sides. */
typedef struct IpcSheet {
  int n, m;
  double corner[3], side[2][3];
} IpcSheet;

static inline void ipc_sheet(FILE *f, const char *name, const IpcSheet *s, const char *content) {
  fprintf(f, "<Node name='%s'><MeshTopology position='", name);
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < s->m; j++)
      for (int k = 0; k < 3; k++)
        fprintf(f, "%.17g ",
                s->corner[k] + s->side[0][k] * i / (s->n - 1) + s->side[1][k] * j / (s->m - 1));
  fprintf(f, "' triangles='");
  for (int i = 0; i + 1 < s->n; i++)
    for (int j = 0; j + 1 < s->m; j++) {
      const int a = i * s->m + j, b = a + s->m;
      if ((i + j) % 2) fprintf(f, "%d %d %d %d %d %d ", a, b, b + 1, a, b + 1, a + 1);
      else fprintf(f, "%d %d %d %d %d %d ", a, b, a + 1, b, b + 1, a + 1);
    }
  fprintf(f, "'/><MechanicalObject name='state'/>%s<TriangleCollisionModel name='surface'/></Node>",
          content);
}

/* A closed ring of `n` hexahedra with a square section, around `axis` (0, 1, 2). */
static inline void ipc_ring(FILE *f, const char *name, int n, int axis, const double center[3],
                            const double size[2], const char *content) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  fprintf(f, "<Node name='%s'><MeshTopology position='", name);
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 4; c++) {
      const double angle = 2 * M_PI * i / n, r = size[0] + (c == 1 || c == 2 ? size[1] : -size[1]);
      double p[3];
      p[axis] = center[axis] + (c > 1 ? size[1] : -size[1]);
      p[u] = center[u] + r * cos(angle);
      p[v] = center[v] + r * sin(angle);
      fprintf(f, "%.17g %.17g %.17g ", p[0], p[1], p[2]);
    }
  fprintf(f, "' hexahedra='");
  for (int i = 0; i < n; i++) {
    const int a = 4 * i, b = 4 * ((i + 1) % n);
    fprintf(f, "%d %d %d %d %d %d %d %d ", b, b + 1, b + 2, b + 3, a, a + 1, a + 2, a + 3);
  }
  fprintf(f, "' quads='");
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 4; c++) {
      const int a = 4 * i, b = 4 * ((i + 1) % n), d = (c + 1) % 4;
      fprintf(f, "%d %d %d %d ", a + c, b + c, b + d, a + d);
    }
  fprintf(f, "'/><MechanicalObject name='state'/>%s<TriangleCollisionModel name='surface'/></Node>",
          content);
}

/* A ball of `n` rings of points that no solver moves, outside of the solver's node. */
static inline void ipc_ball(FILE *f, const char *name, int n, const double center[3],
                            const double radius[3]) {
  fprintf(f, "<Node name='%s'><MeshTopology position='", name);
  for (int i = 1; i < n; i++)
    for (int j = 0; j < 2 * n; j++) {
      const double a = M_PI * i / n, b = M_PI * j / n;
      fprintf(f, "%.17g %.17g %.17g ", center[0] + radius[0] * sin(a) * cos(b),
              center[1] + radius[1] * sin(a) * sin(b), center[2] + radius[2] * cos(a));
    }
  for (int k = 0; k < 2; k++)
    fprintf(f, "%g %g %.17g ", center[0], center[1], center[2] + (k ? -1 : 1) * radius[2]);
  fprintf(f, "' triangles='");
  const int m = 2 * n, poles = (n - 1) * m;
  for (int i = 0; i + 2 < n; i++)
    for (int j = 0; j < m; j++) {
      const int a = i * m + j, b = i * m + (j + 1) % m;
      fprintf(f, "%d %d %d %d %d %d ", a, a + m, b, b, a + m, b + m);
    }
  for (int j = 0; j < m; j++)
    fprintf(f, "%d %d %d %d %d %d ", poles, j, (j + 1) % m, poles + 1, (n - 2) * m + (j + 1) % m,
            (n - 2) * m + j);
  fprintf(f, "'/><MechanicalObject name='state'/><TriangleCollisionModel name='surface'/></Node>");
}

/* ---- the exact test ---- */

typedef struct IpcTriangle {
  const SofaState *state;
  const double *p[3];
  double box[6];
} IpcTriangle;
SOFA_LIST(IpcTriangle, IpcTriangles);

static inline void ipc_add_triangles(SofaContext *ctx, const SofaCollisionModel *m,
                                     IpcTriangles *all) {
  for (uint32_t i = 0; i < m->n; i++) {
    IpcTriangle t = {.state = m->state};
    for (unsigned k = 0; k < 3; k++) t.p[k] = sofa_collision_corner(m, i, k);
    for (int c = 0; c < 3; c++) {
      t.box[c] = fmin(t.p[0][c], fmin(t.p[1][c], t.p[2][c]));
      t.box[3 + c] = fmax(t.p[0][c], fmax(t.p[1][c], t.p[2][c]));
    }
    assert_int_equal(SOFA_APPEND(ctx, all, &t), SOFA_OK);
  }
}

/* Have two triangles a common point that is no common corner or edge of the mesh? */
static inline bool ipc_meet(const IpcTriangle *a, const IpcTriangle *b) {
  const double *p[2][3];
  unsigned shared = 0;
  bool used[2][3] = {{false}};
  for (int c = 0; c < 3; c++)
    if (a->box[c] > b->box[3 + c] || b->box[c] > a->box[3 + c]) return false;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      if (a->p[i] == b->p[k]) {
        p[0][shared] = a->p[i], p[1][shared++] = b->p[k];
        used[0][i] = used[1][k] = true;
      }
  unsigned n[2] = {shared, shared};
  for (int i = 0; i < 3; i++) {
    if (!used[0][i]) p[0][n[0]++] = a->p[i];
    if (!used[1][i]) p[1][n[1]++] = b->p[i];
  }
  return shared < 3 && sofa_triangles_meet(p[0], p[1], shared);
}

static inline int ipc_by_low(const void *a, const void *b) {
  const double x = ((const IpcTriangle *)a)->box[0], y = ((const IpcTriangle *)b)->box[0];
  return x < y ? -1 : x > y;
}

/* Number of pairs of triangles that meet. */
static inline int ipc_count_meetings(SceneRun *run) {
  IpcTriangles all = {0};
  SofaNodes nodes = {0};
  int n = 0;
  assert_int_equal(sofa_node_order(run->simulation->root, &nodes), SOFA_OK);
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++) {
      const SofaObject *o = nodes.data[i]->objects.data[k];
      if (sofa_implements(o, SOFA_COLLISION_MODEL))
        ipc_add_triangles(run->ctx, (const SofaCollisionModel *)o, &all);
    }
  assert_true(all.n > 0);
  qsort(all.data, all.n, sizeof *all.data, ipc_by_low);
  for (size_t i = 0; i < all.n; i++)
    for (size_t k = i + 1; k < all.n && all.data[k].box[0] <= all.data[i].box[3]; k++)
      n += ipc_meet(&all.data[i], &all.data[k]);
  sofa_list_free(run->ctx, &nodes);
  sofa_list_free(run->ctx, &all);
  return n;
}

static inline double ipc_number(SceneRun *run, const char *field) {
  double out = NAN;
  SofaObject *contact = scene_run_object(run, "/all/contact");
  const SofaField *f = sofa_class_field(contact->klass, field);
  assert_non_null(f);
  memcpy(&out, sofa_field_value(contact, f), sizeof out);
  return out;
}

/* ---- runs ---- */

typedef struct IpcRunRule {
  int steps;
  void (*move)(SceneRun *run, int step); /* before each step; or NULL */
  int threads;                           /* 0: 1 */
  bool progress;                         /* print a line per step, count steps without convergence;
                                            else these are errors */
} IpcRunRule;

typedef struct IpcProgress {
  int unconverged;   /* steps */
  double iterations; /* of Newton, in all steps */
  double seconds;    /* in the steps */
} IpcProgress;

static inline void ipc_note_step(SceneRun *run, int step, double seconds, IpcProgress *progress) {
  const SofaObject *newton = scene_run_object(run, "/all/newton");
  const SofaField *status = sofa_class_field(newton->klass, "status");
  const SofaReals *rows =
      sofa_field_value(newton, sofa_class_field(newton->klass, "residualGraph"));
  const SofaOption *option = sofa_field_value(newton, status);
  const char *word = status->options[option->index];
  const int iterations = rows->n ? (int)rows->n - 1 : 0;
  progress->unconverged += strncmp(word, "Converged", 9) != 0;
  progress->iterations += iterations;
  progress->seconds += seconds;
  printf("step %3d: %6.2f s, %3d iterations, %s, distance %.3g m\n", step + 1, seconds, iterations,
         word, ipc_number(run, "smallestDistance"));
  fflush(stdout);
}

/* Steps, after each of which no two triangles meet. Returns the least distance of all steps. */
static inline double ipc_run(SceneRun *run, const IpcText *text, const IpcRunRule *rule) {
  const SofaContextOptions options = {.strict = !rule->progress, .threads = rule->threads};
  IpcProgress progress = {0};
  double least = INFINITY;
  memset(run, 0, sizeof *run);
  scene_run_context(run, &options);
  assert_int_equal(sofa_simulation_load_text(run->ctx, text->data, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
  for (int i = 0; i < rule->steps; i++) {
    const double begin = sofa_now();
    if (rule->move) rule->move(run, i);
    assert_int_equal(sofa_simulation_step(run->simulation, 0), SOFA_OK);
    if (rule->progress) ipc_note_step(run, i, sofa_now() - begin, &progress);
    const int meetings = ipc_count_meetings(run);
    if (meetings) fail_msg("step %d: %d pairs of triangles meet", i, meetings);
    least = fmin(least, ipc_number(run, "smallestDistance"));
  }
  if (rule->progress)
    printf("%d steps: %.1f s, %.1f iterations per step, %d steps without convergence, least "
           "distance %.3g m, no triangles meet\n",
           rule->steps, progress.seconds, progress.iterations / rule->steps, progress.unconverged,
           least);
  return least;
}

static inline void ipc_close(SceneRun *run, IpcText *text) {
  scene_run_close(run);
  free(text->data);
}

#endif
