/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line that says where an output comes from. */
#include "base/provenance.h"

#include <string.h>

#include "base/checksum.h"
#include "base/files.h"
#include "base/quirks.h"

SofaErr sofa_provenance_begin(SofaContext *ctx, const char *path) {
  SofaProvenance *p = &ctx->provenance;
  sofa_provenance_free(ctx);
  p->open = p->wanted;
  p->files_sum = SOFA_CHECKSUM_BEGIN;
  if (!p->open) return SOFA_OK;
  p->scene = sofa_strdup(ctx, sofa_path_name(path));
  return p->scene ? SOFA_OK : SOFA_ERR_MEMORY;
}

void sofa_provenance_file(SofaContext *ctx, const char *bytes, size_t n) {
  SofaProvenance *p = &ctx->provenance;
  if (!p->open) return;
  if (p->n_read++ == 0) p->scene_sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, bytes, n);
  else p->files_sum = sofa_checksum(p->files_sum, bytes, n);
}

const char *sofa_arithmetic(const char *isa) {
  return isa && strcmp(isa, "baseline") != 0 ? "fused" : "plain";
}

static SofaErr add_settings(SofaContext *ctx, SofaText *out) {
  for (size_t i = 0; i < ctx->settings.n; i++) {
    const SofaSetting *s = &ctx->settings.data[i];
    SOFA_TRY(sofa_text_printf(ctx, out, "%s%s.%s=", i ? ", " : "; set ", s->path, s->field));
    SOFA_TRY(sofa_text_escaped(ctx, out, s->value));
  }
  return SOFA_OK;
}

static SofaErr make_line(SofaContext *ctx, const char *isa, SofaText *out) {
  const SofaProvenance *p = &ctx->provenance;
  SOFA_TRY(sofa_text_printf(ctx, out, "csofa " CSOFA_VERSION "; scene "));
  SOFA_TRY(sofa_text_escaped(ctx, out, p->scene));
  SOFA_TRY(sofa_text_printf(ctx, out, " %016llx", (unsigned long long)p->scene_sum));
  if (p->n_read > 1)
    SOFA_TRY(sofa_text_printf(ctx, out, "; %zu file%s %016llx", p->n_read - 1,
                              p->n_read > 2 ? "s" : "", (unsigned long long)p->files_sum));
  SOFA_TRY(sofa_text_printf(ctx, out, "; arithmetic %s; quirks %s", sofa_arithmetic(isa),
                            sofa_quirks_chosen(ctx)));
  if (ctx->keep_going) SOFA_TRY(sofa_text_printf(ctx, out, "; keep-going"));
  return add_settings(ctx, out);
}

/* Two dashes would end a comment of XML. */
static void part_dashes(char *text) {
  for (char *at = text; (at = strstr(at, "--")) != NULL; at++) at[1] = '_';
}

SofaErr sofa_provenance_seal(SofaContext *ctx, const char *isa) {
  SofaProvenance *p = &ctx->provenance;
  SofaText line = {0};
  if (!p->open) return SOFA_OK;
  p->open = false;
  const SofaErr err = make_line(ctx, isa, &line);
  if (err == SOFA_OK) {
    part_dashes(line.data);
    p->line = sofa_strdup(ctx, line.data);
  }
  sofa_list_free(ctx, &line);
  return err != SOFA_OK ? err : p->line ? SOFA_OK : SOFA_ERR_MEMORY;
}

const char *sofa_provenance(const SofaContext *ctx) {
  return ctx->provenance.line;
}

void sofa_provenance_free(SofaContext *ctx) {
  sofa_free(ctx, ctx->provenance.scene);
  sofa_free(ctx, ctx->provenance.line);
  ctx->provenance = (SofaProvenance){.wanted = ctx->provenance.wanted};
}
