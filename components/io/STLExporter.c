/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* STLExporter: writes triangles as STL, binary or text. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "behavior/state.h"
#include "topology/topology.h"
#include "behavior/visual_model.h"
#include "components/io/exporter.h"
#include "components/io/whole_mesh.h"
#include "math/vec.h"

typedef struct STLExporter {
  Exporter exporter;
  bool binary;
  SofaVec3s position;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaState *visual, *state;
  SofaTopology *topology;
  SofaReals points;     /* of a divided mesh: those of the whole; owned */
  SofaIndices whole[2]; /* its triangles and quads; owned */
  SofaTriangles whole_triangles;
  SofaQuads whole_quads; /* the same, borrowed */
} STLExporter;

static const SofaField fields[] = {
    SOFA_FIELD(STLExporter, binary, "binaryformat", "1", "",
               "binary, coordinates with 7 digits; otherwise text"),
    SOFA_FIELD(
        STLExporter, position, "position", NULL, "m",
        "points to write; default: those of the node's visual model, else of its state, else "
        "of its topology"),
    SOFA_FIELD(STLExporter, triangles, "triangle", NULL, "1",
               "triangles to write; default: those of the model or topology",
               .aliases = "triangles"),
    SOFA_FIELD(STLExporter, quads, "quad", NULL, "1",
               "quads to write, each cut into two triangles; default as for triangles",
               .aliases = "quads"),
};

/* What one file shows, borrowed. */
typedef struct Facets {
  const double *x; /* 3 per point */
  size_t n_points;
  const SofaTriangles *triangles;
  const SofaQuads *quads;
} Facets;

static SofaErr init(SofaObject *object) {
  STLExporter *e = (STLExporter *)object;
  e->visual = (SofaState *)sofa_node_find(object->node, SOFA_VISUAL_MODEL, SOFA_SEARCH_LOCAL);
  e->topology = (SofaTopology *)sofa_node_find(object->node, SOFA_TOPOLOGY, SOFA_SEARCH_LOCAL);
  e->state = (SofaState *)sofa_node_find(object->node, SOFA_MECHANICAL_STATE, SOFA_SEARCH_LOCAL);
  if (e->state && sofa_state_kind_info(e->state->object.kind)->coord != 3) e->state = NULL;
  if (e->position.n || e->visual || e->topology) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "no position, and no visual model and no topology in this node");
}

static SofaErr collect(STLExporter *e, Facets *f) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaSurface surface;
  if (sofa_field_is_set(&e->exporter.object, "position")) {
    *f = (Facets){e->position.n ? e->position.data->v : NULL, e->position.n, &e->triangles,
                  &e->quads};
  } else if (e->visual) {
    SOFA_TRY(sofa_visual_model_ops(e->visual)->surface(e->visual, &surface));
    *f = (Facets){surface.position, surface.n_points, surface.triangles, surface.quads};
  } else {
    *f = (Facets){.triangles = sofa_topology_triangles(e->topology),
                  .quads = sofa_topology_quads(e->topology)};
    if (e->state) {
      f->x = e->state->position.data;
      f->n_points = e->state->position.n;
    } else {
      SOFA_TRY(SOFA_RESIZE(ctx, &e->position, e->topology->n_points));
      for (size_t i = 0; i < e->position.n; i++)
        sofa_topology_point(e->topology, i, e->position.data[i].v);
      f->x = e->position.n ? e->position.data->v : NULL;
      f->n_points = e->position.n;
    }
  }
  if (e->triangles.n) f->triangles = &e->triangles;
  if (e->quads.n) f->quads = &e->quads;
  return SOFA_OK;
}

/* ---- meshes that are divided among processes ---- */

static const SofaDivision *division_of(const STLExporter *e) {
  const SofaObject *object = &e->exporter.object;
  if (sofa_field_is_set(object, "position"))
    return sofa_field_division(object, sofa_class_field(object->klass, "position"));
  if (e->visual) return sofa_state_division(e->visual);
  return e->state ? sofa_state_division(e->state) : sofa_topology_division(e->topology);
}

/* The division of the facets: of a field, or of the topology. */
static const SofaDivision *division_of_facets(const STLExporter *e, const char *name,
                                              SofaElementKind kind) {
  const SofaObject *object = &e->exporter.object;
  if (sofa_field_is_set(object, name))
    return sofa_field_division(object, sofa_class_field(object->klass, name));
  return e->topology ? sofa_topology_list_division(e->topology, kind) : NULL;
}

/* The first process gets all, the others nothing. */
static SofaErr gather(STLExporter *e, Facets *f) {
  SofaContext *ctx = e->exporter.object.ctx;
  const SofaDivision *division = division_of(e);
  if (!division) return SOFA_OK;
  if (e->visual && !sofa_field_is_set(&e->exporter.object, "position"))
    return sofa_object_undivided(&e->exporter.object,
                                 "a visual model whose points are divided among processes");
  const PartOfCells triangles = {
      division,
      division_of_facets(e, "triangle", SOFA_ELEMENT_TRIANGLE),
      SOFA_ELEMENT_TRIANGLE,
      {(const uint32_t *)(const void *)f->triangles->data, f->triangles->n, 3}};
  const PartOfCells quads = {division,
                             division_of_facets(e, "quad", SOFA_ELEMENT_QUAD),
                             SOFA_ELEMENT_QUAD,
                             {(const uint32_t *)(const void *)f->quads->data, f->quads->n, 4}};
  SOFA_TRY(whole_mesh_points(ctx, division, f->x, &e->points));
  SOFA_TRY(whole_mesh_cells(ctx, &triangles, &e->whole[0]));
  SOFA_TRY(whole_mesh_cells(ctx, &quads, &e->whole[1]));
  e->whole_triangles =
      (SofaTriangles){.data = (SofaTriangle *)(void *)e->whole[0].data, .n = e->whole[0].n / 3};
  e->whole_quads =
      (SofaQuads){.data = (SofaQuad *)(void *)e->whole[1].data, .n = e->whole[1].n / 4};
  *f = (Facets){e->points.data, e->points.n / 3, &e->whole_triangles, &e->whole_quads};
  return SOFA_OK;
}

