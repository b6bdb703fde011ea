/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GIDMeshLoader: the loader of GiD meshes. */
#include "numerics/io/mesh_readers.h"

static SofaErr gid_loader_read(SofaMeshLoader *loader, const SofaFileBytes *file) {
  return sofa_gid_read(loader->object.ctx, file, &loader->data);
}

static const SofaLoaderOps gid_loader_ops = {.read = gid_loader_read};

SOFA_CLASS(GIDMeshLoader) = {
    .name = "GIDMeshLoader",
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads a mesh of elements of one type from a GiD file.",
    .base = &sofa_mesh_loader_class,
    .size = sizeof(SofaMeshLoader),
    SOFA_IMPLEMENTS({SOFA_LOADER, &gid_loader_ops}),
};
