/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids in scenes: round ones, surfaces of boxes and spheres, sparse grids and their branches. */
#include "tests/support/scene_memory.h"

#include <math.h>
#include <unistd.h>
#include "topology/topology.h"

#define SCENE(objects) "<Node name='root'><DefaultAnimationLoop/>" objects "</Node>"

static SofaTopology *topology_at(SceneRun *run, const char *path) {
  return (SofaTopology *)scene_run_object(run, path);
}

static void close_to(const double *p, double x, double y, double z) {
  assert_true(fabs(p[0] - x) < 1e-12 && fabs(p[1] - y) < 1e-12 && fabs(p[2] - z) < 1e-12);
}

/* Six times the volume that quads enclose, by two triangles each. */
static double volume(const SofaTopology *t) {
  double sum = 0;
  for (size_t i = 0; i < t->mesh.quads.n; i++)
    for (int h = 0; h < 2; h++) {
      const uint32_t *q = t->mesh.quads.data[i].v;
      const uint32_t v[3] = {q[0], q[1 + h], q[2 + h]};
      double x[3][3];
      for (int k = 0; k < 3; k++) sofa_topology_point(t, v[k], x[k]);
      sum += x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
             x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
             x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
    }
  return sum;
}

/* ---- round grids ---- */

static void cylinders_and_spheres_have_their_radius(void **state) {
  SceneRun run;
  double p[3];
  (void)state;
  scene_run_open(&run,
                 SCENE("<MechanicalObject name='early'/>"
                       "<CylinderGridTopology name='c' n='3 3 4' center='1 2 3' radius='2' "
                       "length='6'/><Node name='s'><SphereGridTopology name='g' n='3 3 3' "
                       "axis='0 2 0' radius='2'/></Node><Node name='g'><GridTopology name='g' "
                       "n='2 3 4'/></Node>"),
                 NULL);
  SofaTopology *c = topology_at(&run, "/c"), *s = topology_at(&run, "/s/g");
  assert_int_equal(((SofaState *)scene_run_object(&run, "/early"))->position.n, 36);
  assert_int_equal(c->mesh.hexahedra.n, 12);
  close_to(c->mesh.position.data[4].v, 1, 2, 3);
  close_to(c->mesh.position.data[0].v, 1 - sqrt(2), 2 - sqrt(2), 3);
  close_to(c->mesh.position.data[27 + 1].v, 1, 0, 9);
  close_to(s->mesh.position.data[13].v, 0, 0, 0);
  for (size_t i = 0; i < 27; i++) {
    sofa_topology_point(s, i, p);
    if (i != 13) assert_true(fabs(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 2) < 1e-12);
  }
  // the third axis of the grid is y
  close_to(s->mesh.position.data[22].v, 0, 2, 0);
  assert_int_equal(topology_at(&run, "/g/g")->mesh.hexahedra.n, 1 * 2 * 3);
  scene_run_close(&run);
}

/* ---- surfaces ---- */

static void surfaces_of_boxes_are_closed(void **state) {
  static const char *const how[] = {"", "internalPoints='1'", "splitNormals='1'"};
  static const size_t counts[] = {2 * 12 + 3 * 10, 60, 2 * (12 + 20 + 15)};
  (void)state;
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    char scene[400];
    snprintf(scene, sizeof scene,
             SCENE("<CubeTopology name='c' nx='3' ny='4' nz='5' max='2 3 4' %s/>"), how[i]);
    scene_run_open(&run, scene, NULL);
    SofaTopology *c = topology_at(&run, "/c");
    assert_int_equal(c->n_points, counts[i]);
    assert_int_equal(c->mesh.quads.n, 2 * (2 * 3 + 2 * 4 + 3 * 4));
    assert_int_equal(c->mesh.edges.n, 2 * (2 * 3 + 2 * 4 + 3 * 4) * 2);
    assert_true(fabs(volume(c) - 6 * 24) < 1e-9);
    assert_int_equal(sofa_mesh_vertex_count(&c->mesh), c->n_points);
    // edges are one step long; those of split sides may end at a point of another side, at its
    // place
    for (size_t e = 0; e < c->mesh.edges.n; e++) {
      double a[3], b[3];
      sofa_topology_point(c, c->mesh.edges.data[e].v[0], a);
      sofa_topology_point(c, c->mesh.edges.data[e].v[1], b);
      assert_true(fabs(b[0] + b[1] + b[2] - a[0] - a[1] - a[2] - 1) < 1e-12);
    }
    scene_run_close(&run);
  }
}

