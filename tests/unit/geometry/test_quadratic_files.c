/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of second order in files that Gmsh wrote (MSH 2 and 4, text and binary, VTK): each node
 * lies in the middle of the corners that the shape says, and no element is inverted. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/loader.h"
#include "math/vec.h"
#include "numerics/fem/finite_element.h"

#define FOLDER "tests/unit/geometry/quadratic/"
#define SCENE(loader, file)                                                                        \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><" loader                   \
  " name='file' filename='" FOLDER file "'/></Node>"

typedef struct FileCase {
  const char *scene;
  SofaShape solid, face;
  size_t n_faces;
} FileCase;

#define GMSH(file) SCENE("MeshGmshLoader", file)
#define VTK(file) SCENE("MeshVTKLoader", file)

static const FileCase files[] = {
    {GMSH("hexa27.msh"), SOFA_SHAPE_HEXA27, SOFA_SHAPE_QUAD9, 6},
    {GMSH("hexa27_binary.msh"), SOFA_SHAPE_HEXA27, SOFA_SHAPE_QUAD9, 6},
    {GMSH("hexa20.msh"), SOFA_SHAPE_HEXA20, SOFA_SHAPE_QUAD8, 6},
    {GMSH("prism15.msh"), SOFA_SHAPE_PRISM15, SOFA_SHAPE_QUAD8, 3},
    {GMSH("pyramid13.msh"), SOFA_SHAPE_PYRAMID13, SOFA_SHAPE_QUAD8, 0},
    {GMSH("tetra10.msh"), SOFA_SHAPE_TETRA10, SOFA_SHAPE_TRIANGLE6, 4},
    {GMSH("tetra10_binary.msh"), SOFA_SHAPE_TETRA10, SOFA_SHAPE_TRIANGLE6, 4},
    {VTK("hexa27.vtk"), SOFA_SHAPE_HEXA27, SOFA_SHAPE_QUAD9, 6},
    {VTK("hexa20.vtk"), SOFA_SHAPE_HEXA20, SOFA_SHAPE_QUAD8, 6},
    {VTK("prism15.vtk"), SOFA_SHAPE_PRISM15, SOFA_SHAPE_QUAD8, 3},
    {VTK("tetra10.vtk"), SOFA_SHAPE_TETRA10, SOFA_SHAPE_TRIANGLE6, 4},
};

/* The field of a shape: "Tetrahedron10" is in "tetrahedra10". */
static const SofaIndices *list_of(SofaObject *loader, SofaShape shape) {
  static const char *const names[] = {"edges3",   "triangles6",   "quads8",
                                      "quads9",   "tetrahedra10", "pyramids13",
                                      "prisms15", "hexahedra20",  "hexahedra27"};
  const SofaField *field = sofa_class_field(loader->klass, names[shape - SOFA_SHAPE_EDGE3]);
  assert_non_null(field);
  return sofa_field_value(loader, field);
}

/* Nodes of an element in space. */
static void take_nodes(const SofaMesh *mesh, SofaShape shape, const uint32_t *v, double *p) {
  for (unsigned a = 0; a < sofa_shape_info(shape)->n_nodes; a++) {
    assert_true(v[a] < mesh->position.n);
    sofa_vec3_copy(mesh->position.data[v[a]].v, p + 3 * a);
  }
}

static void nodes_are_in_the_middle(SofaShape shape, const double *p) {
  for (unsigned a = 0; a < sofa_shape_info(shape)->n_nodes; a++) {
    uint8_t corners[8];
    double mean[3] = {0};
    const unsigned n = sofa_shape_node_corners(shape, a, corners);
    for (unsigned k = 0; k < n; k++) sofa_vec3_axpy(1. / n, p + 3 * corners[k], mean);
    if (!(sofa_vec3_distance(mean, p + 3 * a) < 1e-10))
      fail_msg("%s: node %u is not in the middle", sofa_shape_info(shape)->name, a);
  }
}

static void is_proper(SofaShape shape, const double *p) {
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  const size_t n_points = sofa_quadrature(shape, SOFA_RULE_FULL, rule);
  double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3], g[3 * SOFA_SHAPE_MAX_NODES];
  for (size_t q = 0; q < n_points; q++) {
    sofa_shape_functions(shape, rule[q].xi, n, d);
    assert_true(sofa_shape_gradients(shape, 3, p, d, g) > 0);
  }
}

static void check_list(SofaObject *loader, SofaShape shape, size_t n) {
  const SofaMesh *mesh = &((SofaMeshLoader *)loader)->data.mesh;
  const SofaIndices *list = list_of(loader, shape);
  const size_t width = sofa_shape_info(shape)->n_nodes;
  assert_int_equal(list->n, n * width);
  for (size_t e = 0; e < n; e++) {
    double p[3 * SOFA_SHAPE_MAX_NODES];
    take_nodes(mesh, shape, list->data + width * e, p);
    nodes_are_in_the_middle(shape, p);
    is_proper(shape, p);
  }
}

static void open_file(SceneRun *run, const char *scene) {
  run->quiet = true;
  scene_run_context(run, NULL);
  assert_int_equal(sofa_simulation_load_text(run->ctx, scene, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
}

static void files_of_gmsh(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(files); i++) {
    SceneRun run = {0};
    open_file(&run, files[i].scene);
    SofaObject *loader = scene_run_object(&run, "/file");
    check_list(loader, files[i].solid, 1);
    check_list(loader, files[i].face, files[i].n_faces);
    scene_run_close(&run);
  }
}

/* Points between corners are no corners: the elements that need them are left out. */
static void attached_points(void **state) {
  (void)state;
  SceneRun run = {0};
  open_file(&run, "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                  "<MeshGmshLoader name='file' onlyAttachedPoints='1' filename='" FOLDER
                  "hexa20.msh'/></Node>");
  SofaObject *loader = scene_run_object(&run, "/file");
  assert_int_equal(((SofaMeshLoader *)loader)->data.mesh.position.n, 8);
  assert_int_equal(list_of(loader, SOFA_SHAPE_HEXA20)->n, 0);
  assert_non_null(strstr(run.all, "leaves out elements of second order"));
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_of_gmsh),
                                     cmocka_unit_test(attached_points)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
