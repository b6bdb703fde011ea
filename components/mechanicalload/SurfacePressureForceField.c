/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SurfacePressureForceField: pressure along the normals of a moving surface. */
#include <math.h>

#include "base/quirks.h"
#include "behavior/draw_state.h"
#include "components/mechanicalload/faces.h"
#include "object/event.h"

typedef struct SurfacePressureForceField {
  SofaForceField force_field;
  double pressure; /* Pa */
  SofaReals min, max;
  SofaIndices triangle_indices, quad_indices;
  bool pulse, volume_conservation, use_tangent;
  double lower_bound, speed, volume; /* Pa, Pa/s, m^3 */
  SofaReals main_direction;
  double draw_scale;
  SofaLink topology;
  SofaTriangles triangles; /* loaded */
  SofaQuads quads;
  double pulse_pressure, pulse_speed; /* now */
  double current;                     /* pressure of the last add_force */
  SofaReals blocks;                   /* 27 per triangle: dn/da, dn/db, dn/dc times P/6 */
} SurfacePressureForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

#define ROW(member, xml, def, unit, ...)                                                           \
  SOFA_FIELD(SurfacePressureForceField, member, xml, def, unit, __VA_ARGS__)

static const SofaField fields[] = {
    ROW(pressure, "pressure", "0", "Pa", "pressure along the normal (b - a) x (c - a)"),
    ROW(min, "min", NULL, "m",
        "lower corner of the box that selects faces with all vertices inside it at init; both "
        "corners 0: no box",
        .flags = SOFA_FIELD_REINIT),
    ROW(max, "max", NULL, "m", "upper corner of the box", .flags = SOFA_FIELD_REINIT),
    ROW(triangle_indices, "triangleIndices", NULL, "",
        "loaded triangles of the topology; none: all, or those in the box",
        .flags = SOFA_FIELD_REINIT),
    ROW(quad_indices, "quadIndices", NULL, "",
        "loaded quads of the topology; none: all, or those in the box", .flags = SOFA_FIELD_REINIT),
    ROW(pulse, "pulseMode", "0", "",
        "let the pressure swing between pressureLowerBound and pressure"),
    ROW(lower_bound, "pressureLowerBound", "0", "Pa", "smallest pressure of the pulse"),
    ROW(speed, "pressureSpeed", "0", "Pa/s", "change of pressure of the pulse",
        .flags = SOFA_FIELD_REINIT),
    ROW(volume_conservation, "volumeConservationMode", "0", "",
        "multiply the pressure by defaultVolume / volume"),
    ROW(use_tangent, "useTangentStiffness", "1", "",
        "let implicit solvers know how the normals of triangles turn"),
    ROW(volume, "defaultVolume", "-1", "m^3",
        "volume at which volumeConservationMode leaves the pressure as it is; -1: that of the "
        "first evaluation; 0: off"),
    ROW(main_direction, "mainDirection", NULL, "1", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    ROW(draw_scale, "drawForceScale", "0", "1", "length of drawn forces",
        .flags = SOFA_FIELD_DISPLAY),
    ROW(topology, "topology", NULL, "", "topology of the faces", .link = &topology_rule),
};

static SurfacePressureForceField *self(SofaForceField *ff) {
  return (SurfacePressureForceField *)ff;
}

/* ---- selection ---- */

static bool has_box(const SurfacePressureForceField *p) {
  for (int c = 0; c < 3; c++)
    if (p->min.data[c] != 0 || p->max.data[c] != 0) return true;
  return false;
}

static bool in_box(const SurfacePressureForceField *p, const uint32_t *v, unsigned n) {
  const SofaState *s = p->force_field.state[0];
  for (unsigned k = 0; k < n; k++)
    for (unsigned c = 0; c < 3; c++) {
      const double x = s->position.data[(size_t)v[k] * s->position.width + c];
      if (!(p->min.data[c] <= x && x <= p->max.data[c])) return false;
    }
  return true;
}

/* Copies the vertices of the listed faces, or of all in the box, to a list of faces. */
static SofaErr select_faces(SurfacePressureForceField *p, const char *field,
                            const SofaIndices *list, const uint32_t *vertices, size_t n_faces,
                            unsigned n, void *out) {
  const SofaObject *object = &p->force_field.object;
  const bool box = !list->n && has_box(p);
  const size_t count = list->n ? list->n : n_faces;
  ((SofaAnyList *)out)->n = 0;
  for (size_t k = 0; k < count; k++) {
    const size_t face = list->n ? list->data[k] : k;
    if (face >= n_faces)
      return sofa_field_fail(object, field, SOFA_ERR_RANGE,
                             "%zu is none of the %zu faces of the topology", face, n_faces);
    const uint32_t *v = vertices + face * n;
    for (unsigned c = 0; c < n; c++)
      if (v[c] >= load_n_points(&p->force_field))
        return sofa_field_fail(object, field, SOFA_ERR_RANGE,
                               "face %zu has point %u, the state has %zu points", face, v[c],
                               load_n_points(&p->force_field));
    if (box && !in_box(p, v, n)) continue;
    SOFA_TRY(sofa_list_append(object->ctx, out, n * sizeof *v, v));
  }
  return SOFA_OK;
}

static SofaErr surface_init(SofaObject *object) {
  SurfacePressureForceField *p = (SurfacePressureForceField *)object;
  SofaTopology *topology = (SofaTopology *)p->topology.target;
  if (!topology) return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in context");
  const size_t width = load_kind(&p->force_field)->coord;
  SOFA_TRY(load_take_value(object, "min", &p->min, width));
  SOFA_TRY(load_take_value(object, "max", &p->max, width));
  const SofaTriangles *triangles = sofa_topology_triangles(topology);
  const SofaQuads *quads = sofa_topology_quads(topology);
  p->pulse_speed = p->speed;
  SOFA_TRY(select_faces(p, "triangleIndices", &p->triangle_indices,
                        triangles->n ? triangles->data[0].v : NULL, triangles->n, 3,
                        &p->triangles));
  SOFA_TRY(select_faces(p, "quadIndices", &p->quad_indices, quads->n ? quads->data[0].v : NULL,
                        quads->n, 4, &p->quads));
  return SOFA_RESIZE(object->ctx, &p->blocks, 27 * p->triangles.n);
}

static SofaErr surface_reset(SofaObject *object) {
  SurfacePressureForceField *p = (SurfacePressureForceField *)object;
  p->pulse_pressure = 0;
  p->pulse_speed = p->speed;
  return SOFA_OK;
}

static void surface_destroy(SofaObject *object) {
  SurfacePressureForceField *p = (SurfacePressureForceField *)object;
  sofa_list_free(object->ctx, &p->triangles);
  sofa_list_free(object->ctx, &p->quads);
  sofa_list_free(object->ctx, &p->blocks);
}

/* ---- pressure ---- */

/* Moves the pulse by speed dt, back and forth between its bounds. */
static void advance_pulse(SurfacePressureForceField *p, double dt) {
  if (p->speed == 0) {
    p->pulse_pressure = fabs(p->pressure);
    return;
  }
  p->pulse_pressure += p->pulse_speed * dt;
  if (p->pulse_pressure > p->pressure) {
    p->pulse_pressure = p->pressure;
    p->pulse_speed = -fabs(p->pulse_speed);
  } else if (p->pulse_pressure < p->lower_bound) {
    p->pulse_pressure = p->lower_bound;
    p->pulse_speed = fabs(p->pulse_speed);
  }
}

/* SOFA moves the pulse at every evaluation of the force, however many a step has. */
static bool pulse_per_call(const SurfacePressureForceField *p) {
  return sofa_quirk(p->force_field.object.ctx, SOFA_QUIRK_PRESSURE_PULSE);
}

static SofaErr surface_event(SofaObject *object, const SofaEvent *event) {
  SurfacePressureForceField *p = (SurfacePressureForceField *)object;
  if (event->type == SOFA_EVENT_ANIMATE_BEGIN && p->pulse && !pulse_per_call(p))
    advance_pulse(p, event->dt);
  return SOFA_OK;
}

/* The volume the faces enclose with the origin. */
static double enclosed(const SurfacePressureForceField *p, const double *x, size_t w) {
  double v6 = 0;
  for (size_t t = 0; t < p->triangles.n; t++) {
    const uint32_t *v = p->triangles.data[t].v;
    v6 += sofa_vec3_triple(x + v[0] * w, x + v[1] * w, x + v[2] * w);
  }
  for (size_t q = 0; q < p->quads.n; q++) {
    const uint32_t *v = p->quads.data[q].v;
    v6 += sofa_vec3_triple(x + v[0] * w, x + v[1] * w, x + v[2] * w);
    v6 += sofa_vec3_triple(x + v[0] * w, x + v[2] * w, x + v[3] * w);
  }
  return v6 / 6;
}

static double pressure_now(SurfacePressureForceField *p, const SofaMechParams *params,
                           const double *x, size_t w) {
  if (p->pulse && pulse_per_call(p)) advance_pulse(p, params->dt);
  const double pressure = p->pulse ? p->pulse_pressure : p->pressure;
  if (!p->volume_conservation || p->volume == 0) return pressure;
  const double volume = enclosed(p, x, w);
  if (p->volume == -1) p->volume = volume;
  return volume != 0 ? pressure * p->volume / volume : pressure;
}

/* ---- operations ---- */

static SofaErr surface_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaForceArgs *args) {
  SurfacePressureForceField *p = self(ff);
  const size_t w = load_kind(ff)->coord, d = load_kind(ff)->deriv;
  const double *x = args->x[0], part = (p->current = pressure_now(p, params, x, w)) / 6;
  double *f = args->f[0], n[3];
  for (size_t t = 0; t < p->triangles.n; t++) {
    const uint32_t *v = p->triangles.data[t].v;
    const double *a = x + v[0] * w, *b = x + v[1] * w, *c = x + v[2] * w;
    face_normal(a, b, c, n);
    for (int k = 0; k < 3; k++) sofa_vec3_axpy(part, n, f + v[k] * d);
    if (p->use_tangent) face_normal_blocks(a, b, c, part, p->blocks.data + 27 * t);
  }
  for (size_t q = 0; q < p->quads.n; q++) {
    const uint32_t *v = p->quads.data[q].v;
    for (int half = 0; half < 2; half++) { /* (0, 1, 2) and (0, 2, 3) */
      const uint32_t corner[3] = {v[0], v[1 + half], v[2 + half]};
      face_normal(x + corner[0] * w, x + corner[1] * w, x + corner[2] * w, n);
      for (int k = 0; k < 3; k++) sofa_vec3_axpy(part, n, f + corner[k] * d);
    }
  }
  return SOFA_OK;
}

