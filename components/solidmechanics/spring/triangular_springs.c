/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Membranes of triangles as springs. */
#include "behavior/checks.h"
#include "components/solidmechanics/spring/triangular_springs.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/vec.h"
#include "numerics/contact/definite.h"
#include "object/checkpoint.h"

enum { QUIRK_TRIANGULAR_SPRINGS_TANGENT = 1, QUIRK_BIQUADRATIC_DAMPING = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_TRIANGULAR_SPRINGS_TANGENT, "triangular-springs-tangent",
     "triangular quadratic and biquadratic springs have a tangent that is not their derivative",
     "test_quirks_elements.springs"},
    {QUIRK_BIQUADRATIC_DAMPING, "biquadratic-damping",
     "TriangularBiquadraticSpringsForceField divides its rates by the squared lengths",
     "test_dampers.rate_of_squared_lengths"},
    QUIRK_SPRINGS_WITHOUT_MATRIX_ROW,
    QUIRK_SPRING_DAMPING_MATRIX_ROW,
};

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef SofaTriangularSprings SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(triangle_info, "triangleInfo", NULL, "", "internal data; a given value is ignored",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(edge_info, "edgeInfo", NULL, "", "internal data; a given value is ignored",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(initial_points, "initialPoints", NULL, "m",
             "not used: the shape at rest is that of the rest positions",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(poisson, "poissonRatio", "0.3", "1", "Poisson ratio of the membrane",
             .range = SOFA_BETWEEN(-1, 1)),
    SOFA_ROW(young, "youngModulus", "1000", "N/m", "Young modulus of a membrane of thickness 1",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(damping, "dampingRatio", "0", "s",
             "the rate at which the elongation of an edge (or the difference of its squared "
             "lengths) grows, times this, counts as elongation",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(angular, "useAngularSprings", "1", "",
             "springs between the edges of a triangle; without them only along edges"),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology with the triangles; default: the node's, else the nearest ancestor's",
             .link = &topology_rule),
};

static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(SofaTriangularSprings, groups),
    SOFA_PRIVATE(SofaTriangularSprings, normals,
                 SOFA_PER(SOFA_ELEMENT_TRIANGLE, .inserted = SOFA_INSERTED_ZERO)),
};

static SofaTriangularSprings *self(SofaForceField *ff) {
  return (SofaTriangularSprings *)ff;
}

/* ---- triangles ---- */

/* A triangle, out of its lane. */
typedef struct Triangle {
  uint32_t v[3];
  double k[3], gamma[3];
  double rest[3]; /* L or L^2 */
  double area;    /* at rest, m^2 */
} Triangle;

static Triangle triangle_at(const SofaTriangularSprings *s, size_t e) {
  const SofaMembraneGroup *g = &s->groups.data[e / SOFA_LANES];
  const size_t lane = e % SOFA_LANES;
  Triangle t = {.area = g->area[lane]};
  for (int j = 0; j < 3; j++) {
    t.v[j] = g->v[j][lane];
    t.k[j] = g->k[j][lane];
    t.gamma[j] = g->gamma[j][lane];
    t.rest[j] = g->rest[j][lane];
  }
  return t;
}

/* Sets the lanes from that of e on. */
static void put_triangle(const SofaTriangularSprings *s, size_t e, const Triangle *t) {
  SofaMembraneGroup *g = &s->groups.data[e / SOFA_LANES];
  if (e % SOFA_LANES == 0) memset(g, 0, sizeof *g);
  for (size_t lane = e % SOFA_LANES; lane < SOFA_LANES; lane++) {
    g->area[lane] = t->area;
    for (int j = 0; j < 3; j++) {
      g->v[j][lane] = t->v[j];
      g->k[j][lane] = t->k[j];
      g->gamma[j][lane] = t->gamma[j];
      g->rest[j][lane] = t->rest[j];
    }
  }
}

/* dp[j] = p_l - p_k: the edge opposite to vertex j. */
static void edges_of(const Triangle *t, const double *x, double dp[3][3]) {
  for (int j = 0; j < 3; j++)
    sofa_vec3_sub(x + 3 * (size_t)t->v[(j + 2) % 3], x + 3 * (size_t)t->v[(j + 1) % 3], dp[j]);
}

/* Length 2 area. */
static double normal_of(double (*dp)[3], double *normal) {
  sofa_vec3_cross(dp[1], dp[2], normal);
  return sofa_vec3_norm(normal);
}

static bool make_triangle(const SofaTriangularSprings *s, const double *x, Triangle *t,
                          double *normal) {
  double dp[3][3], square[3], cot[3];
  edges_of(t, x, dp);
  const double twice = normal_of(dp, normal), nu = s->poisson;
  if (!(twice > 0) || !(twice < INFINITY)) return false;
  // of a stress lambda tr(E) I + mu E
  const double lambda = s->young * nu / (1 - nu * nu), mu = s->young / (1 + nu);
  const double both = lambda + mu, scale = (s->squares ? 8 : 4) * twice;
  sofa_vec3_scale(1 / twice, normal, normal);
  t->area = twice / 2;
  for (int j = 0; j < 3; j++) {
    square[j] = sofa_vec3_dot(dp[j], dp[j]);
    cot[j] = -sofa_vec3_dot(dp[(j + 1) % 3], dp[(j + 2) % 3]) / twice;
  }
  for (int j = 0; j < 3; j++) {
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    t->rest[j] = s->squares ? square[j] : sqrt(square[j]);
    t->k[j] = (2 * cot[j] * cot[j] * both + mu) / scale;
    t->gamma[j] = s->angular ? (2 * cot[k] * cot[l] * both - mu) / scale : 0;
    if (s->squares) continue;
    t->k[j] *= square[j];
    t->gamma[j] *= sqrt(square[k] * square[l]);
  }
  return true;
}

enum { LEAST = 2048 }; /* triangles: fewer take less than the threads cost */

static SofaErr make_sums(SofaTriangularSprings *s, const SofaTriangles *triangles,
                         size_t n_points) {
  const SofaSummed of = {
      .elements = {(const uint32_t *)(const void *)triangles->data, triangles->n, 3},
      .n_points = n_points,
      .states = 1,
      .width = 3,
      .kind = SOFA_SUM_EACH,
      .least = LEAST};
  sofa_element_sums_free(s->force_field.object.ctx, &s->sums);
  return sofa_element_sums_create(s->force_field.object.ctx, &of, &s->sums);
}

static SofaErr make(SofaTriangularSprings *s) {
  SofaObject *object = &s->force_field.object;
  const SofaState *state = s->force_field.state[0];
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  const SofaTriangles *triangles = sofa_topology_triangles(s->mesh);
  s->groups.n = s->n = 0;
  sofa_edge_assembly_free(object->ctx, &s->edges);
  SOFA_TRY(s->mesh->failure);
  SOFA_TRY(sofa_check_any(object, s->mesh, SOFA_ELEMENT_TRIANGLE, triangles->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &s->normals, triangles->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &s->groups, (triangles->n + SOFA_LANES - 1) / SOFA_LANES));
  for (size_t e = 0; e < triangles->n; e++) {
    Triangle t = {.area = 0};
    double normal[3];
    memcpy(t.v, triangles->data[e].v, sizeof t.v);
    SOFA_TRY(sofa_check_element(object, "triangle", e, t.v, 3, rest->n));
    if (!make_triangle(s, rest->data, &t, normal))
      return sofa_object_fail(object, SOFA_ERR_GEOMETRY,
                              "triangle %zu (vertices %u %u %u) has no area at rest", e, t.v[0],
                              t.v[1], t.v[2]);
    if (!(sofa_vec3_norm(s->normals.data[e].v) > 0)) sofa_vec3_copy(normal, s->normals.data[e].v);
    put_triangle(s, e, &t);
  }
  SOFA_TRY(make_sums(s, triangles, rest->n));
  s->n = triangles->n;
  s->revision = s->mesh->revision;
  return SOFA_OK;
}

static SofaErr remake(SofaTriangularSprings *s) {
  const SofaErr err = make(s);
  if (err != SOFA_OK) s->groups.n = s->n = 0;
  return err;
}

static SofaErr springs_init(SofaObject *object) {
  SofaTriangularSprings *s = (SofaTriangularSprings *)object;
  s->mesh =
      s->topology.target ? (SofaTopology *)s->topology.target : sofa_node_topology(object->node);
  if (!s->mesh)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take triangles from");
  s->normals.n = 0;
  SOFA_TRY(remake(s));
  s->force_field.partial_tangent = s->n && sofa_quirk(object, QUIRK_SPRINGS_WITHOUT_MATRIX);
  s->sofas_rate = s->n && s->squares && sofa_quirk(object, QUIRK_BIQUADRATIC_DAMPING);
  s->sofas_tangent = s->n && s->angular && sofa_quirk(object, QUIRK_TRIANGULAR_SPRINGS_TANGENT);
  return SOFA_OK;
}

static void springs_destroy(SofaObject *object) {
  sofa_element_sums_free(object->ctx, &((SofaTriangularSprings *)object)->sums);
  sofa_edge_assembly_free(object->ctx, &((SofaTriangularSprings *)object)->edges);
}

static SofaErr springs_reset(SofaObject *object) {
  SofaTriangularSprings *s = (SofaTriangularSprings *)object;
  if (!s->mesh) return SOFA_OK;
  s->normals.n = 0;
  return remake(s);
}

static SofaErr springs_done(SofaObject *object) {
  return remake((SofaTriangularSprings *)object);
}

static const SofaTopologyListenerOps listener = {.done = springs_done};

/* ---- forces ---- */

/* Energy A0 S (J - 1)^4 / 4 for J = A / A0 < 1, S = 3 (lambda + mu); 0: none. */
static double area_stiffness(const SofaTriangularSprings *s) {
  const bool resists = s->squares && s->angular && s->compressible;
  return resists ? 3 * s->young / (1 - s->poisson * s->poisson) : 0;
}

static SofaMembraneLaw law_of(const SofaTriangularSprings *s) {
  return (SofaMembraneLaw){.squares = s->squares,
                           .sofas = s->sofas_tangent,
                           .rate = (s->squares && !s->sofas_rate ? 2 : 1) * s->damping,
                           .rate_per_size = s->sofas_rate,
                           .compression = area_stiffness(s)};
}

/* A loop over triangles; what its kind does not read is 0. */
typedef struct MembraneLoop {
  SofaTriangularSprings *s;
  const SofaMembraneKernels *kernels;
  SofaMembraneLaw law;
  const double *xv[2];
  const double *by, *dx;
  double *f;
  _Atomic size_t flipped; /* the first triangle that has */
} MembraneLoop;

static void give_forces(void *user, size_t begin, size_t end, double *parts) {
  MembraneLoop *loop = user;
  double(*normals)[3] = (double(*)[3])(void *)loop->s->normals.data;
  const double *const xv[2] = {loop->xv[0], loop->xv[1]};
  const size_t n = end - begin;
  const size_t first =
      loop->kernels->force(&loop->law, loop->s->groups.data + begin / SOFA_LANES, n, xv,
                           normals + begin, (SofaVectorsTo){loop->f, parts});
  size_t lowest = loop->flipped;
  while (first < n && begin + first < lowest &&
         !atomic_compare_exchange_weak(&loop->flipped, &lowest, begin + first)) {
  }
}

static void give_products(void *user, size_t begin, size_t end, double *parts) {
  const MembraneLoop *loop = user;
  loop->kernels->product(&loop->law, loop->s->groups.data + begin / SOFA_LANES, end - begin,
                         loop->by, loop->dx, (SofaVectorsTo){loop->f, parts});
}

static SofaErr springs_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  SofaTriangularSprings *s = self(ff);
  if (s->revision != s->mesh->revision) SOFA_TRY(remake(s));
  if (!s->n) return SOFA_OK;
  MembraneLoop loop = {.s = s,
                       .kernels = sofa_membrane_kernels(ff->object.ctx),
                       .law = law_of(s),
                       .xv = {at->x[0], at->v[0]},
                       .f = f[0],
                       .flipped = s->n};
  sofa_element_sums_run(&s->sums, s->n, give_forces, &loop, f);
  const size_t flipped = loop.flipped;
  if (flipped < s->n && !s->told) {
    sofa_object_message(
        &ff->object, SOFA_WARNING,
        "triangle %zu has flipped and is pushed back; further ones are not reported", flipped);
    s->told = true;
  }
  return SOFA_OK;
}

enum { CHUNK = 8 * SOFA_LANES }; /* triangles: what is just stored takes long to be read again */

/* M of the edges of triangles from `first` on, see SofaMembraneKernels.blocks. */
typedef struct Blocks {
  size_t first, n;
  double m[CHUNK][3][9];
} Blocks;

/* first is a multiple of CHUNK. */
static void make_blocks(const SofaTriangularSprings *s, size_t first, Blocks *blocks) {
  const SofaMembraneLaw law = law_of(s);
  const SofaMembraneKernels *kernels = sofa_membrane_kernels(s->force_field.object.ctx);
  blocks->first = first;
  blocks->n = s->n - first < CHUNK ? s->n - first : CHUNK;
  for (size_t at = 0; at < blocks->n; at += SOFA_LANES)
    kernels->blocks(&law, &s->groups.data[(first + at) / SOFA_LANES], blocks->m + at);
}

/* A triangle of a group. */
typedef struct Bent {
  const SofaMembraneGroup *group;
  size_t lane;
  const double (*m)[9]; /* of its edges; may be NULL: not needed */
} Bent;

static Bent bent_at(const SofaTriangularSprings *s, size_t e) {
  return (Bent){&s->groups.data[e / SOFA_LANES], e % SOFA_LANES, NULL};
}

static Bent bent_of(const SofaTriangularSprings *s, const Blocks *blocks, size_t k) {
  Bent t = bent_at(s, blocks->first + k);
  t.m = (const double(*)[9])blocks->m[k];
  return t;
}

static uint32_t vertex(const Bent *t, int n) {
  return t->group->v[n % 3][t->lane];
}

/* ---- operations ---- */

/* dF/dv = - sum_ij e_i G_ij c e_j^T with dE/dq = G q and dq/dt = c e . (v_l - v_k) of each edge.
 * 0: none. */
static double rate_factor(const SofaTriangularSprings *s) {
  if (s->sofas_rate || sofa_spring_damps_late(&s->force_field)) return 0;
  return s->squares ? 2 * s->damping : s->damping;
}

/* G_ij */
static double coupling(const Bent *t, int i, int j) {
  return (i == j ? t->group->k[i] : t->group->gamma[3 - i - j])[t->lane];
}

static void edge_of(const Bent *t, int j, double e[3]) {
  for (int i = 0; i < 3; i++) e[i] = t->group->e[j][i][t->lane];
}

static void add_damping(const Bent *t, double factor, const double *dx, double *df) {
  double rate[3], e[3];
  for (int j = 0; j < 3; j++) {
    double d[3];
    edge_of(t, j, e);
    sofa_vec3_sub(dx + 3 * (size_t)vertex(t, j + 2), dx + 3 * (size_t)vertex(t, j + 1), d);
    rate[j] = factor * sofa_vec3_dot(e, d);
  }
  for (int i = 0; i < 3; i++) {
    double g = 0;
    for (int j = 0; j < 3; j++) g += coupling(t, i, j) * rate[j];
    edge_of(t, i, e);
    sofa_vec3_axpy(-g, e, df + 3 * (size_t)vertex(t, i + 2));
    sofa_vec3_axpy(g, e, df + 3 * (size_t)vertex(t, i + 1));
  }
}

/* The nearest positive semidefinite matrix to second derivatives of the energy by the vertices. */
static SofaErr definite_matrix(const Bent *t, double h[81]) {
  memset(h, 0, 81 * sizeof *h);
  for (int k = 0; k < 3; k++) {
    const double *block = t->m[k];
    for (int e = 0; e < 9; e++) {
      const int i = 3 * ((k + 1) % 3) + e / 3, j = 3 * ((k + 2) % 3) + e % 3;
      const int i2 = i - e / 3 + e % 3, j2 = j - e % 3 + e / 3;
      const double m = block[e];
      h[9 * i + i2] -= m;
      h[9 * j + j2] -= m;
      h[9 * i + j] += m;
      h[9 * j + i] += m;
    }
  }
  return sofa_make_definite(9, h) ? SOFA_OK : SOFA_ERR_NOT_FINITE;
}

/* df -= factor H dx with the matrix H above. */
static SofaErr add_definite_product(const Bent *b, double factor, const double *dx, double *df) {
  const uint32_t v[3] = {vertex(b, 0), vertex(b, 1), vertex(b, 2)};
  double h[81];
  SOFA_TRY(definite_matrix(b, h));
  for (int r = 0; r < 9; r++) {
    double sum = 0;
    for (int k = 0; k < 9; k++) sum += h[9 * r + k] * dx[3 * (size_t)v[k / 3] + (size_t)(k % 3)];
    df[3 * (size_t)v[r / 3] + (size_t)(r % 3)] -= factor * sum;
  }
  return SOFA_OK;
}

static void add_product(const Bent *b, double factor, const double *dx, double *changes) {
  for (int k = 0; k < 3; k++) {
    const size_t i = 3 * (size_t)vertex(b, k + 1), j = 3 * (size_t)vertex(b, k + 2);
    const double *m = b->m[k];
    double d[3], df[3];
    sofa_vec3_sub(dx + i, dx + j, d);
    sofa_mat3_apply(m, d, df);
    sofa_vec3_axpy(factor, df, changes + i);
    sofa_mat3_apply_t(m, d, df);
    sofa_vec3_axpy(-factor, df, changes + j);
  }
}

/* Products by blocks, where they are not those of the kernels. */
static SofaErr add_block_products(const SofaTriangularSprings *s, const double by[2], bool descends,
                                  const double *dx, double *changes) {
  for (size_t first = 0; first < s->n; first += CHUNK) {
    Blocks blocks;
    make_blocks(s, first, &blocks);
    for (size_t k = 0; k < blocks.n; k++) {
      const Bent t = bent_of(s, &blocks, k);
      if (descends) SOFA_TRY(add_definite_product(&t, by[0], dx, changes));
      else add_product(&t, by[0], dx, changes);
      if (by[1] != 0) add_damping(&t, by[1], dx, changes);
    }
  }
  return SOFA_OK;
}

static SofaErr springs_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx,
                                  double *const *changes) {
  (void)at;
  SofaTriangularSprings *s = self(ff);
  const double by[2] = {sofa_kfactor(ff, params), params->b * rate_factor(s)};
  if (params->descends || s->sofas_tangent)
    return add_block_products(s, by, params->descends, dx[0], changes[0]);
  MembraneLoop loop = {.s = s,
                       .kernels = sofa_membrane_kernels(ff->object.ctx),
                       .law = law_of(s),
                       .by = by,
                       .dx = dx[0],
                       .f = changes[0]};
  sofa_element_sums_run(&s->sums, s->n, give_products, &loop, changes);
  return SOFA_OK;
}

