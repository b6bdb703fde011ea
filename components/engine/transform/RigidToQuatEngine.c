/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RigidToQuatEngine: positions and orientations of frames. */
#include <math.h>
#include <string.h>

#include "components/engine/engine.h"
#include "math/quaternion.h"

typedef struct RigidToQuatEngine {
  SofaObject object;
  SofaVec3s positions, euler;
  SofaQuats orientations;
  SofaVec7s rigids;
} RigidToQuatEngine;

typedef RigidToQuatEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_OUTPUT(positions, "positions", "m", "places", .aliases = "position"),
    SOFA_ROW_OUTPUT(orientations, "orientations", "", "orientations x y z w",
                    .aliases = "orientation"),
    SOFA_ROW_OUTPUT(euler, "orientationsEuler", "rad", "angles about the x, then y, then z axis"),
    SOFA_ROW_INPUT(rigids, "rigids", NULL, "m", "the frames", .aliases = "rigid"),
};

static void to_euler(const double *quaternion, double *angles) {
  double q[4];
  memcpy(q, quaternion, sizeof q);
  sofa_quat_normalize(q);
  const double s = 2 * (q[3] * q[1] - q[2] * q[0]);
  angles[0] = atan2(2 * (q[3] * q[0] + q[1] * q[2]), 1 - 2 * (q[0] * q[0] + q[1] * q[1]));
  angles[1] = asin(fmax(-1, fmin(1, s)));
  angles[2] = atan2(2 * (q[3] * q[2] + q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
}

static SofaErr update(SofaObject *object) {
  RigidToQuatEngine *e = (RigidToQuatEngine *)object;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->positions, e->rigids.n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->orientations, e->rigids.n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->euler, e->rigids.n));
  for (size_t i = 0; i < e->rigids.n; i++) {
    const double *frame = e->rigids.data[i].v;
    memcpy(e->positions.data[i].v, frame, 3 * sizeof *frame);
    memcpy(e->orientations.data[i].q, frame + 3, 4 * sizeof *frame);
    to_euler(frame + 3, e->euler.data[i].v);
  }
  return SOFA_OK;
}

ENGINE_CLASS(RigidToQuatEngine, "Transform", "Takes frames apart.",
             .templates = engine_vec3_templates, .init = engine_init, );
