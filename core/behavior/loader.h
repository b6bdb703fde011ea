/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mesh loaders: read a file while the scene is read, offer its mesh as fields. A loader class gives
 * the `read` op; the base class finds and reads the file, transforms and completes the mesh. A mesh
 * that is made rather than read comes from the `make` op. */
#ifndef SOFA_BEHAVIOR_LOADER_H
#define SOFA_BEHAVIOR_LOADER_H

#include "base/files.h"
#include "topology/topology.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_loader_interface;
#define SOFA_LOADER (&sofa_loader_interface)

/* A range of elements of one kind that belong together in the file. */
typedef struct SofaMeshGroup {
  uint32_t first, n; /* elements */
  char *name;        /* owned; "" when there is none */
  char *material;    /* owned; "" when there is none */
  int material_id;   /* rank in the file's materials, -1 */
} SofaMeshGroup;
SOFA_LIST(SofaMeshGroup, SofaMeshGroups);
SOFA_LIST(SofaMaterial, SofaMaterials);
/* Rows of indices of different lengths; -1: none. */
typedef struct SofaIndexRows {
  SofaInts ids;    /* all rows, one behind the other */
  SofaIndices end; /* end of each row in ids */
} SofaIndexRows;

/* Value types of the lists above: "first n material name material_id ..." without blanks in the
 * words ("-" when empty); materials as in SOFA; rows as "[ 0 , 1 ] [ 2 ]". */
extern const SofaType sofa_type_mesh_groups, sofa_type_materials, sofa_type_index_rows;
void sofa_mesh_groups_free(SofaContext *ctx, SofaMeshGroups *groups);
void sofa_materials_free(SofaContext *ctx, SofaMaterials *materials);

/* What a reader fills. All-zero: empty. */
typedef struct SofaMeshData {
  SofaMesh mesh;
  SofaVec3s normals;                           /* per point, or empty */
  SofaQuads mid_edges;                         /* quadratic edges: point, edge, 1, 1 */
  SofaMeshGroups groups[SOFA_N_ELEMENT_KINDS]; /* by kind of element */
} SofaMeshData;
void sofa_mesh_data_free(SofaContext *ctx, SofaMeshData *data);

typedef struct SofaMeshLoader {
  SofaObject object;
  SofaFileName filename;
  SofaMeshData data;
  bool flip_normals, triangulate, create_subelements, only_attached_points;
  SofaVec3 translation, rotation, scale3d; /* m, degrees, 1 */
  SofaMat4 transformation;                 /* used instead of the three when not the identity */
  SofaFloat scale;                         /* attribute: multiplies scale3d */
  SofaIndexRows polylines;                 /* points of each line of more than one edge */
  SofaIndices polygons;                    /* never filled by the formats read so far */
  SofaPyramids high_order_triangles;       /* likewise */
  SofaPrisms high_order_quads, high_order_tetrahedra;
  SofaHexas high_order_hexahedra;
  SofaMeshGroups polygon_groups;
  SofaIndices kept_points; /* with onlyAttachedPoints: the file's rank of each point */
  bool loaded, finished;
} SofaMeshLoader;

extern const SofaClass sofa_mesh_loader_class; /* abstract */

/* Replaces the mesh by that of another file, transformed and completed like the first one. On
 * failure the mesh is empty. */
SofaErr sofa_mesh_loader_load(SofaMeshLoader *loader, const char *path);

typedef struct SofaLoaderOps {
  /* makes the mesh from the class's own fields; instead of `read`, for meshes without a file */
  SofaErr (*make)(SofaMeshLoader *loader);
  /* required without `make`: reads a file (a NUL follows its bytes) into the loader's fields. Its
   * origin has the mesh file and the loader's path. */
  SofaErr (*read)(SofaMeshLoader *loader, const SofaFileBytes *file);
} SofaLoaderOps;

SOFA_END_DECLS

#endif
