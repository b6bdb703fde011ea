/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear springs between points: force, tangent, energy. */
#include "components/solidmechanics/spring/spring_set.h"

#include "math/vec.h"

#include <math.h>

enum { MAX_SPACE = 6 };
static const double default_shortest = 1e-9;

SofaSpringSpace sofa_spring_space(const SofaState *state) {
  const SofaStateKindInfo *info = sofa_state_kind_info(state->object.kind);
  // all coordinates of a vector kind are space, also the six of Vec6
  SofaSpringSpace s = {info->rigid ? info->space : info->coord,
                       info->coord,
                       info->deriv,
                       default_shortest,
                       NULL,
                       NULL,
                       NULL,
                       state->object.ctx};
  if (s.space == 3 && s.coord == 3) s.kernels = sofa_spring_kernels(state->object.ctx);
  return s;
}

/* ---- several threads ---- */

enum { LEAST = 4096 }; /* springs: fewer take less than the threads cost */

/* The points of the ends, those of two states in turns. */
static void list_ends(const SofaSpringPairs *pairs, bool two, uint32_t *ends) {
  for (size_t k = 0; k < pairs->n; k++) {
    const uint32_t *pair = pairs->ends + k * pairs->stride;
    ends[2 * k] = two ? 2 * pair[0] : pair[0];
    ends[2 * k + 1] = two ? 2 * pair[1] + 1 : pair[1];
  }
}

SofaErr sofa_spring_pair_sums(const SofaSpringPairs *pairs, SofaState *const states[2],
                              SofaElementSums *sums) {
  SofaContext *ctx = states[0]->object.ctx;
  const bool two = states[0] != states[1];
  const size_t n1 = sofa_state_size(states[0]), n2 = sofa_state_size(states[1]);
  const size_t most = n1 > n2 ? n1 : n2;
  sofa_element_sums_free(ctx, sums);
  if (ctx->threads < 2 || pairs->n < LEAST || most > UINT32_MAX / 2) return SOFA_OK;
  uint32_t *ends = sofa_alloc(ctx, 2 * pairs->n, sizeof *ends);
  if (!ends) return SOFA_ERR_MEMORY;
  list_ends(pairs, two, ends);
  const SofaSummed of = {.elements = {ends, pairs->n, 2},
                         .n_points = two ? 2 * most : n1,
                         .states = two ? 2 : 1,
                         .width = 3,
                         .kind = SOFA_SUM_OPPOSITE};
  const SofaErr err = sofa_element_sums_create(ctx, &of, sums);
  sofa_free(ctx, ends);
  return err;
}

SofaErr sofa_spring_sums_make(const SofaSprings *springs, SofaSpringSpace space,
                              SofaState *const states[2], SofaElementSums *sums) {
  const size_t n = space.kernels ? springs->n : 0;
  const SofaSpringPairs pairs = {.ends = n ? &springs->data->m1 : NULL,
                                 .stride = sizeof(SofaSpring) / sizeof(uint32_t),
                                 .n = n};
  return sofa_spring_pair_sums(&pairs, states, sums);
}

/* A loop over springs; what its kind does not read is 0. */
typedef struct SpringLoop {
  const SofaSpring *springs;
  const SofaSpringKernels *kernels;
  double shortest;
  const SofaPoint *at;
  const SofaTension *tension;
  SofaSpringFactors by;
  const double *const *x; /* positions or changes of them */
  double *const *f;
  double *kept;
} SpringLoop;

static void give_forces(void *user, size_t begin, size_t end, double *parts) {
  const SpringLoop *loop = user;
  const SofaSpringRange range = {loop->springs, begin, end, parts};
  loop->kernels->force(&range, loop->shortest, loop->at, loop->f, loop->kept);
}

static void give_tensions(void *user, size_t begin, size_t end, double *parts) {
  const SpringLoop *loop = user;
  const SofaSpringRange range = {loop->springs, begin, end, parts};
  loop->kernels->polynomial_force(&range, loop->tension, loop->x, loop->f, loop->kept);
}

static void give_products(void *user, size_t begin, size_t end, double *parts) {
  const SpringLoop *loop = user;
  const SofaSpringRange range = {loop->springs, begin, end, parts};
  loop->kernels->product(&range, loop->by, loop->x, loop->f, loop->kept);
}

/* What is kept begins with a line of the cache: rows of lanes that cross lines take twice the
 * stores. */
static double *line_of(const double *kept) {
  const uintptr_t line = SOFA_LANES * sizeof *kept;
  return (double *)(((uintptr_t)kept + line - 1) / line * line);
}

