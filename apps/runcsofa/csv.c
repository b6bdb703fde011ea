/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of CSV files (RFC 4180, without line ends in cells). */
#include "csv.h"

#include <string.h>

static SofaErr add_text(SofaContext *ctx, SofaText *cell, SofaStrings *cells) {
  char *copy = sofa_strndup(ctx, cell->n ? cell->data : "", cell->n);
  if (!copy) return SOFA_ERR_MEMORY;
  const SofaErr err = SOFA_APPEND(ctx, cells, &copy);
  if (err != SOFA_OK) sofa_free(ctx, copy);
  return err;
}

/* One cell up to its comma or the end of the line. */
static SofaErr read_cell(SofaContext *ctx, const char **at, SofaText *cell) {
  const char *p = *at;
  cell->n = 0;
  p += strspn(p, " \t");
  const bool quoted = *p == '"';
  p += quoted;
  while (*p && *p != '\n' && (quoted || *p != ',')) {
    if (quoted && *p == '"' && *++p != '"') break;
    SOFA_TRY(sofa_text_append(ctx, cell, p++, 1));
  }
  while (!quoted && cell->n && strchr(" \t\r", cell->data[cell->n - 1])) cell->n--;
  p += strcspn(p, ",\n");
  *at = p;
  return SOFA_OK;
}

SofaErr csv_read_line(SofaContext *ctx, const char **at, SofaStrings *cells) {
  SofaText cell = {0};
  SofaErr err = SOFA_OK;
  csv_free_line(ctx, cells);
  for (bool more = **at != '\0'; more && err == SOFA_OK;) {
    err = read_cell(ctx, at, &cell);
    if (err == SOFA_OK) err = add_text(ctx, &cell, cells);
    more = **at == ',';
    *at += **at != '\0';
  }
  sofa_list_free(ctx, &cell);
  return err;
}

void csv_free_line(SofaContext *ctx, SofaStrings *cells) {
  for (size_t i = 0; i < cells->n; i++) sofa_free(ctx, cells->data[i]);
  sofa_list_free(ctx, cells);
  *cells = (SofaStrings){0};
}

SofaErr csv_add_cell(SofaContext *ctx, SofaText *line, const char *cell) {
  if (!cell[strcspn(cell, ",\"\n\r")] && cell[strspn(cell, " \t")] == cell[0])
    return sofa_text_append(ctx, line, cell, strlen(cell));
  SOFA_TRY(sofa_text_append(ctx, line, "\"", 1));
  for (; *cell; cell++) {
    if (*cell == '"') SOFA_TRY(sofa_text_append(ctx, line, "\"", 1));
    SOFA_TRY(sofa_text_append(ctx, line, *cell == '\n' || *cell == '\r' ? " " : cell, 1));
  }
  return sofa_text_append(ctx, line, "\"", 1);
}
