/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Force fields and constraints that follow topological changes: after points or elements went or
 * came each computes what one does that was made on the changed mesh. */
#include "components/builtins.h"
#include "tests/support/conform_forcefield.c"

#include "tests/support/field_versions.h"
#include "tests/support/listener_cases_points.h"
#include "tests/unit/base/failing_allocator.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- every class ---- */

typedef struct NothingToFollow {
  const char *klass, *why;
} NothingToFollow;

/* Classes that need no case. */
static const NothingToFollow exempt[] = {
    {"NonUniformHexahedronFEMForceFieldAndMass", "its sparse grid never changes"},
    {"HexahedronCompositeFEMForceFieldAndMass", "its sparse grid never changes"},
    {"NonUniformHexahedralFEMForceFieldAndMass", "is its base class on another container"},
    {"PenalityContactForceField", "its contacts are dropped: test_response_penalty"},
    {"StickContactForceField", "its contacts are dropped: test_response_penalty"},
};

static bool is_exempt(const char *klass) {
  for (size_t i = 0; i < COUNT(exempt); i++)
    if (strcmp(exempt[i].klass, klass) == 0) return true;
  return false;
}

static bool has_case(const char *klass) {
  for (size_t i = 0; i < COUNT(listener_cases); i++)
    if (strcmp(listener_cases[i].klass, klass) == 0) return true;
  for (size_t i = 0; i < COUNT(listener_cases_points); i++)
    if (strcmp(listener_cases_points[i].klass, klass) == 0) return true;
  return false;
}

