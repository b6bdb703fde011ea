/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PenalityContactForceField: a spring along the normal of each contact that only pushes.
 *
 * With the places x1, x2, the normal n from the first to the second and the distance d at which the
 * force begins, the depth is p = d - (x2 - x1) . n. Where p > 0 the force on the second place is
 * ks p n, on the first the opposite: minus the gradient of ks p^2 / 2. ks is the product of both
 * models' contactStiffness over d. Normals, places and distances are those of the detection, which
 * the step keeps. */
#include <math.h>

#include "components/collision/response/contact_field.h"
#include "math/quaternion.h"

enum { QUIRK_RADIUS_TWICE = 1, QUIRK_ARMS = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_RADIUS_TWICE, "contact-radius-twice",
     "the radius of a sphere on a frame is added to the contact distance, also where the contact "
     "point is on its surface",
     "test_response_penalty.radius_of_spheres_on_frames"},
    {QUIRK_ARMS, "contact-arms",
     "the stiffness of a contact on a frame leaves out the derivative of the torque by the turning "
     "of its lever arm",
     "test_response_penalty.lever_arms"},
};

/* What belongs to a contact. */
typedef struct Spring {
  double distance, stiffness; /* m: the force acts below; N/m */
  double depth, rho[2][3];    /* kept of the last point */
} Spring;
SOFA_LIST(Spring, Springs);

typedef struct PenalityContactForceField {
  ContactField contact;
  Springs springs; /* of each contact */
} PenalityContactForceField;

/* ---- detections ---- */

static bool supports(const SofaCollisionKind *first, const SofaCollisionKind *second) {
  return first != &sofa_collision_ray && second != &sofa_collision_ray;
}

/* The body around a place reaches this far towards the other: a sphere's radius less the way from
 * the centre to the place. */
static double radius_towards(const ContactField *f, const Contact *c, int end) {
  const SofaContactPoint *place = &c->place[end];
  double rho[3];
  if (place->radius == 0 || !contact_on_frame(f, end) ||
      sofa_quirk(&f->force_field.object, QUIRK_RADIUS_TWICE))
    return place->radius;
  const double *frame = SOFA_POSE(f->force_field.state[end]->position.data, place->index[0]);
  sofa_quat_rotate(frame + 3, place->arm, rho);
  const double along = sofa_vec3_dot(rho, c->found.normal);
  return fmax(0, place->radius - (end ? -along : along));
}

static SofaErr set(SofaObject *object, const SofaIntersection *method, const SofaDetection *all,
                   size_t n) {
  PenalityContactForceField *s = (PenalityContactForceField *)object;
  ContactField *f = &s->contact;
  f->contacts.n = 0;
  sofa_force_field_forget_point(&f->force_field);
  if (n == 0) return SOFA_OK;
  const double skin = sofa_contact_distance(method, f->model[0], f->model[1]);
  const double stiffness = f->model[0]->stiffness * f->model[1]->stiffness;
  SOFA_TRY(contact_field_filter(f, all, n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &s->springs, f->kept.n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &f->contacts, f->kept.n));
  for (size_t i = 0; i < f->kept.n; i++) {
    Contact *c = &f->contacts.data[i];
    contact_make(f, &all[f->kept.data[i]], c);
    const double d = skin + radius_towards(f, c, 0) + radius_towards(f, c, 1);
    s->springs.data[i] = (Spring){.distance = d, .stiffness = d > 0 ? stiffness / d : stiffness};
  }
  return SOFA_OK;
}

/* ---- forces ---- */

/* x2 - x1, and the arms of both places */
static void separation(const ContactField *f, const Contact *c, const double *const *x,
                       double rho[2][3], double u[3]) {
  double p[2][3];
  for (int end = 0; end < 2; end++) contact_place(f, c, end, x[end], p[end], rho[end]);
  sofa_vec3_sub(p[1], p[0], u);
}

static double depth_at(const ContactField *f, const Contact *c, const Spring *s,
                       const double *const *x, double rho[2][3]) {
  double u[3];
  separation(f, c, x, rho, u);
  return s->distance - sofa_vec3_dot(u, c->found.normal);
}

/* The force on an end. */
static void force_on(const Contact *c, const Spring *s, int end, double force[3]) {
  sofa_vec3_scale((end ? 1 : -1) * s->stiffness * s->depth, c->found.normal, force);
}

static SofaErr linearise(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at) {
  PenalityContactForceField *s = (PenalityContactForceField *)ff;
  const ContactField *f = &s->contact;
  (void)params;
  for (size_t i = 0; i < f->contacts.n; i++) {
    Spring *spring = &s->springs.data[i];
    spring->depth = depth_at(f, &f->contacts.data[i], spring, at->x, spring->rho);
  }
  return SOFA_OK;
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         double *const *forces) {
  const PenalityContactForceField *s = (const PenalityContactForceField *)ff;
  const ContactField *f = &s->contact;
  double force[3];
  SOFA_TRY(linearise(ff, params, at));
  for (size_t i = 0; i < f->contacts.n; i++) {
    const Contact *c = &f->contacts.data[i];
    const Spring *spring = &s->springs.data[i];
    for (int end = 0; end < 2 && spring->depth > 0; end++) {
      force_on(c, spring, end, force);
      contact_add_force(f, c, end, spring->rho[end], force, forces[end]);
    }
  }
  return SOFA_OK;
}

