/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads OFF files: points, then faces of three or four corners.
 * Source: Geomview manual, "OFF Files". */
#include "numerics/io/mesh_readers.h"
#include "numerics/io/mesh_text.h"

/* Skips white space and comments, which begin with '#'. */
static void skip(SofaMeshText *t) {
  for (sofa_mesh_skip(t); t->at < t->end && *t->at == '#'; sofa_mesh_skip(t))
    sofa_mesh_next_line(t);
}

static SofaErr read_points(SofaMeshText *t, size_t n, SofaMesh *mesh) {
  SOFA_TRY(SOFA_RESERVE(t->ctx, &mesh->position, n));
  for (size_t i = 0; i < n; i++) {
    SofaVec3 p;
    skip(t);
    SOFA_TRY(sofa_mesh_read_reals(t, "a coordinate", 3, p.v));
    SOFA_TRY(SOFA_APPEND(t->ctx, &mesh->position, &p));
  }
  return SOFA_OK;
}

/* Number of corners, corners, perhaps a colour. */
static SofaErr read_faces(SofaMeshText *t, size_t n, const SofaFaceOptions *faces, SofaMesh *mesh) {
  size_t n_left_out = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t v[4];
    size_t n_corners;
    skip(t);
    SOFA_TRY(sofa_mesh_read_count(t, "the number of corners", 2, &n_corners));
    for (size_t k = 0; k < n_corners; k++)
      SOFA_TRY(sofa_mesh_read_index(t, "a corner", 0, mesh->position.n, &v[k < 4 ? k : 3]));
    sofa_mesh_next_line(t);
    if (n_corners == 3 || n_corners == 4)
      SOFA_TRY(sofa_mesh_add_face(t->ctx, faces, v, n_corners, mesh));
    else n_left_out++;
  }
  if (n_left_out) sofa_mesh_warn(t, "%zu faces without 3 or 4 corners are left out", n_left_out);
  return SOFA_OK;
}

static SofaErr read_all(SofaMeshText *t, const SofaFaceOptions *faces, SofaMesh *mesh) {
  size_t n_points, n_faces;
  int64_t n_edges;
  skip(t);
  if (!sofa_mesh_word_is(t, "OFF")) return sofa_mesh_expected(t, "OFF at the start of an OFF file");
  t->at += 3;
  skip(t);
  SOFA_TRY(sofa_mesh_read_count(t, "the number of points", 2, &n_points));
  SOFA_TRY(sofa_mesh_read_count(t, "the number of faces", 2, &n_faces));
  SOFA_TRY(sofa_mesh_read_int(t, "the number of edges", &n_edges));
  SOFA_TRY(read_points(t, n_points, mesh));
  return read_faces(t, n_faces, faces, mesh);
}

SofaErr sofa_off_read(SofaContext *ctx, const SofaFileBytes *file, const SofaFaceOptions *faces,
                      SofaMeshData *out) {
  SofaMeshText text = sofa_mesh_text(ctx, file);
  const SofaErr err = read_all(&text, faces, &out->mesh);
  if (err != SOFA_OK) sofa_mesh_data_free(ctx, out);
  return err;
}
