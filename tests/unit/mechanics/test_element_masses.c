/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses of elements of every kind and of irregular shape against integration: totals, sums of
 * rows, positive definite matrices, and the kinetic energy of linear fields. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>

#include "behavior/mass.h"

/* ---- elements ---- */

enum { MOST = 8 };

/* One element as a hexahedron, in which vertices may coincide: the integrals are the same. */
typedef struct Kind {
  const char *name, *list; /* as in templates of FEMMass; attribute of the topology */
  unsigned n, dim;
  double x[MOST][3];
  uint8_t as_hexa[8];
} Kind;

static const Kind kinds[] = {
    {"Edge", "edges", 2, 1, {{0.1, 0.2, 0.3}, {1, 1.5, -0.4}}, {0, 1}},
    {"Triangle", "triangles", 3, 2, {{0, 0, 0.2}, {1.3, 0.1, 0}, {0.4, 1.1, 0.5}}, {0, 1, 2, 2}},
    {"Quad",
     "quads",
     4,
     2,
     {{0, 0, 0}, {2, 0.5, 1}, {1.7, 2, 0.85}, {-0.2, 1, -0.1}},
     {0, 1, 2, 3}},
    {"Tetrahedron",
     "tetrahedra",
     4,
     3,
     {{0, 0, 0}, {1.2, 0.1, 0}, {0.1, 1, 0.2}, {0.3, 0.2, 1.5}},
     {0, 1, 2, 2, 3, 3, 3, 3}},
    {"Pyramid",
     "pyramids",
     5,
     3,
     {{0, 0, 0}, {1.2, 0.1, 0}, {1.1, 1.3, 0.2}, {-0.1, 0.9, 0.1}, {0.4, 0.5, 1.4}},
     {0, 1, 2, 3, 4, 4, 4, 4}},
    {"Prism",
     "prisms",
     6,
     3,
     {{0, 0, 0}, {1.2, 0.1, 0}, {0.1, 1, 0.2}, {0, 0.2, 1}, {1.1, 0.3, 1.2}, {0.2, 1.2, 1.6}},
     {0, 1, 2, 2, 3, 4, 5, 5}},
    {"Hexahedron",
     "hexahedra",
     8,
     3,
     {{0, 0, 0},
      {1.2, 0.1, -0.1},
      {1.4, 1.3, 0.2},
      {-0.1, 0.9, 0.1},
      {0.1, -0.2, 1},
      {1, 0.2, 1.3},
      {1.1, 1.2, 0.8},
      {0.2, 1.4, 1.1}},
     {0, 1, 2, 3, 4, 5, 6, 7}},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Five points of Gauss on [-1, 1]. */
static const double gauss[5] = {-0.906179845938664, -0.538469310105683, 0, 0.538469310105683,
                                0.906179845938664},
                    weights[5] = {0.236926885056189, 0.478628670499366, 0.568888888888889,
                                  0.478628670499366, 0.236926885056189};

/* Position and measure of the map at xi. */
static double map_at(const Kind *k, const double *xi, double x[3]) {
  static const int8_t sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  double d[3][3] = {{0}}, g[3][3] = {{0}};
  for (int c = 0; c < 3; c++) x[c] = 0;
  for (int a = 0; a < 1 << k->dim; a++)
    for (int c = 0; c < 3; c++) {
      const double at = k->x[k->as_hexa[a]][c];
      double n = at;
      for (unsigned i = 0; i < k->dim; i++) n *= 0.5 * (1 + sign[a][i] * xi[i]);
      x[c] += n;
      for (unsigned j = 0; j < k->dim; j++) {
        double slope = 0.5 * sign[a][j] * at;
        for (unsigned i = 0; i < k->dim; i++)
          if (i != j) slope *= 0.5 * (1 + sign[a][i] * xi[i]);
        d[j][c] += slope;
      }
    }
  /* the root of Gram's determinant */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      g[i][j] = (unsigned)i >= k->dim && i == j ? 1 : 0;
      for (int c = 0; c < 3; c++) g[i][j] += d[i][c] * d[j][c];
    }
  return sqrt(g[0][0] * (g[1][1] * g[2][2] - g[1][2] * g[2][1]) -
              g[0][1] * (g[1][0] * g[2][2] - g[1][2] * g[2][0]) +
              g[0][2] * (g[1][0] * g[2][1] - g[1][1] * g[2][0]));
}

