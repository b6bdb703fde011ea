/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All points at one place, the centre of most loads: forces and derivatives of every load, spring
 * and mass are numbers, or an error says why there are none. Elements without a volume have no
 * frame, and a run of them ends with the message on numbers that are none. */
#include "tests/support/force_field_cases.h"
#include "tests/support/scene_run.h"

#include <math.h>

typedef struct Vectors {
  double *f[2], *df[2], *d[2];
  const double *x[2], *v[2];
  size_t n[2];
} Vectors;

static SofaForceField *force_field_of(SofaNode *node, const char *klass) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (strcmp(node->objects.data[i]->klass->name, klass) == 0)
      return (SofaForceField *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) {
    SofaForceField *found = force_field_of(node->children.data[i], klass);
    if (found) return found;
  }
  return NULL;
}

/* The points of frames alone are moved. */
static void join_points(SofaState *state, const double *place) {
  SofaCoords *x = &state->position;
  const unsigned space = sofa_state_kind_info(state->object.kind)->space;
  for (size_t i = 0; i < x->n * x->width; i++)
    if (i % x->width < space) x->data[i] = place[i % x->width % 3];
}

static void vectors_open(const SofaForceField *ff, const double *place, Vectors *w) {
  memset(w, 0, sizeof *w);
  for (size_t k = 0; k < ff->n_states; k++) {
    SofaState *s = ff->state[k];
    join_points(s, place);
    w->n[k] = sofa_state_size(s) * sofa_state_kind_info(s->object.kind)->deriv;
    w->x[k] = s->position.data;
    w->v[k] = s->velocity.data;
    w->f[k] = calloc(w->n[k] + 1, sizeof(double));
    w->df[k] = calloc(w->n[k] + 1, sizeof(double));
    w->d[k] = calloc(w->n[k] + 1, sizeof(double));
    for (size_t i = 0; i < w->n[k]; i++) w->d[k][i] = sin(1.3 * (double)i);
  }
}

static void expect_numbers(const ForceFieldCase *c, const char *what, size_t n, const double *a) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(a[i]))
      fail_msg("%s %s: number %zu of the %s is %g", c->klass, c->what, i, what, a[i]);
}

static void check(const ForceFieldCase *c, const double *place) {
  SceneRun run;
  Vectors w;
  scene_run_open(&run, c->scene, NULL);
  run.quiet = true;
  SofaForceField *ff = force_field_of(run.simulation->root, c->klass);
  assert_non_null(ff);
  vectors_open(ff, place, &w);
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  const SofaPoint at = {.x = w.x, .v = w.v, .n = ff->n_states, .id = sofa_point_id(run.ctx)};
  const double *const d[2] = {w.d[0], w.d[1]};
  SofaErr err = sofa_force_field_add_force(ff, &p, &at, w.f);
  if (err == SOFA_OK) err = sofa_force_field_add_dforce(ff, &p, &at, d, w.df);
  if (err != SOFA_OK && !run.n_problems) fail_msg("%s: an error without a message", c->klass);
  for (size_t k = 0; k < ff->n_states; k++) {
    if (err == SOFA_OK) expect_numbers(c, "force", w.n[k], w.f[k]);
    if (err == SOFA_OK) expect_numbers(c, "derivative", w.n[k], w.df[k]);
    free(w.f[k]), free(w.df[k]), free(w.d[k]);
  }
  scene_run_close(&run);
}

/* A closed surface without a volume has no pressure, a triangle without an area no angles. */
static bool is_undefined(const char *klass) {
  return strcmp(klass, "TaitSurfacePressureForceField") == 0 ||
         strcmp(klass, "TriangularQuadraticSpringsForceField") == 0;
}

static void check_list(const ForceFieldCase *cases, size_t n) {
  static const double places[][3] = {{0, 0, 0}, {1, 0, 0}};
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < COUNT(places); k++)
      if (!is_undefined(cases[i].klass)) check(&cases[i], places[k]);
}

static void forces_are_numbers(void **state) {
  (void)state;
  check_list(mechanicalload_cases, COUNT(mechanicalload_cases));
  check_list(spring_cases, COUNT(spring_cases));
  check_list(mass_cases, COUNT(mass_cases));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forces_are_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
