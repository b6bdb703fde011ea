/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results of elements: every finite element of the factory tells them or says here why it does not;
 * energies add up to the potential energy; stresses and strains are those of uniform deformations
 * with any rotation; stresses recovered at points are exact where they are linear. */
#include "math/vec.h"
#include "numerics/fem/element_results.h"
#include "numerics/fem/linear_fem.h"
#include "tests/support/force_field_cases.h"
#include "tests/support/scene_run.h"

#include <math.h>

/* ---- which classes ---- */

typedef struct Without {
  const char *klass, *why;
} Without;

static const Without without[] = {
    {"TetrahedronDiffusionFEMForceField", "temperatures have no stress"},
    {"TractionForcefield", "a load"},
    {"CaribouMass", "a mass"},
};

static bool is_finite_element(const SofaClass *klass) {
  const char *module = klass->module ? klass->module : "";
  return strstr(module, "SolidMechanics.FEM") || strstr(module, "SolidMechanics.TensorMass") ||
         strstr(module, "Caribou");
}

static void every_class_tells(void **state) {
  SofaContext *ctx;
  int missing = 0;
  (void)state;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  assert_int_equal(sofa_plugin_load(ctx, "SofaCaribou", NULL, &(SofaOrigin){.emitter = "test"}),
                   SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    bool excused = false;
    if (klass->abstract || !sofa_class_ops(klass, SOFA_FORCE_FIELD) || !is_finite_element(klass))
      continue;
    for (size_t k = 0; k < COUNT(without); k++)
      excused |= strcmp(without[k].klass, klass->name) == 0;
    static const char *const fields[] = {
        "gaussPointStress",   "gaussPointStrain", "elementStress",   "elementStrain",
        "nodeStress",         "nodeStrain",       "recoveredStress", "principalStressPerElement",
        "vonMisesPerElement", "vonMisesPerNode",  "energyPerElement"};
    bool tells = sofa_class_ops(klass, SOFA_ELEMENT_RESULTS) != NULL;
    for (size_t k = 0; k < COUNT(fields); k++) tells &= sofa_class_field(klass, fields[k]) != NULL;
    if (tells == excused) print_error("%s: results %s\n", klass->name, tells ? "given" : "missing");
    missing += tells == excused;
  }
  sofa_context_destroy(&ctx);
  assert_int_equal(missing, 0);
}

/* ---- cases ---- */

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

typedef void Check(const ForceFieldCase *c, SofaForceField *ff, const SofaElementResultsOps *ops);

/* Runs a check on all cases of classes with results. */
static void on_all(Check *check) {
  size_t n = 0;
  for (size_t list = 0; list < COUNT(force_field_lists); list++) {
    if (force_field_lists[list] == contact_cases) continue; // these make theirs later
    for (size_t i = 0; i < force_field_list_sizes[list]; i++) {
      const ForceFieldCase *c = &force_field_lists[list][i];
      SceneRun run;
      scene_run_open(&run, c->scene, NULL);
      SofaForceField *ff = force_field_of(run.simulation->root, c->klass);
      if (!ff) fail_msg("%s %s is not there", c->klass, c->what);
      const SofaElementResultsOps *ops = sofa_ops(&ff->object, SOFA_ELEMENT_RESULTS);
      if (ops) check(c, ff, ops);
      n += ops != NULL;
      scene_run_close(&run);
    }
  }
  assert_true(n > 80);
}

static const void *result(SofaForceField *ff, const char *name) {
  const SofaField *field = sofa_class_field(ff->object.klass, name);
  assert_non_null(field);
  if (sofa_field_refresh(&ff->object, field) != SOFA_OK) fail_msg("%s is not computed", name);
  return sofa_field_value(&ff->object, field);
}

static double potential(SofaForceField *ff) {
  const SofaMechParams params = {.k = 1};
  SofaContext *ctx = ff->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaPoint at;
  double energy = NAN;
  assert_int_equal(sofa_force_field_state_point(ff, 0, &at), SOFA_OK);
  assert_int_equal(sofa_force_field_potential_energy(ff, &params, &at, &energy), SOFA_OK);
  sofa_scratch_release(ctx, mark);
  return energy;
}

