/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles: a slot of the context's table (lower bits, from 1) and the number of its uses (upper
 * bits), so that a slot which is used again has other handles. */
#include "object/handle_impl.h"

enum { SLOT_BITS = 28 };
static const uint64_t slot_mask = ((uint64_t)1 << SLOT_BITS) - 1;
static const uint64_t most_uses = (uint64_t)1 << (SOFA_HANDLE_BITS - SLOT_BITS);

static uint64_t slot_of(SofaHandle handle) {
  return (handle & slot_mask) - 1; // 0: beyond any table
}

/* A slot that is free, or a new one. */
static SofaErr take_slot(SofaContext *ctx, size_t *out) {
  SofaHandleTable *table = &ctx->handles;
  if (table->first_free) {
    *out = table->first_free - 1;
    table->first_free = table->data[*out].next_free;
    return SOFA_OK;
  }
  if (table->n >= slot_mask)
    return sofa_fail(ctx, SOFA_ERR_MEMORY, NULL, "too many handles of objects");
  const SofaHandleSlot slot = {0};
  SOFA_TRY(SOFA_APPEND(ctx, table, &slot));
  *out = table->n - 1;
  return SOFA_OK;
}

SofaHandle sofa_handle_of(SofaObject *object) {
  SofaContext *ctx = object->ctx;
  size_t slot = 0;
  if (object->handle) return object->handle;
  if (take_slot(ctx, &slot) != SOFA_OK) return 0;
  SofaHandleSlot *s = &ctx->handles.data[slot];
  s->object = object;
  object->handle = (uint64_t)s->uses << SLOT_BITS | (slot + 1);
  return object->handle;
}

SofaObject *sofa_handle_object(const SofaContext *ctx, SofaHandle handle) {
  const uint64_t slot = slot_of(handle);
  if (slot >= ctx->handles.n) return NULL;
  const SofaHandleSlot *s = &ctx->handles.data[slot];
  return s->uses == handle >> SLOT_BITS ? s->object : NULL;
}

void sofa_handle_drop(SofaObject *object) {
  SofaHandleTable *table = &object->ctx->handles;
  if (!object->handle) return;
  const size_t slot = (size_t)slot_of(object->handle);
  SofaHandleSlot *s = &table->data[slot];
  object->handle = 0;
  *s = (SofaHandleSlot){.uses = s->uses + 1};
  if (s->uses == most_uses) return; // all its handles have been used
  s->next_free = table->first_free;
  table->first_free = slot + 1;
}

void sofa_handle_move(SofaObject *from, SofaObject *to) {
  if (!from->handle) return;
  sofa_handle_drop(to);
  to->handle = from->handle;
  to->ctx->handles.data[slot_of(to->handle)].object = to;
  from->handle = 0;
}
