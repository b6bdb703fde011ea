/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a scene file: look-up of attributes. */
#include "object/element.h"

#include <string.h>

const char *sofa_element_attribute(const SofaElement *element, const char *name) {
  for (size_t i = 0; i < element->attributes.n; i++)
    if (strcmp(element->attributes.data[i].name, name) == 0)
      return element->attributes.data[i].value;
  return NULL;
}
