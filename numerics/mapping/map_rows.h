/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the points of a mapping's output are made of: points of the inputs, maybe the vertices of an
 * element. The list changes with points and elements. */
#ifndef SOFA_NUMERICS_MAPPING_MAP_ROWS_H
#define SOFA_NUMERICS_MAPPING_MAP_ROWS_H

#include "behavior/mapping.h"
#include "change/topology_change.h"

SOFA_BEGIN_DECLS

typedef struct SofaMapRows {
  unsigned width;           /* points per row, >= 1 */
  SofaTopology *topology;   /* of the elements; NULL: rows are not elements */
  SofaElementKind kind;     /* of the elements */
  bool every;               /* rows are inserted with points of the inputs, too */
  const SofaIndices *pairs; /* input and point for each point of the topology; NULL: input 0 */
  SofaIndices element;      /* of each row */
  SofaIndices input, point; /* width per row */
  SofaIndices coming;       /* while points of the output are inserted: sources of the new rows */
  uint32_t coming_input;
} SofaMapRows;

static inline size_t sofa_map_rows_n(const SofaMapRows *rows) {
  return rows->width ? rows->point.n / rows->width : 0;
}
void sofa_map_rows_free(SofaContext *ctx, SofaMapRows *rows);

/* Setup for elements: a row for each one. Vertices that are not points are an error of the field
 * "topology" ("indexPairs" with pairs). */
SofaErr sofa_map_rows_of_elements(SofaMapRows *rows, const SofaMapping *map);
/* Setup for points: appends a row of width 1. */
SofaErr sofa_map_rows_append(SofaContext *ctx, SofaMapRows *rows, uint32_t input, uint32_t point);

/* Topological changes. Rows, and the points of the output, are removed with their element and with
 * any of their points. They are inserted with elements or, with `every`, with points of the inputs.
 * `done` gives inserted rows of elements their points, at the end of a modification. */
SofaErr sofa_map_rows_listen(SofaMapRows *rows, const SofaMapping *map,
                             const SofaTopologyChange *change);
SofaErr sofa_map_rows_done(SofaMapRows *rows, const SofaMapping *map);

SOFA_END_DECLS

#endif
