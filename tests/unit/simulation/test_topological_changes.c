/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements that go and come: what a body is after a change is what it would be had it been made
 * like that; the plan is made anew once; what cannot follow is refused while nothing has changed.
 */
#include "components/builtins.h"
#include "tests/support/scene_memory.h"

#include <math.h>
#include <unistd.h>

#define WITHOUT_SOLVER                                                                             \
  "<Node name='root' dt='0.01' gravity='0 -10 3'><DefaultAnimationLoop/>"                          \
  "<DefaultVisualManagerLoop/><Node name='body'>"                                                  \
  "<EulerImplicitSolver rayleighStiffness='0.02' rayleighMass='0.1'/>"

#define SCENE                                                                                      \
  WITHOUT_SOLVER "<CGLinearSolver iterations='500' tolerance='1e-14' threshold='1e-30'/>"

/* timeToRemove < 0: in the first step. */
#define REMOVE(what, ids)                                                                          \
  "<TopologicalChangeProcessor useDataInputs='1' timeToRemove='-1' " what "ToRemove='" ids "'/>"

typedef struct Pair {
  const char *what;
  const char *before; /* mesh that is changed in the first step, and how */
  const char *after;  /* the mesh that comes out */
  const char *parts;  /* the components on it */
} Pair;

/* 3 x 3 points, two triangles per square. Triangle 2 takes point 2 along, whose place point 8
 * takes, as triangle 7 that of triangle 2. */
static const char sheet[] =
    "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0 "
    "0 2 0 1 2 0 2 2 0' triangles='0 1 4 0 4 3 1 2 5 1 5 4 3 4 7 3 7 6 4 5 8 4 8 7'/>"
    "<TriangleSetTopologyModifier name='modifier'/>" REMOVE("triangles", "2");
static const char sheet_after[] =
    "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 2 0 0 1 0 1 1 0 2 1 0 "
    "0 2 0 1 2 0' triangles='0 1 4 0 4 3 4 2 7 1 5 4 3 4 7 3 7 6 4 5 2'/>"
    "<TriangleSetTopologyModifier name='modifier'/>";

/* A tetrahedron on each side of a triangle; the first one goes with its point 0. */
static const char tetras[] =
    "<TetrahedronSetTopologyContainer name='mesh' position='0 0 -1 0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
    "tetrahedra='0 1 2 3 1 2 3 4 2 3 4 5'/><TetrahedronSetTopologyModifier "
    "name='modifier'/>" REMOVE("tetrahedra", "0");
static const char tetras_after[] =
    "<TetrahedronSetTopologyContainer name='mesh' position='1 1 1 0 0 0 1 0 0 0 1 0 0 0 1' "
    "tetrahedra='2 3 4 0 1 2 3 4'/><TetrahedronSetTopologyModifier name='modifier'/>";

static const char hexas[] =
    "<HexahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 "
    "1 "
    "0 1 1 0 0 2 1 0 2 1 1 2 0 1 2' hexahedra='0 1 2 3 4 5 6 7 4 5 6 7 8 9 10 11'/>"
    "<HexahedronSetTopologyModifier name='modifier'/>" REMOVE("hexahedra", "0");
/* points 3 2 1 0 go: 11 10 9 8 come to their places */
static const char hexas_after[] =
    "<HexahedronSetTopologyContainer name='mesh' position='0 0 2 1 0 2 1 1 2 0 1 2 0 0 1 1 0 1 1 1 "
    "1 "
    "0 1 1' hexahedra='4 5 6 7 0 1 2 3'/><HexahedronSetTopologyModifier name='modifier'/>";

static const char quads[] =
    "<QuadSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0 3 0 0 0 1 0 1 1 0 2 1 0 3 1 "
    "0' "
    "quads='0 1 5 4 1 2 6 5 2 3 7 6'/><QuadSetTopologyModifier name='modifier'/>" REMOVE("quads",
                                                                                         "0");
/* quad 0 takes points 4 and 0 along: 7 comes to 4, then 6 to 0 */
static const char quads_after[] =
    "<QuadSetTopologyContainer name='mesh' position='2 1 0 1 0 0 2 0 0 3 0 0 3 1 0 1 1 0' "
    "quads='2 3 4 0 1 2 0 5'/><QuadSetTopologyModifier name='modifier'/>";

/* A line; its first edge goes with its first point, whose place the last ones take. */
static const char edges[] =
    "<EdgeSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0.1 0 3 0 0 4 0 0.2' "
    "edges='0 1 1 2 2 3 3 4'/><EdgeSetTopologyModifier name='modifier'/>" REMOVE("edges", "0");
static const char edges_after[] =
    "<EdgeSetTopologyContainer name='mesh' position='4 0 0.2 1 0 0 2 0.1 0 3 0 0' "
    "edges='3 0 1 2 2 3'/><EdgeSetTopologyModifier name='modifier'/>";

#define MASS "<MechanicalObject name='state'/><DiagonalMass massDensity='2'/>"
#define FRAMES                                                                                     \
  "<MechanicalObject name='state' template='Rigid3d'/>"                                            \
  "<UniformMass vertexMass='0.5 1 [1 0 0 0 1 0 0 0 1]'/>"
#define BEAMS "<BeamFEMForceField youngModulus='20000' poissonRatio='0.3' radius='0.1'/>"
#define ON_SHEET MASS "<FixedProjectiveConstraint indices='3 6'/>"