/* A linear field of velocities; number 0 is constant, 1 is v = x. */
static void velocity(int field, const double x[3], double v[3]) {
  static const double gradient[3][3] = {{0.3, -1, 0.2}, {0.7, 0.1, 1.1}, {-0.4, 0.6, 0.9}};
  for (int c = 0; c < 3; c++) {
    v[c] = field == 0 ? c + 1 : field == 1 ? x[c] : 0.5;
    for (int i = 0; field == 2 && i < 3; i++) v[c] += gradient[c][i] * x[i];
  }
}

/* The integrals of 1 and of v^2 / 2. */
static void integrals(const Kind *k, int field, double *measure, double *energy) {
  const int n = k->dim == 1 ? 5 : k->dim == 2 ? 25 : 125;
  *measure = *energy = 0;
  for (int q = 0; q < n; q++) {
    const double xi[3] = {gauss[q % 5], gauss[q / 5 % 5], gauss[q / 25]};
    double x[3], v[3], w = weights[q % 5];
    if (k->dim > 1) w *= weights[q / 5 % 5];
    if (k->dim > 2) w *= weights[q / 25];
    w *= map_at(k, xi, x);
    velocity(field, x, v);
    *measure += w;
    *energy += 0.5 * w * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
}

/* ---- masses ---- */

static const double density = 3;
/* kinds that a class is for, by their first letters: E T Q V (tetrahedron) Y (pyramid) P H */
static const char letters[] = "ETQVYPH";

static const struct {
  const char *name, *xml; /* %s: the kind's name */
  const char *kinds;
  bool lumped;
} masses[] = {
    {"MeshMatrixMass", "<MeshMatrixMass name='mass' massDensity='3'/>", "ETQVH", false},
    {"MeshMatrixMass", "<MeshMatrixMass name='mass' massDensity='3' lumping='1'/>", "ETQVH", true},
    {"DiagonalMass", "<DiagonalMass name='mass' massDensity='3'/>", "ETQVH", true},
    {"FEMMass", "<NodalMassDensity property='3'/><FEMMass name='mass' template='Vec3,%s'/>",
     "ETQVYPH", false},
    {"FEMMass",
     "<NodalMassDensity property='3'/><FEMMass name='mass' lumped='1' template='Vec3,%s'/>",
     "ETQVYPH", true},
    {"HexahedronFEMForceFieldAndMass",
     "<HexahedronFEMForceFieldAndMass name='mass' density='3' youngModulus='1' "
     "poissonRatio='0.3'/>",
     "H", false},
    {"HexahedronFEMForceFieldAndMass",
     "<HexahedronFEMForceFieldAndMass name='mass' density='3' lumpedMass='1' youngModulus='1' "
     "poissonRatio='0.3'/>",
     "H", true},
    {"HexahedralFEMForceFieldAndMass",
     "<HexahedralFEMForceFieldAndMass name='mass' density='3' youngModulus='1' "
     "poissonRatio='0.3'/>",
     "H", false},
    {"HexahedralFEMForceFieldAndMass",
     "<HexahedralFEMForceFieldAndMass name='mass' density='3' lumpedMass='1' youngModulus='1' "
     "poissonRatio='0.3'/>",
     "H", true},
    {"CaribouMass", "<CaribouMass name='mass' topology='@mesh' density='3' template='%s'/>", "VH",
     false},
    {"CaribouMass",
     "<CaribouMass name='mass' topology='@mesh' density='3' lumped='1' template='%s'/>", "VH",
     true},
};
enum { N_MASSES = sizeof masses / sizeof *masses };

static void open_mass(SceneRun *run, int mass, const Kind *k, const SofaContextOptions *options) {
  char text[3000], points[800] = "", list[100] = "", xml[400];
  for (unsigned i = 0; i < k->n; i++) {
    snprintf(points + strlen(points), sizeof points - strlen(points), "%.17g %.17g %.17g ",
             k->x[i][0], k->x[i][1], k->x[i][2]);
    snprintf(list + strlen(list), sizeof list - strlen(list), "%u ", i);
  }
  const char *before = strstr(masses[mass].xml, "%s");
  if (before)
    snprintf(xml, sizeof xml, "%.*s%s%s", (int)(before - masses[mass].xml), masses[mass].xml,
             k->name, before + 2);
  else snprintf(xml, sizeof xml, "%s", masses[mass].xml);
  snprintf(text, sizeof text,
           "<Node name='root'><RequiredPlugin name='SofaCaribou'/><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='body'><MeshTopology name='mesh' position='%s' "
           "%s='%s'/>"
           "<MechanicalObject name='state'/>%s</Node></Node>",
           points, k->list, list, xml);
  scene_run_open(run, text, options);
}

/* m: n x n, the entries of the first axis. */
static void matrix_of(SofaMass *mass, unsigned n, double *m) {
  for (unsigned j = 0; j < n; j++) {
    double dx[3 * MOST] = {0}, mdx[3 * MOST] = {0};
    dx[3 * j] = 1;
    assert_int_equal(sofa_mass_ops(mass)->add_mdx(mass, sofa_mass_x(mass), dx, mdx, 1), SOFA_OK);
    for (unsigned i = 0; i < n; i++) m[n * i + j] = mdx[3 * i];
  }
}

/* The least pivot of Cholesky's decomposition, which is made in place. */
static double least_pivot(unsigned n, double *m) {
  double least = INFINITY;
  for (unsigned k = 0; k < n; k++) {
    least = fmin(least, m[n * k + k]);
    for (unsigned i = k + 1; i < n; i++)
      for (unsigned j = k + 1; j < n; j++)
        m[n * i + j] -= m[n * i + k] * m[n * k + j] / m[n * k + k];
  }
  return least;
}

/* An explicit step of a diagonal mass: M a = f. */
static void check_accelerations(SofaMass *mass, const char *name, unsigned n) {
  const SofaMassOps *ops = sofa_mass_ops(mass);
  double f[3 * MOST], a[3 * MOST] = {0}, ma[3 * MOST] = {0};
  for (unsigned i = 0; i < 3 * n; i++) f[i] = sin(1.3 * i + 0.2);
  assert_true(ops->is_diagonal(mass));
  assert_int_equal(ops->acc_from_f(mass, sofa_mass_x(mass), f, a), SOFA_OK);
  assert_int_equal(ops->add_mdx(mass, sofa_mass_x(mass), a, ma, 1), SOFA_OK);
  for (unsigned i = 0; i < 3 * n; i++)
    if (!(fabs(ma[i] - f[i]) < 1e-13))
      fail_msg("%s: force %u is %.15g, not %.15g", name, i, ma[i], f[i]);
}

static void check(int mass, const Kind *k, double *row_sums) {
  SceneRun run;
  double m[MOST * MOST], v[3 * MOST], measure, energy, sum = 0;
  open_mass(&run, mass, k, NULL);
  SofaMass *object = (SofaMass *)scene_run_object(&run, "/body/mass");
  const SofaMassOps *ops = sofa_mass_ops(object);
  integrals(k, 0, &measure, &energy);
  const char *name = masses[mass].name;
  if (!(fabs(ops->total_mass(object) / (density * measure) - 1) < 1e-12))
    fail_msg("%s, %s: total mass %.15g, expected %.15g", name, k->name, ops->total_mass(object),
             density * measure);
  // read again it is the same
  assert_int_equal(sofa_object_run(&object->force_field.object, SOFA_RUN_REINIT), SOFA_OK);
  matrix_of(object, k->n, m);
  if (masses[mass].lumped) check_accelerations(object, name, k->n);
  else assert_false(ops->is_diagonal(object));
  for (unsigned i = 0; i < k->n; i++) {
    row_sums[i] = 0;
    for (unsigned j = 0; j < k->n; j++) row_sums[i] += m[k->n * i + j];
    sum += row_sums[i];
  }
  if (!(fabs(sum / (density * measure) - 1) < 1e-12))
    fail_msg("%s, %s: the entries' sum is %.15g", name, k->name, sum);
  if (!(least_pivot(k->n, m) > 1e-3 * density * measure / k->n))
    fail_msg("%s, %s: the matrix is not positive definite", name, k->name);
  for (int field = 0; field < (masses[mass].lumped ? 1 : 3); field++) {
    for (unsigned i = 0; i < k->n; i++) velocity(field, k->x[i], v + 3 * i);
    integrals(k, field, &measure, &energy);
    const double found = ops->kinetic_energy(object, sofa_mass_x(object), v);
    if (!(fabs(found / (density * energy) - 1) < 1e-12))
      fail_msg("%s, %s: the energy of field %d is %.15g, expected %.15g", name, k->name, field,
               found, density * energy);
  }
  scene_run_close(&run);
}

/* The lumped form of a consistent mass has its sums of rows; DiagonalMass shares equally, and
 * CaribouMass and FEMMass scale the diagonal. */
static void every_mass_of_every_kind(void **state) {
  (void)state;
  double consistent[MOST], sums[MOST];
  for (int mass = 0; mass < N_MASSES; mass++)
    for (int i = 0; i < N_KINDS; i++) {
      if (!strchr(masses[mass].kinds, letters[i])) continue;
      check(mass, &kinds[i], sums);
      if (!masses[mass].lumped || strstr("CaribouMass FEMMass DiagonalMass", masses[mass].name))
        continue;
      check(mass - 1, &kinds[i], consistent);
      for (unsigned k = 0; k < kinds[i].n; k++)
        if (!(fabs(sums[k] - consistent[k]) < 1e-13))
          fail_msg("%s, %s: lumped mass %u is %g, the sum of its row %g", masses[mass].name,
                   kinds[i].name, k, sums[k], consistent[k]);
    }
}

/* Is every class of masses here? Those without elements have other tests. */
static void every_mass_is_here(void **state) {
  static const char *const without[] = {"UniformMass",
                                        /* boxes of sparse grids: test_nonuniform */
                                        "NonUniformHexahedronFEMForceFieldAndMass",
                                        "NonUniformHexahedralFEMForceFieldAndMass",
                                        "HexahedronCompositeFEMForceFieldAndMass", NULL};
  SceneRun run = {0};
  const SofaOrigin origin = {.emitter = "test"};
  (void)state;
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_plugin_load(run.ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(run.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(run.ctx, i);
    bool found = klass->abstract || !sofa_class_ops(klass, SOFA_MASS);
    for (int k = 0; k < N_MASSES; k++) found |= strcmp(masses[k].name, klass->name) == 0;
    for (int k = 0; without[k]; k++) found |= strcmp(without[k], klass->name) == 0;
    if (!found) fail_msg("%s has no case", klass->name);
  }
  scene_run_close(&run);
}

/* Elements are measured where they are at the start, or at rest. */
static void where_elements_are_measured(void **state) {
  static const char *const classes[] = {"MeshMatrixMass", "MeshMatrixMass lumping='1'",
                                        "DiagonalMass"};
  (void)state;
  for (size_t i = 0; i < 6; i++) {
    char text[1000];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
             "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"
             "<MechanicalObject position='0 0 0 2 0 0 0 2 0 0 0 2' rest_position='0 0 0 1 0 0 0 1 "
             "0 0 0 1'/><%s name='mass' massDensity='6' computeMassOnRest='%d'/></Node>",
             classes[i / 2], (int)i % 2);
    scene_run_open(&run, text, NULL);
    const SofaMass *mass = (SofaMass *)scene_run_object(&run, "/mass");
    assert_true(fabs(sofa_mass_ops(mass)->total_mass(mass) - (i % 2 ? 1 : 8)) < 1e-13);
    scene_run_close(&run);
  }
}

/* Points without mass and without force stay where they are; with a force the acceleration of point
 * masses is infinite, and finite elements leave it out. */
static void points_without_mass(void **state) {
  static const char *const parts[] = {
      ("<NodalMassDensity property='0'/><FEMMass name='mass' lumped='1' "
       "template='Vec3,Tetrahedron'/>"),
      "<CaribouMass name='mass' density='0' lumped='1' topology='@mesh' template='Tetrahedron'/>",
      "<MeshMatrixMass name='mass' massDensity='0' lumping='1'/>",
      "<DiagonalMass name='mass' vertexMass='0 0 0 0'/>",
      "<UniformMass name='mass' vertexMass='0'/>"};
  (void)state;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char text[1000];
    double f[12] = {0}, a[12] = {0}, ones[12], product[12] = {0};
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root'><RequiredPlugin name='SofaCaribou'/><DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/><MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 "
             "1' tetrahedra='0 1 2 3'/><MechanicalObject/>%s</Node>",
             parts[i]);
    scene_run_open(&run, text, NULL);
    SofaMass *mass = (SofaMass *)scene_run_object(&run, "/mass");
    const SofaMassOps *ops = sofa_mass_ops(mass);
    for (int k = 0; k < 12; k++) ones[k] = 1;
    assert_int_equal(ops->acc_from_f(mass, sofa_mass_x(mass), f, a), SOFA_OK);
    assert_int_equal(ops->add_mdx(mass, sofa_mass_x(mass), ones, product, 1), SOFA_OK);
    for (int k = 0; k < 12; k++)
      if (!(a[k] == 0 && product[k] == 0)) fail_msg("%s: %g, %g", parts[i], a[k], product[k]);
    assert_true(ops->kinetic_energy(mass, sofa_mass_x(mass), ones) == 0);
    assert_int_equal(ops->acc_from_f(mass, sofa_mass_x(mass), ones, a), SOFA_OK);
    for (int k = 0; k < 12; k++)
      if (!(i < 2 ? a[k] == 0 : isinf(a[k]))) fail_msg("%s: acceleration %g", parts[i], a[k]);
    scene_run_close(&run);
  }
}

