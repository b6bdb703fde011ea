/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Membranes of triangles as springs. */
#include "behavior/checks.h"
#include "components/solidmechanics/spring/triangular_springs.h"

#include <math.h>
#include <string.h>

#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/vec.h"
#include "numerics/contact/definite.h"

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
    SOFA_PRIVATE(SofaTriangularSprings, triangles),
    SOFA_PRIVATE(SofaTriangularSprings, normals,
                 SOFA_PER(SOFA_ELEMENT_TRIANGLE, .inserted = SOFA_INSERTED_ZERO)),
};

static SofaTriangularSprings *self(SofaForceField *ff) {
  return (SofaTriangularSprings *)ff;
}

/* ---- triangles ---- */

/* dp[j] = p_l - p_k: the edge opposite to vertex j. */
static void edges_of(const SofaSpringTriangle *t, const double *x, double dp[3][3]) {
  for (int j = 0; j < 3; j++)
    sofa_vec3_sub(x + 3 * (size_t)t->v[(j + 2) % 3], x + 3 * (size_t)t->v[(j + 1) % 3], dp[j]);
}

/* Length 2 area. */
static double normal_of(double (*dp)[3], double *normal) {
  sofa_vec3_cross(dp[1], dp[2], normal);
  return sofa_vec3_norm(normal);
}

