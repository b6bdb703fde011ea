/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The field `dilatation` of force fields with solid elements, and what it needs. */
#include "behavior/whole_list.h"
#include "numerics/material/solid_points.h"

const char *const sofa_solid_dilatations[] = {"full", "mean", "linear", "bar", "continuous", NULL};

static SofaErr check_law(const SofaObject *object, SofaDilatation dilatation,
                         const SofaSolidLaw *law, const char *name) {
  if (dilatation == SOFA_DILATATION_BAR) {
    if (sofa_solid_law_takes_bar(law)) return SOFA_OK;
    return sofa_field_fail(object, "dilatation", SOFA_ERR_ARGUMENT,
                           "'bar' needs the stress of the material, which %s does not give", name);
  }
  const bool fits = dilatation == SOFA_DILATATION_CONTINUOUS ? sofa_solid_law_mixes(law)
                                                             : sofa_solid_law_dilates(law);
  if (fits) return SOFA_OK;
  return sofa_field_fail(object, "dilatation", SOFA_ERR_ARGUMENT,
                         "'%s' needs a material whose energy has a part of the volume alone; %s "
                         "has none, NeoHookeanMaterial has",
                         sofa_solid_dilatations[dilatation], name);
}

SofaErr sofa_solid_check_dilatation(const SofaObject *object, const SofaElementMesh *mesh,
                                    const SofaSolidLaw *law, const char *name) {
  const char *shape = sofa_shape_info(mesh->shape)->name;
  if (mesh->dilatation == SOFA_DILATATION_FULL) return SOFA_OK;
  if (mesh->dilatation == SOFA_DILATATION_CONTINUOUS && sofa_object_division(object, NULL))
    return sofa_object_undivided(object,
                                 "a pressure that the elements around a corner share, on a mesh "
                                 "that is divided among processes");
  SOFA_TRY(check_law(object, mesh->dilatation, law, name));
  if (mesh->dilatation == SOFA_DILATATION_LINEAR && mesh->shape != SOFA_SHAPE_HEXA27)
    return sofa_field_fail(object, "dilatation", SOFA_ERR_ARGUMENT,
                           "'linear' is stable in elements of kind Hexahedron27 only, these are "
                           "%s: 'mean' is for all",
                           shape);
  if (mesh->dilatation == SOFA_DILATATION_CONTINUOUS && mesh->shape != SOFA_SHAPE_TETRA10)
    return sofa_field_fail(object, "dilatation", SOFA_ERR_ARGUMENT,
                           "'continuous' is stable in elements of kind Tetrahedron10 only, these "
                           "are %s: 'mean' is for all",
                           shape);
  return SOFA_OK;
}
