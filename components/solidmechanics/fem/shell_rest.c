/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a shell at rest. */
#include "components/solidmechanics/fem/shell_rest.h"

#include <math.h>
#include <string.h>
#include "math/quaternion.h"

/* The elements and where their points are at rest. */
typedef struct Surface {
  SofaElements list;
  const double *x;          /* poses at rest */
  const SofaAround *around; /* elements around each point */
  const SofaVec3s *normals; /* given ones, or empty */
  double cosine;            /* of the crease angle */
} Surface;

static void corners_of(const Surface *s, size_t element, double (*x)[3]) {
  const uint32_t *v = s->list.v + s->list.width * element;
  for (unsigned n = 0; n < s->list.width; n++) sofa_vec3_copy(SOFA_POSE(s->x, v[n]), x[n]);
}

/* Normal of an element at a point of the state; false: it has none, or not this point. */
static bool normal_at(const Surface *s, size_t element, uint32_t point, double *normal) {
  const uint32_t *v = s->list.v + s->list.width * element;
  double x[SOFA_SHELL_NODES][3];
  unsigned n = 0;
  while (n < s->list.width && v[n] != point) n++;
  if (n == s->list.width) return false;
  corners_of(s, element, x);
  return sofa_shell_normal(s->list.width, (const double(*)[3])x, n, normal);
}

/* Unit mean of the elements around a point that make no fold with the own normal. */
static void mean_normal(const Surface *s, uint32_t point, const double *own, double *mean) {
  const uint32_t *ids = NULL;
  const size_t n = sofa_around_row(s->around, point, &ids);
  sofa_vec3_set(mean, 0, 0, 0);
  for (size_t i = 0; i < n; i++) {
    double normal[3];
    if (!normal_at(s, ids[i], point, normal)) continue;
    const double along = sofa_vec3_dot(normal, own);
    if (fabs(along) >= s->cosine) sofa_vec3_axpy(along < 0 ? -1 : 1, normal, mean);
  }
  if (!(sofa_vec3_normalize(mean) > 0)) sofa_vec3_copy(own, mean);
}

/* The given normal of a point on the side of the element's own. false: it is too far from that. */
static bool given_normal(const Surface *s, uint32_t point, const double *own, double *normal) {
  sofa_vec3_copy(s->normals->data[point].v, normal);
  if (!(sofa_vec3_normalize(normal) > 0)) return false;
  const double along = sofa_vec3_dot(normal, own);
  if (along < 0) sofa_vec3_scale(-1, normal, normal);
  return fabs(along) > 0.5;
}

static SofaErr fail_area(const SofaShellFem *t, const Surface *s, size_t element) {
  const SofaElementKindInfo *info = sofa_element_kind_info(t->kind);
  const uint32_t *v = s->list.v + s->list.width * element;
  if (s->list.width == 3)
    return sofa_object_fail(&t->fem.force_field.object, SOFA_ERR_GEOMETRY,
                            "%s %zu (vertices %u %u %u) has no area at rest", info->name, element,
                            v[0], v[1], v[2]);
  return sofa_object_fail(&t->fem.force_field.object, SOFA_ERR_GEOMETRY,
                          "%s %zu (vertices %u %u %u %u) has no area at rest, or is not convex",
                          info->name, element, v[0], v[1], v[2], v[3]);
}

static SofaErr directors_of(const SofaShellFem *t, const Surface *s, size_t element,
                            double (*directors)[3]) {
  const uint32_t *v = s->list.v + s->list.width * element;
  for (unsigned n = 0; n < s->list.width; n++) {
    double own[3];
    if (!normal_at(s, element, v[n], own)) return fail_area(t, s, element);
    if (!s->normals->n) {
      mean_normal(s, v[n], own, directors[n]);
      continue;
    }
    if (given_normal(s, v[n], own, directors[n])) continue;
    return sofa_field_fail(&t->fem.force_field.object, "normals", SOFA_ERR_GEOMETRY,
                           "that of point %u is more than 60 degrees away from the element %zu",
                           v[n], element);
  }
  return SOFA_OK;
}

static SofaErr make_element(SofaShellFem *t, const Surface *s, size_t i) {
  SofaShellElement *e = &t->elements[i];
  const uint32_t *v = s->list.v + s->list.width * i;
  const double *poses[SOFA_SHELL_NODES];
  double directors[SOFA_SHELL_NODES][3];
  const SofaShellSection section =
      sofa_shell_section(sofa_linear_fem_young(&t->fem, i), sofa_linear_fem_poisson(&t->fem, i),
                         t->thickness, t->shear_factor, t->drilling_factor);
  SOFA_TRY(directors_of(t, s, i, directors));
  for (unsigned n = 0; n < s->list.width; n++) {
    e->v[n] = v[n];
    poses[n] = SOFA_POSE(s->x, v[n]);
  }
  if (!sofa_shell_make(s->list.width, poses, (const double(*)[3])directors, &section, &e->shell))
    return fail_area(t, s, i);
  return SOFA_OK;
}

SofaErr shell_rest_make(SofaShellFem *t, SofaElements list) {
  size_t n_points;
  Surface s = {.list = list, .normals = &t->normals};
  s.x = sofa_linear_fem_rest(&t->fem, &n_points);
  s.cosine = cos(t->crease * 3.14159265358979323846 / 180);
  if (t->normals.n && t->normals.n != n_points)
    return sofa_field_fail(&t->fem.force_field.object, "normals", SOFA_ERR_ARGUMENT,
                           "has %zu vectors, expected one for each of the %zu points", t->normals.n,
                           n_points);
  s.around = sofa_topology_around(t->fem.mesh, t->kind, SOFA_ELEMENT_POINT);
  if (!s.around) return t->fem.mesh->failure != SOFA_OK ? t->fem.mesh->failure : SOFA_ERR_MEMORY;
  for (size_t i = 0; i < list.n; i++) SOFA_TRY(make_element(t, &s, i));
  return SOFA_OK;
}
