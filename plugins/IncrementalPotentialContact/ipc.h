/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the sources of the plugin share: the surfaces as flat arrays, the pairs of elements that are
 * near each other, and the energies of pairs. */
#ifndef IPC_IPC_H
#define IPC_IPC_H

#include <sofa.h>

#include "behavior/collision_model.h"
#include "numerics/contact/barrier.h"
#include "numerics/contact/ccd.h"
#include "numerics/contact/definite.h"
#include "numerics/contact/friction.h"
#include "numerics/spatial/bounding_tree.h"

/* ---- surfaces ---- */

/* The points, edges and triangles of all models. Points are numbered through; edges that several
 * models have are one. Models: numbers in the list of models. */
typedef struct IpcSurface {
  size_t n_points, n_edges, n_triangles;
  SofaIndices state, index;                            /* of each point */
  SofaIndices point_model, edge_model, triangle_model; /* first model that has it */
  SofaIndices edge, triangle;                          /* points, 2 and 3 each */
  SofaReals length2;                                   /* of edges at rest, m^2 */
  SofaBools moves;                                     /* of each state: a solver moves it */
  SofaBools apart;                                     /* of each pair of models: never meet */
  uint64_t revisions;                                  /* sum of those of the models */
} IpcSurface;

/* ---- pairs ---- */

typedef struct IpcPair {
  SofaPairKind kind; /* point and triangle, or two edges */
  uint32_t point[4];
  double threshold; /* of the mollifier of edges */
} IpcPair;
SOFA_LIST(IpcPair, IpcPairs);
SOFA_LIST(SofaCcdPair, IpcMotions);

/* An energy of a pair with derivatives at the evaluated positions. */
typedef struct IpcTerm {
  uint32_t point[4];
  unsigned counts; /* bit k: derivatives by point k are not 0 */
  bool edges;      /* a pair of edges */
  SofaPairTerm term;
} IpcTerm;
SOFA_LIST(IpcTerm, IpcTerms);

/* Friction of a pair that touched at the start of the step. */
typedef struct IpcSlide {
  uint32_t point[4];
  SofaFrictionPair friction;
} IpcSlide;
SOFA_LIST(IpcSlide, IpcSlides);

SOFA_LIST(SofaCollisionModel *, IpcModels);

typedef enum IpcTree { IPC_POINTS, IPC_EDGES, IPC_TRIANGLES, IPC_N_TREES } IpcTree;

typedef struct Ipc {
  SofaForceField force_field;
  /* fields */
  SofaLinks links;
  double dhat, stiffness, friction, sliding_speed;
  bool project;
  /* outputs */
  uint32_t n_pairs;
  double smallest_distance, used_dhat, used_stiffness;
  SofaVec3s contact_points, contact_forces;

  IpcModels models;
  IpcSurface surface;
  bool started; /* a step has begun since init or reset */
  double most_stiffness, diagonal;
  double distance_before; /* least distance at the last taken guess */
  double slip;            /* displacement up to which points stick, m */
  /* 3 n_points reals each */
  SofaReals x, x_start, x_from, x_end; /* x_end: of the step before */
  /* near pairs: all that may be closer than dhat while every coordinate is at most half of `slack`
   * outside of x_low and x_high */
  SofaReals x_low, x_high;
  SofaBoundingTree tree[IPC_N_TREES];
  SofaBoundingWork work;
  SofaElementPairs found;
  IpcPairs near;
  bool near_known;
  double slack;
  IpcMotions motions;
  SofaCcdWork *ccd;
  /* at the point `evaluated`, 0: none */
  uint64_t evaluated;
  double energy, distance; /* J; least distance of the pairs, at most dhat */
  bool definite;           /* the Hessians are projected */
  IpcTerms terms;
  size_t n_barriers; /* terms of the barrier; those of friction follow */
  IpcSlides slides;
} Ipc;

/* Makes the flat arrays when the elements of a model changed since. */
SofaErr ipc_surface_update(Ipc *c, bool *changed);
void ipc_surface_free(SofaContext *ctx, IpcSurface *s);
/* Positions of all points, from those of the states. */
void ipc_gather(const Ipc *c, const double *const *states, double *x);
/* Is there a pair of an edge and a triangle that meet at x? Reports the first. */
SofaErr ipc_check_free(Ipc *c, const double *x);

/* Have the surfaces come from c->x_end to c->x_start, by other means than the solver, without a
 * meeting? */
SofaErr ipc_check_moved(Ipc *c);
/* Is there one solver for all states that move? */
SofaErr ipc_check_solver(const Ipc *c);

/* Brings c->near up to date for the straight motion from x to end; they may be the same. */
SofaErr ipc_find_near(Ipc *c, const double *x, const double *end);
/* The largest share of the straight motion from c->x_from to x that keeps all pairs apart. */
SofaErr ipc_limit(Ipc *c, const double *x, double *share);

/* Energies of all near pairs at c->x, which is that of the point `id`. */
SofaErr ipc_evaluate(Ipc *c, uint64_t id);
/* Makes the Hessians positive semidefinite, once per evaluation. */
SofaErr ipc_make_definite(Ipc *c);
/* Friction of the step that begins at c->x_start. */
SofaErr ipc_begin_friction(Ipc *c, double dt);

/* Stiffness for the first step, of the masses and tangents of the bodies. */
SofaErr ipc_choose_stiffness(Ipc *c, const SofaStepStart *start);
/* Doubles it when the surfaces come much closer than they should. */
bool ipc_adapt_stiffness(Ipc *c);

#endif
