/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of one process of a mesh that nobody has whole. The process whose run has a point is its
 * home: it gets all volume elements around it, finds the parts of the elements of lower dimension
 * that begin there and the parts that have the point, and tells them. */
#include "topology/division.h"
#include "topology/letters_impl.h"
#include "topology/ties.h"

/* The others: edges, triangles, quads, the lists of second order, then pairs of tied points. */
enum {
  N_FIRST_ORDER = 3,
  TIES = N_FIRST_ORDER + SOFA_N_QUADRATIC_LISTS,
  N_OTHERS = TIES + 1,
  MOST_WORDS = 9
};
static const SofaElementKind first_order[N_FIRST_ORDER] = {SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TRIANGLE,
                                                           SOFA_ELEMENT_QUAD};

typedef struct Work {
  SofaContext *ctx;
  SofaMeshSlice *slice;
  const uint32_t *part; /* of the volume elements of the slice */
  int rank, n_parts;
  size_t n_whole, first, n_home;        /* points; those whose home is here */
  SofaMail around[SOFA_N_VOLUME_KINDS]; /* part and points of the volume elements around them */
  SofaAround of_point;                  /* by their rank among those of all kinds */
  SofaMail others[N_OTHERS]; /* number and points of those whose first point is at home */
  uint32_t *part_of_other[N_OTHERS];
  SofaMail extra;           /* points and parts that no volume element gives */
  SofaIndices start, parts; /* of each point at home, ascending */
} Work;

static void work_free(Work *w) {
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++) sofa_mail_free(w->ctx, &w->around[v]);
  for (int o = 0; o < N_OTHERS; o++) sofa_mail_free(w->ctx, &w->others[o]);
  for (int o = 0; o < N_OTHERS; o++) sofa_free(w->ctx, w->part_of_other[o]);
  sofa_around_free(w->ctx, &w->of_point);
  sofa_mail_free(w->ctx, &w->extra);
  sofa_list_free(w->ctx, &w->start);
  sofa_list_free(w->ctx, &w->parts);
}

static unsigned width_of(SofaElementKind kind) {
  return sofa_element_kind_info(kind)->width;
}

/* Nodes of an element of the others; the first ones are its corners. */
static SofaQuadraticInfo other_info(int o) {
  if (o == TIES) return (SofaQuadraticInfo){2, 2};
  if (o >= N_FIRST_ORDER) return sofa_quadratic_info[o - N_FIRST_ORDER];
  const unsigned width = width_of(first_order[o]);
  return (SofaQuadraticInfo){width, width};
}

static uint32_t home_of(const Work *w, uint32_t point) {
  return sofa_slice_rank(w->n_whole, point, w->n_parts);
}

/* ---- volume elements around the points at home ---- */

/* The element goes once to each home of its points. */
static SofaErr send_volume(const Work *w, const uint32_t *v, uint32_t part, SofaLetters *letters) {
  const unsigned width = letters->width - 1;
  uint32_t homes[MOST_WORDS], *words;
  for (unsigned k = 0; k < width; k++) {
    unsigned before = 0;
    homes[k] = home_of(w, v[k]);
    while (homes[before] != homes[k]) before++;
    if (before < k) continue;
    SOFA_TRY(sofa_letters_add(w->ctx, letters, homes[k], &words));
    words[0] = part;
    sofa_copy(words + 1, v, width * sizeof *v);
  }
  return SOFA_OK;
}

static SofaErr send_volumes(Work *w) {
  size_t at = 0;
  for (int k = 0; k < SOFA_N_VOLUME_KINDS; k++) {
    const SofaElements list = sofa_mesh_elements(&w->slice->mesh, sofa_volume_kinds[k]);
    SofaLetters letters = {.width = width_of(sofa_volume_kinds[k]) + 1};
    SofaErr err = SOFA_OK;
    for (size_t e = 0; e < list.n && err == SOFA_OK; e++)
      err = send_volume(w, list.v + e * list.width, w->part[at + e], &letters);
    at += list.n;
    if (err == SOFA_OK) err = sofa_letters_send(w->ctx, &letters, &w->around[k]);
    sofa_letters_free(w->ctx, &letters);
    if (err != SOFA_OK) return err;
  }
  return SOFA_OK;
}

