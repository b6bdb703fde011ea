/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/response/contact_field.h"
#include "object/checkpoint.h"

#include "math/quaternion.h"
#include "object/event.h"

enum { QUIRK_START_PLACES = 1 << 27, QUIRK_OUTSIDE_VELOCITY = 1 << 26 };
static const SofaQuirk quirks[] = {
    {QUIRK_START_PLACES, "contact-start-places",
     "places of contacts on lines and triangles that another solver moves stay where they are at "
     "the start of the step",
     "test_response_quirks.start_places"},
    {QUIRK_OUTSIDE_VELOCITY, "contact-outside-velocity",
     "an implicit step adds the contact stiffness times the velocity of a body that another "
     "solver, "
     "or none, moves",
     "test_response_quirks.outside_velocity"},
};

/* ---- life ---- */

/* Of objects in a scene; those of a contact manager have the kinds of their states. */
const char *const contact_field_templates[] = {"Vec3d", NULL};

SofaErr contact_field_connect(SofaObject *contact, SofaCollisionModel *first,
                              SofaCollisionModel *second) {
  ContactField *f = (ContactField *)contact;
  f->model[0] = first;
  f->model[1] = second;
  for (int end = 0; end < 2; end++) f->force_field.state[end] = f->model[end]->state;
  f->outside_velocity = sofa_quirk(contact, QUIRK_OUTSIDE_VELOCITY);
  for (int end = 0; end < 2 && sofa_quirk(contact, QUIRK_START_PLACES); end++)
    if (!f->model[end]->simulated && contact_mapped(f->model[end]->kind)) f->held = end;
  contact->listening = f->held >= 0;
  return SOFA_OK;
}

static SofaErr construct(SofaObject *object) {
  ((ContactField *)object)->held = -1;
  return SOFA_OK;
}

static void hold(const ContactField *f, Contact *c) {
  double rho[3];
  if (f->held < 0) return;
  const SofaState *s = f->force_field.state[f->held];
  contact_place(f, c, f->held, s->position.data, c->start[0], rho);
  contact_place_motion(s, &c->place[f->held], rho, s->velocity.data, c->start[1]);
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  ContactField *f = (ContactField *)object;
  if (event->type != SOFA_EVENT_INTEGRATE_BEGIN) return SOFA_OK;
  for (size_t i = 0; i < f->contacts.n; i++) hold(f, &f->contacts.data[i]);
  return SOFA_OK;
}

static void drop(ContactField *f) {
  f->contacts.n = 0;
  sofa_force_field_forget_point(&f->force_field);
}

static SofaErr reset(SofaObject *object) {
  drop((ContactField *)object);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  ContactField *f = (ContactField *)object;
  sofa_list_free(object->ctx, &f->contacts);
  sofa_list_free(object->ctx, &f->table);
  sofa_list_free(object->ctx, &f->kept);
}

/* Points and elements have other indices: the next detection makes the contacts again. */
static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  ContactField *f = (ContactField *)object;
  for (int end = 0; end < 2; end++) {
    const SofaCollisionModel *m = f->model[end];
    if (m && (sofa_change_moves(change, m->state) || change->topology == m->topology)) drop(f);
  }
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = listen};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_LIST(ContactField, contacts),
    SOFA_KEEP(ContactField, held),
    SOFA_KEEP(ContactField, outside_velocity),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(ContactField, kept),
    SOFA_REMADE(ContactField, table),
};

const SofaClass contact_field_class = {
    .name = "ContactForceField",
    .module = "csofa",
    .category = "InteractionForceField",
    .help = "Forces between the places where two collision models touch.",
    .base = &sofa_interaction_force_field_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    .size = sizeof(ContactField),
    .abstract = true,
    SOFA_QUIRKS(quirks),
    .construct = construct,
    .handle_event = handle_event,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}),
};

/* ---- detections ---- */

/* The place of an id in a hash table of 2^k entries: where its entry is, or an empty one. Entries
 * are numbers of detections, from 1. */
static uint32_t *entry_of(const SofaIndices *table, const SofaDetection *all, int64_t id) {
  const size_t mask = table->n - 1;
  size_t place = (size_t)(((uint64_t)id * 0x9e3779b97f4a7c15u) >> 32) & mask;
  while (table->data[place] && all[table->data[place] - 1].id != id) place = (place + 1) & mask;
  return &table->data[place];
}

SofaErr contact_field_filter(ContactField *f, const SofaDetection *all, size_t n) {
  SofaContext *ctx = f->force_field.object.ctx;
  size_t size = 16;
  while (size < 2 * n) size *= 2;
  SOFA_TRY(SOFA_RESIZE(ctx, &f->table, size));
  if (n > f->kept.capacity) SOFA_TRY(SOFA_RESERVE(ctx, &f->kept, n + n / 2 + 8));
  sofa_zero(f->table.data, size * sizeof *f->table.data);
  for (size_t i = 0; i < n; i++) {
    uint32_t *entry = entry_of(&f->table, all, all[i].id);
    if (*entry == 0 || all[i].value < all[*entry - 1].value) *entry = (uint32_t)i + 1;
  }
  f->kept.n = 0;
  for (size_t i = 0; i < n; i++)
    if (*entry_of(&f->table, all, all[i].id) == i + 1) f->kept.data[f->kept.n++] = (uint32_t)i;
  return SOFA_OK;
}

