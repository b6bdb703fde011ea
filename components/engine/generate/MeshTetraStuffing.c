/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshTetraStuffing: fills a closed surface with tetrahedra of a body-centered grid (isosurface
 * stuffing, Labelle and Shewchuk 2007). */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "components/engine/engine.h"
#include "numerics/spatial/triangle_ray.h"

typedef struct MeshTetraStuffing {
  SofaObject object;
  SofaBox box;
  double size, alpha_long, alpha_short;
  SofaVec3s input, points;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaTetras tetrahedra;
  bool snap, split, draw;
} MeshTetraStuffing;

typedef MeshTetraStuffing SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(
        box, "vbbox", "0 0 0 0 0 0", "m",
        "box of the grid; if it is empty along x: that of the surface and a hundredth more"),
    SOFA_ROW_INPUT(size, "size", "-8", "m",
                   "size of the cells; negative: so many along the longest side"),
    SOFA_ROW_INPUT(input, "inputPoints", NULL, "m", "points of the surface"),
    SOFA_ROW_INPUT(triangles, "inputTriangles", NULL, "", "triangles of the surface"),
    SOFA_ROW_INPUT(quads, "inputQuads", NULL, "", "quads of the surface"),
    SOFA_ROW_OUTPUT(points, "outputPoints", "m", "points of the tetrahedra"),
    SOFA_ROW_OUTPUT(tetrahedra, "outputTetrahedra", "", "the tetrahedra",
                    .aliases = "outputTetras"),
    SOFA_ROW_INPUT(alpha_long, "alphaLong", "0.24999", "1",
                   "share of a long edge within which a point snaps to the surface"),
    SOFA_ROW_INPUT(alpha_short, "alphaShort", "0.42978", "1", "the same of short edges"),
    SOFA_ROW_INPUT(snap, "snapPoints", "0", "", "move points near the surface onto it"),
    SOFA_ROW_INPUT(split, "splitTetrahedra", "0", "", "cut tetrahedra at the surface",
                   .aliases = "splitTetras"),
    SOFA_ROW_DISPLAY(draw, "draw", "0", "draw the steps"),
};

/* ---- the grid: points of grid A, then those of grid B in the middles of its cells ---- */

enum { N_EDGES = 14, N_LONG = 6 }; /* edge e of a point goes the other way as edge e ^ 1 */
#define NOWHERE UINT32_MAX

typedef struct Stuffing {
  MeshTetraStuffing *m;
  SofaTriangle *surface; /* quads in halves */
  size_t n_surface;
  int dims[2][3];
  uint32_t n_a, n;            /* points of A; of both */
  int *side;                  /* > 0 inside, < 0 outside, 0 on the surface */
  double (*cut)[N_EDGES];     /* where the surface cuts an edge, as a share of it; 0: nowhere */
  uint32_t (*point)[N_EDGES]; /* point made there, for edges from outside to inside */
  bool *violated;
} Stuffing;

static int bit(unsigned k, int axis) {
  return (int)((k ^ (axis ? k >> axis : 0)) & 1);
}

/* The point at the end of an edge, or NOWHERE: along the axes in the same grid, then 8 to the
 * corners of the other one. */
static uint32_t end_of(const Stuffing *s, uint32_t p, int e) {
  const int grid = p >= s->n_a, other = e < N_LONG ? grid : !grid;
  const int *n = s->dims[grid], *m = s->dims[other];
  const uint32_t i = grid ? p - s->n_a : p, nx = (uint32_t)n[0], ny = (uint32_t)n[1];
  int c[3] = {(int)(i % nx), (int)(i / nx % ny), (int)(i / nx / ny)};
  if (e < N_LONG) c[e / 2] += e % 2 ? 1 : -1;
  for (int a = 0; e >= N_LONG && a < 3; a++) c[a] += bit((unsigned)(e - N_LONG), a) - grid;
  for (int a = 0; a < 3; a++)
    if (c[a] < 0 || c[a] >= m[a]) return NOWHERE;
  return (uint32_t)(c[0] + m[0] * (c[1] + m[1] * c[2])) + (other ? s->n_a : 0);
}

