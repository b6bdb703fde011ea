/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses against mathematics: totals, the exact consistent matrix of a tetrahedron, gravity as the
 * gradient of the potential energy, products against the assembled matrix, refused values. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include <unistd.h>

#include "behavior/mass.h"
#include "math/block_matrix.h"

#define ONE_TETRA                                                                                  \
  "<MeshTopology position='0 0 0 2 0 0 0 3 0 0 0 4' tetrahedra='0 1 2 3'/>"                        \
  "<MechanicalObject name='state'/>"
#define GRID                                                                                       \
  "<RegularGridTopology n='3 3 4' min='0 0 0' max='2 1 3'/><MechanicalObject name='state'/>"
#define TRIANGLES                                                                                  \
  "<MeshTopology position='0 0 0 2 0 0 0 1 0 2 1 0' triangles='0 1 2 1 3 2'/>"                     \
  "<MechanicalObject name='state'/>"
#define TETRAS                                                                                     \
  "<RegularGridTopology name='grid' n='2 3 2' min='0 0 0' max='1 1 1'/>"                           \
  "<MechanicalObject name='state'/>"                                                               \
  "<Node name='t'><TetrahedronSetTopologyContainer name='c'/>"                                     \
  "<TetrahedronSetTopologyModifier/><Hexa2TetraTopologicalMapping input='@../grid' output='@c'/>"
#define RIGIDS                                                                                     \
  "<MechanicalObject name='state' template='Rigid3d' "                                             \
  "position='0 0 0 0 0 0 1  1 2 3 0.5 0.5 0.5 0.5  0 1 0 0.1 0.7 -0.5 0.5'/>"
#define PLANE_RIGIDS "<MechanicalObject name='state' template='Rigid2d' position='0 0 0 1 2 0.5'/>"

#define DENSITY(property) "<NodalMassDensity property='" property "'/>"
#define FEM_MASS(template) "<FEMMass name='mass' template='" template "'/>"
/* soft enough to have no elastic forces */
#define HEXA_MASS(klass, attributes)                                                               \
  "<" klass "ForceFieldAndMass name='mass' youngModulus='0' poissonRatio='0.3' " attributes "/>"

/* a box in cells that it fills in part */
#define SPARSE(levels)                                                                             \
  "<SparseGridTopology n='3 3 3' nbVirtualFinerLevels='" levels "' "                               \
  "position='0 0 0 2 0 0 2 1 0 0 1 0 0 0 1 2 0 1 2 1 1 0 1 1' "                                    \
  "quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/><MechanicalObject name='state'/>"

typedef struct Case {
  const char *name, *body;
  double total;
} Case;

