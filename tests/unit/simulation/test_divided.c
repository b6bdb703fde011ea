/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes whose mesh is divided among processes: the motion of one process, the same bits in every
 * run, and what is refused. */
#include "tests/unit/scene/scene_test.h"
#include "tests/unit/simulation/processes.h"

#include <math.h>

#include "behavior/state_division.h"
#include "components/builtins.h"
#include "scene/builder.h"
#include "simulation/simulation.h"
#include "tests/unit/simulation/divided_meshes.h"

/* ---- a bar of tetrahedra, with the triangles of its surface, for loaders ---- */

enum { CELLS_X = 6, CELLS_Y = 2, CELLS_Z = 2 };

static uint32_t corner(int i, int j, int k) {
  return (uint32_t)(1 + i + (CELLS_X + 1) * (j + (CELLS_Y + 1) * k));
}

static void write_cell(FILE *out, int *id, int i, int j, int k) {
  static const int tetras[6][4] = {{0, 1, 3, 7}, {0, 1, 7, 5}, {0, 5, 7, 4},
                                   {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}};
  for (int t = 0; t < 6; t++) {
    fprintf(out, "%d 4 2 1 1", ++*id);
    for (int v = 0; v < 4; v++) {
      const int c = tetras[t][v];
      fprintf(out, " %u", corner(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)));
    }
    fprintf(out, "\n");
  }
}

static void write_hexa(FILE *out, int *id, int i, int j, int k) {
  fprintf(out, "%d 5 2 1 1 %u %u %u %u %u %u %u %u\n", ++*id, corner(i, j, k), corner(i + 1, j, k),
          corner(i + 1, j + 1, k), corner(i, j + 1, k), corner(i, j, k + 1),
          corner(i + 1, j, k + 1), corner(i + 1, j + 1, k + 1), corner(i, j + 1, k + 1));
}

/* Both sides across y, x outward. */
static void write_end(FILE *out, int *id, int j, int k) {
  const uint32_t a = corner(CELLS_X, j, k), b = corner(CELLS_X, j + 1, k),
                 c = corner(CELLS_X, j + 1, k + 1), d = corner(CELLS_X, j, k + 1);
  fprintf(out, "%d 2 2 1 1 %u %u %u\n%d 2 2 1 1 %u %u %u\n", *id + 1, a, b, c, *id + 2, a, c, d);
  *id += 2;
}

