/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compliances of bodies. */
#include "components/constraint/lagrangian/correction/compliance.h"

#include <string.h>

#include "math/quaternion.h"

void body_compliance_turn(const double *c, const double *q, double *turned) {
  const double own[9] = {c[1], c[2], c[3], c[2], c[4], c[5], c[3], c[5], c[6]};
  double r[9], m[9];
  sofa_quat_to_matrix(q, r);
  sofa_mat3_mul(r, own, m);
  sofa_mat3_mul_nt(m, r, m);
  const double world[BODY_COMPLIANCE] = {c[0], m[0], m[1], m[2], m[4], m[5], m[8]};
  memcpy(turned, world, sizeof world);
}

typedef struct Work {
  const double *x; /* positions */
  size_t n;        /* bodies */
  double *v, *r;   /* derivs of the state */
  double *out;     /* 10 reals per body */
} Work;

/* Column `axis` of all bodies' masses. */
static SofaErr add_column(SofaMass *mass, const Work *w, unsigned axis) {
  sofa_zero(w->v, 6 * w->n * sizeof *w->v);
  sofa_zero(w->r, 6 * w->n * sizeof *w->r);
  for (size_t i = 0; i < w->n; i++) SOFA_TWIST(w->v, i)[axis] = 1;
  SOFA_TRY(sofa_mass_ops(mass)->add_mdx(mass, w->x, w->v, w->r, 1));
  for (size_t i = 0; i < w->n; i++) {
    if (axis == 0) w->out[10 * i] += w->r[6 * i];
    for (unsigned k = 0; k < 3 && axis >= 3; k++)
      w->out[10 * i + 1 + 3 * k + (axis - 3)] += SOFA_TWIST_ANGULAR(w->r, i)[k];
  }
  return SOFA_OK;
}

static SofaErr add_mass(SofaMass *mass, const Work *w) {
  SOFA_TRY(add_column(mass, w, 0));
  for (unsigned axis = 3; axis < 6; axis++) SOFA_TRY(add_column(mass, w, axis));
  return SOFA_OK;
}

SofaErr body_masses(const SofaState *state, SofaMass *const *masses, size_t n_masses,
                    const double *x, SofaReals *out) {
  SofaContext *ctx = state->object.ctx;
  const size_t n = state->position.n;
  SofaErr err = SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(ctx, out, 10 * n));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *work = SOFA_SCRATCH(ctx, double, 19 * n + 1);
  SOFA_GO(err, done, work ? SOFA_OK : SOFA_ERR_MEMORY);
  double *own = work + 12 * n;
  for (size_t i = 0; i < n && !x; i++) {
    memset(SOFA_POSE(own, i), 0, 7 * sizeof *own);
    sofa_quat_identity(SOFA_POSE_QUAT(own, i));
  }
  for (size_t k = 0; k < out->n; k++) out->data[k] = 0;
  const Work w = {x ? x : own, n, work, work + 6 * n, out->data};
  for (size_t i = 0; i < n_masses; i++)
    if (masses[i]->force_field.state[0] == state) SOFA_GO(err, done, add_mass(masses[i], &w));
done:
  sofa_scratch_release(ctx, mark);
  return err;
}
