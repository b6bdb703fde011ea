/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading recorded states: finding the block of a time, setting positions and velocities. */
#include "components/playback/state_reader.h"
#include "object/checkpoint.h"

#include <math.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "behavior/state_division.h"
#include "components/playback/recorder.h"
#include "components/playback/state_rows.h"
#include "components/playback/state_text.h"
#include "math/quaternion.h"

static const SofaField fields[] = {
    SOFA_FIELD(StateReader, filename, "filename", NULL, "", "recorded states (gzip allowed)"),
    SOFA_FIELD(StateReader, interval, "interval", "0", "s",
               "least time between two readings; 0: every step"),
    SOFA_FIELD(StateReader, shift, "shift", "0", "s", "added to the time of the simulation"),
    SOFA_FIELD(StateReader, loop, "loop", "0", "", "start again at the end of the file"),
    SOFA_FIELD(StateReader, scale, "scalePos", "1", "1", "scale of the positions, applied first"),
    SOFA_FIELD(StateReader, rotation, "rotation", "0 0 0", "degree",
               "rotation of the positions: Euler angles, x first"),
    SOFA_FIELD(StateReader, translation, "translation", "0 0 0", "m",
               "translation of the positions, applied last"),
};

/* ---- lines ---- */

/* Begins with the label? Then *values is what follows it. */
static bool is_line(const char *line, const char *label, const char **values) {
  while (*line == ' ' || *line == '\t') line++;
  const size_t n = strlen(label);
  if (strncmp(line, label, n) != 0) return false;
  *values = line + n;
  return true;
}

double state_reader_next_round(double begin, double end, double time) {
  const double period = end - begin;
  if (!(period > 0)) return begin;
  const double rounds = floor((time - end) / period); // whole ones before `time`
  return rounds > 1 ? end + (rounds - 1) * period : end;
}

/* The whole file was read: with loop go on at its beginning, one round later. False: a round takes
 * no time. */
static bool start_again(StateReader *r, double time) {
  const double begin = state_reader_next_round(r->time_offset, r->next_time, time);
  if (!r->loop || !(begin > r->time_offset)) return false;
  r->time_offset = begin;
  r->at = r->text;
  return true;
}

StateBlock state_reader_advance(StateReader *r, double time) {
  StateBlock block = {0};
  if (!r->text) return block;
  while (r->next_time <= time) {
    if (!*r->at) {
      if (!start_again(r, time)) return block;
      continue;
    }
    const char *line = r->at, *end = strchr(line, '\n'), *values = NULL;
    r->at = end ? end + 1 : line + strlen(line);
    double t = 0;
    if (is_line(line, "T=", &values)) {
      if (!sofa_read_real(&values, &t)) continue;
      r->next_time = t + r->time_offset;
      if (r->next_time <= time) block = (StateBlock){0};
    } else if (is_line(line, "X=", &values)) {
      block.x = values;
    } else if (is_line(line, "V=", &values)) {
      block.v = values;
    }
  }
  return block;
}

/* ---- applying ---- */

/* Numbers of a line: sofa_read_real stops at the label of the next one. */
static size_t count_numbers(const char *line) {
  const char *end = strchr(line, '\n');
  size_t n = 0;
  double value = 0;
  while (sofa_read_real(&line, &value) && (!end || line <= end)) n++;
  return n;
}

static void read_numbers(const char *line, double *to, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (!sofa_read_real(&line, &to[k])) return;
}

/* Scale, rotate, translate points; of frames also the orientation is rotated. */
static void transform(const StateReader *r, SofaStateKind kind, SofaCoords *x) {
  const unsigned space = sofa_state_kind_info(kind)->space;
  double q[4], p[3], rotated[4];
  const double *a = r->rotation.v;
  const bool rotate = a[0] != 0 || a[1] != 0 || a[2] != 0;
  sofa_quat_from_euler_degrees(a, q);
  for (size_t i = 0; i < x->n; i++) {
    double *to = x->data + i * x->width;
    for (unsigned c = 0; c < 3; c++) p[c] = c < space ? to[c] * r->scale : 0;
    if (rotate) sofa_quat_rotate(q, p, rotated);
    for (unsigned c = 0; c < space && c < 3; c++)
      to[c] = (rotate ? rotated[c] : p[c]) + r->translation.v[c];
    if (!rotate || kind != SOFA_RIGID3) continue;
    sofa_quat_multiply(q, to + 3, rotated);
    memcpy(to + 3, rotated, sizeof rotated);
  }
}