/* ---- inside and outside ---- */

typedef struct Hit {
  double t;
  int sign; /* 1: the surface is left */
} Hit;
SOFA_LIST(Hit, Hits);

static int by_place(const void *a, const void *b) {
  const double x = ((const Hit *)a)->t, y = ((const Hit *)b)->t;
  return (x > y) - (x < y);
}

static SofaErr find_hits(const Stuffing *s, const double *p, const double *d, Hits *hits) {
  const SofaVec3 *x = s->m->input.data;
  hits->n = 0;
  for (size_t i = 0; i < s->n_surface; i++) {
    const uint32_t *v = s->surface[i].v;
    Hit hit;
    double along;
    const double *const corners[3] = {x[v[0]].v, x[v[1]].v, x[v[2]].v};
    if (!triangle_ray(corners, (SofaRay){p, d}, DBL_EPSILON, &hit.t, &along)) continue;
    hit.sign = along < 0 ? -1 : 1;
    SOFA_TRY(SOFA_APPEND(s->m->object.ctx, hits, &hit));
  }
  if (hits->n) sofa_sort(hits->data, hits->n, sizeof *hits->data, by_place);
  return SOFA_OK;
}

/* Each point votes by the hits around it; the hits are where its two edges along the line are cut.
 */
static void walk(Stuffing *s, uint32_t p, int e, const Hits *hits) {
  const Hit *h = hits->data;
  size_t i = 0;
  for (double d = 0; p != NOWHERE; p = end_of(s, p, e), d++) {
    while (i < hits->n && h[i].t < d) i++;
    if (i == hits->n) s->side[p] -= h[i - 1].sign;
    else if (i == 0) s->side[p] += h[0].sign;
    else if (d - h[i - 1].t < h[i].t - d) s->side[p] += h[i].sign;
    else s->side[p] -= h[i - 1].sign;
    if (i < hits->n) s->cut[p][e] = h[i].t - d;
    if (i > 0) s->cut[p][e + 1] = d - h[i - 1].t;
  }
}

static SofaErr find_inside(Stuffing *s, Hits *hits) {
  const SofaVec3 *x = s->m->points.data;
  for (uint32_t p = 0; p < s->n; p++)
    for (int e = 0; e < N_EDGES; e += 2) {
      const uint32_t next = end_of(s, p, e);
      double d[3];
      // lines of the grid begin where there is nothing behind
      if (next == NOWHERE || end_of(s, p, e + 1) != NOWHERE) continue;
      sofa_vec3_sub(x[next].v, x[p].v, d);
      SOFA_TRY(find_hits(s, x[p].v, d, hits));
      if (hits->n) walk(s, p, e, hits);
    }
  for (uint32_t p = 0; p < s->n; p++)
    if (!s->side[p]) s->side[p] = -1;
  return SOFA_OK;
}

/* ---- snapping ---- */

static bool near_cut(const Stuffing *s, uint32_t p, int e, int alpha_of) {
  const double alpha = alpha_of < N_LONG ? s->m->alpha_long : s->m->alpha_short;
  const double cut = s->cut[p][e];
  return (cut < 0 || cut > 0) && cut < alpha;
}

static bool is_violated(const Stuffing *s, uint32_t p) {
  for (int e = 0; e < N_EDGES; e++) {
    const uint32_t q = end_of(s, p, e);
    if (q != NOWHERE && (s->side[p] > 0) != (s->side[q] > 0) && near_cut(s, p, e, e)) return true;
  }
  return false;
}

/* The shortest way to a cut on an edge to an allowed neighbour: for outside points those that are
 * neither inside nor violated, for inside points those outside. -1: none. */
static int way_to_surface(const Stuffing *s, uint32_t p) {
  const bool inside = s->side[p] > 0;
  double least = 0;
  int best = -1;
  for (int e = 0; e < N_EDGES; e++) {
    const uint32_t q = end_of(s, p, e);
    if (q == NOWHERE) continue;
    if (inside ? s->side[q] >= 0 : s->side[q] > 0 || s->violated[q]) continue;
    if (!near_cut(s, p, e, e)) continue;
    const double length = s->cut[p][e] * s->cut[p][e] * (e < N_LONG ? 4 : 3);
    if (best >= 0 && !(length < least)) continue;
    least = length;
    best = e;
  }
  return best;
}

