/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recursive bisection of coordinates that are spread over processes. All ranges of a level are cut
 * at once. A cut belongs to the process whose rank is the first part of its range: this one adds up
 * what the others count, and answers. The place of a cut is found digit by digit. */
#include "topology/partition.h"

#include <float.h>

#include "object/process_mail.h"

enum { N_DIGITS = 8, N_VALUES = 256, N_KINDS = SOFA_N_VOLUME_KINDS };

/* The cut of a range of parts in two. Places go to the first half by their key, equal ones by their
 * number in the whole mesh. */
typedef struct Cut {
  uint32_t n_parts;       /* 0: no range begins here; 1: it is not cut */
  uint32_t axis;          /* of the key */
  uint64_t n, n_first;    /* places of the range, of its first half */
  uint64_t key;           /* the largest one of the first half; the digits found so far */
  uint64_t ties[N_KINDS]; /* places here with this key that belong to the first half */
} Cut;

typedef struct Bisection {
  SofaContext *ctx;
  const SofaMeshSlice *slice;
  const SofaVec3 *places;
  size_t n;          /* places here */
  uint32_t *part;    /* of each: the first one of its range */
  uint32_t n_parts;  /* processes */
  Cut *cuts;         /* of the range that begins with each part */
  uint32_t *slot;    /* of each cut in `here` */
  SofaIndices here;  /* cuts with places here, ascending */
  uint64_t n_before; /* places before the key, of the cut that this process answers for */
} Bisection;

/* ---- questions and answers ---- */

/* Answers to all records that arrived of the cut of this process. */
typedef void (*Answer)(Bisection *b, const SofaMail *mail, void *answers);

typedef struct Question {
  size_t size, answer_size;
  Answer answer;
} Question;

/* A record of each cut in `here`; out: its answer. */
static SofaErr ask(Bisection *b, const Question *question, const void *records, void *out) {
  SofaMail mail = {0};
  SofaErr err = sofa_process_mail(b->ctx, question->size, b->here.n, b->here.data, records, &mail);
  void *answers = err == SOFA_OK ? sofa_alloc(b->ctx, mail.n, question->answer_size) : NULL;
  if (err == SOFA_OK && !answers) err = SOFA_ERR_MEMORY;
  if (err == SOFA_OK && mail.n) question->answer(b, &mail, answers);
  if (err == SOFA_OK) err = sofa_process_answer(b->ctx, &mail, question->answer_size, answers, out);
  sofa_free(b->ctx, answers);
  sofa_mail_free(b->ctx, &mail);
  return err;
}

static void answer_all(const SofaMail *mail, uint32_t answer, uint32_t *answers) {
  for (size_t i = 0; i < mail->n; i++) answers[i] = answer;
}

/* ---- the axis ---- */

typedef struct Box {
  double low[3], high[3];
} Box;

static void add_place(Box *box, const double *x) {
  for (int k = 0; k < 3; k++) {
    box->low[k] = x[k] < box->low[k] ? x[k] : box->low[k];
    box->high[k] = x[k] > box->high[k] ? x[k] : box->high[k];
  }
}

static const Box no_box = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};

static void answer_axis(Bisection *b, const SofaMail *mail, void *answers) {
  const Box *boxes = mail->records;
  Box all = no_box;
  double longest = -1;
  uint32_t axis = 0;
  (void)b;
  for (size_t i = 0; i < mail->n; i++) {
    add_place(&all, boxes[i].low);
    add_place(&all, boxes[i].high);
  }
  for (uint32_t k = 0; k < 3; k++) {
    if (all.high[k] - all.low[k] <= longest) continue;
    longest = all.high[k] - all.low[k];
    axis = k;
  }
  answer_all(mail, axis, answers);
}

static SofaErr choose_axes(Bisection *b) {
  static const Question question = {sizeof(Box), sizeof(uint32_t), answer_axis};
  Box *boxes = sofa_alloc(b->ctx, b->here.n, sizeof *boxes);
  uint32_t *axes = sofa_alloc(b->ctx, b->here.n, sizeof *axes);
  SofaErr err = boxes && axes ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; err == SOFA_OK && i < b->here.n; i++) boxes[i] = no_box;
  for (size_t i = 0; err == SOFA_OK && i < b->n; i++)
    if (b->cuts[b->part[i]].n_parts > 1) add_place(&boxes[b->slot[b->part[i]]], b->places[i].v);
  if (err == SOFA_OK) err = ask(b, &question, boxes, axes);
  for (size_t i = 0; err == SOFA_OK && i < b->here.n; i++) b->cuts[b->here.data[i]].axis = axes[i];
  sofa_free(b->ctx, boxes);
  sofa_free(b->ctx, axes);
  return err;
}

