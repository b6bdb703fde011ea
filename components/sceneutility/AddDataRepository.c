/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AddDataRepository: a folder where files are searched, for the elements that follow. */
#include "components/sceneutility/repository.h"

static const SofaField fields[] = {
    SOFA_FIELD(Repository, path, "path", NULL, "", "folder; relative to that of the scene"),
};

static SofaErr parsed(SofaObject *object) {
  return repository_parsed((Repository *)object, SOFA_PATHS_DATA);
}

static void destroy(SofaObject *object) {
  repository_destroy((Repository *)object, SOFA_PATHS_DATA);
}

SOFA_CLASS(AddDataRepository) = {
    .name = "AddDataRepository",
    .module = "Sofa.Component.SceneUtility",
    .category = "_Miscellaneous",
    .help = "Adds a folder to the search path of files.",
    .base = &sofa_object_class,
    .size = sizeof(Repository),
    SOFA_FIELDS(fields),
    .parsed = parsed,
    .destroy = destroy,
};
