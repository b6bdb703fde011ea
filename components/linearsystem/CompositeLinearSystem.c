/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CompositeLinearSystem: builds several systems and stands for one of them. */
#include <string.h>

#include "behavior/linear_system.h"

typedef struct CompositeLinearSystem {
  SofaLinearSystem system;
  SofaLinks systems;
  SofaLink solver_system;
} CompositeLinearSystem;

static const SofaLinkRule system_rule = {.interface = SOFA_LINEAR_SYSTEM,
                                         .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(CompositeLinearSystem, systems, "linearSystems", NULL, "", "systems that are built",
               .link = &system_rule),
    SOFA_FIELD(CompositeLinearSystem, solver_system, "solverLinearSystem", NULL, "",
               "the one among them that is solved; default: the first one of this template",
               .link = &system_rule),
};

static bool fits(const SofaObject *object, const SofaObject *other) {
  return other && other != object && strcmp(object->template_name, other->template_name) == 0;
}

static SofaErr init(SofaObject *object) {
  CompositeLinearSystem *s = (CompositeLinearSystem *)object;
  if (s->systems.n == 0)
    return sofa_field_fail(object, "linearSystems", SOFA_ERR_ARGUMENT,
                           "empty, at least one system is needed");
  for (size_t i = 0; i < s->systems.n; i++)
    if (s->systems.data[i].target == object)
      return sofa_field_fail(object, "linearSystems", SOFA_ERR_ARGUMENT, "contains itself");
  for (size_t i = 0; i < s->systems.n && !s->solver_system.target; i++)
    if (fits(object, s->systems.data[i].target))
      s->solver_system.target = s->systems.data[i].target;
  if (!fits(object, s->solver_system.target))
    return sofa_field_fail(object, "solverLinearSystem", SOFA_ERR_TYPE,
                           "must be one of linearSystems of template %s", object->template_name);
  return SOFA_OK;
}

static SofaLinearSystem *solved(const SofaLinearSystem *system) {
  return (SofaLinearSystem *)((const CompositeLinearSystem *)system)->solver_system.target;
}

static SofaErr build(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params,
                     const SofaMechPoint *at) {
  const CompositeLinearSystem *s = (CompositeLinearSystem *)system;
  SofaLinearSystem *main = solved(system);
  bool built = false;
  if (!main)
    return sofa_field_fail(&system->object, "solverLinearSystem", SOFA_ERR_NOT_FOUND,
                           "was removed");
  for (size_t i = 0; i < s->systems.n; i++) {
    SofaLinearSystem *part = (SofaLinearSystem *)s->systems.data[i].target;
    if (!part) continue;
    SOFA_TRY(sofa_linear_system_build(part, m, params, at));
    built |= part == main;
  }
  if (!built) SOFA_TRY(sofa_linear_system_build(main, m, params, at));
  system->matrix_size = main->matrix_size;
  return SOFA_OK;
}

static SofaErr apply(SofaLinearSystem *system, double *p, double *q) {
  SofaLinearSystem *main = solved(system);
  return sofa_linear_system_ops(main)->apply(main, p, q);
}

static SofaBlockMatrix *matrix(SofaLinearSystem *system) {
  SofaLinearSystem *main = solved(system);
  return main ? sofa_linear_system_matrix(main) : NULL;
}

static SofaErr symmetric(SofaLinearSystem *system, bool *out) {
  SofaLinearSystem *main = solved(system);
  const SofaLinearSystemOps *ops = main ? sofa_linear_system_ops(main) : NULL;
  *out = false;
  return ops && ops->symmetric ? ops->symmetric(main, out) : SOFA_OK;
}

static const SofaLinearSystemOps ops = {
    .build = build, .apply = apply, .matrix = matrix, .symmetric = symmetric};

static const char *const templates[] = {SOFA_ASSEMBLED_TEMPLATES,
                                        SOFA_MATRIX_FREE_TEMPLATE,
                                        "DiagonalMatrix",
                                        "BlockDiagonalMatrixMat3x3d",
                                        "RotationMatrixd",
                                        "BTDMatrix6d",
                                        NULL};

SOFA_CLASS(CompositeLinearSystem) = {
    SOFA_NAMED(CompositeLinearSystem),
    .module = "Sofa.Component.LinearSystem",
    .category = "LinearSystem",
    .help = "Builds several systems at once, such as the matrix that is solved and the mass "
            "matrix, and is solved as one of them.",
    .base = &sofa_linear_system_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SYSTEM, &ops}),
};