static const Pair pairs[] = {
    {"triangles", sheet, sheet_after,
     ON_SHEET "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"},
    {"bending springs", sheet, sheet_after,
     ON_SHEET "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"
              "<TriangularBendingSprings stiffness='20' damping='0.5'/>"},
    {"fast bending springs", sheet, sheet_after,
     ON_SHEET "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"
              "<FastTriangularBendingSprings bendingStiffness='5'/>"},
    {"other triangles", sheet, sheet_after,
     ON_SHEET "<TriangleFEMForceField youngModulus='300' poissonRatio='0.3'/>"},
    {"one triangle per element", sheet, sheet_after,
     ON_SHEET "<TriangularFEMForceFieldOptim youngModulus='300' poissonRatio='0.3'/>"},
    {"loads", sheet, sheet_after,
     ON_SHEET "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"
              "<ConstantForceField indices='7 0' forces='0 0 3 0 2 0'/>"
              "<TrianglePressureForceField triangleList='0 4' pressure='0 0 2'/>"
              "<SurfacePressureForceField pressure='1.5'/><UniformVelocityDampingForceField/>"
              "<PlaneForceField normal='0 0 1' d='-0.01' stiffness='10'/>"},
    {"consistent mass", sheet, sheet_after,
     "<MechanicalObject name='state'/><MeshMatrixMass massDensity='2'/>"
     "<FixedProjectiveConstraint indices='3 6'/>"
     "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"},
    {"lines", sheet, sheet_after,
     "<MechanicalObject name='state'/><UniformMass vertexMass='0.5'/>"
     "<LineProjectiveConstraint indices='3 6' direction='0 1 0'/>"
     "<PartialFixedProjectiveConstraint indices='0' fixedDirections='1 1 1'/>"
     "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"},
    {"mapped copy", sheet, sheet_after,
     ON_SHEET "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"
              "<Node name='copy'><MechanicalObject name='points'/><UniformMass vertexMass='0.2'/>"
              "<IdentityMapping/></Node>"},
    {"subset", sheet, sheet_after,
     ON_SHEET "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"
              "<Node name='copy'><MechanicalObject name='points'/><UniformMass vertexMass='0.2'/>"
              "<SubsetMapping indices='7 0 4'/></Node>"},
    {"points on triangles", sheet, sheet_after,
     ON_SHEET "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"
              "<Node name='copy'><MechanicalObject name='points' position='0.3 0.2 0 0.2 1.5 0'/>"
              "<UniformMass vertexMass='0.2'/><BarycentricMapping/></Node>"},
    {"tetrahedra", tetras, tetras_after,
     MASS "<FixedProjectiveConstraint indices='1 2 3'/>"
          "<TetrahedralCorotationalFEMForceField youngModulus='300' poissonRatio='0.3'/>"},
    {"other tetrahedra", tetras, tetras_after,
     MASS "<FixedProjectiveConstraint indices='1 2 3'/>"
          "<TetrahedronFEMForceField youngModulus='300' poissonRatio='0.3'/>"},
    {"fast tetrahedra", tetras, tetras_after,
     MASS "<FixedProjectiveConstraint indices='1 2 3'/>"
          "<FastTetrahedralCorotationalForceField youngModulus='300' poissonRatio='0.3'/>"},
    {"skin", tetras, tetras_after,
     MASS "<FixedProjectiveConstraint indices='1 2 3'/>"
          "<TetrahedralCorotationalFEMForceField youngModulus='300' poissonRatio='0.3'/>"
          "<Node name='skin'><TriangleSetTopologyContainer name='skin'/>"
          "<TriangleSetTopologyModifier name='modifier'/>"
          "<Tetra2TriangleTopologicalMapping input='@../mesh' output='@skin'/>"
          "<TriangularBendingSprings stiffness='30' damping='0.3'/></Node>"},
    {"hexahedra", hexas, hexas_after,
     MASS "<FixedProjectiveConstraint indices='4 5 6 7'/>"
          "<HexahedronFEMForceField method='large' youngModulus='300' poissonRatio='0.3'/>"},
    {"other hexahedra", hexas, hexas_after,
     MASS "<FixedProjectiveConstraint indices='4 5 6 7'/>"
          "<HexahedralFEMForceField youngModulus='300' poissonRatio='0.3'/>"
          "<Node name='skin'><QuadSetTopologyContainer name='skin'/>"
          "<QuadSetTopologyModifier name='modifier'/>"
          "<Hexa2QuadTopologicalMapping input='@../mesh' output='@skin'/>"
          "<QuadularBendingSprings stiffness='10' damping='0.1'/></Node>"},
    {"quads", quads, quads_after,
     MASS "<FixedProjectiveConstraint indices='3'/>"
          "<QuadularBendingSprings stiffness='50' damping='0.5'/>"
          "<Node name='skin'><TriangleSetTopologyContainer name='skin'/>"
          "<TriangleSetTopologyModifier name='modifier'/>"
          "<Quad2TriangleTopologicalMapping input='@../mesh' output='@skin' swapping='0'/>"
          "<TriangularFEMForceField youngModulus='100' poissonRatio='0.3'/></Node>"},
    {"hyperelastic tetrahedra", tetras, tetras_after,
     MASS "<FixedProjectiveConstraint indices='1 2 3'/>"
          "<TetrahedronHyperelasticityFEMForceField materialName='NeoHookean' "
          "ParameterSet='100 200'/>"},
    {"other hyperelastic tetrahedra", tetras, tetras_after,
     MASS "<FixedProjectiveConstraint indices='1 2 3'/>"
          "<StandardTetrahedralFEMForceField materialName='StVenantKirchhoff' "
          "ParameterSet='100 200'/>"},
    {"tensors of tetrahedra", tetras, tetras_after,
     MASS "<FixedProjectiveConstraint indices='1 2 3'/>"
          "<TetrahedralTensorMassForceField youngModulus='300' poissonRatio='0.3'/>"},
    {"tensors of triangles", sheet, sheet_after,
     ON_SHEET "<TriangularTensorMassForceField youngModulus='300' poissonRatio='0.3'/>"},
    {"corotational elements", sheet, sheet_after,
     ON_SHEET "<CorotationalFEMForceField template='Vec3d,Triangle' youngModulus='300' "
              "poissonRatio='0.3'/>"},
    {"linear elements", hexas, hexas_after,
     "<MechanicalObject name='state'/><NodalMassDensity property='2'/>"
     "<FEMMass template='Vec3d,Hexahedron'/><FixedProjectiveConstraint indices='4 5 6 7'/>"
     "<LinearSmallStrainFEMForceField template='Vec3d,Hexahedron' youngModulus='300' "
     "poissonRatio='0.3'/>"},
    {"linear tetrahedra", tetras, tetras_after,
     MASS "<FixedProjectiveConstraint indices='1 2 3'/>"
          "<LinearSmallStrainFEMForceField template='Vec3d,Tetrahedron' youngModulus='300' "
          "poissonRatio='0.3'/>"},
    {"fibres", sheet, sheet_after,
     ON_SHEET "<TriangularAnisotropicFEMForceField youngModulus='300' poissonRatio='0.3' "
              "transverseYoungModulus='100' fiberAngle='30'/>"},
    {"hexahedra with a mass", hexas, hexas_after,
     "<MechanicalObject name='state'/><FixedProjectiveConstraint indices='4 5 6 7'/>"
     "<HexahedronFEMForceFieldAndMass method='large' youngModulus='300' poissonRatio='0.3' "
     "density='2'/>"},
    {"other hexahedra with a mass", hexas, hexas_after,
     "<MechanicalObject name='state'/><FixedProjectiveConstraint indices='4 5 6 7'/>"
     "<HexahedralFEMForceFieldAndMass youngModulus='300' poissonRatio='0.3' density='2'/>"},
    {"beams", edges, edges_after,
     FRAMES "<FixedProjectiveConstraint indices='1'/>"
            "<BeamFEMForceField youngModulus='20000' poissonRatio='0.3' radius='0.1'/>"},
    {"fluid", sheet, sheet_after,
     ON_SHEET "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"
              "<TaitSurfacePressureForceField p0='1' B='10' gamma='1.4'/>"},
    {"springs of a mesh", sheet, sheet_after,
     ON_SHEET "<MeshSpringForceField stiffness='100' damping='0.5'/>"},
    {"springs of hexahedra", hexas, hexas_after,
     MASS "<FixedProjectiveConstraint indices='4 5 6 7'/>"
          "<MeshSpringForceField cubesStiffness='100' linesDamping='0.5'/>"},
    {"tetrahedra of hexahedra", hexas, hexas_after,
     MASS "<FixedProjectiveConstraint indices='4 5 6 7'/>"
          "<Node name='cut'><TetrahedronSetTopologyContainer name='cut'/>"
          "<TetrahedronSetTopologyModifier name='modifier'/>"
          "<Hexa2TetraTopologicalMapping input='@../mesh' output='@cut'/>"
          "<TetrahedralCorotationalFEMForceField youngModulus='300' poissonRatio='0.3'/></Node>"},
    {"tube", edges, edges_after,
     FRAMES "<FixedProjectiveConstraint indices='1'/>" BEAMS
            "<Node name='copy'><MechanicalObject name='points'/><UniformMass vertexMass='0.2'/>"
            "<TubularMapping nbPointsOnEachCircle='3' radius='0.2'/></Node>"},
    {"skin of frames", edges, edges_after,
     FRAMES "<FixedProjectiveConstraint indices='1'/>" BEAMS
            "<Node name='copy'><MechanicalObject name='points' position='1 1 1 2 0.5 0 3 0 1'/>"
            "<UniformMass vertexMass='0.2'/><SkinningMapping nbRef='5'/></Node>"},
    {"centre of mass", edges, edges_after,
     FRAMES "<FixedProjectiveConstraint indices='1'/>" BEAMS
            "<Node name='copy'><MechanicalObject name='points'/>"
            "<CenterOfMassMapping/><ConstantForceField forces='0 0 3'/></Node>"},
    {"distances", edges, edges_after,
     MASS "<FixedProjectiveConstraint indices='1'/><Node name='copy'>"
          "<MechanicalObject name='points' template='Vec1d'/>"
          "<DistanceMapping topology='@../mesh'/>"
          "<RestShapeSpringsForceField template='Vec1d' stiffness='100'/></Node>"},
    {"squared distances", edges, edges_after,
     MASS "<FixedProjectiveConstraint indices='1'/><Node name='copy'>"
          "<MechanicalObject name='points' template='Vec1d'/>"
          "<SquareDistanceMapping topology='@../mesh'/><UniformMass vertexMass='0.1'/>"
          "<ConstantForceField forces='-1'/></Node>"},
    {"kept rotations", edges, edges_after,
     FRAMES "<FixedProjectiveConstraint indices='1'/>"
            "<FixedRotationProjectiveConstraint FixedXRotation='1' FixedYRotation='1'/>"
            "<BeamFEMForceField youngModulus='20000' poissonRatio='0.3' radius='0.1'/>"},
};

