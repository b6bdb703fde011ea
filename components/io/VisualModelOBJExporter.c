/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualModelOBJExporter: writes the visual models of its node and below as one OBJ file with its
 * materials. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "behavior/state_division.h"
#include "behavior/visual_model.h"
#include "components/io/exporter.h"
#include "numerics/io/output_file.h"

typedef struct VisualModelOBJExporter {
  Exporter exporter;
  SofaText materials;                      /* of the .mtl file */
  size_t n_points, n_texcoords, n_normals; /* written so far, of all models */
} VisualModelOBJExporter;

static SofaErr add_numbers(VisualModelOBJExporter *e, SofaText *text, const char *word,
                           const double *x, int n) {
  SofaContext *ctx = e->exporter.object.ctx;
  SOFA_TRY(sofa_text_append(ctx, text, word, strlen(word)));
  for (int k = 0; k < n; k++) {
    SOFA_TRY(sofa_text_append(ctx, text, " ", 1));
    SOFA_TRY(sofa_text_real(ctx, text, x[k], 0));
  }
  return sofa_text_append(ctx, text, "\n", 1);
}

/* A name without blanks and control characters, which OBJ files do not have. */
static SofaErr add_name(VisualModelOBJExporter *e, SofaText *text, const char *word,
                        const char *name) {
  SofaContext *ctx = e->exporter.object.ctx;
  SOFA_TRY(sofa_text_printf(ctx, text, "%s ", word));
  for (const char *c = name; *c;) {
    const size_t n = *c == ' ' ? 0 : sofa_printable(c);
    SOFA_TRY(sofa_text_append(ctx, text, n ? c : "_", n ? n : 1));
    c += n ? n : 1;
  }
  return sofa_text_append(ctx, text, "\n", 1);
}

static SofaErr add_material(VisualModelOBJExporter *e, const char *name, const SofaMaterial *m) {
  // diffuse, ambient, specular, emissive
  static const char *const words[4] = {"Kd", "Ka", "Ks", "Ke"};
  SofaText *text = &e->materials;
  SOFA_TRY(add_name(e, text, "newmtl", name));
  for (int k = 0; k < 4; k++)
    if (m->use[k]) SOFA_TRY(add_numbers(e, text, words[k], m->color[k], 3));
  if (m->use[4]) SOFA_TRY(add_numbers(e, text, "Ns", &m->shininess, 1));
  return m->use[0] ? add_numbers(e, text, "d", &m->color[0][3], 1) : SOFA_OK;
}

static SofaErr add_index(SofaContext *ctx, SofaText *text, const char *before, size_t index) {
  SOFA_TRY(sofa_text_append(ctx, text, before, strlen(before)));
  return sofa_text_int(ctx, text, (int64_t)index);
}

static SofaErr add_face(VisualModelOBJExporter *e, const SofaSurface *s, const uint32_t *v, int n) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaText *text = &e->exporter.text;
  const bool uv = s->texcoords && s->texcoords->n == s->n_points, normals = s->normal != NULL;
  SOFA_TRY(sofa_text_append(ctx, text, n == 2 ? "l" : "f", 1));
  for (int k = 0; k < n; k++) {
    if (v[k] >= s->n_points)
      return sofa_object_fail(&e->exporter.object, SOFA_ERR_RANGE,
                              "a face names point %u, there are %zu points", v[k], s->n_points);
    SOFA_TRY(add_index(ctx, text, " ", e->n_points + v[k] + 1));
    if (n == 2 || (!uv && !normals)) continue;
    SOFA_TRY(sofa_text_append(ctx, text, "/", 1));
    if (uv) SOFA_TRY(add_index(ctx, text, "", e->n_texcoords + v[k] + 1));
    if (normals) SOFA_TRY(add_index(ctx, text, "/", e->n_normals + v[k] + 1));
  }
  return sofa_text_append(ctx, text, "\n", 1);
}

