/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traversal of the scene graph: a node after all its parents, and back in the reverse order. */
#include "object/node.h"

/* The graph below the start, flattened, so that callbacks may start visits of their own. */
typedef struct Entry {
  SofaNode *node;
  uint32_t first_child, n_children; /* in Walk.children */
  uint32_t parents_left;            /* below the start, not visited yet */
  bool alive;                       /* some parent was visited and did not prune */
} Entry;

typedef struct Walk {
  SofaContext *ctx;
  const SofaVisitor *visitor;
  Entry *entries;
  uint32_t *children; /* entry indices */
  uint32_t *order;    /* entries visited */
  uint32_t n_entries, n_links, n_visited;
  bool stopped;
} Walk;

/* Numbers the nodes below `node` from 1 in their mark and counts nodes and links. */
static void number(SofaNode *node, uint32_t *n_nodes, size_t *n_links) {
  node->mark = ++*n_nodes;
  *n_links += node->children.n;
  for (size_t i = 0; i < node->children.n; i++) {
    if (!node->children.data[i]->mark) number(node->children.data[i], n_nodes, n_links);
  }
}

static void clear_marks(SofaNode *node) {
  node->mark = 0;
  for (size_t i = 0; i < node->children.n; i++) {
    if (node->children.data[i]->mark) clear_marks(node->children.data[i]);
  }
}

/* Fills in the entries; a mark with the top bit set is done. */
static void flatten(Walk *w, SofaNode *node) {
  const uint32_t done = UINT32_C(1) << 31;
  Entry *entry = &w->entries[node->mark - 1];
  node->mark |= done;
  entry->node = node;
  entry->first_child = w->n_links;
  entry->n_children = (uint32_t)node->children.n;
  w->n_links += (uint32_t)node->children.n;
  for (size_t i = 0; i < node->children.n; i++) {
    SofaNode *child = node->children.data[i];
    const uint32_t k = (child->mark & ~done) - 1;
    w->children[entry->first_child + i] = k;
    w->entries[k].parents_left++;
    if (!(child->mark & done)) flatten(w, child);
  }
}

/* Visits an entry whose parents are all done; `alive`: at least one of them lets it. */
static void visit(Walk *w, uint32_t k) {
  Entry *entry = &w->entries[k];
  SofaNode *node = entry->node;
  SofaVisit result = SOFA_PRUNE;
  if (entry->alive && (node->activated || w->visitor->inactive_too)) {
    w->order[w->n_visited++] = k;
    result = w->visitor->down ? w->visitor->down(node, w->visitor->user) : SOFA_CONTINUE;
  }
  if (result == SOFA_STOP) w->stopped = true;
  // pruned nodes pass the news on, for children with other parents
  for (uint32_t i = 0; i < entry->n_children && !w->stopped; i++) {
    const uint32_t c = w->children[entry->first_child + i];
    Entry *child = &w->entries[c];
    child->alive |= result == SOFA_CONTINUE;
    if (--child->parents_left == 0) visit(w, c);
  }
}

/* All below start in scratch memory the caller releases. */
static SofaErr prepare(Walk *w, SofaNode *start) {
  size_t n_links = 0;
  number(start, &w->n_entries, &n_links);
  w->entries = SOFA_SCRATCH(w->ctx, Entry, w->n_entries);
  w->children = SOFA_SCRATCH(w->ctx, uint32_t, n_links);
  w->order = SOFA_SCRATCH(w->ctx, uint32_t, w->n_entries);
  const bool ok = w->entries && w->children && w->order;
  if (ok) {
    sofa_zero(w->entries, w->n_entries * sizeof *w->entries);
    flatten(w, start);
    w->entries[0].alive = true;
  }
  clear_marks(start);
  return ok ? SOFA_OK : SOFA_ERR_MEMORY;
}

SofaErr sofa_visit(SofaNode *start, const SofaVisitor *visitor) {
  SofaContext *ctx = start->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Walk w = {.ctx = ctx, .visitor = visitor};
  const SofaErr err = prepare(&w, start);
  if (!err) {
    visit(&w, 0);
    for (uint32_t i = w.n_visited; visitor->up && i-- > 0;) {
      visitor->up(w.entries[w.order[i]].node, visitor->user);
    }
  }
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- order ---- */

typedef struct Collect {
  SofaContext *ctx;
  SofaNodes *out;
  SofaErr err;
} Collect;

static SofaVisit collect(SofaNode *node, void *user) {
  Collect *c = user;
  c->err = SOFA_APPEND(c->ctx, c->out, &node);
  return c->err ? SOFA_STOP : SOFA_CONTINUE;
}

SofaErr sofa_node_order(SofaNode *start, SofaNodes *out) {
  Collect c = {.ctx = start->object.ctx, .out = out};
  const SofaVisitor visitor = {.down = collect, .user = &c};
  out->n = 0;
  SOFA_TRY(sofa_visit(start, &visitor));
  return c.err;
}
