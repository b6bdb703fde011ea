/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faces that belong to one element only: sorted by their points, equal ones are inside. */
#include "viewer/boundary.h"

#include "draw/faces.h"

/* A face with its points in ascending order. */
typedef struct Key {
  uint32_t v[4];
  uint32_t face; /* rank */
} Key;
SOFA_LIST(Key, Keys);

static int compare_points(const Key *a, const Key *b) {
  for (int k = 0; k < 4; k++)
    if (a->v[k] != b->v[k]) return a->v[k] < b->v[k] ? -1 : 1;
  return 0;
}

static int by_points(const void *a, const void *b) {
  const int order = compare_points(a, b);
  return order ? order : ((const Key *)a)->face < ((const Key *)b)->face ? -1 : 1;
}

static Key key_of(const BoundaryFace *face, size_t rank) {
  Key key = {.face = (uint32_t)rank};
  for (int k = 0; k < 4; k++) {
    int at = k;
    for (; at > 0 && key.v[at - 1] > face->v[k]; at--) key.v[at] = key.v[at - 1];
    key.v[at] = face->v[k];
  }
  return key;
}

static bool is_inside(const uint32_t *v, unsigned width, size_t n_points) {
  for (unsigned k = 0; k < width; k++)
    if (v[k] >= n_points) return false;
  return true;
}

/* All faces of all elements. */
static SofaErr list_faces(SofaContext *ctx, const SofaElements *e, SofaElementKind kind,
                          BoundaryFace like, size_t n_points, BoundaryFaces *out) {
  const uint8_t(*faces)[4];
  const int n = sofa_draw_element_faces(e->width, kind == SOFA_ELEMENT_QUAD, &faces);
  for (size_t i = 0; i < e->n; i++) {
    const uint32_t *v = e->v + i * e->width;
    if (!is_inside(v, e->width, n_points)) continue;
    for (int f = 0; f < n; f++) {
      BoundaryFace face = {.list = like.list, .element = (uint32_t)i};
      for (int k = 0; k < 4; k++) face.v[k] = faces[f][k] == 255 ? SOFA_NO_ELEMENT : v[faces[f][k]];
      SOFA_TRY(SOFA_APPEND(ctx, out, &face));
    }
  }
  return SOFA_OK;
}

/* Marks faces that two elements share, and takes them out. */
static SofaErr drop_inner(SofaContext *ctx, BoundaryFaces *faces) {
  Keys keys = {0};
  size_t n = 0;
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &keys, faces->n));
  for (size_t i = 0; i < faces->n; i++) keys.data[i] = key_of(&faces->data[i], i);
  sofa_sort(keys.data, keys.n, sizeof *keys.data, by_points);
  for (size_t i = 0; i + 1 < keys.n; i++) {
    if (compare_points(&keys.data[i], &keys.data[i + 1]) != 0) continue;
    faces->data[keys.data[i].face].v[0] = SOFA_NO_ELEMENT;
    faces->data[keys.data[i + 1].face].v[0] = SOFA_NO_ELEMENT;
  }
  for (size_t i = 0; i < faces->n; i++)
    if (faces->data[i].v[0] != SOFA_NO_ELEMENT) faces->data[n++] = faces->data[i];
  faces->n = n;
done:
  sofa_list_free(ctx, &keys);
  return err;
}

SofaErr boundary_find(SofaContext *ctx, const SofaElements *lists, const SofaElementKind *kinds,
                      size_t n_lists, size_t n_points, BoundaryFaces *out) {
  bool volumes = false;
  out->n = 0;
  for (size_t i = 0; i < n_lists; i++) {
    const BoundaryFace like = {.list = (uint32_t)i};
    SOFA_TRY(list_faces(ctx, &lists[i], kinds[i], like, n_points, out));
    volumes |= kinds[i] >= SOFA_ELEMENT_TETRA;
  }
  return volumes ? drop_inner(ctx, out) : SOFA_OK;
}
