/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder that a scene adds to those where files or plugins are searched. */
#ifndef SOFA_SCENEUTILITY_REPOSITORY_H
#define SOFA_SCENEUTILITY_REPOSITORY_H

#include "object/object.h"

typedef struct Repository {
  SofaObject object;
  char *path;
  char *added; /* owned; NULL: none */
} Repository;

/* Adds it, and takes it away again. */
SofaErr repository_parsed(Repository *r, SofaPaths which);
void repository_destroy(Repository *r, SofaPaths which);

#endif
