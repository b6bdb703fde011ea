/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshSubsetEngine: the part of a mesh on chosen points. */

#include "components/engine/engine.h"

typedef struct MeshSubsetEngine {
  SofaObject object;
  SofaMesh in, out;
  SofaIndices indices;
} MeshSubsetEngine;

#define ROWS(member, in_name, xml)                                                                 \
  SOFA_ROW_INPUT(in.member, in_name, NULL, "", xml " of the mesh"),                                \
      SOFA_ROW_OUTPUT(out.member, xml, "", xml " of the subset")

typedef MeshSubsetEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    ROWS(position, "inputPosition", "position"),
    ROWS(edges, "inputEdges", "edges"),
    ROWS(triangles, "inputTriangles", "triangles"),
    ROWS(quads, "inputQuads", "quads"),
    ROWS(tetrahedra, "inputTetrahedra", "tetrahedra"),
    ROWS(hexahedra, "inputHexahedra", "hexahedra"),
    SOFA_ROW_INPUT(indices, "indices", NULL, "", "points of the subset, in order"),
};

/* Copies the elements all whose points have a new number. */
static SofaErr extract(MeshSubsetEngine *s, SofaElementKind kind, const uint32_t *number) {
  const SofaElements in = sofa_mesh_elements(&s->in, kind);
  void *out = sofa_mesh_list(&s->out, kind);
  for (size_t e = 0; e < in.n; e++) {
    uint32_t v[8];
    unsigned k = 0;
    while (k < in.width && number[in.v[e * in.width + k]] != UINT32_MAX) {
      v[k] = number[in.v[e * in.width + k]];
      k++;
    }
    if (k == in.width) SOFA_TRY(sofa_list_append(s->object.ctx, out, in.width * sizeof *v, v));
  }
  return SOFA_OK;
}

static SofaErr fill(MeshSubsetEngine *s, const SofaElementKind *kinds, size_t n) {
  SofaContext *ctx = s->object.ctx;
  uint32_t *number = SOFA_SCRATCH(ctx, uint32_t, s->in.position.n);
  if (!number) return SOFA_ERR_MEMORY;
  sofa_fill(number, 0xff, s->in.position.n * sizeof *number);
  for (size_t i = 0; i < s->indices.n; i++) {
    number[s->indices.data[i]] = (uint32_t)i;
    SOFA_TRY(SOFA_APPEND(ctx, &s->out.position, &s->in.position.data[s->indices.data[i]]));
  }
  for (size_t k = 0; k < n; k++) SOFA_TRY(extract(s, kinds[k], number));
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  static const SofaElementKind kinds[] = {SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TRIANGLE,
                                          SOFA_ELEMENT_QUAD, SOFA_ELEMENT_TETRA, SOFA_ELEMENT_HEXA};
  static const char *const names[] = {"inputEdges", "inputTriangles", "inputQuads",
                                      "inputTetrahedra", "inputHexahedra"};
  MeshSubsetEngine *s = (MeshSubsetEngine *)object;
  const size_t n = sizeof kinds / sizeof *kinds;
  s->out.position.n = 0;
  for (size_t k = 0; k < n; k++) ((SofaIndices *)sofa_mesh_list(&s->out, kinds[k]))->n = 0;
  SOFA_TRY(ENGINE_CHECK(object, "indices", &s->indices, s->in.position.n));
  for (size_t k = 0; k < n; k++) {
    const SofaElements e = sofa_mesh_elements(&s->in, kinds[k]);
    SOFA_TRY(engine_check(object, names[k], e, s->in.position.n, "points"));
  }
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  const SofaErr err = fill(s, kinds, n);
  sofa_scratch_release(object->ctx, mark);
  return err;
}

ENGINE_CLASS(MeshSubsetEngine, "Select", "Gives the part of a mesh on chosen points.",
             .templates = engine_vec3_templates, .init = engine_init, );
