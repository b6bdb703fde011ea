/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every field of every force field and mass is edited in a running scene, as the window does, with
 * values of all kinds. The former value brings back the former forces, whether the value was
 * accepted or refused. No edit accesses other memory or loses a block. */
#include "tests/support/force_field_cases.h"
#include "tests/support/scene_run.h"

#include "draw/draw.h"

#include <math.h>

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

/* Forces at the positions of the states, one state after the other; *n numbers. */
static SofaErr force(SceneRun *run, SofaForceField *ff, double **out, size_t *n) {
  double *f[2] = {NULL, NULL};
  const double *x[2] = {NULL, NULL}, *v[2] = {NULL, NULL};
  size_t at[2] = {0, 0};
  *n = 0;
  for (size_t k = 0; k < ff->n_states; k++) {
    at[k] = *n;
    x[k] = ff->state[k]->position.data;
    v[k] = ff->state[k]->velocity.data;
    *n += sofa_state_size(ff->state[k]) * sofa_state_kind_info(ff->state[k]->object.kind)->deriv;
  }
  *out = calloc(*n + 1, sizeof **out);
  for (size_t k = 0; k < ff->n_states; k++) f[k] = *out + at[k];
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
  const SofaPoint point = {.x = x, .v = v, .n = ff->n_states, .id = sofa_point_id(run->ctx)};
  return sofa_force_field_add_force(ff, &params, &point, f);
}

/* Points leave their rest positions, so that there are forces. */
static void move_points(const SofaForceField *ff) {
  for (size_t k = 0; k < ff->n_states && (!k || ff->state[1] != ff->state[0]); k++) {
    SofaCoords *x = &ff->state[k]->position;
    const unsigned space = sofa_state_kind_info(ff->state[k]->object.kind)->space;
    for (size_t i = 0; i < x->n * x->width; i++)
      if (i % x->width < space) x->data[i] += 0.02 * sin(1.7 * (double)i + (double)k);
  }
}

/* What the window does between two steps. */
static void use(SceneRun *run, SofaForceField *ff) {
  SofaDisplayFlags flags = {{0}};
  SofaDrawList list = {.ctx = run->ctx};
  const SofaBox box = {{-1, -1, -1}, {1, 1, 1}};
  const SofaDrawArgs args = {.list = &list, .flags = &flags, .box = &box};
  const SofaDrawOps *ops = sofa_ops(&ff->object, SOFA_DRAW);
  double *f;
  size_t n;
  (void)force(run, ff, &f, &n);
  free(f);
  memset(flags.value, 1, sizeof flags.value);
  if (ops) ops->draw(&ff->object, &args);
  sofa_draw_free(&list);
}

/* A value, then the former one; the object is made again after each. */
static void edit(SceneRun *run, SofaForceField *ff, const SofaField *field, const char *value,
                 const char *former) {
  SofaObject *object = &ff->object;
  SofaErr err = sofa_field_set_text(object, field->name, value, 0);
  if (err == SOFA_OK) err = sofa_object_run(object, SOFA_RUN_REINIT);
  if (err == SOFA_OK) use(run, ff);
  (void)sofa_field_set_text(object, field->name, former, 0);
  err = sofa_object_run(object, SOFA_RUN_REINIT);
  if (err == SOFA_OK) use(run, ff);
}

/* MeshMatrixMass measures its elements at the current positions when it is made again; a list of
 * loaded faces of SurfacePressureForceField counts even after it has become empty. */
static bool depends_on_past(const SofaObject *object) {
  return strcmp(object->klass->name, "MeshMatrixMass") == 0 ||
         strcmp(object->klass->name, "SurfacePressureForceField") == 0;
}

static void edit_fields(SceneRun *run, SofaForceField *ff) {
  static const char *const values[] = {"", "0", "-1", "1", "2 3", "1e9", "word", "nan"};
  SofaObject *object = &ff->object;
  double *before, *after;
  size_t n;
  assert_int_equal(force(run, ff, &before, &n), SOFA_OK);
  for (size_t i = 0; i < sofa_class_n_fields(object->klass); i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    SofaText former = {0};
    if ((field->flags & (SOFA_FIELD_OUTPUT | SOFA_FIELD_UNSUPPORTED)) || field->type->link)
      continue;
    assert_int_equal(sofa_field_print(object, field, &former), SOFA_OK);
    for (size_t k = 0; k < COUNT(values); k++)
      edit(run, ff, field, values[k], former.n ? former.data : "");
    sofa_list_free(object->ctx, &former);
    assert_int_equal(force(run, ff, &after, &n), SOFA_OK);
    for (size_t k = 0; k < n && !depends_on_past(object); k++)
      if (!(fabs(after[k] - before[k]) <= 1e-12 * (1 + fabs(before[k]))))
        fail_msg("%s after an edit of %s: force %zu is %g, not %g", object->klass->name,
                 field->name, k, after[k], before[k]);
    free(after);
  }
  free(before);
}

static void edit_case(const ForceFieldCase *c) {
  SceneRun run;
  scene_run_open(&run, c->scene, NULL);
  run.quiet = true;
  SofaForceField *ff = force_field_of(run.simulation->root, c->klass);
  assert_non_null(ff);
  move_points(ff);
  edit_fields(&run, ff);
  scene_run_close(&run);
}

/* The first case of each class. */
static void fields_are_edited(void **state) {
  (void)state;
  for (size_t list = 0; list < COUNT(force_field_lists); list++)
    for (size_t i = 0; i < force_field_list_sizes[list]; i++) {
      const ForceFieldCase *c = &force_field_lists[list][i];
      if (force_field_lists[list] == contact_cases) continue;
      if (!i || strcmp(c->klass, c[-1].klass) != 0) edit_case(c);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fields_are_edited)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
