/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder that a scene adds to those where files or plugins are searched. */
#include "components/sceneutility/repository.h"

#include <sys/stat.h>
#include "base/files.h"

/* Relative paths begin at the folder of the scene. */
static char *full_path(const Repository *r) {
  SofaContext *ctx = r->object.ctx;
  if (sofa_is_absolute(r->path) || !r->object.file) return sofa_strdup(ctx, r->path);
  char *folder = sofa_path_folder(ctx, r->object.file);
  char *path = folder ? sofa_path_join(ctx, folder, r->path) : NULL;
  sofa_free(ctx, folder);
  return path;
}

SofaErr repository_parsed(Repository *r, SofaPaths which) {
  SofaContext *ctx = r->object.ctx;
  struct stat info;
  if (!r->path || !*r->path)
    return sofa_field_fail(&r->object, "path", SOFA_ERR_ARGUMENT, "names no folder");
  char *path = full_path(r);
  if (!path) return SOFA_ERR_MEMORY;
  SofaErr err = SOFA_OK;
  if (stat(path, &info) != 0)
    err = sofa_field_fail(&r->object, "path", SOFA_ERR_NOT_FOUND, "there is no folder '%s'", path);
  else if (!S_ISDIR(info.st_mode))
    err = sofa_field_fail(&r->object, "path", SOFA_ERR_NOT_FOUND, "'%s' is not a folder", path);
  if (err == SOFA_OK) err = sofa_context_add_path(ctx, which, path);
  if (err == SOFA_OK) r->added = path;
  else sofa_free(ctx, path);
  return err;
}

void repository_destroy(Repository *r, SofaPaths which) {
  if (r->added) sofa_context_remove_path(r->object.ctx, which, r->added);
  sofa_free(r->object.ctx, r->added);
}
