/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a scene file, with file and line. A class may read them when it decides whether an
 * object can be created. */
#ifndef SOFA_OBJECT_ELEMENT_H
#define SOFA_OBJECT_ELEMENT_H

#include "base/array.h"

SOFA_BEGIN_DECLS

typedef struct SofaAttribute {
  char *name, *value;
  int line;
  bool used;  /* consumed by the object or node */
  bool given; /* by a setting (scene/settings.h), not by the file */
} SofaAttribute;
typedef struct SofaAttributes {
  SofaAttribute *data;
  size_t n, capacity;
} SofaAttributes;

typedef struct SofaElement {
  char *tag;        /* "Node", class name (also of <Object type="X">), ... */
  const char *file; /* owned by the description */
  int line;
  SofaAttributes attributes; /* without `type` of the legacy form */
  struct SofaElement **children;
  size_t n_children, capacity;
} SofaElement;

const char *sofa_element_attribute(const SofaElement *element, const char *name); /* or NULL */

SOFA_END_DECLS

#endif
