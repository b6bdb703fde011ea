/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ShapeMatching: where points would be if each cluster had kept its shape (Mueller et al. 2005). */
#include <string.h>

#include "components/engine/engine.h"
#include "math/polar.h"
#include "math/quaternion.h"

typedef struct ShapeMatching {
  SofaObject object;
  SofaLink state;
  uint32_t iterations;
  double affine, fixed_weight;
  SofaCoords fixed0, fixed, position, rest, target;
  SofaIndexLists clusters;
} ShapeMatching;

static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE,
                                        .search = SOFA_SEARCH_UP};

typedef ShapeMatching SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(state, "mstate", NULL, "", "state with the rest positions; default: the nearest one",
             .flags = SOFA_FIELD_NO_AUTOLINK, .link = &state_rule),
    SOFA_ROW_INPUT(iterations, "iterations", "1", "", "number of iterations",
                   .range = SOFA_AT_LEAST(0)),
    SOFA_ROW_INPUT(affine, "affineRatio", "0", "1", "share of the affine fit; the rest is rigid",
                   .range = SOFA_WITHIN(0, 1)),
    SOFA_ROW_INPUT(fixed_weight, "fixedweight", "1", "1", "weight of fixed points; others have 1",
                   .range = SOFA_ABOVE(0)),
    SOFA_ROW_INPUT(fixed0, "fixedPosition0", NULL, "m",
                   "fixed points at rest, numbered after the others"),
    SOFA_ROW_INPUT(fixed, "fixedPosition", NULL, "m", "fixed points now, as many"),
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points now"),
    SOFA_ROW_INPUT(clusters, "cluster", NULL, "", "points of each cluster"),
    SOFA_ROW_OUTPUT(
        target, "targetPosition", "m",
        "mean of the targets that the clusters give each point; points without a cluster "
        "do not move"),
    SOFA_ROW(rest, "rest", NULL, "m", "points at rest, linked at init",
             .flags = SOFA_FIELD_INPUT | SOFA_FIELD_NO_AUTOLINK),
};

/* A cluster's fit x = center + transform (x0 - center0). */
typedef struct Fit {
  double center0[3], center[3], transform[9];
} Fit;

static const double *entry(const SofaCoords *a, const SofaCoords *b, size_t i) {
  return i < a->n ? a->data + i * a->width : b->data + (i - a->n) * b->width;
}

static double weight_of(const ShapeMatching *s, size_t i) {
  return i < s->rest.n ? 1 : s->fixed_weight;
}

/* With A = sum w (x - c)(x0 - c0)^T and B = sum w (x0 - c0)(x0 - c0)^T the rigid part is the
 * rotation nearest to A, the affine one A B^-1. */
static SofaErr fit(const ShapeMatching *s, size_t j, const SofaCoords *now, Fit *f) {
  const SofaIndices *list = &s->clusters.data[j];
  double a[9] = {0}, b[9] = {0}, m[9], inverse[9], total = 0;
  memset(f, 0, sizeof *f);
  for (size_t k = 0; k < list->n; k++) {
    const double w = weight_of(s, list->data[k]);
    sofa_vec3_axpy(w, entry(&s->rest, &s->fixed0, list->data[k]), f->center0);
    sofa_vec3_axpy(w, entry(now, &s->fixed, list->data[k]), f->center);
    total += w;
  }
  sofa_vec3_scale(1 / total, f->center0, f->center0);
  sofa_vec3_scale(1 / total, f->center, f->center);
  for (size_t k = 0; k < list->n; k++) {
    const double w = weight_of(s, list->data[k]);
    double d0[3], d[3];
    sofa_vec3_sub(entry(&s->rest, &s->fixed0, list->data[k]), f->center0, d0);
    sofa_vec3_sub(entry(now, &s->fixed, list->data[k]), f->center, d);
    sofa_mat3_outer(d, d0, m);
    sofa_mat3_axpy(w, m, a);
    sofa_mat3_outer(d0, d0, m);
    sofa_mat3_axpy(w, m, b);
  }
  sofa_polar_stable(a, f->transform, NULL);
  if (!(s->affine > 0)) return SOFA_OK;
  if (!sofa_mat3_inverse(b, inverse, NULL))
    return sofa_field_fail(&s->object, "cluster", SOFA_ERR_GEOMETRY,
                           "cluster %zu is flat at rest: it has no affine fit", j);
  sofa_mat3_mul(a, inverse, m);
  sofa_mat3_scale(1 - s->affine, f->transform, f->transform);
  sofa_mat3_axpy(s->affine, m, f->transform);
  return SOFA_OK;
}