/* ---- single springs ---- */

static inline bool idle_at(const SofaSpring *s, double d, double shortest) {
  return !s->enabled || d <= shortest || (s->elongation_only && d <= s->length) ||
         (s->compression_only && d >= s->length);
}

/* Positions, velocities and forces at the ends of a spring. */
typedef struct Ends {
  const double *x1, *x2, *v1, *v2;
  double *f1, *f2;
} Ends;

/* Where row 0 of spring k begins: row i is i SOFA_LANES behind it. */
static size_t place_of(unsigned n, size_t k) {
  return k / SOFA_LANES * SOFA_LANES * (n + 2) + k % SOFA_LANES;
}

/* One spring; t: its place. */
static void spring_force(const SofaSpring *s, SofaSpringSpace space, const Ends *at, double *t) {
  const double *x1 = at->x1, *x2 = at->x2, *v1 = at->v1, *v2 = at->v2;
  const unsigned n = space.space;
  double u[MAX_SPACE], d2 = 0, rate = 0;
  for (unsigned i = 0; i < n; i++) {
    u[i] = x2[i] - x1[i];
    d2 += u[i] * u[i];
  }
  const double d = sqrt(d2);
  if (idle_at(s, d, space.shortest)) {
    for (unsigned i = 0; i < n + 2; i++) t[i * SOFA_LANES] = 0;
    return;
  }
  const double inverse = 1 / d;
  for (unsigned i = 0; i < n; i++) {
    u[i] *= inverse;
    rate += u[i] * (v2[i] - v1[i]);
  }
  const double tension = (d - s->length) * s->stiffness + s->damping * rate;
  for (unsigned i = 0; i < n; i++) {
    at->f1[i] += u[i] * tension;
    at->f2[i] -= u[i] * tension;
    t[(2 + i) * SOFA_LANES] = u[i];
  }
  t[SOFA_LANES] = tension * inverse;
  t[0] = s->stiffness - t[SOFA_LANES];
}

void sofa_springs_force(const SofaSprings *springs, SofaSpringSpace space, const SofaPoint *at,
                        double *const *f, double *kept) {
  if (space.kernels) {
    SpringLoop loop = {.springs = springs->data,
                       .kernels = space.kernels,
                       .shortest = space.shortest,
                       .at = at,
                       .f = f,
                       .kept = line_of(kept)};
    sofa_element_sums_run(space.sums, springs->n, give_forces, &loop, f);
    return;
  }
  for (size_t k = 0; k < springs->n; k++) {
    const SofaSpring *s = &springs->data[k];
    const size_t x1 = s->m1 * (size_t)space.coord, x2 = s->m2 * (size_t)space.coord;
    const size_t v1 = s->m1 * (size_t)space.deriv, v2 = s->m2 * (size_t)space.deriv;
    const Ends ends = {at->x[0] + x1, at->x[1] + x2, at->v[0] + v1,
                       at->v[1] + v2, f[0] + v1,     f[1] + v2};
    spring_force(s, space, &ends, line_of(kept) + place_of(space.space, k));
  }
}

void sofa_springs_tension(const SofaSprings *springs, SofaSpringSpace space,
                          const SofaTension *tension, const double *const *x, double *const *f,
                          double *kept) {
  SpringLoop loop = {.springs = springs->data,
                     .kernels = space.kernels,
                     .tension = tension,
                     .x = x,
                     .f = f,
                     .kept = line_of(kept)};
  sofa_element_sums_run(space.sums, springs->n, give_tensions, &loop, f);
}

/* What is kept of spring k: ks - t / d, t / d and u. */
static void kept_of(const double *kept, unsigned n, size_t k, double *t) {
  const double *rows = line_of(kept) + place_of(n, k);
  for (unsigned i = 0; i < n + 2; i++) t[i] = rows[i * SOFA_LANES];
}

#define INLINED static inline __attribute__((always_inline))

/* The eigenvalue of T across a spring, 0 where it is not negative or there is none. */
INLINED double push_across(unsigned n, const double *t) {
  return n > 1 && t[1] < 0 ? t[1] : 0;
}