static SofaErr add_points(VisualModelOBJExporter *e, const SofaSurface *s) {
  SofaText *text = &e->exporter.text;
  const bool uv = s->texcoords && s->texcoords->n == s->n_points;
  for (size_t i = 0; i < s->n_points; i++)
    SOFA_TRY(add_numbers(e, text, "v", s->position + 3 * i, 3));
  for (size_t i = 0; uv && i < s->n_points; i++)
    SOFA_TRY(add_numbers(e, text, "vt", s->texcoords->data[i].v, 2));
  for (size_t i = 0; s->normal && i < s->n_points; i++)
    SOFA_TRY(add_numbers(e, text, "vn", s->normal + 3 * i, 3));
  return SOFA_OK;
}

static SofaErr add_model(VisualModelOBJExporter *e, SofaState *visual, size_t rank) {
  SofaSurface s;
  char material[32];
  if (sofa_state_division(visual))
    return sofa_object_undivided(&e->exporter.object,
                                 "a visual model whose points are divided among processes");
  snprintf(material, sizeof material, "material%zu", rank);
  SOFA_TRY(sofa_visual_model_ops(visual)->surface(visual, &s));
  if (!s.enabled) return SOFA_OK;
  SOFA_TRY(add_material(e, material, s.material));
  SOFA_TRY(add_name(e, &e->exporter.text, "g", visual->object.name));
  SOFA_TRY(add_name(e, &e->exporter.text, "usemtl", material));
  SOFA_TRY(add_points(e, &s));
  for (size_t i = 0; s.edges && i < s.edges->n; i++)
    SOFA_TRY(add_face(e, &s, s.edges->data[i].v, 2));
  for (size_t i = 0; s.triangles && i < s.triangles->n; i++)
    SOFA_TRY(add_face(e, &s, s.triangles->data[i].v, 3));
  for (size_t i = 0; s.quads && i < s.quads->n; i++)
    SOFA_TRY(add_face(e, &s, s.quads->data[i].v, 4));
  e->n_points += s.n_points;
  if (s.texcoords && s.texcoords->n == s.n_points) e->n_texcoords += s.n_points;
  if (s.normal) e->n_normals += s.n_points;
  return SOFA_OK;
}

static SofaErr add_models(VisualModelOBJExporter *e) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaNodes nodes = {0};
  size_t rank = 0;
  SofaErr err;
  SOFA_GO(err, done, sofa_node_order(e->exporter.object.node, &nodes));
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++) {
      SofaObject *object = nodes.data[i]->objects.data[k];
      if (!sofa_implements(object, SOFA_VISUAL_MODEL) || !sofa_valid(object)) continue;
      SOFA_GO(err, done, add_model(e, (SofaState *)object, rank++));
    }
done:
  sofa_list_free(ctx, &nodes);
  return err;
}

/* The materials first: an OBJ file never names a library that is not there. */
static SofaErr write_files(Exporter *exporter) {
  VisualModelOBJExporter *e = (VisualModelOBJExporter *)exporter;
  SofaContext *ctx = exporter->object.ctx;
  SofaErr err;
  char *mtl = exporter_path(exporter, "mtl");
  if (!mtl) return SOFA_ERR_MEMORY;
  exporter->text.n = e->materials.n = 0;
  e->n_points = e->n_texcoords = e->n_normals = 0;
  SOFA_GO(err, done, add_name(e, &exporter->text, "mtllib", sofa_path_name(mtl)));
  SOFA_GO(err, done, add_models(e));
  SOFA_GO(err, done, sofa_output_file_check(&exporter->object, "filename", mtl));
  SOFA_GO(err, done,
          sofa_output_file_replace(&exporter->object, mtl, e->materials.data, e->materials.n));
  err = exporter_write_text(exporter, "obj");
done:
  sofa_free(ctx, mtl);
  return err;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((VisualModelOBJExporter *)object)->materials);
}

static const char *const extensions[] = {"obj", "mtl", NULL};
static const ExporterOps ops = {.extensions = extensions, .write = write_files};
static const char *const aliases[] = {"OBJExporter", "ObjExporter", NULL};

SOFA_CLASS(VisualModelOBJExporter) = {
    SOFA_NAMED(VisualModelOBJExporter),
    .aliases = aliases,
    .module = "Sofa.Component.IO.Mesh",
    .category = "Exporter",
    .help = "Writes the visual models of its node and the nodes below as OBJ files with materials.",
    .base = &exporter_class,
    .divided = SOFA_DIVIDED_LOCAL,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_EXPORTER, &ops}),
};
