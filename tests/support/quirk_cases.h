/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of single quirks: a scene runs without any quirk and with one, and a number differs as
 * docs/differences.md says. */
#ifndef TESTS_SUPPORT_QUIRK_CASES_H
#define TESTS_SUPPORT_QUIRK_CASES_H

#include <math.h>

#include "scene_run.h"

typedef struct QuirkCase {
  const char *word;
  const char *scene; /* text of a scene, or a file below scenes/ */
  int steps;
  const char *object, *field; /* that holds the number, */
  int index;                  /* at this place; QUIRK_COUNT: how many there are */
  double without, with, tolerance;
} QuirkCase;

enum { QUIRK_COUNT = -1 };
#define QUIRK_NONE (-1e9) /* there is no entry at the place */

/* A number of a field's text form. */
static inline double quirk_number(const SofaObject *object, const char *name, int index) {
  const SofaField *field = sofa_class_field(object->klass, name);
  SofaText text = {0};
  if (!field) fail_msg("%s has no field %s", object->klass->name, name);
  assert_int_equal(sofa_field_compute((SofaObject *)(uintptr_t)object, field), SOFA_OK);
  assert_int_equal(sofa_field_print(object, field, &text), SOFA_OK);
  int n = 0;
  double value = QUIRK_NONE;
  for (char *at = text.data, *end; at && *at; at = end, n++) {
    const double v = strtod(at, &end);
    if (end == at) break;
    if (n == index) value = v;
  }
  sofa_list_free(object->ctx, &text);
  return index == QUIRK_COUNT ? n : value;
}

static inline double quirk_run(const QuirkCase *c, const char *words) {
  const SofaContextOptions options = {.quirk_words = words};
  SceneRun run = {.quiet = true};
  SofaErr err;
  scene_run_context(&run, &options);
  if (strncmp(c->scene, "scenes/", 7) == 0)
    err = sofa_simulation_load(run.ctx, c->scene, &run.simulation);
  else err = sofa_simulation_load_text(run.ctx, c->scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err != SOFA_OK) fail_msg("%s: %s", c->word, run.all);
  for (int i = 0; i < c->steps; i++)
    if (sofa_simulation_step(run.simulation, 0) != SOFA_OK) fail_msg("%s: %s", c->word, run.all);
  const double value = quirk_number(scene_run_object(&run, c->object), c->field, c->index);
  scene_run_close(&run);
  return value;
}

static inline void quirk_cases_check(const QuirkCase *cases, size_t n) {
  int wrong = 0;
  for (size_t i = 0; i < n; i++) {
    const QuirkCase *c = &cases[i];
    const double without = quirk_run(c, NULL), with = quirk_run(c, c->word);
    assert_true(fabs(c->without - c->with) > 4 * c->tolerance);
    if (fabs(without - c->without) <= c->tolerance && fabs(with - c->with) <= c->tolerance)
      continue;
    wrong++;
    print_error("%s: %.17g without and %.17g with it, expected %.12g and %.12g\n", c->word, without,
                with, c->without, c->with);
  }
  assert_int_equal(wrong, 0);
}

/* Pieces of scenes: a step of 0.1 s, gravity along -y. */
#define QUIRK_SCENE(gravity, body)                                                                 \
  "<Node dt='0.1' gravity='0 " gravity " 0'><DefaultAnimationLoop/>" body "</Node>"
#define QUIRK_CG                                                                                   \
  "<EulerImplicitSolver/><CGLinearSolver iterations='99' tolerance='1e-14' threshold='1e-30'/>"
#define QUIRK_DIRECT "<EulerImplicitSolver/><SparseLDLSolver/>"
#define QUIRK_POINT(x)                                                                             \
  "<MechanicalObject name='state' position='" x "'/><UniformMass vertexMass='1'/>"
#define QUIRK_FRAMES(x)                                                                            \
  "<MechanicalObject name='state' template='Rigid3d' position='" x                                 \
  "'/><UniformMass vertexMass='1 1 [1 0 0 0 1 0 0 0 1]'/>"

#endif
