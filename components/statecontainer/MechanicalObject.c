/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MechanicalObject: the degrees of freedom of a body, their initial values and transforms. */
#include <math.h>
#include <string.h>

#include "behavior/state_division.h"
#include "behavior/mapping.h"
#include "behavior/projective.h"
#include "behavior/draw_state.h"
#include "behavior/state.h"
#include "change/topology_change.h"
#include "math/quaternion.h"

typedef struct MechanicalObject {
  SofaState state;
  SofaCoords deriv_x, reset_position, reset_velocity, lambda, displacement;
  char *constraint, *mapping_jacobian;
  double rest_scale;
  bool use_topology;
  SofaVec3 translation, rotation, scale3d, translation2, rotation2;
  int size, reserve;
  SofaLink topology;
  /* legacy attributes: each group given replaces the whole vector */
  SofaFloat scale, s[3], r[3], d[3], r2[3], d2[3];
  /* display */
  bool show_object, show_indices, show_vectors;
  double show_object_scale, show_indices_scale, show_vectors_scale;
  int draw_mode;
  SofaColor show_color;
} MechanicalObject;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY};

typedef MechanicalObject SofaSelf; /* of SOFA_ROW */

#define PER_POINT SOFA_PER(SOFA_ELEMENT_POINT, .inserted = SOFA_INSERTED_SUM)

