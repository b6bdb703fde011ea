/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VTKExporter: writes a mesh and fields on it for ParaView, as a time series. */
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "behavior/state.h"
#include "behavior/topology.h"
#include "components/io/output_file.h"
#include "components/io/vtk_writer.h"
#include "object/event.h"

typedef struct VTKExporter {
  SofaObject object;
  SofaFileName filename;
  uint32_t every; /* steps */
  bool at_begin, at_end, enable;
  bool xml, edges, triangles, quads, tetras, hexas, overwrite;
  SofaVec3s position;
  SofaStrings point_fields, cell_fields;
  SofaOption encoding;
  SofaLink topology, mstate;
  SofaState *state;
  char *base;      /* file name without extension, owned */
  SofaText series; /* DataSet lines of the .pvd so far */
  SofaText pvd;    /* the whole .pvd */
  VtkBuffers buffers;
  SofaReals points; /* of one file */
  uint64_t n_steps;
  unsigned n_files;
} VTKExporter;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_UP};
static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE,
                                        .search = SOFA_SEARCH_NONE};
static const char *const encodings[] = {"binary", "ascii", NULL};

static const SofaField fields[] = {
    SOFA_FIELD(VTKExporter, filename, "filename", NULL, "",
               "files are FILENAME_00000.vtu, ... and FILENAME.pvd; relative to the current "
               "directory; default: the object's name"),
    SOFA_FIELD(VTKExporter, every, "exportEveryNumberOfSteps", "0", "1",
               "steps between two files; 0: none during the run"),
    SOFA_FIELD(VTKExporter, at_begin, "exportAtBegin", "0", "", "write the initial state"),
    SOFA_FIELD(VTKExporter, at_end, "exportAtEnd", "0", "", "write the last state",
               .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(VTKExporter, enable, "enable", "1", "", "write at all"),
    SOFA_FIELD(VTKExporter, xml, "XMLformat", "1", "", ".vtu files; otherwise legacy .vtk files"),
    SOFA_FIELD(VTKExporter, position, "position", NULL, "m",
               "points to write; default: those of the state, else of the topology"),
    SOFA_FIELD(VTKExporter, edges, "edges", "1", "", "write the edges"),
    SOFA_FIELD(VTKExporter, triangles, "triangles", "0", "", "write the triangles"),
    SOFA_FIELD(VTKExporter, quads, "quads", "0", "", "write the quads"),
    SOFA_FIELD(VTKExporter, tetras, "tetras", "0", "", "write the tetrahedra"),
    SOFA_FIELD(VTKExporter, hexas, "hexas", "0", "", "write the hexahedra"),
    SOFA_FIELD(VTKExporter, point_fields, "pointsDataFields", NULL, "",
               "fields with one value per point: object.field or name=object.field"),
    SOFA_FIELD(VTKExporter, cell_fields, "cellsDataFields", NULL, "",
               "fields with one value per cell: object.field or name=object.field"),
    SOFA_FIELD(VTKExporter, overwrite, "overwrite", "0", "", "one file, written again each time"),
    SOFA_FIELD(VTKExporter, encoding, "encoding", "binary", "",
               "binary: compressed arrays; ascii: readable ones (addition of csofa)",
               .options = encodings),
    SOFA_FIELD(VTKExporter, topology, "topology", NULL, "", "topology with the cells",
               .link = &topology_rule),
    SOFA_FIELD(VTKExporter, mstate, "mstate", NULL, "",
               "state with the points; default: in context", .link = &state_rule),
};

/* ---- names ---- */

static SofaErr take_name(VTKExporter *e) {
  SofaContext *ctx = e->object.ctx;
  const char *name = e->filename.text && e->filename.text[0] ? e->filename.text : e->object.name;
  const char *extension = sofa_path_extension(name);
  size_t n = strlen(name);
  if (!strcmp(extension, "vtu") || !strcmp(extension, "vtk") || !strcmp(extension, "pvd")) n -= 4;
  sofa_free(ctx, e->base);
  e->base = sofa_strndup(ctx, name, n);
  return e->base ? SOFA_OK : SOFA_ERR_MEMORY;
}

static char *file_path(const VTKExporter *e) {
  const char *extension = e->xml ? "vtu" : "vtk";
  if (e->overwrite) return sofa_format(e->object.ctx, "%s.%s", e->base, extension);
  return sofa_format(e->object.ctx, "%s_%05u.%s", e->base, e->n_files, extension);
}

static SofaErr export_init(SofaObject *object) {
  VTKExporter *e = (VTKExporter *)object;
  e->state = e->mstate.target ? (SofaState *)e->mstate.target : sofa_node_state(object->node);
  if (!e->state && !e->topology.target && !e->position.n)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no state and no topology to write");
  if (!e->enable) return SOFA_OK;
  SOFA_TRY(take_name(e));
  char *path = file_path(e);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaErr err = output_file_check(object, "filename", path);
  sofa_free(object->ctx, path);
  return err;
}

static SofaErr export_reset(SofaObject *object) {
  VTKExporter *e = (VTKExporter *)object;
  e->n_steps = 0;
  e->n_files = 0;
  e->series.n = 0;
  return SOFA_OK;
}

static void export_destroy(SofaObject *object) {
  VTKExporter *e = (VTKExporter *)object;
  sofa_free(object->ctx, e->base);
  sofa_list_free(object->ctx, &e->series);
  sofa_list_free(object->ctx, &e->pvd);
  sofa_list_free(object->ctx, &e->points);
  vtk_buffers_free(object->ctx, &e->buffers);
}

/* ---- what is written ---- */

static SofaErr collect_points(VTKExporter *e) {
  SofaContext *ctx = e->object.ctx;
  SofaTopology *t = (SofaTopology *)e->topology.target;
  if (e->position.n) {
    SOFA_TRY(SOFA_RESIZE(ctx, &e->points, 3 * e->position.n));
    memcpy(e->points.data, e->position.data, e->position.n * sizeof *e->position.data);
  } else if (e->state) {
    const SofaCoords *x = &e->state->position;
    const unsigned space = sofa_state_kind_info(e->state->object.kind)->space;
    SOFA_TRY(SOFA_RESIZE(ctx, &e->points, 3 * x->n));
    for (size_t i = 0; i < x->n; i++)
      for (unsigned c = 0; c < 3; c++)
        e->points.data[3 * i + c] = c < space ? x->data[i * x->width + c] : 0;
  } else {
    SOFA_TRY(SOFA_RESIZE(ctx, &e->points, 3 * t->n_points));
    for (size_t i = 0; i < t->n_points; i++) sofa_topology_point(t, i, e->points.data + 3 * i);
  }
  return SOFA_OK;
}

static void add_cells(VtkCells *cells, size_t *n, uint8_t type, unsigned n_vertices, size_t count,
                      const void *vertices) {
  if (count) cells[(*n)++] = (VtkCells){type, n_vertices, count, vertices};
}

/* Cells of the chosen kinds; without any, each point is one so that there is something to see. */
static size_t collect_cells(VTKExporter *e, size_t n_points, VtkCells cells[5]) {
  enum { VERTEX = 1, LINE = 3, TRIANGLE = 5, QUAD = 9, TETRA = 10, HEXA = 12 };
  SofaTopology *t = (SofaTopology *)e->topology.target;
  size_t n = 0;
  if (t) {
    const SofaEdges *edges = e->edges ? sofa_topology_edges(t) : NULL;
    const SofaTriangles *triangles = e->triangles ? sofa_topology_triangles(t) : NULL;
    const SofaQuads *quads = e->quads ? sofa_topology_quads(t) : NULL;
    if (edges) add_cells(cells, &n, LINE, 2, edges->n, edges->data);
    if (triangles) add_cells(cells, &n, TRIANGLE, 3, triangles->n, triangles->data);
    if (quads) add_cells(cells, &n, QUAD, 4, quads->n, quads->data);
    const SofaTetras *tetras = sofa_topology_tetrahedra(t);
    const SofaHexas *hexas = sofa_topology_hexahedra(t);
    if (e->tetras) add_cells(cells, &n, TETRA, 4, tetras->n, tetras->data);
    if (e->hexas) add_cells(cells, &n, HEXA, 8, hexas->n, hexas->data);
  }
  if (!n) add_cells(cells, &n, VERTEX, 1, n_points, NULL);
  return n;
}

/* A cell that names a point which is not written would make the file unreadable. */
static SofaErr check_cells(const VTKExporter *e, const VtkCells *cells, size_t n, size_t n_points) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; cells[i].vertices && k < cells[i].n * cells[i].n_vertices; k++)
      if (cells[i].vertices[k] >= n_points)
        return sofa_object_fail(&e->object, SOFA_ERR_RANGE,
                                "the topology uses point %u, there are %zu points",
                                cells[i].vertices[k], n_points);
  return SOFA_OK;
}