static const Case cases[] = {
    {"uniform total", GRID "<UniformMass name='mass' totalMass='7'/>", 7},
    {"uniform vertex", GRID "<UniformMass name='mass' vertexMass='0.5'/>", 18},
    {"uniform indices", GRID "<UniformMass name='mass' vertexMass='0.5' indices='1 5-7'/>", 2},
    {"uniform range", GRID "<UniformMass name='mass' totalMass='3' localRange='2 6'/>", 3},
    {"uniform rigid", RIGIDS "<UniformMass name='mass' vertexMass='2 1 1 0.1 0 0.1 2 0 0 0 3'/>",
     6},
    {"uniform plane", PLANE_RIGIDS "<UniformMass name='mass' vertexMass='2 1 0.5'/>", 4},
    {"diagonal density", GRID "<DiagonalMass name='mass' massDensity='2'/>", 12},
    {"diagonal total", GRID "<DiagonalMass name='mass' totalMass='5'/>", 5},
    {"diagonal list", ONE_TETRA "<DiagonalMass name='mass' vertexMass='1 2 3'/>", 9},
    {"diagonal triangles", TRIANGLES "<DiagonalMass name='mass' massDensity='3'/>", 6},
    {"diagonal rigid",
     RIGIDS "<DiagonalMass name='mass' template='Rigid3d,Rigid3d' vertexMass='"
            "1 1 1 0 0 0 1 0 0 0 1  2 1 1 0 0 0 2 0 0 0 3  3 1 4 0 0 0 4 0 0 0 4'/>",
     6},
    {"matrix hexa", GRID "<MeshMatrixMass name='mass' totalMass='5'/>", 5},
    {"matrix tetra", ONE_TETRA "<MeshMatrixMass name='mass' massDensity='2'/>", 8},
    {"matrix lumped", GRID "<MeshMatrixMass name='mass' totalMass='5' lumping='1'/>", 5},
    {"matrix triangles", TRIANGLES "<MeshMatrixMass name='mass' massDensity='3'/>", 6},
    {"matrix density per element", TRIANGLES "<MeshMatrixMass name='mass' massDensity='3 5'/>", 8},
    {"matrix lists",
     TRIANGLES "<MeshMatrixMass name='mass' vertexMass='1 1 1 1' edgeMass='0.1 0.1 0.1 0.1 0.1'/>",
     5},
    {"fem tetra", ONE_TETRA DENSITY("2") FEM_MASS("Vec3,Tetrahedron"), 8},
    {"fem tetra, densities", ONE_TETRA DENSITY("1 2 3") FEM_MASS("Vec3,Tetrahedron"), 9},
    {"fem hexahedra", GRID DENSITY("2") FEM_MASS("Vec3,Hexahedron"), 12},
    {"fem triangles", TRIANGLES DENSITY("3") FEM_MASS("Vec3,Triangle"), 6},
    {"hexahedra", GRID HEXA_MASS("HexahedronFEM", "density='2'"), 12},
    {"hexahedra, lumped", GRID HEXA_MASS("HexahedronFEM", "density='2' lumpedMass='1'"), 12},
    {"hexahedral", GRID HEXA_MASS("HexahedralFEM", "density='2'"), 12},
    {"hexahedral, lumped", GRID HEXA_MASS("HexahedralFEM", "density='2' lumpedMass='1'"), 12},
};

/* Elements of finer cells: their matrices have other entries along x, y and z. */
static const char *const composites[] = {
    SPARSE("2") HEXA_MASS("NonUniformHexahedronFEM", "density='3' nbVirtualFinerLevels='2'"),
    SPARSE("2") "<HexahedronCompositeFEMForceFieldAndMass name='mass' nbVirtualFinerLevels='2' "
                "youngModulus='5' poissonRatio='0.3' density='3'/>",
    SPARSE("2") "<HexahedronCompositeFEMForceFieldAndMass name='mass' nbVirtualFinerLevels='2' "
                "youngModulus='5' poissonRatio='0.3' density='3' lumpedMass='1'/>",
};

static void open_body(SceneRun *run, const char *body) {
  char text[4000];
  snprintf(text, sizeof text,
           "<Node name='root' gravity='1 -10 3'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/>"
           "<Node name='body'>%s</Node></Node>",
           body);
  scene_run_open(run, text, NULL);
}

static SofaMass *find_mass(SceneRun *run) {
  return (SofaMass *)scene_run_object(run, "/body/mass");
}

/* Numbers that are neither zero nor alike. */
static void fill(double *x, size_t n, double phase) {
  for (size_t i = 0; i < n; i++) x[i] = sin(1.7 * (double)i + phase) + 0.3;
}

static SofaStateKindInfo kind_of(const SofaMass *mass) {
  return *sofa_state_kind_info(mass->force_field.state[0]->object.kind);
}

enum { MAX = 600 };

static void totals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SceneRun run;
    open_body(&run, cases[i].body);
    SofaMass *mass = find_mass(&run);
    const double total = sofa_mass_ops(mass)->total_mass(mass);
    if (!(fabs(total - cases[i].total) < 1e-12 * cases[i].total))
      fail_msg("%s: total mass %.17g, expected %g", cases[i].name, total, cases[i].total);
    const SofaObject *object = &mass->force_field.object;
    const SofaField *row = sofa_class_field(object->klass, "totalMass");
    if (row && row->type == &sofa_type_real)
      assert_true(fabs(*(double *)sofa_field_value(object, row) - total) < 1e-12 * total);
    scene_run_close(&run);
  }
}

