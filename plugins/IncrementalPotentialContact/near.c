/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pairs of elements that may be near: bounding trees of points, edges and triangles. */
#include <math.h>
#include <string.h>

#include "ipc.h"
#include "math/vec.h"

enum { TREE_DEPTH = 24 };

static const uint32_t *corners_of(const IpcSurface *s, IpcTree kind, size_t i, uint32_t *own,
                                  unsigned *n) {
  *own = (uint32_t)i;
  *n = kind == IPC_POINTS ? 1 : kind == IPC_EDGES ? 2 : 3;
  if (kind == IPC_POINTS) return own;
  return kind == IPC_EDGES ? s->edge.data + 2 * i : s->triangle.data + 3 * i;
}

static size_t n_elements(const IpcSurface *s, IpcTree kind) {
  return kind == IPC_POINTS ? s->n_points : kind == IPC_EDGES ? s->n_edges : s->n_triangles;
}

static void enlarge(double box[6], const double *p) {
  for (int k = 0; k < 3; k++) {
    box[k] = fmin(box[k], p[k]);
    box[3 + k] = fmax(box[3 + k], p[k]);
  }
}

/* Boxes of all elements, of their motions from x to `end`. */
static SofaErr fit(Ipc *c, IpcTree kind, const double *x, const double *end) {
  SofaContext *ctx = c->force_field.object.ctx;
  SofaBoundingTree *tree = &c->tree[kind];
  const size_t n = n_elements(&c->surface, kind);
  uint32_t own;
  unsigned n_corners;
  SOFA_TRY(sofa_bounding_tree_resize(ctx, tree, n));
  for (size_t i = 0; i < n; i++) {
    const uint32_t *v = corners_of(&c->surface, kind, i, &own, &n_corners);
    double *box = tree->boxes + 6 * i;
    sofa_vec3_copy(x + 3 * (size_t)v[0], box);
    sofa_vec3_copy(x + 3 * (size_t)v[0], box + 3);
    for (unsigned k = 0; k < n_corners; k++) {
      enlarge(box, x + 3 * (size_t)v[k]);
      if (end != x) enlarge(box, end + 3 * (size_t)v[k]);
    }
  }
  if (!sofa_bounding_tree_is_built(tree)) return sofa_bounding_tree_build(ctx, tree, TREE_DEPTH);
  sofa_bounding_tree_fit(ctx, tree);
  return SOFA_OK;
}

static SofaErr fit_all(Ipc *c, const double *x, const double *end) {
  for (IpcTree k = 0; k < IPC_N_TREES; k++) SOFA_TRY(fit(c, k, x, end));
  return SOFA_OK;
}

/* ---- filters ---- */

static bool may_meet(const Ipc *c, const uint32_t models[2], const uint32_t p[4]) {
  const IpcSurface *s = &c->surface;
  if (s->apart.data[models[0] * c->models.n + models[1]]) return false;
  for (int k = 0; k < 4; k++)
    if (s->moves.data[s->state.data[p[k]]]) return true;
  return false;
}

/* A point and a triangle without this corner. */
static bool point_pair(const Ipc *c, SofaElementPair found, uint32_t p[4]) {
  const IpcSurface *s = &c->surface;
  const uint32_t *t = s->triangle.data + 3 * (size_t)found.second;
  const uint32_t models[2] = {s->point_model.data[found.first],
                              s->triangle_model.data[found.second]};
  p[0] = found.first;
  memcpy(p + 1, t, 3 * sizeof *t);
  return p[0] != t[0] && p[0] != t[1] && p[0] != t[2] && may_meet(c, models, p);
}

/* Two edges without a common end, each pair once. */
static bool edge_pair(const Ipc *c, SofaElementPair found, uint32_t p[4]) {
  const IpcSurface *s = &c->surface;
  const uint32_t models[2] = {s->edge_model.data[found.first], s->edge_model.data[found.second]};
  if (found.first >= found.second) return false;
  memcpy(p, s->edge.data + 2 * (size_t)found.first, 2 * sizeof *p);
  memcpy(p + 2, s->edge.data + 2 * (size_t)found.second, 2 * sizeof *p);
  for (int k = 0; k < 4; k++)
    if (p[k / 2] == p[2 + k % 2]) return false;
  return may_meet(c, models, p);
}

static SofaErr find(Ipc *c, bool edges, double distance) {
  const IpcTree a = edges ? IPC_EDGES : IPC_POINTS, b = edges ? IPC_EDGES : IPC_TRIANGLES;
  c->found.n = 0;
  return sofa_bounding_tree_pairs(c->force_field.object.ctx, &c->tree[a], &c->tree[b], distance,
                                  &c->work, &c->found);
}

/* ---- near pairs ---- */

/* Is every point in the box of its motion, made larger by half of the slack? */
static bool covers(const Ipc *c, const double *x) {
  const double *low = c->x_low.data, *high = c->x_high.data, r = 0.5 * c->slack * (1 - 1e-12);
  if (!c->near_known) return false;
  for (size_t i = 0; i < 3 * c->surface.n_points; i++)
    if (!(x[i] >= low[i] - r && x[i] <= high[i] + r)) return false;
  return true;
}