void sofa_springs_dforce(const SofaSprings *springs, SofaSpringSpace space, SofaSpringFactors by,
                         const double *const *dx, double *const *df, const double *kept) {
  const unsigned n = space.space, deriv = space.deriv;
  if (space.kernels) {
    SpringLoop loop = {.springs = springs->data,
                       .kernels = space.kernels,
                       .by = by,
                       .x = dx,
                       .f = df,
                       .kept = line_of(kept)};
    sofa_element_sums_run(space.sums, springs->n, give_products, &loop, df);
    return;
  }
  for (size_t k = 0; k < springs->n; k++) {
    const SofaSpring *s = &springs->data[k];
    const size_t at1 = s->m1 * (size_t)deriv, at2 = s->m2 * (size_t)deriv;
    double t[MAX_SPACE + 2] = {0}, d[MAX_SPACE], dot = 0;
    kept_of(kept, n, k, t);
    const double *u = t + 2, push = by.descends ? push_across(n, t) : 0;
    for (unsigned i = 0; i < n; i++) {
      d[i] = dx[1][at2 + i] - dx[0][at1 + i];
      dot += u[i] * d[i];
    }
    const double along = (by.k * (t[0] + push) + by.b * s->damping) * dot;
    const double across = by.k * (t[1] - push);
    for (unsigned i = 0; i < n; i++) {
      const double sum = across * d[i] + along * u[i];
      df[0][at1 + i] += sum;
      df[1][at2 + i] -= sum;
    }
  }
}

/* What is assembled: k T + b kd u u^T, of which one factor is 1 and the other one 0. */
typedef struct Assembled {
  const SofaSprings *springs;
  SofaSpringSpace space;
  SofaSpringFactors by;
  const SofaState *only; /* or NULL */
  const SofaTangent *tangent;
  const double *kept;
} Assembled;

/* Inlined with constant n and size; kept: that of the spring. */
INLINED void spring_matrix(const SofaSpring *s, unsigned n, unsigned size, const Assembled *to,
                           const double *kept) {
  const int second = to->only ? 0 : 1;
  const bool rates = to->by.k == 0;
  const double *u = kept + 2, push = to->by.descends ? push_across(n, kept) : 0;
  const double along = rates ? s->damping : kept[0] + push;
  const double across = rates ? 0 : kept[1] - push;
  double plus[MAX_SPACE * MAX_SPACE], minus[MAX_SPACE * MAX_SPACE];
  for (unsigned i = 0; i < size; i++)
    for (unsigned j = 0; j < size; j++) {
      const double entry = i >= n || j >= n ? 0 : along * u[i] * u[j] + (i == j ? across : 0);
      plus[size * i + j] = entry;
      minus[size * i + j] = -entry;
    }
  sofa_tangent_add(to->tangent, 0, s->m1, 0, s->m1, minus);
  sofa_tangent_add(to->tangent, 0, s->m1, second, s->m2, plus);
  sofa_tangent_add(to->tangent, second, s->m2, 0, s->m1, plus);
  sofa_tangent_add(to->tangent, second, s->m2, second, s->m2, minus);
}

static void add_springs(const Assembled *to) {
  const unsigned n = to->space.space, deriv = to->space.deriv;
  for (size_t k = 0; k < to->springs->n; k++) {
    const SofaSpring *s = &to->springs->data[k];
    double kept[MAX_SPACE + 2] = {0};
    if (to->by.k == 0 && s->damping == 0) continue;
    kept_of(to->kept, n, k, kept);
    if (n == 3 && deriv == 3) spring_matrix(s, 3, 3, to, kept);
    else spring_matrix(s, n, deriv, to, kept);
  }
}

static void make_blocks(void *user, size_t begin, size_t end, double *blocks) {
  const Assembled *to = user;
  const SofaSpringRange range = {to->springs->data, begin, end, NULL};
  to->space.kernels->blocks(&range, to->by, line_of(to->kept), blocks);
}

static SofaErr add_pairs(Assembled *to) {
  const SofaEdgeList edges = {.ends = &to->springs->data->m1,
                              .stride = sizeof(SofaSpring) / sizeof(uint32_t),
                              .n = to->springs->n,
                              .per_element = 1,
                              .symmetric = true};
  const SofaEdgeBlocks source = {make_blocks, to};
  SofaContext *ctx = to->space.ctx;
  SOFA_TRY(sofa_edge_assembly_follow(ctx, edges, sofa_state_size(to->only), to->space.edges));
  sofa_edge_assembly_add(ctx, *to->space.edges, &source, to->tangent);
  return SOFA_OK;
}

static bool any_damps(const SofaSprings *springs) {
  for (size_t k = 0; k < springs->n; k++)
    if (springs->data[k].damping != 0) return true;
  return false;
}