/* f of gravity: -dV/dx by central differences, and its sum is m g. */
static void gravity_is_the_gradient(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    SceneRun run;
    double x[MAX], f[MAX] = {0}, sum[3] = {0};
    open_body(&run, cases[i].body);
    SofaMass *mass = find_mass(&run);
    const SofaStateKindInfo kind = kind_of(mass);
    const size_t n = sofa_state_size(mass->force_field.state[0]);
    const double *g = run.simulation->root->gravity.v, h = 1e-3;
    assert_true(n * kind.coord <= MAX);
    fill(x, n * kind.coord, 0.1);
    const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 0);
    assert_int_equal(ff_force(&mass->force_field, &params, x, NULL, f), SOFA_OK);
    for (size_t p = 0; p < n; p++)
      for (unsigned c = 0; c < kind.deriv; c++) {
        double expected = 0;
        if (c < kind.space) {
          double *at = &x[p * kind.coord + c], kept = *at;
          *at = kept + h;
          const double high = sofa_mass_ops(mass)->potential_energy(mass, x, g);
          *at = kept - h;
          const double low = sofa_mass_ops(mass)->potential_energy(mass, x, g);
          *at = kept;
          expected = (low - high) / (2 * h);
          sum[c] += f[p * kind.deriv + c];
        }
        if (!(fabs(f[p * kind.deriv + c] - expected) < 1e-8))
          fail_msg("%s: force %zu.%u is %g, expected %g", cases[i].name, p, c,
                   f[p * kind.deriv + c], expected);
      }
    /* lists given by hand need not have equal row sums, which gravity assumes */
    for (unsigned c = 0; c < kind.space && strcmp(cases[i].name, "matrix lists") != 0; c++)
      assert_true(fabs(sum[c] - cases[i].total * g[c]) < 1e-10 * cases[i].total);
    scene_run_close(&run);
  }
}

/* add_mdx, add_m, kinetic_energy and, for diagonal masses, acc_from_f are one operator. */
static void check_operator(const char *body) {
  SceneRun run;
  double dx[MAX], mdx[MAX] = {0}, product[MAX] = {0}, back[MAX], energy = 0;
  uint8_t blocks[MAX];
  open_body(&run, body);
  SofaMass *mass = find_mass(&run);
  const SofaMassOps *ops = sofa_mass_ops(mass);
  const SofaStateKindInfo kind = kind_of(mass);
  const size_t n = sofa_state_size(mass->force_field.state[0]), size = n * kind.deriv;
  fill(dx, size, 0.7);
  assert_int_equal(ops->add_mdx(mass, sofa_mass_x(mass), dx, mdx, 2.5), SOFA_OK);

  /* the matrix */
  SofaBlockMatrix *matrix = NULL;
  memset(blocks, (int)kind.deriv, n);
  assert_int_equal(sofa_block_matrix_create(run.ctx, n, blocks, n, blocks, &matrix), SOFA_OK);
  sofa_block_matrix_begin(matrix);
  const SofaTangentPair pair = {.matrix = matrix};
  const SofaTangent tangent = {.pairs = &pair, .n = 1, .factor = 2.5};
  assert_int_equal(ops->add_m(mass, sofa_mass_x(mass), &tangent), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  sofa_block_matrix_multiply(matrix, dx, product, 1);
  for (size_t k = 0; k < size; k++) {
    assert_true(fabs(product[k] - mdx[k]) < 1e-12);
    energy += 0.5 * dx[k] * mdx[k] / 2.5;
  }
  sofa_block_matrix_destroy(&matrix);
  assert_true(fabs(ops->kinetic_energy(mass, sofa_mass_x(mass), dx) - energy) < 1e-12 * energy);

  /* the inverse, where there is mass */
  if (ops->is_diagonal(mass)) {
    memcpy(back, dx, sizeof back);
    assert_int_equal(ops->acc_from_f(mass, sofa_mass_x(mass), mdx, back), SOFA_OK);
    for (size_t k = 0; k < size; k++)
      if (mdx[k] != 0) assert_true(fabs(back[k] - 2.5 * dx[k]) < 1e-12);
  }
  scene_run_close(&run);
}

static void one_operator(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) check_operator(cases[i].body);
  for (size_t i = 0; i < SOFA_COUNT(composites); i++) check_operator(composites[i]);
}

