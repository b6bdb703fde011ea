/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The classes of the objects of a node. */
#include "object/node_index_impl.h"

#include "base/array.h"

typedef struct ClassRow {
  const SofaClass *klass; /* the registered one */
  size_t first, last;     /* in the node's objects */
  unsigned n_named;       /* by sofa_object_name */
} ClassRow;
SOFA_LIST(ClassRow, ClassRows);

typedef struct SofaNodeIndex {
  ClassRows rows;
  size_t n_seen; /* objects in the rows; those behind them are not yet */
} SofaNodeIndex;

static ClassRow *row_of(const SofaNodeIndex *index, const SofaClass *klass) {
  for (size_t i = 0; i < index->rows.n; i++)
    if (index->rows.data[i].klass == klass) return &index->rows.data[i];
  return NULL;
}

static SofaErr add(SofaNodeIndex *index, const SofaObject *object) {
  const SofaClass *klass = sofa_object_class_of(object);
  ClassRow *row = row_of(index, klass);
  const ClassRow fresh = {.klass = klass, .first = index->n_seen};
  if (!row) {
    SOFA_TRY(SOFA_APPEND(object->ctx, &index->rows, &fresh));
    row = &index->rows.data[index->rows.n - 1];
  }
  row->last = index->n_seen++;
  row->n_named += object->auto_named;
  return SOFA_OK;
}

/* The rows of all objects; NULL: there is no memory. */
static SofaNodeIndex *rows_of(SofaNode *node) {
  SofaContext *ctx = node->object.ctx;
  if (!node->index) node->index = sofa_alloc(ctx, 1, sizeof *node->index);
  SofaNodeIndex *index = node->index;
  while (index && index->n_seen < node->objects.n)
    if (add(index, node->objects.data[index->n_seen]) != SOFA_OK) return NULL;
  return index;
}

static bool matches(const SofaClass *klass, const SofaInterface *interface,
                    const SofaClass *wanted) {
  return wanted ? sofa_class_is_a(klass, wanted) : sofa_class_ops(klass, interface) != NULL;
}

SofaObject *sofa_node_index_find(SofaNode *node, const SofaInterface *interface,
                                 const SofaClass *klass, bool last) {
  const SofaNodeIndex *index = rows_of(node);
  size_t found = SIZE_MAX;
  for (size_t i = 0; index && i < index->rows.n; i++) {
    const ClassRow *row = &index->rows.data[i];
    const size_t at = last ? row->last : row->first;
    if (found != SIZE_MAX && (last ? at < found : at > found)) continue;
    if (matches(row->klass, interface, klass)) found = at;
  }
  return found == SIZE_MAX ? NULL : node->objects.data[found];
}

unsigned sofa_node_index_n_named(SofaNode *node, const SofaClass *klass) {
  const SofaNodeIndex *index = rows_of(node);
  const ClassRow *row = index ? row_of(index, klass) : NULL;
  return row ? row->n_named : 0;
}

void sofa_node_index_named(SofaObject *object) {
  const SofaNodeIndex *index = rows_of(object->node);
  ClassRow *row = index ? row_of(index, sofa_object_class_of(object)) : NULL;
  if (row && !object->auto_named) row->n_named++;
  object->auto_named = true;
}

void sofa_node_index_drop(SofaNode *node) {
  if (!node->index) return;
  sofa_list_free(node->object.ctx, &node->index->rows);
  sofa_free(node->object.ctx, node->index);
  node->index = NULL;
}
