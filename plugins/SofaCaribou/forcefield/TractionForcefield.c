/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TractionForcefield: a dead load on surfaces, applied at once or in increments. */
#include <math.h>

#include "math/vec.h"
#include "object/checkpoint.h"
#include "topology/elements.h"

static const SofaQuirk quirks[] = {
    QUIRK_CARIBOU_REST_ROW,
};

typedef struct TractionForcefield {
  SofaForceField force_field;
  SofaLink topology;
  SofaReals traction; /* Pa, per area at rest; one per coordinate of the state */
  double pressure;    /* Pa, per area at rest, against the normals at rest */
  double slope;
  uint32_t wait; /* steps per increment */
  double draw_scale;
  SofaVec3s nodal_forces; /* N; output */
  double total_load;      /* N; output: sum of the norms of the increments */
  const SofaField *forces_field, *load_field;
  unsigned dim;           /* of the state: 2 or 3; forces in two have no z */
  SofaReals share;        /* m^2 at rest per point */
  SofaVec3s normals;      /* m^2, the same times the normals of the faces */
  CaribouCorners corners; /* of the faces, for drawing */
  double current[3];      /* traction applied, Pa */
  uint64_t steps;         /* since the start */
} TractionForcefield;

typedef TractionForcefield SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(topology, "topology", NULL, "",
             "CaribouTopology or topology with the surface; default: the one of this node",
             .link = &caribou_topology_rule),
    SOFA_ROW(
        traction, "traction", "0 0 0", "Pa",
        "force per area at rest, two numbers for elements in two dimensions; its direction and "
        "the area do not follow the motion",
        .range = SOFA_FINITE),
    SOFA_ROW(pressure, "pressure", "0", "Pa",
             "force per area at rest against the normals of the faces at rest, which does not "
             "follow the motion; all from the start (addition of csofa)",
             .range = SOFA_FINITE),
    SOFA_ROW(slope, "slope", "0", "1",
             "fraction of the traction that is added at each increment; 0: all from the start",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(wait, "number_of_steps_before_increment", "1", "1",
             "an increment is added every so many time steps; the first one at the first step",
             .range = SOFA_AT_LEAST(1)),
    SOFA_ROW(draw_scale, "draw_scale", "0.85", "1", "size of drawn faces",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(nodal_forces, "nodal_forces", NULL, "N", "forces on the points of the state",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(total_load, "total_load", "0", "N", "sum of the norms of all increments of the load",
             .flags = SOFA_FIELD_OUTPUT),
};

/* ---- loads ---- */

/* The whole traction, Pa. */
static void traction_of(const TractionForcefield *t, double *out) {
  for (size_t k = 0; k < 3; k++) out[k] = k < t->dim && k < t->traction.n ? t->traction.data[k] : 0;
}

/* Adds to the load. */
static void increment(TractionForcefield *t, const double *traction) {
  double sum[3] = {0};
  for (size_t i = 0; i < t->share.n; i++) {
    double force[3];
    sofa_vec3_scale(t->share.data[i], traction, force);
    sofa_vec3_add(t->nodal_forces.data[i].v, force, t->nodal_forces.data[i].v);
    sofa_vec3_add(sum, force, sum);
  }
  sofa_vec3_add(t->current, traction, t->current);
  t->total_load += sofa_vec3_norm(sum);
  sofa_field_touch(&t->force_field.object, t->forces_field);
  sofa_field_touch(&t->force_field.object, t->load_field);
}

static void add_pressure(TractionForcefield *t) {
  for (size_t i = 0; t->pressure != 0 && i < t->normals.n; i++)
    sofa_vec3_axpy(-t->pressure, t->normals.data[i].v, t->nodal_forces.data[i].v);
}

/* The load at the start: none, or all of it without a slope. */
static void start(TractionForcefield *t) {
  for (size_t i = 0; i < t->nodal_forces.n; i++) sofa_vec3_set(t->nodal_forces.data[i].v, 0, 0, 0);
  sofa_vec3_set(t->current, 0, 0, 0);
  t->total_load = 0;
  t->steps = 0;
  double all[3];
  traction_of(t, all);
  increment(t, t->slope > 0 ? t->current : all);
  add_pressure(t);
}

/* The normal of a face at a point of quadrature, as long as the measure. */
static void normal_at(const double *p, unsigned n_nodes, double (*d)[3], double normal[3]) {
  double along[2][3] = {{0}};
  for (unsigned n = 0; n < n_nodes; n++)
    for (int k = 0; k < 2; k++) sofa_vec3_axpy(d[n][k], p + 3 * n, along[k]);
  sofa_vec3_cross(along[0], along[1], normal);
}

/* What each point has of the area at rest. */
static SofaErr add_share(TractionForcefield *t, const SofaElementMesh *mesh, size_t e) {
  const unsigned n_nodes = sofa_shape_info(mesh->shape)->n_nodes;
  const uint32_t *v = mesh->vertices + n_nodes * e;
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  const size_t n_points = sofa_quadrature(mesh->shape, SOFA_RULE_FULL, rule);
  double p[3 * SOFA_SHAPE_MAX_NODES];
  sofa_zero(p, sizeof p);
  for (unsigned n = 0; n < n_nodes; n++)
    sofa_copy(p + 3 * n, mesh->rest + t->dim * (size_t)v[n], t->dim * sizeof *p);
  for (size_t q = 0; q < n_points; q++) {
    double shape[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3];
    double gradient[3 * SOFA_SHAPE_MAX_NODES];
    sofa_shape_functions(mesh->shape, rule[q].xi, shape, d);
    const double measure = sofa_shape_gradients(mesh->shape, 3, p, d, gradient);
    if (!(measure > 0) || !isfinite(measure))
      return sofa_object_fail(&t->force_field.object, SOFA_ERR_GEOMETRY,
                              "face %zu has no area at rest", e);
    double normal[3];
    normal_at(p, n_nodes, d, normal);
    for (unsigned n = 0; n < n_nodes; n++) {
      t->share.data[v[n]] += rule[q].weight * measure * shape[n];
      sofa_vec3_axpy(rule[q].weight * shape[n], normal, t->normals.data[v[n]].v);
    }
  }
  return SOFA_OK;
}

/* ---- lifecycle ---- */

static SofaErr check_fields(const TractionForcefield *t) {
  const SofaObject *object = &t->force_field.object;
  SOFA_TRY(caribou_check_state(object, t->force_field.state[0], t->dim));
  if (t->traction.n != t->dim && sofa_field_is_set(object, "traction"))
    return sofa_field_fail(object, "traction", SOFA_ERR_ARGUMENT, "%zu numbers, expected %u",
                           t->traction.n, t->dim);
  if (t->pressure != 0 && t->dim == 2)
    return sofa_field_fail(object, "pressure", SOFA_ERR_ARGUMENT,
                           "is for faces in space, the template is %s", object->template_name);
  if (t->pressure != 0 && t->slope > 0)
    return sofa_object_unsupported(object, "'pressure' with a slope");
  return SOFA_OK;
}

static SofaErr make_shares(TractionForcefield *t) {
  SofaObject *object = &t->force_field.object;
  SofaElementMesh mesh;
  SOFA_TRY(caribou_elements(&t->force_field, &t->topology, &mesh));
  const size_t n = sofa_state_size(t->force_field.state[0]);
  t->share.n = t->normals.n = t->nodal_forces.n = 0;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->share, n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->normals, n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->nodal_forces, n));
  for (size_t e = 0; e < mesh.n; e++) SOFA_TRY(add_share(t, &mesh, e));
  return caribou_corners(object->ctx, &mesh, &t->corners);
}

