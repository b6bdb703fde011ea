/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares of points in constant loads on faces, and the selection of elements between planes. */
#include "components/mechanicalload/faces.h"

#include "base/bytes.h"
#include "numerics/fem/face_kernels.h"

SofaErr face_shares(const SofaForceField *ff, const SofaIndices *list, SofaElements faces,
                    SofaReals *share) {
  const unsigned n = faces.width;
  SofaContext *ctx = ff->object.ctx;
  const double *rest = load_rest(ff);
  const size_t n_points = load_n_points(ff);
  double area = 0;
  share->n = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, share, n_points));
  for (size_t k = 0; k < list->n; k++) {
    const uint32_t face = list->data[k];
    const uint32_t *v = faces.v + (size_t)face * n;
    SOFA_TRY(sofa_check_element(&ff->object, n == 3 ? "triangle" : "quad", face, v, n, n_points));
    const double part = face_area(rest, 3, v, n) / n;
    for (unsigned c = 0; c < n; c++) share->data[v[c]] += part;
    area += part;
  }
  // points of a mapped state that the scene does not place are all at the origin
  if (list->n && !(area > 0))
    sofa_object_message(&ff->object, SOFA_WARNING,
                        "the loaded faces have no area at rest, hence no force: give the state "
                        "positions (a mapped state: applyRestPosition=\"1\" on its mapping)");
  return SOFA_OK;
}

double face_shares_energy(const SofaReals *share, const double *load, const double *x) {
  double energy = 0;
  for (size_t i = 0; i < share->n; i++) energy -= share->data[i] * sofa_vec3_dot(load, x + 3 * i);
  return energy;
}

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t face_open_edges(SofaElements faces) {
  uint64_t sum = 0;
  for (size_t f = 0; f < faces.n; f++)
    for (unsigned k = 0; k < faces.width; k++) {
      const uint64_t a = faces.v[f * faces.width + k];
      const uint64_t b = faces.v[f * faces.width + (k + 1) % faces.width];
      const uint64_t edge = mix(0x9e3779b97f4a7c15u + (a < b ? a << 32 | b : b << 32 | a));
      sum += a < b ? edge : 0 - edge;
    }
  return sum;
}

void face_add_shares(const SofaReals *share, const double *load, double *f) {
  for (size_t i = 0; i < share->n; i++) sofa_vec3_axpy(share->data[i], load, f + 3 * i);
}

/* ---- area vectors ---- */

size_t face_kept(size_t n) {
  return (n + SOFA_LANES - 1) / SOFA_LANES * SOFA_LANES * SOFA_FACE_ROWS + SOFA_LANES;
}

double *face_rows(const SofaReals *kept) {
  const uintptr_t line = SOFA_LANES * sizeof *kept->data;
  return kept->n ? (double *)(((uintptr_t)kept->data + line - 1) / line * line) : NULL;
}

static size_t place_of(size_t t) {
  return t / SOFA_LANES * SOFA_LANES * SOFA_FACE_ROWS + t % SOFA_LANES;
}

const SofaFaceKernels *face_kernels(const SofaForceField *ff) {
  const SofaStateKindInfo *kind = load_kind(ff);
  return kind->coord == 3 && kind->deriv == 3 ? sofa_face_kernels(ff->object.ctx) : NULL;
}

static const uint32_t (*corners_of(const SofaTriangles *triangles))[3] {
  return (const uint32_t(*)[3])(const void *)triangles->data;
}

/* Adds a vector to each vertex. */
static void push(const uint32_t *v, const double *r, size_t deriv, double *f) {
  for (int c = 0; c < 3; c++) sofa_vec3_add(f + v[c] * deriv, r, f + v[c] * deriv);
}

enum { LEAST = 4096 }; /* triangles: fewer take less than the threads cost */

SofaErr face_sums_make(const SofaForceField *ff, const SofaTriangles *triangles,
                       SofaElementSums *sums) {
  SofaContext *ctx = ff->object.ctx;
  const SofaSummed of = {
      .elements = {(const uint32_t *)(const void *)triangles->data, triangles->n, 3},
      .n_points = load_n_points(ff),
      .states = 1,
      .width = 3,
      .kind = SOFA_SUM_SHARED,
      .least = LEAST};
  sofa_element_sums_free(ctx, sums);
  return face_kernels(ff) ? sofa_element_sums_create(ctx, &of, sums) : SOFA_OK;
}

/* A loop over triangles; what its kind does not read is 0. */
typedef struct FaceLoop {
  const SofaFaceKernels *kernels;
  const uint32_t (*v)[3];
  double factor;
  const double *x;
  double *f, *kept;
} FaceLoop;

/* What is kept of the triangles from `begin` on, the first of a group. */
static double *kept_from(const FaceLoop *loop, size_t begin) {
  return loop->kept ? loop->kept + place_of(begin) : NULL;
}