static bool make_triangle(const SofaTriangularSprings *s, const double *x, SofaSpringTriangle *t,
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

static SofaErr make(SofaTriangularSprings *s) {
  SofaObject *object = &s->force_field.object;
  const SofaState *state = s->force_field.state[0];
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  const SofaTriangles *triangles = sofa_topology_triangles(s->mesh);
  s->triangles.n = 0;
  SOFA_TRY(s->mesh->failure);
  SOFA_TRY(sofa_check_any(object, s->mesh, SOFA_ELEMENT_TRIANGLE, triangles->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &s->normals, triangles->n));
  for (size_t e = 0; e < triangles->n; e++) {
    SofaSpringTriangle t = {.area = 0};
    double normal[3];
    memcpy(t.v, triangles->data[e].v, sizeof t.v);
    SOFA_TRY(sofa_check_element(object, "triangle", e, t.v, 3, rest->n));
    if (!make_triangle(s, rest->data, &t, normal))
      return sofa_object_fail(object, SOFA_ERR_GEOMETRY,
                              "triangle %zu (vertices %u %u %u) has no area at rest", e, t.v[0],
                              t.v[1], t.v[2]);
    if (!(sofa_vec3_norm(s->normals.data[e].v) > 0)) sofa_vec3_copy(normal, s->normals.data[e].v);
    SOFA_TRY(SOFA_APPEND(object->ctx, &s->triangles, &t));
  }
  s->revision = s->mesh->revision;
  return SOFA_OK;
}

static SofaErr remake(SofaTriangularSprings *s) {
  const SofaErr err = make(s);
  if (err != SOFA_OK) s->triangles.n = 0;
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
  s->force_field.partial_tangent =
      s->triangles.n && sofa_quirk(object, QUIRK_SPRINGS_WITHOUT_MATRIX);
  s->sofas_rate = s->triangles.n && s->squares && sofa_quirk(object, QUIRK_BIQUADRATIC_DAMPING);
  s->sofas_tangent =
      s->triangles.n && s->angular && sofa_quirk(object, QUIRK_TRIANGULAR_SPRINGS_TANGENT);
  return SOFA_OK;
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

/* A triangle as it is: its edges, their l or l^2, unless squares 1 / l, q, and dE/dq. */
typedef struct Now {
  double dp[3][3], length[3], inverse[3], q[3], g[3];
} Now;

static void look(const SofaTriangularSprings *s, const SofaSpringTriangle *t, const double *x,
                 const double *v, Now *now) {
  edges_of(t, x, now->dp);
  for (int j = 0; j < 3; j++) {
    const double square = sofa_vec3_dot(now->dp[j], now->dp[j]);
    now->length[j] = s->squares ? square : sqrt(square);
    now->inverse[j] = s->squares ? 1 : 1 / now->length[j];
    now->q[j] = now->length[j] - t->rest[j];
    if (!v || s->damping == 0 || !(square > 0)) continue;
    double dv[3];
    sofa_vec3_sub(v + 3 * (size_t)t->v[(j + 2) % 3], v + 3 * (size_t)t->v[(j + 1) % 3], dv);
    const double rate = sofa_vec3_dot(dv, now->dp[j]);
    now->q[j] += s->damping * (s->squares && !s->sofas_rate ? 2 * rate : rate / now->length[j]);
  }
  for (int j = 0; j < 3; j++) {
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    now->g[j] = t->k[j] * now->q[j] + t->gamma[l] * now->q[k] + t->gamma[k] * now->q[l];
  }
}

/* Second derivatives of the energy by the two ends of each edge: the derivative of a force
 * -g dp (squares) or -g dp / l along it by q of all edges, and of dp. */
static void set_tangent(const SofaTriangularSprings *s, SofaSpringTriangle *t, const Now *now) {
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double *l = now->length;
    double a = -now->g[k], b = -2 * t->k[k], ck = 2 * t->gamma[k], ci = 2 * t->gamma[i],
           cj = 2 * t->gamma[j];
    if (!s->squares) {
      // SOFA takes the length at rest for the current one
      const double own = t->k[k] * (s->sofas_tangent ? t->rest[k] : l[k]), *r = now->inverse;
      a = -now->g[k] * r[k];
      b = (now->g[k] - own) * (r[k] * r[k] * r[k]);
      ck = t->gamma[k] * (r[i] * r[j]);
      ci = t->gamma[i] * (r[j] * r[k]);
      cj = t->gamma[j] * (r[k] * r[i]);
    }
    const double *di = now->dp[i], *dj = now->dp[j], *dk = now->dp[k];
    for (int u = 0; u < 3; u++) {
      const double along = b * dk[u] + ci * dj[u], other = cj * dk[u] - ck * dj[u];
      double *row = t->m[k] + 3 * u;
      row[0] = along * dk[0] + other * di[0];
      row[1] = along * dk[1] + other * di[1];
      row[2] = along * dk[2] + other * di[2];
      row[u] += a;
    }
  }
}

/* ---- compression ---- */

/* Energy A0 S (J - 1)^4 / 4 for J = A / A0 < 1, S = 3 (lambda + mu) */
static double area_stiffness(const SofaTriangularSprings *s) {
  return 3 * s->young / (1 - s->poisson * s->poisson);
}

static bool resists_compression(const SofaTriangularSprings *s) {
  return s->squares && s->angular && s->compressible;
}

static const double flat = 0.01; /* J of a triangle whose normal is not to be trusted */

/* The normal of a compressed triangle: of a flat one the last one seen, of one that has flipped the
 * opposite, which pushes it back. */
static void choose_normal(SofaTriangularSprings *s, size_t e, double area, double *normal) {
  double *last = s->normals.data[e].v;
  if (area / s->triangles.data[e].area < flat) {
    sofa_vec3_copy(last, normal);
    return;
  }
  sofa_vec3_scale(1 / (2 * area), normal, normal);
  if (sofa_vec3_dot(normal, last) > -0.5) {
    sofa_vec3_copy(normal, last);
    return;
  }
  sofa_vec3_scale(-1, normal, normal);
  if (!s->told)
    sofa_object_message(
        &s->force_field.object, SOFA_WARNING,
        "triangle %zu has flipped and is pushed back; further ones are not reported", e);
  s->told = true;
}

/* A compressed triangle: its area and normal, the derivatives a of the area, and those of the
 * energy by the area, v2 the second. */
typedef struct Compression {
  double val, v2, area;
  double n[3], a[3][3];
} Compression;

/* Adds what SOFA has: terms of the area's second derivative have the other sign, that of the normal
 * twice the size, and the first one is mixed with a multiple of I. */
static void sofas_compression(SofaSpringTriangle *t, double j, const Compression *c,
                              const Now *now) {
  const double val = c->val, v2 = c->v2, *n = c->n;
  const double sum = now->length[0] + now->length[1] + now->length[2];
  double cross[9];
  sofa_mat3_cross(n, cross);
  for (int k = 0; k < 3; k++) {
    const double *ai = c->a[(k + 1) % 3], *aj = c->a[(k + 2) % 3], aij = sofa_vec3_dot(ai, aj);
    const double along = val / (4 * c->area) * (sum - 2 * now->length[k]);
    for (int e = 0; e < 9; e++)
      t->m[k][e] += val / 2 * cross[e] + (1 + j) * v2 * ai[e / 3] * aj[e % 3] +
                    along * n[e / 3] * n[e % 3] - (e % 4 == 0 ? j * v2 * aij : 0);
  }
}

/* v2 a_i a_j^T + val d2A/dx_i dx_j with d2A = (dp_i . dp_j) / (4 A) n n^T - [n]x / 2 */
static void add_compression(SofaSpringTriangle *t, const Compression *c, const Now *now) {
  const double val = c->val, v2 = c->v2, area = c->area, *n = c->n;
  double cross[9];
  sofa_mat3_cross(n, cross);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double across =
        area / t->area < flat ? 0 : val / (4 * area) * sofa_vec3_dot(now->dp[i], now->dp[j]);
    for (int e = 0; e < 9; e++)
      t->m[k][e] +=
          v2 * c->a[i][e / 3] * c->a[j][e % 3] + across * n[e / 3] * n[e % 3] - val / 2 * cross[e];
  }
}

