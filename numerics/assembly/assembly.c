/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assembly over the main states, constraints, and the product with the assembled matrix. */
#include "numerics/assembly/assembly_impl.h"

#include "behavior/state_division.h"

SofaErr sofa_assembly_create(const SofaObject *owner, SofaAssembly **out) {
  *out = sofa_alloc(owner->ctx, 1, sizeof **out);
  if (!*out) return SOFA_ERR_MEMORY;
  (*out)->ctx = owner->ctx;
  (*out)->owner = owner;
  return SOFA_OK;
}

/* What belongs to one plan. */
static void free_plan(SofaAssembly *a) {
  sofa_assembly_free_mapped(a);
  sofa_assembly_free_reuse(a);
  sofa_block_matrix_destroy(&a->matrix);
  sofa_symmetric_operator_destroy(&a->symmetric);
  sofa_free(a->ctx, a->mask);
  sofa_free(a->ctx, a->mapped_mask);
  sofa_list_free(a->ctx, &a->projections);
  sofa_free(a->ctx, a->pairs);
  a->mask = a->mapped_mask = NULL;
  a->pairs = NULL;
  a->n_pairs = 0;
  a->planned = false;
  a->builds = 0;
}

void sofa_assembly_destroy(SofaAssembly **assembly) {
  SofaAssembly *a = *assembly;
  if (!a) return;
  free_plan(a);
  sofa_free(a->ctx, a);
  *assembly = NULL;
}

SofaBlockMatrix *sofa_assembly_matrix(const SofaAssembly *a) {
  return a->matrix;
}

/* ---- plan ---- */

static SofaErr make_matrix(SofaAssembly *a, const SofaMechanics *m) {
  const size_t n = sofa_mech_n_blocks(m);
  uint8_t *sizes = sofa_alloc(a->ctx, n + 1, 1);
  if (!sizes) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    sofa_fill(sizes + sofa_mech_block_row(m, s), (int)sofa_state_kind_info(s->object.kind)->deriv,
              sofa_state_size(s));
  }
  const SofaErr err = sofa_block_matrix_create(a->ctx, n, sizes, n, sizes, &a->matrix);
  sofa_free(a->ctx, sizes);
  return err;
}

