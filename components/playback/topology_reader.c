/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading recorded topologies, and measuring how far a topology is from them. */
#include "components/playback/topology_reader.h"
#include "object/checkpoint.h"
#include "components/playback/recorder.h"
#include "components/playback/state_reader.h"

#include <string.h>

#include "base/files.h"
#include "base/text.h"

const RecordedKind recorded_kinds[N_RECORDED_KINDS] = {
    {SOFA_ELEMENT_EDGE, "Edges="},     {SOFA_ELEMENT_TRIANGLE, "Triangles="},
    {SOFA_ELEMENT_QUAD, "Quads="},     {SOFA_ELEMENT_TETRA, "Tetrahedra="},
    {SOFA_ELEMENT_HEXA, "Hexahedra="},
};

static const SofaField fields[] = {
    SOFA_FIELD(TopologyReader, filename, "filename", NULL, "",
               "recorded topologies (gzip allowed)"),
    SOFA_FIELD(TopologyReader, interval, "interval", "0", "s",
               "least time between two readings; 0: every step"),
    SOFA_FIELD(TopologyReader, shift, "shift", "0", "s", "added to the time of the simulation"),
    SOFA_FIELD(TopologyReader, loop, "loop", "0", "",
               "start again at the end of the file, whose times then count from its last one"),
};

/* ---- lines ---- */

static const char *next_line(TopologyReader *r) {
  const char *line = r->at, *end = strchr(line, '\n');
  r->at = end ? end + 1 : line + strlen(line);
  return line;
}

/* Begins with the label? Then *values is what follows it. */
static bool is_line(const char *line, const char *label, const char **values) {
  while (*line == ' ' || *line == '\t') line++;
  const size_t n = strlen(label);
  if (strncmp(line, label, n) != 0) return false;
  *values = line + n;
  return true;
}

const char *recorded_label(SofaElementKind kind) {
  if (kind == SOFA_ELEMENT_POINT) return "Points=";
  for (int k = 0; k < N_RECORDED_KINDS; k++)
    if (recorded_kinds[k].kind == kind) return recorded_kinds[k].label;
  return NULL;
}

/* A number takes two bytes of the file: there are not more than these. */
static size_t read_count(const TopologyReader *r, const char *values) {
  int64_t n = 0;
  const size_t most = (size_t)(r->end - r->at) / 2 + 1;
  if (!sofa_read_int(&values, &n) || n <= 0) return 0;
  return (size_t)n < most ? (size_t)n : most;
}

/* A line of a change, and that of its numbers. */
static SofaErr read_change(TopologyReader *r, const char *line, bool *found) {
  const char *rest = NULL, *values = NULL;
  RecordedChange change = {.added = is_line(line, "Added ", &rest)};
  *found = change.added || is_line(line, "Removed ", &rest);
  if (!*found) return SOFA_OK;
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const char *label = recorded_label((SofaElementKind)kind);
    if (!label || !is_line(rest, label, &values)) continue;
    change.kind = (SofaElementKind)kind;
    change.n = read_count(r, values);
    change.line = next_line(r);
    if (is_line(r->at, "Parts=", &values) && read_count(r, values) == change.n) {
      (void)next_line(r);
      change.parts = next_line(r);
    }
    return r->keep_changes ? SOFA_APPEND(r->object.ctx, &r->changes, &change) : SOFA_OK;
  }
  return SOFA_OK;
}

static void forget(TopologyReader *r) {
  memset(r->counts, 0, sizeof r->counts);
  memset(r->lines, 0, sizeof r->lines);
  memset(r->present, 0, sizeof r->present);
}

static SofaErr read_kind(TopologyReader *r, const char *line) {
  bool found = false;
  if (r->block_begins) forget(r);
  r->block_begins = false;
  SOFA_TRY(read_change(r, line, &found));
  for (int k = 0; k < N_RECORDED_KINDS && !found; k++) {
    const char *values = NULL;
    if (!is_line(line, recorded_kinds[k].label, &values)) continue;
    r->counts[k] = read_count(r, values);
    r->lines[k] = next_line(r);
    r->present[k] = true;
  }
  return SOFA_OK;
}

/* At the end of the file back to its beginning, where time has gone on. */
static bool go_round(TopologyReader *r, double time) {
  const double begin = state_reader_next_round(r->loop_time, r->next_time, time);
  if (!r->loop || !(begin > r->loop_time)) return false;
  r->loop_time = begin;
  r->at = r->text;
  r->changes.n = 0;
  r->rewound = true;
  return true;
}

SofaErr topology_reader_advance(TopologyReader *r, double time) {
  r->fresh = false;
  while (r->text && r->next_time <= time && (*r->at || go_round(r, time))) {
    const char *line = next_line(r), *values = NULL;
    if (*line == '#') continue; // a comment
    if (!is_line(line, "T=", &values)) {
      SOFA_TRY(read_kind(r, line));
      r->fresh = true;
      continue;
    }
    double t = 0;
    if (sofa_read_real(&values, &t)) r->next_time = t + r->loop_time;
    r->block_begins = true;
  }
  return SOFA_OK;
}

