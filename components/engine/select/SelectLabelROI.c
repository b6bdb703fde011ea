/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SelectLabelROI: the points or cells that carry one of the chosen labels. */
#include "components/engine/engine.h"

typedef struct SelectLabelROI {
  SofaObject object;
  SofaIndexLists labels;
  SofaIndices chosen, indices;
} SelectLabelROI;

typedef SelectLabelROI SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(labels, "labels", NULL, "", "labels of each point or cell: \"[1,2] [3]\""),
    SOFA_ROW_INPUT(chosen, "selectLabels", NULL, "", "labels to select"),
    SOFA_ROW_OUTPUT(indices, "indices", "", "points or cells with such a label"),
};

static bool carries(const SelectLabelROI *r, const SofaIndices *labels) {
  for (size_t j = 0; j < labels->n; j++)
    for (size_t k = 0; k < r->chosen.n; k++)
      if (labels->data[j] == r->chosen.data[k]) return true;
  return false;
}

static SofaErr update(SofaObject *object) {
  SelectLabelROI *r = (SelectLabelROI *)object;
  r->indices.n = 0;
  for (size_t i = 0; i < r->labels.n; i++)
    if (carries(r, &r->labels.data[i])) SOFA_TRY(engine_append(object->ctx, &r->indices, i));
  return SOFA_OK;
}

static const char *const templates[] = {"I", "B", "H", "i", NULL};

ENGINE_CLASS(SelectLabelROI, "Select", "Selects the points or cells with one of chosen labels.",
             .templates = templates, .init = engine_init, );
