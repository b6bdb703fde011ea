/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of springs in a file. */
#include "components/solidmechanics/spring/spring_log.h"

#include <string.h>

#include "base/text.h"

SofaErr sofa_spring_log_init(SofaSpringLog *log, const SofaObject *object, const char *field) {
  sofa_spring_log_destroy(log);
  if (!log->name.text || !log->name.text[0]) return SOFA_OK;
  SOFA_TRY(sofa_output_file_open(object, field, log->name.text, &log->file));
  log->per_call = sofa_quirk(object, QUIRK_SPRING_FILES);
  return log->reinit ? sofa_output_file_rewind(log->file) : SOFA_OK;
}

void sofa_spring_log_reset(SofaSpringLog *log) {
  log->last = 0;
}

void sofa_spring_log_destroy(SofaSpringLog *log) {
  sofa_output_file_close(&log->file);
}

bool sofa_spring_log_due(SofaSpringLog *log, double time) {
  if (!log->file || time < log->last + log->period) return false;
  log->last += log->period;
  return true;
}

SofaErr sofa_spring_log_rewind(SofaSpringLog *log) {
  return log->file && log->reinit ? sofa_output_file_rewind(log->file) : SOFA_OK;
}

/* Cuts what does not fit, which no record reaches. */
static void put(SofaSpringLog *log, const char *text) {
  const size_t room = sizeof log->text - log->n, length = strlen(text);
  const size_t n = length < room ? length : room;
  sofa_copy(log->text + log->n, text, n);
  log->n += n;
}

static void put_real(SofaSpringLog *log, double value) {
  char text[40];
  sofa_print_real(text, value, 0);
  put(log, text);
}

void sofa_spring_log_begin(SofaSpringLog *log, double time) {
  log->n = 0;
  put(log, "T= ");
  put_real(log, time);
  put(log, "\n");
}

void sofa_spring_log_row(SofaSpringLog *log, const char *word, const double *values, size_t n,
                         const char *separator) {
  put(log, "  ");
  put(log, word);
  put(log, "= ");
  for (size_t i = 0; i < n; i++) {
    if (i) put(log, separator);
    put_real(log, values[i]);
  }
  put(log, "\n");
}

SofaErr sofa_spring_log_end(SofaSpringLog *log) {
  if (log->reinit) put(log, "\n\n\n\n\n");
  return sofa_output_file_write(log->file, log->text, log->n);
}
