/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PolynomialRestShapeSpringsForceField: polynomial springs that pull points to where they rest. */
#include <math.h>
#include "behavior/draw_state.h"
#include "behavior/state_division.h"
#include "components/solidmechanics/spring/polynomial.h"
#include "components/solidmechanics/spring/rest_points.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/vec.h"
#include "numerics/fem/held_kernels.h"
#include "object/checkpoint.h"

static const SofaQuirk quirks[] = {
    QUIRK_POLYNOMIAL_TANGENT_ROW,
};

/* With dx = x - X, r = |dx|, E = exp(shift - scale r^2), w = dx / sqrt(r^2 + E): f = -P(r / L) w.
 */
typedef struct PolynomialRestShapeSpringsForceField {
  SofaForceField force_field;
  SofaRestPoints rest;
  SofaPolynomials polynomials;
  SofaReals length;
  double shift, scale;
  bool draw_spring;
  SofaColor color;
  double indices_scale;
  /* state */
  bool diagonal;      /* quirk: the tangent is the diagonal one */
  SofaReals tangents; /* of the last force, see numerics/fem/held_kernels.h */
} PolynomialRestShapeSpringsForceField;

typedef PolynomialRestShapeSpringsForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_REST_POINTS_ROWS(PolynomialRestShapeSpringsForceField, "0"),
    SOFA_POLYNOMIAL_ROWS(PolynomialRestShapeSpringsForceField),
    SOFA_ROW(length, "initialLength", NULL, "m",
             "length that the strain of each spring refers to; the first value where the list is "
             "shorter; empty: 1",
             .range = SOFA_ABOVE(0)),
    SOFA_ROW(shift, "smoothShift", "0", "",
             "the direction is dx / sqrt(|dx|^2 + exp(smoothShift - smoothScale |dx|^2))"),
    SOFA_ROW(scale, "smoothScale", "1", "1/m^2", "see smoothShift"),
    SOFA_ROW(draw_spring, "drawSpring", "0", "", "draw the springs", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(color, "springColor", "0 1 0 1", "", "colour of drawn springs",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(indices_scale, "showIndicesScale", "1", "", "size of drawn numbers",
             .flags = SOFA_FIELD_DISPLAY),
};

/* Reals that are kept of n springs. */
static size_t kept_of(size_t n) {
  return (n + SOFA_LANES - 1) / SOFA_LANES * SOFA_LANES * SOFA_HELD_ROWS;
}

static SofaErr make_room(PolynomialRestShapeSpringsForceField *p) {
  return SOFA_RESIZE(p->force_field.object.ctx, &p->tangents, kept_of(p->rest.held.n));
}

static SofaErr polynomial_rest_bwd_init(SofaObject *object) {
  PolynomialRestShapeSpringsForceField *p = (PolynomialRestShapeSpringsForceField *)object;
  SOFA_TRY(sofa_polynomials_init(&p->polynomials, object));
  if ((p->polynomials.degrees.n > 1 || p->length.n > 1) &&
      sofa_state_division(p->force_field.state[0]))
    return sofa_object_undivided(object, "several polynomials or lengths on a mesh that is "
                                         "divided among processes");
  SOFA_TRY(sofa_rest_points_find(&p->rest, &p->force_field, false));
  p->diagonal = sofa_quirk(object, QUIRK_POLYNOMIAL_TANGENT);
  return make_room(p);
}

static SofaErr polynomial_rest_reinit(SofaObject *object) {
  PolynomialRestShapeSpringsForceField *p = (PolynomialRestShapeSpringsForceField *)object;
  SOFA_TRY(sofa_polynomials_init(&p->polynomials, object));
  SOFA_TRY(sofa_rest_points_find(&p->rest, &p->force_field, false));
  return make_room(p);
}

static void polynomial_rest_destroy(SofaObject *object) {
  PolynomialRestShapeSpringsForceField *p = (PolynomialRestShapeSpringsForceField *)object;
  sofa_rest_points_free(&p->rest, object->ctx);
  sofa_polynomials_free(&p->polynomials, object->ctx);
  sofa_list_free(object->ctx, &p->tangents);
}

/* ---- topological changes ---- */

static SofaErr polynomial_rest_listen(SofaObject *object, const SofaTopologyChange *change) {
  PolynomialRestShapeSpringsForceField *p = (PolynomialRestShapeSpringsForceField *)object;
  const SofaColumn columns[] = {{.list = &p->length, .size = sizeof *p->length.data},
                                SOFA_POLYNOMIAL_COLUMNS(&p->polynomials)};
  if (change->kind != SOFA_CHANGE_DONE)
    sofa_polynomials_of_springs(&p->polynomials, p->rest.held.n);
  sofa_field_touch_name(object, "polynomialDegree");
  sofa_field_touch_name(object, "initialLength");
  SOFA_TRY(sofa_rest_points_listen(&p->rest, &p->force_field, change, columns, 3));
  return change->kind == SOFA_CHANGE_DONE ? make_room(p) : SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = polynomial_rest_listen};

/* ---- forces ---- */

static SofaHeldPoints held_points(const PolynomialRestShapeSpringsForceField *p) {
  static const double one = 1;
  const size_t n = p->rest.held.n;
  return (SofaHeldPoints){
      .held = p->rest.held.data,
      .at = p->rest.at.data,
      .n = n,
      .places = sofa_rest_points_target(&p->rest, &p->force_field),
      .polynomials = sofa_polynomial_table(&p->polynomials, n),
      .lengths = p->length.n ? p->length.data : &one,
      .n_lengths = p->length.n ? p->length.n : 1,
      .shift = p->shift,
      .scale = p->scale,
      .diagonal = p->diagonal,
  };
}

static SofaErr polynomial_rest_add_force(SofaForceField *ff, const SofaMechParams *params,
                                         const SofaPoint *at, double *const *f) {
  (void)params;
  PolynomialRestShapeSpringsForceField *p = (PolynomialRestShapeSpringsForceField *)ff;
  SOFA_TRY(sofa_rest_points_update(&p->rest, ff, false));
  if (p->tangents.n != kept_of(p->rest.held.n)) SOFA_TRY(make_room(p));
  const SofaHeldPoints points = held_points(p);
  sofa_held_kernels(ff->object.ctx)->force(&points, at->x[0], f[0], p->tangents.data);
  return SOFA_OK;
}

static SofaErr polynomial_rest_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                          const SofaPoint *at, const double *const *dx,
                                          double *const *df) {
  (void)at;
  const PolynomialRestShapeSpringsForceField *p = (PolynomialRestShapeSpringsForceField *)ff;
  const SofaHeldPoints points = held_points(p);
  sofa_held_kernels(ff->object.ctx)
      ->product(&points, sofa_kfactor(ff, params), p->tangents.data, dx[0], df[0]);
  return SOFA_OK;
}

