/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What loads of ellipsoids share. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_ELLIPSOID_H
#define SOFA_COMPONENTS_MECHANICALLOAD_ELLIPSOID_H

#include "base/quirks.h"

/* Quirk of the classes that list its row. */
enum { QUIRK_ELLIPSOID_TANGENT = 1 << 21 };
#define QUIRK_ELLIPSOID_TANGENT_ROW                                                                \
  {                                                                                                \
    QUIRK_ELLIPSOID_TANGENT, "ellipsoid-tangent",                                                  \
        "the tangent of ellipsoid loads has a term of wrong sign and size",                        \
        "test_quirks_motion.loads"                                                                 \
  }

#endif
