/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Movements of points from their first place, interpolated between key times. */
#ifndef SOFA_COMPONENTS_CONSTRAINT_PROJECTIVE_KEY_MOTION_H
#define SOFA_COMPONENTS_CONSTRAINT_PROJECTIVE_KEY_MOTION_H

#include "behavior/key_times.h"
#include "components/constraint/projective/indexed.h"

typedef struct KeyMotion {
  IndexedConstraint indexed;
  SofaReals times;   /* s */
  SofaCoords values; /* derivs, one per time: movements or velocities */
  bool hold;         /* the last value also behind the last key */
  bool show;
  SofaReals x0; /* coords at the first projection */
} KeyMotion;

/* Quirk of the classes that list its row. */
enum { QUIRK_INACTIVE_MOVEMENT = 1 << 21 };
#define QUIRK_INACTIVE_MOVEMENT_ROW                                                                \
  {                                                                                                \
    QUIRK_INACTIVE_MOVEMENT, "inactive-movement",                                                  \
        "assembled systems hold the dofs of linear movements also before and after the movement",  \
        "test_quirks_motion.constraints"                                                           \
  }

#define KEY_MOTION_ROW_TIMES(T)                                                                    \
  SOFA_FIELD(T, motion.times, "keyTimes", "0", "s", "key times, ascending",                        \
             .flags = SOFA_FIELD_REINIT)
#define KEY_MOTION_ROW_HOLD(T)                                                                     \
  SOFA_FIELD(T, motion.hold, "holdLast", "0", "",                                                  \
             "the points stay at their last place behind the last key; off: they are let go",      \
             .flags = SOFA_FIELD_REINIT)
#define KEY_MOTION_ROW_SHOW(T)                                                                     \
  SOFA_FIELD(T, motion.show, "showMovement", "0", "", "draw the movement",                         \
             .flags = SOFA_FIELD_DISPLAY)

/* Checks the times, and that there is a value for each; `field` names the values. Without values in
 * the scene there is one zero. */
SofaErr key_motion_init(KeyMotion *motion, const char *field);
#define KEY_MOTION_LISTS PROJECTIVE_COORDS(KeyMotion, x0)

/* Movements act from the first key to the last one; then the points are let go, or, with `hold`,
 * stay. The place at the
 * end of the step that params describe; SOFA's at its start. false when not active in it. */
bool key_motion_place(const KeyMotion *motion, const SofaMechParams *params, SofaKeyInterval *key);
static inline bool key_motion_active(const KeyMotion *motion, const SofaMechParams *params) {
  SofaKeyInterval key;
  return key_motion_place(motion, params, &key);
}
/* Sets value and slope (deriv reals each; either may be NULL) at that place. */
bool key_motion_in(const KeyMotion *motion, const SofaMechParams *params, double *value,
                   double *slope);
/* The same at the time t, from the first key until just before the last one. */
bool key_motion_at(const KeyMotion *motion, double t, double *value, double *slope);
/* Puts a frame at its first coord x0 moved by the movement of the place; relative: to x0. */
void key_motion_turn(const KeyMotion *motion, const SofaKeyInterval *key, const double *x0,
                     bool relative, double *q);

/* Templates of movements. */
extern const char *const key_motion_templates[];
/* Takes the moved components (flags per deriv; NULL: all) out of an assembled system. */
void key_motion_discard(const KeyMotion *motion, const SofaMechParams *params, const bool *moved,
                        SofaDiscard *discard);

#endif