/* Finds "[name=]object.field"; *reals: its values, n tuples of *width. */
static SofaErr find_field(const VTKExporter *e, const char *text, const char *xml, size_t n,
                          char **name, const double **reals, unsigned *width) {
  SofaContext *ctx = e->object.ctx;
  const char *equals = strchr(text, '='), *path = equals ? equals + 1 : text;
  const char *dot = strrchr(path, '.');
  if (!dot || dot == path)
    return sofa_field_fail(&e->object, xml, SOFA_ERR_PARSE, "'%s' is not object.field", text);
  char *object_path =
      sofa_strndup(ctx, path + (*path == '@'), (size_t)(dot - path - (*path == '@')));
  if (!object_path) return SOFA_ERR_MEMORY;
  SofaObject *object =
      sofa_resolve_path(e->object.node, NULL, object_path, NULL, NULL, false, false);
  sofa_free(ctx, object_path);
  const SofaField *field = object ? sofa_class_field(object->klass, dot + 1) : NULL;
  if (!field)
    return sofa_field_fail(&e->object, xml, SOFA_ERR_NOT_FOUND, "there is no field '%s'", path);
  if (field->type->scalar != SOFA_SCALAR_REAL || !field->type->list)
    return sofa_field_fail(&e->object, xml, SOFA_ERR_TYPE, "'%s' is no list of reals", path);
  const SofaCoords *list = sofa_field_value(object, field);
  *width = field->type->width ? field->type->width : list->width;
  if (list->n != n)
    return sofa_field_fail(&e->object, xml, SOFA_ERR_RANGE, "'%s' has %zu values, expected %zu",
                           path, list->n, n);
  *reals = list->data;
  *name = equals ? sofa_strndup(ctx, text, (size_t)(equals - text)) : sofa_strdup(ctx, dot + 1);
  return *name ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr collect_fields(const VTKExporter *e, const SofaStrings *texts, const char *xml,
                              size_t n, VtkField *out) {
  for (size_t i = 0; i < texts->n; i++) {
    char *name = NULL;
    SOFA_TRY(find_field(e, texts->data[i], xml, n, &name, &out[i].values, &out[i].width));
    out[i].name = name;
  }
  return SOFA_OK;
}

/* ---- files ---- */

/* The series as it stands: a run that is interrupted later leaves a complete file. */
static SofaErr write_series(VTKExporter *e, const char *path) {
  SofaContext *ctx = e->object.ctx;
  static const char head[] = "<?xml version=\"1.0\"?>\n"
                             "<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n";
  static const char tail[] = "  </Collection>\n</VTKFile>\n";
  SofaErr err = SOFA_OK;
  char *pvd = sofa_format(ctx, "%s.pvd", e->base);
  if (!pvd) return SOFA_ERR_MEMORY;
  if (e->overwrite) e->series.n = 0;
  SOFA_GO(err, done, sofa_text_printf(ctx, &e->series, "    <DataSet timestep=\""));
  SOFA_GO(err, done, sofa_text_real(ctx, &e->series, e->object.node->time, 0));
  SOFA_GO(err, done, sofa_text_printf(ctx, &e->series, "\" part=\"0\" file=\""));
  SOFA_GO(err, done, vtk_append_escaped(ctx, &e->series, sofa_path_name(path)));
  SOFA_GO(err, done, sofa_text_printf(ctx, &e->series, "\"/>\n"));
  e->pvd.n = 0;
  SOFA_GO(err, done, sofa_text_append(ctx, &e->pvd, head, sizeof head - 1));
  SOFA_GO(err, done, sofa_text_append(ctx, &e->pvd, e->series.data, e->series.n));
  SOFA_GO(err, done, sofa_text_append(ctx, &e->pvd, tail, sizeof tail - 1));
  SOFA_GO(err, done, output_file_check(&e->object, "filename", pvd));
  err = output_file_replace(&e->object, pvd, e->pvd.data, e->pvd.n);
done:
  sofa_free(ctx, pvd);
  return err;
}

static SofaErr write_grid(VTKExporter *e, const VtkGrid *grid) {
  SofaContext *ctx = e->object.ctx;
  SofaErr err = SOFA_OK;
  char *path = file_path(e);
  if (!path) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done,
          e->xml ? vtk_write_xml(ctx, grid, e->encoding.index == 1, &e->buffers)
                 : vtk_write_legacy(ctx, grid, e->object.name, &e->buffers));
  SOFA_GO(err, done, output_file_check(&e->object, "filename", path));
  SOFA_GO(err, done,
          output_file_replace(&e->object, path, e->buffers.text.data, e->buffers.text.n));
  if (e->xml) SOFA_GO(err, done, write_series(e, path));
  e->n_files++;
done:
  sofa_free(ctx, path);
  return err;
}