/* mixed: the last cells are hexahedra. */
static void write_bar(const char *path, bool mixed) {
  FILE *out = fopen(path, "w");
  const int n_tetras = mixed ? 2 : CELLS_X, n_sides = CELLS_Y * CELLS_Z;
  const int n = (CELLS_X + 1) * (CELLS_Y + 1) * (CELLS_Z + 1);
  int id = 0;
  assert_non_null(out);
  fprintf(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", n);
  for (int k = 0; k <= CELLS_Z; k++)
    for (int j = 0; j <= CELLS_Y; j++)
      for (int i = 0; i <= CELLS_X; i++)
        fprintf(out, "%u %.17g %.17g %.17g\n", corner(i, j, k), 0.1 * i, 0.1 * j, 0.1 * k);
  fprintf(out, "$EndNodes\n$Elements\n%d\n", (6 * n_tetras + CELLS_X - n_tetras + 2) * n_sides);
  for (int k = 0; k < CELLS_Z; k++)
    for (int j = 0; j < CELLS_Y; j++)
      for (int i = 0; i < CELLS_X; i++)
        if (i < n_tetras) write_cell(out, &id, i, j, k);
        else write_hexa(out, &id, i, j, k);
  for (int k = 0; k < CELLS_Z; k++)
    for (int j = 0; j < CELLS_Y; j++) write_end(out, &id, j, k);
  fprintf(out, "$EndElements\n");
  assert_int_equal(fclose(out), 0);
}

/* ---- runs ---- */

static const char *folder_path;

typedef struct Run {
  const char *scene;
  int steps;
  bool keep_going;
  double *x; /* of the whole mesh, on process 0; owned */
  size_t n, n_parts;
  uint64_t n_bytes;
  char messages[1 << 14]; /* of process 0 */
} Run;

static SofaState *find_state(SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (strcmp(node->objects.data[i]->name, "dofs") == 0) return (SofaState *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) {
    SofaState *found = find_state(node->children.data[i]);
    if (found) return found;
  }
  return NULL;
}

static SofaErr take_positions(SofaState *s, int rank, Run *run) {
  const SofaDivision *division = sofa_state_division(s);
  const size_t n = sofa_state_n_whole(s) * s->position.width;
  double *x = calloc(n + 1, sizeof *x);
  if (division) {
    SOFA_TRY(
        sofa_division_gather(s->object.ctx, division, 0, s->position.width, s->position.data, x));
  } else if (n) {
    memcpy(x, s->position.data, n * sizeof *x);
  }
  if (rank > 0) {
    free(x);
    return SOFA_OK;
  }
  run->x = x;
  run->n = n;
  run->n_parts = division ? 2 : 1;
  return SOFA_OK;
}

static SofaErr run_steps(SofaContext *ctx, int rank, Run *run) {
  SofaSimulation *s = NULL;
  SofaErr err = sofa_simulation_load_text(ctx, run->scene, &s);
  if (err == SOFA_OK) err = sofa_simulation_init(s);
  if (err == SOFA_OK) err = sofa_scene_check_ready(s);
  for (int i = 0; i < run->steps && err == SOFA_OK; i++) err = sofa_simulation_step(s, 0);
  if (err == SOFA_OK) err = take_positions(find_state(s->root), rank, run);
  sofa_simulation_destroy(&s);
  return err;
}

static SofaErr run_process(ThreadProcess *process, void *user) {
  Run *run = user;
  Bench *b = calloc(1, sizeof *b);
  bench_open(b, run->keep_going);
  SofaErr err = sofa_register_builtins(b->ctx);
  if (err == SOFA_OK) err = thread_join(process, b->ctx);
  if (err == SOFA_OK) err = run_steps(b->ctx, process->rank, run);
  pthread_mutex_lock(&process->all->mutex);
  if (!run->messages[0] && (process->rank == 0 || err != SOFA_OK) && err != SOFA_ERR_IO)
    snprintf(run->messages, sizeof run->messages, "%.*s", (int)sizeof run->messages - 1,
             b->messages);
  pthread_mutex_unlock(&process->all->mutex);
  if (process->rank == 0 && b->ctx->processes) run->n_bytes = b->ctx->processes->n_bytes;
  bench_close(b);
  free(b);
  return err;
}

static SofaErr run_on(int n, const char *scene, int steps, Run *run) {
  *run = (Run){.scene = scene, .steps = steps};
  return threads_run(n, run_process, run);
}

static SofaErr run_on_keeping(int n, const char *scene, Run *run) {
  *run = (Run){.scene = scene, .steps = 3, .keep_going = true};
  return threads_run(n, run_process, run);
}

/* ---- scenes ---- */

typedef struct Case {
  const char *name, *solver, *mesh, *body;
} Case;

#define CG "<CGLinearSolver iterations='2000' tolerance='1e-14' threshold='1e-40'/>"
#define EULER "<EulerImplicitSolver rayleighStiffness='0.02' rayleighMass='0.05'/>" CG
#define GRID                                                                                       \
  "<RegularGridTopology name='grid' n='8 3 3' min='0 0 0' max='0.7 0.2 0.2'/>"                     \
  "<MechanicalObject name='dofs'/>"
#define BAR                                                                                        \
  "<MeshGmshLoader name='loader' filename='%s/bar.msh'/><MeshTopology src='@loader'/>"             \
  "<MechanicalObject name='dofs' src='@loader'/>"
#define MIXED                                                                                      \
  "<MeshGmshLoader name='loader' filename='%s/mixed.msh'/><MeshTopology src='@loader'/>"           \
  "<MechanicalObject name='dofs' src='@loader'/>"
#define HEXA_SET                                                                                   \
  "<RegularGridTopology name='grid' n='8 3 3' min='0 0 0' max='0.7 0.2 0.2'/>"                     \
  "<MechanicalObject name='dofs' position='@grid.position'/>"                                      \
  "<HexahedronSetTopologyContainer hexahedra='@grid.hexahedra' position='@grid.position'/>"
#define TETS                                                                                       \
  "<MeshGmshLoader name='loader' filename='%s/bar.msh'/>"                                          \
  "<TetrahedronSetTopologyContainer name='tets' position='@loader.position' "                      \
  "tetrahedra='@loader.tetrahedra'/><MechanicalObject name='dofs' src='@loader'/>"
#define BORDER                                                                                     \
  "<Node><TriangleSetTopologyContainer name='skin'/><TriangleSetTopologyModifier/>"                \
  "<Tetra2TriangleTopologicalMapping input='@../tets' output='@skin'/>"
#define CUT                                                                                        \
  "<Node><TetrahedronSetTopologyContainer name='cut'/><TetrahedronSetTopologyModifier/>"           \
  "<Hexa2TetraTopologicalMapping swapping='1' input='@../grid' output='@cut'/>"
#define SKIN                                                                                       \
  "<Node><TriangleSetTopologyContainer triangles='@../loader.triangles' "                          \
  "position='@../loader.position'/><MechanicalObject position='@../loader.position'/>"             \
  "<IdentityMapping/>"
#define ENDS                                                                                       \
  "<BoxROI name='roi' box='-0.01 -1 -1 0.01 1 1' drawBoxes='0'/>"                                  \
  "<FixedProjectiveConstraint indices='@roi.indices'/>"
#define TETRA "<TetrahedronFEMForceField youngModulus='3e4' poissonRatio='0.4' method='large'/>"
#define HEXA "<HexahedronFEMForceField youngModulus='3e4' poissonRatio='0.4' method='large'/>"

#define MASS "<UniformMass totalMass='2'/>"
#define CARIBOU "<RequiredPlugin pluginName='SofaCaribou'/>"
#define CARIBOU_CG                                                                                 \
  "<ConjugateGradientSolver preconditioning_method='None' maximum_number_of_iterations='2000' "    \
  "residual_tolerance_threshold='1e-14'/>"
#define HYPER                                                                                      \
  "<TetrahedronHyperelasticityFEMForceField materialName='NeoHookean' ParameterSet='1e4 4e4'/>"
#define SOFT "<TetrahedronFEMForceField youngModulus='300' poissonRatio='0.3' method='large'/>"
#define SET                                                                                        \
  "<MeshGmshLoader name='loader' filename='%s/bar.msh'/>"                                          \
  "<TetrahedronSetTopologyContainer src='@loader'/><TetrahedronSetGeometryAlgorithms/>"            \
  "<MechanicalObject name='dofs' src='@loader'/>"

/* a bar with all triangles of its tetrahedra */
#define FACES_TETRA                                                                                \
  "<MeshGmshLoader name='loader' filename='%s/bar.msh' createSubelements='1'/>"                    \
  "<MeshTopology src='@loader'/><MechanicalObject name='dofs' src='@loader'/>"
/* frames at the points of a bar, of a grid */
#define FRAMES                                                                                     \
  "<MeshGmshLoader name='loader' filename='%s/bar.msh' createSubelements='1'/>"                    \
  "<MeshTopology src='@loader'/>"                                                                  \
  "<MechanicalObject name='dofs' template='Rigid3d' position='@loader.position'/>"
#define FRAME_GRID                                                                                 \
  "<RegularGridTopology name='grid' n='8 3 3' min='0 0 0' max='0.7 0.2 0.2'/>"                     \
  "<MechanicalObject name='dofs' template='Rigid3d' position='@grid.position'/>"
#define FRAME_SPRINGS                                                                              \
  "<UniformMass totalMass='2'/>"                                                                   \
  "<RestShapeSpringsForceField stiffness='20' angularStiffness='3'/>"
/* a bar of second order */
#define NODES(name)                                                                                \
  "<MeshGmshLoader name='loader' filename='%s/" name ".msh'/>"                                     \
  "<MechanicalObject name='dofs' src='@loader'/>"
#define NODE_ENDS                                                                                  \
  "<BoxROI name='roi' box='-0.01 -1 -1 0.01 1 1' position='@loader.position' drawBoxes='0'/>"      \
  "<FixedProjectiveConstraint indices='@roi.indices'/>"

static const Case cases[] = {
    {"grid of hexahedra", EULER, GRID, ENDS HEXA "<UniformMass totalMass='2'/>"},
    {"bar of tetrahedra", EULER, BAR, ENDS TETRA "<UniformMass totalMass='2'/>"},
#include "divided_cases.h"
#include "divided_elements.h"
#include "divided_second_order.h"
#include "divided_springs.h"
#include "divided_topologies.h"
};

static void make_text(const Case *c, char *text, size_t size) {
  char mesh[512];
  snprintf(mesh, sizeof mesh, c->mesh, folder_path);
  snprintf(text, size,
           "<Node gravity='0 -9.81 0' dt='0.02'><RequiredPlugin pluginName='Sofa.Component'/>"
           "<DefaultAnimationLoop/><Node name='body'>%s%s%s</Node></Node>",
           c->solver, mesh, c->body);
}

static double distance(const Run *a, const Run *b) {
  double most = 0;
  assert_int_equal(a->n, b->n);
  for (size_t i = 0; i < a->n; i++) {
    const double d = fabs(a->x[i] - b->x[i]);
    if (!(d <= most)) most = d;
  }
  return most;
}

static bool same_motion(const Case *c) {
  enum { STEPS = 3 };
  char text[8192];
  Run one, several, again;
  bool good = true;
  make_text(c, text, sizeof text);
  const SofaErr err = run_on(1, text, STEPS, &one);
  if (err != SOFA_OK) print_message("%s: alone: %s\n%s", c->name, sofa_err_text(err), one.messages);
  good = err == SOFA_OK;
  for (int n = 2; good && n <= 4; n++) {
    const SofaErr first = run_on(n, text, STEPS, &several);
    const SofaErr second = first == SOFA_OK && n == 3 ? run_on(n, text, STEPS, &again) : first;
    if (second != SOFA_OK) {
      print_message("%s: %d processes: %s\n%s\n", c->name, n, sofa_err_text(second),
                    several.messages);
      free(several.x);
      good = false;
      break;
    }
    const double d = distance(&one, &several);
    const bool bits = n != 3 || memcmp(several.x, again.x, several.n * sizeof *several.x) == 0;
    good = d <= 1e-9 && bits && several.n_parts > 1;
    // a region may have no point of this process
    if (strstr(several.messages, "selects nothing")) {
      print_message("%s: %s", c->name, several.messages);
      good = false;
    }
    if (!good || getenv("CSOFA_TEST_VERBOSE"))
      print_message("%s: %d processes: differ by %g, %s bits%s\n", c->name, n, d,
                    bits ? "the same" : "other", several.n_parts > 1 ? "" : ", not divided");
    free(several.x);
    if (n == 3) free(again.x);
  }
  free(one.x);
  return good;
}

/* What is refused names all objects. */
static void expect_refusals(const char *solver, const char *mesh, const char *body,
                            const char *const *words) {
  char text[8192];
  Run run;
  const Case c = {"refused", solver, mesh, body};
  make_text(&c, text, sizeof text);
  if (run_on(1, text, 1, &run) != SOFA_OK) fail_msg("%s", run.messages);
  free(run.x);
  if (run_on(3, text, 1, &run) == SOFA_OK) fail_msg("not refused: %s", text);
  for (; *words; words++)
    if (!strstr(run.messages, *words)) fail_msg("no '%s' in %s", *words, run.messages);
}

static void refusals(void **state) {
  (void)state;
  expect_refusals(
      "<EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>", BAR,
      ENDS TETRA MASS "<PolynomialSpringsForceField firstObjectPoints='0' secondObjectPoints='5'/>",
      (const char *[]){"2 objects cannot work on a mesh that is divided",
                       "SparseLDLSolver 'SparseLDLSolver1': it needs all of it: use "
                       "PETScLinearSolver, or CGLinearSolver without a matrix",
                       "PolynomialSpringsForceField 'PolynomialSpringsForceField1': it needs all",
                       NULL});
  /* faces that the topology derives: those between two parts would be loaded */
  expect_refusals(
      EULER,
      "<MeshGmshLoader name='loader' filename='%s/bar.msh'/>"
      "<MeshTopology position='@loader.position' "
      "tetrahedra='@loader.tetrahedra'/>"
      "<MechanicalObject name='dofs' position='@loader.position'/>",
      ENDS TETRA MASS "<SurfacePressureForceField pressure='1'/>",
      (const char *[]){"SurfacePressureForceField1': its topology derives faces", NULL});
  /* numbers of the whole mesh that nothing maps */
  expect_refusals(EULER,
                  "<MeshGmshLoader name='loader' filename='%s/bar.msh'/>"
                  "<MeshTopology position='@loader.position' "
                  "tetrahedra='@loader.tetrahedra' triangles='0 1 7'/>"
                  "<MechanicalObject name='dofs' position='@loader.position'/>",
                  ENDS TETRA MASS,
                  (const char *[]){"MeshTopology1': one of its lists is that of the whole", NULL});
  /* numbers that an engine of the scene lists */
  expect_refusals(EULER, BAR,
                  ENDS TETRA MASS "<MergeSets name='set' in1='0 1' in2='60'/>"
                                  "<ConstantForceField indices='@set.out' forces='0 1 0'/>",
                  (const char *[]){"MergeSets 'set': one of its lists", NULL});
  /* a set of points with numbers of another mesh in it */
  expect_refusals(EULER, BAR,
                  "<Node name='small'><MechanicalObject position='0 0 0  1 1 1  2 2 2'/>"
                  "<UniformMass totalMass='1'/>"
                  "<FixedProjectiveConstraint name='other' indices='0 1 2'/></Node>" ENDS TETRA MASS
                  "<MergeSets name='set' in1='@small/other.indices' in2='@roi.indices'/>"
                  "<ConstantForceField indices='@set.out' forces='0 1 0'/>",
                  (const char *[]){"ConstantForceField1': one of its lists has numbers", NULL});
  /* forces that the scene lists one by one, also where a process has none of their points */
  expect_refusals(EULER, BAR,
                  ENDS TETRA MASS
                  "<ConstantForceField indices='0 3 60' forces='0 1 0 0 2 0 0 3 0'/>",
                  (const char *[]){"forces of their own for the points, on a mesh that is", NULL});
  /* springs to another body */
  expect_refusals(EULER, BAR,
                  ENDS TETRA MASS
                  "<Node name='small'><MechanicalObject name='p' position='0 1 0'/>"
                  "<UniformMass totalMass='1'/></Node>"
                  "<StiffSpringForceField object1='@dofs' object2='@small/p' spring='0 0 3 1 1'/>",
                  (const char *[]){"springs between two states of which one is divided", NULL});
  /* nodes that are made of a part */
  expect_refusals(EULER, BAR,
                  CARIBOU ENDS TETRA MASS
                  "<QuadraticMesh position='@loader.position' tetrahedra='@loader.tetrahedra'/>",
                  (const char *[]){"QuadraticMesh 'QuadraticMesh1': it needs all of it", NULL});
  /* a pressure that elements share at their corners */
  expect_refusals(
      EULER, NODES("tetra10"),
      CARIBOU NODE_ENDS MASS
      "<CaribouTopology name='solid' template='Tetrahedron10' indices='@loader.tetrahedra10'/>"
      "<NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
      "<HyperelasticForcefield topology='@solid' dilatation='continuous'/>",
      (const char *[]){"a pressure that the elements around a corner share", NULL});
  /* faces beside each other that the division does not know */
  expect_refusals(EULER, TETS, ENDS TETRA MASS BORDER "<FastTriangularBendingSprings/></Node>",
                  (const char *[]){"faces beside each other on different processes", NULL});
  /* what is a property of the whole body */
  expect_refusals(EULER, BAR,
                  ENDS TETRA MASS
                  "<SurfacePressureForceField pressure='3' volumeConservationMode='1'/>",
                  (const char *[]){"SurfacePressureForceField is not supported yet", NULL});
  /* a surface of which each process has a part */
  expect_refusals(EULER, BAR,
                  "<MeshROI name='roi' computeMeshROI='0'/>"
                  "<FixedProjectiveConstraint indices='@roi.indices'/>" TETRA MASS,
                  (const char *[]){"a surface of a mesh that is divided", NULL});
  /* a list of another object */
  expect_refusals(EULER, BAR,
                  "<Node name='small'><MechanicalObject position='0 0 0  1 1 1  2 2 2'/>"
                  "<UniformMass totalMass='1'/>"
                  "<FixedProjectiveConstraint name='other' indices='0 1 2'/></Node>"
                  "<FixedProjectiveConstraint indices='@small/other.indices'/>" TETRA MASS,
                  (const char *[]){"one of its lists has numbers of the whole mesh", NULL});
  /* what another mapping makes of it */
  expect_refusals(EULER, BAR,
                  ENDS TETRA MASS "<Node><MechanicalObject template='Vec1d'/><VolumeMapping "
                                  "topology='@../MeshTopology1'/></Node>",
                  (const char *[]){"VolumeMapping 'VolumeMapping1': it needs all of it", NULL});
  /* numbers of another mesh */
  expect_refusals(EULER, BAR,
                  "<Node name='small'><MechanicalObject position='0 0 0  1 1 1  2 2 2'/>"
                  "<UniformMass totalMass='1'/>"
                  "<FixedProjectiveConstraint name='other' indices='0 1 2'/></Node>" ENDS TETRA MASS
                  "<Node><MechanicalObject/><SubsetMapping indices='@../small/other.indices'/>"
                  "</Node>",
                  (const char *[]){"SubsetMapping1': one of its lists has numbers", NULL});
}

/* ---- keep_going ---- */

/* What cannot work on a part is refused, and not left out. */
static void expect_kept_refusal(const char *mesh, const char *body, const char *word) {
  char text[8192];
  Run run;
  const Case c = {"refused", EULER, mesh, body};
  make_text(&c, text, sizeof text);
  if (run_on_keeping(1, text, &run) != SOFA_OK) fail_msg("%s", run.messages);
  free(run.x);
  if (run_on_keeping(3, text, &run) == SOFA_OK) fail_msg("left out: %s", text);
  if (!strstr(run.messages, word)) fail_msg("no '%s' in %s", word, run.messages);
}

static void not_left_out(void **state) {
  (void)state;
  expect_kept_refusal(
      BAR, ENDS TETRA MASS "<SurfacePressureForceField pressure='3' volumeConservationMode='1'/>",
      "volumeConservationMode on a mesh that is divided");
  /* an object of a class that needs all of the mesh fails on its part */
  expect_kept_refusal(BAR,
                      ENDS TETRA MASS "<PolynomialSpringsForceField firstObjectPoints='0' "
                                      "secondObjectPoints='62'/>",
                      "point 62 does not exist");
}

/* Moduli of some elements are out of range: the same is done as on one process, and it is said,
 * whichever process has them. */
static void values_out_of_range(void **state) {
  (void)state;
  char text[8192];
  Run one, several;
  const Case c = {"moduli", EULER, BAR,
                  ENDS MASS "<ValuesFromPositions name='values' inputValues='3e4 4e4 4e4 -1e4' "
                            "direction='1 0 0' position='@loader.position' "
                            "tetrahedra='@loader.tetrahedra'/>"
                            "<TetrahedronFEMForceField youngModulus='@values.tetrahedronValues' "
                            "poissonRatio='0.4' method='large'/>"};
  make_text(&c, text, sizeof text);
  if (run_on_keeping(1, text, &one) != SOFA_OK) fail_msg("%s", one.messages);
  if (!strstr(one.messages, "youngModulus")) fail_msg("%s", one.messages);
  for (int n = 2; n <= 4; n++) {
    if (run_on_keeping(n, text, &several) != SOFA_OK) fail_msg("%s", several.messages);
    assert_true(distance(&one, &several) <= 1e-9);
    if (!strstr(several.messages, "has replaced values out of range") &&
        !strstr(several.messages, "the default is used"))
      fail_msg("%d processes: %s", n, several.messages);
    free(several.x);
  }
  free(one.x);
}

/* Points that belong to no cell. */
static void mapped_points(void **state) {
  (void)state;
  char text[8192];
  Run run;
  const char *grid = "<RegularGridTopology name='grid' n='6 2 2' min='0 0 0' max='0.5 0.1 0.1'/>"
                     "<MechanicalObject name='dofs'/>";
  const Case c = {"outside", EULER, grid,
                  ENDS HEXA MASS "<Node><MechanicalObject position='0.15 0.05 0.02 0.3 0.2 0'/>"
                                 "<BarycentricMapping/></Node>"};
  make_text(&c, text, sizeof text);
  if (run_on(2, text, 1, &run) != SOFA_OK) fail_msg("%s", run.messages);
  free(run.x);
  if (!strstr(run.messages, "1 of 2 points are outside of all elements"))
    fail_msg("%s", run.messages);
}

/* As many processes as elements; more are refused. */
static void few_elements(void **state) {
  (void)state;
  char text[8192];
  Run one, several;
  const Case c = {"few", EULER,
                  "<RegularGridTopology name='grid' n='6 2 2' min='0 0 0' max='0.5 0.1 0.1'/>"
                  "<MechanicalObject name='dofs'/>",
                  ENDS HEXA MASS
                  "<Node><MechanicalObject position='0.15 0.05 0.02'/>"
                  "<BarycentricMapping/><ConstantForceField forces='0 1 0'/></Node>"};
  make_text(&c, text, sizeof text);
  assert_int_equal(run_on(1, text, 4, &one), SOFA_OK);
  if (run_on(5, text, 4, &several) != SOFA_OK) fail_msg("%s", several.messages);
  assert_true(distance(&one, &several) <= 1e-9);
  free(one.x), free(several.x);
  assert_int_equal(run_on(6, text, 4, &several), SOFA_ERR_UNSUPPORTED);
  if (!strstr(several.messages, "has 5 volume elements")) fail_msg("%s", several.messages);
}

/* A mesh of tetrahedra of both orders is that of all processes. */
static void both_orders(void **state) {
  (void)state;
  char text[8192];
  Run one, several;
  const Case c = {
      "both orders", EULER, NODES("orders"),
      CARIBOU MASS
      "<CaribouTopology name='solid' template='Tetrahedron10' indices='@loader.tetrahedra10'/>"
      "<NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
      "<HyperelasticForcefield topology='@solid'/>"
      "<RestShapeSpringsForceField stiffness='20'/>"};
  make_text(&c, text, sizeof text);
  if (run_on(1, text, 2, &one) != SOFA_OK) fail_msg("%s", one.messages);
  if (run_on(3, text, 2, &several) != SOFA_OK) fail_msg("%s", several.messages);
  assert_int_equal(several.n_parts, 1);
  assert_true(distance(&one, &several) <= 1e-9);
  free(one.x), free(several.x);
}

/* The error of one process ends all. */
static void failures(void **state) {
  (void)state;
  char text[8192];
  Run run;
  const Case c = {"failing", EULER, BAR,
                  ENDS TETRA MASS "<ConstantForceField indices='60' forces='0 1e300 1e300'/>"};
  const Case other = {"no such point", EULER, BAR,
                      "<FixedProjectiveConstraint indices='0 63'/>" TETRA MASS};
  make_text(&c, text, sizeof text);
  assert_int_not_equal(run_on(3, text, 5, &run), SOFA_OK);
  make_text(&other, text, sizeof text);
  assert_int_not_equal(run_on(3, text, 5, &run), SOFA_OK);
  if (!strstr(run.messages, "index 63 is not a point of the whole mesh, which has 63"))
    fail_msg("%s", run.messages);
}

/* Does the word stand in the case? */
static bool has_word(const Case *c, const char *word) {
  return strstr(c->name, word) || strstr(c->solver, word) || strstr(c->mesh, word) ||
         strstr(c->body, word);
}

static const char *only = ""; /* a word of the motions that are compared */

static void motions(void **state) {
  (void)state;
  bool good = true;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (has_word(&cases[i], only)) good = same_motion(&cases[i]) && good;
  assert_true(good);
}

static int setup(void **state) {
  static char folder[] = "/tmp/csofa-divided-XXXXXX";
  char path[96];
  *state = mkdtemp(folder);
  folder_path = folder;
  snprintf(path, sizeof path, "%s/bar.msh", folder);
  write_bar(path, false);
  snprintf(path, sizeof path, "%s/mixed.msh", folder);
  write_bar(path, true);
  for (size_t i = 0; i < SOFA_COUNT(node_meshes); i++) {
    snprintf(path, sizeof path, "%s/%s", folder, node_meshes[i].name);
    write_nodes(path, &node_meshes[i].cells, &node_meshes[i].sides);
  }
  return 0;
}

static int teardown(void **state) {
  static const char *const names[] = {"bar.msh", "mixed.msh"};
  char path[96];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder_path, names[i]);
    remove(path);
  }
  for (size_t i = 0; i < SOFA_COUNT(node_meshes); i++) {
    snprintf(path, sizeof path, "%s/%s", folder_path, node_meshes[i].name);
    remove(path);
  }
  return rmdir(*state);
}

/* The name of a test: only that one runs; a word behind it: only the motions with it. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motions),       cmocka_unit_test(refusals),
      cmocka_unit_test(mapped_points), cmocka_unit_test(few_elements),
      cmocka_unit_test(failures),      cmocka_unit_test(both_orders),
      cmocka_unit_test(not_left_out),  cmocka_unit_test(values_out_of_range),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  if (argc > 2) only = argv[2];
  return cmocka_run_group_tests(tests, setup, teardown);
}
