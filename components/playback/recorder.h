/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What components that record blocks of text at instants share. */
#ifndef SOFA_COMPONENTS_PLAYBACK_RECORDER_H
#define SOFA_COMPONENTS_PLAYBACK_RECORDER_H

#include "base/text.h"
#include "numerics/io/output_file.h"
#include "object/node.h"

/* The first and the last line of a recording: one without the last line was cut. */
#define RECORDING_BEGIN "# csofa recording\n"
#define RECORDING_END "# end\n"
/* Warns when a recording of csofa does not end as it should. */
void recording_check_end(const SofaObject *object, const char *name, const char *text, size_t n);

typedef struct Recorder {
  SofaFileName filename;
  SofaReals times; /* instants, s */
  double period;   /* s, after the instants */
  /* set by the class's init */
  bool every;      /* every step */
  bool periodic;   /* after the instants, with this interval */
  double interval; /* s */
  /* state */
  SofaOutputFile *file; /* NULL: nothing is written */
  SofaText text;        /* of one block */
  bool begun;           /* the first line is written */
  size_t next;          /* in times */
  double last;          /* last listed or periodic instant, s */
} Recorder;

#define RECORDER_ROW_FILE(T)                                                                       \
  SOFA_FIELD(T, recorder.filename, "filename", NULL, "",                                           \
             "file to write (gzip with .gz); relative to the current directory")
#define RECORDER_ROWS_TIMES(T)                                                                     \
  SOFA_FIELD(T, recorder.times, "time", NULL, "s",                                                 \
             "instants to write at; neither these nor a period: every step"),                      \
      SOFA_FIELD(T, recorder.period, "period", "0", "s", "time between blocks after the instants")

/* Opens the file; without a file name a warning. */
SofaErr recorder_open(const SofaObject *object, Recorder *r);
void recorder_close(const SofaObject *object, Recorder *r);
/* Is a block due at the node's time? First the listed instants, then the period. */
bool recorder_due(const SofaObject *object, Recorder *r);
/* Begins the text of a block with the node's time. */
SofaErr recorder_begin(const SofaObject *object, Recorder *r);
/* Writes the text. */
SofaErr recorder_write(Recorder *r);
void recorder_reset(Recorder *r);
/* For checkpoints: instants and what was written. */
void recorder_save(const Recorder *r, SofaCheckpointWriter *to);
SofaErr recorder_restore(Recorder *r, SofaCheckpointReader *from);

#endif
