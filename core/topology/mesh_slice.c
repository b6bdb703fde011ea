/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slices of a mesh: values of items that other processes have, centres of elements. */
#include "topology/mesh_slice.h"

#include "object/process_mail.h"

const SofaElementKind sofa_volume_kinds[SOFA_N_VOLUME_KINDS] = {
    SOFA_ELEMENT_TETRA, SOFA_ELEMENT_HEXA, SOFA_ELEMENT_PRISM, SOFA_ELEMENT_PYRAMID};

const SofaQuadraticInfo sofa_quadratic_info[SOFA_N_QUADRATIC_LISTS] = {
    [SOFA_EDGES3] = {3, 2},    [SOFA_TRIANGLES6] = {6, 3},    [SOFA_QUADS8] = {8, 4},
    [SOFA_QUADS9] = {9, 4},    [SOFA_TETRAHEDRA10] = {10, 4}, [SOFA_PYRAMIDS13] = {13, 5},
    [SOFA_PRISMS15] = {15, 6}, [SOFA_HEXAHEDRA20] = {20, 8},  [SOFA_HEXAHEDRA27] = {27, 8}};

void sofa_mesh_slice_free(SofaContext *ctx, SofaMeshSlice *slice) {
  for (int q = 0; q < SOFA_N_QUADRATIC_LISTS; q++) sofa_list_free(ctx, &slice->quadratic[q]);
  sofa_mesh_free(ctx, &slice->mesh);
  *slice = (SofaMeshSlice){0};
}

/* The run of this process of a list. */
static SofaErr take_run(SofaContext *ctx, size_t size, SofaAnyList *list, SofaAnyList *run,
                        size_t *first) {
  const int rank = sofa_process_rank(ctx), n = sofa_process_count(ctx);
  *first = sofa_slice_begin(list->n, rank, n);
  SOFA_TRY(sofa_list_resize(ctx, run, size, sofa_slice_begin(list->n, rank + 1, n) - *first));
  if (run->n) sofa_copy(run->data, (const char *)list->data + *first * size, run->n * size);
  sofa_list_free(ctx, list);
  return SOFA_OK;
}

SofaErr sofa_mesh_slice_take(SofaContext *ctx, SofaMesh *mesh, SofaMeshSlice *out) {
  *out = (SofaMeshSlice){.n_whole[SOFA_ELEMENT_POINT] = mesh->position.n};
  SofaErr err =
      take_run(ctx, sizeof(SofaVec3), (SofaAnyList *)(void *)&mesh->position,
               (SofaAnyList *)(void *)&out->mesh.position, &out->first[SOFA_ELEMENT_POINT]);
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS && err == SOFA_OK; k++) {
    const size_t width = sofa_element_kind_info((SofaElementKind)k)->width;
    SofaAnyList *list = sofa_mesh_list(mesh, (SofaElementKind)k);
    out->n_whole[k] = list->n;
    err = take_run(ctx, width * sizeof(uint32_t), list,
                   sofa_mesh_list(&out->mesh, (SofaElementKind)k), &out->first[k]);
  }
  if (err != SOFA_OK) sofa_mesh_slice_free(ctx, out);
  return err;
}

SofaErr sofa_mesh_slice_take_quadratic(SofaContext *ctx, SofaIndices *lists, SofaMeshSlice *out) {
  for (int q = 0; q < SOFA_N_QUADRATIC_LISTS; q++) {
    const size_t width = sofa_quadratic_info[q].width;
    SofaAnyList rows = {lists[q].data, lists[q].n / width, lists[q].capacity / width}, run = {0};
    lists[q] = (SofaIndices){0};
    const SofaErr err =
        take_run(ctx, width * sizeof(uint32_t), &rows, &run, &out->first_quadratic[q]);
    sofa_list_free(ctx, &rows);
    out->quadratic[q] = (SofaIndices){run.data, run.n * width, run.capacity * width};
    SOFA_TRY(err);
  }
  return SOFA_OK;
}

size_t sofa_mesh_slice_n_volumes(const SofaMeshSlice *slice) {
  size_t n = 0;
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++)
    n += sofa_mesh_elements(&slice->mesh, sofa_volume_kinds[v]).n;
  return n;
}

size_t sofa_mesh_slice_n_whole_volumes(const SofaMeshSlice *slice) {
  size_t n = 0;
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++) n += slice->n_whole[sofa_volume_kinds[v]];
  return n;
}

/* ---- values of other processes ---- */

static SofaErr fill_answers(SofaContext *ctx, const SofaMail *asked, const SofaSliceRun *run,
                            void **answers) {
  const size_t first =
      sofa_slice_begin(run->n_whole, sofa_process_rank(ctx), sofa_process_count(ctx));
  const uint32_t *numbers = asked->records;
  *answers = sofa_alloc(ctx, asked->n, run->size);
  if (!*answers) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < asked->n; i++)
    sofa_copy((char *)*answers + run->size * i,
              (const char *)run->values + run->size * (numbers[i] - first), run->size);
  return SOFA_OK;
}

