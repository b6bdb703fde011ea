/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tangents of iterations that reduce the energy. Included by conform_forcefield.c, whose functions
 * it uses. */
#ifndef TESTS_CONFORM_FORCEFIELD_DESCENT_H
#define TESTS_CONFORM_FORCEFIELD_DESCENT_H

/* Has the symmetric matrix a an eigenvalue below -1e-9 of its largest entry? By the pivots of
 * L D L^T; a is overwritten. */
static bool is_indefinite(size_t n, double *a) {
  const double most = norm(n * n, a);
  for (size_t k = 0; k < n; k++) {
    double *row = a + n * k;
    const double pivot = row[k] + 1e-9 * most;
    if (most > 0 && !(pivot > 0)) return true;
    for (size_t i = k + 1; i < n && most > 0; i++) {
      const double f = a[n * i + k] / pivot;
      for (size_t j = k + 1; j < n && f != 0; j++) a[n * i + j] -= f * row[j];
    }
  }
  return false;
}

/* These have their exact tangent always. */
static bool keeps_exact_tangent(const ForceFieldCase *c) {
  static const char *const classes[] = {"HyperelasticForcefield",
                                        "TetrahedronHyperelasticityFEMForceField",
                                        "SphereForceField",
                                        "StandardTetrahedralFEMForceField",
                                        "SurfacePressureForceField",
                                        "TaitSurfacePressureForceField",
                                        "BeamFEMForceField",
                                        "PolynomialSpringsForceField",
                                        "GeometricallyExactBeamForceField"};
  for (size_t i = 0; i < SOFA_COUNT(classes); i++)
    if (strcmp(c->klass, classes[i]) == 0) return true;
  return strstr(c->what, "consistent") != NULL;
}

/* The tangent of an iteration that reduces the energy, at x: without an eigenvalue above 0, and the
 * assembled one is that of the products. */
static void check_descent_at(Model *m, const char *where, const double *x) {
  SofaMechParams p = params_of_k();
  double *f = reals(m->nv), *v = reals(m->nv), *d = reals(m->nv + 1);
  double *matrix = reals(m->nv * m->nv), *product = reals(m->nv);
  p.descends = true;
  model_force(m, x, f);
  for (size_t k = 0; k < m->nv; k++) {
    memset(d, 0, m->nv * sizeof *d);
    d[k] = -1;
    model_dforce(m, &p, x, d, matrix + m->nv * k);
  }
  SofaBlockMatrix *k = model_matrix_of(m, &p, sofa_force_field_add_k, x, v);
  random_direction(m, d);
  sofa_block_matrix_multiply(k, d, product, 1);
  sofa_block_matrix_destroy(&k);
  const double size = norm(m->nv, product);
  for (size_t i = 0; i < m->nv; i++)
    for (size_t j = 0; j < m->nv; j++) product[i] += matrix[m->nv * j + i] * d[j];
  if (m->c->checks & CONFORM_K)
    require(m, "matrix that descends against its product", norm(m->nv, product), 1e-11 * size);
  if (!keeps_exact_tangent(m->c) && is_indefinite(m->nv, matrix))
    fail_msg("%s %s: indefinite tangent, %s", m->c->klass, m->c->what, where);
  free(f), free(v), free(d), free(matrix), free(product);
}

static void check_descent(Model *m) {
  if (!(m->c->checks & CONFORM_SYMMETRIC) || !m->ops->potential_energy) return;
  double *x = reals(m->nx);
  shaken(m, x);
  check_descent_at(m, "shaken", x);
  for (int k = 0; k < m->n_states; k++) {
    const SofaStateKindInfo *info = sofa_state_kind_info(m->state[k]->object.kind);
    const size_t n = info->rigid ? 0 : info->coord * sofa_state_size(m->state[k]);
    for (size_t i = 0; i < n; i++) x[m->x_at[k] + i] *= 0.9;
  }
  check_descent_at(m, "compressed", x);
  free(x);
}

#endif
