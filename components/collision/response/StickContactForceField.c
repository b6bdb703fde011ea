/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StickContactForceField: a spring between the two places of each contact, in all directions.
 *
 * With the places x1, x2 and the rest vector r = x2 - x1 of the moment of contact:
 * f1 = ks (x2 - x1 - r) + kd (v2 - v1) = -f2. ks is the sum of both models' contactStiffness, kd of
 * their contactFriction. A spring lasts as long as the detection finds a contact with its id. */
#include "components/collision/response/contact_field.h"
#include "object/checkpoint.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/vec.h"
#include "numerics/fem/linear_spring_kernels.h"

enum { QUIRK_STICK_REMADE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_STICK_REMADE, "stick-remade",
     "sticking contacts are made again, at rest, by each detection that finds them",
     "test_response_stick.springs_last"},
    QUIRK_SPRING_DAMPING_MATRIX_ROW,
};

SOFA_LIST(SofaVectorSpring, StickSprings);

typedef struct StickContactForceField {
  ContactField contact;
  bool keep_alive;
  double stiffness, damping, distance; /* N/m; N s/m; m: contact distance with the skins */
  SofaVec3s rest;                      /* of each contact, m */
  Contacts old;                        /* workspace: those of the detection before */
  SofaVec3s old_rest;
  StickSprings springs; /* the contacts, where all of them are between two points; else none */
} StickContactForceField;

typedef StickContactForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(keep_alive, "keepAlive", "1", "",
             "the last springs stay when the bodies do not touch any more"),
};

/* ---- detections ---- */

static bool supports(const SofaCollisionKind *first, const SofaCollisionKind *second) {
  return first != &sofa_collision_ray && second != &sofa_collision_ray;
}

/* The contact with the id in the detection before; the search begins at *from, where it most
 * likely is. */
static const Contact *find_old(const StickContactForceField *s, int64_t id, size_t *from) {
  for (size_t k = 0; k < s->old.n; k++) {
    const size_t i = *from + k < s->old.n ? *from + k : *from + k - s->old.n;
    if (s->old.data[i].found.id != id) continue;
    *from = i;
    return &s->old.data[i];
  }
  return NULL;
}

static void make_spring(StickContactForceField *s, size_t i, const SofaDetection *found,
                        size_t *from) {
  ContactField *f = &s->contact;
  const Contact *old = find_old(s, found->id, from);
  if (old) {
    f->contacts.data[i] = *old;
    s->rest.data[i] = s->old_rest.data[*from];
    return;
  }
  contact_make(f, found, &f->contacts.data[i]);
  sofa_vec3_sub(found->point[1], found->point[0], s->rest.data[i].v);
}

/* The springs of the detection before become the old ones. */
static SofaErr begin_springs(StickContactForceField *s, size_t n) {
  ContactField *f = &s->contact;
  SofaContext *ctx = f->force_field.object.ctx;
  const Contacts contacts = f->contacts;
  const SofaVec3s rest = s->rest;
  f->contacts = s->old;
  s->old = contacts;
  s->rest = s->old_rest;
  s->old_rest = rest;
  if (sofa_quirk(&f->force_field.object, QUIRK_STICK_REMADE)) s->old.n = 0;
  f->contacts.n = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &s->rest, n));
  return SOFA_RESIZE(ctx, &f->contacts, n);
}

/* Contacts between points alone are springs between them. */
static SofaErr make_springs(StickContactForceField *s) {
  ContactField *f = &s->contact;
  s->springs.n = 0;
  if (!contact_field_joins_points(f)) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(f->force_field.object.ctx, &s->springs, f->contacts.n));
  for (size_t i = 0; i < f->contacts.n; i++) {
    const Contact *c = &f->contacts.data[i];
    SofaVectorSpring *spring = &s->springs.data[i];
    *spring = (SofaVectorSpring){.m1 = c->place[0].index[0],
                                 .m2 = c->place[1].index[0],
                                 .stiffness = s->stiffness,
                                 .damping = s->damping};
    sofa_vec3_copy(s->rest.data[i].v, spring->rest);
  }
  return SOFA_OK;
}

