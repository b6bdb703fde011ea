/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where messages go: a terminal or a pipe, as text or as JSON. */
#ifndef RUNCSOFA_SINK_H
#define RUNCSOFA_SINK_H

#include "base/message.h"
#include "options.h"
#include "progress.h"

typedef struct Sink {
  RunFormat format;
  bool color_out, color_err; /* of stdout and stderr */
  Progress *progress;        /* line to clear before printing; borrowed */
  bool errors_only;          /* the first of several processes says the rest */
} Sink;

void sink_open(Sink *sink, const RunOptions *options, Progress *progress);
/* A SofaMessageSink; user is the Sink. Errors, warnings and deprecations go to stderr, the rest to
 * stdout; JSON all to stdout, in order. */
void sink_message(void *user, const SofaMessage *message);

#endif
