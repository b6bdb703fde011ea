/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RepulsiveSpringForceField: linear springs that push and never pull. */
#include "components/solidmechanics/spring/SpringForceField.h"

static SofaErr repulsive_spring_init(SofaObject *object) {
  SpringForceField *s = (SpringForceField *)object;
  for (size_t k = 0; k < s->springs.n; k++) {
    s->springs.data[k].elongation_only = false;
    s->springs.data[k].compression_only = true;
  }
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", NULL};

SOFA_CLASS(RepulsiveSpringForceField) = {
    .name = "RepulsiveSpringForceField",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Linear damped springs between points of one state or of two that act only when they "
            "are shorter than their rest lengths.",
    .equations = "f_1 = (k (l - l_0) + c l') u, f_2 = -f_1 if l < l_0\n"
                 "\"l, u: length and direction of a spring; k, c and l_0: its stiffness, damping "
                 "and rest length\"",
    .base = &sofa_SpringForceField_class,
    .size = sizeof(SpringForceField),
    .templates = templates,
    .init = repulsive_spring_init,
};