/* Every vertex of a triangle gets the same change. */
static SofaErr surface_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaDForceArgs *args) {
  const SurfacePressureForceField *p = self(ff);
  if (!p->use_tangent) return SOFA_OK;
  face_add_products(&p->triangles, p->blocks.data, sofa_kfactor(ff, params), args->dx[0],
                    args->df[0], load_kind(ff)->deriv);
  return SOFA_OK;
}

static SofaErr surface_add_k(SofaForceField *ff, const SofaMechParams *params,
                             const SofaTangent *tangent) {
  (void)params;
  const SurfacePressureForceField *p = self(ff);
  if (!p->use_tangent) return SOFA_OK;
  face_add_blocks(&p->triangles, p->blocks.data, 1, tangent, load_kind(ff)->deriv);
  return SOFA_OK;
}

static bool can_follow(const SofaObject *object, const char **why) {
  const SurfacePressureForceField *p = (const SurfacePressureForceField *)object;
  *why = "is about to change, of which a part was selected";
  return !p->triangle_indices.n && !p->quad_indices.n && !has_box(p);
}

/* The pulse goes on; the faces are those that there are. */
static SofaErr surface_follow(SofaObject *object, const SofaTopologyChange *change) {
  SurfacePressureForceField *p = (SurfacePressureForceField *)object;
  const double speed = p->pulse_speed;
  SOFA_TRY(sofa_follow_by_reinit.follow(object, change));
  p->pulse_speed = speed;
  return SOFA_OK;
}