/* Components whose own lists change: `made` are those on the second mesh. */
typedef struct RenamedPair {
  Pair changed;
  const char *made;
} RenamedPair;

#define MOVED "<MechanicalObject name='state'/><UniformMass vertexMass='0.5'/>"
#define TRIANGLES "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"
#define BEAM "<BeamFEMForceField youngModulus='20000' poissonRatio='0.3' radius='0.1' "

static const RenamedPair renamed[] = {
    {{"listed beams", edges, edges_after,
      FRAMES "<FixedProjectiveConstraint indices='1'/>" BEAM "listSegment='0 2 3'/>"},
     FRAMES "<FixedProjectiveConstraint indices='1'/>" BEAM "listSegment='0 2'/>"},
    {{"lumped masses of a list", sheet, sheet_after,
      "<MechanicalObject name='state'/><MeshMatrixMass lumping='1' vertexMass='1 2 3 4 5 6 7 8 "
      "9'/><FixedProjectiveConstraint indices='3 6'/>" TRIANGLES},
     "<MechanicalObject name='state'/><MeshMatrixMass lumping='1' vertexMass='1 2 9 4 5 6 7 "
     "8'/><FixedProjectiveConstraint indices='3 6'/>" TRIANGLES},
    /* the triangle takes a third of its share, 45 / 8, from each of its points */
    {{"diagonal masses of a list", sheet, sheet_after,
      "<MechanicalObject name='state'/><DiagonalMass vertexMass='1 2 3 4 5 6 7 8 9'/>"
      "<FixedProjectiveConstraint indices='3 6'/>" TRIANGLES},
     "<MechanicalObject name='state'/><DiagonalMass vertexMass='1 0.125 9 4 5 4.125 7 8'/>"
     "<FixedProjectiveConstraint indices='3 6'/>" TRIANGLES},
    {{"linear movement", sheet, sheet_after,
      MOVED "<LinearMovementProjectiveConstraint indices='3 8 2' keyTimes='0 0.1 1' movements='0 0 "
            "0 0 0.1 0.2 1 0 0'/>" TRIANGLES},
     MOVED "<LinearMovementProjectiveConstraint indices='3 2' keyTimes='0 0.1 1' movements='0 0 0 "
           "0 0.1 0.2 1 0 0'/>" TRIANGLES},
    {{"partial movement", sheet, sheet_after,
      MOVED "<PartialLinearMovementProjectiveConstraint indices='3 8 2' keyTimes='0 0.1 1' "
            "movements='0 0 0 0 0.1 0.2 1 0 0' movedDirections='0 1 1'/>" TRIANGLES},
     MOVED "<PartialLinearMovementProjectiveConstraint indices='3 2' keyTimes='0 0.1 1' "
           "movements='0 0 0 0 0.1 0.2 1 0 0' movedDirections='0 1 1'/>" TRIANGLES},
    {{"velocity", sheet, sheet_after,
      MOVED "<LinearVelocityProjectiveConstraint indices='3 8 2' keyTimes='0 0.1 1' velocities='0 "
            "0 1 0 1 2 1 0 0'/>" TRIANGLES},
     MOVED "<LinearVelocityProjectiveConstraint indices='3 2' keyTimes='0 0.1 1' velocities='0 0 1 "
           "0 1 2 1 0 0'/>" TRIANGLES},
    {{"affine movement", sheet, sheet_after,
      MOVED "<AffineMovementProjectiveConstraint indices='3 8 2' endConstraintTime='0.15' "
            "rotation='1 0 0 0 1 0.2 0 0 1' translation='0 0 0.3'/>" TRIANGLES},
     MOVED "<AffineMovementProjectiveConstraint indices='3 2' endConstraintTime='0.15' rotation='1 "
           "0 0 0 1 0.2 0 0 1' translation='0 0 0.3'/>" TRIANGLES},
    {{"patch", sheet, sheet_after,
      MOVED "<PatchTestMovementProjectiveConstraint indices='3 8 2' endConstraintTime='0.15' "
            "cornerPoints='0 0 0 2 0 0 2 2 0 0 2 0' cornerMovements='0 0 0 0 0 1 0 0 0 0.1 0 "
            "0'/>" TRIANGLES},
     MOVED "<PatchTestMovementProjectiveConstraint indices='3 2' endConstraintTime='0.15' "
           "cornerPoints='0 0 0 2 0 0 2 2 0 0 2 0' cornerMovements='0 0 0 0 0 1 0 0 0 0.1 0 "
           "0'/>" TRIANGLES},
    {{"parabola", sheet, sheet_after,
      MOVED "<ParabolicProjectiveConstraint indices='3 8 2' P1='0 0 0.5' P2='1 1 0.5' P3='2 0 0.5' "
            "EndTime='0.5'/>" TRIANGLES},
     MOVED "<ParabolicProjectiveConstraint indices='3 2' P1='0 0 0.5' P2='1 1 0.5' P3='2 0 0.5' "
           "EndTime='0.5'/>" TRIANGLES},
    {{"spline", sheet, sheet_after,
      MOVED
      "<HermiteSplineProjectiveConstraint indices='3 8 2' X0='0 0 0.5' dX0='1 1 0' X1='2 0 0.5' "
      "dX1='0 1 0' EndTime='0.5'/>" TRIANGLES},
     MOVED "<HermiteSplineProjectiveConstraint indices='3 2' X0='0 0 0.5' dX0='1 1 0' X1='2 0 0.5' "
           "dX1='0 1 0' EndTime='0.5'/>" TRIANGLES},
    {{"oscillators", sheet, sheet_after,
      MOVED "<OscillatorProjectiveConstraint oscillators='2 2 0 0 0 1 0 3 0 8 2 2 0 0 0 0.2 30 1 3 "
            "0 1 0 0.1 0 0 20 0'/>" TRIANGLES},
     MOVED "<OscillatorProjectiveConstraint oscillators='3 0 1 0 0.1 0 0 20 0 2 2 2 0 0 0 0.2 30 "
           "1'/>" TRIANGLES},
    {{"rest shape", sheet, sheet_after,
      ON_SHEET TRIANGLES "<RestShapeSpringsForceField points='3 2 8 0' stiffness='10 20 30 40'/>"},
     ON_SHEET TRIANGLES "<RestShapeSpringsForceField points='3 0 2' stiffness='10 40 30'/>"},
    {{"rest shape of all", sheet, sheet_after,
      ON_SHEET TRIANGLES "<RestShapeSpringsForceField stiffness='1 2 3 4 5 6 7 8 9'/>"},
     ON_SHEET TRIANGLES "<RestShapeSpringsForceField stiffness='1 2 9 4 5 6 7 8'/>"},
    {{"forces in time", sheet, sheet_after,
      ON_SHEET TRIANGLES "<LinearForceField points='2 8 5' times='0 1' forces='0 0 0 0 0 "
                         "9'/><TorsionForceField indices='8 2 7' torque='0.5' axis='0 0 1'/>"},
     ON_SHEET TRIANGLES "<LinearForceField points='5 2' times='0 1' forces='0 0 0 0 0 "
                        "9'/><TorsionForceField indices='2 7' torque='0.5' axis='0 0 1'/>"},
    {{"damping", sheet, sheet_after,
      ON_SHEET TRIANGLES
      "<DiagonalVelocityDampingForceField dampingCoefficient='1 0 0 0 2 0 0 0 3 0 0 4'/>"},
     ON_SHEET TRIANGLES
     "<DiagonalVelocityDampingForceField dampingCoefficient='1 0 0 0 2 0 0 0 4 0 0 4'/>"},
    {{"turned triangles", sheet, sheet_after,
      ON_SHEET TRIANGLES
      "<OscillatingTorsionPressureForceField moment='2' triangleList='2 7 0' axis='1 1 0.5'/>"},
     ON_SHEET TRIANGLES
     "<OscillatingTorsionPressureForceField moment='2' triangleList='0 2' axis='1 1 0.5'/>"},
    {{"points of frames", edges, edges_after,
      FRAMES
      "<FixedProjectiveConstraint indices='1'/>" BEAMS
      "<Node name='copy'><MechanicalObject name='points' position='0 0 1 0 1 0 1 0 0 0 0 "
      "2'/><UniformMass vertexMass='0.2'/><RigidMapping rigidIndexPerPoint='4 0 2 3'/></Node>"},
     FRAMES "<FixedProjectiveConstraint indices='1'/>" BEAMS
            "<Node name='copy'><MechanicalObject name='points' position='0 0 1 0 0 2 1 0 "
            "0'/><UniformMass vertexMass='0.2'/><RigidMapping rigidIndexPerPoint='0 3 2'/></Node>"},
    {{"targets", sheet, sheet_after,
      MOVED "<PositionBasedDynamicsProjectiveConstraint stiffness='0.1' position='0 0 0.1 1 0 0.1 "
            "2 0 0.1 0 1 0.1 1 1 0.1 2 1 0.1 0 2 0.1 1 2 0.1 2 2 0.1'/>" TRIANGLES},
     MOVED "<PositionBasedDynamicsProjectiveConstraint stiffness='0.1' position='0 0 0.1 1 0 0.1 2 "
           "2 0.1 0 1 0.1 1 1 0.1 2 1 0.1 0 2 0.1 1 2 0.1'/>" TRIANGLES},
};

