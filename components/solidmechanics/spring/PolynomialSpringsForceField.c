/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PolynomialSpringsForceField: springs whose force is a polynomial of the strain. */
#include <math.h>
#include "behavior/draw_state.h"
#include "object/checkpoint.h"
#include "change/topology_change.h"
#include "components/solidmechanics/spring/polynomial.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/vec.h"

static const SofaQuirk quirks[] = {
    QUIRK_POLYNOMIAL_TANGENT_ROW,
};

/* With u = (x2 - x1) / l and e = |l - L| / L: f1 = s P(e) u, f2 = -f1. s = 1 when stretched;
 * compressed, -1 if `compressible`, else 0. Energy |s| L int_0^e P. A negative L is the length at
 * the first force. */
typedef struct PolynomialSpringsForceField {
  SofaForceField force_field;
  SofaIndices points1, points2;
  SofaPolynomials polynomials;
  int compute_zero_length;
  SofaReals zero_length;
  bool recompute_indices, compressible;
  int draw_mode;
  double arrow_size, indices_scale;
  SofaColor color;
  /* state */
  SofaSprings springs; /* points and lengths */
  SofaReals tangents;  /* sofa_spring_kept of the last force */
  SofaElementSums sums;
  SofaEdgeAssembly *edges;
  SofaIndices came; /* points of the first state that have no other yet */
} PolynomialSpringsForceField;