static void give_forces(void *user, size_t begin, size_t end, double *parts) {
  const FaceLoop *loop = user;
  loop->kernels->force(loop->v + begin, end - begin, loop->factor, loop->x,
                       (SofaVectorsTo){loop->f, parts}, kept_from(loop, begin));
}

static void give_products(void *user, size_t begin, size_t end, double *parts) {
  const FaceLoop *loop = user;
  loop->kernels->product(loop->v + begin, end - begin, loop->factor, kept_from(loop, begin),
                         loop->x, (SofaVectorsTo){loop->f, parts});
}

void face_add_forces(const SofaForceField *ff, FaceSums faces, double part, const double *x,
                     double *f, double *kept) {
  const SofaTriangles *triangles = faces.triangles;
  FaceLoop loop = {face_kernels(ff), corners_of(triangles), part, x, f, kept};
  const size_t w = load_kind(ff)->coord, deriv = load_kind(ff)->deriv;
  if (loop.kernels) sofa_element_sums_run(faces.sums, triangles->n, give_forces, &loop, &loop.f);
  for (size_t t = 0; !loop.kernels && t < triangles->n; t++) {
    const uint32_t *v = triangles->data[t].v;
    double ab[3], ac[3], n[3];
    sofa_vec3_sub(x + v[1] * w, x + v[0] * w, ab);
    sofa_vec3_sub(x + v[2] * w, x + v[0] * w, ac);
    sofa_vec3_cross(ab, ac, n);
    sofa_vec3_scale(part, n, n);
    push(v, n, deriv, f);
    for (size_t i = 0; kept && i < 3; i++) {
      kept[place_of(t) + i * SOFA_LANES] = part * ab[i];
      kept[place_of(t) + (3 + i) * SOFA_LANES] = part * ac[i];
    }
  }
}

void face_kept_edges(const double *kept, size_t t, double ab[3], double ac[3]) {
  for (size_t i = 0; i < 3; i++) {
    ab[i] = kept[place_of(t) + i * SOFA_LANES];
    ac[i] = kept[place_of(t) + (3 + i) * SOFA_LANES];
  }
}

/* ---- surfaces ---- */

size_t face_measures(const SofaElementSums *sums, size_t n) {
  return sums->parts ? (n + SOFA_LANES - 1) / SOFA_LANES * SOFA_SURFACE_MEASURES : 0;
}

typedef struct SurfaceLoop {
  const SofaFaceKernels *kernels;
  SofaSurface surface;
  double part;
  double *f, *kept;
} SurfaceLoop;

static void give_surface(void *user, size_t begin, size_t end, double *parts) {
  const SurfaceLoop *loop = user;
  SofaSurface s = loop->surface;
  s.v += begin;
  s.n = end - begin;
  s.measures += begin / SOFA_LANES * s.stride;
  loop->kernels->surface(&s, loop->part, (SofaVectorsTo){loop->f, parts},
                         loop->kept ? loop->kept + place_of(begin) : NULL);
}

/* Sums of lanes, from the first one on. */
static double sum_of(const double *lanes) {
  double sum = 0;
  for (size_t l = 0; l < SOFA_LANES; l++) sum += lanes[l];
  return sum;
}

/* By several threads: the measures of the groups apart, then their sums from the first one on. */
static void add_shared(FaceSums faces, SurfaceLoop *loop, double *measures, double *sums) {
  const size_t n = faces.triangles->n;
  const size_t reals = face_measures(faces.sums, n);
  sofa_zero(measures + reals - SOFA_SURFACE_MEASURES, SOFA_SURFACE_MEASURES * sizeof *measures);
  loop->surface.measures = measures;
  loop->surface.stride = SOFA_SURFACE_MEASURES;
  sofa_element_sums_run(faces.sums, n, give_surface, loop, &loop->f);
  loop->kernels->sum(measures, reals, SOFA_SURFACE_MEASURES, sums);
}

double face_add_surface(const SofaForceField *ff, FaceSums faces, double part,
                        const FaceSurface *of, double *area) {
  const size_t n = faces.triangles->n;
  double sums[SOFA_SURFACE_MEASURES] = {0};
  SurfaceLoop loop = {.kernels = sofa_face_kernels(ff->object.ctx),
                      .surface = {corners_of(faces.triangles), n, of->x, of->origin, sums, 0},
                      .part = part,
                      .f = of->f,
                      .kept = of->kept};
  if (of->f && of->measures) add_shared(faces, &loop, of->measures, sums);
  else give_surface(&loop, 0, n, NULL);
  *area = sum_of(sums + SOFA_LANES) / 2;
  return sum_of(sums) / 6;
}

