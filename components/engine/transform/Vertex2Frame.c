/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vertex2Frame: a frame at each point, along its normal or towards the next point. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "components/engine/engine.h"
#include "math/quaternion.h"

typedef struct Vertex2Frame {
  SofaObject object;
  SofaVec3s position, normals;
  SofaVec2s tex_coords;
  SofaCoords frames;
  bool use_normals, invert_normals;
  int rotation;
  double angle;
} Vertex2Frame;

typedef Vertex2Frame SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points"),
    SOFA_ROW_NO_EFFECT(tex_coords, "texCoords", NULL,
                       "texture coordinates; SOFA does not use them"),
    SOFA_ROW_INPUT(normals, "normals", NULL, "", "normal of each point, not zero"),
    SOFA_ROW_OUTPUT(frames, "frames", "m", "the frames"),
    SOFA_ROW_INPUT(use_normals, "useNormals", "1", "",
                   "z axes along the normals; otherwise x axes towards the next point"),
    SOFA_ROW_INPUT(invert_normals, "invertNormals", "0", "", "z axes against the normals"),
    SOFA_ROW_INPUT(rotation, "rotation", "0", "",
                   "axis about which frames are turned: 0 x, 1 y, 2 z", .range = SOFA_WITHIN(0, 2)),
    SOFA_ROW_INPUT(angle, "rotationAngle", "0", "deg", "by this angle"),
};

/* The quaternion of axes given as rows, turned about one of them. */
static void orient(const Vertex2Frame *e, double axes[3][3], double *q) {
  double m[9], turn[4];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) m[3 * i + j] = axes[j][i];
  sofa_quat_from_matrix(m, q);
  sofa_quat_from_axis_angle(axes[e->rotation], e->angle * acos(-1.0) / 180, turn);
  sofa_quat_multiply(turn, q, q);
}

static void normalize(double *v) {
  sofa_vec3_scale(1 / sofa_vec3_norm(v), v, v);
}

/* Axes with number `main` along a direction: that one, the next (n) and the last (l) of a right-
 * handed frame, n perpendicular to `first`, or to `second` when that is parallel to it. */
static bool make_axes(const double *direction, int main, const double *first, const double *second,
                      double axes[3][3]) {
  double *m = axes[main], *n = axes[(main + 1) % 3], *l = axes[(main + 2) % 3];
  if (!(sofa_vec3_norm(direction) > 0)) return false;
  sofa_vec3_copy(direction, m);
  normalize(m);
  const bool parallel = 1 - fabs(sofa_vec3_dot(first, m)) <= DBL_EPSILON;
  sofa_vec3_cross(parallel ? second : first, m, n);
  normalize(n);
  sofa_vec3_cross(m, n, l);
  normalize(l);
  return true;
}

static const double axis_x[3] = {1, 0, 0}, axis_y[3] = {0, 1, 0}, axis_z[3] = {0, 0, 1};

static SofaErr frame(Vertex2Frame *e, size_t i) {
  double axes[3][3], d[3];
  double *f = SOFA_POSE(e->frames.data, i);
  bool ok;
  if (e->use_normals) {
    sofa_vec3_scale(e->invert_normals ? -1 : 1, e->normals.data[i].v, d);
    ok = make_axes(d, 2, axis_y, axis_z, axes);
  } else {
    sofa_vec3_sub(e->position.data[i + 1].v, e->position.data[i].v, d);
    ok = make_axes(d, 0, axis_x, axis_z, axes);
  }
  if (!ok)
    return sofa_field_fail(&e->object, e->use_normals ? "normals" : "position", SOFA_ERR_GEOMETRY,
                           "the direction at point %zu is zero", i);
  memcpy(f, e->position.data[i].v, 3 * sizeof *f);
  orient(e, axes, f + 3);
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  Vertex2Frame *e = (Vertex2Frame *)object;
  const size_t n = e->position.n;
  if (e->use_normals) SOFA_TRY(engine_check_same(object, "normals", e->normals.n, n));
  else if (n == 1)
    return sofa_field_fail(object, "position", SOFA_ERR_RANGE, "a single point has no neighbour");
  SOFA_TRY(sofa_coords_resize(object->ctx, &e->frames, n));
  for (size_t i = 0; i + !e->use_normals < n; i++) SOFA_TRY(frame(e, i));
  // the last point has the orientation of the one before
  if (!e->use_normals && n) {
    double *last = SOFA_POSE(e->frames.data, n - 1);
    memcpy(last, e->position.data[n - 1].v, 3 * sizeof *last);
    memcpy(last + 3, last - 4, 4 * sizeof *last);
  }
  return SOFA_OK;
}

static const char *const templates[] = {"Rigid3d", NULL};

ENGINE_CLASS(Vertex2Frame, "Transform", "Makes a frame at each point of a mesh.",
             .templates = templates, .init = engine_init, );
