/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs of faces: the process whose run has the first point of an edge hears of all faces that have
 * the edge. */
#include "topology/ties.h"

#include "object/process_mail.h"
#include "topology/mesh_slice.h"

const SofaInterface sofa_ties_interface = {.name = "ties",
                                           SOFA_REQUIRES(offsetof(SofaTiesOps, ties))};

/* A side of a face. */
typedef struct Side {
  uint32_t edge[2];
  SofaTiedFace face;
} Side;
SOFA_LIST(Side, Sides);

static int compare(const void *a, const void *b) {
  const Side *p = a, *q = b;
  for (int k = 0; k < 2; k++)
    if (p->edge[k] != q->edge[k]) return p->edge[k] < q->edge[k] ? -1 : 1;
  return (p->face.number > q->face.number) - (p->face.number < q->face.number);
}

static bool same_edge(const Side *p, const Side *q) {
  return p->edge[0] == q->edge[0] && p->edge[1] == q->edge[1];
}

static SofaErr list_sides(SofaContext *ctx, unsigned width, const SofaTiedFaces *faces,
                          Sides *sides) {
  for (size_t i = 0; i < faces->n; i++)
    for (unsigned k = 0; k < width; k++) {
      const SofaTiedFace *face = &faces->data[i];
      const uint32_t a = face->v[k], b = face->v[(k + 1) % width];
      const Side side = {{a < b ? a : b, a < b ? b : a}, *face};
      if (face->edges >> k & 1) SOFA_TRY(SOFA_APPEND(ctx, sides, &side));
    }
  return SOFA_OK;
}

/* Sides that arrived, by ascending edges and faces. */
static SofaErr append_pairs(SofaContext *ctx, bool star, Side *sides, size_t n,
                            SofaFacePairs *out) {
  size_t end;
  sofa_sort(sides, n, sizeof *sides, compare);
  for (size_t i = 0; i < n; i = end) {
    for (end = i + 1; end < n && same_edge(&sides[i], &sides[end]);) end++;
    for (size_t k = i + 1; k < end && (star || end == i + 2); k++) {
      const SofaFacePair pair = {{sides[i].edge[0], sides[i].edge[1]},
                                 {sides[i].face, sides[k].face}};
      SOFA_TRY(SOFA_APPEND(ctx, out, &pair));
    }
  }
  return SOFA_OK;
}

SofaErr sofa_pair_faces(SofaContext *ctx, size_t n_whole, unsigned width, bool star,
                        const SofaTiedFaces *faces, SofaFacePairs *out) {
  Sides sides = {0};
  SofaMail mail = {0};
  uint32_t *rank = NULL;
  SofaErr err;
  SOFA_GO(err, done, list_sides(ctx, width, faces, &sides));
  rank = sofa_alloc(ctx, sides.n + 1, sizeof *rank);
  SOFA_GO(err, done, rank ? SOFA_OK : SOFA_ERR_MEMORY);
  for (size_t i = 0; i < sides.n; i++)
    rank[i] = sofa_slice_rank(n_whole, sides.data[i].edge[0], sofa_process_count(ctx));
  SOFA_GO(err, done, sofa_process_mail(ctx, sizeof(Side), sides.n, rank, sides.data, &mail));
  err = append_pairs(ctx, star, mail.records, mail.n, out);
done:
  sofa_mail_free(ctx, &mail);
  sofa_list_free(ctx, &sides);
  sofa_free(ctx, rank);
  return err;
}

static int compare_pairs(const void *a, const void *b) {
  const SofaFacePair *p = a, *q = b;
  for (int k = 0; k < 2; k++)
    if (p->edge[k] != q->edge[k]) return p->edge[k] < q->edge[k] ? -1 : 1;
  return (p->face[1].number > q->face[1].number) - (p->face[1].number < q->face[1].number);
}

SofaErr sofa_pairs_of_part(SofaContext *ctx, SofaFacePairs *pairs) {
  SofaMail mail = {0};
  SofaErr err = SOFA_ERR_MEMORY;
  uint32_t *rank = sofa_alloc(ctx, pairs->n + 1, sizeof *rank);
  if (!rank) return err;
  for (size_t i = 0; i < pairs->n; i++) rank[i] = pairs->data[i].face[0].part;
  SOFA_GO(err, done,
          sofa_process_mail(ctx, sizeof *pairs->data, pairs->n, rank, pairs->data, &mail));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, pairs, mail.n));
  if (mail.n) sofa_copy(pairs->data, mail.records, mail.n * sizeof *pairs->data);
  if (mail.n) sofa_sort(pairs->data, mail.n, sizeof *pairs->data, compare_pairs);
done:
  sofa_mail_free(ctx, &mail);
  sofa_free(ctx, rank);
  return err;
}
