/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of a scene: are its tangents, mappings, meshes and energies right? A check appends what it
 * finds to a report, which is printed as text or as JSON. Tests of plugins call the same functions.
 *
 *     SofaCheckReport report = {.ctx = ctx};
 *     err = sofa_check_tangent(simulation, &report);
 *     ... report.n_wrong ...
 *     sofa_check_report_free(&report);
 */
#ifndef SOFA_NUMERICS_CHECK_CHECK_H
#define SOFA_NUMERICS_CHECK_CHECK_H

#include "behavior/mapping.h"
#include "simulation/simulation.h"

SOFA_BEGIN_DECLS

/* X(code, word) from the best to the worst */
#define SOFA_CHECK_VERDICTS(X)                                                                     \
  X(SOFA_CHECK_OK, "ok")                                                                           \
  X(SOFA_CHECK_SKIPPED, "skipped")         /* there is nothing to compare */                       \
  X(SOFA_CHECK_APPROXIMATE, "approximate") /* the class says what it leaves out */                 \
  X(SOFA_CHECK_KINK, "not differentiable here")                                                    \
  X(SOFA_CHECK_WARNING, "warning")                                                                 \
  X(SOFA_CHECK_WRONG, "wrong")

typedef enum SofaCheckVerdict {
#define SOFA_CHECK_ENUM(code, word) code,
  SOFA_CHECK_VERDICTS(SOFA_CHECK_ENUM)
#undef SOFA_CHECK_ENUM
} SofaCheckVerdict;
const char *sofa_check_verdict_text(SofaCheckVerdict verdict);

/* One line of a report; texts are owned. */
typedef struct SofaFinding {
  const char *check; /* static: "tangent", "mesh", "energy" */
  char *path;        /* of the object, "" for the scene */
  const char *klass; /* of the object; static as long as its plugin is loaded */
  SofaCheckVerdict verdict;
  double error; /* relative, of the worst comparison; NAN: none */
  char *text;   /* one sentence or a list of numbers */
} SofaFinding;
SOFA_LIST(SofaFinding, SofaFindings);

/* The energies of one step, J. See sofa_check_energy_open. */
typedef struct SofaEnergyRow {
  uint64_t step;
  double time; /* s, at the end of the step */
  double kinetic, potential;
  double loads;       /* work of forces without a potential energy, and of changes of the others */
  double imposed;     /* work of the reactions at points that projective constraints move */
  double constraints; /* work of Lagrangian constraints: contacts, friction, limits */
  double damping;     /* taken away by Rayleigh damping and by forces of velocity */
  double dissipated;  /* by materials with a history: plastic, viscoelastic */
  double unstored;    /* work of forces that are not the derivative of the energy they have, beyond
                         the change of that energy: corotational elements, for instance */
  double residual;    /* change of kinetic + potential, less what is above, with damping and
                         dissipated added */
} SofaEnergyRow;
SOFA_LIST(SofaEnergyRow, SofaEnergyRows);

typedef struct SofaCheckReport {
  SofaContext *ctx;
  const char *check;     /* static: the check that runs */
  SofaFindings findings; /* owned */
  SofaEnergyRows energy; /* owned; empty without a check of energies */
  size_t n_warnings, n_wrong;
} SofaCheckReport;

void sofa_check_report_free(SofaCheckReport *report);

/* ---- the checks; of an initialised simulation, between steps ---- */

/* Force fields and mappings at the present state: one finding for each. Directions are
 * pseudo-random and the same in every run; differences are central, of four sizes, of which the
 * best counts. The derivative by positions is taken at rest (v = 0), where the tangents of dampers
 * are exact, too. No state changes. */
SofaErr sofa_check_tangent(SofaSimulation *simulation, SofaCheckReport *report);
/* The same of one object. */
SofaErr sofa_check_force_field(SofaForceField *ff, SofaCheckReport *report);
SofaErr sofa_check_mapping(SofaMapping *map, SofaCheckReport *report);

/* Meshes of topologies and loaders: the findings are the worst of what is wrong, at most a few of
 * each kind. */
SofaErr sofa_check_mesh(SofaSimulation *simulation, SofaCheckReport *report);

/* The balance of energies over steps that the caller makes:
 *
 *     open; for each step: sofa_simulation_step, sofa_check_energy_step; close.
 *
 * Works are those of the mean of the forces at both ends of a step along the way between them, by
 * which the balance is exact up to the square of the step. Its residual is the energy that a step
 * made from nothing: a negative one is the numerical dissipation of the integrator and no error; a
 * sum of them above a tenth of the largest energy of the run is one. */
typedef struct SofaEnergyCheck SofaEnergyCheck;
SofaErr sofa_check_energy_open(SofaSimulation *simulation, SofaEnergyCheck **out);
/* After a step. */
SofaErr sofa_check_energy_step(SofaEnergyCheck *check, SofaCheckReport *report);
/* Appends the findings of all steps. NULL-safe; *check becomes NULL. */
SofaErr sofa_check_energy_close(SofaEnergyCheck **check, SofaCheckReport *report);

/* ---- reports ---- */

/* Appends lines of text. */
SofaErr sofa_check_print(const SofaCheckReport *report, SofaText *out);
/* Appends one JSON object with the keys
 *   findings: list of {check, path, class, verdict, error, text}; error is null without one
 *   energy: list of {step, time, kinetic, potential, loads, imposed, constraints, damping,
 * dissipated, unstored, residual} warnings, wrong: numbers of findings with these verdicts */
SofaErr sofa_check_json(const SofaCheckReport *report, SofaText *out);

SOFA_END_DECLS

#endif
