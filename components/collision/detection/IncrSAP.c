/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IncrSAP: broad and narrow phase in one object. */
#include "components/collision/detection/brute_force.h"
#include "components/collision/detection/bvh.h"
#include "object/checkpoint.h"

typedef struct IncrSAP {
  BVHNarrowPhase bvh;
  BruteForce brute;
} IncrSAP;

static const SofaField fields[] = {BRUTE_FORCE_ROW_BOX(IncrSAP)};

static SofaErr find_models(SofaObject *phase, const SofaCollisionScene *scene,
                           SofaModelPairs *out) {
  return brute_force_find(phase->ctx, &((IncrSAP *)phase)->brute, scene, false, out);
}

static void destroy(SofaObject *object) {
  brute_force_free(object->ctx, &((IncrSAP *)object)->brute);
}

static const SofaBroadPhaseOps ops = {.find = find_models};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(IncrSAP, brute.accepted),
};

SOFA_CLASS(IncrSAP) = {
    SOFA_NAMED(IncrSAP),
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .category = "CollisionAlgorithm",
    .help = "Broad and narrow phase in one: finds the same contacts as BruteForceBroadPhase with "
            "BVHNarrowPhase, in the same way. SOFA's class leaves out groups and neighbours.",
    .base = &sofa_BVHNarrowPhase_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_BROAD_PHASE, &ops}),
};