/* Is an inside point still violated, now that its neighbour along edge `from` is on the surface?
 * Edges of both kinds are held against the share of that edge's kind. */
static bool still_violated(const Stuffing *s, uint32_t p, int from) {
  for (int e = 0; e < N_EDGES; e++) {
    const uint32_t q = end_of(s, p, e);
    if (q != NOWHERE && s->side[q] < 0 && near_cut(s, p, e, from)) return true;
  }
  return false;
}

static void snap_point(Stuffing *s, uint32_t p, int way) {
  SofaVec3 *x = s->m->points.data;
  const bool outside = s->side[p] < 0;
  const uint32_t to = end_of(s, p, way);
  for (int c = 0; c < 3; c++) x[p].v[c] += (x[to].v[c] - x[p].v[c]) * s->cut[p][way];
  s->side[p] = 0;
  s->violated[p] = false;
  for (int e = 0; e < N_EDGES; e++) {
    const uint32_t q = end_of(s, p, e);
    s->cut[p][e] = 0;
    if (q == NOWHERE) continue;
    s->cut[q][e ^ 1] = 0;
    if (outside && s->violated[q] && s->side[q] > 0) s->violated[q] = still_violated(s, q, e);
  }
}

/* First points outside, again and again while any moves; then those left inside. */
static void snap_points(Stuffing *s) {
  for (uint32_t p = 0; p < s->n; p++) s->violated[p] = is_violated(s, p);
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t p = 0; p < s->n; p++) {
      const int way = s->violated[p] && s->side[p] < 0 ? way_to_surface(s, p) : -1;
      if (way < 0) continue;
      snap_point(s, p, way);
      moved = true;
    }
  }
  for (uint32_t p = 0; p < s->n; p++) {
    const int way = s->violated[p] && s->side[p] > 0 ? way_to_surface(s, p) : -1;
    if (way >= 0) snap_point(s, p, way);
  }
}

/* ---- tetrahedra ---- */

static SofaErr make_cut_points(Stuffing *s) {
  SofaContext *ctx = s->m->object.ctx;
  for (uint32_t p = 0; p < s->n; p++)
    for (int e = 0; e < N_EDGES && s->side[p] < 0; e++) {
      const uint32_t q = end_of(s, p, e);
      if (q == NOWHERE || s->side[q] <= 0) continue;
      const SofaVec3 *x = s->m->points.data;
      SofaVec3 cut = x[p];
      for (int c = 0; c < 3; c++) cut.v[c] += (x[q].v[c] - x[p].v[c]) * s->cut[p][e];
      s->point[p][e] = (uint32_t)s->m->points.n;
      SOFA_TRY(SOFA_APPEND(ctx, &s->m->points, &cut));
    }
  return SOFA_OK;
}

/* The cut point between an outside and an inside point. */
static uint32_t cut_between(const Stuffing *s, uint32_t outside, uint32_t inside) {
  for (int e = 0; e < N_EDGES; e++)
    if (end_of(s, outside, e) == inside) return s->point[outside][e];
  return outside;
}

static bool is_inverted(const SofaVec3 *x, const uint32_t *v) {
  double a[3], b[3], c[3];
  sofa_vec3_sub(x[v[1]].v, x[v[0]].v, a);
  sofa_vec3_sub(x[v[2]].v, x[v[0]].v, b);
  sofa_vec3_sub(x[v[3]].v, x[v[0]].v, c);
  return sofa_vec3_triple(a, b, c) < 0;
}

static void orient(const SofaVec3 *x, uint32_t *v) {
  const uint32_t third = v[2];
  if (!is_inverted(x, v)) return;
  v[2] = v[3];
  v[3] = third;
}

static SofaErr add(Stuffing *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  SofaTetra t = {{a, b, c, d}};
  orient(s->m->points.data, t.v);
  return SOFA_APPEND(s->m->object.ctx, &s->m->tetrahedra, &t);
}

