/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The forces of the contacts of the last step, by the contacts' ids. */
#ifndef SOFA_COMPONENTS_CONSTRAINT_CONTACT_MEMORY_H
#define SOFA_COMPONENTS_CONSTRAINT_CONTACT_MEMORY_H

#include "behavior/lagrangian.h"
#include "object/checkpoint.h"

enum { CONTACT_ROWS = 6 }; /* at most */
typedef struct RememberedContact {
  const SofaLagrangian *owner;
  int64_t id;
  uint32_t n;
  double lambda[CONTACT_ROWS];
} RememberedContact;
SOFA_LIST(RememberedContact, RememberedContacts);

typedef struct ContactMemory {
  RememberedContacts contacts; /* of the last solve */
  SofaIndices slots;           /* hash of them, places + 1; a power of two */
} ContactMemory;

void contact_memory_free(SofaContext *ctx, ContactMemory *m);
/* Sets the multipliers of contacts of the last solve, and 0 for new ones. */
void contact_memory_recall(const ContactMemory *m, SofaConstraintProblem *problem);
/* Keeps those of this solve alone. */
SofaErr contact_memory_keep(ContactMemory *m, const SofaConstraintProblem *problem);

/* For checkpoints. */
void contact_memory_save(const ContactMemory *m, SofaCheckpointWriter *to);
SofaErr contact_memory_restore(SofaContext *ctx, ContactMemory *m, SofaCheckpointReader *from);

#endif
