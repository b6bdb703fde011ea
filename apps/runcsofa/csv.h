/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of CSV files (RFC 4180, without line ends in cells). */
#ifndef RUNCSOFA_CSV_H
#define RUNCSOFA_CSV_H

#include "base/array.h"

/* Splits a line of a CSV file, in which a cell may stand in double quotes, at its commas; owned
 * texts. *at moves behind the line. */
SofaErr csv_read_line(SofaContext *ctx, const char **at, SofaStrings *cells);
void csv_free_line(SofaContext *ctx, SofaStrings *cells);
/* Appends a cell, in quotes where it needs them. */
SofaErr csv_add_cell(SofaContext *ctx, SofaText *line, const char *cell);

#endif
