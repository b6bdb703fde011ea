/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear systems: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_MatrixLinearSystem_class, sofa_MatrixFreeSystem_class,
    sofa_PreconditionedMatrixFreeSystem_class, sofa_ConstantSparsityPatternSystem_class,
    sofa_CompositeLinearSystem_class, sofa_GlobalSystemMatrixExporter_class,
    sofa_GlobalSystemMatrixImage_class;

static const SofaClass *const classes[] = {&sofa_MatrixLinearSystem_class,
                                           &sofa_MatrixFreeSystem_class,
                                           &sofa_PreconditionedMatrixFreeSystem_class,
                                           &sofa_ConstantSparsityPatternSystem_class,
                                           &sofa_CompositeLinearSystem_class,
                                           &sofa_GlobalSystemMatrixExporter_class,
                                           &sofa_GlobalSystemMatrixImage_class,
                                           NULL};

extern const SofaModule sofa_module_linearsystem;
const SofaModule sofa_module_linearsystem = {SOFA_ABI, "linearsystem", CSOFA_VERSION, classes};
