/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* K x = w^2 M x by the operator (K + shift M)^-1 M, with the shift on the side where no eigenvalue
 * is, so that bodies that are free to move have modes, too. */
#include <math.h>

#include "base/bytes.h"
#include "numerics/modes/modes_impl.h"

typedef struct Vibration {
  SofaModes *modes;
  SofaSymmetric *k, *mass;
  SofaSymmetricFactor *factor; /* of K + shift M */
  double shift, scale;         /* 1/s^2; scale: bound of the largest eigenvalue */
  double *work, *kx, *sums;    /* n reals */
} Vibration;

static SofaErr apply(void *user, const double *x, double *y) {
  Vibration *v = user;
  sofa_symmetric_multiply(v->mass, x, v->work);
  return sofa_symmetric_solve(v->factor, v->work, y);
}

static void weigh(void *user, const double *x, double *y) {
  sofa_symmetric_multiply(((const Vibration *)user)->mass, x, y);
}

static SofaErr prepare(Vibration *v, ModesPoint *point, size_t wanted) {
  const SofaObject *solver = &v->modes->solver->object;
  const size_t n = v->modes->n_rows;
  double asymmetry = 0, held = 0;
  SOFA_TRY(modes_point_set(point, 0, NULL, point->m->load_factor));
  SOFA_TRY(modes_matrix(solver, point, 0, 1, &asymmetry, &v->k));
  modes_warn_asymmetry(v->modes, asymmetry);
  SOFA_TRY(modes_mass(solver, point, &held, &v->mass));
  v->work = sofa_alloc(v->modes->ctx, n, sizeof *v->work);
  v->kx = sofa_alloc(v->modes->ctx, n, sizeof *v->kx);
  v->sums = sofa_alloc(v->modes->ctx, n, sizeof *v->sums);
  if (!v->work || !v->kx || !v->sums) return SOFA_ERR_MEMORY;
  sofa_symmetric_row_sums(v->k, v->sums);
  if ((double)wanted > (double)n - held + 0.5)
    return sofa_object_fail(solver, SOFA_ERR_RANGE,
                            "%zu modes were asked for, the states have %.0f degrees of freedom "
                            "that no constraint holds",
                            wanted, (double)n - held);
  return SOFA_OK;
}

/* Largest row of K against its mass; an error when there is no mass, or no stiffness. */
static SofaErr find_scale(Vibration *v) {
  const SofaObject *solver = &v->modes->solver->object;
  bool massive = false;
  for (size_t i = 0; i < sofa_symmetric_size(v->k); i++) {
    const double mass = sofa_symmetric_diagonal(v->mass, i);
    if (!(mass > 0)) continue;
    massive = true;
    v->scale = fmax(v->scale, v->sums[i] / mass);
  }
  if (!massive)
    return sofa_object_fail(solver, SOFA_ERR_NOT_FOUND,
                            "the states below the solver have no mass that can move: there are no "
                            "modes");
  if (!(v->scale > 0) || !isfinite(v->scale))
    return sofa_object_fail(solver, SOFA_ERR_NOT_FOUND,
                            "no force field below the solver has a stiffness, and no mapping with "
                            "geometricStiffness: there are no modes");
  return SOFA_OK;
}

/* The number of eigenvalues below -shift; with a factor when *out is asked for, which is good where
 * that number is 0. */
static SofaErr count_below(const Vibration *v, double shift, SofaSymmetricFactor **out, size_t *n) {
  const SofaSymmetricKind kind = out ? SOFA_SYMMETRIC_POSITIVE : SOFA_SYMMETRIC_INDEFINITE;
  SofaSymmetric *sum = NULL;
  SofaSymmetricFactor *factor = NULL;
  size_t row = 0;
  SofaErr err = sofa_symmetric_sum(1, v->k, shift, v->mass, &sum);
  if (err == SOFA_OK) err = sofa_symmetric_factorise(sum, kind, &factor, n, &row);
  sofa_symmetric_destroy(&sum);
  if (err == SOFA_OK && out) *out = factor;
  else sofa_symmetric_factor_destroy(&factor);
  return err;
}

/* A shift beyond the lowest eigenvalue: states that are not stable have negative ones. */
static SofaErr find_shift(Vibration *v) {
  for (double share = 1e-9; share < 1e4; share *= 10) {
    size_t below = 0;
    v->shift = share * v->scale;
    const SofaErr err = count_below(v, v->shift, &v->factor, &below);
    if (err == SOFA_OK && below == 0) return SOFA_OK;
    sofa_symmetric_factor_destroy(&v->factor);
    if (err != SOFA_OK && err != SOFA_ERR_SINGULAR) return err;
  }
  return sofa_object_fail(&v->modes->solver->object, SOFA_ERR_SINGULAR,
                          "points without mass have no stiffness, either, or one that is "
                          "negative: there are no modes");
}