static void touch(SofaState *state) {
  sofa_field_touch_name(&state->object, "position");
}

/* Moves all numbers of the positions a little. */
static void shake(SofaState *state, double size) {
  SofaCoords *x = &state->position;
  for (size_t k = 0; k < x->n * x->width; k++) x->data[k] += size * sin(1.7 * (double)k + 0.4);
  for (size_t i = 0; i < x->n && x->width == 7; i++) {
    double *q = x->data + 7 * i + 3, norm = 0;
    for (int k = 0; k < 4; k++) norm += q[k] * q[k];
    for (int k = 0; k < 4; k++) q[k] /= sqrt(norm);
  }
  touch(state);
}

/* ---- energies ---- */

static void energies_add_up(const ForceFieldCase *c, SofaForceField *ff,
                            const SofaElementResultsOps *ops) {
  (void)ops;
  shake(ff->state[0], 0.02);
  const SofaReals *list = result(ff, "energyPerElement");
  const double wanted = potential(ff);
  double sum = 0;
  for (size_t i = 0; i < list->n; i++) sum += list->data[i];
  assert_true(list->n > 0);
  if (!(fabs(sum - wanted) <= 1e-11 * fabs(wanted) && fabs(wanted) > 1e-9))
    fail_msg("%s %s: energies add up to %.15g, the potential energy is %.15g", c->klass, c->what,
             sum, wanted);
}

static void energies(void **state) {
  (void)state;
  on_all(energies_add_up);
}

/* ---- uniform deformations ---- */

/* x = R U X + b, or (I + e) X + b without a rotation; in the first `space` coordinates. */
typedef struct Uniform {
  double e[9], r[9];
  unsigned space;
} Uniform;

static Uniform uniform_of(unsigned space, double size, bool turns) {
  static const double e[9] = {1, 0.3, -0.2, 0.3, -0.5, 0.4, -0.2, 0.4, 0.2};
  const double c = cos(0.8), s = sin(0.8);
  const double turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
  const double tilt[9] = {1, 0, 0, 0, 0.6, -0.8, 0, 0.8, 0.6};
  Uniform u = {.space = space};
  for (unsigned k = 0; k < 9; k++) u.e[k] = k / 3 < space && k % 3 < space ? size * e[k] : 0;
  for (int k = 0; k < 9; k++) u.r[k] = k % 4 == 0;
  if (turns && space == 2) memcpy(u.r, turn, sizeof turn);
  if (turns && space == 3) sofa_mat3_mul(turn, tilt, u.r);
  return u;
}

static void deform(SofaState *state, const Uniform *u) {
  SofaCoords *x = &state->position;
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : x;
  for (size_t i = 0; i < x->n; i++) {
    double p[3] = {0, 0, 0}, q[3];
    for (unsigned k = 0; k < u->space; k++) p[k] = rest->data[i * x->width + k];
    sofa_mat3_apply(u->e, p, q);
    for (int k = 0; k < 3; k++) q[k] += p[k];
    sofa_mat3_apply(u->r, q, p);
    for (unsigned k = 0; k < u->space; k++) x->data[i * x->width + k] = p[k] + 0.25;
  }
  touch(state);
}

/* t (3 x 3 rows): t m t^T */
static void turned(const double *t, const double *m, double *out) {
  double a[9];
  sofa_mat3_mul(t, m, a);
  memset(out, 0, 9 * sizeof *out);
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++) out[i] += a[3 * (i / 3) + k] * t[3 * (i % 3) + k];
}

/* What the strain must be, in axes t: with `green` (U^2 - I) / 2, else U - I of the stretch U in
 * the element, e without frames. */
