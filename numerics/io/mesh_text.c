/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of the mesh readers: each names the file and the line. */
#include "numerics/io/mesh_text.h"

#include <stdarg.h>
#include <stdio.h>

/* Sends a message with the place of `at`: the line, or the byte in front of the text. */
static void say(SofaMeshText *t, SofaSeverity severity, const char *format, va_list args) {
  char with_byte[256];
  SofaOrigin origin = t->origin;
  if (t->binary) {
    const size_t byte = (size_t)(t->at - t->begin);
    snprintf(with_byte, sizeof with_byte, "byte %zu: %s", byte, format);
    format = with_byte;
  } else {
    origin.line = t->line;
  }
  sofa_message_va(t->ctx, severity, &origin, format, args);
}

SofaErr sofa_mesh_fail(SofaMeshText *t, SofaErr err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(t, SOFA_ERROR, format, args);
  va_end(args);
  return err;
}

SofaErr sofa_mesh_expected(SofaMeshText *t, const char *what) {
  sofa_mesh_skip(t);
  size_t n = 0;
  // quote what can be printed
  while (t->at + n < t->end && n < 40 && t->at[n] > ' ' && t->at[n] < 127) n++;
  if (t->at == t->end)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "the file ends where %s is expected", what);
  return sofa_mesh_fail(t, SOFA_ERR_PARSE, "expected %s, found '%.*s'", what, (int)n, t->at);
}

void sofa_mesh_warn(SofaMeshText *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(t, SOFA_WARNING, format, args);
  va_end(args);
}

SofaErr sofa_mesh_read_int(SofaMeshText *t, const char *what, int64_t *value) {
  return sofa_mesh_int(t, value) ? SOFA_OK : sofa_mesh_expected(t, what);
}

SofaErr sofa_mesh_read_count(SofaMeshText *t, const char *what, size_t bytes, size_t *count) {
  int64_t n;
  SOFA_TRY(sofa_mesh_read_int(t, what, &n));
  const size_t left = (size_t)(t->end - t->at);
  if (n < 0 || (uint64_t)n > left / bytes + 1)
    return sofa_mesh_fail(t, SOFA_ERR_RANGE, "%lld as %s does not fit the rest of the file",
                          (long long)n, what);
  *count = (size_t)n;
  return SOFA_OK;
}

SofaErr sofa_mesh_read_index(SofaMeshText *t, const char *what, int64_t first, size_t n,
                             uint32_t *index) {
  int64_t value;
  SOFA_TRY(sofa_mesh_read_int(t, what, &value));
  if (value < first || (uint64_t)(value - first) >= n)
    return sofa_mesh_fail(t, SOFA_ERR_RANGE, "%s is %lld, it must be in %lld to %lld", what,
                          (long long)value, (long long)first, (long long)first + (long long)n - 1);
  *index = (uint32_t)(value - first);
  return SOFA_OK;
}

SofaErr sofa_mesh_read_reals(SofaMeshText *t, const char *what, unsigned n, double *x) {
  for (unsigned k = 0; k < n; k++)
    if (!sofa_mesh_real(t, &x[k])) return sofa_mesh_expected(t, what);
  return SOFA_OK;
}
