/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MergeVectors: several lists one after the other. */
#include "components/engine/engine.h"

typedef struct MergeVectors {
  SofaObject object;
  uint32_t n_inputs;
} MergeVectors;

static const SofaField fields[] = {
    SOFA_FIELD(MergeVectors, n_inputs, "nbInputs", "2", "", "number of inputs"),
};

enum { OUTPUT, INPUTS };

static const SofaFieldFamily families[] = {
    [OUTPUT] = ENGINE_TEMPLATE_OUTPUT("output", "the inputs one after the other", NULL),
    [INPUTS] = {.row = {.name = "input", .help = "a list", .unit = "", .flags = SOFA_FIELD_INPUT},
                .count = "nbInputs"},
};

static SofaErr update(SofaObject *object) {
  const SofaType *type = sofa_family_type(object, OUTPUT);
  void *out = sofa_family_value(object, OUTPUT, 0);
  engine_clear(object->ctx, type, out);
  for (size_t j = 0; j < sofa_family_n(object, INPUTS); j++) {
    const void *in = sofa_family_value(object, INPUTS, j);
    for (size_t i = 0; i < engine_list_n(in); i++)
      SOFA_TRY(engine_append_entry(object->ctx, type, out, engine_entry(type, in, i)));
  }
  return SOFA_OK;
}

static const char *const templates[] = {"vector<RigidCoord2d>",
                                        "vector<RigidCoord3d>",
                                        "vector<RigidDeriv2d>",
                                        "vector<RigidDeriv3d>",
                                        "vector<Vec2I>",
                                        "vector<Vec2d>",
                                        "vector<Vec3d>",
                                        "vector<Vec4d>",
                                        "vector<bool>",
                                        "vector<d>",
                                        "vector<i>",
                                        NULL};

ENGINE_CLASS(MergeVectors, "Generate", "Puts lists one after the other.", ENGINE_FAMILIES,
             .templates = templates, .init = engine_init, );