/* Exact: M_ij = rho V (1 + delta_ij) / 20 for linear tetrahedra. */
static void consistent_tetrahedron(const char *text) {
  SceneRun run;
  open_body(&run, text);
  SofaMass *mass = find_mass(&run);
  const double volume = 4;
  for (int j = 0; j < 4; j++) {
    double dx[12] = {0}, mdx[12] = {0};
    dx[3 * j] = 1;
    assert_int_equal(sofa_mass_ops(mass)->add_mdx(mass, sofa_mass_x(mass), dx, mdx, 1), SOFA_OK);
    for (int i = 0; i < 4; i++)
      assert_true(fabs(mdx[3 * i] - 2 * volume * (i == j ? 2 : 1) / 20) < 1e-14);
  }
  scene_run_close(&run);
}

static void consistent_tetrahedra(void **state) {
  (void)state;
  consistent_tetrahedron(ONE_TETRA "<MeshMatrixMass name='mass' massDensity='2'/>");
  consistent_tetrahedron(ONE_TETRA DENSITY("2") FEM_MASS("Vec3,Tetrahedron"));
}

/* Entry (0, j) of the mass of one element. */
static double mass_entry(const char *body, bool quirks, int j) {
  char text[2000];
  const SofaContextOptions options = {.quirks = quirks};
  SceneRun run;
  double dx[24] = {0}, mdx[24] = {0};
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<Node name='body'>%s</Node></Node>",
           body);
  scene_run_open(&run, text, &options);
  SofaMass *mass = find_mass(&run);
  dx[3 * j] = 1;
  assert_int_equal(sofa_mass_ops(mass)->add_mdx(mass, sofa_mass_x(mass), dx, mdx, 1), SOFA_OK);
  scene_run_close(&run);
  return mdx[0];
}

static void quirky_masses(void **state) {
  (void)state;
  static const char box[] =
      "<MeshTopology position='0 0 0 2 0 0 2 1 0 0 1 0 0 0 3 2 0 3 2 1 3 0 1 3' "
      "hexahedra='0 1 2 3 4 5 6 7'/><MechanicalObject/>" HEXA_MASS("HexahedronFEM", "density='2'");
  static const char tetra[] = ONE_TETRA DENSITY("2") FEM_MASS("Vec3,Tetrahedron");
  /* node 1 along an edge, 2 across a face, 6 across the element */
  static const double shares[8] = {27, 54, 108, 54, 54, 108, 216, 108};
  for (int j = 0; j < 8; j++) {
    assert_true(fabs(mass_entry(box, false, j) - 12 / shares[j]) < 1e-14);
    assert_true(fabs(mass_entry(box, true, j) - 12 * 8 / 27.) < 1e-13);
  }
  for (int j = 0; j < 4; j++) assert_true(fabs(mass_entry(tetra, true, j) - 8 / 16.) < 1e-14);

  /* each corner has an eighth of the weight of the box, of 12 kg */
  SceneRun run;
  double f[24] = {0}, *const to[1] = {f};
  FfPoint p;
  scene_run_open(&run,
                 "<Node gravity='0 0 -10'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                 "<MeshTopology position='0 0 0 2 0 0 2 1 0 0 1 0 0 0 3 2 0 3 2 1 3 0 1 3' "
                 "hexahedra='0 1 2 3 4 5 6 7'/><MechanicalObject/>" HEXA_MASS(
                     "HexahedronFEM", "density='2'") "</Node>",
                 &(SofaContextOptions){.quirk_words = "hexa-mass"});
  SofaMass *mass = (SofaMass *)scene_run_object(&run, "/mass");
  ff_point(&p, &mass->force_field, mass->force_field.state[0]->position.data, NULL);
  const SofaMechParams params = {0};
  assert_int_equal(sofa_force_field_add_force(&mass->force_field, &params, &p.at, to), SOFA_OK);
  for (int k = 0; k < 24; k++) assert_true(fabs(f[k] - (k % 3 == 2 ? -15 : 0)) < 1e-12);
  free(p.zeros);
  scene_run_close(&run);
}

