/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ContactListener: the contacts of one or two collision models as outputs. */
#include <string.h>

#include "behavior/collision.h"
#include "math/vec.h"

typedef struct ContactListener {
  SofaObject object;
  SofaLink model1, model2;
  /* outputs: an entry per contact */
  SofaIndices elements1, elements2, pair_of_contact;
  SofaVec3s points1, points2, normals, forces;
  SofaReals distances;
  unsigned n_contacts;
  SofaStrings pairs;
  SofaContactReports rows; /* workspace */
} ContactListener;

static const SofaLinkRule model_rule = {.interface = SOFA_COLLISION_MODEL};

typedef ContactListener SofaSelf; /* of SOFA_ROW */

#define LAZY_ROW(member, xml, unit, help)                                                          \
  SOFA_ROW(member, xml, NULL, unit, help, .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY)

static const SofaField fields[] = {
    SOFA_ROW(model1, "collisionModel1", NULL, "",
             "the first model of the contacts; when it is not given, any that touches the second",
             .link = &model_rule),
    SOFA_ROW(model2, "collisionModel2", NULL, "",
             "the second model of the contacts; when it is not given, any that touches the first",
             .link = &model_rule),
    LAZY_ROW(n_contacts, "numberOfContacts", "1", "contacts that have a response"),
    LAZY_ROW(pairs, "pairs", "", "names of the contact objects: \"model-model\""),
    LAZY_ROW(pair_of_contact, "pairOfContact", "", "index in `pairs` of each contact"),
    LAZY_ROW(elements1, "elements1", "", "element of the first model"),
    LAZY_ROW(elements2, "elements2", "", "element of the second model"),
    LAZY_ROW(points1, "points1", "m", "place on the first model"),
    LAZY_ROW(points2, "points2", "m", "place on the second model"),
    LAZY_ROW(normals, "normals", "", "direction from the first model to the second"),
    LAZY_ROW(distances, "distances", "m",
             "distance along the normal, less that at which the response begins"),
    LAZY_ROW(forces, "forces", "N",
             "force of the response on the second model; on the first it is the opposite"),
};

/* ---- contacts ---- */

static void swap(void *a, void *b, size_t size) {
  char copy[sizeof(double[3])];
  sofa_copy(copy, a, size);
  sofa_copy(a, b, size);
  sofa_copy(b, copy, size);
}

/* Turns a contact around, so that its first model is its second. */
static void turn(SofaContactReport *row) {
  swap(&row->model[0], &row->model[1], sizeof row->model[0]);
  swap(&row->element[0], &row->element[1], sizeof row->element[0]);
  swap(row->point[0], row->point[1], sizeof row->point[0]);
  sofa_vec3_scale(-1, row->normal, row->normal);
  sofa_vec3_scale(-1, row->force, row->force);
}

static bool fits(const ContactListener *l, const SofaCollisionModel *first,
                 const SofaCollisionModel *second) {
  const SofaObject *a = l->model1.target, *b = l->model2.target;
  return (!a || a == &first->object) && (!b || b == &second->object);
}

/* Keeps the contacts of the rows from number n on that fit. */
static void choose(ContactListener *l, size_t n) {
  SofaContactReports *rows = &l->rows;
  size_t kept = n;
  for (size_t i = n; i < rows->n; i++) {
    SofaContactReport row = rows->data[i];
    if (!fits(l, row.model[0], row.model[1])) {
      if (!fits(l, row.model[1], row.model[0])) continue;
      turn(&row);
    }
    rows->data[kept++] = row;
  }
  rows->n = kept;
}

typedef struct Collector {
  ContactListener *listener;
  SofaErr err;
} Collector;

/* The contacts of one contact object. */
static SofaErr collect(ContactListener *l, const SofaObject *contact) {
  const SofaContactOps *ops = sofa_ops(contact, SOFA_CONTACT);
  SofaContext *ctx = l->object.ctx;
  const size_t before = l->rows.n;
  const uint32_t pair = (uint32_t)l->pairs.n;
  if (!ops || !ops->report) return SOFA_OK;
  SOFA_TRY(ops->report(contact, &l->rows));
  choose(l, before);
  if (l->rows.n == before) return SOFA_OK;
  for (size_t i = before; i < l->rows.n; i++)
    SOFA_TRY(SOFA_APPEND(ctx, &l->pair_of_contact, &pair));
  return sofa_strings_append(ctx, &l->pairs, contact->name, strlen(contact->name));
}

static SofaVisit collect_node(SofaNode *node, void *user) {
  Collector *c = user;
  for (size_t i = 0; i < node->objects.n && c->err == SOFA_OK; i++)
    if (sofa_valid(node->objects.data[i])) c->err = collect(c->listener, node->objects.data[i]);
  return c->err == SOFA_OK ? SOFA_CONTINUE : SOFA_STOP;
}

/* ---- outputs ---- */

static SofaErr resize(ContactListener *l, size_t n) {
  SofaContext *ctx = l->object.ctx;
  SOFA_TRY(SOFA_RESIZE(ctx, &l->elements1, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &l->elements2, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &l->points1, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &l->points2, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &l->normals, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &l->forces, n));
  return SOFA_RESIZE(ctx, &l->distances, n);
}

static SofaErr fill(ContactListener *l) {
  SOFA_TRY(resize(l, l->rows.n));
  for (size_t i = 0; i < l->rows.n; i++) {
    const SofaContactReport *row = &l->rows.data[i];
    l->elements1.data[i] = row->element[0];
    l->elements2.data[i] = row->element[1];
    sofa_vec3_copy(row->point[0], l->points1.data[i].v);
    sofa_vec3_copy(row->point[1], l->points2.data[i].v);
    sofa_vec3_copy(row->normal, l->normals.data[i].v);
    sofa_vec3_copy(row->force, l->forces.data[i].v);
    l->distances.data[i] = row->gap;
  }
  l->n_contacts = (unsigned)l->rows.n;
  return SOFA_OK;
}

/* All outputs are made together, whichever is read. */
static SofaErr compute(SofaObject *object, const SofaField *field) {
  ContactListener *l = (ContactListener *)object;
  Collector c = {.listener = l};
  l->rows.n = l->pair_of_contact.n = 0;
  sofa_strings_free(object->ctx, &l->pairs);
  SOFA_TRY(sofa_visit(sofa_node_root(object->node), &(SofaVisitor){collect_node, NULL, &c, false}));
  SOFA_TRY(c.err);
  SOFA_TRY(fill(l));
  sofa_field_touch(object, field);
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  const ContactListener *l = (const ContactListener *)object;
  if (l->model1.target || l->model2.target) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "neither collisionModel1 nor collisionModel2 names a collision model");
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((ContactListener *)object)->rows);
}

SOFA_CLASS(ContactListener) = {
    SOFA_NAMED(ContactListener),
    .module = "Sofa.Component.Collision.Response.Contact",
    .category = "CollisionAlgorithm",
    .help = "Gives the contacts of one or two collision models, all pairs in the order of the "
            "graph, at the positions as they are.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .init = init,
    .compute_output = compute,
    .destroy = destroy,
};