static SofaErr add_near(Ipc *c, bool edges) {
  const IpcSurface *s = &c->surface;
  SOFA_TRY(find(c, edges, c->used_dhat + c->slack));
  SOFA_TRY(SOFA_RESERVE(c->force_field.object.ctx, &c->near, c->near.n + c->found.n));
  for (size_t i = 0; i < c->found.n; i++) {
    const SofaElementPair f = c->found.data[i];
    IpcPair pair = {.kind = edges ? SOFA_PAIR_EDGE_EDGE : SOFA_PAIR_POINT_TRIANGLE};
    if (!(edges ? edge_pair : point_pair)(c, f, pair.point)) continue;
    if (edges) pair.threshold = 1e-3 * s->length2.data[f.first] * s->length2.data[f.second];
    c->near.data[c->near.n++] = pair;
  }
  return SOFA_OK;
}

SofaErr ipc_find_near(Ipc *c, const double *x, const double *end) {
  if (covers(c, x) && (x == end || covers(c, end))) return SOFA_OK;
  c->near_known = false;
  c->near.n = 0;
  SOFA_TRY(fit_all(c, x, end));
  SOFA_TRY(add_near(c, false));
  SOFA_TRY(add_near(c, true));
  for (size_t i = 0; i < 3 * c->surface.n_points; i++) {
    c->x_low.data[i] = fmin(x[i], end[i]);
    c->x_high.data[i] = fmax(x[i], end[i]);
  }
  c->near_known = true;
  return SOFA_OK;
}

/* ---- limits ---- */

/* All pairs that may meet, of a long motion: the near pairs stay those of short ones. */
static SofaErr find_motions(Ipc *c, bool edges) {
  SOFA_TRY(find(c, edges, 0));
  SOFA_TRY(SOFA_RESERVE(c->force_field.object.ctx, &c->motions, c->motions.n + c->found.n));
  for (size_t i = 0; i < c->found.n; i++) {
    SofaCcdPair pair = {.kind = edges ? SOFA_CCD_EDGE_EDGE : SOFA_CCD_POINT_TRIANGLE};
    if (!(edges ? edge_pair : point_pair)(c, c->found.data[i], pair.point)) continue;
    c->motions.data[c->motions.n++] = pair;
  }
  return SOFA_OK;
}

/* Do the boxes of the motions of both elements touch? */
static bool boxes_touch(const IpcPair *p, const double *x, const double *end) {
  const int first = p->kind == SOFA_PAIR_EDGE_EDGE ? 2 : 1;
  for (int k = 0; k < 3; k++) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
      const size_t place = 3 * (size_t)p->point[i] + (size_t)k;
      const int side = i >= first;
      low[side] = fmin(low[side], fmin(x[place], end[place]));
      high[side] = fmax(high[side], fmax(x[place], end[place]));
    }
    if (low[0] > high[1] || low[1] > high[0]) return false;
  }
  return true;
}

static SofaErr take_near(Ipc *c, const double *x, const double *end) {
  SOFA_TRY(SOFA_RESERVE(c->force_field.object.ctx, &c->motions, c->near.n));
  for (size_t i = 0; i < c->near.n; i++) {
    const IpcPair *p = &c->near.data[i];
    SofaCcdPair pair = {p->kind == SOFA_PAIR_EDGE_EDGE ? SOFA_CCD_EDGE_EDGE
                                                       : SOFA_CCD_POINT_TRIANGLE,
                        {p->point[0], p->point[1], p->point[2], p->point[3]}};
    if (boxes_touch(p, x, end)) c->motions.data[c->motions.n++] = pair;
  }
  return SOFA_OK;
}

/* Largest change of a coordinate; NaN counts as infinite. */
static double longest(const Ipc *c, const double *x, const double *end) {
  double most = 0;
  for (size_t i = 0; i < 3 * c->surface.n_points; i++) {
    const double d = fabs(end[i] - x[i]);
    if (!(d <= most)) most = isfinite(d) ? d : INFINITY;
  }
  return most;
}

SofaErr ipc_limit(Ipc *c, const double *x, double *share) {
  const double *from = c->x_from.data, length = longest(c, from, x);
  const SofaCcdMotion motion = {from, x};
  const SofaCcdStepRule rule = {.keep = 0.1, .tolerance = 1e-6 * c->diagonal, .max_boxes = 20000};
  *share = 0;
  if (!isfinite(length)) return SOFA_ERR_NOT_FINITE;
  c->motions.n = 0;
  if (length <= 8 * c->slack) {
    SOFA_TRY(ipc_find_near(c, from, x));
    SOFA_TRY(take_near(c, from, x));
  } else {
    SOFA_TRY(fit_all(c, from, x));
    SOFA_TRY(find_motions(c, false));
    SOFA_TRY(find_motions(c, true));
  }
  *share = sofa_ccd_step(&motion, c->motions.data, c->motions.n, &rule, c->ccd);
  if (*share < 1) *share *= 0.9;
  return SOFA_OK;
}
