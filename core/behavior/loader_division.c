/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The division of the mesh of a loader: of a mesh that every process has read whole, or in slices.
 */
#include "behavior/loader.h"

#include <stdio.h>

#include "base/checksum.h"
#include "base/provenance.h"
#include "behavior/loader_impl.h"
#include "object/data_graph.h"
#include "topology/division.h"
#include "topology/partition.h"
#include "topology/slice_finish.h"

/* Volume elements of a kind have numbers by which results and exporters know those of second order,
 * too, where all of the kind are of one list. */
static bool mixes_orders(const SofaMeshData *data) {
  static const struct {
    SofaQuadraticList list;
    SofaElementKind kind;
  } volumes[] = {{SOFA_TETRAHEDRA10, SOFA_ELEMENT_TETRA},
                 {SOFA_PYRAMIDS13, SOFA_ELEMENT_PYRAMID},
                 {SOFA_PRISMS15, SOFA_ELEMENT_PRISM},
                 {SOFA_HEXAHEDRA20, SOFA_ELEMENT_HEXA},
                 {SOFA_HEXAHEDRA27, SOFA_ELEMENT_HEXA}};
  for (size_t i = 0; i < SOFA_COUNT(volumes); i++) {
    const SofaQuadraticList q = volumes[i].list;
    const size_t n = data->quadratic[q].n / sofa_quadratic_info[q].width;
    if (n && n != sofa_mesh_elements(&data->mesh, volumes[i].kind).n) return true;
  }
  return false;
}

static bool can_divide(const SofaMeshLoader *loader) {
  if (mixes_orders(&loader->data)) return false;
  return loader->finished && !loader->division && sofa_mesh_has_volumes(&loader->data.mesh);
}

/* Rank of the first local element of a number that is not less. */
static uint32_t rank_of(const SofaIndices *numbers, uint32_t number) {
  size_t low = 0, high = numbers->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (numbers->data[middle] < number) low = middle + 1;
    else high = middle;
  }
  return (uint32_t)low;
}

/* Ranges of elements: those of this process follow each other, too. */
static void cut_groups(SofaMeshLoader *loader, const SofaDivision *division) {
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++)
    for (size_t i = 0; i < loader->data.groups[kind].n; i++) {
      SofaMeshGroup *group = &loader->data.groups[kind].data[i];
      const uint32_t end = rank_of(&division->elements[kind], group->first + group->n);
      group->first = rank_of(&division->elements[kind], group->first);
      group->n = end - group->first;
    }
}

/* The mesh becomes that of this process. */
static SofaErr divide(SofaMeshLoader *loader, SofaMeshSlice *slice) {
  SofaContext *ctx = loader->object.ctx;
  uint32_t *part = sofa_alloc(ctx, sofa_mesh_slice_n_volumes(slice), sizeof *part);
  SofaDivision *division = loader->division = sofa_alloc(ctx, 1, sizeof *division);
  SofaErr err = part && division ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = sofa_partition(ctx, slice, ctx->processes->partition, part);
  if (err == SOFA_OK)
    err = sofa_division_make_sliced(ctx, slice, part, division, &loader->data.mesh);
  sofa_free(ctx, part);
  if (err != SOFA_OK) return err;
  for (int q = 0; q < SOFA_N_QUADRATIC_LISTS; q++) {
    sofa_list_free(ctx, &loader->data.quadratic[q]);
    loader->data.quadratic[q] = slice->quadratic[q];
    slice->quadratic[q] = (SofaIndices){0};
  }
  cut_groups(loader, division);
  return sofa_mesh_trim(ctx, &loader->data.mesh);
}

/* An error, unless all processes have the same elements of second order. */
static SofaErr check_quadratic(const SofaMeshLoader *loader) {
  uint64_t sum = SOFA_CHECKSUM_BEGIN;
  bool same;
  for (int q = 0; q < SOFA_N_QUADRATIC_LISTS; q++) {
    const SofaIndices *list = &loader->data.quadratic[q];
    const uint64_t n = list->n;
    sum = sofa_checksum(sum, &n, sizeof n);
    if (n) sum = sofa_checksum(sum, list->data, list->n * sizeof *list->data);
  }
  SOFA_TRY(sofa_process_same(loader->object.ctx, sizeof sum, &sum, &same));
  if (same) return SOFA_OK;
  return sofa_object_fail(&loader->object, SOFA_ERR_SCENE,
                          "has other elements of second order on another process: the processes "
                          "read different files");
}

