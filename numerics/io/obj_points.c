/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points and elements of an OBJ file from its lines: one point per vertex, or one per distinct
 * corner where seams of texture or normals are kept. */
#include <stdlib.h>
#include <string.h>
#include "math/vec.h"
#include "numerics/io/obj_reader.h"

/* Appends all faces; corners: the point of each corner. */
static SofaErr add_faces(SofaContext *ctx, const SofaObjOptions *options, const SofaIndices *end,
                         const int *corners, SofaMesh *mesh) {
  uint32_t begin = 0;
  for (size_t f = 0; f < end->n; f++) {
    if (end->data[f] > begin)
      SOFA_TRY(sofa_mesh_add_face(ctx, &options->faces, (const uint32_t *)corners + begin,
                                  end->data[f] - begin, mesh));
    begin = end->data[f];
  }
  return SOFA_OK;
}

SofaErr sofa_obj_points(SofaContext *ctx, const SofaObjOptions *options, SofaMeshData *data,
                        SofaObjData *obj) {
  SofaVec3s *position = &data->mesh.position;
  SOFA_TRY(sofa_list_copy(ctx, position, &obj->positions, sizeof *position->data));
  if (obj->normals.n) SOFA_TRY(SOFA_RESIZE(ctx, &data->normals, position->n));
  if (obj->texcoords.n) SOFA_TRY(SOFA_RESIZE(ctx, &obj->point_texcoords, position->n));
  // of several texture coordinates the leftmost and uppermost wins; normals are summed
  for (size_t k = 0; k < obj->faces.ids.n; k++) {
    const int p = obj->faces.ids.data[k], t = obj->face_texcoords.ids.data[k],
              n = obj->face_normals.ids.data[k];
    if (t >= 0) {
      double *old = obj->point_texcoords.data[p].v;
      const double *uv = obj->texcoords.data[t].v;
      if ((old[0] == 0 && old[1] == 0) || (uv[0] - old[0]) * -1 + (uv[1] - old[1]) * 1 > 0)
        memcpy(old, uv, 2 * sizeof *old);
    }
    if (n >= 0) sofa_vec3_axpy(1, obj->normals.data[n].v, data->normals.data[p].v);
  }
  for (size_t i = 0; i < data->normals.n; i++) sofa_vec3_normalize(data->normals.data[i].v);
  return add_faces(ctx, options, &obj->faces.end, obj->faces.ids.data, &data->mesh);
}

/* ---- seams ---- */

typedef struct Corner {
  int position, texcoord, normal;
  uint32_t rank;
} Corner;

static int compare_corners(const void *left, const void *right) {
  const Corner *a = (const Corner *)left, *b = (const Corner *)right;
  if (a->position != b->position) return a->position < b->position ? -1 : 1;
  if (a->texcoord != b->texcoord) return a->texcoord < b->texcoord ? -1 : 1;
  if (a->normal != b->normal) return a->normal < b->normal ? -1 : 1;
  return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Makes the points of the sorted corners and tells each corner its point. Afterwards `corners`
 * holds one entry per point. */
static SofaErr make_points(SofaContext *ctx, Corner *corners, size_t n, SofaMeshData *data,
                           SofaObjData *obj, int *point_of) {
  Corner last = {-1, -1, -1, 0};
  size_t n_points = 0;
  for (size_t i = 0; i < n; i++) {
    const Corner c = corners[i];
    if (!i || last.position != c.position || last.texcoord != c.texcoord ||
        last.normal != c.normal) {
      SofaVec3 normal = {{0, 0, 0}};
      SofaVec2 uv = {{0, 0}};
      if (c.normal >= 0) normal = obj->normals.data[c.normal];
      if (c.texcoord >= 0) uv = obj->texcoords.data[c.texcoord];
      sofa_vec3_normalize(normal.v);
      SOFA_TRY(SOFA_APPEND(ctx, &obj->point_position, &c.position));
      SOFA_TRY(SOFA_APPEND(ctx, &obj->point_texcoords, &uv));
      SOFA_TRY(SOFA_APPEND(ctx, &data->normals, &normal));
      SOFA_TRY(SOFA_APPEND(ctx, &data->mesh.position, &obj->positions.data[c.position]));
      corners[n_points] = (Corner){c.position, 0, c.normal, (uint32_t)n_points};
      n_points++;
    }
    point_of[c.rank] = (int)n_points - 1;
    last = c;
  }
  return SOFA_OK;
}

/* Numbers the distinct normals of each position in order of the points. The index lists exist only
 * where points were split or dropped, the one of normals only where two points share one. */
static SofaErr number_normals(SofaContext *ctx, Corner *points, SofaObjData *obj) {
  const size_t n = obj->point_position.n;
  if (n == obj->positions.n) return SOFA_RESIZE(ctx, &obj->point_position, 0);
  SOFA_TRY(SOFA_RESIZE(ctx, &obj->point_normal, n));
  // the first point of each (position, normal) leads the others
  sofa_sort(points, n, sizeof *points, compare_corners);
  int *numbers = obj->point_normal.data, n_normals = 0;
  uint32_t leader = 0;
  for (size_t i = 0; i < n; i++) {
    const bool same = i && points[i].position == points[i - 1].position &&
                      points[i].normal == points[i - 1].normal;
    if (!same) leader = points[i].rank;
    numbers[points[i].rank] = (int)leader;
  }
  for (size_t i = 0; i < n; i++)
    numbers[i] = (size_t)numbers[i] == i ? n_normals++ : numbers[numbers[i]];
  return (size_t)n_normals == n ? SOFA_RESIZE(ctx, &obj->point_normal, 0) : SOFA_OK;
}

SofaErr sofa_obj_seam_points(SofaContext *ctx, const SofaObjOptions *options, SofaMeshData *data,
                             SofaObjData *obj) {
  SofaErr err = SOFA_ERR_MEMORY;
  const size_t n = obj->faces.ids.n;
  int *point_of = NULL;
  Corner *corners = (Corner *)sofa_alloc(ctx, n, sizeof *corners);
  if (!corners) goto done;
  point_of = (int *)sofa_alloc(ctx, n, sizeof *point_of);
  if (!point_of) goto done;
  for (size_t k = 0; k < n; k++)
    corners[k] = (Corner){obj->faces.ids.data[k], obj->face_texcoords.ids.data[k],
                          obj->face_normals.ids.data[k], (uint32_t)k};
  sofa_sort(corners, n, sizeof *corners, compare_corners);
  SOFA_GO(err, done, make_points(ctx, corners, n, data, obj, point_of));
  SOFA_GO(err, done, number_normals(ctx, corners, obj));
  err = add_faces(ctx, options, &obj->faces.end, point_of, &data->mesh);
done:
  sofa_free(ctx, corners);
  sofa_free(ctx, point_of);
  return err;
}