/* ---- facets ---- */

static void normal_of(const double *const p[3], double normal[3]) {
  double u[3], v[3];
  for (int k = 0; k < 3; k++) u[k] = p[1][k] - p[0][k], v[k] = p[2][k] - p[0][k];
  sofa_vec3_cross(u, v, normal);
  const double length = sofa_vec3_norm(normal);
  for (int k = 0; k < 3; k++) normal[k] = length > 0 ? normal[k] / length : 0;
}

static SofaErr append_reals(STLExporter *e, const char *word, const double x[3]) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaText *text = &e->exporter.text;
  SOFA_TRY(sofa_text_printf(ctx, text, "%s", word));
  for (int k = 0; k < 3; k++) {
    SOFA_TRY(sofa_text_append(ctx, text, " ", 1));
    SOFA_TRY(sofa_text_real(ctx, text, x[k], 9));
  }
  return sofa_text_append(ctx, text, "\n", 1);
}

/* 32 bits, little-endian. */
static SofaErr append32(STLExporter *e, uint32_t value) {
  const char bytes[4] = {(char)value, (char)(value >> 8), (char)(value >> 16), (char)(value >> 24)};
  return sofa_text_append(e->exporter.object.ctx, &e->exporter.text, bytes, 4);
}

static SofaErr append_floats(STLExporter *e, const double x[3]) {
  for (int k = 0; k < 3; k++) {
    const float value = (float)x[k];
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    SOFA_TRY(append32(e, bits));
  }
  return SOFA_OK;
}

static SofaErr add_facet(STLExporter *e, const Facets *f, uint32_t a, uint32_t b, uint32_t c) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaText *text = &e->exporter.text;
  const uint32_t v[3] = {a, b, c};
  const double *p[3];
  double normal[3];
  for (int k = 0; k < 3; k++) {
    if (v[k] >= f->n_points)
      return sofa_object_fail(&e->exporter.object, SOFA_ERR_RANGE,
                              "a face names point %u, there are %zu points", v[k], f->n_points);
    p[k] = f->x + 3 * (size_t)v[k];
  }
  normal_of(p, normal);
  if (e->binary) {
    SOFA_TRY(append_floats(e, normal));
    for (int k = 0; k < 3; k++) SOFA_TRY(append_floats(e, p[k]));
    return sofa_text_append(ctx, text, "\0", 2);
  }
  SOFA_TRY(append_reals(e, "facet normal", normal));
  SOFA_TRY(sofa_text_printf(ctx, text, "  outer loop\n"));
  for (int k = 0; k < 3; k++) SOFA_TRY(append_reals(e, "    vertex", p[k]));
  return sofa_text_printf(ctx, text, "  endloop\nendfacet\n");
}

static SofaErr add_facets(STLExporter *e, const Facets *f) {
  for (size_t i = 0; f->triangles && i < f->triangles->n; i++) {
    const uint32_t *v = f->triangles->data[i].v;
    SOFA_TRY(add_facet(e, f, v[0], v[1], v[2]));
  }
  for (size_t i = 0; f->quads && i < f->quads->n; i++) {
    const uint32_t *v = f->quads->data[i].v;
    SOFA_TRY(add_facet(e, f, v[0], v[1], v[2]));
    SOFA_TRY(add_facet(e, f, v[0], v[2], v[3]));
  }
  return SOFA_OK;
}

static SofaErr write_file(Exporter *exporter) {
  STLExporter *e = (STLExporter *)exporter;
  SofaContext *ctx = exporter->object.ctx;
  Facets f;
  char header[80] = "csofa";
  SOFA_TRY(collect(e, &f));
  SOFA_TRY(gather(e, &f));
  const size_t n = (f.triangles ? f.triangles->n : 0) + 2 * (f.quads ? f.quads->n : 0);
  if (!n && sofa_process_rank(ctx) > 0) return SOFA_OK;
  if (!n) return sofa_object_fail(&exporter->object, SOFA_ERR_NOT_FOUND, "no triangles, no quads");
  exporter->text.n = 0;
  if (e->binary) {
    SOFA_TRY(sofa_text_append(ctx, &exporter->text, header, sizeof header));
    SOFA_TRY(append32(e, (uint32_t)n));
    SOFA_TRY(add_facets(e, &f));
  } else {
    SOFA_TRY(sofa_text_printf(ctx, &exporter->text, "solid csofa\n"));
    SOFA_TRY(add_facets(e, &f));
    SOFA_TRY(sofa_text_printf(ctx, &exporter->text, "endsolid csofa\n"));
  }
  return exporter_write_text(exporter, "stl");
}

static void destroy(SofaObject *object) {
  STLExporter *e = (STLExporter *)object;
  sofa_list_free(object->ctx, &e->points);
  for (int k = 0; k < 2; k++) sofa_list_free(object->ctx, &e->whole[k]);
}

static const char *const extensions[] = {"stl", NULL};
static const ExporterOps ops = {.extensions = extensions, .write = write_file};

SOFA_CLASS(STLExporter) = {
    SOFA_NAMED(STLExporter),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Exporter",
    .help = "Writes the triangles and quads of a visual model or a topology as STL files.",
    .base = &exporter_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_EXPORTER, &ops}),
};
