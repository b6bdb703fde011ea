/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What projective constraints on listed points share. */
#include "behavior/checks.h"
#include "behavior/draw_state.h"
#include "components/constraint/projective/indexed.h"

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(IndexedConstraint, topology, "topology", NULL, "",
               "topology whose points are renumbered by topological changes",
               .link = &topology_rule),
};

void indexed_clear(const IndexedConstraint *c, const bool *components, double *dx) {
  const size_t deriv = constrained_kind(&c->constraint)->deriv, n = indexed_n(c);
  for (size_t k = 0; k < n; k++) {
    double *point = dx + indexed_at(c, k) * deriv;
    for (size_t i = 0; i < deriv; i++)
      if (!components || components[i]) point[i] = 0;
  }
}

void indexed_discard(const IndexedConstraint *c, const bool *components, SofaDiscard *discard) {
  const size_t deriv = constrained_kind(&c->constraint)->deriv, n = indexed_n(c);
  for (size_t k = 0; k < n; k++) {
    if ((indexed_at(c, k) + 1) * deriv > discard->n) continue;
    uint8_t *point = discard->mask + indexed_at(c, k) * deriv;
    for (size_t i = 0; i < deriv; i++)
      if (!components || components[i]) point[i] = 1;
  }
}

void indexed_discard_forgotten(const IndexedConstraint *c, SofaDiscard *discard) {
  if (!sofa_quirk(&c->constraint.object, QUIRK_UNPROJECTED_MATRIX))
    indexed_discard(c, NULL, discard);
}

SofaErr projective_capture(const SofaProjective *c, const double *x, SofaReals *x0) {
  const size_t n = sofa_state_size(c->state) * constrained_kind(c)->coord;
  if (x0->n == n) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(c->object.ctx, x0, n));
  if (n) sofa_copy(x0->data, x, n * sizeof *x);
  return SOFA_OK;
}

SofaErr projective_take_flags(const SofaObject *object, const char *field, const SofaBools *list,
                              size_t n, bool *flags) {
  if (list->n && list->n != n)
    SOFA_TRY(sofa_keep_going(object, sofa_field_fail(object, field, SOFA_ERR_ARGUMENT,
                                                     "has %zu flags, expected %zu", list->n, n)));
  for (size_t i = 0; i < n; i++) flags[i] = i < list->n ? list->data[i] : true;
  return SOFA_OK;
}

/* The constrained points, when behaviour is shown and a field `showObject` does not hide them. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const IndexedConstraint *c = (const IndexedConstraint *)object;
  const SofaField *show = sofa_class_field(object->klass, "showObject");
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS) || !c->constraint.state)
    return;
  if (show && show->type == &sofa_type_bool && !*(const bool *)sofa_field_value(object, show))
    return;
  sofa_draw_state_points(args->list, c->constraint.state, c->all ? NULL : &c->indices, c->draw_size,
                         SOFA_RGB(1, 0.5, 0.5));
}

static const SofaDrawOps draw_ops = {.draw = draw};

const SofaClass indexed_constraint_class = {
    .name = "IndexedConstraint",
    .module = "csofa",
    .category = "ProjectiveConstraintSet",
    .help = "A projective constraint on listed points.",
    .base = &sofa_projective_class,
    .size = sizeof(IndexedConstraint),
    SOFA_FIELDS(fields),
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
