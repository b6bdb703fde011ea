/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshVTKLoader: the loader of VTK files, legacy and XML. Arrays of values that the file gives its
 * points and cells become fields of the loader, so that others can be linked to them. */
#include <string.h>

#include "numerics/io/vtk_reader.h"
#include "topology/division.h"

enum { QUIRK_VTK_STRIPS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_VTK_STRIPS, "vtk-strips",
     "MeshVTKLoader turns the triangles of strips the other way round",
     "test_mesh_files.strips_face_the_same_way"},
};

typedef struct MeshVTKLoader {
  SofaMeshLoader loader;
  SofaVtkExtras extras; /* the values of the arrays are those of the fields, once there are some */
  SofaField *rows;      /* of the arrays */
  size_t n_rows;        /* that are fields of the object */
  SofaStrings names;    /* likewise */
  bool in_runs;         /* the arrays have the values of this process's runs */
  size_t n_points;      /* of the file, then */
} MeshVTKLoader;

static const SofaField fields[] = {SOFA_QUADRATIC_ROWS};

/* ---- arrays as fields ---- */

/* Tuples of a width that no type has are one long list. */
static const SofaType *type_of(const SofaVtkArray *array) {
  static const SofaType *const types[] = {
      [1] = &sofa_type_reals, [2] = &sofa_type_vec2s, [3] = &sofa_type_vec3s,
      [4] = &sofa_type_vec4s, [6] = &sofa_type_vec6s, [7] = &sofa_type_vec7s};
  if (array->width == 1 && array->whole) return &sofa_type_ints;
  const SofaType *type = array->width < 8 ? types[array->width] : NULL;
  return type ? type : &sofa_type_reals;
}

static bool taken(const MeshVTKLoader *l, const char *name) {
  if (sofa_class_field(l->loader.object.klass, name)) return true;
  for (size_t i = 0; i < l->names.n; i++)
    if (strcmp(l->names.data[i], name) == 0) return true;
  return false;
}

/* A name of a field that a link can tell: what has a meaning in a path becomes '_'. When the loader
 * has a field of that name "point_" or "cell_" stands before it. */
static SofaErr name_array(MeshVTKLoader *l, const SofaVtkArray *array) {
  SofaContext *ctx = l->loader.object.ctx;
  const char *prefix = array->cells ? "cell_" : "point_";
  SofaText name = {0};
  SofaErr err = sofa_text_printf(ctx, &name, "%s%s", prefix, array->name);
  for (size_t i = 0; err == SOFA_OK && i < name.n; i++)
    if (strchr("./@", name.data[i]) || (unsigned char)name.data[i] < ' ') name.data[i] = '_';
  const char *plain = err == SOFA_OK ? name.data + strlen(prefix) : "";
  if (err == SOFA_OK && taken(l, plain)) {
    plain = name.data;
    sofa_object_message(&l->loader.object, SOFA_INFO,
                        "array '%s' is field '%s': the loader has a field of its name", array->name,
                        plain);
  }
  if (err == SOFA_OK) err = sofa_strings_append(ctx, &l->names, plain, strlen(plain));
  sofa_list_free(ctx, &name);
  return err;
}

/* The values become those of the field, which owns them. */
static SofaErr move_values(SofaContext *ctx, SofaVtkArray *array, const SofaField *row,
                           void *value) {
  SofaReals *from = &array->values;
  if (row->type == &sofa_type_ints) {
    SofaInts *ints = (SofaInts *)value;
    SOFA_TRY(SOFA_RESIZE(ctx, ints, from->n));
    for (size_t i = 0; i < from->n; i++) ints->data[i] = (int)from->data[i]; /* checked: `whole` */
    sofa_list_free(ctx, from);
    return SOFA_OK;
  }
  SofaAnyList *to = (SofaAnyList *)value;
  const size_t n = from->n / row->type->width;
  sofa_list_free(ctx, to);
  *to = (SofaAnyList){from->data, n, n};
  *from = (SofaReals){0};
  return SOFA_OK;
}

static SofaErr move_arrays(MeshVTKLoader *l) {
  SofaObject *object = &l->loader.object;
  for (size_t i = 0; i < l->n_rows; i++) {
    const SofaField *row = &object->klass->fields[i];
    SOFA_TRY(
        move_values(object->ctx, &l->extras.arrays.data[i], row, sofa_field_value(object, row)));
  }
  return SOFA_OK;
}

static SofaErr add_fields(MeshVTKLoader *l) {
  SofaObject *object = &l->loader.object;
  SofaContext *ctx = object->ctx;
  const SofaVtkArrays *arrays = &l->extras.arrays;
  l->rows = sofa_alloc(ctx, arrays->n, sizeof *l->rows);
  if (!l->rows) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < arrays->n; i++) {
    const SofaVtkArray *array = &arrays->data[i];
    SOFA_TRY(name_array(l, array));
    l->rows[i] = (SofaField){.name = l->names.data[i],
                             .type = type_of(array),
                             .unit = "",
                             .help = array->cells ? "values of the cells of the file, in its order"
                                                  : "values of the points of the file",
                             .flags = SOFA_FIELD_OUTPUT};
  }
  SOFA_TRY(sofa_object_add_fields(object, l->rows, arrays->n));
  l->n_rows = arrays->n;
  return move_arrays(l);
}

