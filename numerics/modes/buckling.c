/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* (K + factor G) x = 0 by the operator -K^-1 G, symmetric in the energy of K. K has no loads. G is
 * the derivative of K along the displacement u = K^-1 F by the loads F, with the matrix of loads
 * that follow the body: a central difference. */
#include <math.h>

#include "base/bytes.h"
#include "numerics/modes/modes_impl.h"
#include "simulation/vectors.h"

typedef struct Buckling {
  SofaModes *modes;
  SofaSymmetric *k, *g;
  SofaSymmetricFactor *factor; /* of K */
  double *u, *work, *gx;       /* u: deriv */
} Buckling;

static SofaErr apply(void *user, const double *x, double *y) {
  Buckling *b = user;
  sofa_symmetric_multiply(b->g, x, b->work);
  for (size_t i = 0; i < sofa_symmetric_size(b->g); i++) b->work[i] = -b->work[i];
  return sofa_symmetric_solve(b->factor, b->work, y);
}

static void weigh(void *user, const double *x, double *y) {
  sofa_symmetric_multiply(((const Buckling *)user)->k, x, y);
}

/* ---- K and u ---- */

static SofaErr factorise(Buckling *b) {
  const SofaObject *solver = &b->modes->solver->object;
  size_t negative = 0, row = 0;
  const SofaErr err =
      sofa_symmetric_factorise(b->k, SOFA_SYMMETRIC_POSITIVE, &b->factor, &negative, &row);
  if (err == SOFA_ERR_SINGULAR)
    return sofa_object_fail(solver, err,
                            "degree of freedom %zu has no stiffness: bodies that are free to move "
                            "do not buckle, hold them by constraints",
                            row);
  if (err != SOFA_OK || negative == 0) return err;
  return sofa_object_fail(
      solver, SOFA_ERR_ARGUMENT,
      "the state without loads is not stable: its stiffness is not positive definite");
}

/* u = K^-1 P F */
static SofaErr find_displacement(Buckling *b, ModesPoint *point) {
  SofaMechanics *m = point->m;
  const SofaMechParams p = sofa_mech_params(m->node->dt, m->node->time, 0, 0, 0);
  SOFA_TRY(sofa_mech_compute_loads(m, &p, &point->at, b->work));
  SOFA_TRY(sofa_mech_project_response(m, &p, b->work));
  if (!(sofa_vec_dot(sofa_main_v(m), b->work, b->work) > 0))
    return sofa_object_fail(&b->modes->solver->object, SOFA_ERR_NOT_FOUND,
                            "the scene has no loads that move something: nothing buckles (loads "
                            "are forces, pressures and masses in gravity)");
  return sofa_symmetric_solve(b->factor, b->work, b->u);
}

/* The largest displacement against the size of the scene, and the largest rotation. */
static double size_of_displacement(const SofaMechanics *m, const double *u) {
  double moved = 0, turned = 0, size = 0;
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
    const unsigned dims = kind->rigid ? kind->space : kind->deriv;
    for (size_t k = 0; k < s->position.n; k++) {
      for (unsigned c = 0; c < kind->deriv; c++) {
        double *most = c < dims ? &moved : &turned;
        *most = fmax(*most, fabs(u[s->v_offset + k * kind->deriv + c]));
      }
      for (unsigned c = 0; c < dims; c++)
        size = fmax(size, fabs(m->x[s->x_offset + k * kind->coord + c] - m->x[s->x_offset + c]));
    }
  }
  return fmax(moved / (size > 0 ? size : 1), turned);
}

static void warn_of_approximations(const SofaModes *modes) {
  const SofaMechanics *m = modes->mechanics;
  for (size_t i = 0; i < m->n_force_fields; i++) {
    const SofaApproximation *left_out = sofa_force_field_approximation(m->force_fields[i]);
    if (left_out)
      sofa_object_message(&m->force_fields[i]->object, SOFA_WARNING,
                          "its matrix is not the whole derivative of its force, on which factors "
                          "of buckling depend: %s",
                          left_out->why);
  }
}

