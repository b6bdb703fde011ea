/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TaitSurfacePressureForceField: the pressure of a fluid in a closed surface, by Tait's equation.
 */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/mechanicalload/face_matrix.h"
#include "math/kernels.h"
#include "numerics/fem/face_kernels.h"
#include "object/event.h"
#include "object/checkpoint.h"

typedef struct TaitSurfacePressureForceField {
  SofaForceField force_field;
  double p0, b, gamma;              /* Pa, Pa, 1 */
  double injected_volume, max_rate; /* m^3, m^3/s */
  double initial_volume, current_injected, v0, volume, pressure, stiffness;
  SofaTriangles triangles; /* the surface */
  double initial_area, area;
  double draw_scale;
  SofaColor draw_color;
  double volume_after, area_after;
  SofaLink topology;
  SofaVec3s gradient;   /* dV/dx_i of the last add_force, m^2 */
  SofaReals edges;      /* face_kept of the last add_force */
  SofaReals measures;   /* face_measures of the last add_force */
  SofaElementSums sums; /* of the triangles */
  FaceMatrix matrix;    /* of the triangles */
} TaitSurfacePressureForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef TaitSurfacePressureForceField SofaSelf; /* of SOFA_ROW */
#define OUTPUT .flags = SOFA_FIELD_OUTPUT

static const SofaField fields[] = {
    SOFA_ROW(p0, "p0", "0", "Pa", "pressure at the volume v0"),
    SOFA_ROW(b, "B", "0", "Pa", "bulk modulus over gamma; 0: the pressure is p0"),
    SOFA_ROW(gamma, "gamma", "0", "1", "exponent; 0: the pressure is p0"),
    SOFA_ROW(injected_volume, "injectedVolume", "0", "m^3", "volume to inject"),
    SOFA_ROW(max_rate, "maxInjectionRate", "1000", "m^3/s", "largest injection rate",
             .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_CLAMP),
    SOFA_ROW(initial_volume, "initialVolume", "0", "m^3", "volume at rest", OUTPUT),
    SOFA_ROW(current_injected, "currentInjectedVolume", "0", "m^3", "volume injected so far",
             OUTPUT),
    SOFA_ROW(v0, "v0", "0", "m^3", "initialVolume + currentInjectedVolume", OUTPUT),
    SOFA_ROW(volume, "currentVolume", "0", "m^3", "volume in the surface at the last evaluation",
             OUTPUT),
    SOFA_ROW(pressure, "currentPressure", "0", "Pa", "pressure at the last evaluation", OUTPUT),
    SOFA_ROW(stiffness, "currentStiffness", "0", "Pa/m^3", "dP/dV at the last evaluation", OUTPUT),
    SOFA_ROW(triangles, "pressureTriangles", NULL, "",
             "the surface: all triangles of the topology and its quads split in two", OUTPUT),
    SOFA_ROW(initial_area, "initialSurfaceArea", "0", "m^2", "area at rest", OUTPUT),
    SOFA_ROW(area, "currentSurfaceArea", "0", "m^2", "area of the surface at the last evaluation",
             OUTPUT),
    SOFA_ROW(draw_scale, "drawForceScale", "0.001", "1", "length of drawn forces",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(draw_color, "drawForceColor", "0 1 1 1", "", "colour of drawn forces",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(volume_after, "volumeAfterTC", "0", "m^3", "volume after a topological change",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(area_after, "surfaceAreaAfterTC", "0", "m^2", "area after a topological change",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(topology, "topology", NULL, "", "topology of the surface", .link = &topology_rule),
};

static TaitSurfacePressureForceField *self(SofaForceField *ff) {
  return (TaitSurfacePressureForceField *)ff;
}

/* ---- geometry ---- */

/* The mean of n points: sums of every eighth one, then their sum. */
static void mean_of(const SofaFaceKernels *kernels, const double *x, size_t n, double *mean) {
  enum { REALS = 3 * SOFA_LANES };
  double sums[REALS];
  kernels->sum(x, 3 * n, REALS, sums);
  sofa_vec3_set(mean, 0, 0, 0);
  for (size_t k = 0; k < REALS; k += 3) sofa_vec3_axpy(1 / (double)n, sums + k, mean);
}

/* Volume of the surface relative to the mean of all points, and its area. Unless gradient is NULL,
 * adds dV/dx to it and sets what is kept of the edges. */
static double surface_volume(const TaitSurfacePressureForceField *t, const double *x,
                             double *gradient, double *area) {
  const SofaForceField *ff = &t->force_field;
  double mean[3];
  mean_of(sofa_face_kernels(ff->object.ctx), x, load_n_points(ff), mean);
  const FaceSurface surface = {.x = x,
                               .origin = mean,
                               .f = gradient,
                               .kept = gradient ? face_rows(&t->edges) : NULL,
                               .measures = t->measures.n ? t->measures.data : NULL};
  return face_add_surface(ff, (FaceSums){&t->triangles, &t->sums}, 1.0 / 6, &surface, area);
}

static SofaErr add_triangle(TaitSurfacePressureForceField *t, uint32_t a, uint32_t b, uint32_t c) {
  const SofaTriangle triangle = {{a, b, c}};
  const size_t n = load_n_points(&t->force_field);
  if (a >= n || b >= n || c >= n)
    return sofa_object_fail(&t->force_field.object, SOFA_ERR_RANGE,
                            "triangle %u %u %u: the state has %zu points only", a, b, c, n);
  return SOFA_APPEND(t->force_field.object.ctx, &t->triangles, &triangle);
}

static SofaErr make_surface(TaitSurfacePressureForceField *t) {
  SofaObject *object = &t->force_field.object;
  SofaTopology *topology = (SofaTopology *)t->topology.target;
  if (!topology) return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in context");
  const SofaTriangles *triangles = sofa_topology_triangles(topology);
  const SofaQuads *quads = sofa_topology_quads(topology);
  t->triangles.n = 0;
  SOFA_TRY(SOFA_RESERVE(object->ctx, &t->triangles, triangles->n + 2 * quads->n));
  for (size_t k = 0; k < triangles->n; k++) {
    const uint32_t *v = triangles->data[k].v;
    SOFA_TRY(add_triangle(t, v[0], v[1], v[2]));
  }
  for (size_t k = 0; k < quads->n; k++) {
    const uint32_t *v = quads->data[k].v;
    SOFA_TRY(add_triangle(t, v[0], v[1], v[2]));
    SOFA_TRY(add_triangle(t, v[2], v[3], v[0]));
  }
  return SOFA_OK;
}

/* ---- life ---- */

static SofaErr tait_init(SofaObject *object) {
  TaitSurfacePressureForceField *t = (TaitSurfacePressureForceField *)object;
  const SofaErr err = make_surface(t);
  if (err != SOFA_OK) {
    t->triangles.n = 0;
    return err;
  }
  t->initial_volume = surface_volume(t, load_rest(&t->force_field), NULL, &t->initial_area);
  t->v0 = t->initial_volume + t->current_injected;
  t->volume = surface_volume(t, t->force_field.state[0]->position.data, NULL, &t->area);
  static const char *const names[] = {"initialVolume",      "v0",
                                      "currentVolume",      "pressureTriangles",
                                      "initialSurfaceArea", "currentSurfaceArea"};
  for (size_t i = 0; i < SOFA_COUNT(names); i++) sofa_field_touch_name(object, names[i]);
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->edges, face_kept(t->triangles.n)));
  SOFA_TRY(face_sums_make(&t->force_field, &t->triangles, &t->sums));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->measures, face_measures(&t->sums, t->triangles.n)));
  return SOFA_RESIZE(object->ctx, &t->gradient, load_n_points(&t->force_field));
}

