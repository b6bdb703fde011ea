/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces of loads, springs and joints whose value is known in closed form, at positions and with
 * velocities for which every term of the formula counts. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>

enum { MOST = 24 };

typedef struct ForceCase {
  const char *what;
  const char *body; /* of the root node; the force field is called ff */
  double force[MOST];
} ForceCase;

#define POINT(x, v) "<MechanicalObject position='" x "' velocity='" v "'/>"
#define FRAMES(x, v) "<MechanicalObject template='Rigid3d' position='" x "' velocity='" v "'/>"
#define SHEET                                                                                      \
  "<MeshTopology position='0 0 0 2 0 0 1 -3 0' edges='0 1 1 2' triangles='0 1 2'/>"                \
  "<MechanicalObject/>"
#define QUAD "<MeshTopology position='0 0 0 2 0 0 2 3 0 0 3 0' quads='0 1 2 3'/><MechanicalObject/>"
#define POINTS3 POINT("0 0 1 0 0 1 0 0 0", "0 0 0 0 0 0 0 0 0")
#define GRADIENT 0.55901699437494742 /* root of 5/16 */
#define AT_ZERO "0 0 0 0 0 0 1 "
#define AT_REST "0 0 0 0 0 0 "
#define S15 0.25881904510252074 /* sin 15 degrees */
#define C30 0.86602540378443865
/* turned about z by -0.5 and by 0.7 */
#define TURNED_BACK "0 0 0 0 0 -0.24740395925452294 0.96891242171064473"
#define TURNED "0 0 0 0 0 0.34289780745545134 0.93937271284737892"

