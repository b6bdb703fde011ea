/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BlenderExporter: writes the positions and velocities of a state as Blender's point cache. */
#include <string.h>

#include "behavior/state.h"
#include "object/checkpoint.h"
#include "components/io/exporter.h"
#include "numerics/io/output_file.h"
#include "math/vec.h"
#include "object/event.h"

typedef struct BlenderExporter {
  Exporter exporter;
  char *path, *base_name;
  int type, step, n_hair_points;
  SofaState *state;
  uint64_t frame; /* steps begun */
} BlenderExporter;

enum { SOFT_BODY, PARTICLES, CLOTH, HAIR };

static const SofaField fields[] = {
    SOFA_FIELD(BlenderExporter, path, "path", "", "", "folder of the files; default: the current"),
    SOFA_FIELD(BlenderExporter, base_name, "baseName", "", "",
               "beginning of the files' names: BASENAME_000001_00.bphys, ..."),
    SOFA_FIELD(BlenderExporter, type, "simulationType", "0", "1",
               "0 soft body, 1 particles, 2 cloth, 3 hair", .range = SOFA_WITHIN(0, 3)),
    SOFA_FIELD(BlenderExporter, step, "step", "2", "1",
               "steps between two files; used instead of exportEveryNumberOfSteps",
               .range = SOFA_AT_LEAST(1)),
    SOFA_FIELD(BlenderExporter, n_hair_points, "nbPtsByHair", "20", "1", "points of a hair",
               .range = SOFA_AT_LEAST(2)),
};

/* ---- bytes ---- */

static SofaErr add32(BlenderExporter *e, uint32_t value) {
  const char bytes[4] = {(char)value, (char)(value >> 8), (char)(value >> 16), (char)(value >> 24)};
  return sofa_text_append(e->exporter.object.ctx, &e->exporter.text, bytes, 4);
}

static SofaErr add_vector(BlenderExporter *e, const double x[3]) {
  for (int k = 0; k < 3; k++) {
    const float value = (float)x[k];
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    SOFA_TRY(add32(e, bits));
  }
  return SOFA_OK;
}

static SofaErr write_text(BlenderExporter *e, unsigned long long number) {
  SofaContext *ctx = e->exporter.object.ctx;
  char *file =
      sofa_format(ctx, "%s%s%s_%06llu_00.bphys", e->path ? e->path : "",
                  e->path && e->path[0] ? "/" : "", e->base_name ? e->base_name : "", number);
  if (!file) return SOFA_ERR_MEMORY;
  SofaErr err = sofa_output_file_check(&e->exporter.object, "path", file);
  if (err == SOFA_OK)
    err = sofa_output_file_replace(&e->exporter.object, file, e->exporter.text.data,
                                   e->exporter.text.n);
  sofa_free(ctx, file);
  return err;
}

static SofaErr add_header(BlenderExporter *e, uint32_t type, uint32_t n, uint32_t data) {
  e->exporter.text.n = 0;
  SOFA_TRY(sofa_text_append(e->exporter.object.ctx, &e->exporter.text, "BPHYSICS", 8));
  SOFA_TRY(add32(e, type));
  SOFA_TRY(add32(e, n));
  return add32(e, data);
}

/* ---- frames ---- */

/* The first three numbers of point i, 0 where the list has none. */
static void vector_of(const SofaCoords *list, size_t i, double to[3]) {
  to[0] = to[1] = to[2] = 0;
  if (i < list->n) memcpy(to, list->data + i * list->width, 3 * sizeof *to);
}

/* A hair begins with a point more, one unit along its first segment, which gives it a direction. */
static SofaErr add_root(BlenderExporter *e, size_t i) {
  static const double rest[3] = {0, 0, 0};
  double x[3], next[3];
  vector_of(&e->state->position, i, x);
  vector_of(&e->state->position, i + 1, next);
  for (int k = 0; k < 3; k++) next[k] -= x[k];
  sofa_vec3_normalize(next);
  for (int k = 0; k < 3; k++) x[k] += next[k];
  SOFA_TRY(add_vector(e, x));
  SOFA_TRY(add_vector(e, rest));
  return add_vector(e, x);
}

/* Points in reverse order: position, velocity, and of hair the rest position. */
static SofaErr write_frame(BlenderExporter *e) {
  const SofaState *s = e->state;
  const size_t n = s->position.n, hair = (size_t)e->n_hair_points;
  const bool is_hair = e->type == HAIR;
  double v[3];
  SOFA_TRY(add_header(e, is_hair ? CLOTH : (uint32_t)e->type,
                      (uint32_t)(n + (is_hair ? n / hair : 0)), is_hair ? 22 : 6));
  for (size_t i = n; i-- > 0;) {
    if (is_hair && i % hair == 0) SOFA_TRY(add_root(e, i));
    const SofaCoords *lists[3] = {&s->position, &s->velocity, &s->rest_position};
    for (int k = 0; k < (is_hair ? 3 : 2); k++) {
      vector_of(lists[k], i, v);
      SOFA_TRY(add_vector(e, v));
    }
  }
  return write_text(e, (unsigned long long)(e->frame / (uint64_t)e->step) + 1);
}

/* Hair also has a file 0 with the range of frames: 0, 100, 100. */
static SofaErr write_range(BlenderExporter *e) {
  static const double range[3] = {0, 100, 100};
  SOFA_TRY(add_header(e, 1, 1, 64));
  SOFA_TRY(add_vector(e, range));
  return write_text(e, 0);
}

static SofaErr init(SofaObject *object) {
  BlenderExporter *e = (BlenderExporter *)object;
  e->state = (SofaState *)sofa_node_find(object->node, SOFA_MECHANICAL_STATE, SOFA_SEARCH_LOCAL);
  if (!e->state || sofa_state_kind_info(e->state->object.kind)->space < 3)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "no mechanical state of points or frames in space in this node");
  return e->type == HAIR && e->exporter.enable ? write_range(e) : SOFA_OK;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  BlenderExporter *e = (BlenderExporter *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !e->exporter.enable) return SOFA_OK;
  const SofaErr err = e->frame % (uint64_t)e->step == 0 ? write_frame(e) : SOFA_OK;
  e->frame++;
  if (err == SOFA_OK || !object->ctx->keep_going) return err;
  e->exporter.enable = false;
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  ((BlenderExporter *)object)->frame = 0;
  return SOFA_OK;
}

/* Files are written at the beginning of steps only, as in SOFA. */
static SofaErr write_nothing(Exporter *exporter) {
  (void)exporter;
  return SOFA_OK;
}

static const char *const extensions[] = {"bphys", NULL};
static const ExporterOps ops = {
    .extensions = extensions, .write = write_nothing, .own_instants = true};
static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(BlenderExporter, frame),
};

SOFA_CLASS(BlenderExporter) = {
    SOFA_NAMED(BlenderExporter),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Exporter",
    .help = "Writes positions and velocities as Blender's point cache, at the beginning of steps.",
    .base = &exporter_class,
    SOFA_KEEPS(kept),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    .reset = reset,
    .handle_event = handle_event,
    SOFA_IMPLEMENTS({SOFA_EXPORTER, &ops}),
};