static SofaErr set(SofaObject *object, const SofaIntersection *method, const SofaDetection *all,
                   size_t n) {
  StickContactForceField *s = (StickContactForceField *)object;
  ContactField *f = &s->contact;
  const SofaCollisionModel *const *m = (const SofaCollisionModel *const *)f->model;
  size_t from = 0;
  if (n == 0 && s->keep_alive) return SOFA_OK;
  sofa_force_field_forget_point(&f->force_field);
  s->stiffness = m[0]->stiffness + m[1]->stiffness;
  s->damping = m[0]->friction + m[1]->friction;
  s->distance = sofa_contact_distance(method, m[0], m[1]);
  SOFA_TRY(contact_field_filter(f, all, n));
  SOFA_TRY(begin_springs(s, f->kept.n));
  for (size_t i = 0; i < f->kept.n; i++, from++) {
    if (from >= s->old.n) from = 0;
    make_spring(s, i, &all[f->kept.data[i]], &from);
  }
  return make_springs(s);
}

/* ---- forces ---- */

/* x2 - x1 - r, and the arms of both places. */
static void stretch(const StickContactForceField *s, size_t i, const SofaPoint *at,
                    double rho[2][3], double u[3]) {
  double p[2][3];
  const ContactField *f = &s->contact;
  for (int end = 0; end < 2; end++)
    contact_place_at(f, &f->contacts.data[i], end, at, p[end], rho[end]);
  sofa_vec3_sub(p[1], p[0], u);
  sofa_vec3_sub(u, s->rest.data[i].v, u);
}

/* Adds the force f1 on the first place and the opposite on the second. */
static void add_pair(const ContactField *f, const Contact *c, const double rho[2][3],
                     const double f1[3], double *const *to) {
  double f2[3];
  sofa_vec3_scale(-1, f1, f2);
  contact_add_force(f, c, 0, rho[0], f1, to[0]);
  contact_add_force(f, c, 1, rho[1], f2, to[1]);
}

/* Those that make_springs made of the contacts as they are. */
static bool has_springs(const StickContactForceField *s) {
  return s->springs.n > 0 && s->springs.n == s->contact.contacts.n;
}

static void force_at(const StickContactForceField *s, size_t i, const SofaPoint *at,
                     double rho[2][3], double f1[3]) {
  const ContactField *f = &s->contact;
  double u[3], v[2][3];
  stretch(s, i, at, rho, u);
  for (int end = 0; end < 2; end++)
    contact_velocity(f, &f->contacts.data[i], end, rho[end], at, v[end]);
  for (int k = 0; k < 3; k++) f1[k] = s->stiffness * u[k] + s->damping * (v[1][k] - v[0][k]);
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         double *const *forces) {
  StickContactForceField *s = (StickContactForceField *)ff;
  double rho[2][3], f1[3];
  (void)params;
  if (s->springs.n != s->contact.contacts.n) SOFA_TRY(make_springs(s));
  if (has_springs(s)) {
    const SofaVectorSpringRange all = {s->springs.data, 0, s->springs.n, NULL};
    sofa_linear_spring_kernels(ff->object.ctx)->vector_force(&all, at, forces);
    return SOFA_OK;
  }
  for (size_t i = 0; i < s->contact.contacts.n; i++) {
    force_at(s, i, at, rho, f1);
    add_pair(&s->contact, &s->contact.contacts.data[i], rho, f1, forces);
  }
  return SOFA_OK;
}

/* ---- derivatives ---- */

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  const StickContactForceField *s = (const StickContactForceField *)ff;
  const ContactField *f = &s->contact;
  const SofaSpringFactors by = sofa_spring_factors(ff, params);
  const bool frames = contact_on_frame(f, 0) || contact_on_frame(f, 1);
  double rho[2][3] = {{0}}, u[3], f1[3];
  if (has_springs(s)) {
    const SofaVectorSpringRange all = {s->springs.data, 0, s->springs.n, NULL};
    sofa_linear_spring_kernels(ff->object.ctx)->vector_product(&all, by.k, by.b, dx, df);
    return SOFA_OK;
  }
  for (size_t i = 0; i < f->contacts.n; i++) {
    const Contact *c = &f->contacts.data[i];
    if (frames) force_at(s, i, at, rho, f1);
    for (int end = 0; end < 2 && frames; end++) {
      sofa_vec3_scale(end ? -by.k : by.k, f1, u);
      if (contact_on_frame(f, end)) contact_add_arm_product(c, end, rho[end], u, dx[end], df[end]);
    }
    contact_change(f, c, rho, at, dx, u);
    sofa_vec3_scale(by.k * s->stiffness + by.b * s->damping, u, u);
    add_pair(f, c, rho, u, df);
  }
  return SOFA_OK;
}