static void expected_strain(const Uniform *u, const double *t, unsigned dim, bool green, bool fixed,
                            double *out) {
  double stretch[9], square[9], c[9];
  for (int k = 0; k < 9; k++) stretch[k] = u->e[k] + (k % 4 == 0);
  sofa_mat3_mul(stretch, stretch, square);
  turned(t, square, c);
  if (fixed) turned(t, u->e, out);
  else if (green)
    for (int k = 0; k < 9; k++) out[k] = (c[k] - (k % 4 == 0)) / 2;
  else if (dim == 3) memcpy(out, u->e, sizeof u->e);
  else if (dim == 1) out[0] = sqrt(c[0]) - 1;
  else {
    const double det = sqrt(c[0] * c[4] - c[1] * c[3]), root = sqrt(c[0] + c[4] + 2 * det);
    out[0] = (c[0] + det) / root - 1;
    out[4] = (c[4] + det) / root - 1;
    out[1] = out[3] = c[1] / root;
  }
}

static bool derives(const SofaObject *object, const SofaClass *base) {
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k))
    if (k == base) return true;
  return false;
}

static bool is_frame_state(const SofaForceField *ff) {
  return ff->state[0]->position.width == 7;
}

/* Small displacements, in frames that do not turn. */
static bool is_fixed(const SofaForceField *ff) {
  if (strstr(ff->object.klass->name, "TensorMass")) return true;
  return derives(&ff->object, &sofa_linear_fem_class) && ((const SofaLinearFem *)ff)->fixed_frame;
}

static bool strains_across(const SofaForceField *ff) {
  if (strstr(ff->object.klass->name, "TensorMass")) return true;
  return ((const SofaLinearFem *)ff)->strains_across;
}

/* Classes whose strain is another one. */
static bool has_patch(const ForceFieldCase *c, const SofaForceField *ff) {
  return !is_frame_state(ff) &&                               // see the tests of beams and shells
         strcmp(c->klass, "QuadBendingFEMForceField") != 0 && // for rectangles only
         !strstr(c->what, "stretched at rest") && !strstr(c->what, "own rest shape");
}

static void check_sample(const ForceFieldCase *c, const SofaForceField *ff,
                         const SofaResultElements *e, const Uniform *u, const double *got,
                         const double *axes) {
  static const int at[6] = {0, 4, 8, 1, 5, 6};
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const bool linear = derives(&ff->object, &sofa_linear_fem_class);
  const bool fixed = is_fixed(ff), across = fixed && strains_across(ff);
  double wanted[9];
  expected_strain(u, e->turned ? axes : identity, e->dim, !linear, fixed, wanted);
  for (unsigned k = 0; k < 6; k++) {
    const unsigned i = (unsigned)at[k] / 3, j = (unsigned)at[k] % 3;
    double w = i < e->dim && j < e->dim ? wanted[at[k]] : 0;
    // of a slope across the element there is one half of the shear only
    if (across && i < e->space && j < e->space && (i < e->dim) != (j < e->dim))
      w = wanted[at[k]] / 2;
    if (!(fabs(got[k] - w) <= 2e-12))
      fail_msg("%s %s: strain %u is %.15g, not %.15g", c->klass, c->what, k, got[k], w);
  }
}

static void uniform_patch(const ForceFieldCase *c, SofaForceField *ff,
                          const SofaElementResultsOps *ops) {
  if (!has_patch(c, ff)) return;
  const unsigned space = sofa_state_kind_info(ff->state[0]->object.kind)->space;
  const Uniform u = uniform_of(space, 0.1, !is_fixed(ff));
  SofaResultElements e = {.n = 0};
  deform(ff->state[0], &u);
  assert_int_equal(ops->elements(ff, &e), SOFA_OK);
  assert_true(e.n > 0);
  for (size_t i = 0; i < e.n; i++) {
    SofaElementSample s;
    e.sample(e.source, i, &s);
    check_sample(c, ff, &e, &u, s.middle_strain, s.middle_axes);
    for (unsigned q = 0; q < e.n_gauss; q++) check_sample(c, ff, &e, &u, s.strain[q], s.axes[q]);
  }
  const SofaVec6s *strain = result(ff, "gaussPointStrain");
  assert_int_equal(strain->n, e.n * e.n_gauss);
}

static void uniform_strains(void **state) {
  (void)state;
  on_all(uniform_patch);
}

