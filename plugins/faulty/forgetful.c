/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Controllers that count steps, for the tests of saved states: one forgets to save its count, one
 * forgets it in memory of its own, one saves it, one declares that it does not matter, and one
 * declares so wrongly. */
#include <sofa.h>
#include "object/checkpoint.h"

typedef struct Counter {
  SofaObject object;
  uint32_t steps;   /* private, in the struct */
  uint32_t *memory; /* private, behind a pointer; owned */
  uint32_t total;   /* field */
  bool tells;       /* the count becomes the total */
} Counter;

static const SofaField fields[] = {
    SOFA_FIELD(Counter, total, "total", "0", "1", "the steps, of classes that tell them",
               .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr count(SofaObject *object, const SofaEvent *event) {
  Counter *c = (Counter *)object;
  if (event->type == SOFA_EVENT_ANIMATE_END) c->steps++;
  return SOFA_OK;
}

static SofaErr count_in_memory(SofaObject *object, const SofaEvent *event) {
  Counter *c = (Counter *)object;
  if (event->type == SOFA_EVENT_ANIMATE_END) ++*c->memory;
  return SOFA_OK;
}

static SofaErr tell(SofaObject *object, const SofaEvent *event) {
  Counter *c = (Counter *)object;
  if (event->type == SOFA_EVENT_ANIMATE_END) c->total = ++c->steps;
  return SOFA_OK;
}

static SofaErr make_memory(SofaObject *object) {
  Counter *c = (Counter *)object;
  c->memory = sofa_alloc(object->ctx, 1, sizeof *c->memory);
  return c->memory ? SOFA_OK : SOFA_ERR_MEMORY;
}

static void destroy(SofaObject *object) {
  sofa_free(object->ctx, ((Counter *)object)->memory);
}

static const SofaKeptMember kept[] = {SOFA_KEEP(Counter, steps)};
static const SofaSparedMember spared[] = {SOFA_COUNTED(Counter, steps)};

#define COUNTER(Name)                                                                              \
  .name = #Name, .module = "faulty_forgetful", .category = "Controller", .help = "Counts steps.",  \
  .size = sizeof(Counter), .base = &sofa_object_class, .listening = true, SOFA_FIELDS(fields)

static const SofaClass forgetful = {COUNTER(ForgetfulCounter), .handle_event = count};
static const SofaClass absent = {COUNTER(AbsentCounter), .construct = make_memory,
                                 .handle_event = count_in_memory, .destroy = destroy};
static const SofaClass mindful = {COUNTER(MindfulCounter), .handle_event = tell, SOFA_KEEPS(kept)};
static const SofaClass sparing = {COUNTER(SparingCounter), .handle_event = count,
                                  SOFA_SPARES(spared)};
static const SofaClass wrong = {COUNTER(WrongCounter), .handle_event = tell, SOFA_SPARES(spared)};

SOFA_PLUGIN("faulty_forgetful", "1.0", &forgetful, &absent, &mindful, &sparing, &wrong)
