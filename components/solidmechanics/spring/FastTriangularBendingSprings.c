/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FastTriangularBendingSprings: the linear bending energy of pairs of triangles. */
#include "base/bytes.h"
#include "base/team.h"
#include "behavior/draw_state.h"
#include "components/solidmechanics/spring/bending_springs.h"
#include "math/vec.h"
#include "numerics/fem/linear_spring_kernels.h"
#include "numerics/fem/pair_assembly.h"
#include "object/checkpoint.h"

enum { QUIRK_FAST_BENDING_MATRIX = 1, QUIRK_FAST_BENDING_THIRD = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_FAST_BENDING_MATRIX, "fast-bending-matrix",
     "FastTriangularBendingSprings assembles three of the four points of an edge",
     "test_spring_kinds.quirks_leave_matrices_incomplete"},
    {QUIRK_FAST_BENDING_THIRD, "fast-bending-third",
     "FastTriangularBendingSprings bends with a third of bendingStiffness",
     "test_spring_kinds.fast_bending_stiffness"},
};

/* Energy lambda |R|^2 / 2 with R = sum a_i x_i over A, B (opposite points) and C, D (the edge).
 * With R = 0 at a flat rest shape, this is the model of Volino and Magnenat-Thalmann, "Simple
 * linear bending stiffness in particle systems", 2006, but for the factor of lambda.
 *
 * Of rhombs, with the height h = h_A = h_B over the edge of length l and the curvatures k across
 * and k' along the edge, |R| = (k h^2 - k' l^2 / 4) / 2, and with lambda = 2 mu l (h_A + h_B) /
 * (h_A h_B)^2 the energy is l h mu (k - k' l^2 / (4 h^2))^2. On a mesh of equilateral triangles,
 * the sum over three directions is, per area and for principal curvatures k_1, k_2, mu / 2 (k_1^2 +
 * k_2^2 - 2/3 k_1 k_2), that of a plate of the bending stiffness mu: a cylinder has mu k^2 / 2 in
 * any direction. The points of an edge are A B C D. */
typedef struct BendingEdge {
  uint32_t v[4];
  double a[4], lambda; /* 1, N/m */
} BendingEdge;

typedef struct FastTriangularBendingSprings {
  SofaForceField force_field;
  double stiffness, shortest;
  char *edge_info;
  SofaLink topology;
  /* state */
  SofaTopology *mesh;
  uint32_t revision; /* of the mesh that the edges were made of */
  struct {
    BendingEdge *data;
    size_t n, capacity;
  } edges;
  SofaIndices start, column; /* the other points of edges at each point */
  SofaReals scale;           /* N/m: -lambda a_i a_j, summed up over the edges of both points */
  SofaElementPairs pairs;    /* of the vertices in matrices; made by the first assembly */
  SofaReals scales;          /* of the pairs: their blocks are these times I */
  unsigned assembled;        /* vertices of an edge in assembled matrices: 4 but for a quirk */
  double factor;             /* of lambda: 2, but for a quirk 2/3 */
} FastTriangularBendingSprings;

typedef FastTriangularBendingSprings SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        stiffness, "bendingStiffness", "1", "N m",
        "bending stiffness of the surface, E t^3 / (12 (1 - nu^2)) of a plate: moment per width "
        "and curvature where it is bent to a cylinder",
        .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(shortest, "minDistValidity", "1e-06", "m",
             "pairs of triangles whose edge, or whose opposite points, are nearer do not act"),
    SOFA_ROW(edge_info, "edgeInfo", "", "",
             "the coefficients themselves, which are always computed",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology with the triangles; default: the node's, else the nearest ancestor's",
             .link = &sofa_bending_topology_rule),
};

/* ---- edges ---- */

/* |(p - r) x (q - r)| */
static double twice_area(const double *p, const double *q, const double *r) {
  double a[3], b[3], n[3];
  sofa_vec3_sub(p, r, a);
  sofa_vec3_sub(q, r, b);
  sofa_vec3_cross(a, b, n);
  return sofa_vec3_norm(n);
}

static double distance(const double *p, const double *q) {
  double d[3];
  sofa_vec3_sub(p, q, d);
  return sofa_vec3_norm(d);
}