static void quads_on_a_sphere(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(
      &run, SCENE("<SphereQuadTopology name='s' nx='9' ny='9' nz='9' center='1 0 0' radius='3'/>"),
      NULL);
  SofaTopology *s = topology_at(&run, "/s");
  for (size_t i = 0; i < s->n_points; i++) {
    const double *p = s->mesh.position.data[i].v;
    assert_true(fabs(sqrt((p[0] - 1) * (p[0] - 1) + p[1] * p[1] + p[2] * p[2]) - 3) < 1e-12);
  }
  // a little less than the sphere's volume
  const double sphere = 6 * 4. / 3 * acos(-1) * 27;
  assert_true(volume(s) > 0.9 * sphere && volume(s) < sphere);
  scene_run_close(&run);
}

/* ---- sparse grids ---- */

/* A box as triangles. */
#define BOX                                                                                        \
  "position='0 0 0 4 0 0 4 2 0 0 2 0 0 0 2 4 0 2 4 2 2 0 2 2' "                                    \
  "quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7' "

static void sparse_grids_fill_a_surface(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<SparseGridTopology name='s' n='9 7 7' " BOX "/>"
                       "<Node name='b'><SparseGridTopology name='s' n='9 7 7' onlyInsideCells='1' "
                       "fillWeighted='0' " BOX "/></Node>"
                       "<Node name='w'><SparseGridTopology name='s' cellWidth='1' min='-1 -1 -1' "
                       "max='6 4 4' " BOX "/></Node>"
                       "<Node name='f'><SparseGridTopology name='s' n='5 4 4' "
                       "nbVirtualFinerLevels='1' " BOX "/></Node>"),
                 NULL);
  // the box is 1 % larger than the surface: no cell is outside
  SofaTopology *s = topology_at(&run, "/s");
  assert_int_equal(s->mesh.hexahedra.n, 8 * 6 * 6);
  assert_int_equal(s->n_points, 9 * 7 * 7);
  const double *stiffness, *mass;
  assert_true(sofa_topology_factors(s, &stiffness, &mass));
  double sum = 0;
  for (size_t i = 0; i < s->mesh.hexahedra.n; i++) sum += mass[i];
  assert_true(sum == 6 * 4 * 4 + 0.5 * (8 * 6 * 6 - 6 * 4 * 4));
  // points ascend by x, then y, then z
  for (size_t i = 1; i < s->n_points; i++) {
    const double *a = s->mesh.position.data[i - 1].v, *b = s->mesh.position.data[i].v;
    const int k = a[0] != b[0] ? 0 : a[1] != b[1] ? 1 : 2;
    assert_true(a[k] < b[k]);
  }
  assert_int_equal(topology_at(&run, "/b/s")->mesh.hexahedra.n, 6 * 4 * 4);
  // a surface in the middle of a larger grid
  SofaTopology *w = topology_at(&run, "/w/s");
  assert_true(w->mesh.hexahedra.n >= 4 * 2 * 2 && w->mesh.hexahedra.n < 7 * 5 * 5);
  SofaTopology *f = topology_at(&run, "/f/s");
  assert_int_equal(f->mesh.hexahedra.n, 4 * 3 * 3);
  assert_true(sofa_topology_factors(f, &stiffness, &mass));
  assert_true(stiffness[0] == (0.5 * 7 + 1) / 8);
  scene_run_close(&run);
}

