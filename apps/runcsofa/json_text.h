/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strings of JSON. */
#ifndef RUNCSOFA_JSON_TEXT_H
#define RUNCSOFA_JSON_TEXT_H

#include <stdio.h>

/* The text in quotes; characters that JSON or a terminal does not take are escaped. */
void json_print_text(FILE *out, const char *text);

#endif
