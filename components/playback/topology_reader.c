/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading recorded topologies, and measuring how far a topology is from them. */
#include "components/playback/topology_reader.h"

#include <string.h>

#include "base/files.h"
#include "base/text.h"

const RecordedKind recorded_kinds[N_RECORDED_KINDS] = {
    {SOFA_ELEMENT_EDGE, "Edges="},     {SOFA_ELEMENT_TRIANGLE, "Triangles="},
    {SOFA_ELEMENT_QUAD, "Quads="},     {SOFA_ELEMENT_TETRA, "Tetrahedra="},
    {SOFA_ELEMENT_HEXA, "Hexahedra="},
};

SofaElements recorded_elements(SofaTopology *topology, SofaElementKind kind) {
  if (kind == SOFA_ELEMENT_EDGE) (void)sofa_topology_edges(topology);
  if (kind == SOFA_ELEMENT_TRIANGLE) (void)sofa_topology_triangles(topology);
  if (kind == SOFA_ELEMENT_QUAD) (void)sofa_topology_quads(topology);
  return sofa_mesh_elements(&topology->mesh, kind);
}

static const SofaField fields[] = {
    SOFA_FIELD(TopologyReader, filename, "filename", NULL, "",
               "recorded topologies (gzip allowed)"),
    SOFA_FIELD(TopologyReader, interval, "interval", "0", "s",
               "least time between two readings; 0: every step"),
    SOFA_FIELD(TopologyReader, shift, "shift", "0", "s", "added to the time of the simulation"),
    SOFA_FIELD(TopologyReader, loop, "loop", "0", "", "start again at the end of the file",
               .flags = SOFA_FIELD_UNSUPPORTED),
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

static void read_kind(TopologyReader *r, const char *line) {
  for (int k = 0; k < N_RECORDED_KINDS; k++) {
    const char *values = NULL;
    int64_t n = 0;
    if (!is_line(line, recorded_kinds[k].label, &values)) continue;
    r->counts[k] = sofa_read_int(&values, &n) && n > 0 ? (size_t)n : 0;
    r->lines[k] = next_line(r);
  }
}

static void forget(TopologyReader *r) {
  memset(r->counts, 0, sizeof r->counts);
  memset(r->lines, 0, sizeof r->lines);
}

void topology_reader_advance(TopologyReader *r, double time) {
  r->fresh = false;
  while (r->text && r->next_time <= time && *r->at) {
    const char *line = next_line(r), *values = NULL;
    if (!is_line(line, "T=", &values)) {
      read_kind(r, line);
      r->fresh = true;
      continue;
    }
    double t = 0;
    if (sofa_read_real(&values, &t)) r->next_time = t;
    if (r->next_time <= time) forget(r);
  }
}

size_t topology_reader_errors(const TopologyReader *r, int kind) {
  const SofaElements e = recorded_elements(r->topology, recorded_kinds[kind].kind);
  const char *line = r->lines[kind];
  const size_t n = r->counts[kind];
  size_t errors = 0;
  if (!n || !line) return 0;
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
  r->next_time = r->last_time = 0;
  r->fresh = false;
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
  r->text = NULL;
  SOFA_TRY(sofa_read_file(object->ctx, r->filename.path, 0, &r->text, &size));
  return reader_reset(object);
}

static void reader_destroy(SofaObject *object) {
  sofa_free(object->ctx, ((TopologyReader *)object)->text);
}

const SofaClass topology_reader_class = {
    .name = "TopologyReader",
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Reads recorded topologies.",
    .base = &sofa_object_class,
    .size = sizeof(TopologyReader),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .abstract = true,
    .init = reader_init,
    .reset = reader_reset,
    .destroy = reader_destroy,
};
