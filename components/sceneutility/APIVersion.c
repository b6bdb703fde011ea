/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* APIVersion: for which version of SOFA a scene was written. */
#include <string.h>
#include "object/object.h"

typedef struct APIVersion {
  SofaObject object;
  char *level;
} APIVersion;

static const SofaField fields[] = {
    SOFA_FIELD(
        APIVersion, level, "level", "26.12.99", "",
        "version, such as 20.12; default: the name of the object. No effect: csofa reads all "
        "scenes alike",
        .flags = SOFA_FIELD_NO_EFFECT),
};

/* the versions that SOFA accepts */
static const char *const levels[] = {"17.06", "17.12", "18.06", "18.12",    "19.06",
                                     "19.12", "20.06", "20.12", "26.12.99", NULL};

static SofaErr init(SofaObject *object) {
  const APIVersion *version = (const APIVersion *)object;
  const bool set = sofa_field_is_set(object, "level");
  const char *level = set ? version->level : object->name;
  if (!set && object->auto_named) {
    sofa_object_message(object, SOFA_WARNING, "neither level nor name says a version");
    return SOFA_OK;
  }
  for (size_t i = 0; levels[i]; i++)
    if (level && strcmp(level, levels[i]) == 0) return SOFA_OK;
  sofa_object_message(object, SOFA_WARNING,
                      "'%s' is not a level of SOFA's interface: 17.06, 17.12, ... to 20.12, or %s",
                      level ? level : "", levels[8]);
  return SOFA_OK;
}

SOFA_CLASS(APIVersion) = {
    SOFA_NAMED(APIVersion),
    .module = "Sofa.Component.SceneUtility",
    .category = "_Miscellaneous",
    .help = "Says for which version of SOFA a scene was written.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .init = init,
};
