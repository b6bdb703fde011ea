/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rest data of linear tetrahedra, and the formulas of a single element. */
#include "numerics/fem/tetra_element.h"

#include <string.h>
#include "math/polar.h"
#include "math/vec.h"

double sofa_tetra_volume6(const double *p) {
  double e[3][3];
  for (int n = 0; n < 3; n++) sofa_vec3_sub(p + 3 * n + 3, p, e[n]);
  return sofa_vec3_triple(e[2], e[0], e[1]);
}

/* Rows b - a, c - a, d - a. */
static void edge_matrix(const double *p, double *m) {
  for (int n = 0; n < 3; n++) sofa_vec3_sub(p + 3 * n + 3, p, m + 3 * n);
}

void sofa_tetra_frame(SofaTetraMethod method, const double *p, double *r) {
  double m[9];
  edge_matrix(p, m);
  if (method == SOFA_TETRA_SMALL || method >= SOFA_TETRA_DEFORMATION) sofa_mat3_identity(r);
  else if (method == SOFA_TETRA_LARGE) sofa_mat3_frame(m, m + 3, r);
  else sofa_polar(m, r, NULL);
}

bool sofa_tetra_svd_frame(const SofaTetraRest *rest, const double *edges, double *r) {
  double f[9], q[9];
  sofa_mat3_mul(edges, rest->inverse, f);
  if (!(sofa_mat3_det(f) < 1e-6)) return false;
  sofa_polar_stable(f, q, NULL);
  sofa_mat3_mul(q, rest->frame, r);
  return true;
}

void sofa_tetra_moment_frame(SofaTetraMethod method, const double *arms, const double *edges,
                             double *r) {
  double m[9];
  sofa_mat3_mul_tn(arms, edges, m);
  if (method == SOFA_TETRA_MOMENT_STABLE || method == SOFA_TETRA_DEFORMATION_STABLE)
    sofa_polar_stable(m, r, NULL);
  else sofa_polar(m, r, NULL);
}

void sofa_tetra_frame_at(const SofaTetraBatch *batch, size_t element, const double *x, double *r) {
  const SofaTetraGroup *group = &batch->groups[element / SOFA_LANES];
  const size_t l = element % SOFA_LANES;
  double p[12], edges[9], arms[9];
  for (int n = 0; n < 4; n++) sofa_vec3_copy(x + 3 * (size_t)group->v[n][l], p + 3 * n);
  edge_matrix(p, edges);
  if (batch->method >= SOFA_TETRA_DEFORMATION) {
    for (int k = 0; k < 9; k++) arms[k] = batch->arm[element / SOFA_LANES][k][l];
    sofa_tetra_moment_frame(batch->method, arms, edges, r);
  } else if (batch->method != SOFA_TETRA_SVD ||
             !sofa_tetra_svd_frame(&batch->rest[element], edges, r)) {
    sofa_tetra_frame(batch->method, p, r);
  }
}

void sofa_tetra_gradients(const double *p, double *g) {
  const double *a = p, *b = p + 3, *c = p + 6, *d = p + 9;
  double u[3], w[3];
  sofa_vec3_sub(b, c, u);
  sofa_vec3_sub(d, b, w);
  sofa_vec3_cross(u, w, g);
  sofa_vec3_sub(d, c, u);
  sofa_vec3_sub(a, c, w);
  sofa_vec3_cross(u, w, g + 3);
  sofa_vec3_sub(d, a, u);
  sofa_vec3_sub(b, d, w);
  sofa_vec3_cross(u, w, g + 6);
  sofa_vec3_sub(b, a, u);
  sofa_vec3_sub(c, a, w);
  sofa_vec3_cross(u, w, g + 9);
}

void sofa_tetra_j(const double *normal, const double *shear, double *j) {
  memset(j, 0, 72 * sizeof *j);
  for (int n = 0; n < 4; n++) {
    const double *g = normal + 3 * n, *s = shear + 3 * n;
    double *row = j + 18 * n;
    row[0] = g[0];
    row[3] = s[1];
    row[5] = s[2];
    row[6 + 1] = g[1];
    row[6 + 3] = s[0];
    row[6 + 4] = s[2];
    row[12 + 2] = g[2];
    row[12 + 4] = s[1];
    row[12 + 5] = s[0];
  }
}

void sofa_tetra_law(double lambda, double mu, double factor, double *c) {
  memset(c, 0, 36 * sizeof *c);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) c[6 * i + k] = factor * lambda;
    c[7 * i] += factor * 2 * mu;
    c[7 * (i + 3)] = factor * mu;
  }
}