/* ---- places ---- */

/* The mean of the points of a straight tetrahedron is that of its corners. */
static void check_centre(const ForceFieldCase *c, const SofaResultElements *e,
                         const SofaElementSample *s, double size) {
  double mean[3] = {0}, volume = 0;
  for (unsigned q = 0; q < e->n_gauss; q++) {
    volume += s->weight[q];
    sofa_vec3_axpy(s->weight[q], s->place[q], mean);
  }
  for (int k = 0; k < 3; k++) {
    double corners = 0;
    for (int n = 0; n < 4; n++)
      corners += 0.25 * e->rest[(size_t)e->rest_width * s->v[n] + (size_t)k];
    if (!(fabs(mean[k] / volume - corners) < 1e-9 * size))
      fail_msg("%s %s: the points are around %g, not %g", c->klass, c->what, mean[k] / volume,
               corners);
  }
}

/* The points of an element are in the box around its nodes, each at its own place. */
static void places_of_points(const ForceFieldCase *c, SofaForceField *ff,
                             const SofaElementResultsOps *ops) {
  SofaResultElements e = {.n = 0};
  if (!has_patch(c, ff)) return;
  assert_int_equal(ops->elements(ff, &e), SOFA_OK);
  for (size_t i = 0; i < e.n; i++) {
    SofaElementSample s;
    double low[3] = {0}, high[3] = {0}, size = 0;
    e.sample(e.source, i, &s);
    for (unsigned n = 0; n < e.n_nodes; n++)
      for (unsigned k = 0; k < e.space; k++) {
        const double x = e.rest[(size_t)e.rest_width * s.v[n] + k];
        low[k] = n ? fmin(low[k], x) : x;
        high[k] = n ? fmax(high[k], x) : x;
      }
    for (unsigned k = 0; k < e.space; k++) size = fmax(size, high[k] - low[k]);
    if (e.dim == 3 && (e.n_nodes == 4 || e.n_nodes == 10)) check_centre(c, &e, &s, size);
    for (unsigned q = 0; q < e.n_gauss; q++) {
      for (unsigned k = 0; k < e.space; k++)
        if (!(s.place[q][k] > low[k] - 1e-9 * size && s.place[q][k] < high[k] + 1e-9 * size))
          fail_msg("%s %s: point %u of element %zu is at %g", c->klass, c->what, q, i,
                   s.place[q][k]);
      for (unsigned r = 0; r < q; r++)
        if (!(sofa_vec3_distance(s.place[q], s.place[r]) > 1e-3 * size))
          fail_msg("%s %s: points %u and %u are one", c->klass, c->what, q, r);
    }
  }
}

static void places(void **state) {
  (void)state;
  on_all(places_of_points);
}

/* ---- stresses do the work ---- */

static int n_worked; /* cases */

/* Classes whose energy is not that of the stress at the quadrature points. */
static bool stress_has_energy(const ForceFieldCase *c, const SofaForceField *ff) {
  return !is_frame_state(ff) &&             // bending
         !strstr(c->klass, "NonUniform") && // the energy is that of the filled part
         !strstr(c->klass, "Composite") &&  // of finer cells
         !strstr(c->what, "stretched at rest") && !strstr(c->what, "own rest shape");
}

static double thickness_of(const SofaForceField *ff) {
  const SofaField *field = sofa_class_field(ff->object.klass, "thickness");
  return field ? *(const double *)sofa_field_value(&ff->object, field) : 1;
}

/* Muscles and the like have stress at rest. */
static bool has_stress_at_rest(SofaForceField *ff, const SofaElementResultsOps *ops) {
  const Uniform none = uniform_of(sofa_state_kind_info(ff->state[0]->object.kind)->space, 0, false);
  SofaResultElements e = {.n = 0};
  bool has = false;
  deform(ff->state[0], &none);
  assert_int_equal(ops->elements(ff, &e), SOFA_OK);
  for (size_t i = 0; i < e.n; i++) {
    SofaElementSample s;
    e.sample(e.source, i, &s);
    for (int k = 0; k < 6; k++) has |= fabs(s.middle_stress[k]) > 1e-9;
  }
  return has;
}

