/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several elements that come at once, between points that are there: forces and masses are then
 * those of a body that was made with them. */
#include "tests/support/topology_edits.h"

#include <math.h>

#define SOLVER                                                                                     \
  "<EulerImplicitSolver/><CGLinearSolver iterations='500' tolerance='1e-14' threshold='1e-30'/>"
#define STATE "<MechanicalObject name='state'/>"
#define MASS STATE "<UniformMass vertexMass='0.5'/>"
#define MATERIAL " youngModulus='300' poissonRatio='0.3'/>"
#define STOCKY                                                                                     \
  "<TetrahedronHyperelasticityFEMForceField materialName='NeoHookean' ParameterSet='100 300'/>"

typedef struct Mesh {
  const char *name, *set, *list, *points, *first, *others, *held;
  Edit comes;
} Mesh;

/* The elements of `first`; those of `others` come. `held`: indices of points that do not move. */
static const Mesh meshes[] = {
    {"edges",
     "Edge",
     "edges",
     "0 0 0 1 0 0 2 0.1 0 3 0 0 4 0 0.2",
     "0 1",
     " 1 2 2 3 3 4",
     "0",
     {"/body/mesh", SOFA_ELEMENT_EDGE, true, 3, {1, 2, 2, 3, 3, 4}, 0}},
    {"triangles",
     "Triangle",
     "triangles",
     "0 0 0 1 0 0 2 0 0.1 0 1 0.1 1 1 0 2 1 0 0 2 0 1 2 0.2 2 2 0",
     "0 1 4 0 4 3 1 2 5 1 5 4",
     " 3 4 7 3 7 6 4 5 8 4 8 7",
     "0 3 6",
     {"/body/mesh", SOFA_ELEMENT_TRIANGLE, true, 4, {3, 4, 7, 3, 7, 6, 4, 5, 8, 4, 8, 7}, 0}},
    {"quads",
     "Quad",
     "quads",
     "0 0 0 1 0 0 2 0 0 3 0 0 0 1 0 1 1 0 2 1 0 3 1 0",
     "0 1 5 4",
     " 1 2 6 5 2 3 7 6",
     "0 4",
     {"/body/mesh", SOFA_ELEMENT_QUAD, true, 2, {1, 2, 6, 5, 2, 3, 7, 6}, 0}},
    {"tetrahedra",
     "Tetrahedron",
     "tetrahedra",
     "0 0 -1 0 0 0 1 0 0 0 1 0 0 0 1 1 1 1 2 2 1",
     "0 1 2 3",
     " 1 2 3 4 2 3 4 5 2 5 3 6",
     "0 1",
     {"/body/mesh", SOFA_ELEMENT_TETRA, true, 3, {1, 2, 3, 4, 2, 3, 4, 5, 2, 5, 3, 6}, 0}},
    {"hexahedra",
     "Hexahedron",
     "hexahedra",
     "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0 0 2 1 0 2 1 1 2 0 1 2 0 0 3 1 0 3 1 1 3 "
     "0 1 3",
     "0 1 2 3 4 5 6 7",
     " 4 5 6 7 8 9 10 11 8 9 10 11 12 13 14 15",
     "0 1 2 3",
     {"/body/mesh",
      SOFA_ELEMENT_HEXA,
      true,
      2,
      {4, 5, 6, 7, 8, 9, 10, 11, 8, 9, 10, 11, 12, 13, 14, 15},
      0}},
};
enum { ON_EDGES, ON_TRIANGLES, ON_QUADS, ON_TETRAS, ON_HEXAS };

typedef struct Part {
  int mesh;
  const char *parts;
} Part;

