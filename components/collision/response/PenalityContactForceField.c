/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PenalityContactForceField: a spring along the normal of each contact that only pushes.
 *
 * With the places x1, x2, the normal n from the first to the second and the distance d at which the
 * force begins, the depth is p = d - (x2 - x1) . n. Where p > 0 the force on the second place is
 * ks p n, on the first the opposite: minus the gradient of ks p^2 / 2. ks is the product of both
 * models' contactStiffness over d. Normals, places and distances are those of the detection, which
 * the step keeps. */
#include "components/collision/response/contact_field.h"
#include "object/checkpoint.h"
#include "math/quaternion.h"
#include "numerics/fem/spring_kernels.h"

enum { QUIRK_ARMS = 1, QUIRK_OUTSIDE_BLOCKS = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_ARMS, "contact-arms",
     "the stiffness of a contact on a frame leaves out the derivative of the torque by the turning "
     "of its lever arm",
     "test_response_quirks.lever_arms"},
    {QUIRK_OUTSIDE_BLOCKS, "contact-outside-blocks",
     "assembled matrices have the stiffness between a line or triangle and a body outside of the "
     "system in the columns of other points",
     "test_response_quirks.outside_blocks"},
};

/* What belongs to a contact. */
typedef struct Spring {
  double distance, stiffness; /* m: the force acts below; N/m */
  double depth, rho[2][3];    /* kept of the last point */
} Spring;
SOFA_LIST(Spring, Springs);
SOFA_LIST(SofaSpring, PenaltyPairs);

typedef struct PenalityContactForceField {
  ContactField contact;
  Springs springs;    /* of each contact */
  PenaltyPairs pairs; /* the points of the contacts, where all are between two points; else none */
  SofaReals rows;     /* SOFA_SPRING_ROWS of these, as of springs without a tension: the stiffness
                         where the force acts, else 0; 0; the normal */
  int inside; /* quirk: the simulated end, on a line or triangle, of a contact with a body that
                 is not simulated; -1: none */
} PenalityContactForceField;

/* ---- detections ---- */

static bool supports(const SofaCollisionKind *first, const SofaCollisionKind *second) {
  return first != &sofa_collision_ray && second != &sofa_collision_ray;
}

static SofaErr connect(SofaObject *contact, SofaCollisionModel *first, SofaCollisionModel *second) {
  PenalityContactForceField *s = (PenalityContactForceField *)contact;
  const SofaCollisionModel *const m[2] = {first, second};
  for (int end = 0; end < 2 && sofa_quirk(contact, QUIRK_OUTSIDE_BLOCKS); end++)
    if (contact_mapped(m[end]->kind) && !m[1 - end]->simulated) s->inside = end;
  s->contact.force_field.partial_tangent = s->inside >= 0;
  return contact_field_connect(contact, first, second);
}

static SofaErr construct(SofaObject *object) {
  ((PenalityContactForceField *)object)->inside = -1;
  return SOFA_OK;
}

/* Row 0 of pair i. */
static double *row_of(const PenalityContactForceField *s, size_t i) {
  return s->rows.data + i / SOFA_LANES * SOFA_LANES * SOFA_SPRING_ROWS + i % SOFA_LANES;
}

static SofaErr make_pairs(PenalityContactForceField *s) {
  const ContactField *f = &s->contact;
  SofaContext *ctx = f->force_field.object.ctx;
  const size_t n = f->contacts.n, lanes = (n + SOFA_LANES - 1) / SOFA_LANES * SOFA_LANES;
  s->pairs.n = 0;
  if (!contact_field_joins_points(f)) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(ctx, &s->rows, SOFA_SPRING_ROWS * lanes));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->pairs, n));
  sofa_zero(s->rows.data, s->rows.n * sizeof *s->rows.data);
  for (size_t i = 0; i < n; i++) {
    const Contact *c = &f->contacts.data[i];
    s->pairs.data[i] =
        (SofaSpring){.m1 = c->place[0].index[0], .m2 = c->place[1].index[0], .enabled = true};
    for (int k = 0; k < 3; k++) row_of(s, i)[(2 + k) * SOFA_LANES] = c->found.normal[k];
  }
  return SOFA_OK;
}

