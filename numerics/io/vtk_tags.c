/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the tags of XML VTK files, with their attributes. */
#include "numerics/io/vtk_tags_impl.h"

bool sofa_vtk_is(SofaVtkWords words, const char *text) {
  return strlen(text) == words.n && sofa_compare(words.at, text, words.n) == 0;
}

static SofaErr fail(SofaMeshText *t, const char *what) {
  return sofa_mesh_fail(t, SOFA_ERR_PARSE, "%s", what);
}

void sofa_vtk_move(SofaMeshText *t, const char *to) {
  for (; t->at < to; t->at++) t->line += *t->at == '\n';
}

static bool name_character(char c) {
  return (unsigned char)c > ' ' && c != '>' && c != '/' && c != '=' && c != '<';
}

static SofaVtkWords take_name(SofaMeshText *t) {
  SofaVtkWords w = {t->at, 0};
  while (t->at < t->end && name_character(*t->at)) t->at++, w.n++;
  return w;
}

static SofaErr read_attribute(SofaMeshText *t, SofaVtkTag *tag) {
  const SofaVtkWords name = take_name(t);
  sofa_mesh_skip(t);
  if (!name.n || t->at == t->end || *t->at != '=') return fail(t, "a tag is broken");
  t->at++;
  sofa_mesh_skip(t);
  if (t->at == t->end || (*t->at != '"' && *t->at != '\'')) return fail(t, "a tag is broken");
  const char quote = *t->at++;
  const char *stop = memchr(t->at, quote, (size_t)(t->end - t->at));
  if (!stop) return fail(t, "an attribute has no end");
  if (tag->n_attributes < SOFA_VTK_MAX_ATTRIBUTES) {
    tag->names[tag->n_attributes] = name;
    tag->values[tag->n_attributes++] = (SofaVtkWords){t->at, (size_t)(stop - t->at)};
  }
  sofa_vtk_move(t, stop + 1);
  return SOFA_OK;
}

/* Moves to the end of a comment or declaration that begins at `at`. */
static SofaErr skip_until(SofaMeshText *t, const char *end) {
  const char *stop = memmem(t->at, (size_t)(t->end - t->at), end, strlen(end));
  if (!stop) return fail(t, "a comment or declaration has no end");
  sofa_vtk_move(t, stop);
  return SOFA_OK;
}

SofaErr sofa_vtk_next_tag(SofaMeshText *t, SofaVtkTag *tag, bool *found) {
  memset(tag, 0, sizeof *tag);
  *found = false;
  for (;;) {
    const char *open = t->at < t->end ? memchr(t->at, '<', (size_t)(t->end - t->at)) : NULL;
    if (!open) return SOFA_OK;
    sofa_vtk_move(t, open);
    const size_t left = (size_t)(t->end - t->at);
    if (left >= 4 && memcmp(t->at, "<!--", 4) == 0) SOFA_TRY(skip_until(t, "-->"));
    else if (left >= 2 && (t->at[1] == '?' || t->at[1] == '!')) SOFA_TRY(skip_until(t, ">"));
    else break;
  }
  t->at++;
  tag->closing = t->at < t->end && *t->at == '/';
  t->at += tag->closing;
  tag->name = take_name(t);
  for (sofa_mesh_skip(t); t->at < t->end && *t->at != '>' && *t->at != '/'; sofa_mesh_skip(t))
    SOFA_TRY(read_attribute(t, tag));
  tag->empty = t->at < t->end && *t->at == '/';
  t->at += tag->empty;
  if (!tag->name.n || t->at == t->end || *t->at != '>') return fail(t, "a tag is broken");
  t->at++;
  *found = true;
  return SOFA_OK;
}

SofaVtkWords sofa_vtk_attribute(const SofaVtkTag *tag, const char *name) {
  for (size_t i = 0; i < tag->n_attributes; i++)
    if (sofa_vtk_is(tag->names[i], name)) return tag->values[i];
  return (SofaVtkWords){NULL, 0};
}

SofaErr sofa_vtk_count(SofaMeshText *t, const SofaVtkTag *tag, const char *name, size_t *count) {
  const SofaVtkWords w = sofa_vtk_attribute(tag, name);
  const char *stop;
  int64_t n = 0;
  *count = 0;
  if (!w.at) return SOFA_OK;
  if (!sofa_parse_int(w.at, w.at + w.n, &stop, &n) || stop != w.at + w.n || n < 0)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "%s='%.*s' is not a count", name,
                          (int)(w.n < 40 ? w.n : 40), w.at);
  *count = (size_t)n;
  return SOFA_OK;
}
