/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MappedObject: a state that mappings move and no solver integrates. */
#include "behavior/draw_state.h"
#include "change/topology_change.h"

typedef struct MappedObject {
  SofaState state;
} MappedObject;

/* Without positions of its own it has the points of the mechanical state in its node or above. */
static SofaErr init(SofaObject *object) {
  SofaState *s = (SofaState *)object;
  const SofaStateKindInfo *kind = sofa_state_kind_info(object->kind);
  const SofaState *near = sofa_node_state(object->node);
  if (s->position.n || !near) return sofa_state_resize(s, s->position.n);
  SOFA_TRY(sofa_state_resize(s, near->position.n));
  for (size_t i = 0; i < near->position.n; i++) {
    double p[3];
    sofa_state_point(near, i, p);
    for (unsigned k = 0; k < kind->space && k < 3; k++)
      s->position.data[kind->coord * i + k] = p[k];
  }
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Rigid2d", "Rigid3d", "Vec1d",
                                        "Vec2d", "Vec6d",   NULL};

SOFA_CLASS(MappedObject) = {
    SOFA_NAMED(MappedObject),
    .module = "Sofa.Component.StateContainer",
    .category = "_Miscellaneous",
    .help = "Points (or frames) that a mapping moves without being degrees of freedom: no solver "
            "integrates them, and they return no forces.",
    .base = &sofa_state_class,
    .templates = templates,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &sofa_listen_as_state}),
};
