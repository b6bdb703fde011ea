/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Centres of mass: weighing the points of the inputs. */
#include "components/mapping/center_of_mass.h"

#include "behavior/mass.h"

static SofaErr find_mass(const SofaMapping *map, const SofaState *in, SofaMass **mass) {
  *mass = (SofaMass *)sofa_node_find(in->object.node, SOFA_MASS, SOFA_SEARCH_LOCAL);
  if (!*mass)
    return sofa_object_fail(&map->object, SOFA_ERR_NOT_FOUND,
                            "there is no mass in the node of the input '%s'", in->object.name);
  if (!sofa_valid(&(*mass)->force_field.object))
    return sofa_object_fail(&map->object, SOFA_ERR_SCENE, "the mass '%s' is not valid",
                            (*mass)->force_field.object.name);
  if ((*mass)->force_field.object.initialised) return SOFA_OK;
  return sofa_object_fail(
      &map->object, SOFA_ERR_SCENE,
      "the mass '%s' comes after the mapping in the scene: move it before the mapping",
      (*mass)->force_field.object.name);
}

/* Masses of the points of input k: M times a unit translation along x; returned with one entry per
 * point. */
static SofaErr weigh(const SofaMapping *map, size_t k, double *points) {
  SofaContext *ctx = map->object.ctx;
  const SofaState *in = map->inputs[k];
  const size_t n = in->position.n, deriv = sofa_state_kind_info(in->object.kind)->deriv;
  SofaMass *mass = NULL;
  SOFA_TRY(find_mass(map, in, &mass));
  double *unit = sofa_alloc(ctx, 2 * n * deriv, sizeof *unit);
  if (!unit) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) unit[deriv * i] = 1;
  const SofaErr err = mass->inert ? SOFA_OK
                                  : sofa_mass_ops(mass)->add_mdx(mass, in->position.data, unit,
                                                                 unit + n * deriv, 1);
  for (size_t i = 0; i < n; i++) points[i] = unit[deriv * (n + i)];
  sofa_free(ctx, unit);
  return err;
}

/* The matrix of input k from the masses of its points. */
static SofaErr fill(SofaConstantMap *m, size_t k, const double *points, double total) {
  const SofaMapping *map = &m->multi.mapping;
  const SofaStateKindInfo *in = sofa_state_kind_info(map->inputs[k]->object.kind);
  const SofaStateKindInfo *out = sofa_state_kind_info(map->out->object.kind);
  SOFA_TRY(sofa_constant_map_open(m, k, m->n_in[k] * in->space));
  for (size_t c = 0; c < out->deriv; c++) {
    sofa_map_matrix_row(&m->part[k]);
    for (size_t i = 0; c < in->space && i < m->n_in[k]; i++)
      sofa_map_matrix_entry(&m->part[k], in->deriv * i + c, points[i] / total);
  }
  sofa_constant_map_close(m, k);
  return SOFA_OK;
}

SofaErr sofa_center_of_mass_setup(SofaMapping *mapping) {
  SofaConstantMap *m = (SofaConstantMap *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  size_t n = 0, at = 0;
  double total = 0;
  SofaErr err = SOFA_OK;
  SOFA_TRY(sofa_constant_map_begin(m, 1));
  for (size_t k = 0; k < m->n_parts; k++) n += m->n_in[k];
  double *points = sofa_alloc(ctx, n, sizeof *points);
  if (!points) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < m->n_parts; at += m->n_in[k++])
    SOFA_GO(err, done, weigh(mapping, k, points + at));
  for (size_t i = 0; i < n; i++) total += points[i];
  if (!(total > 0))
    SOFA_GO(err, done,
            sofa_object_fail(&mapping->object, SOFA_ERR_RANGE,
                             "the inputs have %g kg in all: there is no centre of mass", total));
  at = 0;
  for (size_t k = 0; k < m->n_parts; at += m->n_in[k++])
    SOFA_GO(err, done, fill(m, k, points + at, total));
done:
  sofa_free(ctx, points);
  return err;
}

const SofaMappingOps sofa_center_of_mass_ops = {
    .setup = sofa_center_of_mass_setup,
    .jacobian = sofa_constant_map_jacobian,
    .linear = true,
};