SofaErr sofa_slice_fetch(SofaContext *ctx, const SofaSliceRun *run, size_t n,
                         const uint32_t *numbers, void *out) {
  const int n_processes = sofa_process_count(ctx);
  SofaMail asked = {0};
  void *answers = NULL;
  SofaErr err = SOFA_ERR_MEMORY;
  uint32_t *rank = sofa_alloc(ctx, n, sizeof *rank);
  if (!rank) goto done;
  for (size_t i = 0; i < n; i++) rank[i] = sofa_slice_rank(run->n_whole, numbers[i], n_processes);
  SOFA_GO(err, done, sofa_process_mail(ctx, sizeof *numbers, n, rank, numbers, &asked));
  SOFA_GO(err, done, fill_answers(ctx, &asked, run, &answers));
  err = sofa_process_answer(ctx, &asked, run->size, answers, out);
done:
  sofa_mail_free(ctx, &asked);
  sofa_free(ctx, answers);
  sofa_free(ctx, rank);
  return err;
}

static int compare_numbers(const void *a, const void *b) {
  const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

/* The distinct ones of the numbers outside of the run, ascending. */
static SofaErr list_others(SofaContext *ctx, const SofaSliceValues *run, size_t n,
                           const uint32_t *numbers, SofaIndices *out) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (numbers[i] - run->first >= run->n)
      SOFA_TRY(sofa_list_append(ctx, out, sizeof *numbers, &numbers[i]));
  sofa_sort(out->data, out->n, sizeof *out->data, compare_numbers);
  for (size_t i = 0; i < out->n; i++)
    if (!i || out->data[i] != out->data[i - 1]) out->data[kept++] = out->data[i];
  out->n = kept;
  return sofa_list_trim(ctx, out, sizeof *out->data);
}

SofaErr sofa_slice_values(SofaContext *ctx, const SofaSliceRun *run, size_t n,
                          const uint32_t *numbers, SofaSliceValues *out) {
  const int rank = sofa_process_rank(ctx), n_processes = sofa_process_count(ctx);
  const size_t first = sofa_slice_begin(run->n_whole, rank, n_processes);
  const size_t end = sofa_slice_begin(run->n_whole, rank + 1, n_processes);
  *out = (SofaSliceValues){.size = run->size, .first = first, .n = end - first, .own = run->values};
  SofaErr err = list_others(ctx, out, n, numbers, &out->others);
  if (err == SOFA_OK) {
    out->of_others = sofa_alloc(ctx, out->others.n, run->size);
    err = out->of_others ? SOFA_OK : SOFA_ERR_MEMORY;
  }
  if (err == SOFA_OK)
    err = sofa_slice_fetch(ctx, run, out->others.n, out->others.data, out->of_others);
  if (err != SOFA_OK) sofa_slice_values_free(ctx, out);
  return err;
}

void sofa_slice_values_free(SofaContext *ctx, SofaSliceValues *values) {
  sofa_list_free(ctx, &values->others);
  sofa_free(ctx, values->of_others);
  *values = (SofaSliceValues){0};
}

const void *sofa_slice_value(const SofaSliceValues *values, uint32_t number) {
  if (number - values->first < values->n)
    return (const char *)values->own + values->size * (number - values->first);
  const uint32_t *at =
      sofa_search(&number, values->others.data, values->others.n, sizeof number, compare_numbers);
  return (const char *)values->of_others + values->size * (size_t)(at - values->others.data);
}

/* ---- centres ---- */

/* Points of all volume elements of the slice, one kind behind the other. */
static SofaErr list_points(SofaContext *ctx, const SofaMeshSlice *slice, SofaIndices *out) {
  size_t n = 0;
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++) {
    const SofaElements list = sofa_mesh_elements(&slice->mesh, sofa_volume_kinds[v]);
    SOFA_TRY(SOFA_RESIZE(ctx, out, n + list.n * list.width));
    sofa_copy(out->data + n, list.v, list.n * list.width * sizeof *list.v);
    n += list.n * list.width;
  }
  return SOFA_OK;
}

static void add_points(const SofaElements *list, const SofaSliceValues *points, double *c) {
  for (size_t e = 0; e < list->n; e++, c += 3)
    for (unsigned i = 0; i < list->width; i++) {
      const SofaVec3 *p = sofa_slice_value(points, list->v[e * list->width + i]);
      for (int k = 0; k < 3; k++) c[k] += p->v[k] / list->width;
    }
}

SofaErr sofa_mesh_slice_centres(SofaContext *ctx, const SofaMeshSlice *slice, SofaVec3s *centres) {
  SofaIndices numbers = {0};
  SofaSliceValues points = {0};
  SofaErr err;
  size_t at = 0;
  SOFA_GO(err, done, list_points(ctx, slice, &numbers));
  SOFA_GO(err, done,
          sofa_slice_values(ctx,
                            &(SofaSliceRun){slice->n_whole[SOFA_ELEMENT_POINT], sizeof(SofaVec3),
                                            slice->mesh.position.data},
                            numbers.n, numbers.data, &points));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, centres, sofa_mesh_slice_n_volumes(slice)));
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++) {
    const SofaElements list = sofa_mesh_elements(&slice->mesh, sofa_volume_kinds[v]);
    if (list.n) add_points(&list, &points, centres->data[at].v);
    at += list.n;
  }
done:
  sofa_list_free(ctx, &numbers);
  sofa_slice_values_free(ctx, &points);
  return err;
}
