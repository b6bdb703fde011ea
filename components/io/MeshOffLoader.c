/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshOffLoader: the loader of OFF files. */
#include "numerics/io/mesh_readers.h"

static SofaErr off_loader_read(SofaMeshLoader *loader, const SofaFileBytes *file) {
  const SofaFaceOptions faces = {.flip_normals = loader->flip_normals};
  return sofa_off_read(loader->object.ctx, file, &faces, &loader->data);
}

static const SofaLoaderOps off_loader_ops = {.read = off_loader_read};

SOFA_CLASS(MeshOffLoader) = {
    .name = "MeshOffLoader",
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads triangles and quads from an OFF file.",
    .base = &sofa_mesh_loader_class,
    .size = sizeof(SofaMeshLoader),
    SOFA_IMPLEMENTS({SOFA_LOADER, &off_loader_ops}),
};
