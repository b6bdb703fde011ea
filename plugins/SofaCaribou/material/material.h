/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hyperelastic materials as objects: Young's modulus and Poisson's ratio of a law. */
#ifndef CARIBOU_MATERIAL_H
#define CARIBOU_MATERIAL_H

#include <sofa.h>

#include "numerics/material/solid_batch.h"

typedef struct CaribouMaterial {
  SofaObject object;
  double young;                 /* Pa */
  double poisson;               /* 1 */
  const SofaHyperMaterial *law; /* of the class; its parameters are mu and lambda */
} CaribouMaterial;

extern const SofaClass caribou_material_class; /* abstract */

/* The law with the parameters of the moment: values that change during a simulation count. A value
 * out of range is an error of the material. */
SofaErr caribou_material_law(CaribouMaterial *material, SofaSolidLaw *law);

#endif
