/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Key times: where a time lies between the keys of a motion or of a load. */
#ifndef SOFA_BEHAVIOR_KEY_TIMES_H
#define SOFA_BEHAVIOR_KEY_TIMES_H

#include "object/object.h"

SOFA_BEGIN_DECLS

typedef enum SofaKeyPlace {
  SOFA_KEY_BEFORE,  /* before the first key, or there is none */
  SOFA_KEY_BETWEEN, /* T_prev <= t < T_next */
  SOFA_KEY_AFTER    /* at or after the last key: prev and next are the last one */
} SofaKeyPlace;
typedef struct SofaKeyInterval {
  SofaKeyPlace where;
  size_t prev, next; /* keys around t */
  double s;          /* (t - T_prev) / (T_next - T_prev), in [0, 1) */
  double length;     /* T_next - T_prev, s; 0 unless between */
} SofaKeyInterval;

/* prev is the last key with T <= t, next the key behind it. The times ascend. */
SofaKeyInterval sofa_key_interval(const SofaReals *times, double t);
/* Error naming the first time that is smaller than the one before; with keep_going a warning. */
SofaErr sofa_key_times_check(const SofaObject *object, const char *field, const SofaReals *times);

SOFA_END_DECLS

#endif
