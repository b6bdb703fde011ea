/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices of a plan at points beside its state. */
#include "numerics/assembly/assembly.h"
#include "numerics/modes/modes_impl.h"
#include "simulation/vectors.h"

SofaErr modes_point_create(SofaMechanics *m, ModesPoint *out) {
  *out = (ModesPoint){.m = m};
  out->x = sofa_alloc(m->ctx, m->n_x + 1, sizeof *out->x);
  out->f = sofa_alloc(m->ctx, m->n_v + 1, sizeof *out->f);
  out->v = sofa_alloc(m->ctx, m->n_v + 1, sizeof *out->v);
  return out->x && out->f && out->v ? SOFA_OK : SOFA_ERR_MEMORY;
}

void modes_point_free(ModesPoint *point) {
  if (!point->m) return;
  sofa_free(point->m->ctx, point->x);
  sofa_free(point->m->ctx, point->f);
  sofa_free(point->m->ctx, point->v);
}

static SofaMechParams params_of(const SofaMechanics *m, double mass, double k) {
  return sofa_mech_params(m->node->dt, m->node->time, mass, 0, k);
}

SofaErr modes_point_set(ModesPoint *point, double factor, const double *d, double load_factor) {
  SofaMechanics *m = point->m;
  const SofaMechParams p = params_of(m, 0, 0);
  m->load_factor = load_factor;
  sofa_vec_copy(sofa_all_x(m), m->x, point->x);
  if (d) sofa_mech_integrate_x(m, factor, d, point->x);
  point->at = sofa_mech_point(m, point->x, point->v, m->node->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &point->at, point->x));
  return sofa_mech_compute_force(m, &p, &point->at, point->f);
}

SofaErr modes_matrix(const SofaObject *owner, ModesPoint *point, double m, double k,
                     double *asymmetry, SofaSymmetric **out) {
  const SofaAssemblyParts parts = {.stiffness = true,
                                   .mass = true,
                                   .geometric_stiffness = true,
                                   .mapped = true,
                                   .constraints = true};
  const SofaMechParams p = params_of(point->m, m, -k);
  SofaAssembly *assembly = NULL;
  SOFA_TRY(sofa_assembly_create(owner, &assembly));
  SofaErr err = sofa_assembly_build(assembly, point->m, &p, &point->at, &parts);
  if (err == SOFA_OK)
    err = sofa_symmetric_create(point->m->ctx, sofa_assembly_matrix(assembly), asymmetry, out);
  sofa_assembly_destroy(&assembly);
  return err;
}

SofaErr modes_mass(const SofaObject *owner, ModesPoint *point, double *held, SofaSymmetric **out) {
  SofaSymmetric *mass = NULL, *ones = NULL;
  SofaErr err = modes_matrix(owner, point, 1, 0, NULL, &mass);
  if (err == SOFA_OK) err = modes_matrix(owner, point, 0, 0, NULL, &ones);
  if (err == SOFA_OK) err = sofa_symmetric_sum(1, mass, -1, ones, out);
  *held = 0;
  for (size_t i = 0; err == SOFA_OK && i < sofa_symmetric_size(ones); i++)
    *held += sofa_symmetric_diagonal(ones, i);
  sofa_symmetric_destroy(&mass);
  sofa_symmetric_destroy(&ones);
  return err;
}
