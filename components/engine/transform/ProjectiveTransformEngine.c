/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ProjectiveTransformEngine: projects points as a camera does. */
#include <math.h>

#include "components/engine/engine.h"

typedef struct ProjectiveTransformEngine {
  SofaObject object;
  SofaVec3s input, output;
  SofaMat34 matrix;
  double focal_distance;
} ProjectiveTransformEngine;

typedef ProjectiveTransformEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(input, "input_position", NULL, "m", "points to project"),
    SOFA_ROW_OUTPUT(output, "output_position", "m",
                    "projected points: f y / y_z with y = P (x, 1)"),
    SOFA_ROW_INPUT(matrix, "proj_mat", NULL, "", "projection matrix P, 3x4"),
    SOFA_ROW_INPUT(focal_distance, "focal_distance", "1", "m", "distance f of the image"),
};

static SofaErr update(SofaObject *object) {
  ProjectiveTransformEngine *e = (ProjectiveTransformEngine *)object;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->output, e->input.n));
  for (size_t i = 0; i < e->input.n; i++) {
    const double *x = e->input.data[i].v;
    double *y = e->output.data[i].v;
    for (int r = 0; r < 3; r++) {
      const double *row = e->matrix.m + 4 * r;
      y[r] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3];
    }
    if (!(fabs(y[2]) > 0))
      return sofa_field_fail(object, "input_position", SOFA_ERR_GEOMETRY,
                             "point %zu lies in the plane of the camera: it has no image", i);
    const double f = e->focal_distance / y[2];
    for (int r = 0; r < 3; r++) y[r] *= f;
  }
  return SOFA_OK;
}

ENGINE_CLASS(ProjectiveTransformEngine, "Transform", "Projects points as a camera does.",
             .equations = "y = P (x, 1), x' = f y/y_z\n"
                          "\"P: proj_mat, f: focal_distance\"",
             .templates = engine_vec3_templates, .init = engine_init, );
