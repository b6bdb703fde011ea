/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prefabs that old scenes use as tags; a file Objects/<tag>.xml on the data path comes first. */
#include <string.h>

#include "scene/reader.h"

static const char box_constraint[] = "<Node name='Group'>"
                                     "<BoxROI name='box_roi' box='0 0 0 1 1 1' drawBoxes='0'/>"
                                     "<FixedProjectiveConstraint indices='@[-1].indices'/>"
                                     "</Node>";

static const char plane_constraint[] =
    "<Node name='Group'>"
    "<PlaneROI name='box_roi' plane='-4 3 0 1 2 1 0 0 1 2' drawSize='0'/>"
    "<FixedProjectiveConstraint indices='@[-1].indices' drawSize='0'/>"
    "</Node>";

static const char cg_implicit[] =
    "<Node name='Group'>"
    "<EulerImplicitSolver name='Euler Implicit' tags='' printLog='false' rayleighStiffness='0.1'"
    " rayleighMass='0.1' vdamping='0'/>"
    "<CGLinearSolver name='CG Solver' tags='' printLog='false' iterations='25' tolerance='1e-5'"
    " threshold='1e-5'/>"
    "</Node>";

const char *sofa_builtin_prefab(const char *tag) {
  static const struct {
    const char *tag, *text;
  } prefabs[] = {
      {"BoxConstraint", box_constraint},
      {"PlaneConstraint", plane_constraint},
      {"CGImplicit", cg_implicit},
      {"CGImplicitSolver", cg_implicit},
  };
  for (size_t i = 0; i < sizeof prefabs / sizeof *prefabs; i++)
    if (strcmp(prefabs[i].tag, tag) == 0) return prefabs[i].text;
  return NULL;
}
