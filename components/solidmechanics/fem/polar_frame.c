/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of elements by decomposition. */
#include "components/solidmechanics/fem/polar_frame.h"

#include <string.h>

SofaErr polar_frame_check(const SofaObject *object, const char *method, const char *why) {
  static const char *const without[] = {"large", "qr", "polar2"};
  for (size_t i = 0; i < SOFA_COUNT(without); i++)
    if (strcmp(method, without[i]) == 0)
      return sofa_field_fail(object, "consistent", SOFA_ERR_ARGUMENT,
                             "needs a frame from the deformation gradient: method=\"polar\", not "
                             "\"%s\", which takes it from edges",
                             method);
  if (why)
    return sofa_field_fail(object, "consistent", SOFA_ERR_ARGUMENT,
                           "there is no elastic energy with %s", why);
  return SOFA_OK;
}
