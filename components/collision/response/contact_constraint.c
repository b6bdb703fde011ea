/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/response/contact_constraint.h"
#include "object/checkpoint.h"

#include <math.h>
#include <string.h>

#include "math/vec.h"

enum {
  QUIRK_CONTACT_TANGENTS = 1 << 19,
  QUIRK_FREE_ARMS = 1 << 20,
  QUIRK_STIFFNESS_ZERO = 1 << 21,
  QUIRK_LATE_IDS = 1 << 22,
  QUIRK_SPHERE_ARMS = 1 << 23,
};
static const SofaQuirk quirks[] = {
    {QUIRK_CONTACT_TANGENTS, "contact-tangents",
     "friction has SOFA's tangents, which are not numbers for normals along (1, 1, 1)",
     "test_contact_constraint.tangents"},
    {QUIRK_FREE_ARMS, "contact-free-arms",
     "rows of contacts on frames have the lever arms of the free motion",
     "test_contact_constraint.arms"},
    {QUIRK_STIFFNESS_ZERO, "contact-without-stiffness",
     "models with contactStiffness 0 have no contacts by constraints",
     "test_contact_constraint.without_stiffness"},
    {QUIRK_LATE_IDS, "contact-late-ids",
     "a contact is recognised from the third solve on, not from the second",
     "test_contact_constraint.late_ids"},
    {QUIRK_SPHERE_ARMS, "contact-sphere-arms",
     "friction acts on a sphere on a frame where the detection puts the contact, at the centre or "
     "on "
     "the surface",
     "test_contact_physics.spheres_roll"},
};

/* Of objects in a scene; those of a contact manager have the kinds of their states. */
const char *const contact_constraint_templates[] = {"Vec3d", NULL};

/* ---- life ---- */

bool contact_constraint_supports(const SofaCollisionKind *first, const SofaCollisionKind *second) {
  return first != &sofa_collision_ray && second != &sofa_collision_ray;
}

/* Is there another one in the graph? */
static SofaVisit find_other(SofaNode *node, void *user) {
  const SofaObject **self = user;
  for (size_t i = 0; i < node->objects.n; i++) {
    const SofaObject *object = node->objects.data[i];
    if (object == *self || !sofa_implements(object, SOFA_LAGRANGIAN) ||
        !sofa_implements(object, SOFA_CONTACT))
      continue;
    *self = NULL;
    return SOFA_STOP;
  }
  return SOFA_CONTINUE;
}

SofaErr contact_constraint_connect(SofaObject *contact, SofaCollisionModel *first,
                                   SofaCollisionModel *second) {
  ContactConstraint *c = (ContactConstraint *)contact;
  SofaNode *root = sofa_node_root(contact->node);
  const SofaObject *self = contact;
  c->model[0] = first;
  c->model[1] = second;
  for (int end = 0; end < 2; end++) c->lagrangian.state[end] = c->model[end]->state;
  SOFA_TRY(sofa_visit(root, &(SofaVisitor){find_other, NULL, (void *)&self, .inactive_too = true}));
  c->made_first = c->first_of_scene = self != NULL;
  return SOFA_OK;
}

static void drop(ContactConstraint *c) {
  c->contacts.n = c->lagrangian.forces.n = 0;
  c->reported = false;
}

static SofaErr reset(SofaObject *object) {
  ContactConstraint *c = (ContactConstraint *)object;
  drop(c);
  c->first_of_scene = c->made_first;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((ContactConstraint *)object)->contacts);
}

/* Points and elements have other indices: the next detection makes the contacts again. */
static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  ContactConstraint *c = (ContactConstraint *)object;
  for (int end = 0; end < 2; end++) {
    const SofaCollisionModel *m = c->model[end];
    if (!m || !(sofa_change_moves(change, m->state) || change->topology == m->topology)) continue;
    c->contacts.n = c->lagrangian.forces.n = 0;
  }
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = listen};

