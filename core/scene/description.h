/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description tree: the elements of a scene file, each with file and line. Includes are
 * resolved here; nothing is created yet. */
#ifndef SOFA_SCENE_DESCRIPTION_H
#define SOFA_SCENE_DESCRIPTION_H

#include "object/element.h"

SOFA_BEGIN_DECLS

typedef struct SofaDescription {
  SofaElement *root; /* owned; NULL when the file could not be read */
  SofaStrings files; /* owned file names */
  size_t n_errors;   /* problems reported while reading */
} SofaDescription;

/* Limits for hostile input. */
enum {
  SOFA_SCENE_MAX_DEPTH = 256,
  SOFA_SCENE_MAX_BYTES = 256 << 20,
  SOFA_SCENE_MAX_INCLUDES = 1000
};

/* Reads a scene file (or text, name used in messages). No network, no entity expansion beyond the
 * predefined ones. A lone '&' stays as it is. Problems are reported with file and line. */
SofaErr sofa_description_read(SofaContext *ctx, const char *path, SofaDescription *out);
SofaErr sofa_description_read_text(SofaContext *ctx, const char *name, const char *folder,
                                   const char *text, size_t size, SofaDescription *out);
void sofa_description_free(SofaContext *ctx, SofaDescription *description);

SOFA_END_DECLS

#endif
