/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CaribouMass: the mass of solid elements, consistent or lumped. */
#include <math.h>

#include "numerics/mass/element_mass.h"
#include "topology/elements.h"

enum { QUIRK_CARIBOU_MASS_QUADRATURE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_CARIBOU_MASS_QUADRATURE, "caribou-mass-quadrature",
     "CaribouMass integrates with the plugin's points of the stiffness: one in a tetrahedron",
     "test_caribou_elements.entries_of_masses"},
    QUIRK_CARIBOU_REST_ROW,
};

typedef struct CaribouMass {
  SofaMass mass;
  SofaLink topology;
  double density; /* kg/m^3 */
  bool lumped;
  SofaMassMatrix matrix; /* owned; its row sums are what gravity acts on */
  SofaReals diagonal;    /* kg per point, of the lumped mass */
  SofaReals divisor;     /* the same of all processes; empty where none is divided; owned */
} CaribouMass;

static const SofaField fields[] = {
    SOFA_FIELD(CaribouMass, topology, "topology", NULL, "",
               "CaribouTopology or topology with the elements; default: the one of this node",
               .link = &caribou_topology_rule),
    SOFA_FIELD(CaribouMass, density, "density", "1", "kg/m^3", "mass per volume at rest",
               .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_FIELD(CaribouMass, lumped, "lumped", "0", "",
               "diagonal mass: the diagonal of each element, scaled to the mass of the element"),
};

static CaribouMass *self(SofaMass *mass) {
  return (CaribouMass *)mass;
}
static const CaribouMass *self_const(const SofaMass *mass) {
  return (const CaribouMass *)mass;
}

/* ---- making ---- */

static SofaErr build(CaribouMass *m, const SofaElementMesh *mesh) {
  SofaContext *ctx = m->mass.force_field.object.ctx;
  const SofaMassDensity density = {&m->density, 1, false};
  const SofaRule rule = sofa_quirk(&m->mass.force_field.object, QUIRK_CARIBOU_MASS_QUADRATURE)
                            ? SOFA_RULE_REDUCED
                            : SOFA_RULE_MASS;
  m->diagonal.n = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->diagonal, mesh->n_points));
  SOFA_TRY(sofa_mass_matrix_of_elements(ctx, mesh, rule, &density, &m->matrix, m->diagonal.data));
  return sofa_mass_diagonal_whole(m->mass.force_field.state[0], 1, m->diagonal.data, &m->divisor);
}

static SofaErr init(SofaObject *object) {
  CaribouMass *m = (CaribouMass *)object;
  SofaElementMesh mesh;
  SOFA_TRY(caribou_elements(&m->mass.force_field, &m->topology, &mesh));
  if (mesh.dim != 3)
    return sofa_object_fail(object, SOFA_ERR_TYPE, "the state is not of kind Vec3d");
  sofa_mass_matrix_free(object->ctx, &m->matrix);
  return build(m, &mesh);
}

static void destroy(SofaObject *object) {
  CaribouMass *m = (CaribouMass *)object;
  sofa_mass_matrix_free(object->ctx, &m->matrix);
  sofa_list_free(object->ctx, &m->diagonal);
  sofa_list_free(object->ctx, &m->divisor);
}

/* ---- operations ---- */

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         double *const *f) {
  const CaribouMass *m = (const CaribouMass *)ff;
  (void)params, (void)at;
  if (!m->mass.separate_gravity)
    sofa_mass_diagonal_gravity(m->matrix.row_sum, m->matrix.n, 3, ff->object.node->gravity.v, f[0]);
  return SOFA_OK;
}

static SofaErr add_mdx(SofaMass *mass, const double *x, const double *dx, double *res,
                       double factor) {
  (void)x;
  const CaribouMass *m = self(mass);
  if (m->lumped) sofa_mass_diagonal_multiply(m->diagonal.data, m->diagonal.n, 3, dx, res, factor);
  else sofa_mass_matrix_multiply(&m->matrix, mass->force_field.object.ctx, 3, dx, res, factor);
  return SOFA_OK;
}

static SofaErr acc_from_f(SofaMass *mass, const double *x, const double *f, double *a) {
  (void)x;
  const CaribouMass *m = self(mass);
  if (!m->lumped)
    return sofa_object_fail(&mass->force_field.object, SOFA_ERR_ARGUMENT,
                            "an explicit solver needs a diagonal mass: set lumped=\"1\"");
  for (size_t k = 0; k < 3 * m->diagonal.n; k++) {
    const double own = (m->divisor.n ? &m->divisor : &m->diagonal)->data[k / 3];
    if (own > 0) a[k] = f[k] / own;
  }
  return SOFA_OK;
}

static SofaErr add_m(SofaMass *mass, const double *x, const SofaTangent *tangent) {
  (void)x;
  const CaribouMass *m = self(mass);
  if (m->lumped)
    sofa_mass_diagonal_add_m(m->diagonal.data, mass->force_field.object.ctx, m->diagonal.n, 3,
                             tangent);
  else sofa_mass_matrix_add_m(&m->matrix, mass->force_field.object.ctx, 3, tangent);
  return SOFA_OK;
}

static bool is_diagonal(const SofaMass *mass) {
  return self_const(mass)->lumped;
}

static double kinetic_energy(SofaMass *mass, const double *x, const double *v) {
  (void)x;
  const CaribouMass *m = self(mass);
  return m->lumped ? sofa_mass_diagonal_kinetic(m->diagonal.data, m->diagonal.n, 3, v)
                   : sofa_mass_matrix_kinetic(&m->matrix, 3, v);
}

static double potential_energy(SofaMass *mass, const double *x, const double g[3]) {
  const SofaMassMatrix *m = &self(mass)->matrix;
  return sofa_mass_diagonal_potential(m->row_sum, m->n, 3, g, x);
}

static double total_mass(const SofaMass *mass) {
  const SofaMassMatrix *m = &self_const(mass)->matrix;
  double sum = 0;
  for (size_t i = 0; i < m->n; i++) sum += m->row_sum[i];
  return sum;
}

static const SofaForceFieldOps force_field_ops = {.add_force = add_force, .is_load = true};
static const SofaMassOps mass_ops = {
    .add_mdx = add_mdx,
    .acc_from_f = acc_from_f,
    .add_m = add_m,
    .is_diagonal = is_diagonal,
    .kinetic_energy = kinetic_energy,
    .potential_energy = potential_energy,
    .total_mass = total_mass,
    .tangent_is_mdx = true,
    .constant = true,
};

SOFA_CLASS(CaribouMass) = {
    .name = "CaribouMass",
    .category = "Mass",
    .help = "The mass of finite elements of one density. The template names the kind of element.",
    .equations = "M_{ij} = rho int N_i N_j dV\n"
                 "\"N_i: shape function of point i, rho: density\"",
    .base = &sofa_mass_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_QUIRKS(quirks),
    .size = sizeof(CaribouMass),
    SOFA_FIELDS(fields),
    CARIBOU_SOLID_MEMBERS,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_MASS, &mass_ops},
                    {SOFA_TOPOLOGY_LISTENER, &caribou_solid_listener}),
};
