/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StickContactConstraint: the two places of each contact stay as far apart as they were.
 *
 * Three bilateral rows along the axes of space, d = P - Q - r with r = P - Q of the detection. */
#include "components/collision/response/contact_constraint.h"
#include "components/constraint/lagrangian/model/model.h"
#include "math/vec.h"
#include "object/checkpoint.h"

enum { QUIRK_STICK_CONSTRAINT_REMADE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_STICK_CONSTRAINT_REMADE, "stick-constraint-remade",
     "constraints that stick are made again by each detection that finds them",
     "test_contact_constraint.sticks"},
    QUIRK_JOINT_GUARD_ROW,
};

typedef struct StickContactConstraint {
  ContactConstraint contact;
  bool keep_alive;
  ContactRowsList old; /* workspace: those of the detection before */
} StickContactConstraint;

static const SofaField fields[] = {
    SOFA_FIELD(StickContactConstraint, keep_alive, "keepAlive", "1", "",
               "the last contacts stay when the bodies do not touch any more"),
};

/* ---- detections ---- */

/* The contact with the id in the detection before; the search begins at *from, where it most
 * likely is. */
static const ContactRows *find_old(const ContactRowsList *old, int64_t id, size_t *from) {
  for (size_t k = 0; k < old->n; k++) {
    const size_t i = (*from + k) % old->n;
    if (old->data[i].found.id != id) continue;
    *from = i + 1;
    return &old->data[i];
  }
  return NULL;
}

/* A contact that begins to stick. */
static void begin(ContactRows *rows) {
  rows->surface[0] = rows->surface[1] = 0;
  for (int k = 0; k < 3; k++) sofa_vec3_set(rows->direction[k], k == 0, k == 1, k == 2);
  sofa_vec3_sub(rows->found.point[1], rows->found.point[0], rows->rest);
}

static SofaErr set(SofaObject *object, const SofaIntersection *method, const SofaDetection *all,
                   size_t n) {
  StickContactConstraint *s = (StickContactConstraint *)object;
  ContactConstraint *c = &s->contact;
  size_t from = 0;
  if (n == 0 && s->keep_alive) return SOFA_OK;
  const ContactRowsList last = c->contacts;
  c->contacts = s->old;
  s->old = last;
  if (sofa_quirk(object, QUIRK_STICK_CONSTRAINT_REMADE)) s->old.n = 0;
  SOFA_TRY(contact_constraint_set(object, method, all, n));
  for (size_t i = 0; i < c->contacts.n; i++) {
    ContactRows *rows = &c->contacts.data[i];
    const ContactRows *old = find_old(&s->old, rows->found.id, &from);
    if (old) *rows = *old;
    else begin(rows);
  }
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  ((StickContactConstraint *)object)->old.n = 0;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((StickContactConstraint *)object)->old);
}

/* ---- rows ---- */

static SofaErr build(SofaLagrangian *lagrangian, SofaConstraintProblem *problem) {
  ContactConstraint *c = (ContactConstraint *)lagrangian;
  for (size_t i = 0; i < c->contacts.n; i++) {
    ContactRows *rows = &c->contacts.data[i];
    uint32_t first;
    SOFA_TRY(model_bilateral(problem, model_three_rows(lagrangian), 3, rows->memory, &first));
    SOFA_TRY(contact_constraint_rows(c, problem, rows, first, 3));
  }
  return SOFA_OK;
}

static SofaErr violation(SofaLagrangian *lagrangian, const SofaConstraintProblem *problem,
                         double *d) {
  const ContactConstraint *c = (const ContactConstraint *)lagrangian;
  const bool positions = problem->order == SOFA_CONSTRAIN_POSITIONS;
  double p[2][3], rho[2][3], v[3];
  for (size_t i = 0; i < c->contacts.n; i++, d += 3) {
    const ContactRows *rows = &c->contacts.data[i];
    const double *x[2];
    for (int end = 0; end < 2; end++) {
      const SofaState *s = contact_constraint_state(c, end);
      x[end] = positions ? sofa_free_position(s) : s->position.data;
    }
    contact_constraint_places(c, rows, x, p, rho);
    sofa_vec3_sub(p[1], p[0], d);
    sofa_vec3_sub(d, rows->rest, d);
    if (positions) continue;
    contact_constraint_velocity(c, rows, v);
    for (int k = 0; k < 3; k++) d[k] = v[k] + d[k] / problem->dt;
  }
  return SOFA_OK;
}

static const SofaLagrangianOps ops = {
    .build = build, .violation = violation, .solved = sofa_lagrangian_solved};

static const SofaContactOps contact_ops = {.supports = contact_constraint_supports,
                                           .connect = contact_constraint_connect,
                                           .set = set,
                                           .report = contact_constraint_report};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(StickContactConstraint, old),
};

SOFA_CLASS(StickContactConstraint) = {
    SOFA_NAMED(StickContactConstraint),
    .module = "Sofa.Component.Collision.Response.Contact",
    .category = "ConstraintSet",
    .help = "The response to contacts by Lagrangian constraints that hold the places that touched "
            "where they were to each other. A contact manager makes it where two collision models "
            "touch; in a scene file it does nothing.",
    .equations = "delta = 0",
    .base = &contact_constraint_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = contact_constraint_templates,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &ops}, {SOFA_CONTACT, &contact_ops}),
};