void sofa_tetra_stiffness(const double *j, const double *c, double *k) {
  double jc[72];
  for (int r = 0; r < 12; r++) {
    for (int s = 0; s < 6; s++) {
      double sum = 0;
      for (int t = 0; t < 6; t++) sum += j[6 * r + t] * c[6 * t + s];
      jc[6 * r + s] = sum;
    }
  }
  for (int r = 0; r < 12; r++) {
    for (int s = 0; s < 12; s++) {
      double sum = 0;
      for (int t = 0; t < 6; t++) sum += jc[6 * r + t] * j[6 * s + t];
      k[12 * r + s] = sum;
    }
  }
}

/* ---- batches ---- */

/* Volume against the cube of the longest edge: below this it is rounding noise. */
static const double flat = 1e-14;

/* Fills a lane of the groups from the rest positions of its element. */
static SofaErr fill_lane(SofaTetraBatch *b, size_t lane, const double *p, SofaTetraRest *rest,
                         double *volume6) {
  const SofaTetraMethod method = b->method;
  SofaTetraGroup *group = &b->groups[lane / SOFA_LANES];
  const size_t l = lane % SOFA_LANES;
  double longest = 0, edges[9], q[12] = {0}, g[12];
  *volume6 = sofa_tetra_volume6(p);
  for (int n = 0; n < 4; n++) {
    for (int m = 0; m < n; m++) longest = fmax(longest, sofa_vec3_distance(p + 3 * n, p + 3 * m));
  }
  if (!(fabs(*volume6) > flat * longest * longest * longest)) return SOFA_ERR_GEOMETRY;

  sofa_tetra_frame(method, p, rest->frame);
  edge_matrix(p, edges);
  if (!sofa_mat3_inverse(edges, rest->inverse, NULL)) return SOFA_ERR_GEOMETRY;
  for (int n = 0; n < 3; n++) sofa_mat3_apply(rest->frame, edges + 3 * n, q + 3 * n + 3);
  if (method == SOFA_TETRA_LARGE) {
    // b lies on the first axis, c in the first plane: what is left is rounding
    q[4] = q[5] = q[8] = 0;
  }
  sofa_tetra_gradients(q, g);
  group->scale[l] = 1 / (6 * sqrt(fabs(*volume6) / 6));
  const double sign = *volume6 < 0 ? -1 : 1;
  for (int k = 0; k < 9; k++) {
    const double mean = 0.25 * (q[3 + k % 3] + q[6 + k % 3] + q[9 + k % 3]);
    group->q[k][l] = q[3 + k];
    group->h[k][l] = sign * g[3 + k] * group->scale[l];
    if (b->arm)
      b->arm[lane / SOFA_LANES][k][l] =
          method <= SOFA_TETRA_DEFORMATION_STABLE ? group->h[k][l] : q[3 + k] - mean;
  }
  return SOFA_OK;
}

