/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GenerateRigidMass: mass, center and inertia of a homogeneous body from its surface. */
#include <string.h>

#include "components/engine/engine.h"
#include "math/vec.h"

typedef struct GenerateRigidMass {
  SofaObject object;
  double density, mass, volume;
  SofaVec3s position;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaIndexLists polygons;
  SofaRigidMass rigid;
  SofaMat3 inertia;
  SofaVec3 center, to_origin;
} GenerateRigidMass;

typedef GenerateRigidMass SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(density, "density", "1000", "kg/m^3", "density", .range = SOFA_ABOVE(0)),
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points of the closed surface"),
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "",
                   "triangles, seen from outside counterclockwise"),
    SOFA_ROW_INPUT(quads, "quads", NULL, "", "quads"),
    SOFA_ROW_INPUT(polygons, "polygons", NULL, "", "convex polygons: \"[0,1,2] [3,4,5,6]\""),
    SOFA_ROW_OUTPUT(rigid, "rigidMass", "", "mass, volume and inertia per unit mass"),
    SOFA_ROW_OUTPUT(mass, "mass", "kg", "mass"),
    SOFA_ROW_OUTPUT(volume, "volume", "m^3", "volume"),
    SOFA_ROW_OUTPUT(inertia, "inertiaMatrix", "m^2", "inertia about the center per unit mass"),
    SOFA_ROW_OUTPUT(center, "massCenter", "m", "center of mass"),
    SOFA_ROW_OUTPUT(to_origin, "centerToOrigin", "m", "from the center of mass to the origin"),
};

/* Integrals over the body of 1, x_i and x_i x_j: 6, 24 and 120 times them. */
typedef struct Moments {
  double volume, first[3], second[9];
} Moments;

/* The tetrahedron of the origin and a b c with signed volume V has the integrals V, V s / 4 and
 * V / 20 (s s^T + a a^T + b b^T + c c^T), s = a + b + c. */
static void add_triangle(const double *a, const double *b, const double *c, Moments *m) {
  const double v = sofa_vec3_triple(a, b, c);
  m->volume += v;
  for (int i = 0; i < 3; i++) {
    const double si = a[i] + b[i] + c[i];
    m->first[i] += v * si;
    for (int j = 0; j < 3; j++) {
      const double sj = a[j] + b[j] + c[j];
      m->second[3 * i + j] += v * (si * sj + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
    }
  }
}

/* A polygon as the fan from its first corner. */
static void add_face(const GenerateRigidMass *e, const uint32_t *v, size_t n, Moments *m) {
  const SofaVec3 *x = e->position.data;
  for (size_t k = 2; k < n; k++) add_triangle(x[v[0]].v, x[v[k - 1]].v, x[v[k]].v, m);
}

static SofaErr check(const GenerateRigidMass *e) {
  const SofaObject *object = &e->object;
  SOFA_TRY(ENGINE_CHECK(object, "triangles", &e->triangles, e->position.n));
  SOFA_TRY(ENGINE_CHECK(object, "quads", &e->quads, e->position.n));
  for (size_t i = 0; i < e->polygons.n; i++)
    SOFA_TRY(ENGINE_CHECK(object, "polygons", &e->polygons.data[i], e->position.n));
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  GenerateRigidMass *e = (GenerateRigidMass *)object;
  Moments m = {0};
  double trace = 0;
  SOFA_TRY(check(e));
  for (size_t i = 0; i < e->triangles.n; i++) add_face(e, e->triangles.data[i].v, 3, &m);
  for (size_t i = 0; i < e->quads.n; i++) add_face(e, e->quads.data[i].v, 4, &m);
  for (size_t i = 0; i < e->polygons.n; i++)
    add_face(e, e->polygons.data[i].data, e->polygons.data[i].n, &m);
  if (!(m.volume < 0) && !(m.volume > 0)) {
    sofa_object_message(object, SOFA_WARNING, "the volume of the surface is zero");
    return SOFA_OK;
  }
  if (m.volume < 0)
    sofa_object_message(object, SOFA_WARNING, "the volume %g is negative: faces look inwards",
                        m.volume / 6);
  for (int i = 0; i < 3; i++) {
    e->center.v[i] = m.first[i] / (4 * m.volume);
    e->to_origin.v[i] = -e->center.v[i];
  }
  // covariance about the center per unit volume, then the inertia
  for (int i = 0; i < 9; i++)
    m.second[i] = m.second[i] / (20 * m.volume) - e->center.v[i / 3] * e->center.v[i % 3];
  trace = sofa_mat3_trace(m.second);
  for (int i = 0; i < 9; i++) e->inertia.m[i] = (i % 4 ? 0 : trace) - m.second[i];
  e->volume = m.volume / 6;
  e->mass = e->volume * e->density;
  e->rigid = (SofaRigidMass){.mass = e->mass, .volume = e->volume};
  memcpy(e->rigid.inertia, e->inertia.m, sizeof e->rigid.inertia);
  return SOFA_OK;
}

static const char *const templates[] = {"Rigid3d", NULL};

static const char equations[] =
    "m = rho V, c = 1/V int x dV\n"
    "Theta = 1/V int (r.r I - r r^T) dV, r = x - c\n"
    "\"V: the inside of the surface, rho: density, c: massCenter, Theta: inertiaMatrix\"";

ENGINE_CLASS(GenerateRigidMass, "Generate",
             "Computes mass, center and inertia of a body from its surface.",
             .equations = equations, .templates = templates, .init = engine_init, );
