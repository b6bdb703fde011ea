/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quantities of a running scene, named by a text, for tables and plots:
 *
 *     /body/state.position              all numbers of a field
 *     /body/state.position[12]          entry 12 of a list
 *     /body/state.position[12].y        its second number (x, y, z, or a number from 0)
 *     /body/FEM.vonMisesPerElement:max  one number made of those that are named
 *     kineticEnergy                     of the scene: kineticEnergy, potentialEnergy,
 *                                       dissipatedEnergy (by materials since the start), in J
 *
 * A path that does not begin with '/' starts at the node for which the quantity is opened.
 *
 * The operations are min, max, mean, sum, norm (the square root of the sum of the squares), maxnorm
 * (the largest norm of an entry) and count (of entries). */
#ifndef SOFA_SIMULATION_QUANTITY_H
#define SOFA_SIMULATION_QUANTITY_H

#include "object/handle.h"
#include "object/node.h"
#include "topology/topology.h"

SOFA_BEGIN_DECLS

typedef enum SofaQuantityOp {
  SOFA_QUANTITY_ALL,
  SOFA_QUANTITY_MIN,
  SOFA_QUANTITY_MAX,
  SOFA_QUANTITY_MEAN,
  SOFA_QUANTITY_SUM,
  SOFA_QUANTITY_NORM,
  SOFA_QUANTITY_MAXNORM,
  SOFA_QUANTITY_COUNT,
  SOFA_QUANTITY_KINETIC,
  SOFA_QUANTITY_POTENTIAL,
  SOFA_QUANTITY_DISSIPATED
} SofaQuantityOp;

typedef struct SofaQuantity {
  char *text;        /* as it was given; owned */
  SofaHandle object; /* of the scene: its root */
  char *field;       /* owned; NULL: of the scene */
  const char *unit;  /* "" when unknown */
  SofaQuantityOp op;
  bool one_entry, one_number;
  size_t entry, number;                /* where one is asked for */
  const struct SofaDivision *division; /* of a list of which each process has a part, or NULL */
  SofaElementKind kind;                /* of its entries, then */
  size_t n_columns, width; /* numbers that a reading gives, and of an entry; fixed when opened */
} SofaQuantity;

/* Finds a quantity of an initialised scene, seen from one of its nodes. Wrong paths, fields,
 * entries and operations are reported with the nearest that exist: SOFA_ERR_ARGUMENT. */
SofaErr sofa_quantity_open(SofaNode *from, const char *text, SofaQuantity *out);
void sofa_quantity_close(SofaContext *ctx, SofaQuantity *quantity);

/* Appends the names of the columns, a comma before each: ",/body/state.position[0].y [m]". */
SofaErr sofa_quantity_names(SofaContext *ctx, const SofaQuantity *quantity, SofaText *out);
/* The n_columns numbers now, between steps; NAN for those that are not there any more. */
SofaErr sofa_quantity_read(SofaContext *ctx, const SofaQuantity *quantity, double *values);
/* Appends the numbers now, a comma before each; those that are not there any more are left empty.
 */
SofaErr sofa_quantity_cells(SofaContext *ctx, const SofaQuantity *quantity, SofaText *out);

SOFA_END_DECLS

#endif