/* Adds to the forces of the vertices. */
static void compress(SofaTriangularSprings *s, size_t e, Now *now, double (*f)[3]) {
  SofaSpringTriangle *t = &s->triangles.data[e];
  Compression c;
  if (!resists_compression(s)) return;
  c.area = normal_of(now->dp, c.n) / 2;
  if (!(c.area < t->area)) return;
  choose_normal(s, e, c.area, c.n);
  const double j = c.area / t->area - 1, stiffness = area_stiffness(s);
  c.val = stiffness * j * j * j;
  c.v2 = 3 * stiffness * j * j / t->area;
  for (int k = 0; k < 3; k++) {
    sofa_vec3_cross(c.n, now->dp[k], c.a[k]);
    sofa_vec3_scale(0.5, c.a[k], c.a[k]);
    sofa_vec3_axpy(-c.val, c.a[k], f[k]);
  }
  if (s->sofas_tangent) sofas_compression(t, j, &c, now);
  else add_compression(t, &c, now);
}

/* ---- operations ---- */

/* One addition for each vertex: what was just stored takes long to be read again. */
static void add_to_vertices(const SofaSpringTriangle *t, double factor, const double (*f)[3],
                            double *to) {
  for (int n = 0; n < 3; n++) sofa_vec3_axpy(factor, f[n], to + 3 * (size_t)t->v[n]);
}

static SofaErr springs_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  SofaTriangularSprings *s = self(ff);
  if (s->revision != s->mesh->revision) SOFA_TRY(remake(s));
  for (size_t e = 0; e < s->triangles.n; e++) {
    SofaSpringTriangle *t = &s->triangles.data[e];
    Now now;
    double force[3][3] = {{0}};
    look(s, t, at->x[0], at->v[0], &now);
    for (int j = 0; j < 3; j++) {
      sofa_vec3_scale(now.inverse[j], now.dp[j], t->e[j]);
      sofa_vec3_axpy(-now.g[j], t->e[j], force[(j + 2) % 3]);
      sofa_vec3_axpy(now.g[j], t->e[j], force[(j + 1) % 3]);
    }
    set_tangent(s, t, &now);
    compress(s, e, &now, force);
    add_to_vertices(t, 1, (const double(*)[3])force, f[0]);
  }
  return SOFA_OK;
}

/* dF/dv = - sum_ij e_i G_ij c e_j^T with dE/dq = G q and dq/dt = c e . (v_l - v_k) of each edge.
 * 0: none. */
