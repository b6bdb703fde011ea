/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors of elements, summed up by shares of the points. */
#include "numerics/fem/element_sums.h"

#include "base/bytes.h"
#include "base/team.h"
#include "numerics/fem/element_pairs.h"
#include "numerics/fem/lane_count.h"

enum {
  POINTS_GRAIN = 256,
  GROUPS_GRAIN = 32,  /* groups of SOFA_LANES elements */
  MOST_IN_PLACES = 3, /* one of so many elements: more are not worth shares */
};

/* ---- shares ---- */

/* While the shares are made. */
typedef struct Sharing {
  SofaContext *ctx;
  SofaElementSums *sums;
  uint32_t *share; /* of each point */
  uint32_t *part;  /* of each group: where its first element puts its vectors; SOFA_SUM_AT_ONCE */
  size_t n_parts;  /* elements in places */
} Sharing;

static const SofaElements *elements_of(const Sharing *s) {
  return &s->sums->of.elements;
}

static size_t n_groups(const SofaElements *e) {
  return (e->n + SOFA_LANES - 1) / SOFA_LANES;
}

static size_t end_of_group(const SofaElements *e, size_t group) {
  return e->n - group * SOFA_LANES < SOFA_LANES ? e->n : (group + 1) * SOFA_LANES;
}

/* Shares of about as many nodes of elements each. */
static void share_points(Sharing *s) {
  SofaElementSums *sums = s->sums;
  const SofaElements *e = elements_of(s);
  const size_t n = e->n * e->width, n_points = sums->of.n_points;
  size_t r = 0, before = 0;
  for (size_t k = 0; k < n; k++) s->share[e->v[k]]++;
  for (size_t i = 0; i < n_points; i++) {
    while (r + 1 < sums->n_shares && before * sums->n_shares >= (r + 1) * n)
      sums->shares[r++].last_point = i;
    before += s->share[i];
    s->share[i] = (uint32_t)r;
  }
  while (r < sums->n_shares) sums->shares[r++].last_point = n_points;
}

static bool reaches(const Sharing *s, size_t group, uint32_t share) {
  const SofaElements *e = elements_of(s);
  for (size_t k = group * SOFA_LANES * e->width; k < end_of_group(e, group) * e->width; k++)
    if (s->share[e->v[k]] == share) return true;
  return false;
}

static bool is_in_one(const Sharing *s, size_t group) {
  const SofaElements *e = elements_of(s);
  const size_t first = group * SOFA_LANES * e->width;
  for (size_t k = first; k < end_of_group(e, group) * e->width; k++)
    if (s->share[e->v[k]] != s->share[e->v[first]]) return false;
  return true;
}

static void find_places(Sharing *s) {
  const SofaElements *e = elements_of(s);
  for (size_t g = 0; g < n_groups(e); g++) {
    s->part[g] = is_in_one(s, g) ? SOFA_SUM_AT_ONCE : (uint32_t)s->n_parts;
    if (s->part[g] != SOFA_SUM_AT_ONCE) s->n_parts += end_of_group(e, g) - g * SOFA_LANES;
  }
}

/* Appends a group to the runs from `first` on; one run has at most `most` elements. */
static SofaErr append_group(const Sharing *s, size_t group, size_t first, size_t most,
                            SofaSumRuns *runs) {
  const uint32_t begin = (uint32_t)(group * SOFA_LANES);
  const uint32_t end = (uint32_t)end_of_group(elements_of(s), group);
  SofaSumRun *last = runs->n > first ? &runs->data[runs->n - 1] : NULL;
  const bool both =
      last && (last->part == SOFA_SUM_AT_ONCE) == (s->part[group] == SOFA_SUM_AT_ONCE);
  if (both && last->end == begin && end - last->begin <= most) {
    last->end = end;
    return SOFA_OK;
  }
  const SofaSumRun run = {begin, end, s->part[group]};
  return SOFA_APPEND(s->ctx, runs, &run);
}

static SofaErr make_runs(const Sharing *s) {
  SofaElementSums *sums = s->sums;
  const size_t n = n_groups(elements_of(s));
  for (size_t g = 0; g < n; g++)
    if (s->part[g] != SOFA_SUM_AT_ONCE)
      SOFA_TRY(append_group(s, g, 0, GROUPS_GRAIN * SOFA_LANES, &sums->put));
  for (uint32_t r = 0; r < sums->n_shares; r++) {
    const size_t first = sums->runs.n;
    for (size_t g = 0; g < n; g++)
      if (reaches(s, g, r)) SOFA_TRY(append_group(s, g, first, SIZE_MAX, &sums->runs));
    sums->shares[r].last_run = sums->runs.n;
  }
  return SOFA_OK;
}

