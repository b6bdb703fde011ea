/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear springs across the edges that exactly two faces share. */
#include "behavior/checks.h"
#include "behavior/state_division.h"
#include "components/solidmechanics/spring/bending_springs.h"
#include "object/checkpoint.h"

enum { QUIRK_BENDING_SHORT = 1 };
static const SofaQuirk quirks[] = {
    QUIRK_SPRING_DAMPING_MATRIX_ROW,
    {QUIRK_BENDING_SHORT, "bending-short",
     "TriangularBendingSprings and QuadularBendingSprings: springs shorter than 0.1 mm do not act",
     "test_spring_kinds.short_bending_springs"},
};

const SofaLinkRule sofa_bending_topology_rule = {.interface = SOFA_TOPOLOGY,
                                                 .search = SOFA_SEARCH_SLOT};

typedef BendingSprings SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(stiffness, "stiffness", "100000", "N/m", "stiffness of the springs",
             .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(damping, "damping", "1", "N s/m", "damping along the springs",
             .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(edge_info, "edgeInfo", "", "", "the springs themselves, which are always computed",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology with the faces; default: the node's, else the nearest ancestor's",
             .link = &sofa_bending_topology_rule),
};

/* ---- edges ---- */

SofaErr sofa_bending_topology(const SofaObject *object, const SofaLink *link, SofaTopology **mesh) {
  *mesh = link->target ? (SofaTopology *)link->target : sofa_node_topology(object->node);
  if (*mesh) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "there is no topology in this node or above to take faces from");
}

uint32_t sofa_bending_opposite(const SofaEdge *edge, const uint32_t *triangle) {
  uint32_t i = 0;
  while (i < 2 && (triangle[i] == edge->v[0] || triangle[i] == edge->v[1])) i++;
  return triangle[i];
}

/* ---- meshes that are divided among processes ---- */

SofaErr sofa_bending_ties(const SofaObject *object, const SofaObject **state, SofaTies *out) {
  const SofaObject *linked = ((const SofaForceField *)object)->mstate.target;
  const SofaState *own = sofa_node_state(object->node);
  *state = linked ? linked : own ? &own->object : NULL;
  out->faces = true;
  return SOFA_OK;
}

typedef struct Visit {
  const SofaBendingFaces *of;
  SofaElements list;
  const SofaDivision *points, *faces; /* of the state, of the faces */
  SofaBendingVisit visit;
  void *user;
} Visit;

static bool is_edge(const Visit *w, const uint32_t *v, unsigned k) {
  if (w->of->all) return true;
  return sofa_topology_edge_index(w->of->mesh, v[k], v[(k + 1) % w->list.width]) != SOFA_NO_ELEMENT;
}

/* The faces of this process, and which of their sides are edges. */
static SofaErr list_faces(const Visit *w, SofaTiedFaces *out) {
  SofaContext *ctx = w->of->ff->object.ctx;
  const SofaIndices *number = &w->faces->elements[w->of->kind];
  SOFA_TRY(SOFA_RESIZE(ctx, out, w->list.n));
  for (size_t i = 0; i < w->list.n; i++) {
    SofaTiedFace *face = &out->data[i];
    const uint32_t *v = w->list.v + i * w->list.width;
    *face = (SofaTiedFace){(uint32_t)sofa_process_rank(ctx), number->data[i], 0, {0}};
    for (unsigned k = 0; k < w->list.width; k++) {
      face->edges |= (uint32_t)is_edge(w, v, k) << k;
      face->v[k] = w->points->number.data[v[k]];
    }
  }
  return SOFA_OK;
}

static SofaErr visit_pair(const Visit *w, const SofaFacePair *pair) {
  const unsigned width = w->list.width;
  SofaEdge edge;
  uint32_t v[2][4] = {{0}};
  bool here = true;
  for (int k = 0; k < 2; k++) edge.v[k] = sofa_division_local(w->points, pair->edge[k]);
  for (unsigned k = 0; k < 2 * width; k++) {
    const uint32_t number = pair->face[k / width].v[k % width];
    v[k / width][k % width] = sofa_division_local(w->points, number);
    here = here && v[k / width][k % width] != SOFA_NO_ELEMENT;
  }
  if (here) return w->visit(w->user, &edge, v[0], v[1]);
  return sofa_object_undivided(&w->of->ff->object,
                               "faces beside each other on different processes, where a mesh is "
                               "divided and does not list them");
}

