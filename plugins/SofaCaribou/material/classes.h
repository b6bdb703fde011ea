/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Materials: one line X(Name) per class caribou_Name_class of this folder. */
#ifndef CARIBOU_MATERIAL_CLASSES_H
#define CARIBOU_MATERIAL_CLASSES_H

#define CARIBOU_MATERIAL(X) X(SaintVenantKirchhoffMaterial) X(NeoHookeanMaterial)

#endif
