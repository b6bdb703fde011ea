/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections of a checkpoint: rows of the points or elements of a mesh that is divided among
 * processes. They stand behind the rest of the file, one section behind the other, in the order of
 * the whole mesh; each process writes and reads its run. Private to core/scene. */
#ifndef SOFA_SCENE_CHECKPOINT_SECTIONS_H
#define SOFA_SCENE_CHECKPOINT_SECTIONS_H

#include "base/file_part.h"
#include "object/shared_output.h"
#include "topology/division.h"

SOFA_BEGIN_DECLS

typedef struct SofaSection {
  uint64_t n, size; /* rows of the whole mesh; bytes of one */
} SofaSection;
SOFA_LIST(SofaSection, SofaSectionTable);

/* All zeros but for ctx: none. */
typedef struct SofaSections {
  SofaContext *ctx;
  SofaSectionTable table;
  SofaText run; /* of a writer: the rows of this process's runs, section after section */
  /* of a reader: where they are */
  const char *bytes;         /* borrowed; NULL: in the file */
  const SofaPartFile *file;  /* borrowed */
  uint64_t begin, next_byte; /* of the first section; of the next one */
  size_t next;
} SofaSections;

/* Rows of one kind of a division. */
typedef struct SofaSectionRows {
  const SofaDivision *division; /* NULL: this process has all, in their order */
  SofaElementKind kind;
  size_t n, size; /* rows of this process; bytes of one */
} SofaSectionRows;

/* All functions are called by all processes. Appends a section; rows->division is there. */
SofaErr sofa_sections_put(SofaSections *sections, const SofaSectionRows *rows, const void *values);
/* The checksum of all rows of all sections: the same for any number of processes. */
SofaErr sofa_sections_sum_runs(const SofaSections *sections, uint64_t *sum);
/* The same of what is read, run by run. */
SofaErr sofa_sections_sum_read(const SofaSections *sections, uint64_t *sum);
/* The runs of all processes, section after section. */
SofaErr sofa_sections_write(const SofaSections *sections, SofaSharedOutput *file);
/* Appends all sections to the bytes of the first process. */
SofaErr sofa_sections_gather(const SofaSections *sections, SofaText *to);
/* The bytes of all sections of a table; false: they are more than `most`. */
bool sofa_sections_length(const SofaSections *sections, uint64_t most, uint64_t *length);
/* Has the next section so many rows of this size? */
bool sofa_sections_has(const SofaSections *sections, uint64_t n_whole, size_t size);
/* The rows of this process in the next section. *bad: it has other ones. */
SofaErr sofa_sections_get(SofaSections *sections, const SofaSectionRows *rows, void *values,
                          bool *bad);
void sofa_sections_rewind(SofaSections *sections);
void sofa_sections_free(SofaSections *sections);

SOFA_END_DECLS

#endif
