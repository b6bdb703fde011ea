/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GroupFilterYoungModulus: a Young modulus for each element from that of its group. */
#include <string.h>

#include "base/text.h"
#include "behavior/loader.h"
#include "components/engine/engine.h"

typedef struct GroupFilterYoungModulus {
  SofaObject object;
  SofaMeshGroups groups;
  SofaIndices primitives;
  SofaInts element_groups;
  SofaReals young, group_young;
  char *map;
  double default_young;
} GroupFilterYoungModulus;

typedef GroupFilterYoungModulus SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    {.name = "groups",
     .type = &sofa_type_mesh_groups,
     .offset = offsetof(GroupFilterYoungModulus, groups),
     .unit = "",
     .help = "groups of elements, as loaders have them",
     .flags = SOFA_FIELD_INPUT},
    SOFA_ROW_INPUT(primitives, "primitives", NULL, "",
                   "elements: there are at least as many values"),
    SOFA_ROW_INPUT(element_groups, "elementsGroup", NULL, "",
                   "without groups: number of the group of each element"),
    SOFA_ROW_OUTPUT(young, "youngModulus", "Pa", "modulus of each element"),
    SOFA_ROW_INPUT(map, "mapGroupModulus", NULL, "",
                   "'name modulus;' for each group; without groups 'number modulus;'"),
    SOFA_ROW_INPUT(default_young, "defaultYoungModulus", "10000", "Pa",
                   "modulus of the elements of other groups"),
    SOFA_ROW_INPUT(
        group_young, "groupModulus", NULL, "Pa",
        "modulus of each group in order, instead of mapGroupModulus; elements group by group"),
};

/* One "name modulus" up to the next ';'. false: there is no more. */
static bool next_pair(const char **at, const char **name, size_t *n, double *young, bool *ok) {
  const char *end = strchr(*at, ';');
  if (!end) return false;
  *ok = sofa_read_word(at, name, n) && sofa_read_real(at, young) && *young > 0 && *at <= end;
  *at = end + 1;
  return true;
}

static SofaErr bad_map(const GroupFilterYoungModulus *g) {
  return sofa_field_fail(&g->object, "mapGroupModulus", SOFA_ERR_PARSE,
                         "'%s' is not a list of 'group modulus;' with moduli > 0", g->map);
}

static SofaErr set_range(GroupFilterYoungModulus *g, size_t first, size_t n, double young) {
  if (first + n > INT32_MAX)
    return sofa_field_fail(&g->object, "groups", SOFA_ERR_RANGE, "there are too many elements");
  while (g->young.n < first + n) SOFA_TRY(SOFA_APPEND(g->object.ctx, &g->young, &g->default_young));
  for (size_t i = first; i < first + n; i++) g->young.data[i] = young;
  return SOFA_OK;
}

static SofaErr by_names(GroupFilterYoungModulus *g) {
  const char *at = g->map ? g->map : "", *name = NULL;
  size_t n = 0, k;
  double young = 0;
  bool ok = true;
  SOFA_TRY(set_range(g, 0, g->primitives.n, g->default_young));
  while (next_pair(&at, &name, &n, &young, &ok)) {
    if (!ok) return bad_map(g);
    for (k = 0; k < g->groups.n; k++)
      if (strlen(g->groups.data[k].name) == n && sofa_compare(g->groups.data[k].name, name, n) == 0)
        break;
    if (k == g->groups.n)
      return sofa_field_fail(&g->object, "mapGroupModulus", SOFA_ERR_NOT_FOUND,
                             "there is no group '%.*s'", (int)n, name);
    SOFA_TRY(set_range(g, g->groups.data[k].first, g->groups.data[k].n, young));
  }
  return SOFA_OK;
}

static SofaErr by_order(GroupFilterYoungModulus *g) {
  for (size_t k = 0; k < g->groups.n; k++) {
    const bool given = k < g->group_young.n;
    SOFA_TRY(set_range(g, g->young.n, g->groups.data[k].n,
                       given ? g->group_young.data[k] : g->default_young));
  }
  return SOFA_OK;
}

static SofaErr by_numbers(GroupFilterYoungModulus *g) {
  const char *at = g->map ? g->map : "", *name = NULL;
  size_t n = 0;
  double young = 0;
  bool ok = true;
  SOFA_TRY(set_range(g, 0, g->element_groups.n, g->default_young));
  while (next_pair(&at, &name, &n, &young, &ok)) {
    int64_t id = 0;
    if (!ok || !sofa_read_int(&name, &id)) return bad_map(g);
    for (size_t i = 0; i < g->element_groups.n; i++)
      if (g->element_groups.data[i] == id) g->young.data[i] = young;
  }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  GroupFilterYoungModulus *g = (GroupFilterYoungModulus *)object;
  g->young.n = 0;
  if (!g->groups.n) return by_numbers(g);
  return g->group_young.n ? by_order(g) : by_names(g);
}

ENGINE_CLASS(GroupFilterYoungModulus, "Generate",
             "Gives each element the Young modulus of its group.",
             .templates = engine_vec3_templates, .init = engine_init, );
