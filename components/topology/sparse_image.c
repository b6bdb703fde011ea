/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sparse grids of voxels: where the image comes from, its cells, and its surface for others. */
#include <math.h>
#include <string.h>

#include "base/files.h"
#include "numerics/io/object_file.h"
#include "sparse_topology.h"

typedef struct ImageReader {
  SofaContext *ctx;
  SofaVoxelImage *image;
} ImageReader;

static SofaErr read_raw(void *user, const SofaFileBytes *file) {
  const ImageReader *r = (const ImageReader *)user;
  return sofa_voxel_image_raw(r->ctx, file, r->image);
}

static SofaErr read_text(void *user, const SofaFileBytes *file) {
  const ImageReader *r = (const ImageReader *)user;
  return sofa_voxel_image_text(r->ctx, file, r->image);
}

/* A VoxelGridLoader in the node or above. */
static const SofaObject *find_loader(const SofaNode *node) {
  for (; node; node = sofa_node_parent(node))
    for (size_t i = 0; i < node->objects.n; i++)
      if (strcmp(node->objects.data[i]->klass->name, "VoxelGridLoader") == 0)
        return node->objects.data[i];
  return NULL;
}

static const void *value_of(const SofaObject *object, const char *field) {
  return sofa_field_value(object, sofa_class_field(object->klass, field));
}

/* The voxels that the loader uses. */
static SofaErr take_loader(SofaContext *ctx, const SofaObject *loader, SofaVoxelImage *image) {
  const SofaInts3 *resolution = value_of(loader, "resolution");
  const SofaVec3 *size = value_of(loader, "voxelSize");
  const SofaIndices *used = value_of(loader, "idxInRegularGrid");
  if (!sofa_valid(loader)) return SOFA_OK;
  for (int k = 0; k < 3; k++) image->n[k] = resolution->v[k], image->size[k] = size->v[k];
  SOFA_TRY(SOFA_RESIZE(ctx, &image->used,
                       (size_t)image->n[0] * (size_t)image->n[1] * (size_t)image->n[2]));
  sofa_zero(image->used.data, image->used.n * sizeof *image->used.data);
  for (size_t i = 0; i < used->n; i++) image->used.data[used->data[i]] = true;
  return SOFA_OK;
}

/* Voxels of a file or a loader; *found: the grid is made of them. */
static SofaErr find_image(SofaSparseTopology *s, SofaVoxelImage *image, bool *found) {
  SofaTopology *t = &s->mesh_topology.topology;
  const bool file = t->filename.text && *t->filename.text;
  const char *extension = file ? sofa_path_extension(t->filename.text) : "";
  const bool raw = strcmp(extension, "raw") == 0;
  ImageReader reader = {t->object.ctx, image};
  *found = raw || strcmp(extension, "voxel") == 0;
  if (*found) {
    for (int k = 0; k < 3; k++) {
      image->n[k] = s->data_resolution.v[k];
      image->size[k] = s->voxel_size.v[k];
      if (raw && (image->n[k] < 1 || !(image->size[k] > 0)))
        return sofa_field_fail(&t->object, image->n[k] < 1 ? "dataResolution" : "voxelSize",
                               SOFA_ERR_RANGE, "is %g along axis %d; it must be %s",
                               image->n[k] < 1 ? image->n[k] : image->size[k], k,
                               image->n[k] < 1 ? "at least 1" : "> 0");
    }
    SOFA_TRY(sofa_object_read_file(&t->object, "filename", &t->filename, raw ? read_raw : read_text,
                                   &reader));
    // the cells of a text are those of the grid
    for (int k = 0; !raw && k < 3; k++)
      s->n.v[k] = (int)((image->n[k] - 1) / ldexp(1, s->n_finer)) + 2;
    return SOFA_OK;
  }
  const SofaObject *loader = file || t->mesh.position.n ? NULL : find_loader(t->object.node);
  if (loader) SOFA_TRY(take_loader(t->object.ctx, loader, image));
  *found = image->used.n > 0;
  return SOFA_OK;
}

/* A mesh below that has neither points nor triangles. */
static SofaTopology *find_empty(const SofaNode *node) {
  for (size_t i = 0; i < node->children.n; i++) {
    const SofaNode *child = node->children.data[i];
    SofaTopology *t = (SofaTopology *)sofa_node_find(child, SOFA_TOPOLOGY, SOFA_SEARCH_LOCAL);
    const bool mesh = t && (t->container == SOFA_CONTAINER_MESH ||
                            strcmp(t->object.klass->name, "TriangleSetTopologyContainer") == 0);
    if (mesh && !t->mesh.position.n && !t->mesh.triangles.n &&
        !(t->filename.text && *t->filename.text))
      return t;
    t = find_empty(child);
    if (t) return t;
  }
  return NULL;
}

static SofaErr make_surface(SofaSparseTopology *s, const SofaVoxelImage *image) {
  SofaObject *object = &s->mesh_topology.topology.object;
  SOFA_TRY(sofa_voxel_image_surface(object->ctx, image, s->marching_cube_step, s->convolution_size,
                                    &s->surface_points, &s->surface_triangles));
  sofa_field_touch_name(object, "surfacePosition");
  sofa_field_touch_name(object, "surfaceTriangles");
  SofaTopology *below = find_empty(object->node);
  if (!below || sofa_field_is_set(&below->object, "position") ||
      sofa_field_is_set(&below->object, "triangles"))
    return SOFA_OK;
  SOFA_TRY(sofa_list_copy(object->ctx, &below->mesh.position, &s->surface_points,
                          sizeof *s->surface_points.data));
  return sofa_list_copy(object->ctx, &below->mesh.triangles, &s->surface_triangles,
                        sizeof *s->surface_triangles.data);
}

/* The box of an image. */
static void set_image_box(SofaSparseTopology *s, const SofaVoxelImage *image) {
  for (int k = 0; k < 3; k++) {
    s->min.v[k] = 0;
    s->max.v[k] = image->n[k] * image->size[k];
  }
  sofa_field_touch_name(&s->mesh_topology.topology.object, "min");
  sofa_field_touch_name(&s->mesh_topology.topology.object, "max");
}

SofaErr sofa_sparse_take_image(SofaSparseTopology *s, SofaVoxelImage *image, bool *found) {
  SOFA_TRY(find_image(s, image, found));
  if (!*found) return SOFA_OK;
  set_image_box(s, image);
  return make_surface(s, image);
}

SofaErr sofa_sparse_fill_image(SofaSparseTopology *s, const SofaVoxelImage *image,
                               SofaSparseLevel *finest) {
  SofaContext *ctx = s->mesh_topology.topology.object.ctx;
  const char *name = s->mesh_topology.topology.filename.text;
  const bool as_image = name && strcmp(sofa_path_extension(name), "voxel") == 0;
  for (int k = 0; as_image && k < 3; k++) {
    finest->n[k] = image->n[k] + 1;
    finest->step[k] = image->size[k];
  }
  double *share = sofa_alloc(ctx, sofa_sparse_n_cells(finest), sizeof *share);
  if (!share) return SOFA_ERR_MEMORY;
  sofa_voxel_image_shares(image, finest, share);
  const SofaErr err = sofa_sparse_level_fill(ctx, share, &s->options, finest);
  sofa_free(ctx, share);
  return err;
}