static const ForceCase loads[] = {
    // 2 m^3 with the origin: twice the pressure; 3 m^2 for each half of the quad
    {"a pressure that keeps a volume of 4 m^3",
     "<MeshTopology position='1 1 1 3 1 1 3 4 1 1 4 1' quads='0 1 2 3'/><MechanicalObject/>"
     "<SurfacePressureForceField name='ff' pressure='3' volumeConservationMode='1' "
     "defaultVolume='4'/>",
     {0, 0, 12, 0, 0, 6, 0, 0, 12, 0, 0, 6}},
    {"a sphere pushes and brakes by the depth 0.4",
     POINT("0.6 0 0", "0 2 1") "<SphereForceField name='ff' stiffness='100' damping='3'/>",
     {40, -2.4, -1.2}},
    {"a bilateral sphere pulls and brakes by the distance 0.5",
     POINT("1.5 0 0",
           "0 1 0") "<SphereForceField name='ff' stiffness='100' damping='3' bilateral='1'/>",
     {-50, -1.5, 0}},
    {"a plane pushes and brakes by d - x.n, with the normal as given",
     POINT(
         "3 -0.3 0",
         "1 2 0") "<PlaneForceField name='ff' normal='0 2 0' d='0.1' stiffness='100' damping='3'/>",
     {-2.1, 140 - 4.2, 0}},
    {"maxForce scales the force of a plane",
     POINT("0 -4 0", "3 0 0") "<PlaneForceField name='ff' normal='0 1 0' stiffness='1' "
                              "damping='0.25' maxForce='2'/>",
     {-2 * 0.6, 2 * 0.8, 0}},
    {"an ellipsoid pushes by 1 minus its level",
     POINT("1 0 0",
           "1 2 4") "<EllipsoidForceField name='ff' vradius='2 2 2' stiffness='100' damping='3'/>",
     {50 - 1.5, -3, -6}},
    {"a negative stiffness pulls into an ellipsoid",
     POINT("3 0 0",
           "1 2 4") "<EllipsoidForceField name='ff' vradius='2 2 2' stiffness='-100' damping='3'/>",
     {-50 - 1.5, -3, -6}},
    {"a cone pulls from behind its tip",
     POINT("0 0 -0.5", "1 0 3") "<ConicalForceField name='ff' coneHeight='0 0 2' coneAngle='30' "
                                "stiffness='100'/>",
     {0, 0, 50 - 15}},
    {"a cone pushes to its side",
     POINT("1 0 1", "1 0 0") "<ConicalForceField name='ff' coneHeight='0 0 2' coneAngle='30' "
                             "stiffness='100'/>",
     {-C30 * (100 * M_SQRT2 * S15 + 5 * C30), 0, 0.5 * (100 * M_SQRT2 * S15 + 5 * C30)}},
    {"a cone pulls below its cap",
     POINT("0 0 3", "1 0 2") "<ConicalForceField name='ff' coneHeight='0 0 2' coneAngle='30' "
                             "stiffness='100'/>",
     {-5, 0, -100 - 10}},
    {"a cone of more than 180 degrees holds points behind its tip",
     POINT("-0.09 -0.21 -0.33 -0.18 -0.42 -0.66 -0.03 -0.07 -0.11",
           AT_REST "0 0 0") "<ConicalForceField name='ff' coneHeight='0.3 0.7 1.1' "
                            "coneAngle='200'/>",
     {0}},
    {"a cone of 90 degrees holds points on its side",
     POINT("0.015 0.025 -0.02 -0.04 0.025 -0.005 -0.095 0.025 0.01 -0.15 0.025 0.025",
           AT_REST AT_REST) "<ConicalForceField name='ff' coneHeight='0.3 0.7 1.1' "
                            "coneAngle='90'/>",
     {0}},
    {"a cone of 120 degrees pulls from behind its tip",
     POINT("-0.6 0 -0.8", "0 0 0") "<ConicalForceField name='ff' coneHeight='0 0 2' "
                                   "coneAngle='120' stiffness='100'/>",
     {60, 0, 80}},
    {"one coefficient for all components",
     POINT("0 0 0",
           "1 2 -3") "<UniformVelocityDampingForceField name='ff' dampingCoefficient='2'/>",
     {-2, -4, 6}},
    {"a coefficient for each component",
     POINT("0 0 0",
           "1 2 -3") "<DiagonalVelocityDampingForceField name='ff' dampingCoefficient='2 3 4'/>",
     {-2, -6, 12}},
    {"a pressure on an edge of length 2, half on each end",
     SHEET "<EdgePressureForceField name='ff' edgeIndices='0' pressure='1 2 3'/>",
     {1, 2, 3, 1, 2, 3}},
    {"an intensity along binormal x edge",
     SHEET "<EdgePressureForceField name='ff' edgeIndices='0' p_intensity='3' binormal='0 0 1'/>",
     {0, 3, 0, 0, 3, 0}},
    {"an intensity towards the triangle",
     SHEET "<EdgePressureForceField name='ff' edgeIndices='0' p_intensity='3'/>",
     {0, -3, 0, 0, -3, 0}},
    {"a pressure on a triangle of area 3, a third on each point",
     SHEET "<TrianglePressureForceField name='ff' triangleList='0' pressure='1 2 3'/>",
     {1, 2, 3, 1, 2, 3, 1, 2, 3}},
    {"a pressure along the normal of a triangle of area 3",
     SHEET "<SurfacePressureForceField name='ff' pressure='7'/>",
     {0, 0, -7, 0, 0, -7, 0, 0, -7}},
    {"a stress times the oriented area (3, 1.5, 1) of a triangle, a third on each point",
     "<MeshTopology position='1 0 0 0 2 0 0 0 3' triangles='0 1 2'/><MechanicalObject/>"
     "<TrianglePressureForceField name='ff' triangleList='0' useConstantForce='0' "
     "cauchyStress='1 0 0 2 4 0 3 5 6'/>",
     {3, 17 / 3., 7.5, 3, 17 / 3., 7.5, 3, 17 / 3., 7.5}},
    {"the same with other numbers of its points",
     "<MeshTopology position='7 7 7 0 0 3 1 0 0 8 9 7 0 2 0' triangles='2 4 1'/>"
     "<MechanicalObject/><TrianglePressureForceField name='ff' triangleList='0' "
     "useConstantForce='0' cauchyStress='1 0 0 2 4 0 3 5 6'/>",
     {0, 0, 0, 3, 17 / 3., 7.5, 3, 17 / 3., 7.5, 0, 0, 0, 3, 17 / 3., 7.5}},
    {"a pressure on a quad of area 6, a quarter on each point",
     QUAD "<QuadPressureForceField name='ff' quadList='0' pressure='1 2 3'/>",
     {1.5, 3, 4.5, 1.5, 3, 4.5, 1.5, 3, 4.5, 1.5, 3, 4.5}},
    {"a pressure along the normal of a quad, of two triangles of area 3",
     QUAD "<SurfacePressureForceField name='ff' pressure='7'/>",
     {0, 0, 14, 0, 0, 7, 0, 0, 14, 0, 0, 7}},
    {"an ellipsoid of three radii pushes along the gradient of its level",
     POINT("2 0.5 0", "0 0 2") "<EllipsoidForceField name='ff' center='1 0 0' vradius='2 1 4' "
                               "stiffness='100' damping='3'/>",
     {25 * (1 - M_SQRT1_2) / GRADIENT, 50 * (1 - M_SQRT1_2) / GRADIENT, -6 * (1 - M_SQRT1_2)}},
    {"a frame is turned about an axis, and in itself",
     FRAMES(AT_ZERO "1 2 3 0 0 0 1", AT_REST AT_REST) "<TorsionForceField name='ff' indices='1' "
                                                      "torque='5' axis='0 0 2' origin='1 0 0'/>",
     {0, 0, 0, 0, 0, 0, -10, 0, 0, 0, 0, 5}},
    {"a quarter of the way between two keys",
     FRAMES(AT_ZERO AT_ZERO, AT_REST AT_REST) "<LinearForceField name='ff' points='1' force='2' "
                                              "times='-5 -0.75 3.25 4' forces='9 9 9 9 9 9 "
                                              "1 2 3 4 5 6 5 6 7 0 1 2 8 8 8 8 8 8'/>",
     {0, 0, 0, 0, 0, 0, 4, 6, 8, 6, 8, 10}},
    {"nothing before the first key",
     POINT("0 0 0", "0 0 0") "<LinearForceField name='ff' points='0' times='1 2' "
                             "forces='1 2 3 4 5 6'/>",
     {0}},
    {"the last key from then on",
     POINT("0 0 0", "0 0 0") "<LinearForceField name='ff' points='0' times='-2 -1' force='2' "
                             "forces='1 2 3 4 5 6'/>",
     {8, 10, 12}},
    {"forces of a list, counted from the last point",
     POINTS3 "<ConstantForceField name='ff' indices='0 1' forces='1 0 3 0 2 0' indexFromEnd='1'/>",
     {0, 0, 0, 0, 2, 0, 1, 0, 3}},
    {"a total force, shared by the points of a list, one of them twice",
     POINTS3 "<ConstantForceField name='ff' indices='0 2 2' totalForce='3 6 9'/>",
     {1, 2, 3, 0, 0, 0, 2, 4, 6}},
    {"a moment turns points at equal distances; springs hold them on the surface",
     "<MeshTopology position='2 0 0 0 2 0 -2 0 0' triangles='0 1 2'/>"
     "<MechanicalObject rest_position='2 0 0 0 2 0 -2 0 0' position='3 0 0 0 2 0.5 -2 0 0'/>"
     "<OscillatingTorsionPressureForceField name='ff' triangleList='0' moment='6' axis='0 0 3' "
     "frequency='4' penalty='10'/>",
     {-10, 2 / 3., 0, -1, 0, -5, 0, -1, 0}},
    {"a plane pushes a range of points",
     POINTS3 "<PlaneForceField name='ff' normal='0 0 1' d='2' stiffness='10' localRange='1 1'/>",
     {0, 0, 0, 0, 0, 10, 0, 0, 0}},
    {"a plane pushes the points from one on",
     POINTS3 "<PlaneForceField name='ff' normal='0 0 1' d='2' stiffness='10' localRange='1 -1'/>",
     {0, 0, 0, 0, 0, 10, 0, 0, 20}},
};

