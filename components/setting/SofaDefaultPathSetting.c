/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SofaDefaultPathSetting: where programs are that a viewer calls. */
#include "components/setting/setting.h"

typedef struct SofaDefaultPathSetting {
  SofaObject object;
  char *gnuplot;
} SofaDefaultPathSetting;

static const SofaField fields[] = {
    SOFA_SETTING_FIELD(SofaDefaultPathSetting, gnuplot, "gnuplotPath", NULL,
                       "folder for gnuplot files; not used", .aliases = NULL),
};

SOFA_CLASS(SofaDefaultPathSetting) = {
    SOFA_NAMED(SofaDefaultPathSetting),
    .module = "Sofa.Component.Setting",
    .category = "Setting",
    .help = "Where programs are that a viewer calls.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
};