/* Two bars side by side that a third one joins at the end: a fork, 0.5 m between its prongs. */
#define FORK                                                                                       \
  "position='0 0 0 4 0 0 4 1 0 0.9 1 0 0.9 1.5 0 4 1.5 0 4 2.5 0 0 2.5 0 "                         \
  "0 0 1 4 0 1 4 1 1 0.9 1 1 0.9 1.5 1 4 1.5 1 4 2.5 1 0 2.5 1' "                                  \
  "facets='[ 0 , 7 , 4 , 3 ] [ 0 , 3 , 2 , 1 ] [ 7 , 6 , 5 , 4 ] [ 8 , 11 , 12 , 15 ] "            \
  "[ 8 , 9 , 10 , 11 ] [ 12 , 13 , 14 , 15 ] [ 0 , 1 , 9 , 8 ] [ 1 , 2 , 10 , 9 ] "                \
  "[ 2 , 3 , 11 , 10 ] [ 3 , 4 , 12 , 11 ] [ 4 , 5 , 13 , 12 ] [ 5 , 6 , 14 , 13 ] "               \
  "[ 6 , 7 , 15 , 14 ] [ 7 , 0 , 8 , 15 ]' "

static void branches_get_cells_of_their_own(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<SparseGridTopology name='s' n='5 2 2' nbVirtualFinerLevels='4' " FORK "/>"
                       "<Node name='r'><SparseGridRamificationTopology name='s' n='5 2 2' "
                       "nbVirtualFinerLevels='4' finestConnectivity='0' " FORK "/></Node>"
                       "<Node name='p'><SparseGridRamificationTopology name='s' n='5 2 2' "
                       "finestConnectivity='0' " FORK "/></Node>"),
                 NULL);
  // four cells in a row; the prongs run through the last three of them
  SofaTopology *s = topology_at(&run, "/s"), *r = topology_at(&run, "/r/s");
  assert_int_equal(s->mesh.hexahedra.n, 4);
  assert_int_equal(s->n_points, 20);
  assert_int_equal(topology_at(&run, "/p/s")->n_points, 20);
  assert_int_equal(r->mesh.hexahedra.n, 1 + 2 * 3);
  const double *stiffness[2], *mass[2];
  double sum[2] = {0, 0};
  SofaTopology *const both[2] = {s, r};
  for (int k = 0; k < 2; k++) {
    assert_true(sofa_topology_factors(both[k], &stiffness[k], &mass[k]));
    for (size_t i = 0; i < both[k]->mesh.hexahedra.n; i++) sum[k] += mass[k][i];
  }
  // the branches share the mass of the cells
  assert_true(fabs(sum[0] - sum[1]) < 1e-12);
  // points of the two prongs find different cells
  uint32_t left, right;
  double f[3];
  const SofaTopologyOps *ops = sofa_topology_ops(r);
  assert_true(ops->find_hexa(r, (const double[3]){3.5, 0.5, 0.5}, &left, f));
  assert_true(ops->find_hexa(r, (const double[3]){3.5, 2, 0.5}, &right, f));
  assert_int_not_equal(left, right);
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 8; k++)
      assert_int_not_equal(r->mesh.hexahedra.data[left].v[i], r->mesh.hexahedra.data[right].v[k]);
  scene_run_close(&run);
}

