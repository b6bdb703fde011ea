/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshVTKLoader: the loader of VTK files, legacy and XML. */
#include "vtk_reader.h"

static SofaErr vtk_loader_read(SofaMeshLoader *loader, const SofaOrigin *origin, const char *bytes,
                               size_t size) {
  const SofaFaceOptions faces = {.flip_normals = loader->flip_normals};
  return sofa_vtk_read(loader->object.ctx, origin, bytes, size, &faces, &loader->data,
                       &loader->polylines);
}

static const SofaLoaderOps vtk_loader_ops = {.read = vtk_loader_read};

extern const SofaClass sofa_MeshVTKLoader_class;
const SofaClass sofa_MeshVTKLoader_class = {
    .name = "MeshVTKLoader",
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads a mesh from a VTK file: unstructured grids and polygonal data, legacy or XML.",
    .base = &sofa_mesh_loader_class,
    .size = sizeof(SofaMeshLoader),
    .ops = {[SOFA_LOADER] = &vtk_loader_ops},
};
