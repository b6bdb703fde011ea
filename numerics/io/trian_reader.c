/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Trian files: points, then triangles with their neighbours; and the second form, with
 * normals and without neighbours. */
#include "numerics/io/mesh_readers.h"
#include "numerics/io/mesh_text.h"

typedef struct TrianBuild {
  SofaMeshText text;
  const SofaFaceOptions *faces;
  SofaMeshData *out;
  SofaTrianData *trian;
} TrianBuild;

void sofa_trian_data_free(SofaContext *ctx, SofaTrianData *trian) {
  sofa_list_free(ctx, &trian->neighbors);
  sofa_list_free(ctx, &trian->border.ids);
  sofa_list_free(ctx, &trian->border.end);
  sofa_list_free(ctx, &trian->on_border);
}

static SofaErr read_vectors(TrianBuild *b, const char *what, SofaVec3s *list) {
  size_t n;
  SOFA_TRY(sofa_mesh_read_count(&b->text, what, 6, &n));
  SOFA_TRY(SOFA_RESERVE(b->text.ctx, list, n));
  for (size_t i = 0; i < n; i++) {
    SofaVec3 v;
    SOFA_TRY(sofa_mesh_read_reals(&b->text, "a coordinate", 3, v.v));
    SOFA_TRY(SOFA_APPEND(b->text.ctx, list, &v));
  }
  return SOFA_OK;
}

static SofaErr add_border_edge(TrianBuild *b, uint32_t from, uint32_t to) {
  SofaIndexRows *rows = &b->trian->border;
  const int ends[2] = {(int)from, (int)to};
  for (int k = 0; k < 2; k++) SOFA_TRY(SOFA_APPEND(b->text.ctx, &rows->ids, &ends[k]));
  const uint32_t end = (uint32_t)rows->ids.n;
  return SOFA_APPEND(b->text.ctx, &rows->end, &end);
}

/* The three neighbours behind the corners of triangle i. */
static SofaErr read_neighbors(TrianBuild *b, uint32_t i, size_t n, const uint32_t v[3]) {
  SofaContext *ctx = b->text.ctx;
  bool on_border = false;
  for (int k = 0; k < 3; k++) {
    uint32_t neighbor;
    SOFA_TRY(sofa_mesh_read_index(&b->text, "a neighbour", -1, n + 1, &neighbor));
    const int id = (int)neighbor - 1;
    SOFA_TRY(SOFA_APPEND(ctx, &b->trian->neighbors, &id));
    if (id >= 0) continue;
    on_border = true;
    SOFA_TRY(add_border_edge(b, v[(k + 1) % 3], v[(k + 2) % 3]));
  }
  return on_border ? SOFA_APPEND(ctx, &b->trian->on_border, &i) : SOFA_OK;
}

static SofaErr read_triangles(TrianBuild *b, bool neighbors) {
  SofaMesh *mesh = &b->out->mesh;
  size_t n;
  SOFA_TRY(sofa_mesh_read_count(&b->text, "the number of triangles", 6, &n));
  for (size_t i = 0; i < n; i++) {
    uint32_t v[3];
    for (int k = 0; k < 3; k++)
      SOFA_TRY(sofa_mesh_read_index(&b->text, "a vertex", 0, mesh->position.n, &v[k]));
    SOFA_TRY(sofa_mesh_add_face(b->text.ctx, b->faces, v, 3, mesh));
    if (neighbors) SOFA_TRY(read_neighbors(b, (uint32_t)i, n, v));
  }
  return SOFA_OK;
}

/* The name of a section; any will do. */
static SofaErr skip_name(TrianBuild *b, const char *what) {
  sofa_mesh_skip(&b->text);
  if (!sofa_mesh_word(&b->text)) return sofa_mesh_expected(&b->text, what);
  b->text.at += sofa_mesh_word(&b->text);
  return SOFA_OK;
}

static SofaErr read_trian2(TrianBuild *b) {
  // materials, which are not used
  for (int line = 0; line < 13; line++) sofa_mesh_next_line(&b->text);
  SOFA_TRY(skip_name(b, "the name of the points"));
  SOFA_TRY(read_vectors(b, "the number of points", &b->out->mesh.position));
  SOFA_TRY(skip_name(b, "the name of the normals"));
  SOFA_TRY(read_vectors(b, "the number of normals", &b->out->normals));
  SOFA_TRY(skip_name(b, "the name of the triangles"));
  return read_triangles(b, false);
}

static SofaErr read_trian(TrianBuild *b) {
  SOFA_TRY(read_vectors(b, "the number of points", &b->out->mesh.position));
  return read_triangles(b, true);
}

SofaErr sofa_trian_read(SofaContext *ctx, const SofaFileBytes *file, bool trian2,
                        const SofaFaceOptions *faces, SofaMeshData *out, SofaTrianData *trian) {
  TrianBuild b = {.text = sofa_mesh_text(ctx, file), .faces = faces, .out = out, .trian = trian};
  const SofaErr err = trian2 ? read_trian2(&b) : read_trian(&b);
  if (err != SOFA_OK) {
    sofa_mesh_data_free(ctx, out);
    sofa_trian_data_free(ctx, trian);
  }
  return err;
}