void contact_make(const ContactField *f, const SofaDetection *found, Contact *out) {
  out->found = *found;
  for (int end = 0; end < 2; end++) {
    const SofaCollisionModel *m = f->model[end];
    m->ops->contact_point(m, found->element[end], found->point[end], &out->place[end]);
  }
  hold(f, out);
}

static bool is_point(const SofaContactPoint *place) {
  return place->n == 1 && place->weight[0] == 1;
}

bool contact_field_joins_points(const ContactField *f) {
  if (contact_on_frame(f, 0) || contact_on_frame(f, 1) || f->held >= 0 || f->outside_velocity)
    return false;
  for (size_t i = 0; i < f->contacts.n; i++)
    for (int end = 0; end < 2; end++)
      if (!is_point(&f->contacts.data[i].place[end])) return false;
  return true;
}

/* ---- matrices ---- */

/* by * J_a^T K J_b */
static void congruence(const double *ja, unsigned na, const double k[9], const double *jb,
                       unsigned nb, double *block) {
  double kj[18];
  for (unsigned r = 0; r < 3; r++)
    for (unsigned b = 0; b < nb; b++)
      kj[r * nb + b] = k[3 * r] * jb[b] + k[3 * r + 1] * jb[nb + b] + k[3 * r + 2] * jb[2 * nb + b];
  for (unsigned a = 0; a < na; a++)
    for (unsigned b = 0; b < nb; b++)
      block[a * nb + b] = ja[a] * kj[b] + ja[na + a] * kj[nb + b] + ja[2 * na + a] * kj[2 * nb + b];
}

/* The state's place in a tangent: both ends may be on one state. */
static int state_of(const ContactField *f, int end) {
  return f->force_field.state[0] == f->force_field.state[1] ? 0 : end;
}

/* The blocks between two ends on points: w_i w_j K. */
static void add_scaled(const ContactField *f, const Contact *c, const int ends[2],
                       const double k[9], const SofaTangent *tangent) {
  const SofaContactPoint *a = &c->place[ends[0]], *b = &c->place[ends[1]];
  double block[9];
  for (unsigned i = 0; i < a->n; i++)
    for (unsigned j = 0; j < b->n; j++) {
      sofa_mat3_scale(a->weight[i] * b->weight[j], k, block);
      sofa_tangent_add(tangent, state_of(f, ends[0]), a->index[i], state_of(f, ends[1]),
                       b->index[j], block);
    }
}

/* Frames have one point. */
static void add_between(const ContactField *f, const Contact *c, const int ends[2],
                        const double rho[2][3], const double k[9], const SofaTangent *tangent) {
  const int a = ends[0], b = ends[1];
  double ja[18], jb[18], block[36];
  if (!contact_on_frame(f, a) && !contact_on_frame(f, b)) {
    add_scaled(f, c, ends, k, tangent);
    return;
  }
  for (unsigned i = 0; i < c->place[a].n; i++) {
    const unsigned na =
        contact_place_jacobian(f->force_field.state[a], &c->place[a], i, rho[a], ja);
    for (unsigned j = 0; j < c->place[b].n; j++) {
      const unsigned nb =
          contact_place_jacobian(f->force_field.state[b], &c->place[b], j, rho[b], jb);
      congruence(ja, na, k, jb, nb, block);
      sofa_tangent_add(tangent, state_of(f, a), c->place[a].index[i], state_of(f, b),
                       c->place[b].index[j], block);
    }
  }
}

void contact_add_matrix(const ContactField *f, const Contact *c, const double rho[2][3],
                        const double k[9], const SofaTangent *tangent) {
  double minus[9];
  sofa_mat3_scale(-1, k, minus);
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      if (sofa_tangent_pair(tangent, (size_t)state_of(f, a), (size_t)state_of(f, b))->matrix)
        add_between(f, c, (const int[2]){a, b}, rho, a == b ? minus : k, tangent);
}

/* (w x rho) x F = (rho F^T - rho . F I) w */
void contact_add_arm_matrix(const ContactField *f, const Contact *c, int end, const double rho[3],
                            const double force[3], const SofaTangent *tangent) {
  const double dot = sofa_vec3_dot(rho, force);
  const uint32_t i = c->place[end].index[0];
  double block[36] = {0};
  for (unsigned r = 0; r < 3; r++)
    for (unsigned k = 0; k < 3; k++)
      block[6 * (3 + r) + 3 + k] = rho[r] * force[k] - (r == k ? dot : 0);
  sofa_tangent_add(tangent, state_of(f, end), i, state_of(f, end), i, block);
}

void contact_add_arm_product(const Contact *c, int end, const double rho[3], const double force[3],
                             const double *dx, double *df) {
  const uint32_t i = c->place[end].index[0];
  double turned[3], torque[3];
  sofa_vec3_cross(SOFA_TWIST_ANGULAR(dx, i), rho, turned);
  sofa_vec3_cross(turned, force, torque);
  sofa_vec3_add(SOFA_TWIST_ANGULAR(df, i), torque, SOFA_TWIST_ANGULAR(df, i));
}