/* Part and points of the volume element of a rank. */
static const uint32_t *volume_at(const Work *w, uint32_t i, unsigned *width) {
  int k = 0;
  while (i >= w->around[k].n) i -= (uint32_t)w->around[k++].n;
  *width = width_of(sofa_volume_kinds[k]);
  return (const uint32_t *)w->around[k].records + (size_t)i * (*width + 1);
}

static SofaErr list_around(Work *w) {
  size_t n = 0, n_volumes = 0;
  unsigned width;
  uint32_t *start = w->of_point.start = sofa_alloc(w->ctx, w->n_home + 2, sizeof *start);
  if (!start) return SOFA_ERR_MEMORY;
  for (int k = 0; k < SOFA_N_VOLUME_KINDS; k++) n_volumes += w->around[k].n;
  for (uint32_t i = 0; i < n_volumes; i++) {
    const uint32_t *v = volume_at(w, i, &width);
    for (unsigned k = 1; k <= width; k++)
      if (v[k] - w->first < w->n_home) start[v[k] - w->first + 2]++, n++;
  }
  w->of_point.n_rows = w->n_home;
  uint32_t *ids = w->of_point.ids = sofa_alloc(w->ctx, n, sizeof *ids);
  if (!ids) return SOFA_ERR_MEMORY;
  for (size_t i = 2; i < w->n_home + 2; i++) start[i] += start[i - 1];
  for (uint32_t i = 0; i < n_volumes; i++) {
    const uint32_t *v = volume_at(w, i, &width);
    for (unsigned k = 1; k <= width; k++)
      if (v[k] - w->first < w->n_home) ids[start[v[k] - w->first + 1]++] = i;
  }
  return SOFA_OK;
}

static bool has_point(const uint32_t *v, unsigned width, uint32_t point) {
  for (unsigned k = 0; k < width; k++)
    if (v[k] == point) return true;
  return false;
}

/* The volume elements around a point at home that have all points: part of the next one from *i on.
 */
static bool next_with(const Work *w, const uint32_t *points, unsigned n, size_t *i,
                      uint32_t *part) {
  const uint32_t *ids = NULL;
  const size_t n_ids = sofa_around_row(&w->of_point, points[0] - w->first, &ids);
  while (*i < n_ids) {
    unsigned width, k = 1;
    const uint32_t *v = volume_at(w, ids[(*i)++], &width);
    while (k < n && has_point(v + 1, width, points[k])) k++;
    *part = v[0];
    if (k == n) return true;
  }
  return false;
}

/* ---- parts of edges, triangles and quads, and of elements of second order ---- */

/* The run of this process, and the number of its first element. */
static SofaElements other_run(const Work *w, int o, size_t *first) {
  const int q = o - N_FIRST_ORDER;
  if (q < 0) {
    *first = w->slice->first[first_order[o]];
    return sofa_mesh_elements(&w->slice->mesh, first_order[o]);
  }
  const SofaIndices *list = &w->slice->quadratic[q];
  const unsigned width = sofa_quadratic_info[q].width;
  *first = w->slice->first_quadratic[q];
  return (SofaElements){list->data, list->n / width, width};
}

static void free_run(Work *w, int o) {
  if (o < N_FIRST_ORDER) sofa_list_free(w->ctx, sofa_mesh_list(&w->slice->mesh, first_order[o]));
  else sofa_list_free(w->ctx, &w->slice->quadratic[o - N_FIRST_ORDER]);
}

/* The run of this process among the ties that the mesh has points for. */
static SofaErr send_ties(Work *w) {
  const SofaTies *ties = w->ctx->processes ? w->ctx->processes->ties : NULL;
  const size_t n = ties ? ties->pairs.n : 0, begin = sofa_slice_begin(n, w->rank, w->n_parts);
  const size_t end = sofa_slice_begin(n, w->rank + 1, w->n_parts);
  SofaLetters letters = {.width = 3};
  SofaErr err = SOFA_OK;
  uint32_t *words;
  for (size_t i = begin; i < end && err == SOFA_OK; i++) {
    const uint32_t *v = ties->pairs.data[i].v;
    if (v[0] >= w->n_whole || v[1] >= w->n_whole) continue;
    err = sofa_letters_add(w->ctx, &letters, home_of(w, v[0]), &words);
    if (err != SOFA_OK) break;
    words[0] = (uint32_t)i;
    sofa_copy(words + 1, v, 2 * sizeof *v);
  }
  if (err == SOFA_OK) err = sofa_letters_send(w->ctx, &letters, &w->others[TIES]);
  sofa_letters_free(w->ctx, &letters);
  return err;
}