static const char iterative[] =
    "<CGLinearSolver iterations='500' tolerance='1e-14' threshold='1e-30'/>";

static void open_pair(SceneRun *run, const char *mesh, const char *parts, const char *solver) {
  char text[6000];
  snprintf(text, sizeof text, WITHOUT_SOLVER "%s%s%s</Node></Node>", solver, mesh, parts);
  scene_run_open(run, text, NULL);
}

static void compare(SceneRun *a, SceneRun *b, const char *what, const char *path) {
  const SofaState *x = scene_run_state(a, path), *y = scene_run_state(b, path);
  if (x->position.n != y->position.n)
    fail_msg("%s: %s has %zu points, expected %zu", what, path, x->position.n, y->position.n);
  for (size_t i = 0; i < x->position.width * x->position.n; i++) {
    const double difference = fabs(x->position.data[i] - y->position.data[i]);
    if (!(difference < 1e-9))
      fail_msg("%s: %s, point %zu is off by %g", what, path, i / x->position.width, difference);
  }
}

static void check_pair(const Pair *p, const char *made_parts) {
  SceneRun changed, made;
  open_pair(&changed, p->before, p->parts, iterative);
  open_pair(&made, p->after, made_parts, iterative);
  scene_run_steps(&changed, 20);
  scene_run_steps(&made, 20);
  compare(&changed, &made, p->what, "/body/state");
  if (strstr(p->parts, "'points'")) compare(&changed, &made, p->what, "/body/copy/points");
  scene_run_close(&changed);
  scene_run_close(&made);
}

static void changed_is_as_made(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) check_pair(&pairs[i], pairs[i].parts);
}

static void lists_are_renumbered(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
    check_pair(&renamed[i].changed, renamed[i].made);
}

/* The same with an assembled system, whose pattern is another one after the change. */
static void assembled_systems_follow(void **state) {
  (void)state;
  SceneRun changed, made;
  const Pair *p = &pairs[0];
  open_pair(&changed, p->before, p->parts, "<SparseLDLSolver/>");
  open_pair(&made, p->after, p->parts, "<SparseLDLSolver/>");
  scene_run_steps(&changed, 20);
  scene_run_steps(&made, 20);
  compare(&changed, &made, "direct solver", "/body/state");
  scene_run_close(&changed);
  scene_run_close(&made);
}

