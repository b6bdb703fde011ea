/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Types of elements of second order in files, and the order of their nodes. */
#ifndef SOFA_NUMERICS_IO_QUADRATIC_NODES_H
#define SOFA_NUMERICS_IO_QUADRATIC_NODES_H

#include "behavior/loader.h"
#include "numerics/fem/finite_element.h"

SOFA_BEGIN_DECLS

/* The shape of second order of a type; SOFA_N_SHAPES: the type is none. */
SofaShape sofa_gmsh_quadratic(int64_t type);
SofaShape sofa_vtk_quadratic(int64_t type);
/* The VTK type of a shape. */
uint8_t sofa_vtk_cell_type(SofaShape shape);

/* The shape of a VTK type, of first or second order; SOFA_N_SHAPES: none. */
SofaShape sofa_shape_of_vtk(uint8_t type);
/* The Gmsh type of a shape, and the nodes of an element, which are in VTK's order, in Gmsh's. */
uint8_t sofa_gmsh_cell_type(SofaShape shape);
void sofa_gmsh_order(SofaShape shape, const uint32_t *vtk, uint32_t *gmsh);

/* Appends an element of second order to its list. v: its nodes in the order of VTK, or of Gmsh. */
SofaErr sofa_add_vtk_nodes(SofaContext *ctx, SofaMeshData *data, SofaShape shape,
                           const uint32_t *v);
SofaErr sofa_add_gmsh_nodes(SofaContext *ctx, SofaMeshData *data, SofaShape shape,
                            const uint32_t *v);

SOFA_END_DECLS

#endif