static const Part parts[] = {
    {ON_EDGES, MASS "<MeshSpringForceField stiffness='40' damping='0.2'/>"},
    {ON_EDGES, STATE "<DiagonalMass massDensity='2'/><MeshSpringForceField stiffness='40'/>"},
    {ON_EDGES, STATE "<MeshMatrixMass massDensity='2'/><MeshSpringForceField stiffness='40'/>"},
    {ON_TRIANGLES, MASS "<TriangularFEMForceField" MATERIAL},
    {ON_TRIANGLES, MASS "<TriangularFEMForceField method='small'" MATERIAL},
    {ON_TRIANGLES, MASS "<TriangleFEMForceField" MATERIAL},
    {ON_TRIANGLES, MASS "<TriangularFEMForceFieldOptim" MATERIAL},
    {ON_TRIANGLES,
     MASS "<TriangularAnisotropicFEMForceField transverseYoungModulus='200'" MATERIAL},
    {ON_TRIANGLES, MASS "<TriangularBendingSprings stiffness='20' damping='0.5'/>"},
    {ON_TRIANGLES, MASS "<FastTriangularBendingSprings bendingStiffness='5'/>"},
    {ON_TRIANGLES, MASS "<TriangularBiquadraticSpringsForceField" MATERIAL},
    {ON_TRIANGLES, MASS "<TriangularQuadraticSpringsForceField" MATERIAL},
    {ON_TRIANGLES, MASS "<TriangularTensorMassForceField" MATERIAL},
    {ON_TRIANGLES, MASS "<SurfacePressureForceField pressure='1.5'/>"},
    {ON_TRIANGLES, STATE "<DiagonalMass massDensity='2'/><TriangleFEMForceField" MATERIAL},
    {ON_TRIANGLES, STATE "<MeshMatrixMass massDensity='2'/><TriangleFEMForceField" MATERIAL},
    {ON_QUADS, MASS "<QuadBendingFEMForceField" MATERIAL},
    {ON_QUADS, MASS "<QuadularBendingSprings stiffness='20'/>"},
    {ON_QUADS, STATE "<DiagonalMass massDensity='2'/><QuadularBendingSprings stiffness='20'/>"},
    {ON_TETRAS, MASS "<TetrahedronFEMForceField method='large'" MATERIAL},
    {ON_TETRAS, MASS "<TetrahedronFEMForceField method='svd'" MATERIAL},
    {ON_TETRAS, MASS "<TetrahedralCorotationalFEMForceField" MATERIAL},
    {ON_TETRAS, MASS "<FastTetrahedralCorotationalForceField" MATERIAL},
    {ON_TETRAS, MASS "<TetrahedralTensorMassForceField" MATERIAL},
    {ON_TETRAS, MASS STOCKY},
    {ON_TETRAS, MASS "<StandardTetrahedralFEMForceField materialName='NeoHookean' "
                     "ParameterSet='100 300'/>"},
    {ON_TETRAS, STATE "<DiagonalMass massDensity='2'/>" STOCKY},
    {ON_TETRAS, STATE "<MeshMatrixMass massDensity='2'/>" STOCKY},
    {ON_TETRAS, STATE "<MeshMatrixMass massDensity='2' lumping='1'/>" STOCKY},
    {ON_HEXAS, MASS "<HexahedronFEMForceField method='polar'" MATERIAL},
    {ON_HEXAS, MASS "<HexahedralFEMForceField" MATERIAL},
    {ON_HEXAS, STATE "<HexahedronFEMForceFieldAndMass density='2'" MATERIAL},
    {ON_HEXAS, STATE "<HexahedralFEMForceFieldAndMass density='2' lumpedMass='1'" MATERIAL},
    {ON_HEXAS, STATE "<DiagonalMass massDensity='2'/><HexahedronFEMForceField" MATERIAL},
    {ON_HEXAS, STATE "<MeshMatrixMass massDensity='2'/><HexahedronFEMForceField" MATERIAL},
};

