/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the reader of legacy VTK files and the reader of their data sections. */
#ifndef SOFA_NUMERICS_IO_VTK_LEGACY_H
#define SOFA_NUMERICS_IO_VTK_LEGACY_H

#include "numerics/io/vtk_build_impl.h"

/* A word that names a type of numbers. */
SofaErr sofa_vtk_read_type(SofaMeshText *t, const SofaVtkType **type);
/* n numbers of a section follow: in a binary file behind the line's end. */
SofaErr sofa_vtk_begin_numbers(SofaMeshText *t, bool binary, size_t n, const SofaVtkType *type,
                               const char *what);
/* n numbers, appended to the list; NULL: skipped, a text may hold anything there. */
SofaErr sofa_vtk_legacy_reals(SofaMeshText *t, bool binary, size_t n, const SofaVtkType *type,
                              const char *what, SofaReals *values);
/* Behind "FIELD": "name n", then n arrays "name components tuples type numbers", for `tuples`
 * points or cells; cells NULL: of neither, skipped. */
SofaErr sofa_vtk_legacy_field(SofaVtkBuild *b, bool binary, size_t tuples, const bool *cells);
/* POINT_DATA and CELL_DATA to the end of the file. */
SofaErr sofa_vtk_legacy_data(SofaVtkBuild *b, bool binary);

#endif