static SofaErr tait_reset(SofaObject *object) {
  TaitSurfacePressureForceField *t = (TaitSurfacePressureForceField *)object;
  t->current_injected = 0;
  t->v0 = t->initial_volume;
  return SOFA_OK;
}

/* At the start of a step the injected volume moves towards its target. */
static SofaErr tait_event(SofaObject *object, const SofaEvent *event) {
  TaitSurfacePressureForceField *t = (TaitSurfacePressureForceField *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN) return SOFA_OK;
  const double most = t->max_rate * event->dt, missing = t->injected_volume - t->current_injected;
  t->current_injected += fmax(-most, fmin(most, missing));
  if (fabs(missing) <= most) t->current_injected = t->injected_volume;
  t->v0 = t->initial_volume + t->current_injected;
  return SOFA_OK;
}

static void tait_destroy(SofaObject *object) {
  TaitSurfacePressureForceField *t = (TaitSurfacePressureForceField *)object;
  sofa_list_free(object->ctx, &t->gradient);
  sofa_list_free(object->ctx, &t->edges);
  sofa_list_free(object->ctx, &t->measures);
  sofa_element_sums_free(object->ctx, &t->sums);
  face_matrix_free(object->ctx, &t->matrix);
}

/* ---- operations ---- */

/* P = p0 - B ((V / V0)^gamma - 1) and dP/dV */
static void state_equation(TaitSurfacePressureForceField *t) {
  t->pressure = t->p0;
  t->stiffness = 0;
  if (t->b == 0 || t->gamma == 0 || t->v0 == 0) return;
  if (t->gamma == 1) {
    t->pressure = t->p0 - t->b * (t->volume / t->v0 - 1);
    t->stiffness = -t->b / t->v0;
    return;
  }
  const double power = pow(t->volume / t->v0, t->gamma);
  t->pressure = t->p0 - t->b * (power - 1);
  t->stiffness = -t->b * t->gamma * power / t->volume;
}

