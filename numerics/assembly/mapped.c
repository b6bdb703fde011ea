/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components at mapped states in assembled systems: local matrices per pair of states, projected
 * to the main states with the chained Jacobians of the mappings. */

#include "behavior/state_division.h"
#include "numerics/assembly/assembly_impl.h"

/* ---- life ---- */

void sofa_assembly_free_mapped(SofaAssembly *a) {
  for (size_t i = 0; i < a->mapped_states.n; i++) {
    RootJacobians *roots = &a->mapped_states.data[i].roots;
    for (size_t k = 0; k < roots->n; k++) sofa_csr_sum_destroy(&roots->data[k].sum);
    sofa_list_free(a->ctx, roots);
  }
  sofa_list_free(a->ctx, &a->mapped_states);
  sofa_free(a->ctx, a->terms.own);
  sofa_free(a->ctx, (void *)a->terms.left);
  sofa_free(a->ctx, (void *)a->terms.right);
  a->terms = (JacobianTerms){0};
  for (size_t i = 0; i < a->locals.n; i++) {
    LocalMatrix *l = &a->locals.data[i];
    sofa_block_matrix_destroy(&l->matrix);
    for (size_t k = 0; k < l->projections.n; k++)
      sofa_congruence_destroy(&l->projections.data[k].congruence);
    sofa_list_free(a->ctx, &l->projections);
  }
  sofa_list_free(a->ctx, &a->locals);
}

static MappedState *find_mapped(const SofaAssembly *a, const SofaState *state) {
  for (size_t i = 0; i < a->mapped_states.n; i++)
    if (a->mapped_states.data[i].state == state) return &a->mapped_states.data[i];
  return NULL;
}

static RootJacobian *find_root(const MappedState *s, const SofaState *root) {
  for (size_t i = 0; i < s->roots.n; i++)
    if (s->roots.data[i].root == root) return &s->roots.data[i];
  return NULL;
}

/* ---- roots ---- */

static SofaErr add_root(SofaAssembly *a, MappedState *s, const SofaState *root) {
  if (find_root(s, root)) return SOFA_OK;
  const RootJacobian j = {.root = root};
  SOFA_TRY(SOFA_APPEND(a->ctx, &s->roots, &j));
  return sofa_csr_sum_create(a->ctx, &s->roots.data[s->roots.n - 1].sum);
}

/* Room for the terms of a mapping with n inputs. */
static SofaErr make_terms(SofaAssembly *a, size_t n) {
  JacobianTerms *t = &a->terms;
  if (n <= t->n) return SOFA_OK;
  sofa_free(a->ctx, t->own);
  sofa_free(a->ctx, (void *)t->left);
  sofa_free(a->ctx, (void *)t->right);
  t->n = n;
  t->own = sofa_alloc(a->ctx, n, sizeof *t->own);
  t->left = sofa_alloc(a->ctx, n, sizeof *t->left);
  t->right = sofa_alloc(a->ctx, n, sizeof *t->right);
  return t->own && t->left && t->right ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* The main states that a mapping's output depends on; parents come before children. */
static SofaErr plan_mapping(SofaAssembly *a, SofaMechanics *m, SofaMapping *map) {
  MappedState s = {
      .state = map->out, .mapping = map, .linear = sofa_mapping_ops(map)->linear && !map->varies};
  SOFA_TRY(make_terms(a, map->n_inputs));
  SOFA_TRY(SOFA_APPEND(a->ctx, &a->mapped_states, &s));
  MappedState *out = &a->mapped_states.data[a->mapped_states.n - 1];
  for (size_t k = 0; k < map->n_inputs; k++) {
    const SofaState *in = map->inputs[k];
    if (in->mechanics != m) continue;
    const MappedState *parent = in->mapped ? find_mapped(a, in) : NULL;
    if (parent) out->linear &= parent->linear;
    if (!in->mapped) SOFA_TRY(add_root(a, out, in));
    for (size_t r = 0; parent && r < parent->roots.n; r++)
      SOFA_TRY(add_root(a, out, parent->roots.data[r].root));
  }
  return SOFA_OK;
}

/* ---- local matrices ---- */

static SofaErr block_sizes(SofaAssembly *a, const SofaState *s, uint8_t **out) {
  const size_t n = sofa_state_size(s);
  *out = sofa_alloc(a->ctx, n + 1, 1);
  if (!*out) return SOFA_ERR_MEMORY;
  sofa_fill(*out, (int)sofa_state_kind_info(s->object.kind)->deriv, n);
  return SOFA_OK;
}

static LocalMatrix *find_local(const SofaAssembly *a, const SofaState *s1, const SofaState *s2,
                               bool kept) {
  for (size_t i = 0; i < a->locals.n; i++) {
    LocalMatrix *l = &a->locals.data[i];
    if (l->s1 == s1 && l->s2 == s2 && l->kept == kept) return l;
  }
  return NULL;
}

static SofaErr add_local(SofaAssembly *a, const SofaState *s1, const SofaState *s2, bool kept) {
  if (find_local(a, s1, s2, kept)) return SOFA_OK;
  const LocalMatrix l = {.s1 = s1, .s2 = s2, .kept = kept};
  uint8_t *rows = NULL, *columns = NULL;
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, SOFA_APPEND(a->ctx, &a->locals, &l));
  SOFA_GO(err, done, block_sizes(a, s1, &rows));
  SOFA_GO(err, done, block_sizes(a, s2, &columns));
  err = sofa_block_matrix_create(a->ctx, sofa_state_size(s1), rows, sofa_state_size(s2), columns,
                                 &a->locals.data[a->locals.n - 1].matrix);
done:
  sofa_free(a->ctx, rows);
  sofa_free(a->ctx, columns);
  return err;
}

