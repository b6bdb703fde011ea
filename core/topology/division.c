/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of one process: its elements and points, and the points that it shares. */
#include "topology/division.h"

#include "base/checksum.h"

void sofa_division_free(SofaContext *ctx, SofaDivision *division) {
  sofa_list_free(ctx, &division->number);
  sofa_list_free(ctx, &division->neighbours);
  sofa_list_free(ctx, &division->start);
  sofa_list_free(ctx, &division->shared);
  sofa_list_free(ctx, &division->border);
  sofa_list_free(ctx, &division->owner);
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++) sofa_list_free(ctx, &division->elements[k]);
  *division = (SofaDivision){0};
}

/* ---- local numbers ---- */

/* Rank of a number among ascending ones. */
static uint32_t find(const uint32_t *numbers, size_t n, uint32_t number) {
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (numbers[middle] < number) low = middle + 1;
    else high = middle;
  }
  return low < n && numbers[low] == number ? (uint32_t)low : SOFA_NO_ELEMENT;
}

uint32_t sofa_division_local(const SofaDivision *division, uint32_t number) {
  const size_t n = division->n_owned;
  const uint32_t own = find(division->number.data, n, number);
  if (own != SOFA_NO_ELEMENT || division->n == n) return own;
  const uint32_t other = find(division->number.data + n, division->n - n, number);
  return other == SOFA_NO_ELEMENT ? other : other + (uint32_t)n;
}

uint32_t sofa_division_local_element(const SofaDivision *division, SofaElementKind kind,
                                     uint32_t number) {
  if (kind == SOFA_ELEMENT_POINT) return sofa_division_local(division, number);
  return find(division->elements[kind].data, division->elements[kind].n, number);
}

/* ---- meshes that can be divided ---- */

bool sofa_mesh_has_volumes(const SofaMesh *mesh) {
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++)
    if (sofa_mesh_elements(mesh, sofa_volume_kinds[v]).n) return true;
  return false;
}

SofaErr sofa_division_check(const SofaObject *object, size_t n_volumes) {
  const int n_processes = sofa_process_count(object->ctx);
  if (n_volumes == 0 || n_volumes >= (size_t)n_processes) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_UNSUPPORTED,
                          "has %zu volume elements: they cannot be divided among %d processes; "
                          "start fewer",
                          n_volumes, n_processes);
}

/* Processes that read different files would divide different meshes. */
SofaErr sofa_mesh_check_same(SofaContext *ctx, const SofaMesh *mesh) {
  uint64_t sums[1 + SOFA_N_ELEMENT_KINDS] = {0};
  bool same = true;
  if (!ctx->processes) return SOFA_OK;
  sums[0] = sofa_checksum(mesh->position.n, mesh->position.data,
                          mesh->position.n * sizeof *mesh->position.data);
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElements list = sofa_mesh_elements(mesh, (SofaElementKind)k);
    sums[k + 1] = sofa_checksum(list.n, list.v, list.n * list.width * sizeof *list.v);
  }
  SOFA_TRY(sofa_process_same(ctx, sizeof sums, sums, &same));
  if (same) return SOFA_OK;
  return sofa_fail(ctx, SOFA_ERR_SCENE, NULL,
                   "the processes have different meshes to divide: they read different files");
}

/* ---- lists of this process ---- */

SofaErr sofa_division_pick(SofaContext *ctx, const SofaDivision *division, SofaElementKind kind,
                           void *list, size_t size) {
  SofaAnyList *any = list;
  const SofaIndices *from =
      kind == SOFA_ELEMENT_POINT ? &division->number : &division->elements[kind];
  if (!any->n) return SOFA_OK;
  char *own = sofa_alloc(ctx, from->n + 1, size);
  if (!own) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < from->n; i++)
    sofa_copy(own + i * size, (const char *)any->data + from->data[i] * size, size);
  sofa_free(ctx, any->data);
  *any = (SofaAnyList){.data = own, .n = from->n, .capacity = from->n + 1};
  return SOFA_OK;
}