enum { LAMBDA = 7, DISPLACEMENT }; /* their rows */
static const SofaField fields[] = {
    SOFA_ROW(deriv_x, "derivX", NULL, "m/s", "change of the last solve", .flags = SOFA_FIELD_DERIV,
             PER_POINT),
    SOFA_ROW(state.free_position, "free_position", NULL, "m",
             "positions of the motion without constraints"),
    SOFA_ROW(state.free_velocity, "free_velocity", NULL, "m/s",
             "velocities of the motion without constraints", .flags = SOFA_FIELD_DERIV),
    SOFA_ROW(constraint, "constraint", NULL, "", "rows of Lagrangian constraints",
             .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_ROW(mapping_jacobian, "mappingJacobian", NULL, "", "rows of mappings",
             .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_ROW(reset_position, "reset_position", NULL, "m",
             "positions that reset restores; default: those after init", PER_POINT),
    SOFA_ROW(reset_velocity, "reset_velocity", NULL, "m/s",
             "velocities that reset restores; default: those after init", .flags = SOFA_FIELD_DERIV,
             PER_POINT),
    [LAMBDA] = SOFA_ROW(lambda, "lambda", NULL, "N s",
                        "J^T lambda of Lagrangian constraints in the last step: constraintForce "
                        "times its length, of points without constraints 0",
                        .flags = SOFA_FIELD_DERIV | SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY),
    [DISPLACEMENT] = SOFA_ROW(displacement, "displacement", NULL, "m",
                              "from the rest positions; of frames also the rotation vector, rad",
                              .flags = SOFA_FIELD_DERIV | SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY),
    SOFA_ROW(rest_scale, "restScale", "1", "1",
             "factor of the rest positions when they are taken from the initial ones"),
    SOFA_ROW(use_topology, "useTopology", "1", "",
             "take positions from the node's topology when none are given"),
    SOFA_ROW_DISPLAY(show_object, "showObject", "0", "draw the points"),
    SOFA_ROW_DISPLAY(show_object_scale, "showObjectScale", "0.1", "size of drawn points"),
    SOFA_ROW_DISPLAY(show_indices, "showIndices", "0", "draw the indices of the points"),
    SOFA_ROW_DISPLAY(show_indices_scale, "showIndicesScale", "1", "size of drawn indices"),
    SOFA_ROW_DISPLAY(show_vectors, "showVectors", "0", "draw velocities"),
    SOFA_ROW_DISPLAY(show_vectors_scale, "showVectorsScale", "0.0001", "length of drawn vectors"),
    SOFA_ROW_DISPLAY(draw_mode, "drawMode", "0", "0 points, 1 and above spheres"),
    SOFA_ROW_DISPLAY(show_color, "showColor", "1 1 1 1", "colour of drawn points"),
    SOFA_ROW(translation, "translation", "0 0 0", "m",
             "translation of the initial positions, after scale and rotation"),
    SOFA_ROW(rotation, "rotation", "0 0 0", "degree",
             "rotation of the initial positions: Euler angles, x first"),
    SOFA_ROW(scale3d, "scale3d", "1 1 1", "1", "scale of the initial positions, applied first"),
    SOFA_ROW(translation2, "translation2", "0 0 0", "m",
             "translation of the positions but not of the rest positions"),
    SOFA_ROW(rotation2, "rotation2", "0 0 0", "degree",
             "rotation of the positions but not of the rest positions"),
    SOFA_ROW(size, "size", "0", "1", "number of points", .range = SOFA_AT_LEAST(0),
             .on_bad = SOFA_BAD_CLAMP),
    SOFA_ROW(reserve, "reserve", "0", "1", "no effect on results", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology whose points are taken; default: the first one in the node",
             .link = &topology_rule),
    SOFA_ROW_LEGACY(scale, "scale", NULL, "1", "the same scale on each axis"),
    SOFA_ROW_LEGACY(s[0], "sx", NULL, "1", "scale along x"),
    SOFA_ROW_LEGACY(s[1], "sy", NULL, "1", "scale along y"),
    SOFA_ROW_LEGACY(s[2], "sz", NULL, "1", "scale along z"),
    SOFA_ROW_LEGACY(r[0], "rx", NULL, "degree", "rotation about x"),
    SOFA_ROW_LEGACY(r[1], "ry", NULL, "degree", "rotation about y"),
    SOFA_ROW_LEGACY(r[2], "rz", NULL, "degree", "rotation about z"),
    SOFA_ROW_LEGACY(d[0], "dx", NULL, "m", "translation along x"),
    SOFA_ROW_LEGACY(d[1], "dy", NULL, "m", "translation along y"),
    SOFA_ROW_LEGACY(d[2], "dz", NULL, "m", "translation along z"),
    SOFA_ROW_LEGACY(r2[0], "rx2", NULL, "degree", "rotation2 about x"),
    SOFA_ROW_LEGACY(r2[1], "ry2", NULL, "degree", "rotation2 about y"),
    SOFA_ROW_LEGACY(r2[2], "rz2", NULL, "degree", "rotation2 about z"),
    SOFA_ROW_LEGACY(d2[0], "dx2", NULL, "m", "translation2 along x"),
    SOFA_ROW_LEGACY(d2[1], "dy2", NULL, "m", "translation2 along y"),
    SOFA_ROW_LEGACY(d2[2], "dz2", NULL, "m", "translation2 along z"),
};

/* ---- creation ---- */

static SofaErr copy_coords(SofaContext *ctx, const SofaCoords *from, SofaCoords *to) {
  SOFA_TRY(sofa_coords_resize(ctx, to, from->n));
  if (from->n) sofa_copy(to->data, from->data, from->n * from->width * sizeof(double));
  return SOFA_OK;
}

static SofaErr construct(SofaObject *object) {
  return sofa_state_resize((SofaState *)object, 1);
}

/* Every vector of the state that exists gets n entries. */
static SofaErr resize_all(MechanicalObject *o, size_t n) {
  SofaContext *ctx = o->state.object.ctx;
  SofaCoords *optional[] = {&o->deriv_x, &o->reset_position, &o->reset_velocity};
  SOFA_TRY(sofa_state_resize(&o->state, n));
  for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
    if (optional[i]->n) SOFA_TRY(sofa_coords_resize(ctx, optional[i], n));
  o->size = (int)n;
  return SOFA_OK;
}

/* A group of legacy attributes (x, y, z) replaces the vector when any of them is given. */
static void take_group(const SofaObject *object, const char *const names[3], const SofaFloat v[3],
                       double missing, SofaVec3 *to) {
  bool any = false;
  for (int i = 0; i < 3; i++) any |= sofa_field_is_set(object, names[i]);
  if (!any) return;
  for (int i = 0; i < 3; i++) to->v[i] = sofa_field_is_set(object, names[i]) ? v[i].value : missing;
}

static SofaErr parsed(SofaObject *object) {
  MechanicalObject *o = (MechanicalObject *)object;
  if (sofa_field_is_set(object, "size")) {
    SOFA_TRY(resize_all(o, (size_t)o->size));
  }
  if (sofa_field_is_set(object, "scale"))
    o->scale3d = (SofaVec3){{o->scale.value, o->scale.value, o->scale.value}};
  take_group(object, (const char *const[]){"sx", "sy", "sz"}, o->s, 1, &o->scale3d);
  take_group(object, (const char *const[]){"rx", "ry", "rz"}, o->r, 0, &o->rotation);
  take_group(object, (const char *const[]){"dx", "dy", "dz"}, o->d, 0, &o->translation);
  take_group(object, (const char *const[]){"rx2", "ry2", "rz2"}, o->r2, 0, &o->rotation2);
  take_group(object, (const char *const[]){"dx2", "dy2", "dz2"}, o->d2, 0, &o->translation2);
  return SOFA_OK;
}

/* ---- initial positions ---- */

static size_t largest_size(const MechanicalObject *o) {
  const SofaCoords *all[] = {&o->state.position,
                             &o->state.velocity,
                             &o->state.force,
                             &o->state.external_force,
                             &o->deriv_x,
                             &o->state.free_position,
                             &o->state.free_velocity,
                             &o->state.rest_position,
                             &o->reset_position,
                             &o->reset_velocity};
  size_t n = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]->n > n) n = all[i]->n;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]->n > 1 && all[i]->n != n)
      sofa_object_message(&o->state.object, SOFA_WARNING,
                          "its vectors have different sizes (%zu and %zu)", all[i]->n, n);
  return n;
}

