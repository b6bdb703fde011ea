/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an assembly need not do again. Components whose matrix is constant are compared with the
 * last build by their factors and by the count of changes of their objects: when all of them are
 * as they were, the matrix is; else an assembly begins behind the constant components that come
 * first. Either way the values are those of adding everything, to the bit. */
#include "numerics/assembly/assembly_impl.h"

void sofa_assembly_free_reuse(SofaAssembly *a) {
  AssemblyReuse *r = &a->reuse;
  sofa_free(a->ctx, r->keys);
  sofa_free(a->ctx, r->last);
  sofa_free(a->ctx, r->last_mask);
  sofa_list_free(a->ctx, &r->last_projections);
  sofa_block_mark_free(a->ctx, &r->mark);
  *r = (AssemblyReuse){.n = 0};
}

SofaErr sofa_assembly_plan_reuse(SofaAssembly *a, const SofaMechanics *m) {
  AssemblyReuse *r = &a->reuse;
  r->n = m->n_force_fields;
  r->keys = sofa_alloc(a->ctx, r->n + 1, sizeof *r->keys);
  r->last = sofa_alloc(a->ctx, r->n + 1, sizeof *r->last);
  r->last_mask = sofa_alloc(a->ctx, m->n_v_main + 1, 1);
  return r->keys && r->last && r->last_mask ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* ---- keys ---- */

/* Components at mapped states add nothing here: their matrices have projections of their own. A
 * component whose factors are 0 adds nothing either, whatever its matrix is. */
static TangentKey key_of(const SofaMechanics *m, const SofaForceField *ff,
                         const SofaAssemblyArgs *args) {
  const bool has_mass = args->parts->mass && ff->mass_ops;
  if (!ff->state[0] || touches_mapped(m, ff)) return (TangentKey){.constant = true};
  SofaMechParams scaled = *args->params;
  scaled.k *= sofa_mech_load_factor(m, ff);
  TangentKey key = {.constant = sofa_force_field_is_constant(ff),
                    .changes = ff->object.changes,
                    .k = args->parts->stiffness ? sofa_kfactor(ff, &scaled) : 0,
                    .b = args->parts->damping ? scaled.b : 0};
  if (has_mass) key.m = sofa_mfactor((const SofaMass *)ff, args->params);
  else if (key.k == 0 && key.b == 0) return (TangentKey){.constant = true};
  return key;
}

/* A factor that is not a number is equal to none. */
static bool same_key(const TangentKey *a, const TangentKey *b) {
  return a->constant && b->constant && a->changes == b->changes && a->k == b->k && a->b == b->b &&
         a->m == b->m;
}

void sofa_assembly_compare(SofaAssembly *a, const SofaMechanics *m, const SofaAssemblyArgs *args) {
  AssemblyReuse *r = &a->reuse;
  TangentKey *last = r->keys;
  r->keys = r->last;
  r->last = last;
  r->n_constant = r->n_same = r->n;
  for (size_t i = r->n; i-- > 0;) {
    r->keys[i] = key_of(m, m->force_fields[i], args);
    if (!r->keys[i].constant) r->n_constant = i;
    if (!r->known || !same_key(&r->keys[i], &r->last[i])) r->n_same = i;
  }
  r->known = !a->ctx->assembles_always;
  if (!r->known) r->n_same = 0;
}

bool sofa_assembly_is_constant(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_force_fields; i++) {
    const SofaForceField *ff = m->force_fields[i];
    if (ff->state[0] && (touches_mapped(m, ff) || !sofa_force_field_is_constant(ff))) return false;
  }
  return true;
}

/* ---- the whole matrix ---- */

static bool same_projections(const SofaBlockProjections *a, const SofaBlockProjections *b) {
  if (a->n != b->n) return false;
  for (size_t i = 0; i < a->n; i++) {
    const SofaBlockProjection *p = &a->data[i], *q = &b->data[i];
    if (p->row != q->row || p->size != q->size ||
        sofa_compare(p->p, q->p, p->size * p->size * sizeof *p->p) != 0)
      return false;
  }
  return true;
}

/* With SOFA's way of keeping masses below mappings their factors are those of an earlier build. */
bool sofa_assembly_is_built(const SofaAssembly *a, const SofaMechanics *m) {
  const AssemblyReuse *r = &a->reuse;
  SofaBlockRows rows;
  sofa_block_matrix_rows(a->matrix, &rows);
  return r->n_same == r->n && a->locals.n == 0 && r->built_version != 0 &&
         r->built_version == rows.value_version && r->constrained == a->constrained &&
         sofa_compare(a->mask, r->last_mask, m->n_v_main) == 0 &&
         same_projections(&a->projections, &r->last_projections);
}

SofaErr sofa_assembly_remember(SofaAssembly *a, const SofaMechanics *m) {
  AssemblyReuse *r = &a->reuse;
  SofaBlockRows rows;
  sofa_block_matrix_rows(a->matrix, &rows);
  r->built_version = 0;
  if (r->n_constant < r->n) return SOFA_OK;
  r->constrained = a->constrained;
  sofa_copy(r->last_mask, a->mask, m->n_v_main);
  SOFA_TRY(
      sofa_list_copy(a->ctx, &r->last_projections, &a->projections, sizeof *a->projections.data));
  r->built_version = rows.value_version;
  return SOFA_OK;
}

/* ---- its first part ---- */

size_t sofa_assembly_begin(SofaAssembly *a) {
  AssemblyReuse *r = &a->reuse;
  if (r->n_same < r->n_constant || r->n_marked != r->n_constant) r->mark.record = 0;
  if (sofa_block_matrix_begin_at(a->matrix, &r->mark)) return r->n_marked;
  r->mark.record = 0;
  sofa_block_matrix_begin(a->matrix);
  return 0;
}

/* A mark pays where the values before it cost more than their copy. */
SofaErr sofa_assembly_set_mark(SofaAssembly *a) {
  AssemblyReuse *r = &a->reuse;
  SofaBlockRows rows;
  sofa_block_matrix_rows(a->matrix, &rows);
  if (r->mark.record != 0 || r->n_same < r->n_constant ||
      sofa_block_matrix_n_calls(a->matrix) <= 2 * (size_t)rows.start[rows.n_rows])
    return SOFA_OK;
  r->n_marked = r->n_constant;
  return sofa_block_matrix_mark(a->matrix, &r->mark);
}
