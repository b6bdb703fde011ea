/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What force fields and constraints draw: something when their flag is shown and nothing when it is
 * not; whatever numbers their fields hold, without a view. */
#include "tests/support/force_field_cases.h"
#include "tests/support/scene_run.h"

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
    {"PlaneForceField",
     "<MechanicalObject template='Vec6d' position='0 0 0 0 0 0'/>"
     "<PlaneForceField name='f' normal='0 0 1 4 5 6' showPlane='1'/>",
     FIELDS, 6},
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

static SofaForceField *first_of_class(SofaNode *node, const char *klass) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (strcmp(node->objects.data[i]->klass->name, klass) == 0)
      return (SofaForceField *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) {
    SofaForceField *found = first_of_class(node->children.data[i], klass);
    if (found) return found;
  }
  return NULL;
}

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

/* ---- recorded drawings ---- */

/* Means over the vertices: places, their squares, sizes, colours. */
enum { N_MEANS = 11 };
typedef struct Drawing {
  double n, mean[N_MEANS];
} Drawing;

static void add_vertices(const SofaDrawVertices *list, Drawing *out) {
  for (size_t i = 0; i < list->n; i++) {
    const SofaDrawVertex *v = &list->data[i];
    for (int k = 0; k < 3; k++) {
      out->mean[k] += (double)v->p[k];
      out->mean[3 + k] += (double)(v->p[k] * v->p[k]);
    }
    out->mean[6] += (double)v->size;
    for (int k = 0; k < 4; k++) out->mean[7 + k] += v->rgba[k] / 255.;
  }
  out->n += (double)list->n;
}

/* Scenes of drawings that the cases of conformance do not ask for. */
#define SHEET                                                                                      \
  "<MeshTopology position='0 0 0 1 0 0.1 1.1 1 0 0 0.9 0.2 2 0.1 0.3' "                            \
  "triangles='0 1 2 0 2 3 1 4 2' quads='0 1 2 3' edges='0 1 1 2 2 3 3 0 0 2 1 4 4 2'/>"            \
  "<MechanicalObject/>"
#define BLOCK "<RegularGridTopology n='3 2 2' min='0 0 0' max='2 1 1'/><MechanicalObject/>"
#define ROOT(body)                                                                                 \
  "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/><DefaultAnimationLoop/>"  \
  "<DefaultVisualManagerLoop/>" body "</Node>"

#define MOVING "<MechanicalObject position='0 0 0 1 0 0' velocity='1 3 2 4 2 1'/>"

