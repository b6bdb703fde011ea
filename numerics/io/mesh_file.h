/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the mesh file that a field of an object names, whatever its format. */
#ifndef SOFA_NUMERICS_IO_MESH_FILE_H
#define SOFA_NUMERICS_IO_MESH_FILE_H

#include "behavior/loader.h"
#include "numerics/io/obj_reader.h"

SOFA_BEGIN_DECLS

/* Reads a file of a format known by its extension (obj, msh, vtk, vtu, vtp, vti, vtr, vts,
 * stl, off, trian, xsp, sph) into *out, empty on entry, empty again on failure. obj: the data of an
 * OBJ file beyond the mesh, empty for the others; NULL: not wanted. Reports what fails, naming the
 * field. */
SofaErr sofa_mesh_read_file(const SofaObject *object, const char *field,
                            const SofaFileName *filename, SofaMeshData *out, SofaObjData *obj);

SOFA_END_DECLS

#endif
