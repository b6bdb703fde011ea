/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VTKExporter: writes a mesh and fields on it for ParaView, as a time series. */
#include <string.h>

#include "base/files.h"
#include "behavior/state_division.h"
#include "object/checkpoint.h"
#include "object/process.h"
#include "base/text.h"
#include "components/io/export_mesh.h"
#include "components/io/exporter.h"
#include "numerics/io/output_file.h"

typedef struct VTKExporter {
  Exporter exporter;
  bool xml, edges, triangles, quads, tetras, hexas, overwrite;
  SofaVec3s position;
  SofaStrings point_fields, cell_fields;
  SofaOption encoding;
  SofaLink topology, mstate, elements;
  SofaState *state;
  SofaText series; /* DataSet lines of the .pvd so far */
  SofaText pvd;    /* the whole .pvd */
  SofaVtkBuffers buffers;
  ExportMesh mesh; /* of one file */
} VTKExporter;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_UP};
static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE,
                                        .search = SOFA_SEARCH_NONE};
static const SofaLinkRule elements_rule = {.interface = SOFA_ELEMENT_SOURCE,
                                           .search = SOFA_SEARCH_NONE};
static const char *const encodings[] = {"binary", "ascii", NULL};

static const SofaField fields[] = {
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
    SOFA_FIELD(VTKExporter, elements, "elements", NULL, "",
               "object with elements of its own that are written, of any order, as a "
               "CaribouTopology (addition of csofa)",
               .link = &elements_rule),
};

/* ---- names ---- */

static char *file_path(const VTKExporter *e, const char *extension) {
  if (e->overwrite)
    return sofa_format(e->exporter.object.ctx, "%s.%s", e->exporter.base, extension);
  return sofa_format(e->exporter.object.ctx, "%s_%05u.%s", e->exporter.base, e->exporter.n_files,
                     extension);
}

/* Of the process of a rank, in the same folder. */
static char *piece_path(const VTKExporter *e, int rank) {
  char end[32];
  snprintf(end, sizeof end, "p%d.vtu", rank);
  if (e->overwrite) return sofa_format(e->exporter.object.ctx, "%s_%s", e->exporter.base, end);
  return sofa_format(e->exporter.object.ctx, "%s_%05u_%s", e->exporter.base, e->exporter.n_files,
                     end);
}

/* Has this process a part of what is written? */
static bool is_divided(const VTKExporter *e) {
  const SofaTopology *topology = (const SofaTopology *)e->topology.target;
  return (e->state && sofa_state_division(e->state)) ||
         (topology && sofa_topology_division(topology));
}

static SofaErr export_init(SofaObject *object) {
  VTKExporter *e = (VTKExporter *)object;
  e->state = e->mstate.target ? (SofaState *)e->mstate.target : sofa_node_state(object->node);
  if (!e->state && !e->topology.target && !e->position.n)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no state and no topology to write");
  return SOFA_OK;
}

static SofaErr export_reset(SofaObject *object) {
  ((VTKExporter *)object)->series.n = 0;
  return SOFA_OK;
}

static void export_destroy(SofaObject *object) {
  VTKExporter *e = (VTKExporter *)object;
  sofa_list_free(object->ctx, &e->series);
  sofa_list_free(object->ctx, &e->pvd);
  export_mesh_free(object->ctx, &e->mesh);
  sofa_vtk_buffers_free(object->ctx, &e->buffers);
}

/* ---- what is written ---- */

/* "[name=]object.field" of the attribute `xml`. */
typedef struct Wanted {
  const char *xml, *text;
  const char *name, *path; /* in text; name NULL: that of the field */
  SofaObject *object;
  const SofaField *field;
} Wanted;

static bool is_list_of_reals(const SofaField *field) {
  return field->type->scalar == SOFA_SCALAR_REAL && field->type->list;
}

