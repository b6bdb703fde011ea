/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree of boxes over the elements of a locator: finds the same element as a scan of all, in
 * logarithmic time.
 *
 * A node bounds the measures of its elements from below: by the squared distance to the box of
 * their centres, and by nothing when the point is in the box of the regions in which d(v) <= 0. */
#include <math.h>
#include <string.h>
#include "numerics/spatial/locator.h"

enum { LEAF_SIZE = 6, MAX_DEPTH = 64 };

typedef struct Node {
  double inside[2][3], center[2][3]; /* lower, upper corners */
  uint32_t begin, n;                 /* of a leaf's elements in `order`; n 0: inner node */
  uint32_t right;                    /* second child; the first one is the next node */
} Node;
struct SofaBoxTree {
  Node *nodes;
  uint32_t n_nodes;
  uint32_t *order; /* element ids */
};

static const double empty_box[2][3] = {{INFINITY, INFINITY, INFINITY},
                                       {-INFINITY, -INFINITY, -INFINITY}};

static void box_take(double box[2][3], const double p[3]) {
  for (int c = 0; c < 3; c++) {
    if (p[c] < box[0][c]) box[0][c] = p[c];
    if (p[c] > box[1][c]) box[1][c] = p[c];
  }
}

/* Box of the points where d(v) <= 0: corners of the region in local coordinates, and a margin for
 * rounding. */