/* With small strains the energy is sum w sigma : epsilon / 2. */
static void work_of_stress(const ForceFieldCase *c, SofaForceField *ff,
                           const SofaElementResultsOps *ops) {
  const unsigned space = sofa_state_kind_info(ff->state[0]->object.kind)->space;
  const Uniform u = uniform_of(space, 1e-5, false);
  SofaResultElements e = {.n = 0};
  double work = 0;
  if (!stress_has_energy(c, ff) || has_stress_at_rest(ff, ops)) return;
  n_worked++;
  deform(ff->state[0], &u);
  assert_int_equal(ops->elements(ff, &e), SOFA_OK);
  for (size_t i = 0; i < e.n; i++) {
    SofaElementSample s;
    e.sample(e.source, i, &s);
    for (unsigned q = 0; q < e.n_gauss; q++)
      for (int k = 0; k < 6; k++)
        work +=
            thickness_of(ff) * s.weight[q] * (k < 3 ? 0.5 : 1) * s.stress[q][k] * s.strain[q][k];
  }
  const double energy = potential(ff);
  if (!(fabs(work - energy) <= 1e-3 * energy && energy > 0))
    fail_msg("%s %s: the stresses do the work %.12g, the energy is %.12g", c->klass, c->what, work,
             energy);
}

static void works(void **state) {
  (void)state;
  n_worked = 0;
  on_all(work_of_stress);
  assert_true(n_worked > 70);
}

/* ---- recovered stresses ---- */

/* u = linear strains: with e_kij the displacement's second derivatives. */
static double quadratic(const double *x, int i) {
  static const double a[3][6] = {{0.3, -0.2, 0.1, 0.4, -0.3, 0.2},
                                 {0.1, 0.5, -0.4, 0.2, 0.1, -0.6},
                                 {-0.2, 0.3, 0.2, -0.1, 0.5, 0.4}};
  return a[i][0] * x[0] * x[0] + a[i][1] * x[1] * x[1] + a[i][2] * x[2] * x[2] +
         a[i][3] * x[0] * x[1] + a[i][4] * x[1] * x[2] + a[i][5] * x[2] * x[0];
}

static void exact_stress(const double *x, double *s) {
  static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
  const double h = 0.5, young = 1000, nu = 0.3, mu = young / (2 * (1 + nu));
  const double lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
  double g[9], trace = 0;
  for (int k = 0; k < 9; k++) { // central differences of squares are exact
    double a[3] = {x[0], x[1], x[2]}, b[3] = {x[0], x[1], x[2]};
    a[k % 3] += h;
    b[k % 3] -= h;
    g[k] = (quadratic(a, k / 3) - quadratic(b, k / 3)) / (2 * h);
  }
  for (int k = 0; k < 3; k++) trace += g[4 * k];
  for (int k = 0; k < 6; k++)
    s[k] =
        mu * (g[3 * row[k] + column[k]] + g[3 * column[k] + row[k]]) + (k < 3 ? lambda * trace : 0);
}

static void check_recovery(const char *what, const char *scene, double limit) {
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/fem");
  SofaState *s = ff->state[0];
  const SofaCoords *rest = s->rest_position.n ? &s->rest_position : &s->position;
  double *x = calloc(3 * rest->n, sizeof *x);
  memcpy(x, rest->data, 3 * rest->n * sizeof *x);
  for (size_t k = 0; k < 3 * rest->n; k++)
    s->position.data[k] = x[k] + quadratic(x + 3 * (k / 3), (int)(k % 3));
  touch(s);
  const SofaVec6s *got = result(ff, "recoveredStress");
  assert_int_equal(got->n, rest->n);
  for (size_t i = 0; i < got->n; i++) {
    double wanted[6];
    exact_stress(x + 3 * i, wanted);
    for (int k = 0; k < 6; k++)
      if (!(fabs(got->data[i].v[k] - wanted[k]) <= limit))
        fail_msg("%s: stress %d of point %zu is %.12g, not %.12g", what, k, i, got->data[i].v[k],
                 wanted[k]);
  }
  free(x);
  scene_run_close(&run);
}

