/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ClipPlane: cuts what is drawn of a node and of the nodes below. The cutting is the view's. */
#include "components/visual/ClipPlane.h"

#include "math/vec.h"

typedef ClipPlane SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(position, "position", "0 0 0", "m", "a point of the plane",
             .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT),
    SOFA_ROW(normal, "normal", "1 0 0", "",
             "towards the side that is drawn; the side behind the plane is hidden",
             .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT, .range = SOFA_DIRECTION),
    SOFA_ROW(id, "id", "0", "", "number of the plane; one of the same number above is replaced",
             .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT, .range = SOFA_WITHIN(0, 5)),
    SOFA_ROW(active, "active", "1", "", "it cuts", .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT),
};

SOFA_CLASS(ClipPlane) = {
    SOFA_NAMED(ClipPlane),
    .module = "Sofa.GL.Component.Rendering3D",
    .category = "VisualModel",
    .help = "Cuts the drawing of its node and of the nodes below by a plane.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
};