static SofaTopology *find_topology(const MechanicalObject *o) {
  if (o->topology.target) return (SofaTopology *)o->topology.target;
  if (!o->use_topology) return NULL;
  return (SofaTopology *)sofa_node_find(o->state.object.node, SOFA_TOPOLOGY, SOFA_SEARCH_LOCAL);
}

/* Gives every point the last velocity that there was. */
static void replicate_velocity(SofaCoords *v, size_t from) {
  const size_t w = v->width;
  if (from == 0) return;
  for (size_t i = from; i < v->n; i++)
    sofa_copy(v->data + i * w, v->data + (from - 1) * w, w * sizeof *v->data);
}

/* Positions of a topology, which a saved scene must have where it has velocities: their number
 * decides whether positions are taken from the topology. */
static SofaErr take_points(MechanicalObject *o, SofaTopology *topology) {
  SofaState *s = &o->state;
  const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
  const size_t n_velocities = s->velocity.n;
  SOFA_TRY(resize_all(o, topology->n_points));
  replicate_velocity(&s->velocity, n_velocities < s->velocity.n ? n_velocities : s->velocity.n);
  const unsigned n_space = kind->space < 3 ? kind->space : 3;
  for (size_t i = 0; i < s->position.n; i++) {
    double p[3];
    sofa_topology_point(topology, i, p);
    double *x = s->position.data + i * kind->coord;
    for (unsigned k = 0; k < n_space; k++) x[k] = p[k];
  }
  s->division = sofa_topology_division(topology);
  if (sofa_field_is_set(&s->object, "velocity"))
    sofa_field_state(&s->object, sofa_class_field(s->object.klass, "position"))->set = true;
  return SOFA_OK;
}

static SofaErr initial_positions(MechanicalObject *o) {
  SofaState *s = &o->state;
  SofaTopology *topology = find_topology(o);
  const size_t largest = largest_size(o);
  if ((size_t)(o->size > 0 ? o->size : 1) < largest) SOFA_TRY(resize_all(o, largest));
  if (s->rest_position.n > s->position.n)
    SOFA_TRY(copy_coords(s->object.ctx, &s->rest_position, &s->position));

  if (s->position.n <= 1 && s->velocity.n <= 1) {
    if (topology && sofa_topology_has_positions(topology)) {
      int n[3];
      if (!topology->object.initialised && !sofa_topology_counts(topology, n))
        sofa_object_message(&s->object, SOFA_WARNING,
                            "its points come from %s '%s', which comes after it in the scene and "
                            "counts %zu so far: move the topology before the state",
                            topology->object.klass->name, topology->object.name,
                            topology->n_points);
      return take_points(o, topology);
    }
    return resize_all(o, s->position.n); // also where one of the lists could not be read
  }
  if (s->position.n != (size_t)o->size || s->velocity.n != (size_t)o->size) {
    const size_t n_velocities = s->velocity.n;
    const size_t n = s->position.n > s->velocity.n ? s->position.n : s->velocity.n;
    SOFA_TRY(resize_all(o, n));
    replicate_velocity(&s->velocity, n_velocities);
  }
  return SOFA_OK;
}