/* The first element has a vertex that the state does not have. */
static void elements_beyond_the_state(void **state) {
  static const char *const classes[] = {"MeshMatrixMass", "DiagonalMass"};
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    char text[1000];
    SceneRun run = {.quiet = true};
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
             "<MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
             "tetrahedra='1 2 3 4 0 1 2 3'/><Node name='body'><MechanicalObject name='state' "
             "position='0 0 0 1 0 0 0 1 0 0 0 1'/><%s name='mass' topology='@../mesh' "
             "geometryState='@state' massDensity='6'/></Node></Node>",
             classes[i]);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_not_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    if (!strstr(run.all, "mass: element 0 of the topology has vertex 4, but the state has 4"))
      fail_msg("%s: %s", classes[i], run.all);
    scene_run_close(&run);
  }
}

/* A mass cannot be shared among elements without size; a total of 0, or a density, can be. */
static void elements_without_size(void **state) {
  static const char *const classes[] = {"MeshMatrixMass", "DiagonalMass"};
  static const char *const values[] = {"totalMass='3'", "", "totalMass='0'", "massDensity='2'"};
  (void)state;
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < 4; k++) {
      char text[600];
      SceneRun run = {.quiet = true};
      snprintf(text, sizeof text,
               "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><MeshTopology "
               "position='0 0 0 1 0 0 2 0 0' triangles='0 1 2'/><MechanicalObject/><%s name='mass' "
               "%s/></Node>",
               classes[i], values[k]);
      scene_run_context(&run, NULL);
      assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
      const SofaErr err = sofa_simulation_init(run.simulation);
      const char *const why = k ? "'totalMass': 1 kg cannot be shared among the elements"
                                : "'totalMass': 3 kg cannot be shared among the elements";
      assert_int_equal(err != SOFA_OK, k < 2);
      if ((k < 2) != (strstr(run.all, why) != NULL)) fail_msg("%s: %s", classes[i], run.all);
      scene_run_close(&run);
    }
}

