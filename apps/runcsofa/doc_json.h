/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class tables as JSON, for programs that make pages or forms of them. */
#ifndef RUNCSOFA_DOC_JSON_H
#define RUNCSOFA_DOC_JSON_H

#include <stdio.h>
#include "base/context.h"

/* An array with an object per component: names, help, equations, interfaces, quirks, fields. What a
 * component does not have is left out. */
SofaErr doc_json(SofaContext *ctx, FILE *out);

#endif