/* K I between all places. */
static void add_isotropic(const StickContactForceField *s, double k, const SofaPoint *at,
                          const SofaTangent *tangent) {
  const ContactField *f = &s->contact;
  double matrix[9], rho[2][3], u[3];
  sofa_mat3_diagonal(k, k, k, matrix);
  for (size_t i = 0; i < f->contacts.n; i++) {
    stretch(s, i, at, rho, u);
    contact_add_matrix(f, &f->contacts.data[i], rho, matrix, tangent);
  }
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                     const SofaTangent *tangent) {
  const StickContactForceField *s = (const StickContactForceField *)ff;
  const ContactField *f = &s->contact;
  double rho[2][3], force[3];
  (void)params;
  add_isotropic(s, s->stiffness, at, tangent);
  for (size_t i = 0; i < f->contacts.n; i++)
    for (int end = 0; end < 2; end++) {
      if (!contact_on_frame(f, end)) continue;
      force_at(s, i, at, rho, force);
      if (end) sofa_vec3_scale(-1, force, force);
      contact_add_arm_matrix(f, &f->contacts.data[i], end, rho[end], force, tangent);
    }
  return SOFA_OK;
}

static SofaErr add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                     const SofaTangent *tangent) {
  const StickContactForceField *s = (const StickContactForceField *)ff;
  (void)params;
  if (s->damping != 0 && !sofa_spring_damps_late(ff)) add_isotropic(s, s->damping, at, tangent);
  return SOFA_OK;
}

static SofaErr potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *energy) {
  const StickContactForceField *s = (const StickContactForceField *)ff;
  double sum = 0, rho[2][3], u[3];
  (void)params;
  for (size_t i = 0; i < s->contact.contacts.n; i++) {
    stretch(s, i, at, rho, u);
    sum += 0.5 * s->stiffness * sofa_vec3_dot(u, u);
  }
  *energy = sum;
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = add_force,
    .add_dforce = add_dforce,
    .add_k = add_k,
    .add_b = add_b,
    .potential_energy = potential_energy,
    .tangent_is_dforce = true,
};

/* ---- results ---- */

static SofaErr report(const SofaObject *object, SofaContactReports *out) {
  const StickContactForceField *s = (const StickContactForceField *)object;
  const ContactField *f = &s->contact;
  const double *x[2], *v[2];
  for (int end = 0; end < 2; end++) {
    x[end] = f->force_field.state[end]->position.data;
    v[end] = f->force_field.state[end]->velocity.data;
  }
  const SofaPoint at = {.x = x, .v = v, .n = 2};
  for (size_t i = 0; i < f->contacts.n; i++) {
    const Contact *c = &f->contacts.data[i];
    double rho[2][3];
    SofaContactReport row;
    contact_report(f, c, s->distance + c->place[0].radius + c->place[1].radius, &row);
    force_at(s, i, &at, rho, row.force);
    sofa_vec3_scale(-1, row.force, row.force);
    SOFA_TRY(SOFA_APPEND(object->ctx, out, &row));
  }
  return SOFA_OK;
}

static const SofaContactOps contact_ops = {
    .supports = supports, .connect = contact_field_connect, .set = set, .report = report};

static void destroy(SofaObject *object) {
  StickContactForceField *s = (StickContactForceField *)object;
  sofa_list_free(object->ctx, &s->rest);
  sofa_list_free(object->ctx, &s->old);
  sofa_list_free(object->ctx, &s->old_rest);
  sofa_list_free(object->ctx, &s->springs);
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP_LIST(StickContactForceField, rest),
    SOFA_KEEP(StickContactForceField, stiffness),
    SOFA_KEEP(StickContactForceField, damping),
    SOFA_KEEP(StickContactForceField, distance),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(StickContactForceField, old),
    SOFA_REMADE(StickContactForceField, old_rest),
    SOFA_REMADE(StickContactForceField, springs),
};

SOFA_CLASS(StickContactForceField) = {
    SOFA_NAMED(StickContactForceField),
    .module = "Sofa.Component.Collision.Response.Contact",
    .category = "InteractionForceField",
    .help = "The response to contacts by damped springs that hold the places that touched where "
            "they were to each other. A contact manager makes it where two collision models "
            "touch; in a scene file it does nothing.",
    .equations = "f_1 = k (x_2 - x_1 - r) + c (v_2 - v_1), f_2 = -f_1\n"
                 "\"x_1, x_2: places that touched, r: x_2 - x_1 at that moment\"",
    .base = &contact_field_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    SOFA_FIELDS(fields),
    SOFA_QUIRKS(quirks),
    .templates = contact_field_templates,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_CONTACT, &contact_ops}),
};
