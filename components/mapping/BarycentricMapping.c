/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BarycentricMapping: each output point follows the element of the input's topology that it is in
 * or near to, with constant weights. */
#include "behavior/mapping.h"
#include "behavior/state_division.h"
#include "change/topology_change.h"

#include <math.h>
#include <string.h>
#include "components/mapping/barycentric.h"
#include "components/mapping/turning_frames.h"
#include "math/quaternion.h"
#include "math/vec.h"
#include "object/checkpoint.h"

enum { QUIRK_BARYCENTRIC_TURN = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_BARYCENTRIC_TURN, "barycentric-turn",
     "BarycentricMapping turns frames in volumes by the sum of x cross v of the element's points",
     "test_quirks_elements.mappings"},
};

typedef struct BarycentricMapping {
  SofaMapping mapping;
  bool use_rest_position;
  SofaLink mapper, input_topology, output_topology;
  SofaPointWeights weights;
  SofaTurningFrames frames; /* outputs that turn with their elements */
  SofaMapMatrix j;          /* with frames; else the weights have it */
  size_t coord, deriv;      /* reals per output point in positions and velocities */
  SofaIndices lost; /* output points whose element was removed, during a topological change */
  bool divided;     /* some rows are those of other processes */
  bool inert;       /* no mapper could be made, and the user wants to go on */
} BarycentricMapping;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_NONE};
static const SofaLinkRule any_rule = {.search = SOFA_SEARCH_NONE};

