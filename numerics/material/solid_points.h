/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a SofaSolidBatch whose law is evaluated point by point (point_law.h): the same
 * functions as those of solid_batch.h, and the history of the points.
 *
 * A component asks for its law with sofa_solid_points_law before each of the other calls. */
#ifndef SOFA_NUMERICS_MATERIAL_SOLID_POINTS_H
#define SOFA_NUMERICS_MATERIAL_SOLID_POINTS_H

#include "numerics/material/solid_material.h"

SOFA_BEGIN_DECLS

/* Are the elements computed point by point, not by solid_kernels_impl.h? */
static inline bool sofa_solid_by_points(const SofaSolidBatch *batch, const SofaSolidLaw *law) {
  return batch->bar || law->point || law->material->form == SOFA_HYPER_OTHER;
}

/* The law of a material at `time` after a step dt. A number of values that does not fit the
 * elements or the history is an error of the material. */
SofaErr sofa_solid_points_law(SofaObject *material, const SofaSolidBatch *batch, double dt,
                              double time, SofaSolidLaw *law);
/* Makes the history, all zero, and the memory that loops need. For laws of the kernels: nothing.
 * Without memory the batch is freed, too. */
SofaErr sofa_solid_points_create(SofaContext *ctx, const SofaSolidLaw *law, SofaSolidBatch *batch);
void sofa_solid_points_free(SofaContext *ctx, SofaSolidBatch *batch);
/* What accepted steps have dissipated; false: the law has no history. */
bool sofa_solid_points_dissipated(const SofaSolidBatch *batch, double *energy);
/* Back to the history of the start. */
void sofa_solid_points_reset(SofaSolidBatch *batch);

/* As the functions of solid_batch.h, which call these. */
size_t sofa_solid_points_force(const SofaContext *ctx, SofaSolidBatch *batch,
                               const SofaSolidLaw *law, const double *x, double *f);
size_t sofa_solid_points_blocks(const SofaContext *ctx, SofaSolidBatch *batch,
                                const SofaSolidLaw *law);
size_t sofa_solid_points_energy(const SofaSolidBatch *batch, const SofaSolidLaw *law,
                                const double *x, double *energy);
/* Moves the history to x and adds to batch->dissipated. Returns the first bad element. */
size_t sofa_solid_points_accept(const SofaContext *ctx, SofaSolidBatch *batch,
                                const SofaSolidLaw *law, const double *x);

/* ---- the field `dilatation` ---- */

extern const char *const sofa_solid_dilatations[]; /* in the order of SofaDilatation */
/* After SOFA_ROW's SofaSelf; the member is a SofaOption. `needs`: the end of the first sentence. */
#define SOFA_SOLID_DILATATION_ROW(member, needs)                                                   \
  SOFA_ROW(member, "dilatation", "full", "",                                                       \
           "how elements measure the change of volume" needs                                       \
           ": 'full' at each point of quadrature; 'mean' one per element, against locking of "     \
           "nearly incompressible materials; 'linear' one that is linear in each Hexahedron27; "   \
           "'continuous' one that is linear between the corners of Tetrahedron10 (Taylor-Hood); "  \
           "'bar' one per element in the whole deformation gradient (F-bar), for any material "    \
           "(addition of csofa)",                                                                  \
           .options = sofa_solid_dilatations)
/* Is mesh->dilatation right for its elements and a law? `name`: of the material. */
SofaErr sofa_solid_check_dilatation(const SofaObject *object, const SofaElementMesh *mesh,
                                    const SofaSolidLaw *law, const char *name);

/* A quadrature point of an element. */
typedef struct SofaSolidPlace {
  size_t element, point;
} SofaSolidPlace;

/* Any law at a point of an element: fills d, and out, at x with the accepted history; out->d only
 * of laws of points. false: not defined there. */
bool sofa_solid_point_at(const SofaSolidBatch *batch, const SofaSolidLaw *law, SofaSolidPlace at,
                         const double *x, SofaDeformation *d, SofaPointResult *out);

SOFA_END_DECLS

#endif