static SofaErr visit_pairs(const Visit *w) {
  SofaContext *ctx = w->of->ff->object.ctx;
  SofaTiedFaces faces = {0};
  SofaFacePairs pairs = {0};
  SofaErr err;
  SOFA_GO(err, done, list_faces(w, &faces));
  SOFA_GO(err, done,
          sofa_pair_faces(ctx, w->points->n_whole, w->list.width, w->of->all, &faces, &pairs));
  SOFA_GO(err, done, sofa_pairs_of_part(ctx, &pairs));
  for (size_t i = 0; i < pairs.n && err == SOFA_OK; i++) err = visit_pair(w, &pairs.data[i]);
done:
  sofa_list_free(ctx, &faces);
  sofa_list_free(ctx, &pairs);
  return err;
}

SofaErr sofa_bending_visit_part(const SofaBendingFaces *faces, SofaBendingVisit visit, void *user) {
  const SofaElements list = sofa_mesh_elements(&faces->mesh->mesh, faces->kind);
  const SofaDivision *points = sofa_state_division(faces->ff->state[0]);
  const SofaDivision *listed = sofa_topology_list_division(faces->mesh, faces->kind);
  if (listed) return visit_pairs(&(Visit){faces, list, points, listed, visit, user});
  return sofa_object_undivided(&faces->ff->object, "faces that are derived from a part of a mesh");
}

/* ---- all ---- */

SofaErr sofa_bending_visit(const SofaForceField *ff, SofaTopology *mesh, SofaElementKind kind,
                           SofaBendingVisit visit, void *user) {
  const SofaEdges *edges = sofa_topology_edges(mesh);
  if (kind == SOFA_ELEMENT_TRIANGLE) (void)sofa_topology_triangles(mesh);
  else (void)sofa_topology_quads(mesh);
  const SofaAround *around = sofa_topology_around(mesh, kind, SOFA_ELEMENT_EDGE);
  if (mesh->failure) return mesh->failure;
  const SofaElements faces = sofa_mesh_elements(&mesh->mesh, kind);
  SOFA_TRY(sofa_check_elements(&ff->object, kind, faces, sofa_state_size(ff->state[0])));
  if (sofa_state_division(ff->state[0]))
    return sofa_bending_visit_part(&(SofaBendingFaces){ff, mesh, kind, false}, visit, user);
  for (size_t e = 0; e < edges->n; e++) {
    const uint32_t *ids = NULL;
    if (sofa_around_row(around, e, &ids) != 2) continue;
    const uint32_t low = ids[0] < ids[1] ? ids[0] : ids[1];
    const uint32_t high = ids[0] < ids[1] ? ids[1] : ids[0];
    SOFA_TRY(visit(user, &edges->data[e], faces.v + low * (size_t)faces.width,
                   faces.v + high * (size_t)faces.width));
  }
  return SOFA_OK;
}

/* ---- springs ---- */

SofaErr sofa_bending_add(BendingSprings *b, uint32_t m1, uint32_t m2) {
  const SofaSpring spring = {
      .m1 = m1,
      .m2 = m2,
      .stiffness = b->stiffness,
      .damping = b->damping,
      .length = sofa_springs_rest_length(b->force_field.state[0], b->space, m1, m2),
      .enabled = true};
  return SOFA_APPEND(b->force_field.object.ctx, &b->springs, &spring);
}

static SofaErr make(BendingSprings *b) {
  SofaContext *ctx = b->force_field.object.ctx;
  b->springs.n = 0;
  SofaErr err = sofa_bending_visit(&b->force_field, b->mesh, b->faces, b->join, b);
  if (err == SOFA_OK) {
    sofa_free(ctx, b->tangents);
    b->tangents = sofa_alloc(ctx, sofa_spring_kept(b->springs.n, b->space), sizeof *b->tangents);
    if (!b->tangents) err = SOFA_ERR_MEMORY;
  }
  SofaState *const both[2] = {b->force_field.state[0], b->force_field.state[0]};
  if (err == SOFA_OK) err = sofa_spring_sums_make(&b->springs, b->space, both, &b->sums);
  if (err != SOFA_OK) b->springs.n = 0;
  else b->revision = b->mesh->revision;
  return err;
}