/* ---- the plan, events, links ---- */

static void one_plan_per_change(void **state) {
  (void)state;
  SceneRun run;
  char text[6000];
  snprintf(text, sizeof text,
           SCENE
           "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 "
           "2 1 0 0 2 0 1 2 0 2 2 0' triangles='0 1 4 0 4 3 1 2 5 1 5 4 3 4 7 3 7 6 4 5 8 4 8 "
           "7'/><TriangleSetTopologyModifier name='modifier'/>" ON_SHEET
           "<TriangularFEMForceField name='fem' youngModulus='300' poissonRatio='0.3'/>"
           "<TopologicalChangeProcessor useDataInputs='1' timeToRemove='0.035' "
           "trianglesToRemove='2 7'/></Node></Node>");
  scene_run_open(&run, text, NULL);
  const SofaNode *body = scene_run_object(&run, "/body/state")->node;
  const SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/body/mesh");
  scene_run_steps(&run, 4);
  const uint64_t before = body->n_plans;
  assert_int_equal(mesh->mesh.triangles.n, 8);
  scene_run_steps(&run, 1);
  assert_int_equal(mesh->mesh.triangles.n, 6);
  assert_int_equal(mesh->n_points, 8); // point 2; point 8 still belongs to triangle 6
  assert_int_equal(mesh->mesh.edges.n, 13);
  assert_int_equal(body->n_plans, before + 1);
  const uint64_t n_allocations = run.ctx->n_allocations;
  scene_run_steps(&run, 5);
  assert_int_equal(body->n_plans, before + 1);
  assert_int_equal(run.ctx->n_allocations, n_allocations);
  scene_run_close(&run);
}

static void springs_follow_points(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(
      &run,
      SCENE
      "<PointSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0'/>"
      "<PointSetTopologyModifier name='modifier'/><MechanicalObject name='state'/>"
      "<UniformMass vertexMass='1'/>"
      "<TopologicalChangeProcessor useDataInputs='1' timeToRemove='-1' pointsToRemove='0'/>"
      "<SpringForceField object1='@state' object2='@state' spring='0 1 10 0 1  1 2 10 0 0.5'/>"
      "</Node></Node>",
      NULL);
  const SofaState *s = scene_run_state(&run, "/body/state");
  scene_run_steps(&run, 1);
  assert_int_equal(s->position.n, 2);
  // the points 2 and 1 attract each other; their middle falls
  assert_true(s->position.data[0] < 2 && s->position.data[3] > 1);
  assert_true(fabs(s->position.data[0] + s->position.data[3] - 3) < 1e-12);
  scene_run_close(&run);
}

/* ---- elements that come ---- */

static void elements_come(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 SCENE
                 "<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 "
                 "1 1 1' tetrahedra='0 1 2 3'/>"
                 "<TetrahedronSetTopologyModifier name='modifier'/>"
                 "<MechanicalObject name='state'/><DiagonalMass massDensity='6'/>"
                 "<Node name='skin'><TriangleSetTopologyContainer name='skin'/>"
                 "<TriangleSetTopologyModifier name='modifier'/>"
                 "<Tetra2TriangleTopologicalMapping input='@../mesh' output='@skin'/></Node>"
                 "</Node></Node>",
                 NULL);
  SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/body/mesh");
  SofaTopology *skin = (SofaTopology *)scene_run_object(&run, "/body/skin/skin");
  SofaMass *mass = (SofaMass *)scene_run_object(&run, "/body/DiagonalMass1");
  assert_int_equal(skin->mesh.triangles.n, 4);
  assert_true(fabs(sofa_mass_ops(mass)->total_mass(mass) - 1) < 1e-12);
  const uint32_t tetra[4] = {1, 2, 3, 4};
  SofaTopologyEdit edit;
  assert_int_equal(sofa_topology_edit_begin(run.simulation->root, &edit), SOFA_OK);
  assert_int_equal(sofa_topology_add(&edit, mesh, SOFA_ELEMENT_TETRA, tetra, 1), SOFA_OK);
  assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_OK);
  assert_int_equal(mesh->mesh.tetrahedra.n, 2);
  assert_int_equal(mesh->mesh.triangles.n, 7);
  assert_int_equal(mesh->mesh.edges.n, 9);
  assert_int_equal(skin->mesh.triangles.n, 6);
  assert_int_equal(skin->mesh.edges.n, 9);
  assert_true(fabs(sofa_mass_ops(mass)->total_mass(mass) - 3) < 1e-12);
  // a point in the middle of the new tetrahedron's first two vertices
  uint32_t start[] = {0, 2}, points[] = {1, 2};
  double weights[] = {0.5, 0.5};
  const SofaAncestors ancestors = {
      .start = {start, 2, 2}, .points = {points, 2, 2}, .weights = {weights, 2, 2}};
  assert_int_equal(sofa_topology_edit_begin(run.simulation->root, &edit), SOFA_OK);
  assert_int_equal(sofa_topology_add_points(&edit, mesh, 1, &ancestors), SOFA_OK);
  assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_OK);
  const SofaState *s = scene_run_state(&run, "/body/state");
  assert_int_equal(s->position.n, 6);
  assert_int_equal(s->rest_position.n, 6);
  assert_true(fabs(s->position.data[15] - 0.5) < 1e-12);
  assert_true(fabs(s->position.data[16] - 0.5) < 1e-12);
  assert_int_equal(mesh->n_points, 6);
  assert_int_equal(skin->n_points, 6);
  scene_run_close(&run);
}

static SofaErr add_frame(SceneRun *run) {
  SofaTopology *mesh = (SofaTopology *)scene_run_object(run, "/body/mesh");
  uint32_t start[] = {0, 1}, points[] = {4}, edge[] = {1, 5};
  double weights[] = {1};
  const SofaAncestors ancestors = {
      .start = {start, 2, 2}, .points = {points, 1, 1}, .weights = {weights, 1, 1}};
  SofaTopologyEdit edit;
  SofaErr err = sofa_topology_edit_begin(run->simulation->root, &edit);
  if (err == SOFA_OK) err = sofa_topology_add_points(&edit, mesh, 1, &ancestors);
  if (err == SOFA_OK) err = sofa_topology_add(&edit, mesh, SOFA_ELEMENT_EDGE, edge, 1);
  const SofaErr end = sofa_topology_edit_end(&edit, err != SOFA_OK);
  return err == SOFA_OK ? end : err;
}

