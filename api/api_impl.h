/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of the application interface: what its handles stand for. */
#ifndef CSOFA_API_IMPL_H
#define CSOFA_API_IMPL_H

#include "csofa/csofa.h"
#include "draw/draw.h"
#include "object/node.h"
#include "simulation/convergence.h"
#include "simulation/simulation.h"

typedef struct CsofaScenes {
  CsofaScene **data;
  size_t n, capacity;
} CsofaScenes;

struct CsofaContext {
  SofaContext *ctx;
  CsofaMessageFn on_message; /* NULL: nobody */
  void *user;
  SofaMessageTap tap;    /* keeps the errors */
  SofaText errors;       /* of the call that runs */
  SofaText last_error;   /* of the last one that failed */
  SofaText text;         /* what a function returned */
  CsofaScenes scenes;    /* owned, but for an adopted one */
  CsofaSolveFn on_solve; /* NULL: nobody */
  void *solve_user;
  SofaConvergence observer;
};

struct CsofaScene {
  CsofaContext *owner;
  SofaSimulation *simulation; /* owned */
  SofaObject *listener;       /* of csofa_on_event, the first object of the root; NULL: none */
  bool initialised;
  bool added;    /* objects since then */
  bool borrowed; /* the simulation and its context are somebody else's */
};

/* A call begins and ends: errors that were reported in between are its errors. */
void csofa_begin(CsofaContext *context);
CsofaErr csofa_end(CsofaContext *context, SofaErr err);
/* Ends a call with an error of the interface itself. */
CsofaErr csofa_fail(CsofaContext *context, SofaErr err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What a function of the application draws on. */
struct CsofaDrawing {
  SofaDrawList *list;
};

extern const SofaClass csofa_controller_class, csofa_engine_class, csofa_force_field_class,
    csofa_mapping_class;
/* Adds these classes to a context. */
SofaErr csofa_register(SofaContext *ctx);

/* NULL: it does not exist; reported. */
SofaObject *csofa_get(CsofaScene *scene, CsofaObject object);
SofaNode *csofa_get_node(CsofaScene *scene, CsofaObject object);

/* A field of an object that exists. */
typedef struct CsofaPlace {
  SofaObject *object;
  const SofaField *field;
  void *value;
  size_t n, width; /* of numbers; set where the present value is read */
} CsofaPlace;
/* On failure reported. */
SofaErr csofa_place_by_name(CsofaScene *scene, CsofaObject object, const char *name,
                            CsofaPlace *out);
SofaErr csofa_place_by_number(CsofaScene *scene, CsofaField number, CsofaPlace *out);
int csofa_kind_of(const SofaType *type);

/* Text that is returned: a copy in the context. NULL stays NULL. */
const char *csofa_lend(CsofaContext *context, const char *text);

/* Errors are kept for csofa_last_error from now on, or no more. */
void csofa_listen(CsofaContext *context);
void csofa_free_texts(CsofaContext *context);

#endif
