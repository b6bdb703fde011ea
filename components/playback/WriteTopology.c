/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WriteTopology: records the elements of the node's topology in a text file. */
#include <string.h>

#include "change/topology_change.h"
#include "object/checkpoint.h"
#include "components/playback/recorder.h"
#include "components/playback/topology_reader.h"

static const SofaQuirk quirks[] = {
    QUIRK_TOPOLOGY_PLAYBACK_ROW,
};

typedef struct WriteTopology {
  SofaObject object;
  Recorder recorder;
  bool containers, shells;
  double interval;
  SofaLink topology;
  SofaText changes; /* since the last block */
} WriteTopology;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    RECORDER_ROW_FILE(WriteTopology),
    SOFA_FIELD(WriteTopology, containers, "writeContainers", "1", "",
               "write the elements, and the insertions and removals since the last block"),
    SOFA_FIELD(
        WriteTopology, shells, "writeShellContainers", "0", "",
        "write the elements around points and elements, and the edges and faces of elements"),
    SOFA_FIELD(WriteTopology, interval, "interval", "0", "s", "not used",
               .flags = SOFA_FIELD_NO_EFFECT),
    RECORDER_ROWS_TIMES(WriteTopology),
    SOFA_FIELD(WriteTopology, topology, "topology", NULL, "",
               "topology to record; default: the node's, else the nearest ancestor's",
               .link = &topology_rule),
};

static SofaErr write_init(SofaObject *object) {
  WriteTopology *w = (WriteTopology *)object;
  if (!w->topology.target)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in this node or above");
  Recorder *r = &w->recorder;
  r->periodic = r->period > 0;
  r->interval = r->period;
  r->every = !r->times.n && !r->periodic;
  return recorder_open(object, r);
}

static void write_destroy(SofaObject *object) {
  WriteTopology *w = (WriteTopology *)object;
  recorder_close(object, &w->recorder);
  sofa_list_free(object->ctx, &w->changes);
}

/* ---- blocks ---- */

static SofaErr append_numbers(SofaContext *ctx, SofaText *text, const uint32_t *ids, size_t n) {
  for (size_t k = 0; k < n; k++) SOFA_TRY(sofa_text_printf(ctx, text, "%u ", ids[k]));
  return sofa_text_append(ctx, text, "\n", 1);
}

static SofaErr append_kind(WriteTopology *w, const RecordedKind *kind) {
  SofaContext *ctx = w->object.ctx;
  const SofaElements e = sofa_topology_elements((SofaTopology *)w->topology.target, kind->kind);
  SOFA_TRY(sofa_text_printf(ctx, &w->recorder.text, "  %s %zu\n", kind->label, e.n));
  return append_numbers(ctx, &w->recorder.text, e.v, e.n * e.width);
}

/* "  TrianglesAroundEdge= rows", then for each row its length and its elements. */
static SofaErr append_around(WriteTopology *w, SofaElementKind kind, SofaElementKind of) {
  SofaContext *ctx = w->object.ctx;
  SofaTopology *t = (SofaTopology *)w->topology.target;
  const SofaAround *around = sofa_topology_around(t, kind, of);
  const char *label = recorded_label(kind);
  SOFA_TRY(t->failure);
  SOFA_TRY(sofa_text_printf(ctx, &w->recorder.text, "  %.*sAround%c%s= %zu\n",
                            (int)strlen(label) - 1, label,
                            sofa_element_kind_info(of)->name[0] - 'a' + 'A',
                            sofa_element_kind_info(of)->name + 1, around->n_rows));
  for (size_t i = 0; i < around->n_rows; i++) {
    const uint32_t *ids = NULL;
    const size_t n = sofa_around_row(around, i, &ids);
    SOFA_TRY(sofa_text_printf(ctx, &w->recorder.text, "%zu ", n));
    for (size_t k = 0; k < n; k++)
      SOFA_TRY(sofa_text_printf(ctx, &w->recorder.text, "%u ", ids[k]));
  }
  return sofa_text_append(ctx, &w->recorder.text, "\n", 1);
}

/* "  EdgesInTriangle= triangles", then the numbers of all their edges. */
static SofaErr append_in(WriteTopology *w, SofaElementKind sub, SofaElementKind kind) {
  SofaContext *ctx = w->object.ctx;
  SofaTopology *t = (SofaTopology *)w->topology.target;
  unsigned per = 0;
  const uint32_t *ids = sofa_topology_sub(t, sub, kind, &per);
  const size_t n = sofa_mesh_elements(&t->mesh, kind).n;
  const char *label = recorded_label(sub);
  SOFA_TRY(t->failure);
  if (!ids) return SOFA_OK;
  SOFA_TRY(sofa_text_printf(ctx, &w->recorder.text, "  %.*sIn%c%s= %zu\n", (int)strlen(label) - 1,
                            label, sofa_element_kind_info(kind)->name[0] - 'a' + 'A',
                            sofa_element_kind_info(kind)->name + 1, n));
  return append_numbers(ctx, &w->recorder.text, ids, n * per);
}

