/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and writing of meshes: the classes of this folder. */
#include "object/factory.h"

#define CLASSES(X)                                                                                 \
  X(BlenderExporter)                                                                               \
  X(GIDMeshLoader)                                                                                 \
  X(GridMeshCreator)                                                                               \
  X(MeshExporter)                                                                                  \
  X(MeshGmshLoader)                                                                                \
  X(MeshOBJLoader)                                                                                 \
  X(MeshOffLoader)                                                                                 \
  X(MeshSTLLoader)                                                                                 \
  X(MeshTrianLoader)                                                                               \
  X(MeshVTKLoader)                                                                                 \
  X(MeshXspLoader)                                                                                 \
  X(OffSequenceLoader)                                                                             \
  X(STLExporter)                                                                                   \
  X(SphereLoader)                                                                                  \
  X(StringMeshCreator)                                                                             \
  X(VTKExporter)                                                                                   \
  X(VisualModelOBJExporter)                                                                        \
  X(VoxelGridLoader)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)
#undef DECLARE

static const SofaClass *const classes[] = {
#define LISTED(name) &sofa_##name##_class,
    CLASSES(LISTED)
#undef LISTED
        NULL};

extern const SofaModule sofa_module_io;
const SofaModule sofa_module_io = {SOFA_ABI, "io", CSOFA_VERSION, classes};
