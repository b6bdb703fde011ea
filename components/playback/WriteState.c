/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WriteState: records positions, velocities and forces of the node's state in a text file. */
#include <math.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "behavior/mass.h"
#include "numerics/io/output_file.h"
#include "object/event.h"

typedef struct WriteState {
  SofaObject object;
  SofaFileName filename;
  bool write_x, write_x0, write_v, write_f;
  SofaReals times;
  double period, stop_at, energy_period;
  SofaIndices dofs_x, dofs_v;
  SofaState *state;
  OutputFile *file;
  SofaText text; /* of one block */
  size_t next;   /* in times */
  bool periodic, stopped;
  double interval;                 /* the period in use, s */
  double last;                     /* last listed or periodic instant */
  double energy, next_energy_time; /* of stopAt */
} WriteState;

static const SofaField fields[] = {
    SOFA_FIELD(WriteState, filename, "filename", NULL, "",
               "file to write (gzip with .gz); relative to the current directory"),
    SOFA_FIELD(WriteState, write_x, "writeX", "1", "", "write positions"),
    SOFA_FIELD(WriteState, write_x0, "writeX0", "0", "", "write rest positions"),
    SOFA_FIELD(WriteState, write_v, "writeV", "0", "", "write velocities"),
    SOFA_FIELD(WriteState, write_f, "writeF", "0", "", "write forces (not with gzip)"),
    SOFA_FIELD(WriteState, times, "time", NULL, "s",
               "instants to write at; neither these nor a period: every step"),
    SOFA_FIELD(WriteState, period, "period", "0", "s", "time between blocks behind the instants"),
    SOFA_FIELD(WriteState, dofs_x, "DOFsX", NULL, "", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(WriteState, dofs_v, "DOFsV", NULL, "", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(WriteState, stop_at, "stopAt", "0", "J",
               "stop when the kinetic energy changes by less than this; 0: never"),
    SOFA_FIELD(WriteState, energy_period, "keperiod", "0", "s",
               "time between two looks at the kinetic energy"),
};

static SofaErr write_init(SofaObject *object) {
  WriteState *w = (WriteState *)object;
  w->state = sofa_node_state(object->node);
  if (!w->state)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "no mechanical state in this node or above");
  w->periodic = sofa_field_is_set(object, "period") && w->period > 0;
  w->interval = w->period;
  if (!w->times.n && !sofa_field_is_set(object, "period")) {
    const double start = 0;
    SOFA_TRY(SOFA_APPEND(object->ctx, &w->times, &start));
    w->periodic = true;
    w->interval = object->node->dt;
  }
  if (!w->filename.text || !w->filename.text[0]) {
    sofa_object_message(object, SOFA_WARNING, "no filename: nothing is written");
    return SOFA_OK;
  }
  output_file_close(&w->file);
  return output_file_open(object, "filename", w->filename.text, &w->file);
}

static void write_destroy(SofaObject *object) {
  WriteState *w = (WriteState *)object;
  output_file_close(&w->file);
  sofa_list_free(object->ctx, &w->text);
}

static SofaErr append_line(WriteState *w, const char *label, const SofaCoords *list) {
  SofaContext *ctx = w->object.ctx;
  const size_t n = list->n * list->width;
  SOFA_TRY(sofa_text_printf(ctx, &w->text, "  %s=", label));
  for (size_t k = 0; k < n; k++) {
    SOFA_TRY(sofa_text_append(ctx, &w->text, " ", 1));
    SOFA_TRY(sofa_text_real(ctx, &w->text, list->data[k], 6));
  }
  return sofa_text_append(ctx, &w->text, "\n", 1);
}

static SofaErr write_block(WriteState *w, double time) {
  SofaContext *ctx = w->object.ctx;
  const bool packed = !strcmp(sofa_path_extension(w->filename.text), "gz");
  w->text.n = 0;
  SOFA_TRY(sofa_text_append(ctx, &w->text, "T= ", 3));
  SOFA_TRY(sofa_text_real(ctx, &w->text, time, 6));
  SOFA_TRY(sofa_text_append(ctx, &w->text, "\n", 1));
  if (w->write_x) SOFA_TRY(append_line(w, "X", &w->state->position));
  if (w->write_x0) SOFA_TRY(append_line(w, "X0", &w->state->rest_position));
  if (w->write_v) SOFA_TRY(append_line(w, "V", &w->state->velocity));
  if (w->write_f && !packed) SOFA_TRY(append_line(w, "F", &w->state->force));
  return output_file_write(w->file, w->text.data, w->text.n);
}

/* Is something due at this time? First the listed instants, then the period. */
static bool is_due(WriteState *w, double time) {
  const double margin = 0.1 * w->object.node->dt;
  if (w->next < w->times.n) {
    const double instant = w->times.data[w->next];
    if (!(time > instant || fabs(time - instant) < margin)) return false;
    w->last = instant;
    w->next++;
    return true;
  }
  const double instant = w->last + w->interval;
  if (!w->periodic || !(time > instant || fabs(time - instant) < margin)) return false;
  w->last = instant;
  return true;
}

/* Recording ends when the kinetic energy hardly changed since the last look. */
static void look_at_energy(WriteState *w, double time) {
  SofaMass *mass = (SofaMass *)sofa_node_slot(w->object.node, SOFA_MASS);
  if (w->stop_at <= 0 || !mass || !(time > w->next_energy_time)) return;
  const double energy = sofa_mass_ops(mass)->kinetic_energy(mass, w->state->velocity.data);
  w->next_energy_time += w->energy_period;
  if (fabs(energy - w->energy) < w->stop_at) w->stopped = true;
  w->energy = energy;
}

static SofaErr write_handle_event(SofaObject *object, const SofaEvent *event) {
  WriteState *w = (WriteState *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !w->file || w->stopped) return SOFA_OK;
  const double time = object->node->time;
  const SofaErr err = is_due(w, time) ? write_block(w, time) : SOFA_OK;
  if (err != SOFA_OK) {
    /* a run that shall go on goes on without the file */
    w->stopped = true;
    return object->ctx->keep_going ? SOFA_OK : err;
  }
  look_at_energy(w, time);
  return SOFA_OK;
}

static SofaErr write_reset(SofaObject *object) {
  WriteState *w = (WriteState *)object;
  w->next = 0;
  w->last = w->energy = w->next_energy_time = 0;
  w->stopped = false;
  return SOFA_OK;
}

SOFA_CLASS(WriteState) = {
    SOFA_NAMED(WriteState),
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Records the state of its node in a text file, at the beginning of steps, with 6 "
            "digits.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .listening = true,
    .init = write_init,
    .reset = write_reset,
    .handle_event = write_handle_event,
    .destroy = write_destroy,
};
