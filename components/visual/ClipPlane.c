/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ClipPlane: cuts what is drawn of a node and of the nodes below. The cutting is the view's. */
#include "components/visual/ClipPlane.h"

#include "math/vec.h"

#define ROW(member, xml, def, unit_text, help_text)                                                \
  SOFA_FIELD(ClipPlane, member, xml, def, unit_text, help_text,                                    \
             .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT)

static const SofaField fields[] = {
    ROW(position, "position", "0 0 0", "m", "a point of the plane"),
    ROW(normal, "normal", "1 0 0", "",
        "towards the side that is drawn; the side behind the plane is hidden"),
    SOFA_FIELD(ClipPlane, id, "id", "0", "",
               "number of the plane; one of the same number above is replaced",
               .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT, .range = SOFA_WITHIN(0, 5)),
    ROW(active, "active", "1", "", "it cuts"),
};

static SofaErr init(SofaObject *object) {
  const ClipPlane *c = (const ClipPlane *)object;
  if (!(sofa_vec3_norm(c->normal.v) > 0))
    return sofa_field_fail(object, "normal", SOFA_ERR_RANGE, "0 0 0, expected a direction");
  return SOFA_OK;
}

SOFA_CLASS(ClipPlane) = {
    SOFA_NAMED(ClipPlane),
    .module = "Sofa.GL.Component.Rendering3D",
    .category = "VisualModel",
    .help = "Cuts the drawing of its node and of the nodes below by a plane.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    .init = init,
    .reinit = init,
};
