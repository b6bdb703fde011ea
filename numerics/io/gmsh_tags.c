/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the numbers of a Gmsh file to nodes, where no process knows all of them. */
#include "numerics/io/gmsh_tags_impl.h"

#include "topology/letters_impl.h"

void sofa_gmsh_tags_free(SofaContext *ctx, SofaGmshTags *tags) {
  sofa_tuple_map_free(ctx, &tags->known);
}

/* The process that knows the node of a number. */
static uint32_t home_of(const SofaContext *ctx, int64_t number) {
  const uint64_t mixed = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) >> 32;
  return (uint32_t)(mixed % (uint64_t)sofa_process_count(ctx));
}

static void write_number(int64_t number, uint32_t *words) {
  words[0] = (uint32_t)((uint64_t)number >> 32);
  words[1] = (uint32_t)number;
}

static SofaTuple key_of(const uint32_t *words) {
  return (SofaTuple){{words[0], words[1], 0, 0}};
}

static SofaErr tell(SofaContext *ctx, size_t begin, const SofaGmshNumbers *numbers, SofaMail *out) {
  SofaLetters letters = {.width = 3};
  SofaErr err = SOFA_OK;
  uint32_t *words;
  for (size_t i = 0; i < numbers->n && err == SOFA_OK; i++) {
    err = sofa_letters_add(ctx, &letters, home_of(ctx, numbers->data[i]), &words);
    if (err != SOFA_OK) break;
    write_number(numbers->data[i], words);
    words[2] = (uint32_t)(begin + i);
  }
  if (err == SOFA_OK) err = sofa_letters_send(ctx, &letters, out);
  sofa_letters_free(ctx, &letters);
  return err;
}

static SofaErr learn(SofaGmshTags *tags, const SofaMail *told) {
  SofaContext *ctx = tags->file->ctx;
  const uint32_t *words = told->records;
  SOFA_TRY(sofa_tuple_map_reserve(ctx, &tags->known, told->n));
  for (size_t i = 0; i < told->n; i++, words += 3) {
    const SofaTuple key = key_of(words);
    uint32_t found;
    SOFA_TRY(sofa_tuple_map_add(ctx, &tags->known, &key, words[2], &found));
    if (found != words[2])
      return sofa_fail(ctx, SOFA_ERR_PARSE, &tags->file->origin, "node %lld is given twice",
                       (long long)((uint64_t)words[0] << 32 | words[1]));
  }
  return SOFA_OK;
}

SofaErr sofa_gmsh_tags_make(SofaGmshTags *tags, size_t begin, const SofaGmshNumbers *numbers) {
  SofaContext *ctx = tags->file->ctx;
  SofaMail told = {0};
  uint64_t others = 0;
  for (size_t i = 0; i < numbers->n; i++)
    others += (uint64_t)numbers->data[i] - (uint64_t)tags->first != begin + i;
  SOFA_TRY(sofa_process_sum_counts(ctx, 1, &others));
  tags->consecutive = others == 0;
  if (tags->consecutive) return SOFA_OK;
  SofaErr err = tell(ctx, begin, numbers, &told);
  if (err == SOFA_OK) err = learn(tags, &told);
  sofa_mail_free(ctx, &told);
  return err;
}

/* ---- finding ---- */

static int compare_numbers(const void *a, const void *b) {
  const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
  return (p > q) - (p < q);
}

/* The distinct ones, ascending. */
static SofaErr sort_numbers(SofaContext *ctx, const SofaGmshNumbers *numbers,
                            SofaGmshNumbers *out) {
  size_t n = 0;
  SOFA_TRY(sofa_list_copy(ctx, out, numbers, sizeof *out->data));
  sofa_sort(out->data, out->n, sizeof *out->data, compare_numbers);
  for (size_t i = 0; i < out->n; i++)
    if (!i || out->data[i] != out->data[i - 1]) out->data[n++] = out->data[i];
  out->n = n;
  return SOFA_OK;
}

/* nodes: of each number, SOFA_NO_ELEMENT: there is none. */
static SofaErr ask(const SofaGmshTags *tags, const SofaGmshNumbers *numbers, uint32_t **nodes) {
  SofaContext *ctx = tags->file->ctx;
  SofaLetters letters = {.width = 2};
  SofaMail asked = {0};
  uint32_t *answers = NULL, *words;
  SofaErr err;
  *nodes = sofa_alloc(ctx, numbers->n, sizeof **nodes);
  SOFA_GO(err, done, *nodes ? SOFA_OK : SOFA_ERR_MEMORY);
  for (size_t i = 0; i < numbers->n; i++) {
    SOFA_GO(err, done, sofa_letters_add(ctx, &letters, home_of(ctx, numbers->data[i]), &words));
    write_number(numbers->data[i], words);
  }
  SOFA_GO(err, done,
          sofa_process_mail(ctx, 2 * sizeof *words, letters.rank.n, letters.rank.data,
                            letters.words.data, &asked));
  answers = sofa_alloc(ctx, asked.n, sizeof *answers);
  SOFA_GO(err, done, answers ? SOFA_OK : SOFA_ERR_MEMORY);
  for (size_t i = 0; i < asked.n; i++) {
    const SofaTuple key = key_of((const uint32_t *)asked.records + 2 * i);
    answers[i] = sofa_tuple_map_find(&tags->known, &key);
  }
  err = sofa_process_answer(ctx, &asked, sizeof *answers, answers, *nodes);
done:
  sofa_letters_free(ctx, &letters);
  sofa_mail_free(ctx, &asked);
  sofa_free(ctx, answers);
  return err;
}

static SofaErr no_node(const SofaGmshTags *tags, SofaElementKind kind, int64_t number) {
  return sofa_fail(tags->file->ctx, SOFA_ERR_RANGE, &tags->file->origin,
                   "%s names node %lld, which the file does not have",
                   sofa_element_kind_info(kind)->name, (long long)number);
}

static SofaErr look_up(const SofaGmshTags *tags, SofaElementKind kind,
                       const SofaGmshNumbers *numbers, uint32_t *out) {
  SofaContext *ctx = tags->file->ctx;
  SofaGmshNumbers distinct = {0};
  uint32_t *nodes = NULL;
  SofaErr err;
  SOFA_GO(err, done, sort_numbers(ctx, numbers, &distinct));
  SOFA_GO(err, done, ask(tags, &distinct, &nodes));
  for (size_t i = 0; i < numbers->n; i++) {
    const int64_t *at =
        sofa_search(&numbers->data[i], distinct.data, distinct.n, sizeof *at, compare_numbers);
    out[i] = nodes[at - distinct.data];
    SOFA_GO(err, done, out[i] == SOFA_NO_ELEMENT ? no_node(tags, kind, numbers->data[i]) : SOFA_OK);
  }
done:
  sofa_list_free(ctx, &distinct);
  sofa_free(ctx, nodes);
  return err;
}

SofaErr sofa_gmsh_tags_find(const SofaGmshTags *tags, SofaElementKind kind,
                            const SofaGmshNumbers *numbers, uint32_t *out) {
  if (!tags->consecutive) return look_up(tags, kind, numbers, out);
  for (size_t i = 0; i < numbers->n; i++) {
    const uint64_t node = (uint64_t)numbers->data[i] - (uint64_t)tags->first;
    if (node >= tags->n_nodes) return no_node(tags, kind, numbers->data[i]);
    out[i] = (uint32_t)node;
  }
  return SOFA_OK;
}
