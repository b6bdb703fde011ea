/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of the topological changes of a run, in their order, for checkpoints: a simulation
 * that repeats them has the same elements, points and neighbourhoods, in the same order. The record
 * has what was asked for; the answers of topological mappings and other listeners follow again. */
#ifndef SOFA_CHANGE_CHANGE_LOG_H
#define SOFA_CHANGE_CHANGE_LOG_H

#include "change/topology_change.h"

SOFA_BEGIN_DECLS

/* The record as bytes; NULL and 0: nothing was changed. Borrowed. */
const void *sofa_changes(const SofaNode *root, size_t *n);
/* Repeats a record in a graph whose topologies have not changed. A record that is not one:
 * SOFA_ERR_PARSE. */
SofaErr sofa_changes_repeat(SofaNode *root, const void *bytes, size_t n);

/* ---- for the functions that change topologies ---- */

/* What was asked for. */
typedef struct SofaAskedChange {
  SofaTopology *topology;
  SofaElementKind kind;
  unsigned flags;
  const uint32_t *values; /* ids to remove, vertices to add */
  size_t n, n_values;     /* elements or points, entries of `values` */
  const uint32_t *origins;
  const SofaAncestors *ancestors;
  const SofaElements *lists; /* of every kind */
} SofaAskedChange;
typedef enum SofaAsked {
  SOFA_ASKED_END,
  SOFA_ASKED_REMOVE,
  SOFA_ASKED_ADD,
  SOFA_ASKED_POINTS,
  SOFA_ASKED_SET
} SofaAsked;
/* Appends to the record, unless the change is an answer or a part of another one. */
SofaErr sofa_changes_note(SofaTopologyEdit *edit, SofaAsked what, const SofaAskedChange *change);
/* The change that was noted last failed (err): it leaves the record. Returns err. */
SofaErr sofa_changes_noted(SofaTopologyEdit *edit, SofaErr err);

SOFA_END_DECLS

#endif
