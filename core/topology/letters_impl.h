/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of equal numbers of words that are collected for other processes, and sent together. */
#ifndef SOFA_TOPOLOGY_LETTERS_H
#define SOFA_TOPOLOGY_LETTERS_H

#include "base/array.h"
#include "object/process_mail.h"

/* All zeros but `width`: none. */
typedef struct SofaLetters {
  unsigned width;   /* words of a record */
  SofaIndices rank; /* where each goes */
  SofaIndices words;
} SofaLetters;

static inline void sofa_letters_free(SofaContext *ctx, SofaLetters *letters) {
  sofa_list_free(ctx, &letters->rank);
  sofa_list_free(ctx, &letters->words);
}

/* *words: room for the next record. */
static inline SofaErr sofa_letters_add(SofaContext *ctx, SofaLetters *letters, uint32_t rank,
                                       uint32_t **words) {
  const size_t n = letters->words.n;
  if (n + letters->width > letters->words.capacity)
    SOFA_TRY(SOFA_RESERVE(ctx, &letters->words, n + n / 2 + letters->width + 64));
  SOFA_TRY(SOFA_APPEND(ctx, &letters->rank, &rank));
  letters->words.n += letters->width;
  *words = letters->words.data + n;
  return SOFA_OK;
}

/* What was collected is gone; no answers follow. */
static inline SofaErr sofa_letters_send(SofaContext *ctx, SofaLetters *letters, SofaMail *out) {
  const SofaErr err = sofa_process_mail(ctx, letters->width * sizeof(uint32_t), letters->rank.n,
                                        letters->rank.data, letters->words.data, out);
  sofa_letters_free(ctx, letters);
  out->rank = NULL;
  return err;
}

#endif
