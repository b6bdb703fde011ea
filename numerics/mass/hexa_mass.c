/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Consistent and lumped masses of trilinear hexahedra. */
#include "numerics/mass/hexa_mass.h"

#include "math/vec.h"
#include "numerics/fem/linear_fem.h"

void sofa_hexa_mass_exact(double density, const double *p, double *m, double *share) {
  double rho[8];
  for (int n = 0; n < 8; n++) rho[n] = density;
  sofa_consistent_mass(SOFA_SHAPE_HEXA, 3, SOFA_RULE_MASS, p, rho, m);
  for (int a = 0; a < 8; a++) {
    share[a] = 0;
    for (int b = 0; b < 8; b++) share[a] += m[8 * a + b];
  }
}

void sofa_hexa_mass_of_box(double density, const double *p, double *m, double *share) {
  const double mass = sofa_vec3_distance(p, p + 3) * sofa_vec3_distance(p, p + 9) *
                      sofa_vec3_distance(p, p + 12) * density;
  for (int k = 0; k < 64; k++) m[k] = mass * 8 / 27;
  for (int a = 0; a < 8; a++) share[a] = mass / 8;
}

void sofa_hexa_mass_clear(SofaHexaMass *mass) {
  const SofaMassMatrix *m = &mass->matrix;
  const size_t n = m->n ? (size_t)m->width * m->start[m->n] : 0;
  if (n) sofa_zero(m->value, n * sizeof *m->value);
}

SofaErr sofa_hexa_mass_make(const SofaObject *object, SofaHexaMass *mass,
                            const SofaElementMesh *mesh, const double *factor) {
  SofaContext *ctx = object->ctx;
  SofaErr err = SOFA_OK;
  sofa_hexa_mass_free(ctx, mass);
  SOFA_GO(err, done,
          sofa_mass_matrix_create(ctx, mesh->n, 8, mesh->vertices, mesh->n_points, &mass->matrix));
  mass->gravity = sofa_alloc(ctx, mesh->n_points, sizeof *mass->gravity);
  if (!mass->gravity) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  for (size_t e = 0; e < mesh->n; e++) {
    double p[24], m[64], wide[3 * 64], share[8];
    const uint32_t *v = mesh->vertices + 8 * e;
    for (int n = 0; n < 8; n++) sofa_vec3_copy(mesh->rest + 3 * (size_t)v[n], p + 3 * n);
    const double density = mass->density * (factor ? factor[e] : 1);
    mass->law(density, p, m, share);
    const size_t width = mass->matrix.width;
    for (size_t k = 0; k < 64 * width; k++) wide[k] = m[k / width];
    sofa_mass_matrix_add(&mass->matrix, e, wide);
    for (int n = 0; n < 8; n++) mass->gravity[v[n]] += share[n];
  }
  sofa_mass_matrix_sums(&mass->matrix);
done:
  if (err != SOFA_OK) sofa_hexa_mass_free(ctx, mass);
  return err;
}

SofaErr sofa_hexa_mass_give_matrices(const SofaObject *object, SofaHexaMass *mass,
                                     const SofaElementMesh *mesh, const double *factor) {
  const size_t n = mass->matrix.width == 1 ? mesh->n : 0;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &mass->mass_matrices, 576 * n));
  for (size_t e = 0; e < n; e++) {
    double p[24], m[64], share[8], *to = mass->mass_matrices.data + 576 * e;
    for (int a = 0; a < 8; a++)
      sofa_vec3_copy(mesh->rest + 3 * (size_t)mesh->vertices[8 * e + (size_t)a], p + 3 * a);
    mass->law(mass->density * (factor ? factor[e] : 1), p, m, share);
    for (size_t k = 0; k < 576; k++) {
      const size_t row = k / 24, column = k % 24;
      to[k] = row % 3 == column % 3 ? m[8 * (row / 3) + column / 3] : 0;
    }
  }
  return SOFA_OK;
}

void sofa_hexa_mass_free(SofaContext *ctx, SofaHexaMass *mass) {
  sofa_mass_matrix_free(ctx, &mass->matrix);
  sofa_free(ctx, mass->gravity);
  sofa_list_free(ctx, &mass->divisor);
  mass->gravity = NULL;
}