/* -T of spring k. */
static void block_of(const PolynomialRestShapeSpringsForceField *p, size_t k, double *block) {
  const double *kept =
      p->tangents.data + k / SOFA_LANES * SOFA_LANES * SOFA_HELD_ROWS + k % SOFA_LANES;
  const double x = kept[2 * SOFA_LANES], y = kept[3 * SOFA_LANES], z = kept[4 * SOFA_LANES];
  const double along = kept[0], across = kept[SOFA_LANES], off = p->diagonal ? 0 : along;
  const double xy = -off * x * y, xz = -off * x * z, yz = -off * y * z;
  sofa_vec3_set(block, -along * x * x - across, xy, xz);
  sofa_vec3_set(block + 3, xy, -along * y * y - across, yz);
  sofa_vec3_set(block + 6, xz, yz, -along * z * z - across);
}

static SofaErr polynomial_rest_add_k(SofaForceField *ff, const SofaMechParams *params,
                                     const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  const PolynomialRestShapeSpringsForceField *p = (PolynomialRestShapeSpringsForceField *)ff;
  for (size_t k = 0; k < p->rest.held.n; k++) {
    const uint32_t i = p->rest.held.data[k];
    double block[9];
    block_of(p, k, block);
    sofa_tangent_add(tangent, 0, i, 0, i, block);
  }
  return SOFA_OK;
}

/* The integral of P(s / L) s / sqrt(s^2 + E(s)) from 0 to r: Gauss's rule of 5 points on panels
 * that resolve the smoothing. */
static double spring_energy(const PolynomialRestShapeSpringsForceField *p, size_t k, double r) {
  static const double node[3] = {0, 0.53846931010568309, 0.90617984593866399};
  static const double weight[3] = {0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
  enum { PANELS = 64 };
  const size_t i = sofa_polynomial_of(&p->polynomials, k, p->rest.held.n);
  const double length = sofa_spring_entry(&p->length, k, 1), half = r / PANELS / 2;
  double sum = 0;
  for (int panel = 0; panel < PANELS; panel++)
    for (int g = -2; g <= 2; g++) {
      const double s = half * (2 * panel + 1 + (g < 0 ? -node[-g] : node[g]));
      const double den = sqrt(s * s + exp(p->shift - p->scale * s * s));
      const double value = sofa_polynomial_value(&p->polynomials, i, s / length);
      if (den > 0) sum += half * weight[g < 0 ? -g : g] * value * s / den;
    }
  return sum;
}

static SofaErr polynomial_rest_energy(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at, double *energy) {
  (void)params;
  PolynomialRestShapeSpringsForceField *p = (PolynomialRestShapeSpringsForceField *)ff;
  SOFA_TRY(sofa_rest_points_update(&p->rest, ff, false));
  const double *target = sofa_rest_points_target(&p->rest, ff);
  const size_t owned = sofa_state_n_owned(ff->state[0]);
  *energy = 0;
  for (size_t k = 0; k < p->rest.held.n; k++) {
    if (p->rest.held.data[k] >= owned) continue;
    double d[3];
    sofa_vec3_sub(at->x[0] + 3 * (size_t)p->rest.held.data[k],
                  target + 3 * (size_t)p->rest.at.data[k], d);
    *energy += spring_energy(p, k, sofa_vec3_norm(d));
  }
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = polynomial_rest_add_force,
    .add_dforce = polynomial_rest_add_dforce,
    .add_k = polynomial_rest_add_k,
    .potential_energy = polynomial_rest_energy,
    .own_points = true,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const PolynomialRestShapeSpringsForceField *p =
      (const PolynomialRestShapeSpringsForceField *)object;
  if (p->draw_spring) sofa_rest_points_draw(&p->rest, &p->force_field, args, sofa_rgba(&p->color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PolynomialRestShapeSpringsForceField, tangents),
};

SOFA_CLASS(PolynomialRestShapeSpringsForceField) = {
    SOFA_NAMED(PolynomialRestShapeSpringsForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "ForceField",
    .help = "Springs that pull points to their rest positions, or to the positions of another "
            "state, by polynomials of the strain.",
    .equations = "d = x_i - y_i, r = |d|, q = sqrt(r^2 + exp(s - a r^2))\n"
                 "f_i = -P(r/L) d/q, P(e) = a_1 e + a_2 e^2 + dots\n"
                 "\"y_i: place where point i rests, L: initialLength, s: smoothShift, a: "
                 "smoothScale, a_1, a_2: polynomialStiffness\"",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = polynomial_rest_bwd_init,
    .reinit = polynomial_rest_reinit,
    .destroy = polynomial_rest_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
