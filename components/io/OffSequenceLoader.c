/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OffSequenceLoader: numbered OFF files, one after the other as time goes on. */
#include <stdio.h>
#include <string.h>

#include "components/io/loaders.h"
#include "object/checkpoint.h"
#include "base/files.h"
#include "behavior/loader.h"
#include "object/event.h"

enum { QUIRK_OFF_SEQUENCE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_OFF_SEQUENCE, "off-sequence", "OffSequenceLoader shows each file one duration too early",
     "test_quirks_sets.engines"},
};

typedef struct OffSequenceLoader {
  SofaMeshLoader loader;
  int n_files;
  double duration; /* s */
  char *stem;      /* path of the first file without number and extension, owned */
  uint64_t first;  /* number of the first file */
  size_t n_digits;
  int current; /* rank of the file that is loaded */
} OffSequenceLoader;

static const SofaField fields[] = {
    SOFA_FIELD(OffSequenceLoader, n_files, "nbOfFiles", "1", "1",
               "files of the sequence; the first one is `filename`, whose name ends "
               "with a number",
               .range = SOFA_AT_LEAST(1)),
    SOFA_FIELD(OffSequenceLoader, duration, "stepDuration", "0.04", "s",
               "how long each file is loaded", .range = SOFA_ABOVE(0)),
};

/* Cuts "path/mesh007.off" into "path/mesh" and 7 of three digits. */
static SofaErr init(SofaObject *object) {
  OffSequenceLoader *s = (OffSequenceLoader *)object;
  const char *path = s->loader.filename.path;
  if (s->stem || !path) return SOFA_OK;
  const size_t length = strlen(path), extension = strlen(sofa_path_extension(path));
  size_t end = extension ? length - extension - 1 : length;
  for (uint64_t power = 1;
       end > 0 && path[end - 1] >= '0' && path[end - 1] <= '9' && s->n_digits < 18;
       power *= 10, end--, s->n_digits++)
    s->first += power * (uint64_t)(path[end - 1] - '0');
  if (!s->n_digits && s->n_files > 1)
    return sofa_field_fail(object, "filename", SOFA_ERR_PARSE,
                           "'%s' has no number in front of '.off'", sofa_path_name(path));
  s->stem = sofa_strndup(object->ctx, path, end);
  return s->stem ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr load(OffSequenceLoader *s, int rank) {
  SofaContext *ctx = s->loader.object.ctx;
  char number[32];
  snprintf(number, sizeof number, "%0*llu", (int)s->n_digits,
           (unsigned long long)(s->first + (uint64_t)rank));
  char *path = sofa_format(ctx, "%s%s.off", s->stem, number);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaErr err = sofa_mesh_loader_load(&s->loader, path);
  if (err == SOFA_OK) s->current = rank;
  sofa_free(ctx, path);
  return err;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  OffSequenceLoader *s = (OffSequenceLoader *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || s->n_files < 2 || !s->stem) return SOFA_OK;
  // a time that is a multiple but for rounding counts as one
  const double passed = object->node->time / s->duration + 1e-9;
  int rank = passed < s->n_files ? (int)passed : s->n_files - 1;
  if (sofa_quirk(object, QUIRK_OFF_SEQUENCE) && rank + 1 < s->n_files) rank++;
  return rank == s->current ? SOFA_OK : load(s, rank);
}

static SofaErr reset(SofaObject *object) {
  OffSequenceLoader *s = (OffSequenceLoader *)object;
  return s->stem && s->current ? load(s, 0) : SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_free(object->ctx, ((OffSequenceLoader *)object)->stem);
}

/* ---- checkpoints ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  sofa_checkpoint_put_uint(to, (uint64_t)((const OffSequenceLoader *)object)->current);
  return SOFA_OK;
}

/* The mesh is in the fields. */
static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  OffSequenceLoader *s = (OffSequenceLoader *)object;
  const uint64_t rank = sofa_checkpoint_get_uint(from);
  if (rank >= (uint64_t)s->n_files) sofa_checkpoint_misread(from);
  else s->current = (int)rank;
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

SOFA_CLASS(OffSequenceLoader) = {
    SOFA_NAMED(OffSequenceLoader),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads a sequence of numbered OFF files, each for a while.",
    .base = &sofa_MeshOffLoader_class,
    .checkpoint = &checkpoint,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .listening = true,
    .init = init,
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
};