/* A frame comes where the last one is, with a beam to the second one. */
static void frames_come(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(
      &run,
      SCENE "<EdgeSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0.1 0 3 0 0 4 0 0.2' "
            "edges='0 1 1 2 2 3 3 4'/><EdgeSetTopologyModifier name='modifier'/>" FRAMES BEAMS
            "<LinearMovementProjectiveConstraint indices='0' keyTimes='0 1' "
            "movements='0 0 0 0 0 0 0 0 1 0 0 0'/><FixedRotationProjectiveConstraint "
            "FixedXRotation='1'/><RestShapeSpringsForceField stiffness='1'/>"
            "<DiagonalVelocityDampingForceField dampingCoefficient='1 1 1 0 0 0'/>"
            "<Node name='tube'><MechanicalObject name='points'/><TubularMapping "
            "nbPointsOnEachCircle='3' radius='0.2'/></Node><Node name='skin'>"
            "<MechanicalObject name='points' position='1 1 1 2 0.5 0'/><SkinningMapping/>"
            "</Node><Node name='rigid'><MechanicalObject name='points' position='0 0 1'/>"
            "<RigidMapping index='4'/></Node><Node name='lengths'>"
            "<MechanicalObject name='points' template='Vec1d'/><DistanceMapping "
            "template='Rigid3d,Vec1d' topology='@../mesh'/></Node></Node></Node>",
      NULL);
  scene_run_steps(&run, 2);
  assert_int_equal(add_frame(&run), SOFA_OK);
  const SofaState *tube = scene_run_state(&run, "/body/tube/points");
  const SofaState *frames = scene_run_state(&run, "/body/state");
  assert_int_equal(frames->position.n, 6);
  assert_int_equal(tube->position.n, 18);
  assert_int_equal(scene_run_state(&run, "/body/skin/points")->position.n, 2);
  assert_int_equal(scene_run_state(&run, "/body/rigid/points")->position.n, 1);
  assert_int_equal(scene_run_state(&run, "/body/lengths/points")->position.n, 5);
  assert_true(fabs(scene_run_state(&run, "/body/lengths/points")->position.data[4]) < 1e-12);
  scene_run_steps(&run, 5);
  for (size_t i = 0; i < 18; i++) {
    double square = 0;
    for (size_t c = 0; c < 3; c++)
      square += pow(tube->position.data[3 * i + c] - frames->position.data[7 * (i / 3) + c], 2);
    assert_true(fabs(sqrt(square) - 0.2) < 1e-12);
  }
  scene_run_close(&run);
}

static void cut_hexahedra_come(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 SCENE
                 "<HexahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 1 1 0 0 1 0 "
                 "0 0 1 1 0 1 1 1 1 0 1 1 0 0 2 1 0 2 1 1 2 0 1 2' hexahedra='0 1 2 3 4 5 6 7'/>"
                 "<HexahedronSetTopologyModifier name='modifier'/>" MASS
                 "<Node name='cut'><TetrahedronSetTopologyContainer name='cut'/>"
                 "<TetrahedronSetTopologyModifier name='modifier'/>"
                 "<Hexa2TetraTopologicalMapping input='@../mesh' output='@cut'/></Node>"
                 "</Node></Node>",
                 NULL);
  SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/body/mesh");
  SofaTopology *cut = (SofaTopology *)scene_run_object(&run, "/body/cut/cut");
  const uint32_t hexa[8] = {4, 5, 6, 7, 8, 9, 10, 11};
  SofaTopologyEdit edit;
  assert_int_equal(sofa_topology_edit_begin(run.simulation->root, &edit), SOFA_OK);
  assert_int_equal(sofa_topology_add(&edit, mesh, SOFA_ELEMENT_HEXA, hexa, 1), SOFA_OK);
  assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_OK);
  assert_int_equal(cut->mesh.tetrahedra.n, 12);
  // the second hexahedron is cut as the first one
  for (size_t i = 0; i < 6; i++)
    for (size_t k = 0; k < 4; k++)
      assert_int_equal(cut->mesh.tetrahedra.data[6 + i].v[k],
                       cut->mesh.tetrahedra.data[i].v[k] + 4);
  scene_run_close(&run);
}

/* ---- refusals ---- */

typedef struct Refusal {
  const char *parts, *remove, *expected;
} Refusal;

/* A component that does not follow. */
#define STUBBORN                                                                                   \
  "<Node name='copy'><MechanicalObject name='points'/><SubsetMapping indices='0' "                 \
  "handleTopologyChange='0'/></Node>"

static const Refusal refusals[] = {
    {STUBBORN, "trianglesToRemove='2'", "cannot update its data after topological changes"},
    {"<Node name='copy'><MechanicalObject/><SubsetMapping indices='0' handleTopologyChange='0'/>"
     "</Node>",
     "trianglesToRemove='2'", "handleTopologyChange is 0"},
    {"", "trianglesToRemove='8'", "triangle 8 cannot be removed: there are 8 of them"},
    {"", "trianglesToRemove='2 3 2'", "triangle 2 cannot be removed twice"},
    {"", "pointsToRemove='4'", "point 4 cannot be removed: edge"},
    {"", "pointsToRemove='9'", "point 9 cannot be removed"},
    {"", "edgesToRemove='1'", "a change of edges of a container of triangles"},
    {"", "tetrahedraToRemove='1'", "has no modifier of tetrahedra in its node"},
};

static void collect(void *user, const SofaMessage *m) {
  char *text = user;
  const size_t used = strlen(text);
  snprintf(text + used, 4000 - used, "%s\n", m->text);
}

static void refusals_leave_all_as_it_was(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    SceneRun run;
    char text[6000];
    snprintf(text, sizeof text,
             SCENE
             "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 "
             "2 1 0 0 2 0 1 2 0 2 2 0' triangles='0 1 4 0 4 3 1 2 5 1 5 4 3 4 7 3 7 6 4 5 8 4 8 "
             "7'/><TriangleSetTopologyModifier name='modifier'/>" MASS "%s"
             "<TopologicalChangeProcessor useDataInputs='1' timeToRemove='0.015' %s/>"
             "</Node></Node>",
             refusals[i].parts, refusals[i].remove);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 2);
    const SofaState *s = scene_run_state(&run, "/body/state");
    const SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/body/mesh");
    double x[27];
    memcpy(x, s->position.data, sizeof x);
    char messages[4000] = "";
    run.ctx->sink = collect;
    run.ctx->sink_user = messages;
    assert_int_not_equal(sofa_simulation_step(run.simulation, 0), SOFA_OK);
    if (!strstr(messages, refusals[i].expected))
      fail_msg("expected '%s', found: %s", refusals[i].expected, messages);
    assert_int_equal(s->position.n, 9);
    assert_memory_equal(x, s->position.data, sizeof x);
    assert_int_equal(mesh->mesh.triangles.n, 8);
    assert_int_equal(mesh->mesh.edges.n, 16);
    scene_run_close(&run);
  }
}

static void messages_name_the_reason(void **state) {
  (void)state;
  SceneRun run;
  open_pair(&run, pairs[0].after, MASS STUBBORN, iterative);
  run.quiet = true;
  SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/body/mesh");
  SofaTopologyEdit edit;
  const uint32_t id = 0;
  assert_int_equal(sofa_topology_edit_begin(run.simulation->root, &edit), SOFA_OK);
  assert_int_equal(
      sofa_topology_remove(&edit, mesh, SOFA_ELEMENT_TRIANGLE, &id, 1, SOFA_REMOVE_POINTS),
      SOFA_ERR_UNSUPPORTED);
  assert_int_equal(sofa_topology_edit_end(&edit, true), SOFA_OK);
  assert_non_null(strstr(run.last,
                         "SubsetMapping cannot update its data after topological "
                         "changes: TriangleSetTopologyContainer 'mesh' is about to change"));
  scene_run_close(&run);
}

