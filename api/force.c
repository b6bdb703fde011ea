/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ApplicationForceField: a force field whose functions an application gives. */
#include <string.h>

#include "api/api_impl.h"
#include "behavior/force_field.h"

typedef struct ApplicationForceField {
  SofaForceField force_field;
  CsofaForceFn force; /* NULL: not set yet */
  CsofaForceChangeFn change;
  CsofaStiffnessFn stiffness;
  void *user;
} ApplicationForceField;

struct CsofaMatrix {
  const SofaTangent *tangent;
  size_t n;   /* rows */
  unsigned d; /* of a point */
  bool wrong; /* a place outside was named */
};

static unsigned width(const SofaForceField *ff) {
  return sofa_state_kind_info(ff->object.kind)->deriv;
}

static SofaErr end_call(SofaForceField *ff, int status) {
  if (status == 0) return SOFA_OK;
  return sofa_object_fail(&ff->object, SOFA_ERR_SCENE, "the function of the application failed");
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                         double *const *f) {
  const ApplicationForceField *a = (const ApplicationForceField *)ff;
  const size_t n = sofa_state_size(ff->state[0]);
  (void)p;
  if (!a->force)
    return sofa_object_fail(&ff->object, SOFA_ERR_ARGUMENT,
                            "it has no functions: an application gives them (csofa_set_force)");
  return end_call(ff, a->force(a->user, n, at->x[0], at->v[0], at->time, f[0]));
}

static SofaErr change(SofaForceField *ff, const SofaPoint *at, const double *factors,
                      const double *dx, double *df) {
  const ApplicationForceField *a = (const ApplicationForceField *)ff;
  const size_t n = sofa_state_size(ff->state[0]);
  if (!a->change) return SOFA_OK;
  return end_call(ff, a->change(a->user, n, at->x[0], at->v[0], factors, dx, df));
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  return change(ff, at, (const double[]){sofa_kfactor(ff, p), p->b}, dx[0], df[0]);
}

/* ---- matrices ---- */

void csofa_matrix_add(CsofaMatrix *m, size_t n, const uint32_t *rows, const uint32_t *columns,
                      const double *values) {
  double block[36];
  const unsigned d = m->d;
  for (size_t i = 0; i < n; i++) {
    if (rows[i] >= m->n || columns[i] >= m->n) {
      m->wrong = true;
      return;
    }
    memset(block, 0, sizeof block);
    block[rows[i] % d * d + columns[i] % d] = values[i];
    sofa_tangent_add(m->tangent, 0, rows[i] / d, 0, columns[i] / d, block);
  }
}

/* The columns of the points: what unit displacements of one change. `columns`: d vectors of n * d
 * numbers, all 0. */
static void add_point_columns(const CsofaMatrix *m, uint32_t point, const double *columns) {
  double block[36];
  const unsigned d = m->d;
  for (uint32_t i = 0; i < m->n / d; i++) {
    bool zero = true;
    for (unsigned r = 0; r < d; r++)
      for (unsigned c = 0; c < d; c++) {
        block[r * d + c] = columns[c * m->n + i * d + r];
        zero = zero && block[r * d + c] == 0;
      }
    if (!zero || i == point) sofa_tangent_add(m->tangent, 0, i, 0, point, block);
  }
}

static SofaErr probe(SofaForceField *ff, const SofaPoint *at, const double *factors,
                     const CsofaMatrix *m) {
  SofaContext *ctx = ff->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *dx = SOFA_SCRATCH(ctx, double, m->n), *columns = SOFA_SCRATCH(ctx, double, m->d * m->n);
  SofaErr err = dx && columns ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) memset(dx, 0, m->n * sizeof *dx);
  for (uint32_t point = 0; err == SOFA_OK && point < m->n / m->d; point++) {
    memset(columns, 0, m->d * m->n * sizeof *columns);
    for (unsigned c = 0; err == SOFA_OK && c < m->d; c++) {
      dx[point * m->d + c] = 1;
      err = change(ff, at, factors, dx, columns + c * m->n);
      dx[point * m->d + c] = 0;
    }
    if (err == SOFA_OK) add_point_columns(m, point, columns);
  }
  sofa_scratch_release(ctx, mark);
  return err;
}

static CsofaMatrix matrix_of(const SofaForceField *ff, const SofaTangent *tangent) {
  const unsigned d = width(ff);
  return (CsofaMatrix){.tangent = tangent, .n = sofa_state_size(ff->state[0]) * d, .d = d};
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                     const SofaTangent *tangent) {
  const ApplicationForceField *a = (const ApplicationForceField *)ff;
  CsofaMatrix m = matrix_of(ff, tangent);
  (void)p;
  if (!a->stiffness) return a->change ? probe(ff, at, (const double[]){1, 0}, &m) : SOFA_OK;
  SOFA_TRY(end_call(ff, a->stiffness(a->user, m.n / m.d, at->x[0], &m)));
  if (!m.wrong) return SOFA_OK;
  return sofa_object_fail(&ff->object, SOFA_ERR_RANGE,
                          "the application names a row or column outside of the matrix of %zu rows",
                          m.n);
}

/* Forces that give their stiffness themselves do not depend on velocities. */
static SofaErr add_b(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                     const SofaTangent *tangent) {
  const ApplicationForceField *a = (const ApplicationForceField *)ff;
  const CsofaMatrix m = matrix_of(ff, tangent);
  (void)p;
  return a->change && !a->stiffness ? probe(ff, at, (const double[]){0, 1}, &m) : SOFA_OK;
}

/* Its energy is not known. */
static bool conservative(const SofaForceField *ff) {
  (void)ff;
  return false;
}

/* ---- the class ---- */

static const SofaForceFieldOps ops = {.add_force = add_force,
                                      .add_dforce = add_dforce,
                                      .add_k = add_k,
                                      .add_b = add_b,
                                      .conservative = conservative};

static const char *const templates[] = {"Vec3d",   "Vec1d",   "Vec2d", "Vec6d",
                                        "Rigid2d", "Rigid3d", NULL};

const SofaClass csofa_force_field_class = {
    .name = "ApplicationForceField",
    .module = "csofa",
    .category = "ForceField",
    .help = "A force field whose functions the application gives (csofa_set_force).",
    .base = &sofa_force_field_class,
    .size = sizeof(ApplicationForceField),
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}),
};

CsofaErr csofa_set_force(CsofaScene *scene, CsofaObject object, CsofaForceFn force,
                         CsofaForceChangeFn change_fn, CsofaStiffnessFn stiffness, void *user) {
  csofa_begin(scene->owner);
  SofaObject *o = csofa_get(scene, object);
  if (!o) return CSOFA_ERR_NOT_FOUND;
  if (!sofa_class_is_a(o->klass, &csofa_force_field_class))
    return csofa_end(scene->owner,
                     sofa_object_fail(o, SOFA_ERR_TYPE, "it is not an ApplicationForceField"));
  ApplicationForceField *a = (ApplicationForceField *)o;
  a->force = force;
  a->change = change_fn;
  a->stiffness = stiffness;
  a->user = user;
  return CSOFA_OK;
}
