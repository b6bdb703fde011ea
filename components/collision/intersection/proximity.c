/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/intersection/proximity.h"

#include "base/team.h"

SofaErr proximity_init(SofaObject *object) {
  const SofaIntersection *method = (const SofaIntersection *)object;
  if (method->alarm_distance >= method->contact_distance) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_RANGE,
                          "alarmDistance (%g) is smaller than contactDistance (%g): elements would "
                          "be found too late, and the force would begin with a jump",
                          method->alarm_distance, method->contact_distance);
}

void proximity_begin(Proximity *b, const SofaIntersection *method, const SofaCollisionModel *first,
                     const SofaCollisionModel *second, SofaDetections *out) {
  const SofaObject *object = &method->object;
  *b = (Proximity){.method = method,
                   .first = first,
                   .second = second,
                   .alarm = sofa_alarm_distance(method, first, second),
                   .contact = sofa_contact_distance(method, first, second),
                   .first_names = first->n > second->n,
                   .guards = !sofa_quirk(object, QUIRK_WITHOUT_DISTANCE),
                   .middles = sofa_quirk(object, QUIRK_MIDDLES_OF_LINES),
                   .area = sofa_quirk(object, QUIRK_WITHOUT_AREA),
                   .surface = sofa_quirk(object, QUIRK_SPHERE_SURFACE),
                   .rays = sofa_quirk(object, QUIRK_RAY_ENDS),
                   .centres = sofa_quirk(object, QUIRK_EQUAL_CENTRES),
                   .out = out};
}

SofaErr proximity_reserve(Proximity *b, size_t most) {
  SofaDetections *out = b->out;
  SofaContext *ctx = b->method->object.ctx;
  sofa_team_lock(ctx);
  const SofaErr err = SOFA_RESERVE(ctx, out, out->n + out->capacity / 2 + 16 + most);
  sofa_team_unlock(ctx);
  return err;
}

/* ---- two lines ---- */

static bool between(double t, double inside) {
  return !(t < inside || t > 1 - inside);
}

/* Nearly parallel lines. A middle of the overlap is as close as any other point. */
static bool nearly_parallel(const double *const a[2], const double *const c[2], double inside,
                            double p[3], double q[3]) {
  SofaClosest found;
  sofa_closest_segments(a, c, &found);
  if (found.region != 15 || !between(found.w[1], inside) || !between(found.w[3], inside))
    return false;
  sofa_vec3_copy(found.p, p);
  sofa_vec3_copy(found.q, q);
  return true;
}

bool proximity_lines(const Proximity *b, const double *const a[2], const double *const c[2],
                     const LineBounds *bounds, double p[3], double q[3]) {
  double ab[3], cd[3], ac[3], alpha = 0.5, beta = 0.5;
  sofa_vec3_sub(a[1], a[0], ab);
  sofa_vec3_sub(c[1], c[0], cd);
  sofa_vec3_sub(c[0], a[0], ac);
  const double a11 = sofa_vec3_dot(ab, ab), a22 = sofa_vec3_dot(cd, cd),
               a12 = -sofa_vec3_dot(cd, ab), b1 = sofa_vec3_dot(ab, ac),
               b2 = -sofa_vec3_dot(cd, ac), det = a11 * a22 - a12 * a12;
  if (!b->middles && !(det > 1e-6 * a11 * a22)) return nearly_parallel(a, c, bounds->inside, p, q);
  if (!b->middles || fabs(det) > bounds->parallel) {
    alpha = b1 * a22 - b2 * a12;
    beta = b2 * a11 - b1 * a12;
    // most places beyond an end are known without a division, and by one branch
    if ((det > 0) & ((alpha < 0) | (beta < 0) | (alpha > det) | (beta > det))) return false;
    alpha /= det;
    beta /= det;
    if (!between(alpha, bounds->inside) || !between(beta, bounds->inside)) return false;
  }
  proximity_between(a[0], a[1], alpha, p);
  proximity_between(c[0], c[1], beta, q);
  return true;
}

/* ---- a triangle and a point ---- */

bool proximity_inside_flat(const double *const t[3], const double *p, double edge, double *q) {
  SofaClosest c;
  sofa_closest_point_triangle(p, t, &c);
  if (c.region != 15 || c.w[2] < edge || c.w[3] < edge || c.w[2] + c.w[3] > 1 - edge) return false;
  sofa_vec3_copy(c.q, q);
  return true;
}