void sofa_hexa_mass_add_gravity(const SofaMass *mass, const SofaHexaMass *h, double *f) {
  if (!mass->gravity_apart)
    sofa_mass_diagonal_gravity(h->gravity, h->matrix.n, 3, mass->force_field.object.node->gravity.v,
                               f);
}

/* ---- operations ---- */

static const SofaHexaMass *of(const SofaMass *mass) {
  return ((const SofaLinearFem *)mass)->hexa_mass;
}

static SofaErr add_mdx(SofaMass *mass, const double *x, const double *dx, double *res,
                       double factor) {
  (void)x;
  const SofaHexaMass *h = of(mass);
  const SofaMassMatrix *m = &h->matrix;
  if (h->lumped)
    sofa_mass_diagonal_multiply(m->row_sum, m->width * m->n, 3 / m->width, dx, res, factor);
  else sofa_mass_matrix_multiply(m, mass->force_field.object.ctx, 3, dx, res, factor);
  return SOFA_OK;
}

static SofaErr acc_from_f(SofaMass *mass, const double *x, const double *f, double *a) {
  (void)x;
  const SofaMassMatrix *m = &of(mass)->matrix;
  if (!of(mass)->lumped)
    return sofa_object_fail(&mass->force_field.object, SOFA_ERR_ARGUMENT,
                            "an explicit solver needs a diagonal mass: set lumpedMass=\"1\"");
  for (size_t k = 0; k < 3 * m->n; k++) {
    const double *sums = of(mass)->divisor.n ? of(mass)->divisor.data : m->row_sum;
    const double own = mass_matrix_of(m, sums + m->width * (k / 3), k % 3);
    a[k] = f[k] != 0 ? f[k] / own : 0; // points without mass may have no force
  }
  return SOFA_OK;
}

/* The sums of the rows, or the diagonal of the consistent matrix only. */
static void add_diagonal(const SofaMassMatrix *m, bool sums, const SofaTangent *tangent) {
  for (uint32_t i = 0; i < m->n; i++) {
    const double *own = sums ? m->row_sum + m->width * i : sofa_mass_matrix_diagonal(m, i);
    double block[9] = {0};
    for (size_t c = 0; c < 3; c++) block[4 * c] = mass_matrix_of(m, own, c);
    sofa_tangent_add(tangent, 0, i, 0, i, block);
  }
}

static SofaErr add_m(SofaMass *mass, const double *x, const SofaTangent *tangent) {
  (void)x;
  const SofaHexaMass *h = of(mass);
  const bool sums = h->lumped && !h->full_matrix && !h->diagonal_matrix;
  if (h->diagonal_matrix || sums) add_diagonal(&h->matrix, sums, tangent);
  else sofa_mass_matrix_add_m(&h->matrix, mass->force_field.object.ctx, 3, tangent);
  return SOFA_OK;
}

static bool is_diagonal(const SofaMass *mass) {
  return of(mass)->lumped;
}

static double kinetic_energy(SofaMass *mass, const double *x, const double *v) {
  (void)x;
  const SofaMassMatrix *m = &of(mass)->matrix;
  if (!of(mass)->lumped) return sofa_mass_matrix_kinetic(m, 3, v);
  return sofa_mass_diagonal_kinetic(m->row_sum, m->width * m->n, 3 / m->width, v);
}

static double potential_energy(SofaMass *mass, const double *x, const double g[3]) {
  return sofa_mass_diagonal_potential(of(mass)->gravity, of(mass)->matrix.n, 3, g, x);
}

static double total_mass(const SofaMass *mass) {
  double sum = 0;
  for (size_t i = 0; i < of(mass)->matrix.n; i++) sum += of(mass)->gravity[i];
  return sum;
}

const SofaMassOps sofa_hexa_mass_ops = {
    .add_mdx = add_mdx,
    .acc_from_f = acc_from_f,
    .add_m = add_m,
    .is_diagonal = is_diagonal,
    .kinetic_energy = kinetic_energy,
    .potential_energy = potential_energy,
    .total_mass = total_mass,
    .tangent_is_mdx = true,
    .constant = true,
};