static const SofaKeptMember kept_members[] = {
    SOFA_KEEP_LIST(ContactConstraint, contacts), SOFA_KEEP(ContactConstraint, friction),
    SOFA_KEEP(ContactConstraint, made_first),    SOFA_KEEP(ContactConstraint, first_of_scene),
    SOFA_KEEP(ContactConstraint, reported),
};

const SofaClass contact_constraint_class = {
    .name = "ContactConstraint",
    .module = "csofa",
    .category = "ConstraintSet",
    .help = "Lagrangian constraints at the places where two collision models touch.",
    .base = &sofa_lagrangian_class,
    SOFA_KEEPS(kept_members),
    .size = sizeof(ContactConstraint),
    .abstract = true,
    SOFA_QUIRKS(quirks),
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}),
};

/* ---- detections ---- */

/* Two unit vectors across n. */
static void tangents(const double n[3], bool as_sofa, double t[3], double s[3]) {
  double other[3] = {n[2], n[0], n[1]}, minus[3];
  if (!as_sofa) {
    int smallest = 0;
    for (int k = 1; k < 3; k++)
      if (fabs(n[k]) < fabs(n[smallest])) smallest = k;
    for (int k = 0; k < 3; k++) other[k] = k == smallest;
  }
  sofa_vec3_cross(n, other, s);
  sofa_vec3_scale(1 / sofa_vec3_norm(s), s, s);
  sofa_vec3_scale(-1, n, minus);
  sofa_vec3_cross(minus, s, t);
}

/* Contacts of a sphere are found at its centre; they rub at its surface. */
static double to_surface(const ContactConstraint *c, const ContactRows *rows, int end) {
  const SofaContactPoint *place = &rows->place[end];
  const bool frame = contact_place_on_frame(contact_constraint_state(c, end));
  if (!frame || sofa_quirk(&c->lagrangian.object, QUIRK_SPHERE_ARMS)) return 0;
  return sofa_vec3_norm(place->arm) < 0.5 * place->radius ? place->radius : 0;
}

void contact_constraint_make(const ContactConstraint *c, const SofaIntersection *method,
                             const SofaDetection *found, ContactRows *out) {
  const SofaCollisionModel *const *m = (const SofaCollisionModel *const *)c->model;
  *out = (ContactRows){.found = *found, .distance = sofa_contact_distance(method, m[0], m[1])};
  for (int end = 0; end < 2; end++) {
    m[end]->ops->contact_point(m[end], found->element[end], found->point[end], &out->place[end]);
    out->distance += out->place[end].radius;
    out->surface[end] = to_surface(c, out, end);
  }
  sofa_vec3_copy(found->normal, out->direction[0]);
  if (contact_physics_directions(c, out)) return;
  tangents(found->normal, sofa_quirk(&c->lagrangian.object, QUIRK_CONTACT_TANGENTS),
           out->direction[1], out->direction[2]);
}

bool contact_constraint_allowed(const ContactConstraint *c, size_t n) {
  const SofaObject *object = &c->lagrangian.object;
  if (n == 0 || !sofa_quirk(object, QUIRK_STIFFNESS_ZERO)) return true;
  for (int end = 0; end < 2; end++) {
    if (c->model[end]->stiffness != 0) continue;
    sofa_object_message(object, SOFA_WARNING, "'%s' has contactStiffness 0: there are no contacts",
                        c->model[end]->object.name);
    return false;
  }
  return true;
}

/* Is there a kept contact at the same two places? As in SOFA, the first of such contacts stays. A
 * comparison of all pairs: the constraint problem has as many entries. */
static bool is_double(const ContactRowsList *kept, const SofaDetection *found) {
  const double near = 9.99999994e-9; /* m^2: 1e-8 in single precision */
  double a[3], b[3];
  for (size_t i = 0; i < kept->n; i++) {
    const SofaDetection *other = &kept->data[i].found;
    sofa_vec3_sub(found->point[0], other->point[0], a);
    sofa_vec3_sub(found->point[1], other->point[1], b);
    if (sofa_vec3_norm2(a) + sofa_vec3_norm2(b) < near) return true;
  }
  return false;
}

