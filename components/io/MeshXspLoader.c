/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshXspLoader: the loader of Xsp files, whose masses are points and springs are edges. */
#include "numerics/io/mesh_readers.h"

static SofaErr xsp_loader_read(SofaMeshLoader *loader, const SofaFileBytes *file) {
  return sofa_xsp_read(loader->object.ctx, file, &loader->data, NULL);
}

static const SofaLoaderOps xsp_loader_ops = {.read = xsp_loader_read};

SOFA_CLASS(MeshXspLoader) = {
    .name = "MeshXspLoader",
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads points and edges from the masses and springs of an Xsp file.",
    .base = &sofa_mesh_loader_class,
    .size = sizeof(SofaMeshLoader),
    SOFA_IMPLEMENTS({SOFA_LOADER, &xsp_loader_ops}),
};
