/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SphereLoader: the loader of files that list spheres. */
#include "topology/mesh_finish.h"
#include "numerics/io/mesh_readers.h"
#include "numerics/io/object_file.h"
#include "object/data_graph.h"

typedef struct SphereLoader {
  SofaObject object;
  SofaFileName filename;
  SofaVec3s position;
  SofaReals radii;
  SofaVec3 scale, rotation, translation;
  bool loaded, finished;
} SphereLoader;

static const SofaField fields[] = {
    SOFA_FIELD(SphereLoader, filename, "filename", "", "",
               "File of spheres, relative to the scene or found on the data paths.",
               .flags = SOFA_FIELD_REQUIRED),
    SOFA_FIELD(SphereLoader, position, "position", NULL, "m", "Centers, transformed.",
               .flags = SOFA_FIELD_OUTPUT, .aliases = "sphere_centers"),
    SOFA_FIELD(SphereLoader, radii, "listRadius", NULL, "m", "Radii as in the file, not scaled.",
               .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(SphereLoader, scale, "scale", "1 1 1", "1",
               "Scales the centers along the axes, first.", .aliases = "scale3d"),
    SOFA_FIELD(SphereLoader, rotation, "rotation", "0 0 0", "deg",
               "Rotates the centers about the x, then y, then z axis.", ),
    SOFA_FIELD(SphereLoader, translation, "translation", "0 0 0", "m",
               "Moves the centers, last.", ),
};

static SofaErr read_spheres(void *user, const SofaFileBytes *file) {
  SphereLoader *loader = (SphereLoader *)user;
  return sofa_spheres_read(loader->object.ctx, file, &loader->position, &loader->radii);
}

static void finish(SphereLoader *loader) {
  SofaMat4 m;
  sofa_mesh_matrix(&loader->translation, &loader->rotation, &loader->scale, &m);
  if (!sofa_mat4_is_identity(&m)) sofa_mesh_transform(&loader->position, &m);
  loader->finished = true;
  sofa_object_touch_outputs(&loader->object);
}

static SofaErr sphere_loader_parsed(SofaObject *object) {
  SphereLoader *loader = (SphereLoader *)object;
  const SofaErr err =
      sofa_object_read_file(object, "filename", &loader->filename, read_spheres, loader);
  loader->loaded = err == SOFA_OK;
  object->component_state.index = loader->loaded ? SOFA_VALID : SOFA_INVALID;
  if (loader->loaded && !sofa_object_has_linked_inputs(object)) finish(loader);
  return err;
}

static SofaErr sphere_loader_init(SofaObject *object) {
  SphereLoader *loader = (SphereLoader *)object;
  if (loader->loaded && !loader->finished) finish(loader);
  return SOFA_OK;
}

SOFA_CLASS(SphereLoader) = {
    SOFA_NAMED(SphereLoader),       .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",           .help = "Reads the centers and radii of spheres from a file.",
    .base = &sofa_object_class,     SOFA_FIELDS(fields),
    .parsed = sphere_loader_parsed, .init = sphere_loader_init,
};
