/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FileMessageHandlerComponent: writes all messages to a file, too. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "object/object.h"

typedef struct FileMessageHandlerComponent {
  SofaObject object;
  char *filename;
  FILE *file;
  SofaMessageTap tap;
} FileMessageHandlerComponent;

static const SofaField fields[] = {
    SOFA_FIELD(FileMessageHandlerComponent, filename, "filename", NULL, "",
               "file to write, replaced if it exists; relative to the folder of the run"),
};

static void write_message(void *user, const SofaMessage *message) {
  const SofaOrigin *o = &message->origin;
  const char *who = o->path ? o->path : o->emitter;
  FILE *file = user;
  fprintf(file, "[%s] [%s] %s\n", sofa_severity_text(message->severity), who ? who : "",
          message->text);
  fflush(file);
}

static SofaErr parsed(SofaObject *object) {
  FileMessageHandlerComponent *m = (FileMessageHandlerComponent *)object;
  if (!m->filename || !*m->filename) {
    sofa_object_message(object, SOFA_WARNING, "without a 'filename' no message is written");
    return SOFA_OK;
  }
  m->file = fopen(m->filename, "w");
  if (!m->file)
    return sofa_field_fail(object, "filename", SOFA_ERR_IO, "cannot write '%s': %s", m->filename,
                           strerror(errno));
  m->tap = (SofaMessageTap){.read = write_message, .user = m->file};
  sofa_message_add_tap(object->ctx, &m->tap);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  FileMessageHandlerComponent *m = (FileMessageHandlerComponent *)object;
  sofa_message_remove_tap(object->ctx, &m->tap);
  if (m->file) fclose(m->file);
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
