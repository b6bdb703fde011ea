/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ApplicationMapping: places of points by functions of the application. */
#include "api/api_impl.h"
#include "base/bytes.h"
#include "behavior/mapping.h"

typedef struct Entry {
  uint32_t row, column;
  size_t number; /* in the order of the calls */
  double value;
} Entry;
SOFA_LIST(Entry, Entries);

typedef struct ApplicationMapping {
  SofaMapping mapping;
  uint32_t points;
  CsofaApplyFn apply; /* NULL: not given */
  CsofaJacobianFn jacobian;
  void *user;
  Entries entries; /* of the Jacobian, as the application added them */
  SofaIndices start, column;
  SofaReals value;
} ApplicationMapping;

struct CsofaJacobian {
  ApplicationMapping *mapping;
  SofaErr err;
};

static size_t n_derivs(const SofaState *s) {
  return sofa_state_size(s) * sofa_state_kind_info(s->object.kind)->deriv;
}

void csofa_jacobian_add(CsofaJacobian *jacobian, size_t n, const uint32_t *rows,
                        const uint32_t *columns, const double *values) {
  ApplicationMapping *m = jacobian->mapping;
  const SofaMapping *map = &m->mapping;
  const size_t n_rows = n_derivs(map->out), n_columns = n_derivs(map->inputs[0]);
  for (size_t i = 0; i < n && jacobian->err == SOFA_OK; i++) {
    const Entry entry = {rows[i], columns[i], m->entries.n, values[i]};
    if (rows[i] >= n_rows || columns[i] >= n_columns)
      jacobian->err = sofa_object_fail(&map->object, SOFA_ERR_RANGE,
                                       "entry (%u, %u) of the Jacobian is outside of its %zu rows "
                                       "and %zu columns",
                                       rows[i], columns[i], n_rows, n_columns);
    else jacobian->err = SOFA_APPEND(map->object.ctx, &m->entries, &entry);
  }
}

static SofaErr end_call(const SofaMapping *mapping, int status) {
  if (status == 0) return SOFA_OK;
  return sofa_object_fail(&mapping->object, SOFA_ERR_SCENE,
                          "the function of the application failed");
}

static SofaErr setup(SofaMapping *mapping) {
  const ApplicationMapping *m = (const ApplicationMapping *)mapping;
  if (!m->apply || !m->jacobian)
    return sofa_object_fail(&mapping->object, SOFA_ERR_ARGUMENT,
                            "it has no functions: an application gives them before the scene is "
                            "initialised (csofa_set_mapping)");
  return m->points ? sofa_state_resize(mapping->out, m->points) : SOFA_OK;
}

static SofaErr apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  const ApplicationMapping *m = (const ApplicationMapping *)mapping;
  return end_call(mapping, m->apply(m->user, sofa_state_size(mapping->inputs[0]), at->x[0],
                                    sofa_state_size(mapping->out), x_out));
}

static int by_place(const void *a, const void *b) {
  const Entry *l = a, *r = b;
  if (l->row != r->row) return l->row < r->row ? -1 : 1;
  if (l->column != r->column) return l->column < r->column ? -1 : 1;
  return l->number < r->number ? -1 : l->number > r->number;
}

/* Entries of one place are added in the order of the calls. */
static SofaErr compress(ApplicationMapping *m, size_t n_rows) {
  SofaContext *ctx = m->mapping.object.ctx;
  const Entries *e = &m->entries;
  sofa_sort(e->data, e->n, sizeof *e->data, by_place);
  SOFA_TRY(SOFA_RESIZE(ctx, &m->start, n_rows + 1));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->column, e->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->value, e->n));
  size_t n = 0, row = 0;
  m->start.data[0] = 0;
  for (size_t i = 0; i < e->n; i++) {
    const Entry *x = &e->data[i];
    while (row < x->row) m->start.data[++row] = (uint32_t)n;
    if (i && x->row == e->data[i - 1].row && x->column == e->data[i - 1].column) {
      m->value.data[n - 1] += x->value;
      continue;
    }
    m->column.data[n] = x->column;
    m->value.data[n++] = x->value;
  }
  while (row < n_rows) m->start.data[++row] = (uint32_t)n;
  return SOFA_OK;
}

static SofaErr jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k, SofaJacobian *out) {
  ApplicationMapping *m = (ApplicationMapping *)mapping;
  CsofaJacobian to = {m, SOFA_OK};
  (void)k; // there is one input
  m->entries.n = 0;
  SOFA_TRY(
      end_call(mapping, m->jacobian(m->user, sofa_state_size(mapping->inputs[0]), at->x[0], &to)));
  SOFA_TRY(to.err);
  SOFA_TRY(compress(m, n_derivs(mapping->out)));
  *out = (SofaJacobian){.n_rows = n_derivs(mapping->out),
                        .n_columns = n_derivs(mapping->inputs[0]),
                        .start = m->start.data,
                        .column = m->column.data,
                        .value = m->value.data};
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  ApplicationMapping *m = (ApplicationMapping *)object;
  sofa_list_free(object->ctx, &m->entries);
  sofa_list_free(object->ctx, &m->start);
  sofa_list_free(object->ctx, &m->column);
  sofa_list_free(object->ctx, &m->value);
}

static const SofaMappingOps ops = {.setup = setup, .apply = apply, .jacobian = jacobian};

static const SofaField fields[] = {
    SOFA_FIELD(ApplicationMapping, points, "points", "0", "1",
               "number of points of the output; 0: as many as it has"),
};

static const char *const templates[] = {
    "Vec3d,Vec3d",   "Vec3d,Vec1d",     "Vec1d,Vec3d", "Vec1d,Vec1d", "Rigid3d,Vec3d",
    "Rigid3d,Vec1d", "Vec2d,Vec2d",     "Vec2d,Vec1d", "Vec6d,Vec3d", "Rigid2d,Vec2d",
    "Vec3d,Rigid3d", "Rigid3d,Rigid3d", NULL};

const SofaClass csofa_mapping_class = {
    .name = "ApplicationMapping",
    .size = sizeof(ApplicationMapping),
    .module = "csofa",
    .category = "Mapping",
    .help = "Moves points by functions of the application.",
    .base = &sofa_mapping_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &ops}),
};

CsofaErr csofa_set_mapping(CsofaScene *scene, CsofaObject object, CsofaApplyFn apply_fn,
                           CsofaJacobianFn jacobian_fn, void *user) {
  csofa_begin(scene->owner);
  SofaObject *o = csofa_get(scene, object);
  if (!o) return CSOFA_ERR_NOT_FOUND;
  if (!sofa_class_is_a(o->klass, &csofa_mapping_class))
    return csofa_end(scene->owner,
                     sofa_object_fail(o, SOFA_ERR_TYPE, "it is not an ApplicationMapping"));
  ApplicationMapping *m = (ApplicationMapping *)o;
  m->apply = apply_fn;
  m->jacobian = jacobian_fn;
  m->user = user;
  return CSOFA_OK;
}
