/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Search in key times. */
#include "behavior/checks.h"
#include "behavior/key_times.h"

SofaKeyInterval sofa_key_interval(const SofaReals *times, double t) {
  SofaKeyInterval key = {.where = SOFA_KEY_BEFORE};
  if (!times->n || !(t >= times->data[0])) return key;
  size_t low = 0, high = times->n; /* T_low <= t < T_high */
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (times->data[middle] <= t) low = middle;
    else high = middle;
  }
  key.prev = low;
  key.where = high < times->n ? SOFA_KEY_BETWEEN : SOFA_KEY_AFTER;
  key.next = high < times->n ? high : low;
  key.length = times->data[key.next] - times->data[low];
  if (key.length > 0) key.s = (t - times->data[low]) / key.length;
  return key;
}

SofaErr sofa_key_times_check(const SofaObject *object, const char *field, const SofaReals *times) {
  for (size_t k = 1; k < times->n; k++) {
    if (times->data[k] >= times->data[k - 1]) continue;
    return sofa_keep_going(object, sofa_field_fail(object, field, SOFA_ERR_RANGE,
                                                   "key %zu is at %g s, before key %zu at %g s", k,
                                                   times->data[k], k - 1, times->data[k - 1]));
  }
  return SOFA_OK;
}
