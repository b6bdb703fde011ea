/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests of topological changes: lists of changes, small meshes with what comes out of them, and
 * who of the factory follows. */
#ifndef TESTS_SUPPORT_TOPOLOGY_EDITS_H
#define TESTS_SUPPORT_TOPOLOGY_EDITS_H

#include "components/builtins.h"
#include "tests/support/scene_run.h"
#include "tests/unit/base/failing_allocator.h"

enum { MOST_EDITS = 3 };

typedef struct Edit {
  const char *topology; /* path; NULL: end of the list */
  SofaElementKind kind;
  bool come;               /* elements come; else they go */
  uint32_t n, numbers[16]; /* ids that go; vertices that come; of points a, b for each: 2 a - b */
  unsigned flags;
} Edit;

static inline SofaErr add_points(SofaTopologyEdit *edit, SofaTopology *t, const Edit *e) {
  uint32_t start[9], points[16];
  double weights[16];
  for (uint32_t i = 0; i < 2 * e->n; i++) {
    start[i / 2] = i - i % 2;
    points[i] = e->numbers[i];
    weights[i] = i % 2 ? -1 : 2;
  }
  start[e->n] = 2 * e->n;
  const SofaAncestors a = {.start = {start, e->n + 1, e->n + 1},
                           .points = {points, 2 * e->n, 2 * e->n},
                           .weights = {weights, 2 * e->n, 2 * e->n}};
  return sofa_topology_add_points(edit, t, e->n, &a);
}

static inline SofaErr try_edits(SofaSimulation *simulation, const Edit *edits) {
  SofaTopologyEdit edit;
  SofaErr err = sofa_topology_edit_begin(simulation->root, &edit);
  if (err != SOFA_OK) return err;
  for (const Edit *e = edits; e < edits + MOST_EDITS && e->topology && err == SOFA_OK; e++) {
    SofaTopology *t = (SofaTopology *)sofa_resolve_path(simulation->root, e->topology,
                                                        &(SofaPathRule){.strict = true});
    if (!t) err = SOFA_ERR_NOT_FOUND;
    else if (!e->come) err = sofa_topology_remove(&edit, t, e->kind, e->numbers, e->n, e->flags);
    else if (e->kind == SOFA_ELEMENT_POINT) err = add_points(&edit, t, e);
    else err = sofa_topology_add(&edit, t, e->kind, e->numbers, e->n);
  }
  const SofaErr ended = sofa_topology_edit_end(&edit, err != SOFA_OK);
  return err != SOFA_OK ? err : ended;
}

static inline void carry_out(SceneRun *run, const char *what, const Edit *edits) {
  if (try_edits(run->simulation, edits) != SOFA_OK) fail_msg("%s: %s", what, run->all);
}

/* The edits in a scene where call number `fail_at` of the allocator, counted from the edits on,
 * fails; 0: none. *used: calls of the edits. */
static inline SofaErr edit_with(const char *scene, const Edit *edits, uint64_t fail_at,
                                FailingAllocator *allocator, uint64_t *used) {
  char text[6000];
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = allocator, .sink = quiet_sink};
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.01'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s"
           "</Node>",
           scene);
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(ctx, text, &simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(simulation), SOFA_OK);
  const uint64_t before = allocator->calls;
  if (fail_at) allocator->fail_at = before + fail_at;
  const SofaErr err = try_edits(simulation, edits);
  *used = allocator->calls - before;
  allocator->fail_at = 0;
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  return err;
}

/* Memory may run out anywhere in the edits: that is an error, and nothing is lost. */
static inline void edits_without_memory(const char *what, const char *scene, const Edit *edits) {
  FailingAllocator all = {0};
  uint64_t used = 0, ignored = 0;
  assert_int_equal(edit_with(scene, edits, 0, &all, &used), SOFA_OK);
  for (uint64_t n = 1; n <= used; n += 1 + used / 60) {
    FailingAllocator allocator = {0};
    if (edit_with(scene, edits, n, &allocator, &ignored) == SOFA_OK)
      fail_msg("%s: failure of call %lu went unnoticed", what, (unsigned long)n);
    if (allocator.live)
      fail_msg("%s: %ld blocks lost at call %lu", what, (long)allocator.live, (unsigned long)n);
  }
}