/* Masses under linear mappings stand apart when SOFA's way of keeping them is asked for. */
static bool kept_mass(const SofaAssembly *a, const SofaForceField *ff) {
  if (!ff->mass_ops || !sofa_quirk(a->owner, SOFA_QUIRK_KEPT_MAPPED_MASS)) return false;
  const MappedState *s = find_mapped(a, ff->state[0]);
  return s && s->linear;
}

static SofaErr plan_component(SofaAssembly *a, SofaMechanics *m, const SofaForceField *ff) {
  for (size_t i = 0; i < ff->n_states && ff->state[i]; i++)
    for (size_t j = 0; j < ff->n_states && ff->state[j]; j++)
      if (ff->state[i]->mechanics == m && ff->state[j]->mechanics == m)
        SOFA_TRY(add_local(a, ff->state[i], ff->state[j], false));
  return kept_mass(a, ff) ? add_local(a, ff->state[0], ff->state[0], true) : SOFA_OK;
}

/* ---- projections ---- */

/* Main states under a state: itself, or the roots of its mapping. */
static size_t n_roots(const SofaAssembly *a, const SofaState *s) {
  const MappedState *mapped = s->mapped ? find_mapped(a, s) : NULL;
  return s->mapped ? (mapped ? mapped->roots.n : 0) : 1;
}
static const SofaState *root_of(const SofaAssembly *a, const SofaState *s, size_t k) {
  return s->mapped ? find_mapped(a, s)->roots.data[k].root : s;
}

static SofaErr add_projection(SofaAssembly *a, LocalMatrix *l, const SofaState *row,
                              const SofaState *column) {
  for (size_t i = 0; i < l->projections.n; i++)
    if (l->projections.data[i].row == row && l->projections.data[i].column == column)
      return SOFA_OK;
  const MappedState *m1 = l->s1->mapped ? find_mapped(a, l->s1) : NULL;
  const MappedState *m2 = l->s2->mapped ? find_mapped(a, l->s2) : NULL;
  const Projection p = {.row = row,
                        .column = column,
                        .left = m1 ? find_root(m1, row) : NULL,
                        .right = m2 ? find_root(m2, column) : NULL};
  SOFA_TRY(SOFA_APPEND(a->ctx, &l->projections, &p));
  return sofa_congruence_create(a->ctx, &l->projections.data[l->projections.n - 1].congruence);
}

/* Every pair of roots; SOFA takes, for two different states, the roots of either on both sides,
 * with the identity for a Jacobian where there is none. */
