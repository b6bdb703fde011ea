/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzer of scene files: any bytes are a scene or an error, never a crash, a leak or a hang. */
#include "object/factory.h"
#include "scene/builder.h"
#include "scene/description.h"

static void silent(void *user, const SofaMessage *message) {
  (void)user;
  (void)message;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const SofaContextOptions options = {.sink = silent, .keep_going = true};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaDescription description = {0};
  if (sofa_context_create(&options, &ctx) != SOFA_OK) return 0;
  if (sofa_register_builtins(ctx) == SOFA_OK &&
      sofa_description_read_text(ctx, "scene.scn", NULL, (const char *)bytes, size, &description) ==
          SOFA_OK &&
      sofa_simulation_create(ctx, &simulation) == SOFA_OK) {
    if (sofa_scene_build(simulation, &description) == SOFA_OK) (void)sofa_scene_check(simulation);
  }
  sofa_simulation_destroy(&simulation);
  sofa_description_free(ctx, &description);
  sofa_context_destroy(&ctx);
  return 0;
}