#define GRID                                                                                       \
  "<DefaultAnimationLoop/><RegularGridTopology name='grid' n='4 3 5' min='0 0 0' max='1.5 1.2 "    \
  "2'/>"
#define SMALL(shape, more)                                                                         \
  "<LinearSmallStrainFEMForceField name='fem' template='Vec3d," shape                              \
  "' youngModulus='1000' poissonRatio='0.3' " more "/>"
/* Elements of second order on a cube of 3 x 3 x 3 points, an inner one moved for tetrahedra. */
#define SECOND(shape, lists, field, position)                                                      \
  "<Node name='root'><RequiredPlugin name='SofaCaribou'/><DefaultAnimationLoop/>"                  \
  "<RegularGridTopology name='grid' n='3 3 3' min='0 0 0' max='2 2 2'/>"                           \
  "<QuadraticMesh name='mesh' position='" position "' " lists "/>"                                 \
  "<MechanicalObject rest_position='@mesh.nodes' position='@mesh.nodes'/>"                         \
  "<CaribouTopology name='solid' template='" shape "' indices='@mesh." field                       \
  "'/>" SMALL(shape, "elements='@solid'") "</Node>"
/* twelve tetrahedra from the middle (1.1 0.9 1.2) of a cube of 8 corners */
#define MIDDLE "0 0 0 2 0 0 2 2 0 0 2 0 0 0 2 2 0 2 2 2 2 0 2 2 1.1 0.9 1.2"
#define TETRAS                                                                                     \
  "tetrahedra='0 2 1 8 0 3 2 8 4 5 6 8 4 6 7 8 0 1 5 8 0 5 4 8 1 2 6 8 1 6 5 8 2 3 7 8 2 7 6 8 3 " \
  "0 4 8 3 4 7 8'"

static void linear_stresses_are_recovered(void **state) {
  (void)state;
  check_recovery("hexahedra",
                 "<Node name='root'>" GRID "<MechanicalObject/>" SMALL("Hexahedron", "") "</Node>",
                 1e-9);
  check_recovery(
      "hexahedra of 20 nodes",
      SECOND("Hexahedron20", "hexahedra='@grid.hexahedra'", "hexahedra20", "@grid.position"), 1e-9);
  check_recovery("hexahedra of 27 nodes",
                 SECOND("Hexahedron27", "hexahedra='@grid.hexahedra' centers='1'", "hexahedra27",
                        "@grid.position"),
                 1e-9);
  check_recovery("tetrahedra of 10 nodes", SECOND("Tetrahedron10", TETRAS, "tetrahedra10", MIDDLE),
                 1e-9);
}

/* ---- lists, beams, plates, plasticity ---- */

static void is_near(double got, double wanted, const char *what) {
  if (!(fabs(got - wanted) <= 1e-10 * (1 + fabs(wanted))))
    fail_msg("%s: %.15g, not %.15g", what, got, wanted);
}

/* Nothing is computed before it is read, and reading one list does not recover stresses. */
static void lists_wait_for_a_reader(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 "<Node name='root'>" GRID "<MechanicalObject/><HexahedronFEMForceField name='fem' "
                 "youngModulus='1000' poissonRatio='0.3'/></Node>",
                 NULL);
  const SofaLinearFem *fem = (const SofaLinearFem *)scene_run_object(&run, "/fem");
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/fem");
  assert_int_equal(fem->results.point_stress.n, 0);
  shake(ff->state[0], 0.01);
  const SofaVec6s *stress = result(ff, "elementStress");
  assert_int_equal(stress->n, 24);
  assert_int_equal(fem->results.recovered_stress.n, 0);
  const double before = stress->data[0].v[0];
  result(ff, "recoveredStress");
  assert_int_equal(fem->results.recovered_stress.n, 60);
  shake(ff->state[0], 0.01);
  result(ff, "elementStress");
  assert_true(fabs(fem->results.element_stress.data[0].v[0] - before) > 1);
  scene_run_close(&run);
}

