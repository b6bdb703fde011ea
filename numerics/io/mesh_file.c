/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads mesh files by their extension. */
#include "numerics/io/mesh_file.h"

#include <string.h>

#include "base/files.h"
#include "numerics/io/gmsh_reader.h"
#include "numerics/io/mesh_readers.h"
#include "numerics/io/object_file.h"
#include "numerics/io/vtk_reader.h"

typedef struct Target {
  SofaContext *ctx;
  SofaMeshData *mesh;
  SofaObjData *obj;
} Target;

static const SofaFaceOptions plain_faces = {false, false, false};

static SofaErr read_obj(void *user, const SofaFileBytes *file) {
  Target *t = (Target *)user;
  const SofaObjOptions options = {.handle_seams = false};
  SofaObjData unwanted = {0};
  const SofaErr err = sofa_obj_read(t->ctx, file, &options, t->mesh, t->obj ? t->obj : &unwanted);
  sofa_obj_data_free(t->ctx, &unwanted);
  return err;
}

/* Files of Gmsh begin with '$', those of GiD, which have the same extension, with a word. */
static SofaErr read_msh(void *user, const SofaFileBytes *file) {
  Target *t = (Target *)user;
  size_t n = 0;
  while (n < file->size && strchr(" \t\r\n", file->bytes[n])) n++;
  return n < file->size && file->bytes[n] != '$' ? sofa_gid_read(t->ctx, file, t->mesh)
                                                 : sofa_gmsh_read(t->ctx, file, t->mesh);
}

static SofaErr read_vtk(void *user, const SofaFileBytes *file) {
  Target *t = (Target *)user;
  return sofa_vtk_read(t->ctx, file, &plain_faces, t->mesh, NULL);
}

static SofaErr read_stl(void *user, const SofaFileBytes *file) {
  Target *t = (Target *)user;
  const SofaStlOptions options = {.header_size = 80};
  return sofa_stl_read(t->ctx, file, &options, t->mesh);
}

static SofaErr read_off(void *user, const SofaFileBytes *file) {
  Target *t = (Target *)user;
  return sofa_off_read(t->ctx, file, &plain_faces, t->mesh);
}

static SofaErr read_trian(void *user, const SofaFileBytes *file) {
  Target *t = (Target *)user;
  SofaTrianData unwanted = {0};
  const SofaErr err = sofa_trian_read(t->ctx, file, false, &plain_faces, t->mesh, &unwanted);
  sofa_trian_data_free(t->ctx, &unwanted);
  return err;
}

static SofaErr read_xsp(void *user, const SofaFileBytes *file) {
  Target *t = (Target *)user;
  return sofa_xsp_read(t->ctx, file, t->mesh, NULL);
}

/* The centers are the points. */
static SofaErr read_spheres(void *user, const SofaFileBytes *file) {
  Target *t = (Target *)user;
  SofaReals radii = {0};
  const SofaErr err = sofa_spheres_read(t->ctx, file, &t->mesh->mesh.position, &radii);
  sofa_list_free(t->ctx, &radii);
  return err;
}

typedef struct Format {
  const char *extension;
  SofaFileReader read;
} Format;

SofaErr sofa_mesh_read_file(const SofaObject *object, const char *field,
                            const SofaFileName *filename, SofaMeshData *out, SofaObjData *obj) {
  static const Format formats[] = {{"obj", read_obj}, {"msh", read_msh}, {"gmsh", read_msh},
                                   {"vtk", read_vtk}, {"vtu", read_vtk}, {"vtp", read_vtk},
                                   {"vti", read_vtk}, {"vtr", read_vtk}, {"vts", read_vtk},
                                   {"stl", read_stl}, {"off", read_off}, {"trian", read_trian},
                                   {"xsp", read_xsp}, {"xs3", read_xsp}, {"sph", read_spheres}};
  Target target = {object->ctx, out, obj};
  const char *path = filename->path ? filename->path : "";
  const char *extension = sofa_path_extension(path);
  size_t k = 0;
  const size_t n = sizeof formats / sizeof *formats;
  while (k < n && strcmp(extension, formats[k].extension) != 0) k++;
  if (filename->path && k == n)
    return sofa_object_unsupported(
        object,
        "reading '%s': only .obj, .msh, .vtk, .vtu, .vtp, .vti, .vtr, .vts, .stl, .off, "
        ".trian, .xsp and .sph files can be read",
        path);
  return sofa_object_read_file(object, field, filename, k < n ? formats[k].read : read_obj,
                               &target);
}
