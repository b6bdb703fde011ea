/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the file that a field of an object names. */
#include "numerics/io/object_file.h"

#include "base/files.h"

SofaErr sofa_object_read_file(const SofaObject *object, const char *field,
                              const SofaFileName *filename, SofaFileReader read, void *user) {
  SofaContext *ctx = object->ctx;
  char *bytes = NULL, *path = NULL;
  size_t size = 0;
  SofaErr err;
  if (!filename->path)
    return sofa_field_fail(object, field, SOFA_ERR_NOT_FOUND, "file '%s' not found",
                           filename->text ? filename->text : "");
  SOFA_GO(err, done, sofa_read_file(ctx, filename->path, 0, &bytes, &size));
  path = sofa_object_path(object);
  const SofaOrigin origin = {.file = filename->path, .path = path, .emitter = object->klass->name};
  err = read(user, &(SofaFileBytes){&origin, bytes, size});
done:
  sofa_free(ctx, bytes);
  sofa_free(ctx, path);
  return err;
}
