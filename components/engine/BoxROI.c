/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BoxROI: points and elements inside boxes, aligned with the axes or oriented. */
#include <math.h>

#include "components/engine/roi.h"

/* |(p - origin) . axis| <= extent */
typedef struct Slab {
  double origin[3], axis[3], extent;
} Slab;
typedef struct OrientedBox {
  Slab slabs[5];
} OrientedBox;
SOFA_LIST(OrientedBox, OrientedBoxes);

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

/* ---- small vectors ---- */

static void subtract(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = unit vector of a x b; zero when they are parallel */
static void unit_normal(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
  const double length = sqrt(dot(c, c));
  for (int k = 0; k < 3; k++) c[k] = length > 0 ? c[k] / length : 0;
}

/* ---- boxes ---- */

static Slab side(const double origin[3], const double along[3], const double n[3],
                 const double opposite[3]) {
  Slab slab = {{origin[0], origin[1], origin[2]}, {0, 0, 0}, 0};
  double d[3];
  unit_normal(along, n, slab.axis);
  subtract(opposite, origin, d);
  slab.extent = fabs(dot(d, slab.axis));
  return slab;
}

/* Two pairs of opposite sides, each pair limiting the distance from either side, and the depth. */
static OrientedBox orient(const double v[10]) {
  OrientedBox box;
  const double *p0 = v, *p1 = v + 3, *p2 = v + 6;
  double p3[3], e01[3], e02[3], e23[3], e03[3], e12[3], n[3];
  for (int k = 0; k < 3; k++) p3[k] = p0[k] + p2[k] - p1[k];
  subtract(p1, p0, e01);
  subtract(p2, p0, e02);
  subtract(p3, p2, e23);
  subtract(p3, p0, e03);
  subtract(p2, p1, e12);
  unit_normal(e01, e02, n);
  box.slabs[0] = side(p0, e01, n, p2);
  box.slabs[1] = side(p2, e23, n, p0);
  box.slabs[2] = side(p0, e03, n, p2);
  box.slabs[3] = side(p2, e12, n, p0);
  box.slabs[4] = (Slab){{p0[0], p0[1], p0[2]}, {n[0], n[1], n[2]}, fabs(v[9] / 2)};
  return box;
}

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
  SOFA_TRY(SOFA_RESIZE(ctx, &b->oriented, b->oriented_boxes.n));
  for (size_t i = 0; i < b->oriented_boxes.n; i++)
    b->oriented.data[i] = orient(b->oriented_boxes.data[i].v);
  return SOFA_OK;
}

static bool in_box(const SofaBox *box, const double p[3], unsigned space) {
  for (unsigned k = 0; k < space; k++)
    if (!(box->min[k] <= p[k] && p[k] <= box->max[k])) return false;
  return true;
}

static bool in_oriented(const OrientedBox *box, const double p[3]) {
  for (int s = 0; s < 5; s++) {
    double d[3];
    subtract(p, box->slabs[s].origin, d);
    if (!(fabs(dot(d, box->slabs[s].axis)) <= box->slabs[s].extent)) return false;
  }
  return true;
}

static bool box_contains(const Roi *roi, const double p[3]) {
  const BoxROI *b = (const BoxROI *)roi;
  const unsigned space = sofa_state_kind_info(roi->object.kind)->space;
  for (size_t i = 0; i < b->boxes.n; i++)
    if (in_box(&b->boxes.data[i], p, space)) return true;
  for (size_t i = 0; i < b->oriented.n; i++)
    if (in_oriented(&b->oriented.data[i], p)) return true;
  return false;
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

static const RoiOps ops = {.prepare = box_prepare, .contains = box_contains};

static const char *const templates[] = {"Vec3d", "Rigid3d", "Vec1d", "Vec2d", "Vec6d", NULL};

const SofaClass sofa_BoxROI_class = {
    .name = "BoxROI",
    .module = "Sofa.Component.Engine.Select",
    .category = "Engine",
    .help = "Selects the points and elements inside boxes; borders belong to them.",
    .base = &roi_class,
    .size = sizeof(BoxROI),
    .fields = box_fields,
    .n_fields = sizeof box_fields / sizeof *box_fields,
    .templates = templates,
    .update = roi_update,
    .bounding_box = box_bounding_box,
    .destroy = box_destroy,
    .ops = {[SOFA_ENGINE] = &ops},
};
