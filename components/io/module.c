/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and writing of meshes: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_MeshGmshLoader_class, sofa_MeshOBJLoader_class, sofa_VTKExporter_class;

static const SofaClass *const classes[] = {
    &sofa_MeshGmshLoader_class,
    &sofa_MeshOBJLoader_class,
    &sofa_VTKExporter_class,
    NULL,
};

extern const SofaModule sofa_module_io;
const SofaModule sofa_module_io = {SOFA_ABI, "io", CSOFA_VERSION, classes};
