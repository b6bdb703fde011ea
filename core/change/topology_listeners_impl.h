/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The topology listeners of a graph and their rows, found once per version of the graph; private to
 * the files on topological changes. */
#ifndef SOFA_CHANGE_TOPOLOGY_LISTENERS_IMPL_H
#define SOFA_CHANGE_TOPOLOGY_LISTENERS_IMPL_H

#include "change/topology_change.h"

/* A list of an object, with the topology and the states that its class names (SofaBelongs). */
typedef struct SofaListenerRow {
  const SofaBelongs *belongs;
  const SofaField *field; /* NULL: a private list */
  void *list;
  size_t size; /* of an entry; of a SofaCoords: of a real */
  bool coords;
  const SofaTopology *topology;         /* of elements */
  const SofaState *state;               /* of points */
  const SofaState *ends[SOFA_MAX_ENDS]; /* tables */
} SofaListenerRow;
SOFA_LIST(SofaListenerRow, SofaListenerRows);

typedef enum SofaTurn {
  SOFA_TURN_TOPOLOGICAL_MAPPINGS,
  SOFA_TURN_OTHERS,
  SOFA_TURN_STATES,
  SOFA_N_TURNS
} SofaTurn;

typedef struct SofaListener {
  SofaObject *object;
  const SofaTopologyListenerOps *ops; /* NULL: the class is not a listener, but `keeps` is true */
  SofaTurn turn;
  bool keeps;               /* it implements an interface whose objects keep data of topologies */
  size_t first_row, n_rows; /* in SofaListeners.rows */
  size_t first_link, n_links;
  const SofaTopology *near; /* of its node */
} SofaListener;
SOFA_LIST(SofaListener, SofaListenerList);

typedef struct SofaListeners {
  uint64_t version; /* of the graph */
  unsigned users;   /* edits in progress */
  bool kept;        /* by the root */
  SofaListenerList list;
  SofaObjects objects; /* of the list, in visiting order */
  SofaObjects links;   /* topologies the listeners are linked to */
  SofaListenerRows rows;
} SofaListeners;

/* The listeners of the graph: the root's table, made again if the graph has changed since. */
SofaErr sofa_listeners_take(SofaNode *root, SofaListeners **out);
/* Ends a use. */
void sofa_listeners_release(SofaNode *root, SofaListeners **listeners);

/* Appends the rows of an object, base classes first. */
SofaErr sofa_listener_rows_find(SofaObject *object, SofaListenerRows *rows);
/* Updates the lists of an object's rows. */
SofaErr sofa_listener_rows_change(SofaObject *object, const SofaTopologyChange *change,
                                  const SofaListenerRow *rows, size_t n);

#endif
