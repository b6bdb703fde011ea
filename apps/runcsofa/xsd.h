/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The XML schema of scenes, for editors that complete and check them. */
#ifndef RUNCSOFA_XSD_H
#define RUNCSOFA_XSD_H

#include <stdio.h>
#include "base/context.h"

/* XML Schema 1.0 of all registered components: elements, attributes, their help and options. */
SofaErr xsd_print(SofaContext *ctx, FILE *out);

#endif
