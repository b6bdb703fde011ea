/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshGmshLoader: the loader of Gmsh files (MSH 1, 2, 4.0 and 4.1, text and binary). */
#include "numerics/io/gmsh_reader.h"

static const SofaField fields[] = {SOFA_QUADRATIC_ROWS};

/* Unlike other loaders this one adds sub-elements unless the scene says otherwise. */
static SofaErr gmsh_loader_construct(SofaObject *object) {
  ((SofaMeshLoader *)object)->create_subelements = true;
  return SOFA_OK;
}

static SofaErr gmsh_loader_read(SofaMeshLoader *loader, const SofaFileBytes *file) {
  return sofa_gmsh_read(loader->object.ctx, file, &loader->data);
}

static bool gmsh_loader_has_slices(SofaMeshLoader *loader, const char *bytes, size_t n) {
  (void)loader;
  return sofa_gmsh_has_slices(bytes, n);
}

static SofaErr gmsh_loader_read_slice(SofaMeshLoader *loader, const SofaPartFile *file,
                                      SofaMeshSlice *out, bool *found) {
  return sofa_gmsh_read_slice(loader->object.ctx, file, out, &loader->data, found);
}

static const SofaLoaderOps gmsh_loader_ops = {.read = gmsh_loader_read,
                                              .has_slices = gmsh_loader_has_slices,
                                              .read_slice = gmsh_loader_read_slice};

SOFA_CLASS(MeshGmshLoader) = {
    .name = "MeshGmshLoader",
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads a mesh from a Gmsh file. createSubelements is on unless it is written.",
    .base = &sofa_mesh_loader_class,
    .size = sizeof(SofaMeshLoader),
    SOFA_FIELDS(fields),
    .construct = gmsh_loader_construct,
    SOFA_IMPLEMENTS({SOFA_LOADER, &gmsh_loader_ops}),
};
