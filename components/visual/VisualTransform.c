/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualTransform: moves what is drawn of a node. The moving is the view's. */
#include "components/visual/VisualTransform.h"

typedef VisualTransform SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(transform, "transform", "0 0 0 0 0 0 1", "m",
             "position and quaternion x y z w of the drawing; a linked one moves with its source",
             .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT),
    SOFA_ROW_DISPLAY(recursive, "recursive", "0", "also of the nodes below"),
};

static SofaErr init(SofaObject *object) {
  const VisualTransform *v = (const VisualTransform *)object;
  if (v->transform.n < 1)
    return sofa_field_fail(object, "transform", SOFA_ERR_RANGE,
                           "empty, expected 7 numbers: place and quaternion");
  const double *q = v->transform.data->v + 3;
  if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0))
    return sofa_field_fail(object, "transform", SOFA_ERR_RANGE,
                           "the quaternion is 0 0 0 0, expected one of length 1");
  return SOFA_OK;
}

SOFA_CLASS(VisualTransform) = {
    SOFA_NAMED(VisualTransform),
    .module = "Sofa.Component.Visual",
    .category = "VisualModel",
    .help = "Moves the drawing of its node.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    .init = init,
    .reinit = init,
};
