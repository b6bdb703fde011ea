/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests that read small files of every format: what was read as one line of text. The bytes and
 * all that is allocated end at a page that cannot be accessed. */
#ifndef TESTS_UNIT_GEOMETRY_READER_FORMS_H
#define TESTS_UNIT_GEOMETRY_READER_FORMS_H

#include "tests/unit/geometry/reader_test.h"
#include "tests/support/fence_allocator.h"

#include "numerics/io/mesh_readers.h"
#include "numerics/io/vtk_reader.h"

typedef enum Form { GMSH, OBJ, SEAMS, VTK, STL, OFF, TRIAN, TRIAN2, XSP, GID, SPHERES, MTL } Form;

enum { MOST_DUMP = 20000 };

typedef struct Forms {
  SofaContext *ctx;
  FenceAllocator fences;
  SofaFaceOptions faces;
  SofaMeshData data;
  SofaObjData obj;
  SofaVtkExtras extras;
  SofaTrianData trian;
  SofaXspData xsp;
  SofaReals radii;
  SofaMaterials materials;
  char dump[MOST_DUMP];
  size_t n;
  int n_errors;
} Forms;

static inline void __attribute__((format(printf, 2, 3)))
forms_add(Forms *f, const char *format, ...) {
  va_list list;
  va_start(list, format);
  f->n += (size_t)vsnprintf(f->dump + f->n, sizeof f->dump - f->n, format, list);
  va_end(list);
  if (f->n >= sizeof f->dump) f->n = sizeof f->dump - 1; // the rest is not looked at
}

/* "!5 text" is an error at line 5, "?5 text" a warning. */
static inline void forms_sink(void *user, const SofaMessage *m) {
  Forms *f = user;
  if (m->severity < SOFA_WARNING) return;
  f->n_errors += m->severity > SOFA_WARNING;
  forms_add(f, "%c%d %s", m->severity == SOFA_WARNING ? '?' : '!', m->origin.line, m->text);
  forms_add(f, "%s", m->severity == SOFA_WARNING ? " " : "");
}

static inline void forms_open(Forms *f) {
  memset(f, 0, sizeof *f);
  const SofaContextOptions options = {
      .sink = forms_sink, .sink_user = f, .allocate = fence_allocate, .allocate_user = &f->fences};
  assert_int_equal(sofa_context_create(&options, &f->ctx), SOFA_OK);
}

static inline void forms_clear(Forms *f) {
  SofaContext *ctx = f->ctx;
  sofa_mesh_data_free(ctx, &f->data);
  sofa_obj_data_free(ctx, &f->obj);
  sofa_vtk_extras_free(ctx, &f->extras);
  sofa_trian_data_free(ctx, &f->trian);
  sofa_xsp_data_free(ctx, &f->xsp);
  sofa_list_free(ctx, &f->radii);
  for (size_t i = 0; i < f->materials.n; i++) sofa_free(ctx, f->materials.data[i].name);
  sofa_list_free(ctx, &f->materials);
  f->obj = (SofaObjData){0};
  f->n = 0;
  f->n_errors = 0;
  f->dump[0] = '\0';
}

static inline void forms_close(Forms *f) {
  forms_clear(f);
  sofa_context_destroy(&f->ctx);
  assert_int_equal(f->fences.live, 0);
}

/* ---- what was read ---- */

static inline void forms_reals(Forms *f, const char *name, const double *x, size_t n) {
  if (!n) return;
  forms_add(f, "%s", name);
  for (size_t i = 0; i < n; i++) forms_add(f, " %.9g", x[i]);
  forms_add(f, " ");
}

static inline void forms_ints(Forms *f, const char *name, const int *x, size_t n) {
  if (!n) return;
  forms_add(f, "%s", name);
  for (size_t i = 0; i < n; i++) forms_add(f, " %d", x[i]);
  forms_add(f, " ");
}

static inline void forms_rows(Forms *f, const char *name, const SofaIndexRows *rows) {
  uint32_t begin = 0;
  if (!rows->end.n) return;
  forms_add(f, "%s", name);
  for (size_t r = 0; r < rows->end.n; begin = rows->end.data[r++]) {
    forms_add(f, "%s", r ? "," : "");
    for (uint32_t k = begin; k < rows->end.data[r]; k++) forms_add(f, " %d", rows->ids.data[k]);
  }
  forms_add(f, " ");
}

static inline void forms_mesh(Forms *f) {
  static const char *const names[SOFA_N_ELEMENT_KINDS] = {
      [SOFA_ELEMENT_EDGE] = "edges",      [SOFA_ELEMENT_TRIANGLE] = "triangles",
      [SOFA_ELEMENT_QUAD] = "quads",      [SOFA_ELEMENT_TETRA] = "tetras",
      [SOFA_ELEMENT_HEXA] = "hexas",      [SOFA_ELEMENT_PRISM] = "prisms",
      [SOFA_ELEMENT_PYRAMID] = "pyramids"};
  const SofaMesh *m = &f->data.mesh;
  if (m->position.n) forms_reals(f, "points", m->position.data[0].v, 3 * m->position.n);
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements e = sofa_mesh_elements(m, (SofaElementKind)kind);
    const SofaMeshGroups *groups = &f->data.groups[kind];
    if (e.n) forms_ints(f, names[kind], (const int *)e.v, e.n * e.width);
    for (size_t g = 0; g < groups->n; g++)
      forms_add(f, "[%s/%s %u+%u] ", groups->data[g].name, groups->data[g].material,
                groups->data[g].first, groups->data[g].n);
  }
  if (f->data.normals.n)
    forms_reals(f, "normals", f->data.normals.data[0].v, 3 * f->data.normals.n);
  if (f->data.mid_edges.n)
    forms_ints(f, "middles", (const int *)f->data.mid_edges.data, 4 * f->data.mid_edges.n);
  for (int list = 0; list < SOFA_N_QUADRATIC_LISTS; list++)
    forms_ints(f, "quadratic", (const int *)f->data.quadratic[list].data,
               f->data.quadratic[list].n);
}