/* Every point of a mesh of tetrahedra gets a quarter of the volume around it, as DiagonalMass and
 * as the row sums of MeshMatrixMass. */
static void tetrahedra_of_a_grid(void **state) {
  (void)state;
  SceneRun run;
  open_body(&run, TETRAS "<DiagonalMass name='d' massDensity='6'/>"
                         "<MeshMatrixMass name='m' massDensity='6'/></Node>");
  SofaMass *d = (SofaMass *)scene_run_object(&run, "/body/t/d");
  SofaMass *m = (SofaMass *)scene_run_object(&run, "/body/t/m");
  double ones[36], by_d[36] = {0}, by_m[36] = {0}, sum = 0;
  for (int k = 0; k < 36; k++) ones[k] = 1;
  assert_int_equal(sofa_mass_ops(d)->add_mdx(d, sofa_mass_x(d), ones, by_d, 1), SOFA_OK);
  assert_int_equal(sofa_mass_ops(m)->add_mdx(m, sofa_mass_x(m), ones, by_m, 1), SOFA_OK);
  for (int k = 0; k < 36; k++) {
    assert_true(fabs(by_d[k] - by_m[k]) < 1e-14);
    sum += by_d[k] / 3;
  }
  assert_true(fabs(sum - 6) < 1e-13);
  scene_run_close(&run);
}

/* ---- rigid mass files ---- */

static const char rigid_file[] = "Xsp 3.0\n"
                                 "# a comment\n"
                                 "inrt 0.2 0 0 0 0.3 0 0 0 0.4\ncntr 0 0 0 frme 0 0 0 1\n"
                                 "vertexMass 2.5 volm 0.1\n";

/* The mass of the file counts more than a totalMass in the scene, less than a vertexMass. */
static void mass_of_a_file(void **state) {
  (void)state;
  static const struct {
    const char *attributes;
    double mass, inertia;
  } expected[] = {
      {"", 2.5, 0.4},
      {"totalMass='9'", 2.5, 0.4},
      {"vertexMass='3 1 1 0 0 0 1 0 0 0 1'", 3, 0.4},
  };
  char path[] = "/tmp/csofa-XXXXXX.rigid", body[400];
  const int file = mkstemps(path, 6);
  assert_int_equal(write(file, rigid_file, sizeof rigid_file - 1), sizeof rigid_file - 1);
  close(file);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    SceneRun run;
    double dx[6] = {1, 0, 0, 0, 0, 1}, mdx[6] = {0};
    snprintf(body, sizeof body,
             "<MechanicalObject name='state' template='Rigid3d'/>"
             "<UniformMass name='mass' filename='%s' %s/>",
             path, expected[i].attributes);
    open_body(&run, body);
    SofaMass *mass = find_mass(&run);
    assert_int_equal(sofa_mass_ops(mass)->add_mdx(mass, sofa_mass_x(mass), dx, mdx, 1), SOFA_OK);
    assert_true(mdx[0] == expected[i].mass);
    assert_true(fabs(mdx[5] - expected[i].mass * expected[i].inertia) < 1e-15);
    scene_run_close(&run);
  }
  unlink(path);
}

/* Words that no file has, and numbers that are missing, are errors with their line; a run that goes
 * on reads the other lines. */
