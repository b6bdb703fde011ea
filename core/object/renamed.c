/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of renamed, removed and deprecated components, and of SOFA's modules. */
#include "object/renamed.h"

#include <string.h>
#include "object/factory.h"

typedef struct Pair {
  const char *name, *text;
} Pair;

static const char *look_up(const Pair *pairs, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(pairs[i].name, name) == 0) return pairs[i].text;
  }
  return NULL;
}
#define LOOK_UP(pairs, name) look_up(pairs, sizeof(pairs) / sizeof *(pairs), name)

/* ---- renamed: the new name is used ---- */

#define PROJECTIVE(x)                                                                              \
  { #x "Constraint", #x "ProjectiveConstraint" }
static const Pair renamed[] = {
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
    {"EigenCholmodSupernodalLLT", "CholmodSupernodalLLT"},
    {"AssemblingMatrixSystem", "MatrixLinearSystem"},
    {"ShewchukPCGLinearSolver", "PCGLinearSolver"},
    {"OglCylinderModel", "CylinderVisualModel"},
    {"TriangleOctreeModel", "TriangleOctreeCollisionModel"},
    {"VolumeFromTetrahedrons", "VolumeFromVolumetricElements"},
};

const char *sofa_renamed_component(const char *name) {
  return LOOK_UP(renamed, name);
}

/* ---- removed: the text says what to do ---- */

static const Pair removed[] = {
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
};

const char *sofa_removed_component(const char *name) {
  return LOOK_UP(removed, name);
}

static const Pair deprecated[] = {
    {"ConstraintAnimationLoop",
     "ConstraintAnimationLoop is deprecated: use FreeMotionAnimationLoop"},
    {"RayTraceDetection",
     "RayTraceDetection is deprecated: use BruteForceBroadPhase and a narrow phase"},
    {"BruteForceDetection",
     "BruteForceDetection is deprecated: use BruteForceBroadPhase and BVHNarrowPhase"},
    {"DirectSAP", "DirectSAP is deprecated: use DirectSAPNarrowPhase with a broad phase"},
    {"RigidRigidMapping", "RigidRigidMapping is deprecated: use RigidMapping"},
};

const char *sofa_factory_deprecation(const char *name) {
  return LOOK_UP(deprecated, name);
}

/* ---- modules ---- */

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
    "CollisionOBBCapsule",
    "BeamAdapter",
};

bool sofa_is_known_module(const char *name) {
  const size_t length = strlen(name);
  if (!length) return false;
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
    // "Sofa.Component.Mapping" stands for all modules below it
    const char *module = modules[i];
    if (strncmp(module, name, length) != 0) continue;
    if (!module[length]) return true;
    if (module[length] == '.' && strchr(name, '.')) return true;
  }
  return false;
}
