/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which points RestShapeSpringsForceField and PolynomialRestShapeSpringsForceField hold, and where.
 */
#ifndef SOFA_SPRING_REST_POINTS_H
#define SOFA_SPRING_REST_POINTS_H

#include "behavior/draw_state.h"
#include "behavior/force_field.h"
#include "change/topology_change.h"

enum { SOFA_REST_COLUMNS = 4 }; /* lists of values that can follow */

typedef struct SofaRestPoints {
  /* fields */
  SofaIndices points, external_points;
  SofaLink external;
  bool recompute;
  /* state */
  SofaIndices held, at; /* points of the state, and the points of the target they are pulled to */
  size_t n_state, n_target; /* points when the lists were made */
  bool all;                 /* point k is pulled to target k; so are inserted points */
  bool none;                /* all springs were removed */
  SofaIndices came;         /* points of the state that have no target yet */
} SofaRestPoints;

extern const SofaLinkRule sofa_rest_points_rule;
/* Rows of the fields: T has a member `rest` of this type. */
#define SOFA_REST_POINTS_ROWS(T, recompute_default)                                                \
  SOFA_FIELD(T, rest.points, "points", NULL, "", "points held by springs; empty: all",             \
             .flags = SOFA_FIELD_REINIT),                                                          \
      SOFA_FIELD(T, rest.external_points, "external_points", NULL, "",                             \
                 "for each point the one it is pulled to; empty: the same in the rest shape, all " \
                 "of an external state",                                                           \
                 .flags = SOFA_FIELD_REINIT),                                                      \
      SOFA_FIELD(T, rest.external, "external_rest_shape", NULL, "",                                \
                 "state whose positions are the targets; default: the own rest positions",         \
                 .link = &sofa_rest_points_rule),                                                  \
      SOFA_FIELD(T, rest.recompute, "recompute_indices", recompute_default, "",                    \
                 "find the points again when a state has another number of points")

/* Makes the lists `held` and `at`, checked. exact: as many points as targets are wanted, else at
 * most as many. After a failure there are no springs. */
SofaErr sofa_rest_points_find(SofaRestPoints *r, SofaForceField *ff, bool exact);
/* Finds them again when a state has another number of points and `recompute` asks for it. */
SofaErr sofa_rest_points_update(SofaRestPoints *r, SofaForceField *ff, bool exact);
/* Topological changes: springs that lose an end are removed with their entries of the columns; the
 * last ones take their place. Lists of fewer values than springs continue with their first one, as
 * do those of inserted points. n: at most SOFA_REST_COLUMNS. */
SofaErr sofa_rest_points_listen(SofaRestPoints *r, const SofaForceField *ff,
                                const SofaTopologyChange *change, const SofaColumn *columns,
                                size_t n);
/* Targets as coords of the kind of the state. Borrowed. */
const double *sofa_rest_points_target(const SofaRestPoints *r, const SofaForceField *ff);
/* A line from each point to where it is pulled. */
void sofa_rest_points_draw(const SofaRestPoints *r, const SofaForceField *ff,
                           const SofaDrawArgs *args, SofaRgba color);
void sofa_rest_points_free(SofaRestPoints *r, SofaContext *ctx);

#endif
