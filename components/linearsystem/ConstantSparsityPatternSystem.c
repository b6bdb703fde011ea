/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ConstantSparsityPatternSystem: another name of MatrixLinearSystem, whose assembly always keeps
 * its pattern. */
#include "components/linearsystem/matrix_linear_system.h"

static const char *const templates[] = {"CompressedRowSparseMatrixd", NULL};

SOFA_CLASS(ConstantSparsityPatternSystem) = {
    .name = "ConstantSparsityPatternSystem",
    .module = "Sofa.Component.LinearSystem",
    .category = "LinearSystem",
    .help = "The same as MatrixLinearSystem: every assembled system replays the pattern of its "
            "first build, and makes another when it no longer fits.",
    .equations = "A = m M + b B + k K, K = sum_c J_c^T K_c J_c\n"
                 "\"M, B, K: mass, df/dv and df/dx; K_c: of component c, J_c: Jacobian of the "
                 "mappings of its state, M and B likewise; m, b, k: factors of the ODE solver\"",
    .base = &sofa_MatrixLinearSystem_class,
    .size = sizeof(MatrixLinearSystem),
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SYSTEM, &matrix_linear_system_ops}),
};