/* ---- transforms ---- */

static void scale(SofaStateKind kind, SofaCoords *x, const SofaVec3 *factor) {
  if (factor->v[0] == 1 && factor->v[1] == 1 && factor->v[2] == 1) return;
  const unsigned n =
      x->width < 3 ? x->width : 3; /* for Rigid2 the third is the angle, as in SOFA */
  (void)kind;
  for (size_t i = 0; i < x->n; i++)
    for (unsigned k = 0; k < n; k++) x->data[i * x->width + k] *= factor->v[k];
}

static void rotate(SofaStateKind kind, SofaCoords *x, const SofaVec3 *degrees) {
  const unsigned space = sofa_state_kind_info(kind)->space;
  double q[4];
  sofa_quat_from_euler_degrees(degrees->v, q);
  for (size_t i = 0; i < x->n; i++) {
    double *c = x->data + i * x->width, p[3] = {0, 0, 0}, r[4];
    for (unsigned k = 0; k < space && k < 3; k++) p[k] = c[k];
    sofa_quat_rotate(q, p, r);
    for (unsigned k = 0; k < space && k < 3; k++) c[k] = r[k];
    if (kind == SOFA_RIGID3) {
      sofa_quat_multiply(q, c + 3, r);
      memcpy(c + 3, r, sizeof r);
    }
  }
}

static void translate(SofaStateKind kind, SofaCoords *x, const SofaVec3 *by) {
  const unsigned space = sofa_state_kind_info(kind)->space;
  for (size_t i = 0; i < x->n; i++)
    for (unsigned k = 0; k < space && k < 3; k++) x->data[i * x->width + k] += by->v[k];
}

static SofaErr store_rest(MechanicalObject *o) {
  SofaState *s = &o->state;
  if (s->rest_position.n == s->position.n) return SOFA_OK;
  SOFA_TRY(sofa_coords_resize(s->object.ctx, &s->rest_position, s->position.n));
  if (s->position.n)
    sofa_copy(s->rest_position.data, s->position.data,
              s->position.n * s->position.width * sizeof(double));
  if (o->rest_scale == 1) return SOFA_OK;
  const unsigned n = s->object.kind == SOFA_RIGID3 ? 3 : s->position.width;
  for (size_t i = 0; i < s->position.n; i++)
    for (unsigned k = 0; k < n; k++)
      s->rest_position.data[i * s->position.width + k] *= o->rest_scale;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  MechanicalObject *o = (MechanicalObject *)object;
  const SofaStateKind kind = object->kind;
  SofaState *s = &o->state;
  SOFA_TRY(initial_positions(o));
  scale(kind, &s->position, &o->scale3d);
  rotate(kind, &s->position, &o->rotation);
  translate(kind, &s->position, &o->translation);
  SOFA_TRY(store_rest(o));
  rotate(kind, &s->position, &o->rotation2);
  translate(kind, &s->position, &o->translation2);
  sofa_state_touch(s);
  sofa_field_touch_name(object, "rest_position");
  return SOFA_OK;
}

/* ---- saved scenes ---- */

/* Were the given positions moved at the initialisation, which moves them again when the saved scene
 * is read? A mapping reads its points from the positions of its output; a projective constraint may
 * draw points towards targets. Rest positions are then the given ones. */
static bool has_moved(const SofaObject *object) {
  const SofaState *of = (const SofaState *)object;
  const SofaField *rest = sofa_class_field(object->klass, "rest_position");
  const SofaMapping *map = (const SofaMapping *)sofa_node_slot(object->node, SOFA_MAPPING);
  if (of->rest_position.n != of->position.n) return false;
  if (map && map->out == of) return true;
  if (sofa_field_state(object, rest)->set) return false;
  for (size_t i = 0; i < object->node->objects.n; i++)
    if (sofa_implements(object->node->objects.data[i], SOFA_PROJECTIVE)) return true;
  return false;
}

