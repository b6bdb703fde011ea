/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The classes of the objects of a node, and the names of its objects and children. */
#include "object/node_index_impl.h"

#include <string.h>

#include "base/array.h"

typedef struct ClassRow {
  const SofaClass *klass; /* the registered one */
  size_t first, last;     /* in the node's objects */
  unsigned n_named;       /* by sofa_object_name */
} ClassRow;
SOFA_LIST(ClassRow, ClassRows);

/* Names of a list by their hash, with open addressing: of equal names the first one of the list is
 * found first. */
typedef struct NameTable {
  uint32_t *slot; /* place in the list + 1; 0: free */
  size_t n_slots; /* a power of 2, or 0 */
  size_t n_seen;  /* of the list, in the table */
} NameTable;

typedef enum ListKind { OBJECTS, CHILDREN } ListKind;

typedef struct SofaNodeIndex {
  ClassRows rows;
  size_t n_seen; /* objects in the rows; those behind them are not yet */
  NameTable names[2];
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

static SofaNodeIndex *index_of(SofaNode *node) {
  if (!node->index) node->index = sofa_alloc(node->object.ctx, 1, sizeof *node->index);
  return node->index;
}

/* The rows of all objects; NULL: there is no memory. */
static SofaNodeIndex *rows_of(SofaNode *node) {
  SofaNodeIndex *index = index_of(node);
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

/* ---- names ---- */

enum { FEW = 16 }; /* that are looked at faster than their hashes */

static size_t list_size(const SofaNode *node, ListKind kind) {
  return kind == OBJECTS ? node->objects.n : node->children.n;
}

static SofaObject *list_at(const SofaNode *node, ListKind kind, size_t i) {
  return kind == OBJECTS ? node->objects.data[i] : &node->children.data[i]->object;
}

static bool is_called(const SofaObject *object, const char *name, size_t n) {
  return object->name && strncmp(object->name, name, n) == 0 && object->name[n] == 0;
}

/* FNV-1a. Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, The FNV non-cryptographic hash
 * algorithm. */
static size_t hash_of(const char *name, size_t n) {
  uint64_t hash = 14695981039346656037U;
  for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)name[i]) * 1099511628211U;
  return (size_t)(hash ^ hash >> 32);
}

static void names_free(SofaContext *ctx, NameTable *table) {
  sofa_free(ctx, table->slot);
  *table = (NameTable){0};
}

/* At most half of the slots are used. */
static SofaErr names_grow(SofaContext *ctx, NameTable *table, size_t n) {
  size_t n_slots = table->n_slots ? table->n_slots : 64;
  if (2 * n <= table->n_slots) return SOFA_OK;
  while (n_slots < 2 * n) n_slots *= 2;
  uint32_t *slot = sofa_alloc(ctx, n_slots, sizeof *slot);
  if (!slot) return SOFA_ERR_MEMORY;
  names_free(ctx, table);
  *table = (NameTable){.slot = slot, .n_slots = n_slots};
  return SOFA_OK;
}

/* The names of all; NULL: there is no memory. */
static const NameTable *names_of(SofaNode *node, ListKind kind) {
  SofaNodeIndex *index = index_of(node);
  const size_t n = list_size(node, kind);
  if (!index || n >= UINT32_MAX) return NULL;
  NameTable *table = &index->names[kind];
  if (names_grow(node->object.ctx, table, n) != SOFA_OK) return NULL;
  for (; table->n_seen < n; table->n_seen++) {
    const char *name = list_at(node, kind, table->n_seen)->name;
    size_t i = name ? hash_of(name, strlen(name)) : 0;
    while (table->slot[i % table->n_slots]) i++;
    table->slot[i % table->n_slots] = (uint32_t)table->n_seen + 1;
  }
  return table;
}

static SofaObject *find_named(const SofaNode *node, ListKind kind, const char *name, size_t n,
                              const SofaObject *not_this) {
  const size_t size = list_size(node, kind);
  // the index is a cache of the node
  const NameTable *table = size > FEW ? names_of((SofaNode *)(uintptr_t)node, kind) : NULL;
  if (table) {
    for (size_t i = hash_of(name, n);; i++) {
      const uint32_t at = table->slot[i % table->n_slots];
      if (!at) return NULL;
      SofaObject *object = list_at(node, kind, at - 1);
      if (object != not_this && is_called(object, name, n)) return object;
    }
  }
  for (size_t i = 0; i < size; i++) {
    SofaObject *object = list_at(node, kind, i);
    if (object != not_this && is_called(object, name, n)) return object;
  }
  return NULL;
}

SofaObject *sofa_node_index_object(const SofaNode *node, const char *name, size_t n,
                                   const SofaObject *not_this) {
  return find_named(node, OBJECTS, name, n, not_this);
}

SofaNode *sofa_node_index_child(const SofaNode *node, const char *name, size_t n) {
  return (SofaNode *)find_named(node, CHILDREN, name, n, NULL);
}

/* A table that has not seen the object yet, the last one of its list, stays. */
static void forget_names(const SofaNode *node, ListKind kind, const SofaObject *object) {
  NameTable *table = node->index ? &node->index->names[kind] : NULL;
  const size_t n = list_size(node, kind);
  if (!table || (n > table->n_seen && list_at(node, kind, n - 1) == object)) return;
  names_free(node->object.ctx, table);
}

void sofa_node_index_renamed(SofaObject *object) {
  const SofaNode *node = object->node;
  if (&node->object != object) {
    forget_names(node, OBJECTS, object);
    return;
  }
  for (size_t i = 0; i < node->parents.n; i++)
    forget_names(node->parents.data[i], CHILDREN, object);
}

void sofa_node_index_drop(SofaNode *node) {
  SofaContext *ctx = node->object.ctx;
  if (!node->index) return;
  sofa_list_free(ctx, &node->index->rows);
  for (int kind = 0; kind < 2; kind++) names_free(ctx, &node->index->names[kind]);
  sofa_free(ctx, node->index);
  node->index = NULL;
}
