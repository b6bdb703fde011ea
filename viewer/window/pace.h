/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How fast a scene runs in the window: as fast as it can, or at a factor of real time. */
#ifndef VIEWER_WINDOW_PACE_H
#define VIEWER_WINDOW_PACE_H

#include <stdbool.h>

typedef struct Pace {
  double factor;     /* seconds of the scene per second; 0: as fast as possible */
  double wall, time; /* from when it counts: seconds of the clock, of the scene */
  bool running;
  double rate, rate_wall, rate_time; /* what was reached lately, and since when */
} Pace;

/* Counts from now. */
void pace_start(Pace *pace, double now, double time);
/* The scene runs, or not, and is at a time. Lost time is not made up for. */
void pace_follow(Pace *pace, bool running, double now, double time);
/* Seconds of the scene by which it is ahead; a step may begin when that is <= 0. */
double pace_ahead(const Pace *pace, double now, double time);

#endif