static SofaErr add_edge(void *user, const SofaEdge *edge, const uint32_t *p, const uint32_t *q) {
  FastTriangularBendingSprings *t = user;
  const SofaState *state = t->force_field.state[0];
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  BendingEdge e = {.v = {sofa_bending_opposite(edge, p), sofa_bending_opposite(edge, q), edge->v[0],
                         edge->v[1]}};
  const double *x[4];
  for (int i = 0; i < 4; i++) x[i] = rest->data + 3 * (size_t)e.v[i];
  const double length = distance(x[2], x[3]);
  if (length <= t->shortest || distance(x[0], x[1]) <= t->shortest) return SOFA_OK;

  // each coefficient is the area of the triangle on the other side, as a part of both
  const double na = twice_area(x[2], x[3], x[0]), nb = twice_area(x[3], x[2], x[1]);
  const double nc = twice_area(x[1], x[0], x[2]), nd = twice_area(x[0], x[1], x[3]);
  e.a[0] = nb / (na + nb);
  e.a[1] = na / (na + nb);
  e.a[2] = -nd / (nc + nd);
  e.a[3] = -nc / (nc + nd);
  const double ha = na / length, hb = nb / length, hahb = ha * hb;
  e.lambda = t->factor * (ha + hb) / (hahb * hahb) * length * t->stiffness;
  if (!(hahb > 0) || !(nc + nd > 0)) {
    sofa_object_message(&t->force_field.object, SOFA_WARNING,
                        "the triangles at edge %u %u are degenerate: it does not resist bending",
                        e.v[2], e.v[3]);
    return SOFA_OK;
  }
  return SOFA_APPEND(t->force_field.object.ctx, &t->edges, &e);
}

/* The pairs of the first `width` points of edges, with the edges of each. */
static SofaErr list_pairs(const FastTriangularBendingSprings *t, unsigned width,
                          SofaElementPairs *pairs) {
  SofaContext *ctx = t->force_field.object.ctx;
  const size_t n = width * t->edges.n;
  uint32_t *points = sofa_alloc(ctx, n, sizeof *points);
  if (!points) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < n; k++) points[k] = t->edges.data[k / width].v[k % width];
  const SofaErr err =
      sofa_element_pairs_create(ctx, (SofaElements){points, t->edges.n, width},
                                sofa_state_size(t->force_field.state[0]), SOFA_PAIRS_PARTS, pairs);
  sofa_free(ctx, points);
  return err;
}

static double scale_of(const FastTriangularBendingSprings *t, const SofaElementPairs *pairs,
                       size_t pair) {
  double sum = 0;
  for (size_t k = pairs->start[pair]; k < pairs->start[pair + 1]; k++) {
    const SofaPairPart *part = &pairs->part[k];
    const BendingEdge *e = &t->edges.data[part->element];
    sum -= e->lambda * e->a[part->row_node] * e->a[part->column_node];
  }
  return sum;
}

/* ---- springs of points ---- */

/* start[i + 1]: where the next spring of point i goes, at first those of the points before it. */
static void fill_rows(FastTriangularBendingSprings *t, const SofaElementPairs *pairs) {
  uint32_t *next = t->start.data + 1;
  for (size_t p = 0; p < pairs->n; p++) {
    const uint32_t end[2] = {pairs->row[p], pairs->column[p]};
    for (int k = 0; k < 2 && end[0] != end[1]; k++) {
      const uint32_t at = next[end[k]]++;
      t->column.data[at] = end[1 - k];
      t->scale.data[at] = scale_of(t, pairs, p);
    }
  }
}

static SofaErr make_rows(FastTriangularBendingSprings *t, const SofaElementPairs *pairs) {
  SofaContext *ctx = t->force_field.object.ctx;
  const size_t n = sofa_state_size(t->force_field.state[0]);
  uint32_t before = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &t->start, n + 1));
  sofa_zero(t->start.data, (n + 1) * sizeof *t->start.data);
  for (size_t p = 0; p < pairs->n; p++) {
    if (pairs->row[p] == pairs->column[p]) continue;
    t->start.data[pairs->row[p] + 1]++;
    t->start.data[pairs->column[p] + 1]++;
  }
  for (size_t i = 1; i <= n; i++) {
    const uint32_t own = t->start.data[i];
    t->start.data[i] = before;
    before += own;
  }
  SOFA_TRY(SOFA_RESIZE(ctx, &t->column, before));
  SOFA_TRY(SOFA_RESIZE(ctx, &t->scale, before));
  fill_rows(t, pairs);
  return SOFA_OK;
}

