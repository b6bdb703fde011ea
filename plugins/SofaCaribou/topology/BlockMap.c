/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BlockMap: points of a box as those of a block with six sides, or of a part of a cylinder or a
 * sphere. */
#include <math.h>

#include "math/vec.h"
#include "topology/elements.h"

/* In the order of the option's words. */
typedef enum Coordinates { CARTESIAN, CYLINDRICAL, SPHERICAL } Coordinates;

typedef struct BlockMap {
  SofaObject object;
  SofaVec3s position, corners;
  SofaOption coordinates; /* Coordinates */
  SofaVec3s points;       /* m */
} BlockMap;

typedef BlockMap SofaSelf; /* of SOFA_ROW */

static const char *const words[] = {"cartesian", "cylindrical", "spherical", NULL};

static const SofaField fields[] = {
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points of a box, as of a grid"),
    SOFA_ROW_INPUT(corners, "corners", NULL, "",
                   "where the corners of the box go, 8 in the order of a hexahedron; the points "
                   "between follow by trilinear interpolation; default: the box itself"),
    SOFA_ROW_INPUT(coordinates, "coordinates", "cartesian", "",
                   "what the corners are: 'cartesian' x y z; 'cylindrical' radius, angle about z "
                   "from x in degrees, z; 'spherical' radius, angle about z from x, angle from the "
                   "plane of x and y, in degrees",
                   .options = words),
    SOFA_ROW_OUTPUT(points, "points", "m", "the points of the block"),
};

/* The box around points. */
static void box_of(const SofaVec3s *points, double low[3], double high[3]) {
  for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
  for (size_t i = 0; i < points->n; i++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], points->data[i].v[k]);
      high[k] = fmax(high[k], points->data[i].v[k]);
    }
}

/* Coordinates of a point by those of the corners. */
static void interpolate(const BlockMap *m, const double *low, const double *high, const double *p,
                        double *out) {
  double xi[3], n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3];
  sofa_vec3_copy(p, out);
  if (!m->corners.n) return;
  for (int k = 0; k < 3; k++) {
    const double size = high[k] - low[k];
    xi[k] = size > 0 ? 2 * (p[k] - low[k]) / size - 1 : -1;
  }
  sofa_shape_functions(SOFA_SHAPE_HEXA, xi, n, d);
  sofa_vec3_set(out, 0, 0, 0);
  for (int c = 0; c < 8; c++) sofa_vec3_axpy(n[c], m->corners.data[c].v, out);
}

/* The sine of degrees, exact at the multiples of 90. */
static double sine(double degrees) {
  const double turn = fmod(degrees, 360), pi = acos(-1);
  if (fmod(turn, 180) == 0) return 0;
  if (fmod(turn, 90) == 0) return turn == 90 || turn == -270 ? 1 : -1;
  return sin(turn * pi / 180);
}

static void place(Coordinates kind, const double *c, double *out) {
  const double flat = kind == SPHERICAL ? c[0] * sine(c[2] + 90) : c[0];
  if (kind == CARTESIAN) {
    sofa_vec3_copy(c, out);
    return;
  }
  out[0] = flat * sine(c[1] + 90);
  out[1] = flat * sine(c[1]);
  out[2] = kind == SPHERICAL ? c[0] * sine(c[2]) : c[2];
}

static SofaErr update(SofaObject *object) {
  BlockMap *m = (BlockMap *)object;
  double low[3], high[3];
  if (m->corners.n && m->corners.n != 8)
    return sofa_field_fail(object, "corners", SOFA_ERR_RANGE, "%zu points, expected 8",
                           m->corners.n);
  box_of(&m->position, low, high);
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->points, m->position.n));
  for (size_t i = 0; i < m->position.n; i++) {
    double c[3];
    interpolate(m, low, high, m->position.data[i].v, c);
    place((Coordinates)m->coordinates.index, c, m->points.data[i].v);
  }
  return SOFA_OK;
}

SOFA_CLASS(BlockMap) = {
    .name = "BlockMap",
    .module = "SofaCaribou",
    .category = "Engine",
    .help = "Maps the points of a box to a block with eight corners, or to a part of a cylinder or "
            "a sphere: grids become meshes of such bodies.",
    .base = &sofa_object_class,
    .size = sizeof(BlockMap),
    SOFA_FIELDS(fields),
    .init = sofa_data_update,
    .update = update,
    SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),
};
