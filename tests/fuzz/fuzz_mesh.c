/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: one of the mesh readers, picked by the rank FUZZ_READER when compiled. What was read
 * must be consistent. */
#include "fuzz.h"

#include <math.h>
#include "numerics/io/mesh_readers.h"
#include "numerics/io/vtk_reader.h"
#include "components/topology/voxel_image.h"

typedef struct Read {
  SofaContext *ctx;
  SofaFileBytes file;
  SofaMeshData data;
} Read;

static SofaErr read_stl(Read *r) {
  const SofaStlOptions options = {.header_size = 80, .force_binary = r->file.size % 2 != 0};
  return sofa_stl_read(r->ctx, &r->file, &options, &r->data);
}

static SofaErr read_off(Read *r) {
  const SofaFaceOptions faces = {.flip_normals = true};
  return sofa_off_read(r->ctx, &r->file, &faces, &r->data);
}

static SofaErr read_trian(Read *r) {
  const SofaFaceOptions faces = {.flip_normals = false};
  SofaTrianData trian = {0};
  const SofaErr err =
      sofa_trian_read(r->ctx, &r->file, r->file.size % 2 != 0, &faces, &r->data, &trian);
  if (err == SOFA_OK && trian.neighbors.n && trian.neighbors.n != 3 * r->data.mesh.triangles.n)
    abort();
  sofa_trian_data_free(r->ctx, &trian);
  return err;
}

static SofaErr read_xsp(Read *r) {
  SofaXspData xsp = {0};
  const SofaErr err = sofa_xsp_read(r->ctx, &r->file, &r->data, &xsp);
  if (err == SOFA_OK &&
      (xsp.masses.n != r->data.mesh.position.n || xsp.rest_length.n != r->data.mesh.edges.n))
    abort();
  sofa_xsp_data_free(r->ctx, &xsp);
  return err;
}

static SofaErr read_gid(Read *r) {
  return sofa_gid_read(r->ctx, &r->file, &r->data);
}

static SofaErr read_vtk(Read *r) {
  const SofaFaceOptions faces = {.flip_normals = false};
  SofaVtkExtras extras = {0};
  const SofaErr err = sofa_vtk_read(r->ctx, &r->file, &faces, &r->data, &extras);
  const SofaInts *ids = &extras.polylines.ids;
  for (size_t k = 0; k < ids->n; k++)
    if ((size_t)ids->data[k] >= r->data.mesh.position.n) abort();
  for (size_t i = 0; i < extras.arrays.n; i++) {
    const SofaVtkArray *array = &extras.arrays.data[i];
    if (!array->cells && array->values.n != array->width * r->data.mesh.position.n) abort();
  }
  sofa_vtk_extras_free(r->ctx, &extras);
  return err;
}

static SofaErr read_spheres(Read *r) {
  SofaReals radii = {0};
  const SofaErr err = sofa_spheres_read(r->ctx, &r->file, &r->data.mesh.position, &radii);
  if (radii.n != r->data.mesh.position.n) abort();
  sofa_list_free(r->ctx, &radii);
  return err;
}

/* A text of voxels, and what a sparse grid makes of it. */
static SofaErr read_image(Read *r) {
  SofaVoxelImage image = {0};
  SofaSparseLevel level = {.n = {3, 4, 2}};
  double share[6];
  SofaErr err = sofa_voxel_image_text(r->ctx, &r->file, &image);
  if (err == SOFA_OK) {
    sofa_voxel_image_shares(&image, &level, share);
    for (int c = 0; c < 6; c++)
      if (!(share[c] >= 0 && share[c] <= 1)) abort();
    err = sofa_voxel_image_surface(r->ctx, &image, 1 + (unsigned)(r->file.size % 3),
                                   (unsigned)(r->file.size % 4), &r->data.mesh.position,
                                   &r->data.mesh.triangles);
  }
  sofa_voxel_image_free(r->ctx, &image);
  return err;
}

/* The last bytes say how the first ones are read. */
static SofaErr read_voxels(Read *r) {
  SofaVoxelOptions options = {.voxel_size = {{1, 1, 1}}, .header_size = 1};
  SofaIndices grid_index = {0};
  int values[1] = {1};
  for (size_t k = 0; k < 3 && r->file.size > k; k++) {
    options.resolution[k] = r->file.bytes[r->file.size - 1 - k] % 5;
    options.roi[3 + k] = r->file.bytes[k];
  }
  options.hexahedra = r->file.size % 2 == 0;
  options.active = (SofaInts){values, 1, 1};
  const SofaErr err = sofa_voxels_read(r->ctx, &r->file, &options, &r->data.mesh, &grid_index);
  sofa_list_free(r->ctx, &grid_index);
  return err;
}

static SofaErr (*const readers[])(Read *) = {read_stl,     read_off,    read_trian,
                                             read_xsp,     read_gid,    read_vtk,
                                             read_spheres, read_voxels, read_image};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t said = 0, element;
  SofaElementKind kind;
  char *copy = fuzz_copy(bytes, size);
  Read r = {.ctx = fuzz_context(&said), .file = {NULL, copy, size}};
  if (r.ctx && copy && readers[FUZZ_READER](&r) == SOFA_OK) {
    const SofaMesh *mesh = &r.data.mesh;
    if (!sofa_mesh_check(mesh, mesh->position.n, &kind, &element)) abort();
    for (size_t i = 0; i < mesh->position.n; i++)
      for (int k = 0; k < 3; k++)
        if (!isfinite(mesh->position.data[i].v[k])) abort();
  }
  if (r.ctx) sofa_mesh_data_free(r.ctx, &r.data);
  free(copy);
  sofa_context_destroy(&r.ctx);
  return 0;
}