/* The eigenvalue by the quotient of energies, and what is left of the equation. */
static void measure(const Vibration *v, const double *x, SofaMode *mode) {
  const size_t n = sofa_symmetric_size(v->k);
  double most = 0, left = 0, size = 0;
  sofa_symmetric_multiply(v->k, x, v->kx);
  sofa_symmetric_multiply(v->mass, x, v->work);
  mode->value = modes_product(n, x, v->kx) / modes_product(n, x, v->work);
  for (size_t i = 0; i < n; i++) {
    const double r = v->kx[i] - mode->value * v->work[i];
    const double s = (mode->value + v->shift) * v->work[i];
    left += r * r;
    size += s * s;
    most += x[i] * x[i] * v->sums[i];
  }
  mode->residual = size > 0 ? sqrt(left / size) : 0;
  mode->rigid =
      fabs(modes_product(n, x, v->kx)) <= 1e-11 * most || fabs(mode->value) <= 1e-15 * v->scale;
  mode->frequency = copysign(sqrt(fabs(mode->value)) / (2 * M_PI), mode->value);
}

/* Ascending. */
static void insert(SofaModes *modes, size_t at) {
  const size_t n = modes->n_rows;
  for (; at > 0 && modes->mode[at].value < modes->mode[at - 1].value; at--) {
    double *a = modes->shapes + at * modes->n_v, *b = a - modes->n_v;
    const SofaMode mode = modes->mode[at];
    modes->mode[at] = modes->mode[at - 1];
    modes->mode[at - 1] = mode;
    for (size_t k = 0; k < n; k++) {
      const double value = a[k];
      a[k] = b[k];
      b[k] = value;
    }
  }
}

/* Without supernodes a factor of more rows takes longer than all the rest. */
enum { MOST_COUNTED = 20000 };

/* Counts the eigenvalues below the last one by the signs of pivots: has one been missed? */
static SofaErr check_number(const Vibration *v) {
  SofaModes *modes = v->modes;
  const SofaMode *last = &modes->mode[modes->n - 1];
  const double limit = last->value * (1 - 1e-6);
  size_t below = 0, found = 0;
  if (last->rigid || last->value <= 0 || modes->n_rows > MOST_COUNTED) return SOFA_OK;
  for (size_t i = 0; i < modes->n; i++) found += modes->mode[i].value < limit;
  const SofaErr err = count_below(v, -limit, NULL, &below);
  if (err == SOFA_ERR_SINGULAR) return SOFA_OK;
  modes->n_lower = below > found ? below - found : 0;
  if (modes->n_lower)
    sofa_object_message(&modes->solver->object, SOFA_WARNING,
                        "%zu more modes are below the last one: ask for more", modes->n_lower);
  return err;
}

static SofaErr find(Vibration *v, size_t wanted, double *values, double *vectors) {
  SofaModes *modes = v->modes;
  const size_t n = modes->n_rows;
  const SofaEigenProblem problem = {modes->ctx, n, apply, weigh, v};
  const SofaErr err = sofa_eigenpairs(&problem, wanted, values, vectors, &modes->n);
  if (err == SOFA_ERR_NOT_CONVERGED)
    return sofa_object_fail(&modes->solver->object, err, "the modes did not converge");
  if (err != SOFA_OK) return err;
  if (modes->n < wanted)
    return sofa_object_fail(&modes->solver->object, SOFA_ERR_RANGE,
                            "%zu modes were asked for, the masses of the scene have %zu", wanted,
                            modes->n);
  for (size_t i = 0; i < modes->n; i++) {
    sofa_copy(modes->shapes + i * modes->n_v, vectors + i * n, n * sizeof *vectors);
    measure(v, sofa_modes_shape(modes, i), &modes->mode[i]);
    insert(modes, i);
  }
  return SOFA_OK;
}

/* Roundings of a solution with a shift far below the modes are large: then again with one of their
 * size. */
static SofaErr find_sharply(Vibration *v, size_t wanted, double *values, double *vectors) {
  size_t below = 0;
  SOFA_TRY(find(v, wanted, values, vectors));
  const double last = v->modes->mode[wanted - 1].value;
  if (last > 100 * v->shift) {
    v->shift = 0.1 * last;
    sofa_symmetric_factor_destroy(&v->factor);
    SOFA_TRY(count_below(v, v->shift, &v->factor, &below));
    SOFA_TRY(find(v, wanted, values, vectors));
  }
  return check_number(v);
}

SofaErr modes_of_vibration(SofaModes *modes, ModesPoint *point, size_t wanted) {
  SofaContext *ctx = modes->ctx;
  Vibration v = {.modes = modes};
  double *values = NULL, *vectors = NULL;
  SofaErr err = prepare(&v, point, wanted);
  SOFA_GO(err, done, err);
  SOFA_GO(err, done, find_scale(&v));
  SOFA_GO(err, done, find_shift(&v));
  values = sofa_alloc(ctx, wanted, sizeof *values);
  vectors = sofa_alloc(ctx, wanted * modes->n_rows, sizeof *vectors);
  err = values && vectors ? find_sharply(&v, wanted, values, vectors) : SOFA_ERR_MEMORY;
done:
  sofa_free(ctx, values);
  sofa_free(ctx, vectors);
  sofa_free(ctx, v.work);
  sofa_free(ctx, v.kx);
  sofa_free(ctx, v.sums);
  sofa_symmetric_destroy(&v.k);
  sofa_symmetric_destroy(&v.mass);
  sofa_symmetric_factor_destroy(&v.factor);
  return err;
}