/* G = (K(e u) - K(-e u)) / (2 e) */
static SofaErr find_change(Buckling *b, ModesPoint *point) {
  const SofaObject *solver = &b->modes->solver->object;
  const double e = 1e-5 / size_of_displacement(point->m, b->u);
  SofaSymmetric *ahead = NULL, *behind = NULL;
  double asymmetry = 0;
  SofaErr err = modes_point_set(point, e, b->u, e);
  if (err == SOFA_OK) err = modes_matrix(solver, point, 0, 1, &asymmetry, &ahead);
  if (err == SOFA_OK) err = modes_point_set(point, -e, b->u, -e);
  if (err == SOFA_OK) err = modes_matrix(solver, point, 0, 1, NULL, &behind);
  if (err == SOFA_OK) err = sofa_symmetric_sum(0.5 / e, ahead, -0.5 / e, behind, &b->g);
  if (err == SOFA_OK) modes_warn_asymmetry(b->modes, asymmetry);
  sofa_symmetric_destroy(&ahead);
  sofa_symmetric_destroy(&behind);
  return err;
}

static SofaErr prepare(Buckling *b, ModesPoint *point) {
  SofaMechanics *m = point->m;
  b->u = sofa_alloc(m->ctx, m->n_v + 1, sizeof *b->u);
  b->work = sofa_alloc(m->ctx, m->n_v + 1, sizeof *b->work);
  b->gx = sofa_alloc(m->ctx, m->n_v + 1, sizeof *b->gx);
  if (!b->u || !b->work || !b->gx) return SOFA_ERR_MEMORY;
  warn_of_approximations(b->modes);
  SOFA_TRY(modes_point_set(point, 0, NULL, 0));
  SOFA_TRY(modes_matrix(&b->modes->solver->object, point, 0, 1, NULL, &b->k));
  SOFA_TRY(factorise(b));
  SOFA_TRY(find_displacement(b, point));
  return find_change(b, point);
}

/* ---- factors ---- */

static void measure(const Buckling *b, const double *x, SofaMode *mode) {
  const size_t n = sofa_symmetric_size(b->k);
  double left = 0;
  sofa_symmetric_multiply(b->k, x, b->work);
  sofa_symmetric_multiply(b->g, x, b->gx);
  mode->value = -modes_product(n, x, b->work) / modes_product(n, x, b->gx);
  for (size_t i = 0; i < n; i++) {
    const double r = b->work[i] + mode->value * b->gx[i];
    left += r * r;
  }
  mode->residual = sqrt(left / modes_product(n, b->work, b->work));
}

/* Positive eigenvalues 1 / factor, the largest first; those of rounding are none. */
static SofaErr take(Buckling *b, const double *values, const double *vectors, size_t found) {
  SofaModes *modes = b->modes;
  const size_t n = modes->n_rows;
  for (modes->n = 0; modes->n < found && values[modes->n] > 1e-9 * fabs(values[0]); modes->n++) {
    double *shape = modes->shapes + modes->n * modes->n_v;
    sofa_copy(shape, vectors + modes->n * n, n * sizeof *vectors);
    measure(b, shape, &modes->mode[modes->n]);
  }
  if (modes->n == 0)
    return sofa_object_fail(&modes->solver->object, SOFA_ERR_NOT_FOUND,
                            "the loads of the scene do not buckle it, whatever their factor: they "
                            "stretch it, or the matrices do not depend on stresses");
  return SOFA_OK;
}

static SofaErr find(Buckling *b, size_t wanted, double *values, double *vectors) {
  const SofaModes *modes = b->modes;
  const SofaEigenProblem problem = {modes->ctx, modes->n_rows, apply, weigh, b};
  size_t found = 0;
  const SofaErr err = sofa_eigenpairs(&problem, wanted, values, vectors, &found);
  if (err == SOFA_ERR_NOT_CONVERGED)
    return sofa_object_fail(&modes->solver->object, err, "the factors did not converge");
  return err == SOFA_OK ? take(b, values, vectors, found) : err;
}

SofaErr modes_of_buckling(SofaModes *modes, ModesPoint *point, size_t wanted) {
  SofaContext *ctx = modes->ctx;
  Buckling b = {.modes = modes};
  double *values = NULL, *vectors = NULL;
  SofaErr err = prepare(&b, point);
  SOFA_GO(err, done, err);
  values = sofa_alloc(ctx, wanted, sizeof *values);
  vectors = sofa_alloc(ctx, wanted * modes->n_rows, sizeof *vectors);
  err = values && vectors ? find(&b, wanted, values, vectors) : SOFA_ERR_MEMORY;
done:
  sofa_free(ctx, values);
  sofa_free(ctx, vectors);
  sofa_free(ctx, b.u);
  sofa_free(ctx, b.work);
  sofa_free(ctx, b.gx);
  sofa_symmetric_destroy(&b.k);
  sofa_symmetric_destroy(&b.g);
  sofa_symmetric_factor_destroy(&b.factor);
  return err;
}