/* Room for the pairs of states of the component with the most. */
static SofaErr make_pairs(SofaAssembly *a, const SofaMechanics *m) {
  size_t most = 1;
  for (size_t i = 0; i < m->n_force_fields; i++)
    if (m->force_fields[i]->n_states > most) most = m->force_fields[i]->n_states;
  a->n_pairs = most * most;
  a->pairs = sofa_alloc(a->ctx, a->n_pairs, sizeof *a->pairs);
  return a->pairs ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr make_plan(SofaAssembly *a, SofaMechanics *m, const SofaAssemblyParts *parts) {
  size_t longest = m->n_v_main;
  free_plan(a);
  for (size_t i = 0; i < m->n_states; i++) {
    const SofaState *s = m->states[i];
    const size_t size = sofa_state_kind_info(s->object.kind)->deriv * sofa_state_size(s);
    if (size > longest) longest = size;
  }
  a->mask = sofa_alloc(a->ctx, m->n_v_main + 1, 1);
  a->mapped_mask = sofa_alloc(a->ctx, longest + 1, 1);
  if (!a->mask || !a->mapped_mask) return SOFA_ERR_MEMORY;
  SOFA_TRY(make_matrix(a, m));
  SOFA_TRY(make_pairs(a, m));
  SOFA_TRY(sofa_assembly_plan_reuse(a, m));
  SOFA_TRY(sofa_symmetric_operator_create(a->ctx, &a->symmetric));
  if (parts->mapped) SOFA_TRY(sofa_assembly_plan_mapped(a, m));
  a->node = m->node;
  a->serial = m->serial;
  a->mapped = parts->mapped;
  a->planned = true;
  return SOFA_OK;
}

/* ---- components ---- */

bool sofa_assembly_mass_counts(const SofaMechanics *m, const SofaState *state) {
  if (!state->mapped) return true;
  for (size_t i = 0; i < m->n_mappings; i++)
    if (m->mappings[i]->out == state) return m->mappings[i]->map_masses;
  return false;
}

static SofaErr add_force_field(SofaMechanics *m, SofaForceField *ff, const SofaAssemblyArgs *args,
                               SofaTangent *tangent) {
  const SofaMechParams *p = args->params;
  const SofaPoint at = sofa_mech_field_point(m, ff, args->at);
  SofaMechParams scaled = *p;
  scaled.k *= sofa_mech_load_factor(m, ff);
  tangent->factor = sofa_kfactor(ff, &scaled);
  if (args->parts->stiffness && tangent->factor != 0)
    SOFA_TRY(sofa_force_field_add_k(ff, p, &at, tangent));
  tangent->factor = p->b;
  if (args->parts->damping && tangent->factor != 0)
    SOFA_TRY(sofa_force_field_add_b(ff, p, &at, tangent));
  return SOFA_OK;
}

SofaErr sofa_assembly_add_component(SofaMechanics *m, SofaForceField *ff,
                                    const SofaAssemblyArgs *args, ComponentPart which,
                                    SofaTangent *tangent) {
  tangent->by_points = m->divided && sofa_class_divided(ff->object.klass) == SOFA_DIVIDED_BY_POINTS;
  if (tangent->by_points) tangent->n_owned = sofa_state_n_owned(ff->state[0]);
  if (which != PART_MASS) SOFA_TRY(add_force_field(m, ff, args, tangent));
  if (which == PART_FORCE || !args->parts->mass || !ff->mass_ops) return SOFA_OK;
  SofaMass *mass = (SofaMass *)ff;
  tangent->factor = sofa_mfactor(mass, args->params);
  if (tangent->factor == 0) return SOFA_OK;
  return sofa_mass_ops(mass)->add_m(mass, sofa_mech_mass_x(m, mass, args->at), tangent);
}

/* Tangent of a component at main states; states of other plans are dropped. */
static SofaTangent main_tangent(const SofaAssembly *a, const SofaMechanics *m,
                                const SofaForceField *ff) {
  const size_t n = ff->n_states;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      SofaTangentPair *pair = &a->pairs[n * i + j];
      const SofaState *row = ff->state[i], *column = ff->state[j];
      *pair = (SofaTangentPair){0};
      if (!row || !column || row->mechanics != m || column->mechanics != m) continue;
      *pair =
          (SofaTangentPair){a->matrix, sofa_mech_block_row(m, row), sofa_mech_block_row(m, column)};
    }
  }
  return (SofaTangent){.pairs = a->pairs, .n = n};
}

/* A force field with products but no matrix is left out, as in SOFA: said once per plan. */
static void warn_without_matrix(const SofaAssembly *a, const SofaForceField *ff,
                                const SofaMechParams *p) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  if (a->builds > 0 || !ops->add_dforce || ops->add_k || ops->add_b) return;
  if (sofa_kfactor(ff, p) == 0 && p->b == 0) return;
  sofa_object_message(&ff->object, SOFA_WARNING,
                      "cannot assemble its stiffness: in the assembled system of '%s' it is "
                      "integrated explicitly",
                      a->owner->name);
}

static SofaErr add_main(SofaAssembly *a, SofaMechanics *m, const SofaAssemblyArgs *args) {
  for (size_t i = sofa_assembly_begin(a); i < m->n_force_fields; i++) {
    SofaForceField *ff = m->force_fields[i];
    if (i == a->reuse.n_constant) SOFA_TRY(sofa_assembly_set_mark(a));
    if (!ff->state[0]) continue;
    warn_without_matrix(a, ff, args->params);
    if (touches_mapped(m, ff)) continue;
    SofaTangent tangent = main_tangent(a, m, ff);
    SOFA_TRY(sofa_assembly_add_component(m, ff, args, PART_ALL, &tangent));
  }
  return SOFA_OK;
}

/* ---- constraints ---- */

