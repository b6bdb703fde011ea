/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements with a common face. A face goes to the process whose slice has its smallest point; this
 * one finds the faces that are equal, and answers with the elements on their other sides. */
#include "topology/dual_graph.h"

#include "object/process_mail.h"

enum { MOST_CORNERS = 4, MOST_FACES = 6 };

/* Vertices of the faces of each kind, in the order of sofa_volume_kinds; quads have four. */
static const struct {
  uint8_t n, width[MOST_FACES], corner[MOST_FACES][MOST_CORNERS];
} shapes[SOFA_N_VOLUME_KINDS] = {
    {4, {3, 3, 3, 3}, {{1, 2, 3}, {0, 3, 2}, {1, 3, 0}, {0, 2, 1}}},
    {6,
     {4, 4, 4, 4, 4, 4},
     {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
    {5, {3, 3, 4, 4, 4}, {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    {5, {4, 3, 3, 3, 3}, {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}},
};

typedef struct Face {
  uint32_t corner[MOST_CORNERS]; /* ascending; SOFA_NO_ELEMENT behind those of a triangle */
  uint32_t element;              /* vertex of the graph */
  uint32_t at;                   /* place among those that arrived */
} Face;
SOFA_LIST(Face, Faces);

/* Elements on the other sides of a face; SOFA_NO_ELEMENT: none. */
typedef struct Sides {
  uint32_t element[2];
} Sides;

typedef struct Work {
  SofaContext *ctx;
  const SofaMeshSlice *slice;
  SofaDualGraph *graph;
  Faces faces;       /* of the elements of the slice, in their order */
  SofaIndices ranks; /* to which each goes */
  Sides *sides;      /* of each */
} Work;

void sofa_dual_graph_free(SofaContext *ctx, SofaDualGraph *graph) {
  sofa_free(ctx, graph->begin);
  sofa_list_free(ctx, &graph->start);
  sofa_list_free(ctx, &graph->to);
  *graph = (SofaDualGraph){0};
}

/* ---- faces ---- */

static void sort_corners(uint32_t *v) {
  for (int i = 1; i < MOST_CORNERS; i++)
    for (int j = i; j > 0 && v[j] < v[j - 1]; j--) {
      const uint32_t other = v[j];
      v[j] = v[j - 1];
      v[j - 1] = other;
    }
}

static size_t count_faces(const SofaMeshSlice *slice) {
  size_t n = 0;
  for (int k = 0; k < SOFA_N_VOLUME_KINDS; k++)
    n += shapes[k].n * sofa_mesh_elements(&slice->mesh, sofa_volume_kinds[k]).n;
  return n;
}

static Face make_face(const uint32_t *v, int kind, int face, uint32_t element) {
  Face out = {.element = element};
  for (int c = 0; c < MOST_CORNERS; c++)
    out.corner[c] =
        c < shapes[kind].width[face] ? v[shapes[kind].corner[face][c]] : SOFA_NO_ELEMENT;
  sort_corners(out.corner);
  return out;
}

static SofaErr list_faces(Work *w) {
  const size_t n = count_faces(w->slice);
  const int n_processes = sofa_process_count(w->ctx);
  uint32_t element = (uint32_t)w->graph->begin[sofa_process_rank(w->ctx)];
  SOFA_TRY(SOFA_RESIZE(w->ctx, &w->faces, n));
  SOFA_TRY(SOFA_RESIZE(w->ctx, &w->ranks, n));
  Face *face = w->faces.data;
  for (int k = 0; k < SOFA_N_VOLUME_KINDS; k++) {
    const SofaElements list = sofa_mesh_elements(&w->slice->mesh, sofa_volume_kinds[k]);
    for (size_t e = 0; e < list.n; e++, element++)
      for (int f = 0; f < shapes[k].n; f++)
        *face++ = make_face(list.v + e * list.width, k, f, element);
  }
  for (size_t i = 0; i < n; i++)
    w->ranks.data[i] = sofa_slice_rank(w->slice->n_whole[SOFA_ELEMENT_POINT],
                                       w->faces.data[i].corner[0], n_processes);
  return SOFA_OK;
}

/* ---- equal faces ---- */

static int compare_corners(const Face *a, const Face *b) {
  for (int c = 0; c < MOST_CORNERS; c++)
    if (a->corner[c] != b->corner[c]) return a->corner[c] < b->corner[c] ? -1 : 1;
  return 0;
}

static int by_corners(const void *a, const void *b) {
  const Face *p = a, *q = b;
  const int corners = compare_corners(p, q);
  return corners ? corners : (p->at > q->at) - (p->at < q->at);
}

/* The faces that arrived are in the order of their elements. */
static void match(Face *faces, size_t n, Sides *sides) {
  for (size_t i = 0; i < n; i++) faces[i].at = (uint32_t)i;
  sofa_sort(faces, n, sizeof *faces, by_corners);
  for (size_t i = 0; i < n; i++) {
    Sides *s = &sides[faces[i].at];
    const bool before = i > 0 && compare_corners(&faces[i], &faces[i - 1]) == 0;
    const bool after = i + 1 < n && compare_corners(&faces[i], &faces[i + 1]) == 0;
    s->element[0] = before ? faces[i - 1].element : SOFA_NO_ELEMENT;
    s->element[1] = after ? faces[i + 1].element : SOFA_NO_ELEMENT;
  }
}

static SofaErr find_sides(Work *w) {
  SofaMail mail = {0};
  Sides *answers = NULL;
  const size_t n = w->faces.n;
  SofaErr err;
  SOFA_GO(err, done,
          sofa_process_mail(w->ctx, sizeof(Face), n, w->ranks.data, w->faces.data, &mail));
  sofa_list_free(w->ctx, &w->faces);
  err = SOFA_ERR_MEMORY;
  answers = sofa_alloc(w->ctx, mail.n, sizeof *answers);
  w->sides = sofa_alloc(w->ctx, n, sizeof *w->sides);
  if (!answers || !w->sides) goto done;
  match(mail.records, mail.n, answers);
  err = sofa_process_answer(w->ctx, &mail, sizeof *answers, answers, w->sides);
done:
  sofa_mail_free(w->ctx, &mail);
  sofa_free(w->ctx, answers);
  return err;
}

/* ---- the graph ---- */

/* Ascending, each once, without the element itself; returns how many. */
static uint32_t tidy(uint32_t *to, uint32_t n, uint32_t element) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t other = to[i];
    uint32_t k = kept;
    while (k > 0 && to[k - 1] > other) k--;
    if (other == element || (k > 0 && to[k - 1] == other)) continue;
    for (uint32_t m = kept++; m > k; m--) to[m] = to[m - 1];
    to[k] = other;
  }
  return kept;
}

static void list_neighbours(Work *w) {
  SofaDualGraph *g = w->graph;
  const Sides *side = w->sides;
  const uint32_t first = (uint32_t)g->begin[sofa_process_rank(w->ctx)];
  uint32_t n = 0, i = 0;
  for (int k = 0; k < SOFA_N_VOLUME_KINDS; k++) {
    const size_t n_elements = sofa_mesh_elements(&w->slice->mesh, sofa_volume_kinds[k]).n;
    for (size_t e = 0; e < n_elements; e++, i++) {
      uint32_t here = 0;
      for (int f = 0; f < shapes[k].n; f++, side++)
        for (int s = 0; s < 2; s++)
          if (side->element[s] != SOFA_NO_ELEMENT) g->to.data[n + here++] = side->element[s];
      g->start.data[i] = n;
      n += tidy(g->to.data + n, here, first + i);
    }
  }
  g->start.data[i] = n;
  g->to.n = n;
}

static SofaErr make(Work *w) {
  SofaDualGraph *g = w->graph;
  const size_t n_processes = (size_t)sofa_process_count(w->ctx);
  size_t n_to = 0;
  g->n = sofa_mesh_slice_n_volumes(w->slice);
  g->begin = sofa_alloc(w->ctx, n_processes + 1, sizeof *g->begin);
  if (!g->begin) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_process_collect(w->ctx, sizeof g->n, &g->n, g->begin + 1));
  for (size_t r = 0; r < n_processes; r++) g->begin[r + 1] += g->begin[r];
  const size_t n_faces = count_faces(w->slice);
  if (g->begin[n_processes] >= SOFA_NO_ELEMENT || 2 * n_faces >= UINT32_MAX)
    return sofa_fail(w->ctx, SOFA_ERR_RANGE, NULL,
                     "the mesh has %zu volume elements, too many for the graph of them",
                     g->begin[n_processes]);
  SOFA_TRY(list_faces(w));
  SOFA_TRY(find_sides(w));
  for (size_t i = 0; i < n_faces; i++)
    for (int s = 0; s < 2; s++) n_to += w->sides[i].element[s] != SOFA_NO_ELEMENT;
  SOFA_TRY(SOFA_RESIZE(w->ctx, &g->start, g->n + 1));
  SOFA_TRY(SOFA_RESIZE(w->ctx, &g->to, n_to + 1));
  list_neighbours(w);
  return SOFA_OK;
}

SofaErr sofa_dual_graph_make(SofaContext *ctx, const SofaMeshSlice *slice, SofaDualGraph *out) {
  Work w = {.ctx = ctx, .slice = slice, .graph = out};
  *out = (SofaDualGraph){0};
  const SofaErr err = make(&w);
  sofa_list_free(ctx, &w.faces);
  sofa_list_free(ctx, &w.ranks);
  sofa_free(ctx, w.sides);
  if (err != SOFA_OK) sofa_dual_graph_free(ctx, out);
  return err;
}

/* ---- edges between parts ---- */

/* The process that has a vertex. */
static uint32_t rank_of(const SofaDualGraph *g, uint32_t vertex, uint32_t n_processes) {
  uint32_t low = 0, high = n_processes;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (g->begin[middle] <= vertex) low = middle;
    else high = middle;
  }
  return low;
}

