/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SurfacePressureForceField: pressure along the normals of a moving surface. */
#include <math.h>

#include "behavior/state_division.h"
#include "behavior/draw_state.h"
#include "object/checkpoint.h"
#include "components/mechanicalload/face_matrix.h"
#include "object/event.h"

enum { QUIRK_PRESSURE_PULSE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_PRESSURE_PULSE, "pressure-pulse",
     "SurfacePressureForceField moves its pulse at every evaluation of the force",
     "test_quirks_motion.loads"},
};

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
  SofaIndices ids[2];      /* loaded triangles and quads of the topology */
  bool listed[2];          /* they are those of triangleIndices, quadIndices */
  SofaTriangles triangles; /* loaded */
  SofaQuads quads;
  double pulse_pressure, pulse_speed; /* now */
  double current;                     /* pressure of the last add_force */
  SofaReals edges;                    /* face_kept, times P/6 */
  SofaElementSums sums;               /* of triangles */
  FaceMatrix matrix;                  /* of triangles */
} SurfacePressureForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef SurfacePressureForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(pressure, "pressure", "0", "Pa", "pressure along the normal (b - a) x (c - a)"),
    SOFA_ROW(min, "min", NULL, "m",
             "lower corner of the box that selects faces with all vertices inside it at init; both "
             "corners 0: no box",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(max, "max", NULL, "m", "upper corner of the box", .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(triangle_indices, "triangleIndices", NULL, "",
             "loaded triangles of the topology; empty: all, or those in the box",
             .flags = SOFA_FIELD_REINIT, SOFA_INDICES_OF(SOFA_ELEMENT_TRIANGLE)),
    SOFA_ROW(quad_indices, "quadIndices", NULL, "",
             "loaded quads of the topology; empty: all, or those in the box",
             .flags = SOFA_FIELD_REINIT, SOFA_INDICES_OF(SOFA_ELEMENT_QUAD)),
    SOFA_ROW(pulse, "pulseMode", "0", "",
             "let the pressure swing between pressureLowerBound and pressure"),
    SOFA_ROW(lower_bound, "pressureLowerBound", "0", "Pa", "smallest pressure of the pulse"),
    SOFA_ROW(speed, "pressureSpeed", "0", "Pa/s", "change of pressure of the pulse",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(volume_conservation, "volumeConservationMode", "0", "",
             "multiply the pressure by defaultVolume / volume"),
    SOFA_ROW(use_tangent, "useTangentStiffness", "1", "",
             "let implicit solvers know how the normals of triangles turn"),
    SOFA_ROW(volume, "defaultVolume", "-1", "m^3",
             "volume at which volumeConservationMode leaves the pressure as it is; -1: that of the "
             "first evaluation; 0: off"),
    SOFA_ROW(main_direction, "mainDirection", NULL, "1", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(draw_scale, "drawForceScale", "0", "1", "length of drawn forces",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(topology, "topology", NULL, "", "topology of the faces", .link = &topology_rule),
};

static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(SurfacePressureForceField, ids[0], SOFA_INDICES_OF(SOFA_ELEMENT_TRIANGLE)),
    SOFA_PRIVATE(SurfacePressureForceField, ids[1], SOFA_INDICES_OF(SOFA_ELEMENT_QUAD)),
    SOFA_PRIVATE(SurfacePressureForceField, triangles),
    SOFA_PRIVATE(SurfacePressureForceField, quads),
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

/* The loaded faces of one kind. */
typedef struct Selection {
  SurfacePressureForceField *p;
  SofaElementKind kind;
  SofaIndices *list, *ids; /* given; loaded */
  bool *listed;            /* the list counts, even when it has become empty */
  void *out;               /* vertices of the loaded faces */
} Selection;

static Selection selection(SurfacePressureForceField *p, int k) {
  const bool triangles = k == 0;
  return (Selection){.p = p,
                     .kind = triangles ? SOFA_ELEMENT_TRIANGLE : SOFA_ELEMENT_QUAD,
                     .list = triangles ? &p->triangle_indices : &p->quad_indices,
                     .ids = &p->ids[k],
                     .listed = &p->listed[k],
                     .out = triangles ? (void *)&p->triangles : (void *)&p->quads};
}

static SofaElements faces_of(const Selection *s) {
  return sofa_mesh_elements(&((const SofaTopology *)s->p->topology.target)->mesh, s->kind);
}

static SofaErr check_face(const Selection *s, SofaElements faces, uint32_t face) {
  const SofaForceField *ff = &s->p->force_field;
  return sofa_check_element(&ff->object, sofa_element_kind_info(s->kind)->name, face,
                            faces.v + face * (size_t)faces.width, faces.width, load_n_points(ff));
}

/* Loads a face that is not listed: where there is a box, when it lies in it. */
static SofaErr load_face(const Selection *s, SofaElements faces, uint32_t face) {
  SOFA_TRY(check_face(s, faces, face));
  if (has_box(s->p) && !in_box(s->p, faces.v + face * (size_t)faces.width, faces.width))
    return SOFA_OK;
  return SOFA_APPEND(s->p->force_field.object.ctx, s->ids, &face);
}

static SofaErr copy_vertices(const Selection *s) {
  const SofaElements faces = faces_of(s);
  ((SofaAnyList *)s->out)->n = 0;
  for (size_t k = 0; k < s->ids->n; k++) {
    SOFA_TRY(check_face(s, faces, s->ids->data[k]));
    SOFA_TRY(sofa_list_append(s->p->force_field.object.ctx, s->out, faces.width * sizeof *faces.v,
                              faces.v + s->ids->data[k] * (size_t)faces.width));
  }
  return SOFA_OK;
}

/* The listed faces, or all, or all in the box. */
static SofaErr select_faces(const Selection *s) {
  const SofaElements faces = faces_of(s);
  *s->listed |= s->list->n > 0;
  s->ids->n = 0;
  if (*s->listed)
    SOFA_TRY(sofa_list_copy(s->p->force_field.object.ctx, s->ids, s->list, sizeof *s->list->data));
  for (uint32_t face = 0; !*s->listed && face < faces.n; face++)
    SOFA_TRY(load_face(s, faces, face));
  return copy_vertices(s);
}

static SofaErr make_room(SurfacePressureForceField *p) {
  SOFA_TRY(face_sums_make(&p->force_field, &p->triangles, &p->sums));
  return SOFA_RESIZE(p->force_field.object.ctx, &p->edges, face_kept(p->triangles.n));
}

static FaceSums triangles_of(const SurfacePressureForceField *p) {
  return (FaceSums){&p->triangles, &p->sums};
}

static void surface_destroy(SofaObject *object) {
  SurfacePressureForceField *p = (SurfacePressureForceField *)object;
  sofa_list_free(object->ctx, &p->edges);
  sofa_element_sums_free(object->ctx, &p->sums);
  face_matrix_free(object->ctx, &p->matrix);
}

static SofaErr surface_init(SofaObject *object) {
  SurfacePressureForceField *p = (SurfacePressureForceField *)object;
  SofaTopology *topology = (SofaTopology *)p->topology.target;
  if (!topology) return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in context");
  if (p->volume_conservation && sofa_state_division(p->force_field.state[0]))
    return sofa_object_undivided(
        object, "volumeConservationMode on a mesh that is divided among processes");
  const size_t width = load_kind(&p->force_field)->coord;
  SOFA_TRY(sofa_take_reals(object, "min", &p->min, width));
  SOFA_TRY(sofa_take_reals(object, "max", &p->max, width));
  // lists that are made when first asked for
  (void)sofa_topology_triangles(topology);
  (void)sofa_topology_quads(topology);
  if (topology->failure) return topology->failure;
  p->pulse_speed = p->speed;
  for (int k = 0; k < 2; k++) {
    const Selection s = selection(p, k);
    SOFA_TRY(select_faces(&s));
  }
  return make_room(p);
}

static SofaErr surface_reset(SofaObject *object) {
  SurfacePressureForceField *p = (SurfacePressureForceField *)object;
  p->pulse_pressure = 0;
  p->pulse_speed = p->speed;
  return SOFA_OK;
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
  return sofa_quirk(&p->force_field.object, QUIRK_PRESSURE_PULSE);
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
                                 const SofaPoint *at, double *const *forces) {
  SurfacePressureForceField *p = self(ff);
  const size_t w = load_kind(ff)->coord, d = load_kind(ff)->deriv;
  const double *x = at->x[0], part = (p->current = pressure_now(p, params, x, w)) / 6;
  double *f = forces[0], n[3];
  face_add_forces(ff, triangles_of(p), part, x, f, p->use_tangent ? face_rows(&p->edges) : NULL);
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
                                  const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  const SurfacePressureForceField *p = self(ff);
  if (!p->use_tangent) return SOFA_OK;
  face_add_products(ff, triangles_of(p), face_rows(&p->edges), sofa_kfactor(ff, params), dx[0],
                    df[0]);
  return SOFA_OK;
}

static SofaErr surface_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  SurfacePressureForceField *p = self(ff);
  if (!p->use_tangent) return SOFA_OK;
  return face_matrix_add(ff, &p->matrix, &p->triangles,
                         (FaceTangent){face_rows(&p->edges), 1, tangent});
}

/* -P V, or -P V0 ln V with volumeConservationMode. */
static SofaErr surface_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *energy) {
  (void)params;
  const SurfacePressureForceField *p = self(ff);
  const double pressure = p->pulse ? p->pulse_pressure : p->pressure;
  const double volume = enclosed(p, at->x[0], load_kind(ff)->coord);
  const double rest = p->volume == -1 ? volume : p->volume;
  *energy = -pressure * volume;
  if (p->volume_conservation && rest != 0 && volume != 0)
    *energy = -pressure * rest * log(fabs(volume));
  return SOFA_OK;
}

/* The rim of an open surface would carry a force of its own. */
static bool is_closed(const SofaForceField *ff) {
  const SurfacePressureForceField *p = (const SurfacePressureForceField *)ff;
  return face_open_edges(FACES(&p->triangles)) + face_open_edges(FACES(&p->quads)) == 0;
}

static const SofaApproximation *approximation(const SofaForceField *ff) {
  static const SofaApproximation unused = {"useTangentStiffness is off", false},
                                 quads = {"there is no tangent of quads", false},
                                 volume = {"the tangent leaves out the change of the pressure with "
                                           "the volume (volumeConservationMode)",
                                           false};
  const SurfacePressureForceField *p = (const SurfacePressureForceField *)ff;
  if (!p->use_tangent) return &unused;
  if (p->quads.n) return &quads;
  return p->volume_conservation ? &volume : NULL;
}

/* Of inserted faces all are loaded, or those in the box, but none where a list says which are. */
static SofaErr surface_listen(SofaObject *object, const SofaTopologyChange *change) {
  SurfacePressureForceField *p = (SurfacePressureForceField *)object;
  for (int k = 0; k < 2; k++) {
    const Selection s = selection(p, k);
    if (change->kind != SOFA_CHANGE_ADD || change->origins || *s.listed ||
        !sofa_change_of(change, (SofaTopology *)p->topology.target, s.kind))
      continue;
    for (size_t i = 0; i < change->n; i++) SOFA_TRY(load_face(&s, faces_of(&s), change->ids[i]));
  }
  return SOFA_OK;
}

static SofaErr surface_done(SofaObject *object) {
  SurfacePressureForceField *p = (SurfacePressureForceField *)object;
  for (int k = 0; k < 2; k++) {
    const Selection s = selection(p, k);
    SOFA_TRY(copy_vertices(&s));
  }
  return make_room(p);
}

static const SofaTopologyListenerOps listener = {.listen = surface_listen, .done = surface_done};
static const SofaForceFieldOps ops = {.add_force = surface_add_force,
                                      .add_dforce = surface_add_dforce,
                                      .add_k = surface_add_k,
                                      .potential_energy = surface_energy,
                                      .conservative = is_closed,
                                      .approximation = approximation,
                                      .tangent_is_dforce = true,
                                      .keeps_point = true,
                                      .is_load = true};

/* The loaded faces; with a scale, arrows at the vertices of the triangles. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SurfacePressureForceField *p = (const SurfacePressureForceField *)object;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)p->force_field.state)) return;
  const SofaRgba color = SOFA_RGB(0, 1, 0.5);
  face_draw(&p->force_field, args, NULL, FACES(&p->triangles), color);
  face_draw(&p->force_field, args, NULL, FACES(&p->quads), color);
  if (p->draw_scale > 0)
    face_draw_pressure(&p->force_field, args, &p->triangles, p->current, p->draw_scale,
                       SOFA_RGB(1, 0.4, 0));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(SurfacePressureForceField, pulse_pressure),
    SOFA_KEEP(SurfacePressureForceField, pulse_speed),
    SOFA_KEEP(SurfacePressureForceField, current),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SurfacePressureForceField, edges),
    SOFA_REMADE(SurfacePressureForceField, matrix),
};

SOFA_CLASS(SurfacePressureForceField) = {
    SOFA_NAMED(SurfacePressureForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "A pressure along the normals of a moving surface: each vertex of a triangle gets P "
            "(b - a) x (c - a) / 6; quads are two triangles.",
    .equations = "f_i = 1/6 p (b - a) times (c - a)",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_KEEPS(kept),
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .listening = true,
    .init = surface_init,
    .reinit = surface_init,
    .reset = surface_reset,
    .handle_event = surface_event,
    .destroy = surface_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
