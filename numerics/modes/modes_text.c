/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modes as text. */
#include "base/text.h"
#include "numerics/modes/modes.h"

static SofaErr print_number(SofaContext *ctx, SofaText *out, double value) {
  char text[40];
  sofa_print_real(text, value, 5);
  return sofa_text_printf(ctx, out, "%13s", text);
}

static const char *kind_of(const SofaMode *mode) {
  return mode->rigid ? "rigid" : mode->value < 0 ? "unstable" : "";
}

static double share(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

static SofaErr print_vibration(const SofaModes *modes, SofaText *out) {
  SofaContext *ctx = modes->ctx;
  double sum[3] = {0, 0, 0};
  SOFA_TRY(sofa_text_printf(ctx, out, "%5s%13s%13s%13s%13s%13s\n", "mode", "frequency Hz",
                            "mass x %", "mass y %", "mass z %", "residual"));
  for (size_t i = 0; i < modes->n; i++) {
    const SofaMode *mode = &modes->mode[i];
    SOFA_TRY(sofa_text_printf(ctx, out, "%5zu", i + 1));
    SOFA_TRY(print_number(ctx, out, mode->rigid ? 0 : mode->frequency));
    for (int k = 0; k < 3; k++) {
      sum[k] += mode->mass[k];
      SOFA_TRY(print_number(ctx, out, share(mode->mass[k], modes->total_mass[k])));
    }
    SOFA_TRY(print_number(ctx, out, mode->residual));
    SOFA_TRY(sofa_text_printf(ctx, out, "%s%s\n", *kind_of(mode) ? "  " : "", kind_of(mode)));
  }
  SOFA_TRY(sofa_text_printf(ctx, out, "%5s%13s", "sum", ""));
  for (int k = 0; k < 3; k++) SOFA_TRY(print_number(ctx, out, share(sum[k], modes->total_mass[k])));
  return sofa_text_printf(ctx, out, "\n");
}

static SofaErr print_buckling(const SofaModes *modes, SofaText *out) {
  SofaContext *ctx = modes->ctx;
  SOFA_TRY(sofa_text_printf(ctx, out, "%5s%13s%13s\n", "mode", "factor", "residual"));
  for (size_t i = 0; i < modes->n; i++) {
    SOFA_TRY(sofa_text_printf(ctx, out, "%5zu", i + 1));
    SOFA_TRY(print_number(ctx, out, modes->mode[i].value));
    SOFA_TRY(print_number(ctx, out, modes->mode[i].residual));
    SOFA_TRY(sofa_text_printf(ctx, out, "\n"));
  }
  return SOFA_OK;
}

SofaErr sofa_modes_print(const SofaModes *modes, SofaText *out) {
  const bool buckling = modes->kind == SOFA_MODES_BUCKLING;
  return (buckling ? print_buckling : print_vibration)(modes, out);
}

static SofaErr csv_numbers(SofaContext *ctx, SofaText *out, size_t n, const double *values) {
  for (size_t i = 0; i < n; i++) {
    SOFA_TRY(sofa_text_printf(ctx, out, ","));
    SOFA_TRY(sofa_text_real(ctx, out, values[i], 0));
  }
  return SOFA_OK;
}

SofaErr sofa_modes_csv(const SofaModes *modes, SofaText *out) {
  SofaContext *ctx = modes->ctx;
  const bool buckling = modes->kind == SOFA_MODES_BUCKLING;
  SOFA_TRY(sofa_text_printf(
      ctx, out, "%s",
      buckling ? "mode,factor [1],residual [1]\n"
               : "mode,frequency [Hz],rigid,residual [1],participation x [kg^1/2],participation y "
                 "[kg^1/2],participation z [kg^1/2],mass x [kg],mass y [kg],mass z [kg]\n"));
  for (size_t i = 0; i < modes->n; i++) {
    const SofaMode *mode = &modes->mode[i];
    SOFA_TRY(sofa_text_printf(ctx, out, "%zu", i + 1));
    SOFA_TRY(csv_numbers(ctx, out, 1, buckling ? &mode->value : &mode->frequency));
    if (!buckling) SOFA_TRY(sofa_text_printf(ctx, out, ",%d", mode->rigid));
    SOFA_TRY(csv_numbers(ctx, out, 1, &mode->residual));
    if (!buckling) SOFA_TRY(csv_numbers(ctx, out, 3, mode->participation));
    if (!buckling) SOFA_TRY(csv_numbers(ctx, out, 3, mode->mass));
    SOFA_TRY(sofa_text_printf(ctx, out, "\n"));
  }
  return SOFA_OK;
}