SofaErr state_reader_apply(StateReader *r, const StateBlock *block) {
  SofaState *s = r->state;
  if (block->x) {
    const size_t n = count_numbers(block->x) / s->position.width;
    /* a state of one point may stand for "as many as there are" */
    if (n != s->position.n && s->position.n > 1)
      return sofa_object_fail(&r->object, SOFA_ERR_PARSE,
                              "'%s' has %zu positions, the state has %zu points", r->filename.text,
                              n, s->position.n);
    if (n != s->position.n) SOFA_TRY(sofa_state_resize(s, n));
    read_numbers(block->x, s->position.data, n * s->position.width);
    transform(r, s->object.kind, &s->position);
  }
  if (block->v) {
    const size_t n = count_numbers(block->v) / s->velocity.width;
    if (n != s->velocity.n)
      return sofa_object_fail(&r->object, SOFA_ERR_PARSE,
                              "a block has %zu velocities for %zu positions", n, s->position.n);
    read_numbers(block->v, s->velocity.data, n * s->velocity.width);
  }
  if (block->x || block->v) sofa_state_touch(s);
  return SOFA_OK;
}

/* ---- life ---- */

/* With an error the reader has no text. */
static SofaErr check_text(StateReader *r, size_t size) {
  SofaContext *ctx = r->object.ctx;
  const SofaStateKindInfo *kind = sofa_state_kind_info(r->state->object.kind);
  char *path = sofa_object_path(&r->object);
  const SofaOrigin origin = {
      .file = r->filename.path, .path = path, .emitter = r->object.klass->name};
  const SofaErr err = state_text_check(ctx, &origin, r->text, size, kind->coord, kind->deriv);
  sofa_free(ctx, path);
  if (err == SOFA_OK) return SOFA_OK;
  sofa_free(ctx, r->text);
  r->text = NULL;
  return err;
}

/* Of a state that is divided the lines have the values of its local points. */
static SofaErr read_rows(StateReader *r, const SofaDivision *division, size_t *size) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(r->state->object.kind);
  const unsigned widths[2] = {kind->coord, kind->deriv};
  SofaText text = {0};
  char *path = sofa_object_path(&r->object);
  const SofaOrigin origin = {
      .file = r->filename.path, .path = path, .emitter = r->object.klass->name};
  const SofaErr err = state_rows_read(r->object.ctx, &origin, division, widths, &text);
  sofa_free(r->object.ctx, path);
  if (err != SOFA_OK) sofa_list_free(r->object.ctx, &text);
  r->text = text.data;
  *size = text.n;
  return err;
}

static SofaErr read_text(StateReader *r) {
  SofaObject *object = &r->object;
  const SofaDivision *division = sofa_state_division(r->state);
  size_t size = 0;
  if (division) SOFA_TRY(read_rows(r, division, &size));
  else SOFA_TRY(sofa_read_file(object->ctx, r->filename.path, 0, &r->text, &size));
  recording_check_end(object, r->filename.path, r->text, size);
  SOFA_TRY(check_text(r, size));
  return state_reader_reset(object);
}

/* Which points a process has is known when the states are ready. */
static SofaErr reader_init(SofaObject *object) {
  StateReader *r = (StateReader *)object;
  r->state = sofa_node_state(object->node);
  if (!r->state)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "no mechanical state in this node or above");
  if (!r->filename.path)
    return sofa_field_fail(object, "filename", SOFA_ERR_NOT_FOUND, "no file '%s'",
                           r->filename.text ? r->filename.text : "");
  sofa_free(object->ctx, r->text);
  r->text = NULL;
  return object->ctx->processes ? SOFA_OK : read_text(r);
}

SofaErr state_reader_reset(SofaObject *object) {
  StateReader *r = (StateReader *)object;
  r->at = r->text;
  r->next_time = r->time_offset = r->last_time = 0;
  return SOFA_OK;
}

static SofaErr reader_bwd_init(SofaObject *object) {
  StateReader *r = (StateReader *)object;
  if (!r->text) SOFA_TRY(read_text(r));
  const StateBlock block = state_reader_advance(r, object->node->time + r->shift);
  return state_reader_apply(r, &block);
}

static void reader_destroy(SofaObject *object) {
  sofa_free(object->ctx, ((StateReader *)object)->text);
}

/* ---- checkpoints: the place is saved by its line, which is the same on all processes ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const StateReader *r = (const StateReader *)object;
  uint64_t line = 0;
  for (const char *c = r->text; c < r->at; c++) line += *c == '\n';
  sofa_checkpoint_put_uint(to, line);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  StateReader *r = (StateReader *)object;
  const char *at = r->text;
  for (uint64_t line = sofa_checkpoint_get_uint(from); at && line; line--) {
    at = strchr(at, '\n');
    if (at) at++;
  }
  if (r->text && !at) sofa_checkpoint_misread(from);
  else r->at = at;
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(StateReader, next_time),
    SOFA_KEEP(StateReader, time_offset),
    SOFA_KEEP(StateReader, last_time),
};

const SofaClass state_reader_class = {
    .name = "StateReader",
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Reads recorded states.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_LOCAL,
    .checkpoint = &checkpoint,
    SOFA_KEEPS(kept),
    .size = sizeof(StateReader),
    SOFA_FIELDS(fields),
    .abstract = true,
    .init = reader_init,
    .bwd_init = reader_bwd_init,
    .reset = state_reader_reset,
    .destroy = reader_destroy,
};
