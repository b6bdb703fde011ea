/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Force fields: one line X(Name) per class caribou_Name_class of this folder. */
#ifndef CARIBOU_FORCE_FIELD_CLASSES_H
#define CARIBOU_FORCE_FIELD_CLASSES_H

#define CARIBOU_FORCE_FIELD(X) X(HyperelasticForcefield) X(TractionForcefield)

#endif