/* Forces are linear in the differences of points: the coefficients of an edge sum up to 0. */
static SofaErr make_springs(FastTriangularBendingSprings *t) {
  SofaContext *ctx = t->force_field.object.ctx;
  SofaElementPairs pairs = {0};
  t->start.n = t->column.n = t->scale.n = 0;
  if (!t->edges.n) return SOFA_OK;
  SofaErr err = list_pairs(t, 4, &pairs);
  if (err == SOFA_OK) err = make_rows(t, &pairs);
  if (err != SOFA_OK) t->start.n = 0;
  sofa_element_pairs_free(ctx, &pairs);
  return err;
}

static void forget_pairs(FastTriangularBendingSprings *t) {
  sofa_element_pairs_free(t->force_field.object.ctx, &t->pairs);
  t->scales.n = 0;
}

static SofaErr make(FastTriangularBendingSprings *t) {
  sofa_object_changed(&t->force_field.object);
  forget_pairs(t);
  t->edges.n = 0;
  SofaErr err = sofa_bending_visit(&t->force_field, t->mesh, SOFA_ELEMENT_TRIANGLE, add_edge, t);
  if (err == SOFA_OK) err = make_springs(t);
  if (err != SOFA_OK) t->edges.n = 0;
  else t->revision = t->mesh->revision;
  return err;
}

static SofaErr fast_bending_reinit(SofaObject *object) {
  return make((FastTriangularBendingSprings *)object);
}

static SofaErr fast_bending_init(SofaObject *object) {
  FastTriangularBendingSprings *t = (FastTriangularBendingSprings *)object;
  SOFA_TRY(sofa_bending_topology(object, &t->topology, &t->mesh));
  t->factor = sofa_quirk(object, QUIRK_FAST_BENDING_THIRD) ? 2. / 3 : 2;
  SOFA_TRY(make(t));
  t->assembled = 4;
  if (!t->edges.n || !sofa_quirk(object, QUIRK_FAST_BENDING_MATRIX)) return SOFA_OK;
  t->assembled = 3;
  t->force_field.partial_tangent = true;
  return SOFA_OK;
}

static void fast_bending_destroy(SofaObject *object) {
  FastTriangularBendingSprings *t = (FastTriangularBendingSprings *)object;
  sofa_list_free(object->ctx, &t->edges);
  sofa_list_free(object->ctx, &t->start);
  sofa_list_free(object->ctx, &t->column);
  sofa_list_free(object->ctx, &t->scale);
  forget_pairs(t);
  sofa_list_free(object->ctx, &t->scales);
}

/* ---- forces: f_i = -lambda a_i R = sum_j -lambda a_i a_j (x_j - x_i) ---- */

enum { GRAIN = 1024 }; /* points: ten microseconds */

typedef struct BendingLoop {
  const SofaLinearSpringKernels *kernels;
  SofaPointSprings springs;
  double factor;
  const double *x;
  double *f;
} BendingLoop;

static void add_to_points(void *user, size_t begin, size_t end) {
  const BendingLoop *loop = user;
  loop->kernels->point_forces(&loop->springs, begin, end, loop->factor, loop->x, loop->f);
}

static void add_forces(const FastTriangularBendingSprings *t, double factor, const double *x,
                       double *f) {
  const SofaContext *ctx = t->force_field.object.ctx;
  const SofaPointSprings springs = {t->start.data, t->column.data, t->scale.data};
  BendingLoop loop = {sofa_linear_spring_kernels(ctx), springs, factor, x, f};
  if (t->start.n) sofa_team_for(ctx, t->start.n - 1, GRAIN, add_to_points, &loop);
}

static SofaErr fast_bending_add_force(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at, double *const *f) {
  (void)params;
  FastTriangularBendingSprings *t = (FastTriangularBendingSprings *)ff;
  if (t->revision != t->mesh->revision) SOFA_TRY(make(t));
  add_forces(t, 1, at->x[0], f[0]);
  return SOFA_OK;
}

