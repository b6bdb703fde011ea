/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshExporter: writes points and elements in the formats of several programs. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "topology/element_source.h"
#include "topology/tuple_map.h"
#include "components/io/export_mesh.h"
#include "components/io/exporter.h"
#include "numerics/io/output_file.h"
#include "numerics/io/quadratic_nodes.h"
#include "math/vec.h"
#include "object/checkpoint.h"

typedef struct MeshExporter {
  Exporter exporter;
  SofaOption format;
  SofaVec3s position;
  bool edges, triangles, quads, tetras, hexas;
  SofaTopology *topology;
  SofaLink elements;
  SofaState *state;
  ExportMesh mesh;
  SofaVtkBuffers buffers;
} MeshExporter;

static const char *const formats[] = {"ALL",    "vtkxml", "vtk", "netgen",
                                      "tetgen", "gmsh",   "obj", NULL};
enum { ALL, VTK_XML, VTK, NETGEN, TETGEN, GMSH, OBJ };

static const SofaLinkRule elements_rule = {.interface = SOFA_ELEMENT_SOURCE,
                                           .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(MeshExporter, format, "format", "ALL", "",
               "which files: vtkxml .vtu, vtk .vtk, netgen .mesh, tetgen .node .ele .face, gmsh "
               ".gmsh, obj .obj",
               .options = formats),
    SOFA_FIELD(MeshExporter, position, "position", NULL, "m",
               "points to write; default: those of the state, else of the topology"),
    SOFA_FIELD(MeshExporter, edges, "edges", "1", "", "write the edges"),
    SOFA_FIELD(MeshExporter, triangles, "triangles", "1", "", "write the triangles"),
    SOFA_FIELD(MeshExporter, quads, "quads", "1", "", "write the quads"),
    SOFA_FIELD(MeshExporter, tetras, "tetras", "1", "", "write the tetrahedra"),
    SOFA_FIELD(MeshExporter, hexas, "hexas", "1", "", "write the hexahedra"),
    SOFA_FIELD(
        MeshExporter, elements, "elements", NULL, "",
        "object with elements of its own that vtkxml, vtk and gmsh write, too, of any order, "
        "as a CaribouTopology (addition of csofa)",
        .link = &elements_rule),
};

static SofaErr init(SofaObject *object) {
  MeshExporter *e = (MeshExporter *)object;
  e->topology = (SofaTopology *)sofa_node_find(object->node, SOFA_TOPOLOGY, SOFA_SEARCH_UP);
  e->state = sofa_node_state(object->node);
  if (e->topology || e->elements.target) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in this node or above");
}

/* ---- names ---- */

/* Elements of the highest dimension written. */
static size_t n_main_elements(const MeshExporter *e) {
  static const uint8_t kinds[3][2] = {
      {EXPORT_TETRA, EXPORT_HEXA}, {EXPORT_TRIANGLE, EXPORT_QUAD}, {EXPORT_LINE, EXPORT_LINE}};
  for (int k = 0; k < 3; k++) {
    size_t n = export_mesh_cells(&e->mesh, kinds[k][0]).n;
    if (kinds[k][1] != kinds[k][0]) n += export_mesh_cells(&e->mesh, kinds[k][1]).n;
    if (n) return n;
  }
  return e->mesh.points.n / 3;
}

/* Replaces %n by the number of steps, %p of points, %E of elements, %e of those of the highest
 * dimension, %% by %. */
static SofaErr expand(const MeshExporter *e, const char *path, SofaText *out) {
  SofaContext *ctx = e->exporter.object.ctx;
  size_t n_elements = 0;
  for (size_t i = 0; i < e->mesh.n_cells; i++) n_elements += e->mesh.cells[i].n;
  for (const char *c = path; *c; c++) {
    size_t number = 0;
    if (*c != '%') {
      SOFA_TRY(sofa_text_append(ctx, out, c, 1));
      continue;
    }
    c++;
    if (*c == '%') {
      SOFA_TRY(sofa_text_append(ctx, out, c, 1));
      continue;
    }
    if (*c == 'n') number = (size_t)e->exporter.n_steps;
    else if (*c == 'p') number = e->mesh.points.n / 3;
    else if (*c == 'E') number = n_elements;
    else if (*c == 'e') number = n_main_elements(e);
    else
      return sofa_field_fail(&e->exporter.object, "filename", SOFA_ERR_PARSE,
                             "'%%%c' is not one of %%n %%p %%E %%e %%%%", *c ? *c : ' ');
    SOFA_TRY(sofa_text_int(ctx, out, (int64_t)number));
  }
  return SOFA_OK;
}