static SofaErr init(SofaObject *object) {
  TractionForcefield *t = (TractionForcefield *)object;
  t->forces_field = sofa_class_field(object->klass, "nodal_forces");
  t->load_field = sofa_class_field(object->klass, "total_load");
  t->dim = caribou_element(object->template_name)->dim;
  SOFA_TRY(check_fields(t));
  SOFA_TRY(make_shares(t));
  start(t);
  return SOFA_OK;
}

/* The current traction on the current faces. */
static SofaErr traction_done(SofaObject *object) {
  TractionForcefield *t = (TractionForcefield *)object;
  SOFA_TRY(make_shares(t));
  for (size_t i = 0; i < t->share.n; i++)
    sofa_vec3_scale(t->share.data[i], t->current, t->nodal_forces.data[i].v);
  add_pressure(t);
  sofa_field_touch(object, t->forces_field);
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.done = traction_done,
                                                 .can_listen = caribou_can_listen};

static SofaErr reset(SofaObject *object) {
  start((TractionForcefield *)object);
  return SOFA_OK;
}

/* One more increment when it is due; the last one is cut to what is missing. */
static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  TractionForcefield *t = (TractionForcefield *)object;
  double by[3], next[3], whole[3];
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !(t->slope > 0)) return SOFA_OK;
  traction_of(t, whole);
  const double all = sofa_vec3_norm(whole);
  if (sofa_vec3_norm(t->current) >= all || t->steps++ % t->wait) return SOFA_OK;
  sofa_vec3_scale(t->slope, whole, by);
  sofa_vec3_add(t->current, by, next);
  if (sofa_vec3_norm(next) > all) sofa_vec3_sub(whole, t->current, by);
  increment(t, by);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((TractionForcefield *)object)->share);
  sofa_list_free(object->ctx, &((TractionForcefield *)object)->normals);
  sofa_list_free(object->ctx, &((TractionForcefield *)object)->corners.list);
}