static SofaErr send_others(Work *w) {
  for (int o = 0; o < TIES; o++) {
    size_t first;
    const SofaElements list = other_run(w, o, &first);
    SofaLetters letters = {.width = list.width + 1};
    SofaErr err = SOFA_OK;
    uint32_t *words;
    for (size_t e = 0; e < list.n && err == SOFA_OK; e++) {
      const uint32_t *v = list.v + e * list.width;
      err = sofa_letters_add(w->ctx, &letters, home_of(w, v[0]), &words);
      if (err != SOFA_OK) break;
      words[0] = (uint32_t)(first + e);
      sofa_copy(words + 1, v, list.width * sizeof *v);
    }
    free_run(w, o);
    if (err == SOFA_OK) err = sofa_letters_send(w->ctx, &letters, &w->others[o]);
    sofa_letters_free(w->ctx, &letters);
    if (err != SOFA_OK) return err;
  }
  return send_ties(w);
}

static const uint32_t *other_at(const Work *w, int o, size_t i) {
  return (const uint32_t *)w->others[o].records + i * (other_info(o).width + 1);
}

/* Parts of those that a volume element has; the points of the others. */
static SofaErr find_parts(Work *w, SofaIndices *open) {
  for (int o = 0; o < N_OTHERS; o++) {
    const unsigned corners = other_info(o).corners;
    uint32_t *part = w->part_of_other[o] = sofa_alloc(w->ctx, w->others[o].n, sizeof *part);
    if (!part) return SOFA_ERR_MEMORY;
    for (size_t i = 0; i < w->others[o].n; i++) {
      const uint32_t *v = other_at(w, o, i) + 1;
      size_t at = 0;
      if (next_with(w, v, corners, &at, &part[i])) continue;
      part[i] = SOFA_NO_ELEMENT;
      for (unsigned k = 0; k < corners; k++) SOFA_TRY(SOFA_APPEND(w->ctx, open, &v[k]));
    }
  }
  return SOFA_OK;
}

/* Of each point at home: the part of the first volume element around it. */
static SofaErr first_parts(const Work *w, uint32_t **out) {
  unsigned width;
  *out = sofa_alloc(w->ctx, w->n_home, sizeof **out);
  if (!*out) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < w->n_home; i++) {
    const uint32_t *ids = NULL;
    const size_t n = sofa_around_row(&w->of_point, i, &ids);
    (*out)[i] = n ? volume_at(w, ids[0], &width)[0] : SOFA_NO_ELEMENT;
  }
  return SOFA_OK;
}

/* Those without a volume element go to the part of one of their points, which all their points have
 * then, too. So has every node that is no corner the part of its element. */
static SofaErr settle_parts(Work *w, const SofaSliceValues *firsts, SofaLetters *extra) {
  for (int o = 0; o < N_OTHERS; o++) {
    const SofaQuadraticInfo info = other_info(o);
    for (size_t i = 0; i < w->others[o].n; i++) {
      uint32_t *part = &w->part_of_other[o][i], *words;
      const uint32_t *v = other_at(w, o, i) + 1;
      const bool open = *part == SOFA_NO_ELEMENT;
      for (unsigned k = 0; k < info.corners && *part == SOFA_NO_ELEMENT; k++)
        *part = *(const uint32_t *)sofa_slice_value(firsts, v[k]);
      if (*part == SOFA_NO_ELEMENT) *part = 0;
      for (unsigned k = open ? 0 : info.corners; k < info.width; k++) {
        SOFA_TRY(sofa_letters_add(w->ctx, extra, home_of(w, v[k]), &words));
        words[0] = v[k];
        words[1] = *part;
      }
    }
  }
  return SOFA_OK;
}