/* Fails when a class that acts on points has no listener, or none of its changes is checked. */
static void every_class_follows(void **state) {
  (void)state;
  SofaContext *ctx;
  int missing = 0;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  const SofaOrigin origin = {.emitter = "test"};
  assert_int_equal(sofa_plugin_load(ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    const bool acts = sofa_class_ops(klass, SOFA_FORCE_FIELD) || sofa_class_ops(klass, SOFA_MASS) ||
                      sofa_class_ops(klass, SOFA_PROJECTIVE);
    if (klass->abstract || !acts || is_exempt(klass->name)) continue;
    const bool follows = sofa_class_ops(klass, SOFA_TOPOLOGY_LISTENER);
    if (!follows) print_error("%s does not follow topological changes\n", klass->name);
    if (!has_case(klass->name)) print_error("no change is checked for %s\n", klass->name);
    missing += !follows || !has_case(klass->name);
  }
  sofa_context_destroy(&ctx);
  assert_int_equal(missing, 0);
}

/* ---- changes ---- */

static SofaErr add_copies(SofaTopologyEdit *edit, SofaTopology *mesh, const Edit *e) {
  uint32_t start[9] = {0}, points[8];
  double weights[8];
  for (uint32_t i = 0; i < e->n; i++) {
    points[i] = e->ids[i];
    weights[i] = 1;
    start[i + 1] = i + 1;
  }
  const SofaAncestors ancestors = {.start = {start, e->n + 1, e->n + 1},
                                   .points = {points, e->n, e->n},
                                   .weights = {weights, e->n, e->n}};
  return sofa_topology_add_points(edit, mesh, e->n, &ancestors);
}

static SofaErr apply_edit(SceneRun *run, const Edit *e) {
  SofaTopology *mesh = (SofaTopology *)scene_run_object(run, e->topology);
  SofaTopologyEdit edit;
  SofaErr err = sofa_topology_edit_begin(run->simulation->root, &edit);
  if (err != SOFA_OK) return err;
  if (!e->add)
    err = sofa_topology_remove(&edit, mesh, e->kind, e->ids, e->n,
                               SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS);
  else if (e->kind == SOFA_ELEMENT_POINT) err = add_copies(&edit, mesh, e);
  else err = sofa_topology_add(&edit, mesh, e->kind, e->ids, 1);
  const SofaErr end = sofa_topology_edit_end(&edit, err != SOFA_OK);
  return err ? err : end;
}

enum { MOST_OBJECTS = 60 };

typedef struct AllFields {
  FieldVersions object[MOST_OBJECTS];
  size_t n;
} AllFields;

static SofaVisit note_node(SofaNode *node, void *user) {
  AllFields *all = user;
  for (size_t i = 0; i < node->objects.n; i++) {
    assert_true(all->n < MOST_OBJECTS);
    note_fields(&all->object[all->n++], node->objects.data[i]);
  }
  return SOFA_CONTINUE;
}

static void apply_edits(SceneRun *run, const ListenerCase *c) {
  static AllFields all;
  for (size_t k = 0; k < MAX_EDITS && c->edits[k].n; k++) {
    all.n = 0;
    sofa_visit(run->simulation->root, &(SofaVisitor){.down = note_node, .user = &all});
    if (apply_edit(run, &c->edits[k]) != SOFA_OK)
      fail_msg("%s, %s: change %zu failed: %s", c->klass, c->what, k, run->last);
    for (size_t i = 0; i < all.n; i++) changed_fields(&all.object[i]);
  }
}

/* ---- force fields ---- */

/* Some take their lengths at the first force, some keep what flowed: a force on the body blown up.
 */
static void warm_up(const Model *m) {
  double *x = reals(m->nx), *f = reals(m->nv);
  model_rest(m, x);
  for (int k = 0; k < m->n_states; k++) {
    const SofaStateKindInfo *kind = sofa_state_kind_info(m->state[k]->object.kind);
    for (size_t i = 0; i < kind->coord * sofa_state_size(m->state[k]); i++)
      if (i % kind->coord < kind->space) x[m->x_at[k] + i] *= 1.1;
  }
  model_force(m, x, f);
  free(x);
  free(f);
}

static void same(const Model *m, const char *what, size_t n, const double *a, const double *b) {
  require(m, what, difference(n, a, b), 1e-12 * (norm(n, b) + 1));
}

static void compare_masses(Model *changed, Model *made) {
  SofaMass *a = (SofaMass *)changed->ff, *b = (SofaMass *)made->ff;
  double *v = reals(made->nv), *f = reals(made->nv), *g = reals(made->nv);
  random_direction(made, v);
  assert_int_equal(sofa_mass_ops(a)->add_mdx(a, sofa_mass_x(a), v, f, 1), SOFA_OK);
  assert_int_equal(sofa_mass_ops(b)->add_mdx(b, sofa_mass_x(b), v, g, 1), SOFA_OK);
  same(changed, "products with the mass", made->nv, f, g);
  assert_true(norm(made->nv, g) > 0);
  const double m = sofa_mass_ops(a)->total_mass(a), n = sofa_mass_ops(b)->total_mass(b);
  same(changed, "total mass", 1, &m, &n);
  free(v);
  free(f);
  free(g);
}

static void compare_forces(Model *changed, Model *made) {
  const size_t nx = made->nx, nv = made->nv;
  double *x = reals(nx), *y = reals(nx), *v = reals(nv), *f = reals(nv), *g = reals(nv);
  const SofaMechParams p = params_of_k();
  model_rest(changed, x);
  model_rest(made, y);
  same(changed, "rest positions", nx, x, y);
  shaken(made, y);
  random_direction(made, v);
  model_moving_force(changed, y, v, f);
  model_moving_force(made, y, v, g);
  same(changed, "forces", nv, f, g);
  assert_true(changed->c->shake < 0 || norm(nv, g) > 0);
  if (made->ops->potential_energy) {
    const double a = energy_at(changed, y), b = energy_at(made, y);
    same(changed, "energy", 1, &a, &b);
  }
  if (sofa_implements(&made->ff->object, SOFA_MASS)) compare_masses(changed, made);
  for (int k = 0; k < 4; k++) {
    double *df = reals(nv), *dg = reals(nv), *kf = reals(nv), *kg = reals(nv);
    random_direction(made, v);
    model_dforce(changed, &p, y, v, df);
    model_dforce(made, &p, y, v, dg);
    same(changed, "products", nv, df, dg);
    model_product(changed, y, v, kf);
    model_product(made, y, v, kg);
    same(changed, "matrices", nv, kf, kg);
    free(df);
    free(dg);
    free(kf);
    free(kg);
  }
  free(x);
  free(y);
  free(v);
  free(f);
  free(g);
}

static void no_memory_in_a_step(const Model *m) {
  const uint64_t before = m->run.ctx->n_allocations;
  warm_up(m);
  assert_int_equal(m->run.ctx->n_allocations - before, 0);
}

/* The values of the fields are those in use: read again they give the same. Listed springs that
 * have followed a change say that they are not read again. */
static void read_again(Model *changed, Model *made) {
  SofaObject *object = &changed->ff->object;
  if (strcmp(object->klass->name, "SpringForceField") == 0) return;
  if (sofa_object_run(object, SOFA_RUN_REINIT) != SOFA_OK)
    fail_msg("%s, %s: %s", changed->c->klass, changed->c->what, changed->run.last);
  compare_forces(changed, made);
  assert_int_equal(changed->run.n_problems, 0);
}

static void check_force_field(const ListenerCase *c) {
  Model changed, made;
  const ForceFieldCase before = {c->klass, c->what, c->before, 0, c->shake};
  // springs of a mesh may be listed instead
  const char *made_class = strstr(c->after, c->klass) ? c->klass : "SpringForceField";
  const ForceFieldCase after = {made_class, c->what, c->after, 0, c->shake};
  model_open(&changed, &before, NULL);
  model_open(&made, &after, NULL);
  warm_up(&changed);
  warm_up(&made);
  apply_edits(&changed.run, c);
  model_measure(&changed);
  if (changed.nv != made.nv)
    fail_msg("%s, %s: %zu unknowns, expected %zu", c->klass, c->what, changed.nv, made.nv);
  warm_up(&changed);
  warm_up(&made);
  no_memory_in_a_step(&changed);
  warm_up(&made);
  compare_forces(&changed, &made);
  assert_int_equal(changed.run.n_problems, 0);
  read_again(&changed, &made);
  model_close(&changed);
  model_close(&made);
}

/* ---- projective constraints ---- */

static SofaProjective *find_projective(SceneRun *run, const char *klass) {
  SofaObject *object = (SofaObject *)find_force_field(run->simulation->root, klass);
  if (!object) fail_msg("no %s in its scene", klass);
  return (SofaProjective *)object;
}

enum { MOST = 300 };

/* What each projection makes of some numbers, one after the other. */
static size_t project(SofaProjective *c, double *out) {
  size_t n = 0;
  for (int which = SOFA_PROJECT_RESPONSE; which <= SOFA_PROJECT_POSITION; which++) {
    const SofaState *second = c->second ? c->second : c->state;
    const size_t width =
        which == SOFA_PROJECT_POSITION ? c->state->position.width : c->state->velocity.width;
    const size_t n1 = width * c->state->position.n, n2 = width * second->position.n;
    const SofaMechParams p = sofa_mech_params(0.01, 0.13, 0, 0, 0);
    assert_true(n + n1 + n2 <= MOST);
    for (size_t i = 0; i < n1 + n2; i++) out[n + i] = sin(1.7 * (double)i) + 0.1;
    assert_int_equal(sofa_projective_apply(c, (SofaProjection)which, &p, out + n,
                                           second == c->state ? out + n : out + n + n1),
                     SOFA_OK);
    n += n1 + n2;
  }
  return n;
}

static void check_projective(const ListenerCase *c) {
  SceneRun changed, made;
  double a[MOST], b[MOST];
  scene_run_open(&changed, c->before, NULL);
  scene_run_open(&made, c->after, NULL);
  apply_edits(&changed, c);
  const size_t n = project(find_projective(&changed, c->klass), a);
  assert_int_equal(n, project(find_projective(&made, c->klass), b));
  if (difference(n, a, b) > 1e-12) fail_msg("%s, %s: projections differ", c->klass, c->what);
  const uint64_t before = changed.ctx->n_allocations;
  project(find_projective(&changed, c->klass), a);
  assert_int_equal(changed.ctx->n_allocations - before, 0);
  scene_run_close(&changed);
  scene_run_close(&made);
}

static void one_case(void **state) {
  const ListenerCase *c = *state;
  SofaContext *ctx;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  const SofaClass *klass = sofa_factory_find(ctx, c->klass, NULL); // NULL: of a plugin
  const bool projective = klass && sofa_class_ops(klass, SOFA_PROJECTIVE);
  sofa_context_destroy(&ctx);
  if (projective) check_projective(c);
  else check_force_field(c);
}

/* ---- memory ---- */

/* Changes with the n-th allocation of them failing: an error, and no leak. false: there are fewer.
 */
static bool fails_well(const ListenerCase *c, uint64_t n) {
  FailingAllocator allocator = {0};
  const SofaContextOptions options = {.allocate = failing_allocate, .allocate_user = &allocator};
  SceneRun run;
  SofaErr err = SOFA_OK;
  scene_run_open(&run, c->before, &options);
  run.quiet = true;
  const uint64_t before = allocator.calls;
  allocator.fail_at = before + n;
  for (size_t k = 0; k < MAX_EDITS && c->edits[k].n && err == SOFA_OK; k++)
    err = apply_edit(&run, &c->edits[k]);
  const bool reached = allocator.calls >= allocator.fail_at;
  if (reached == (err == SOFA_OK))
    fail_msg("%s, %s: failure of allocation %u: error %d", c->klass, c->what, (unsigned)n, err);
  scene_run_close(&run);
  assert_int_equal(allocator.live, 0);
  return reached;
}

static void memory_may_run_out(void **state) {
  (void)state;
  for (size_t k = 0; k < COUNT(listener_cases); k++)
    for (uint64_t n = 1; fails_well(&listener_cases[k], n); n += 1 + n / 6) {
    }
  for (size_t k = 0; k < COUNT(listener_cases_points); k++)
    for (uint64_t n = 1; fails_well(&listener_cases_points[k], n); n += 1 + n / 6) {
    }
}

static void add_cases(struct CMUnitTest *tests, char (*names)[200], const ListenerCase *cases,
                      size_t n) {
  for (size_t k = 0; k < n; k++) {
    snprintf(names[k], sizeof *names, "%s, %s", cases[k].klass, cases[k].what);
    tests[k] = (struct CMUnitTest){names[k], one_case, NULL, NULL, (void *)(uintptr_t)&cases[k]};
  }
}

int main(void) {
  enum { N = COUNT(listener_cases), M = COUNT(listener_cases_points) };
  struct CMUnitTest tests[N + M + 2] = {[0] = cmocka_unit_test(every_class_follows),
                                        [N + M + 1] = cmocka_unit_test(memory_may_run_out)};
  static char names[N + M][200];
  add_cases(tests + 1, names, listener_cases, N);
  add_cases(tests + 1 + N, names + N, listener_cases_points, M);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