static SofaErr fast_bending_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                       const SofaPoint *at, const double *const *dx,
                                       double *const *df) {
  (void)at;
  const FastTriangularBendingSprings *t = (FastTriangularBendingSprings *)ff;
  add_forces(t, sofa_kfactor(ff, params), dx[0], df[0]);
  return SOFA_OK;
}

static SofaErr make_scales(FastTriangularBendingSprings *t) {
  SofaContext *ctx = t->force_field.object.ctx;
  SOFA_TRY(SOFA_RESIZE(ctx, &t->scales, t->pairs.n));
  for (size_t p = 0; p < t->pairs.n; p++) t->scales.data[p] = scale_of(t, &t->pairs, p);
  sofa_element_pairs_forget_parts(ctx, &t->pairs);
  return SOFA_OK;
}

static void make_blocks(void *user, size_t begin, size_t end, double *blocks) {
  const FastTriangularBendingSprings *t = user;
  for (size_t p = begin; p < end; p++, blocks += 9)
    for (int e = 0; e < 9; e++) blocks[e] = e % 4 == 0 ? t->scales.data[p] : 0;
}

static SofaErr fast_bending_add_k(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  FastTriangularBendingSprings *t = (FastTriangularBendingSprings *)ff;
  const SofaPairBlocks blocks = {.dim = 3, .make = make_blocks, .user = t};
  SofaErr err = SOFA_OK;
  if (!t->edges.n) return SOFA_OK;
  if (!t->pairs.n) err = list_pairs(t, t->assembled, &t->pairs);
  if (err == SOFA_OK && !t->scales.n) err = make_scales(t);
  if (err == SOFA_OK) sofa_pairs_add(ff->object.ctx, &t->pairs, &blocks, tangent);
  return err;
}

static SofaErr fast_bending_energy(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, double *energy) {
  (void)params;
  const FastTriangularBendingSprings *t = (FastTriangularBendingSprings *)ff;
  *energy = 0;
  for (size_t k = 0; k < t->edges.n; k++) {
    const BendingEdge *e = &t->edges.data[k];
    double r[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
      for (int c = 0; c < 3; c++) r[c] += e->a[i] * at->x[0][3 * (size_t)e->v[i] + (size_t)c];
    }
    *energy += 0.5 * e->lambda * sofa_vec3_dot(r, r);
  }
  return SOFA_OK;
}

/* The force is linear. */
static bool fast_bending_constant(const SofaForceField *ff) {
  (void)ff;
  return true;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = fast_bending_add_force,
    .add_dforce = fast_bending_add_dforce,
    .add_k = fast_bending_add_k,
    .potential_energy = fast_bending_energy,
    .tangent_is_dforce = true,
    .constant_tangent = fast_bending_constant,
};

/* The edges that the triangles are bent about. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const FastTriangularBendingSprings *f = (const FastTriangularBendingSprings *)object;
  const SofaState *state = f->force_field.state[0];
  if (!sofa_draw_shows_field(args, (const SofaState *const *)f->force_field.state)) return;
  for (size_t k = 0; k < f->edges.n; k++) {
    const uint32_t *v = f->edges.data[k].v;
    sofa_draw_link(args->list, (SofaStatePoint){state, v[2]}, (SofaStatePoint){state, v[3]}, 1,
                   SOFA_RGB(0, 1, 0));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};
static const SofaTiesOps ties_ops = {.ties = sofa_bending_ties};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(FastTriangularBendingSprings, pairs),
    SOFA_REMADE(FastTriangularBendingSprings, scales),
};

SOFA_CLASS(FastTriangularBendingSprings) = {
    SOFA_NAMED(FastTriangularBendingSprings),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "ForceField",
    .help = "Resists bending of a surface of triangles by forces that are linear in the positions, "
            "constant stiffness for each edge of exactly two triangles.",
    .equations = "f_i = -lambda a_i sum_j a_j x_j",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_QUIRKS(quirks),
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = fast_bending_init,
    .reinit = fast_bending_reinit,
    .destroy = fast_bending_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit}, {SOFA_DRAW, &draw_ops},
                    {SOFA_TIES, &ties_ops}),
};
