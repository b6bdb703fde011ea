/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reader of VTK files: legacy text and binary, XML with text, base64, raw and compressed arrays;
 * unstructured grids and polygonal data. */
#ifndef SOFA_IO_VTK_READER_H
#define SOFA_IO_VTK_READER_H

#include "behavior/loader.h"
#include "mesh_faces.h"

/* Reads `size` bytes into *out (empty on entry, empty again on failure). polylines (may be NULL):
 * points of each line with more than two points. origin (may be NULL): the file, for messages. */
SofaErr sofa_vtk_read(SofaContext *ctx, const SofaOrigin *origin, const char *bytes, size_t size,
                      const SofaFaceOptions *faces, SofaMeshData *out, SofaIndexRows *polylines);

#endif