/* Which diagonal the quad of points a, b inside and their cuts with e has: false the one from a to
 * the cut of b. Chosen so that both tetrahedra at a face agree. */
static bool other_diagonal(const Stuffing *s, uint32_t a, uint32_t b, uint32_t cut_b, uint32_t e) {
  const bool in_a = e < s->n_a;
  if ((a < s->n_a) == in_a) return true;
  if ((b < s->n_a) == in_a) return false;
  int above = 0;
  for (int c = 0; c < 3; c++) above += s->m->points.data[a].v[c] > s->m->points.data[cut_b].v[c];
  return above % 2 != (a < s->n_a);
}

static SofaErr bad_split(const Stuffing *s) {
  return sofa_object_fail(&s->m->object, SOFA_ERR_GEOMETRY,
                          "a tetrahedron cannot be cut: is the surface closed?");
}

/* Two inside, one on the surface, one outside. */
static SofaErr split_wedge(Stuffing *s, const uint32_t *in, uint32_t zero, uint32_t out) {
  const uint32_t c0 = cut_between(s, out, in[0]), c1 = cut_between(s, out, in[1]);
  const bool flip = other_diagonal(s, in[0], in[1], c1, out);
  SOFA_TRY(add(s, zero, in[0], in[1], flip ? c0 : c1));
  return flip ? add(s, zero, in[1], c1, c0) : add(s, zero, in[0], c1, c0);
}

/* Two inside, two outside. */
static SofaErr split_middle(Stuffing *s, const uint32_t *in, const uint32_t *out) {
  const uint32_t a = in[0], b = in[1];
  const uint32_t c1 = cut_between(s, out[0], a), c2 = cut_between(s, out[0], b);
  const uint32_t c3 = cut_between(s, out[1], a), c4 = cut_between(s, out[1], b);
  const bool first = other_diagonal(s, a, b, c2, out[0]);
  const bool second = other_diagonal(s, a, b, c4, out[1]);
  if (first == second) return bad_split(s);
  SOFA_TRY(first ? add(s, a, b, c1, c4) : add(s, a, b, c2, c3));
  SOFA_TRY(first ? add(s, b, c1, c4, c2) : add(s, a, c2, c1, c3));
  return first ? add(s, a, c1, c3, c4) : add(s, b, c2, c3, c4);
}

/* Three inside, one outside. */
static SofaErr split_corner(Stuffing *s, const uint32_t *in, uint32_t out) {
  uint32_t c[3];
  bool f[3];
  for (int k = 0; k < 3; k++) c[k] = cut_between(s, out, in[k]);
  for (int k = 0; k < 3; k++) f[k] = other_diagonal(s, in[k], in[(k + 1) % 3], c[(k + 1) % 3], out);
  if (f[0] == f[1] && f[1] == f[2]) return bad_split(s);
  const uint32_t p = f[0] && !f[1] ? in[1] : f[1] && !f[2] ? in[2] : in[0];
  const uint32_t q = !f[0] && f[1] ? c[1] : !f[1] && f[2] ? c[2] : c[0];
  const int j = f[0] == f[1] ? 1 : f[1] == f[2] ? 2 : 0;
  SOFA_TRY(add(s, p, c[0], c[2], c[1]));
  SOFA_TRY(add(s, q, in[0], in[1], in[2]));
  return add(s, in[j], c[j], p, q);
}

static SofaErr add_cell(Stuffing *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  uint32_t v[4] = {a, b, c, d}, in[4], out[4], on[4];
  int n_in = 0, n_out = 0, n_on = 0;
  orient(s->m->points.data, v);
  for (int k = 0; k < 4; k++) {
    const int side = s->side[v[k]];
    if (side > 0) in[n_in++] = v[k];
    else if (side < 0) out[n_out++] = v[k];
    else on[n_on++] = v[k];
  }
  if (!n_in && n_out) return SOFA_OK;
  if (!n_out || !s->m->split) return add(s, v[0], v[1], v[2], v[3]);
  if (n_in == 2) return n_out == 1 ? split_wedge(s, in, on[0], out[0]) : split_middle(s, in, out);
  if (n_in == 3) return split_corner(s, in, out[0]);
  for (int k = 0; k < 4; k++)
    if (s->side[v[k]] < 0) v[k] = cut_between(s, v[k], in[0]);
  return add(s, v[0], v[1], v[2], v[3]);
}

