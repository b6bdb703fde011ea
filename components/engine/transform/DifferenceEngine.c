/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DifferenceEngine: one list minus another. */
#include "components/engine/engine.h"

typedef struct DifferenceEngine {
  SofaObject object;
  SofaCoords input, subtracted, output;
} DifferenceEngine;

typedef DifferenceEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(input, "input", NULL, "", "list to start from"),
    SOFA_ROW_INPUT(subtracted, "substractor", NULL, "", "list to subtract, as long as input"),
    SOFA_ROW_OUTPUT(output, "output", "", "input - substractor"),
};

static SofaErr update(SofaObject *object) {
  DifferenceEngine *e = (DifferenceEngine *)object;
  SOFA_TRY(engine_check_same(object, "substractor", e->subtracted.n, e->input.n));
  SOFA_TRY(engine_copy_coords(object->ctx, &e->output, &e->input));
  for (size_t i = 0; i < e->output.n * e->output.width; i++)
    e->output.data[i] -= e->subtracted.data[i];
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Vec1d", NULL};

ENGINE_CLASS(DifferenceEngine, "Transform", "Subtracts a list from another one.",
             .equations = "y_i = x_i - s_i\n"
                          "\"x_i: input, s_i: substractor, y_i: output\"",
             .templates = templates, .init = engine_init, );
