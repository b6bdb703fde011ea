/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work spaces for the pieces of a job of several threads (base/team.h): a piece takes one that no
 * other piece has, and gives it back. With as many spaces as threads one is always free. */
#ifndef SOFA_BASE_ROOMS_IMPL_H
#define SOFA_BASE_ROOMS_IMPL_H

#include <stdatomic.h>

#include "base/array.h"

SOFA_BEGIN_DECLS

typedef struct SofaRoom {
  atomic_bool taken;
} SofaRoom;
SOFA_LIST(SofaRoom, SofaRooms);

/* n > 0 rooms, all free; while no job runs. */
static inline SofaErr sofa_rooms_make(SofaContext *ctx, SofaRooms *rooms, size_t n) {
  rooms->n = 0;
  return SOFA_RESIZE(ctx, rooms, n);
}

/* The number of a room, from 0. */
static inline size_t sofa_rooms_take(const SofaRooms *rooms) {
  for (size_t k = 0;; k = (k + 1) % rooms->n)
    if (!atomic_exchange_explicit(&rooms->data[k].taken, true, memory_order_acquire)) return k;
}

static inline void sofa_rooms_give(const SofaRooms *rooms, size_t k) {
  atomic_store_explicit(&rooms->data[k].taken, false, memory_order_release);
}

SOFA_END_DECLS

#endif