/* The list has the matrix of each element: of a box of volume V rho V / 27 on the diagonal and
 * rho V / 216 between opposite corners. */
static void matrices_of_each_element(void **state) {
  static const char *const classes[] = {"HexahedronFEMForceFieldAndMass",
                                        "HexahedralFEMForceFieldAndMass"};
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    char text[1000];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
             "<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0 0 3 1 0 3 "
             "1 1 3 0 1 3' hexahedra='0 1 2 3 4 5 6 7 4 5 6 7 8 9 10 11'/><MechanicalObject/>"
             "<%s name='mass' density='216' youngModulus='1' poissonRatio='0.3'/></Node>",
             classes[i]);
    scene_run_open(&run, text, NULL);
    SofaObject *object = scene_run_object(&run, "/mass");
    const SofaField *field = sofa_class_field(object->klass, "massMatrices");
    assert_int_equal(sofa_field_refresh(object, field), SOFA_OK);
    const SofaReals *m = sofa_field_value(object, field);
    assert_int_equal(m->n, 2 * 576);
    for (size_t e = 0; e < 2; e++) {
      const double *k = m->data + 576 * e, volume = e ? 2 : 1;
      assert_true(fabs(k[0] - 8 * volume) < 1e-12 && fabs(k[575] - 8 * volume) < 1e-12);
      assert_true(fabs(k[3 * 6] - volume) < 1e-12 && k[1] == 0);
      assert_true(fabs(k[24 * 18] - volume) < 1e-12);
    }
    scene_run_close(&run);
  }
}