static void inside_box(const SofaLocator *l, size_t e, double box[2][3]) {
  const SofaLocatorElement *s = &l->element[e];
  const bool simplex = s->kind == SOFA_ELEMENT_TETRA || s->kind == SOFA_ELEMENT_TRIANGLE;
  const bool surface = s->kind == SOFA_ELEMENT_TRIANGLE || s->kind == SOFA_ELEMENT_QUAD;
  double b[9];
  sofa_locator_base(l, e, b);
  memcpy(box, empty_box, sizeof empty_box);
  for (int corner = 0; corner < 8; corner++) {
    double v[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
    if (surface) v[2] = v[2] > 0 ? 0.01 : -0.01;
    if (simplex && v[0] + v[1] + (surface ? 0 : v[2]) > 1) continue;
    double p[3];
    for (int c = 0; c < 3; c++)
      p[c] = s->origin[c] + b[3 * c] * v[0] + b[3 * c + 1] * v[1] + b[3 * c + 2] * v[2];
    box_take(box, p);
  }
  for (int c = 0; c < 3; c++) {
    const double size = box[1][c] - box[0][c];
    const double margin = 1e-6 * size + 1e-12 * (fabs(box[0][c]) + fabs(box[1][c]));
    box[0][c] -= margin;
    box[1][c] += margin;
  }
}

/* ---- building ---- */

typedef struct Build {
  const SofaLocator *l;
  struct SofaBoxTree *tree;
} Build;

/* Order along an axis; ids make it total. */
static bool before(const SofaLocator *l, int axis, uint32_t a, uint32_t b) {
  const double x = l->element[a].center[axis], y = l->element[b].center[axis];
  return x < y || (x == y && a < b);
}

/* Moves the elements so that those before position k are the smaller ones (quickselect). */
static void split(const SofaLocator *l, int axis, uint32_t *ids, size_t n, size_t k) {
  size_t low = 0, high = n - 1;
  while (low < high) {
    const uint32_t pivot = ids[low + (high - low) / 2];
    size_t i = low, j = high;
    for (;; i++, j--) {
      while (before(l, axis, ids[i], pivot)) i++;
      while (before(l, axis, pivot, ids[j])) j--;
      if (i >= j) break;
      const uint32_t kept = ids[i];
      ids[i] = ids[j];
      ids[j] = kept;
    }
    // now ids[low..j] <= pivot <= ids[j + 1..high]
    if (k <= j) high = j;
    else low = j + 1;
  }
}

static void measure_node(const SofaLocator *l, const uint32_t *ids, size_t n, Node *node) {
  memcpy(node->inside, empty_box, sizeof empty_box);
  memcpy(node->center, empty_box, sizeof empty_box);
  for (size_t i = 0; i < n; i++) {
    double box[2][3];
    inside_box(l, ids[i], box);
    box_take(node->inside, box[0]);
    box_take(node->inside, box[1]);
    box_take(node->center, l->element[ids[i]].center);
  }
}

static void join_children(Node *node, const Node *a, const Node *b) {
  *node = (Node){.right = node->right};
  memcpy(node->inside, a->inside, sizeof a->inside);
  memcpy(node->center, a->center, sizeof a->center);
  for (int k = 0; k < 2; k++) {
    box_take(node->inside, b->inside[k]);
    box_take(node->center, b->center[k]);
  }
}

static int longest_axis(const SofaLocator *l, const uint32_t *ids, size_t n) {
  double box[2][3];
  int axis = 0;
  memcpy(box, empty_box, sizeof empty_box);
  for (size_t i = 0; i < n; i++) box_take(box, l->element[ids[i]].center);
  for (int c = 1; c < 3; c++)
    if (box[1][c] - box[0][c] > box[1][axis] - box[0][axis]) axis = c;
  return axis;
}

/* Depth is that of a balanced tree: halves at every level. */
static uint32_t build(const Build *b, uint32_t begin, uint32_t n) {
  struct SofaBoxTree *tree = b->tree;
  uint32_t *ids = tree->order + begin;
  const uint32_t at = tree->n_nodes++;
  if (n <= LEAF_SIZE) {
    tree->nodes[at] = (Node){.begin = begin, .n = n};
    measure_node(b->l, ids, n, &tree->nodes[at]);
    return at;
  }
  const uint32_t half = n / 2;
  split(b->l, longest_axis(b->l, ids, n), ids, n, half);
  const uint32_t left = build(b, begin, half), right = build(b, begin + half, n - half);
  tree->nodes[at].right = right;
  join_children(&tree->nodes[at], &tree->nodes[left], &tree->nodes[right]);
  return at;
}

SofaErr sofa_locator_make_tree(SofaLocator *l) {
  if (l->tree) return SOFA_OK;
  struct SofaBoxTree *tree = sofa_alloc(l->ctx, 1, sizeof *tree);
  if (!tree) return SOFA_ERR_MEMORY;
  l->tree = tree;
  // halving stops at LEAF_SIZE: a leaf holds more than LEAF_SIZE / 2 elements, or is the only one
  tree->nodes = sofa_alloc(l->ctx, 2 * (l->n / (LEAF_SIZE / 2)) + 2, sizeof *tree->nodes);
  tree->order = sofa_alloc(l->ctx, l->n, sizeof *tree->order);
  if (!tree->nodes || !tree->order) return SOFA_ERR_MEMORY;
  // degenerate elements are left out; a point that is not a number sorts nowhere
  uint32_t n = 0;
  for (size_t e = 0; e < l->n; e++)
    if (!l->element[e].degenerate) tree->order[n++] = (uint32_t)e;
  if (n) build(&(Build){l, tree}, 0, n);
  return SOFA_OK;
}

void sofa_locator_free_tree(SofaLocator *l) {
  if (!l->tree) return;
  sofa_free(l->ctx, l->tree->nodes);
  sofa_free(l->ctx, l->tree->order);
  sofa_free(l->ctx, l->tree);
  l->tree = NULL;
}

/* ---- searching ---- */

/* No measure in the node is smaller. */
static double lower_bound(const Node *node, const double p[3]) {
  bool inside = true;
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    inside = inside && p[c] >= node->inside[0][c] && p[c] <= node->inside[1][c];
    double out = 0;
    if (p[c] < node->center[0][c]) out = node->center[0][c] - p[c];
    if (p[c] > node->center[1][c]) out = p[c] - node->center[1][c];
    sum += out * out;
  }
  return inside ? -INFINITY : sum * (1 - 1e-12);
}

SofaLocation sofa_locator_search(const SofaLocator *l, const double p[3], double limit) {
  const struct SofaBoxTree *tree = l->tree;
  SofaLocation best = {.element = SOFA_NOWHERE, .measure = limit};
  struct {
    uint32_t node;
    double bound;
  } stack[MAX_DEPTH];
  unsigned depth = 0;
  if (!tree->n_nodes) return best;
  // the nearer child is searched first; a bound that was good when pushed may be beaten when popped
  stack[depth].node = 0;
  stack[depth++].bound = lower_bound(&tree->nodes[0], p);
  while (depth) {
    depth--;
    if (stack[depth].bound > best.measure) continue;
    const Node *node = &tree->nodes[stack[depth].node];
    for (uint32_t k = 0; k < node->n; k++)
      sofa_locator_try(l, tree->order[node->begin + k], p, true, &best);
    if (node->n) continue;
    const uint32_t left = stack[depth].node + 1, right = node->right;
    const double a = lower_bound(&tree->nodes[left], p), b = lower_bound(&tree->nodes[right], p);
    stack[depth].node = a < b ? right : left;
    stack[depth++].bound = a < b ? b : a;
    stack[depth].node = a < b ? left : right;
    stack[depth++].bound = a < b ? a : b;
  }
  return best;
}