static SofaErr plan_projections(SofaAssembly *a, LocalMatrix *l) {
  for (size_t i = 0; i < n_roots(a, l->s1); i++)
    for (size_t j = 0; j < n_roots(a, l->s2); j++)
      SOFA_TRY(add_projection(a, l, root_of(a, l->s1, i), root_of(a, l->s2, j)));
  if (l->s1 == l->s2 || !(find_mapped(a, l->s1) || find_mapped(a, l->s2)) ||
      !sofa_quirk(a->owner, SOFA_QUIRK_CROSS_PAIR_BLOCKS))
    return SOFA_OK;
  const SofaState *sides[2] = {l->s1, l->s2};
  for (int r = 0; r < 2; r++)
    for (int c = 0; c < 2; c++)
      for (size_t i = 0; i < n_roots(a, sides[r]); i++)
        for (size_t j = 0; j < n_roots(a, sides[c]); j++)
          SOFA_TRY(add_projection(a, l, root_of(a, sides[r], i), root_of(a, sides[c], j)));
  return SOFA_OK;
}

static bool has_geometric(const SofaMechanics *m, const SofaMapping *map) {
  return map->map_forces && map->out->mechanics == m && sofa_mapping_ops(map)->apply_djt &&
         map->n_inputs > 0 &&
         (sofa_mapping_ops(map)->add_djt_pair || map->inputs[0]->mechanics == m);
}

/* Local matrices of all pairs of inputs whose derivatives the mapping gives. */
static SofaErr plan_geometric(SofaAssembly *a, const SofaMechanics *m, const SofaMapping *map) {
  const size_t n = sofa_mapping_ops(map)->add_djt_pair ? map->n_inputs : 1;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (map->inputs[i]->mechanics == m && map->inputs[j]->mechanics == m)
        SOFA_TRY(add_local(a, map->inputs[i], map->inputs[j], false));
  return SOFA_OK;
}

/* States with local matrices need their Jacobians, and those of the states above them. */
static void mark_needed(SofaAssembly *a) {
  for (size_t i = 0; i < a->locals.n; i++) {
    MappedState *s1 = find_mapped(a, a->locals.data[i].s1);
    MappedState *s2 = find_mapped(a, a->locals.data[i].s2);
    if (s1) s1->needed = true;
    if (s2) s2->needed = true;
  }
  for (size_t i = a->mapped_states.n; i-- > 0;) {
    const MappedState *s = &a->mapped_states.data[i];
    for (size_t k = 0; s->needed && k < s->mapping->n_inputs; k++) {
      MappedState *parent = find_mapped(a, s->mapping->inputs[k]);
      if (parent) parent->needed = true;
    }
  }
}

SofaErr sofa_assembly_plan_mapped(SofaAssembly *a, SofaMechanics *m) {
  for (size_t i = 0; i < m->n_mappings; i++)
    if (m->mappings[i]->map_forces && m->mappings[i]->out->mechanics == m)
      SOFA_TRY(plan_mapping(a, m, m->mappings[i]));
  for (size_t i = 0; i < m->n_force_fields; i++)
    if (m->force_fields[i]->state[0] && touches_mapped(m, m->force_fields[i]))
      SOFA_TRY(plan_component(a, m, m->force_fields[i]));
  for (size_t i = 0; i < m->n_mappings; i++)
    if (has_geometric(m, m->mappings[i])) SOFA_TRY(plan_geometric(a, m, m->mappings[i]));
  for (size_t i = 0; i < a->locals.n; i++) SOFA_TRY(plan_projections(a, &a->locals.data[i]));
  mark_needed(a);
  return SOFA_OK;
}

/* ---- Jacobians ---- */

/* J of s with respect to one root: the sum over the mapping's inputs of J_k J(input k <- root). */
static SofaErr compute_root(SofaAssembly *a, const MappedState *s, const SofaPoint *at,
                            RootJacobian *root) {
  const SofaMapping *map = s->mapping;
  const JacobianTerms *t = &a->terms;
  size_t n = 0;
  for (size_t k = 0; k < map->n_inputs; k++) {
    const MappedState *parent = find_mapped(a, map->inputs[k]);
    const RootJacobian *above = parent ? find_root(parent, root->root) : NULL;
    if (!above && map->inputs[k] != root->root) continue;
    SOFA_TRY(sofa_mapping_jacobian(s->mapping, at, k, &t->own[n]));
    t->left[n] = &t->own[n];
    t->right[n++] = above ? &above->j : NULL;
  }
  if (n == 1 && !t->right[0]) {
    root->j = t->own[0];
    return SOFA_OK;
  }
  return sofa_csr_sum_compute(root->sum, n, t->left, t->right, &root->j);
}