/* ---- operations ---- */

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         double *const *f) {
  const TractionForcefield *t = (const TractionForcefield *)ff;
  (void)params, (void)at;
  for (size_t i = 0; i < t->nodal_forces.n; i++)
    for (size_t k = 0; k < t->dim; k++) f[0][t->dim * i + k] += t->nodal_forces.data[i].v[k];
  return SOFA_OK;
}

/* Of a load that does not depend on the positions: - f . x */
static SofaErr potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *energy) {
  const TractionForcefield *t = (const TractionForcefield *)ff;
  (void)params;
  *energy = 0;
  for (size_t i = 0; i < t->nodal_forces.n; i++)
    for (size_t k = 0; k < t->dim; k++)
      *energy -= t->nodal_forces.data[i].v[k] * at->x[0][t->dim * i + k];
  return SOFA_OK;
}

static const SofaForceFieldOps ops = {.add_force = add_force,
                                      .potential_energy = potential_energy,
                                      .tangent_is_dforce = true,
                                      .is_load = true};

/* ---- drawing ---- */

/* Arrows as long as a tenth of the scene for the largest force. */
static void draw_loads(const TractionForcefield *t, const SofaDrawArgs *args) {
  double largest = 0, size[3];
  for (size_t i = 0; i < t->nodal_forces.n; i++)
    largest = fmax(largest, sofa_vec3_norm(t->nodal_forces.data[i].v));
  sofa_vec3_sub(args->box->max, args->box->min, size);
  const double scale = largest > 0 ? 0.1 * sofa_vec3_norm(size) / largest : 0;
  for (size_t i = 0; scale > 0 && i < t->nodal_forces.n; i++)
    sofa_draw_force(args->list, (SofaStatePoint){t->force_field.state[0], i},
                    t->nodal_forces.data[i].v, 3, scale, SOFA_RGB(1, 0.4, 0.1));
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const TractionForcefield *t = (const TractionForcefield *)object;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)t->force_field.state)) return;
  caribou_draw_elements(args, &(CaribouDrawing){.state = t->force_field.state[0],
                                                .corners = &t->corners,
                                                .scale = t->draw_scale});
  draw_loads(t, args);
}

static SofaElements elements(const SofaObject *object, SofaElementKind *kind) {
  return caribou_source(&((const TractionForcefield *)object)->corners, kind);
}

static const SofaDrawOps draw_ops = {.draw = draw};
static const SofaElementSourceOps source_ops = {.elements = elements};
static const char *const templates[] = {"Triangle", "Quad",        "Triangle6",    "Quad8",
                                        "Quad9",    "Triangle_2D", "Triangle6_2D", "Quad_2D",
                                        "Quad8_2D", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(TractionForcefield, current),
    SOFA_KEEP(TractionForcefield, steps),
};

SOFA_CLASS(TractionForcefield) = {
    .name = "TractionForcefield",
    .module = "SofaCaribou",
    .category = "ForceField",
    .help = "A load per area at rest on the faces that the template names, which keeps its "
            "direction; applied at once or in increments at the beginning of time steps.",
    .equations = "f_i = int t N_i dA",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    .size = sizeof(TractionForcefield),
    SOFA_FIELDS(fields),
    .templates = templates,
    .listening = true,
    .can_create = caribou_can_create,
    .init = init,
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}, {SOFA_ELEMENT_SOURCE, &source_ops}),
};