static void open_body(SceneRun *run, const Mesh *mesh, bool all, const char *of) {
  char text[4000];
  assert_true(snprintf(text, sizeof text,
                       "<Node name='root' dt='0.02' gravity='0.3 -4 2'><DefaultAnimationLoop/>"
                       "<DefaultVisualManagerLoop/><Node name='body'>" SOLVER
                       "<%sSetTopologyContainer name='mesh' position='%s' %s='%s%s'/>"
                       "<%sSetTopologyModifier/>%s<FixedProjectiveConstraint indices='%s'/>"
                       "</Node></Node>",
                       mesh->set, mesh->points, mesh->list, mesh->first, all ? mesh->others : "",
                       mesh->set, of, mesh->held) < (int)sizeof text);
  scene_run_open(run, text, NULL);
}

static void expect_same(SceneRun *a, SceneRun *b, const char *what) {
  const SofaState *x = scene_run_state(a, "/body/state"), *y = scene_run_state(b, "/body/state");
  assert_int_equal(x->position.n, y->position.n);
  for (size_t i = 0; i < 3 * x->position.n; i++) {
    const double off = fabs(x->position.data[i] - y->position.data[i]);
    if (!(off < 1e-9)) fail_msg("%s: point %zu is off by %g", what, i / 3, off);
  }
}

static void changed_is_as_made(void **state) {
  (void)state;
  for (const Part *p = parts; p < parts + SOFA_COUNT(parts); p++) {
    const Mesh *mesh = &meshes[p->mesh];
    const Edit edits[MOST_EDITS] = {mesh->comes};
    SceneRun changed, made;
    open_body(&changed, mesh, false, p->parts);
    open_body(&made, mesh, true, p->parts);
    carry_out(&changed, p->parts, edits);
    scene_run_steps(&changed, 10);
    scene_run_steps(&made, 10);
    expect_same(&changed, &made, p->parts);
    scene_run_close(&changed);
    scene_run_close(&made);
  }
}

/* Triangles that are given their corners at rest; those that come lie where their points are at
 * rest. */
static void triangles_with_corners(void **state) {
#define IDENTITY "1 0 0 0 1 0 0 0 1 "
#define CORNERS "0 0 0 1 0 0 1 1 0 0 0 0 1 1 0 0 1 0.1 1 0 0 2 0 0.1 2 1 0 1 0 0 2 1 0 1 1 0 "
#define OTHERS "0 1 0.1 1 1 0 1 2 0.2 0 1 0.1 1 2 0.2 0 2 0 1 1 0 2 1 0 2 2 0 1 1 0 2 2 0 1 2 0.2"
#define FOUR IDENTITY IDENTITY IDENTITY IDENTITY
#define GIVEN(corners, turns)                                                                      \
  MASS "<TriangularFEMForceField name='fem' rotatedInitialElements='" corners                      \
       "' initialTransformation='" turns "'" MATERIAL
  const Mesh *mesh = &meshes[ON_TRIANGLES];
  const Edit edits[MOST_EDITS] = {mesh->comes};
  SceneRun changed, made;
  (void)state;
  open_body(&changed, mesh, false, GIVEN(CORNERS, FOUR));
  open_body(&made, mesh, true, GIVEN(CORNERS OTHERS, FOUR FOUR));
  carry_out(&changed, "corners", edits);
  static const char *const names[] = {"rotatedInitialElements", "initialTransformation"};
  for (int i = 0; i < 2; i++) {
    const SofaObject *a = scene_run_object(&changed, "/body/fem");
    const SofaObject *b = scene_run_object(&made, "/body/fem");
    const SofaReals *found = sofa_field_value(a, sofa_class_field(a->klass, names[i]));
    const SofaReals *expected = sofa_field_value(b, sofa_class_field(b->klass, names[i]));
    assert_int_equal(found->n, 72);
    assert_memory_equal(found->data, expected->data, 72 * sizeof *found->data);
  }
  scene_run_steps(&changed, 10);
  scene_run_steps(&made, 10);
  expect_same(&changed, &made, "corners");
  scene_run_close(&changed);
  scene_run_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changed_is_as_made),
      cmocka_unit_test(triangles_with_corners),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