/* A cantilever along y of two beams, E = 1000, nu = 0.25, a ring 0.2 .. 0.1: the free end is moved
 * so that the first beam is pulled, twisted and bent as the closed forms of its stiffness say. */
static void beams(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(
      &run,
      "<Node name='root'><DefaultAnimationLoop/><MeshTopology edges='0 1'/>"
      "<MechanicalObject template='Rigid3d' rest_position='0 0 0 0 0 0 1 0 2 0 0 0 0 1' "
      "position='0 0 0 0 0 0 1 0 2 0 0 0 0 1'/><BeamFEMForceField name='fem' radius='0.2' "
      "radiusInner='0.1' youngModulus='1000' poissonRatio='0.25'/></Node>",
      NULL);
  const double pi = acos(-1), area = pi * (0.04 - 0.01), inertia = pi * (0.0016 - 0.0001) / 4;
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/fem");
  double *b = ff->state[0]->position.data + 7;
  b[1] = 2.01;                        // pull
  b[4] = sin(0.02), b[6] = cos(0.02); // twist by 0.04 about y, the beam's axis
  touch(ff->state[0]);
  const SofaVec6s *forces = result(ff, "sectionForces");
  is_near(forces->data[0].v[0], 1000 * area * 0.005, "axial force");
  is_near(forces->data[0].v[3], 400 * 2 * inertia * 0.02, "torque");
  const double normal = 1000 * 0.005, shear = 400 * 0.02 * 0.2;
  is_near(((const SofaReals *)result(ff, "vonMisesPerElement"))->data[0],
          sqrt(normal * normal + 3 * shear * shear), "von Mises stress");
  is_near(((const SofaVec6s *)result(ff, "elementStress"))->data[0].v[0], normal, "stress");
  is_near(((const SofaVec6s *)result(ff, "nodeStress"))->data[1].v[1], normal, "stress along y");
  // opposite turns of the ends by 0.01 about x bend by M = E I 0.02 / 2 alone
  double *a = ff->state[0]->position.data;
  a[3] = -sin(0.005), a[6] = cos(0.005);
  b[1] = 2, b[3] = sin(0.005), b[4] = 0, b[6] = cos(0.005);
  touch(ff->state[0]);
  forces = result(ff, "sectionForces");
  const double *m = forces->data[0].v;
  is_near(hypot(m[4], m[5]), 1000 * inertia * 0.01, "bending moment");
  is_near(hypot(m[1], m[2]), 0, "shear force");
  is_near(((const SofaReals *)result(ff, "vonMisesPerElement"))->data[0], 1000 * 0.01 * 0.2,
          "von Mises stress of bending");
  scene_run_close(&run);
}

/* A rectangle of 2 x 1 in the plane of y and z: u = strain times place. */
static void plates(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 "<Node name='root'><DefaultAnimationLoop/><MeshTopology quads='0 1 2 3'/>"
                 "<MechanicalObject rest_position='0 0 0 0 2 0 0 2 1 0 0 1' "
                 "position='0 0 0 0.04 2.02 0.06 0.04 2.05 1.08 0 0.03 1.02'/>"
                 "<QuadBendingFEMForceField name='fem' youngModulus='1000' poissonRatio='0.25' "
                 "thickness='0.1'/></Node>",
                 NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/fem");
  // along y 0.01, along z 0.02, shear (0.03 + 0.03) / 2, slope across 0.04 / 2 along y
  const double strain[6] = {0.01, 0.02, 0, 0.03, 0, 0.01}, c = 1000 / (1 - 0.0625);
  const double stress[6] = {c * (0.01 + 0.25 * 0.02), c * (0.02 + 0.25 * 0.01), 0, 24, 0,
                            5. / 6 * 400 * 0.02};
  const SofaVec6s *e = result(ff, "gaussPointStrain"), *s = result(ff, "gaussPointStress");
  assert_int_equal(e->n, 4);
  for (int q = 0; q < 4; q++)
    for (int k = 0; k < 6; k++) {
      is_near(e->data[q].v[k], strain[k], "strain of a plate");
      is_near(s->data[q].v[k], stress[k], "stress of a plate");
    }
  const SofaVec6s *node = result(ff, "recoveredStress");
  for (int i = 0; i < 4; i++) is_near(node->data[i].v[1], stress[0], "stress along y");
  scene_run_close(&run);
}

