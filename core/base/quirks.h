/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where SOFA's code contradicts its own documentation or its method's definition, csofa computes
 * what is documented and --quirks reproduces SOFA. Every row has an entry in docs/differences.md. */
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
  X(SOFA_QUIRK_BDF_HISTORY, "bdf-history",                                                         \
    "BDFOdeSolver of order 2 and more takes the current state for all earlier ones")               \
  X(SOFA_QUIRK_BDF_LINE_SEARCH, "bdf-line-search",                                                 \
    "BDFOdeSolver moves positions by the whole step in each trial of a line search")               \
  X(SOFA_QUIRK_CG_FIRST_SOLVE, "cg-first-solve",                                                   \
    "CGLinearSolver ignores its stopping rules at the first iteration of the first solve")         \
  X(SOFA_QUIRK_CROSS_PAIR_BLOCKS, "cross-pair-blocks",                                             \
    "MatrixLinearSystem adds spurious blocks for interactions with mapped states")                 \
  X(SOFA_QUIRK_KEPT_MAPPED_MASS, "kept-mapped-mass",                                               \
    "MatrixLinearSystem keeps masses under linear mappings, factor included, from the second build") \
  X(SOFA_QUIRK_MAPPED_CONSTRAINT, "mapped-constraint",                                             \
    "in assembled systems a constraint of a mapped state fixes dofs of the first main state")      \
  X(SOFA_QUIRK_ENDED_CONSTRAINT, "ended-constraint",                                               \
    "in assembled systems constraints fix their dofs also after endTime")                          \
  X(SOFA_QUIRK_ASYNC_FACTOR, "async-factor",                                                       \
    "AsyncSparseLDLSolver solves with the factor of a matrix up to 31 builds old")                   \
  X(SOFA_QUIRK_BTD_DROPPED_ENTRIES, "btd-dropped-entries",                                         \
    "BTDLinearSolver drops entries beyond the next block instead of refusing the matrix")          \
  X(SOFA_QUIRK_HEXA_NODE_ROTATIONS, "hexa-node-rotations",                                         \
    "HexahedronFEMForceField gives preconditioners rotations of points the wrong way round")       \
  X(SOFA_QUIRK_WARP_FROM_REST, "warp-from-rest",                                                   \
    "RotationMatrixSystem turns by the rotation from rest, not by that since the matrix was built") \
  X(SOFA_QUIRK_TETRA_LARGE_UPDATE, "tetra-large-update",                                           \
    "TetrahedronFEMForceField large + updateStiffnessMatrix updates only part of J")               \
  X(SOFA_QUIRK_TETRA_GLOBAL_MATRIX, "tetra-global-matrix",                                         \
    "TetrahedronFEMForceField computeGlobalMatrix with polar, svd or plasticity gives no force")   \
  X(SOFA_QUIRK_TETRA_VON_MISES_FRAMES, "tetra-von-mises-frames",                                   \
    "TetrahedronFEMForceField von Mises stress mixes gradients of two frames")                     \
  X(SOFA_QUIRK_MAPPING_SLOT, "mapping-slot",                                                       \
    "a state is not integrated when its node holds any mapping, even one towards a visual model")  \
  X(SOFA_QUIRK_FLOAT_ATTRIBUTES, "float-attributes",                                               \
    "legacy attributes such as dx, scale or xmin are read in single precision")                    \
  X(SOFA_QUIRK_BILATERAL_DAMPING, "bilateral-damping",                                             \
    "damping of penalty loads drives points on the outer side instead of braking them")            \
  X(SOFA_QUIRK_ELLIPSOID_TANGENT, "ellipsoid-tangent",                                             \
    "the tangent of ellipsoid loads has a term of wrong sign and size")                            \
  X(SOFA_QUIRK_LINEAR_FORCE_END, "linear-force-end",                                               \
    "LinearForceField does not scale the last key by `force`")                                     \
  X(SOFA_QUIRK_EDGE_PRESSURE, "edge-pressure",                                                     \
    "EdgePressureForceField uses other edges' lengths and the directions of the call before")      \
  X(SOFA_QUIRK_PRESSURE_PULSE, "pressure-pulse",                                                   \
    "SurfacePressureForceField moves its pulse at every evaluation of the force")

typedef enum SofaQuirk {
#define SOFA_QUIRK_ENUM(id, word, text) id,
  SOFA_QUIRKS(SOFA_QUIRK_ENUM)
#undef SOFA_QUIRK_ENUM
  SOFA_N_QUIRKS
} SofaQuirk;

#endif
