/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ValuesFromIndices: chosen entries of a list. */
#include "components/engine/engine.h"

typedef struct ValuesFromIndices {
  SofaObject object;
  SofaIndices indices;
  char *text;
} ValuesFromIndices;

typedef ValuesFromIndices SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(indices, "indices", NULL, "", "entries to take"),
    SOFA_ROW_OUTPUT(text, "outStr", "", "the values taken, as text"),
};

enum { IN, OUT };

static const SofaFieldFamily families[] = {
    [IN] = ENGINE_TEMPLATE_INPUT("in", "values to choose from", "input"),
    [OUT] = ENGINE_TEMPLATE_OUTPUT("out", "values taken, in the order of indices", "output"),
};

static SofaErr update(SofaObject *object) {
  ValuesFromIndices *e = (ValuesFromIndices *)object;
  const SofaType *type = sofa_family_type(object, IN);
  const void *in = sofa_family_value(object, IN, 0);
  void *out = sofa_family_value(object, OUT, 0);
  const size_t n = engine_list_n(in);
  engine_clear(object->ctx, type, out);
  for (size_t i = 0; i < e->indices.n; i++) {
    const SofaElements one = {&e->indices.data[i], 1, 1};
    const SofaErr err = engine_check(object, "indices", one, n, "values");
    if (err && !object->ctx->keep_going) return err;
    // SOFA leaves the entry out
    if (err) continue;
    const void *entry = engine_entry(type, in, e->indices.data[i]);
    SOFA_TRY(engine_append_entry(object->ctx, type, out, entry));
  }
  return engine_print(object->ctx, type, out, &e->text);
}

static const char *const templates[] = {"I",
                                        "RigidCoord2d",
                                        "RigidCoord3d",
                                        "RigidDeriv2d",
                                        "RigidDeriv3d",
                                        "Vec2d",
                                        "Vec3d",
                                        "Vec4d",
                                        "Vec6d",
                                        "d",
                                        "fixed_array<I,2>",
                                        "fixed_array<I,3>",
                                        "fixed_array<I,4>",
                                        "fixed_array<I,8>",
                                        "i",
                                        "string",
                                        NULL};

ENGINE_CLASS(ValuesFromIndices, "Select", "Takes chosen entries of a list.", ENGINE_FAMILIES,
             .templates = templates, .init = engine_init, );
