/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WriteTopology: records the elements of the node's topology in a text file. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "components/io/output_file.h"
#include "components/playback/topology_reader.h"

typedef struct WriteTopology {
  SofaObject object;
  SofaFileName filename;
  bool containers, shells;
  double interval, period;
  SofaReals times;
  SofaLink topology;
  OutputFile *file;
  SofaText text; /* of one block */
  size_t next;   /* in times */
  double last;   /* last periodic instant */
  bool every;    /* neither instants nor a period: every step */
} WriteTopology;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(WriteTopology, filename, "filename", NULL, "",
               "file to write (gzip with .gz); relative to the current directory"),
    SOFA_FIELD(WriteTopology, containers, "writeContainers", "1", "", "write the elements"),
    SOFA_FIELD(WriteTopology, shells, "writeShellContainers", "0", "",
               "write the elements around points and elements", .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(WriteTopology, interval, "interval", "0", "s", "not used",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(WriteTopology, times, "time", NULL, "s",
               "instants to write at; neither these nor a period: every step"),
    SOFA_FIELD(WriteTopology, period, "period", "0", "s",
               "time between blocks behind the instants"),
    SOFA_FIELD(WriteTopology, topology, "topology", NULL, "",
               "topology to record; default: the node's, else the nearest ancestor's",
               .link = &topology_rule),
};

static SofaErr write_init(SofaObject *object) {
  WriteTopology *w = (WriteTopology *)object;
  if (!w->topology.target)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in this node or above");
  w->every = !w->times.n && !(w->period > 0);
  if (!w->filename.text || !w->filename.text[0]) {
    sofa_object_message(object, SOFA_WARNING, "no filename: nothing is written");
    return SOFA_OK;
  }
  output_file_close(&w->file);
  return output_file_open(object, "filename", w->filename.text, &w->file);
}

static void write_destroy(SofaObject *object) {
  WriteTopology *w = (WriteTopology *)object;
  output_file_close(&w->file);
  sofa_list_free(object->ctx, &w->text);
}

static SofaErr append_kind(WriteTopology *w, const RecordedKind *kind) {
  SofaContext *ctx = w->object.ctx;
  const SofaElements e = recorded_elements((SofaTopology *)w->topology.target, kind->kind);
  SOFA_TRY(sofa_text_printf(ctx, &w->text, "  %s %zu\n", kind->label, e.n));
  for (size_t k = 0; k < e.n * e.width; k++)
    SOFA_TRY(sofa_text_printf(ctx, &w->text, "%u ", e.v[k]));
  return sofa_text_append(ctx, &w->text, "\n", 1);
}

static SofaErr write_block(WriteTopology *w, double time) {
  SofaContext *ctx = w->object.ctx;
  w->text.n = 0;
  SOFA_TRY(sofa_text_append(ctx, &w->text, "T= ", 3));
  SOFA_TRY(sofa_text_real(ctx, &w->text, time, 6));
  SOFA_TRY(sofa_text_append(ctx, &w->text, "\n", 1));
  for (int k = 0; w->containers && k < N_RECORDED_KINDS; k++)
    SOFA_TRY(append_kind(w, &recorded_kinds[k]));
  SOFA_TRY(sofa_text_append(ctx, &w->text, "\n", 1));
  return output_file_write(w->file, w->text.data, w->text.n);
}

/* Is something due at this time? First the listed instants, then the period. */
static bool is_due(WriteTopology *w, double time) {
  const double margin = 0.1 * w->object.node->dt;
  if (w->every) return true;
  const bool listed = w->next < w->times.n;
  if (!listed && !(w->period > 0)) return false;
  const double instant = listed ? w->times.data[w->next] : w->last + w->period;
  if (!(time > instant || fabs(time - instant) < margin)) return false;
  w->last = instant;
  w->next += listed;
  return true;
}

static SofaErr write_handle_event(SofaObject *object, const SofaEvent *event) {
  WriteTopology *w = (WriteTopology *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !w->file) return SOFA_OK;
  const double time = object->node->time;
  return is_due(w, time) ? write_block(w, time) : SOFA_OK;
}

static SofaErr write_reset(SofaObject *object) {
  WriteTopology *w = (WriteTopology *)object;
  w->next = 0;
  w->last = 0;
  return SOFA_OK;
}

const SofaClass sofa_WriteTopology_class = {
    .name = "WriteTopology",
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Records the elements of a topology in a text file, at the beginning of steps.",
    .base = &sofa_object_class,
    .size = sizeof(WriteTopology),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .listening = true,
    .init = write_init,
    .reset = write_reset,
    .handle_event = write_handle_event,
    .destroy = write_destroy,
};