static SofaErr bending_init(SofaObject *object) {
  BendingSprings *b = (BendingSprings *)object;
  b->space = sofa_spring_space(b->force_field.state[0]);
  b->space.sums = &b->sums;
  b->space.edges = &b->edges;
  if (sofa_quirk(object, QUIRK_BENDING_SHORT)) b->space.shortest = 1e-4;
  SOFA_TRY(sofa_bending_topology(object, &b->topology, &b->mesh));
  return make(b);
}

static SofaErr bending_reinit(SofaObject *object) {
  return make((BendingSprings *)object);
}

static void bending_destroy(SofaObject *object) {
  BendingSprings *b = (BendingSprings *)object;
  sofa_list_free(object->ctx, &b->springs);
  sofa_free(object->ctx, b->tangents);
  sofa_element_sums_free(object->ctx, &b->sums);
  sofa_edge_assembly_free(object->ctx, &b->edges);
}

/* ---- forces: both ends of a spring are in the one state ---- */

static SofaErr bending_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  BendingSprings *b = (BendingSprings *)ff;
  if (b->revision != b->mesh->revision) SOFA_TRY(make(b));
  const double *const x[2] = {at->x[0], at->x[0]}, *const v[2] = {at->v[0], at->v[0]};
  double *const ends[2] = {f[0], f[0]};
  const SofaPoint both = {.x = x, .v = v, .n = 2, .time = at->time, .id = at->id};
  sofa_springs_force(&b->springs, b->space, &both, ends, b->tangents);
  return SOFA_OK;
}

static SofaErr bending_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx, double *const *df) {
  const BendingSprings *b = (BendingSprings *)ff;
  const double *const moved[2] = {dx[0], dx[0]};
  double *const ends[2] = {df[0], df[0]};
  (void)at;
  sofa_springs_dforce(&b->springs, b->space, sofa_spring_factors(ff, params), moved, ends,
                      b->tangents);
  return SOFA_OK;
}

static SofaErr bending_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)at;
  const BendingSprings *b = (BendingSprings *)ff;
  return sofa_springs_add_k(&b->springs, b->space, ff->state[0], params->descends, tangent,
                            b->tangents);
}

static SofaErr bending_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  const BendingSprings *b = (BendingSprings *)ff;
  if (sofa_spring_damps_late(ff)) return SOFA_OK;
  return sofa_springs_add_b(&b->springs, b->space, ff->state[0], tangent, b->tangents);
}

static SofaErr bending_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *energy) {
  (void)params;
  const BendingSprings *b = (BendingSprings *)ff;
  const double *const x[2] = {at->x[0], at->x[0]};
  double idle;
  *energy = sofa_springs_energy(&b->springs, b->space, x, &idle);
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = bending_add_force,
    .add_dforce = bending_add_dforce,
    .add_k = bending_add_k,
    .add_b = bending_add_b,
    .potential_energy = bending_energy,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

void sofa_bending_draw(SofaObject *object, const SofaDrawArgs *args) {
  const BendingSprings *b = (const BendingSprings *)object;
  const SofaState *state[2] = {b->force_field.state[0], b->force_field.state[0]};
  if (state[0] && sofa_display_shows(args->flags, SOFA_DISPLAY_FORCE_FIELDS))
    sofa_springs_draw(&b->springs, state, 0, 0, args->list);
}

static const SofaDrawOps draw_ops = {.draw = sofa_bending_draw};
static const SofaTiesOps ties_ops = {.ties = sofa_bending_ties};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(BendingSprings, tangents),
    SOFA_REMADE(BendingSprings, edges),
};

const SofaClass sofa_bending_springs_class = {
    .name = "BendingSprings",
    .module = "csofa",
    .category = "ForceField",
    .help = "Linear damped springs across the edges that exactly two faces share.",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_SPARES(spared),
    .size = sizeof(BendingSprings),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .abstract = true,
    .init = bending_init,
    .reinit = bending_reinit,
    .destroy = bending_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit}, {SOFA_DRAW, &draw_ops},
                    {SOFA_TIES, &ties_ops}),
};
