/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topologies: one line X(Name) per class caribou_Name_class of this folder. */
#ifndef CARIBOU_TOPOLOGY_CLASSES_H
#define CARIBOU_TOPOLOGY_CLASSES_H

#define CARIBOU_TOPOLOGY(X) X(CaribouTopology)

#endif
