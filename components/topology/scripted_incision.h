/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incisions of a file of changes: from its coordinates to places on the surface.
 *
 * A point means the place nearest to it. Points found in advance are kept as material points, by
 * their place in the rest shape, which no change moves. */
#ifndef SOFA_TOPOLOGY_SCRIPTED_INCISION_H
#define SOFA_TOPOLOGY_SCRIPTED_INCISION_H

#include "change_script.h"
#include "incision.h"

/* Where the last incision ended: one that begins there goes on from the same point. */
typedef struct IncisionTrace {
  bool known;
  double end[3], rest[3]; /* as the file says; of the point in the rest shape, m */
} IncisionTrace;

SOFA_LIST(SofaSurfacePlace, SurfacePlaces);

/* Finds the points on the surface as it is now; reports those that are not on it. */
SofaErr scripted_incision_save(const SofaObject *caller, const char *file, SofaTopology *topology,
                               ScriptAction *action);
/* The places of points that were found in advance. */
SofaErr scripted_incision_saved(SofaTopology *topology, const ScriptAction *action,
                                SurfacePlaces *places);
/* What the incisions of a file have in common. */
typedef struct IncisionScript {
  const SofaObject *caller; /* this and the file are named in messages */
  const char *file;
  SofaTopology *topology;
  double snap_path, snap_end; /* as in SofaIncision */
} IncisionScript;
/* Cuts. */
SofaErr scripted_incision_run(SofaTopologyEdit *edit, const IncisionScript *script,
                              const ScriptAction *action, IncisionTrace *trace);

#endif
