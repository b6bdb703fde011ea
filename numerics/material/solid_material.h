/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Materials as objects: the interface by which elements (SofaCaribou's HyperelasticForcefield) ask
 * an object for its law. A plugin adds a material by a class with this interface. */
#ifndef SOFA_NUMERICS_MATERIAL_SOLID_MATERIAL_H
#define SOFA_NUMERICS_MATERIAL_SOLID_MATERIAL_H

#include "numerics/material/solid_batch.h"
#include "object/object.h"

SOFA_BEGIN_DECLS

typedef struct SofaSolidMaterialOps {
  /* required: the law with the parameters of the moment: values that change during a simulation
   * count. The object may not be initialised yet. A value out of range is reported. */
  SofaErr (*law)(SofaObject *material, SofaSolidLaw *out);
} SofaSolidMaterialOps;

extern const SofaInterface sofa_solid_material_interface;
#define SOFA_SOLID_MATERIAL (&sofa_solid_material_interface)

/* The law of an object with the interface. */
SofaErr sofa_solid_material_law(SofaObject *material, SofaSolidLaw *out);

SOFA_END_DECLS

#endif