void face_add_products(const SofaForceField *ff, FaceSums faces, const double *kept, double k,
                       const double *dx, double *df) {
  const SofaTriangles *triangles = faces.triangles;
  // products do not change what is kept
  FaceLoop loop = {face_kernels(ff), corners_of(triangles), k, dx, df, (double *)(uintptr_t)kept};
  const size_t deriv = load_kind(ff)->deriv;
  if (loop.kernels) sofa_element_sums_run(faces.sums, triangles->n, give_products, &loop, &loop.f);
  for (size_t t = 0; !loop.kernels && t < triangles->n; t++) {
    const uint32_t *v = triangles->data[t].v;
    double ab[3], ac[3], dab[3], dac[3], sum[3], other[3];
    face_kept_edges(kept, t, ab, ac);
    sofa_vec3_sub(dx + v[1] * deriv, dx + v[0] * deriv, dab);
    sofa_vec3_sub(dx + v[2] * deriv, dx + v[0] * deriv, dac);
    sofa_vec3_cross(ab, dac, sum);
    sofa_vec3_cross(ac, dab, other);
    for (int i = 0; i < 3; i++) sum[i] = k * (sum[i] - other[i]);
    push(v, sum, deriv, df);
  }
}

/* By a, b and c: the cross products with c - b, a - c and b - a. */
void face_add_blocks(const SofaForceField *ff, const SofaTriangles *triangles, FaceTangent of) {
  const size_t deriv = load_kind(ff)->deriv;
  double wide[36] = {0};
  for (size_t t = 0; t < triangles->n; t++) {
    const uint32_t *v = triangles->data[t].v;
    double edge[3][3];
    face_kept_edges(of.kept, t, edge[2], edge[1]);
    sofa_vec3_sub(edge[1], edge[2], edge[0]);
    sofa_vec3_scale(-1, edge[1], edge[1]);
    for (size_t c = 0; c < 3; c++) {
      double block[9];
      sofa_vec3_scale(of.factor, edge[c], edge[c]);
      sofa_mat3_cross(edge[c], block);
      for (size_t e = 0; e < 9; e++) wide[e / 3 * deriv + e % 3] = block[e];
      for (int r = 0; r < 3; r++) sofa_tangent_add(of.tangent, 0, v[r], 0, v[c], wide);
    }
  }
}

SofaErr face_select(const SofaForceField *ff, const double *normal, double dmin, double dmax,
                    SofaElements elements, SofaIndices *list) {
  const double *rest = load_rest(ff);
  const size_t n_points = load_n_points(ff);
  if (dmin == dmax) return SOFA_OK;
  for (uint32_t e = 0; e < elements.n; e++) {
    bool inside = true;
    for (unsigned c = 0; c < elements.width && inside; c++) {
      const uint32_t i = elements.v[(size_t)e * elements.width + c];
      const double d = i < n_points ? sofa_vec3_dot(rest + 3 * (size_t)i, normal) : dmin;
      inside = dmin < d && d < dmax;
    }
    if (inside) SOFA_TRY(SOFA_APPEND(ff->object.ctx, list, &e));
  }
  return SOFA_OK;
}

/* ---- drawing ---- */

void face_draw(const SofaForceField *ff, const SofaDrawArgs *args, const SofaIndices *list,
               SofaElements faces, SofaRgba color) {
  const unsigned n = faces.width;
  const SofaState *state = ff->state[0];
  const size_t count = list ? list->n : faces.n;
  for (size_t k = 0; k < count; k++) {
    const size_t face = list ? list->data[k] : k;
    double corner[4][3];
    bool good = face < faces.n;
    for (unsigned i = 0; i < n && good; i++) {
      const uint32_t point = faces.v[n * face + i];
      good = point < state->position.n;
      if (good) sofa_state_point(state, point, corner[i]);
    }
    if (!good) continue;
    if (n == 3) sofa_draw_triangle(args->list, corner[0], corner[1], corner[2], color);
    else sofa_draw_quad(args->list, corner[0], corner[1], corner[2], corner[3], color);
  }
}

void face_draw_pressure(const SofaForceField *ff, const SofaDrawArgs *args,
                        const SofaTriangles *triangles, double pressure, double scale,
                        SofaRgba color) {
  const SofaState *state = ff->state[0];
  for (size_t t = 0; t < triangles->n; t++) {
    double corner[3][3], force[3];
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
      good = triangles->data[t].v[i] < state->position.n;
      if (good) sofa_state_point(state, triangles->data[t].v[i], corner[i]);
    }
    if (!good) continue;
    face_normal(corner[0], corner[1], corner[2], force);
    sofa_vec3_scale(pressure / 6, force, force);
    for (int i = 0; i < 3; i++)
      sofa_draw_force(args->list, (SofaStatePoint){state, triangles->data[t].v[i]}, force, 3, scale,
                      color);
  }
}