static SofaErr add_definite_blocks(const Bent *b, const SofaTangent *tangent) {
  const uint32_t v[3] = {vertex(b, 0), vertex(b, 1), vertex(b, 2)};
  double h[81], block[9];
  SOFA_TRY(definite_matrix(b, h));
  for (int k = 0; k < 9; k++) {
    const int r = k / 3, c = k % 3;
    for (int e = 0; e < 9; e++) block[e] = -h[9 * (3 * r + e / 3) + 3 * c + e % 3];
    sofa_tangent_add(tangent, 0, v[r], 0, v[c], block);
  }
  return SOFA_OK;
}

static SofaErr add_definite(const SofaTriangularSprings *s, const SofaTangent *tangent) {
  for (size_t first = 0; first < s->n; first += CHUNK) {
    Blocks blocks;
    make_blocks(s, first, &blocks);
    for (size_t k = 0; k < blocks.n; k++) {
      const Bent t = bent_of(s, &blocks, k);
      SOFA_TRY(add_definite_blocks(&t, tangent));
    }
  }
  return SOFA_OK;
}

/* Edge j of a triangle goes from vertex j + 1 to vertex j + 2. */
static SofaErr follow_edges(SofaTriangularSprings *s) {
  SofaContext *ctx = s->force_field.object.ctx;
  const size_t n = 3 * s->n;
  uint32_t *ends = sofa_alloc(ctx, 2 * n, sizeof *ends);
  if (!ends) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < 2 * n; k++) {
    const Bent t = bent_at(s, k / 6);
    ends[k] = vertex(&t, (int)(k % 6 / 2 + 1 + k % 2));
  }
  const SofaEdgeList edges = {.ends = ends, .stride = 2, .n = n, .per_element = 3};
  const SofaErr err =
      sofa_edge_assembly_follow(ctx, edges, sofa_state_size(s->force_field.state[0]), &s->edges);
  sofa_free(ctx, ends);
  return err;
}

