/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that components write: failures are reported by the object. */
#include "numerics/io/output_file.h"

#include "object/shared_output.h"

struct SofaOutputFile {
  const SofaObject *object; /* the object that writes, for messages */
  const char *field;        /* its field with the name, while the file is opened; else NULL */
  SofaOutput *output;
  SofaSharedOutput shared; /* its output NULL: the file is not shared */
};

static void report(void *user, const char *path, const char *why) {
  const SofaOutputFile *file = user;
  if (file->field)
    sofa_field_fail(file->object, file->field, SOFA_ERR_IO, "cannot write '%s': %s", path, why);
  else sofa_object_fail(file->object, SOFA_ERR_IO, "cannot write '%s': %s", path, why);
}

static SofaOutputSpec spec_of(SofaOutputFile *file, const char *path) {
  return (SofaOutputSpec){.path = path, .report = report, .user = file, .of_scene = true};
}

/* A file of that name which was there before is not an input of the scene. */
static void forget_found(const SofaObject *object, const char *name) {
  const SofaField *field = sofa_class_field(object->klass, name);
  if (field->type != &sofa_type_filename) return;
  SofaFileName *value = sofa_field_value(object, field);
  sofa_free(object->ctx, value->path);
  value->path = NULL;
}

SofaErr sofa_output_file_check(const SofaObject *object, const char *field, const char *path) {
  forget_found(object, field);
  SofaOutputFile file = {.object = object, .field = field};
  const SofaOutputSpec spec = spec_of(&file, path);
  return sofa_output_check(object->ctx, &spec);
}

SofaErr sofa_output_file_open(const SofaObject *object, const char *field, const char *path,
                              SofaOutputFile **out) {
  *out = NULL;
  forget_found(object, field);
  SofaOutputFile *file = sofa_alloc(object->ctx, 1, sizeof *file);
  if (!file) return SOFA_ERR_MEMORY;
  *file = (SofaOutputFile){.object = object, .field = field};
  SofaOutputSpec spec = spec_of(file, path);
  spec.gzip = true;
  const SofaErr err = sofa_output_open(object->ctx, &spec, &file->output);
  file->field = NULL;
  if (err == SOFA_OK) *out = file;
  else sofa_free(object->ctx, file);
  return err;
}

void sofa_output_file_share(SofaOutputFile *file) {
  file->shared.output = file->output;
}

SofaErr sofa_output_file_write(SofaOutputFile *file, const char *bytes, size_t n) {
  if (file->shared.output)
    return sofa_shared_output_write(file->object->ctx, &file->shared, bytes, n);
  SOFA_TRY(sofa_output_write(file->output, bytes, n));
  return sofa_output_flush(file->output);
}

void sofa_output_file_end(SofaOutputFile *file, const char *end) {
  sofa_output_end(file->output, end);
}

SofaErr sofa_output_file_rewind(SofaOutputFile *file) {
  if (!sofa_output_is_packed(file->output)) return sofa_output_rewind(file->output);
  return sofa_object_unsupported(file->object, "writing a compressed file again at every step");
}

void sofa_output_file_close(SofaOutputFile **out) {
  SofaOutputFile *file = *out;
  if (!file) return;
  sofa_shared_output_end(file->object->ctx, &file->shared);
  sofa_output_close(&file->output);
  sofa_free(file->object->ctx, file);
  *out = NULL;
}

SofaErr sofa_output_file_replace(const SofaObject *object, const char *path, const char *bytes,
                                 size_t n) {
  SofaOutputFile file = {.object = object};
  SofaOutputSpec spec = spec_of(&file, path);
  spec.provenance = sofa_remark_of(path);
  return sofa_output_whole(object->ctx, &spec, bytes, n);
}

SofaErr sofa_output_file_replace_piece(const SofaObject *object, const char *path,
                                       const char *bytes, size_t n) {
  SofaOutputFile file = {.object = object};
  SofaOutputSpec spec = spec_of(&file, path);
  spec.provenance = sofa_remark_of(path);
  spec.piece = true;
  return sofa_output_whole(object->ctx, &spec, bytes, n);
}

uint64_t sofa_output_file_written(const SofaOutputFile *file) {
  return sofa_output_written(file->output);
}

void sofa_output_file_save(const SofaOutputFile *file, SofaCheckpointWriter *to) {
  uint64_t n = file ? sofa_output_written(file->output) : 0;
  // of several processes the first one writes
  const SofaErr err = file ? sofa_process_spread(file->object->ctx, 0, sizeof n, &n) : SOFA_OK;
  if (to->err == SOFA_OK) to->err = err;
  sofa_checkpoint_put_uint(to, n);
}

SofaErr sofa_output_file_restore(SofaOutputFile *file, SofaCheckpointReader *from) {
  const uint64_t n = sofa_checkpoint_get_uint(from);
  bool found = false;
  if (!file || !n) return SOFA_OK;
  SOFA_TRY(sofa_output_continue(file->output, n, &found));
  if (!found)
    sofa_object_message(file->object, SOFA_WARNING,
                        "the file of the saved run is not there, or it is compressed: '%s' has the "
                        "steps of this run only",
                        sofa_output_temporary(file->output));
  return SOFA_OK;
}