/* The part of the first of two faces gets the points of the other one, too. */
static SofaErr tie_pairs(const Work *w, unsigned width, const SofaFacePairs *pairs,
                         SofaLetters *extra) {
  uint32_t *words;
  for (size_t i = 0; i < pairs->n; i++) {
    const SofaTiedFace *face = pairs->data[i].face;
    for (unsigned k = 0; face[0].part != face[1].part && k < width; k++) {
      SOFA_TRY(sofa_letters_add(w->ctx, extra, home_of(w, face[1].v[k]), &words));
      words[0] = face[1].v[k];
      words[1] = face[0].part;
    }
  }
  return SOFA_OK;
}

static SofaErr tie_faces(const Work *w, int o, bool star, SofaLetters *extra) {
  const unsigned width = other_info(o).width;
  SofaTiedFaces faces = {0};
  SofaFacePairs pairs = {0};
  SofaErr err;
  SOFA_GO(err, done, SOFA_RESIZE(w->ctx, &faces, w->others[o].n));
  for (size_t i = 0; i < faces.n; i++) {
    const uint32_t *words = other_at(w, o, i);
    faces.data[i] = (SofaTiedFace){w->part_of_other[o][i], words[0], 15, {0}};
    sofa_copy(faces.data[i].v, words + 1, width * sizeof *words);
  }
  SOFA_GO(err, done, sofa_pair_faces(w->ctx, w->n_whole, width, star, &faces, &pairs));
  err = tie_pairs(w, width, &pairs, extra);
done:
  sofa_list_free(w->ctx, &faces);
  sofa_list_free(w->ctx, &pairs);
  return err;
}

static SofaErr tie_all_faces(const Work *w, SofaLetters *extra) {
  const SofaTies *ties = w->ctx->processes ? w->ctx->processes->ties : NULL;
  for (int o = 1; ties && ties->faces && o < N_FIRST_ORDER; o++)
    SOFA_TRY(tie_faces(w, o, ties->star, extra));
  return SOFA_OK;
}

static SofaErr divide_others(Work *w) {
  SofaIndices open = {0};
  SofaSliceValues firsts = {0};
  SofaLetters extra = {.width = 2};
  uint32_t *first = NULL;
  SofaErr err;
  SOFA_GO(err, done, send_others(w));
  SOFA_GO(err, done, find_parts(w, &open));
  SOFA_GO(err, done, first_parts(w, &first));
  SOFA_GO(err, done,
          sofa_slice_values(w->ctx, &(SofaSliceRun){w->n_whole, sizeof *first, first}, open.n,
                            open.data, &firsts));
  SOFA_GO(err, done, settle_parts(w, &firsts, &extra));
  SOFA_GO(err, done, tie_all_faces(w, &extra));
  err = sofa_letters_send(w->ctx, &extra, &w->extra);
done:
  sofa_list_free(w->ctx, &open);
  sofa_slice_values_free(w->ctx, &firsts);
  sofa_letters_free(w->ctx, &extra);
  sofa_free(w->ctx, first);
  return err;
}

/* ---- parts of points ---- */

static int compare_pairs(const void *a, const void *b) {
  const uint32_t *p = a, *q = b;
  if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
  return (p[1] > q[1]) - (p[1] < q[1]);
}

/* Adds a part to those from `first` on, which ascend, unless it is there. */
static SofaErr add_part(Work *w, size_t first, uint32_t part) {
  SofaIndices *parts = &w->parts;
  size_t at = parts->n;
  while (at > first && parts->data[at - 1] > part) at--;
  if (at > first && parts->data[at - 1] == part) return SOFA_OK;
  SOFA_TRY(SOFA_APPEND(w->ctx, parts, &part));
  sofa_move(parts->data + at + 1, parts->data + at, (parts->n - 1 - at) * sizeof part);
  parts->data[at] = part;
  return SOFA_OK;
}

