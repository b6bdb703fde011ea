/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Spiral: rolls up a sheet: x becomes the length along a spiral, y the distance from it. */
#include <math.h>

#include "components/engine/engine.h"

typedef struct Spiral {
  SofaObject object;
  SofaVec3s rest, position;
  double curvature;
} Spiral;

typedef Spiral SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(rest, "rest_position", NULL, "m", "points of the sheet"),
    SOFA_ROW_OUTPUT(position, "position", "m", "rolled up points"),
    SOFA_ROW_INPUT(curvature, "curvature", "0.2", "m", "factor a of the spiral r = a t",
                   .range = SOFA_ABOVE(0)),
};

/* The parameter t where the spiral is as long as `length`: a/2 (t sqrt(1 + t^2) + asinh t), by ten
 * Newton steps from sqrt(length). */
static double parameter(double a, double length) {
  double t = sqrt(length);
  for (int n = 0; n < 10; n++) {
    const double root = sqrt(1 + t * t);
    t -= (a / 2 * (t * root + asinh(t)) - length) / (a * root);
  }
  return t;
}

static void roll(double a, const double *x, double *p) {
  const double half_pi = acos(-1.0) / 2;
  const double t = parameter(a, fabs(x[0])), r = x[0] < 0 ? -a * t : a * t;
  double n[2] = {-a * sin(t) - a * t * cos(t), a * cos(t) - a * t * sin(t)};
  const double norm = sqrt(n[0] * n[0] + n[1] * n[1]);
  for (int k = 0; k < 2; k++) n[k] /= norm;
  // near the center the normals of both arms would meet
  if (t > -half_pi && t < half_pi && n[1] > 0.8) {
    n[1] = 0.8;
    n[0] = -0.6;
  }
  p[0] = r * cos(t) + n[0] * x[1];
  p[1] = r * sin(t) + n[1] * x[1];
  p[2] = x[2];
}

static SofaErr update(SofaObject *object) {
  Spiral *s = (Spiral *)object;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &s->position, s->rest.n));
  for (size_t i = 0; i < s->rest.n; i++)
    roll(s->curvature, s->rest.data[i].v, s->position.data[i].v);
  return SOFA_OK;
}

ENGINE_CLASS(Spiral, "Generate", "Rolls up a sheet of points.",
             .equations = "a/2 (u sqrt(1 + u^2) + ln(u + sqrt(1 + u^2))) = |x|, r = a u sign(x)\n"
                          "(x', y') = r (cos u, sin u) + y n, z' = z\n"
                          "\"a: curvature, n: unit normal of the spiral, limited near its centre\"",
             .templates = engine_vec3_templates, .init = engine_init, );