/* Writes a text under the name of this instant. */
static SofaErr write_text(MeshExporter *e, const char *extension, const SofaText *text) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaText name = {0};
  SofaErr err;
  char *path = exporter_path(&e->exporter, extension);
  if (!path) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, expand(e, path, &name));
  SOFA_GO(err, done, sofa_output_file_check(&e->exporter.object, "filename", name.data));
  err = sofa_output_file_replace(&e->exporter.object, name.data, text->data, text->n);
done:
  sofa_list_free(ctx, &name);
  sofa_free(ctx, path);
  return err;
}

/* ---- lines ---- */

static SofaErr add_point(MeshExporter *e, const char *before, size_t i) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaText *text = &e->exporter.text;
  SOFA_TRY(sofa_text_append(ctx, text, before, strlen(before)));
  for (size_t k = 0; k < 3; k++) {
    if (k || *before) SOFA_TRY(sofa_text_append(ctx, text, " ", 1));
    SOFA_TRY(sofa_text_real(ctx, text, e->mesh.points.data[3 * i + k], 0));
  }
  return sofa_text_append(ctx, text, "\n", 1);
}

/* "WORD a b c", counted from 1. */
static SofaErr add_element(MeshExporter *e, const char *before, const uint32_t *v, unsigned n) {
  SofaContext *ctx = e->exporter.object.ctx;
  SofaText *text = &e->exporter.text;
  SOFA_TRY(sofa_text_append(ctx, text, before, strlen(before)));
  for (unsigned k = 0; k < n; k++) {
    SOFA_TRY(sofa_text_append(ctx, text, " ", 1));
    SOFA_TRY(sofa_text_int(ctx, text, (int64_t)v[k] + 1));
  }
  return sofa_text_append(ctx, text, "\n", 1);
}

#define PRINT(...)                                                                                 \
  SOFA_TRY(sofa_text_printf(e->exporter.object.ctx, &e->exporter.text, __VA_ARGS__))

static size_t n_points(const MeshExporter *e) {
  return e->mesh.points.n / 3;
}

/* ---- formats ---- */

static SofaErr write_vtk(MeshExporter *e, bool xml) {
  SofaContext *ctx = e->exporter.object.ctx;
  const VtkGrid grid = {.points = e->mesh.points.data,
                        .n_points = n_points(e),
                        .cells = e->mesh.cells,
                        .n_cells = e->mesh.n_cells};
  SOFA_TRY(xml ? sofa_vtk_write_xml(ctx, &grid, true, &e->buffers)
               : sofa_vtk_write_legacy(ctx, &grid, e->exporter.object.name, &e->buffers));
  return write_text(e, xml ? "vtu" : "vtk", &e->buffers.text);
}

/* Lines of Gmsh, whose elements count from *number + 1. */
static SofaErr add_cells(MeshExporter *e, const VtkCells *cells, size_t *number) {
  const SofaShape shape = sofa_shape_of_vtk(cells->type);
  char before[64];
  for (size_t i = 0; i < cells->n && shape < SOFA_N_SHAPES; i++) {
    uint32_t v[SOFA_SHAPE_MAX_NODES];
    sofa_gmsh_order(shape, cells->vertices + i * cells->n_vertices, v);
    snprintf(before, sizeof before, "%zu %d 0", ++*number, sofa_gmsh_cell_type(shape));
    SOFA_TRY(add_element(e, before, v, cells->n_vertices));
  }
  return SOFA_OK;
}

