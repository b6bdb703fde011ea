/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where an output comes from, as one line of text that its file carries:
 *
 *     csofa 0.1.0; scene beam.scn 1f2e3d4c5b6a7988; 2 files 8899aabbccddeeff; arithmetic fused;
 *     quirks none; set /beam/FEM.youngModulus=2e5
 *
 * The numbers are checksums (base/checksum.h) of the scene's bytes, and of the bytes of all other
 * files that were read until the scene was ready, in the order of reading. The line names all that
 * decides the numbers, hence neither threads, folders nor the time of day: outputs of equal runs
 * are equal. Arithmetic is fused with avx2 and avx512, plain with baseline. */
#ifndef SOFA_BASE_PROVENANCE_H
#define SOFA_BASE_PROVENANCE_H

#include "base/context.h"
#include "base/text.h"

SOFA_BEGIN_DECLS

/* A scene will be read from `path`: what was noted of another one is forgotten. Words
 * stand in the line, too, such as arguments; "": none. */
SofaErr sofa_provenance_begin(SofaContext *ctx, const char *path, const char *words);
/* Notes a file that was read, by the checksum of its bytes or by them. */
SofaErr sofa_provenance_input(SofaContext *ctx, const char *path, uint64_t sum);
SofaErr sofa_provenance_file(SofaContext *ctx, const char *path, const char *bytes, size_t n);
/* The scene is ready: later files do not count. Makes the line, where the program wants it. */
SofaErr sofa_provenance_seal(SofaContext *ctx, const char *isa);
/* "fused" or "plain": instruction sets of one word give the same bits. */
const char *sofa_arithmetic(const char *isa);
/* The line; NULL: none is wanted, or the scene is not ready. */
const char *sofa_provenance(const SofaContext *ctx);
/* The line of another context, and words behind it, for what is written beside its run. */
SofaErr sofa_provenance_copy(SofaContext *ctx, const SofaContext *from, const char *words);
/* What was read until the scene was ready: the scene first. */
const SofaInputs *sofa_provenance_inputs(const SofaContext *ctx);
void sofa_provenance_free(SofaContext *ctx);

SOFA_END_DECLS

#endif
