/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interfaces: operations that objects offer to other objects. An interface is a value: a name and
 * the functions a class must give. The header of an interface declares its table of functions. A
 * class points to a table that it fills: see SOFA_IMPLEMENTS. Plugins define interfaces of
 * their own in the same way. Two interfaces are the same when they are the same variable. */
#ifndef SOFA_OBJECT_INTERFACE_H
#define SOFA_OBJECT_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

typedef struct SofaInterface {
  const char *name;       /* "force field": for messages and listings */
  const size_t *required; /* offsets of the functions that every class must give */
  size_t n_required;
  size_t ops_member; /* offset of the pointer to the functions in the struct of the objects, filled
                        when they are created: calls then need no search; 0: there is none */
  const char *required_text; /* "offsetof(SofaMassOps, add_m), ...": names for messages */
  bool slot;                 /* a link to a node without one means the nearest one above */
  bool last_counts; /* the last one in a node counts; else a link to one of several is ambiguous */
  bool keeps_topology; /* objects keep data of points or elements: they must listen to changes */
} SofaInterface;

/* Members of an interface: the functions of its table that every class must give. */
#define SOFA_REQUIRES(...)                                                                         \
  .required = SOFA_KEPT_ARRAY(size_t, __VA_ARGS__),                                                \
  .n_required = SOFA_LENGTH_OF(size_t, __VA_ARGS__), .required_text = #__VA_ARGS__

/* An interface and the functions by which a class implements it. */
typedef struct SofaImplementation {
  const SofaInterface *interface;
  const void *ops; /* of the type that the header of the interface names; SOFA_NO_OPS: none */
} SofaImplementation;

/* For interfaces without functions of their own. */
extern const int sofa_no_ops;
#define SOFA_NO_OPS ((const void *)&sofa_no_ops)

/* Interfaces without a header of their own: an engine computes fields from fields; a context object
 * changes gravity or dt of its node. */
extern const SofaInterface sofa_engine_interface, sofa_context_object_interface;
#define SOFA_ENGINE (&sofa_engine_interface)
#define SOFA_CONTEXT_OBJECT (&sofa_context_object_interface)

SOFA_END_DECLS

#endif
