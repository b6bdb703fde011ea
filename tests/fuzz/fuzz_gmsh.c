/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: the reader of Gmsh files, and what loaders do to a mesh afterwards. */
#include "fuzz.h"

#include "topology/mesh_finish.h"
#include "numerics/io/gmsh_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t said = 0, element;
  SofaElementKind kind;
  SofaMeshData data = {0};
  SofaContext *ctx = fuzz_context(&said);
  char *copy = fuzz_copy(bytes, size);
  if (ctx && copy && sofa_gmsh_read(ctx, &(SofaFileBytes){NULL, copy, size}, &data) == SOFA_OK) {
    // what was read is consistent
    if (!sofa_mesh_check(&data.mesh, data.mesh.position.n, &kind, &element)) abort();
    if (sofa_mesh_add_subelements(ctx, &data.mesh) == SOFA_OK &&
        sofa_mesh_drop_unused(ctx, &data.mesh, NULL) == SOFA_OK)
      (void)sofa_mesh_normals(ctx, &data.mesh, &data.normals);
  }
  if (ctx) sofa_mesh_data_free(ctx, &data);
  free(copy);
  sofa_context_destroy(&ctx);
  return 0;
}
