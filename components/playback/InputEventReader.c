/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* InputEventReader: mouse and pedal events of a Linux input device, or recorded ones, as events of
 * the simulation at the beginning of steps. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/input.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "object/checkpoint.h"
#include "base/text.h"
#include "numerics/io/output_file.h"
#include "object/event.h"

typedef enum Pedal { NO_PEDAL, LEFT_PEDAL, RIGHT_PEDAL } Pedal;

typedef struct InputEventReader {
  SofaObject object;
  SofaFileName filename, output_filename;
  bool inverse_sense, print_event, write_events;
  char *key1, *key2;
  int device;     /* -1: none */
  char *recorded; /* text of the recorded events, owned; NULL: none */
  const char *at; /* next line of it */
  SofaOutputFile *file;
  SofaText line;
  int dx, dy; /* of the mouse since the last step */
  Pedal pedal, last_pedal;
} InputEventReader;

static const SofaField fields[] = {
    SOFA_FIELD(InputEventReader, filename, "filename", "/dev/input/mouse2", "",
               "input device; not opened when recorded events are read"),
    SOFA_FIELD(InputEventReader, inverse_sense, "inverseSense", "0", "",
               "reverse the movements of the mouse"),
    SOFA_FIELD(InputEventReader, print_event, "printEvent", "0", "", "report each event"),
    SOFA_FIELD(InputEventReader, key1, "key1", "0", "",
               "key that the left pedal presses, one character"),
    SOFA_FIELD(InputEventReader, key2, "key2", "1", "",
               "key that the right pedal presses, one character"),
    SOFA_FIELD(InputEventReader, write_events, "writeEvents", "0", "",
               "record the events of the device in outputFilename; otherwise read them from there"),
    SOFA_FIELD(InputEventReader, output_filename, "outputFilename", NULL, "",
               "recorded events: a line per step of type, code and value of each"),
};

/* ---- opening ---- */

static SofaErr open_device(InputEventReader *r) {
  const char *path = r->filename.path ? r->filename.path : r->filename.text;
  r->device = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
  if (r->device >= 0) return SOFA_OK;
  return sofa_field_fail(&r->object, "filename", SOFA_ERR_IO, "cannot open the device '%s': %s",
                         path ? path : "", strerror(errno));
}

static SofaErr open_recorded(InputEventReader *r) {
  size_t size;
  if (!r->output_filename.path)
    return sofa_field_fail(&r->object, "outputFilename", SOFA_ERR_NOT_FOUND, "no file '%s'",
                           r->output_filename.text);
  SOFA_TRY(sofa_read_file(r->object.ctx, r->output_filename.path, 0, &r->recorded, &size));
  r->at = r->recorded;
  return SOFA_OK;
}

static SofaErr check_key(const InputEventReader *r, const char *name, const char *key) {
  if (key && strlen(key) == 1) return SOFA_OK;
  return sofa_field_fail(&r->object, name, SOFA_ERR_PARSE, "'%s' is not one character",
                         key ? key : "");
}

static SofaErr construct(SofaObject *object) {
  ((InputEventReader *)object)->device = -1;
  return SOFA_OK;
}

static void close_all(InputEventReader *r) {
  if (r->device >= 0) close(r->device);
  r->device = -1;
  sofa_output_file_close(&r->file);
  sofa_free(r->object.ctx, r->recorded);
  r->recorded = NULL;
}

static SofaErr init(SofaObject *object) {
  InputEventReader *r = (InputEventReader *)object;
  close_all(r);
  const bool file = r->output_filename.text && r->output_filename.text[0];
  SOFA_TRY(check_key(r, "key1", r->key1));
  SOFA_TRY(check_key(r, "key2", r->key2));
  if (file && !r->write_events) return open_recorded(r);
  if (!file && r->write_events)
    return sofa_field_fail(object, "outputFilename", SOFA_ERR_ARGUMENT,
                           "writeEvents needs a file to write to");
  SOFA_TRY(open_device(r));
  if (!r->write_events) return SOFA_OK;
  return sofa_output_file_open(object, "outputFilename", r->output_filename.text, &r->file);
}

static void destroy(SofaObject *object) {
  InputEventReader *r = (InputEventReader *)object;
  close_all(r);
  sofa_list_free(object->ctx, &r->line);
}

/* ---- events of the device ---- */

/* Events of the other sense, and sums of a step, stay within their range. */
static int clamped(int64_t value) {
  if (value > INT_MAX) return INT_MAX;
  return value < INT_MIN ? INT_MIN : (int)value;
}

