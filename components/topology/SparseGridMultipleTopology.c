/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SparseGridMultipleTopology: a sparse grid of several surfaces, each with factors of stiffness and
 * mass for what is in it. */
#include "base/files.h"
#include "sparse_topology.h"

enum { QUIRK_ALWAYS_RAMIFIED = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_ALWAYS_RAMIFIED, "always-ramified",
     "SparseGridMultipleTopology with finer levels ignores computeRamifications",
     "test_quirks_sets.topologies"},
};

typedef struct Multiple {
  SofaSparseTopology grid;
  SofaStrings files;
  SofaReals stiffness, mass;
  bool ramified;
} Multiple;

typedef Multiple SofaSelf; /* of SOFA_ROW */

static const SofaField multiple_fields[] = {
    SOFA_ROW(files, "fileTopologies", "[]", "",
             "files of the surfaces; where several enclose a cell, the last one counts",
             .flags = SOFA_FIELD_REQUIRED),
    SOFA_ROW(stiffness, "stiffnessCoefs", NULL, "1",
             "factor of the stiffness in each surface; missing ones are 1",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(mass, "massCoefs", NULL, "1", "factor of the mass in each surface, likewise",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(
        ramified, "computeRamifications", "1", "",
        "cells share points only where they are connected, as in SparseGridRamificationTopology"),
    SOFA_ROW(
        grid.options.erase_previous, "erasePreviousCoef", "0", "",
        "cells that a surface crosses take its factors instead of the mean of those and the ones "
        "before (0 outside)"),
};

/* Factors, one per file. */
static SofaErr check_factors(const Multiple *m, const char *field, const SofaReals *factors) {
  const SofaObject *object = &m->grid.mesh_topology.topology.object;
  if (factors->n < m->files.n)
    sofa_object_message(object, SOFA_WARNING, "%s: %zu values for %zu files: the others are 1",
                        field, factors->n, m->files.n);
  return SOFA_OK;
}

static SofaErr read_body(Multiple *m, size_t i, SofaSparseBodies *out) {
  const SofaObject *object = &m->grid.mesh_topology.topology.object;
  SofaContext *ctx = object->ctx;
  SofaFileName file = {.text = m->files.data[i]};
  char *folder = NULL;
  SofaErr err = SOFA_OK;
  if (object->file) {
    folder = sofa_path_folder(ctx, object->file);
    if (!folder) return SOFA_ERR_MEMORY;
  }
  err = sofa_find_file(ctx, folder, file.text, &file.path);
  sofa_free(ctx, folder);
  if (err == SOFA_ERR_NOT_FOUND)
    return sofa_field_fail(object, "fileTopologies", err, "there is no file '%s'", file.text);
  if (err == SOFA_OK)
    err = sofa_sparse_read_body(&m->grid, "fileTopologies", &file,
                                i < m->stiffness.n ? m->stiffness.data[i] : 1,
                                i < m->mass.n ? m->mass.data[i] : 1, out);
  sofa_free(ctx, file.path);
  return err;
}

static SofaErr take_bodies(SofaSparseTopology *grid, SofaSparseBodies *out) {
  Multiple *m = (Multiple *)grid;
  const SofaObject *object = &grid->mesh_topology.topology.object;
  if (!m->files.n)
    return sofa_field_fail(object, "fileTopologies", SOFA_ERR_ARGUMENT, "names no file");
  SOFA_TRY(check_factors(m, "stiffnessCoefs", &m->stiffness));
  SOFA_TRY(check_factors(m, "massCoefs", &m->mass));
  grid->options.ramified =
      m->ramified || (grid->n_finer > 0 && sofa_quirk(object, QUIRK_ALWAYS_RAMIFIED));
  for (size_t i = 0; i < m->files.n; i++) SOFA_TRY(read_body(m, i, out));
  return SOFA_OK;
}

static SofaErr multiple_construct(SofaObject *object) {
  SofaSparseTopology *grid = (SofaSparseTopology *)object;
  grid->options.several = true;
  grid->take_bodies = take_bodies;
  return SOFA_OK;
}

static const char *const multiple_aliases[] = {"SparseGridMultiple", NULL};

SOFA_CLASS(SparseGridMultipleTopology) = {
    .name = "SparseGridMultipleTopology",
    .aliases = multiple_aliases,
    .module = "Sofa.Component.Topology.Container.Grid",
    .category = "Topology",
    .help = "A sparse grid of several closed surfaces, such as a body and inclusions in it, each "
            "with factors of the stiffness and the mass in it.",
    .base = &sofa_SparseGridRamificationTopology_class,
    SOFA_QUIRKS(quirks),
    .size = sizeof(Multiple),
    SOFA_FIELDS(multiple_fields),
    .construct = multiple_construct,
};
