/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ExtrudeQuadsAndGenerateHexas: layers of hexahedra on a surface of quads. */

#include "components/engine/engine.h"
#include "numerics/spatial/face_normals.h"

typedef struct ExtrudeQuadsAndGenerateHexas {
  SofaObject object;
  bool visible, flip;
  SofaVec3 scale;
  double in, out;
  int slices;
  SofaVec3s surface, vertices;
  SofaQuads surface_quads, bottom, quads;
  SofaHexas hexas;
} ExtrudeQuadsAndGenerateHexas;

typedef ExtrudeQuadsAndGenerateHexas SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(visible, "isVisible", "1", "draw it"),
    SOFA_ROW_INPUT(scale, "scale", "1 1 1", "1", "scale of the surface, not of the thickness"),
    SOFA_ROW_INPUT(in, "thicknessIn", "0", "m", "the layers begin this far against the normals"),
    SOFA_ROW_INPUT(out, "thicknessOut", "1", "m", "they end this far along the normals"),
    SOFA_ROW_INPUT(slices, "numberOfSlices", "1", "", "number of layers",
                   .range = SOFA_WITHIN(1, 100000)),
    SOFA_ROW_INPUT(flip, "flipNormals", "0", "",
                   "number the corners of hexahedra the other way round"),
    SOFA_ROW_INPUT(surface, "surfaceVertices", NULL, "m", "points of the surface"),
    SOFA_ROW_INPUT(surface_quads, "surfaceQuads", NULL, "", "quads of the surface"),
    SOFA_ROW_OUTPUT(vertices, "extrudedVertices", "m", "for each point of the surface its copies"),
    SOFA_ROW_OUTPUT(bottom, "extrudedSurfaceQuads", "", "quads of the first copy"),
    SOFA_ROW_OUTPUT(quads, "extrudedQuads", "",
                    "all quads; quads between layers with both orientations"),
    SOFA_ROW_OUTPUT(hexas, "extrudedHexas", "", "hexahedra, quad by quad"),
};

/* Copy s of a point. */
static uint32_t copy(const ExtrudeQuadsAndGenerateHexas *e, uint32_t point, int s) {
  return point * (uint32_t)(e->slices + 1) + (uint32_t)s;
}

static SofaErr add_parallel(ExtrudeQuadsAndGenerateHexas *e, SofaQuads *list, const uint32_t *v,
                            int s, bool reversed) {
  SofaQuad q;
  for (int k = 0; k < 4; k++) q.v[k] = copy(e, v[reversed ? 3 - k : k], s);
  return SOFA_APPEND(e->object.ctx, list, &q);
}

static SofaErr add_quads(ExtrudeQuadsAndGenerateHexas *e, const uint32_t *v) {
  SOFA_TRY(add_parallel(e, &e->quads, v, 0, false));
  SOFA_TRY(add_parallel(e, &e->quads, v, e->slices, true));
  for (int s = 1; s < e->slices; s++) {
    SOFA_TRY(add_parallel(e, &e->quads, v, s, false));
    SOFA_TRY(add_parallel(e, &e->quads, v, s, true));
  }
  for (int s = 0; s < e->slices; s++)
    for (int k = 0; k < 4; k++) {
      const uint32_t a = v[k], b = v[(k + 1) % 4];
      const SofaQuad q = {{copy(e, a, s), copy(e, a, s + 1), copy(e, b, s + 1), copy(e, b, s)}};
      SOFA_TRY(SOFA_APPEND(e->object.ctx, &e->quads, &q));
    }
  return SOFA_OK;
}

static SofaErr add_hexas(ExtrudeQuadsAndGenerateHexas *e, const uint32_t *v) {
  for (int s = 0; s < e->slices; s++) {
    SofaHexa h;
    for (int k = 0; k < 8; k++) h.v[k] = copy(e, v[e->flip ? k % 4 : 3 - k % 4], s + k / 4);
    SOFA_TRY(SOFA_APPEND(e->object.ctx, &e->hexas, &h));
  }
  return SOFA_OK;
}

static SofaErr add_points(ExtrudeQuadsAndGenerateHexas *e, SofaVec3 *normals) {
  const double step = (e->in + e->out) / e->slices;
  sofa_zero(normals, e->surface.n * sizeof *normals);
  for (size_t q = 0; q < e->surface_quads.n; q++)
    face_normals_add(e->surface.data, e->surface_quads.data[q].v, 4, normals);
  face_normals_finish(normals, e->surface.n);
  for (size_t i = 0; i < e->surface.n; i++)
    for (int s = 0; s <= e->slices; s++) {
      SofaVec3 p = e->surface.data[i];
      for (int c = 0; c < 3; c++) p.v[c] *= e->scale.v[c];
      sofa_vec3_axpy(s * step - e->in, normals[i].v, p.v);
      SOFA_TRY(SOFA_APPEND(e->object.ctx, &e->vertices, &p));
    }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  ExtrudeQuadsAndGenerateHexas *e = (ExtrudeQuadsAndGenerateHexas *)object;
  e->vertices.n = e->bottom.n = e->quads.n = e->hexas.n = 0;
  SOFA_TRY(ENGINE_CHECK(object, "surfaceQuads", &e->surface_quads, e->surface.n));
  if (!e->surface_quads.n) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  SofaVec3 *normals = SOFA_SCRATCH(object->ctx, SofaVec3, e->surface.n);
  SofaErr err = normals ? add_points(e, normals) : SOFA_ERR_MEMORY;
  sofa_scratch_release(object->ctx, mark);
  for (size_t q = 0; !err && q < e->surface_quads.n; q++) {
    const uint32_t *v = e->surface_quads.data[q].v;
    err = add_parallel(e, &e->bottom, v, 0, false);
    if (!err) err = add_quads(e, v);
    if (!err) err = add_hexas(e, v);
  }
  return err;
}

ENGINE_CLASS(ExtrudeQuadsAndGenerateHexas, "Generate",
             "Puts layers of hexahedra on a surface of quads.", .templates = engine_vec3_templates,
             .init = engine_init, );
