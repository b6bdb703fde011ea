/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds of state, and the names a template may have in a scene. */
#include <string.h>
#include "object/type.h"

static const SofaStateKindInfo infos[SOFA_N_STATE_KINDS] = {
    [SOFA_VEC1] = {"Vec1d", 1, 1, 1, false},    [SOFA_VEC2] = {"Vec2d", 2, 2, 2, false},
    [SOFA_VEC3] = {"Vec3d", 3, 3, 3, false},    [SOFA_VEC6] = {"Vec6d", 6, 6, 3, false},
    [SOFA_RIGID2] = {"Rigid2d", 3, 3, 2, true}, [SOFA_RIGID3] = {"Rigid3d", 7, 6, 3, true},
};

const SofaStateKindInfo *sofa_state_kind_info(SofaStateKind kind) {
  return (unsigned)kind < SOFA_N_STATE_KINDS ? &infos[kind] : NULL;
}

SofaStateKind sofa_state_kind_from_name(const char *name) {
  const char *canonical = sofa_template_alias(name, NULL);
  for (unsigned i = 0; i < SOFA_N_STATE_KINDS; i++) {
    if (strcmp(infos[i].name, canonical) == 0) return (SofaStateKind)i;
  }
  return SOFA_NO_KIND;
}

/* name in the scene, canonical name, deprecated */
static const struct {
  const char *alias, *name;
  bool deprecated;
} aliases[] = {
    {"Vec1", "Vec1d", false},
    {"Vec2", "Vec2d", false},
    {"Vec3", "Vec3d", false},
    {"Vec6", "Vec6d", false},
    {"Rigid2", "Rigid2d", false},
    {"Rigid3", "Rigid3d", false},
    {"Rigid", "Rigid3d", true},
    {"Vec1f", "Vec1d", true},
    {"Vec2f", "Vec2d", true},
    {"Vec3f", "Vec3d", true},
    {"Vec6f", "Vec6d", true},
    {"Rigid2f", "Rigid2d", true},
    {"Rigid3f", "Rigid3d", true},
    {"CompressedRowSparseMatrix", "CompressedRowSparseMatrixd", false},
    {"CompressedRowSparseMatrixf", "CompressedRowSparseMatrixd", true},
    {"CompressedRowSparseMatrixMat3x3", "CompressedRowSparseMatrixMat3x3d", false},
    {"CompressedRowSparseMatrixMat3x3f", "CompressedRowSparseMatrixMat3x3d", true},
    {"Mat2x2", "Mat2x2d", false},
    {"Mat3x3", "Mat3x3d", false},
    {"Mat4x4", "Mat4x4d", false},
    {"Mat6x6", "Mat6x6d", false},
    {"SReal", "d", false},
    {"int", "i", true},
    {"float", "d", true},
    {"double", "d", true},
    {"Data<int>", "i", true},
    {"Data<double>", "d", true},
    {"Data<bool>", "B", true},
    {"vector<int>", "vector<i>", true},
    {"vector<double>", "vector<d>", true},
    {"vector<unsigned_int>", "vector<I>", true},
};

const char *sofa_template_alias(const char *text, bool *deprecated) {
  if (deprecated) *deprecated = false;
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
    if (strcmp(aliases[i].alias, text) != 0) continue;
    if (deprecated) *deprecated = aliases[i].deprecated;
    return aliases[i].name;
  }
  return text;
}
