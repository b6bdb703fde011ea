/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of XML VTK files with appended data, of which parts are read. */
#ifndef SOFA_NUMERICS_IO_VTK_PART_H
#define SOFA_NUMERICS_IO_VTK_PART_H

#include "base/file_part.h"
#include "numerics/io/vtk_build_impl.h"

SOFA_LIST(uint64_t, SofaVtkPlaces);

/* How the file keeps its arrays. */
typedef struct SofaVtkLayout {
  bool big_endian, compressed;
  bool base64;          /* without white space; else raw */
  unsigned header_size; /* 4 or 8 bytes */
  uint64_t appended;    /* byte behind the '_' */
} SofaVtkLayout;

typedef struct SofaVtkPart {
  const SofaPartFile *file;
  const SofaVtkLayout *layout;
  const SofaVtkType *type;
  uint64_t n;     /* numbers */
  uint64_t begin; /* byte of the file where what holds them begins: text of base64, or bytes */
  uint64_t head;  /* bytes in front of the first one */
  uint64_t block; /* bytes of a block, uncompressed; the last one may have fewer */
  uint64_t n_bytes;
  SofaVtkPlaces blocks; /* bytes in front of each, and of the end of the last one; owned */
} SofaVtkPart;

/* The array at an offset of the appended data; its header alone is read. */
SofaErr sofa_vtk_part_open(const SofaPartFile *file, const SofaVtkLayout *layout,
                           const SofaVtkType *type, uint64_t offset, SofaVtkPart *out);
void sofa_vtk_part_close(SofaVtkPart *part);
/* The bytes of the numbers first .. first + n - 1 < part->n. */
SofaErr sofa_vtk_part_read(const SofaVtkPart *part, uint64_t first, uint64_t n, SofaText *bytes);

#endif
