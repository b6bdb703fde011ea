/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the classes for several threads say. */
#include "components/multithreading/parallel.h"

SofaErr parallel_tell(SofaObject *object) {
  if (object->print_log)
    sofa_object_message(object, SOFA_INFO, "computes as %s, which uses the threads of the run (%d)",
                        object->klass->base ? object->klass->base->name : "", object->ctx->threads);
  return SOFA_OK;
}