/* Positions of the scene are those that a reset restores: they have the scale, the rotation and the
 * translation. Positions from a link or a topology are transformed when they are read. */
static const SofaField *saved(const SofaObject *object, const SofaField *field) {
  static const char *const applied[] = {"translation", "rotation", "scale3d", "translation2",
                                        "rotation2"};
  const SofaField *position = sofa_class_field(object->klass, "position");
  const SofaFieldState *state = sofa_field_state(object, position);
  if (strcmp(field->name, "velocity") == 0)
    return sofa_class_field(object->klass, "reset_velocity");
  if (!state->set || state->source) return field;
  if (field == position)
    return sofa_class_field(object->klass, has_moved(object) ? "rest_position" : "reset_position");
  if (field->flags & SOFA_FIELD_LEGACY) return NULL;
  for (size_t i = 0; i < SOFA_COUNT(applied); i++)
    if (strcmp(field->name, applied[i]) == 0) return NULL;
  return field;
}

/* ---- reset ---- */

static SofaErr store_reset(SofaObject *object) {
  MechanicalObject *o = (MechanicalObject *)object;
  SOFA_TRY(copy_coords(object->ctx, &o->state.position, &o->reset_position));
  return copy_coords(object->ctx, &o->state.velocity, &o->reset_velocity);
}

/* Entries that the stored vector lacks are 0. */
static void restore(const SofaCoords *stored, SofaCoords *to) {
  const size_t n = stored->n < to->n ? stored->n : to->n, width = to->width;
  if (to->n > n) sofa_zero(to->data + n * width, (to->n - n) * width * sizeof(double));
  if (n) sofa_copy(to->data, stored->data, n * width * sizeof(double));
}

static SofaErr reset(SofaObject *object) {
  MechanicalObject *o = (MechanicalObject *)object;
  SofaState *s = &o->state;
  if (o->reset_position.n != s->position.n || o->reset_velocity.n != s->velocity.n)
    SOFA_TRY(resize_all(o, o->reset_position.n));
  s->constraint_force.n = 0;
  restore(&o->reset_position, &s->position);
  restore(&o->reset_velocity, &s->velocity);
  if (s->force.n) sofa_zero(s->force.data, s->force.n * s->force.width * sizeof(double));
  sofa_state_touch(s);
  return SOFA_OK;
}

static void compute_lambda(MechanicalObject *o) {
  const SofaCoords *force = &o->state.constraint_force;
  const double dt = sofa_node_root(o->state.object.node)->dt;
  const size_t n = o->lambda.n * o->lambda.width;
  const bool none = force->n != o->lambda.n;
  for (size_t i = 0; i < n; i++) o->lambda.data[i] = none ? 0 : dt * force->data[i];
}

/* Without rest positions of all points: 0. */
static void compute_displacement(MechanicalObject *o) {
  const SofaCoords *x = &o->state.position, *rest = &o->state.rest_position;
  const size_t width = o->displacement.width, n = o->displacement.n * width;
  for (size_t i = 0; i < n; i++) o->displacement.data[i] = 0;
  if (rest->n != x->n) return;
  if (o->state.object.kind == SOFA_RIGID3) {
    for (size_t i = 0; i < x->n; i++)
      sofa_rigid3_difference(x->data + i * x->width, rest->data + i * x->width,
                             o->displacement.data + i * width);
    return;
  }
  for (size_t i = 0; i < n; i++) o->displacement.data[i] = x->data[i] - rest->data[i];
}

static SofaErr compute_output(SofaObject *object, const SofaField *field) {
  MechanicalObject *o = (MechanicalObject *)object;
  const bool is_lambda = field == &fields[LAMBDA];
  if (!is_lambda && field != &fields[DISPLACEMENT]) return SOFA_OK;
  SofaCoords *out = is_lambda ? &o->lambda : &o->displacement;
  out->width = o->state.velocity.width;
  SOFA_TRY(sofa_coords_resize(object->ctx, out, o->state.position.n));
  if (is_lambda) compute_lambda(o);
  else compute_displacement(o);
  sofa_field_touch(object, field);
  return SOFA_OK;
}

