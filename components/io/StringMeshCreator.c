/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StringMeshCreator: points on a line and the edges between them. */
#include "behavior/loader.h"

typedef struct StringMeshCreator {
  SofaMeshLoader loader;
  uint32_t resolution;
} StringMeshCreator;

static const SofaField fields[] = {
    SOFA_FIELD(StringMeshCreator, resolution, "resolution", "2", "1",
               "Number of points from (0, 0, 0) to (1, 0, 0) before transformation.",
               .range = SOFA_WITHIN(2, INT32_MAX)),
};

static SofaErr make(SofaMeshLoader *loader) {
  const uint32_t n = ((const StringMeshCreator *)loader)->resolution;
  SofaContext *ctx = loader->object.ctx;
  SofaMesh *mesh = &loader->data.mesh;
  SOFA_TRY(SOFA_RESIZE(ctx, &mesh->position, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &mesh->edges, n - 1));
  for (uint32_t i = 0; i < n; i++) mesh->position.data[i].v[0] = i * 1.0 / (n - 1);
  for (uint32_t i = 1; i < n; i++) mesh->edges.data[i - 1] = (SofaEdge){{i - 1, i}};
  return SOFA_OK;
}

static const SofaLoaderOps ops = {.make = make};

SOFA_CLASS(StringMeshCreator) = {
    SOFA_NAMED(StringMeshCreator),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Makes a line of points with the edges between them.",
    .base = &sofa_mesh_loader_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_LOADER, &ops}),
};
