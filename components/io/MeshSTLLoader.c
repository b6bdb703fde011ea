/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshSTLLoader: the loader of STL files, text and binary. */
#include "numerics/io/mesh_readers.h"

typedef struct MeshSTLLoader {
  SofaMeshLoader loader;
  uint32_t header_size;
  bool force_binary, merge_with_map;
} MeshSTLLoader;

static const SofaField fields[] = {
    SOFA_FIELD(MeshSTLLoader, header_size, "headerSize", "80", "byte",
               "Bytes of a binary file in front of the number of triangles.",
               .range = SOFA_AT_LEAST(0)),
    SOFA_FIELD(MeshSTLLoader, force_binary, "forceBinary", "0", "",
               "The file is binary although it begins with the word solid.", ),
    SOFA_FIELD(MeshSTLLoader, merge_with_map, "mergePositionUsingMap", "1", "",
               "How equal vertices are found; the mesh is the same.",
               .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr stl_loader_read(SofaMeshLoader *loader, const SofaFileBytes *file) {
  const MeshSTLLoader *stl = (const MeshSTLLoader *)loader;
  const SofaStlOptions options = {.faces = {.flip_normals = loader->flip_normals},
                                  .header_size = stl->header_size,
                                  .force_binary = stl->force_binary};
  return sofa_stl_read(loader->object.ctx, file, &options, &loader->data);
}

static const SofaLoaderOps stl_loader_ops = {.read = stl_loader_read};

SOFA_CLASS(MeshSTLLoader) = {
    SOFA_NAMED(MeshSTLLoader),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads the triangles of an STL file; vertices with equal coordinates become one point.",
    .base = &sofa_mesh_loader_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_LOADER, &stl_loader_ops}),
};
