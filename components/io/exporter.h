/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of components that write files at steps of a simulation: when, and under which name. */
#ifndef SOFA_COMPONENTS_IO_EXPORTER_H
#define SOFA_COMPONENTS_IO_EXPORTER_H

#include "object/object.h"

extern const SofaInterface sofa_exporter_interface;
#define SOFA_EXPORTER (&sofa_exporter_interface)

typedef struct Exporter {
  SofaObject object;
  SofaFileName filename;
  uint32_t every; /* steps; 0: never during the run */
  bool at_begin, at_end, enable;
  char *base;       /* path without extension and number, owned */
  uint64_t n_steps; /* done */
  unsigned n_files; /* written since the beginning */
  bool fresh;       /* the last file shows the current state */
  SofaText text;    /* of one file, kept from file to file */
} Exporter;

extern const SofaClass exporter_class; /* abstract, listening */

/* Ops of SOFA_EXPORTER. */
typedef struct ExporterOps {
  const char *const *extensions; /* taken off `filename`; NULL-terminated */
  /* required: writes one file (or the files of one instant); reports what fails */
  SofaErr (*write)(Exporter *exporter);
  bool own_instants; /* the class writes at instants of its own */
} ExporterOps;

/* Number of the file of this instant: periods done; one more for the state at the end of a run that
 * is not a whole number of them. */
unsigned exporter_number(const Exporter *exporter);
/* "BASE<number, 5 digits>.EXTENSION", without number when no files are written during the run.
 * Caller frees; NULL: no memory. */
char *exporter_path(const Exporter *exporter, const char *extension);
/* Writes exporter->text under exporter_path in one go. */
SofaErr exporter_write_text(Exporter *exporter, const char *extension);

#endif
