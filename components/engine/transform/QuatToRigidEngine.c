/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QuatToRigidEngine: frames from positions and orientations. */
#include <string.h>

#include "components/engine/engine.h"
#include "math/quaternion.h"

typedef struct QuatToRigidEngine {
  SofaObject object;
  SofaVec3s positions, colinear;
  SofaQuats orientations;
  SofaVec7s rigids;
} QuatToRigidEngine;

typedef QuatToRigidEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(positions, "positions", NULL, "m", "places", .aliases = "position"),
    SOFA_ROW_INPUT(orientations, "orientations", NULL, "",
                   "orientations x y z w: one per place, or one for all", .aliases = "orientation"),
    SOFA_ROW_INPUT(colinear, "colinearPositions", NULL, "m",
                   "points, for the first places: the place is projected on the line through the "
                   "point along the frame's z axis",
                   .aliases = "colinearPosition"),
    SOFA_ROW_OUTPUT(rigids, "rigids", "m", "the frames", .aliases = "rigid"),
};

static void project(const double *on, const double *q, double *p) {
  static const double z[3] = {0, 0, 1};
  double axis[3], d[3];
  sofa_quat_rotate(q, z, axis);
  sofa_vec3_sub(p, on, d);
  const double t = sofa_vec3_dot(axis, d) / sofa_vec3_norm(axis);
  for (int k = 0; k < 3; k++) p[k] = on[k] + t * axis[k];
}

static SofaErr update(SofaObject *object) {
  QuatToRigidEngine *e = (QuatToRigidEngine *)object;
  const size_t n = e->positions.n, n_q = e->orientations.n;
  e->rigids.n = 0;
  if (!n_q && n)
    return sofa_field_fail(object, "orientations", SOFA_ERR_ARGUMENT, "no orientation is given");
  if (n_q > 1) SOFA_TRY(engine_check_same(object, "orientations", n_q, n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->rigids, n));
  for (size_t i = 0; i < n; i++) {
    double *frame = e->rigids.data[i].v;
    memcpy(frame, e->positions.data[i].v, 3 * sizeof *frame);
    memcpy(frame + 3, e->orientations.data[n_q == 1 ? 0 : i].q, 4 * sizeof *frame);
    if (i < e->colinear.n) project(e->colinear.data[i].v, frame + 3, frame);
  }
  return SOFA_OK;
}

ENGINE_CLASS(QuatToRigidEngine, "Transform", "Makes frames of positions and orientations.",
             .templates = engine_vec3_templates, .init = engine_init, );
