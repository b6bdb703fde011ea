/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instants and files of components that record blocks of text. */
#include "components/playback/recorder.h"

#include <math.h>
#include <string.h>

void recording_check_end(const SofaObject *object, const char *name, const char *text, size_t n) {
  const size_t begin = strlen(RECORDING_BEGIN), end = strlen(RECORDING_END);
  if (n < begin || sofa_compare(text, RECORDING_BEGIN, begin) != 0) return;
  if (n < begin + end || sofa_compare(text + n - end, RECORDING_END, end) != 0)
    sofa_object_message(object, SOFA_WARNING, "'%s' is cut off: it does not end with '# end'",
                        name);
}

SofaErr recorder_open(const SofaObject *object, Recorder *r) {
  if (!r->filename.text || !r->filename.text[0]) {
    sofa_object_message(object, SOFA_WARNING, "no filename: nothing is written");
    return SOFA_OK;
  }
  sofa_output_file_close(&r->file);
  SOFA_TRY(sofa_output_file_open(object, "filename", r->filename.text, &r->file));
  sofa_output_file_end(r->file, RECORDING_END);
  r->begun = false;
  return SOFA_OK;
}

void recorder_close(const SofaObject *object, Recorder *r) {
  sofa_output_file_close(&r->file);
  sofa_list_free(object->ctx, &r->text);
}

bool recorder_due(const SofaObject *object, Recorder *r) {
  const double time = object->node->time, margin = 0.1 * object->node->dt;
  const bool listed = r->next < r->times.n;
  if (r->every) return true;
  if (!listed && !r->periodic) return false;
  const double instant = listed ? r->times.data[r->next] : r->last + r->interval;
  if (!(time > instant || fabs(time - instant) < margin)) return false;
  r->last = instant;
  r->next += listed;
  return true;
}

SofaErr recorder_begin(const SofaObject *object, Recorder *r) {
  r->text.n = 0;
  if (!r->begun)
    SOFA_TRY(sofa_text_append(object->ctx, &r->text, RECORDING_BEGIN, strlen(RECORDING_BEGIN)));
  r->begun = true;
  SOFA_TRY(sofa_text_append(object->ctx, &r->text, "T= ", 3));
  SOFA_TRY(sofa_text_real(object->ctx, &r->text, object->node->time, 6));
  return sofa_text_append(object->ctx, &r->text, "\n", 1);
}

SofaErr recorder_write(Recorder *r) {
  return sofa_output_file_write(r->file, r->text.data, r->text.n);
}

void recorder_reset(Recorder *r) {
  r->next = 0;
  r->last = 0;
}

void recorder_save(const Recorder *r, SofaCheckpointWriter *to) {
  sofa_checkpoint_put_uint(to, r->begun);
  sofa_checkpoint_put_uint(to, r->next);
  sofa_checkpoint_put(to, &r->last, sizeof r->last);
  sofa_output_file_save(r->file, to);
}

SofaErr recorder_restore(Recorder *r, SofaCheckpointReader *from) {
  r->begun = sofa_checkpoint_get_uint(from) != 0;
  r->next = (size_t)sofa_checkpoint_get_uint(from);
  sofa_checkpoint_get(from, &r->last, sizeof r->last);
  if (r->next > r->times.n) sofa_checkpoint_misread(from);
  SOFA_TRY(sofa_output_file_restore(r->file, from));
  // a file that is not there begins anew
  if (r->file && !sofa_output_file_written(r->file)) r->begun = false;
  return SOFA_OK;
}
