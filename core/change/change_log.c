/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record is a row of numbers of 32 bits: for each change its kind, its fields, and lists, each
 * behind its length. */
#include "change/change_log.h"

#include <string.h>

typedef struct SofaChangeLog {
  SofaIndices words;
} SofaChangeLog;

static void log_free(SofaContext *ctx, SofaChangeLog *log) {
  sofa_list_free(ctx, &log->words);
  sofa_free(ctx, log);
}

static SofaErr log_of(SofaNode *root, SofaChangeLog **out) {
  if (!root->changes) {
    root->changes = sofa_alloc(root->object.ctx, 1, sizeof *root->changes);
    root->free_changes = log_free;
  }
  *out = root->changes;
  return root->changes ? SOFA_OK : SOFA_ERR_MEMORY;
}

const void *sofa_changes(const SofaNode *root, size_t *n) {
  *n = root->changes ? root->changes->words.n * sizeof *root->changes->words.data : 0;
  return *n ? root->changes->words.data : NULL;
}

/* ---- recording ---- */

typedef struct Recorder {
  SofaContext *ctx;
  SofaIndices *words;
  SofaErr err;
} Recorder;

static void put(Recorder *r, uint32_t word) {
  if (r->err == SOFA_OK) r->err = SOFA_APPEND(r->ctx, r->words, &word);
}

static void put_list(Recorder *r, const void *list, size_t n) {
  const size_t at = r->words->n;
  put(r, (uint32_t)n);
  if (r->err == SOFA_OK) r->err = SOFA_RESIZE(r->ctx, r->words, at + 1 + n);
  if (r->err == SOFA_OK) sofa_copy(r->words->data + at + 1, list, n * sizeof(uint32_t));
}

static void put_path(Recorder *r, const SofaObject *object) {
  char *path = sofa_object_path(object);
  const size_t length = path ? strlen(path) : 0, n = (length + 3) / 4, at = r->words->n + 2;
  if (!path) r->err = SOFA_ERR_MEMORY;
  put(r, (uint32_t)length);
  put_list(r, NULL, 0);
  if (r->err == SOFA_OK) r->err = SOFA_RESIZE(r->ctx, r->words, at + n);
  if (r->err == SOFA_OK) {
    r->words->data[at - 1] = (uint32_t)n;
    sofa_zero(r->words->data + at, n * sizeof(uint32_t));
    sofa_copy(r->words->data + at, path, length);
  }
  sofa_free(r->ctx, path);
}

static void put_ancestors(Recorder *r, const SofaAncestors *a) {
  put(r, a != NULL);
  if (!a) return;
  put_list(r, a->start.data, a->start.n);
  put_list(r, a->points.data, a->points.n);
  put_list(r, a->weights.data, 2 * a->weights.n); /* a real is two words */
}

static void put_change(Recorder *r, const SofaAskedChange *c) {
  put_path(r, &c->topology->object);
  put(r, (uint32_t)c->kind);
  put(r, c->flags);
  put(r, (uint32_t)c->n);
  put_list(r, c->values, c->n_values);
  put_list(r, c->origins, c->origins ? c->n : 0);
  put_ancestors(r, c->ancestors);
  put(r, c->lists != NULL);
  for (int k = 0; c->lists && k < SOFA_N_ELEMENT_KINDS; k++) {
    put(r, c->lists[k].width);
    put_list(r, c->lists[k].v, c->lists[k].n * c->lists[k].width);
  }
}

SofaErr sofa_changes_note(SofaTopologyEdit *edit, SofaAsked what, const SofaAskedChange *change) {
  SofaChangeLog *log = NULL;
  if (edit->depth || edit->noted) return SOFA_OK;
  SOFA_TRY(log_of(edit->root, &log));
  const size_t before = log->words.n;
  Recorder r = {.ctx = edit->root->object.ctx, .words = &log->words};
  put(&r, (uint32_t)what);
  if (change) put_change(&r, change);
  if (r.err != SOFA_OK) log->words.n = before;
  edit->noted_at = before;
  edit->any = true;
  return r.err;
}

SofaErr sofa_changes_noted(SofaTopologyEdit *edit, SofaErr err) {
  if (err != SOFA_OK && !edit->depth && !edit->noted && edit->root->changes)
    edit->root->changes->words.n = edit->noted_at;
  return err;
}

/* ---- repeating ---- */

typedef struct Player {
  const uint32_t *at;
  size_t left;
  bool bad;
} Player;

static uint32_t get(Player *p) {
  if (!p->left) p->bad = true;
  if (p->bad) return 0;
  p->left--;
  return *p->at++;
}

/* A list of n words; NULL when it is empty. */
static const uint32_t *get_list(Player *p, size_t *n) {
  const uint32_t length = get(p), *list = p->at;
  *n = 0;
  if (length > p->left) p->bad = true;
  if (p->bad || !length) return NULL;
  *n = length;
  p->at += length;
  p->left -= length;
  return list;
}

typedef struct Asked {
  SofaAskedChange change;
  SofaAncestors ancestors; /* borrowed but for the weights */
  SofaReals weights;       /* owned */
  SofaElements lists[SOFA_N_ELEMENT_KINDS];
} Asked;

