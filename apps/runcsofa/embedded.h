/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of the source tree that are part of the program (cmake/embed.cmake). */
#ifndef RUNCSOFA_EMBEDDED_H
#define RUNCSOFA_EMBEDDED_H

typedef struct EmbeddedFile {
  const char *name; /* NULL: the end of the table */
  const char *text;
} EmbeddedFile;

extern const EmbeddedFile new_plugin_files[]; /* the folder new_plugin */

#endif