static void take_event(InputEventReader *r, unsigned type, unsigned code, int value) {
  enum { LEFT_ABOVE = 156, RIGHT_BELOW = 100 };
  if (r->print_event)
    sofa_message(r->object.ctx, SOFA_INFO, &(SofaOrigin){.emitter = r->object.klass->name},
                 "event type 0x%x code 0x%x value %d", type, code, value);
  const int64_t turned = r->inverse_sense ? -(int64_t)value : value;
  if (type == EV_REL && code == REL_X) r->dx = clamped(r->dx + turned);
  if (type == EV_REL && code == REL_Y) r->dy = clamped(r->dy + turned);
  if (type != EV_ABS || code != ABS_Y) return;
  r->pedal = value > LEFT_ABOVE ? LEFT_PEDAL : value < RIGHT_BELOW ? RIGHT_PEDAL : NO_PEDAL;
}

static SofaErr read_device(InputEventReader *r) {
  SofaContext *ctx = r->object.ctx;
  struct input_event event;
  r->line.n = 0;
  while (read(r->device, &event, sizeof event) == (ssize_t)sizeof event) {
    take_event(r, event.type, event.code, event.value);
    if (r->file)
      SOFA_TRY(sofa_text_printf(ctx, &r->line, "%u %u %d ", event.type, event.code, event.value));
  }
  if (!r->file) return SOFA_OK;
  SOFA_TRY(sofa_text_append(ctx, &r->line, "\n", 1));
  return sofa_output_file_write(r->file, r->line.data, r->line.n);
}

/* One line holds the events of a step. */
static SofaErr read_recorded(InputEventReader *r) {
  const char *at = r->at, *end = strchr(at, '\n');
  r->at = end ? end + 1 : at + strlen(at);
  for (;;) {
    int64_t v[3];
    for (int k = 0; k < 3; k++) {
      while (*at == ' ' || *at == '\t' || *at == '\r') at++;
      if (k == 0 && (*at == '\n' || !*at)) return SOFA_OK;
      const char *stop;
      if (!sofa_parse_int(at, r->at, &stop, &v[k]) || v[k] < INT32_MIN || v[k] > INT32_MAX)
        return sofa_field_fail(&r->object, "outputFilename", SOFA_ERR_PARSE,
                               "'%s': a line is not type, code, value of each event",
                               r->output_filename.path);
      at = stop;
    }
    take_event(r, (unsigned)v[0], (unsigned)v[1], (int)v[2]);
  }
}

/* ---- events of the simulation ---- */

static SofaErr send_key(InputEventReader *r, SofaEventType type, Pedal pedal) {
  const char *key = pedal == LEFT_PEDAL ? r->key1 : r->key2;
  const SofaEvent event = {.type = type, .key = (unsigned char)key[0]};
  return sofa_send_event(r->object.node, &event);
}

/* A pedal that is pressed presses its key, one that is let go releases it. */
static SofaErr send_pedal(InputEventReader *r) {
  const Pedal before = r->last_pedal;
  r->last_pedal = r->pedal;
  if (before == r->pedal) return SOFA_OK;
  if (before != NO_PEDAL) SOFA_TRY(send_key(r, SOFA_EVENT_KEY_RELEASED, before));
  return r->pedal != NO_PEDAL ? send_key(r, SOFA_EVENT_KEY_PRESSED, r->pedal) : SOFA_OK;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  InputEventReader *r = (InputEventReader *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN) return SOFA_OK;
  if (r->recorded) SOFA_TRY(read_recorded(r));
  else if (r->device >= 0) SOFA_TRY(read_device(r));
  if (r->dx || r->dy) {
    const SofaEvent moved = {.type = SOFA_EVENT_MOUSE_MOVED, .dx = r->dx, .dy = r->dy};
    r->dx = r->dy = 0;
    SOFA_TRY(sofa_send_event(object->node, &moved));
  }
  return send_pedal(r);
}

static SofaErr reset(SofaObject *object) {
  InputEventReader *r = (InputEventReader *)object;
  r->at = r->recorded;
  r->pedal = r->last_pedal = NO_PEDAL;
  return SOFA_OK;
}

/* ---- checkpoints: the file goes on ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  sofa_output_file_save(((const InputEventReader *)object)->file, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  return sofa_output_file_restore(((InputEventReader *)object)->file, from);
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_PLACE(InputEventReader, at, recorded),
    SOFA_KEEP(InputEventReader, dx),
    SOFA_KEEP(InputEventReader, dy),
    SOFA_KEEP(InputEventReader, pedal),
    SOFA_KEEP(InputEventReader, last_pedal),
};

SOFA_CLASS(InputEventReader) = {
    SOFA_NAMED(InputEventReader),
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Sends mouse movements and pedals of a Linux input device, or recorded ones, as events "
            "of the simulation.",
    .base = &sofa_object_class,
    .checkpoint = &checkpoint,
    SOFA_KEEPS(kept),
    SOFA_FIELDS(fields),
    .listening = true,
    .construct = construct,
    .init = init,
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
};