/* ---- a swinging grid ---- */

static const char grid[] =
    "<Node name='root' dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'><NewmarkImplicitSolver/><SparseLDLSolver/>"
    "<RegularGridTopology n='3 3 6' min='0 0 0' max='0.2 0.2 1'/><MechanicalObject name='state'/>"
    "<MeshMatrixMass name='mass' totalMass='2'/>"
    "<HexahedronFEMForceField name='fem' method='small' youngModulus='1e5' poissonRatio='0.3'/>"
    "<BoxROI name='box' box='-1 -1 -0.01 1 1 0.01'/>"
    "<FixedProjectiveConstraint indices='@box.indices'/></Node></Node>";

static double energy_of(SceneRun *run) {
  SofaMass *mass = (SofaMass *)scene_run_object(run, "/body/mass");
  SofaForceField *fem = (SofaForceField *)scene_run_object(run, "/body/fem");
  const SofaState *s = scene_run_state(run, "/body/state");
  const SofaMassOps *ops = sofa_mass_ops(mass);
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 0);
  const double *x = s->position.data, *v = s->velocity.data;
  const SofaPoint at = {.x = &x, .v = &v, .n = 1, .id = sofa_point_id(run->ctx)};
  double energy = 0;
  assert_int_equal(sofa_force_field_potential_energy(fem, &params, &at, &energy), SOFA_OK);
  return energy + ops->kinetic_energy(mass, x, v) +
         ops->potential_energy(mass, x, run->simulation->root->gravity.v);
}