/* Half of the strain turns plastic at the start: the stress is that of the other half. */
static void plastic_strain_has_no_stress(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(
      &run,
      "<Node name='root'><DefaultAnimationLoop/>"
      "<MeshTopology tetrahedra='0 1 2 3'/>"
      "<MechanicalObject rest_position='0 0 0 0 1 0 -1 0 0 0 0 1' "
      "position='0 0 0 0.04 1.1 0 -1 -0.04 0 0 0 1'/>"
      "<TetrahedronFEMForceField name='fem' method='polar' youngModulus='100' poissonRatio='0' "
      "plasticMaxThreshold='10' plasticYieldThreshold='0.001' plasticCreep='0.5'/></Node>",
      NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/fem");
  const SofaVec6s *e = result(ff, "elementStrain"), *s = result(ff, "elementStress");
  assert_true(fabs(e->data[0].v[1]) > 0.05 && fabs(e->data[0].v[3]) > 0.01);
  for (int k = 0; k < 6; k++)
    is_near(s->data[0].v[k], 50 * e->data[0].v[k], "stress of the elastic part");
  scene_run_close(&run);
}

/* Without computeVonMisesStress the lists are computed when they are read. */
static void von_mises_of_tetrahedra(void **state) {
  static const char *const fields[] = {"", "computeVonMisesStress='1'"};
  double found[2];
  (void)state;
  for (int i = 0; i < 2; i++) {
    char text[900];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><MeshTopology tetrahedra='0 1 2 3'/>"
             "<MechanicalObject rest_position='0 0 0 1 0 0 0 1 0 0 0 1' "
             "position='0 0 0 1.1 0.03 0 0 1 0 0 0.02 1'/>"
             "<TetrahedronFEMForceField name='fem' method='polar' youngModulus='100' "
             "poissonRatio='0.3' %s/></Node>",
             fields[i]);
    scene_run_open(&run, text, NULL);
    SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/fem");
    result(ff, "elementStress");
    const SofaReals *mises = result(ff, "vonMisesPerElement");
    assert_int_equal(mises->n, 1);
    found[i] = mises->data[0];
    scene_run_close(&run);
  }
  assert_true(found[0] > 1);
  is_near(found[0], found[1], "von Mises stress");
}

/* The outline of a section is known while all that describes it is that of a ring. */
static void sections_without_an_outline(void **state) {
  static const char *const parts[] = {"", "A='0.1'", "Iy='0.1'", "Iz='0.1'", "J='0.1'"};
  (void)state;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char text[900];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><MeshTopology edges='0 1'/>"
             "<MechanicalObject template='Rigid3d' rest_position='0 0 0 0 0 0 1 1 0 0 0 0 0 1' "
             "position='0 0 0 0 0 0 1 1.1 0 0 0 0 0 1'/><BeamFEMForceField name='fem' "
             "radius='0.1' youngModulus='100' poissonRatio='0.3' %s/></Node>",
             parts[i]);
    scene_run_open(&run, text, NULL);
    SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/fem");
    assert_true(isnan(((const SofaReals *)result(ff, "vonMisesPerElement"))->data[0]) == (i > 0));
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_class_tells),
      cmocka_unit_test(energies),
      cmocka_unit_test(uniform_strains),
      cmocka_unit_test(places),
      cmocka_unit_test(works),
      cmocka_unit_test(linear_stresses_are_recovered),
      cmocka_unit_test(lists_wait_for_a_reader),
      cmocka_unit_test(beams),
      cmocka_unit_test(sections_without_an_outline),
      cmocka_unit_test(plates),
      cmocka_unit_test(plastic_strain_has_no_stress),
      cmocka_unit_test(von_mises_of_tetrahedra),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
