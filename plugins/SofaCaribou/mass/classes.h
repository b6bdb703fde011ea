/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses and mappings: one line X(Name) per class caribou_Name_class of this folder. */
#ifndef CARIBOU_MASS_CLASSES_H
#define CARIBOU_MASS_CLASSES_H

#define CARIBOU_MASS(X) X(CaribouMass)

#endif