/* An edge to a vertex of another process. */
typedef struct Edge {
  uint32_t part, to;
} Edge;
SOFA_LIST(Edge, Edges);

/* Counts the cut edges between vertices of this process; lists the others, and whose they are. */
static SofaErr look_here(SofaContext *ctx, const SofaDualGraph *g, const uint32_t *part,
                         Edges *edges, uint64_t *n_cut) {
  const size_t first = g->begin[sofa_process_rank(ctx)];
  for (size_t i = 0; i < g->n; i++)
    for (uint32_t k = g->start.data[i]; k < g->start.data[i + 1]; k++) {
      const size_t to = g->to.data[k] - first;
      const Edge edge = {part[i], g->to.data[k]};
      if (to < g->n) *n_cut += part[to] != part[i];
      else SOFA_TRY(SOFA_APPEND(ctx, edges, &edge));
    }
  return SOFA_OK;
}

/* Each cut edge is counted at both of its ends. */
SofaErr sofa_dual_graph_cut(SofaContext *ctx, const SofaDualGraph *g, const uint32_t *part,
                            uint64_t *n_cut) {
  Edges edges = {0};
  SofaIndices ranks = {0};
  SofaMail mail = {0};
  SofaErr err;
  const size_t first = g->begin[sofa_process_rank(ctx)];
  *n_cut = 0;
  SOFA_GO(err, done, look_here(ctx, g, part, &edges, n_cut));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &ranks, edges.n));
  for (size_t i = 0; i < edges.n; i++)
    ranks.data[i] = rank_of(g, edges.data[i].to, (uint32_t)sofa_process_count(ctx));
  SOFA_GO(err, done, sofa_process_mail(ctx, sizeof(Edge), edges.n, ranks.data, edges.data, &mail));
  for (size_t i = 0; i < mail.n; i++) {
    const Edge *edge = (const Edge *)mail.records + i;
    *n_cut += part[edge->to - first] != edge->part;
  }
  SOFA_GO(err, done, sofa_process_sum_counts(ctx, 1, n_cut));
  *n_cut /= 2;
done:
  sofa_list_free(ctx, &edges);
  sofa_list_free(ctx, &ranks);
  sofa_mail_free(ctx, &mail);
  return err;
}
