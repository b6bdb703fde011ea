/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rigid-body modes from the points of the states. */
#include "petsc_modes.h"

#include "simulation/divided_plan.h"

static size_t dimension(const SofaMechanics *m) {
  return m->n_main ? sofa_state_kind_info(m->states[0]->object.kind)->deriv : 0;
}

bool petsc_modes_known(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaStateKind kind = m->states[i]->object.kind;
    if (kind != SOFA_VEC3 && kind != SOFA_VEC2) return false;
    if (kind != m->states[0]->object.kind) return false;
  }
  return m->n_main > 0;
}

static const double *points_of(const SofaState *state, const SofaMechPoint *at, PetscModes modes) {
  if (modes == PETSC_MODES_POSITION) return at->x + state->x_offset;
  return state->rest_position.n == sofa_state_size(state) ? state->rest_position.data
                                                          : state->position.data;
}

/* The rows of one state that this process has, into its part of the vector. */
static void copy_points(const SofaState *state, const double *points, const PetscMatrix *matrix,
                        double *to) {
  const size_t dim = sofa_state_kind_info(state->object.kind)->deriv;
  const size_t first = (size_t)matrix->first_scalar, last = first + (size_t)matrix->n_scalars;
  const size_t begin = state->v_offset, end = begin + dim * sofa_state_size(state);
  const size_t low = begin > first ? begin : first, high = end < last ? end : last;
  if (low < high) sofa_copy(to + (low - first), points + (low - begin), (high - low) * sizeof *to);
}

/* The own points of divided states, in the order of their blocks. */
static void copy_owned(const SofaMechanics *m, const SofaMechPoint *at, PetscModes modes,
                       double *to) {
  const size_t dim = dimension(m);
  size_t block = 0;
  for (size_t s = 0; s < m->n_main; s++) {
    const double *points = points_of(m->states[s], at, modes);
    for (size_t i = 0; i < sofa_state_size(m->states[s]); i++, block++) {
      if (!m->divided->owned.data[block]) continue;
      sofa_copy(to, points + i * dim, dim * sizeof *to);
      to += dim;
    }
  }
}

PetscErrorCode petsc_modes_set(const SofaMechanics *m, const SofaMechPoint *at, PetscModes modes,
                               const PetscMatrix *matrix) {
  Vec points = NULL;
  MatNullSpace space = NULL;
  PetscScalar *to = NULL;
  PetscCall(petsc_matrix_vector(matrix, true, &points));
  PetscCall(VecSetBlockSize(points, (PetscInt)dimension(m)));
  PetscCall(VecGetArray(points, &to));
  if (m->divided) copy_owned(m, at, modes, to);
  for (size_t i = 0; i < m->n_main && !m->divided; i++)
    copy_points(m->states[i], points_of(m->states[i], at, modes), matrix, to);
  PetscCall(VecRestoreArray(points, &to));
  PetscCall(MatNullSpaceCreateRigidBody(points, &space));
  PetscCall(MatSetNearNullSpace(matrix->mat, space));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(VecDestroy(&points));
  return 0;
}
