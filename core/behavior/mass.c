/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of masses: common fields, and gravity given directly to velocities. */
#include "behavior/mass.h"

#include <string.h>

static const SofaField mass_fields[] = {
    SOFA_FIELD(SofaMass, separate_gravity, "separateGravity", "0", "",
               "add gravity to the velocities at the end of a step instead of to the forces"),
    SOFA_FIELD(SofaMass, rayleigh_mass, "rayleighMass", "0", "1/s",
               "Rayleigh damping proportional to this mass: adds rayleighMass M to the damping"),
};

/* "DOFs,geometry" templates: the state must be of the first kind. */
static bool mass_can_create(SofaNode *node, const struct SofaElement *element,
                            const char *template_name, SofaText *why) {
  char first[32];
  const size_t n = strcspn(template_name, ",");
  if (n >= sizeof first) return false;
  memcpy(first, template_name, n);
  first[n] = 0;
  return sofa_force_field_can_create(node, element, first, why);
}

const SofaClass sofa_mass_class = {
    .name = "Mass",
    .module = "csofa",
    .category = "Mass",
    .help = "The mass of a mechanical state; also the force of gravity on it.",
    .base = &sofa_force_field_class,
    .size = sizeof(SofaMass),
    .fields = mass_fields,
    .n_fields = sizeof mass_fields / sizeof *mass_fields,
    .can_create = mass_can_create,
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
