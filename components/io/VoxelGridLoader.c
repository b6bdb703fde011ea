/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VoxelGridLoader: hexahedra or points from the voxels of a raw image. */
#include "numerics/io/mesh_readers.h"
#include "numerics/io/object_file.h"
#include "object/data_graph.h"

typedef struct VoxelGridLoader {
  SofaObject object;
  SofaFileName filename;
  SofaMesh mesh;
  SofaVec3 voxel_size;
  SofaInts3 resolution;
  SofaInts roi, ignored, active;
  SofaInts values; /* of the voxels used */
  int header, segmentation_header;
  SofaIndices grid_index;
  bool hexahedra, loaded;
} VoxelGridLoader;

static const SofaField fields[] = {
    SOFA_FIELD(VoxelGridLoader, filename, "filename", NULL, "",
               "Raw image of one byte per voxel, x fastest.", .flags = SOFA_FIELD_REQUIRED,
               .aliases = "segmentationFile"),
    SOFA_FIELD(VoxelGridLoader, mesh.position, "position", NULL, "m",
               "Corners of the voxels, or their lower corners.", .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(VoxelGridLoader, mesh.hexahedra, "hexahedra", NULL, "1",
               "One hexahedron per voxel used.", .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(VoxelGridLoader, voxel_size, "voxelSize", "1 1 1", "m", "Edges of a voxel.",
               .range = SOFA_ABOVE(0)),
    SOFA_FIELD(VoxelGridLoader, resolution, "resolution", "0 0 0", "1",
               "Voxels along x, y, z, each at least 1.", .flags = SOFA_FIELD_REQUIRED),
    SOFA_FIELD(VoxelGridLoader, roi, "ROI", "0 0 0 65535 65535 65535", "1",
               "First and last voxel along x, y, z; clamped to the image.", ),
    SOFA_FIELD(VoxelGridLoader, header, "header", "0", "byte", "Bytes in front of the voxels.",
               .range = SOFA_AT_LEAST(0)),
    SOFA_FIELD(VoxelGridLoader, segmentation_header, "segmentationHeader", "0", "byte", "Not used.",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(VoxelGridLoader, grid_index, "idxInRegularGrid", NULL, "1",
               "Rank in the image of each voxel used.", .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(VoxelGridLoader, values, "voxelValues", NULL, "1",
               "Value of each voxel used, 0 to 255.", .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(VoxelGridLoader, ignored, "bgValue", NULL, "1",
               "Values of voxels that are left out; not looked at when dataValue is given.", ),
    SOFA_FIELD(VoxelGridLoader, active, "dataValue", NULL, "1",
               "Values of voxels that are used; default: all.", ),
    SOFA_FIELD(VoxelGridLoader, hexahedra, "generateHexa", "1", "",
               "Make hexahedra; otherwise a point per voxel.", ),
};

static SofaErr read_voxels(void *user, const SofaFileBytes *file) {
  VoxelGridLoader *loader = (VoxelGridLoader *)user;
  SofaVoxelOptions options = {.header_size = (size_t)loader->header,
                              .voxel_size = loader->voxel_size,
                              .active = loader->active,
                              .ignored = loader->ignored,
                              .hexahedra = loader->hexahedra};
  // a scene may have given the outputs, too
  sofa_mesh_free(loader->object.ctx, &loader->mesh);
  loader->grid_index.n = 0;
  sofa_copy(options.resolution, loader->resolution.v, sizeof options.resolution);
  sofa_copy(options.roi, loader->roi.data, sizeof options.roi);
  SOFA_TRY(
      sofa_voxels_read(loader->object.ctx, file, &options, &loader->mesh, &loader->grid_index));
  SOFA_TRY(SOFA_RESIZE(loader->object.ctx, &loader->values, loader->grid_index.n));
  for (size_t i = 0; i < loader->values.n; i++)
    loader->values.data[i] =
        (unsigned char)file->bytes[options.header_size + loader->grid_index.data[i]];
  return SOFA_OK;
}

static SofaErr check(const VoxelGridLoader *loader) {
  const SofaObject *object = &loader->object;
  if (loader->roi.n != 6)
    return sofa_field_fail(object, "ROI", SOFA_ERR_PARSE, "%zu numbers, expected 6", loader->roi.n);
  return SOFA_OK;
}

static SofaErr load(VoxelGridLoader *loader) {
  SofaObject *object = &loader->object;
  SofaErr err = check(loader);
  if (err == SOFA_OK)
    err = sofa_object_read_file(object, "filename", &loader->filename, read_voxels, loader);
  loader->loaded = true;
  object->component_state.index = err == SOFA_OK ? SOFA_VALID : SOFA_INVALID;
  sofa_object_touch_outputs(object);
  return err;
}

/* The file is read with the scene unless another object's fields say how. */
static SofaErr parsed(SofaObject *object) {
  return sofa_object_has_linked_inputs(object) ? SOFA_OK : load((VoxelGridLoader *)object);
}

static SofaErr init(SofaObject *object) {
  VoxelGridLoader *loader = (VoxelGridLoader *)object;
  return loader->loaded ? SOFA_OK : load(loader);
}

SOFA_CLASS(VoxelGridLoader) = {
    SOFA_NAMED(VoxelGridLoader),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Makes a hexahedron or a point of each voxel of a raw image.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .parsed = parsed,
    .init = init,
};