SofaErr contact_constraint_set(SofaObject *object, const SofaIntersection *method,
                               const SofaDetection *all, size_t n) {
  ContactConstraint *c = (ContactConstraint *)object;
  c->contacts.n = c->lagrangian.forces.n = 0;
  if (n == 0 && c->reported) {
    drop(c);
    c->first_of_scene = false;
  }
  if (!contact_constraint_allowed(c, n)) return SOFA_OK;
  if (n > c->contacts.capacity) SOFA_TRY(SOFA_RESERVE(object->ctx, &c->contacts, n + n / 2 + 8));
  for (size_t i = 0; i < n; i++)
    if (!is_double(&c->contacts, &all[i]))
      contact_constraint_make(c, method, &all[i], &c->contacts.data[c->contacts.n++]);
  return SOFA_OK;
}

/* ---- places ---- */

void contact_constraint_places(const ContactConstraint *c, const ContactRows *rows,
                               const double *const x[2], double p[2][3], double rho[2][3]) {
  for (int end = 0; end < 2; end++)
    contact_place_position(contact_constraint_state(c, end), &rows->place[end], x[end], p[end],
                           rho[end]);
}

/* Those of the rows: now, or with the quirk in the free motion. */
static void find_arms(const ContactConstraint *c, const ContactRows *rows, double rho[2][3]) {
  const bool free = sofa_quirk(&c->lagrangian.object, QUIRK_FREE_ARMS);
  double p[2][3];
  const double *x[2];
  for (int end = 0; end < 2; end++) {
    const SofaState *s = contact_constraint_state(c, end);
    x[end] = free ? sofa_free_position(s) : s->position.data;
  }
  contact_constraint_places(c, rows, x, p, rho);
  for (int end = 0; end < 2; end++)
    sofa_vec3_axpy(end ? -rows->surface[1] : rows->surface[0], rows->found.normal, rho[end]);
}

static void relative_motion(const ContactConstraint *c, const ContactRows *rows,
                            const double *const dx[2], double out[3]) {
  double rho[2][3], v[2][3];
  find_arms(c, rows, rho);
  for (int end = 0; end < 2; end++)
    contact_place_motion(contact_constraint_state(c, end), &rows->place[end], rho[end], dx[end],
                         v[end]);
  sofa_vec3_sub(v[1], v[0], out);
}

void contact_constraint_velocity(const ContactConstraint *c, const ContactRows *rows,
                                 double out[3]) {
  const double *const v[2] = {sofa_free_velocity(contact_constraint_state(c, 0)),
                              sofa_free_velocity(contact_constraint_state(c, 1))};
  relative_motion(c, rows, v, out);
}

double contact_constraint_closing(const ContactConstraint *c, const ContactRows *rows) {
  const double *const v[2] = {contact_constraint_state(c, 0)->velocity.data,
                              contact_constraint_state(c, 1)->velocity.data};
  double out[3];
  relative_motion(c, rows, v, out);
  return -sofa_vec3_dot(out, rows->direction[0]);
}

double contact_constraint_gap(const ContactConstraint *c, const ContactRows *rows, bool free) {
  double p[2][3], rho[2][3], u[3];
  const double *x[2];
  for (int end = 0; end < 2; end++) {
    const SofaState *s = contact_constraint_state(c, end);
    x[end] = free ? sofa_free_position(s) : s->position.data;
  }
  contact_constraint_places(c, rows, x, p, rho);
  sofa_vec3_sub(p[1], p[0], u);
  return sofa_vec3_dot(u, rows->direction[0]) - rows->distance;
}

/* ---- rows ---- */

/* A row of a contact at one end. */
typedef struct RowEnd {
  uint32_t row;
  int end;
  const double *direction, *rho;
} RowEnd;

