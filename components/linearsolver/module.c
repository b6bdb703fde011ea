/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear solvers, preconditioners and orderings: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_CGLinearSolver_class, sofa_PCGLinearSolver_class,
    sofa_MinResLinearSolver_class, sofa_SparseLDLSolver_class, sofa_EigenSimplicialLDLT_class,
    sofa_EigenSimplicialLLT_class, sofa_EigenSparseLU_class, sofa_JacobiPreconditioner_class,
    sofa_BlockJacobiPreconditioner_class, sofa_SSORPreconditioner_class,
    sofa_NaturalOrderingMethod_class, sofa_AMDOrderingMethod_class, sofa_COLAMDOrderingMethod_class,
    sofa_EigenSparseQR_class, sofa_CholeskySolver_class, sofa_SVDLinearSolver_class,
    sofa_BTDLinearSolver_class, sofa_PrecomputedLinearSolver_class, sofa_AsyncSparseLDLSolver_class,
    sofa_WarpPreconditioner_class, sofa_RotationMatrixSystem_class,
    sofa_IncompleteCholeskyPreconditioner_class, sofa_PrecomputedWarpPreconditioner_class,
    sofa_PrecomputedMatrixSystem_class, sofa_CholmodSupernodalLLT_class,
    sofa_MetisOrderingMethod_class;

static const SofaClass *const classes[] = {&sofa_CGLinearSolver_class,
                                           &sofa_PCGLinearSolver_class,
                                           &sofa_MinResLinearSolver_class,
                                           &sofa_SparseLDLSolver_class,
                                           &sofa_EigenSimplicialLDLT_class,
                                           &sofa_EigenSimplicialLLT_class,
                                           &sofa_EigenSparseLU_class,
                                           &sofa_EigenSparseQR_class,
                                           &sofa_CholeskySolver_class,
                                           &sofa_SVDLinearSolver_class,
                                           &sofa_BTDLinearSolver_class,
                                           &sofa_PrecomputedLinearSolver_class,
                                           &sofa_AsyncSparseLDLSolver_class,
                                           &sofa_JacobiPreconditioner_class,
                                           &sofa_BlockJacobiPreconditioner_class,
                                           &sofa_SSORPreconditioner_class,
                                           &sofa_WarpPreconditioner_class,
                                           &sofa_RotationMatrixSystem_class,
                                           &sofa_NaturalOrderingMethod_class,
                                           &sofa_AMDOrderingMethod_class,
                                           &sofa_COLAMDOrderingMethod_class,
                                           &sofa_MetisOrderingMethod_class,
                                           &sofa_CholmodSupernodalLLT_class,
                                           &sofa_IncompleteCholeskyPreconditioner_class,
                                           &sofa_PrecomputedWarpPreconditioner_class,
                                           &sofa_PrecomputedMatrixSystem_class,
                                           NULL};

extern const SofaModule sofa_module_linearsolver;
const SofaModule sofa_module_linearsolver = {SOFA_ABI, "linearsolver", CSOFA_VERSION, classes};
