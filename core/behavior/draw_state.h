/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing of states and of what acts on them: shared by the components that draw. */
#ifndef SOFA_BEHAVIOR_DRAW_STATE_H
#define SOFA_BEHAVIOR_DRAW_STATE_H

#include "draw/draw.h"
#include "behavior/state.h"
#include "topology/topology.h"

SOFA_BEGIN_DECLS

/* Position of a point; coordinates that its kind does not have are 0. */
void sofa_state_point(const SofaState *state, size_t i, double p[3]);

/* Some points of a state (indices NULL: all; indices out of range are left out): discs of 10
 * pixels, or spheres of a radius > 0, m. */
void sofa_draw_state_points(SofaDrawList *list, const SofaState *state, const SofaIndices *indices,
                            double radius, SofaRgba color);

typedef struct SofaStatePoint {
  const SofaState *state;
  size_t index; /* nothing is drawn when the state does not have it */
} SofaStatePoint;
/* A line between two points of states. */
void sofa_draw_link(SofaDrawList *list, SofaStatePoint from, SofaStatePoint to, double pixels,
                    SofaRgba color);
/* An arrow at a point: `scale` times the first n reals (at most 3) of a force. */
void sofa_draw_force(SofaDrawList *list, SofaStatePoint at, const double *force, unsigned n,
                     double scale, SofaRgba color);
/* Is a force field with these states shown? Between two bodies it counts as an interaction. */
bool sofa_draw_shows_field(const SofaDrawArgs *args, const SofaState *const state[2]);

/* Elements of a topology at the positions of a state; edges of them with the flag showWireframe.
 * shrink as in SofaDrawElements. */
void sofa_draw_state_elements(const SofaDrawArgs *args, const SofaState *state,
                              SofaTopology *topology, SofaElementKind kind, double shrink,
                              const SofaRgba color[4]);
/* The colours of a tetrahedron's faces. */
extern const SofaRgba sofa_draw_face_colors[4];

/* Ops of force fields that show the elements of one kind of their topology (field `topology`, else
 * the node's), when force fields are shown and their field `drawing`, if they have one, is set.
 * Four colours `drawColor1`... are used where they exist. Mixed: the volumes, else the faces, else
 * the edges. */
/* The elements of an object with SOFA_ELEMENT_SOURCE, by their corners, as those of a force field
 * on the state. */
void sofa_draw_field_source(const SofaState *state, const SofaObject *source,
                            const SofaDrawArgs *args);
extern const SofaDrawOps sofa_draw_field_tetrahedra, sofa_draw_field_hexahedra,
    sofa_draw_field_triangles, sofa_draw_field_quads, sofa_draw_field_edges, sofa_draw_field_mixed;

SOFA_END_DECLS

#endif
