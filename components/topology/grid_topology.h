/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What grids of nx x ny x nz points share: counts, lists of elements. A class gives `point`. */
#ifndef SOFA_TOPOLOGY_GRID_TOPOLOGY_H
#define SOFA_TOPOLOGY_GRID_TOPOLOGY_H

#include "mesh_topology.h"

typedef struct SofaGridTopology {
  SofaMeshTopology mesh_topology;
  SofaInts3 n; /* points per axis */
  bool compute_hexas, compute_quads, compute_triangles, compute_edges, compute_points;
  bool create_texcoords;
  bool replaced;  /* n was no grid: 2 x 2 x 2 is used */
  bool waits;     /* on several processes: with its lists, until it is known what is divided */
  int nx, ny, nz; /* legacy attributes, used when all are given */
} SofaGridTopology;

extern const SofaClass sofa_grid_base_class; /* abstract; its init only mends `n` */

/* All, some or none of a group of attributes given? A part of them is ignored, with a warning. */
bool sofa_grid_group_given(SofaObject *object, const char *const *names, size_t n);
/* Corners as legacy attributes xmin to zmax, used when all are given; `scale` multiplies them. */
typedef struct SofaLegacyBox {
  SofaFloat scale, low[3], high[3];
} SofaLegacyBox;
#define SOFA_LEGACY_BOX_ROW(T, member, xml, def, unit, help_text)                                  \
  SOFA_FIELD(T, member, xml, def, unit, help_text, .flags = SOFA_FIELD_LEGACY)
#define SOFA_LEGACY_BOX_ROWS(T, box)                                                               \
  SOFA_LEGACY_BOX_ROW(T, box.scale, "scale", "1", "1", "Multiplies xmin to zmax."),                \
      SOFA_LEGACY_BOX_ROW(T, box.low[0], "xmin", "0", "m",                                         \
                          "min and max; count when all of xmin to zmax are given."),               \
      SOFA_LEGACY_BOX_ROW(T, box.low[1], "ymin", "0", "m", "See xmin."),                           \
      SOFA_LEGACY_BOX_ROW(T, box.low[2], "zmin", "0", "m", "See xmin."),                           \
      SOFA_LEGACY_BOX_ROW(T, box.high[0], "xmax", "1", "m", "See xmin."),                          \
      SOFA_LEGACY_BOX_ROW(T, box.high[1], "ymax", "1", "m", "See xmin."),                          \
      SOFA_LEGACY_BOX_ROW(T, box.high[2], "zmax", "1", "m", "See xmin.")
/* Sets the corners when all attributes are given; false otherwise. */
bool sofa_legacy_box_take(SofaObject *object, const SofaLegacyBox *box, SofaVec3 *min,
                          SofaVec3 *max);
/* Counts the points: they are known once the attributes are read. */
SofaErr sofa_grid_count(SofaGridTopology *grid);
/* For the init of the classes: counts, the points by `point` of the class, the elements. A part has
 * its elements already. */
SofaErr sofa_grid_fill(SofaGridTopology *grid);
/* The ops `divide` and `make_whole`, of grids that wait. */
SofaErr sofa_grid_divide(SofaTopology *topology);
SofaErr sofa_grid_make_whole(SofaTopology *topology);
/* Place of point i along the axes. */
void sofa_grid_place(const SofaGridTopology *grid, size_t i, double at[3]);

bool sofa_grid_has_positions(const SofaTopology *topology);
void sofa_grid_counts(const SofaTopology *topology, int n[3]);

#endif