/* direction . J of each point of the place */
static SofaErr add_entries(const ContactConstraint *c, SofaConstraintProblem *problem,
                           const ContactRows *rows, const RowEnd *at) {
  const SofaState *state = contact_constraint_state(c, at->end);
  const SofaContactPoint *place = &rows->place[at->end];
  const double sign = at->end ? 1 : -1, *n = at->direction;
  double j[18], entry[6];
  for (unsigned i = 0; i < place->n; i++) {
    const unsigned width = contact_place_jacobian(state, place, i, at->rho, j);
    for (unsigned k = 0; k < width; k++)
      entry[k] = sign * (n[0] * j[k] + n[1] * j[width + k] + n[2] * j[2 * width + k]);
    SOFA_TRY(sofa_constraint_entry(problem, state, at->row, place->index[i], entry));
  }
  return SOFA_OK;
}

SofaErr contact_constraint_rows(const ContactConstraint *c, SofaConstraintProblem *problem,
                                const ContactRows *rows, uint32_t first, uint32_t n) {
  double rho[2][3];
  find_arms(c, rows, rho);
  for (uint32_t r = 0; r < n; r++)
    for (int end = 0; end < 2; end++) {
      const RowEnd at = {first + r, end, rows->direction[r], rho[end]};
      SOFA_TRY(add_entries(c, problem, rows, &at));
    }
  return SOFA_OK;
}

static uint32_t rows_of_contact(const ContactConstraint *c) {
  return contact_physics_turns(&c->physics) ? 6 : c->friction > 0 ? 3 : 1;
}

/* The same contact has the same id in the next step. SOFA's ids are those of the detections made
 * unique by the number of the contact object, and negative when they are given for the first time;
 * 0 is its own negative. */
static int64_t id_of(const ContactConstraint *c, const ContactRows *rows) {
  const int64_t id = rows->found.id + (c->first_of_scene ? 0 : 1);
  const bool first = !c->reported && sofa_quirk(&c->lagrangian.object, QUIRK_LATE_IDS);
  return first ? -id : id;
}

SofaErr contact_constraint_build(ContactConstraint *c, SofaConstraintProblem *problem,
                                 SofaConstraintBlock *block) {
  uint32_t first;
  block->n = rows_of_contact(c);
  block->friction = c->friction;
  for (size_t i = 0; i < c->contacts.n; i++) {
    ContactRows *rows = &c->contacts.data[i];
    block->id = id_of(c, rows);
    contact_physics_block(c, problem, rows, block);
    SOFA_TRY(sofa_constraint_block(problem, block, &first));
    SOFA_TRY(contact_constraint_rows(c, problem, rows, first, block->n < 3 ? block->n : 3));
    if (block->n > 3) SOFA_TRY(contact_physics_rows(c, problem, rows, first + 3));
  }
  c->reported = c->contacts.n > 0;
  return SOFA_OK;
}

/* ---- violations ---- */

/* The share of the free motion behind which the places touch: the way of friction begins there. 0:
 * they touch from the beginning on, 1: not in this step. delta, dn: gaps at the beginning and at
 * the end; size: of the motion. */
static double begin_of_contact(double delta, double dn, double size) {
  if (fabs(delta) < 1e-5 * size && fabs(dn) < 1e-5 * size) return 0;
  if (!(fabs(delta - dn) > 0.001 * delta)) return 0;
  const double share = delta / (delta - dn);
  if (share > 0 && share < 1) return share;
  return dn < 0 ? 0 : 1;
}

/* The end of a step by positions. target: the gap that it is to have; an impact rubs over the whole
 * step. *share: of the motion, in which the places touch. */
typedef struct ContactEnd {
  double target;
  bool impact;
  uint32_t n;
  double share;
} ContactEnd;

/* How the places move on each other: the motion of the places, and turns of spheres. */
static void find_slip(const ContactConstraint *c, const ContactRows *rows, const double way[2][3],
                      double slip[3]) {
  double turn[3], arm[3], part[3];
  sofa_vec3_sub(way[1], way[0], slip);
  for (int end = 0; end < 2; end++) {
    if (rows->surface[end] == 0) continue; // both ends: minus the radius of the first times n
    contact_physics_turn_of(contact_constraint_state(c, end), rows->place[end].index[0], false,
                            turn);
    sofa_vec3_scale(-rows->surface[end], rows->found.normal, arm);
    sofa_vec3_cross(turn, arm, part);
    sofa_vec3_add(slip, part, slip);
  }
}