/* Neighbourhoods of all kinds that there are. */
static SofaErr append_shells(WriteTopology *w) {
  static const struct {
    SofaElementKind kind, of;
  } pairs[] = {
      {SOFA_ELEMENT_EDGE, SOFA_ELEMENT_POINT},    {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_POINT},
      {SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_EDGE}, {SOFA_ELEMENT_QUAD, SOFA_ELEMENT_POINT},
      {SOFA_ELEMENT_QUAD, SOFA_ELEMENT_EDGE},     {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_POINT},
      {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_EDGE},    {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_TRIANGLE},
      {SOFA_ELEMENT_HEXA, SOFA_ELEMENT_POINT},    {SOFA_ELEMENT_HEXA, SOFA_ELEMENT_EDGE},
      {SOFA_ELEMENT_HEXA, SOFA_ELEMENT_QUAD},
  };
  if (sofa_quirk(&w->object, QUIRK_TOPOLOGY_PLAYBACK))
    return sofa_text_printf(w->object.ctx, &w->recorder.text, "  Writing shell not handle yet.\n");
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const SofaElementKind kind = pairs[i].kind, of = pairs[i].of;
    if (!sofa_topology_elements((SofaTopology *)w->topology.target, kind).n) continue;
    SOFA_TRY(append_around(w, kind, of));
    if (of != SOFA_ELEMENT_POINT) SOFA_TRY(append_in(w, of, kind));
  }
  return SOFA_OK;
}

/* New points: for each the number of its ancestors, and their numbers and weights. */
static SofaErr append_ancestors(SofaContext *ctx, SofaText *text, const SofaAncestors *a,
                                size_t n) {
  for (size_t i = 0; i < n; i++) {
    const uint32_t begin = a ? a->start.data[i] : 0, end = a ? a->start.data[i + 1] : 0;
    SOFA_TRY(sofa_text_printf(ctx, text, "%u ", end - begin));
    for (uint32_t k = begin; k < end; k++) {
      SOFA_TRY(sofa_text_printf(ctx, text, "%u ", a->points.data[k]));
      SOFA_TRY(sofa_text_real(ctx, text, a->weights.data[k], 17));
      SOFA_TRY(sofa_text_append(ctx, text, " ", 1));
    }
  }
  return sofa_text_append(ctx, text, "\n", 1);
}

/* What goes and comes between two blocks is recorded in its order. */
static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  WriteTopology *w = (WriteTopology *)object;
  const SofaTopology *t = (SofaTopology *)w->topology.target;
  const char *label = recorded_label(change->element);
  const bool goes = change->kind == SOFA_CHANGE_REMOVE;
  if (!w->recorder.file || change->kind == SOFA_CHANGE_DONE || change->topology != t || !label)
    return SOFA_OK;
  SOFA_TRY(sofa_text_printf(object->ctx, &w->changes, "  %s %s %zu\n", goes ? "Removed" : "Added",
                            label, change->n));
  if (goes) return append_numbers(object->ctx, &w->changes, change->ids, change->n);
  if (change->element == SOFA_ELEMENT_POINT)
    return append_ancestors(object->ctx, &w->changes, change->ancestors, change->n);
  const SofaElements e = sofa_mesh_elements(&t->mesh, change->element);
  SOFA_TRY(append_numbers(object->ctx, &w->changes, e.v + change->n_before * e.width,
                          change->n * e.width));
  if (!change->origins) return SOFA_OK;
  SOFA_TRY(sofa_text_printf(object->ctx, &w->changes, "  Parts= %zu\n", change->n));
  return append_numbers(object->ctx, &w->changes, change->origins, change->n);
}

static const SofaTopologyListenerOps listener = {.listen = listen};

static SofaErr write_block(WriteTopology *w) {
  SofaContext *ctx = w->object.ctx;
  Recorder *r = &w->recorder;
  SOFA_TRY(recorder_begin(&w->object, r));
  if (w->containers && w->changes.n && !sofa_quirk(&w->object, QUIRK_TOPOLOGY_PLAYBACK))
    SOFA_TRY(sofa_text_append(ctx, &r->text, w->changes.data, w->changes.n));
  w->changes.n = 0;
  for (int k = 0; w->containers && k < N_RECORDED_KINDS; k++)
    SOFA_TRY(append_kind(w, &recorded_kinds[k]));
  if (w->shells) SOFA_TRY(append_shells(w));
  SOFA_TRY(sofa_text_append(ctx, &r->text, "\n", 1));
  return recorder_write(r);
}

static SofaErr write_handle_event(SofaObject *object, const SofaEvent *event) {
  WriteTopology *w = (WriteTopology *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !w->recorder.file) return SOFA_OK;
  return recorder_due(object, &w->recorder) ? write_block(w) : SOFA_OK;
}

static SofaErr write_reset(SofaObject *object) {
  recorder_reset(&((WriteTopology *)object)->recorder);
  return SOFA_OK;
}

/* ---- checkpoints: the file goes on ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  recorder_save(&((const WriteTopology *)object)->recorder, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  return recorder_restore(&((WriteTopology *)object)->recorder, from);
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_LIST(WriteTopology, changes),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(WriteTopology, recorder.file),
    SOFA_REMADE(WriteTopology, recorder.text),
};

SOFA_CLASS(WriteTopology) = {
    SOFA_NAMED(WriteTopology),
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Records the elements of a topology in a text file, at the beginning of steps.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .listening = true,
    .init = write_init,
    .reset = write_reset,
    .handle_event = write_handle_event,
    .destroy = write_destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}),
};