/* ---- change files ---- */

typedef struct BadFile {
  const char *text, *expected;
} BadFile;

static const BadFile bad_files[] = {
    {"T= 0.1\n REMOVE= 2\n 0\n", ":3: number 2 of 2 is missing"},
    {"T= 0.1\n REMOVE= 1\n -4\n", ":3: number 1 of 1 is missing or is not an index"},
    {"T= 0.1\n REMOVE= 4000000000\n 1 2\n", ":3: far fewer numbers than announced"},
    {"T= 0.1\n REMOVE= 1\n", ":2: the line with the numbers is missing"},
    {"T= 0.1\n REMOVE= 1", ":2: the line with the numbers is missing"},
    {"T= soon\n", ":1: expected a time in seconds after T="},
    {"T= 0.1\n ADD= Pentagons 1\n 0 1 2 3 4\n", ":2: expected after ADD=: PointsInTriangle"},
    {"T= 0.1\n ADD= Triangles 1\n 0 1\n", ":3: number 3 of 3 is missing"},
    {"T= 0.1\n ADD= PointsInTriangle 1\n 0 0.5\n", ":3: a weight is missing"},
    {"T= 0.1\n CUT= 1\n 0\n", ":2: expected T=, ADD=, REMOVE= or INCISE="},
    {"T= 0.1\n INCISE= 2\n 0 0 0 1 1\n", ":3: expected three coordinates per point, or a tri"},
    {"T= 0.1\n INCISE= 2\n 0 0 0 1 one 1\n", ":3: expected numbers only"},
    {"T= 0.1\n INCISE= 1\n 0 0 0\n", ":3: a path needs two points at least"},
    {"T= 0.1\n INCISE= 2\n 0.5 0 0 0 1 1 0 0\n", ":3: expected the index of a triangle before"},
    {"T= 0.1\n INCISE= 9000000\n 0 0 0\n", ":3: far fewer numbers than announced"},
    {"T= 0.1\n INCISE= 2\n", ":2: the line with the numbers is missing"},
};

static void collect_lines(void *user, const SofaMessage *m) {
  char *text = user;
  const size_t used = strlen(text);
  snprintf(text + used, 4000 - used, ":%d: %s\n", m->origin.line, m->text);
}

static void bad_files_are_refused(void **state) {
  (void)state;
  char path[] = "/tmp/csofa-changes-XXXXXX", text[6000];
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  snprintf(text, sizeof text,
           SCENE "%s" MASS "<TopologicalChangeProcessor filename='%s'/>"
                 "</Node></Node>",
           sheet_after, path);
  for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
    for (int keep_going = 0; keep_going < 2; keep_going++) {
      char messages[4000] = "";
      FailingAllocator allocator = {0};
      const SofaContextOptions options = {.allocate = failing_allocate,
                                          .allocate_user = &allocator,
                                          .sink = collect_lines,
                                          .sink_user = messages,
                                          .keep_going = keep_going == 1};
      SofaContext *ctx = NULL;
      SofaSimulation *simulation = NULL;
      FILE *out = fopen(path, "w");
      assert_non_null(out);
      fputs(bad_files[i].text, out);
      fclose(out);
      assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
      assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
      assert_int_equal(sofa_simulation_load_text(ctx, text, &simulation), SOFA_OK);
      const SofaErr err = sofa_simulation_init(simulation);
      if (keep_going) assert_int_equal(err, SOFA_OK);
      else assert_int_not_equal(err, SOFA_OK);
      if (!strstr(messages, bad_files[i].expected))
        fail_msg("expected '%s', found: %s", bad_files[i].expected, messages);
      if (keep_going)
        for (int step = 0; step < 12; step++) (void)sofa_simulation_step(simulation, 0);
      sofa_simulation_destroy(&simulation);
      sofa_context_destroy(&ctx);
      assert_int_equal(allocator.live, 0);
    }
  }
  unlink(path);
}

/* ---- incisions of files ---- */

typedef struct CutFile {
  const char *fields, *text, *expected; /* the message; NULL: none */
  bool at_init;                         /* it is refused there, else in the second step */
  size_t points;                        /* afterwards, 0: it is refused */
} CutFile;

/* The sheet has the vertices 0 0 to 2 2, one square of it at each corner. */
static const CutFile cut_files[] = {
    {"", "T= 0.005\n INCISE= 2\n 0 1 0 2 1 0\n", NULL, false, 12},
    {"", "T= 0.005\n INCISE= 2\n 1 0 1 0 6 2 1 0\n", NULL, false, 12},
    {"saveIndicesAtInit='1'", "T= 0.005\n INCISE= 2\n 0 1 0 2 1 0\n", NULL, false, 12},
    // the second one goes on from where the first one ended, and there it opens
    {"", "T= 0.005\n INCISE= 2\n 0 1 0 1 1 0\n T= 0.006\n INCISE= 2\n 1 1 0 2 1 0\n", NULL, false,
     12},
    {"saveIndicesAtInit='1'",
     "T= 0.005\n INCISE= 2\n 0 1 0 1 1 0\n T= 0.006\n INCISE= 2\n 1 1 0 1 2 0\n", NULL, false, 12},
    {"", "T= 0.005\n INCISE= 2\n 0 1 0 5 1 0\n",
     "point 1 of the incision, (5 1 0), is not on the surf", false, 0},
    {"saveIndicesAtInit='1'", "T= 0.005\n INCISE= 2\n 0 1 0 5 1 0\n",
     "line 2: point 1 of the incision, (5 1 0), is not on the surface: the nearest place is 3 m "
     "away",
     true, 0},
    {"", "T= 0.005\n INCISE= 2\n 1 0 1 0 8 2 1 0\n", "there is no triangle 8, but 8 of them", false,
     0},
    {"", "T= 0.005\n INCISE= 2\n 1 0 1 0 0 2 1 0\n", "point 1 of the incision is not in triangle 0",
     false, 12},
    {"", "T= 0.005\n INCISE= 2\n 0.4 1 5 1.6 1 5\n",
     "m off the surface: the place below it is taken", false, 12},
    {"", "T= 0.005\n INCISE= 2\n 1 1 0 1 1 0\n", "has no length", false, 0},
    {"epsilonSnapPath='0.6'", "T= 0.005\n", "epsilonSnapPath", true, 0},
    {"epsilonSnapBorder='-1'", "T= 0.005\n", "'epsilonSnapBorder': -1, expected in [0, 0.5]", true,
     0},
};