static double rate_factor(const SofaTriangularSprings *s) {
  if (s->sofas_rate || sofa_spring_damps_late(&s->force_field)) return 0;
  return s->squares ? 2 * s->damping : s->damping;
}

/* G_ij */
static double coupling(const SofaSpringTriangle *t, int i, int j) {
  return i == j ? t->k[i] : t->gamma[3 - i - j];
}

static void add_damping(const SofaSpringTriangle *t, double factor, const double *dx, double *df) {
  double rate[3];
  for (int j = 0; j < 3; j++) {
    double d[3];
    sofa_vec3_sub(dx + 3 * (size_t)t->v[(j + 2) % 3], dx + 3 * (size_t)t->v[(j + 1) % 3], d);
    rate[j] = factor * sofa_vec3_dot(t->e[j], d);
  }
  for (int i = 0; i < 3; i++) {
    double g = 0;
    for (int j = 0; j < 3; j++) g += coupling(t, i, j) * rate[j];
    sofa_vec3_axpy(-g, t->e[i], df + 3 * (size_t)t->v[(i + 2) % 3]);
    sofa_vec3_axpy(g, t->e[i], df + 3 * (size_t)t->v[(i + 1) % 3]);
  }
}

/* The nearest positive semidefinite matrix to second derivatives of the energy by the vertices. */
static SofaErr definite_matrix(const SofaSpringTriangle *t, double h[81]) {
  memset(h, 0, 81 * sizeof *h);
  for (int k = 0; k < 3; k++)
    for (int e = 0; e < 9; e++) {
      const int i = 3 * ((k + 1) % 3) + e / 3, j = 3 * ((k + 2) % 3) + e % 3;
      const int i2 = i - e / 3 + e % 3, j2 = j - e % 3 + e / 3;
      const double m = t->m[k][e];
      h[9 * i + i2] -= m;
      h[9 * j + j2] -= m;
      h[9 * i + j] += m;
      h[9 * j + i] += m;
    }
  return sofa_make_definite(9, h) ? SOFA_OK : SOFA_ERR_NOT_FINITE;
}

/* df -= factor H dx with the matrix H above. */
static SofaErr add_definite_product(const SofaSpringTriangle *t, double factor, const double *dx,
                                    double *df) {
  double h[81];
  SOFA_TRY(definite_matrix(t, h));
  for (int r = 0; r < 9; r++) {
    double sum = 0;
    for (int k = 0; k < 9; k++) sum += h[9 * r + k] * dx[3 * (size_t)t->v[k / 3] + (size_t)(k % 3)];
    df[3 * (size_t)t->v[r / 3] + (size_t)(r % 3)] -= factor * sum;
  }
  return SOFA_OK;
}

static void add_product(const SofaSpringTriangle *t, double factor, const double *dx,
                        double *changes) {
  double sum[3][3] = {{0}};
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    double d[3], df[3];
    sofa_vec3_sub(dx + 3 * (size_t)t->v[i], dx + 3 * (size_t)t->v[j], d);
    sofa_mat3_apply(t->m[k], d, df);
    sofa_vec3_add(sum[i], df, sum[i]);
    sofa_mat3_apply_t(t->m[k], d, df);
    sofa_vec3_sub(sum[j], df, sum[j]);
  }
  add_to_vertices(t, factor, (const double(*)[3])sum, changes);
}

static SofaErr springs_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx,
                                  double *const *changes) {
  (void)at;
  const SofaTriangularSprings *s = self(ff);
  const double factor = sofa_kfactor(ff, params), b = params->b * rate_factor(s);
  for (size_t e = 0; e < s->triangles.n; e++) {
    const SofaSpringTriangle *t = &s->triangles.data[e];
    if (params->descends) SOFA_TRY(add_definite_product(t, factor, dx[0], changes[0]));
    else add_product(t, factor, dx[0], changes[0]);
    if (b != 0) add_damping(t, b, dx[0], changes[0]);
  }
  return SOFA_OK;
}

