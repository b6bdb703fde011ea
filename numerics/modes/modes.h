/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modes of vibration and linear buckling of a scene, at the present state.
 *
 *     SofaModes *modes = NULL;
 *     err = sofa_modes_create(simulation, &(SofaModesRequest){.n = 6}, &modes);
 *     ... modes->mode[0].frequency, sofa_modes_shape(modes, 0) ...
 *     sofa_modes_destroy(&modes);
 */
#ifndef SOFA_NUMERICS_MODES_MODES_H
#define SOFA_NUMERICS_MODES_MODES_H

#include "behavior/ode_solver.h"
#include "numerics/io/vtk_writer.h"
#include "simulation/simulation.h"

SOFA_BEGIN_DECLS

typedef enum SofaModesKind {
  SOFA_MODES_VIBRATION, /* K x = w^2 M x, K = -df/dx */
  SOFA_MODES_BUCKLING   /* (K + factor G) x = 0: K without loads, G the change of K by the loads of
                           the scene along their linear displacement */
} SofaModesKind;

typedef struct SofaModesRequest {
  SofaModesKind kind;
  size_t n; /* the lowest ones */
} SofaModesRequest;

typedef struct SofaMode {
  double value;     /* w^2, 1/s^2; of buckling the factor of the loads */
  double frequency; /* sqrt(|value|) / (2 pi), Hz, with the sign of value; of buckling 0 */
  bool rigid;       /* value is a rounding error of K: the bodies move without a force */
  double residual;  /* |K x - value M x| / |(value + shift) M x|; of buckling |K x + value G x| /
                       |K x| */
  double participation[3]; /* x . M r, r a unit displacement along x, y, z; kg^1/2 */
  double mass[3];          /* its square, the effective modal mass, kg */
} SofaMode;

typedef struct SofaModes {
  SofaContext *ctx;
  SofaModesKind kind;
  SofaOdeSolver *solver; /* whose states they are of */
  SofaMechanics *mechanics;
  size_t n, n_v;        /* modes found; reals of a shape: a deriv vector of the plan */
  size_t n_rows;        /* of them those of independent states, the rows of the matrices */
  SofaMode *mode;       /* ascending */
  double *shapes;       /* x . M x = 1; of buckling x . K x = 1 */
  double total_mass[3]; /* r . M r, kg, held points included */
  size_t n_lower;       /* eigenvalues below the last one that were counted and not found */
} SofaModes;

/* The modes of the one ODE solver of an initialised scene. Projective constraints hold their dofs,
 * mapped force fields and masses are included, Lagrangian constraints are not. The state stays.
 * Errors are reported: no or several solvers, nothing that moves, no mass, no stiffness, n beyond
 * the number of modes, loads without which nothing buckles. */
SofaErr sofa_modes_create(SofaSimulation *simulation, const SofaModesRequest *request,
                          SofaModes **out);
/* The same of the graph below a node. */
SofaErr sofa_modes_create_below(SofaNode *root, const SofaModesRequest *request, SofaModes **out);
/* The one solver whose modes these are. */
SofaErr sofa_modes_find_solver(SofaNode *root, SofaOdeSolver **out);
void sofa_modes_destroy(SofaModes **modes); /* NULL-safe */
/* n_v reals, those of mapped states included. Borrowed. */
static inline const double *sofa_modes_shape(const SofaModes *modes, size_t i) {
  return modes->shapes + i * modes->n_v;
}

/* Appends a table of lines of text. */
SofaErr sofa_modes_print(const SofaModes *modes, SofaText *out);
/* Appends the same as CSV, full digits. */
SofaErr sofa_modes_csv(const SofaModes *modes, SofaText *out);
/* A mode as a VTU file in out->text: points and elements of the independent states, and the field
 * "mode", displacements of which the largest is 1. */
SofaErr sofa_modes_vtu(const SofaModes *modes, size_t mode, SofaVtkBuffers *out);

SOFA_END_DECLS

#endif