#define JOINT(text)                                                                                \
  "<JointSpringForceField name='ff' object1='@/' object2='@/' spring='BEGIN_SPRING 0 1 " text      \
  " END_SPRING'/>"

static const ForceCase joints[] = {
    {"within its limits a free axis has the soft stiffness",
     FRAMES(AT_ZERO TURNED, AT_REST AT_REST)
         JOINT("FREE_AXIS 0 0 0 0 0 1 KS_R 3 100 KS_B 11 R_LIM_Z -2 2"),
     {0, 0, 0, 0, 0, 0.7 * 3, 0, 0, 0, 0, 0, -0.7 * 3}},
    {"beyond the lower limit the excess counts",
     FRAMES(AT_ZERO TURNED_BACK, AT_REST AT_REST)
         JOINT("FREE_AXIS 0 0 0 0 0 1 KS_R 3 100 KS_B 11 R_LIM_Z -0.2 0.3"),
     {0, 0, 0, 0, 0, -0.3 * 11, 0, 0, 0, 0, 0, 0.3 * 11}},
    {"beyond the upper limit the excess counts",
     FRAMES(AT_ZERO TURNED, AT_REST AT_REST)
         JOINT("FREE_AXIS 0 0 0 0 0 1 KS_R 3 100 KS_B 11 R_LIM_Z -0.2 0.3"),
     {0, 0, 0, 0, 0, 0.4 * 11, 0, 0, 0, 0, 0, -0.4 * 11}},
    {"without KS_B a hundredth of the blocked stiffness acts beyond a limit",
     FRAMES(AT_ZERO TURNED, AT_REST AT_REST)
         JOINT("FREE_AXIS 0 0 0 0 0 1 KS_R 3 100 R_LIM_Z -0.2 0.3"),
     {0, 0, 0, 0, 0, 0.4, 0, 0, 0, 0, 0, -0.4}},
    {"a blocked axis has the hard stiffness",
     FRAMES(AT_ZERO TURNED, AT_REST AT_REST) JOINT("FREE_AXIS 0 0 0 0 0 0 KS_R 3 100"),
     {0, 0, 0, 0, 0, 70, 0, 0, 0, 0, 0, -70}},
    {"translations: free x, blocked y, an offset, and damping of all velocities",
     FRAMES(AT_ZERO "1 2 3 0 0 0 1", AT_REST "1 2 3 4 5 6")
         JOINT("FREE_AXIS 1 0 0 0 0 0 KS_T 2 10 KD 0.5 REST_T 0.5 0.5 3"),
     {0.5 * 2 + 0.5, 15 + 1, 1.5, 2, 2.5, 3, -1.5, -16, -1.5, -2, -2.5, -3}},
    {"an ellipsoid turned with its frame, and the opposite force on the frame",
     "<Node name='a'>" POINT("1 2 0",
                             "3 0 5") "</Node>"
                                      "<Node name='b'>" FRAMES(
                                          "1 0 0 0 0 0.70710678118654757 0.70710678118654757",
                                          AT_REST) "</Node>"
                                                   "<InteractionEllipsoidForceField name='ff' "
                                                   "object1='@a' object2='@b' center='1 0 0' "
                                                   "vradius='2 4 4' stiffness='100' damping='2'/>",
     {-3, 50, -5, 3, -50, 5}},
};

