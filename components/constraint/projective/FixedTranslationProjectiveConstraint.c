/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FixedTranslationProjectiveConstraint: frames that turn but do not move. */
#include "components/constraint/projective/indexed.h"

enum { QUIRK_FIXED_TRANSLATION = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_FIXED_TRANSLATION, "fixed-translation",
     "FixedTranslationProjectiveConstraint also fixes rotations", "test_quirks_motion.constraints"},
    QUIRK_UNPROJECTED_MATRIX_ROW,
};

typedef struct FixedTranslationProjectiveConstraint {
  IndexedConstraint indexed;
  SofaIndices coordinates; /* not used */
} FixedTranslationProjectiveConstraint;

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(FixedTranslationProjectiveConstraint, "0"),
    INDEXED_ROW_ALL(FixedTranslationProjectiveConstraint),
    INDEXED_ROW_DRAW(FixedTranslationProjectiveConstraint),
    SOFA_FIELD(FixedTranslationProjectiveConstraint, coordinates, "coordinates", NULL, "",
               "not used", .flags = SOFA_FIELD_NO_EFFECT),
};

/* The linear components of a velocity; SOFA takes the angular ones too. */
static void translation(const SofaProjective *c, bool *components) {
  const SofaStateKindInfo *kind = constrained_kind(c);
  const bool all = sofa_quirk(&c->object, QUIRK_FIXED_TRANSLATION);
  for (unsigned i = 0; i < kind->deriv; i++) components[i] = all || i < kind->space;
}

static SofaErr fixed_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  (void)params;
  bool components[6];
  translation(c, components);
  indexed_clear((IndexedConstraint *)c, components, dx);
  return SOFA_OK;
}

static SofaErr fixed_discard(SofaProjective *c, const SofaMechParams *params,
                             SofaDiscard *discard) {
  (void)params;
  bool components[6];
  if (sofa_quirk(&c->object, QUIRK_UNPROJECTED_MATRIX)) return SOFA_OK;
  translation(c, components);
  indexed_discard((IndexedConstraint *)c, components, discard);
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {.response = fixed_response, .discard = fixed_discard};

static const char *const templates[] = {"Rigid3d", "Rigid2d", "Vec6d", NULL};

SOFA_CLASS(FixedTranslationProjectiveConstraint) = {
    SOFA_NAMED(FixedTranslationProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Fixes the translation of frames (of Vec6: the first three components): solvers give "
            "them no change of linear velocity.",
    .equations = "dv_i = 0",
    .base = &indexed_constraint_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