static void wrong_files(void **state) {
  static const struct {
    const char *text, *message;
  } files[] = {
      {"Xsp 3.0\ninertia 1 2 3\nvertexMass 2.5\n", ":2: unknown keyword 'inertia'"},
      {"title\n\n# words\nvolmes 1\nvertexMass 2.5\n", ":4: unknown keyword 'volmes'"},
      {"title\nvertex 7\nvertexMass 2.5\n", ":2: unknown keyword 'vertex'"},
      {"title\ncntr 1 2 x\nvertexMass 2.5\n", ":2: expected a number of 'cntr'"},
      {"title\ngrav 1 2\nvertexMass 2.5\n", ":3: expected a number of 'grav'"},
  };
  (void)state;
  for (size_t i = 0; i < 2 * sizeof files / sizeof *files; i++) {
    char path[] = "/tmp/csofa-XXXXXX.rigid", text[400], message[200];
    const int file = mkstemps(path, 6);
    const char *content = files[i / 2].text;
    const SofaContextOptions options = {.keep_going = i % 2};
    SceneRun run = {.quiet = true};
    assert_int_equal(write(file, content, strlen(content)), strlen(content));
    close(file);
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><MechanicalObject template='Rigid3d'/>"
             "<UniformMass name='mass' filename='%s'/></Node>",
             path);
    snprintf(message, sizeof message, "%s%s", path, files[i / 2].message);
    scene_run_context(&run, &options);
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    const SofaErr err = sofa_simulation_init(run.simulation);
    assert_true((err == SOFA_OK) == options.keep_going);
    if (!strstr(run.all, message)) fail_msg("'%s' is not in '%s'", message, run.all);
    const SofaMass *mass = (SofaMass *)scene_run_object(&run, "/mass");
    if (options.keep_going && !strstr(content, "grav"))
      assert_true(sofa_mass_ops(mass)->total_mass(mass) == 2.5);
    scene_run_close(&run);
    unlink(path);
  }
}

/* ---- refused values ---- */

typedef struct Refused {
  const char *body, *message;
} Refused;

static const Refused refused[] = {
    {GRID "<UniformMass/>", "neither totalMass nor vertexMass"},
    {GRID "<UniformMass totalMass='-1'/>", "totalMass"},
    {GRID "<UniformMass vertexMass='-1'/>", "vertexMass"},
    {GRID "<UniformMass totalMass='1' indices='36'/>", "index 36 is not a point"},
    {GRID "<DiagonalMass massDensity='-1'/>", "massDensity"},
    {ONE_TETRA "<DiagonalMass vertexMass='1 1 1 1 1'/>", "5 masses for a state of 4"},
    {ONE_TETRA "<DiagonalMass vertexMass='-1 1 1 1'/>", "mass 0 is negative"},
    {ONE_TETRA "<DiagonalMass vertexMass='1 1 1 -1'/>", "mass 3 is negative"},
    {"<MechanicalObject position='0 0 0'/><DiagonalMass/>", "no topology"},
    {"<MeshTopology position='0 0 0'/><MechanicalObject/><DiagonalMass totalMass='1'/>",
     "no elements"},
    {RIGIDS "<DiagonalMass totalMass='1'/>", "vertexMass is missing"},
    {RIGIDS
     "<DiagonalMass vertexMass='2 1 1 0 0 0 1 0 0 0 1 -1 1 1 0 0 0 1 0 0 0 1 2 1 1 0 0 0 1 0 "
     "0 0 1'/>",
     "mass 1 is negative"},
    {RIGIDS "<DiagonalMass vertexMass='2 1 1 0 0 0 1 0 0 0 1'/>",
     "1 masses for a state of 3 bodies"},
    {TRIANGLES "<MeshMatrixMass massDensity='1 2 3'/>", "3 values for 2 elements"},
    {"<TetrahedronSetTopologyContainer position='0 0 0 2 0 0 0 3 0 0 0 4' tetrahedra='0 1 2 3' "
     "edges='0 1 0 2 0 3 1 2 1 3'/><MechanicalObject/><MeshMatrixMass massDensity='1'/>",
     "the topology has no edge (2, 3), which element 0 needs"},
    {ONE_TETRA "<Node name='c'><MechanicalObject position='0 0 0'/><MeshMatrixMass "
               "massDensity='1' topology='@../MeshTopology1'/></Node>",
     "the geometry has 4 points, the state 1"},
    {TRIANGLES "<MeshMatrixMass vertexMass='1 1 1 1'/>", "lumping"},
    {TRIANGLES "<MeshMatrixMass lumping='1' vertexMass='1 1 1'/>", "3 values, expected 4"},
    {"<MeshTopology position='0 0 0 1 0 0'/><MechanicalObject/><MeshMatrixMass/>", "no elements"},
    {ONE_TETRA FEM_MASS("Vec3,Tetrahedron"), "no NodalMassDensity"},
    {ONE_TETRA DENSITY("-1") FEM_MASS("Vec3,Tetrahedron"), "entry 0: -1, expected >= 0"},
    {ONE_TETRA DENSITY("1") FEM_MASS("Vec3,Hexahedron"), "no hexahedra"},
    {GRID HEXA_MASS("HexahedronFEM", "density='-1'"), "density"},
};

