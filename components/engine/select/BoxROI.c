/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BoxROI: points and elements inside boxes, aligned with the axes or oriented. */
#include "components/engine/select/oriented_box.h"
#include "components/engine/select/roi.h"

typedef struct BoxROI {
  Roi roi;
  SofaBoxes boxes;
  SofaVec10s oriented_boxes;
  OrientedBoxes oriented; /* made from oriented_boxes */
} BoxROI;

static const SofaField box_fields[] = {
    SOFA_FIELD(BoxROI, boxes, "box", NULL, "m",
               "boxes: xmin ymin zmin xmax ymax zmax each; none and no oriented one: 0 0 0 1 1 1",
               .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(BoxROI, oriented_boxes, "orientedBox", NULL, "m",
               "boxes around the parallelogram p0 p1 p2, as thick as depth: 10 numbers each",
               .flags = SOFA_FIELD_INPUT),
};

static SofaErr box_prepare(Roi *roi) {
  BoxROI *b = (BoxROI *)roi;
  SofaContext *ctx = roi->object.ctx;
  static const SofaBox unit = {{0, 0, 0}, {1, 1, 1}};
  if (!b->boxes.n && !b->oriented_boxes.n) SOFA_TRY(SOFA_APPEND(ctx, &b->boxes, &unit));
  for (size_t i = 0; i < b->boxes.n; i++)
    for (int k = 0; k < 3; k++) {
      SofaBox *box = &b->boxes.data[i];
      const double low = box->min[k], high = box->max[k];
      if (low <= high) continue;
      box->min[k] = high;
      box->max[k] = low;
    }
  return oriented_boxes_make(ctx, &b->oriented_boxes, &b->oriented);
}

static bool in_box(const SofaBox *box, const double p[3], unsigned space) {
  for (unsigned k = 0; k < space; k++)
    if (!(box->min[k] <= p[k] && p[k] <= box->max[k])) return false;
  return true;
}

static bool box_contains(const Roi *roi, const double p[3]) {
  const BoxROI *b = (const BoxROI *)roi;
  const unsigned space = sofa_state_kind_info(roi->object.kind)->space;
  for (size_t i = 0; i < b->boxes.n; i++)
    if (in_box(&b->boxes.data[i], p, space)) return true;
  return oriented_boxes_contain(&b->oriented, p);
}

static void box_draw(const Roi *roi, SofaDrawList *list, SofaRgba color) {
  const BoxROI *b = (const BoxROI *)roi;
  const double width = roi->draw_size > 1 ? roi->draw_size : 1;
  for (size_t i = 0; i < b->boxes.n; i++)
    sofa_draw_box(list, b->boxes.data[i].min, b->boxes.data[i].max, width, color);
}

static SofaErr box_bounding_box(SofaObject *object, SofaBox *box) {
  const BoxROI *b = (const BoxROI *)object;
  for (size_t i = 0; i < b->boxes.n; i++)
    for (int k = 0; k < 3; k++) {
      if (b->boxes.data[i].min[k] < box->min[k]) box->min[k] = b->boxes.data[i].min[k];
      if (b->boxes.data[i].max[k] > box->max[k]) box->max[k] = b->boxes.data[i].max[k];
    }
  return SOFA_OK;
}

static void box_destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((BoxROI *)object)->oriented);
}

static const RoiOps ops = {.prepare = box_prepare, .contains = box_contains, .draw = box_draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", "Vec1d", "Vec2d", "Vec6d", NULL};

SOFA_CLASS(BoxROI) = {
    SOFA_NAMED(BoxROI),
    .module = "Sofa.Component.Engine.Select",
    .category = "Engine",
    .help = "Selects the points and elements inside boxes; borders belong to them.",
    .base = &roi_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(box_fields),
    .templates = templates,
    .update = roi_update,
    .bounding_box = box_bounding_box,
    .destroy = box_destroy,
    SOFA_IMPLEMENTS({SOFA_ENGINE, &ops}),
};
