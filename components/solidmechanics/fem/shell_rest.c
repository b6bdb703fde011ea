/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a shell at rest. */
#include "components/solidmechanics/fem/shell_rest.h"

#include <math.h>
#include <string.h>
#include "behavior/state_division.h"
#include "math/quaternion.h"
#include "object/process_mail.h"

/* The normal at a point of an element that another process has. */
typedef struct OtherNormal {
  double normal[3];
  uint64_t point; /* its number in the whole mesh; then the local one */
} OtherNormal;

/* The elements and where their points are at rest. */
typedef struct Surface {
  SofaElements list;
  const double *x;          /* poses at rest */
  const SofaAround *around; /* elements around each point */
  const SofaVec3s *normals; /* given ones, or empty */
  double cosine;            /* of the crease angle */
  SofaMail others;          /* OtherNormal records, by ascending local points; owned */
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

/* ---- meshes that are divided among processes ---- */

/* Those of the own elements around the points that neighbour k has, too. */
static SofaErr add_normals(const SofaShellFem *t, const Surface *s, size_t k, SofaIndices *rank,
                           SofaAnyList *out) {
  const SofaDivision *d = sofa_state_division(t->fem.force_field.state[0]);
  SofaContext *ctx = t->fem.force_field.object.ctx;
  for (size_t i = d->start.data[k]; i < d->start.data[k + 1]; i++) {
    const uint32_t point = d->shared.data[i], *ids = NULL;
    const size_t n = sofa_around_row(s->around, point, &ids);
    for (size_t j = 0; j < n; j++) {
      OtherNormal record = {.point = d->number.data[point]};
      if (!normal_at(s, ids[j], point, record.normal)) continue;
      SOFA_TRY(sofa_list_append(ctx, out, sizeof record, &record));
      SOFA_TRY(SOFA_APPEND(ctx, rank, &d->neighbours.data[k]));
    }
  }
  return SOFA_OK;
}

static int by_point(const void *a, const void *b) {
  const OtherNormal *p = a, *q = b;
  if (p->point != q->point) return p->point < q->point ? -1 : 1;
  return memcmp(p->normal, q->normal, sizeof p->normal);
}

static SofaErr fetch_normals(const SofaShellFem *t, Surface *s) {
  const SofaDivision *d = sofa_state_division(t->fem.force_field.state[0]);
  SofaContext *ctx = t->fem.force_field.object.ctx;
  SofaIndices rank = {0};
  SofaAnyList own = {0};
  SofaErr err = SOFA_OK;
  if (!d || s->normals->n) return SOFA_OK;
  for (size_t k = 0; k < d->neighbours.n; k++)
    SOFA_GO(err, done, add_normals(t, s, k, &rank, &own));
  SOFA_GO(err, done,
          sofa_process_mail(ctx, sizeof(OtherNormal), rank.n, rank.data, own.data, &s->others));
  OtherNormal *records = s->others.records;
  for (size_t i = 0; i < s->others.n; i++)
    records[i].point = sofa_division_local(d, (uint32_t)records[i].point);
  if (s->others.n) sofa_sort(records, s->others.n, sizeof *records, by_point);
done:
  s->others.rank = NULL;
  sofa_list_free(ctx, &rank);
  sofa_list_free(ctx, &own);
  return err;
}

/* The first of the others' normals at a point, or behind it. */
static size_t first_other(const Surface *s, uint32_t point) {
  const OtherNormal *records = s->others.records;
  size_t low = 0, high = s->others.n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (records[middle].point < point) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* ---- normals ---- */

/* Adds a normal that makes no fold with the own one, on its side. */
static void add_smooth(const Surface *s, const double *normal, const double *own, double *sum) {
  const double along = sofa_vec3_dot(normal, own);
  if (fabs(along) >= s->cosine) sofa_vec3_axpy(along < 0 ? -1 : 1, normal, sum);
}

/* Unit mean of the elements around a point that make no fold with the own normal. */
static void mean_normal(const Surface *s, uint32_t point, const double *own, double *mean) {
  const uint32_t *ids = NULL;
  const size_t n = sofa_around_row(s->around, point, &ids);
  sofa_vec3_set(mean, 0, 0, 0);
  for (size_t i = 0; i < n; i++) {
    double normal[3];
    if (normal_at(s, ids[i], point, normal)) add_smooth(s, normal, own, mean);
  }
  const OtherNormal *others = s->others.records;
  for (size_t i = first_other(s, point); i < s->others.n && others[i].point == point; i++)
    add_smooth(s, others[i].normal, own, mean);
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
  SofaErr err = fetch_normals(t, &s);
  for (size_t i = 0; i < list.n && err == SOFA_OK; i++) err = make_element(t, &s, i);
  sofa_mail_free(t->fem.force_field.object.ctx, &s.others);
  return err;
}
