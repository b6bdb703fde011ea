/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hexahedra that are voxels of a regular grid. */
#include "voxel_numbers.h"

SofaErr sofa_voxel_numbers_check(const SofaTopology *topology, const SofaInts3 *resolution,
                                 const SofaIndices *numbers) {
  const SofaObject *object = &topology->object;
  double n = 1;
  for (int k = 0; k < 3; k++) {
    if (resolution->v[k] < 1)
      return sofa_field_fail(object, "resolution", SOFA_ERR_RANGE,
                             "is %d along axis %d, expected at least 1", resolution->v[k], k);
    n *= resolution->v[k];
  }
  if (n > INT32_MAX)
    return sofa_field_fail(object, "resolution", SOFA_ERR_RANGE, "has too many voxels");
  if (numbers->n != topology->mesh.hexahedra.n)
    return sofa_field_fail(object, "idxInRegularGrid", SOFA_ERR_RANGE,
                           "has %zu numbers for %zu hexahedra", numbers->n,
                           topology->mesh.hexahedra.n);
  for (size_t i = 0; i < numbers->n; i++)
    if ((double)numbers->data[i] >= n)
      return sofa_field_fail(object, "idxInRegularGrid", SOFA_ERR_RANGE,
                             "entry %zu is %u: the grid has the voxels 0 to %.0f", i,
                             numbers->data[i], n - 1);
  return SOFA_OK;
}

SofaErr sofa_voxel_numbers_follow(SofaTopology *topology, const SofaTopologyChange *change,
                                  SofaIndices *numbers, bool *concerned) {
  const bool mine = change->topology == topology && change->element == SOFA_ELEMENT_HEXA;
  if (concerned) *concerned = mine;
  if (!mine) return SOFA_OK;
  if (change->kind == SOFA_CHANGE_REMOVE)
    sofa_change_remove_entries(change, numbers, sizeof *numbers->data);
  if (change->kind == SOFA_CHANGE_ADD) {
    const uint32_t none = SOFA_NO_VOXEL;
    for (size_t i = 0; i < change->n; i++)
      SOFA_TRY(SOFA_APPEND(topology->object.ctx, numbers, &none));
  }
  sofa_field_touch_name(&topology->object, "idxInRegularGrid");
  return SOFA_OK;
}
