/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MergeROIs: several index lists as one list of lists. */
#include "components/engine/engine.h"

typedef struct MergeROIs {
  SofaObject object;
  uint32_t n_rois;
  SofaIndexLists lists;
} MergeROIs;

typedef MergeROIs SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(n_rois, "nbROIs", "0", "", "number of index lists"),
    SOFA_ROW_OUTPUT(lists, "roiIndices", "", "the lists"),
};

static const SofaFieldFamily families[] = {
    ENGINE_INPUTS(indices, "indices", "nbROIs", "", "an index list"),
};

static SofaErr update(SofaObject *object) {
  MergeROIs *m = (MergeROIs *)object;
  const size_t n = sofa_family_n(object, 0);
  SOFA_TRY(sofa_index_lists_resize(object->ctx, &m->lists, n));
  for (size_t i = 0; i < n; i++)
    SOFA_TRY(sofa_list_copy(object->ctx, &m->lists.data[i], sofa_family_value(object, 0, i),
                            sizeof(uint32_t)));
  return SOFA_OK;
}

ENGINE_CLASS(MergeROIs, "Select", "Joins index lists to one list of lists.", ENGINE_FAMILIES,
             .init = engine_init, );