/* ---- the key ---- */

/* Keys are in the order of the coordinates. */
static uint64_t key_of(const Cut *cut, const SofaVec3 *place) {
  const double x = place->v[cut->axis] + 0.0; /* zeros are equal */
  uint64_t bits;
  sofa_copy(&bits, &x, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The digits before one of them, 0 being the last. */
static uint64_t digits_before(uint64_t key, int digit) {
  return digit == N_DIGITS - 1 ? 0 : key >> (8 * (digit + 1));
}

/* The digit with which the first half is full. */
static void answer_digit(Bisection *b, const SofaMail *mail, void *answers) {
  const uint32_t(*counts)[N_VALUES] = mail->records;
  const Cut *cut = &b->cuts[sofa_process_rank(b->ctx)];
  uint32_t digit = 0;
  for (; digit < N_VALUES; digit++) {
    uint64_t n = 0;
    for (size_t i = 0; i < mail->n; i++) n += counts[i][digit];
    if (b->n_before + n >= cut->n_first) break;
    b->n_before += n;
  }
  answer_all(mail, digit, answers);
}

static SofaErr find_digit(Bisection *b, int digit) {
  static const Question question = {sizeof(uint32_t[N_VALUES]), sizeof(uint32_t), answer_digit};
  uint32_t(*counts)[N_VALUES] = sofa_alloc(b->ctx, b->here.n, sizeof *counts);
  uint32_t *found = sofa_alloc(b->ctx, b->here.n, sizeof *found);
  SofaErr err = counts && found ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; err == SOFA_OK && i < b->n; i++) {
    const Cut *cut = &b->cuts[b->part[i]];
    if (cut->n_parts <= 1) continue;
    const uint64_t key = key_of(cut, &b->places[i]);
    if (digits_before(key, digit) == cut->key)
      counts[b->slot[b->part[i]]][key >> (8 * digit) & (N_VALUES - 1)]++;
  }
  if (err == SOFA_OK) err = ask(b, &question, counts, found);
  for (size_t i = 0; err == SOFA_OK && i < b->here.n; i++) {
    Cut *cut = &b->cuts[b->here.data[i]];
    cut->key = cut->key << 8 | found[i];
  }
  sofa_free(b->ctx, counts);
  sofa_free(b->ctx, found);
  return err;
}

/* ---- places with equal keys ---- */

/* By kind, then by process: the order of their numbers. */
static void answer_ties(Bisection *b, const SofaMail *mail, void *answers) {
  const uint64_t(*counts)[N_KINDS] = mail->records;
  uint64_t(*ties)[N_KINDS] = answers;
  uint64_t left = b->cuts[sofa_process_rank(b->ctx)].n_first - b->n_before;
  for (int k = 0; k < N_KINDS; k++)
    for (size_t i = 0; i < mail->n; i++) {
      ties[i][k] = counts[i][k] < left ? counts[i][k] : left;
      left -= ties[i][k];
    }
}

static SofaErr share_ties(Bisection *b) {
  static const Question question = {sizeof(uint64_t[N_KINDS]), sizeof(uint64_t[N_KINDS]),
                                    answer_ties};
  uint64_t(*counts)[N_KINDS] = sofa_alloc(b->ctx, b->here.n, sizeof *counts);
  uint64_t(*ties)[N_KINDS] = sofa_alloc(b->ctx, b->here.n, sizeof *ties);
  SofaErr err = counts && ties ? SOFA_OK : SOFA_ERR_MEMORY;
  size_t i = 0;
  for (int k = 0; err == SOFA_OK && k < N_KINDS; k++)
    for (size_t end = i + sofa_mesh_elements(&b->slice->mesh, sofa_volume_kinds[k]).n; i < end;
         i++) {
      const Cut *cut = &b->cuts[b->part[i]];
      if (cut->n_parts > 1 && key_of(cut, &b->places[i]) == cut->key)
        counts[b->slot[b->part[i]]][k]++;
    }
  if (err == SOFA_OK) err = ask(b, &question, counts, ties);
  for (i = 0; err == SOFA_OK && i < b->here.n; i++)
    sofa_copy(b->cuts[b->here.data[i]].ties, ties[i], sizeof *ties);
  sofa_free(b->ctx, counts);
  sofa_free(b->ctx, ties);
  return err;
}

/* ---- levels ---- */

/* Cuts of this level, and those with places here; false: there is none at all. */
static SofaErr begin_level(Bisection *b, bool *any) {
  *any = false;
  b->here.n = 0;
  b->n_before = 0;
  for (uint32_t p = 0; p < b->n_parts; p++) {
    Cut *cut = &b->cuts[p];
    b->slot[p] = SOFA_NO_ELEMENT;
    if (cut->n_parts <= 1) continue;
    *any = true;
    const uint64_t each = cut->n / cut->n_parts, more = cut->n % cut->n_parts;
    const uint32_t half = cut->n_parts / 2;
    cut->n_first = each * half + (more < half ? more : half);
    cut->key = 0;
  }
  for (size_t i = 0; i < b->n; i++)
    if (b->cuts[b->part[i]].n_parts > 1) b->slot[b->part[i]] = 0;
  for (uint32_t p = 0; p < b->n_parts; p++) {
    if (b->slot[p] == SOFA_NO_ELEMENT) continue;
    b->slot[p] = (uint32_t)b->here.n;
    SOFA_TRY(SOFA_APPEND(b->ctx, &b->here, &p));
  }
  return SOFA_OK;
}

static void move_places(Bisection *b) {
  size_t i = 0;
  for (int k = 0; k < N_KINDS; k++)
    for (size_t end = i + sofa_mesh_elements(&b->slice->mesh, sofa_volume_kinds[k]).n; i < end;
         i++) {
      Cut *cut = &b->cuts[b->part[i]];
      if (cut->n_parts <= 1) continue;
      const uint64_t key = key_of(cut, &b->places[i]);
      if (key < cut->key) continue;
      if (key == cut->key && cut->ties[k]) cut->ties[k]--;
      else b->part[i] += cut->n_parts / 2;
    }
}

static void halve_ranges(Bisection *b) {
  for (uint32_t p = b->n_parts; p-- > 0;) { /* a half is behind its range */
    Cut *cut = &b->cuts[p];
    if (cut->n_parts <= 1) continue;
    const uint32_t half = cut->n_parts / 2;
    b->cuts[p + half] = (Cut){.n_parts = cut->n_parts - half, .n = cut->n - cut->n_first};
    *cut = (Cut){.n_parts = half, .n = cut->n_first};
  }
}

static SofaErr bisect(Bisection *b) {
  for (bool any = true;;) {
    SOFA_TRY(begin_level(b, &any));
    if (!any) return SOFA_OK;
    SOFA_TRY(choose_axes(b));
    for (int digit = N_DIGITS; digit-- > 0;) SOFA_TRY(find_digit(b, digit));
    SOFA_TRY(share_ties(b));
    move_places(b);
    halve_ranges(b);
  }
}

SofaErr sofa_bisect_slices(SofaContext *ctx, const SofaMeshSlice *slice, uint32_t *part) {
  Bisection b = {.ctx = ctx,
                 .slice = slice,
                 .n = sofa_mesh_slice_n_volumes(slice),
                 .part = part,
                 .n_parts = (uint32_t)sofa_process_count(ctx)};
  SofaVec3s centres = {0};
  SofaErr err = SOFA_ERR_MEMORY;
  b.cuts = sofa_alloc(ctx, b.n_parts, sizeof *b.cuts);
  b.slot = sofa_alloc(ctx, b.n_parts, sizeof *b.slot);
  if (!b.cuts || !b.slot) goto done;
  SOFA_GO(err, done, sofa_mesh_slice_centres(ctx, slice, &centres));
  b.places = centres.data;
  b.cuts[0] = (Cut){.n_parts = b.n_parts, .n = sofa_mesh_slice_n_whole_volumes(slice)};
  sofa_zero(part, b.n * sizeof *part);
  err = bisect(&b);
done:
  sofa_list_free(ctx, &centres);
  sofa_list_free(ctx, &b.here);
  sofa_free(ctx, b.cuts);
  sofa_free(ctx, b.slot);
  return err;
}
