/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SofaDefaultPathSetting: where programs are that a viewer calls. */
#include "components/setting/setting.h"

typedef struct SofaDefaultPathSetting {
  SofaObject object;
  char *gnuplot;
} SofaDefaultPathSetting;

typedef SofaDefaultPathSetting SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(gnuplot, "gnuplotPath", NULL, "folder for gnuplot files; not used"),
};

SOFA_CLASS(SofaDefaultPathSetting) = {
    SOFA_NAMED(SofaDefaultPathSetting),
    .module = "Sofa.Component.Setting",
    .category = "Setting",
    .help = "Where programs are that a viewer calls.",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
};
