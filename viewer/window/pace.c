/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pace of the run. */
#include "viewer/window/pace.h"

static const double most_lag = 0.2, rate_span = 0.5; /* seconds of the clock */

void pace_start(Pace *p, double now, double time) {
  p->wall = p->rate_wall = now;
  p->time = p->rate_time = time;
}

double pace_ahead(const Pace *p, double now, double time) {
  return p->factor > 0 ? time - p->time - p->factor * (now - p->wall) : 0;
}

void pace_follow(Pace *p, bool running, double now, double time) {
  if ((running && !p->running) || time < p->rate_time) pace_start(p, now, time);
  p->running = running;
  if (!running) p->rate = 0;
  if (pace_ahead(p, now, time) < -most_lag * p->factor) {
    p->wall = now;
    p->time = time;
  }
  if (!running || now - p->rate_wall < rate_span) return;
  p->rate = (time - p->rate_time) / (now - p->rate_wall);
  p->rate_wall = now;
  p->rate_time = time;
}
