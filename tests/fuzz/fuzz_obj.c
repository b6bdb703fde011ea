/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: the readers of OBJ files and material libraries. The first byte picks the options.
 */
#include "fuzz.h"

#include "numerics/io/obj_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t said = 0, element;
  SofaElementKind kind;
  SofaMeshData data = {0};
  SofaObjData obj = {0};
  SofaMaterials materials = {0};
  SofaContext *ctx = fuzz_context(&said);
  const uint8_t bits = size ? bytes[0] : 0;
  const SofaObjOptions options = {.faces = {.flip_normals = bits & 1, .triangulate = bits & 2},
                                  .handle_seams = bits & 4};
  char *copy = fuzz_copy(bytes, size);
  const SofaFileBytes file = {NULL, copy, size};
  if (ctx && copy && bits & 8) (void)sofa_mtl_read(ctx, &file, &materials);
  if (ctx && copy && !(bits & 8) && sofa_obj_read(ctx, &file, &options, &data, &obj) == SOFA_OK &&
      !sofa_mesh_check(&data.mesh, data.mesh.position.n, &kind, &element))
    abort();
  if (ctx) {
    sofa_mesh_data_free(ctx, &data);
    sofa_obj_data_free(ctx, &obj);
    sofa_materials_free(ctx, &materials);
  }
  free(copy);
  sofa_context_destroy(&ctx);
  return 0;
}
