/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes around a parallelogram, as thick as a depth. */
#include "components/engine/select/oriented_box.h"

#include "math/vec.h"

/* c = unit vector of a x b; zero when they are parallel */
static void unit_normal(const double a[3], const double b[3], double c[3]) {
  sofa_vec3_cross(a, b, c);
  const double length = sofa_vec3_norm(c);
  for (int k = 0; k < 3; k++) c[k] = length > 0 ? c[k] / length : 0;
}

static Slab side(const double origin[3], const double along[3], const double n[3],
                 const double opposite[3]) {
  Slab slab = {{origin[0], origin[1], origin[2]}, {0, 0, 0}, 0};
  double d[3];
  unit_normal(along, n, slab.axis);
  sofa_vec3_sub(opposite, origin, d);
  slab.extent = fabs(sofa_vec3_dot(d, slab.axis));
  return slab;
}

/* Two pairs of opposite sides, each pair limiting the distance from either side, and the depth. */
static OrientedBox orient(const double v[10]) {
  OrientedBox box;
  const double *p0 = v, *p1 = v + 3, *p2 = v + 6;
  double p3[3], e01[3], e02[3], e23[3], e03[3], e12[3], n[3];
  for (int k = 0; k < 3; k++) p3[k] = p0[k] + p2[k] - p1[k];
  sofa_vec3_sub(p1, p0, e01);
  sofa_vec3_sub(p2, p0, e02);
  sofa_vec3_sub(p3, p2, e23);
  sofa_vec3_sub(p3, p0, e03);
  sofa_vec3_sub(p2, p1, e12);
  unit_normal(e01, e02, n);
  box.slabs[0] = side(p0, e01, n, p2);
  box.slabs[1] = side(p2, e23, n, p0);
  box.slabs[2] = side(p0, e03, n, p2);
  box.slabs[3] = side(p2, e12, n, p0);
  box.slabs[4] = (Slab){{p0[0], p0[1], p0[2]}, {n[0], n[1], n[2]}, fabs(v[9] / 2)};
  return box;
}

SofaErr oriented_boxes_make(SofaContext *ctx, const SofaVec10s *rows, OrientedBoxes *out) {
  SOFA_TRY(SOFA_RESIZE(ctx, out, rows->n));
  for (size_t i = 0; i < rows->n; i++) out->data[i] = orient(rows->data[i].v);
  return SOFA_OK;
}

static bool in_oriented(const OrientedBox *box, const double p[3]) {
  for (int s = 0; s < 5; s++) {
    double d[3];
    sofa_vec3_sub(p, box->slabs[s].origin, d);
    if (!(fabs(sofa_vec3_dot(d, box->slabs[s].axis)) <= box->slabs[s].extent)) return false;
  }
  return true;
}

bool oriented_boxes_contain(const OrientedBoxes *boxes, const double p[3]) {
  for (size_t i = 0; i < boxes->n; i++)
    if (in_oriented(&boxes->data[i], p)) return true;
  return false;
}
