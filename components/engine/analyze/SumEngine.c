/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SumEngine: the sum of a list. */
#include "components/engine/engine.h"

typedef struct SumEngine {
  SofaObject object;
  SofaCoords input, output;
} SumEngine;

typedef SumEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(input, "input", NULL, "", "list to sum"),
    SOFA_ROW_OUTPUT(output, "output", "", "the sum"),
};

static SofaErr update(SofaObject *object) {
  SumEngine *e = (SumEngine *)object;
  const size_t width = e->input.width;
  e->output.width = e->input.width;
  SOFA_TRY(sofa_coords_resize(object->ctx, &e->output, 1));
  for (size_t k = 0; k < width; k++) {
    e->output.data[k] = 0;
    for (size_t i = 0; i < e->input.n; i++) e->output.data[k] += e->input.data[i * width + k];
  }
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Vec1d", NULL};

ENGINE_CLASS(SumEngine, "Analyze", "Sums a list.",
             .equations = "y = sum_i x_i\n"
                          "\"y: output, x_i: input\"",
             .templates = templates, .init = engine_init, );