static const ForceFieldCase shown[] = {
    {"DiagonalVelocityDampingForceField", "moving points",
     ROOT(MOVING "<DiagonalVelocityDampingForceField dampingCoefficient='0.5 1 1 1 2 3'/>"), 0, 0},
    {"UniformVelocityDampingForceField", "moving points",
     ROOT(MOVING "<UniformVelocityDampingForceField dampingCoefficient='0.5'/>"), 0, 0},
    {"EdgePressureForceField", "intensity, shown",
     ROOT(SHEET "<EdgePressureForceField edgeIndices='1 5' p_intensity='2 3' binormal='0 0 1' "
                "showForces='1'/>"),
     0, 0},
    {"TrianglePressureForceField", "stress, shown",
     ROOT(SHEET "<TrianglePressureForceField triangleList='0 2' useConstantForce='0' "
                "cauchyStress='1 2 3 2 4 5 3 5 6' showForces='1'/>"),
     0, 0},
    {"TrianglePressureForceField", "vector, shown",
     ROOT(SHEET "<TrianglePressureForceField triangleList='0 2' pressure='1 2 3' "
                "showForces='1'/>"),
     0, 0},
    {"QuadPressureForceField", "vector, shown",
     ROOT(SHEET "<QuadPressureForceField quadList='0' pressure='1 2 3' showForces='1'/>"), 0, 0},
    {"OscillatingTorsionPressureForceField", "faces, shown",
     ROOT(SHEET "<OscillatingTorsionPressureForceField triangleList='0 2' moment='3' "
                "axis='1 2 2' center='0.5 0.1 0.2' showForces='1'/>"),
     0, 0},
    {"PlaneForceField", "oblique, shown",
     ROOT(SHEET "<PlaneForceField normal='0.6 0 0.8' d='0.4' showPlane='1' "
                "showPlaneSize='1.5'/>"),
     0, 0},
    {"ConstantForceField", "arrows of a length",
     ROOT(SHEET "<ConstantForceField indices='0 2' forces='1 2 3 0 1 0' showArrowSize='0.5'/>"), 0,
     0},
    {"SurfacePressureForceField", "quads",
     ROOT(SHEET "<SurfacePressureForceField pressure='2' quadIndices='0'/>"), 0, 0},
    {"RestShapeSpringsForceField", "shown",
     ROOT(SHEET "<RestShapeSpringsForceField points='1 2' stiffness='3' drawSpring='1' "
                "springColor='0.2 0.4 0.6 1'/>"),
     0, 0},
    {"PolynomialRestShapeSpringsForceField", "shown",
     ROOT(SHEET "<PolynomialRestShapeSpringsForceField points='0 3' polynomialStiffness='1' "
                "polynomialDegree='1' initialLength='0.1' drawSpring='1'/>"),
     0, 0},
    {"AngularSpringForceField", "shown",
     ROOT(FRAMES "<AngularSpringForceField indices='0 1 2' angularStiffness='1' drawSpring='1'/>"),
     0, 0},
    {"JointSpringForceField", "lawful torsion",
     ROOT(FRAMES "<JointSpringForceField" OF("f") " showLawfulTorsion='1' spring='BEGIN_SPRING 0 1 "
                                                  "FREE_AXIS 0 0 0 1 0 0 KS_T 0 1 KS_R 0 1 "
                                                  "REST_T 0 0 0 END_SPRING'/>"),
     0, 0},
    {"JointSpringForceField", "beyond the limits",
     ROOT(FRAMES "<JointSpringForceField" OF("f") " showExtraTorsion='1' showFactorSize='2' spring="
                                                  "'BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 0 0 KS_T 0 "
                                                  "1 KS_R 0 1 R_LIM_X 0.2 0.3 END_SPRING'/>"),
     0, 0},
    {"SpringForceField", "tubes",
     ROOT(SHEET "<SpringForceField spring='0 1 10 1 0.9 2 4 20 2 1.2' drawMode='1' "
                "showArrowSize='0.1'/>"),
     0, 0},
    {"SpringForceField", "arrows",
     ROOT(SHEET "<SpringForceField spring='0 1 10 1 0.9 2 4 20 2 1.2' drawMode='2' "
                "showArrowSize='0.1'/>"),
     0, 0},
    {"PolynomialSpringsForceField", "arrows of a colour",
     ROOT(SHEET "<PolynomialSpringsForceField object1='@/' object2='@/' firstObjectPoints='0' "
                "secondObjectPoints='2' polynomialStiffness='1' polynomialDegree='1' drawMode='2' "
                "showArrowSize='0.1' springColor='0.2 0.4 0.6 1'/>"),
     0, 0},
    {"TriangularBendingSprings", "hidden",
     ROOT(SHEET "<TriangularBendingSprings showSprings='0'/>"), 0, 0},
    {"HyperelasticForcefield", "stress",
     ROOT(BLOCK "<CaribouTopology template='Hexahedron' indices='0 1 4 3 6 7 10 9 "
                "1 2 5 4 7 8 11 10'/><NeoHookeanMaterial young_modulus='900' poisson_ratio='0.4'/>"
                "<HyperelasticForcefield showVonMisesStressPerElement='1' draw_scale='0.6'/>"),
     0, 0},
};