typedef PolynomialSpringsForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(points1, "firstObjectPoints", NULL, "", "first points; empty: all"),
    SOFA_ROW(points2, "secondObjectPoints", NULL, "",
             "second points, at least as many; empty: all"),
    SOFA_POLYNOMIAL_ROWS(PolynomialSpringsForceField),
    SOFA_ROW(compute_zero_length, "computeZeroLength", "1", "",
             "1: the rest lengths are the lengths at the first force; else zeroLength has them"),
    SOFA_ROW(zero_length, "zeroLength", NULL, "m", "rest lengths, one or one for each spring",
             .range = SOFA_ABOVE(0)),
    SOFA_ROW(recompute_indices, "recompute_indices", "0", "", "not used: points are found once",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(compressible, "compressible", "0", "", "springs also push when they are compressed"),
    SOFA_ROW(draw_mode, "drawMode", "0", "", "how springs are drawn", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(arrow_size, "showArrowSize", "0.01", "m", "size of drawn arrows",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(color, "springColor", "0 1 0 1", "", "colour of drawn springs",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(indices_scale, "showIndicesScale", "0.02", "", "size of drawn numbers",
             .flags = SOFA_FIELD_DISPLAY),
};

/* ---- init ---- */

/* Point k of a list, of all points when it is empty. */
static SofaErr point_of(const PolynomialSpringsForceField *p, int end, size_t k, uint32_t *point) {
  const SofaIndices *list = end ? &p->points2 : &p->points1;
  *point = list->n ? list->data[k] : (uint32_t)k;
  return sofa_spring_check_end(&p->force_field, end ? "secondObjectPoints" : "firstObjectPoints", k,
                               end, *point);
}

static SofaErr check_lengths(const PolynomialSpringsForceField *p, size_t n) {
  const SofaObject *object = &p->force_field.object;
  if (p->compute_zero_length == 1) return SOFA_OK;
  if (p->zero_length.n != 1 && p->zero_length.n < n)
    return sofa_field_fail(object, "zeroLength", SOFA_ERR_ARGUMENT,
                           "%zu lengths for %zu springs: expected one, or one for each",
                           p->zero_length.n, n);
  return SOFA_OK;
}

/* Of a length that is given or still unknown. */
static SofaSpring spring_of(const PolynomialSpringsForceField *p, size_t k, uint32_t m1,
                            uint32_t m2) {
  const bool given = p->compute_zero_length != 1;
  return (SofaSpring){
      .m1 = m1, .m2 = m2, .length = given ? sofa_spring_entry(&p->zero_length, k, 0) : -1};
}

static SofaSpringSpace space_of(const PolynomialSpringsForceField *p) {
  SofaSpringSpace space = sofa_spring_space(p->force_field.state[0]);
  space.sums = &p->sums;
  return space;
}

static SofaErr make_room(PolynomialSpringsForceField *p) {
  SOFA_TRY(sofa_spring_sums_make(&p->springs, space_of(p), p->force_field.state, &p->sums));
  return SOFA_RESIZE(p->force_field.object.ctx, &p->tangents,
                     sofa_spring_kept(p->springs.n, space_of(p)));
}

/* Springs that have the points of before keep a length that was found. */
static SofaErr make_springs(PolynomialSpringsForceField *p) {
  const SofaObject *object = &p->force_field.object;
  SofaState *const *state = p->force_field.state;
  const size_t n_before = p->springs.n;
  const size_t n1 = p->points1.n ? p->points1.n : sofa_state_size(state[0]);
  const size_t n2 = p->points2.n ? p->points2.n : sofa_state_size(state[1]);
  if (n1 > n2)
    return sofa_field_fail(object, "firstObjectPoints", SOFA_ERR_ARGUMENT,
                           "%zu first points, but only %zu second ones", n1, n2);
  SOFA_TRY(check_lengths(p, n1));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &p->springs, n1));
  for (size_t k = 0; k < n1; k++) {
    SofaSpring *s = &p->springs.data[k];
    uint32_t m1, m2;
    SOFA_TRY(point_of(p, 0, k, &m1));
    SOFA_TRY(point_of(p, 1, k, &m2));
    const bool known = k < n_before && s->m1 == m1 && s->m2 == m2 && p->compute_zero_length == 1;
    const double length = s->length;
    *s = spring_of(p, k, m1, m2);
    if (known) s->length = length;
  }
  return make_room(p);
}

static SofaErr polynomial_springs_bwd_init(SofaObject *object) {
  PolynomialSpringsForceField *p = (PolynomialSpringsForceField *)object;
  SOFA_TRY(sofa_polynomials_init(&p->polynomials, object));
  return make_springs(p);
}

/* After topological changes the lists are not those of the springs. */
static SofaErr polynomial_springs_reinit(SofaObject *object) {
  PolynomialSpringsForceField *p = (PolynomialSpringsForceField *)object;
  SOFA_TRY(sofa_polynomials_init(&p->polynomials, object));
  return p->polynomials.moved ? SOFA_OK : make_springs(p);
}

static void polynomial_springs_destroy(SofaObject *object) {
  PolynomialSpringsForceField *p = (PolynomialSpringsForceField *)object;
  sofa_polynomials_free(&p->polynomials, object->ctx);
  sofa_list_free(object->ctx, &p->springs);
  sofa_list_free(object->ctx, &p->tangents);
  sofa_list_free(object->ctx, &p->came);
  sofa_element_sums_free(object->ctx, &p->sums);
  sofa_edge_assembly_free(object->ctx, &p->edges);
}

/* ---- topological changes ---- */

/* Where all points are joined with those of the same number, so are those that come; their spring
 * has the first of the polynomials and lengths. */
static SofaErr join_new(PolynomialSpringsForceField *p) {
  SofaContext *ctx = p->force_field.object.ctx;
  const bool each = p->polynomials.degrees.n > 1;
  uint32_t point;
  while (sofa_change_next_new(&p->came, sofa_state_size(p->force_field.state[1]), &point)) {
    const SofaSpring spring = spring_of(p, 0, point, point);
    SOFA_TRY(SOFA_APPEND(ctx, &p->springs, &spring));
    if (!each) continue;
    SOFA_TRY(SOFA_APPEND(ctx, &p->polynomials.degrees, &p->polynomials.degrees.data[0]));
    SOFA_TRY(SOFA_APPEND(ctx, &p->polynomials.start, &p->polynomials.start.data[0]));
  }
  return make_room(p);
}

static SofaErr polynomial_springs_listen(SofaObject *object, const SofaTopologyChange *change) {
  PolynomialSpringsForceField *p = (PolynomialSpringsForceField *)object;
  SofaState *const *state = p->force_field.state;
  const SofaColumn columns[] = {
      {&p->springs, sizeof *p->springs.data, 2, {state[0], state[1]}},
      SOFA_POLYNOMIAL_COLUMNS(&p->polynomials),
  };
  sofa_field_touch_name(object, "polynomialDegree");
  if (change->kind == SOFA_CHANGE_DONE) return join_new(p);
  sofa_polynomials_of_springs(&p->polynomials, p->springs.n);
  sofa_change_rows(change, columns, p->polynomials.degrees.n > 1 ? 3 : 1, false);
  if (p->points1.n || p->points2.n) return SOFA_OK;
  return sofa_change_note_new(change, object->ctx, state[0], &p->came);
}

static const SofaTopologyListenerOps listener = {.listen = polynomial_springs_listen};

/* ---- forces ---- */

/* The length of spring k at x is the one at rest. */
static SofaErr take_length(PolynomialSpringsForceField *p, size_t k, const double *const *x) {
  SofaSpring *s = &p->springs.data[k];
  double u[3];
  sofa_vec3_sub(x[1] + 3 * (size_t)s->m2, x[0] + 3 * (size_t)s->m1, u);
  s->length = sofa_vec3_norm(u);
  if (s->length > 0) return SOFA_OK;
  if (!p->force_field.object.ctx->keep_going)
    return sofa_object_fail(&p->force_field.object, SOFA_ERR_GEOMETRY,
                            "spring %zu: the points %u and %u coincide, so that there is no rest "
                            "length",
                            k, s->m1, s->m2);
  sofa_object_message(&p->force_field.object, SOFA_WARNING,
                      "spring %zu does not act: the points %u and %u coincide", k, s->m1, s->m2);
  return SOFA_OK;
}

static SofaErr polynomial_springs_add_force(SofaForceField *ff, const SofaMechParams *params,
                                            const SofaPoint *at, double *const *f) {
  (void)params;
  PolynomialSpringsForceField *p = (PolynomialSpringsForceField *)ff;
  const SofaTension tension = {.polynomials = sofa_polynomial_table(&p->polynomials, p->springs.n),
                               .compressible = p->compressible,
                               .idle_tangent = sofa_quirk(&ff->object, QUIRK_POLYNOMIAL_TANGENT)};
  for (size_t k = 0; k < p->springs.n; k++)
    if (p->springs.data[k].length < 0) SOFA_TRY(take_length(p, k, at->x));
  sofa_springs_tension(&p->springs, space_of(p), &tension, at->x, f, p->tangents.data);
  return SOFA_OK;
}

static SofaErr polynomial_springs_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                             const SofaPoint *at, const double *const *dx,
                                             double *const *df) {
  (void)at;
  const PolynomialSpringsForceField *p = (PolynomialSpringsForceField *)ff;
  const SofaSpringFactors by = {.k = sofa_kfactor(ff, params)};
  sofa_springs_dforce(&p->springs, space_of(p), by, dx, df, p->tangents.data);
  return SOFA_OK;
}

