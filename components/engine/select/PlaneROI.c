/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PlaneROI: points and elements near pieces of planes. */
#include "components/engine/engine.h"
#include "components/engine/select/oriented_box.h"
#include "components/engine/select/roi.h"

typedef struct PlaneROI {
  Roi roi;
  SofaVec10s planes;
  OrientedBoxes boxes; /* made from planes */
} PlaneROI;

typedef PlaneROI SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(planes, "plane", NULL, "m",
                   "pieces of planes: parallelogram p0 p1 p2 and the thickness: 10 numbers each"),
};

static SofaErr prepare(Roi *roi) {
  PlaneROI *p = (PlaneROI *)roi;
  if (!p->planes.n)
    return sofa_field_fail(&roi->object, "plane", SOFA_ERR_ARGUMENT, "no plane is given");
  return oriented_boxes_make(roi->object.ctx, &p->planes, &p->boxes);
}

static bool contains(const Roi *roi, const double p[3]) {
  return oriented_boxes_contain(&((const PlaneROI *)roi)->boxes, p);
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((PlaneROI *)object)->boxes);
}

static const RoiOps ops = {.prepare = prepare, .contains = contains};

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

SOFA_CLASS(PlaneROI) = {
    SOFA_NAMED(PlaneROI),
    .module = "Sofa.Component.Engine.Select",
    .category = "Engine",
    .help = "Selects the points and elements near pieces of planes; borders belong to them.",
    .base = &roi_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    .templates = templates,
    .update = roi_update,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_ENGINE, &ops}),
};
