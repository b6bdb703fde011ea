/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the text of recorded states. */
#include "components/playback/state_text.h"

#include "numerics/io/mesh_text.h"

typedef struct Label {
  const char *word;
  char kind; /* t: one number, x: positions, v: velocities */
} Label;

/* Reads the numbers behind a label; *n: how many. */
static SofaErr count_numbers(SofaMeshText *t, size_t *n) {
  double value;
  for (*n = 0; sofa_mesh_skip_blank(t); (*n)++)
    if (!sofa_mesh_real(t, &value)) return sofa_mesh_expected(t, "a number");
  return SOFA_OK;
}

static SofaErr check_line(SofaMeshText *t, unsigned x_width, unsigned v_width, bool *time) {
  static const Label labels[] = {{"T=", 't'}, {"X=", 'x'}, {"X0=", 'x'}, {"V=", 'v'}, {"F=", 'v'}};
  const size_t left = (size_t)(t->end - t->at);
  size_t k = 0, n;
  const size_t n_labels = sizeof labels / sizeof *labels;
  while (k < n_labels && (strlen(labels[k].word) > left ||
                          sofa_compare(t->at, labels[k].word, strlen(labels[k].word)) != 0))
    k++;
  if (k == n_labels) return sofa_mesh_expected(t, "T=, X=, X0=, V= or F=");
  if (labels[k].kind != 't' && !*time)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "%s comes before the first T=", labels[k].word);
  t->at += strlen(labels[k].word);
  SOFA_TRY(count_numbers(t, &n));
  *time = true;
  const unsigned width = labels[k].kind == 'x' ? x_width : v_width;
  if (labels[k].kind == 't' && n != 1)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "T= has %zu numbers, expected 1", n);
  if (labels[k].kind != 't' && n % width)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "%s has %zu numbers, %u are a point", labels[k].word,
                          n, width);
  return SOFA_OK;
}

/* Cuts off a block whose last line has no end. */
static void cut(SofaMeshText *t, char *text) {
  const char *newline = NULL, *block = NULL;
  for (const char *c = t->begin; c < t->end; c++) {
    const bool start = c == t->begin || c[-1] == '\n';
    if (start && c + 1 < t->end && c[0] == 'T' && c[1] == '=') block = c;
    if (*c == '\n') newline = c;
  }
  if (!block || newline == t->end - 1) return;
  t->end = block;
  text[block - t->begin] = '\0';
  sofa_mesh_warn(t, "the last block is not complete and is left out");
}

SofaErr state_text_check(SofaContext *ctx, const SofaOrigin *origin, char *text, size_t size,
                         unsigned x_width, unsigned v_width) {
  SofaMeshText t = sofa_mesh_text(ctx, &(SofaFileBytes){origin, text, strnlen(text, size)});
  bool time = false;
  cut(&t, text);
  for (sofa_mesh_skip(&t); t.at < t.end; sofa_mesh_skip(&t))
    if (*t.at == '#') sofa_mesh_next_line(&t); // a comment
    else SOFA_TRY(check_line(&t, x_width, v_width, &time));
  return SOFA_OK;
}
