/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the file that a field of an object names. */
#ifndef SOFA_NUMERICS_IO_OBJECT_FILE_H
#define SOFA_NUMERICS_IO_OBJECT_FILE_H

#include "base/files.h"
#include "object/object.h"

SOFA_BEGIN_DECLS

typedef SofaErr (*SofaFileReader)(void *user, const SofaFileBytes *file);

/* Hands the bytes of the file (a NUL follows them) to `read`, with an origin for its messages.
 * A file that was not found is reported with the field. */
SofaErr sofa_object_read_file(const SofaObject *object, const char *field,
                              const SofaFileName *filename, SofaFileReader read, void *user);

SOFA_END_DECLS

#endif
