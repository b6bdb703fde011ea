/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modes of a scene. */
#include "numerics/modes/modes.h"

#include "api/api_impl.h"

struct CsofaModes {
  SofaModes *modes;
};

void csofa_free_modes(CsofaModes *modes) {
  if (!modes) return;
  SofaContext *ctx = modes->modes->ctx;
  sofa_modes_destroy(&modes->modes);
  sofa_free(ctx, modes);
}

CsofaErr csofa_modes(CsofaScene *scene, size_t n, int buckling, CsofaModes **out) {
  SofaContext *ctx = scene->owner->ctx;
  const SofaModesRequest request = {buckling ? SOFA_MODES_BUCKLING : SOFA_MODES_VIBRATION, n};
  SofaModes *modes = NULL;
  *out = NULL;
  const CsofaErr ready = csofa_init(scene);
  if (ready != CSOFA_OK) return ready;
  csofa_begin(scene->owner);
  if (n == 0) return csofa_fail(scene->owner, SOFA_ERR_ARGUMENT, "no modes were asked for");
  const SofaErr err = sofa_modes_create(scene->simulation, &request, &modes);
  if (err != SOFA_OK) return csofa_end(scene->owner, err);
  *out = sofa_alloc(ctx, 1, sizeof **out);
  if (*out) (*out)->modes = modes;
  else sofa_modes_destroy(&modes);
  return csofa_end(scene->owner, *out ? SOFA_OK : SOFA_ERR_MEMORY);
}

size_t csofa_modes_count(const CsofaModes *modes) {
  return modes->modes->n;
}

double csofa_mode_value(const CsofaModes *modes, size_t i) {
  return modes->modes->mode[i].value;
}

int csofa_mode_is_rigid(const CsofaModes *modes, size_t i) {
  return modes->modes->mode[i].rigid;
}

const double *csofa_mode_mass(const CsofaModes *modes, size_t i) {
  return modes->modes->mode[i].mass;
}

const double *csofa_mode_shape(const CsofaModes *modes, size_t i, size_t *n) {
  *n = modes->modes->n_rows;
  return sofa_modes_shape(modes->modes, i);
}