static SofaErr compute_jacobians(SofaAssembly *a, SofaMechanics *m, const SofaMechPoint *at) {
  for (size_t i = 0; i < a->mapped_states.n; i++) {
    MappedState *s = &a->mapped_states.data[i];
    if (!s->needed) continue;
    const SofaPoint point = sofa_mech_mapping_point(m, s->mapping, at);
    for (size_t k = 0; k < s->roots.n; k++) SOFA_TRY(compute_root(a, s, &point, &s->roots.data[k]));
  }
  return SOFA_OK;
}

/* ---- values ---- */

static SofaTangent local_tangent(const SofaAssembly *a, const SofaMechanics *m,
                                 const SofaForceField *ff, bool kept) {
  const size_t n = ff->n_states;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      const SofaState *row = ff->state[i], *column = ff->state[j];
      const bool ours = row && column && row->mechanics == m && column->mechanics == m;
      const LocalMatrix *l = ours ? find_local(a, row, column, kept) : NULL;
      a->pairs[n * i + j] = (SofaTangentPair){.matrix = l ? l->matrix : NULL};
    }
  }
  return (SofaTangent){.pairs = a->pairs, .n = n};
}

static bool frozen(const SofaAssembly *a, const LocalMatrix *l) {
  return l->kept && a->builds > 1;
}

static SofaErr add_components(SofaAssembly *a, SofaMechanics *m, const SofaAssemblyArgs *args) {
  for (size_t i = 0; i < m->n_force_fields; i++) {
    SofaForceField *ff = m->force_fields[i];
    if (!ff->state[0] || !touches_mapped(m, ff)) continue;
    SofaTangent tangent = local_tangent(a, m, ff, false);
    const LocalMatrix *kept = find_local(a, ff->state[0], ff->state[0], true);
    const bool apart = kept && kept_mass(a, ff);
    const bool counts = sofa_assembly_mass_counts(m, ff->state[0]);
    SOFA_TRY(sofa_assembly_add_component(m, ff, args, apart || !counts ? PART_FORCE : PART_ALL,
                                         &tangent));
    if (!apart || !counts || frozen(a, kept)) continue;
    tangent = local_tangent(a, m, ff, true);
    SOFA_TRY(sofa_assembly_add_component(m, ff, args, PART_MASS, &tangent));
  }
  return SOFA_OK;
}

/* A mapping that bends forces but cannot give the matrix of it: refused when there are forces. */
static SofaErr refuse_geometric(const SofaMapping *map, const double *f) {
  const SofaState *out = map->out;
  const size_t n = sofa_state_kind_info(out->object.kind)->deriv * sofa_state_size(out);
  for (size_t i = 0; i < n; i++)
    if (f[i] != 0)
      return sofa_object_unsupported(&map->object,
                                     "its geometric stiffness in an assembled system");
  return SOFA_OK;
}

static SofaErr add_pairs(const SofaAssembly *a, SofaMapping *map, const SofaPoint *at,
                         const double *f, double k) {
  SofaTangentPair pair = {0};
  const SofaTangent tangent = {.pairs = &pair, .n = 1, .factor = k};
  for (size_t i = 0; i < map->n_inputs; i++) {
    for (size_t j = 0; j < map->n_inputs; j++) {
      const LocalMatrix *l = find_local(a, map->inputs[i], map->inputs[j], false);
      if (!l) continue;
      pair.matrix = l->matrix;
      SOFA_TRY(sofa_mapping_add_djt(map, at, i, j, f, &tangent));
    }
  }
  return SOFA_OK;
}