/* The next number of a line as an index; false: there is none. */
static bool next_index(const char **line, uint32_t *id) {
  int64_t v = -1;
  if (!sofa_read_int(line, &v) || v < 0 || v >= SOFA_NO_ELEMENT) return false;
  *id = (uint32_t)v;
  return true;
}

static SofaErr bad_number(const TopologyReader *r, size_t i, size_t n) {
  return sofa_field_fail(
      &r->object, "filename", SOFA_ERR_PARSE,
      "'%s': entry %zu of %zu of the block at t = %g s is missing or is not an index",
      r->filename.text, i + 1, n, r->next_time);
}

SofaErr topology_reader_numbers(const TopologyReader *r, const char *line, size_t n,
                                SofaIndices *out) {
  for (size_t i = 0; i < n; i++) {
    uint32_t id = 0;
    if (!next_index(&line, &id)) return bad_number(r, i, n);
    SOFA_TRY(SOFA_APPEND(r->object.ctx, out, &id));
  }
  return SOFA_OK;
}

SofaErr topology_reader_ancestors(const TopologyReader *r, const char *line, size_t n,
                                  SofaAncestors *out) {
  SofaContext *ctx = r->object.ctx;
  for (size_t i = 0; i <= n; i++) {
    uint32_t count = 0;
    const uint32_t first = (uint32_t)out->points.n;
    SOFA_TRY(SOFA_APPEND(ctx, &out->start, &first));
    if (i < n && !next_index(&line, &count)) return bad_number(r, i, n);
    for (uint32_t k = 0; k < count; k++) {
      uint32_t point = 0;
      double weight = 0;
      if (!next_index(&line, &point) || !sofa_read_real(&line, &weight) ||
          point >= r->topology->n_points)
        return bad_number(r, i, n);
      SOFA_TRY(SOFA_APPEND(ctx, &out->points, &point));
      SOFA_TRY(SOFA_APPEND(ctx, &out->weights, &weight));
    }
  }
  return SOFA_OK;
}

size_t topology_reader_errors(const TopologyReader *r, int kind) {
  const SofaElements e = sofa_topology_elements(r->topology, recorded_kinds[kind].kind);
  const char *line = r->lines[kind];
  const size_t n = r->counts[kind];
  size_t errors = 0;
  if (!n) return 0;
  if (n != e.n) return n > e.n ? n - e.n : e.n - n;
  for (size_t i = 0; i < n; i++) {
    bool same = true;
    for (unsigned c = 0; c < e.width; c++) {
      int64_t v = -1;
      same = sofa_read_int(&line, &v) && v == (int64_t)e.v[i * e.width + c] && same;
    }
    errors += !same;
  }
  return errors;
}

/* ---- life ---- */

static SofaErr reader_reset(SofaObject *object) {
  TopologyReader *r = (TopologyReader *)object;
  r->at = r->text;
  r->next_time = r->last_time = r->loop_time = 0;
  r->changes.n = 0;
  r->fresh = r->block_begins = r->rewound = false;
  forget(r);
  return SOFA_OK;
}

static SofaErr reader_init(SofaObject *object) {
  TopologyReader *r = (TopologyReader *)object;
  size_t size = 0;
  r->topology = sofa_node_topology(object->node);
  if (!r->topology)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in this node or above");
  if (!r->filename.path)
    return sofa_field_fail(object, "filename", SOFA_ERR_NOT_FOUND, "no file '%s'",
                           r->filename.text ? r->filename.text : "");
  sofa_free(object->ctx, r->text);
  SOFA_TRY(sofa_read_file(object->ctx, r->filename.path, 0, &r->text, &size));
  r->end = r->text + size;
  recording_check_end(object, r->filename.path, r->text, size);
  return reader_reset(object);
}

static void reader_destroy(SofaObject *object) {
  TopologyReader *r = (TopologyReader *)object;
  sofa_free(object->ctx, r->text);
  sofa_list_free(object->ctx, &r->changes);
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP_PLACE(TopologyReader, at, text),
    SOFA_KEEP_PLACE(TopologyReader, lines[0], text),
    SOFA_KEEP_PLACE(TopologyReader, lines[1], text),
    SOFA_KEEP_PLACE(TopologyReader, lines[2], text),
    SOFA_KEEP_PLACE(TopologyReader, lines[3], text),
    SOFA_KEEP_PLACE(TopologyReader, lines[4], text),
    SOFA_KEEP(TopologyReader, next_time),
    SOFA_KEEP(TopologyReader, last_time),
    SOFA_KEEP(TopologyReader, fresh),
    SOFA_KEEP(TopologyReader, counts),
    SOFA_KEEP(TopologyReader, present),
    SOFA_KEEP(TopologyReader, loop_time),
    SOFA_KEEP(TopologyReader, block_begins),
    SOFA_KEEP(TopologyReader, rewound),
    SOFA_KEEP(TopologyReader, keep_changes),
};

const SofaClass topology_reader_class = {
    .name = "TopologyReader",
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Reads recorded topologies.",
    .base = &sofa_object_class,
    SOFA_KEEPS(kept),
    .size = sizeof(TopologyReader),
    SOFA_FIELDS(fields),
    .abstract = true,
    .init = reader_init,
    .reset = reader_reset,
    .destroy = reader_destroy,
};