/* All vectors follow the points. */
static SofaErr count_points(SofaObject *object) {
  MechanicalObject *o = (MechanicalObject *)object;
  const int before = o->size;
  o->size = (int)o->state.position.n;
  if (o->size != before) sofa_field_touch_name(object, "size");
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = sofa_state_listen, .done = count_points};

static SofaErr bounding_box(SofaObject *object, SofaBox *box) {
  const MechanicalObject *o = (const MechanicalObject *)object;
  const SofaCoords *x = &o->state.position;
  const unsigned space = sofa_state_kind_info(object->kind)->space;
  if (!o->show_object) return SOFA_OK;
  for (size_t i = 0; i < x->n; i++)
    for (unsigned k = 0; k < space && k < 3; k++) {
      const double v = x->data[i * x->width + k];
      if (v < box->min[k]) box->min[k] = v;
      if (v > box->max[k]) box->max[k] = v;
    }
  return SOFA_OK;
}

/* ---- drawing ---- */

/* Modes from 2 on have colours of their own. */
static SofaRgba point_color(const MechanicalObject *o) {
  static const SofaRgba own[] = {{{1, 0, 0, 1}}, {{0, 1, 0, 1}}, {{0, 0, 1, 1}},
                                 {{1, 1, 0, 1}}, {{1, 0, 1, 1}}, {{0, 1, 1, 1}}};
  const int n = (int)(sizeof own / sizeof *own);
  return o->draw_mode < 2 ? sofa_rgba(&o->show_color) : own[(o->draw_mode - 2) % n];
}

static void draw_points(const MechanicalObject *o, SofaDrawList *list) {
  const SofaState *s = &o->state;
  const SofaRgba color = point_color(o);
  for (size_t i = 0; i < s->position.n; i++) {
    double p[3];
    sofa_state_point(s, i, p);
    if (s->object.kind == SOFA_RIGID3)
      sofa_draw_frame(list, p, SOFA_POSE_QUAT(s->position.data, i), o->show_object_scale);
    else if (o->draw_mode > 0) sofa_draw_sphere(list, p, o->show_object_scale, color);
    else sofa_draw_point(list, p, o->show_object_scale > 1 ? o->show_object_scale : 4, color);
  }
}

static void draw_velocities(const MechanicalObject *o, SofaDrawList *list) {
  const SofaState *s = &o->state;
  const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
  for (size_t i = 0; i < s->position.n && i < s->velocity.n; i++) {
    double a[3], b[3];
    sofa_state_point(s, i, a);
    memcpy(b, a, sizeof b);
    for (unsigned k = 0; k < kind->space && k < 3; k++)
      b[k] += o->show_vectors_scale * s->velocity.data[i * kind->deriv + k];
    sofa_draw_line(list, a, b, 2, SOFA_RGB(1, 1, 1));
  }
}

/* Independent of display flags: the fields themselves say what is shown. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const MechanicalObject *o = (const MechanicalObject *)object;
  const SofaState *s = &o->state;
  if (o->show_object) draw_points(o, args->list);
  if (o->show_vectors) draw_velocities(o, args->list);
  if (!o->show_indices || s->position.n == 0) return;
  double size = 0;
  for (int k = 0; k < 3; k++) size = fmax(size, args->box->max[k] - args->box->min[k]);
  if (sofa_state_kind_info(object->kind)->space >= 3)
    sofa_draw_indices(args->list, s->position.data, s->position.n, s->position.width,
                      0.03 * size * o->show_indices_scale, SOFA_RGB(1, 1, 1));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Rigid2d", "Rigid3d", "Vec1d",
                                        "Vec2d", "Vec6d",   NULL};

SOFA_CLASS(MechanicalObject) = {
    SOFA_NAMED(MechanicalObject),
    .module = "Sofa.Component.StateContainer",
    .category = "MechanicalState",
    .help = "Degrees of freedom of a body: positions, velocities, forces of points (Vec1, Vec2, "
            "Vec3, Vec6) or frames (Rigid2, Rigid3).",
    .base = &sofa_state_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
    .parsed = parsed,
    .init = init,
    .saved = saved,
    .compute_output = compute_output,
    .store_reset = store_reset,
    .reset = reset,
    .bounding_box = bounding_box,
    SOFA_IMPLEMENTS({SOFA_MECHANICAL_STATE, SOFA_NO_OPS}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