static SofaErr list_parts(Work *w) {
  const uint32_t *extra = w->extra.records, *extra_end = extra + 2 * w->extra.n, none = 0;
  unsigned width;
  sofa_sort(w->extra.records, w->extra.n, 2 * sizeof *extra, compare_pairs);
  for (size_t i = 0; i < w->n_home; i++) {
    const uint32_t first = (uint32_t)w->parts.n, *ids = NULL;
    const size_t n = sofa_around_row(&w->of_point, i, &ids);
    SOFA_TRY(SOFA_APPEND(w->ctx, &w->start, &first));
    for (size_t k = 0; k < n; k++) SOFA_TRY(add_part(w, first, volume_at(w, ids[k], &width)[0]));
    for (; extra < extra_end && *extra == w->first + i; extra += 2)
      SOFA_TRY(add_part(w, first, extra[1]));
    if (w->parts.n == first) SOFA_TRY(SOFA_APPEND(w->ctx, &w->parts, &none));
  }
  const uint32_t end = (uint32_t)w->parts.n;
  return SOFA_APPEND(w->ctx, &w->start, &end);
}

/* ---- what the parts get ---- */

typedef struct PointLetter {
  double x[3];
  uint32_t number, owner;
} PointLetter;

static SofaErr send_points(Work *w, SofaMail *out) {
  const size_t n = w->parts.n;
  PointLetter *letters = sofa_alloc(w->ctx, n, sizeof *letters);
  if (!letters) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < w->n_home; i++)
    for (size_t k = w->start.data[i]; k < w->start.data[i + 1]; k++) {
      letters[k].number = (uint32_t)(w->first + i);
      letters[k].owner = w->parts.data[w->start.data[i]];
      sofa_copy(letters[k].x, w->slice->mesh.position.data[i].v, sizeof letters[k].x);
    }
  sofa_list_free(w->ctx, &w->slice->mesh.position);
  const SofaErr err = sofa_process_mail(w->ctx, sizeof *letters, n, w->parts.data, letters, out);
  sofa_free(w->ctx, letters);
  return err;
}

/* Points that are owned, or the others. */
static SofaErr take_points(Work *w, const SofaMail *mail, bool owned, SofaDivision *out,
                           SofaMesh *local) {
  const PointLetter *letters = mail->records;
  for (size_t i = 0; i < mail->n; i++) {
    const PointLetter *p = &letters[i];
    if ((p->owner == (uint32_t)w->rank) != owned) continue;
    const SofaVec3 x = {{p->x[0], p->x[1], p->x[2]}};
    SOFA_TRY(SOFA_APPEND(w->ctx, &out->number, &p->number));
    SOFA_TRY(SOFA_APPEND(w->ctx, &local->position, &x));
    if (!owned) SOFA_TRY(SOFA_APPEND(w->ctx, &out->owner, &p->owner));
  }
  return SOFA_OK;
}

static SofaErr number_points(Work *w, SofaDivision *out, SofaMesh *local) {
  SofaMail mail = {0};
  SofaErr err;
  SOFA_GO(err, done, send_points(w, &mail));
  SOFA_GO(err, done, SOFA_RESERVE(w->ctx, &out->number, mail.n));
  SOFA_GO(err, done, SOFA_RESERVE(w->ctx, &local->position, mail.n));
  SOFA_GO(err, done, take_points(w, &mail, true, out, local));
  out->n_owned = out->number.n;
  err = take_points(w, &mail, false, out, local);
  out->n = out->number.n;
  out->n_whole = w->n_whole;
done:
  sofa_mail_free(w->ctx, &mail);
  return err;
}

/* Each part learns which others have its points, too: part and point. */
static SofaErr send_sharers(Work *w, SofaMail *out) {
  SofaLetters letters = {.width = 2};
  SofaErr err = SOFA_OK;
  uint32_t *words;
  for (size_t i = 0; i < w->n_home; i++)
    for (size_t a = w->start.data[i]; a < w->start.data[i + 1]; a++)
      for (size_t b = w->start.data[i]; b < w->start.data[i + 1]; b++) {
        if (a == b) continue;
        SOFA_GO(err, done, sofa_letters_add(w->ctx, &letters, w->parts.data[a], &words));
        words[0] = w->parts.data[b];
        words[1] = (uint32_t)(w->first + i);
      }
  err = sofa_letters_send(w->ctx, &letters, out);
done:
  sofa_letters_free(w->ctx, &letters);
  return err;
}