/* "; it has position, velocity, ...": the fields that could be written. */
static SofaErr print_choices(const SofaObject *object, SofaText *out) {
  const size_t n = sofa_class_n_fields(object->klass);
  const char *between = "; it has ";
  for (size_t i = 0; i < n; i++) {
    const SofaField *field = object->field_states[i].field;
    if (!is_list_of_reals(field)) continue;
    SOFA_TRY(sofa_text_printf(object->ctx, out, "%s%s", between, field->name));
    between = ", ";
  }
  return SOFA_OK;
}

/* Reports as `severity`; an error is returned. */
static SofaErr refuse(const VTKExporter *e, const Wanted *w, SofaSeverity severity, const char *why,
                      const char *more) {
  sofa_object_message(&e->exporter.object, severity, "%s: '%s' %s%s", w->xml, w->path, why, more);
  return SOFA_ERR_NOT_FOUND;
}

static SofaErr refuse_field(const VTKExporter *e, const Wanted *w, SofaSeverity severity) {
  SofaText choices = {0};
  SofaErr err = print_choices(w->object, &choices);
  if (err == SOFA_OK)
    err =
        refuse(e, w, severity, w->field ? "is not a list of reals" : "is not a field of its object",
               choices.n ? choices.data : "");
  sofa_list_free(e->exporter.object.ctx, &choices);
  return err;
}

/* Finds object and field of w->text. */
static SofaErr find_field(const VTKExporter *e, SofaSeverity severity, Wanted *w) {
  SofaContext *ctx = e->exporter.object.ctx;
  const char *equals = strchr(w->text, '=');
  w->name = equals ? w->text : NULL;
  w->path = equals ? equals + 1 : w->text;
  w->path += *w->path == '@';
  const char *dot = strrchr(w->path, '.');
  if (!dot || dot == w->path) return refuse(e, w, severity, "is not object.field", "");
  char *path = sofa_strndup(ctx, w->path, (size_t)(dot - w->path));
  if (!path) return SOFA_ERR_MEMORY;
  w->object = sofa_resolve_path(e->exporter.object.node, path, NULL);
  sofa_free(ctx, path);
  if (!w->object) return refuse(e, w, severity, "names no object", "");
  w->field = sofa_class_field(w->object->klass, dot + 1);
  return w->field && is_list_of_reals(w->field) ? SOFA_OK : refuse_field(e, w, severity);
}