/* now, then: the places at the start and in the free motion. */
static void position_violation(const ContactConstraint *c, const ContactRows *rows,
                               const double now[2][3], const double then[2][3], ContactEnd *end,
                               double *d) {
  double u0[3], u1[3], way[2][3], slip[3];
  sofa_vec3_sub(now[1], now[0], u0);
  sofa_vec3_sub(then[1], then[0], u1);
  for (int k = 0; k < 2; k++) sofa_vec3_sub(then[k], now[k], way[k]);
  d[0] = sofa_vec3_dot(u1, rows->direction[0]) - rows->distance;
  const double delta = sofa_vec3_dot(u0, rows->direction[0]) - rows->distance;
  const double size = sofa_vec3_norm(way[0]) + sofa_vec3_norm(way[1]);
  end->share = end->n == 1 || end->impact ? 1 : 1 - begin_of_contact(delta, d[0], size);
  if (end->n > 1) find_slip(c, rows, way, slip);
  for (uint32_t k = 1; k < 3 && k < end->n; k++)
    d[k] = end->share * sofa_vec3_dot(slip, rows->direction[k]);
  d[0] -= end->target;
}

static void velocity_violation(const ContactConstraint *c, const ContactRows *rows, double gap,
                               double dt, double *d) {
  const uint32_t n = rows_of_contact(c);
  double v[3];
  contact_constraint_velocity(c, rows, v);
  for (uint32_t k = 0; k < 3 && k < n; k++) d[k] = sofa_vec3_dot(v, rows->direction[k]);
  d[0] += gap / dt;
}

static void violation(const ContactConstraint *c, const SofaConstraintProblem *problem,
                      const ContactRows *rows, const double *const x[2],
                      const double *const free[2], double *d) {
  double now[2][3], then[2][3], rho[2][3], u[3];
  contact_constraint_places(c, rows, x, now, rho);
  sofa_vec3_sub(now[1], now[0], u);
  const double gap = sofa_vec3_dot(u, rows->direction[0]) - rows->distance;
  ContactEnd end = {.target = contact_physics_target(problem, rows, gap),
                    .impact = rows->part > 0,
                    .n = rows_of_contact(c),
                    .share = 1};
  if (problem->order == SOFA_CONSTRAIN_VELOCITIES) {
    velocity_violation(c, rows, gap - end.target, problem->dt, d);
  } else {
    contact_constraint_places(c, rows, free, then, rho);
    position_violation(c, rows, now, then, &end, d);
  }
  if (end.n > 3) contact_physics_turn(c, problem, rows, end.share, d + 3);
}

SofaErr contact_constraint_violation(SofaLagrangian *lagrangian,
                                     const SofaConstraintProblem *problem, double *d) {
  const ContactConstraint *c = (const ContactConstraint *)lagrangian;
  const uint32_t n = rows_of_contact(c);
  const double *x[2], *free[2];
  for (int end = 0; end < 2 && c->contacts.n; end++) {
    x[end] = contact_constraint_state(c, end)->position.data;
    free[end] = sofa_free_position(contact_constraint_state(c, end));
  }
  for (size_t i = 0; i < c->contacts.n; i++, d += n)
    violation(c, problem, &c->contacts.data[i], x, free, d);
  return SOFA_OK;
}

/* ---- results ---- */

SofaErr contact_constraint_report(const SofaObject *contact, SofaContactReports *out) {
  const ContactConstraint *c = (const ContactConstraint *)contact;
  const SofaReals *forces = &c->lagrangian.forces;
  for (size_t i = 0; i < c->contacts.n; i++) {
    const ContactRows *rows = &c->contacts.data[i];
    const size_t n = forces->n / c->contacts.n;
    SofaContactReport row;
    contact_place_report(c->model, &rows->found, rows->place, rows->distance, &row);
    for (size_t k = 0; k < n && k < 3; k++)
      sofa_vec3_axpy(forces->data[i * n + k], rows->direction[k], row.force);
    SOFA_TRY(SOFA_APPEND(contact->ctx, out, &row));
  }
  return SOFA_OK;
}
