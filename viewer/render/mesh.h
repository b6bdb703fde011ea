/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Surfaces on the graphics card: positions and normals are written when they changed, indices only
 * when the elements did. */
#ifndef VIEWER_RENDER_MESH_H
#define VIEWER_RENDER_MESH_H

#include <epoxy/gl.h>

#include "behavior/visual_model.h"

typedef struct Mesh {
  const void *key; /* the object it belongs to */
  GLuint array, colors, uv, faces, lines;
  GLuint points[2]; /* written in turn: the driver may still read the other one */
  size_t room[2];   /* bytes of each */
  int turn;         /* the one last written */
  size_t n_points, n_triangles, n_quads, n_edges, n_lines; /* n_lines: indices in `lines` */
  bool has_normals, has_colors, has_uv, has_lines;
  bool known;                                      /* versions are valid */
  uint64_t points_version, elements_version, seen; /* seen: picture it was last drawn in */
} Mesh;

/* Brings the buffers up to date; adds what was written to *bytes. lines: also the edges of faces,
 * for wireframes. Elements with indices out of range are left out. */
SofaErr mesh_update(SofaContext *ctx, Mesh *mesh, const SofaSurface *surface, bool lines,
                    size_t *bytes);
void mesh_destroy(Mesh *mesh);

#endif
