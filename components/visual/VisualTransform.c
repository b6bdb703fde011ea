/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualTransform: moves what is drawn of a node. Only the transform that moves nothing is there.
 */
#include "components/visual/visual.h"

typedef struct VisualTransform {
  SofaVisual visual;
  SofaReals transform;
  bool recursive;
} VisualTransform;

static const SofaField fields[] = {
    SOFA_FIELD(VisualTransform, transform, "transform", "0 0 0 0 0 0 1", "m",
               "place and quaternion x y z w of what is drawn", .flags = SOFA_FIELD_UNSUPPORTED),
    SOFA_VISUAL_FIELD(VisualTransform, recursive, "recursive", "0", "also of the nodes below",
                      .aliases = NULL),
};

extern const SofaClass sofa_VisualTransform_class;
const SofaClass sofa_VisualTransform_class = {
    .name = "VisualTransform",
    .module = "Sofa.Component.Visual",
    .category = "VisualModel",
    .help = "Moves what is drawn of a node.",
    .base = &sofa_visual_class,
    .size = sizeof(VisualTransform),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
};
