/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reader of Gmsh files: MSH 1, 2, 4.0 and 4.1, all but the first also binary. */
#ifndef SOFA_NUMERICS_IO_GMSH_READER_H
#define SOFA_NUMERICS_IO_GMSH_READER_H

#include "behavior/loader.h"

SOFA_BEGIN_DECLS

/* Reads `size` bytes into *out (empty on entry). Vertex orders are kept as they are in the file;
 * quadratic elements are stored by their corners, their edges appended with records in mid_edges.
 * origin (may be NULL): the file, for messages. On failure *out is empty. */
SofaErr sofa_gmsh_read(SofaContext *ctx, const SofaFileBytes *file, SofaMeshData *out);
/* Could a file that begins with these bytes be read in slices: version 2 or 4.1, binary? */
bool sofa_gmsh_has_slices(const char *bytes, size_t n);
/* Called by all processes: the runs of this one, and the groups of the whole mesh. *found false, on
 * all of them: the file has elements of second order, or very many blocks, and must be read whole.
 */
SofaErr sofa_gmsh_read_slice(SofaContext *ctx, const SofaPartFile *file, SofaMeshSlice *out,
                             SofaMeshData *groups, bool *found);

SOFA_END_DECLS

#endif