static void make_edge_blocks(void *user, size_t begin, size_t end, double *blocks) {
  const MembraneLoop *loop = user;
  for (size_t at = begin; at < end; at += SOFA_LANES)
    loop->kernels->blocks(&loop->law, &loop->s->groups.data[at / SOFA_LANES],
                          (double(*)[3][9])(void *)(blocks + 27 * (at - begin)));
}

static SofaErr springs_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)at;
  SofaTriangularSprings *s = self(ff);
  MembraneLoop loop = {.s = s, .kernels = sofa_membrane_kernels(ff->object.ctx), .law = law_of(s)};
  const SofaEdgeBlocks source = {make_edge_blocks, &loop};
  if (ff->partial_tangent || !s->n) return SOFA_OK;
  if (params->descends) return add_definite(s, tangent);
  if (!s->edges) SOFA_TRY(follow_edges(s));
  SofaTangent minus = *tangent;
  minus.factor = -tangent->factor;
  sofa_edge_assembly_add(ff->object.ctx, s->edges, &source, &minus);
  return SOFA_OK;
}

/* Vertex a is the end of edge a + 1 and the start of edge a + 2, modulo 3. */
static void damping_block(const Bent *t, double factor, int a, int b, double block[9]) {
  memset(block, 0, 9 * sizeof *block);
  for (int i = 1; i < 3; i++) {
    for (int j = 1; j < 3; j++) {
      const int p = (a + i) % 3, q = (b + j) % 3;
      const double c = (i == j ? -factor : factor) * coupling(t, p, q);
      double ep[3], eq[3];
      edge_of(t, p, ep);
      edge_of(t, q, eq);
      for (int e = 0; e < 9; e++) block[e] += c * ep[e / 3] * eq[e % 3];
    }
  }
}

