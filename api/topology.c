/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topological changes by an application. */
#include <string.h>

#include "api/api_impl.h"
#include "change/topology_change.h"
#include "components/topology/topology_modifier.h"

/* A change that is asked for. */
typedef struct Request {
  SofaTopology *topology;
  SofaElementKind kind;
  unsigned flags; /* of a removal */
  const uint32_t *ids;
  size_t n;
} Request;

static SofaErr find_kind(const SofaObject *object, const char *name, SofaElementKind *out) {
  for (int k = 0; name && k < SOFA_N_ELEMENT_KINDS; k++) {
    *out = (SofaElementKind)k;
    if (strcmp(sofa_element_kind_info(*out)->name, name) == 0) return SOFA_OK;
  }
  return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                          "'%s' is not a kind of element; expected point, edge, triangle, quad, "
                          "tetrahedron or hexahedron",
                          name ? name : "");
}

/* The topology of the object, which may be its modifier. */
static SofaErr find(CsofaScene *scene, CsofaObject object, const char *kind, Request *out) {
  SofaObject *o = csofa_get(scene, object);
  if (!o) return SOFA_ERR_NOT_FOUND;
  SofaObject *topology = sofa_implements(o, SOFA_TOPOLOGY_MODIFIER)
                             ? sofa_node_find(o->node, SOFA_TOPOLOGY, SOFA_SEARCH_LOCAL)
                             : o;
  if (!topology || !sofa_implements(topology, SOFA_TOPOLOGY))
    return sofa_object_fail(o, SOFA_ERR_TYPE, "it is neither a topology nor its modifier");
  if (!scene->simulation->ready)
    return sofa_object_fail(o, SOFA_ERR_ARGUMENT,
                            "elements are added and removed after the scene is initialised");
  out->topology = (SofaTopology *)topology;
  SOFA_TRY(find_kind(o, kind, &out->kind));
  return sofa_modifier_check(o, out->topology, out->kind, &out->flags);
}

static SofaErr fail_id(const Request *r, size_t i, const char *what, size_t n) {
  return sofa_object_fail(&r->topology->object, SOFA_ERR_RANGE, "%s %u: expected one of %zu", what,
                          r->ids[i], n);
}

/* None outside, none twice. */
static SofaErr check_removed(const Request *r) {
  SofaContext *ctx = r->topology->object.ctx;
  const char *name = sofa_element_kind_info(r->kind)->name;
  const size_t n = r->kind == SOFA_ELEMENT_POINT
                       ? r->topology->n_points
                       : sofa_mesh_elements(&r->topology->mesh, r->kind).n;
  bool *seen = sofa_alloc(ctx, n, sizeof *seen);
  SofaErr err = seen ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; err == SOFA_OK && i < r->n; i++) {
    if (r->ids[i] >= n) err = fail_id(r, i, name, n);
    else if (seen[r->ids[i]])
      err = sofa_object_fail(&r->topology->object, SOFA_ERR_ARGUMENT, "%s %u is named twice", name,
                             r->ids[i]);
    else seen[r->ids[i]] = true;
  }
  sofa_free(ctx, seen);
  return err;
}

static SofaErr add(SofaTopologyEdit *edit, const Request *r) {
  const unsigned width = sofa_element_kind_info(r->kind)->width;
  if (r->kind == SOFA_ELEMENT_POINT) return sofa_topology_add_points(edit, r->topology, r->n, NULL);
  for (size_t i = 0; i < r->n * width; i++)
    if (r->ids[i] >= r->topology->n_points) return fail_id(r, i, "vertex", r->topology->n_points);
  return sofa_topology_add(edit, r->topology, r->kind, r->ids, r->n);
}

static SofaErr take_away(SofaTopologyEdit *edit, const Request *r) {
  SOFA_TRY(check_removed(r));
  return sofa_topology_remove(edit, r->topology, r->kind, r->ids, r->n, r->flags);
}

static CsofaErr modify(CsofaScene *scene, const Request *r,
                       SofaErr (*change)(SofaTopologyEdit *edit, const Request *r)) {
  SofaTopologyEdit edit = {0};
  SofaErr err = sofa_topology_edit_begin(scene->simulation->root, &edit);
  if (err != SOFA_OK) return csofa_end(scene->owner, err);
  err = change(&edit, r);
  const SofaErr ended = sofa_topology_edit_end(&edit, err != SOFA_OK);
  return csofa_end(scene->owner, err != SOFA_OK ? err : ended);
}

CsofaErr csofa_add_elements(CsofaScene *scene, CsofaObject topology, const char *kind, size_t n,
                            const uint32_t *vertices) {
  Request r = {.ids = vertices, .n = n};
  csofa_begin(scene->owner);
  const SofaErr err = find(scene, topology, kind, &r);
  return err == SOFA_OK ? modify(scene, &r, add) : csofa_end(scene->owner, err);
}

CsofaErr csofa_remove_elements(CsofaScene *scene, CsofaObject topology, const char *kind, size_t n,
                               const uint32_t *ids) {
  Request r = {.ids = ids, .n = n};
  csofa_begin(scene->owner);
  const SofaErr err = find(scene, topology, kind, &r);
  return err == SOFA_OK ? modify(scene, &r, take_away) : csofa_end(scene->owner, err);
}
