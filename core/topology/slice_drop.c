/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points that no element of a mesh in slices has: the process whose run has a point hears of those
 * that elements name. */
#include "topology/slice_finish.h"

#include "object/process_mail.h"

/* Points of the run, while some of them are dropped. */
typedef struct Points {
  SofaMeshSlice *slice;
  size_t n;          /* of the run */
  uint32_t *renamed; /* of each the number among those that stay, else SOFA_NO_ELEMENT */
  size_t n_whole;    /* that stay, on all processes */
} Points;

static int by_number(const void *a, const void *b) {
  const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

/* The distinct points of the elements of a kind. */
static SofaErr list_corners(SofaContext *ctx, const SofaElements *list, SofaIndices *out) {
  const size_t n = list->n * list->width;
  size_t kept = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, out, n));
  if (n) sofa_copy(out->data, list->v, n * sizeof *list->v);
  sofa_sort(out->data, n, sizeof *out->data, by_number);
  for (size_t i = 0; i < n; i++)
    if (!i || out->data[i] != out->data[i - 1]) out->data[kept++] = out->data[i];
  out->n = kept;
  return SOFA_OK;
}

/* Tells the homes of the points: what is named gets the number 0. */
static SofaErr mark(SofaContext *ctx, Points *p, const SofaIndices *named) {
  const size_t n_whole = p->slice->n_whole[SOFA_ELEMENT_POINT];
  const uint32_t first = (uint32_t)p->slice->first[SOFA_ELEMENT_POINT];
  SofaMail mail = {0};
  SofaErr err = SOFA_ERR_MEMORY;
  uint32_t *rank = sofa_alloc(ctx, named->n, sizeof *rank);
  if (!rank) return err;
  for (size_t i = 0; i < named->n; i++)
    rank[i] = sofa_slice_rank(n_whole, named->data[i], sofa_process_count(ctx));
  err = sofa_process_mail(ctx, sizeof *named->data, named->n, rank, named->data, &mail);
  for (size_t i = 0; i < mail.n && err == SOFA_OK; i++)
    p->renamed[((const uint32_t *)mail.records)[i] - first] = 0;
  sofa_mail_free(ctx, &mail);
  sofa_free(ctx, rank);
  return err;
}

static SofaErr mark_all(SofaContext *ctx, Points *p) {
  SofaIndices named = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < p->n; i++) p->renamed[i] = SOFA_NO_ELEMENT;
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS && err == SOFA_OK; k++) {
    const SofaElements list = sofa_mesh_elements(&p->slice->mesh, (SofaElementKind)k);
    err = list_corners(ctx, &list, &named);
    if (err == SOFA_OK) err = mark(ctx, p, &named);
  }
  sofa_list_free(ctx, &named);
  return err;
}

/* Those that stay are numbered as they come, on process after process. */
static SofaErr number(SofaContext *ctx, Points *p) {
  const int n = sofa_process_count(ctx);
  const SofaScratchMark scratch = sofa_scratch_mark(ctx);
  uint64_t *kept = SOFA_SCRATCH(ctx, uint64_t, (size_t)n), mine = 0, next = 0;
  for (size_t i = 0; i < p->n; i++) mine += p->renamed[i] != SOFA_NO_ELEMENT;
  SofaErr err = kept ? sofa_process_collect(ctx, sizeof mine, &mine, kept) : SOFA_ERR_MEMORY;
  p->n_whole = 0;
  for (int r = 0; r < n && err == SOFA_OK; r++) {
    if (r < sofa_process_rank(ctx)) next += kept[r];
    p->n_whole += (size_t)kept[r];
  }
  for (size_t i = 0; i < p->n && err == SOFA_OK; i++)
    if (p->renamed[i] != SOFA_NO_ELEMENT) p->renamed[i] = (uint32_t)next++;
  sofa_scratch_release(ctx, scratch);
  return err;
}

/* Elements name the points by their new numbers. */
static SofaErr rename_corners(SofaContext *ctx, const Points *p, SofaElementKind kind) {
  const SofaElements list = sofa_mesh_elements(&p->slice->mesh, kind);
  const SofaSliceRun run = {p->slice->n_whole[SOFA_ELEMENT_POINT], sizeof *p->renamed, p->renamed};
  uint32_t *v = (uint32_t *)(uintptr_t)list.v;
  const size_t n = list.n * list.width;
  SofaSliceValues values = {0};
  SOFA_TRY(sofa_slice_values(ctx, &run, n, v, &values));
  for (size_t i = 0; i < n; i++) v[i] = *(const uint32_t *)sofa_slice_value(&values, v[i]);
  sofa_slice_values_free(ctx, &values);
  return SOFA_OK;
}

/* Entries of `size` bytes per point of the run: those that stay go to the processes whose runs they
 * are now, in their order. */
static SofaErr pass(SofaContext *ctx, const Points *p, size_t size, void *list) {
  SofaAnyList *own = list;
  SofaMail mail = {0};
  SofaErr err = SOFA_ERR_MEMORY;
  size_t n = 0;
  uint32_t *rank = sofa_alloc(ctx, p->n, sizeof *rank);
  if (!rank) return err;
  for (size_t i = 0; i < p->n; i++) {
    if (p->renamed[i] == SOFA_NO_ELEMENT) continue;
    rank[n] = sofa_slice_rank(p->n_whole, p->renamed[i], sofa_process_count(ctx));
    sofa_move((char *)own->data + size * n++, (const char *)own->data + size * i, size);
  }
  SOFA_GO(err, done, sofa_process_mail(ctx, size, n, rank, own->data, &mail));
  SOFA_GO(err, done, sofa_list_resize(ctx, own, size, mail.n));
  if (mail.n) sofa_copy(own->data, mail.records, mail.n * size);
done:
  sofa_mail_free(ctx, &mail);
  sofa_free(ctx, rank);
  return err;
}

static SofaErr pass_points(SofaContext *ctx, Points *p, SofaIndices *kept) {
  SofaMeshSlice *slice = p->slice;
  SOFA_TRY(SOFA_RESIZE(ctx, kept, p->n));
  for (size_t i = 0; i < p->n; i++)
    kept->data[i] = (uint32_t)(slice->first[SOFA_ELEMENT_POINT] + i);
  SOFA_TRY(pass(ctx, p, sizeof *kept->data, kept));
  SOFA_TRY(pass(ctx, p, sizeof *slice->mesh.position.data, &slice->mesh.position));
  slice->n_whole[SOFA_ELEMENT_POINT] = p->n_whole;
  slice->first[SOFA_ELEMENT_POINT] =
      sofa_slice_begin(p->n_whole, sofa_process_rank(ctx), sofa_process_count(ctx));
  return SOFA_OK;
}

SofaErr sofa_mesh_slice_drop_unused(SofaContext *ctx, SofaMeshSlice *slice, SofaIndices *kept) {
  Points p = {.slice = slice, .n = slice->mesh.position.n};
  SofaErr err = SOFA_ERR_MEMORY;
  p.renamed = sofa_alloc(ctx, p.n, sizeof *p.renamed);
  if (!p.renamed) return err;
  SOFA_GO(err, done, mark_all(ctx, &p));
  SOFA_GO(err, done, number(ctx, &p));
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++)
    SOFA_GO(err, done, rename_corners(ctx, &p, (SofaElementKind)k));
  err = pass_points(ctx, &p, kept);
done:
  sofa_free(ctx, p.renamed);
  return err;
}