/* Of a mesh that every process has whole. */
static SofaErr divide_whole(SofaMeshLoader *loader) {
  SofaContext *ctx = loader->object.ctx;
  SofaMeshData *data = &loader->data;
  SofaMeshSlice slice = {.mesh = data->mesh};
  if (!can_divide(loader)) return SOFA_OK;
  SOFA_TRY(sofa_division_check(&loader->object, sofa_mesh_slice_n_volumes(&slice)));
  SOFA_TRY(sofa_mesh_check_same(ctx, &data->mesh));
  SOFA_TRY(check_quadratic(loader));
  SOFA_TRY(sofa_mesh_slice_take(ctx, &data->mesh, &slice));
  SofaErr err = sofa_mesh_slice_take_quadratic(ctx, data->quadratic, &slice);
  if (err == SOFA_OK) err = divide(loader, &slice);
  sofa_mesh_slice_free(ctx, &slice);
  if (err != SOFA_OK) return err;
  loader->polylines.ids.n = loader->polylines.end.n = 0;
  data->mid_edges.n = 0;
  SOFA_TRY(sofa_division_pick(ctx, loader->division, SOFA_ELEMENT_POINT, &data->normals,
                              sizeof *data->normals.data));
  SOFA_TRY(sofa_division_pick(ctx, loader->division, SOFA_ELEMENT_POINT, &loader->kept_points,
                              sizeof *loader->kept_points.data));
  const SofaLoaderOps *ops = (const SofaLoaderOps *)sofa_ops(&loader->object, SOFA_LOADER);
  if (ops->divide) SOFA_TRY(ops->divide(loader));
  sofa_object_touch_outputs(&loader->object);
  return SOFA_OK;
}

/* ---- slices ---- */

bool sofa_mesh_loader_has_slices(SofaMeshLoader *loader) {
  const SofaLoaderOps *ops = (const SofaLoaderOps *)sofa_ops(&loader->object, SOFA_LOADER);
  char bytes[1 << 16];
  FILE *in;
  if (!loader->object.ctx->processes) return false;
  if (!(in = fopen(loader->filename.path, "rb"))) return false; /* reported when it is read whole */
  const size_t n = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  return ops->has_slices(loader, bytes, n);
}

/* Bytes of a run, in whole words of the checksum. */
static uint64_t run_begin(const SofaPartFile *file, int rank, int n_processes) {
  return sofa_slice_begin((size_t)(file->size / 8), rank, n_processes) * 8;
}

/* The checksum of the file, of which each process reads a run. */
static SofaErr note_file(const SofaPartFile *file) {
  SofaContext *ctx = file->ctx;
  const int n = sofa_process_count(ctx);
  uint64_t sum = SOFA_CHECKSUM_BEGIN;
  if (!ctx->provenance.open) return SOFA_OK;
  for (int r = 0; r < n; r++) {
    const uint64_t end = r + 1 < n ? run_begin(file, r + 1, n) : file->size;
    if (r == sofa_process_rank(ctx))
      SOFA_TRY(sofa_part_checksum(file, run_begin(file, r, n), end, &sum));
    SOFA_TRY(sofa_process_spread(ctx, r, sizeof sum, &sum));
  }
  return sofa_provenance_input(ctx, file->origin.file, sum);
}

/* Do all processes read the same file? Files of up to 4 MB are compared as they are, larger ones at
 * as many bytes, a thousand places of equal distances. */
static SofaErr check_same(const SofaPartFile *file) {
  enum { N_PLACES = 1024, PLACE = 4096 };
  uint64_t sums[2] = {file->size, SOFA_CHECKSUM_BEGIN};
  bool same;
  const uint64_t n = file->size / PLACE < N_PLACES ? file->size / PLACE + 1 : N_PLACES;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t at =
        n < N_PLACES ? i * PLACE : (file->size - PLACE) / (N_PLACES - 1) / 8 * i * 8;
    const uint64_t end = at + PLACE < file->size ? at + PLACE : file->size;
    SOFA_TRY(sofa_part_checksum(file, at, end, &sums[1]));
  }
  SOFA_TRY(sofa_process_same(file->ctx, sizeof sums, sums, &same));
  if (same) return SOFA_OK;
  return sofa_fail(file->ctx, SOFA_ERR_SCENE, &file->origin,
                   "the processes have different files of this name");
}

static SofaErr read_slice(SofaMeshLoader *loader, SofaMeshSlice *slice, bool *found) {
  const SofaLoaderOps *ops = (const SofaLoaderOps *)sofa_ops(&loader->object, SOFA_LOADER);
  SofaPartFile file = {.descriptor = -1};
  SofaErr err = SOFA_ERR_MEMORY;
  char *path = sofa_object_path(&loader->object);
  const SofaOrigin origin = {
      .file = loader->filename.path, .path = path, .emitter = loader->object.klass->name};
  if (!path) return err;
  SOFA_GO(err, done, sofa_part_open(loader->object.ctx, &origin, &file));
  SOFA_GO(err, done, check_same(&file));
  SOFA_GO(err, done, ops->read_slice(loader, &file, slice, found));
  if (*found) err = note_file(&file);
done:
  sofa_part_close(&file);
  sofa_free(loader->object.ctx, path);
  return err;
}

