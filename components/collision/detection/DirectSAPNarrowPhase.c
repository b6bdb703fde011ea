/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DirectSAPNarrowPhase: the contacts of BVHNarrowPhase under the name of SOFA's sweep and prune. */
#include "components/collision/detection/bvh.h"

typedef struct DirectSAPNarrowPhase {
  BVHNarrowPhase bvh;
  bool show_only_investigated;
  int n_pairs;
} DirectSAPNarrowPhase;

static const SofaField fields[] = {
    SOFA_FIELD(DirectSAPNarrowPhase, show_only_investigated, "showOnlyInvestigatedBoxes", "1", "",
               "no effect: boxes are not drawn", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(DirectSAPNarrowPhase, n_pairs, "nbPairs", "0", "1",
               "pairs of elements whose boxes are close, in the last detection",
               .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr find(SofaObject *phase, const SofaCollisionScene *scene, const SofaModelPairs *pairs,
                    SofaModelContacts *out) {
  DirectSAPNarrowPhase *d = (DirectSAPNarrowPhase *)phase;
  SOFA_TRY(bvh_find(&d->bvh, scene, pairs, out));
  d->n_pairs = (int)d->bvh.n_close;
  return SOFA_OK;
}

static const SofaNarrowPhaseOps ops = {.find = find, .deep_trees = true};

SOFA_CLASS(DirectSAPNarrowPhase) = {
    SOFA_NAMED(DirectSAPNarrowPhase),
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .category = "CollisionAlgorithm",
    .help = "Finds the same contacts as BVHNarrowPhase, in the same way. SOFA's class sweeps along "
            "an axis; its contacts differ only where it leaves out groups and neighbours.",
    .base = &sofa_BVHNarrowPhase_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_NARROW_PHASE, &ops}),
};
