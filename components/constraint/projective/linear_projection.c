/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Projections of points on lines and planes. */
#include "behavior/checks.h"
#include "components/constraint/projective/linear_projection.h"

#include <math.h>
#include <stdlib.h>

enum { QUIRK_DUPLICATE_INDICES = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_DUPLICATE_INDICES, "duplicate-indices",
     "line, plane and direction constraints leave out points behind an index given twice",
     "test_quirks_motion.constraints"},
    QUIRK_UNPROJECTED_MATRIX_ROW,
};

static int compare(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* SOFA walks through the sorted indices and stops at one that stands there twice. */
static SofaErr find_limit(LinearProjection *p) {
  SofaContext *ctx = p->indexed.constraint.object.ctx;
  SofaIndices sorted = {0};
  p->limit = UINT32_MAX;
  SofaErr err = sofa_list_copy(ctx, &sorted, &p->indexed.indices, sizeof *sorted.data);
  if (err == SOFA_OK && sorted.n) sofa_sort(sorted.data, sorted.n, sizeof *sorted.data, compare);
  for (size_t k = 1; err == SOFA_OK && k < sorted.n; k++) {
    if (sorted.data[k] != sorted.data[k - 1]) continue;
    if (sofa_quirk(&p->indexed.constraint.object, QUIRK_DUPLICATE_INDICES))
      p->limit = sorted.data[k];
    break;
  }
  sofa_list_free(ctx, &sorted);
  return err;
}

SofaErr linear_projection_init(LinearProjection *p, const char *field) {
  SofaObject *object = &p->indexed.constraint.object;
  double norm = 0;
  p->dims = constrained_dims(&p->indexed.constraint);
  if (sofa_class_field(object->klass, "origin"))
    SOFA_TRY(sofa_take_reals(object, "origin", &p->origin, p->dims));
  SOFA_TRY(sofa_take_reals(object, field, &p->given, p->dims));
  for (unsigned c = 0; c < p->dims; c++) norm += p->given.data[c] * p->given.data[c];
  norm = sqrt(norm);
  for (unsigned c = 0; c < p->dims; c++) p->unit[c] = norm > 0 ? p->given.data[c] / norm : 0;
  if (!(norm > 0)) {
    SOFA_TRY(sofa_keep_going(object,
                             sofa_field_fail(object, field, SOFA_ERR_RANGE, "has no direction")));
    if (!p->plane) p->unit[0] = 1; /* SOFA's fallback */
  }
  return find_limit(p);
}

static SofaErr linear_done(SofaObject *object) {
  return find_limit((LinearProjection *)object);
}

const SofaTopologyListenerOps linear_projection_listener = {.done = linear_done};

/* r = n (n.r) or r - n (n.r) */
static void project(const LinearProjection *p, double *r) {
  double dot = 0;
  for (unsigned c = 0; c < p->dims; c++) dot += p->unit[c] * r[c];
  for (unsigned c = 0; c < p->dims; c++)
    r[c] = (p->plane ? r[c] : 0) + (p->plane ? -dot : dot) * p->unit[c];
}

void linear_projection_apply(const LinearProjection *p, double *r) {
  const size_t deriv = constrained_kind(&p->indexed.constraint)->deriv, n = indexed_n(&p->indexed);
  for (size_t k = 0; k < n; k++) {
    const size_t i = indexed_at(&p->indexed, k);
    if (i <= p->limit) project(p, r + i * deriv);
  }
}

bool linear_projection_axes(const LinearProjection *p, bool *components) {
  unsigned n = 0;
  const unsigned deriv = constrained_kind(&p->indexed.constraint)->deriv;
  for (unsigned c = 0; c < deriv; c++) {
    const bool along = c < p->dims && p->unit[c] != 0;
    components[c] = c < p->dims && along == p->plane;
    n += along;
  }
  return n <= 1;
}

static SofaErr linear_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  (void)params;
  linear_projection_apply((LinearProjection *)c, v);
  return SOFA_OK;
}

/* x = o + P (x - o) */
static SofaErr linear_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  (void)params;
  LinearProjection *p = (LinearProjection *)c;
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(&p->indexed);
  if (p->from_start) SOFA_TRY(projective_capture(c, x, &p->x0));
  for (size_t k = 0; k < n; k++) {
    const size_t i = indexed_at(&p->indexed, k);
    const double *origin = p->from_start ? p->x0.data + i * coord : p->origin.data;
    double arm[6];
    for (unsigned a = 0; a < p->dims; a++) arm[a] = x[i * coord + a] - origin[a];
    project(p, arm);
    for (unsigned a = 0; a < p->dims; a++) x[i * coord + a] = origin[a] + arm[a];
  }
  return SOFA_OK;
}

/* P of each point for the assembled system. */
static SofaErr append_projections(const LinearProjection *p, SofaDiscard *discard) {
  SofaContext *ctx = p->indexed.constraint.object.ctx;
  SofaBlockProjection one = {.size = p->dims};
  for (unsigned r = 0; r < p->dims; r++)
    for (unsigned c = 0; c < p->dims; c++) {
      const double along = p->unit[r] * p->unit[c];
      one.p[r * p->dims + c] = p->plane ? (r == c) - along : along;
    }
  for (size_t k = 0; k < indexed_n(&p->indexed); k++) {
    const size_t i = indexed_at(&p->indexed, k);
    if (i > p->limit) continue;
    one.row = discard->first_row + (uint32_t)i;
    SOFA_TRY(SOFA_APPEND(ctx, discard->projections, &one));
  }
  return SOFA_OK;
}

SofaErr linear_projection_discard(const LinearProjection *p, SofaDiscard *discard) {
  bool components[6];
  if (linear_projection_axes(p, components)) {
    indexed_discard(&p->indexed, components, discard);
    return SOFA_OK;
  }
  return discard->projections ? append_projections(p, discard) : SOFA_OK;
}

/* SOFA leaves the matrix as it is. */
static SofaErr linear_discard(SofaProjective *c, const SofaMechParams *params,
                              SofaDiscard *discard) {
  (void)params;
  if (sofa_quirk(&c->object, QUIRK_UNPROJECTED_MATRIX)) return SOFA_OK;
  return linear_projection_discard((LinearProjection *)c, discard);
}

const SofaProjectiveOps linear_projection_ops = {.response = linear_velocity,
                                                 .velocity = linear_velocity,
                                                 .position = linear_position,
                                                 .discard = linear_discard};

/* ---- the base of lines and planes ---- */

const char *const linear_projection_templates[] = {"Vec3d", "Vec2d", NULL};

static SofaErr init(SofaObject *object) {
  LinearProjection *p = (LinearProjection *)object;
  p->plane = sofa_class_field(object->klass, "normal") != NULL;
  p->from_start = !sofa_class_field(object->klass, "origin");
  return linear_projection_init(p, p->plane ? "normal" : "direction");
}

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(LinearProjection, "0"),
    INDEXED_ROW_DRAW(LinearProjection),
};

static const SofaPrivateList lists[] = {
    LINEAR_PROJECTION_LISTS,
};

const SofaClass linear_projection_class = {
    .name = "LinearProjection",
    .module = "csofa",
    .category = "ProjectiveConstraintSet",
    .help = "Projects points on lines or planes.",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    .size = sizeof(LinearProjection),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .abstract = true,
    .init = init,
    .reinit = init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &linear_projection_ops},
                    {SOFA_TOPOLOGY_LISTENER, &linear_projection_listener}),
};
