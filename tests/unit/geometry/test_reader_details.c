/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Readers on small files that are made here: every way to be degenerate, every region of voxels. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <unistd.h>

static void temporary(char path[64], const char *suffix, const void *data, size_t size) {
  snprintf(path, 64, "/tmp/csofa_reader_XXXXXX%s", suffix);
  const int file = mkstemps(path, (int)strlen(suffix));
  assert_true(file >= 0);
  assert_int_equal(write(file, data, size), (ssize_t)size);
  close(file);
}

static void put(char *to, const float *values, size_t n) {
  for (size_t i = 0; i < n; i++) memcpy(to + 4 * i, values + i, 4);
}

/* A binary STL file of facets between corners of a square. */
static size_t binary_stl(char *out, const int (*facets)[3], uint32_t n) {
  static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  memset(out, 0, 84 + 50 * (size_t)n);
  memcpy(out + 80, &n, 4);
  for (uint32_t f = 0; f < n; f++)
    for (int k = 0; k < 3; k++)
      put(out + 84 + 50 * (size_t)f + 12 + 12 * k, corner[facets[f][k]], 3);
  return 84 + 50 * (size_t)n;
}

/* Facets with any two corners in one place are left out, and counted in a message. */
static void degenerate_facets(void **state) {
  static const int all[5][3] = {{0, 1, 2}, {0, 0, 2}, {0, 2, 2}, {0, 2, 0}, {0, 2, 3}};
  (void)state;
  for (int skip = -1; skip < 5; skip++) {
    int facets[5][3];
    uint32_t n = 0;
    for (int f = 0; f < 5; f++)
      if (f != skip) memcpy(facets[n++], all[f], sizeof all[f]);
    char file[512], path[64], text[400], expected[100];
    temporary(path, ".stl", file, binary_stl(file, (const int(*)[3])facets, n));
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><MeshSTLLoader name='l' filename='%s'/>"
             "<TriangleSetTopologyContainer name='t' src='@l'/></Node>",
             path);
    SceneRun run = {.quiet = true};
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    const bool good = skip == 0 || skip == 4;
    const SofaTopology *t = (const SofaTopology *)scene_run_object(&run, "/t");
    assert_int_equal(t->mesh.triangles.n, good ? 1 : 2);
    snprintf(expected, sizeof expected, "%d", good || skip < 0 ? 3 : 2);
    if (!strstr(run.all, expected)) fail_msg("'%s' does not say %s", run.all, expected);
    scene_run_close(&run);
    unlink(path);
  }
}

static int clamped(int value, int n) {
  return value < 0 ? 0 : value >= n ? n - 1 : value;
}

/* One axis at a time: the first and the last voxel anywhere, outside of the image, too. */
static void regions_of_voxels(void **state) {
  static const int n[3] = {4, 3, 2};
  char image[24], path[64];
  (void)state;
  memset(image, 1, sizeof image);
  temporary(path, ".raw", image, sizeof image);
  for (int axis = 0; axis < 3; axis++)
    for (int low = -1; low <= n[axis]; low++)
      for (int high = 0; high <= n[axis] + 1; high++) {
        int roi[6] = {0, 0, 0, n[0] - 1, n[1] - 1, n[2] - 1};
        char text[500];
        SceneRun run;
        roi[axis] = low, roi[3 + axis] = high;
        snprintf(text, sizeof text,
                 "<Node name='root'><DefaultAnimationLoop/><VoxelGridLoader name='l' "
                 "filename='%s' resolution='4 3 2' bgValue='0' ROI='%d %d %d %d %d %d'/>"
                 "<HexahedronSetTopologyContainer name='t' position='@l.position' "
                 "hexahedra='@l.hexahedra'/></Node>",
                 path, roi[0], roi[1], roi[2], roi[3], roi[4], roi[5]);
        scene_run_open(&run, text, NULL);
        const int first = clamped(low, n[axis]), last = clamped(high, n[axis]);
        const int along = last < first ? 1 : last - first + 1;
        const SofaTopology *t = (const SofaTopology *)scene_run_object(&run, "/t");
        assert_int_equal(t->mesh.hexahedra.n, 24 / n[axis] * along);
        double least = 1e9, most = -1e9;
        for (size_t i = 0; i < t->mesh.position.n; i++) {
          least = fmin(least, t->mesh.position.data[i].v[axis]);
          most = fmax(most, t->mesh.position.data[i].v[axis]);
        }
        assert_true(least == first && most == first + along);
        scene_run_close(&run);
      }
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(degenerate_facets),
      cmocka_unit_test(regions_of_voxels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
