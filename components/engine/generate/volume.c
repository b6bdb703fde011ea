/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the engines that measure volumes share. */
#include "components/engine/generate/volume.h"

#include "math/vec.h"

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};
static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE,
                                        .search = SOFA_SEARCH_UP};

typedef VolumeEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(topology, "topology", NULL, "", "topology with the elements; default: the node's",
             .flags = SOFA_FIELD_NO_AUTOLINK, .link = &topology_rule),
    SOFA_ROW(state, "mechanical", NULL, "", "state with the positions; default: the nearest one",
             .flags = SOFA_FIELD_NO_AUTOLINK, .link = &state_rule),
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points; default: positions of the state"),
    SOFA_ROW_OUTPUT(volume, "volume", "m^3", "the volume, never negative"),
    SOFA_ROW(always, "update", "0", "",
             "evaluate again when points change; otherwise at init only"),
};

SofaErr volume_engine_init(VolumeEngine *e, const char *const *names, const char *const *sources) {
  SofaObject *object = &e->object;
  SOFA_TRY(engine_link(object, "position", e->state.target, "position"));
  for (int k = 0; k < 2; k++)
    SOFA_TRY(engine_link(object, names[k], e->topology.target, sources[k]));
  if (!sofa_field_is_set(object, "position"))
    return sofa_field_fail(object, "position", SOFA_ERR_NOT_FOUND,
                           "it is not given, and there is no state to take it from");
  if (!sofa_field_is_set(object, names[0]) && !sofa_field_is_set(object, names[1]))
    return sofa_field_fail(object, names[0], SOFA_ERR_NOT_FOUND,
                           "there are neither elements nor a topology to take them from");
  return engine_init(object);
}

bool volume_engine_wanted(VolumeEngine *e) {
  const bool wanted = !e->done || e->always;
  e->done = true;
  return wanted;
}

double six_volumes(const SofaCoords *x, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const uint32_t v[3] = {b, c, d};
  double side[3][3];
  for (int k = 0; k < 3; k++)
    sofa_vec3_sub(x->data + v[k] * x->width, x->data + a * x->width, side[k]);
  return sofa_vec3_triple(side[0], side[1], side[2]);
}

const SofaClass volume_engine_class = {
    .name = "VolumeEngine",
    .module = "Sofa.Component.Engine.Generate",
    .category = "Engine",
    .help = "Measures a volume.",
    .base = &sofa_object_class,
    .size = sizeof(VolumeEngine),
    SOFA_FIELDS(fields),
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),
};
