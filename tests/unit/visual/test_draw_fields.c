/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What force fields and constraints draw: something when their flag is shown and nothing when it is
 * not; whatever numbers their fields hold, without a view. */
#include "../../support/scene_run.h"

#include <math.h>

#include "behavior/collision.h"
#include "draw/draw.h"
#include "object/factory.h"

#define POINTS "<MechanicalObject name='s' position='0 0 0  1 0 0  1 1 0  0 1 0'/>"
#define FACES                                                                                      \
  POINTS "<MeshTopology name='t' position='0 0 0  1 0 0  1 1 0  0 1 0' triangles='0 1 2  0 2 3' "  \
         "quads='0 1 2 3' edges='0 1  1 2  2 3  0 3  0 2'/>"
#define FRAMES                                                                                     \
  "<MechanicalObject name='s' template='Rigid3d' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1  "         \
  "2 0 0 0 0 0 1  3 0 0 0 0 0 1'/>"
#define OF(name) " object1='@s' object2='@s' name='" name "'"

typedef struct Case {
  const char *name, *scene; /* the object is /f, or /n/f where there is a node n */
  SofaDisplayFlag flag;
  size_t least; /* vertices at least */
} Case;

#define FIELDS SOFA_DISPLAY_FORCE_FIELDS
#define MODELS SOFA_DISPLAY_BEHAVIOR_MODELS

static const Case cases[] = {
    {"SurfacePressureForceField", FACES "<SurfacePressureForceField name='f' pressure='2'/>",
     FIELDS, 12},
    {"TrianglePressureForceField",
     FACES
     "<TrianglePressureForceField name='f' pressure='0 0 1' triangleList='1' showForces='1'/>",
     FIELDS, 3},
    {"QuadPressureForceField",
     FACES "<QuadPressureForceField name='f' pressure='0 0 1' quadList='0' showForces='1'/>",
     FIELDS, 6},
    {"EdgePressureForceField",
     FACES "<EdgePressureForceField name='f' pressure='0 0 1' edgeIndices='0 1' showForces='1'/>",
     FIELDS, 4},
    {"TaitSurfacePressureForceField",
     "<MechanicalObject name='s' position='0 0 0  1 0 0  0 1 0  0 0 1'/><MeshTopology "
     "position='0 0 0  1 0 0  0 1 0  0 0 1' triangles='0 2 1  0 1 3  0 3 2  1 2 3'/>"
     "<TaitSurfacePressureForceField name='f' p0='10' B='1' gamma='1' injectedVolume='0'/>",
     FIELDS, 0},
    {"OscillatingTorsionPressureForceField",
     FACES "<OscillatingTorsionPressureForceField name='f' moment='1' triangleList='0' "
           "axis='0 0 1' center='2 0 0' showForces='1'/>",
     FIELDS, 5},
    {"TorsionForceField",
     POINTS "<TorsionForceField name='f' torque='1' axis='0 0 1' origin='0 0 0' indices='1 2'/>",
     FIELDS, 4},
    {"LinearForceField",
     POINTS "<LinearForceField name='f' points='0 1' times='0 1' forces='1 0 0  1 0 0'/>", FIELDS,
     20},
    {"ConstantForceField", POINTS "<ConstantForceField name='f' indices='0' forces='1 0 0'/>",
     FIELDS, 20},
    {"SphereForceField", POINTS "<SphereForceField name='f' center='0 0 1' radius='0.5'/>", FIELDS,
     1},
    {"EllipsoidForceField",
     POINTS "<EllipsoidForceField name='f' center='0 0 1' vradius='1 2 3' stiffness='1'/>", FIELDS,
     600},
    {"ConicalForceField",
     POINTS "<ConicalForceField name='f' coneCenter='0 0 0' coneHeight='0 0 -1' coneAngle='30'/>",
     FIELDS, 20},
    {"PlaneForceField", POINTS "<PlaneForceField name='f' showPlane='1'/>", FIELDS, 6},
    {"AngularSpringForceField",
     FRAMES
     "<AngularSpringForceField name='f' indices='0 1 2' angularStiffness='1' drawSpring='1'/>",
     FIELDS, 4},
    {"FastTriangularBendingSprings",
     FACES "<FastTriangularBendingSprings name='f' bendingStiffness='1'/>", FIELDS, 2},
    {"PolynomialRestShapeSpringsForceField",
     POINTS "<PolynomialRestShapeSpringsForceField name='f' points='0 1' polynomialStiffness='1' "
            "polynomialDegree='1' initialLength='0.1' drawSpring='1'/>",
     FIELDS, 4},
    {"RestShapeSpringsForceField",
     POINTS "<RestShapeSpringsForceField name='f' points='0 1' stiffness='1' drawSpring='1'/>",
     FIELDS, 4},
    {"PolynomialSpringsForceField",
     POINTS "<PolynomialSpringsForceField" OF("f") " firstObjectPoints='0' secondObjectPoints='2' "
                                                   "polynomialStiffness='1' polynomialDegree='1'/>",
     FIELDS, 2},
    {"VectorSpringForceField",
     FACES "<VectorSpringForceField" OF("f") " stiffness='1' useTopology='1'/>", FIELDS, 10},
    {"JointSpringForceField",
     FRAMES "<JointSpringForceField" OF(
         "f") " showLawfulTorsion='1' spring='BEGIN_SPRING 0 1 "
              "FREE_AXIS 0 0 0 1 0 0 KS_T 0 1 KS_R 0 1 REST_T 0 0 0 END_SPRING'/>",
     FIELDS, 14},
    {"FrameSpringForceField",
     FRAMES "<FrameSpringForceField" OF("f") " spring='BEGIN_SPRING 0 1 END_SPRING'/>", FIELDS, 6},
    {"GearSpringForceField",
     FRAMES "<GearSpringForceField" OF("f") " spring='BEGIN_SPRING 0 1 2 3 AXIS 0 0 END_SPRING'/>",
     FIELDS, 30},
    {"AttachProjectiveConstraint",
     POINTS "<AttachProjectiveConstraint" OF("f") " indices1='0' indices2='1'/>", MODELS, 4},
    {"FixedRotationProjectiveConstraint",
     FRAMES "<FixedRotationProjectiveConstraint name='f' FixedXRotation='1'/>", MODELS, 4},
    {"OscillatorProjectiveConstraint",
     POINTS "<OscillatorProjectiveConstraint name='f' oscillators='1 0 0 0 1 0 0 1 0'/>", MODELS,
     1},
    {"PositionBasedDynamicsProjectiveConstraint",
     POINTS "<PositionBasedDynamicsProjectiveConstraint name='f' stiffness='1' "
            "position='0 0 1  1 0 1  1 1 1  0 1 1'/>",
     MODELS, 12},
    {"TetrahedronDiffusionFEMForceField",
     "<MechanicalObject name='p' position='0 0 0  1 0 0  0 1 0  0 0 1' tags='meca'/><MeshTopology "
     "position='0 0 0  1 0 0  0 1 0  0 0 1' tetrahedra='0 1 2 3'/><Node name='n'><MechanicalObject "
     "template='Vec1d' position='0 0 0 1'/><TetrahedronDiffusionFEMForceField name='f' "
     "drawConduc='1'/></Node>",
     FIELDS, 1},
    {"FixedProjectiveConstraint", POINTS "<FixedProjectiveConstraint name='f' indices='0 1'/>",
     MODELS, 2},
};

