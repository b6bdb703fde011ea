/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mesh loaders: read a file while the scene is read, offer its mesh as fields. A loader class gives
 * the `read` op; the base class finds and reads the file, transforms and completes the mesh. A mesh
 * that is made rather than read comes from the `make` op. */
#ifndef SOFA_BEHAVIOR_LOADER_H
#define SOFA_BEHAVIOR_LOADER_H

#include "base/file_part.h"
#include "base/files.h"
#include "topology/mesh_slice.h"

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
  SofaIndices quadratic[SOFA_N_QUADRATIC_LISTS];
} SofaMeshData;
void sofa_mesh_data_free(SofaContext *ctx, SofaMeshData *data);

enum { SOFA_QUIRK_LOADER_ROUNDING = 1 << 29 }; /* of all mesh loaders */

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
  SofaIndices kept_points;       /* with onlyAttachedPoints: the file's rank of each point */
  struct SofaDivision *division; /* owned; the fields have the part of this process; NULL: whole */
  bool loaded, finished;
  bool waits; /* on several processes: the file is read when it is known what is divided */
} SofaMeshLoader;

extern const SofaClass sofa_mesh_loader_class; /* abstract */

/* Rows of the lists of second order, for the tables of loaders whose files have some. */
#define SOFA_QUADRATIC_ROW(list, xml, nodes)                                                       \
  SOFA_FIELD(SofaMeshLoader, data.quadratic[list], xml, NULL, "1",                                 \
             "Nodes of elements of second order, " nodes " each, in VTK's order.",                 \
             .flags = SOFA_FIELD_OUTPUT)
#define SOFA_QUADRATIC_ROWS                                                                        \
  SOFA_QUADRATIC_ROW(SOFA_EDGES3, "edges3", "3"),                                                  \
      SOFA_QUADRATIC_ROW(SOFA_TRIANGLES6, "triangles6", "6"),                                      \
      SOFA_QUADRATIC_ROW(SOFA_QUADS8, "quads8", "8"),                                              \
      SOFA_QUADRATIC_ROW(SOFA_QUADS9, "quads9", "9"),                                              \
      SOFA_QUADRATIC_ROW(SOFA_TETRAHEDRA10, "tetrahedra10", "10"),                                 \
      SOFA_QUADRATIC_ROW(SOFA_PYRAMIDS13, "pyramids13", "13"),                                     \
      SOFA_QUADRATIC_ROW(SOFA_PRISMS15, "prisms15", "15"),                                         \
      SOFA_QUADRATIC_ROW(SOFA_HEXAHEDRA20, "hexahedra20", "20"),                                   \
      SOFA_QUADRATIC_ROW(SOFA_HEXAHEDRA27, "hexahedra27", "27")

/* Replaces the mesh by that of another file, transformed and completed like the first one. On
 * failure the mesh is empty. */
SofaErr sofa_mesh_loader_load(SofaMeshLoader *loader, const char *path);

/* Before init, called by all processes: leaves the part of this process in the fields and sets
 * `division`, where the mesh has volume elements and is known, those of a kind all of one order;
 * else nothing. */
SofaErr sofa_mesh_loader_divide(SofaMeshLoader *loader);
/* Reads the file of a loader that waits. */
SofaErr sofa_mesh_loader_complete(SofaMeshLoader *loader);

typedef struct SofaLoaderOps {
  /* makes the mesh from the class's own fields; instead of `read`, for meshes without a file */
  SofaErr (*make)(SofaMeshLoader *loader);
  /* required without `make`: reads a file (a NUL follows its bytes) into the loader's fields. Its
   * origin has the mesh file and the loader's path. */
  SofaErr (*read)(SofaMeshLoader *loader, const SofaFileBytes *file);
  /* may be NULL, of classes with lists of their own per point or element: leaves those of this
   * process, after the division of the mesh */
  SofaErr (*divide)(SofaMeshLoader *loader);
  /* may be NULL: could the file be one that is read in slices, by its first n bytes? */
  bool (*has_slices)(SofaMeshLoader *loader, const char *bytes, size_t n);
  /* with has_slices. Called by all processes: the runs of this one in *out, which is empty on
   * entry, and in the loader the groups of the whole mesh. *found false on all of them, and *out
   * empty: the file has what is not read in slices. */
  SofaErr (*read_slice)(SofaMeshLoader *loader, const SofaPartFile *file, SofaMeshSlice *out,
                        bool *found);
} SofaLoaderOps;

SOFA_END_DECLS

#endif