static SofaErr write_now(VTKExporter *e) {
  SofaContext *ctx = e->object.ctx;
  VtkCells cells[5];
  VtkGrid grid = {.cells = cells};
  SofaErr err = SOFA_OK;
  size_t n_cells = 0;
  SOFA_TRY(collect_points(e));
  grid.points = e->points.data;
  grid.n_points = e->points.n / 3;
  grid.n_cells = collect_cells(e, grid.n_points, cells);
  SOFA_TRY(check_cells(e, cells, grid.n_cells, grid.n_points));
  for (size_t i = 0; i < grid.n_cells; i++) n_cells += cells[i].n;
  const size_t n_fields = e->point_fields.n + e->cell_fields.n;
  VtkField *list = sofa_alloc(ctx, n_fields, sizeof *list);
  if (!list) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, collect_fields(e, &e->point_fields, "pointsDataFields", grid.n_points, list));
  SOFA_GO(err, done,
          collect_fields(e, &e->cell_fields, "cellsDataFields", n_cells, list + e->point_fields.n));
  grid.point_fields = list;
  grid.n_point_fields = e->point_fields.n;
  grid.cell_fields = list + e->point_fields.n;
  grid.n_cell_fields = e->cell_fields.n;
  err = write_grid(e, &grid);
done:
  for (size_t i = 0; i < n_fields; i++) sofa_free(ctx, (char *)(uintptr_t)list[i].name);
  sofa_free(ctx, list);
  return err;
}