/* The nodes of the elements in places. */
static SofaErr copy_nodes(const Sharing *s) {
  SofaElementSums *sums = s->sums;
  const SofaElements *e = elements_of(s);
  const size_t width = e->width;
  if (!(sums->v = sofa_alloc(s->ctx, s->n_parts * width + 1, sizeof *sums->v)))
    return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < sums->put.n; i++) {
    const SofaSumRun *run = &sums->put.data[i];
    sofa_copy(sums->v + run->part * width, e->v + run->begin * width,
              (run->end - run->begin) * width * sizeof *sums->v);
  }
  return SOFA_OK;
}

/* ---- creation ---- */

static size_t n_vectors(const SofaSummed *of, size_t n) {
  return of->kind == SOFA_SUM_EACH ? n * of->elements.width : n;
}

static SofaErr make_parts(SofaContext *ctx, size_t n, SofaElementSums *sums) {
  const size_t n_reals = n_vectors(&sums->of, n) * sums->of.width;
  sums->parts = sofa_alloc(ctx, n_reals + 1, sizeof *sums->parts);
  return sums->parts ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* Numbers of nodes of elements become those of vectors, times two, and one more for a minus. */
static void number_vectors(const SofaSummed *of, uint32_t *ids) {
  const uint32_t width = of->elements.width;
  for (size_t k = 0; k < of->elements.n * width; k++) {
    const uint32_t vector = of->kind == SOFA_SUM_EACH ? ids[k] : ids[k] / width;
    const bool minus = of->kind == SOFA_SUM_OPPOSITE && ids[k] % width == 1;
    ids[k] = 2 * vector + minus;
  }
}

static SofaErr put_all(SofaContext *ctx, SofaElementSums *sums) {
  const SofaSummed *of = &sums->of;
  sofa_free(ctx, sums->shares);
  sums->shares = NULL;
  SOFA_TRY(sofa_elements_around(ctx, of->elements, of->n_points, &sums->start, &sums->place));
  number_vectors(of, sums->place);
  return make_parts(ctx, of->elements.n, sums);
}

static SofaErr make_shares(Sharing *s) {
  SofaElementSums *sums = s->sums;
  const SofaElements *e = elements_of(s);
  s->share = sofa_alloc(s->ctx, sums->of.n_points, sizeof *s->share);
  s->part = sofa_alloc(s->ctx, n_groups(e), sizeof *s->part);
  sums->shares = sofa_alloc(s->ctx, sums->n_shares, sizeof *sums->shares);
  if (!s->share || !s->part || !sums->shares) return SOFA_ERR_MEMORY;
  share_points(s);
  find_places(s);
  if (s->n_parts * MOST_IN_PLACES > e->n) return put_all(s->ctx, sums);
  SOFA_TRY(make_runs(s));
  SOFA_TRY(copy_nodes(s));
  return make_parts(s->ctx, s->n_parts, sums);
}

SofaErr sofa_element_sums_create(SofaContext *ctx, const SofaSummed *of, SofaElementSums *out) {
  *out = (SofaElementSums){0};
  if (ctx->threads < 2 || !of->elements.n || of->elements.n < of->least ||
      of->elements.n > UINT32_MAX / (2 * (size_t)of->elements.width))
    return SOFA_OK;
  SofaElementSums sums = {.ctx = ctx, .of = *of, .n_shares = (size_t)ctx->threads};
  Sharing sharing = {.ctx = ctx, .sums = &sums};
  const SofaErr err = make_shares(&sharing);
  sofa_free(ctx, sharing.share);
  sofa_free(ctx, sharing.part);
  sums.of.elements.v = NULL; // borrowed for the creation
  if (err == SOFA_OK) *out = sums;
  else sofa_element_sums_free(ctx, &sums);
  return err;
}

void sofa_element_sums_free(SofaContext *ctx, SofaElementSums *sums) {
  sofa_free(ctx, sums->shares);
  sofa_list_free(ctx, &sums->put);
  sofa_list_free(ctx, &sums->runs);
  sofa_free(ctx, sums->v);
  sofa_free(ctx, sums->start);
  sofa_free(ctx, sums->place);
  sofa_free(ctx, sums->parts);
  *sums = (SofaElementSums){0};
}

/* ---- sums ---- */

typedef struct Job {
  const SofaElementSums *sums;
  SofaGiveVectors give;
  void *user;
  double *const *f;
} Job;

/* Reals of parts that an element puts. */
static size_t reals_of(const SofaSummed *of) {
  return n_vectors(of, 1) * of->width;
}

static double *point_of(const Job *job, size_t i) {
  const SofaSummed *of = &job->sums->of;
  return job->f[i % of->states] + of->width * (i / of->states);
}

static void put_run(void *user, size_t piece) {
  const Job *job = user;
  const SofaSumRun *run = &job->sums->put.data[piece];
  job->give(job->user, run->begin, run->end,
            job->sums->parts + run->part * reals_of(&job->sums->of));
}

/* Adds what the elements of a run have put for the points begin .. end - 1. */
static void take_parts(const Job *job, const SofaSumRun *run, size_t begin, size_t end) {
  const SofaSummed *of = &job->sums->of;
  const size_t nodes = of->elements.width, width = of->width, reals = reals_of(of);
  for (size_t e = run->part; e < run->part + (run->end - run->begin); e++) {
    for (size_t n = 0; n < nodes; n++) {
      const size_t point = job->sums->v[e * nodes + n];
      const double *part = job->sums->parts + e * reals;
      const double sign = of->kind == SOFA_SUM_OPPOSITE && n == 1 ? -1 : 1;
      if (point < begin || point >= end) continue;
      if (of->kind == SOFA_SUM_EACH) part += n * width;
      double *to = point_of(job, point);
      for (size_t c = 0; c < width; c++) to[c] += sign * part[c];
    }
  }
}

static void do_share(void *user, size_t piece) {
  const Job *job = user;
  const SofaSumShare none = {0, 0}, *share = &job->sums->shares[piece];
  const SofaSumShare *before = piece ? share - 1 : &none;
  for (size_t i = before->last_run; i < share->last_run; i++) {
    const SofaSumRun *run = &job->sums->runs.data[i];
    if (run->part == SOFA_SUM_AT_ONCE) job->give(job->user, run->begin, run->end, NULL);
    else take_parts(job, run, before->last_point, share->last_point);
  }
}

static void put_groups(void *user, size_t begin, size_t end) {
  const Job *job = user;
  const SofaSummed *of = &job->sums->of;
  const size_t first = begin * SOFA_LANES, last = end * SOFA_LANES;
  job->give(job->user, first, last < of->elements.n ? last : of->elements.n,
            job->sums->parts + first * reals_of(of));
}

static void add_points(void *user, size_t begin, size_t end) {
  static const double signs[2] = {1, -1};
  const Job *job = user;
  const SofaElementSums *s = job->sums;
  const size_t width = s->of.width;
  for (size_t i = begin; i < end; i++) {
    if (s->start[i] == s->start[i + 1]) continue;
    double sum[6] = {0}, *to = point_of(job, i);
    for (size_t c = 0; c < width; c++) sum[c] = to[c];
    for (uint32_t k = s->start[i]; k < s->start[i + 1]; k++) {
      const double *part = s->parts + width * (size_t)(s->place[k] >> 1);
      const double sign = signs[s->place[k] & 1];
      for (size_t c = 0; c < width; c++) sum[c] += sign * part[c];
    }
    for (size_t c = 0; c < width; c++) to[c] = sum[c];
  }
}

void sofa_element_sums_run(const SofaElementSums *sums, size_t n, SofaGiveVectors give, void *user,
                           double *const *f) {
  Job job = {sums, give, user, f};
  if (!sums || !sums->parts || sums->of.elements.n != n) {
    give(user, 0, n, NULL);
  } else if (sums->shares) {
    SofaContext *ctx = (SofaContext *)(uintptr_t)sums->ctx;
    sofa_team_run(ctx, sums->put.n, put_run, &job);
    sofa_team_run(ctx, sums->n_shares, do_share, &job);
  } else {
    sofa_team_for(sums->ctx, n_groups(&sums->of.elements), GROUPS_GRAIN, put_groups, &job);
    sofa_team_for(sums->ctx, sums->of.n_points, POINTS_GRAIN, add_points, &job);
  }
}
