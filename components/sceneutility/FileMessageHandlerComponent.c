/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FileMessageHandlerComponent: writes all messages to a file, too. */
#include "base/text.h"
#include "numerics/io/output_file.h"
#include "object/object.h"

typedef struct FileMessageHandlerComponent {
  SofaObject object;
  char *filename;
  SofaOutputFile *file;
  SofaText line;
  bool busy; /* with a message about the file itself */
  SofaMessageTap tap;
} FileMessageHandlerComponent;

static const SofaField fields[] = {
    SOFA_FIELD(FileMessageHandlerComponent, filename, "filename", NULL, "",
               "file to write, replaced at the end of the run; relative to the folder of the run"),
};

static SofaErr make_line(FileMessageHandlerComponent *m, const SofaMessage *message) {
  SofaContext *ctx = m->object.ctx;
  const SofaOrigin *o = &message->origin;
  const char *who = o->path ? o->path : o->emitter;
  SOFA_TRY(sofa_text_printf(ctx, &m->line, "[%s] [", sofa_severity_text(message->severity)));
  if (who) SOFA_TRY(sofa_text_escaped(ctx, &m->line, who));
  SOFA_TRY(sofa_text_append(ctx, &m->line, "] ", 2));
  SOFA_TRY(sofa_text_escaped(ctx, &m->line, message->text));
  return sofa_text_append(ctx, &m->line, "\n", 1);
}

static void write_message(void *user, const SofaMessage *message) {
  FileMessageHandlerComponent *m = user;
  if (m->busy) return;
  m->busy = true;
  m->line.n = 0;
  if (make_line(m, message) == SOFA_OK)
    (void)sofa_output_file_write(m->file, m->line.data, m->line.n); /* a failure is reported once */
  m->busy = false;
}

static SofaErr parsed(SofaObject *object) {
  FileMessageHandlerComponent *m = (FileMessageHandlerComponent *)object;
  if (!m->filename || !*m->filename) {
    sofa_object_message(object, SOFA_WARNING, "without a 'filename' no message is written");
    return SOFA_OK;
  }
  SOFA_TRY(sofa_output_file_open(object, "filename", m->filename, &m->file));
  m->tap = (SofaMessageTap){.read = write_message, .user = m};
  sofa_message_add_tap(object->ctx, &m->tap);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  FileMessageHandlerComponent *m = (FileMessageHandlerComponent *)object;
  sofa_message_remove_tap(object->ctx, &m->tap);
  sofa_output_file_close(&m->file);
  sofa_list_free(object->ctx, &m->line);
}

SOFA_CLASS(FileMessageHandlerComponent) = {
    SOFA_NAMED(FileMessageHandlerComponent),
    .module = "Sofa.Component.SceneUtility",
    .category = "_Miscellaneous",
    .help = "Writes all messages to a file, in addition to the usual output.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .parsed = parsed,
    .destroy = destroy,
};
