/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MergePoints: the points of two objects in one list. */

#include "components/engine/engine.h"

typedef struct MergePoints {
  SofaObject object;
  SofaCoords first, second, points;
  SofaIndices mapping, indices1, indices2;
  bool once, done;
} MergePoints;

typedef MergePoints SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(first, "position1", NULL, "m", "points of the first object"),
    SOFA_ROW_INPUT(second, "position2", NULL, "m", "points of the second object"),
    SOFA_ROW_INPUT(
        mapping, "mappingX2", NULL, "",
        "points of the first object that those of the second one replace; none: they are "
        "appended"),
    SOFA_ROW_OUTPUT(indices1, "indices1", "", "points of the first object"),
    SOFA_ROW_OUTPUT(indices2, "indices2", "", "points of the second object"),
    SOFA_ROW_OUTPUT(points, "points", "m", "all points"),
    SOFA_ROW(once, "noUpdate", "0", "", "evaluate at init only"),
};

static SofaErr append(MergePoints *m) {
  SofaContext *ctx = m->object.ctx;
  for (size_t i = 0; i < m->first.n; i++) SOFA_TRY(engine_append(ctx, &m->indices1, i));
  for (size_t i = 0; i < m->second.n; i++) {
    SOFA_TRY(engine_append(ctx, &m->indices2, m->first.n + i));
    SOFA_TRY(engine_append_coord(ctx, &m->points, &m->second, i));
  }
  return SOFA_OK;
}

/* Both index lists ascend. */
static SofaErr replace(MergePoints *m, uint8_t *replaced) {
  SofaContext *ctx = m->object.ctx;
  const size_t width = m->points.width;
  sofa_zero(replaced, m->first.n);
  for (size_t i = 0; i < m->mapping.n; i++) {
    const size_t at = m->mapping.data[i];
    replaced[at] = 1;
    sofa_copy(m->points.data + at * width, m->second.data + i * width, width * sizeof(double));
  }
  for (size_t i = 0; i < m->first.n; i++)
    SOFA_TRY(engine_append(ctx, replaced[i] ? &m->indices2 : &m->indices1, i));
  return SOFA_OK;
}

/* Is the second object initialised later, so that its points are not known yet? */
static bool second_is_late(const SofaObject *object) {
  const SofaFieldState *state =
      sofa_field_state(object, sofa_class_field(object->klass, "position2"));
  return state->source && !state->source->initialised;
}

static SofaErr update(SofaObject *object) {
  MergePoints *m = (MergePoints *)object;
  if (m->once && m->done) return SOFA_OK;
  m->indices1.n = m->indices2.n = 0;
  SOFA_TRY(engine_copy_coords(object->ctx, &m->points, &m->first));
  m->done = true;
  if (!m->mapping.n) return append(m);
  SOFA_TRY(ENGINE_CHECK(object, "mappingX2", &m->mapping, m->first.n));
  if (m->mapping.n > m->second.n && second_is_late(object)) {
    m->done = false;
    return SOFA_OK;
  }
  if (m->mapping.n > m->second.n)
    return sofa_field_fail(object, "mappingX2", SOFA_ERR_RANGE,
                           "it has %zu entries for %zu points of position2", m->mapping.n,
                           m->second.n);
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  uint8_t *replaced = SOFA_SCRATCH(object->ctx, uint8_t, m->first.n);
  const SofaErr err = replaced ? replace(m, replaced) : SOFA_ERR_MEMORY;
  sofa_scratch_release(object->ctx, mark);
  return err;
}

ENGINE_CLASS(MergePoints, "Generate", "Puts the points of two objects in one list.",
             .templates = engine_state_templates, .init = engine_init, );