/* Three quads in a row; the points 4 and 5, between the second and the third, move. */
#define STRIP                                                                                      \
  "<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0 3 0 0 3 1 0' "                      \
  "quads='0 1 2 3 1 4 5 2 4 6 7 5' edges='0 1 1 4 4 6 2 5'/>"                                      \
  "<MechanicalObject position='0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0 3 0 0 3 1 0' "                  \
  "velocity='0 0 0 0 0 0 0 0 0 0 0 0 0.5 0 0 0.25 0 0 0 0 0 0 0 0'/>"

static const ForceCase springs[] = {
    {"springs across the edges of quads",
     STRIP "<QuadBendingSprings name='ff' stiffness='0' damping='100'/>",
     {50, 0, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, -50, 0, 0, -25}},
    {"springs across the edges of quads with an end in a range up to 1",
     STRIP "<QuadBendingSprings name='ff' stiffness='0' damping='100' localRange='0 1'/>",
     {50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -50}},
    {"springs across the edges of quads with an end in a range from 5 on",
     STRIP "<QuadBendingSprings name='ff' stiffness='0' damping='100' localRange='5 7'/>",
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 0, 0, -25}},
    {"springs along edges",
     STRIP "<MeshSpringForceField name='ff' linesDamping='100'/>",
     {0, 0, 0, 50, 0, 0, 25, 0, 0, 0, 0, 0, -50 - 50, 0, 0, -25, 0, 0, 50}},
    {"springs along edges with an end up to 2, none from a point below 1",
     STRIP "<MeshSpringForceField name='ff' linesDamping='100' "
           "localRange='1 2'/>",
     {0, 0, 0, 50, 0, 0, 25, 0, 0, 0, 0, 0, -50, 0, 0, -25}},
};

static size_t width(const SofaState *state) {
  return sofa_state_size(state) * sofa_state_kind_info(state->object.kind)->deriv;
}

/* The forces on the first state and, when it is another one, on the second. */
static void check(const ForceCase *c) {
  SceneRun run;
  char scene[4000];
  double f[2][MOST] = {{0}};
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s</Node>",
           c->body);
  scene_run_open(&run, scene, NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
  SofaState *const *state = ff->state;
  const bool two = ff->n_states > 1 && state[1] && state[1] != state[0];
  const double *x[2] = {state[0]->position.data, two ? state[1]->position.data : NULL};
  const double *v[2] = {state[0]->velocity.data, two ? state[1]->velocity.data : NULL};
  double *out[2] = {f[0], two ? f[1] : f[0]};
  if (!two) x[1] = x[0], v[1] = v[0];
  const SofaPoint at = {.x = x, .v = v, .n = ff->n_states, .time = 0.25};
  assert_int_equal(sofa_force_field_add_force(ff, &params, &at, out), SOFA_OK);
  const size_t n = width(state[0]), m = two ? width(state[1]) : 0;
  assert_true(n + m <= MOST);
  for (size_t i = 0; i < n + m; i++) {
    const double got = i < n ? f[0][i] : f[1][i - n];
    if (fabs(got - c->force[i]) > 1e-12 * (1 + fabs(c->force[i])))
      fail_msg("%s: component %zu is %.15g, expected %.15g", c->what, i, got, c->force[i]);
  }
  scene_run_close(&run);
}

static void forces_of_loads(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) check(&loads[k]);
}

static void forces_of_joints(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof joints / sizeof *joints; k++) check(&joints[k]);
}

static void forces_of_springs(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof springs / sizeof *springs; k++) check(&springs[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_loads),
      cmocka_unit_test(forces_of_joints),
      cmocka_unit_test(forces_of_springs),
  };
  return cmocka_run_group_tests_name("closed_forms", tests, NULL, NULL);
}