static SofaErr allocate(SofaContext *ctx, bool exact, SofaTetraBatch *b) {
  b->n_groups = (b->n + SOFA_LANES - 1) / SOFA_LANES;
  const size_t n = b->n_groups ? b->n_groups : 1;
  if (!(b->vertices = sofa_alloc(ctx, 4 * b->n, sizeof *b->vertices))) return SOFA_ERR_MEMORY;
  if (!(b->groups = sofa_alloc(ctx, n, sizeof *b->groups))) return SOFA_ERR_MEMORY;
  if (!(b->gradient = sofa_alloc(ctx, n, sizeof *b->gradient))) return SOFA_ERR_MEMORY;
  if (!(b->rotation = sofa_alloc(ctx, n, sizeof *b->rotation))) return SOFA_ERR_MEMORY;
  if (b->method == SOFA_TETRA_SVD && !(b->rest = sofa_alloc(ctx, b->n, sizeof *b->rest)))
    return SOFA_ERR_MEMORY;
  if (b->method >= SOFA_TETRA_DEFORMATION && !(b->arm = sofa_alloc(ctx, n, sizeof *b->arm)))
    return SOFA_ERR_MEMORY;
  if (exact && !(b->turn = sofa_alloc(ctx, n, sizeof *b->turn))) return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

/* Until the first force the current frame r of a lane is the one at rest. */
static void start_at_rest(SofaTetraBatch *b, size_t lane, const double *r) {
  const SofaTetraGroup *group = &b->groups[lane / SOFA_LANES];
  const size_t l = lane % SOFA_LANES;
  double(*w)[SOFA_LANES] = b->gradient[lane / SOFA_LANES];
  for (int k = 0; k < 9; k++) b->rotation[lane / SOFA_LANES][k][l] = r[k];
  for (int n = 0; n < 3; n++) {
    const double h[3] = {group->h[3 * n][l], group->h[3 * n + 1][l], group->h[3 * n + 2][l]};
    double world[3];
    sofa_mat3_apply_t(r, h, world);
    for (int k = 0; k < 3; k++) w[3 * n + k][l] = world[k];
  }
}

enum { LEAST = 256 }; /* tetrahedra: fewer take less than the threads cost */

static SofaErr make_sums(SofaContext *ctx, SofaTetraBatch *b) {
  const SofaSummed of = {.elements = {b->vertices, b->n, 4},
                         .n_points = b->n_points,
                         .states = 1,
                         .width = 3,
                         .kind = SOFA_SUM_EACH,
                         .least = LEAST};
  return b->several ? sofa_element_sums_create(ctx, &of, &b->sums) : SOFA_OK;
}

SofaErr sofa_tetra_batch_create(SofaContext *ctx, const SofaTetraMesh *mesh, int threads,
                                SofaTetraBatch *out, SofaTetraFaults *faults) {
  const size_t n = mesh->n, n_points = mesh->n_points;
  SofaErr err = SOFA_OK;
  *out = (SofaTetraBatch){
      .method = mesh->method, .update = mesh->update, .n = n, .n_points = n_points};
  *faults = (SofaTetraFaults){0};
  SOFA_GO(err, done, allocate(ctx, mesh->exact, out));
  for (size_t e = 0; e < out->n_groups * SOFA_LANES; e++) {
    const size_t from = e < n ? e : n - 1;
    SofaTetraGroup *group = &out->groups[e / SOFA_LANES];
    SofaTetraRest rest;
    double p[12], volume6;
    for (int k = 0; k < 4; k++) {
      const uint32_t v = mesh->tetras[from].v[k];
      out->vertices[4 * from + (size_t)k] = group->v[k][e % SOFA_LANES] = v;
      sofa_vec3_copy(mesh->rest + 3 * (size_t)v, p + 3 * k);
    }
    faults->flat = from;
    SOFA_GO(err, done, fill_lane(out, e, p, &rest, &volume6));
    start_at_rest(out, e, rest.frame);
    if (out->rest) out->rest[from] = rest;
    if (e < n && volume6 < 0 && ++faults->n_inverted == 1) faults->first_inverted = e;
  }
  out->several = threads > 1;
  err = make_sums(ctx, out);
done:
  if (err != SOFA_OK) sofa_tetra_batch_free(ctx, out);
  return err;
}

SofaErr sofa_tetra_batch_around(SofaContext *ctx, SofaTetraBatch *b) {
  if (b->around) return SOFA_OK;
  const SofaElements elements = {b->vertices, b->n, 4};
  return sofa_elements_around(ctx, elements, b->n_points, &b->around_start, &b->around);
}

SofaErr sofa_tetra_batch_pairs(SofaContext *ctx, SofaTetraBatch *b) {
  if (b->packed) return SOFA_OK;
  const SofaElements elements = {b->vertices, b->n, 4};
  SOFA_TRY(sofa_element_pairs_create(ctx, elements, b->n_points, SOFA_PAIRS_PARTS, &b->pairs));
  b->packed = sofa_alloc(ctx, b->n, sizeof *b->packed);
  if (b->packed) return SOFA_OK;
  sofa_element_pairs_free(ctx, &b->pairs);
  return SOFA_ERR_MEMORY;
}

/* Forgets the sums and what sofa_tetra_batch_pairs and sofa_tetra_batch_around make. */
static void forget_lists(SofaContext *ctx, SofaTetraBatch *b) {
  sofa_element_sums_free(ctx, &b->sums);
  sofa_element_pairs_free(ctx, &b->pairs);
  sofa_free(ctx, b->packed);
  sofa_free(ctx, b->around_start);
  sofa_free(ctx, b->around);
  b->packed = NULL;
  b->around_start = b->around = NULL;
}

void sofa_tetra_batch_free(SofaContext *ctx, SofaTetraBatch *b) {
  forget_lists(ctx, b);
  sofa_free(ctx, b->vertices);
  sofa_free(ctx, b->groups);
  sofa_free(ctx, b->gradient);
  sofa_free(ctx, b->rotation);
  sofa_free(ctx, b->turn);
  sofa_free(ctx, b->arm);
  sofa_free(ctx, b->rest);
  *b = (SofaTetraBatch){0};
}

/* ---- removal ---- */

/* Lane `from` of all data of groups goes to lane `to`. */
static void copy_lane(SofaTetraBatch *b, size_t from, size_t to) {
  const size_t g = from / SOFA_LANES, l = from % SOFA_LANES, h = to / SOFA_LANES,
               m = to % SOFA_LANES;
  const SofaTetraGroup *source = &b->groups[g];
  SofaTetraGroup *target = &b->groups[h];
  for (int k = 0; k < 4; k++) target->v[k][m] = source->v[k][l];
  for (int k = 0; k < 9; k++) {
    target->q[k][m] = source->q[k][l];
    target->h[k][m] = source->h[k][l];
    if (b->arm) b->arm[h][k][m] = b->arm[g][k][l];
    b->rotation[h][k][m] = b->rotation[g][k][l];
  }
  for (int k = 0; k < 9; k++) b->gradient[h][k][m] = b->gradient[g][k][l];
  for (int k = 0; b->turn && k < 6; k++) b->turn[h][k][m] = b->turn[g][k][l];
  target->lambda[m] = source->lambda[l];
  target->mu[m] = source->mu[l];
  target->scale[m] = source->scale[l];
}

/* Lanes beyond the last element repeat it without stiffness. */
static void pad_lanes(SofaTetraBatch *b) {
  for (size_t e = b->n; e < b->n_groups * SOFA_LANES; e++) {
    SofaTetraGroup *group = &b->groups[e / SOFA_LANES];
    copy_lane(b, b->n - 1, e);
    group->lambda[e % SOFA_LANES] = group->mu[e % SOFA_LANES] = 0;
  }
}

void sofa_tetra_batch_remove(SofaTetraBatch *b, size_t element) {
  const size_t last = --b->n;
  b->stale = true;
  if (element != last) {
    copy_lane(b, last, element);
    memcpy(b->vertices + 4 * element, b->vertices + 4 * last, 4 * sizeof *b->vertices);
    if (b->rest) b->rest[element] = b->rest[last];
  }
  b->n_groups = (b->n + SOFA_LANES - 1) / SOFA_LANES;
  pad_lanes(b);
}

void sofa_tetra_batch_rename(SofaTetraBatch *b, const uint32_t *elements, size_t n, uint32_t from,
                             uint32_t to) {
  b->stale = true;
  for (size_t i = 0; i < 4 * n; i++) {
    const size_t e = elements[i / 4], k = i % 4;
    if (b->vertices[4 * e + k] != from) continue;
    b->vertices[4 * e + k] = to;
    b->groups[e / SOFA_LANES].v[k][e % SOFA_LANES] = to;
    // the lanes behind the last element repeat it
    for (size_t r = b->n; e + 1 == b->n && r < b->n_groups * SOFA_LANES; r++)
      b->groups[r / SOFA_LANES].v[k][r % SOFA_LANES] = to;
  }
}

SofaErr sofa_tetra_batch_refresh(SofaContext *ctx, SofaTetraBatch *b, size_t n_points) {
  if (!b->stale && b->n_points == n_points) return SOFA_OK;
  b->n_points = n_points;
  b->stale = true;
  forget_lists(ctx, b);
  SOFA_TRY(make_sums(ctx, b));
  b->stale = false;
  return SOFA_OK;
}

void sofa_tetra_batch_material(SofaTetraBatch *batch, size_t element, double young,
                               double poisson) {
  SofaTetraGroup *group = &batch->groups[element / SOFA_LANES];
  const size_t l = element % SOFA_LANES;
  sofa_lame(young, poisson, &group->lambda[l], &group->mu[l]);
}

void sofa_tetra_one(const SofaTetraBatch *batch, size_t element, SofaTetraOne *out) {
  const SofaTetraGroup *group = &batch->groups[element / SOFA_LANES];
  const size_t g = element / SOFA_LANES, l = element % SOFA_LANES;
  *out = (SofaTetraOne){.lambda = group->lambda[l], .mu = group->mu[l], .scale = group->scale[l]};
  for (int k = 0; k < 9; k++) {
    out->r[k] = batch->rotation[g][k][l];
    out->q[k / 3 + 1][k % 3] = group->q[k][l];
    out->h[k / 3 + 1][k % 3] = group->h[k][l];
    out->h[0][k % 3] -= group->h[k][l];
  }
  for (int n = 0; n < 4; n++) out->v[n] = group->v[n][l];
  for (int k = 0; k < 9; k++) out->w[k / 3 + 1][k % 3] = batch->gradient[g][k][l];
  for (int k = 0; k < 3; k++) out->w[0][k] = -((out->w[1][k] + out->w[2][k]) + out->w[3][k]);
}