/* The forces are those at the point: their directions change with the positions. */
static SofaErr add_geometric(SofaAssembly *a, SofaMechanics *m, const SofaAssemblyArgs *args) {
  const double k = args->params->k;
  const double *f = NULL;
  for (size_t i = 0; i < m->n_mappings; i++) {
    SofaMapping *map = m->mappings[i];
    const SofaMappingOps *ops = sofa_mapping_ops(map);
    if (k == 0 || !has_geometric(m, map)) continue;
    SOFA_TRY(sofa_mech_forces_at(m, args->params, args->at, &f));
    SOFA_TRY(sofa_mech_mapped_force(m, map, f, &f));
    const SofaPoint point = sofa_mech_mapping_point(m, map, args->at);
    if (ops->add_djt_pair) {
      SOFA_TRY(add_pairs(a, map, &point, f, k));
      continue;
    }
    if (!ops->add_djt) {
      SOFA_TRY(refuse_geometric(map, f));
      continue;
    }
    const SofaTangentPair pair = {.matrix =
                                      find_local(a, map->inputs[0], map->inputs[0], false)->matrix};
    const SofaTangent tangent = {.pairs = &pair, .n = 1, .factor = k};
    SOFA_TRY(sofa_mapping_add_djt(map, &point, 0, 0, f, &tangent));
  }
  return SOFA_OK;
}

/* Has a state that all processes have points that follow those of several processes? */
static bool spans_parts(const SofaAssembly *a, const SofaState *s) {
  const MappedState *mapped = find_mapped(a, s);
  if (sofa_state_division(s)) return false;
  for (size_t i = 0; mapped && i < mapped->roots.n; i++)
    if (sofa_state_division(mapped->roots.data[i].root)) return true;
  return false;
}

/* A process has the Jacobian of its own rows: blocks between rows of two of them would be lost. */
static SofaErr check_divided(const SofaAssembly *a, const SofaMechanics *m, const LocalMatrix *l) {
  SofaBlockRows rows;
  if (!m->divided || !(spans_parts(a, l->s1) || spans_parts(a, l->s2))) return SOFA_OK;
  sofa_block_matrix_rows(l->matrix, &rows);
  for (uint32_t i = 0; i < rows.n_rows; i++)
    for (uint32_t k = rows.start[i]; k < rows.start[i + 1]; k++)
      if (l->s1 != l->s2 || rows.column[k] != i)
        return sofa_object_fail(
            &l->s1->object, SOFA_ERR_UNSUPPORTED,
            "forces between its points, which follow a mesh that is divided among processes, are "
            "not supported yet in an assembled matrix: use CGLinearSolver with MatrixFreeSystem");
  return SOFA_OK;
}

static SofaErr project(SofaAssembly *a, const LocalMatrix *l) {
  // a mapping without points has no Jacobian
  if (sofa_state_size(l->s1) == 0 || sofa_state_size(l->s2) == 0) return SOFA_OK;
  for (size_t i = 0; i < l->projections.n; i++) {
    const Projection *p = &l->projections.data[i];
    if (frozen(a, l)) {
      sofa_congruence_add_again(p->congruence, a->matrix);
      continue;
    }
    const SofaCongruenceProduct product = {.left = p->left ? &p->left->j : NULL,
                                           .right = p->right ? &p->right->j : NULL,
                                           .k = l->matrix,
                                           .factor = 1};
    SOFA_TRY(sofa_congruence_add(p->congruence, &product, a->matrix, p->row->v_offset,
                                 p->column->v_offset));
  }
  return SOFA_OK;
}

SofaErr sofa_assembly_add_mapped(SofaAssembly *a, SofaMechanics *m, const SofaAssemblyArgs *args) {
  if (a->locals.n == 0) return SOFA_OK;
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < a->locals.n; i++)
    if (!frozen(a, &a->locals.data[i])) sofa_block_matrix_begin(a->locals.data[i].matrix);
  err = add_components(a, m, args);
  if (err == SOFA_OK && args->parts->geometric_stiffness) err = add_geometric(a, m, args);
  for (size_t i = 0; i < a->locals.n; i++) {
    if (frozen(a, &a->locals.data[i])) continue;
    const SofaErr end = sofa_block_matrix_end(a->locals.data[i].matrix);
    if (err == SOFA_OK) err = end;
  }
  if (err == SOFA_OK) err = compute_jacobians(a, m, args->at);
  for (size_t i = 0; i < a->locals.n && err == SOFA_OK; i++)
    err = check_divided(a, m, &a->locals.data[i]);
  for (size_t i = 0; i < a->locals.n && err == SOFA_OK; i++) err = project(a, &a->locals.data[i]);
  return err;
}