/* The field with its n tuples; the caller owns out->name. */
static SofaErr take_field(const VTKExporter *e, Wanted *w, size_t n, SofaVtkField *out) {
  SofaContext *ctx = e->exporter.object.ctx;
  SOFA_TRY(find_field(e, SOFA_ERROR, w));
  SOFA_TRY(sofa_field_compute(w->object, w->field));
  const SofaCoords *list = sofa_field_value(w->object, w->field);
  out->width = w->field->type->width ? w->field->type->width : list->width;
  if (list->n != n)
    return sofa_field_fail(&e->exporter.object, w->xml, SOFA_ERR_RANGE,
                           "'%s' has %zu values, expected %zu", w->path, list->n, n);
  out->values = list->data;
  out->name = w->name ? sofa_strndup(ctx, w->text, strcspn(w->text, "="))
                      : sofa_strdup(ctx, strrchr(w->path, '.') + 1);
  return out->name ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* What the first file would stumble over. */
static SofaErr check_fields(const VTKExporter *e, const SofaStrings *texts, const char *xml) {
  for (size_t i = 0; i < texts->n; i++) {
    Wanted w = {.xml = xml, .text = texts->data[i]};
    if (find_field(e, SOFA_WARNING, &w) == SOFA_ERR_MEMORY) return SOFA_ERR_MEMORY;
  }
  return SOFA_OK;
}

static SofaErr export_bwd_init(SofaObject *object) {
  const VTKExporter *e = (const VTKExporter *)object;
  if (!e->xml && is_divided(e))
    return sofa_field_fail(object, "XMLformat", SOFA_ERR_UNSUPPORTED,
                           "'0' is not supported yet for a mesh that is divided among processes: "
                           "'1' writes a file of each process");
  SOFA_TRY(check_fields(e, &e->point_fields, "pointsDataFields"));
  return check_fields(e, &e->cell_fields, "cellsDataFields");
}

static SofaErr collect_fields(const VTKExporter *e, const SofaStrings *texts, const char *xml,
                              size_t n, SofaVtkField *out) {
  for (size_t i = 0; i < texts->n; i++) {
    Wanted w = {.xml = xml, .text = texts->data[i]};
    SOFA_TRY(take_field(e, &w, n, &out[i]));
  }
  return SOFA_OK;
}

/* ---- files ---- */

/* The series as it stands: a run that is interrupted later leaves a complete file. */
static SofaErr write_series(VTKExporter *e, const char *path) {
  SofaContext *ctx = e->exporter.object.ctx;
  static const char head[] = "<?xml version=\"1.0\"?>\n"
                             "<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n";
  static const char tail[] = "  </Collection>\n</VTKFile>\n";
  SofaErr err = SOFA_OK;
  char *pvd = sofa_format(ctx, "%s.pvd", e->exporter.base);
  if (!pvd) return SOFA_ERR_MEMORY;
  if (e->overwrite) e->series.n = 0;
  SOFA_GO(err, done, sofa_text_printf(ctx, &e->series, "    <DataSet timestep=\""));
  SOFA_GO(err, done, sofa_text_real(ctx, &e->series, e->exporter.object.node->time, 0));
  SOFA_GO(err, done, sofa_text_printf(ctx, &e->series, "\" part=\"0\" file=\""));
  SOFA_GO(err, done, sofa_vtk_append_escaped(ctx, &e->series, sofa_path_name(path)));
  SOFA_GO(err, done, sofa_text_printf(ctx, &e->series, "\"/>\n"));
  e->pvd.n = 0;
  SOFA_GO(err, done, sofa_text_append(ctx, &e->pvd, head, sizeof head - 1));
  SOFA_GO(err, done, sofa_text_append(ctx, &e->pvd, e->series.data, e->series.n));
  SOFA_GO(err, done, sofa_text_append(ctx, &e->pvd, tail, sizeof tail - 1));
  SOFA_GO(err, done, sofa_output_file_check(&e->exporter.object, "filename", pvd));
  err = sofa_output_file_replace(&e->exporter.object, pvd, e->pvd.data, e->pvd.n);
done:
  sofa_free(ctx, pvd);
  return err;
}

static SofaErr list_pieces(const VTKExporter *e, SofaStrings *sources) {
  SofaContext *ctx = e->exporter.object.ctx;
  for (int r = 0; r < sofa_process_count(ctx); r++) {
    char *path = piece_path(e, r), *name = path ? sofa_strdup(ctx, sofa_path_name(path)) : NULL;
    const SofaErr err = name ? SOFA_APPEND(ctx, sources, &name) : SOFA_ERR_MEMORY;
    sofa_free(ctx, path);
    if (err != SOFA_OK) sofa_free(ctx, name);
    if (err != SOFA_OK) return err;
  }
  return SOFA_OK;
}

/* The file that names those of all processes, by the first one. */
static SofaErr write_list(VTKExporter *e, const VtkGrid *grid) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaStrings sources = {0};
  SofaErr err = SOFA_OK;
  char *path = file_path(e, "pvtu");
  if (!path) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, list_pieces(e, &sources));
  SOFA_GO(err, done, sofa_vtk_write_pieces(ctx, grid, &sources, &e->buffers));
  SOFA_GO(err, done, sofa_output_file_check(&e->exporter.object, "filename", path));
  SOFA_GO(
      err, done,
      sofa_output_file_replace(&e->exporter.object, path, e->buffers.text.data, e->buffers.text.n));
  SOFA_GO(err, done, write_series(e, path));
