/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Display flags: what a view shows, as words in a tree of groups. */
#ifndef SOFA_DRAW_DISPLAY_FLAGS_H
#define SOFA_DRAW_DISPLAY_FLAGS_H

#include "object/object.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_visual_style_interface;
#define SOFA_VISUAL_STYLE (&sofa_visual_style_interface)

/* X(symbol, word after show or hide, parent). Groups come before their members. */
#define SOFA_DISPLAY_FLAGS(X)                                                                      \
  X(ALL, "All", NONE)                                                                              \
  X(VISUAL, "Visual", ALL)                                                                         \
  X(VISUAL_MODELS, "VisualModels", VISUAL)                                                         \
  X(BEHAVIOR, "Behavior", ALL)                                                                     \
  X(BEHAVIOR_MODELS, "BehaviorModels", BEHAVIOR)                                                   \
  X(FORCE_FIELDS, "ForceFields", BEHAVIOR)                                                         \
  X(INTERACTION_FORCE_FIELDS, "InteractionForceFields", BEHAVIOR)                                  \
  X(COLLISION, "Collision", ALL)                                                                   \
  X(COLLISION_MODELS, "CollisionModels", COLLISION)                                                \
  X(BOUNDING_COLLISION_MODELS, "BoundingCollisionModels", COLLISION)                               \
  X(DETECTION_OUTPUTS, "DetectionOutputs", COLLISION)                                              \
  X(MAPPING, "Mapping", ALL)                                                                       \
  X(MAPPINGS, "Mappings", MAPPING)                                                                 \
  X(MECHANICAL_MAPPINGS, "MechanicalMappings", MAPPING)                                            \
  X(OPTIONS, "Options", NONE)                                                                      \
  X(ADVANCED_RENDERING, "AdvancedRendering", OPTIONS)                                              \
  X(WIREFRAME, "Wireframe", OPTIONS)                                                               \
  X(NORMALS, "Normals", OPTIONS)

typedef enum SofaDisplayFlag {
#define SOFA_DISPLAY_ENUM(symbol, word, parent) SOFA_DISPLAY_##symbol,
  SOFA_DISPLAY_FLAGS(SOFA_DISPLAY_ENUM)
#undef SOFA_DISPLAY_ENUM
      SOFA_N_DISPLAY_FLAGS,
  SOFA_DISPLAY_NONE = SOFA_N_DISPLAY_FLAGS
} SofaDisplayFlag;

/* Per flag 1 (show), -1 (hide) or 0 (as above). Entries of groups are not used. */
typedef struct SofaDisplayFlags {
  signed char value[SOFA_N_DISPLAY_FLAGS];
} SofaDisplayFlags;

/* Reads words. Group words rule their members, show wins over hide; unknown words are ignored with
 * a warning of the object. */
void sofa_display_flags_parse(const SofaObject *object, const char *text, SofaDisplayFlags *out);
/* Flags of a node: those of its parent, overridden by its own. */
void sofa_display_flags_override(SofaDisplayFlags *flags, const SofaDisplayFlags *own);
const char *sofa_display_flag_word(SofaDisplayFlag flag);
/* Is it shown? A flag that no node sets is not shown. */
static inline bool sofa_display_shows(const SofaDisplayFlags *flags, SofaDisplayFlag flag) {
  return flags->value[flag] > 0;
}

SOFA_END_DECLS

#endif