static size_t n_vertices(const SofaDrawList *list) {
  size_t n = list->translucent.n;
  for (int layer = 0; layer < SOFA_N_DRAW_LAYERS; layer++)
    for (int kind = 0; kind < SOFA_N_DRAW_KINDS; kind++) n += list->vertices[layer][kind].n;
  return n;
}

static void expect_finite(const SofaDrawList *list) {
  for (int layer = 0; layer < SOFA_N_DRAW_LAYERS; layer++)
    for (int kind = 0; kind < SOFA_N_DRAW_KINDS; kind++)
      for (size_t i = 0; i < list->vertices[layer][kind].n; i++)
        for (int k = 0; k < 3; k++)
          assert_true(isfinite((double)list->vertices[layer][kind].data[i].p[k]));
}

static size_t draw(SceneRun *run, const char *path, SofaDrawList *list,
                   const SofaDisplayFlags *flags) {
  const SofaBox box = {{0, 0, 0}, {1, 1, 1}};
  const SofaDrawArgs args = {
      .list = list, .flags = flags, .box = &box, .width = 100, .height = 100};
  SofaObject *object = scene_run_object(run, path);
  const SofaDrawOps *ops = sofa_ops(object, SOFA_DRAW);
  assert_non_null(ops);
  sofa_draw_clear(list);
  ops->draw(object, &args);
  assert_int_equal(list->failure, SOFA_OK);
  expect_finite(list);
  return n_vertices(list);
}

static void draws_when_shown(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SceneRun run;
    char text[2000];
    SofaDisplayFlags shown = {{0}}, others = {{0}};
    const char *path = strstr(cases[i].scene, "<Node name='n'>") ? "/n/f" : "/f";
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/>%s</Node>", cases[i].scene);
    print_message("%s\n", cases[i].name);
    scene_run_open(&run, text, NULL);
    SofaDrawList list = {.ctx = run.ctx};
    memset(others.value, 1, sizeof others.value);
    others.value[cases[i].flag] = -1;
    shown.value[cases[i].flag] = 1;
    if (draw(&run, path, &list, &shown) < cases[i].least)
      fail_msg("%s: %zu vertices, expected at least %zu", cases[i].name,
               draw(&run, path, &list, &shown), cases[i].least);
    assert_int_equal(draw(&run, path, &list, &others), 0);
    sofa_draw_free(&list);
    scene_run_close(&run);
  }
}

/* Nobody is forgotten: what acts on a body can be seen, but for damping, which is nowhere. Contacts
 * are drawn by their manager. */
static void all_fields_draw(void **state) {
  (void)state;
  static const char *const unseen[] = {"DiagonalVelocityDampingForceField",
                                       "UniformVelocityDampingForceField"};
  SceneRun run = {0};
  scene_run_context(&run, NULL);
  for (size_t i = 0; i < sofa_factory_n_classes(run.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(run.ctx, i);
    const char *category = klass->category;
    bool excused = strcmp(category, "ForceField") != 0 &&
                   strcmp(category, "InteractionForceField") != 0 &&
                   strcmp(category, "ProjectiveConstraintSet") != 0;
    excused |= sofa_class_ops(klass, SOFA_CONTACT) != NULL;
    for (size_t k = 0; k < sizeof unseen / sizeof *unseen; k++)
      excused |= strcmp(klass->name, unseen[k]) == 0;
    if (!excused && !sofa_class_ops(klass, SOFA_DRAW)) fail_msg("%s draws nothing", klass->name);
  }
  sofa_context_destroy(&run.ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_when_shown),
      cmocka_unit_test(all_fields_draw),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