/* Values of points that onlyAttachedPoints dropped go, too. */
static void drop_unused(MeshVTKLoader *l) {
  const SofaIndices *kept = &l->loader.kept_points;
  SofaObject *object = &l->loader.object;
  if (!kept->n) return;
  for (size_t i = 0; i < l->n_rows; i++) {
    const SofaVtkArray *array = &l->extras.arrays.data[i];
    const SofaField *row = &object->klass->fields[i];
    SofaAnyList *list = (SofaAnyList *)sofa_field_value(object, row);
    const size_t per_point = array->width / row->type->width;
    const size_t size = sofa_scalar_size(row->type->scalar) * array->width;
    if (array->cells || list->n <= kept->n * per_point) continue;
    for (size_t k = 0; k < kept->n; k++)
      sofa_move((char *)list->data + k * size, (char *)list->data + kept->data[k] * size, size);
    list->n = kept->n * per_point;
    sofa_field_touch(object, row);
  }
}

/* ---- on a divided mesh ---- */

/* Is the field of an array the source of another one? */
static bool is_used(const MeshVTKLoader *l, const SofaField *row, const SofaNodes *nodes) {
  for (size_t i = 0; i < nodes->n; i++)
    for (size_t k = 0; k < nodes->data[i]->objects.n; k++) {
      const SofaObject *object = nodes->data[i]->objects.data[k];
      const size_t n = sofa_class_n_fields(object->klass);
      for (size_t f = 0; f < n; f++)
        if (object->field_states[f].source == &l->loader.object &&
            object->field_states[f].source_field == row)
          return true;
    }
  return false;
}

/* What n values of cells belong to: volume elements of one kind, when the file has no others. */
static bool find_kind(const SofaDivision *division, size_t n, SofaElementKind *kind) {
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++) {
    *kind = sofa_volume_kinds[v];
    if (n && division->n_whole_elements[*kind] == n) return true;
  }
  return false;
}

static SofaErr fail_used(const MeshVTKLoader *l, const SofaField *row) {
  return sofa_object_fail(&l->loader.object, SOFA_ERR_UNSUPPORTED,
                          "field '%s' is not supported yet on a mesh that is divided among "
                          "processes: the file has cells of several kinds",
                          row->name);
}

/* Of an array that every process has whole. */
static SofaErr divide_array(MeshVTKLoader *l, size_t i, const SofaNodes *nodes) {
  SofaObject *object = &l->loader.object;
  const SofaVtkArray *array = &l->extras.arrays.data[i];
  const SofaField *row = &object->klass->fields[i];
  const SofaDivision *division = l->loader.division;
  SofaAnyList *list = (SofaAnyList *)sofa_field_value(object, row);
  const size_t per = array->width / row->type->width;
  const size_t n_before = list->n / per;
  SofaAnyList rows = {list->data, n_before, n_before};
  SofaElementKind kind = SOFA_ELEMENT_POINT;
  const bool found =
      array->cells ? find_kind(division, rows.n, &kind) : rows.n == division->n_whole;
  if (!found) return is_used(l, row, nodes) ? fail_used(l, row) : SOFA_OK;
  SOFA_TRY(sofa_division_pick(object->ctx, division, kind, &rows,
                              sofa_scalar_size(row->type->scalar) * array->width));
  const size_t n = rows.n * per;
  *list = (SofaAnyList){rows.data, n, n};
  sofa_field_touch(object, row);
  return SOFA_OK;
}

/* The same of one that each process has a run of: the values of its points or elements come from
 * the others. */
static SofaErr fetch_array(MeshVTKLoader *l, size_t i, const SofaNodes *nodes) {
  SofaObject *object = &l->loader.object;
  SofaContext *ctx = object->ctx;
  SofaVtkArray *array = &l->extras.arrays.data[i];
  const SofaField *row = &object->klass->fields[i];
  const SofaDivision *division = l->loader.division;
  const SofaIndices *numbers = l->loader.kept_points.n ? &l->loader.kept_points : &division->number;
  size_t n_whole = l->n_points;
  SofaElementKind kind;
  SofaReals own = {0};
  if (array->cells) {
    n_whole = l->extras.n_cells;
    if (!find_kind(division, n_whole, &kind))
      return is_used(l, row, nodes) ? fail_used(l, row) : SOFA_OK;
    numbers = &division->elements[kind];
  }
  const SofaSliceRun run = {n_whole, array->width * sizeof(double), array->values.data};
  SofaErr err = SOFA_RESIZE(ctx, &own, numbers->n * array->width);
  if (err == SOFA_OK) err = sofa_slice_fetch(ctx, &run, numbers->n, numbers->data, own.data);
  sofa_list_free(ctx, &array->values);
  array->values = own;
  if (err == SOFA_OK) err = move_values(ctx, array, row, sofa_field_value(object, row));
  sofa_field_touch(object, row);
  return err;
}

