/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CorotationalFEMForceField: linear elasticity in the rotated frames of the elements. */
#include "components/solidmechanics/fem/element_fem.h"

#include <string.h>

typedef struct CorotationalFEMForceField {
  SofaElementFem fem;
  char *method;
} CorotationalFEMForceField;

static const char *const methods[] = {"stable_polar", "polar",      "identity",
                                      "triangle",     "hexahedron", NULL};

typedef CorotationalFEMForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_CONSISTENT(fem.tetra.consistent, "'stable_polar' (its default) or 'polar'"),
    SOFA_ROW(method, "rotationMethod", NULL, "",
             "rotation of an element: 'triangle' from two edges (triangles, tetrahedra), "
             "'hexahedron' from mean edges (hexahedra), 'polar' and 'stable_polar' by "
             "decomposition of sum (x - centroid) (x0 - centroid0)^T (stable: also right for "
             "inverted elements), 'identity'; default: 'triangle' or 'hexahedron' where there is "
             "one, else 'stable_polar'"),
};

/* The word for the frame of edges that elements of the object's shape have; "" if none. In a plane
 * there is none. */
static const char *edges_word(const SofaObject *object) {
  const SofaShape shape = sofa_element_shape(object);
  if (shape == SOFA_SHAPE_HEXA) return "hexahedron";
  if (shape == SOFA_SHAPE_TETRA || (shape == SOFA_SHAPE_TRIANGLE && object->kind == SOFA_VEC3))
    return "triangle";
  return "";
}

static SofaErr corotational_init(SofaObject *object) {
  static const SofaElementRotation rotations[] = {SOFA_ROTATION_STABLE, SOFA_ROTATION_POLAR,
                                                  SOFA_ROTATION_IDENTITY};
  CorotationalFEMForceField *c = (CorotationalFEMForceField *)object;
  const char *edges = edges_word(object), *method = c->method;
  const bool consistent = c->fem.tetra.consistent;
  if (!method || !*method) method = *edges && !consistent ? edges : methods[0];
  if (consistent && *edges && strcmp(method, edges) == 0)
    return polar_frame_check(object, "rotationMethod", method, NULL);
  size_t i = 0;
  while (methods[i] && strcmp(methods[i], method) != 0) i++;
  if (i < 3) c->fem.rotation = rotations[i];
  else if (strcmp(method, edges) == 0) c->fem.rotation = SOFA_ROTATION_EDGES;
  else
    return sofa_field_fail(object, "rotationMethod", SOFA_ERR_ARGUMENT,
                           "'%s' is not one of %s'stable_polar', 'polar', 'identity' for %s",
                           method,
                           !*edges         ? ""
                           : *edges == 't' ? "'triangle', "
                                           : "'hexahedron', ",
                           object->template_name);
  return sofa_element_fem_make(&c->fem);
}

static const char *const templates[] = {SOFA_FIRST_ORDER_TEMPLATES, SOFA_SECOND_ORDER_TEMPLATES,
                                        NULL};

SOFA_CLASS(CorotationalFEMForceField) = {
    SOFA_NAMED(CorotationalFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic elements, corotational: strains are small, rotations may be large. The "
            "template names the kind of state and the shape of the elements.",
    .equations = "f = -R K (R^T x - X)\n"
                 "K = int B^T D B dV\n"
                 "\"f: forces of an element, R: its rotation, x and X: its positions and rest "
                 "positions, D: Hooke's law\"",
    .base = &sofa_element_fem_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = corotational_init,
    .reinit = corotational_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &sofa_element_fem_ops}),
};