static bool acts(const SofaAssembly *a, const SofaMechanics *m, const SofaProjective *c,
                 const SofaMechParams *p) {
  const bool first = c->state && c->state->mechanics == m;
  const bool second = c->second && c->second->mechanics == m;
  if (!sofa_projective_has_discard(c) || !(first || second)) return false;
  if (c->end_time < 0 || c->end_time > p->time) return true;
  return sofa_quirk(a->owner, SOFA_QUIRK_ENDED_CONSTRAINT);
}

/* A mapped state has no rows of its own: nothing can be discarded. SOFA discards rows of the first
 * main state. */
static SofaErr discard_mapped(SofaAssembly *a, SofaMechanics *m, SofaProjective *c,
                              const SofaMechParams *p) {
  if (a->builds == 0)
    sofa_object_message(&c->object, SOFA_WARNING,
                        "constrains a mapped state: it has no effect on the assembled system");
  if (!sofa_quirk(a->owner, SOFA_QUIRK_MAPPED_CONSTRAINT)) return SOFA_OK;
  const size_t n = sofa_state_kind_info(c->state->object.kind)->deriv * sofa_state_size(c->state);
  SofaDiscard discard = {.mask = a->mapped_mask, .n = n};
  sofa_zero(a->mapped_mask, n);
  SOFA_TRY(sofa_projective_ops(c)->discard(c, p, &discard));
  for (size_t i = 0; i < n && i < m->n_v_main; i++) a->mask[i] |= a->mapped_mask[i];
  return SOFA_OK;
}

/* The dofs of a state in the matrix; none of a mapped or another plan's state. */
static SofaDiscard dofs_of(SofaAssembly *a, const SofaMechanics *m, const SofaState *state) {
  if (state->mechanics != m || state->mapped) return (SofaDiscard){.mask = a->mask};
  return (SofaDiscard){a->mask + state->v_offset,
                       sofa_state_kind_info(state->object.kind)->deriv * sofa_state_size(state),
                       &a->projections, sofa_mech_block_row(m, state)};
}

static SofaErr discard_pair(SofaAssembly *a, SofaMechanics *m, SofaProjective *c,
                            const SofaMechParams *p) {
  if (!c->state || !c->second) return SOFA_OK;
  SofaDiscard first = dofs_of(a, m, c->state), second = dofs_of(a, m, c->second);
  return sofa_projective_ops(c)->pair->discard(c, p, &first, &second);
}

/* The dofs and parts of points that constraints take out. */
static SofaErr find_constraints(SofaAssembly *a, SofaMechanics *m, const SofaMechParams *p) {
  for (size_t i = 0; i < m->n_constraints; i++) {
    SofaProjective *c = m->constraints[i];
    if (!acts(a, m, c, p)) continue;
    a->constrained = true;
    if (sofa_projective_ops(c)->pair) {
      SOFA_TRY(discard_pair(a, m, c, p));
    } else if (c->state->mapped) {
      SOFA_TRY(discard_mapped(a, m, c, p));
    } else {
      SofaDiscard discard = dofs_of(a, m, c->state);
      SOFA_TRY(sofa_projective_ops(c)->discard(c, p, &discard));
    }
  }
  return SOFA_OK;
}

static SofaErr apply_constraints(SofaAssembly *a) {
  if (!a->constrained) return SOFA_OK;
  SOFA_TRY(sofa_block_matrix_project(a->matrix, &a->projections));
  sofa_block_matrix_discard(a->matrix, a->mask);
  return SOFA_OK;
}

/* ---- build and product ---- */

static SofaErr assemble(SofaAssembly *a, SofaMechanics *m, const SofaAssemblyArgs *args) {
  SofaErr err = add_main(a, m, args);
  if (err == SOFA_OK && args->parts->mapped) err = sofa_assembly_add_mapped(a, m, args);
  const SofaErr end = sofa_block_matrix_end(a->matrix);
  if (err == SOFA_OK) err = end;
  if (err == SOFA_OK) err = apply_constraints(a);
  if (err == SOFA_OK) err = sofa_assembly_remember(a, m);
  if (err != SOFA_OK) a->reuse.known = false;
  return err;
}