/* Lists per point of this process's run. */
typedef struct PointRuns {
  SofaVec3s normals;
  SofaIndices kept; /* with onlyAttachedPoints: the file's number of each */
} PointRuns;

static SofaErr finish_slice(SofaMeshLoader *loader, SofaMeshSlice *slice, PointRuns *runs) {
  SofaContext *ctx = loader->object.ctx;
  sofa_mesh_loader_transform(loader, &slice->mesh.position);
  if (loader->triangulate) SOFA_TRY(sofa_mesh_slice_triangulate(ctx, slice, loader->flip_normals));
  if (loader->create_subelements) SOFA_TRY(sofa_mesh_slice_add_subelements(ctx, slice));
  if (loader->only_attached_points) SOFA_TRY(sofa_mesh_slice_drop_unused(ctx, slice, &runs->kept));
  return sofa_mesh_slice_normals(ctx, slice, &runs->normals);
}

/* Of the points of this process: `size` bytes each. */
static SofaErr fetch_list(SofaMeshLoader *loader, size_t size, const void *run, void *list) {
  const SofaDivision *division = loader->division;
  SofaContext *ctx = loader->object.ctx;
  SOFA_TRY(sofa_list_resize(ctx, list, size, division->n));
  return sofa_slice_fetch(ctx, &(SofaSliceRun){division->n_whole, size, run}, division->n,
                          division->number.data, ((SofaAnyList *)list)->data);
}

static SofaErr fetch_lists(SofaMeshLoader *loader, const PointRuns *runs) {
  SOFA_TRY(
      fetch_list(loader, sizeof *runs->normals.data, runs->normals.data, &loader->data.normals));
  loader->kept_points.n = 0;
  if (!loader->only_attached_points) return SOFA_OK;
  return fetch_list(loader, sizeof *runs->kept.data, runs->kept.data, &loader->kept_points);
}

/* Do all processes make the same of the file? */
static SofaErr check_options(const SofaMeshLoader *loader) {
  const double options[] = {loader->waits, loader->triangulate, loader->create_subelements,
                            loader->flip_normals, loader->only_attached_points};
  const SofaVec3 *const vectors[] = {&loader->translation, &loader->rotation, &loader->scale3d};
  const char *name = loader->object.name;
  uint64_t sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, name, strlen(name));
  bool same;
  sum = sofa_checksum(sum, options, sizeof options);
  for (int k = 0; k < 3; k++) sum = sofa_checksum(sum, vectors[k], sizeof *vectors[k]);
  sum = sofa_checksum(sum, &loader->transformation, sizeof loader->transformation);
  SOFA_TRY(sofa_process_same(loader->object.ctx, sizeof sum, &sum, &same));
  if (same) return SOFA_OK;
  return sofa_object_fail(&loader->object, SOFA_ERR_SCENE,
                          "has other options, or a file of another kind, on another process");
}

/* *found false: the mesh is not one that is divided in slices. */
static SofaErr divide_slices(SofaMeshLoader *loader, bool *found) {
  SofaContext *ctx = loader->object.ctx;
  SofaMeshSlice slice = {0};
  PointRuns runs = {.normals = {0}};
  SofaErr err;
  SOFA_GO(err, done, read_slice(loader, &slice, found));
  if (*found) *found = sofa_mesh_slice_n_whole_volumes(&slice) > 0;
  if (!*found) goto done;
  loader->waits = false;
  loader->finished = true;
  SOFA_GO(err, done, sofa_division_check(&loader->object, sofa_mesh_slice_n_whole_volumes(&slice)));
  SOFA_GO(err, done, finish_slice(loader, &slice, &runs));
  SOFA_GO(err, done, divide(loader, &slice));
  SOFA_GO(err, done, fetch_lists(loader, &runs));
  const SofaLoaderOps *ops = (const SofaLoaderOps *)sofa_ops(&loader->object, SOFA_LOADER);
  if (ops->divide) SOFA_GO(err, done, ops->divide(loader));
  sofa_object_touch_outputs(&loader->object);
done:
  sofa_mesh_slice_free(ctx, &slice);
  sofa_list_free(ctx, &runs.normals);
  sofa_list_free(ctx, &runs.kept);
  return err;
}

SofaErr sofa_mesh_loader_divide(SofaMeshLoader *loader) {
  bool found = false;
  if (loader->division) return SOFA_OK;
  SOFA_TRY(check_options(loader));
  if (loader->waits) {
    SOFA_TRY(divide_slices(loader, &found));
    if (found) return SOFA_OK;
    sofa_mesh_data_free(loader->object.ctx, &loader->data); /* groups */
    SOFA_TRY(sofa_mesh_loader_complete(loader));
  }
  return divide_whole(loader);
}