static SofaErr add_definite_blocks(const SofaSpringTriangle *t, const SofaTangent *tangent) {
  double h[81], block[9];
  SOFA_TRY(definite_matrix(t, h));
  for (int k = 0; k < 9; k++) {
    const int a = k / 3, b = k % 3;
    for (int e = 0; e < 9; e++) block[e] = -h[9 * (3 * a + e / 3) + 3 * b + e % 3];
    sofa_tangent_add(tangent, 0, t->v[a], 0, t->v[b], block);
  }
  return SOFA_OK;
}

static SofaErr springs_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)at;
  const SofaTriangularSprings *s = self(ff);
  if (ff->partial_tangent) return SOFA_OK;
  for (size_t e = 0; params->descends && e < s->triangles.n; e++)
    SOFA_TRY(add_definite_blocks(&s->triangles.data[e], tangent));
  for (size_t e = 0; !params->descends && e < s->triangles.n; e++) {
    const SofaSpringTriangle *t = &s->triangles.data[e];
    for (int k = 0; k < 3; k++) {
      const uint32_t i = t->v[(k + 1) % 3], j = t->v[(k + 2) % 3];
      double minus[9], transposed[9];
      sofa_mat3_transpose(t->m[k], transposed);
      sofa_tangent_add(tangent, 0, i, 0, i, t->m[k]);
      sofa_tangent_add(tangent, 0, j, 0, j, transposed);
      sofa_mat3_scale(-1, t->m[k], minus);
      sofa_tangent_add(tangent, 0, i, 0, j, minus);
      sofa_mat3_scale(-1, transposed, minus);
      sofa_tangent_add(tangent, 0, j, 0, i, minus);
    }
  }
  return SOFA_OK;
}

/* Vertex a is the end of edge a + 1 and the start of edge a + 2, modulo 3. */
static void damping_block(const SofaSpringTriangle *t, double factor, int a, int b,
                          double block[9]) {
  memset(block, 0, 9 * sizeof *block);
  for (int i = 1; i < 3; i++) {
    for (int j = 1; j < 3; j++) {
      const int p = (a + i) % 3, q = (b + j) % 3;
      const double c = (i == j ? -factor : factor) * coupling(t, p, q);
      for (int e = 0; e < 9; e++) block[e] += c * t->e[p][e / 3] * t->e[q][e % 3];
    }
  }
}

static SofaErr springs_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  const SofaTriangularSprings *s = self(ff);
  const double factor = rate_factor(s);
  if (ff->partial_tangent || factor == 0) return SOFA_OK;
  for (size_t k = 0; k < s->triangles.n; k++) {
    const SofaSpringTriangle *t = &s->triangles.data[k];
    for (int ab = 0; ab < 9; ab++) {
      double block[9];
      damping_block(t, factor, ab / 3, ab % 3, block);
      sofa_tangent_add(tangent, 0, t->v[ab / 3], 0, t->v[ab % 3], block);
    }
  }
  return SOFA_OK;
}

static SofaErr springs_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *energy) {
  (void)params;
  const SofaTriangularSprings *s = self(ff);
  const double part = s->squares ? 0.25 : 0.5, stiffness = area_stiffness(s);
  *energy = 0;
  for (size_t e = 0; e < s->triangles.n; e++) {
    const SofaSpringTriangle *t = &s->triangles.data[e];
    Now now;
    double n[3];
    look(s, t, at->x[0], NULL, &now);
    for (int j = 0; j < 3; j++) *energy += part * now.g[j] * now.q[j];
    const double area = normal_of(now.dp, n) / 2, c = area / t->area - 1;
    if (resists_compression(s) && area < t->area)
      *energy += t->area * stiffness * c * c * c * c / 4;
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

const SofaClass sofa_triangular_springs_class = {
    .name = "TriangularSprings",
    .module = "csofa",
    .category = "ForceField",
    .help = "A membrane of triangles as springs along edges and between them.",
    .base = &sofa_force_field_class,
    SOFA_QUIRKS(quirks),
    .size = sizeof(SofaTriangularSprings),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .abstract = true,
    .init = springs_init,
    .reinit = springs_init,
    .reset = springs_reset,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &sofa_draw_field_triangles}),
};