/* A run that shall go on goes on without the files. */
static SofaErr try_to_write(VTKExporter *e) {
  const SofaErr err = write_now(e);
  if (err == SOFA_OK || !e->object.ctx->keep_going) return err;
  e->enable = false;
  return SOFA_OK;
}

static SofaErr export_handle_event(SofaObject *object, const SofaEvent *event) {
  VTKExporter *e = (VTKExporter *)object;
  if (!e->enable) return SOFA_OK;
  /* the first step begins with the initial state, mappings done */
  if (event->type == SOFA_EVENT_ANIMATE_BEGIN && e->at_begin && !e->n_steps && !e->n_files)
    return try_to_write(e);
  if (event->type != SOFA_EVENT_ANIMATE_END) return SOFA_OK;
  e->n_steps++;
  return e->every && e->n_steps % e->every == 0 ? try_to_write(e) : SOFA_OK;
}

const SofaClass sofa_VTKExporter_class = {
    .name = "VTKExporter",
    .module = "Sofa.Component.IO.Mesh",
    .category = "Exporter",
    .help = "Writes the mesh and fields on it for ParaView: .vtu files and a .pvd series with the "
            "times, complete after every file.",
    .base = &sofa_object_class,
    .size = sizeof(VTKExporter),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .listening = true,
    .init = export_init,
    .reset = export_reset,
    .handle_event = export_handle_event,
    .destroy = export_destroy,
};