static SofaErr polynomial_springs_add_k(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  PolynomialSpringsForceField *p = (PolynomialSpringsForceField *)ff;
  SofaSpringSpace space = space_of(p);
  space.edges = &p->edges;
  return sofa_springs_add_k(&p->springs, space, sofa_springs_only_state(ff), false, tangent,
                            p->tangents.data);
}

static SofaErr polynomial_springs_energy(SofaForceField *ff, const SofaMechParams *params,
                                         const SofaPoint *at, double *energy) {
  (void)params;
  const PolynomialSpringsForceField *p = (PolynomialSpringsForceField *)ff;
  *energy = 0;
  for (size_t k = 0; k < p->springs.n; k++) {
    const SofaSpring *s = &p->springs.data[k];
    double u[3];
    sofa_vec3_sub(at->x[1] + 3 * (size_t)s->m2, at->x[0] + 3 * (size_t)s->m1, u);
    const double l = sofa_vec3_norm(u);
    if (!(s->length > 0) || (l < s->length && !p->compressible)) continue;
    *energy +=
        s->length * sofa_polynomial_integral(&p->polynomials,
                                             sofa_polynomial_of(&p->polynomials, k, p->springs.n),
                                             fabs(l - s->length) / s->length);
  }
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = polynomial_springs_add_force,
    .add_dforce = polynomial_springs_add_dforce,
    .add_k = polynomial_springs_add_k,
    .potential_energy = polynomial_springs_energy,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const PolynomialSpringsForceField *f = (const PolynomialSpringsForceField *)object;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)f->force_field.state)) return;
  SofaState *const *state = f->force_field.state;
  for (size_t k = 0; k < f->springs.n && state[1]; k++) {
    const SofaSpring *s = &f->springs.data[k];
    double a[3], b[3];
    if (s->m1 >= state[0]->position.n || s->m2 >= state[1]->position.n) continue;
    sofa_state_point(state[0], s->m1, a);
    sofa_state_point(state[1], s->m2, b);
    sofa_spring_draw(args->list, a, b, f->draw_mode, f->arrow_size, sofa_rgba(&f->color));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_LIST(PolynomialSpringsForceField, springs),
    SOFA_KEEP_LIST(PolynomialSpringsForceField, came),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PolynomialSpringsForceField, tangents),
};

SOFA_CLASS(PolynomialSpringsForceField) = {
    SOFA_NAMED(PolynomialSpringsForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Springs between points of one state or of two whose tension is a polynomial of the "
            "strain.",
    .equations =
        "f_1 = s P(e) u, f_2 = -f_1, s = 1 if l >= L, else s = 0 or, with compressible, s = -1\n"
        "e = |l - L|/L, P(e) = a_1 e + a_2 e^2 + dots\n"
        "\"u: direction from the first point to the second, l: length, L: length at rest\"",
    .base = &sofa_interaction_force_field_class,
    SOFA_KEEPS(kept),
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = polynomial_springs_bwd_init,
    .reinit = polynomial_springs_reinit,
    .destroy = polynomial_springs_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
