/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where SOFA's code contradicts its own documentation or its method's definition, csofa computes
 * what is documented and --quirks reproduces SOFA. Every row has an entry in docs/differences.md.
 */
#ifndef SOFA_BASE_QUIRKS_H
#define SOFA_BASE_QUIRKS_H

/* X(id, word, one line for the user). At most 256 rows. */
#define SOFA_QUIRKS(X)                                                                             \
  X(SOFA_QUIRK_TRAPEZOIDAL_POSITION, "trapezoidal-position",                                       \
    "EulerImplicitSolver with trapezoidalScheme updates positions with h v_new")                   \
  X(SOFA_QUIRK_COMPONENT_RAYLEIGH, "component-rayleigh",                                           \
    "component-level Rayleigh factors act on the left-hand side only")                             \
  X(SOFA_QUIRK_EULER_RESIDUAL, "euler-residual",                                                   \
    "EulerImplicitSolver's residual leaves out the inertia term")                                  \
  X(SOFA_QUIRK_STATIC_OLD_THRESHOLD, "static-old-threshold",                                       \
    "StaticSolver's relative_residual_tolerance_threshold acts on the estimate, not the residual") \
  X(SOFA_QUIRK_NEWMARK_DAMPING, "newmark-damping",                                                 \
    "NewmarkImplicitSolver counts forces of damping twice")                                        \
  X(SOFA_QUIRK_VARIATIONAL_DAMPING, "variational-damping",                                         \
    "VariationalSymplecticSolver damps in the first half of each step alone")                      \
  X(SOFA_QUIRK_BDF_HISTORY, "bdf-history",                                                         \
    "BDFOdeSolver of order 2 and more takes the current state for all earlier ones")               \
  X(SOFA_QUIRK_BDF_LINE_SEARCH, "bdf-line-search",                                                 \
    "BDFOdeSolver moves positions by the whole step in each trial of a line search")               \
  X(SOFA_QUIRK_CG_FIRST_SOLVE, "cg-first-solve",                                                   \
    "CGLinearSolver ignores its stopping rules at the first iteration of the first solve")         \
  X(SOFA_QUIRK_CROSS_PAIR_BLOCKS, "cross-pair-blocks",                                             \
    "MatrixLinearSystem adds spurious blocks for interactions with mapped states")                 \
  X(SOFA_QUIRK_KEPT_MAPPED_MASS, "kept-mapped-mass",                                               \
    "MatrixLinearSystem keeps masses under linear mappings, factor included, from the second "     \
    "build")                                                                                       \
  X(SOFA_QUIRK_MAPPED_CONSTRAINT, "mapped-constraint",                                             \
    "in assembled systems a constraint of a mapped state fixes dofs of the first main state")      \
  X(SOFA_QUIRK_ENDED_CONSTRAINT, "ended-constraint",                                               \
    "in assembled systems constraints fix their dofs also after endTime")                          \
  X(SOFA_QUIRK_ASYNC_FACTOR, "async-factor",                                                       \
    "AsyncSparseLDLSolver solves with the factor of a matrix up to 31 builds old")                 \
  X(SOFA_QUIRK_BTD_DROPPED_ENTRIES, "btd-dropped-entries",                                         \
    "BTDLinearSolver drops entries beyond the next block instead of refusing the matrix")          \
  X(SOFA_QUIRK_ASYMMETRIC_MATRIX, "asymmetric-matrix",                                             \
    "solvers for symmetric systems take a matrix that is not: direct ones read one half of it")    \
  X(SOFA_QUIRK_HEXA_NODE_ROTATIONS, "hexa-node-rotations",                                         \
    "HexahedronFEMForceField gives preconditioners rotations of points the wrong way round")       \
  X(SOFA_QUIRK_WARP_FROM_REST, "warp-from-rest",                                                   \
    "RotationMatrixSystem turns by the rotation from rest, not by that since the matrix was "      \
    "built")                                                                                       \
  X(SOFA_QUIRK_TETRA_LARGE_UPDATE, "tetra-large-update",                                           \
    "TetrahedronFEMForceField large + updateStiffnessMatrix updates only part of J")               \
  X(SOFA_QUIRK_TETRA_GLOBAL_MATRIX, "tetra-global-matrix",                                         \
    "tetrahedral FEM with computeGlobalMatrix and polar, svd or plasticity gives no force")        \
  X(SOFA_QUIRK_TETRA_VON_MISES_FRAMES, "tetra-von-mises-frames",                                   \
    "TetrahedronFEMForceField von Mises stress mixes gradients of two frames")                     \
  X(SOFA_QUIRK_IDLE_SPRING_ENERGY, "idle-spring-energy",                                           \
    "the energy of linear springs counts those that are disabled, slack or without length")        \
  X(SOFA_QUIRK_GRID_SPRINGS, "grid-springs",                                                       \
    "RegularGridSpringForceField's own springs are not in assembled matrices, nor in its energy")  \
  X(SOFA_QUIRK_REST_SHAPE_MATRIX, "rest-shape-matrix",                                             \
    "RestShapeSpringsForceField assembles stiffnesses by point and in inactive directions")        \
  X(SOFA_QUIRK_FAST_BENDING_MATRIX, "fast-bending-matrix",                                         \
    "FastTriangularBendingSprings assembles three of the four points of an edge")                  \
  X(SOFA_QUIRK_SPRINGS_WITHOUT_MATRIX, "springs-without-matrix",                                   \
    "JointSpring-, GearSpring- and VectorSpringForceField assemble no stiffness")                  \
  X(SOFA_QUIRK_RAMIFIED_FACTORS, "ramified-factors",                                               \
    "SparseGridRamificationTopology loses parts of the stiffness and mass of branched cells")      \
  X(SOFA_QUIRK_TESSELLATED_HEXA, "tessellated-hexa",                                               \
    "SimpleTesselatedHexaTopologicalMapping doubles middles of edges that hexahedra see turned")   \
  X(SOFA_QUIRK_BARYCENTRIC_TURN, "barycentric-turn",                                               \
    "BarycentricMapping turns frames in volumes by the sum of x cross v of the element's points")  \
  X(SOFA_QUIRK_LINE_NEIGHBOURS, "line-neighbours",                                                 \
    "LineSetSkinningMapping does not take lines that end in the same frame for neighbours")        \
  X(SOFA_QUIRK_JOINT_PIVOT, "joint-pivot",                                                         \
    "JointSpringForceField with one free axis resists tilting by angle times its sine")            \
  X(SOFA_QUIRK_JOINT_REST, "joint-rest",                                                           \
    "JointSpringForceField replaces a given REST_T by the offset of the initial poses")            \
  X(SOFA_QUIRK_GEAR_ANGLE, "gear-angle",                                                           \
    "GearSpringForceField counts tilts as turns and takes 2/pi for a full turn")                   \
  X(SOFA_QUIRK_FRAME_SPRINGS, "frame-springs",                                                     \
    "FrameSpringForceField mixes axes, drives the second frame and has an incomplete tangent")     \
  X(SOFA_QUIRK_ANGULAR_SPRINGS, "angular-springs",                                                 \
    "AngularSpringForceField turns the long way round and stiffens the first frame")               \
  X(SOFA_QUIRK_POLYNOMIAL_TANGENT, "polynomial-tangent",                                           \
    "polynomial springs have tangents that are not the derivatives of their forces")               \
  X(SOFA_QUIRK_HEXA_MASS, "hexa-mass",                                                             \
    "hexahedra with a mass: each entry of an element's matrix is 8/27 of the mass of a box")       \
  X(SOFA_QUIRK_HEXA_ASSEMBLED_MASS, "hexa-assembled-mass",                                         \
    "hexahedra with a mass: the assembled mass is not the one of the products")                    \
  X(SOFA_QUIRK_HEXAHEDRAL_STIFFNESS, "hexahedral-stiffness",                                       \
    "HexahedralFEMForceField computes all elements as boxes along the axes")                       \
  X(SOFA_QUIRK_HEXAHEDRAL_ROTATION, "hexahedral-rotation",                                         \
    "HexahedralFEMForceField turns the blocks of the assembled matrix the wrong way round")        \
  X(SOFA_QUIRK_FEM_MASS_QUADRATURE, "fem-mass-quadrature",                                         \
    "FEMMass integrates with the points of the stiffness: one in a simplex")                       \
  X(SOFA_QUIRK_FEM_MASS_GRAVITY, "fem-mass-gravity",                                               \
    "FEMMass adds gravity to the forces with separateGravity, too")                                \
  X(SOFA_QUIRK_TRIANGLE_SMALL, "triangle-small",                                                   \
    "the small method of triangles acts in world x and y only; TriangularFEM assembles no matrix") \
  X(SOFA_QUIRK_COSTA_TANGENT, "costa-tangent",                                                     \
    "the tangent of the hyperelastic material Costa has terms of wrong size")                      \
  X(SOFA_QUIRK_BEAM_FRAME, "beam-frame",                                                           \
    "BeamFEMForceField mixes the frames of a beam, of its first and of its second point")          \
  X(SOFA_QUIRK_TRIANGULAR_TENSOR_MATRIX, "triangular-tensor-matrix",                               \
    "TriangularTensorMassForceField adds nothing to assembled matrices")                           \
  X(SOFA_QUIRK_QUAD_BENDING_AXES, "quad-bending-axes",                                             \
    "QuadBendingFEMForceField takes all quads as parallel to the world's x and y axes")            \
  X(SOFA_QUIRK_ANISOTROPIC_AREA, "anisotropic-area",                                               \
    "TriangularAnisotropicFEMForceField leaves the area out of its stiffness")                     \
  X(SOFA_QUIRK_MAPPING_SLOT, "mapping-slot",                                                       \
    "a state is not integrated when its node holds any mapping, even one towards a visual model")  \
  X(SOFA_QUIRK_FLOAT_ATTRIBUTES, "float-attributes",                                               \
    "legacy attributes such as dx, scale or xmin are read in single precision")                    \
  X(SOFA_QUIRK_INACTIVE_MOVEMENT, "inactive-movement",                                             \
    "assembled systems hold the dofs of linear movements also before and after the movement")      \
  X(SOFA_QUIRK_PARTIAL_MOVEMENT_VELOCITY, "partial-movement-velocity",                             \
    "PartialLinearMovementProjectiveConstraint also sets the velocities of free components")       \
  X(SOFA_QUIRK_VELOCITY_START, "velocity-start",                                                   \
    "LinearVelocityProjectiveConstraint moves points at initialisation and for trial states too")  \
  X(SOFA_QUIRK_VELOCITY_COORDINATES, "velocity-coordinates",                                       \
    "LinearVelocityProjectiveConstraint holds all components although only some are imposed")      \
  X(SOFA_QUIRK_FIXED_TRANSLATION, "fixed-translation",                                             \
    "FixedTranslationProjectiveConstraint also fixes rotations")                                   \
  X(SOFA_QUIRK_UNPROJECTED_MATRIX, "unprojected-matrix",                                           \
    "some constraints project the right-hand side of assembled systems but not the matrix")        \
  X(SOFA_QUIRK_MULTI_STEP_CLOCK, "multi-step-clock",                                               \
    "MultiStepAnimationLoop starts the time over in each collision step")                          \
  X(SOFA_QUIRK_SKELETON_SPEED, "skeleton-speed",                                                   \
    "SkeletalMotionProjectiveConstraint's velocities look ahead by dt at any animationSpeed")      \
  X(SOFA_QUIRK_FIXED_PLANE_DIRECTION, "fixed-plane-direction",                                     \
    "FixedPlaneProjectiveConstraint does not normalise its direction")                             \
  X(SOFA_QUIRK_DUPLICATE_INDICES, "duplicate-indices",                                             \
    "line, plane and direction constraints leave out points behind an index given twice")          \
  X(SOFA_QUIRK_ATTACH_HALF_WAY, "attach-half-way",                                                 \
    "AttachProjectiveConstraint moves the second points half of the way only")                     \
  X(SOFA_QUIRK_ATTACH_MATRIX, "attach-matrix",                                                     \
    "AttachProjectiveConstraint takes dofs of the wrong state out of assembled systems")           \
  X(SOFA_QUIRK_PARABOLIC_VELOCITY, "parabolic-velocity",                                           \
    "ParabolicProjectiveConstraint gives a velocity to its first point only")                      \
  X(SOFA_QUIRK_HERMITE_VELOCITY, "hermite-velocity",                                               \
    "HermiteSplineProjectiveConstraint's velocity is not the derivative by time")                  \
  X(SOFA_QUIRK_BILATERAL_DAMPING, "bilateral-damping",                                             \
    "damping of penalty loads drives points on the outer side instead of braking them")            \
  X(SOFA_QUIRK_ELLIPSOID_TANGENT, "ellipsoid-tangent",                                             \
    "the tangent of ellipsoid loads has a term of wrong sign and size")                            \
  X(SOFA_QUIRK_LINEAR_FORCE_END, "linear-force-end",                                               \
    "LinearForceField does not scale the last key by `force`")                                     \
  X(SOFA_QUIRK_EDGE_PRESSURE, "edge-pressure",                                                     \
    "EdgePressureForceField uses other edges' lengths and the directions of the call before")      \
  X(SOFA_QUIRK_PRESSURE_PULSE, "pressure-pulse",                                                   \
    "SurfacePressureForceField moves its pulse at every evaluation of the force")                  \
  X(SOFA_QUIRK_RIGID_STABILIZED, "rigid-stabilized",                                               \
    "RigidMapping's stabilized geometric stiffness is made of force changes in matrix products")   \
  X(SOFA_QUIRK_TUBULAR_SUMS, "tubular-sums",                                                       \
    "TubularMapping gives each frame the forces of all circles before, too")                       \
  X(SOFA_QUIRK_CARIBOU_MASS_QUADRATURE, "caribou-mass-quadrature",                                 \
    "CaribouMass integrates with the points of the stiffness: one in a tetrahedron")               \
  X(SOFA_QUIRK_CARIBOU_REST, "caribou-rest",                                                       \
    "SofaCaribou's elements of a topology container are at rest where the scene starts")           \
  X(SOFA_QUIRK_CARIBOU_NEWTON, "caribou-newton",                                                   \
    "Caribou's Newton solvers measure residuals by that after the first iteration")                \
  X(SOFA_QUIRK_CARIBOU_FIRST_RESIDUAL, "caribou-first-residual",                                   \
    "BackwardEulerODESolver takes its first residual and tangent at the old positions")            \
  X(SOFA_QUIRK_CARIBOU_CG, "caribou-cg",                                                           \
    "Caribou's Newton solvers end silently when conjugate gradients give up")                      \
  X(SOFA_QUIRK_CARIBOU_LEGACY_REST, "caribou-legacy-rest",                                         \
    "LegacyStaticODESolver compares the square of the first residual with the threshold")          \
  X(SOFA_QUIRK_HEXA_QUAD_ADDITIONS, "hexa-quad-additions",                                         \
    "Hexa2QuadTopologicalMapping does not follow hexahedra that are added")                        \
  X(SOFA_QUIRK_LOST_CHANGES, "lost-changes",                                                       \
    "of topological changes due in the same step all but the last are lost")                       \
  X(SOFA_QUIRK_TETRA_TRIANGLE_EDGES, "tetra-triangle-edges",                                       \
    "Tetra2TriangleTopologicalMapping gives its output all edges of tetrahedra that are added")    \
  X(SOFA_QUIRK_MESH_ROI_ALL, "mesh-roi-all", "MeshROI without computeMeshROI selects all points")  \
  X(SOFA_QUIRK_MATH_OP_NEGATION, "math-op-negation",                                               \
    "MathOp's operations !&, !| and !^ always give false")                                         \
  X(SOFA_QUIRK_OTHER_INDICES, "other-indices",                                                     \
    "IndicesFromValues lists other indices once per value, or not at all")                         \
  X(SOFA_QUIRK_SPHERE_ROI_NORMAL, "sphere-roi-normal",                                             \
    "SphereROI compares the reversed normals of triangles")                                        \
  X(SOFA_QUIRK_VTK_STRIPS, "vtk-strips",                                                           \
    "MeshVTKLoader turns the triangles of strips the other way round")                             \
  X(SOFA_QUIRK_OFF_SEQUENCE, "off-sequence",                                                       \
    "OffSequenceLoader shows each file one duration too early")

typedef enum SofaQuirk {
#define SOFA_QUIRK_ENUM(id, word, text) id,
  SOFA_QUIRKS(SOFA_QUIRK_ENUM)
#undef SOFA_QUIRK_ENUM
      SOFA_N_QUIRKS
} SofaQuirk;

#endif