static void move_points(const SofaForceField *ff) {
  for (int k = 0; k < 2 && ff->state[k] && (!k || ff->state[1] != ff->state[0]); k++) {
    SofaCoords *x = &ff->state[k]->position;
    const unsigned space = sofa_state_kind_info(ff->state[k]->object.kind)->space;
    for (size_t i = 0; i < x->n * x->width; i++)
      if (i % x->width < space) x->data[i] += 0.05 * sin(1.7 * (double)i + k);
  }
}

/* What the force field of a case draws with all flags, its points off their rest positions. */
static Drawing drawing_of(const ForceFieldCase *c) {
  SceneRun run;
  Drawing out = {0};
  SofaDisplayFlags flags = {{0}};
  const SofaBox box = {{-1, -1, -1}, {2, 2, 2}};
  scene_run_open(&run, c->scene, NULL);
  SofaForceField *ff = first_of_class(run.simulation->root, c->klass);
  assert_non_null(ff);
  SofaDrawList list = {.ctx = run.ctx};
  const SofaDrawArgs args = {
      .list = &list, .flags = &flags, .box = &box, .width = 100, .height = 100};
  const SofaDrawOps *ops = sofa_ops(&ff->object, SOFA_DRAW);
  memset(flags.value, 1, sizeof flags.value);
  move_points(ff);
  scene_run_steps(&run, 1); /* no solver: what is computed after a step */
  if (ops) ops->draw(&ff->object, &args);
  assert_int_equal(list.failure, SOFA_OK);
  add_vertices(&list.translucent, &out);
  for (int i = 0; i < SOFA_N_DRAW_LAYERS * SOFA_N_DRAW_KINDS; i++)
    add_vertices(&list.vertices[i / SOFA_N_DRAW_KINDS][i % SOFA_N_DRAW_KINDS], &out);
  for (int k = 0; k < N_MEANS && out.n > 0; k++) out.mean[k] /= out.n;
  sofa_draw_free(&list);
  scene_run_close(&run);
  return out;
}

/* The row of the case in the file; false when it has none. */
static bool recorded(const char *text, const char *key, Drawing *out) {
  for (const char *at = text; (at = strstr(at, key)); at++) {
    if (at != text && at[-1] != '\n') continue;
    char *end;
    out->n = strtod(at + strlen(key), &end);
    for (int k = 0; k < N_MEANS; k++) out->mean[k] = strtod(end, &end);
    return true;
  }
  return false;
}

static bool alike(const Drawing *a, const Drawing *b) {
  bool same = a->n == b->n;
  for (int k = 0; k < N_MEANS; k++)
    same &= fabs(a->mean[k] - b->mean[k]) < 2e-3 + 1e-4 * fabs(b->mean[k]);
  return same;
}

/* A drawing that changes on purpose gets the row that is printed. */
static int n_changed(const char *text, const ForceFieldCase *cases_of, size_t n) {
  int changed = 0;
  for (size_t i = 0; i < n; i++) {
    const ForceFieldCase *c = &cases_of[i];
    const Drawing found = drawing_of(c);
    Drawing expected;
    char key[200];
    snprintf(key, sizeof key, "%s\t%s\t", c->klass, c->what);
    if (recorded(text, key, &expected) && alike(&found, &expected)) continue;
    changed++;
    print_error("%s%g", key, found.n);
    for (int k = 0; k < N_MEANS; k++) print_error("\t%.3f", found.mean[k]);
    print_error("\n");
  }
  return changed;
}

static void drawings_are_as_recorded(void **state) {
  static char text[60000];
  (void)state;
  FILE *file = fopen("tests/unit/visual/drawings.tsv", "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  int changed = n_changed(text, shown, COUNT(shown));
  for (size_t list = 0; list < COUNT(force_field_lists); list++)
    if (force_field_lists[list] != contact_cases)
      changed += n_changed(text, force_field_lists[list], force_field_list_sizes[list]);
  assert_int_equal(changed, 0);
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
      cmocka_unit_test(drawings_are_as_recorded),
      cmocka_unit_test(all_fields_draw),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
