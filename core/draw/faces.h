/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faces of elements, for drawings that choose or colour them one by one. */
#ifndef SOFA_DRAW_FACES_H
#define SOFA_DRAW_FACES_H

#include "draw/draw.h"

SOFA_BEGIN_DECLS

/* The faces of an element of `width` vertices: their number, and their vertices as ranks in the
 * element, the fourth of a triangle is 255. 0: it has none, *faces is NULL. */
int sofa_draw_element_faces(unsigned width, bool quads, const uint8_t (**faces)[4]);
/* A triangle with a colour per corner, shaded. */
void sofa_draw_triangle_shaded(SofaDrawList *list, const double *const p[3],
                               const SofaRgba color[3]);

SOFA_END_DECLS

#endif