static inline void forms_extras(Forms *f) {
  forms_rows(f, "corners", &f->obj.faces);
  if (f->obj.point_texcoords.n)
    forms_reals(f, "uv", f->obj.point_texcoords.data[0].v, 2 * f->obj.point_texcoords.n);
  forms_ints(f, "of", f->obj.point_position.data, f->obj.point_position.n);
  forms_ints(f, "normal", f->obj.point_normal.data, f->obj.point_normal.n);
  for (size_t i = 0; i < f->obj.libraries.n; i++) forms_add(f, "'%s' ", f->obj.libraries.data[i]);
  forms_rows(f, "lines", &f->extras.polylines);
  for (size_t i = 0; i < f->extras.arrays.n; i++) {
    const SofaVtkArray *a = &f->extras.arrays.data[i];
    forms_add(f, "%s %s %u%s", a->cells ? "cells" : "values", a->name, a->width,
              a->whole ? " whole" : "");
    forms_reals(f, "", a->values.data, a->values.n);
  }
  forms_ints(f, "neighbors", f->trian.neighbors.data, f->trian.neighbors.n);
  forms_rows(f, "border", &f->trian.border);
  forms_ints(f, "on", (const int *)f->trian.on_border.data, f->trian.on_border.n);
  forms_reals(f, "masses", f->xsp.masses.data, f->xsp.masses.n);
  forms_reals(f, "k", f->xsp.stiffness.data, f->xsp.stiffness.n);
  forms_reals(f, "d", f->xsp.damping.data, f->xsp.damping.n);
  forms_reals(f, "length", f->xsp.rest_length.data, f->xsp.rest_length.n);
  if (f->xsp.rest_vector.n)
    forms_reals(f, "vector", f->xsp.rest_vector.data[0].v, 3 * f->xsp.rest_vector.n);
  forms_reals(f, "radii", f->radii.data, f->radii.n);
}

/* The parts that are used, and the shininess. */
static inline void forms_materials(Forms *f) {
  static const char names[] = "das";
  for (size_t i = 0; i < f->materials.n; i++) {
    const SofaMaterial *m = &f->materials.data[i];
    forms_add(f, "%s: ", m->name);
    for (int k = 0; k < 3; k++) {
      if (!m->use[k]) continue;
      forms_add(f, "%c", names[k]);
      forms_reals(f, "", m->color[k], 4);
    }
    if (m->use[4]) forms_add(f, "n ");
    forms_add(f, "%g ", m->shininess);
  }
}

static inline SofaErr forms_call(Forms *f, Form form, const SofaFileBytes *file) {
  const SofaObjOptions obj = {.faces = f->faces, .handle_seams = form == SEAMS};
  const SofaStlOptions stl = {.faces = f->faces, .header_size = 80};
  switch (form) {
  case GMSH:
    return sofa_gmsh_read(f->ctx, file, &f->data);
  case OBJ:
  case SEAMS:
    return sofa_obj_read(f->ctx, file, &obj, &f->data, &f->obj);
  case VTK:
    return sofa_vtk_read(f->ctx, file, &f->faces, &f->data, &f->extras);
  case STL:
    return sofa_stl_read(f->ctx, file, &stl, &f->data);
  case OFF:
    return sofa_off_read(f->ctx, file, &f->faces, &f->data);
  case TRIAN:
  case TRIAN2:
    return sofa_trian_read(f->ctx, file, form == TRIAN2, &f->faces, &f->data, &f->trian);
  case XSP:
    return sofa_xsp_read(f->ctx, file, &f->data, &f->xsp);
  case GID:
    return sofa_gid_read(f->ctx, file, &f->data);
  case SPHERES:
    return sofa_spheres_read(f->ctx, file, &f->data.mesh.position, &f->radii);
  default:
    return sofa_mtl_read(f->ctx, file, &f->materials);
  }
}

/* Reads the bytes; f->dump has what was read or what is wrong. */
static inline SofaErr forms_read(Forms *f, Form form, const char *bytes, size_t size) {
  const SofaOrigin origin = {.file = "file"};
  forms_clear(f);
  // the fence is at a multiple of 8
  const size_t room = fence_rounded(size + 1);
  char *block = fence_allocate(&f->fences, NULL, room), *copy = block + room - size;
  memcpy(copy, bytes, size);
  const SofaErr err = forms_call(f, form, &(SofaFileBytes){&origin, copy, size});
  fence_allocate(&f->fences, block, 0);
  assert_int_equal(f->n_errors, err != SOFA_OK);
  if (err == SOFA_OK) {
    forms_mesh(f);
    forms_extras(f);
    forms_materials(f);
  } else {
    assert_null(f->data.mesh.position.data);
  }
  while (f->n && f->dump[f->n - 1] == ' ') f->dump[--f->n] = '\0';
  return err;
}

static inline void forms_give(Forms *f, Form form, const char *text, const char *expected) {
  (void)forms_read(f, form, text, strlen(text));
  if (strcmp(f->dump, expected) != 0)
    fail_msg("%.300s\ngives\n%s\nexpected\n%s", text, f->dump, expected);
}

#endif