static SofaErr add_matrix(Assembled *to) {
  const SofaSpringSpace *space = &to->space;
  if (!to->springs->n || (to->by.k == 0 && !any_damps(to->springs))) return SOFA_OK;
  if (to->only && space->edges && space->kernels && !to->tangent->by_points) return add_pairs(to);
  add_springs(to);
  return SOFA_OK;
}

SofaErr sofa_springs_add_k(const SofaSprings *springs, SofaSpringSpace space, const SofaState *only,
                           bool descends, const SofaTangent *tangent, const double *kept) {
  const SofaSpringFactors by = {.k = 1, .descends = descends};
  return add_matrix(&(Assembled){springs, space, by, only, tangent, kept});
}

SofaErr sofa_springs_add_b(const SofaSprings *springs, SofaSpringSpace space, const SofaState *only,
                           const SofaTangent *tangent, const double *kept) {
  const SofaSpringFactors by = {.b = 1};
  return add_matrix(&(Assembled){springs, space, by, only, tangent, kept});
}

static double distance(const double *a, const double *b, unsigned n) {
  double d2 = 0;
  for (unsigned i = 0; i < n; i++) d2 += (b[i] - a[i]) * (b[i] - a[i]);
  return sqrt(d2);
}

double sofa_springs_energy(const SofaSprings *springs, SofaSpringSpace space,
                           const double *const *x, double *idle) {
  double energy = 0;
  *idle = 0;
  for (size_t k = 0; k < springs->n; k++) {
    const SofaSpring *s = &springs->data[k];
    const double d = distance(x[0] + s->m1 * (size_t)space.coord,
                              x[1] + s->m2 * (size_t)space.coord, space.space);
    const double stretch = d - s->length, e = 0.5 * s->stiffness * stretch * stretch;
    *(idle_at(s, d, space.shortest) ? idle : &energy) += e;
  }
  return energy;
}

double sofa_springs_rest_length(const SofaState *state, SofaSpringSpace space, uint32_t a,
                                uint32_t b) {
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  return distance(rest->data + a * (size_t)space.coord, rest->data + b * (size_t)space.coord,
                  space.space);
}

SofaErr sofa_spring_check_end(const SofaForceField *ff, const char *field, size_t spring, int end,
                              uint32_t point) {
  const size_t n = sofa_state_size(ff->state[end]);
  if (point < n) return SOFA_OK;
  return sofa_field_fail(&ff->object, field, SOFA_ERR_RANGE,
                         "spring %zu: point %u does not exist, object%d has %zu points", spring,
                         point, end + 1, n);
}

SofaErr sofa_spring_check_values(const SofaObject *object, const char *field, const double *values,
                                 size_t n) {
  for (size_t k = 0; k < n; k++) {
    if (values[k] >= 0 && values[k] < INFINITY) continue;
    if (!object->ctx->keep_going)
      return sofa_field_fail(object, field, SOFA_ERR_RANGE,
                             "value %zu is %g, expected a number that is not negative", k,
                             values[k]);
    sofa_object_message(object, SOFA_WARNING,
                        "'%s': value %zu is %g, expected a number that is not negative", field, k,
                        values[k]);
    break;
  }
  return SOFA_OK;
}

/* Green at rest; a tenth longer is red, a tenth shorter is blue. */
static SofaRgba strain_color(double length, double rest) {
  double t = rest > 0 ? 10 * (length - rest) / rest : 1;
  t = t > 1 ? 1 : t < -1 ? -1 : t;
  return SOFA_RGB(t > 0 ? t : 0, 1 - fabs(t), t < 0 ? -t : 0);
}

void sofa_spring_draw(SofaDrawList *list, const double *a, const double *b, int mode, double size,
                      SofaRgba color) {
  if (mode == 1) sofa_draw_tube(list, a, b, size, size, color);
  else if (mode == 2) sofa_draw_arrow(list, a, b, size, color);
  else sofa_draw_line(list, a, b, 1, color);
}

void sofa_springs_draw(const SofaSprings *springs, const SofaState *const state[2], int mode,
                       double size, SofaDrawList *list) {
  for (size_t i = 0; i < springs->n; i++) {
    const SofaSpring *s = &springs->data[i];
    double a[3], b[3];
    if (!s->enabled || s->m1 >= state[0]->position.n || s->m2 >= state[1]->position.n) continue;
    sofa_state_point(state[0], s->m1, a);
    sofa_state_point(state[1], s->m2, b);
    const SofaRgba color = strain_color(sofa_vec3_distance(a, b), s->length);
    sofa_spring_draw(list, a, b, mode, size, color);
  }
}