static const SofaField barycentric_fields[] = {
    SOFA_FIELD(BarycentricMapping, use_rest_position, "useRestPosition", "0", "",
               "find elements and weights by the rest positions instead of the initial ones"),
    SOFA_FIELD(BarycentricMapping, mapper, "mapper", NULL, "",
               "the mapper is always made by the kind of the topology", .link = &any_rule,
               .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_FIELD(BarycentricMapping, input_topology, "input_topology", NULL, "",
               "elements of the input; default: the first topology in the input's node or above",
               .link = &topology_rule),
    SOFA_FIELD(BarycentricMapping, output_topology, "output_topology", NULL, "",
               "no effect: only counts when elements of the output are removed",
               .link = &topology_rule, .flags = SOFA_FIELD_NO_EFFECT),
};

/* What the weights are made from. */
typedef struct Input {
  BarycentricMapping *m;
  SofaTopology *topology;
  const double *x, *p; /* positions of input and output points */
  size_t n_x, n_p;
  size_t stride; /* of p */
} Input;

static SofaErr fail(const Input *in, SofaErr err, const char *text) {
  const SofaObject *t = &in->topology->object;
  return sofa_object_fail(&in->m->mapping.object, err, "%s '%s' %s", t->klass->name, t->name, text);
}

/* ---- mappers ---- */

static SofaErr check_points(const Input *in) {
  if (in->topology->n_points <= in->n_x) return SOFA_OK;
  return fail(in, SOFA_ERR_RANGE, "has more points than the input state");
}

static SofaErr map_grid(const Input *in) {
  SofaGridFrame grid;
  sofa_topology_grid(in->topology, grid.n, grid.p0, grid.step[0], grid.step[1], grid.step[2]);
  if (grid.n[0] < 2 || grid.n[1] < 2 || grid.n[2] < 2)
    return fail(in, SOFA_ERR_GEOMETRY,
                "is flat: only a grid with at least 2 points along each axis has cells to map "
                "points with");
  for (int a = 0; a < 3; a++)
    if (!(sofa_vec3_dot(grid.step[a], grid.step[a]) > 0))
      return fail(in, SOFA_ERR_GEOMETRY, "has cells without volume");
  SOFA_TRY(check_points(in));
  return sofa_barycentric_grid(in->m->mapping.object.ctx, &grid,
                               (SofaOutputPoints){in->p, in->n_p, in->stride}, &in->m->weights);
}

/* Cells of a sparse grid; the places count that the grid's points have, not those of the state. */
static SofaErr map_sparse_grid(const Input *in) {
  const SofaTopologyOps *ops = sofa_topology_ops(in->topology);
  const SofaHexas *hexas = sofa_topology_hexahedra(in->topology);
  SOFA_TRY(check_points(in));
  for (size_t i = 0; i < in->n_p; i++) {
    uint32_t hexa;
    double v[3], weight[8];
    if (!ops->find_hexa(in->topology, in->p + in->stride * i, &hexa, v))
      return fail(in, SOFA_ERR_GEOMETRY, "has no cells at its surface to map points with");
    const unsigned n = sofa_element_weights(SOFA_ELEMENT_HEXA, v, weight);
    SOFA_TRY(sofa_point_weights_append(in->m->mapping.object.ctx, &in->m->weights,
                                       hexas->data[hexa].v, weight, n));
  }
  return SOFA_OK;
}

static SofaErr check_edges(const Input *in, const SofaEdges *edges) {
  for (size_t e = 0; e < edges->n; e++)
    if (edges->data[e].v[0] >= in->n_x || edges->data[e].v[1] >= in->n_x)
      return fail(in, SOFA_ERR_RANGE, "has edges to points that the input state does not have");
  return SOFA_OK;
}

static SofaErr map_edges(const Input *in) {
  const SofaEdges *edges = sofa_topology_edges(in->topology);
  if (in->topology->failure != SOFA_OK) return in->topology->failure;
  if (!edges->n) return fail(in, SOFA_ERR_GEOMETRY, "has no elements to map points with");
  SOFA_TRY(check_edges(in, edges));
  const SofaElements list = {edges->data->v, edges->n, 2};
  const SofaOutputPoints points = {in->p, in->n_p, in->stride};
  const SofaErr err =
      sofa_barycentric_edges(in->m->mapping.object.ctx, in->x, list, points, &in->m->weights);
  return err == SOFA_ERR_GEOMETRY ? fail(in, err, "has only edges without length") : err;
}

/* Volumes if there are any, else surfaces. Set containers map with one kind only. */
static SofaErr add_elements(const Input *in, SofaLocator *l) {
  static const SofaElementKind mesh[4] = {SOFA_ELEMENT_TETRA, SOFA_ELEMENT_HEXA,
                                          SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD};
  static const SofaElementKind set[4] = {SOFA_ELEMENT_HEXA, SOFA_ELEMENT_TETRA, SOFA_ELEMENT_QUAD,
                                         SOFA_ELEMENT_TRIANGLE};
  const bool one = in->topology->container == SOFA_CONTAINER_SET;
  const bool volumes = sofa_topology_division(in->topology) != NULL;
  for (int k = 0; k < 4; k++) {
    if ((l->n && (one || k == 2)) || (volumes && k == 2)) break;
    const SofaElementKind kind = one ? set[k] : mesh[k];
    sofa_locator_add(l, kind, sofa_topology_elements(in->topology, kind));
  }
  return in->topology->failure;
}

/* Mean length of the edges: there are some where there are elements. */
static SofaErr mean_edge(const Input *in, double *h) {
  const SofaEdges *edges = sofa_topology_edges(in->topology);
  if (in->topology->failure != SOFA_OK) return in->topology->failure;
  SOFA_TRY(check_edges(in, edges));
  double sum = 0;
  for (size_t e = 0; e < edges->n; e++) {
    const uint32_t *v = edges->data[e].v;
    sum += sofa_vec3_distance(in->x + 3 * (size_t)v[0], in->x + 3 * (size_t)v[1]);
  }
  *h = sum / (double)edges->n;
  return SOFA_OK;
}

/* Do the outputs turn with their elements? Frames in volumes of set containers. */
static bool turning(const Input *in, const SofaLocator *l) {
  return in->topology->container == SOFA_CONTAINER_SET && in->m->coord == 7 &&
         (l->kind[0] == SOFA_ELEMENT_TETRA || l->kind[0] == SOFA_ELEMENT_HEXA);
}

static SofaErr locate(const Input *in, SofaLocator *l, SofaLocation *location) {
  for (size_t i = 0; !l->n && i < in->n_p; i++)
    location[i] = (SofaLocation){.element = SOFA_NOWHERE, .measure = INFINITY};
  if (!l->n) return SOFA_OK; /* of a process without elements */
  if (in->topology->container != SOFA_CONTAINER_SET || turning(in, l) ||
      sofa_topology_division(in->topology))
    return sofa_locate_all(l, in->n_p, in->p, in->stride, location);
  double h = 0;
  SOFA_TRY(mean_edge(in, &h));
  return sofa_locate_hashed(l, h, in->n_p, in->p, in->stride, location);
}

static SofaErr prepare(const Input *in, SofaLocator *l) {
  size_t bad;
  const SofaErr err = sofa_locator_prepare(l, &bad);
  if (err != SOFA_ERR_RANGE) return err;
  const size_t g = bad < l->group[0].n ? 0 : 1;
  const SofaObject *t = &in->topology->object;
  return sofa_object_fail(&in->m->mapping.object, err,
                          "%s %zu of %s '%s' has a point that the input state (%zu points) does "
                          "not have",
                          sofa_element_kind_info(l->kind[g])->name, g ? bad - l->group[0].n : bad,
                          t->klass->name, t->name, in->n_x);
}

/* ---- inputs that are divided: an output point is the row of one process ---- */

/* What a process found for an output point, its element by the number in the whole mesh. */
typedef struct Claim {
  double measure;
  uint64_t element;
} Claim;

static Claim claim_of(const SofaLocator *l, const SofaDivision *division, const SofaLocation *at) {
  if (at->element == SOFA_NOWHERE) return (Claim){INFINITY, UINT64_MAX};
  const size_t first = l->group[0].n;
  const int g = at->element < first ? 0 : 1;
  const SofaIndices *numbers = &division->elements[l->kind[g]];
  const uint64_t before = g ? division->n_whole_elements[l->kind[0]] : 0;
  return (Claim){at->measure, before + numbers->data[at->element - (g ? first : 0)]};
}

/* The lowest process with the best element, and its measure; -1: none has one. */
static int best_of(const Claim *all, size_t n, size_t i, int n_processes, double *measure) {
  Claim best = {INFINITY, UINT64_MAX};
  int process = -1;
  for (int r = 0; r < n_processes; r++) {
    const Claim *c = &all[(size_t)r * n + i];
    if (c->measure < best.measure || (c->measure == best.measure && c->element < best.element)) {
      best = *c;
      process = r;
    }
  }
  *measure = best.measure;
  return process;
}

/* On one process a set container and a grid look for elements of points outside in other ways. */
static void warn_of_outside(const Input *in, size_t n) {
  if (n && in->topology->container != SOFA_CONTAINER_MESH)
    sofa_object_message(&in->m->mapping.object, SOFA_WARNING,
                        "%zu of %zu points are outside of all elements: on a divided mesh they may "
                        "follow another element than on one process",
                        n, in->n_p);
}

static SofaErr append_own(const Input *in, const SofaLocator *l, const SofaLocation *location,
                          const Claim *all) {
  SofaContext *ctx = l->ctx;
  size_t outside = 0, lost;
  for (size_t i = 0; i < in->n_p; i++) {
    double measure;
    const int best = best_of(all, in->n_p, i, sofa_process_count(ctx), &measure);
    if (best < 0)
      return sofa_object_fail(&in->m->mapping.object, SOFA_ERR_GEOMETRY,
                              "point %zu of the output belongs to no element of the input: they "
                              "are degenerate, or farther away than 1e5 m",
                              i);
    outside += measure > 0;
    if (best == sofa_process_rank(ctx))
      SOFA_TRY(sofa_barycentric_elements(ctx, l, 1, &location[i], &in->m->weights, &lost));
    else SOFA_TRY(sofa_point_weights_append(ctx, &in->m->weights, NULL, NULL, 0));
  }
  warn_of_outside(in, outside);
  return SOFA_OK;
}

/* Are the elements those that were divided? Others were made of a part of the mesh. */
static bool are_divided(const SofaLocator *l, const SofaDivision *division) {
  for (int g = 0; g < 2; g++)
    if (l->group[g].n && division->elements[l->kind[g]].n != l->group[g].n) return false;
  return true;
}

/* Have all processes n points? */
static SofaErr have_equal_numbers(SofaContext *ctx, size_t n, bool *equal) {
  double range[2] = {(double)n, -(double)n};
  SOFA_TRY(sofa_process_max(ctx, 2, range));
  *equal = range[0] == -range[1];
  return SOFA_OK;
}

/* Points of the mesh itself: each process has an element around each of its points. */
static SofaErr map_own_points(const Input *in, const SofaLocator *l, const SofaLocation *location) {
  size_t lost = 0;
  const SofaErr err =
      sofa_barycentric_elements(l->ctx, l, in->n_p, location, &in->m->weights, &lost);
  if (err != SOFA_ERR_GEOMETRY) return err;
  return sofa_object_fail(&in->m->mapping.object, err, "point %zu of this process has no element",
                          lost);
}

static SofaErr map_divided(const Input *in, const SofaLocator *l, const SofaLocation *location) {
  SofaContext *ctx = l->ctx;
  const SofaDivision *division = sofa_topology_division(in->topology);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const size_t n = in->n_p;
  SofaErr err = SOFA_ERR_MEMORY;
  if (in->m->coord != 3)
    return sofa_object_undivided(&in->m->mapping.object,
                                 "frames that follow a mesh which is divided among processes");
  if (!are_divided(l, division))
    return sofa_object_undivided(
        &in->m->mapping.object,
        "elements that are made of others, on a mesh which is divided among processes");
  const SofaDivision *own = sofa_state_division(in->m->mapping.out);
  if (own && own != division)
    return sofa_object_undivided(&in->m->mapping.object,
                                 "points of another mesh that is divided among processes");
  if (own) return map_own_points(in, l, location);
  bool equal = false;
  SOFA_TRY(have_equal_numbers(ctx, n, &equal));
  if (!equal)
    return sofa_object_undivided(&in->m->mapping.object,
                                 "points that are made of a mesh which is divided among processes");
  Claim *mine = SOFA_SCRATCH(ctx, Claim, n * (1 + (size_t)sofa_process_count(ctx)));
  if (!mine) goto done;
  for (size_t i = 0; i < n; i++) mine[i] = claim_of(l, division, &location[i]);
  SOFA_GO(err, done, sofa_process_collect(ctx, n * sizeof *mine, mine, mine + n));
  in->m->divided = true;
  err = append_own(in, l, location, mine + n);
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

/* Rows of other processes are 0 so far. */
static SofaErr sum_rows(const BarycentricMapping *m, double *out) {
  if (!m->divided) return SOFA_OK;
  return sofa_process_sum(m->mapping.object.ctx, m->weights.n_out * 3, out);
}

static SofaErr map_elements(const Input *in, SofaLocator *l) {
  SofaContext *ctx = l->ctx;
  SofaErr err = SOFA_OK;
  SofaLocation *location = sofa_alloc(ctx, in->n_p, sizeof *location);
  if (!location) return SOFA_ERR_MEMORY;
  size_t lost = 0;
  SOFA_GO(err, done, prepare(in, l));
  SOFA_GO(err, done, locate(in, l, location));
  if (sofa_topology_division(in->topology)) {
    err = map_divided(in, l, location);
    goto done;
  }
  err = sofa_barycentric_elements(ctx, l, in->n_p, location, &in->m->weights, &lost);
  if (err == SOFA_ERR_GEOMETRY)
    err = sofa_object_fail(&in->m->mapping.object, err,
                           "point %zu of the output belongs to no element of the input: they are "
                           "degenerate, or farther away than 1e5 m",
                           lost);
  in->m->frames.about_origin = sofa_quirk(&in->m->mapping.object, QUIRK_BARYCENTRIC_TURN);
  if (err == SOFA_OK && turning(in, l)) {
    in->m->mapping.varies = true;
    err = sofa_turning_frames_make(ctx, l, in->n_p, location, in->p, &in->m->frames);
  }
done:
  sofa_free(ctx, location);
  return err;
}

static SofaErr map_mesh(const Input *in) {
  SofaLocator l = {.ctx = in->m->mapping.object.ctx, .x = in->x, .n_x = in->n_x};
  SofaErr err = SOFA_OK;
  const bool set = in->topology->container == SOFA_CONTAINER_SET;
  SOFA_GO(err, done, add_elements(in, &l));
  if (l.n || sofa_topology_division(in->topology)) {
    err = map_elements(in, &l);
    goto done;
  }
  if (set && in->topology->mesh.edges.n)
    sofa_object_message(&in->m->mapping.object, SOFA_WARNING,
                        "SOFA leaves it open how points follow the edges of a %s; here they "
                        "follow as with a MeshTopology",
                        in->topology->object.klass->name);
  err = map_edges(in);
done:
  sofa_locator_free(&l);
  return err;
}

/* The part of a grid that is divided: its cells are where the grid has its points, whatever places
 * the state has. */
static SofaErr map_grid_part(const Input *in) {
  SofaContext *ctx = in->m->mapping.object.ctx;
  SofaReals x = {0};
  Input grid = *in;
  if (in->n_x != in->topology->n_points)
    return fail(in, SOFA_ERR_RANGE, "has another number of points than the input state");
  SofaErr err = SOFA_RESIZE(ctx, &x, 3 * in->n_x);
  for (size_t i = 0; i < in->n_x && err == SOFA_OK; i++)
    sofa_topology_point(in->topology, i, x.data + 3 * i);
  grid.x = x.data;
  if (err == SOFA_OK) err = map_mesh(&grid);
  sofa_list_free(ctx, &x);
  return err;
}

/* ---- setup ---- */

static SofaErr find_topology(BarycentricMapping *m, SofaTopology **out) {
  const SofaObject *in = &m->mapping.inputs[0]->object;
  if (!m->input_topology.target && m->input_topology.path && *m->input_topology.path)
    return sofa_field_fail(&m->mapping.object, "input_topology", SOFA_ERR_NOT_FOUND,
                           "there is no topology at \"%s\"", m->input_topology.path);
  SofaObject *found = m->input_topology.target;
  if (!found) found = sofa_node_find(in->node, SOFA_TOPOLOGY, SOFA_SEARCH_UP);
  *out = (SofaTopology *)found;
  if (!found)
    return sofa_object_fail(&m->mapping.object, SOFA_ERR_NOT_FOUND,
                            "the input '%s' has no topology: there is none in its node or above",
                            in->name);
  if (!found->initialised || !in->initialised)
    return sofa_object_fail(&m->mapping.object, SOFA_ERR_SCENE,
                            "%s '%s' comes after the mapping in the scene: its points or elements "
                            "are not known yet; move it before the mapping",
                            (found->initialised ? in : found)->klass->name,
                            (found->initialised ? in : found)->name);
  return SOFA_OK;
}

/* Positions that count for the weights. */
static const double *places(const BarycentricMapping *m, const SofaState *s) {
  const bool rest = m->use_rest_position && s->rest_position.n == s->position.n;
  return rest ? s->rest_position.data : s->position.data;
}

static SofaErr check_finite(const BarycentricMapping *m, const SofaState *s, const double *x,
                            size_t stride) {
  for (size_t i = 0; i < s->position.n; i++)
    for (size_t c = 0; c < 3; c++)
      if (!isfinite(x[stride * i + c]))
        return sofa_object_fail(&m->mapping.object, SOFA_ERR_NOT_FINITE,
                                "the position of point %zu of '%s' is not finite", i,
                                s->object.name);
  return SOFA_OK;
}

static SofaErr make_weights(BarycentricMapping *m) {
  SofaState *in = m->mapping.inputs[0], *out = m->mapping.out;
  Input input = {.m = m, .n_x = in->position.n, .n_p = out->position.n, .stride = m->coord};
  input.x = places(m, in);
  input.p = places(m, out);
  if (!out->object.initialised)
    sofa_object_message(&m->mapping.object, SOFA_WARNING,
                        "the output '%s' comes after the mapping in the scene: its points are "
                        "located before their own initialisation",
                        out->object.name);
  SOFA_TRY(check_finite(m, in, input.x, 3));
  SOFA_TRY(check_finite(m, out, input.p, m->coord));
  SOFA_TRY(find_topology(m, &input.topology));
  const bool grid = sofa_topology_grid(input.topology, NULL, NULL, NULL, NULL, NULL);
  const bool sparse = input.topology->container == SOFA_CONTAINER_SPARSE_GRID;
  const bool part = input.topology->container == SOFA_CONTAINER_GRID && input.topology->division;
  SOFA_TRY((grid ? map_grid : sparse ? map_sparse_grid : part ? map_grid_part : map_mesh)(&input));
  return sofa_point_weights_finish(m->mapping.object.ctx, &m->weights, m->mapping.mechanical);
}

/* Rows without entries: the output stays where it is. */
static SofaErr make_inert(BarycentricMapping *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  const size_t n = m->mapping.out->position.n;
  m->inert = true;
  SOFA_TRY(sofa_point_weights_begin(ctx, &m->weights, m->mapping.inputs[0]->position.n, n));
  for (size_t i = 0; i < n; i++)
    SOFA_TRY(sofa_point_weights_append(ctx, &m->weights, NULL, NULL, 0));
  return sofa_point_weights_finish(ctx, &m->weights, true);
}

static SofaErr barycentric_setup(SofaMapping *mapping) {
  BarycentricMapping *m = (BarycentricMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  const SofaStateKindInfo *kind = sofa_state_kind_info(mapping->out->object.kind);
  m->coord = kind->coord;
  m->deriv = kind->deriv;
  m->inert = m->divided = mapping->varies = false;
  m->frames.list.n = 0;
  SOFA_TRY(sofa_point_weights_begin(ctx, &m->weights, mapping->inputs[0]->position.n,
                                    mapping->out->position.n));
  const SofaErr err = make_weights(m);
  // SOFA goes on without weights; so do we when asked to
  if (err == SOFA_OK || err == SOFA_ERR_MEMORY || !ctx->keep_going) return err;
  return make_inert(m);
}

/* ---- operations ---- */

static SofaErr check(const BarycentricMapping *m) {
  return sofa_mapping_check_sizes(&m->mapping, &m->weights.n_in, m->weights.n_out);
}

static SofaErr barycentric_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  BarycentricMapping *m = (BarycentricMapping *)mapping;
  SOFA_TRY(check(m));
  if (m->inert) return SOFA_OK;
  sofa_point_weights_apply(&m->weights, mapping->object.ctx, at->x[0], x_out, m->coord);
  SOFA_TRY(sum_rows(m, x_out));
  if (m->frames.list.n) {
    sofa_turning_frames_apply(&m->frames, at->x[0], x_out);
    return SOFA_OK;
  }
  // other frames keep their orientations, also in the trial vectors of solvers
  const double *own = mapping->out->position.data;
  for (size_t i = 0; m->coord == 7 && x_out != own && i < m->weights.n_out; i++)
    memcpy(SOFA_POSE_QUAT(x_out, i), SOFA_POSE_QUAT(own, i), 4 * sizeof *own);
  return SOFA_OK;
}

static SofaErr barycentric_apply_j(SofaMapping *mapping, const SofaPoint *at,
                                   const double *const *v_in, double *v_out) {
  const BarycentricMapping *m = (const BarycentricMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  if (m->inert) return SOFA_OK;
  sofa_point_weights_apply(&m->weights, mapping->object.ctx, v_in[0], v_out, m->deriv);
  SOFA_TRY(sum_rows(m, v_out));
  sofa_turning_frames_apply_j(&m->frames, v_in[0], v_out);
  for (size_t i = 0; m->deriv == 6 && !m->frames.list.n && i < m->weights.n_out; i++)
    memset(SOFA_TWIST_ANGULAR(v_out, i), 0, 3 * sizeof *v_out);
  return SOFA_OK;
}

static SofaErr barycentric_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                                    double *const *f_in) {
  const BarycentricMapping *m = (const BarycentricMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  sofa_point_weights_add_transposed(&m->weights, mapping->object.ctx, f_out, m->deriv, f_in[0]);
  sofa_turning_frames_apply_jt(&m->frames, f_out, f_in[0]);
  return SOFA_OK;
}

/* The rows of the weights and those of the angular velocities. */
static SofaErr turning_jacobian(BarycentricMapping *m, SofaJacobian *out) {
  const SofaPointWeights *w = &m->weights;
  const size_t n = w->n_out;
  SOFA_TRY(sofa_map_matrix_begin(m->mapping.object.ctx, &m->j, 6 * n, 3 * w->n_in,
                                 3 * w->index.n + 9 * m->frames.width * n));
  for (size_t row = 0; row < 6 * n; row++) {
    const size_t i = row / 6, c = row % 6;
    sofa_map_matrix_row(&m->j);
    if (c >= 3) sofa_turning_frames_row(&m->frames, i, c - 3, &m->j);
    for (uint32_t e = w->start.data[i]; c < 3 && e < w->start.data[i + 1]; e++)
      sofa_map_matrix_entry(&m->j, 3 * (size_t)w->index.data[e] + c, w->weight.data[e]);
  }
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}

static SofaErr barycentric_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                    SofaJacobian *out) {
  BarycentricMapping *m = (BarycentricMapping *)mapping;
  (void)at, (void)k;
  SOFA_TRY(check(m));
  if (m->frames.list.n) return turning_jacobian(m, out);
  return sofa_point_weights_matrix(mapping->object.ctx, &m->weights, m->deriv, out);
}

/* ---- topological changes: a point keeps its weights as long as their points are there ---- */

/* The vertices that turn frame i, which are those of its row of weights, get their new numbers. */
static void renumber_frame(SofaTurningFrames *frames, size_t i, const SofaTopologyChange *change) {
  for (size_t k = 0; i < frames->list.n && k < frames->width; k++) {
    uint32_t *v = &frames->list.data[i].vertex[k];
    *v = *v < change->n_before ? sofa_change_renamed(change, *v) : SOFA_NO_ELEMENT;
  }
}

/* The numbers of the input's points. A row with a point that goes becomes empty and is listed. */
static SofaErr renumber(BarycentricMapping *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaPointWeights old = m->weights;
  const bool goes = change->kind == SOFA_CHANGE_REMOVE;
  m->weights = (SofaPointWeights){0};
  const size_t n_in = goes ? old.n_in - change->n : old.n_in + change->n;
  SofaErr err = sofa_point_weights_begin(ctx, &m->weights, n_in, old.n_out);
  for (uint32_t i = 0; i < old.n_out && err == SOFA_OK; i++) {
    const uint32_t begin = old.start.data[i], n = old.start.data[i + 1] - begin;
    bool whole = true;
    for (uint32_t k = begin; goes && k < begin + n; k++) {
      old.index.data[k] = sofa_change_renamed(change, old.index.data[k]);
      whole = whole && old.index.data[k] != SOFA_NO_ELEMENT;
    }
    if (goes) renumber_frame(&m->frames, i, change);
    err = sofa_point_weights_append(ctx, &m->weights, old.index.data + begin,
                                    old.weight.data + begin, whole ? n : 0);
    if (!whole && err == SOFA_OK) err = SOFA_APPEND(ctx, &m->lost, &i);
  }
  sofa_point_weights_free(ctx, &old);
  return err;
}

/* Rows of the output's points follow these. */
static SofaErr take_rows(BarycentricMapping *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaIndices order = {0};
  SofaPointWeights old = m->weights;
  m->weights = (SofaPointWeights){0};
  SofaErr err = SOFA_RESIZE(ctx, &order, old.n_out);
  for (uint32_t i = 0; i < order.n && err == SOFA_OK; i++) order.data[i] = i;
  sofa_change_remove_entries(change, &order, sizeof *order.data);
  if (err == SOFA_OK) err = sofa_point_weights_begin(ctx, &m->weights, old.n_in, order.n);
  for (size_t i = 0; i < order.n && err == SOFA_OK; i++) {
    const uint32_t begin = old.start.data[order.data[i]];
    err =
        sofa_point_weights_append(ctx, &m->weights, old.index.data + begin, old.weight.data + begin,
                                  old.start.data[order.data[i] + 1] - begin);
  }
  sofa_turning_frames_remove(&m->frames, change);
  sofa_change_rename(change, &m->lost);
  sofa_point_weights_free(ctx, &old);
  sofa_list_free(ctx, &order);
  return err;
}

/* Points that lost their element get another one, at the current positions. */
static SofaErr attach_lost(BarycentricMapping *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaPointWeights old = m->weights, fresh;
  SofaTurningFrames turned = m->frames;
  SofaBools lost = {0};
  m->weights = (SofaPointWeights){0};
  m->frames = (SofaTurningFrames){.about_origin = turned.about_origin};
  SofaErr err = sofa_point_weights_begin(ctx, &m->weights, old.n_in, old.n_out);
  if (err == SOFA_OK) err = make_weights(m);
  fresh = m->weights;
  m->weights = (SofaPointWeights){0};
  if (err == SOFA_OK) err = SOFA_RESIZE(ctx, &lost, old.n_out);
  for (size_t k = 0; k < m->lost.n && err == SOFA_OK; k++) lost.data[m->lost.data[k]] = true;
  if (err == SOFA_OK) err = sofa_point_weights_begin(ctx, &m->weights, old.n_in, old.n_out);
  for (size_t i = 0; i < old.n_out && err == SOFA_OK; i++) {
    const SofaPointWeights *w = lost.data[i] ? &fresh : &old;
    if (!lost.data[i]) sofa_turning_frames_copy(&turned, &m->frames, i);
    const uint32_t begin = w->start.data[i];
    err = sofa_point_weights_append(ctx, &m->weights, w->index.data + begin, w->weight.data + begin,
                                    w->start.data[i + 1] - begin);
  }
  sofa_point_weights_free(ctx, &old);
  sofa_point_weights_free(ctx, &fresh);
  sofa_turning_frames_free(ctx, &turned);
  sofa_list_free(ctx, &lost);
  return err;
}

static SofaErr barycentric_listen(SofaObject *object, const SofaTopologyChange *change) {
  BarycentricMapping *m = (BarycentricMapping *)object;
  if (sofa_change_moves(change, m->mapping.inputs[0])) return renumber(m, change);
  if (sofa_change_moves(change, m->mapping.out) && change->kind == SOFA_CHANGE_REMOVE)
    return take_rows(m, change);
  if (change->kind != SOFA_CHANGE_DONE) return SOFA_OK;
  const size_t n = m->mapping.out->position.n;
  for (uint32_t i = (uint32_t)m->weights.n_out; i < n; i++) {
    // points that came to the output
    SOFA_TRY(sofa_point_weights_append(object->ctx, &m->weights, NULL, NULL, 0));
    SOFA_TRY(SOFA_APPEND(object->ctx, &m->lost, &i));
  }
  SofaErr err = m->lost.n && !m->inert ? attach_lost(m) : SOFA_OK;
  m->lost.n = 0;
  // new rows have no columns yet
  if (err == SOFA_OK && !m->weights.in_start.n)
    err = sofa_point_weights_finish(object->ctx, &m->weights, m->mapping.mechanical);
  return err == SOFA_OK ? sofa_mapping_put(&m->mapping) : err;
}

static const SofaTopologyListenerOps barycentric_listener = {.listen = barycentric_listen};

static void barycentric_destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((BarycentricMapping *)object)->lost);
  BarycentricMapping *m = (BarycentricMapping *)object;
  sofa_point_weights_free(object->ctx, &m->weights);
  sofa_turning_frames_free(object->ctx, &m->frames);
  sofa_map_matrix_free(object->ctx, &m->j);
}

static const SofaMappingOps barycentric_ops = {
    .setup = barycentric_setup,
    .apply = barycentric_apply,
    .apply_j = barycentric_apply_j,
    .apply_jt = barycentric_apply_jt,
    .jacobian = barycentric_jacobian,
    .linear = true,
    .keeps_point = true,
};

static const char *const barycentric_templates[] = {"Vec3d,Vec3d", "Vec3d,Rigid3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(BarycentricMapping, frames),
    SOFA_REMADE(BarycentricMapping, j),
    SOFA_REMADE(BarycentricMapping, weights),
};

SOFA_CLASS(BarycentricMapping) = {
    SOFA_NAMED(BarycentricMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Output points move with the elements of the input's topology they lie in, or outside "
            "with one chosen by distance, by constant weights of its points.",
    .equations = "x_{out} = sum_i w_i x_i, sum_i w_i = 1\n"
                 "f_i = sum_{out} w_i f_{out}",
    .base = &sofa_mapping_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(barycentric_fields),
    .templates = barycentric_templates,
    .destroy = barycentric_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &barycentric_ops},
                    {SOFA_TOPOLOGY_LISTENER, &barycentric_listener}),
};
