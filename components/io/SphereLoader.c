/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SphereLoader: the loader of files that list spheres. */
#include "base/files.h"
#include "behavior/mesh_finish.h"
#include "mesh_text.h"
#include "object/object.h"

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

/* "sphe id x y z radius", behind the first word. */
static SofaErr read_sphere(SphereLoader *loader, SofaMeshText *t) {
  int64_t id;
  double v[4];
  if (!sofa_mesh_int(t, &id)) return sofa_mesh_expected(t, "the number of the sphere");
  for (int k = 0; k < 4; k++)
    if (!sofa_mesh_real(t, &v[k])) return sofa_mesh_expected(t, "a center and a radius");
  if (!(v[3] >= 0)) return sofa_mesh_fail(t, SOFA_ERR_RANGE, "the radius %g is negative", v[3]);
  const SofaVec3 center = {{v[0], v[1], v[2]}};
  SOFA_TRY(SOFA_APPEND(t->ctx, &loader->position, &center));
  return SOFA_APPEND(t->ctx, &loader->radii, &v[3]);
}

/* A header line, then "nums count", "sphe ..." and comments. */
static SofaErr read_spheres(SphereLoader *loader, SofaMeshText *t) {
  if (!sofa_mesh_word_is(t, "sph")) return sofa_mesh_expected(t, "'sph' and a version");
  sofa_mesh_next_line(t);
  for (sofa_mesh_skip(t); t->at < t->end; sofa_mesh_skip(t)) {
    if (sofa_mesh_word_is(t, "sphe")) {
      t->at += 4;
      SOFA_TRY(read_sphere(loader, t));
    } else if (*t->at == '#' || sofa_mesh_word_is(t, "nums")) {
      sofa_mesh_next_line(t);
    } else {
      return sofa_mesh_expected(t, "'sphe', 'nums' or a comment");
    }
  }
  return SOFA_OK;
}

static SofaErr read_file(SphereLoader *loader) {
  SofaContext *ctx = loader->object.ctx;
  char *bytes = NULL, *path = NULL;
  size_t size = 0;
  SofaErr err;
  SOFA_GO(err, done, sofa_read_file(ctx, loader->filename.path, 0, &bytes, &size));
  path = sofa_object_path(&loader->object);
  const SofaOrigin origin = {
      .file = loader->filename.path, .path = path, .emitter = loader->object.klass->name};
  SofaMeshText text = sofa_mesh_text(ctx, &origin, bytes, size);
  SOFA_GO(err, done, read_spheres(loader, &text));
done:
  sofa_free(ctx, bytes);
  sofa_free(ctx, path);
  return err;
}

static void finish(SphereLoader *loader) {
  SofaMat4 m;
  sofa_mesh_matrix(&loader->translation, &loader->rotation, &loader->scale, &m);
  if (!sofa_mat4_is_identity(&m)) sofa_mesh_transform(&loader->position, &m);
  loader->finished = true;
  sofa_field_touch_name(&loader->object, "position");
  sofa_field_touch_name(&loader->object, "listRadius");
}

static bool is_linked(const SphereLoader *loader) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    const SofaFieldState *state = sofa_field_state(&loader->object, &fields[i]);
    if (!(fields[i].flags & SOFA_FIELD_OUTPUT) && (state->source || state->link_path)) return true;
  }
  return false;
}

static SofaErr sphere_loader_parsed(SofaObject *object) {
  SphereLoader *loader = (SphereLoader *)object;
  if (!loader->filename.path) {
    object->component_state.index = SOFA_INVALID;
    return sofa_field_fail(object, "filename", SOFA_ERR_NOT_FOUND, "file of spheres '%s' not found",
                           loader->filename.text ? loader->filename.text : "");
  }
  const SofaErr err = read_file(loader);
  loader->loaded = err == SOFA_OK;
  object->component_state.index = loader->loaded ? SOFA_VALID : SOFA_INVALID;
  if (!loader->loaded) loader->position.n = loader->radii.n = 0;
  else if (!is_linked(loader)) finish(loader);
  return err;
}

static SofaErr sphere_loader_init(SofaObject *object) {
  SphereLoader *loader = (SphereLoader *)object;
  if (loader->loaded && !loader->finished) finish(loader);
  return SOFA_OK;
}

extern const SofaClass sofa_SphereLoader_class;
const SofaClass sofa_SphereLoader_class = {
    .name = "SphereLoader",
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads the centers and radii of spheres from a file.",
    .base = &sofa_object_class,
    .size = sizeof(SphereLoader),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .parsed = sphere_loader_parsed,
    .init = sphere_loader_init,
};
