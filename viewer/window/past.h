/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The last states of a run, whole ones as --save-state writes them, so that the run can go back and
 * on from there with the same bits. Their memory is bounded. */
#ifndef VIEWER_WINDOW_PAST_H
#define VIEWER_WINDOW_PAST_H

#include "simulation/simulation.h"

typedef struct PastState {
  uint64_t step;
  double time;
  char *bytes; /* owned */
  size_t n;
} PastState;
SOFA_LIST(PastState, PastStates);

typedef struct Past {
  PastStates states;    /* by their steps */
  size_t bytes, most;   /* of memory: used, at most */
  double share;         /* of the time of steps that states may take, >= 0 */
  bool off;             /* the user wants none */
  char refusal[300];    /* why there are none; "" */
  double spent, worked; /* seconds of late for states and for steps */
} Past;

enum { PAST_STATES = 2000 };

/* After a step that took some seconds. States take no more than their share of the time, so that
 * not all steps may have one. A scene whose state
 * cannot be saved has none, and `refusal` says why. */
void past_record(Past *past, SofaSimulation *simulation, double seconds);
/* The rank of the last state of at most a step, else of the first one; states.n: there are none. */
size_t past_find(const Past *past, uint64_t step);
/* The simulation is at that state. Errors were reported. */
SofaErr past_go(const Past *past, SofaSimulation *simulation, size_t i);
void past_clear(Past *past, SofaContext *ctx); /* ctx: of the simulation */

#endif