static void a_surface_that_leaves_the_grid_is_told(void **state) {
  SceneRun run = {.quiet = true};
  (void)state;
  scene_run_context(&run, NULL);
  run.quiet = true;
  assert_int_equal(sofa_simulation_load_text(run.ctx,
                                             SCENE("<SparseGridTopology name='s' n='4 4 4' "
                                                   "max='2 2 2' " BOX "/>"),
                                             &run.simulation),
                   SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_non_null(strstr(run.last, "4 of 8 vertices of the surface are outside"));
  scene_run_close(&run);
}

/* ---- grids of voxels ---- */

#define IMAGES "tests/fuzz/corpus/images/"
/* 2 x 2 x 2 of 4 x 4 x 4 voxels, in the middle */
#define RAW "filename='" IMAGES "cube.raw' dataResolution='4 4 4' "

static void grids_are_filled_with_voxels(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<SparseGridTopology name='s' n='5 5 5' " RAW "voxelSize='1 2 3'/>"
                       "<Node name='c'><SparseGridTopology name='s' n='3 3 3' " RAW "/></Node>"
                       "<Node name='f'><SparseGridTopology name='s' n='9 5 5' " RAW "/></Node>"
                       "<Node name='l'><SparseGridTopology name='s' n='3 3 3' fillWeighted='0' "
                       "nbVirtualFinerLevels='1' " RAW "/></Node>"
                       "<Node name='r'><SparseGridRamificationTopology name='s' n='5 5 5' " RAW
                       "/></Node>"),
                 NULL);
  const double *stiffness, *mass;
  SofaTopology *s = topology_at(&run, "/s");
  assert_int_equal(s->mesh.hexahedra.n, 8);
  close_to(s->mesh.position.data[0].v, 1, 2, 3);
  close_to(s->mesh.position.data[s->n_points - 1].v, 3, 6, 9);
  // each of the coarse cells has one of its eight voxels
  SofaTopology *c = topology_at(&run, "/c/s");
  assert_int_equal(c->mesh.hexahedra.n, 8);
  assert_true(sofa_topology_factors(c, &stiffness, &mass));
  for (int i = 0; i < 8; i++) assert_true(stiffness[i] == 0.125 && mass[i] == 0.125);
  // where cells are smaller than voxels, there are no holes
  assert_int_equal(topology_at(&run, "/f/s")->mesh.hexahedra.n, 16);
  SofaTopology *l = topology_at(&run, "/l/s");
  assert_int_equal(l->mesh.hexahedra.n, 8);
  assert_true(sofa_topology_factors(l, &stiffness, &mass));
  for (int i = 0; i < 8; i++) assert_true(stiffness[i] == 0.125);
  assert_int_equal(topology_at(&run, "/r/s")->n_points, 27);
  scene_run_close(&run);
}

static void texts_and_loaders_of_voxels(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<SparseGridTopology name='s' filename='" IMAGES "good.voxel'/>"
                       "<Node name='l'><VoxelGridLoader filename='" IMAGES "cube.raw' "
                       "resolution='4 4 4' voxelSize='0.5 0.5 0.5' bgValue='0'/>"
                       "<SparseGridTopology name='s' n='5 5 5'/></Node>"),
                 NULL);
  SofaTopology *s = topology_at(&run, "/s");
  assert_int_equal(s->mesh.hexahedra.n, 4);
  close_to(s->mesh.position.data[s->n_points - 1].v, 1.5, 0.5, 2);
  SofaTopology *l = topology_at(&run, "/l/s");
  assert_int_equal(l->mesh.hexahedra.n, 8);
  close_to(l->mesh.position.data[0].v, 0.5, 0.5, 0.5);
  scene_run_close(&run);
}

