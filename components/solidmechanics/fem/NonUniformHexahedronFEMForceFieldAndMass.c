/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NonUniformHexahedronFEMForceFieldAndMass: hexahedra of a sparse grid whose stiffness and mass are
 * those of the finer cells that the body fills. Source: M. Nesme, Y. Payan, F. Faure, Animating
 * shapes at arbitrary resolution with non-uniform stiffness, VRIPHYS 2006. */
#include <math.h>
#include <string.h>
#include "components/solidmechanics/fem/NonUniformHexahedronFEMForceFieldAndMass.h"
#include "numerics/fem/hexa_element.h"
#include "numerics/fem/tetra_element.h"
#include "math/vec.h"

enum { QUIRK_NONUNIFORM_MASS = 1 << 19 };
static const SofaQuirk quirks[] = {
    {QUIRK_NONUNIFORM_MASS, "nonuniform-mass",
     "non-uniform hexahedra take the factor of the stiffness for the mass, too, and divide "
     "totalMass by the number of elements",
     "test_nonuniform.masses_have_their_own_factors"},
};

typedef NonUniform SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(n_finer, "nbVirtualFinerLevels", "0", "1",
             "how many of the grid's finer levels the matrices are made of",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(use_mass, "useMass", "1", "",
             "the mass is that of the elements, by `density`; otherwise equal shares of "
             "`totalMass` at the points"),
    SOFA_ROW(total_mass, "totalMass", "0", "kg", "mass of all points without useMass",
             .range = SOFA_AT_LEAST(0)),
};

