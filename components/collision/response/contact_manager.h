/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What contact managers share: contact objects of pairs of models, made at the first contact.
 *
 * A contact object stays in its node when the models part, with no contacts, so that the solvers'
 * plans change only when two models touch for the first time. Those of a manager in a node are in
 * the order of their models in the graph: the order of their forces, and with it every bit of a
 * step, does not depend on which models touched first. All are destroyed by `clear`; a reset
 * empties them. Constraints are in no solver's plan: they are made, moved and destroyed within a
 * step. */
#ifndef COMPONENTS_COLLISION_CONTACT_MANAGER_H
#define COMPONENTS_COLLISION_CONTACT_MANAGER_H

#include "behavior/collision.h"
#include "components/collision/detection/pair_map.h"
#include "draw/draw.h"

/* A pair of models that have touched. */
typedef struct ContactPair {
  SofaCollisionModel *model[2];
  uint32_t rank[2]; /* of the models */
  bool without;     /* there is no response to their contacts */
  bool touch;       /* in this detection */
  SofaNode *node;   /* of the pipeline that found it */
} ContactPair;
SOFA_LIST(ContactPair, ContactPairs);

/* The number of a model in the order of the graph. */
typedef struct ModelRank {
  SofaCollisionModel *model;
  uint32_t rank;
} ModelRank;
SOFA_LIST(ModelRank, ModelRanks);

typedef struct ContactManager {
  SofaContactManager manager;
  char *response, *response_params;
  SofaLinks contacts;           /* output: the contact objects of `pairs` */
  ContactPairs pairs;           /* in the order of their ranks */
  ModelRanks ranks;             /* sorted by address, for the search alone */
  uint64_t ranked;              /* version of the graph that they are of; 0: none */
  char *base;                   /* response with its parameters */
  bool stale;                   /* after a reset */
  PairMap order;                /* quirk: pairs that touch, in SOFA's order */
  const SofaField *count_field; /* numberOfContacts of models */
  /* of the class, set by construct: the response to contacts of two models that name none
   * themselves */
  const char *(*choose)(const struct ContactManager *manager, const SofaCollisionModel *const m[2]);
} ContactManager;

extern const SofaClass contact_manager_class; /* abstract */

/* Draws the contacts of all contact objects: with showDetectionOutputs places and normals, with
 * showInteractionForceFields forces, in front of the scene. */
extern const SofaDrawOps contact_manager_draw;

#endif