static SofaErr load(SceneRun *run, const char *body, bool keep_going) {
  char text[2000];
  const SofaContextOptions options = {.keep_going = keep_going};
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<Node name='body'>%s</Node></Node>",
           body);
  memset(run, 0, sizeof *run);
  run->quiet = true;
  scene_run_context(run, &options);
  SofaErr err = sofa_simulation_load_text(run->ctx, text, &run->simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run->simulation);
  return err;
}

static void bad_values_are_errors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    SceneRun run;
    if (load(&run, refused[i].body, false) == SOFA_OK) fail_msg("accepted: %s", refused[i].body);
    if (!strstr(run.last, refused[i].message))
      fail_msg("%s: the message is '%s'", refused[i].body, run.last);
    scene_run_close(&run);
    /* with keep_going the same scene loads */
    assert_int_equal(load(&run, refused[i].body, true), SOFA_OK);
    scene_run_close(&run);
  }
}

/* An empty density counts as 1, and a message says so. */
static void an_empty_density_is_one(void **state) {
  (void)state;
  SceneRun run;
  assert_int_equal(load(&run, ONE_TETRA DENSITY("") FEM_MASS("Vec3,Tetrahedron"), false), SOFA_OK);
  assert_int_equal(run.n_problems, 1);
  assert_non_null(strstr(run.last, "'property' is empty: 1 is used"));
  const double empty = sofa_mass_ops(find_mass(&run))->total_mass(find_mass(&run));
  scene_run_close(&run);
  assert_int_equal(load(&run, ONE_TETRA DENSITY("1") FEM_MASS("Vec3,Tetrahedron"), false), SOFA_OK);
  assert_int_equal(run.n_problems, 0);
  assert_true(sofa_mass_ops(find_mass(&run))->total_mass(find_mass(&run)) == empty && empty > 0);
  scene_run_close(&run);
}

/* SOFA's fallback: no M, but gravity with the default mass of 1. */
static void keep_going_leaves_gravity(void **state) {
  (void)state;
  SceneRun run;
  double f[36 * 3] = {0}, dx[36 * 3], mdx[36 * 3] = {0};
  assert_int_equal(load(&run, GRID "<UniformMass name='mass' totalMass='-1'/>", true), SOFA_OK);
  SofaMass *mass = find_mass(&run);
  fill(dx, 36 * 3, 0);
  assert_int_equal(sofa_mass_ops(mass)->add_mdx(mass, sofa_mass_x(mass), dx, mdx, 1), SOFA_OK);
  assert_true(mdx[0] == 0);
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 0);
  assert_int_equal(ff_force(&mass->force_field, &params, dx, NULL, f), SOFA_OK);
  assert_true(fabs(f[1] + 9.81) < 1e-15);
  scene_run_close(&run);
}

