/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registration of the built-in modules. */
#include "components/builtins.h"

SofaErr sofa_register_builtins(SofaContext *ctx) {
  SOFA_TRY(sofa_factory_register(ctx, &sofa_names_module));
  for (size_t i = 0; sofa_builtin_modules[i]; i++)
    SOFA_TRY(sofa_factory_register(ctx, sofa_builtin_modules[i]));
  return SOFA_OK;
}

SofaErr sofa_context_create_with_builtins(const SofaContextOptions *options, SofaContext **out) {
  SofaErr err = sofa_context_create(options, out);
  if (!err) err = sofa_register_builtins(*out);
  if (err) sofa_context_destroy(out);
  return err;
}