/* Those that make_pairs made of the contacts as they are. */
static bool has_pairs(const PenalityContactForceField *s) {
  return s->pairs.n > 0 && s->pairs.n == s->contact.contacts.n;
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
  SOFA_TRY(SOFA_RESERVE(object->ctx, &s->springs, f->kept.capacity));
  SOFA_TRY(SOFA_RESERVE(object->ctx, &f->contacts, f->kept.capacity));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &s->springs, f->kept.n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &f->contacts, f->kept.n));
  for (size_t i = 0; i < f->kept.n; i++) {
    Contact *c = &f->contacts.data[i];
    contact_make(f, &all[f->kept.data[i]], c);
    const double d = skin + c->place[0].radius + c->place[1].radius;
    s->springs.data[i] = (Spring){.distance = d, .stiffness = d > 0 ? stiffness / d : stiffness};
  }
  return make_pairs(s);
}

/* ---- forces ---- */

static double depth_at(const ContactField *f, const Contact *c, const Spring *s,
                       const SofaPoint *at, double rho[2][3]) {
  double p[2][3], u[3];
  for (int end = 0; end < 2; end++) contact_place_at(f, c, end, at, p[end], rho[end]);
  sofa_vec3_sub(p[1], p[0], u);
  return s->distance - sofa_vec3_dot(u, c->found.normal);
}

/* The force on an end. */
static void force_on(const Contact *c, const Spring *s, int end, double force[3]) {
  sofa_vec3_scale((end ? 1 : -1) * s->stiffness * s->depth, c->found.normal, force);
}

/* Between points: sets the depth of a contact; its normal. */
static void set_depth(const PenalityContactForceField *s, size_t i, const SofaPoint *at,
                      double normal[3]) {
  const SofaSpring *pair = &s->pairs.data[i];
  Spring *spring = &s->springs.data[i];
  double *row = row_of(s, i), u[3];
  for (int k = 0; k < 3; k++) normal[k] = row[(2 + k) * SOFA_LANES];
  sofa_vec3_sub(at->x[1] + 3 * (size_t)pair->m2, at->x[0] + 3 * (size_t)pair->m1, u);
  spring->depth = spring->distance - sofa_vec3_dot(u, normal);
  row[0] = spring->depth > 0 ? spring->stiffness : 0;
}

static void add_pairs(const PenalityContactForceField *s, const SofaPoint *at,
                      double *const *forces) {
  for (size_t i = 0; i < s->pairs.n; i++) {
    const Spring *spring = &s->springs.data[i];
    double normal[3];
    set_depth(s, i, at, normal);
    if (!(spring->depth > 0)) continue;
    const double size = spring->stiffness * spring->depth;
    sofa_vec3_axpy(-size, normal, forces[0] + 3 * (size_t)s->pairs.data[i].m1);
    sofa_vec3_axpy(size, normal, forces[1] + 3 * (size_t)s->pairs.data[i].m2);
  }
}

