/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of collision models: common fields, the filters of models, boxes of elements. */
#include "behavior/collision_model.h"

#include "base/team.h"
#include "behavior/collision_boxes_kernels_impl.h"
#include "draw/draw.h"
#include "math/isa.h"
#include "math/vec.h"

const SofaInterface sofa_collision_model_interface = {
    .name = "collision model",
    SOFA_REQUIRES(offsetof(SofaCollisionModelOps, update), offsetof(SofaCollisionModelOps, changed),
                  offsetof(SofaCollisionModelOps, contact_point)),
    .ops_member = offsetof(SofaCollisionModel, ops)};

const SofaCollisionKind sofa_collision_point = {"point", "points", 1},
                        sofa_collision_line = {"line", "lines", 2},
                        sofa_collision_triangle = {"triangle", "triangles", 3},
                        sofa_collision_sphere = {"sphere", "spheres", 1},
                        sofa_collision_rigid_sphere = {"rigid sphere", "rigid spheres", 1},
                        sofa_collision_tetra = {"tetrahedron", "tetrahedra", 4},
                        sofa_collision_cylinder = {"cylinder", "cylinders", 1},
                        sofa_collision_ray = {"ray", "rays", 1};

static const SofaQuirk quirks[] = {
    {SOFA_QUIRK_SELF_GROUPS, "self-collision-groups",
     "models of one node that share a group collide with each other",
     "test_collision_filters.groups"},
};