static SofaErr tait_add_force(SofaForceField *ff, const SofaMechParams *params,
                              const SofaPoint *point, double *const *f) {
  (void)params;
  TaitSurfacePressureForceField *t = self(ff);
  double *gradient = t->gradient.n ? t->gradient.data->v : NULL;
  sofa_zero(gradient, t->gradient.n * sizeof *t->gradient.data);
  t->volume = surface_volume(t, point->x[0], gradient, &t->area);
  state_equation(t);
  ff->object.ctx->kernels->axpy(3 * t->gradient.n, t->pressure, gradient, f[0]);
  return SOFA_OK;
}

/* df_i += k (dP/dV (grad V . dx) grad V_i + P dgrad V_i) */
static SofaErr tait_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const double *const *moves, double *const *df) {
  (void)at;
  const TaitSurfacePressureForceField *t = self(ff);
  const SofaKernels *kernels = ff->object.ctx->kernels;
  const double *dx = moves[0], k = sofa_kfactor(ff, params);
  const double *gradient = t->gradient.n ? t->gradient.data->v : NULL;
  const size_t n = 3 * t->gradient.n;
  kernels->axpy(n, k * t->stiffness * kernels->dot(n, gradient, dx), gradient, df[0]);
  face_add_products(ff, (FaceSums){&t->triangles, &t->sums}, face_rows(&t->edges), k * t->pressure,
                    dx, df[0]);
  return SOFA_OK;
}

/* The fluid couples all points of the surface: a dense matrix. */
static void add_fluid(const TaitSurfacePressureForceField *t, const SofaTangent *tangent) {
  const uint32_t n = (uint32_t)t->gradient.n;
  if (t->stiffness == 0) return;
  for (uint32_t i = 0; i < n; i++) {
    if (!(sofa_vec3_norm2(t->gradient.data[i].v) > 0)) continue;
    for (uint32_t j = 0; j < n; j++) {
      double block[9], scaled[3];
      if (!(sofa_vec3_norm2(t->gradient.data[j].v) > 0)) continue;
      sofa_vec3_scale(t->stiffness, t->gradient.data[i].v, scaled);
      sofa_mat3_outer(scaled, t->gradient.data[j].v, block);
      sofa_tangent_add(tangent, 0, i, 0, j, block);
    }
  }
}

static SofaErr tait_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const SofaTangent *tangent) {
  (void)params, (void)at;
  TaitSurfacePressureForceField *t = self(ff);
  add_fluid(t, tangent);
  return face_matrix_add(ff, &t->matrix, &t->triangles,
                         (FaceTangent){face_rows(&t->edges), t->pressure, tangent});
}

/* -integral of P dV from V0 on. */
static SofaErr tait_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                           double *energy) {
  (void)params;
  const TaitSurfacePressureForceField *t = self(ff);
  double area;
  const double volume = surface_volume(t, at->x[0], NULL, &area), change = volume - t->v0;
  *energy = -t->p0 * change;
  if (t->b == 0 || t->gamma == 0 || t->v0 == 0) return SOFA_OK;
  const double g = t->gamma + 1, ratio = volume / t->v0;
  const double integral = g == 0 ? log(ratio) : (pow(ratio, g) - 1) / g;
  *energy += t->b * (integral * t->v0 - change);
  return SOFA_OK;
}

static bool is_closed(const SofaForceField *ff) {
  const TaitSurfacePressureForceField *t = (const TaitSurfacePressureForceField *)ff;
  return face_open_edges(FACES(&t->triangles)) == 0;
}

static const SofaTopologyListenerOps listener = {.done = tait_init};

/* products stay matrix-free: the matrix is dense */
static const SofaForceFieldOps ops = {
    .add_force = tait_add_force,
    .add_dforce = tait_add_dforce,
    .add_k = tait_add_k,
    .potential_energy = tait_energy,
    .conservative = is_closed,
    .keeps_point = true,
};

/* An arrow of the pressure at each vertex of the surface. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const TaitSurfacePressureForceField *t = (const TaitSurfacePressureForceField *)object;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)t->force_field.state)) return;
  face_draw_pressure(&t->force_field, args, &t->triangles, t->pressure, t->draw_scale,
                     sofa_rgba(&t->draw_color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(TaitSurfacePressureForceField, edges),
    SOFA_REMADE(TaitSurfacePressureForceField, gradient),
};

SOFA_CLASS(TaitSurfacePressureForceField) = {
    SOFA_NAMED(TaitSurfacePressureForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "The pressure of a compressible fluid in a closed surface, P = p0 - B ((V / v0)^gamma "
            "- 1). Volume can be injected over time.",
    .equations = "p = p_0 - B ((V/v_0)^gamma - 1)",
    .base = &sofa_force_field_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = templates,
    .listening = true,
    .init = tait_init,
    .reset = tait_reset,
    .handle_event = tait_event,
    .destroy = tait_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
