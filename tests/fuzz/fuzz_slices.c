/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: the readers of slices of Gmsh and VTK files, on one process and on two, and what is
 * made of slices afterwards. One process has the mesh that the readers of whole files have. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "numerics/io/gmsh_reader.h"
#include "numerics/io/vtk_reader.h"
#include "tests/unit/simulation/processes.h"
#include "topology/slice_finish.h"

/* A file in memory. */
typedef struct Input {
  const uint8_t *bytes;
  size_t size;
  char path[50];
  bool vtk; /* else Gmsh */
} Input;

static SofaErr read_slice(SofaContext *ctx, const Input *in, SofaMeshSlice *out, bool *found) {
  const SofaFaceOptions faces = {.flip_normals = false};
  const SofaOrigin origin = {.file = in->path};
  SofaMeshData groups = {0};
  SofaVtkExtras extras = {0};
  SofaPartFile file = {.descriptor = -1};
  SofaErr err = sofa_part_open(ctx, &origin, &file);
  *found = true;
  if (err == SOFA_OK && in->vtk) err = sofa_vtk_slice_arrays(ctx, &file, &extras, found);
  if (err == SOFA_OK && *found)
    err = in->vtk ? sofa_vtk_read_slice(ctx, &file, &faces, out, &extras, found)
                  : sofa_gmsh_read_slice(ctx, &file, out, &groups, found);
  sofa_mesh_data_free(ctx, &groups);
  sofa_vtk_extras_free(ctx, &extras);
  sofa_part_close(&file);
  return err;
}

/* Names of points are those of the whole mesh, coordinates are numbers. */
static void check_slice(const SofaMeshSlice *slice) {
  SofaElementKind kind;
  size_t element;
  if (!sofa_mesh_check(&slice->mesh, slice->n_whole[SOFA_ELEMENT_POINT], &kind, &element)) abort();
  for (size_t i = 0; i < slice->mesh.position.n; i++)
    for (int k = 0; k < 3; k++)
      if (!isfinite(slice->mesh.position.data[i].v[k])) abort();
}

static SofaErr finish(SofaContext *ctx, SofaMeshSlice *slice) {
  SofaVec3s normals = {0};
  SofaIndices kept = {0};
  SofaErr err = sofa_mesh_slice_triangulate(ctx, slice, false);
  if (err == SOFA_OK) err = sofa_mesh_slice_add_subelements(ctx, slice);
  if (err == SOFA_OK) err = sofa_mesh_slice_drop_unused(ctx, slice, &kept);
  if (err == SOFA_OK) err = sofa_mesh_slice_normals(ctx, slice, &normals);
  if (err == SOFA_OK) check_slice(slice);
  sofa_list_free(ctx, &normals);
  sofa_list_free(ctx, &kept);
  return err;
}

static SofaErr use(SofaContext *ctx, const Input *in) {
  SofaMeshSlice slice = {0};
  bool found = false;
  SofaErr err = read_slice(ctx, in, &slice, &found);
  if (err == SOFA_OK && found) check_slice(&slice);
  if (err == SOFA_OK && found) err = finish(ctx, &slice);
  sofa_mesh_slice_free(ctx, &slice);
  return err;
}

static SofaErr use_process(ThreadProcess *process, void *user) {
  size_t said = 0;
  SofaContext *ctx = fuzz_context(&said);
  SofaErr err = ctx ? thread_join(process, ctx) : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = use(ctx, user);
  sofa_context_destroy(&ctx);
  return err;
}

static bool same_mesh(const SofaMesh *a, const SofaMesh *b) {
  bool same =
      a->position.n == b->position.n &&
      !sofa_compare(a->position.data, b->position.data, a->position.n * sizeof *a->position.data);
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElements p = sofa_mesh_elements(a, (SofaElementKind)k),
                       q = sofa_mesh_elements(b, (SofaElementKind)k);
    same = same && p.n == q.n && !sofa_compare(p.v, q.v, p.n * p.width * sizeof *p.v);
  }
  return same;
}

static void compare(SofaContext *ctx, const Input *in) {
  const SofaFaceOptions faces = {.flip_normals = false};
  char *copy = malloc(in->size + 1);
  SofaMeshSlice slice = {0};
  SofaMeshData data = {0};
  bool found = false;
  if (!copy) return;
  memcpy(copy, in->bytes, in->size);
  copy[in->size] = '\0';
  const SofaFileBytes file = {NULL, copy, in->size};
  const SofaErr sliced = read_slice(ctx, in, &slice, &found);
  const SofaErr whole =
      in->vtk ? sofa_vtk_read(ctx, &file, &faces, &data, NULL) : sofa_gmsh_read(ctx, &file, &data);
  if (sliced == SOFA_OK && found && whole == SOFA_OK && !same_mesh(&slice.mesh, &data.mesh))
    abort();
  sofa_mesh_slice_free(ctx, &slice);
  sofa_mesh_data_free(ctx, &data);
  free(copy);
}

static int open_in_memory(const uint8_t *bytes, size_t size) {
  const int file = memfd_create("fuzz", 0);
  if (file >= 0 && write(file, bytes, size) == (ssize_t)size) return file;
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t said = 0;
  Input in = {.bytes = bytes, .size = size, .vtk = size && bytes[0] == '<'};
  const bool sliced = in.vtk ? sofa_vtk_has_slices((const char *)bytes, size)
                             : sofa_gmsh_has_slices((const char *)bytes, size);
  if (!sliced) return 0;
  const int file = open_in_memory(bytes, size);
  snprintf(in.path, sizeof in.path, "/proc/self/fd/%d", file);
  SofaContext *ctx = fuzz_context(&said);
  if (ctx) (void)use(ctx, &in);
  if (ctx) compare(ctx, &in);
  sofa_context_destroy(&ctx);
  (void)threads_run(2, use_process, &in);
  close(file);
  return 0;
}