typedef SofaCollisionModel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(active, "active", "1", "", "detections consider the model"),
    SOFA_ROW(moving, "moving", "1", "",
             "off: boxes and normals are those of the first detection until the elements change"),
    SOFA_ROW(simulated, "simulated", "1", "",
             "off: two such models do not meet; the response to a contact with a simulated model "
             "acts in that model's node"),
    SOFA_ROW(self_collision, "selfCollision", "0", "",
             "elements of the model meet each other, and those of the other models of the node "
             "that have the flag"),
    SOFA_ROW(contact_distance, "contactDistance", "0", "m",
             "skin of the elements: added to the distances of the intersection method",
             .aliases = "proximity", .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(stiffness, "contactStiffness", "10", "",
             "factor of the stiffness of penalty contacts: the product of both models' divided by "
             "the contact distance",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(friction, "contactFriction", "0", "N s/m",
             "damping of sticking contacts; no other response uses it",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW_NO_EFFECT(restitution, "contactRestitution", "0",
                       "no effect, as in SOFA; the response FrictionContactConstraint has one: "
                       "responseParams=\"restitution=0.5\""),
    SOFA_ROW(response, "contactResponse", "", "",
             "response to contacts of this model in place of the contact manager's; \"nullptr\": "
             "none"),
    SOFA_ROW(color, "color", "1 0 0 1", "", "colour of the drawing", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(group, "group", NULL, "", "models that share a group do not collide"),
    SOFA_ROW_OUTPUT(n_contacts, "numberOfContacts", "1", "models that it is in contact with"),
    SOFA_ROW_NO_EFFECT(activer, "collisionElementActiver", NULL,
                       "object that switches elements off: there is none in SOFA or csofa"),
    SOFA_ROW_NO_EFFECT(previous, "previous", NULL, "level of boxes above: pipelines keep it"),
    SOFA_ROW_NO_EFFECT(next, "next", NULL, "level of boxes below: pipelines keep it"),
};

/* ---- filters ---- */

static bool share_a_group(const SofaCollisionModel *a, const SofaCollisionModel *b) {
  for (size_t i = 0; i < a->group.n; i++)
    for (size_t k = 0; k < b->group.n; k++)
      if (a->group.data[i] == b->group.data[k]) return true;
  return false;
}

bool sofa_collision_may_meet(const SofaCollisionModel *a, const SofaCollisionModel *b) {
  if (a == b) return a->self_collision;
  if (!sofa_collision_same_node(a, b)) return !share_a_group(a, b);
  if (!a->self_collision || !b->self_collision) return false;
  return sofa_quirk(&a->object, SOFA_QUIRK_SELF_GROUPS) || !share_a_group(a, b);
}

static bool touches(const SofaCollisionModel *a, uint32_t i, const SofaCollisionModel *b,
                    uint32_t j) {
  return !a->self_collision || !a->ops->may_touch || a->ops->may_touch(a, i, b, j);
}

bool sofa_collision_elements_may_touch(const SofaCollisionModel *a, uint32_t i,
                                       const SofaCollisionModel *b, uint32_t j) {
  if (!sofa_collision_same_node(a, b)) return true;
  return (a != b || i < j) && touches(a, i, b, j);
}

void sofa_collision_triangle_normal(const SofaCollisionModel *m, uint32_t i, double normal[3]) {
  const double *p = sofa_collision_corner(m, i, 0);
  double a[3], b[3];
  if (m->normal) {
    sofa_vec3_copy(m->normal + 3 * (size_t)i, normal);
    return;
  }
  sofa_vec3_sub(sofa_collision_corner(m, i, 1), p, a);
  sofa_vec3_sub(sofa_collision_corner(m, i, 2), p, b);
  sofa_vec3_cross(a, b, normal);
  sofa_vec3_normalize(normal);
}

/* ---- boxes ---- */

enum {
  THREADS_FROM = 8192, /* elements from which on threads are worth while */
  BOXES_AT_ONCE = 1024
};

int sofa_collision_threads(const SofaCollisionModel *m) {
  return m->n < THREADS_FROM ? 1 : m->object.ctx->threads;
}

typedef struct Boxes {
  const SofaCollisionModel *m;
  SofaCollisionBoxes *make;
  const double *x_end;
  double *boxes;
} Boxes;

static void make_some(void *user, size_t begin, size_t end) {
  const Boxes *b = user;
  b->make(b->m, b->x_end, begin, end, b->boxes);
}

void sofa_collision_boxes(const SofaCollisionModel *m, const double *x_end, double *boxes) {
  static SofaCollisionBoxes *const variants[] = SOFA_VARIANTS(sofa_collision_boxes);
  Boxes all = {m, variants[sofa_isa(m->object.ctx)], x_end, boxes};
  if (m->ops->boxes) {
    m->ops->boxes(m, x_end, boxes);
    return;
  }
  if (sofa_collision_threads(m) == 1) make_some(&all, 0, m->n);
  else sofa_team_for(m->object.ctx, m->n, BOXES_AT_ONCE, make_some, &all);
}

/* ---- drawing ---- */

static void draw_element(const SofaCollisionModel *m, uint32_t i, SofaDrawList *list) {
  const SofaRgba color = sofa_rgba(&m->color);
  const double *a = sofa_collision_corner(m, i, 0);
  if (m->kind == &sofa_collision_ray) {
    double end[3];
    for (int k = 0; k < 3; k++) end[k] = a[k] + m->radius[i] * m->normal[3 * (size_t)i + (size_t)k];
    sofa_draw_line(list, a, end, 2, color);
  } else if (m->kind->corners == 1 && m->radius) sofa_draw_sphere(list, a, m->radius[i], color);
  else if (m->kind->corners == 1) sofa_draw_point(list, a, 5, color);
  else if (m->kind->corners == 2) sofa_draw_line(list, a, sofa_collision_corner(m, i, 1), 2, color);
  else if (m->kind->corners == 3)
    sofa_draw_triangle(list, a, sofa_collision_corner(m, i, 1), sofa_collision_corner(m, i, 2),
                       color);
  else
    for (int f = 0; f < 4; f++)
      sofa_draw_triangle(list, sofa_collision_corner(m, i, sofa_tetra_faces[f][0]),
                         sofa_collision_corner(m, i, sofa_tetra_faces[f][1]),
                         sofa_collision_corner(m, i, sofa_tetra_faces[f][2]), color);
}

static void draw_boxes(const SofaCollisionModel *m, SofaDrawList *list) {
  SofaContext *ctx = m->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *boxes = SOFA_SCRATCH(ctx, double, 6 * m->n + 1);
  if (boxes) {
    sofa_collision_boxes(m, NULL, boxes);
    for (size_t i = 0; i < m->n; i++)
      sofa_draw_box(list, boxes + 6 * i, boxes + 6 * i + 3, 1, sofa_rgba(&m->color));
  }
  sofa_scratch_release(ctx, mark);
}

/* Are all corners points of the state? It may have changed since the last update. */
static bool fits(const SofaCollisionModel *m) {
  const size_t n = m->state ? sofa_state_size(m->state) : 0;
  if (!m->corners) return m->n <= n;
  for (size_t i = 0; i < m->n * m->kind->corners; i++)
    if (m->corners[i] >= n) return false;
  return true;
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SofaCollisionModel *m = (const SofaCollisionModel *)object;
  if (!m->active || !m->n || !fits(m)) return;
  if (sofa_display_shows(args->flags, SOFA_DISPLAY_COLLISION_MODELS))
    for (uint32_t i = 0; i < m->n; i++) draw_element(m, i, args->list);
  if (sofa_display_shows(args->flags, SOFA_DISPLAY_BOUNDING_COLLISION_MODELS))
    draw_boxes(m, args->list);
}

/* ---- class ---- */

static SofaErr init(SofaObject *object) {
  SofaCollisionModel *m = (SofaCollisionModel *)object;
  if (m->topology_link.target) m->topology = (SofaTopology *)m->topology_link.target;
  if (m->restitution != 0)
    sofa_object_message(object, SOFA_INFO,
                        "contactRestitution has no effect, as in SOFA; the response "
                        "FrictionContactConstraint has responseParams=\"restitution=%g\"",
                        m->restitution);
  return SOFA_OK;
}

/* The elements as they are at the start, for drawings and the checks of a scene. */
static SofaErr bwd_init(SofaObject *object) {
  SofaCollisionModel *m = (SofaCollisionModel *)object;
  return m->state && sofa_valid(object) ? m->ops->update(m) : SOFA_OK;
}

static const SofaDrawOps draw_ops = {.draw = draw};

const SofaClass sofa_collision_model_class = {
    .name = "CollisionModel",
    .module = "csofa",
    .category = "CollisionModel",
    .help = "Elements of a body that can touch others.",
    .base = &sofa_object_class,
    .size = sizeof(SofaCollisionModel),
    SOFA_FIELDS(fields),
    SOFA_QUIRKS(quirks),
    .init = init,
    .bwd_init = bwd_init,
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
