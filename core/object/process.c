/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls of what plugins start for a process. */
#include "object/process.h"

#include "object/factory.h"

const SofaInterface sofa_process_interface = {
    .name = "process",
    SOFA_REQUIRES(offsetof(SofaProcessOps, join), offsetof(SofaProcessOps, end))};

SofaErr sofa_process_join(SofaContext *ctx, SofaPlace *place) {
  *place = (SofaPlace){.rank = 0, .n = 1};
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaProcessOps *ops = sofa_class_ops(sofa_factory_class_at(ctx, i), SOFA_PROCESS);
    if (ops) return ops->join(ctx, place);
  }
  return sofa_fail(ctx, SOFA_ERR_NOT_FOUND, NULL, "no plugin that joins processes is loaded");
}

void sofa_process_end(SofaContext *ctx, int status) {
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaProcessOps *ops = sofa_class_ops(sofa_factory_class_at(ctx, i), SOFA_PROCESS);
    if (ops) ops->end(status);
  }
}