static int compare_indices(const void *a, const void *b) {
  const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

static SofaErr take_sharers(Work *w, const SofaMail *mail, SofaDivision *out) {
  const uint32_t *pairs = mail->records;
  size_t n = 0;
  sofa_sort(mail->records, mail->n, 2 * sizeof *pairs, compare_pairs);
  for (size_t i = 0; i < mail->n; i++) {
    const uint32_t part = pairs[2 * i], at = (uint32_t)i;
    const uint32_t local = sofa_division_local(out, pairs[2 * i + 1]);
    if (!i || part != pairs[2 * i - 2]) {
      SOFA_TRY(SOFA_APPEND(w->ctx, &out->neighbours, &part));
      SOFA_TRY(SOFA_APPEND(w->ctx, &out->start, &at));
    }
    SOFA_TRY(SOFA_APPEND(w->ctx, &out->shared, &local));
  }
  const uint32_t end = (uint32_t)mail->n;
  SOFA_TRY(SOFA_APPEND(w->ctx, &out->start, &end));
  SOFA_TRY(sofa_list_copy(w->ctx, &out->border, &out->shared, sizeof end));
  sofa_sort(out->border.data, out->border.n, sizeof end, compare_indices);
  for (size_t i = 0; i < out->border.n; i++)
    if (!i || out->border.data[i] != out->border.data[i - 1])
      out->border.data[n++] = out->border.data[i];
  out->border.n = n;
  return SOFA_OK;
}

static SofaErr share_points(Work *w, SofaDivision *out) {
  SofaMail mail = {0};
  SofaErr err = send_sharers(w, &mail);
  if (err == SOFA_OK) err = take_sharers(w, &mail, out);
  sofa_mail_free(w->ctx, &mail);
  return err;
}

/* ---- elements ---- */

static SofaErr add_element(Work *w, uint32_t part, const uint32_t *number_and_points,
                           SofaLetters *letters) {
  uint32_t *words;
  SOFA_TRY(sofa_letters_add(w->ctx, letters, part, &words));
  sofa_copy(words, number_and_points, letters->width * sizeof *words);
  return SOFA_OK;
}

/* An edge goes to all parts that have a volume element with it, too. */
static SofaErr add_edge(Work *w, uint32_t part, const uint32_t *edge, SofaLetters *letters) {
  const size_t first = letters->rank.n;
  size_t at = 0;
  uint32_t other;
  SOFA_TRY(add_element(w, part, edge, letters));
  while (next_with(w, edge + 1, 2, &at, &other)) {
    size_t k = first;
    while (k < letters->rank.n && letters->rank.data[k] != other) k++;
    if (k == letters->rank.n) SOFA_TRY(add_element(w, other, edge, letters));
  }
  return SOFA_OK;
}

static SofaErr collect_others(Work *w, int o, SofaLetters *letters) {
  for (size_t i = 0; i < w->others[o].n; i++) {
    const uint32_t *v = other_at(w, o, i), part = w->part_of_other[o][i];
    SOFA_TRY(o == 0 ? add_edge(w, part, v, letters) : add_element(w, part, v, letters));
  }
  sofa_mail_free(w->ctx, &w->others[o]);
  return SOFA_OK;
}

static SofaErr collect_volumes(Work *w, SofaElementKind kind, const uint32_t *part,
                               SofaLetters *letters) {
  const SofaElements list = sofa_mesh_elements(&w->slice->mesh, kind);
  uint32_t words[MOST_WORDS];
  for (size_t e = 0; e < list.n; e++) {
    words[0] = (uint32_t)(w->slice->first[kind] + e);
    sofa_copy(words + 1, list.v + e * list.width, list.width * sizeof *words);
    SOFA_TRY(add_element(w, part[e], words, letters));
  }
  sofa_list_free(w->ctx, sofa_mesh_list(&w->slice->mesh, kind));
  return SOFA_OK;
}

/* Sends what was collected of one list; takes what arrives, by ascending numbers, which go to
 * `numbers` unless it is NULL. list: `width` local points of each element. */
static SofaErr take_elements(Work *w, SofaLetters *letters, const SofaDivision *division,
                             SofaIndices *numbers, SofaAnyList *list) {
  const unsigned width = letters->width - 1;
  SofaMail mail = {0};
  SofaErr err;
  SOFA_GO(err, done, sofa_letters_send(w->ctx, letters, &mail));
  sofa_sort(mail.records, mail.n, (width + 1) * sizeof(uint32_t), compare_indices);
  if (numbers) SOFA_GO(err, done, SOFA_RESIZE(w->ctx, numbers, mail.n));
  SOFA_GO(err, done, sofa_list_resize(w->ctx, list, width * sizeof(uint32_t), mail.n));
  for (size_t i = 0; i < mail.n; i++) {
    const uint32_t *words = (const uint32_t *)mail.records + i * (width + 1);
    if (numbers) numbers->data[i] = words[0];
    for (unsigned k = 0; k < width; k++)
      ((uint32_t *)list->data)[i * width + k] = sofa_division_local(division, words[k + 1]);
  }
done:
  sofa_mail_free(w->ctx, &mail);
  return err;
}

static SofaErr take_kind(Work *w, SofaElementKind kind, SofaLetters *letters, SofaDivision *out,
                         SofaMesh *local) {
  return take_elements(w, letters, out, &out->elements[kind], sofa_mesh_list(local, kind));
}

/* Into the list of the slice, which is empty. */
static SofaErr take_quadratic(Work *w, int q, SofaLetters *letters, const SofaDivision *division) {
  const unsigned width = sofa_quadratic_info[q].width;
  SofaAnyList rows = {0};
  const SofaErr err = take_elements(w, letters, division, NULL, &rows);
  if (!rows.n) sofa_list_free(w->ctx, &rows);
  w->slice->quadratic[q] = (SofaIndices){rows.data, rows.n * width, rows.capacity * width};
  return err;
}

static SofaErr send_elements(Work *w, SofaDivision *out, SofaMesh *local) {
  const uint32_t *part = w->part;
  SofaErr err = SOFA_OK;
  for (int o = 0; o < TIES && err == SOFA_OK; o++) {
    SofaLetters letters = {.width = other_info(o).width + 1};
    err = collect_others(w, o, &letters);
    if (err == SOFA_OK && o < N_FIRST_ORDER)
      err = take_kind(w, first_order[o], &letters, out, local);
    else if (err == SOFA_OK) err = take_quadratic(w, o - N_FIRST_ORDER, &letters, out);
    sofa_letters_free(w->ctx, &letters);
  }
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++) sofa_mail_free(w->ctx, &w->around[v]);
  for (int v = 0; v < SOFA_N_VOLUME_KINDS && err == SOFA_OK; v++) {
    const SofaElementKind kind = sofa_volume_kinds[v];
    const size_t n = sofa_mesh_elements(&w->slice->mesh, kind).n;
    SofaLetters letters = {.width = width_of(kind) + 1};
    err = collect_volumes(w, kind, part, &letters);
    if (err == SOFA_OK) err = take_kind(w, kind, &letters, out, local);
    sofa_letters_free(w->ctx, &letters);
    part += n;
  }
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++) out->n_whole_elements[k] = w->slice->n_whole[k];
  return err;
}

