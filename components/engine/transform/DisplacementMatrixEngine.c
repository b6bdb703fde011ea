/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DisplacementMatrixEngine: what has moved frames since rest, x S x0^-1 with a scale S. */
#include "components/engine/engine.h"
#include "math/quaternion.h"

typedef struct DisplacementMatrixEngine {
  SofaObject object;
  SofaCoords rest, position;
  SofaVec3s scales;
  SofaMat4s matrices;
} DisplacementMatrixEngine;

typedef DisplacementMatrixEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(rest, "x0", NULL, "m", "frames at rest"),
    SOFA_ROW_INPUT(position, "x", NULL, "m", "frames now, as many"),
    SOFA_ROW_OUTPUT(matrices, "displaceMats", "", "x S x0^-1 of each frame",
                    .aliases = "displacements"),
    SOFA_ROW_INPUT(scales, "scales", NULL, "1", "scale of each frame along its axes; empty: 1"),
};

/* R S R0^T and p - R S R0^T p0 in a 4x4 matrix. */
static void fill(const double *x, const double *x0, const double *scale, double *m) {
  double r[9], r0[9], p[3];
  sofa_quat_to_matrix(x + 3, r);
  sofa_quat_to_matrix(x0 + 3, r0);
  for (int i = 0; i < 9; i++) r[i] *= scale[i % 3];
  sofa_mat3_mul_nt(r, r0, r);
  sofa_mat3_apply(r, x0, p);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) m[4 * i + j] = r[3 * i + j];
    m[4 * i + 3] = x[i] - p[i];
    m[12 + i] = 0;
  }
  m[15] = 1;
}

static SofaErr update(SofaObject *object) {
  DisplacementMatrixEngine *e = (DisplacementMatrixEngine *)object;
  static const double one[3] = {1, 1, 1};
  SOFA_TRY(engine_check_same(object, "x", e->position.n, e->rest.n));
  if (e->scales.n) SOFA_TRY(engine_check_same(object, "scales", e->scales.n, e->rest.n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->matrices, e->position.n));
  for (size_t i = 0; i < e->position.n; i++)
    fill(SOFA_POSE(e->position.data, i), SOFA_POSE(e->rest.data, i),
         e->scales.n ? e->scales.data[i].v : one, e->matrices.data[i].m);
  return SOFA_OK;
}

static const char *const templates[] = {"Rigid3d", NULL};

ENGINE_CLASS(DisplacementMatrixEngine, "Transform",
             "Gives the transformation of each frame since rest, with a scale.",
             .equations = "T = X S X_0^-1\n"
                          "\"X and X_0: the frames x and x0 as matrices, S: scales\"",
             .templates = templates, .init = engine_init, );
