/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PointProjectiveConstraint: points held at one place. */

#include "components/constraint/projective/indexed.h"

static const SofaQuirk quirks[] = {
    QUIRK_UNPROJECTED_MATRIX_ROW,
};

typedef struct PointProjectiveConstraint {
  IndexedConstraint indexed;
  SofaReals point; /* coord, m */
} PointProjectiveConstraint;

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(PointProjectiveConstraint, "0"),
    SOFA_FIELD(PointProjectiveConstraint, point, "point", NULL, "m",
               "the place all constrained points are put to; default: 0",
               .flags = SOFA_FIELD_REINIT),
    INDEXED_ROW_ALL(PointProjectiveConstraint),
    INDEXED_ROW_DRAW(PointProjectiveConstraint),
};

static SofaErr point_init(SofaObject *object) {
  PointProjectiveConstraint *p = (PointProjectiveConstraint *)object;
  return sofa_take_reals(object, "point", &p->point,
                         constrained_kind(&p->indexed.constraint)->coord);
}

static SofaErr point_clear(SofaProjective *c, const SofaMechParams *params, double *dx) {
  (void)params;
  indexed_clear((IndexedConstraint *)c, NULL, dx);
  return SOFA_OK;
}

static SofaErr point_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  (void)params;
  const PointProjectiveConstraint *p = (PointProjectiveConstraint *)c;
  const size_t n = indexed_n(&p->indexed);
  for (size_t k = 0; k < n; k++)
    sofa_copy(x + indexed_at(&p->indexed, k) * p->point.n, p->point.data, p->point.n * sizeof *x);
  return SOFA_OK;
}

/* SOFA forgets fixAll in the matrix. */
static SofaErr point_discard(SofaProjective *c, const SofaMechParams *params,
                             SofaDiscard *discard) {
  (void)params;
  IndexedConstraint listed = *(IndexedConstraint *)c;
  if (listed.all && sofa_quirk(&c->object, QUIRK_UNPROJECTED_MATRIX)) listed.all = false;
  indexed_discard(&listed, NULL, discard);
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {.response = point_clear,
                                      .velocity = point_clear,
                                      .position = point_position,
                                      .discard = point_discard};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Vec6d", NULL};

SOFA_CLASS(PointProjectiveConstraint) = {
    SOFA_NAMED(PointProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Puts points to one place and keeps them there.",
    .equations = "x_i = p",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = point_init,
    .reinit = point_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