done:
  sofa_strings_free(ctx, &sources);
  sofa_free(ctx, path);
  return err;
}

static SofaErr write_piece(VTKExporter *e, const VtkGrid *grid) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaErr err = SOFA_OK;
  char *path = piece_path(e, sofa_process_rank(ctx));
  if (!path) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, sofa_vtk_write_xml(ctx, grid, e->encoding.index == 1, &e->buffers));
  SOFA_GO(err, done, sofa_output_file_check(&e->exporter.object, "filename", path));
  SOFA_GO(err, done,
          sofa_output_file_replace_piece(&e->exporter.object, path, e->buffers.text.data,
                                         e->buffers.text.n));
  SOFA_GO(err, done, write_list(e, grid));
done:
  sofa_free(ctx, path);
  return err;
}

static SofaErr write_grid(VTKExporter *e, const VtkGrid *grid) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaErr err = SOFA_OK;
  if (is_divided(e)) return write_piece(e, grid);
  char *path = file_path(e, e->xml ? "vtu" : "vtk");
  if (!path) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done,
          e->xml ? sofa_vtk_write_xml(ctx, grid, e->encoding.index == 1, &e->buffers)
                 : sofa_vtk_write_legacy(ctx, grid, e->exporter.object.name, &e->buffers));
  SOFA_GO(err, done, sofa_output_file_check(&e->exporter.object, "filename", path));
  SOFA_GO(
      err, done,
      sofa_output_file_replace(&e->exporter.object, path, e->buffers.text.data, e->buffers.text.n));
  if (e->xml) SOFA_GO(err, done, write_series(e, path));
done:
  sofa_free(ctx, path);
  return err;
}

static SofaErr write_now(Exporter *exporter) {
  VTKExporter *e = (VTKExporter *)exporter;
  SofaContext *ctx = e->exporter.object.ctx;
  const ExportSource source = {&e->exporter.object,
                               &e->position,
                               e->state,
                               (SofaTopology *)e->topology.target,
                               e->edges,
                               e->triangles,
                               e->quads,
                               e->tetras,
                               e->hexas,
                               e->elements.target};
  SofaErr err = SOFA_OK;
  size_t n_cells = 0;
  SOFA_TRY(export_mesh_collect(&source, &e->mesh));
  const size_t n_points = e->mesh.points.n / 3;
  // without any cell each point is one, so that there is something to see
  const VtkCells vertices = {1, 1, n_points, NULL};
  VtkGrid grid = {.points = e->mesh.points.data,
                  .n_points = n_points,
                  .cells = e->mesh.n_cells ? e->mesh.cells : &vertices,
                  .n_cells = e->mesh.n_cells ? e->mesh.n_cells : 1};
  for (size_t i = 0; i < grid.n_cells; i++) n_cells += grid.cells[i].n;
  const size_t n_fields = e->point_fields.n + e->cell_fields.n;
  SofaVtkField *list = sofa_alloc(ctx, n_fields, sizeof *list);
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

static const char *const extensions[] = {"vtu", "vtk", "pvd", "pvtu", NULL};
static const ExporterOps export_ops = {.extensions = extensions, .write = write_now};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_LIST(VTKExporter, series),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(VTKExporter, buffers),
    SOFA_REMADE(VTKExporter, mesh),
    SOFA_REMADE(VTKExporter, pvd),
};

SOFA_CLASS(VTKExporter) = {
    SOFA_NAMED(VTKExporter),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Exporter",
    .help = "Writes the mesh and fields on it for ParaView: .vtu files and a .pvd series with the "
            "times, complete after every file.",
    .base = &exporter_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    SOFA_FIELDS(fields),
    .init = export_init,
    .bwd_init = export_bwd_init,
    .reset = export_reset,
    .destroy = export_destroy,
    SOFA_IMPLEMENTS({SOFA_EXPORTER, &export_ops}),
};