/* Volume that triangles enclose. */
static double enclosed(const SofaVec3s *points, const SofaTriangles *triangles) {
  double sum = 0;
  for (size_t i = 0; i < triangles->n; i++) {
    const double *a = points->data[triangles->data[i].v[0]].v;
    const double *b = points->data[triangles->data[i].v[1]].v;
    const double *c = points->data[triangles->data[i].v[2]].v;
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

static void voxels_get_a_surface(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<SparseGridTopology name='s' n='5 5 5' " RAW "/>"
                       "<Node name='child'><MeshTopology name='m'/><MechanicalObject name='o'/>"
                       "</Node>"
                       "<Node name='fine'><SparseGridTopology name='s' n='5 5 5' "
                       "convolutionSize='3' " RAW "/></Node>"
                       "<Node name='coarse'><SparseGridTopology name='s' n='5 5 5' "
                       "marchingCubeStep='2' " RAW "/></Node>"),
                 NULL);
  // eight voxels without their edges and corners, as marching tetrahedra cut them
  const SofaTopology *m = topology_at(&run, "/child/m");
  const double volume_of_8 = enclosed(&m->mesh.position, &m->mesh.triangles);
  assert_true(volume_of_8 > 4 && volume_of_8 < 8);
  assert_int_equal(scene_run_state(&run, "/child/o")->position.n, m->mesh.position.n);
  assert_int_equal(m->n_points, m->mesh.position.n);
  // closed: Euler's formula of a sphere, with three half edges per triangle
  assert_int_equal(m->mesh.position.n + m->mesh.triangles.n, 2 + 3 * m->mesh.triangles.n / 2);
  for (size_t i = 0; i < m->mesh.position.n; i++)
    for (int k = 0; k < 3; k++) {
      const double x = m->mesh.position.data[i].v[k];
      assert_true(x >= 1 && x <= 3);
    }
  static const char *const others[] = {"/fine/s", "/coarse/s"};
  for (int i = 0; i < 2; i++) {
    const SofaObject *s = scene_run_object(&run, others[i]);
    const SofaVec3s *points = sofa_field_value(s, sofa_class_field(s->klass, "surfacePosition"));
    const SofaTriangles *t = sofa_field_value(s, sofa_class_field(s->klass, "surfaceTriangles"));
    // a smoothed block is smaller than half everywhere; one sample is left of every second voxel
    if (i == 0) assert_int_equal(t->n, 0);
    else assert_true(enclosed(points, t) > 0.1);
  }
  scene_run_close(&run);
}

/* The surface of a smoothed block of 4 x 4 x 4 voxels in the middle of 6 x 6 x 6: it is the same
 * seen from either end of each axis. A face's middle has 18 of 27 voxels, 9 of 27 one farther out:
 * the half lies half way between. */
static void smoothed_blocks_stay_in_the_middle(void **state) {
  char path[] = "/tmp/csofa-voxels-XXXXXX.raw", text[400];
  unsigned char used[216];
  (void)state;
  for (int i = 0; i < 216; i++) {
    const int x = i % 6, y = i / 6 % 6, z = i / 36;
    used[i] = x && x < 5 && y && y < 5 && z && z < 5 ? 255 : 0;
  }
  const int file = mkstemps(path, 4);
  assert_true(file >= 0);
  assert_int_equal(write(file, used, sizeof used), sizeof used);
  close(file);
  snprintf(text, sizeof text,
           SCENE("<SparseGridTopology name='s' n='7 7 7' filename='%s' dataResolution='6 6 6' "
                 "convolutionSize='3'/>"),
           path);
  SceneRun run;
  scene_run_open(&run, text, NULL);
  const SofaObject *s = scene_run_object(&run, "/s");
  const SofaVec3s *points = sofa_field_value(s, sofa_class_field(s->klass, "surfacePosition"));
  assert_true(points->n > 20);
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < points->n; i++) {
      low = fmin(low, points->data[i].v[k]);
      high = fmax(high, points->data[i].v[k]);
    }
    assert_true(fabs(low - 1) < 1e-6 && fabs(high - 5) < 1e-6);
  }
  scene_run_close(&run);
  unlink(path);
}

/* ---- wrong fields ---- */

static void refused(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) fail_msg("nothing says '%s'", words);
  if (!strstr(run.last, words)) fail_msg("'%s' does not say '%s'", run.last, words);
  scene_run_close(&run);
}

/* Counts below 1 are those of the default, with a warning. */
static void counts_below_one(void **state) {
  static const char *const counts[] = {"0", "-1", "-2147483648"};
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(counts); k++) {
    char scene[300];
    SceneRun run = {.quiet = true};
    snprintf(scene, sizeof scene, SCENE("<RegularGridTopology name='grid' nx='%s' ny='3' nz='4'/>"),
             counts[k]);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    assert_int_equal(run.n_problems, 1);
    assert_non_null(strstr(run.all, "does not exist; 2 x 2 x 2 is used"));
    assert_int_equal(((SofaTopology *)scene_run_object(&run, "/grid"))->n_points, 8);
    scene_run_close(&run);
  }
}