static void fallbacks_to_total_mass(void **state) {
  (void)state;
  SceneRun run;
  assert_int_equal(load(&run, GRID "<DiagonalMass name='mass' massDensity='-1'/>", true), SOFA_OK);
  assert_true(fabs(sofa_mass_ops(find_mass(&run))->total_mass(find_mass(&run)) - 1) < 1e-14);
  scene_run_close(&run);
}

static void a_mass_is_printed_after_each_step(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 "<Node name='root' dt='0.1'><DefaultAnimationLoop/><EulerExplicitSolver/>"
                 "<RegularGridTopology n='2 2 2'/><MechanicalObject/>"
                 "<MeshMatrixMass totalMass='2' lumping='1' printMass='1'/></Node>",
                 NULL);
  const uint64_t before = run.ctx->n_messages[SOFA_INFO];
  scene_run_steps(&run, 3);
  assert_int_equal(run.ctx->n_messages[SOFA_INFO], before + 3);
  scene_run_close(&run);
}

/* A total mass is shared in the same way at every scale: of a body of metres and of one of a tenth
 * of a micrometre, M v and the total are the same. */
static void the_scale_does_not_matter(void **state) {
  static const char *const meshes[] = {"edges='0 1 1 2 2 3'", "triangles='0 1 2 1 3 2'",
                                       "tetrahedra='0 1 2 3'", "hexahedra='0 1 5 4 2 6 7 3'"};
  static const char *const masses[] = {"DiagonalMass", "MeshMatrixMass", "MeshMatrixMass"};
  static const double points[24] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 1, 3,
                                    0, 0, 3, 2, 0, 3, 2, 1, 0, 2, 1, 3};
  static const double scales[] = {1, 1e-7};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(meshes) * SOFA_COUNT(masses); i++) {
    const size_t kind = i % SOFA_COUNT(masses);
    double product[2][24] = {{0}}, v[24];
    for (int c = 0; c < 24; c++) v[c] = sin(3. * c);
    for (int k = 0; k < 2; k++) {
      char body[2000], numbers[1000] = "";
      for (int c = 0; c < 24; c++)
        snprintf(numbers + strlen(numbers), 40, "%.17g ", scales[k] * points[c]);
      snprintf(body, sizeof body,
               "<MeshTopology position='%s' %s/><MechanicalObject name='state'/>"
               "<%s name='mass' totalMass='5' %s/>",
               numbers, meshes[i / SOFA_COUNT(masses)], masses[kind],
               kind == 0   ? ""
               : kind == 1 ? "lumping='0'"
                           : "lumping='1'");
      SceneRun run;
      open_body(&run, body);
      SofaMass *mass = find_mass(&run);
      const SofaMassOps *ops = sofa_mass_ops(mass);
      const double *x = mass->force_field.state[0]->position.data;
      if (!(fabs(ops->total_mass(mass) - 5) < 1e-12))
        fail_msg("%s at scale %g: %g", body, scales[k], ops->total_mass(mass));
      assert_int_equal(ops->add_mdx(mass, x, v, product[k], 1), SOFA_OK);
      scene_run_close(&run);
    }
    for (int c = 0; c < 24; c++)
      if (!(fabs(product[0][c] - product[1][c]) < 1e-12))
        fail_msg("%s, %s: %g and %g", meshes[i / SOFA_COUNT(masses)], masses[kind], product[0][c],
                 product[1][c]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mass_is_printed_after_each_step),
      cmocka_unit_test(totals),
      cmocka_unit_test(the_scale_does_not_matter),
      cmocka_unit_test(gravity_is_the_gradient),
      cmocka_unit_test(one_operator),
      cmocka_unit_test(consistent_tetrahedra),
      cmocka_unit_test(quirky_masses),
      cmocka_unit_test(tetrahedra_of_a_grid),
      cmocka_unit_test(mass_of_a_file),
      cmocka_unit_test(wrong_files),
      cmocka_unit_test(bad_values_are_errors),
      cmocka_unit_test(an_empty_density_is_one),
      cmocka_unit_test(keep_going_leaves_gravity),
      cmocka_unit_test(fallbacks_to_total_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