static SofaErr write_gmsh(MeshExporter *e) {
  static const uint8_t types[] = {EXPORT_LINE, EXPORT_TRIANGLE, EXPORT_QUAD, EXPORT_TETRA,
                                  EXPORT_HEXA};
  size_t n = 0, number = 0;
  char before[64];
  PRINT("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", n_points(e));
  for (size_t i = 0; i < n_points(e); i++) {
    snprintf(before, sizeof before, "%zu", i + 1);
    SOFA_TRY(add_point(e, before, i));
  }
  for (size_t i = 0; i < e->mesh.n_cells; i++) n += e->mesh.cells[i].n;
  PRINT("$EndNodes\n$Elements\n%zu\n", n);
  for (size_t k = 0; k < SOFA_COUNT(types); k++)
    for (size_t i = 0; i < e->mesh.n_cells; i++)
      if (e->mesh.cells[i].type == types[k]) SOFA_TRY(add_cells(e, &e->mesh.cells[i], &number));
  for (size_t i = 0; i < e->mesh.n_cells; i++)
    if (!memchr(types, e->mesh.cells[i].type, sizeof types))
      SOFA_TRY(add_cells(e, &e->mesh.cells[i], &number));
  PRINT("$EndElements\n");
  return write_text(e, "gmsh", &e->exporter.text);
}

static SofaErr write_obj(MeshExporter *e) {
  static const uint8_t types[] = {EXPORT_LINE, EXPORT_TRIANGLE, EXPORT_QUAD};
  PRINT("o %s\n", sofa_path_name(e->exporter.base));
  for (size_t i = 0; i < n_points(e); i++) SOFA_TRY(add_point(e, "v", i));
  for (int k = 0; k < 3; k++) {
    const VtkCells cells = export_mesh_cells(&e->mesh, types[k]);
    for (size_t i = 0; i < cells.n; i++)
      SOFA_TRY(add_element(e, k == 0 ? "l" : "f", cells.vertices + i * cells.n_vertices,
                           cells.n_vertices));
  }
  return write_text(e, "obj", &e->exporter.text);
}

/* How many tetrahedra have the face of each triangle: of those with fewer than two, a border. */
static SofaErr find_border(MeshExporter *e, SofaIndices *count) {
  SofaContext *ctx = e->exporter.object.ctx;
  const VtkCells triangles = export_mesh_cells(&e->mesh, EXPORT_TRIANGLE);
  const VtkCells *tetras = &e->mesh.solids;
  SofaTupleMap map = {0};
  SofaErr err;
  SOFA_GO(err, done, SOFA_RESIZE(ctx, count, triangles.n));
  for (size_t i = 0; i < triangles.n; i++) {
    const uint32_t *v = triangles.vertices + 3 * i;
    const SofaTuple key = sofa_tuple3(v[0], v[1], v[2]);
    uint32_t found;
    SOFA_GO(err, done, sofa_tuple_map_add(ctx, &map, &key, (uint32_t)i, &found));
  }
  for (size_t i = 0; i < tetras->n; i++)
    for (int j = 0; j < 4; j++) {
      const uint32_t *v = tetras->vertices + 4 * i;
      const SofaTuple key = sofa_tuple3(v[(j + 1) % 4], v[(j + 2) % 4], v[(j + 3) % 4]);
      const uint32_t found = sofa_tuple_map_find(&map, &key);
      if (found != UINT32_MAX) count->data[found]++;
    }
done:
  sofa_tuple_map_free(ctx, &map);
  return err;
}

/* The triangles on the border, or all when there are no tetrahedra; `numbered`: with their rank. */
static SofaErr add_border(MeshExporter *e, const char *header, bool numbered) {
  SofaContext *ctx = e->exporter.object.ctx;
  const VtkCells triangles = export_mesh_cells(&e->mesh, EXPORT_TRIANGLE);
  SofaIndices count = {0};
  size_t n = 0, rank = 0;
  char before[32];
  SofaErr err;
  SOFA_GO(err, done, find_border(e, &count));
  for (size_t i = 0; i < triangles.n; i++) n += count.data[i] < 2;
  SOFA_GO(err, done, sofa_text_printf(ctx, &e->exporter.text, "%zu%s\n", n, header));
  for (size_t i = 0; i < triangles.n; i++) {
    if (count.data[i] >= 2) continue;
    snprintf(before, sizeof before, "%zu", numbered ? ++rank : 0);
    SOFA_GO(err, done, add_element(e, before, triangles.vertices + 3 * i, 3));
  }
done:
  sofa_list_free(ctx, &count);
  return err;
}