static void bad_grids_are_refused(void **state) {
  (void)state;
  refused(SCENE("<SparseGridTopology/>"), "nothing to fill");
  refused(SCENE("<SparseGridTopology n='1 5 5' " BOX "/>"), "axis 0");
  refused(SCENE("<SparseGridTopology min='0 0 1' max='0 3 3' " BOX "/>"), "flat");
  refused(SCENE("<SparseGridTopology nbVirtualFinerLevels='-1' " BOX "/>"), "expected in [0, 20]");
  refused(SCENE("<SparseGridTopology n='100000 9000 2' " BOX "/>"), "too many points");
  refused(SCENE("<SparseGridTopology position='0 0 0' triangles='0 1 2'/>"), "there are 1");
  refused(SCENE("<CubeTopology nx='2' ny='2'/>"), "expected 1 or more");
  refused(SCENE("<CylinderGridTopology axis='0 0 0'/>"), "has no direction");
  refused(SCENE("<SphereGridTopology radius='-1'/>"), "expected > 0");
  refused(SCENE("<SparseGridTopology filename='" IMAGES "cube.raw'/>"), "at least 1");
  refused(SCENE("<SparseGridTopology filename='" IMAGES "cube.raw' dataResolution='4 4 5'/>"),
          "the file has 64 bytes; 4 x 4 x 5 voxels need 80");
  refused(SCENE("<SparseGridTopology " RAW "voxelSize='1 0 1'/>"), "must be > 0");
  refused(SCENE("<SparseGridTopology " RAW "marchingCubeStep='0'/>"), "expected in [1, 10000]");
  refused(SCENE("<SparseGridTopology " RAW "convolutionSize='65'/>"), "expected in [0, 64]");
  refused(SCENE("<SparseGridTopology filename='" IMAGES "no.raw' dataResolution='1 1 1'/>"),
          "not found");
  refused(SCENE("<SparseGridTopology filename='" IMAGES "broken_count.voxel'/>"),
          "the file ends where a number of voxels is expected");
  refused(SCENE("<SparseGridTopology filename='" IMAGES "broken_huge.voxel'/>"),
          "does not fit the rest of the file");
  refused(SCENE("<SparseGridTopology filename='" IMAGES "broken_size.voxel'/>"),
          "voxels of 1 x 0 x 1");
  refused(SCENE("<SparseGridTopology filename='" IMAGES "broken_value.voxel'/>"),
          "expected the value of a voxel, found 'x'");
  refused(SCENE("<SparseGridTopology filename='" IMAGES "broken_few.voxel'/>"), "the file ends");
}

static void grids_survive_lack_of_memory(void **state) {
  (void)state;
  scene_without_memory(SCENE("<SparseGridTopology n='3 3 3' " BOX "/>"));
  scene_without_memory(SCENE("<SparseGridRamificationTopology n='3 2 2' nbVirtualFinerLevels='2' "
                             "finestConnectivity='0' " FORK "/>"));
  scene_without_memory(SCENE("<SparseGridTopology n='3 3 3' " RAW "/>"
                             "<Node name='c'><MeshTopology name='m'/></Node>"));
  scene_without_memory(SCENE("<SparseGridTopology filename='" IMAGES "good.voxel'/>"));
  scene_without_memory(SCENE("<CubeTopology nx='3' ny='3' nz='3'/>"
                             "<CylinderGridTopology n='3 3 2'/><GridTopology/>"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cylinders_and_spheres_have_their_radius),
      cmocka_unit_test(surfaces_of_boxes_are_closed),
      cmocka_unit_test(quads_on_a_sphere),
      cmocka_unit_test(sparse_grids_fill_a_surface),
      cmocka_unit_test(branches_get_cells_of_their_own),
      cmocka_unit_test(a_surface_that_leaves_the_grid_is_told),
      cmocka_unit_test(grids_are_filled_with_voxels),
      cmocka_unit_test(texts_and_loaders_of_voxels),
      cmocka_unit_test(voxels_get_a_surface),
      cmocka_unit_test(smoothed_blocks_stay_in_the_middle),
      cmocka_unit_test(counts_below_one),
      cmocka_unit_test(bad_grids_are_refused),
      cmocka_unit_test(grids_survive_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