/* Four tetrahedra around each edge of grid A. */
static SofaErr add_cells(Stuffing *s) {
  const int *n = s->dims[0], *m = s->dims[1];
  const uint32_t step[3] = {1, (uint32_t)m[0], (uint32_t)(m[0] * m[1])};
  uint32_t p = 0;
  for (int z = 0; z < n[2]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++, p++) {
        const uint32_t o = s->n_a + (uint32_t)(x + m[0] * (y + m[1] * z));
        const int at[3] = {x, y, z};
        for (int axis = 0; axis < 3; axis++) {
          const uint32_t u = step[(axis + 1) % 3], w = step[(axis + 2) % 3];
          const uint32_t ring[4] = {o, o + u, o + u + w, o + w};
          for (int i = 0; at[axis] && i < 4; i++)
            SOFA_TRY(add_cell(s, p, end_of(s, p, 2 * axis), ring[(i + 1) % 4], ring[i]));
        }
      }
  return SOFA_OK;
}

/* Drops the points of no tetrahedron; the others keep their order. */
static SofaErr drop_unused(Stuffing *s) {
  MeshTetraStuffing *m = s->m;
  uint32_t *number = SOFA_SCRATCH(m->object.ctx, uint32_t, m->points.n), n = 0;
  if (!number) return SOFA_ERR_MEMORY;
  sofa_zero(number, m->points.n * sizeof *number);
  for (size_t t = 0; t < m->tetrahedra.n; t++)
    for (int k = 0; k < 4; k++) number[m->tetrahedra.data[t].v[k]] = 1;
  for (size_t p = 0; p < m->points.n; p++) {
    if (!number[p]) continue;
    m->points.data[n] = m->points.data[p];
    number[p] = n++;
  }
  m->points.n = n;
  for (size_t t = 0; t < m->tetrahedra.n; t++)
    for (int k = 0; k < 4; k++) m->tetrahedra.data[t].v[k] = number[m->tetrahedra.data[t].v[k]];
  return SOFA_OK;
}

/* ---- evaluation ---- */

static SofaBox box_of(const MeshTetraStuffing *m) {
  SofaBox box = m->box;
  if (box.min[0] < box.max[0]) return box;
  for (int c = 0; c < 3; c++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < m->input.n; i++) {
      low = fmin(low, m->input.data[i].v[c]);
      high = fmax(high, m->input.data[i].v[c]);
    }
    box.min[c] = low - (high - low) * 0.01;
    box.max[c] = high + (high - low) * 0.01;
  }
  return box;
}

static SofaErr make_grid(Stuffing *s) {
  MeshTetraStuffing *m = s->m;
  const SofaBox box = box_of(m);
  double side = 0, total[2] = {1, 1}, first[3];
  for (int c = 0; c < 3; c++) side = fmax(side, box.max[c] - box.min[c]);
  const double h = m->size < 0 ? side / -m->size : m->size;
  if (!(h > 0) || !(side / h < 1e4))
    return sofa_field_fail(&m->object, "size", SOFA_ERR_RANGE,
                           "it makes cells of size %g in a box of %g", h, side);
  for (int c = 0; c < 3; c++) {
    const double middle = (box.min[c] + box.max[c]) / 2;
    const int below = (int)((middle - box.min[c]) / h) + 2;
    s->dims[0][c] = below + (int)((box.max[c] - middle) / h) + 3;
    s->dims[1][c] = s->dims[0][c] + 1;
    first[c] = middle - below * h;
    for (int g = 0; g < 2; g++) total[g] *= s->dims[g][c];
  }
  if (total[0] + total[1] > 1e8)
    return sofa_field_fail(&m->object, "size", SOFA_ERR_RANGE, "the grid has %g points",
                           total[0] + total[1]);
  s->n_a = (uint32_t)total[0];
  s->n = s->n_a + (uint32_t)total[1];
  SOFA_TRY(SOFA_RESIZE(m->object.ctx, &m->points, s->n));
  SofaVec3 *x = m->points.data;
  for (int g = 0; g < 2; g++)
    for (int k = 0; k < s->dims[g][2]; k++)
      for (int j = 0; j < s->dims[g][1]; j++)
        for (int i = 0; i < s->dims[g][0]; i++, x++) {
          const int at[3] = {i, j, k};
          for (int c = 0; c < 3; c++) x->v[c] = (g ? first[c] - h / 2 : first[c]) + at[c] * h;
        }
  return SOFA_OK;
}