const uint8_t nonuniform_steps[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/* A: corners of the child in an octant by the corners of its parent. */
static void interpolation(uint32_t octant, double a[8][8]) {
  for (int c = 0; c < 8; c++)
    for (int p = 0; p < 8; p++) {
      a[c][p] = 1;
      for (int k = 0; k < 3; k++) {
        const double at = ((octant >> k & 1) + nonuniform_steps[c][k]) / 2.;
        a[c][p] *= nonuniform_steps[p][k] ? at : 1 - at;
      }
    }
}

/* out += A^T in A, blocks of `width` x `width`. */
static void add_congruence(double a[8][8], size_t width, const double *in, double *out) {
  const size_t n = 8 * width;
  double half[24 * 24] = {0};
  for (size_t i = 0; i < n; i++)
    for (size_t b = 0; b < 8; b++)
      for (size_t c = 0; c < n; c++)
        half[n * i + width * b + c % width] += in[n * i + c] * a[c / width][b];
  for (size_t i = 0; i < n; i++)
    for (size_t b = 0; b < 8; b++)
      for (size_t c = 0; c < n; c++)
        out[n * (width * b + i % width) + c] += a[i / width][b] * half[n * i + c];
}

void nonuniform_add_cell(const NonUniform *f, uint32_t h, NonUniformMatrices *out) {
  const SofaSparseLevel *l = &f->grid->levels[f->finest];
  const double mass = f->mass_by_stiffness ? l->stiffness.data[h] : l->mass.data[h];
  for (int i = 0; i < 576; i++) out->k[i] += l->stiffness.data[h] * f->cell.k[i];
  for (int i = 0; i < 64; i++) out->m[i] += mass * f->cell.m[i];
}

/* Adds the matrices of hexahedron h of a level, made of the finest one. */
static void gather(const NonUniform *f, size_t level, uint32_t h, NonUniformMatrices *out) {
  const SofaSparseLevel *l = &f->grid->levels[level];
  if (level == f->finest) {
    nonuniform_add_cell(f, h, out);
    return;
  }
  for (uint32_t i = l->child_start.data[h]; i < l->child_start.data[h + 1]; i++) {
    const SofaSparseChild *child = &l->children.data[i];
    NonUniformMatrices own = {{0}, {0}};
    double a[8][8];
    gather(f, level - 1, child->hexa, &own);
    interpolation(child->octant, a);
    add_congruence(a, 3, own.k, out->k);
    add_congruence(a, 1, own.m, out->m);
  }
}

/* The finest cells: boxes with the edges of element 0 divided by 2 so many times. */
static void make_cell(NonUniform *f) {
  static const int ends[3] = {1, 3, 4};
  const HexahedronFEMForceField *h = &f->base.hexa;
  double q[24], p[24], lambda, mu, share[8], size[3];
  sofa_element_batch_rest(&h->batch, 0, q);
  for (int k = 0; k < 3; k++) size[k] = ldexp(sofa_vec3_distance(q, q + 3 * ends[k]), -f->n_finer);
  for (int n = 0; n < 8; n++)
    for (int k = 0; k < 3; k++) p[3 * n + k] = nonuniform_steps[n][k] * size[k];
  sofa_lame(sofa_linear_fem_young(&h->fem, 0), sofa_linear_fem_poisson(&h->fem, 0), &lambda, &mu);
  sofa_hexa_stiffness(p, lambda, mu, f->cell.k, NULL);
  f->base.m.law(f->base.m.density, p, f->cell.m, share);
}

static SofaErr check(const NonUniform *f, const SofaSparseTopology **grid) {
  const SofaObject *object = &f->base.hexa.fem.force_field.object;
  const SofaTopology *t = f->base.hexa.fem.mesh;
  *grid = (const SofaSparseTopology *)t;
  if (t->container != SOFA_CONTAINER_SPARSE_GRID)
    return sofa_field_fail(object, "topology", SOFA_ERR_TYPE, "'%s' (%s) is not a sparse grid",
                           t->object.name, t->object.klass->name);
  if ((size_t)f->n_finer >= (*grid)->n_levels)
    return sofa_field_fail(object, "nbVirtualFinerLevels", SOFA_ERR_RANGE,
                           "is %d, expected 0 to %zu, the finer levels of '%s'", f->n_finer,
                           (*grid)->n_levels - 1, t->object.name);
  if (f->base.hexa.update_stiffness_matrix)
    return sofa_object_unsupported(object, "updating a stiffness that is made of finer cells");
  if (!f->base.hexa.batch.n ||
      (*grid)->levels[(*grid)->n_levels - 1].hexas.n != f->base.hexa.batch.n)
    return sofa_field_fail(object, "topology", SOFA_ERR_RANGE, "'%s' has lost hexahedra",
                           t->object.name);
  return SOFA_OK;
}

static SofaErr interpolate(NonUniform *f) {
  for (uint32_t e = 0; e < f->base.hexa.batch.n; e++) {
    NonUniformMatrices own = {{0}, {0}};
    gather(f, f->grid->n_levels - 1, e, &own);
    sofa_element_batch_stiffness(&f->base.hexa.batch, e, own.k);
    sofa_mass_matrix_add(&f->base.m.matrix, e, own.m);
  }
  return sofa_element_batch_compare(f->base.hexa.fem.force_field.object.ctx, &f->base.hexa.batch);
}

static SofaErr nonuniform_construct(SofaObject *object) {
  NonUniform *f = (NonUniform *)object;
  f->make = interpolate;
  f->base.hexa.mean_edges = true; // the finer cells are boxes along these axes
  return SOFA_OK;
}

/* The same mass at each point instead of that of the elements. */
static void share_mass(NonUniform *f) {
  SofaMassMatrix *m = &f->base.m.matrix;
  const size_t n = f->mass_by_stiffness ? f->base.hexa.batch.n : m->n, width = m->width;
  sofa_hexa_mass_clear(&f->base.m);
  for (size_t i = 0; i < m->n; i++) {
    f->base.m.gravity[i] = f->total_mass / (double)n;
    for (uint32_t k = m->start[i]; k < m->start[i + 1]; k++)
      for (size_t c = 0; c < width && m->column[k] == i; c++)
        m->value[width * k + c] = f->base.m.gravity[i];
  }
}

static SofaErr nonuniform_init(SofaObject *object) {
  NonUniform *f = (NonUniform *)object;
  SOFA_TRY(check(f, &f->grid));
  f->finest = f->grid->n_levels - 1 - (size_t)f->n_finer;
  f->mass_by_stiffness = sofa_quirk(object, QUIRK_NONUNIFORM_MASS);
  make_cell(f);
  sofa_hexa_mass_clear(&f->base.m);
  SOFA_TRY(f->make(f));
  // gravity acts on the elements' mass, which the base class has made, or on the shares
  if (!f->use_mass) share_mass(f);
  sofa_mass_matrix_sums(&f->base.m.matrix);
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(NonUniformHexahedronFEMForceFieldAndMass) = {
    .name = "NonUniformHexahedronFEMForceFieldAndMass",
    .module = "Sofa.Component.SolidMechanics.FEM.NonUniform",
    .category = "Mass",
    .help = "HexahedronFEMForceFieldAndMass on a sparse grid, with the stiffness and the mass of "
            "the finer cells that the body fills in each hexahedron.",
    .equations =
        "f = -R K (R^T x - X)\n"
        "\"f: forces of an element, R: its rotation, x and X: its positions and rest positions\"",
    .base = &sofa_HexahedronFEMForceFieldAndMass_class,
    .divided = SOFA_DIVIDED_NOT,
    SOFA_QUIRKS(quirks),
    .size = sizeof(NonUniform),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = nonuniform_construct,
    .init = nonuniform_init,
    .reinit = nonuniform_init,
};
