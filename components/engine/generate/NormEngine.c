/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NormEngine: norms of vectors. */
#include <math.h>

#include "components/engine/engine.h"

typedef struct NormEngine {
  SofaObject object;
  SofaVec3s input;
  SofaReals output;
  int type;
} NormEngine;

typedef NormEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(input, "input", NULL, "", "vectors"),
    SOFA_ROW_OUTPUT(output, "output", "", "norm of each"),
    SOFA_ROW_INPUT(type, "normType", "2", "",
                   "p of the norm (sum |x_i|^p)^(1/p); 0: number of entries that are not 0; "
                   "negative: the largest |x_i|"),
};

static double norm(const double *x, int p) {
  double sum = 0, largest = 0;
  for (int k = 0; k < 3; k++) {
    const double a = fabs(x[k]);
    largest = a > largest ? a : largest;
    sum += p == 0 ? a > 0 : p == 1 ? a : p == 2 ? a * a : pow(a, p);
  }
  if (p < 0) return largest;
  return p < 2 ? sum : p == 2 ? sqrt(sum) : pow(sum, 1.0 / p);
}

static SofaErr update(SofaObject *object) {
  NormEngine *e = (NormEngine *)object;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->output, e->input.n));
  for (size_t i = 0; i < e->input.n; i++) e->output.data[i] = norm(e->input.data[i].v, e->type);
  return SOFA_OK;
}

ENGINE_CLASS(NormEngine, "Generate", "Computes norms of vectors.",
             .equations = "y = (sum_k |x_k|^p)^{1/p}\n"
                          "\"p: normType; p = 0: number of entries that are not 0; p < 0: the "
                          "largest size of an entry\"",
             .templates = engine_vec3_templates, .init = engine_init, );