static void cut_by_files(void **state) {
  (void)state;
  char path[] = "/tmp/csofa-cuts-XXXXXX", text[6000];
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  for (size_t i = 0; i < sizeof cut_files / sizeof *cut_files; i++)
    for (int keep_going = 0; keep_going < 2; keep_going++) {
      const CutFile *c = &cut_files[i];
      char messages[4000] = "";
      const SofaContextOptions options = {.keep_going = keep_going == 1};
      SceneRun run = {.quiet = true};
      FILE *out = fopen(path, "w");
      assert_non_null(out);
      fputs(c->text, out);
      fclose(out);
      snprintf(text, sizeof text,
               SCENE
               "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 "
               "2 1 0 0 2 0 1 2 0 2 2 0' triangles='0 1 4 0 4 3 1 2 5 1 5 4 3 4 7 3 7 6 4 5 8 4 8 "
               "7'/><TriangleSetTopologyModifier name='modifier'/>" MASS
               "<TopologicalChangeProcessor filename='%s' %s/></Node></Node>",
               path, c->fields);
      scene_run_context(&run, &options);
      run.ctx->sink = collect;
      run.ctx->sink_user = messages;
      assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
      SofaErr err = sofa_simulation_init(run.simulation);
      const bool fails = !c->points && !keep_going;
      if (err != SOFA_OK) assert_true(fails && c->at_init);
      else
        for (int step = 0; step < 4 && err == SOFA_OK; step++)
          err = sofa_simulation_step(run.simulation, 0);
      if ((err != SOFA_OK) != fails)
        fail_msg("file %zu, keep_going %d: status %d, %s", i, keep_going, (int)err, messages);
      if (c->expected ? !strstr(messages, c->expected) : messages[0] != '\0')
        fail_msg("file %zu: expected '%s', found: %s", i, c->expected ? c->expected : "", messages);
      const size_t n = scene_run_state(&run, "/body/state")->position.n;
      if (n != (c->points ? c->points : 9)) fail_msg("file %zu: %zu points", i, n);
      scene_run_close(&run);
    }
  unlink(path);
}

/* ---- memory ---- */

static void memory_may_run_out(void **state) {
  (void)state;
  static const size_t some[] = {1, 4, 7, 8, 12, 14, 15, 18, 27, 33, 34, 36};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    char text[6000];
    const Pair *p = &pairs[some[i]];
    snprintf(text, sizeof text, SCENE "%s%s</Node></Node>", p->before, p->parts);
    scene_runs_without_memory(p->what, text, 2, 400);
  }
  char path[] = "/tmp/csofa-cut-XXXXXX", text[6000];
  const int file = mkstemp(path);
  static const char lines[] = "T= 0\n INCISE= 3\n 0 0.6 0 1.3 1.2 0 1.4 0.7 0\n";
  assert_true(file >= 0 && write(file, lines, sizeof lines - 1) == (ssize_t)sizeof lines - 1);
  close(file);
  snprintf(text, sizeof text,
           SCENE "%s" MASS "<TopologicalChangeProcessor filename='%s' saveIndicesAtInit='1'/>"
                 "</Node></Node>",
           sheet_after, path);
  scene_runs_without_memory("incision", text, 2, 400);
  unlink(path);
}

/* ---- neighbourhoods ---- */

/* Pairs of an element and what it is around of. */
static const SofaElementKind neighbours[][2] = {
    {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_POINT},    {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_EDGE},
    {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_TRIANGLE}, {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_POINT},
    {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_EDGE},  {SOFA_ELEMENT_EDGE, SOFA_ELEMENT_POINT}};
enum { N_NEIGHBOURS = sizeof neighbours / sizeof *neighbours, MOST_IDS = 512 };

/* Number of rows, then length and ids of each; then the sub-elements. */
static size_t write_neighbours(SofaTopology *t, size_t pair, uint32_t *out) {
  const SofaElementKind kind = neighbours[pair][0], of = neighbours[pair][1];
  const SofaAround *around = sofa_topology_around(t, kind, of);
  const uint32_t *ids = NULL;
  size_t n = 0;
  unsigned per = 0;
  out[n++] = (uint32_t)around->n_rows;
  for (size_t r = 0; r < around->n_rows; r++) {
    const size_t length = sofa_around_row(around, r, &ids);
    out[n++] = (uint32_t)length;
    for (size_t k = 0; k < length; k++) out[n++] = ids[k];
  }
  const uint32_t *sub = sofa_topology_sub(t, of, kind, &per);
  const size_t n_sub = per * sofa_mesh_elements(&t->mesh, kind).n;
  for (size_t k = 0; sub && k < n_sub; k++) out[n++] = sub[k];
  assert_true(n <= MOST_IDS);
  return n;
}

static void removals_keep_neighbourhoods(void **state) {
  SceneRun run;
  SofaTopologyEdit edit;
  uint32_t kept[N_NEIGHBOURS][MOST_IDS], made[MOST_IDS];
  size_t n[N_NEIGHBOURS];
  (void)state;
  scene_run_open(
      &run,
      SCENE "<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 "
            "1 0 1 0 1 1 1 1 1 2 2 2' tetrahedra='0 1 3 7 0 3 2 7 3 7 5 8 0 2 6 7 0 6 4 7 0 4 5 7 "
            "0 5 1 7'/><TetrahedronSetTopologyModifier/><MechanicalObject/></Node></Node>",
      NULL);
  SofaTopology *t = (SofaTopology *)scene_run_object(&run, "/body/mesh");
  const uint32_t ids[] = {2, 4, 0};
  for (size_t i = 0; i < 3; i++) {
    for (size_t p = 0; p < N_NEIGHBOURS; p++) write_neighbours(t, p, kept[p]);
    const uint32_t revision = t->revision;
    assert_int_equal(sofa_topology_edit_begin(run.simulation->root, &edit), SOFA_OK);
    assert_int_equal(sofa_topology_remove(&edit, t, SOFA_ELEMENT_TETRA, &ids[i], 1,
                                          SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS),
                     SOFA_OK);
    assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_OK);
    assert_true(t->revision > revision);
    for (size_t p = 0; p < N_NEIGHBOURS; p++) n[p] = write_neighbours(t, p, kept[p]);
    sofa_topology_changed(t); // all are made again
    for (size_t p = 0; p < N_NEIGHBOURS; p++) {
      assert_int_equal(write_neighbours(t, p, made), n[p]);
      assert_memory_equal(kept[p], made, n[p] * sizeof *made);
    }
  }
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changed_is_as_made),
      cmocka_unit_test(lists_are_renumbered),
      cmocka_unit_test(removals_keep_neighbourhoods),
      cmocka_unit_test(assembled_systems_follow),
      cmocka_unit_test(one_plan_per_change),
      cmocka_unit_test(springs_follow_points),
      cmocka_unit_test(elements_come),
      cmocka_unit_test(frames_come),
      cmocka_unit_test(cut_hexahedra_come),
      cmocka_unit_test(refusals_leave_all_as_it_was),
      cmocka_unit_test(messages_name_the_reason),
      cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(cut_by_files),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