static const SofaFollowerOps follower = {.follow = surface_follow, .can_follow = can_follow};
static const SofaForceFieldOps ops = {
    .add_force = surface_add_force,
    .add_dforce = surface_add_dforce,
    .add_k = surface_add_k,
    .tangent_is_dforce = true,
};

/* The loaded faces; with a scale, arrows at the vertices of the triangles. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SurfacePressureForceField *p = (const SurfacePressureForceField *)object;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)p->force_field.state)) return;
  const SofaRgba color = SOFA_RGB(0, 1, 0.5);
  face_draw(&p->force_field, args, NULL, p->triangles.n ? p->triangles.data->v : NULL,
            p->triangles.n, 3, color);
  face_draw(&p->force_field, args, NULL, p->quads.n ? p->quads.data->v : NULL, p->quads.n, 4,
            color);
  if (p->draw_scale > 0)
    face_draw_pressure(&p->force_field, args, &p->triangles, p->current, p->draw_scale,
                       SOFA_RGB(1, 0.4, 0));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

const SofaClass sofa_SurfacePressureForceField_class = {
    .name = "SurfacePressureForceField",
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "A pressure along the normals of a moving surface: each vertex of a triangle gets P "
            "(b - a) x (c - a) / 6; quads are two triangles.",
    .base = &sofa_force_field_class,
    .size = sizeof(SurfacePressureForceField),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .listening = true,
    .init = surface_init,
    .reinit = surface_init,
    .reset = surface_reset,
    .handle_event = surface_event,
    .destroy = surface_destroy,
    .ops = {[SOFA_FORCE_FIELD] = &ops, [SOFA_FOLLOWER] = &follower, [SOFA_DRAW] = &draw_ops},
};