static void add_fit(const ShapeMatching *s, const Fit *f, const SofaIndices *list, double *sum,
                    uint32_t *count) {
  for (size_t k = 0; k < list->n; k++) {
    const uint32_t i = list->data[k];
    double d[3], x[3];
    if (i >= s->rest.n) continue;
    sofa_vec3_sub(s->rest.data + i * s->rest.width, f->center0, d);
    sofa_mat3_apply(f->transform, d, x);
    sofa_vec3_add(x, f->center, x);
    sofa_vec3_add(sum + 3 * i, x, sum + 3 * i);
    count[i]++;
  }
}

static SofaErr iterate(ShapeMatching *s, double *sum, uint32_t *count) {
  const size_t n = s->rest.n, width = s->target.width;
  sofa_zero(sum, 3 * n * sizeof *sum);
  sofa_zero(count, n * sizeof *count);
  for (size_t j = 0; j < s->clusters.n; j++) {
    Fit f;
    if (!s->clusters.data[j].n) continue;
    SOFA_TRY(fit(s, j, &s->target, &f));
    add_fit(s, &f, &s->clusters.data[j], sum, count);
  }
  for (size_t i = 0; i < n; i++)
    if (count[i]) sofa_vec3_scale(1.0 / count[i], sum + 3 * i, s->target.data + i * width);
  return SOFA_OK;
}

static SofaErr check(const ShapeMatching *s) {
  const SofaObject *object = &s->object;
  SOFA_TRY(engine_check_same(object, "position", s->position.n, s->rest.n));
  SOFA_TRY(engine_check_same(object, "fixedPosition", s->fixed.n, s->fixed0.n));
  for (size_t j = 0; j < s->clusters.n; j++)
    SOFA_TRY(ENGINE_CHECK(object, "cluster", &s->clusters.data[j], s->rest.n + s->fixed0.n));
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  ShapeMatching *s = (ShapeMatching *)object;
  SofaContext *ctx = object->ctx;
  s->target.n = 0;
  if (!s->clusters.n || !s->position.n) return SOFA_OK;
  SOFA_TRY(check(s));
  SOFA_TRY(engine_copy_coords(ctx, &s->target, &s->position));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *sum = SOFA_SCRATCH(ctx, double, 3 * s->rest.n);
  uint32_t *count = SOFA_SCRATCH(ctx, uint32_t, s->rest.n);
  SofaErr err = sum && count ? SOFA_OK : SOFA_ERR_MEMORY;
  for (uint32_t k = 0; !err && k < s->iterations; k++) err = iterate(s, sum, count);
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr init(SofaObject *object) {
  ShapeMatching *s = (ShapeMatching *)object;
  if (object->kind == SOFA_RIGID3)
    return sofa_object_unsupported(object, "the template Rigid3d (SOFA computes nothing with it)");
  if (!s->state.target)
    return sofa_field_fail(object, "mstate", SOFA_ERR_NOT_FOUND, "there is no mechanical state");
  if (s->state.target->kind != object->kind)
    return sofa_field_fail(object, "mstate", SOFA_ERR_TYPE, "it is a state of another kind");
  SOFA_TRY(engine_link(object, "rest", s->state.target, "rest_position"));
  return engine_init(object);
}

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

static const char equations[] =
    "A_j = sum_i w_i (x_i - c_j) (X_i - C_j)^T\n"
    "B_j = sum_i w_i (X_i - C_j) (X_i - C_j)^T\n"
    "T_j = (1 - a) R_j + a A_j B_j^-1\n"
    "y_i = 1/n_i sum_j (c_j + T_j (X_i - C_j))\n"
    "\"j: the n_i clusters of point i, x_i: position, X_i: rest, c_j, C_j: their weighted "
    "means, R_j: rotation nearest to A_j; a: affineRatio; w_i: 1, of fixed points fixedweight; "
    "y_i: targetPosition\"";

ENGINE_CLASS(ShapeMatching, "Analyze",
             "Computes where points would be if each cluster had kept its shape.",
             .equations = equations, .templates = templates, .init = init, );
