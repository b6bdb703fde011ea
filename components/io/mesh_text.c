/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of the mesh readers: each names the file and the line. */
#include "mesh_text.h"

#include <stdarg.h>

SofaErr sofa_mesh_expected(SofaMeshText *t, const char *what) {
  sofa_mesh_skip(t);
  SofaOrigin origin = t->origin;
  origin.line = t->line;
  size_t n = sofa_mesh_word(t);
  if (n == 0)
    return sofa_fail(t->ctx, SOFA_ERR_PARSE, &origin, "the file ends where %s is expected", what);
  if (n > 40) n = 40;
  return sofa_fail(t->ctx, SOFA_ERR_PARSE, &origin, "expected %s, found '%.*s'", what, (int)n,
                   t->at);
}

SofaErr sofa_mesh_fail(SofaMeshText *t, SofaErr err, const char *format, ...) {
  SofaOrigin origin = t->origin;
  origin.line = t->line;
  va_list args;
  va_start(args, format);
  sofa_message_va(t->ctx, SOFA_ERROR, &origin, format, args);
  va_end(args);
  return err;
}

void sofa_mesh_warn(SofaMeshText *t, const char *format, ...) {
  SofaOrigin origin = t->origin;
  origin.line = t->line;
  va_list args;
  va_start(args, format);
  sofa_message_va(t->ctx, SOFA_WARNING, &origin, format, args);
  va_end(args);
}
