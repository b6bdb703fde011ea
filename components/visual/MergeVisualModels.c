/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MergeVisualModels: several visual models as one, so that they are drawn at once. */
#include <stdio.h>

#include "components/visual/OglModel.h"

typedef struct MergeVisualModels {
  OglModel model;
  uint32_t n;
  uint64_t elements_seen, points_seen; /* sums of the inputs' versions when they were merged */
} MergeVisualModels;

typedef MergeVisualModels SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(n, "nb", "1", "how many models"),
};

static const SofaLinkRule input_rule = {.klass = &sofa_OglModel_class};

static const SofaFieldFamily families[] = {
    {.row = {.name = "input",
             .type = &sofa_type_link,
             .unit = "",
             .help = "a visual model",
             .flags = SOFA_FIELD_DISPLAY,
             .link = &input_rule},
     .count = "nb"},
};

static OglModel *input(const SofaObject *object, uint32_t i) {
  return (OglModel *)((const SofaLink *)sofa_family_value(object, 0, i))->target;
}

/* Appends faces, whose vertices follow on `first` others. */
static SofaErr add_faces(SofaContext *ctx, void *list, const void *from, unsigned width,
                         size_t first) {
  SofaIndices *to = list;
  const SofaIndices *faces = from;
  const size_t at = to->n * width, n = faces->n * width;
  SOFA_TRY(sofa_list_resize(ctx, to, width * sizeof *to->data, to->n + faces->n));
  for (size_t i = 0; i < n; i++) to->data[at + i] = faces->data[i] + (uint32_t)first;
  return SOFA_OK;
}

static SofaErr merge_elements(MergeVisualModels *m, size_t n_points) {
  OglModel *o = &m->model;
  SofaObject *object = &o->state.object;
  SofaContext *ctx = object->ctx;
  static const char *const names[] = {"triangles", "quads", "edges", "texcoords"};
  size_t first = 0;
  bool textured = true;
  o->triangles.n = o->quads.n = o->edges.n = o->texcoords.n = o->normal.n = 0;
  SOFA_TRY(sofa_state_resize(&o->state, n_points));
  for (uint32_t i = 0; i < m->n; i++) {
    const OglModel *part = input(object, i);
    SOFA_TRY(add_faces(ctx, &o->triangles, &part->triangles, 3, first));
    SOFA_TRY(add_faces(ctx, &o->quads, &part->quads, 4, first));
    SOFA_TRY(add_faces(ctx, &o->edges, &part->edges, 2, first));
    textured = textured && part->texcoords.n == part->state.position.n;
    first += part->state.position.n;
  }
  if (textured) SOFA_TRY(SOFA_RESIZE(ctx, &o->texcoords, n_points));
  first = 0;
  for (uint32_t i = 0; i < m->n && textured; i++) {
    const SofaVec2s *uv = &input(object, i)->texcoords;
    if (uv->n) sofa_copy(o->texcoords.data + first, uv->data, uv->n * sizeof *uv->data);
    first += uv->n;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) sofa_field_touch_name(object, names[i]);
  return SOFA_OK;
}

static void merge_points(MergeVisualModels *m) {
  SofaState *state = &m->model.state;
  size_t first = 0;
  for (uint32_t i = 0; i < m->n; i++) {
    const SofaCoords *x = &input(&state->object, i)->state.position;
    if (x->n) sofa_copy(state->position.data + 3 * first, x->data, 3 * x->n * sizeof *x->data);
    first += x->n;
  }
  sofa_state_touch(state);
}

/* Takes over what changed of the inputs. */
static SofaErr merge(MergeVisualModels *m) {
  SofaObject *object = &m->model.state.object;
  uint64_t elements = 1, points = 1;
  size_t n = 0;
  for (uint32_t i = 0; i < m->n; i++) {
    SofaState *part = &input(object, i)->state;
    SofaSurface s;
    SOFA_TRY(sofa_visual_model_ops(part)->surface(part, &s));
    elements += s.elements_version;
    points += s.points_version;
    n += s.n_points;
  }
  if (elements != m->elements_seen || n != m->model.state.position.n)
    SOFA_TRY(merge_elements(m, n));
  else if (points == m->points_seen) return SOFA_OK;
  merge_points(m);
  m->elements_seen = elements;
  m->points_seen = points;
  return SOFA_OK;
}

static SofaErr surface(SofaState *visual, SofaSurface *out) {
  // a model whose inputs are missing stays empty
  if (sofa_valid(&visual->object)) SOFA_TRY(merge((MergeVisualModels *)visual));
  const SofaVisualModelOps *base = sofa_class_ops(&sofa_OglModel_class, SOFA_VISUAL_MODEL);
  return base->surface(visual, out);
}

/* The inputs are initialised, wherever they stand. */
static SofaErr bwd_init(SofaObject *object) {
  MergeVisualModels *m = (MergeVisualModels *)object;
  for (uint32_t i = 0; i < m->n; i++) {
    char name[32];
    snprintf(name, sizeof name, "input%u", i + 1);
    if (!input(object, i))
      return sofa_field_fail(object, name, SOFA_ERR_NOT_FOUND,
                             "missing, expected a visual model, as nb = %u", m->n);
    if ((const SofaObject *)input(object, i) == object)
      return sofa_field_fail(object, name, SOFA_ERR_CYCLE, "is the model itself");
  }
  m->model.from_topology = false;
  return merge(m);
}

static const SofaVisualModelOps ops = {.surface = surface};
static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(MergeVisualModels) = {
    SOFA_NAMED(MergeVisualModels),
    .module = "Sofa.GL.Component.Rendering3D",
    .category = "VisualModel",
    .help = "Several visual models drawn as one, in its own material; switch the inputs off.",
    .base = &sofa_OglModel_class,
    SOFA_FIELDS(fields),
    SOFA_FAMILIES(families),
    .templates = templates,
    .bwd_init = bwd_init,
    SOFA_IMPLEMENTS({SOFA_VISUAL_MODEL, &ops}),
};