static SofaErr springs_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  const SofaTriangularSprings *s = self(ff);
  const double factor = rate_factor(s);
  if (ff->partial_tangent || factor == 0) return SOFA_OK;
  for (size_t k = 0; k < 9 * s->n; k++) {
    const Bent t = bent_at(s, k / 9);
    const int a = (int)(k % 9) / 3, c = (int)(k % 3);
    double block[9];
    damping_block(&t, factor, a, c, block);
    sofa_tangent_add(tangent, 0, vertex(&t, a), 0, vertex(&t, c), block);
  }
  return SOFA_OK;
}

static SofaErr springs_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *energy) {
  (void)params;
  const SofaTriangularSprings *s = self(ff);
  const double part = s->squares ? 0.25 : 0.5, stiffness = area_stiffness(s);
  *energy = 0;
  for (size_t e = 0; e < s->n; e++) {
    const Bent lane = bent_at(s, e);
    const Triangle t = triangle_at(s, e);
    double dp[3][3], q[3], n[3];
    edges_of(&t, at->x[0], dp);
    for (int j = 0; j < 3; j++) {
      const double square = sofa_vec3_norm2(dp[j]);
      q[j] = (s->squares ? square : sqrt(square)) - t.rest[j];
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) *energy += part * q[i] * coupling(&lane, i, j) * q[j];
    const double area = normal_of(dp, n) / 2, c = area / t.area - 1;
    if (area < t.area) *energy += t.area * stiffness * c * c * c * c / 4;
  }
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = springs_add_force,
    .add_dforce = springs_add_dforce,
    .add_k = springs_add_k,
    .add_b = springs_add_b,
    .potential_energy = springs_energy,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaTriangularSprings, edges),
};

const SofaClass sofa_triangular_springs_class = {
    .name = "TriangularSprings",
    .module = "csofa",
    .category = "ForceField",
    .help = "A membrane of triangles as springs along edges and between them.",
    .base = &sofa_force_field_class,
    SOFA_QUIRKS(quirks),
    SOFA_SPARES(spared),
    .size = sizeof(SofaTriangularSprings),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .abstract = true,
    .init = springs_init,
    .destroy = springs_destroy,
    .reinit = springs_init,
    .reset = springs_reset,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &sofa_draw_field_triangles}),
};
