/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshTrianLoader: the loader of Trian files, triangles with their neighbours. */
#include "numerics/io/mesh_readers.h"

typedef struct MeshTrianLoader {
  SofaMeshLoader loader;
  bool trian2;
  SofaTrianData trian;
} MeshTrianLoader;

static const SofaField fields[] = {
    SOFA_FIELD(MeshTrianLoader, trian2, "trian2", "0", "",
               "The file has the second form: with normals, without neighbours.", ),
    SOFA_FIELD(MeshTrianLoader, trian.neighbors, "neighborTable", NULL, "1",
               "Three per triangle: those behind the edges opposite to its vertices, -1: none.",
               .flags = SOFA_FIELD_OUTPUT),
    {.name = "edgesOnBorder",
     .type = &sofa_type_index_rows,
     .offset = offsetof(MeshTrianLoader, trian.border),
     .unit = "1",
     .help = "Edges without a second triangle, two points each.",
     .flags = SOFA_FIELD_OUTPUT},
    SOFA_FIELD(MeshTrianLoader, trian.on_border, "trianglesOnBorderList", NULL, "1",
               "Triangles with an edge on the border.", .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr trian_loader_read(SofaMeshLoader *loader, const SofaFileBytes *file) {
  MeshTrianLoader *t = (MeshTrianLoader *)loader;
  const SofaFaceOptions faces = {.flip_normals = loader->flip_normals};
  return sofa_trian_read(loader->object.ctx, file, t->trian2, &faces, &loader->data, &t->trian);
}

static const SofaLoaderOps trian_loader_ops = {.read = trian_loader_read};

SOFA_CLASS(MeshTrianLoader) = {
    SOFA_NAMED(MeshTrianLoader),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads triangles and their neighbours from a Trian file.",
    .base = &sofa_mesh_loader_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_LOADER, &trian_loader_ops}),
};
