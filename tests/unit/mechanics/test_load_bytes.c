/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory to load a mesh: the most bytes that the allocator has given out, for each tetrahedron. */
#include "tests/support/scene_run.h"

#include <unistd.h>

/* An allocator that counts bytes; the size of a block stands in front of it. */
typedef struct ByteCounter {
  size_t live, peak;
} ByteCounter;

typedef union Header {
  size_t size;
  max_align_t align;
} Header;

static void *count_bytes(void *user, void *block, size_t size) {
  ByteCounter *c = user;
  Header *old = block ? (Header *)block - 1 : NULL;
  const size_t before = old ? old->size : 0;
  if (!size) {
    c->live -= before;
    free(old);
    return NULL;
  }
  Header *result = realloc(old, size + sizeof *result);
  if (!result) return NULL;
  result->size = size;
  c->live += size;
  if (c->live > c->peak) c->peak = c->live; // a block that grows is there twice
  c->live -= before;
  return result + 1;
}

enum { CELLS = 15, POINTS = (CELLS + 1) * (CELLS + 1) * (CELLS + 1) };
static const size_t n_tetrahedra = 6 * (size_t)CELLS * CELLS * CELLS;

/* A cube of tetrahedra, six for a cell. */
static void write_mesh(const char *path) {
  static const uint8_t split[6][4] = {{0, 5, 1, 7}, {0, 1, 3, 7}, {0, 3, 2, 7},
                                      {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}};
  enum { W = CELLS + 1 };
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", POINTS);
  for (int i = 0; i < POINTS; i++)
    fprintf(file, "%d %d %d %d\n", i + 1, i % W, i / W % W, i / W / W);
  fprintf(file, "$EndNodes\n$Elements\n%zu\n", n_tetrahedra);
  for (int i = 0; i < (int)n_tetrahedra; i++) {
    const int cell = i / 6, x = cell % CELLS, y = cell / CELLS % CELLS, z = cell / CELLS / CELLS;
    fprintf(file, "%d 4 2 0 1", i + 1);
    for (int k = 0; k < 4; k++) {
      const int corner = split[i % 6][k];
      fprintf(file, " %d",
              1 + x + (corner & 1) + W * (y + (corner >> 1 & 1)) + W * W * (z + (corner >> 2)));
    }
    fprintf(file, "\n");
  }
  fprintf(file, "$EndElements\n");
  assert_int_equal(fclose(file), 0);
}

/* The parts of a tetrahedron: 344 of the force field (16 + 16 its points, 144 the rest shape, 24
 * the material, 72 + 72 frame and gradients), 32 of the lists of loader and container, 70 of their
 * triangles and edges; the rest belongs to points. A matrix is made in the first step. */
enum { LOADED = 515, STEPPED = 1360 };

static void a_tetrahedron_has_few_bytes(void **state) {
  (void)state;
  ByteCounter counter = {0};
  SceneRun run = {0};
  char path[] = "/tmp/csofa_load_bytes_XXXXXX", text[1500];
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  write_mesh(path);
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.01'><DefaultAnimationLoop/><EulerImplicitSolver/>"
           "<CGLinearSolver iterations='50' tolerance='1e-3' threshold='1e-20'/>"
           "<MeshGmshLoader name='loader' filename='%s'/>"
           "<TetrahedronSetTopologyContainer src='@loader'/><MechanicalObject/>"
           "<UniformMass totalMass='100'/>"
           "<TetrahedronFEMForceField youngModulus='1e5' poissonRatio='0.3'/></Node>",
           path);
  const SofaContextOptions options = {.allocate = count_bytes, .allocate_user = &counter};
  scene_run_open(&run, text, &options);
  const size_t loaded = counter.peak / n_tetrahedra;
  scene_run_steps(&run, 1);
  const size_t stepped = counter.peak / n_tetrahedra;
  scene_run_close(&run);
  assert_int_equal(counter.live, 0);
  remove(path);
  if (loaded > LOADED || stepped > STEPPED)
    fail_msg("%zu bytes after loading, %zu after a step", loaded, stepped);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tetrahedron_has_few_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
