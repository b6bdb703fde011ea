/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the mouse does to a running scene beside pulling (pull.h): it fixes places, removes
 * elements, cuts surfaces open and joins places by springs. Works without OpenGL; between steps
 * only.
 *
 * What is picked and cannot be treated so is refused with a message that says why; then nothing has
 * changed. */
#ifndef VIEWER_OPERATIONS_H
#define VIEWER_OPERATIONS_H

#include "draw/draw.h"
#include "components/topology/surface_place.h"
#include "simulation/simulation.h"
#include "viewer/pick.h"

typedef enum Operation {
  OPERATION_NONE, /* the mouse moves the camera */
  OPERATION_ATTACH,
  OPERATION_FIX,
  OPERATION_REMOVE,
  OPERATION_INCISE,
  OPERATION_SUTURE,
  N_OPERATIONS
} Operation;
/* "attach", ... */
const char *operation_word(Operation operation);
/* N_OPERATIONS: the name is unknown. */
Operation operation_of_word(const char *word);

enum { MOUSE_LEFT, MOUSE_RIGHT, MOUSE_MIDDLE, N_MOUSE_BUTTONS };
/* What the buttons do with Shift: pull (left), remove (right), cut (middle), as in runSofa, unless
 * settings of the scene say otherwise. */
void operations_of_scene(const SofaSimulation *simulation, Operation buttons[N_MOUSE_BUTTONS]);

typedef struct Operations {
  double fix_stiffness, suture_stiffness; /* N/m; 0: the scene's FixPickedParticleButtonSetting,
                                             else 10000 */
  double snap_path, snap_end;             /* of incisions, as in incision.h */
  SofaObjects held;                       /* springs that stay; owned by their nodes */
  SofaObject *sutured;                    /* where a suture begins, NULL: none does */
  SofaTopology *cut;                      /* where an incision begins, NULL: none does */
  double cut_rest[3];                     /* in the rest shape, m */
} Operations;

void operations_init(Operations *o);
/* Takes all springs away, and forgets what was begun. Before the scene is destroyed or reset. */
void operations_release(Operations *o, SofaContext *ctx);
/* Forgets the first clicks of sutures and incisions. */
void operations_stop(Operations *o);
/* Springs that still hold something. */
size_t operations_held(const Operations *o);

/* A spring keeps the anchor where it is now. */
SofaErr operations_fix(Operations *o, SofaSimulation *simulation, const PickAnchor *anchor);
/* Every second call joins the anchor with the one before. */
SofaErr operations_suture(Operations *o, SofaSimulation *simulation, const PickAnchor *anchor);
/* Removes the element that was met, or what its surface was made of: of the skin of a volume, the
 * volume element below. */
SofaErr operations_remove(SofaSimulation *simulation, const PickHit *hit);
/* The first call begins a path, every further one cuts from the place before. *doubled: points that
 * were, 0 at the beginning. */
SofaErr operations_incise(Operations *o, SofaSimulation *simulation, const PickHit *hit,
                          size_t *doubled);

/* Springs and first clicks, for scene_view_extra. */
void operations_draw(const Operations *o, SofaDrawList *list);

#endif
