/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rigid-body modes from the points of the states. */
#include "petsc_modes.h"

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

PetscErrorCode petsc_modes_set(const SofaMechanics *m, const SofaMechPoint *at, PetscModes modes,
                               Mat mat) {
  const size_t dim = dimension(m);
  Vec points = NULL;
  MatNullSpace space = NULL;
  PetscScalar *to = NULL;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)m->n_v_main, &points));
  PetscCall(VecSetBlockSize(points, (PetscInt)dim));
  PetscCall(VecGetArray(points, &to));
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *state = m->states[i];
    const size_t n = dim * sofa_state_size(state);
    if (n) sofa_copy(to + state->v_offset, points_of(state, at, modes), n * sizeof *to);
  }
  PetscCall(VecRestoreArray(points, &to));
  PetscCall(MatNullSpaceCreateRigidBody(points, &space));
  PetscCall(MatSetNearNullSpace(mat, space));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(VecDestroy(&points));
  return 0;
}
