/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of components that read recorded states: blocks "T= t", "X= ...", "V= ...". */
#ifndef SOFA_COMPONENTS_PLAYBACK_STATE_READER_H
#define SOFA_COMPONENTS_PLAYBACK_STATE_READER_H

#include "behavior/state.h"
#include "object/event.h"

typedef struct StateReader {
  SofaObject object;
  SofaFileName filename;
  double interval, shift, scale;
  bool loop;
  SofaVec3 rotation, translation;
  SofaState *state;
  char *text;         /* the whole file; of a divided state its lines with local values; owned */
  const char *at;     /* next line */
  double next_time;   /* of the last "T=" read */
  double time_offset; /* of the current round, with loop */
  double last_time;   /* of the last reading, for interval */
} StateReader;

/* Value lines of a block, in the text of its reader. NULL: it has none. */
typedef struct StateBlock {
  const char *x, *v;
} StateBlock;

/* Abstract; its init opens the file, its bwd_init applies the blocks up to the current time. */
extern const SofaClass state_reader_class;

/* Reads on while blocks begin at or before `time`: the latest one, without lines when nothing new
 * was read. */
StateBlock state_reader_advance(StateReader *reader, double time);
/* Where the round of a looped file begins that holds `time`, or the one before: a round took from
 * begin to end, s. begin: it took no time, as where the times of the file run back. */
double state_reader_next_round(double begin, double end, double time);
/* Sets the state's positions and velocities from the lines. */
SofaErr state_reader_apply(StateReader *reader, const StateBlock *block);
/* Back to the beginning of the file. */
SofaErr state_reader_reset(SofaObject *object);

#endif
