/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of masses: common fields, and gravity given directly to velocities. */
#include "behavior/mass.h"

static const SofaField mass_fields[] = {SOFA_MASS_ROWS(SofaMass, )};

const SofaClass sofa_mass_class = {
    .name = "Mass",
    .module = "csofa",
    .category = "Mass",
    .help = "The mass of a mechanical state; also the force of gravity on it.",
    .base = &sofa_force_field_class,
    .size = sizeof(SofaMass),
    .fields = mass_fields,
    .n_fields = sizeof mass_fields / sizeof *mass_fields,
    .abstract = true,
};

void sofa_mass_add_gravity_to_v(SofaMass *mass, double dt, double *v) {
  const SofaState *state = mass->force_field.state[0];
  if (!state) return;
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  const double *g = mass->force_field.object.node->gravity.v;
  for (size_t i = 0; i < sofa_state_size(state); i++)
    for (unsigned c = 0; c < kind->space; c++) v[i * kind->deriv + c] += g[c] * dt;
}

SofaErr sofa_mass_refuse(SofaMass *mass, SofaErr err) {
  if (!mass->force_field.object.ctx->keep_going) return err;
  mass->inert = true;
  return SOFA_OK;
}
