/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WriteState: records positions, velocities and forces of the node's state in a text file. */
#include <math.h>
#include <string.h>

#include "base/files.h"
#include "object/checkpoint.h"
#include "behavior/mass.h"
#include "behavior/whole_list.h"
#include "components/playback/recorder.h"
#include "object/event.h"
#include "object/process.h"

typedef struct WriteState {
  SofaObject object;
  Recorder recorder;
  bool write_x, write_x0, write_v, write_f;
  double stop_at, energy_period;
  SofaIndices dofs_x, dofs_v;
  SofaState *state;
  SofaCoords run; /* owned; work space for a divided state */
  bool stopped;
  double energy, next_energy_time; /* of stopAt */
} WriteState;

static const SofaField fields[] = {
    RECORDER_ROW_FILE(WriteState),
    SOFA_FIELD(WriteState, write_x, "writeX", "1", "", "write positions"),
    SOFA_FIELD(WriteState, write_x0, "writeX0", "0", "", "write rest positions"),
    SOFA_FIELD(WriteState, write_v, "writeV", "0", "", "write velocities"),
    SOFA_FIELD(WriteState, write_f, "writeF", "0", "", "write forces (not with gzip)"),
    RECORDER_ROWS_TIMES(WriteState),
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
  if (w->stop_at > 0 && sofa_state_division(w->state))
    return sofa_field_fail(object, "stopAt", SOFA_ERR_UNSUPPORTED,
                           "is not supported yet for a state that is divided among processes");
  Recorder *r = &w->recorder;
  r->periodic = sofa_field_is_set(object, "period") && r->period > 0;
  r->interval = r->period;
  if (!r->times.n && !sofa_field_is_set(object, "period")) {
    const double start = 0;
    SOFA_TRY(SOFA_APPEND(object->ctx, &r->times, &start));
    r->periodic = true;
    r->interval = object->node->dt;
  }
  if (!r->times.n && !r->periodic)
    sofa_object_message(
        object, SOFA_WARNING,
        "writes no state: set a period > 0 or instants in 'time', or leave both out "
        "to write every step");
  SOFA_TRY(recorder_open(object, r));
  if (r->file && sofa_state_division(w->state)) sofa_output_file_share(r->file);
  return SOFA_OK;
}

static void write_destroy(SofaObject *object) {
  recorder_close(object, &((WriteState *)object)->recorder);
  sofa_coords_free(object->ctx, &((WriteState *)object)->run);
}

/* Of a divided state each process writes its run, the first one what stands between. */
static bool writes_first(const WriteState *w) {
  return sofa_process_rank(w->object.ctx) == 0;
}

static SofaErr append_reals(WriteState *w, const SofaCoords *list) {
  SofaText *text = &w->recorder.text;
  for (size_t k = 0; k < list->n * list->width; k++) {
    SOFA_TRY(sofa_text_append(w->object.ctx, text, " ", 1));
    SOFA_TRY(sofa_text_real(w->object.ctx, text, list->data[k], 6));
  }
  return SOFA_OK;
}

static SofaErr append_line(WriteState *w, const char *label, const SofaCoords *part) {
  SofaContext *ctx = w->object.ctx;
  SofaText *text = &w->recorder.text;
  const SofaCoords *list = part;
  const bool divided = sofa_state_division(w->state) != NULL;
  if (divided) SOFA_TRY(sofa_run_of_list(w->state, part, &w->run, &list));
  if (!divided || writes_first(w)) SOFA_TRY(sofa_text_printf(ctx, text, "  %s=", label));
  SOFA_TRY(append_reals(w, list));
  if (divided) {
    SOFA_TRY(recorder_write(&w->recorder));
    text->n = 0;
  }
  return !divided || writes_first(w) ? sofa_text_append(ctx, text, "\n", 1) : SOFA_OK;
}

static SofaErr write_block(WriteState *w) {
  Recorder *r = &w->recorder;
  const bool packed = !strcmp(sofa_path_extension(r->filename.text), "gz");
  SOFA_TRY(recorder_begin(&w->object, r));
  if (sofa_state_division(w->state) && !writes_first(w)) r->text.n = 0;
  if (w->write_x) SOFA_TRY(append_line(w, "X", &w->state->position));
  if (w->write_x0) SOFA_TRY(append_line(w, "X0", &w->state->rest_position));
  if (w->write_v) SOFA_TRY(append_line(w, "V", &w->state->velocity));
  if (w->write_f && !packed) SOFA_TRY(sofa_state_find_force(w->state));
  if (w->write_f && !packed) SOFA_TRY(append_line(w, "F", &w->state->force));
  return recorder_write(r);
}

/* Recording ends when the kinetic energy hardly changed since the last look. */
static void look_at_energy(WriteState *w, double time) {
  SofaMass *mass = (SofaMass *)sofa_node_slot(w->object.node, SOFA_MASS);
  if (w->stop_at <= 0 || !mass || !(time > w->next_energy_time)) return;
  const double energy =
      sofa_mass_ops(mass)->kinetic_energy(mass, w->state->position.data, w->state->velocity.data);
  w->next_energy_time += w->energy_period;
  if (fabs(energy - w->energy) < w->stop_at) w->stopped = true;
  w->energy = energy;
}

static SofaErr write_handle_event(SofaObject *object, const SofaEvent *event) {
  WriteState *w = (WriteState *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !w->recorder.file || w->stopped) return SOFA_OK;
  const SofaErr err = recorder_due(object, &w->recorder) ? write_block(w) : SOFA_OK;
  if (err != SOFA_OK) {
    /* a run that shall go on goes on without the file */
    w->stopped = true;
    return object->ctx->keep_going ? SOFA_OK : err;
  }
  look_at_energy(w, object->node->time);
  return SOFA_OK;
}

static SofaErr write_reset(SofaObject *object) {
  WriteState *w = (WriteState *)object;
  recorder_reset(&w->recorder);
  w->energy = w->next_energy_time = 0;
  w->stopped = false;
  return SOFA_OK;
}

/* ---- checkpoints: the file goes on ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  recorder_save(&((const WriteState *)object)->recorder, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  return recorder_restore(&((WriteState *)object)->recorder, from);
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(WriteState, stopped),
    SOFA_KEEP(WriteState, energy),
    SOFA_KEEP(WriteState, next_energy_time),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(WriteState, recorder.file),
    SOFA_REMADE(WriteState, recorder.text),
};

SOFA_CLASS(WriteState) = {
    SOFA_NAMED(WriteState),
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Records the state of its node in a text file, at the beginning of steps, with 6 "
            "digits.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    SOFA_KEEPS(kept),
    SOFA_FIELDS(fields),
    .listening = true,
    .init = write_init,
    .reset = write_reset,
    .handle_event = write_handle_event,
    .destroy = write_destroy,
};