static inline void open_changing(SceneRun *run, const char *scene) {
  char text[6000];
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.01'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s"
           "</Node>",
           scene);
  scene_run_open(run, text, NULL);
}

/* ---- meshes ---- */

#define EDGE_SET(x, e)                                                                             \
  "<EdgeSetTopologyContainer name='mesh' position='" x "' edges='" e "'/>"                         \
  "<EdgeSetTopologyModifier/>"
#define TRIANGLE_SET(x, t)                                                                         \
  "<TriangleSetTopologyContainer name='mesh' position='" x "' triangles='" t "'/>"                 \
  "<TriangleSetTopologyModifier/>"
#define TETRA_SET(x, t)                                                                            \
  "<TetrahedronSetTopologyContainer name='mesh' position='" x "' tetrahedra='" t "'/>"             \
  "<TetrahedronSetTopologyModifier/>"
#define POINTS "<MechanicalObject name='points'/><UniformMass vertexMass='0.5'/>"
#define FRAMES                                                                                     \
  "<MechanicalObject name='points' template='Rigid3d'/>"                                           \
  "<UniformMass vertexMass='0.5 1 [1 0 0 0 1 0 0 0 1]'/>"
/* a body, with what is mapped from it */
#define BODY(mesh, parts) "<Node name='body'>" mesh parts "</Node>"
#define CHILD(parts) "<Node name='m'>" parts "</Node>"
#define NUMBERS "<MechanicalObject name='out' template='Vec1d'/>"
#define OUT "<MechanicalObject name='out'/>"

/* five points in a line; the first edge goes with its point, or an edge comes with a point */
#define LINE EDGE_SET("0 0 0 1 0 0 2 0.1 0 3 0 0 4 0 0.2", "0 1 1 2 2 3 3 4")
#define LINE_LESS EDGE_SET("4 0 0.2 1 0 0 2 0.1 0 3 0 0", "3 0 1 2 2 3")
#define LINE_MORE EDGE_SET("0 0 0 1 0 0 2 0.1 0 3 0 0 4 0 0.2 5 0 0.4", "0 1 1 2 2 3 3 4 4 5")
#define LINE_SHORT EDGE_SET("0 0 0 1 0 0 2 0.1 0 3 0 0", "0 1 1 2 2 3")
#define EDGE_GOES                                                                                  \
  { "/body/mesh", SOFA_ELEMENT_EDGE, false, 1, {0}, SOFA_REMOVE_POINTS }
#define LAST_GOES                                                                                  \
  { "/body/mesh", SOFA_ELEMENT_EDGE, false, 1, {3}, SOFA_REMOVE_POINTS }
#define EDGE_COMES                                                                                 \
  {"/body/mesh", SOFA_ELEMENT_POINT, true, 1, {4, 3}, 0}, {                                        \
    "/body/mesh", SOFA_ELEMENT_EDGE, true, 1, {4, 5}, 0                                            \
  }

/* two squares of two triangles each */
#define SHEET TRIANGLE_SET("0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0.2", "0 1 4 0 4 3 1 2 5 1 5 4")
#define SHEET_LESS TRIANGLE_SET("0 0 0 1 0 0 2 1 0.2 0 1 0 1 1 0", "0 1 4 0 4 3 1 2 4")
#define SHEET_MORE                                                                                 \
  TRIANGLE_SET("0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0.2 3 1 0.4", "0 1 4 0 4 3 1 2 5 1 5 4 2 6 5")
#define TRIANGLE_GOES                                                                              \
  { "/body/mesh", SOFA_ELEMENT_TRIANGLE, false, 1, {2}, SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS }
#define TRIANGLE_COMES                                                                             \
  {"/body/mesh", SOFA_ELEMENT_POINT, true, 1, {5, 4}, 0}, {                                        \
    "/body/mesh", SOFA_ELEMENT_TRIANGLE, true, 1, {2, 6, 5}, 0                                     \
  }

/* a tetrahedron on each side of another */
#define TETRAS TETRA_SET("0 0 -1 0 0 0 1 0 0 0 1 0 0 0 1 1 1 1", "0 1 2 3 1 2 3 4 2 3 4 5")
#define TETRAS_LESS TETRA_SET("1 1 1 0 0 0 1 0 0 0 1 0 0 0 1", "2 3 4 0 1 2 3 4")
#define TETRAS_MORE                                                                                \
  TETRA_SET("0 0 -1 0 0 0 1 0 0 0 1 0 0 0 1 1 1 1 2 2 1", "0 1 2 3 1 2 3 4 2 3 4 5 2 5 3 6")
#define TETRA_GOES                                                                                 \
  { "/body/mesh", SOFA_ELEMENT_TETRA, false, 1, {0}, SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS }
#define TETRA_COMES                                                                                \
  {"/body/mesh", SOFA_ELEMENT_POINT, true, 1, {5, 4}, 0}, {                                        \
    "/body/mesh", SOFA_ELEMENT_TETRA, true, 1, {2, 5, 3, 6}, 0                                     \
  }

/* two cubes on each other */
#define HEXA_SET(x, h)                                                                             \
  "<HexahedronSetTopologyContainer name='mesh' position='" x "' hexahedra='" h "'/>"               \
  "<HexahedronSetTopologyModifier/>"
#define CUBES                                                                                      \
  HEXA_SET("0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0 0 2 1 0 2 1 1 2 0 1 2",              \
           "0 1 2 3 4 5 6 7 4 5 6 7 8 9 10 11")
#define CUBES_LESS HEXA_SET("0 0 2 1 0 2 1 1 2 0 1 2 0 0 1 1 0 1 1 1 1 0 1 1", "4 5 6 7 0 1 2 3")
#define CUBES_MORE                                                                                 \
  HEXA_SET("0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0 0 2 1 0 2 1 1 2 0 1 2 0 0 3 1 0 3 "  \
           "1 1 3 0 1 3",                                                                          \
           "0 1 2 3 4 5 6 7 4 5 6 7 8 9 10 11 8 9 10 11 12 13 14 15")
#define CUBE_GOES                                                                                  \
  { "/body/mesh", SOFA_ELEMENT_HEXA, false, 1, {0}, SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS }
#define CUBE_COMES                                                                                 \
  {"/body/mesh", SOFA_ELEMENT_POINT, true, 4, {8, 4, 9, 5, 10, 6, 11, 7}, 0}, {                    \
    "/body/mesh", SOFA_ELEMENT_HEXA, true, 1, {8, 9, 10, 11, 12, 13, 14, 15}, 0                    \
  }
/* two squares side by side */
#define QUAD_SET(x, q)                                                                             \
  "<QuadSetTopologyContainer name='mesh' position='" x "' quads='" q "'/>"                         \
  "<QuadSetTopologyModifier/>"
#define SQUARES QUAD_SET("0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0", "0 1 4 3 1 2 5 4")
#define SQUARES_LESS QUAD_SET("1 1 0 1 0 0 2 0 0 2 1 0", "1 2 3 0")
#define SQUARE_GOES                                                                                \
  { "/body/mesh", SOFA_ELEMENT_QUAD, false, 1, {0}, SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS }

/* the same parts on a mesh before and after */
#define GOES(mesh, parts) BODY(mesh, parts), BODY(mesh##_LESS, parts)
#define COMES(mesh, parts) BODY(mesh, parts), BODY(mesh##_MORE, parts)

#endif