static SofaErr vtk_loader_divide(SofaMeshLoader *loader) {
  MeshVTKLoader *l = (MeshVTKLoader *)loader;
  SofaContext *ctx = loader->object.ctx;
  SofaNodes nodes = {0};
  SofaNode *root = loader->object.node;
  while (sofa_node_parent(root)) root = sofa_node_parent(root);
  SofaErr err = sofa_node_order(root, &nodes);
  for (size_t i = 0; i < l->n_rows && err == SOFA_OK; i++)
    err = l->in_runs ? fetch_array(l, i, &nodes) : divide_array(l, i, &nodes);
  sofa_list_free(ctx, &nodes);
  return err;
}

/* ---- reading ---- */

/* The fields of a file that was to be read in slices are there. */
static SofaErr vtk_loader_read(SofaMeshLoader *loader, const SofaFileBytes *file) {
  MeshVTKLoader *l = (MeshVTKLoader *)loader;
  const SofaFaceOptions faces = {.flip_normals = loader->flip_normals,
                                 .turn_strips = sofa_quirk(&loader->object, QUIRK_VTK_STRIPS)};
  SOFA_TRY(sofa_vtk_read(loader->object.ctx, file, &faces, &loader->data, &l->extras));
  loader->polylines = l->extras.polylines;
  l->extras.polylines = (SofaIndexRows){{0}, {0}};
  return move_arrays(l);
}

static SofaErr look_at_file(MeshVTKLoader *l, bool *found) {
  SofaPartFile file = {.descriptor = -1};
  const SofaOrigin origin = {.file = l->loader.filename.path,
                             .emitter = l->loader.object.klass->name};
  SOFA_TRY(sofa_part_open(l->loader.object.ctx, &origin, &file));
  const SofaErr err = sofa_vtk_slice_arrays(l->loader.object.ctx, &file, &l->extras, found);
  sofa_part_close(&file);
  return err;
}

/* The fields of its arrays are known from the beginning. */
static bool vtk_loader_has_slices(SofaMeshLoader *loader, const char *bytes, size_t n) {
  bool found = false;
  return sofa_vtk_has_slices(bytes, n) &&
         look_at_file((MeshVTKLoader *)loader, &found) == SOFA_OK && found;
}

static SofaErr vtk_loader_read_slice(SofaMeshLoader *loader, const SofaPartFile *file,
                                     SofaMeshSlice *out, bool *found) {
  MeshVTKLoader *l = (MeshVTKLoader *)loader;
  const SofaFaceOptions faces = {.flip_normals = loader->flip_normals,
                                 .turn_strips = sofa_quirk(&loader->object, QUIRK_VTK_STRIPS)};
  SOFA_TRY(sofa_vtk_read_slice(loader->object.ctx, file, &faces, out, &l->extras, found));
  l->in_runs = *found;
  l->n_points = *found ? out->n_whole[SOFA_ELEMENT_POINT] : 0;
  return SOFA_OK;
}

static SofaErr vtk_loader_parsed(SofaObject *object) {
  MeshVTKLoader *l = (MeshVTKLoader *)object;
  if (l->extras.arrays.n) SOFA_TRY(add_fields(l));
  drop_unused(l);
  return SOFA_OK;
}

/* Linked options are known only now. */
static SofaErr vtk_loader_init(SofaObject *object) {
  drop_unused((MeshVTKLoader *)object);
  return SOFA_OK;
}

static void vtk_loader_destroy(SofaObject *object) {
  MeshVTKLoader *l = (MeshVTKLoader *)object;
  sofa_vtk_extras_free(object->ctx, &l->extras);
  sofa_strings_free(object->ctx, &l->names);
  sofa_free(object->ctx, l->rows);
}

static const SofaLoaderOps vtk_loader_ops = {.read = vtk_loader_read,
                                             .divide = vtk_loader_divide,
                                             .has_slices = vtk_loader_has_slices,
                                             .read_slice = vtk_loader_read_slice};

SOFA_CLASS(MeshVTKLoader) = {
    SOFA_NAMED(MeshVTKLoader),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads a mesh from a VTK file, legacy or XML: unstructured grids, polygonal data, "
            "structured and rectilinear grids, images. Its arrays of values are fields.",
    .base = &sofa_mesh_loader_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .parsed = vtk_loader_parsed,
    .init = vtk_loader_init,
    .destroy = vtk_loader_destroy,
    SOFA_IMPLEMENTS({SOFA_LOADER, &vtk_loader_ops}),
};