static SofaErr get_ancestors(Player *p, SofaContext *ctx, Asked *a) {
  size_t n;
  if (!get(p)) return SOFA_OK;
  a->ancestors.start.data = (uint32_t *)(uintptr_t)get_list(p, &a->ancestors.start.n);
  a->ancestors.points.data = (uint32_t *)(uintptr_t)get_list(p, &a->ancestors.points.n);
  const uint32_t *weights = get_list(p, &n);
  SOFA_TRY(SOFA_RESIZE(ctx, &a->weights, n / 2));
  sofa_copy(a->weights.data, weights, n / 2 * sizeof *a->weights.data);
  a->ancestors.weights = a->weights;
  a->change.ancestors = &a->ancestors;
  return SOFA_OK;
}

/* Are the ancestors those of n points? */
static bool are_sound(const SofaAncestors *a, size_t n, size_t n_points) {
  if (a->start.n != n + 1 || a->weights.n != a->points.n) return false;
  for (size_t i = 0; i < n; i++)
    if (a->start.data[i] > a->start.data[i + 1]) return false;
  for (size_t i = 0; i < a->points.n; i++)
    if (a->points.data[i] >= n_points) return false;
  return a->start.data[n] <= a->points.n;
}

static SofaTopology *get_topology(Player *p, SofaNode *root) {
  size_t n;
  const size_t length = get(p);
  const char *text = (const char *)get_list(p, &n);
  if (p->bad || length > n * sizeof(uint32_t)) return NULL;
  char *path = sofa_strndup(root->object.ctx, text ? text : "", length);
  SofaObject *object = path ? sofa_resolve_path(root, path, NULL) : NULL;
  sofa_free(root->object.ctx, path);
  return object && sofa_implements(object, SOFA_TOPOLOGY) ? (SofaTopology *)object : NULL;
}

static SofaErr get_change(Player *p, SofaNode *root, Asked *a) {
  SofaAskedChange *c = &a->change;
  size_t n_origins, n;
  c->topology = get_topology(p, root);
  c->kind = (SofaElementKind)get(p);
  c->flags = get(p);
  c->n = get(p);
  c->values = get_list(p, &c->n_values);
  c->origins = get_list(p, &n_origins);
  SOFA_TRY(get_ancestors(p, root->object.ctx, a));
  if (get(p)) c->lists = a->lists;
  for (int k = 0; c->lists && k < SOFA_N_ELEMENT_KINDS; k++) {
    a->lists[k].width = get(p);
    a->lists[k].v = get_list(p, &n);
    const unsigned width = sofa_element_kind_info((SofaElementKind)k)->width;
    if (a->lists[k].width && a->lists[k].width != width) p->bad = true;
    a->lists[k].n = a->lists[k].width ? n / a->lists[k].width : 0;
  }
  p->bad = p->bad || !c->topology || c->kind >= SOFA_N_ELEMENT_KINDS ||
           (n_origins && n_origins != c->n) ||
           (c->ancestors && !are_sound(c->ancestors, c->n, c->topology->n_points));
  return SOFA_OK;
}

static SofaErr repeat(SofaTopologyEdit *edit, uint32_t what, const SofaAskedChange *c) {
  const size_t width = sofa_element_kind_info(c->kind)->width;
  switch (what) {
  case SOFA_ASKED_REMOVE:
    return c->n == c->n_values
               ? sofa_topology_remove(edit, c->topology, c->kind, c->values, c->n, c->flags)
               : SOFA_ERR_PARSE;
  case SOFA_ASKED_ADD:
    return c->kind != SOFA_ELEMENT_POINT && c->n * width == c->n_values
               ? sofa_topology_add_parts(edit, c->topology, c->kind, c->values, c->n, c->origins)
               : SOFA_ERR_PARSE;
  case SOFA_ASKED_POINTS:
    return sofa_topology_add_points(edit, c->topology, c->n, c->ancestors);
  case SOFA_ASKED_SET:
    return c->lists ? sofa_topology_set(edit, c->topology, c->lists) : SOFA_ERR_PARSE;
  default:
    return SOFA_ERR_PARSE;
  }
}

/* The changes up to the end of a modification. */
static SofaErr repeat_edit(SofaNode *root, Player *p) {
  SofaTopologyEdit edit;
  SofaErr err = SOFA_OK;
  uint32_t what;
  SOFA_TRY(sofa_topology_edit_begin(root, &edit));
  while (err == SOFA_OK && (what = get(p)) != SOFA_ASKED_END) {
    Asked asked = {.change = {.topology = NULL}};
    err = get_change(p, root, &asked);
    if (err == SOFA_OK) err = p->bad ? SOFA_ERR_PARSE : repeat(&edit, what, &asked.change);
    sofa_list_free(root->object.ctx, &asked.weights);
  }
  const SofaErr end = sofa_topology_edit_end(&edit, err != SOFA_OK);
  return err != SOFA_OK ? err : p->bad ? SOFA_ERR_PARSE : end;
}

SofaErr sofa_changes_repeat(SofaNode *root, const void *bytes, size_t n) {
  SofaContext *ctx = root->object.ctx;
  SofaErr err = SOFA_OK;
  if (n % sizeof(uint32_t)) return SOFA_ERR_PARSE;
  // words of a file stand anywhere
  uint32_t *words = sofa_alloc(ctx, n / sizeof *words, sizeof *words);
  if (!words) return SOFA_ERR_MEMORY;
  sofa_copy(words, bytes, n);
  Player p = {.at = words, .left = n / sizeof *words};
  while (p.left && err == SOFA_OK) err = repeat_edit(root, &p);
  sofa_free(ctx, words);
  return err;
}
