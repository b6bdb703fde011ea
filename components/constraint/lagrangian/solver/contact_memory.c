/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash of contacts by constraint object and id. */
#include "components/constraint/lagrangian/solver/contact_memory.h"

#include "numerics/constraint/laws.h"

void contact_memory_free(SofaContext *ctx, ContactMemory *m) {
  sofa_list_free(ctx, &m->contacts);
  sofa_list_free(ctx, &m->slots);
}

static bool is_contact(const SofaConstraintBlock *b) {
  return b->n <= CONTACT_ROWS && b->owner &&
         (b->law == &sofa_law_unilateral || b->law == &sofa_law_friction ||
          b->law == &sofa_law_friction_exact || b->law == &sofa_law_augmented ||
          b->law == &sofa_law_augmented_open);
}

/* The slot of a contact, or the free one where it belongs. Not by the owner's address: runs take
 * the same slots. */
static size_t slot_of(const ContactMemory *m, const SofaLagrangian *owner, int64_t id) {
  const size_t mask = m->slots.n - 1;
  size_t slot = (size_t)(((uint64_t)id * 0x9e3779b97f4a7c15u) >> 32) & mask;
  for (; m->slots.data[slot]; slot = (slot + 1) & mask) {
    const RememberedContact *c = &m->contacts.data[m->slots.data[slot] - 1];
    if (c->owner == owner && c->id == id) break;
  }
  return slot;
}

static const RememberedContact *find(const ContactMemory *m, const SofaConstraintBlock *b) {
  if (m->contacts.n == 0) return NULL;
  const uint32_t place = m->slots.data[slot_of(m, b->owner, b->id)];
  return place ? &m->contacts.data[place - 1] : NULL;
}

void contact_memory_recall(const ContactMemory *m, SofaConstraintProblem *problem) {
  for (size_t k = 0; k < problem->blocks.n; k++) {
    const SofaConstraintBlock *b = &problem->blocks.data[k];
    const RememberedContact *c = is_contact(b) ? find(m, b) : NULL;
    for (uint32_t i = 0; i < b->n; i++)
      problem->lambda.data[b->first + i] = c && i < c->n ? c->lambda[i] : 0;
  }
}

static SofaErr hash(SofaContext *ctx, ContactMemory *m) {
  size_t n = 16;
  while (n < 2 * m->contacts.n) n *= 2;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->slots, n));
  for (size_t i = 0; i < n; i++) m->slots.data[i] = 0;
  for (size_t i = 0; i < m->contacts.n; i++) {
    const RememberedContact *c = &m->contacts.data[i];
    m->slots.data[slot_of(m, c->owner, c->id)] = (uint32_t)i + 1;
  }
  return SOFA_OK;
}

SofaErr contact_memory_keep(ContactMemory *m, const SofaConstraintProblem *problem) {
  m->contacts.n = 0;
  for (size_t k = 0; k < problem->blocks.n; k++) {
    const SofaConstraintBlock *b = &problem->blocks.data[k];
    if (!is_contact(b)) continue;
    RememberedContact c = {.owner = b->owner, .id = b->id, .n = b->n};
    for (uint32_t i = 0; i < b->n; i++) c.lambda[i] = problem->lambda.data[b->first + i];
    SOFA_TRY(SOFA_APPEND(problem->ctx, &m->contacts, &c));
  }
  return hash(problem->ctx, m);
}

/* ---- checkpoints ---- */

void contact_memory_save(const ContactMemory *m, SofaCheckpointWriter *to) {
  sofa_checkpoint_put_uint(to, m->contacts.n);
  for (size_t i = 0; i < m->contacts.n; i++) {
    const RememberedContact *c = &m->contacts.data[i];
    sofa_checkpoint_put_object(to, &c->owner->object);
    sofa_checkpoint_put(to, &c->id, sizeof c->id);
    sofa_checkpoint_put_uint(to, c->n);
    sofa_checkpoint_put(to, c->lambda, sizeof c->lambda);
  }
}

SofaErr contact_memory_restore(SofaContext *ctx, ContactMemory *m, SofaCheckpointReader *from) {
  const uint64_t n = sofa_checkpoint_get_uint(from);
  m->contacts.n = 0;
  for (uint64_t i = 0; i < n; i++) {
    const SofaObject *owner = sofa_checkpoint_get_object(from);
    RememberedContact c = {.owner = (const SofaLagrangian *)owner};
    sofa_checkpoint_get(from, &c.id, sizeof c.id);
    c.n = (uint32_t)sofa_checkpoint_get_uint(from);
    sofa_checkpoint_get(from, c.lambda, sizeof c.lambda);
    if (c.n > CONTACT_ROWS || !sofa_implements(owner, SOFA_LAGRANGIAN))
      sofa_checkpoint_misread(from);
    if (sofa_checkpoint_is_bad(from)) return SOFA_OK;
    SOFA_TRY(SOFA_APPEND(ctx, &m->contacts, &c));
  }
  return hash(ctx, m);
}
