/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: any bytes are a scene or an error, never a crash, a leak or a hang. The scene is
 * read, its graph made and looked over; nothing is initialised. */
#include "fuzz.h"

#include "components/builtins.h"
#include "object/factory.h"
#include "scene/builder.h"
#include "scene/description.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t said = 0;
  SofaSimulation *simulation = NULL;
  SofaDescription description = {0};
  SofaContext *ctx = fuzz_context(&said);
  char *copy = fuzz_copy(bytes, size);
  if (ctx && copy && sofa_register_builtins(ctx) == SOFA_OK &&
      sofa_description_read_text(ctx, "scene.scn", NULL, copy, size, &description) == SOFA_OK &&
      sofa_simulation_create(ctx, &simulation) == SOFA_OK) {
    if (sofa_scene_build(simulation, &description) == SOFA_OK) (void)sofa_scene_check(simulation);
  }
  sofa_simulation_destroy(&simulation);
  if (ctx) sofa_description_free(ctx, &description);
  free(copy);
  sofa_context_destroy(&ctx);
  return 0;
}