/* Points, tetrahedra, border triangles; each with subdomain 0. */
static SofaErr write_netgen(MeshExporter *e) {
  const VtkCells tetras = export_mesh_cells(&e->mesh, EXPORT_TETRA);
  PRINT("%zu\n", n_points(e));
  for (size_t i = 0; i < n_points(e); i++) SOFA_TRY(add_point(e, "", i));
  PRINT("%zu\n", tetras.n);
  for (size_t i = 0; i < tetras.n; i++) SOFA_TRY(add_element(e, "0", tetras.vertices + 4 * i, 4));
  SOFA_TRY(add_border(e, "", false));
  return write_text(e, "mesh", &e->exporter.text);
}

/* TetGen's corners see the fourth one from behind: positive tetrahedra have two corners exchanged.
 */
static void tetgen_order(const double *x, const uint32_t *from, uint32_t to[4]) {
  double u[3][3], n[3];
  memcpy(to, from, 4 * sizeof *to);
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 3; k++)
      u[j][k] = x[3 * from[j + 1] + (size_t)k] - x[3 * from[0] + (size_t)k];
  sofa_vec3_cross(u[1], u[2], n);
  if (sofa_vec3_dot(u[0], n) <= 0) return;
  to[2] = from[3];
  to[3] = from[2];
}

static SofaErr write_tetgen(MeshExporter *e) {
  const VtkCells tetras = export_mesh_cells(&e->mesh, EXPORT_TETRA);
  char before[32];
  PRINT("%zu 3 0 0\n", n_points(e));
  for (size_t i = 0; i < n_points(e); i++) {
    snprintf(before, sizeof before, "%zu", i + 1);
    SOFA_TRY(add_point(e, before, i));
  }
  SOFA_TRY(write_text(e, "node", &e->exporter.text));
  e->exporter.text.n = 0;
  PRINT("%zu 4 0\n", tetras.n);
  for (size_t i = 0; i < tetras.n; i++) {
    uint32_t v[4];
    tetgen_order(e->mesh.points.data, tetras.vertices + 4 * i, v);
    snprintf(before, sizeof before, "%zu", i + 1);
    SOFA_TRY(add_element(e, before, v, 4));
  }
  if (e->tetras) SOFA_TRY(write_text(e, "ele", &e->exporter.text));
  e->exporter.text.n = 0;
  SOFA_TRY(add_border(e, " 0", true));
  return e->triangles ? write_text(e, "face", &e->exporter.text) : SOFA_OK;
}

static SofaErr write_format(MeshExporter *e, int format) {
  e->exporter.text.n = 0;
  switch (format) {
  case VTK_XML:
    return write_vtk(e, true);
  case VTK:
    return write_vtk(e, false);
  case NETGEN:
    return write_netgen(e);
  case TETGEN:
    return write_tetgen(e);
  case GMSH:
    return write_gmsh(e);
  default:
    return write_obj(e);
  }
}

static SofaErr write_files(Exporter *exporter) {
  MeshExporter *e = (MeshExporter *)exporter;
  const ExportSource source = {.object = &exporter->object,
                               .position = &e->position,
                               .state = e->state,
                               .topology = e->topology,
                               .edges = e->edges,
                               .triangles = e->triangles,
                               .quads = e->quads,
                               .tetras = e->tetras,
                               .hexas = e->hexas,
                               .elements = e->elements.target};
  SOFA_TRY(export_mesh_collect(&source, &e->mesh));
  SOFA_TRY(export_mesh_gather(&source, &e->mesh));
  for (int format = VTK_XML; format <= OBJ; format++)
    if (e->format.index == ALL || e->format.index == format) SOFA_TRY(write_format(e, format));
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  MeshExporter *e = (MeshExporter *)object;
  export_mesh_free(object->ctx, &e->mesh);
  sofa_vtk_buffers_free(object->ctx, &e->buffers);
}

static const char *const extensions[] = {"vtu", NULL};
static const ExporterOps ops = {.extensions = extensions, .write = write_files};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(MeshExporter, buffers),
    SOFA_REMADE(MeshExporter, mesh),
};

SOFA_CLASS(MeshExporter) = {
    SOFA_NAMED(MeshExporter),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Exporter",
    .help = "Writes points and elements of a topology in the formats of VTK, Netgen, TetGen, Gmsh "
            "and Wavefront.",
    .base = &exporter_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_EXPORTER, &ops}),
};
