/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot loops over triangles under pressure, compiled once per instruction set. avx2 and avx512
 * give the same bits; lanes do not see each other. */
#ifndef SOFA_NUMERICS_FEM_FACE_KERNELS_H
#define SOFA_NUMERICS_FEM_FACE_KERNELS_H

#include "base/context.h"
#include "numerics/fem/element_sums.h"
#include "numerics/fem/lane_count.h"

SOFA_BEGIN_DECLS

enum {
  SOFA_FACE_ROWS = 6,                     /* reals that are kept of a triangle */
  SOFA_SURFACE_MEASURES = 2 * SOFA_LANES, /* of a group of SOFA_LANES triangles */
};

/* n triangles, their points and a point near them. The measures are (a - origin).n and |n|, a row
 * of lanes each. stride 0: those of all groups are added to the same ones; else those of a group
 * are set `stride` behind those of the one before, without those behind the end that fill no
 * register.
 */
typedef struct SofaSurface {
  const uint32_t (*v)[3];
  size_t n;
  const double *x, *origin;
  double *measures;
  size_t stride;
} SofaSurface;

/* Triangles a b c with the area vector n = (b - a) x (c - a). kept: of each group of SOFA_LANES
 * triangles SOFA_FACE_ROWS rows of lanes, part (b - a) and part (c - a). Points have three reals.
 */
typedef struct SofaFaceKernels {
  const char *name; /* as of SofaKernels */
  /* Gives part n, that all corners get, of n triangles; sets what is kept unless that is NULL. */
  void (*force)(const uint32_t (*v)[3], size_t n, double part, const double *x, SofaVectorsTo to,
                double *kept);
  /* Gives k times the change of that by dx. */
  void (*product)(const uint32_t (*v)[3], size_t n, double k, const double *kept, const double *dx,
                  SofaVectorsTo to);
  /* Of the triangles begin .. end - 1, begin a multiple of SOFA_LANES: 9 reals, row major, for each
   * of the edges a b, b c and c a, one after the other: factor times the matrix of the vector
   * product with half of what the edge opposite its second end is more than that opposite its
   * first. Those behind the end that fill up a register have some, too. */
  void (*blocks)(size_t begin, size_t end, double factor, const double *kept, double *blocks);
  /* As force, and the measures of a surface. No vectors are given where both places are NULL. */
  void (*surface)(const SofaSurface *surface, double part, SofaVectorsTo to, double *kept);
  /* `period` sums of every so-manieth of n reals: 2 or 3 SOFA_LANES. */
  void (*sum)(const double *x, size_t n, size_t period, double *sums);
} SofaFaceKernels;

/* The kernels of the context's instruction set. */
const SofaFaceKernels *sofa_face_kernels(const SofaContext *ctx);

/* Use sofa_face_kernels. The last two exist on x86-64 only. */
extern const SofaFaceKernels sofa_face_kernels_baseline, sofa_face_kernels_avx2,
    sofa_face_kernels_avx512;

SOFA_END_DECLS

#endif
