/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ExtrudeEdgesAndGenerateQuads: a surface of quads that a moving curve leaves. */
#include "components/engine/engine.h"
#include "math/vec.h"

typedef struct ExtrudeEdgesAndGenerateQuads {
  SofaObject object;
  SofaVec3 direction;
  double in, out;
  int sections;
  SofaVec3s curve, vertices;
  SofaEdges curve_edges, edges;
  SofaQuads quads;
} ExtrudeEdgesAndGenerateQuads;

typedef ExtrudeEdgesAndGenerateQuads SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(direction, "extrudeDirection", "1 0 0", "", "direction, not 0",
                   .range = SOFA_DIRECTION),
    SOFA_ROW_INPUT(in, "thicknessIn", "0", "m",
                   "the surface begins this far against the direction"),
    SOFA_ROW_INPUT(out, "thicknessOut", "1", "m", "it ends this far along the direction"),
    SOFA_ROW_INPUT(sections, "numberOfSections", "1", "", "number of steps",
                   .range = SOFA_WITHIN(1, 100000)),
    SOFA_ROW_INPUT(curve, "curveVertices", NULL, "m", "points of the curve"),
    SOFA_ROW_INPUT(curve_edges, "curveEdges", NULL, "", "edges of the curve"),
    SOFA_ROW_OUTPUT(vertices, "extrudedVertices", "m", "points, section by section"),
    SOFA_ROW_OUTPUT(
        edges, "extrudedEdges", "",
        "for each edge of the curve its copies, then the edges across; for an open curve also "
        "the edges across its end"),
    SOFA_ROW_OUTPUT(quads, "extrudedQuads", "", "quads, edge by edge"),
};

static SofaErr add_edge(ExtrudeEdgesAndGenerateQuads *e, size_t a, size_t b) {
  const SofaEdge edge = {{(uint32_t)a, (uint32_t)b}};
  return SOFA_APPEND(e->object.ctx, &e->edges, &edge);
}

static SofaErr extrude_edge(ExtrudeEdgesAndGenerateQuads *e, const uint32_t *v) {
  const size_t n = e->curve.n, steps = (size_t)e->sections;
  for (size_t s = 0; s <= steps; s++) SOFA_TRY(add_edge(e, v[0] + s * n, v[1] + s * n));
  for (size_t s = 0; s < steps; s++) {
    const size_t a = v[0] + s * n, b = v[1] + s * n;
    const SofaQuad q = {{(uint32_t)a, (uint32_t)b, (uint32_t)(b + n), (uint32_t)(a + n)}};
    SOFA_TRY(add_edge(e, a, a + n));
    SOFA_TRY(SOFA_APPEND(e->object.ctx, &e->quads, &q));
  }
  return SOFA_OK;
}

static SofaErr extrude_points(ExtrudeEdgesAndGenerateQuads *e, double length) {
  const double step = (e->in + e->out) / e->sections;
  for (int s = 0; s <= e->sections; s++)
    for (size_t i = 0; i < e->curve.n; i++) {
      SofaVec3 p = e->curve.data[i];
      sofa_vec3_axpy((s * step - e->in) / length, e->direction.v, p.v);
      SOFA_TRY(SOFA_APPEND(e->object.ctx, &e->vertices, &p));
    }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  ExtrudeEdgesAndGenerateQuads *e = (ExtrudeEdgesAndGenerateQuads *)object;
  const double length = sofa_vec3_norm(e->direction.v);
  const size_t n = e->curve.n;
  e->vertices.n = e->edges.n = e->quads.n = 0;
  SOFA_TRY(ENGINE_CHECK(object, "curveEdges", &e->curve_edges, n));
  if (!n || !e->curve_edges.n) return SOFA_OK;
  SOFA_TRY(extrude_points(e, length));
  for (size_t i = 0; i < e->curve_edges.n; i++) SOFA_TRY(extrude_edge(e, e->curve_edges.data[i].v));
  const size_t last = e->curve_edges.data[e->curve_edges.n - 1].v[1];
  for (size_t s = 0; e->curve_edges.n < n && s < (size_t)e->sections; s++)
    SOFA_TRY(add_edge(e, last + s * n, last + (s + 1) * n));
  return SOFA_OK;
}

ENGINE_CLASS(ExtrudeEdgesAndGenerateQuads, "Generate",
             "Makes the surface of quads that a moving curve leaves.",
             .templates = engine_vec3_templates, .init = engine_init, );