/* ---- derivatives ---- */

/* Do lever arms of this end turn with the tangent? */
static bool arm_turns(const ContactField *f, int end) {
  return contact_on_frame(f, end) && !sofa_quirk(&f->force_field.object, QUIRK_ARMS);
}

static void add_product(const ContactField *f, const Contact *c, const Spring *s, double by,
                        const double *const *dx, double *const *df) {
  double moved[2][3], u[3], force[3];
  for (int end = 0; end < 2; end++) contact_move(f, c, end, s->rho[end], dx[end], moved[end]);
  sofa_vec3_sub(moved[1], moved[0], u);
  const double t = by * s->stiffness * sofa_vec3_dot(u, c->found.normal);
  for (int end = 0; end < 2; end++) {
    sofa_vec3_scale(end ? -t : t, c->found.normal, force);
    contact_add_force(f, c, end, s->rho[end], force, df[end]);
    if (!arm_turns(f, end)) continue;
    force_on(c, s, end, force);
    contact_add_arm_product(c, end, s->rho[end], force, by, dx[end], df[end]);
  }
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  const PenalityContactForceField *s = (const PenalityContactForceField *)ff;
  const ContactField *f = &s->contact;
  const double by = sofa_kfactor(ff, params);
  (void)at;
  for (size_t i = 0; i < f->contacts.n; i++)
    if (s->springs.data[i].depth > 0)
      add_product(f, &f->contacts.data[i], &s->springs.data[i], by, dx, df);
  return SOFA_OK;
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                     const SofaTangent *tangent) {
  const PenalityContactForceField *s = (const PenalityContactForceField *)ff;
  const ContactField *f = &s->contact;
  double k[9], force[3];
  (void)params, (void)at;
  for (size_t i = 0; i < f->contacts.n; i++) {
    const Contact *c = &f->contacts.data[i];
    const Spring *spring = &s->springs.data[i];
    if (!(spring->depth > 0)) continue;
    sofa_mat3_outer(c->found.normal, c->found.normal, k);
    sofa_mat3_scale(spring->stiffness, k, k);
    contact_add_matrix(f, c, spring->rho, k, tangent);
    for (int end = 0; end < 2; end++) {
      if (!arm_turns(f, end)) continue;
      force_on(c, spring, end, force);
      contact_add_arm_matrix(f, c, end, spring->rho[end], force, tangent);
    }
  }
  return SOFA_OK;
}

static SofaErr potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *energy) {
  const PenalityContactForceField *s = (const PenalityContactForceField *)ff;
  const ContactField *f = &s->contact;
  double sum = 0, rho[2][3];
  (void)params;
  for (size_t i = 0; i < f->contacts.n; i++) {
    const Spring *spring = &s->springs.data[i];
    const double depth = depth_at(f, &f->contacts.data[i], spring, at->x, rho);
    if (depth > 0) sum += 0.5 * spring->stiffness * depth * depth;
  }
  *energy = sum;
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = add_force,
    .add_dforce = add_dforce,
    .add_k = add_k,
    .potential_energy = potential_energy,
    .linearise = linearise,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* ---- results ---- */

static SofaErr report(const SofaObject *object, SofaContactReports *out) {
  const PenalityContactForceField *s = (const PenalityContactForceField *)object;
  const ContactField *f = &s->contact;
  for (size_t i = 0; i < f->contacts.n; i++) {
    const Contact *c = &f->contacts.data[i];
    SofaContactReport row;
    Spring spring = s->springs.data[i];
    contact_report(f, c, spring.distance, &row);
    spring.depth = -row.gap;
    if (spring.depth > 0) force_on(c, &spring, 1, row.force);
    SOFA_TRY(SOFA_APPEND(object->ctx, out, &row));
  }
  return SOFA_OK;
}

static const SofaContactOps contact_ops = {
    .supports = supports, .connect = contact_field_connect, .set = set, .report = report};

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((PenalityContactForceField *)object)->springs);
}

SOFA_CLASS(PenalityContactForceField) = {
    SOFA_NAMED(PenalityContactForceField),
    .module = "Sofa.Component.Collision.Response.Contact",
    .category = "InteractionForceField",
    .help = "The response to contacts by springs along their normals that push two bodies apart. "
            "A contact manager makes it where two collision models touch; in a scene file it does "
            "nothing.",
    .base = &contact_field_class,
    SOFA_QUIRKS(quirks),
    .templates = contact_field_templates,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_CONTACT, &contact_ops},
                    {SOFA_DRAW, &contact_field_draw}),
};
