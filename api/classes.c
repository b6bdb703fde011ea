/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The classes of components whose functions an application gives. */
#include "api/api_impl.h"
#include "object/plugin.h"

SofaErr csofa_register(SofaContext *ctx) {
  static const SofaClass *const classes[] = {&csofa_controller_class, &csofa_engine_class,
                                             &csofa_force_field_class, &csofa_mapping_class, NULL};
  static const SofaModule module = {
      .abi = SOFA_ABI, .name = "application", .version = CSOFA_VERSION, .classes = classes};
  return sofa_factory_register(ctx, &module);
}
