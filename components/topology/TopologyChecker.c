/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TopologyChecker: looks whether elements and their neighbourhoods fit each other. */
#include "topology/topology.h"
#include "object/checkpoint.h"
#include "object/event.h"

typedef struct TopologyChecker {
  SofaObject object;
  bool each_step;
  SofaLink topology;
  SofaTopology *mesh;
  size_t n_checks, n_errors;
} TopologyChecker;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(TopologyChecker, each_step, "eachStep", "0", "",
               "check at the end of each step, not only at the beginning"),
    SOFA_FIELD(TopologyChecker, topology, "topology", NULL, "",
               "topology to check; default: the node's, else the nearest ancestor's",
               .link = &topology_rule),
};

/* ---- what is wrong ---- */

static void report(TopologyChecker *c, SofaElementKind kind, size_t i, const char *what) {
  c->n_errors++;
  // one of a kind says enough
  if (c->n_errors <= 10)
    (void)sofa_object_fail(&c->object, SOFA_ERR_GEOMETRY, "%s %zu of '%s' %s",
                           sofa_element_kind_info(kind)->name, i, c->mesh->object.name, what);
}

static bool contains(const uint32_t *list, size_t n, uint32_t id) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == id) return true;
  return false;
}

/* Vertices must be points, and different ones. */
static bool check_vertices(TopologyChecker *c, SofaElementKind kind) {
  const SofaElements e = sofa_mesh_elements(&c->mesh->mesh, kind);
  bool good = true;
  for (size_t i = 0; i < e.n; i++) {
    const uint32_t *v = e.v + i * e.width;
    bool twice = false, beyond = false;
    for (unsigned k = 0; k < e.width; k++) {
      beyond = beyond || v[k] >= c->mesh->n_points;
      twice = twice || contains(v, k, v[k]);
    }
    if (beyond) report(c, kind, i, "has a point that does not exist");
    if (twice) report(c, kind, i, "has a point twice");
    good = good && !beyond && !twice;
  }
  return good;
}

/* The edges and faces of an element are listed, have its points, and know it. */
static void check_subs(TopologyChecker *c, SofaElementKind sub, SofaElementKind kind) {
  unsigned per = 0;
  const uint32_t *subs = sofa_topology_sub(c->mesh, sub, kind, &per);
  const SofaAround *around = sofa_topology_around(c->mesh, kind, sub);
  const SofaElements e = sofa_mesh_elements(&c->mesh->mesh, kind);
  const SofaElements s = sofa_mesh_elements(&c->mesh->mesh, sub);
  for (size_t k = 0; subs && k < e.n * per; k++) {
    const size_t i = k / per;
    const uint32_t id = subs[k], *ids = NULL;
    if (id >= s.n) {
      report(c, kind, i,
             sub == SOFA_ELEMENT_EDGE ? "has an edge that is not listed"
                                      : "has a face that is not listed");
      continue;
    }
    bool within = true;
    for (unsigned v = 0; v < s.width; v++)
      within = within && contains(e.v + i * e.width, e.width, s.v[id * (size_t)s.width + v]);
    if (!within) report(c, kind, i, "has an edge or a face with other points");
    const size_t n = sofa_around_row(around, id, &ids);
    if (!contains(ids, n, (uint32_t)i))
      report(c, kind, i, "is not around one of its edges or faces");
  }
}

/* An element is around each of its points, and what is around a point has it. */
static void check_around_points(TopologyChecker *c, SofaElementKind kind) {
  const SofaAround *around = sofa_topology_around(c->mesh, kind, SOFA_ELEMENT_POINT);
  const SofaElements e = sofa_mesh_elements(&c->mesh->mesh, kind);
  size_t found = 0;
  for (uint32_t p = 0; p < around->n_rows; p++) {
    const uint32_t *ids = NULL;
    const size_t n = sofa_around_row(around, p, &ids);
    found += n;
    for (size_t k = 0; k < n; k++)
      if (ids[k] >= e.n || !contains(e.v + ids[k] * (size_t)e.width, e.width, p))
        report(c, kind, ids[k], "is around a point that it does not have");
  }
  if (found != e.n * e.width) report(c, kind, e.n, "is missing around a point");
}

/* The elements of the largest kind, then smaller ones that they are made of, as SOFA does. */
static SofaErr check(TopologyChecker *c) {
  SofaTopology *t = c->mesh;
  c->n_checks++;
  c->n_errors = 0;
  (void)sofa_topology_edges(t);
  (void)sofa_topology_triangles(t);
  (void)sofa_topology_quads(t);
  bool good = true;
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++)
    good = check_vertices(c, (SofaElementKind)k) && good;
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS && good; k++) {
    const SofaElementKind kind = (SofaElementKind)k;
    if (kind == SOFA_ELEMENT_PYRAMID || kind == SOFA_ELEMENT_PRISM) continue;
    if (!sofa_mesh_elements(&t->mesh, kind).n) continue;
    check_around_points(c, kind);
    if (kind > SOFA_ELEMENT_EDGE) check_subs(c, SOFA_ELEMENT_EDGE, kind);
    if (kind == SOFA_ELEMENT_TETRA) check_subs(c, SOFA_ELEMENT_TRIANGLE, kind);
    if (kind == SOFA_ELEMENT_HEXA) check_subs(c, SOFA_ELEMENT_QUAD, kind);
  }
  if (c->n_errors > 10)
    sofa_object_message(&c->object, SOFA_ERROR, "there are %zu such errors", c->n_errors);
  SOFA_TRY(t->failure);
  if (!c->n_errors || c->object.ctx->keep_going) return SOFA_OK;
  return SOFA_ERR_GEOMETRY;
}

/* ---- life ---- */

static SofaErr init(SofaObject *object) {
  TopologyChecker *c = (TopologyChecker *)object;
  c->mesh = (SofaTopology *)c->topology.target;
  if (c->mesh) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "there is no topology in context");
}

static SofaErr check_now(SofaObject *object) {
  TopologyChecker *c = (TopologyChecker *)object;
  return c->mesh ? check(c) : SOFA_OK;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  const TopologyChecker *c = (const TopologyChecker *)object;
  return event->type == SOFA_EVENT_ANIMATE_END && c->each_step ? check_now(object) : SOFA_OK;
}

static const SofaSparedMember spared[] = {
    SOFA_COUNTED(TopologyChecker, n_checks),
};

SOFA_CLASS(TopologyChecker) = {
    SOFA_NAMED(TopologyChecker),
    .module = "Sofa.Component.Topology.Utility",
    .category = "_Miscellaneous",
    .help = "Checks that the elements of a topology have different points that exist, and that "
            "elements, their edges and faces, and the adjacency tables agree.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .listening = true,
    .init = init,
    .bwd_init = check_now,
    .reinit = check_now,
    .handle_event = handle_event,
};
