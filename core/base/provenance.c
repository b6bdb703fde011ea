/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line that says where an output comes from. */
#include "base/provenance.h"

#include <string.h>

#include "base/array.h"
#include "base/checksum.h"
#include "base/files.h"
#include "base/quirks.h"

SofaErr sofa_provenance_begin(SofaContext *ctx, const char *path, const char *words) {
  SofaProvenance *p = &ctx->provenance;
  sofa_provenance_free(ctx);
  p->open = p->wanted;
  if (!p->open) return SOFA_OK;
  p->scene = sofa_strdup(ctx, sofa_path_name(path));
  p->words = sofa_strdup(ctx, words);
  return p->scene && p->words ? SOFA_OK : SOFA_ERR_MEMORY;
}

SofaErr sofa_provenance_input(SofaContext *ctx, const char *path, uint64_t sum) {
  SofaProvenance *p = &ctx->provenance;
  SofaInput input = {.sum = sum};
  if (!p->open) return SOFA_OK;
  input.path = sofa_strdup(ctx, path);
  const SofaErr err = input.path ? SOFA_APPEND(ctx, &p->inputs, &input) : SOFA_ERR_MEMORY;
  if (err != SOFA_OK) sofa_free(ctx, input.path);
  return err;
}

SofaErr sofa_provenance_file(SofaContext *ctx, const char *path, const char *bytes, size_t n) {
  if (!ctx->provenance.open) return SOFA_OK;
  return sofa_provenance_input(ctx, path, sofa_checksum(SOFA_CHECKSUM_BEGIN, bytes, n));
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

/* The checksums of the scene, and of the other files together. */
static SofaErr add_inputs(SofaContext *ctx, const SofaInputs *inputs, SofaText *out) {
  const uint64_t scene = inputs->n > 0 ? inputs->data[0].sum : 0;
  uint64_t others = SOFA_CHECKSUM_BEGIN;
  SOFA_TRY(sofa_text_printf(ctx, out, " %016llx", (unsigned long long)scene));
  if (inputs->n < 2) return SOFA_OK;
  for (size_t i = 1; i < inputs->n; i++)
    others = sofa_checksum(others, &inputs->data[i].sum, sizeof others);
  return sofa_text_printf(ctx, out, "; %zu file%s %016llx", inputs->n - 1, inputs->n > 2 ? "s" : "",
                          (unsigned long long)others);
}

static SofaErr make_line(SofaContext *ctx, const char *isa, SofaText *out) {
  const SofaProvenance *p = &ctx->provenance;
  SOFA_TRY(sofa_text_printf(ctx, out, "csofa " CSOFA_VERSION "; scene "));
  SOFA_TRY(sofa_text_escaped(ctx, out, p->scene));
  SOFA_TRY(add_inputs(ctx, &p->inputs, out));
  SOFA_TRY(sofa_text_printf(ctx, out, "; arithmetic %s; quirks %s", sofa_arithmetic(isa),
                            sofa_quirks_chosen(ctx)));
  if (ctx->keep_going) SOFA_TRY(sofa_text_printf(ctx, out, "; keep-going"));
  if (*p->words) {
    SOFA_TRY(sofa_text_printf(ctx, out, "; "));
    SOFA_TRY(sofa_text_escaped(ctx, out, p->words));
  }
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

SofaErr sofa_provenance_copy(SofaContext *ctx, const SofaContext *from, const char *words) {
  const char *line = sofa_provenance(from);
  sofa_free(ctx, ctx->provenance.line);
  ctx->provenance.line = line ? sofa_format(ctx, "%s; %s", line, words) : NULL;
  return line && !ctx->provenance.line ? SOFA_ERR_MEMORY : SOFA_OK;
}

const SofaInputs *sofa_provenance_inputs(const SofaContext *ctx) {
  return &ctx->provenance.inputs;
}

void sofa_provenance_free(SofaContext *ctx) {
  SofaInputs *inputs = &ctx->provenance.inputs;
  for (size_t i = 0; i < inputs->n; i++) sofa_free(ctx, inputs->data[i].path);
  sofa_list_free(ctx, inputs);
  sofa_free(ctx, ctx->provenance.scene);
  sofa_free(ctx, ctx->provenance.words);
  sofa_free(ctx, ctx->provenance.line);
  ctx->provenance = (SofaProvenance){.wanted = ctx->provenance.wanted};
}