static SofaErr make(Work *w, SofaDivision *out, SofaMesh *local) {
  SOFA_TRY(send_volumes(w));
  SOFA_TRY(list_around(w));
  SOFA_TRY(divide_others(w));
  SOFA_TRY(list_parts(w));
  SOFA_TRY(number_points(w, out, local));
  SOFA_TRY(share_points(w, out));
  return send_elements(w, out, local);
}

SofaErr sofa_division_make_sliced(SofaContext *ctx, SofaMeshSlice *slice, const uint32_t *part,
                                  SofaDivision *out, SofaMesh *local) {
  const int rank = sofa_process_rank(ctx), n = sofa_process_count(ctx);
  Work w = {.ctx = ctx, .slice = slice, .part = part, .rank = rank, .n_parts = n};
  w.n_whole = slice->n_whole[SOFA_ELEMENT_POINT];
  w.first = sofa_slice_begin(w.n_whole, rank, n);
  w.n_home = sofa_slice_begin(w.n_whole, rank + 1, n) - w.first;
  *out = (SofaDivision){0};
  *local = (SofaMesh){0};
  const SofaErr err = make(&w, out, local);
  work_free(&w);
  sofa_mesh_free(ctx, &slice->mesh);
  if (err == SOFA_OK) return err;
  sofa_mesh_slice_free(ctx, slice);
  sofa_division_free(ctx, out);
  sofa_mesh_free(ctx, local);
  return err;
}
