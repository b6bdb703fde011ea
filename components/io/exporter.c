/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract exporter: its fields, the instants, the names of the files. */
#include "components/io/exporter.h"
#include "object/checkpoint.h"

#include "change/topology_change.h"

#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "numerics/io/output_file.h"
#include "object/event.h"

const SofaInterface sofa_exporter_interface = {
    .name = "exporter", SOFA_REQUIRES(offsetof(ExporterOps, write)), .keeps_topology = true};

static const SofaField fields[] = {
    SOFA_FIELD(Exporter, filename, "filename", NULL, "",
               "beginning of the files' names, relative to the current directory; default: the "
               "object's name"),
    SOFA_FIELD(Exporter, every, "exportEveryNumberOfSteps", "0", "1",
               "steps between two files; 0: none during the run", .range = SOFA_AT_LEAST(0),
               .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(Exporter, at_begin, "exportAtBegin", "0", "", "write the initial state"),
    SOFA_FIELD(Exporter, at_end, "exportAtEnd", "0", "", "write the state at the end of the run"),
    SOFA_FIELD(Exporter, enable, "enable", "1", "", "write at all"),
};

static const ExporterOps *ops_of(const Exporter *e) {
  return (const ExporterOps *)sofa_ops(&e->object, SOFA_EXPORTER);
}

/* ---- names ---- */

/* A folder stands for a file in it with the object's name. */
static SofaErr take_name(Exporter *e) {
  SofaContext *ctx = e->object.ctx;
  const char *name = e->filename.text && e->filename.text[0] ? e->filename.text : e->object.name;
  const char *extension = sofa_path_extension(name);
  struct stat info;
  size_t n = strlen(name);
  sofa_free(ctx, e->base);
  e->base = NULL;
  if (stat(name, &info) == 0 && S_ISDIR(info.st_mode)) {
    e->base = sofa_path_join(ctx, name, e->object.name);
  } else {
    for (const char *const *known = ops_of(e)->extensions; *known; known++)
      if (strcmp(extension, *known) == 0) n -= strlen(extension) + 1;
    e->base = sofa_strndup(ctx, name, n);
  }
  return e->base ? SOFA_OK : SOFA_ERR_MEMORY;
}

unsigned exporter_number(const Exporter *e) {
  return e->every ? (unsigned)((e->n_steps + e->every - 1) / e->every) : 0;
}

char *exporter_path(const Exporter *e, const char *extension) {
  if (!e->every) return sofa_format(e->object.ctx, "%s.%s", e->base, extension);
  return sofa_format(e->object.ctx, "%s%05u.%s", e->base, exporter_number(e), extension);
}

SofaErr exporter_write_text(Exporter *e, const char *extension) {
  char *path = exporter_path(e, extension);
  if (!path) return SOFA_ERR_MEMORY;
  SofaErr err = sofa_output_file_check(&e->object, "filename", path);
  if (err == SOFA_OK) err = sofa_output_file_replace(&e->object, path, e->text.data, e->text.n);
  sofa_free(e->object.ctx, path);
  return err;
}

/* ---- life ---- */

static SofaErr exporter_init(SofaObject *object) {
  Exporter *e = (Exporter *)object;
  if (!e->enable) return SOFA_OK;
  SOFA_TRY(take_name(e));
  char *path = exporter_path(e, ops_of(e)->extensions[0]);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaErr err = sofa_output_file_check(object, "filename", path);
  sofa_free(object->ctx, path);
  return err;
}

static SofaErr exporter_bwd_init(SofaObject *object) {
  const Exporter *e = (const Exporter *)object;
  if (e->enable && !ops_of(e)->own_instants && !e->every && !e->at_begin && !e->at_end)
    sofa_object_message(
        object, SOFA_WARNING,
        "writes no file: set exportEveryNumberOfSteps, exportAtBegin or exportAtEnd");
  return SOFA_OK;
}

static SofaErr exporter_reset(SofaObject *object) {
  Exporter *e = (Exporter *)object;
  e->n_steps = 0;
  e->n_files = 0;
  e->fresh = false;
  return SOFA_OK;
}

static void exporter_destroy(SofaObject *object) {
  Exporter *e = (Exporter *)object;
  sofa_free(object->ctx, e->base);
  sofa_list_free(object->ctx, &e->text);
}

/* A run that shall go on goes on without the files. */
static SofaErr try_to_write(Exporter *e) {
  if (e->fresh) return SOFA_OK;
  const SofaErr err = ops_of(e)->write(e);
  e->fresh = err == SOFA_OK;
  if (err == SOFA_OK) e->n_files++;
  if (err == SOFA_OK || !e->object.ctx->keep_going) return err;
  e->enable = false;
  return SOFA_OK;
}

static SofaErr exporter_handle_event(SofaObject *object, const SofaEvent *event) {
  Exporter *e = (Exporter *)object;
  if (!e->enable || !e->base) return SOFA_OK;
  switch (event->type) {
  case SOFA_EVENT_READY:
  case SOFA_EVENT_ANIMATE_BEGIN: // after a reset
    return e->at_begin && !e->n_steps ? try_to_write(e) : SOFA_OK;
  case SOFA_EVENT_ANIMATE_END:
    e->n_steps++;
    e->fresh = false;
    return e->every && e->n_steps % e->every == 0 ? try_to_write(e) : SOFA_OK;
  case SOFA_EVENT_END:
    return e->at_end ? try_to_write(e) : SOFA_OK;
  default:
    return SOFA_OK;
  }
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP(Exporter, n_steps),
    SOFA_KEEP(Exporter, n_files),
    SOFA_KEEP(Exporter, fresh),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(Exporter, text),
};

const SofaClass exporter_class = {
    .name = "SimulationExporter",
    .module = "Sofa.Simulation.Core",
    .category = "Exporter",
    .help = "Writes files at steps of a simulation.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    .size = sizeof(Exporter),
    SOFA_FIELDS(fields),
    .abstract = true,
    .listening = true,
    .init = exporter_init,
    .bwd_init = exporter_bwd_init,
    .reset = exporter_reset,
    .handle_event = exporter_handle_event,
    .destroy = exporter_destroy,
    // the written data is read again for each file
    SOFA_IMPLEMENTS({SOFA_EXPORTER, SOFA_NO_OPS}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
