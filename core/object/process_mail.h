/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records that processes send to each other, each to one process, and answers to them. Called by
 * all processes; on one alone it gets its own records. What a process sends and receives is all
 * that it holds: nothing grows with the number of records of the others. */
#ifndef SOFA_OBJECT_PROCESS_MAIL_H
#define SOFA_OBJECT_PROCESS_MAIL_H

#include "object/process.h"

SOFA_BEGIN_DECLS

/* What arrived: in the order of the ranks of the senders, records of one of them in its order. */
typedef struct SofaMail {
  size_t n;             /* records that arrived */
  void *records;        /* owned */
  size_t *from;         /* owned: records from[r] .. from[r + 1] - 1 are those of process r */
  size_t n_sent;        /* records of this process */
  size_t *sent;         /* owned: number of records for each process */
  const uint32_t *rank; /* borrowed: process of each record sent */
} SofaMail;

/* Record i, `size` bytes at records + size * i, goes to process rank[i]. `rank` must stay until the
 * mail is freed, where answers follow. */
SofaErr sofa_process_mail(SofaContext *ctx, size_t size, size_t n, const uint32_t *rank,
                          const void *records, SofaMail *out);
/* The other way round: answers has `size` bytes for each record that arrived, out gets those to
 * each record that was sent, in the order in which they were given. */
SofaErr sofa_process_answer(SofaContext *ctx, const SofaMail *mail, size_t size,
                            const void *answers, void *out);
void sofa_mail_free(SofaContext *ctx, SofaMail *mail);

SOFA_END_DECLS

#endif