static SofaErr linearise(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at) {
  PenalityContactForceField *s = (PenalityContactForceField *)ff;
  const ContactField *f = &s->contact;
  double normal[3];
  (void)params;
  if (s->pairs.n != f->contacts.n) SOFA_TRY(make_pairs(s));
  for (size_t i = 0; i < s->pairs.n && has_pairs(s); i++) set_depth(s, i, at, normal);
  for (size_t i = 0; i < f->contacts.n && !has_pairs(s); i++) {
    Spring *spring = &s->springs.data[i];
    spring->depth = depth_at(f, &f->contacts.data[i], spring, at, spring->rho);
  }
  return SOFA_OK;
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         double *const *forces) {
  PenalityContactForceField *s = (PenalityContactForceField *)ff;
  const ContactField *f = &s->contact;
  (void)params;
  if (s->pairs.n != f->contacts.n) SOFA_TRY(make_pairs(s));
  if (has_pairs(s)) {
    add_pairs(s, at, forces);
    return SOFA_OK;
  }
  for (size_t i = 0; i < f->contacts.n; i++) {
    const Contact *c = &f->contacts.data[i];
    Spring *spring = &s->springs.data[i];
    double force[3];
    spring->depth = depth_at(f, c, spring, at, spring->rho);
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

/* The normal part: both ends get stiffness times the change of the depth. */
static void add_product(const ContactField *f, const Contact *c, const Spring *s, double change,
                        double *const *df) {
  double force[3];
  for (int end = 0; end < 2; end++) {
    sofa_vec3_scale(end ? change : -change, c->found.normal, force);
    contact_add_force(f, c, end, s->rho[end], force, df[end]);
  }
}

/* The change of the force along the normal with changes dx. */
static double force_change(const ContactField *f, const Contact *c, const Spring *s,
                           const SofaPoint *at, const double *const *dx) {
  double u[3];
  contact_change(f, c, s->rho, at, dx, u);
  return -s->stiffness * sofa_vec3_dot(u, c->found.normal);
}

static void add_arms(const ContactField *f, const Contact *c, const Spring *s, double by,
                     const double *const *dx, double *const *df) {
  double force[3];
  for (int end = 0; end < 2; end++) {
    if (!arm_turns(f, end)) continue;
    force_on(c, s, end, force);
    sofa_vec3_scale(by, force, force);
    contact_add_arm_product(c, end, s->rho[end], force, dx[end], df[end]);
  }
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  const PenalityContactForceField *s = (const PenalityContactForceField *)ff;
  const ContactField *f = &s->contact;
  const double by = sofa_kfactor(ff, params);
  if (has_pairs(s)) {
    const SofaSpringRange all = {.springs = s->pairs.data, .end = s->pairs.n};
    sofa_spring_kernels(ff->object.ctx)
        ->product(&all, (SofaSpringFactors){.k = by}, dx, df, s->rows.data);
    return SOFA_OK;
  }
  for (size_t i = 0; i < f->contacts.n; i++) {
    const Contact *c = &f->contacts.data[i];
    const Spring *spring = &s->springs.data[i];
    if (!(spring->depth > 0)) continue;
    add_product(f, c, spring, by * force_change(f, c, spring, at, dx), df);
    add_arms(f, c, spring, by, dx, df);
  }
  return SOFA_OK;
}

/* Quirk: the blocks between the points of the end inside the system and the place outside, which
 * SOFA puts where a point of the system with the number of that place is. */
static void add_outside_blocks(const PenalityContactForceField *s, size_t i, const double k[9],
                               const SofaTangent *tangent) {
  const ContactField *f = &s->contact;
  const Contact *c = &f->contacts.data[i];
  const SofaTangentPair *pair = sofa_tangent_pair(tangent, (size_t)s->inside, (size_t)s->inside);
  const SofaContactPoint *in = &c->place[s->inside];
  SofaBlockRows rows;
  if (!pair->matrix || f->force_field.state[s->inside]->mapped) return;
  const uint32_t out = contact_mapped(f->model[1 - s->inside]->kind)
                           ? (uint32_t)i
                           : c->place[1 - s->inside].index[0];
  sofa_block_matrix_rows(pair->matrix, &rows);
  if (rows.uniform != 3 || out >= rows.n_columns) return;
  for (unsigned p = 0; p < in->n; p++) {
    const double by = tangent->factor * in->weight[p];
    const uint32_t row = pair->row + in->index[p];
    sofa_block_matrix_add(pair->matrix, row, out, k, by);
    sofa_block_matrix_add(pair->matrix, out, row, k, by);
  }
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
    if (s->inside >= 0 && contact_outside(f)) add_outside_blocks(s, i, k, tangent);
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
    const double depth = depth_at(f, &f->contacts.data[i], spring, at, rho);
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
    .supports = supports, .connect = connect, .set = set, .report = report};

static void destroy(SofaObject *object) {
  PenalityContactForceField *s = (PenalityContactForceField *)object;
  sofa_list_free(object->ctx, &s->springs);
  sofa_list_free(object->ctx, &s->pairs);
  sofa_list_free(object->ctx, &s->rows);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PenalityContactForceField, pairs),
    SOFA_REMADE(PenalityContactForceField, rows),
};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_LIST(PenalityContactForceField, springs),
    SOFA_KEEP(PenalityContactForceField, inside),
};

SOFA_CLASS(PenalityContactForceField) = {
    SOFA_NAMED(PenalityContactForceField),
    .module = "Sofa.Component.Collision.Response.Contact",
    .category = "InteractionForceField",
    .help = "The response to contacts by springs along their normals that push two bodies apart. "
            "A contact manager makes it where two collision models touch; in a scene file it does "
            "nothing.",
    .equations = "p = d - (x_2 - x_1) . n\n"
                 "f_2 = k p n, f_1 = -f_2 if p > 0\n"
                 "\"n: normal of the contact, d: distance at which the force begins, k: stiffness "
                 "of both models over d\"",
    .base = &contact_field_class,
    SOFA_KEEPS(kept),
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    .templates = contact_field_templates,
    .construct = construct,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_CONTACT, &contact_ops}),
};
