/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times the removal of tetrahedra one by one, each with its faces, edges and points, under force
 * fields, masses and fixed points: a removal must not look at the whole mesh. Exit status 1 when
 * one of 100 000 tetrahedra takes more than three times as long as one of 10 000. */
#include <sofa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "change/topology_change.h"
#include "components/builtins.h"

enum { WARM_UP = 100, REMOVALS = 1000 };
static const double most = 3; /* how much longer on the larger mesh */

typedef struct Size {
  const char *name;
  int x, y, z; /* cells, each of six tetrahedra */
} Size;

static const char head[] =
    "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"
    "<EulerImplicitSolver/><CGLinearSolver iterations='5' tolerance='1e-9' threshold='1e-9'/>"
    "<TetrahedronSetTopologyContainer name='mesh' position='";
static const char middle[] = "'/><TetrahedronSetTopologyModifier/><MechanicalObject name='state'/>"
                             "<FixedProjectiveConstraint indices='0 1 2 3'/>";

/* What a removal changes besides the mesh. */
typedef struct Parts {
  const char *name, *text;
} Parts;

static const Parts parts[] = {
    {"corotational, DiagonalMass",
     "<DiagonalMass massDensity='1'/>"
     "<TetrahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/></Node></Node>"},
    {"hyperelastic, MeshMatrixMass",
     "<MeshMatrixMass massDensity='1'/><TetrahedronHyperelasticityFEMForceField "
     "materialName='NeoHookean' ParameterSet='400 900'/></Node></Node>"},
};

/* A block of cells, all cut in the same way, so that neighbours fit. */
static char *write_scene(const Size *s, const char *tail) {
  static const int corners[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                    {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  const int nx = s->x + 1, ny = s->y + 1, nz = s->z + 1;
  const size_t cells = (size_t)s->x * (size_t)s->y * (size_t)s->z;
  char *text = malloc(sizeof head + sizeof middle + strlen(tail) + 60 +
                      40 * (size_t)(nx * ny * nz) + 260 * cells);
  char *at = text;
  if (!text) return NULL;
  at += sprintf(at, "%s", head);
  for (int i = 0; i < nx * ny * nz; i++)
    at += sprintf(at, "%d %d %d ", i % nx, i / nx % ny, i / nx / ny);
  at += sprintf(at, "' tetrahedra='");
  for (int z = 0; z < s->z; z++)
    for (int y = 0; y < s->y; y++)
      for (int x = 0; x < s->x; x++)
        for (int k = 0; k < 24; k++) {
          const int c = corners[k / 4][k % 4];
          at += sprintf(at, "%d ", x + (c & 1) + nx * (y + (c >> 1 & 1) + ny * (z + (c >> 2))));
        }
  sprintf(at, "%s%s", middle, tail);
  return text;
}

static SofaErr remove_one(SofaSimulation *simulation, SofaTopology *mesh, uint32_t id) {
  SofaTopologyEdit edit;
  SOFA_TRY(sofa_topology_edit_begin(simulation->root, &edit));
  const SofaErr err = sofa_topology_remove(&edit, mesh, SOFA_ELEMENT_TETRA, &id, 1,
                                           SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS);
  const SofaErr end = sofa_topology_edit_end(&edit, err != SOFA_OK);
  return err ? err : end;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static SofaErr run(SofaSimulation *simulation, double *seconds) {
  SofaNode *body = sofa_node_child(simulation->root, "body");
  SofaTopology *mesh = (SofaTopology *)sofa_node_object(body, "mesh");
  uint64_t random = 88172645463325252u;
  SOFA_TRY(sofa_simulation_step(simulation, 0));
  double begin = 0;
  for (int i = 0; i < WARM_UP + REMOVALS; i++) {
    if (i == WARM_UP) begin = now();
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    SOFA_TRY(remove_one(simulation, mesh, (uint32_t)(random % mesh->mesh.tetrahedra.n)));
  }
  *seconds = (now() - begin) / REMOVALS;
  begin = now();
  SOFA_TRY(sofa_simulation_step(simulation, 0));
  printf("%8.1f us per removal, %8.1f ms for the next step\n", 1e6 * *seconds,
         1e3 * (now() - begin));
  return SOFA_OK;
}

static SofaErr measure(const Size *size, const Parts *p, double *seconds) {
  const SofaContextOptions options = {.threads = 1};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  char *text = write_scene(size, p->text);
  if (!text) return SOFA_ERR_MEMORY;
  SofaErr err = sofa_context_create_with_builtins(&options, &ctx);
  if (err == SOFA_OK) err = sofa_simulation_load_text(ctx, text, &simulation);
  free(text);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  printf("%-8s", size->name);
  if (err == SOFA_OK) err = run(simulation, seconds);
  sofa_simulation_destroy(&simulation);
  if (ctx) sofa_context_destroy(&ctx);
  return err;
}

int main(void) {
  static const Size sizes[] = {{"10k", 8, 8, 27}, {"100k", 18, 18, 51}};
  bool slow = false;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    double seconds[2] = {0};
    printf("%s\n", parts[k].name);
    for (int i = 0; i < 2; i++)
      if (measure(&sizes[i], &parts[k], &seconds[i]) != SOFA_OK) return 2;
    printf("ratio   %8.2f, at most %.0f\n", seconds[1] / seconds[0], most);
    slow = slow || seconds[1] > most * seconds[0];
  }
  return slow;
}
