/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Movements between key times. */
#include "components/constraint/projective/key_motion.h"

#include <math.h>

#include "math/quaternion.h"

SofaErr key_motion_init(KeyMotion *motion, const char *field) {
  SofaObject *object = &motion->indexed.constraint.object;
  motion->values.width = constrained_kind(&motion->indexed.constraint)->deriv;
  if (!motion->values.n && !sofa_field_is_set(object, field))
    SOFA_TRY(sofa_coords_resize(object->ctx, &motion->values, motion->times.n));
  if (motion->values.n < motion->times.n) {
    const SofaErr err =
        sofa_field_fail(object, field, SOFA_ERR_ARGUMENT, "has %zu entries for %zu key times",
                        motion->values.n, motion->times.n);
    motion->times.n = motion->values.n;
    return err;
  }
  return sofa_key_times_check(object, "keyTimes", &motion->times);
}

static bool interpolate(const KeyMotion *motion, const SofaKeyInterval *key, double *value,
                        double *slope) {
  const size_t deriv = motion->values.width;
  if (key->where != SOFA_KEY_BETWEEN || !(key->length > 0)) return false;
  const double *a = motion->values.data + key->prev * deriv;
  const double *b = motion->values.data + key->next * deriv;
  for (size_t c = 0; c < deriv; c++) {
    if (value) value[c] = a[c] + (b[c] - a[c]) * key->s;
    if (slope) slope[c] = (b[c] - a[c]) / key->length;
  }
  return true;
}

bool key_motion_at(const KeyMotion *motion, double t, double *value, double *slope) {
  const SofaKeyInterval key = sofa_key_interval(&motion->times, t);
  return interpolate(motion, &key, value, slope);
}

/* A step that begins behind the last key, with `hold`. */
static bool is_held(const KeyMotion *motion, const SofaMechParams *params, double t) {
  const size_t n = motion->times.n;
  const double margin = 1e-6 * params->dt;
  if (!motion->hold || n == 0 || t < motion->times.data[n - 1] - margin) return false;
  return n == 1 || !(t > params->from) || params->from > motion->times.data[n - 1] - margin;
}

/* A step acts when a part of it lies between the keys; behind the last one the movement ends. Steps
 * begin and end at keys to rounding of the time. */
bool key_motion_place(const KeyMotion *motion, const SofaMechParams *params, SofaKeyInterval *key) {
  const size_t n = motion->times.n;
  const double *times = motion->times.data, margin = 1e-6 * params->dt;
  const double t = imposed_time(&motion->indexed.constraint, params);
  *key = sofa_key_interval(&motion->times, t);
  if (is_held(motion, params, t)) {
    *key = (SofaKeyInterval){SOFA_KEY_BETWEEN, n - 1, n - 1, 0, INFINITY}; // no slope
    return true;
  }
  if (!(t > params->from)) return key->where == SOFA_KEY_BETWEEN;
  if (n < 2 || params->from > times[n - 1] - margin || t < times[0] + margin) return false;
  if (key->where != SOFA_KEY_AFTER) return key->where == SOFA_KEY_BETWEEN;
  size_t prev = n - 1; /* the last interval with a length */
  while (prev > 0 && !(times[n - 1] > times[prev])) prev--;
  *key = (SofaKeyInterval){.where = SOFA_KEY_BETWEEN,
                           .prev = prev,
                           .next = prev + 1,
                           .s = 1,
                           .length = times[prev + 1] - times[prev]};
  return true;
}

bool key_motion_in(const KeyMotion *motion, const SofaMechParams *params, double *value,
                   double *slope) {
  SofaKeyInterval key;
  return key_motion_place(motion, params, &key) && interpolate(motion, &key, value, slope);
}

void key_motion_turn(const KeyMotion *motion, const SofaKeyInterval *key, const double *x0,
                     bool relative, double *q) {
  double from[4], to[4];
  sofa_quat_from_euler(SOFA_TWIST_ANGULAR(motion->values.data, key->prev), from);
  sofa_quat_from_euler(SOFA_TWIST_ANGULAR(motion->values.data, key->next), to);
  sofa_quat_slerp(from, to, key->s, q);
  if (relative) sofa_quat_multiply(x0 + 3, q, q);
}

const char *const key_motion_templates[] = {"Vec3d", "Vec1d", "Vec2d", "Vec6d", "Rigid3d", NULL};

/* SOFA fixes the dofs in the matrix also while nothing moves them. */
void key_motion_discard(const KeyMotion *motion, const SofaMechParams *params, const bool *moved,
                        SofaDiscard *discard) {
  if (key_motion_active(motion, params) ||
      sofa_quirk(&motion->indexed.constraint.object, QUIRK_INACTIVE_MOVEMENT))
    indexed_discard(&motion->indexed, moved, discard);
}
