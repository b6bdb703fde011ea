/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names that scenes of SOFA may use although no class has them, and the classes of the objects that
 * scenes may leave out. */
#include "base/abi.h"
#include "behavior/animation_loop.h"
#include "behavior/linear_system.h"
#include "components/builtins.h"
#include "components/names_elsewhere.h"
#include "draw/display_flags.h"

/* ---- renamed: the new name is used ---- */

#define PROJECTIVE(x)                                                                              \
  { #x "Constraint", #x "ProjectiveConstraint" }
static const SofaNameRow renamed[] = {
    PROJECTIVE(AffineMovement),
    PROJECTIVE(Attach),
    PROJECTIVE(Fixed),
    PROJECTIVE(FixedPlane),
    PROJECTIVE(FixedRotation),
    PROJECTIVE(FixedTranslation),
    PROJECTIVE(HermiteSpline),
    PROJECTIVE(LinearMovement),
    PROJECTIVE(LinearVelocity),
    PROJECTIVE(Oscillator),
    PROJECTIVE(Parabolic),
    PROJECTIVE(PartialFixed),
    PROJECTIVE(PartialLinearMovement),
    PROJECTIVE(PatchTestMovement),
    PROJECTIVE(PositionBasedDynamics),
    PROJECTIVE(SkeletalMotion),
    {"ProjectToLineConstraint", "LineProjectiveConstraint"},
    {"ProjectToPlaneConstraint", "PlaneProjectiveConstraint"},
    {"ProjectToPointConstraint", "PointProjectiveConstraint"},
    {"ProjectDirectionConstraint", "DirectionProjectiveConstraint"},
    {"BilateralInteractionConstraint", "BilateralLagrangianConstraint"},
    {"SlidingConstraint", "SlidingLagrangianConstraint"},
    {"StopperConstraint", "StopperLagrangianConstraint"},
    {"UniformConstraint", "UniformLagrangianConstraint"},
    {"UnilateralInteractionConstraint", "UnilateralLagrangianConstraint"},
    {"StiffSpringForceField", "SpringForceField"},
    {"ParallelStiffSpringForceField", "ParallelSpringForceField"},
    {"ProjectedGaussSeidelConstraintSolver", "BlockGaussSeidelConstraintSolver"},
    {"EigenCholmodSupernodalLLT", "CholmodSupernodalLLT"},
    {"AssemblingMatrixSystem", "MatrixLinearSystem"},
    {"ShewchukPCGLinearSolver", "PCGLinearSolver"},
    {"OglCylinderModel", "CylinderVisualModel"},
    {"TriangleOctreeModel", "TriangleOctreeCollisionModel"},
    {"VolumeFromTetrahedrons", "VolumeFromVolumetricElements"},
    {0},
};

/* ---- removed: the text says what to do ---- */

static const SofaNameRow removed[] = {
    {"GenericConstraintSolver", "use BlockGaussSeidelConstraintSolver (its default method), "
                                "UnbuiltGaussSeidelConstraintSolver "
                                "or NNCGConstraintSolver, according to its resolutionMethod"},
    {"MakeAliasComponent", "write the names of the components themselves"},
    {"MakeDataAliasComponent", "write the names of the fields themselves"},
    {"OglGrid", "it was removed; nothing replaces it in a simulation"},
    {"OglLineAxis", "it was removed; nothing replaces it in a simulation"},
    {"PointConstraint", "it was removed"},
    {"Triangle", "use TriangleCollisionModel"},
    {"TTriangleModel", "use TriangleCollisionModel"},
    {"TriangleModel", "use TriangleCollisionModel"},
    {"TriangleMeshModel", "use TriangleCollisionModel"},
    {"TriangleSet", "use TriangleCollisionModel"},
    {"Line", "use LineCollisionModel"},
    {"LineModel", "use LineCollisionModel"},
    {"TLineModel", "use LineCollisionModel"},
    {"Point", "use PointCollisionModel"},
    {"PointModel", "use PointCollisionModel"},
    {"TPointModel", "use PointCollisionModel"},
    {"Sphere", "use SphereCollisionModel"},
    {"SphereModel", "use SphereCollisionModel"},
    {"TSphereModel", "use SphereCollisionModel"},
    {"Mesh", "use MeshTopology"},
    {"Grid", "use RegularGridTopology"},
    {"RegularGrid", "use RegularGridTopology"},
    {"SparseGrid", "use SparseGridTopology"},
    {"EulerImplicit", "use EulerImplicitSolver"},
    {"ImplicitEuler", "use EulerImplicitSolver"},
    {"RungeKutta4", "use RungeKutta4Solver"},
    {"CGSolver", "use CGLinearSolver"},
    {"ConjugateGradient", "use CGLinearSolver"},
    {"DefaultPipeline", "use CollisionPipeline"},
    {"DefaultContactManager", "use CollisionResponse"},
    {"MasterConstraintSolver", "use FreeMotionAnimationLoop"},
    {"FreeMotionMasterSolver", "use FreeMotionAnimationLoop"},
    {"MeshObjLoader", "use MeshOBJLoader"},
    {"Background", "use BackgroundSetting"},
    {"Viewer", "use ViewerSetting"},
    {"Stats", "use StatsSetting"},
    {"IncrementalSAP", "use IncrSAP"},
    {"OglColorMap", "use ColorMap"},
    {0},
};

static const SofaNameRow deprecated[] = {
    {"ConstraintAnimationLoop",
     "ConstraintAnimationLoop is deprecated: use FreeMotionAnimationLoop"},
    {"RayTraceDetection",
     "RayTraceDetection is deprecated: use BruteForceBroadPhase and a narrow phase"},
    {"BruteForceDetection",
     "BruteForceDetection is deprecated: use BruteForceBroadPhase and BVHNarrowPhase"},
    {"DirectSAP", "DirectSAP is deprecated: use DirectSAPNarrowPhase with a broad phase"},
    {"RigidRigidMapping", "RigidRigidMapping is deprecated: use RigidMapping"},
    {0},
};

/* ---- prefabs: a file Objects/<tag>.xml on the data path comes first ---- */

static const char box_constraint[] = "<Node name='Group'>"
                                     "<BoxROI name='box_roi' box='0 0 0 1 1 1' drawBoxes='0'/>"
                                     "<FixedProjectiveConstraint indices='@[-1].indices'/>"
                                     "</Node>";

static const char plane_constraint[] =
    "<Node name='Group'>"
    "<PlaneROI name='box_roi' plane='-4 3 0 1 2 1 0 0 1 2' drawSize='0'/>"
    "<FixedProjectiveConstraint indices='@[-1].indices' drawSize='0'/>"
    "</Node>";

static const char cg_implicit[] =
    "<Node name='Group'>"
    "<EulerImplicitSolver name='Euler Implicit' tags='' printLog='false' rayleighStiffness='0.1'"
    " rayleighMass='0.1' vdamping='0'/>"
    "<CGLinearSolver name='CG Solver' tags='' printLog='false' iterations='25' tolerance='1e-5'"
    " threshold='1e-5'/>"
    "</Node>";

static const char brute_force[] =
    "<Node name='Group'><BruteForceBroadPhase/><BVHNarrowPhase/></Node>";
static const char direct_sap[] =
    "<Node name='Group'><BruteForceBroadPhase/><DirectSAPNarrowPhase/></Node>";
static const char ray_trace[] = "<Node name='Group'>"
                                "<BruteForceBroadPhase name='bruteForceBroadPhase'/>"
                                "<RayTraceNarrowPhase name='rayTraceNarrowPhase'/></Node>";

static const SofaNameRow prefabs[] = {
    {"BruteForceDetection", brute_force},  {"DirectSAP", direct_sap},
    {"RayTraceDetection", ray_trace},      {"BoxConstraint", box_constraint},
    {"PlaneConstraint", plane_constraint}, {"CGImplicit", cg_implicit},
    {"CGImplicitSolver", cg_implicit},     {0},
};

/* ---- modules of SOFA whose components are built in ---- */

static const char *const modules[] = {
    "Sofa.Component.AnimationLoop",
    "Sofa.Component.Collision.Detection.Algorithm",
    "Sofa.Component.Collision.Detection.Intersection",
    "Sofa.Component.Collision.Geometry",
    "Sofa.Component.Collision.Response.Contact",
    "Sofa.Component.Collision.Response.Mapper",
    "Sofa.Component.Constraint.Lagrangian.Correction",
    "Sofa.Component.Constraint.Lagrangian.Model",
    "Sofa.Component.Constraint.Lagrangian.Solver",
    "Sofa.Component.Constraint.Projective",
    "Sofa.Component.Controller",
    "Sofa.Component.Diffusion",
    "Sofa.Component.Engine.Analyze",
    "Sofa.Component.Engine.Generate",
    "Sofa.Component.Engine.Select",
    "Sofa.Component.Engine.Transform",
    "Sofa.Component.Haptics",
    "Sofa.Component.IO.Mesh",
    "Sofa.Component.LinearSolver.Direct",
    "Sofa.Component.LinearSolver.Iterative",
    "Sofa.Component.LinearSolver.Ordering",
    "Sofa.Component.LinearSolver.Preconditioner",
    "Sofa.Component.LinearSystem",
    "Sofa.Component.Mapping.Linear",
    "Sofa.Component.Mapping.MappedMatrix",
    "Sofa.Component.Mapping.NonLinear",
    "Sofa.Component.Mass",
    "Sofa.Component.MechanicalLoad",
    "Sofa.Component.IntegrationScheme",
    "Sofa.Component.IntegrationScheme.Backward",
    "Sofa.Component.IntegrationScheme.Forward",
    "Sofa.Component.IntegrationSchemes",
    "Sofa.Component.IntegrationSchemes.Backward",
    "Sofa.Component.IntegrationSchemes.Forward",
    "Sofa.Component.ODESolver.Backward",
    "Sofa.Component.ODESolver.Forward",
    "Sofa.Component.Playback",
    "Sofa.Component.SceneUtility",
    "Sofa.Component.Setting",
    "Sofa.Component.SolidMechanics.FEM.Elastic",
    "Sofa.Component.SolidMechanics.FEM.HyperElastic",
    "Sofa.Component.SolidMechanics.FEM.NonUniform",
    "Sofa.Component.SolidMechanics.Spring",
    "Sofa.Component.SolidMechanics.TensorMass",
    "Sofa.Component.StateContainer",
    "Sofa.Component.Topology.Container.Constant",
    "Sofa.Component.Topology.Container.Dynamic",
    "Sofa.Component.Topology.Container.Grid",
    "Sofa.Component.Topology.Mapping",
    "Sofa.Component.Topology.Utility",
    "Sofa.Component.Visual",
    "Sofa.GL.Component.Rendering2D",
    "Sofa.GL.Component.Rendering3D",
    "Sofa.GL.Component.Shader",
    "Sofa.GL.Component.Engine",
    "Sofa.GUI.Component",
    "MultiThreading",
    "SofaMatrix",
    "Sofa.Metis",
    "SofaCHOLMOD",
    NULL,
};

/* ---- objects that scenes may leave out ---- */

static const SofaDefaultClass defaults[] = {
    {SOFA_ANIMATION_LOOP, NULL, "DefaultAnimationLoop"},
    {SOFA_VISUAL_LOOP, NULL, "DefaultVisualManagerLoop"},
    {SOFA_VISUAL_STYLE, NULL, "VisualStyle"},
    {SOFA_LINEAR_SYSTEM, NULL, "MatrixLinearSystem"},
    {SOFA_LINEAR_SYSTEM, SOFA_MATRIX_FREE_TEMPLATE, "MatrixFreeSystem"},
    {0},
};

static const SofaNameRow readers[] = {
    {"py", "SofaPython3"},
    {"py3", "SofaPython3"},
    {"pyscn", "SofaPython3"},
    {"py3scn", "SofaPython3"},
    {0},
};

static const SofaNameRow plugins_apart[] = {
    {"SofaPETSc", "it is the Debian package csofa-petsc; a build from the sources has it with "
                  "-DCSOFA_MPI=ON, which needs the Debian package petsc-dev"},
    {0},
};

const SofaModule sofa_names_module = {
    .abi = SOFA_ABI,
    .name = "csofa",
    .version = CSOFA_VERSION,
    .renamed = renamed,
    .removed = removed,
    .deprecated = deprecated,
    .prefabs = prefabs,
    .stands_for = modules,
    .elsewhere = components_elsewhere,
    .plugins_elsewhere = components_plugins_of_sofa,
    .plugins_apart = plugins_apart,
    .defaults = defaults,
    .readers = readers,
};
