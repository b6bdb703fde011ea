/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SelectConnectedLabelsROI: the points or cells whose labels of different lists are connected. */
#include "components/engine/engine.h"

typedef struct SelectConnectedLabelsROI {
  SofaObject object;
  uint32_t n_labels;
  SofaIndices connected, indices;
} SelectConnectedLabelsROI;

typedef SelectConnectedLabelsROI SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(n_labels, "nbLabels", "0", "",
             "number of lists of labels; fewer than 2: nothing is selected"),
    SOFA_ROW_INPUT(connected, "connectLabels", NULL, "", "pairs of labels that connect two lists"),
    SOFA_ROW_OUTPUT(indices, "indices", "", "points or cells where two lists are connected"),
};

static const SofaFieldFamily families[] = {
    ENGINE_INPUTS(index_lists, "labels", "nbLabels", "",
                  "labels of each point or cell: \"[1,2] [3]\""),
};

static bool is_pair(const SofaIndices *pairs, uint32_t a, uint32_t b) {
  for (size_t k = 0; k + 1 < pairs->n; k += 2) {
    const uint32_t p = pairs->data[k], q = pairs->data[k + 1];
    if ((p == a && q == b) || (p == b && q == a)) return true;
  }
  return false;
}

static bool lists_connect(const SofaIndices *pairs, const SofaIndices *a, const SofaIndices *b) {
  for (size_t j = 0; j < a->n; j++)
    for (size_t k = 0; k < b->n; k++)
      if (is_pair(pairs, a->data[j], b->data[k])) return true;
  return false;
}

static const SofaIndexLists *labels(const SofaObject *object, size_t l) {
  return sofa_family_value(object, 0, l);
}

static bool connects(const SelectConnectedLabelsROI *r, size_t i, size_t n) {
  for (size_t l = 0; l < n; l++)
    for (size_t m = l + 1; m < n; m++)
      if (lists_connect(&r->connected, &labels(&r->object, l)->data[i],
                        &labels(&r->object, m)->data[i]))
        return true;
  return false;
}

static SofaErr update(SofaObject *object) {
  SelectConnectedLabelsROI *r = (SelectConnectedLabelsROI *)object;
  const size_t n = sofa_family_n(object, 0);
  r->indices.n = 0;
  if (r->connected.n % 2)
    return sofa_field_fail(object, "connectLabels", SOFA_ERR_RANGE, "%zu labels are not pairs",
                           r->connected.n);
  for (size_t l = 1; l < n; l++)
    if (labels(object, l)->n != labels(object, 0)->n)
      return sofa_field_fail(object, "labels", SOFA_ERR_RANGE,
                             "list %zu is for %zu points, list 1 for %zu", l + 1,
                             labels(object, l)->n, labels(object, 0)->n);
  for (size_t i = 0; n > 1 && i < labels(object, 0)->n; i++)
    if (connects(r, i, n)) SOFA_TRY(engine_append(object->ctx, &r->indices, i));
  return SOFA_OK;
}

static const char *const templates[] = {"I", "B", "H", "i", NULL};

ENGINE_CLASS(SelectConnectedLabelsROI, "Select",
             "Selects the points or cells whose labels of different lists are connected.",
             ENGINE_FAMILIES, .templates = templates, .init = engine_init, );