/* Linear elasticity and the average acceleration: the energy is kept but for rounding. */
static void a_swinging_grid_keeps_its_energy(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run, grid, NULL);
  const double first = energy_of(&run);
  double largest = 0;
  for (int i = 0; i < 1000; i++) {
    scene_run_steps(&run, 1);
    largest = fmax(largest, fabs(energy_of(&run) - first));
  }
  assert_true(largest < 1e-8);
  scene_run_close(&run);
}

/* ---- quirks ---- */

static double entry(int mass, const Kind *k, const char *words, unsigned i, unsigned j) {
  const SofaContextOptions options = {.quirk_words = words};
  SceneRun run;
  double m[MOST * MOST];
  open_mass(&run, mass, k, &options);
  matrix_of((SofaMass *)scene_run_object(&run, "/body/mass"), k->n, m);
  scene_run_close(&run);
  return m[k->n * i + j];
}

/* A unit cube and a unit square of density 3 as SOFA has them: 1/20 and 1/40, 1/8 and 1/16. */
static void quirk_of_the_couplings(void **state) {
  static const Kind
      cube =
          {"Hexahedron",
           "hexahedra",
           8,
           3,
           {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
           {0}},
      square = {"Quad", "quads", 4, 2, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {0}};
  static const char word[] = "mesh-matrix-mass";
  (void)state;
  assert_true(fabs(entry(0, &cube, NULL, 0, 0) - 3 / 27.) < 1e-15);
  assert_true(fabs(entry(0, &cube, NULL, 0, 6) - 3 / 216.) < 1e-15);
  assert_true(fabs(entry(0, &cube, word, 0, 0) - 3 / 20.) < 1e-15);
  assert_true(fabs(entry(0, &cube, word, 0, 4) - 3 / 40.) < 1e-15);
  assert_true(entry(0, &cube, word, 0, 6) == 0);
  assert_true(fabs(entry(0, &square, NULL, 0, 2) - 3 / 36.) < 1e-15);
  assert_true(fabs(entry(0, &square, word, 0, 0) - 3 / 8.) < 1e-15);
  assert_true(fabs(entry(0, &square, word, 0, 1) - 3 / 16.) < 1e-15);
  assert_true(entry(0, &square, word, 0, 2) == 0);
}

/* The six tetrahedra of an irregular hexahedron are not its volume. */
static void quirk_of_the_measure(void **state) {
  static const uint8_t split[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                      {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
  const Kind *hexa = &kinds[N_KINDS - 1];
  double volume = 0, measure, energy;
  (void)state;
  for (int t = 0; t < 6; t++) {
    double e[3][3];
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++) e[k][c] = hexa->x[split[t][k + 1]][c] - hexa->x[split[t][0]][c];
    volume += fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                   e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                   e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
              6;
  }
  integrals(hexa, 0, &measure, &energy);
  assert_true(fabs(volume / measure - 1) > 1e-3);
  const char *const words[] = {"mass-measure", "mass-measure,mesh-matrix-mass"};
  assert_true(fabs(entry(2, hexa, words[0], 0, 0) - 3 * volume / 8) < 1e-14);
  assert_true(fabs(entry(0, hexa, words[1], 0, 0) - 3 * volume / 20) < 1e-14);
}

/* Weights of the points of a tetrahedron of 1/6 m^3 with the densities r at its points: the
 * integrals of r N_i are (r_1 + r_2 + r_3 + r_4 + r_i) / 120. The last density counts for points
 * behind. */
static void densities_of_points(void **state) {
  static const struct {
    const char *densities, *fields;
    double r[4];
  } rows[] = {{"<NodalMassDensity property='1 2 3 6'/>", "", {1, 2, 3, 6}},
              {"<NodalMassDensity property='4 5'/>", "", {4, 5, 5, 5}},
              {"<NodalMassDensity property='9'/><NodalMassDensity name='own' property='1 2 3 6'/>",
               "nodalMassDensity='@own'",
               {1, 2, 3, 6}},
              {"<NodalMassDensity property='9'/><NodalMassDensity name='own' property='2'/>",
               "",
               {9, 9, 9, 9}}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    char text[900];
    double f[12] = {0}, sum = 0;
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node gravity='0 -10 5'><DefaultAnimationLoop/><MechanicalObject position='0 0 0 1 0 "
             "0 0 1 0 0 0 1'/><MeshTopology tetrahedra='0 1 2 3'/>%s<FEMMass name='mass' "
             "template='Vec3,Tetrahedron' %s/></Node>",
             rows[i].densities, rows[i].fields);
    scene_run_open(&run, text, NULL);
    SofaForceField *mass = (SofaForceField *)scene_run_object(&run, "/mass");
    const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 0);
    assert_int_equal(ff_force(mass, &params, mass->state[0]->position.data, NULL, f), SOFA_OK);
    for (int k = 0; k < 4; k++) sum += rows[i].r[k];
    for (int k = 0; k < 4; k++) {
      const double m = (sum + rows[i].r[k]) / 120;
      assert_true(f[3 * k] == 0);
      assert_true(fabs(f[3 * k + 1] + 10 * m) < 1e-14 && fabs(f[3 * k + 2] - 5 * m) < 1e-14);
    }
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_mass_of_every_kind),
      cmocka_unit_test(every_mass_is_here),
      cmocka_unit_test(densities_of_points),
      cmocka_unit_test(where_elements_are_measured),
      cmocka_unit_test(points_without_mass),
      cmocka_unit_test(elements_beyond_the_state),
      cmocka_unit_test(elements_without_size),
      cmocka_unit_test(matrices_of_each_element),
      cmocka_unit_test(a_swinging_grid_keeps_its_energy),
      cmocka_unit_test(quirk_of_the_couplings),
      cmocka_unit_test(quirk_of_the_measure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
