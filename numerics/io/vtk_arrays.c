/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of values that a VTK file gives its points and cells. */
#include <limits.h>
#include <math.h>

#include "numerics/io/vtk_build_impl.h"

static void free_array(SofaContext *ctx, SofaVtkArray *array) {
  sofa_free(ctx, array->name);
  sofa_list_free(ctx, &array->values);
}

void sofa_vtk_extras_free(SofaContext *ctx, SofaVtkExtras *extras) {
  for (size_t i = 0; i < extras->arrays.n; i++) free_array(ctx, &extras->arrays.data[i]);
  sofa_list_free(ctx, &extras->arrays);
  sofa_list_free(ctx, &extras->polylines.ids);
  sofa_list_free(ctx, &extras->polylines.end);
}

static SofaVtkArray *find(SofaVtkBuild *b, const char *name, size_t length, bool cells) {
  for (size_t i = 0; i < b->extras->arrays.n; i++) {
    SofaVtkArray *array = &b->extras->arrays.data[i];
    if (array->cells == cells && strlen(array->name) == length &&
        sofa_compare(array->name, name, length) == 0)
      return array;
  }
  return NULL;
}

SofaErr sofa_vtk_array(SofaVtkBuild *b, const SofaVtkArrayHead *head, SofaReals **values) {
  SofaContext *ctx = b->text.ctx;
  const SofaVtkType *type = head->type;
  *values = NULL;
  if (!b->extras || !head->length) return SOFA_OK;
  SofaVtkArray *array = find(b, head->name, head->length, head->cells);
  if (array && array->width != head->width)
    return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE,
                          "array '%s' has %zu components here and %u before", array->name,
                          head->width, array->width);
  if (!array) {
    const SofaVtkArray empty = {.cells = head->cells, .width = (unsigned)head->width};
    SOFA_TRY(SOFA_APPEND(ctx, &b->extras->arrays, &empty));
    array = &b->extras->arrays.data[b->extras->arrays.n - 1];
    array->whole = !type->real && (type->size < 4 || (type->size == 4 && type->is_signed));
    array->name = sofa_strndup(ctx, head->name, head->length);
    if (!array->name) return SOFA_ERR_MEMORY;
  }
  *values = &array->values;
  return SOFA_OK;
}

/* Those of points before those of cells, each in the order of the file. */
void sofa_vtk_sort_arrays(SofaVtkArrays *arrays) {
  for (size_t i = 1; i < arrays->n; i++) {
    const SofaVtkArray array = arrays->data[i];
    size_t k = i;
    for (; k > 0 && !array.cells && arrays->data[k - 1].cells; k--)
      arrays->data[k] = arrays->data[k - 1];
    arrays->data[k] = array;
  }
}

void sofa_vtk_check_arrays(SofaVtkBuild *b) {
  size_t kept = 0;
  if (!b->extras) return;
  SofaVtkArrays *arrays = &b->extras->arrays;
  for (size_t i = 0; i < arrays->n; i++) {
    SofaVtkArray *array = &arrays->data[i];
    const size_t n = array->cells ? b->n_cells : b->out->mesh.position.n;
    if (array->values.n == n * array->width) {
      // what the file calls integers need not be any
      for (size_t k = 0; k < array->values.n && array->whole; k++) {
        const double v = array->values.data[k];
        array->whole = v >= INT_MIN && v <= INT_MAX && v == floor(v);
      }
      arrays->data[kept++] = *array;
      continue;
    }
    sofa_mesh_warn(&b->text, "array '%s' is left out: it has %zu values for %zu %s", array->name,
                   array->values.n / array->width, n, array->cells ? "cells" : "points");
    free_array(b->text.ctx, array);
  }
  arrays->n = kept;
  sofa_vtk_sort_arrays(arrays);
}

SofaErr sofa_vtk_use_normals(SofaVtkBuild *b, const char *name, size_t length) {
  const SofaVtkArray *array = b->extras ? find(b, name, length, false) : NULL;
  SofaVec3s *normals = &b->out->normals;
  if (!array || array->width != 3 || array->values.n % 3) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(b->text.ctx, normals, array->values.n / 3));
  sofa_copy(normals->data, array->values.data, array->values.n * sizeof(double));
  return SOFA_OK;
}