SofaErr sofa_assembly_build(SofaAssembly *a, SofaMechanics *m, const SofaMechParams *p,
                            const SofaMechPoint *at, const SofaAssemblyParts *parts) {
  const SofaAssemblyArgs args = {p, at, parts};
  if (!a->planned || a->node != m->node || a->serial != m->serial || a->mapped != parts->mapped)
    SOFA_TRY(make_plan(a, m, parts));
  a->projections.n = 0;
  a->constrained = false;
  sofa_zero(a->mask, m->n_v_main);
  if (parts->constraints) SOFA_TRY(find_constraints(a, m, p));
  sofa_assembly_compare(a, m, &args);
  const SofaErr err = sofa_assembly_is_built(a, m) ? SOFA_OK : assemble(a, m, &args);
  a->builds++;
  return err;
}

SofaErr sofa_assembly_symmetric(SofaAssembly *a, bool *symmetric) {
  SofaBlockRows rows;
  sofa_block_matrix_rows(a->matrix, &rows);
  if (a->applied_version != rows.value_version) {
    SOFA_TRY(sofa_symmetric_operator_update(a->symmetric, a->matrix, &a->use_symmetric));
    a->applied_version = rows.value_version;
  }
  *symmetric = a->use_symmetric;
  return SOFA_OK;
}

SofaErr sofa_assembly_apply(SofaAssembly *a, const double *x, double *y) {
  bool symmetric = false;
  SOFA_TRY(sofa_assembly_symmetric(a, &symmetric));
  if (symmetric) sofa_symmetric_operator_apply(a->symmetric, x, y);
  else sofa_block_matrix_multiply(a->matrix, x, y, a->ctx->threads);
  return SOFA_OK;
}

/* ---- is it the operator of the matrix-free product? ---- */

static bool force_field_exact(const SofaForceField *ff, const SofaMechParams *p) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  if (!ops->add_dforce && !ops->add_k && !ops->add_b) return true;
  if (sofa_kfactor(ff, p) == 0 && p->b == 0) return true;
  return ops->tangent_is_dforce && !ff->partial_tangent;
}

static bool mass_exact(const SofaForceField *ff, const SofaMechParams *p) {
  if (!ff->mass_ops) return true;
  const SofaMass *mass = (const SofaMass *)ff;
  return sofa_mfactor(mass, p) == 0 ||
         (sofa_mass_ops(mass)->tangent_is_mdx && !ff->partial_tangent);
}

/* Forces at mapped states are pulled back by every mapping: any derivative of J needs its matrix.
 */
static bool mappings_exact(const SofaMechanics *m, const SofaMechParams *p) {
  for (size_t i = 0; i < m->n_mappings; i++) {
    const SofaMappingOps *ops = sofa_mapping_ops(m->mappings[i]);
    if (!m->mappings[i]->map_forces) continue;
    if (ops->apply_djt && p->k != 0) return false;
  }
  return true;
}

bool sofa_assembly_is_operator(const SofaMechanics *m, const SofaMechParams *p) {
  size_t mapped = 0;
  bool any_mapped = false;
  for (size_t i = 0; i < m->n_force_fields; i++) {
    const SofaForceField *ff = m->force_fields[i];
    if (!force_field_exact(ff, p) || !mass_exact(ff, p)) return false;
    if (!touches_mapped(m, ff)) continue;
    any_mapped = true;
    const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
    if (!ops->add_k && !ops->add_b && !ff->mass_ops) continue;
    for (size_t k = 0; k < ff->n_states && ff->state[k]; k++)
      if (ff->state[k]->mapped) mapped += sofa_state_size(ff->state[k]);
  }
  for (size_t i = 0; i < m->n_states; i++)
    if (m->states[i]->mapped && m->states[i]->external_force.n) any_mapped = true;

  /* J^T K J costs more than it gives when most of the points are mapped */
  return !any_mapped || (mappings_exact(m, p) && 2 * mapped <= sofa_mech_n_blocks(m));
}
