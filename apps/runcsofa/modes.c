/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --modes and --buckling: the table on the output, the same as CSV, shapes as VTU. */
#include "modes.h"

#include "base/output.h"
#include "base/text.h"
#include "numerics/modes/modes.h"

static SofaErr print(const SofaModes *modes) {
  SofaText text = {0};
  const SofaErr err = sofa_modes_print(modes, &text);
  if (err == SOFA_OK) fwrite(text.data, 1, text.n, stdout);
  fflush(stdout);
  sofa_list_free(modes->ctx, &text);
  return err;
}

static SofaErr write_csv(const SofaModes *modes) {
  const bool buckling = modes->kind == SOFA_MODES_BUCKLING;
  const SofaOutputSpec spec = {.path = buckling ? "buckling.csv" : "modes.csv",
                               .what = "the modes"};
  SofaText text = {0};
  SofaErr err = sofa_modes_csv(modes, &text);
  if (err == SOFA_OK) err = sofa_output_whole(modes->ctx, &spec, text.data, text.n);
  sofa_list_free(modes->ctx, &text);
  return err;
}

static SofaErr write_shape(const SofaModes *modes, size_t i, const char *name,
                           SofaVtkBuffers *buffers) {
  char *path = sofa_format(modes->ctx, "%s_%zu.vtu", name, i + 1);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaOutputSpec spec = {
      .path = path, .what = "the shape of a mode", .provenance = SOFA_REMARK_XML};
  SofaErr err = sofa_modes_vtu(modes, i, buffers);
  if (err == SOFA_OK)
    err = sofa_output_whole(modes->ctx, &spec, buffers->text.data, buffers->text.n);
  sofa_free(modes->ctx, path);
  return err;
}

static SofaErr write_shapes(const SofaModes *modes, const char *name) {
  SofaVtkBuffers buffers = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; err == SOFA_OK && i < modes->n; i++)
    err = write_shape(modes, i, name, &buffers);
  sofa_vtk_buffers_free(modes->ctx, &buffers);
  return err;
}

SofaErr modes_write(SofaSimulation *simulation, const RunOptions *options) {
  const SofaModesRequest request = {.kind = options->buckling ? SOFA_MODES_BUCKLING
                                                              : SOFA_MODES_VIBRATION,
                                    .n = options->buckling ? options->buckling : options->modes};
  SofaModes *modes = NULL;
  if (!options_ask_modes(options)) return SOFA_OK;
  SofaErr err = sofa_modes_create(simulation, &request, &modes);
  if (err == SOFA_OK) err = print(modes);
  if (err == SOFA_OK) err = write_csv(modes);
  if (err == SOFA_OK && options->shapes) err = write_shapes(modes, options->shapes);
  sofa_modes_destroy(&modes);
  return err;
}
