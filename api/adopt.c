/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes of simulations that somebody else owns. */
#include <stdlib.h>

#include "api/api_impl.h"

CsofaErr csofa_adopt(struct SofaSimulation *simulation, CsofaScene **out) {
  CsofaContext *context = calloc(1, sizeof *context);
  CsofaScene *scene = calloc(1, sizeof *scene);
  *out = NULL;
  SofaErr err = context && scene ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = csofa_register(simulation->ctx);
  if (err != SOFA_OK) {
    free(context);
    free(scene);
    return (CsofaErr)err;
  }
  context->ctx = simulation->ctx;
  csofa_listen(context);
  *scene = (CsofaScene){.owner = context, .simulation = simulation, .borrowed = true};
  *out = scene;
  return CSOFA_OK;
}

void csofa_release(CsofaScene *scene) {
  if (!scene || !scene->borrowed) return;
  if (scene->owner->on_solve) csofa_on_solve(scene->owner, NULL, NULL);
  csofa_free_texts(scene->owner);
  free(scene->owner);
  free(scene);
}