static SofaErr take_memory(Stuffing *s) {
  MeshTetraStuffing *m = s->m;
  SofaContext *ctx = m->object.ctx;
  s->surface = SOFA_SCRATCH(ctx, SofaTriangle, m->triangles.n + 2 * m->quads.n);
  s->side = SOFA_SCRATCH(ctx, int, s->n);
  s->violated = SOFA_SCRATCH(ctx, bool, s->n);
  s->cut = sofa_scratch_bytes(ctx, s->n, sizeof *s->cut);
  s->point = sofa_scratch_bytes(ctx, s->n, sizeof *s->point);
  if (!s->surface || !s->side || !s->violated || !s->cut || !s->point) return SOFA_ERR_MEMORY;
  sofa_zero(s->side, s->n * sizeof *s->side);
  sofa_zero(s->cut, s->n * sizeof *s->cut);
  for (size_t i = 0; i < m->triangles.n; i++) s->surface[s->n_surface++] = m->triangles.data[i];
  for (size_t i = 0; i < m->quads.n; i++) {
    const uint32_t *v = m->quads.data[i].v;
    s->surface[s->n_surface++] = (SofaTriangle){{v[0], v[1], v[2]}};
    s->surface[s->n_surface++] = (SofaTriangle){{v[0], v[2], v[3]}};
  }
  return SOFA_OK;
}

/* Of a surface that looks inwards the outside would be filled. */
static void check_side(const Stuffing *s) {
  const SofaVec3 *x = s->m->input.data;
  double volume = 0;
  for (size_t i = 0; i < s->n_surface; i++) {
    const uint32_t *v = s->surface[i].v;
    volume += sofa_vec3_triple(x[v[0]].v, x[v[1]].v, x[v[2]].v) / 6;
  }
  if (volume < 0)
    sofa_object_message(&s->m->object, SOFA_WARNING,
                        "the surface looks inwards (its volume is %g): the outside is filled",
                        volume);
}

static SofaErr stuff(Stuffing *s, Hits *hits) {
  SOFA_TRY(make_grid(s));
  SOFA_TRY(take_memory(s));
  check_side(s);
  SOFA_TRY(find_inside(s, hits));
  if (s->m->snap) snap_points(s);
  if (s->m->split) SOFA_TRY(make_cut_points(s));
  SOFA_TRY(add_cells(s));
  return drop_unused(s);
}

static SofaErr update(SofaObject *object) {
  MeshTetraStuffing *m = (MeshTetraStuffing *)object;
  Stuffing s = {.m = m};
  Hits hits = {0};
  m->points.n = m->tetrahedra.n = 0;
  SOFA_TRY(ENGINE_CHECK(object, "inputTriangles", &m->triangles, m->input.n));
  SOFA_TRY(ENGINE_CHECK(object, "inputQuads", &m->quads, m->input.n));
  if (!m->triangles.n && !m->quads.n) {
    sofa_object_message(object, SOFA_WARNING, "there is no surface to fill");
    return SOFA_OK;
  }
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  const SofaErr err = stuff(&s, &hits);
  sofa_scratch_release(object->ctx, mark);
  sofa_list_free(object->ctx, &hits);
  return err;
}

ENGINE_CLASS(MeshTetraStuffing, "Generate", "Fills a closed surface with tetrahedra.",
             .init = engine_init, );
