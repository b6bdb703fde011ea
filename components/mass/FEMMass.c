/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FEMMass: the mass matrix of finite elements, consistent or lumped, from densities at the nodes.
 */
#include "change/topology_change.h"
#include "components/mass/NodalMassDensity.h"
#include "numerics/mass/element_mass.h"
#include "topology/element_source.h"

enum { QUIRK_FEM_MASS_QUADRATURE = 1, QUIRK_FEM_MASS_GRAVITY = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_FEM_MASS_QUADRATURE, "fem-mass-quadrature",
     "FEMMass integrates with the points of the stiffness: one in a simplex",
     "test_masses.quirky_masses"},
    {QUIRK_FEM_MASS_GRAVITY, "fem-mass-gravity",
     "FEMMass adds gravity to the forces with separateGravity, too",
     "test_quirks_elements.elements"},
};

typedef struct FEMMass {
  SofaMass mass;
  SofaLink topology, density, elements;
  bool lumped;
  SofaMassMatrix matrix;
  SofaReals diagonal; /* of the lumped mass, kg per point; owned */
  SofaReals divisor;  /* the same of all processes; empty where none is divided; owned */
} FEMMass;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};
static const SofaLinkRule density_rule = {.klass = &sofa_NodalMassDensity_class,
                                          .search = SOFA_SEARCH_UP};

static const SofaLinkRule elements_rule = {.interface = SOFA_ELEMENT_SOURCE,
                                           .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(FEMMass, elements, "elements", NULL, "",
               "object with the elements instead of the topology, as a CaribouTopology: those of "
               "second order with all their nodes (addition of csofa)",
               .link = &elements_rule),
    SOFA_FIELD(FEMMass, lumped, "lumped", "0", "",
               "diagonal mass: the diagonal of each element, scaled to the mass of the element "
               "(addition of csofa; newer versions of SOFA call it lumping)",
               .aliases = "lumping"),
    SOFA_FIELD(FEMMass, topology, "topology", NULL, "", "topology with the elements",
               .link = &topology_rule),
    SOFA_FIELD(FEMMass, density, "nodalMassDensity", NULL, "",
               "densities at the nodes; default: the first one in this node or above",
               .link = &density_rule),
};

/* ---- the matrix ---- */

static SofaErr find_elements(FEMMass *m, SofaElementMesh *mesh) {
  const SofaObject *object = &m->mass.force_field.object;
  const SofaState *state = m->mass.force_field.state[0];
  const SofaShape shape = sofa_element_shape(object);
  if (m->elements.target)
    return sofa_element_source_mesh(object, m->elements.target, shape, state, mesh);
  if (!m->topology.target)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above");
  if (sofa_shape_info(shape)->order > 1)
    return sofa_field_fail(object, "elements", SOFA_ERR_SCENE,
                           "must be given: a topology has no elements of kind %s, a "
                           "CaribouTopology has",
                           sofa_shape_info(shape)->name);
  return sofa_element_mesh(object, (SofaTopology *)m->topology.target, shape, state, mesh);
}

static SofaErr build(FEMMass *m) {
  const SofaObject *object = &m->mass.force_field.object;
  const NodalMassDensity *density = (const NodalMassDensity *)m->density.target;
  const SofaRule rule =
      sofa_quirk(object, QUIRK_FEM_MASS_QUADRATURE) ? SOFA_RULE_STIFFNESS : SOFA_RULE_MASS;
  SofaElementMesh mesh;
  if (!density)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no NodalMassDensity in this node or above");
  SOFA_TRY(find_elements(m, &mesh));
  const SofaMassDensity nodal = {density->property.data, density->property.n, true};
  m->diagonal.n = 0;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->diagonal, m->lumped ? mesh.n_points : 0));
  SOFA_TRY(sofa_mass_matrix_of_elements(object->ctx, &mesh, rule, &nodal, &m->matrix,
                                        m->lumped ? m->diagonal.data : NULL));
  if (!m->lumped) return SOFA_OK;
  return sofa_mass_diagonal_whole(m->mass.force_field.state[0], 1, m->diagonal.data, &m->divisor);
}

static SofaErr fem_mass_init(SofaObject *object) {
  FEMMass *m = (FEMMass *)object;
  sofa_mass_matrix_free(object->ctx, &m->matrix);
  return build(m);
}

static void fem_mass_destroy(SofaObject *object) {
  sofa_mass_matrix_free(object->ctx, &((FEMMass *)object)->matrix);
  sofa_list_free(object->ctx, &((FEMMass *)object)->diagonal);
  sofa_list_free(object->ctx, &((FEMMass *)object)->divisor);
}

/* ---- operations ---- */

/* Masses on which gravity acts: a free body falls as it is. */
static const double *weights_of(const FEMMass *m) {
  return m->lumped ? m->diagonal.data : m->matrix.row_sum;
}

static size_t deriv_of(const SofaForceField *ff) {
  return sofa_state_kind_info(ff->state[0]->object.kind)->deriv;
}

static SofaErr fem_mass_add_force(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, double *const *f) {
  const FEMMass *m = (FEMMass *)ff;
  (void)params, (void)at;
  if (m->mass.gravity_apart && !sofa_quirk(&ff->object, QUIRK_FEM_MASS_GRAVITY)) return SOFA_OK;
  sofa_mass_diagonal_gravity(weights_of(m), m->matrix.n, deriv_of(ff), ff->object.node->gravity.v,
                             f[0]);
  return SOFA_OK;
}

static SofaErr fem_mass_add_mdx(SofaMass *mass, const double *x, const double *dx, double *res,
                                double factor) {
  (void)x;
  const FEMMass *m = (const FEMMass *)mass;
  const size_t deriv = deriv_of(&mass->force_field);
  if (m->lumped)
    sofa_mass_diagonal_multiply(m->diagonal.data, m->diagonal.n, deriv, dx, res, factor);
  else sofa_mass_matrix_multiply(&m->matrix, mass->force_field.object.ctx, deriv, dx, res, factor);
  return SOFA_OK;
}

static SofaErr fem_mass_acc_from_f(SofaMass *mass, const double *x, const double *f, double *a) {
  (void)x;
  const FEMMass *m = (const FEMMass *)mass;
  const size_t deriv = deriv_of(&mass->force_field);
  if (!m->lumped)
    return sofa_object_fail(&mass->force_field.object, SOFA_ERR_ARGUMENT,
                            "an explicit solver needs a diagonal mass: set lumped=\"1\"");
  const double *own = m->divisor.n ? m->divisor.data : m->diagonal.data;
  for (size_t k = 0; k < deriv * m->diagonal.n; k++)
    if (own[k / deriv] > 0) a[k] = f[k] / own[k / deriv];
  return SOFA_OK;
}

static SofaErr fem_mass_add_m(SofaMass *mass, const double *x, const SofaTangent *tangent) {
  (void)x;
  const FEMMass *m = (const FEMMass *)mass;
  const size_t deriv = deriv_of(&mass->force_field);
  if (m->lumped)
    sofa_mass_diagonal_add_m(m->diagonal.data, mass->force_field.object.ctx, m->diagonal.n, deriv,
                             tangent);
  else sofa_mass_matrix_add_m(&m->matrix, mass->force_field.object.ctx, deriv, tangent);
  return SOFA_OK;
}

static bool fem_mass_is_diagonal(const SofaMass *mass) {
  return ((const FEMMass *)mass)->lumped;
}

static double fem_mass_kinetic_energy(SofaMass *mass, const double *x, const double *v) {
  (void)x;
  const FEMMass *m = (const FEMMass *)mass;
  const size_t deriv = deriv_of(&mass->force_field);
  return m->lumped ? sofa_mass_diagonal_kinetic(m->diagonal.data, m->diagonal.n, deriv, v)
                   : sofa_mass_matrix_kinetic(&m->matrix, deriv, v);
}

static double fem_mass_potential_energy(SofaMass *mass, const double *x, const double g[3]) {
  const FEMMass *m = (FEMMass *)mass;
  return sofa_mass_diagonal_potential(weights_of(m), m->matrix.n, deriv_of(&mass->force_field), g,
                                      x);
}

static double fem_mass_total_mass(const SofaMass *mass) {
  const FEMMass *m = (const FEMMass *)mass;
  double sum = 0;
  for (size_t i = 0; i < m->matrix.n; i++) sum += m->matrix.row_sum[i];
  return sum;
}

/* Elements of another object are its own. */
static bool can_listen(const SofaObject *object, const char **why) {
  *why = "is about to change, and the object in 'elements' keeps its elements";
  return !((const FEMMass *)object)->elements.target;
}

static const SofaTopologyListenerOps listener = {.done = sofa_listen_reinit,
                                                 .can_listen = can_listen};
static const SofaForceFieldOps force_field_ops = {.add_force = fem_mass_add_force, .is_load = true};
static const SofaMassOps mass_ops = {
    .add_mdx = fem_mass_add_mdx,
    .acc_from_f = fem_mass_acc_from_f,
    .add_m = fem_mass_add_m,
    .is_diagonal = fem_mass_is_diagonal,
    .kinetic_energy = fem_mass_kinetic_energy,
    .potential_energy = fem_mass_potential_energy,
    .total_mass = fem_mass_total_mass,
    .tangent_is_mdx = true,
    .constant = true,
};

static const char *const templates[] = {SOFA_FIRST_ORDER_TEMPLATES, "Vec1d,Edge",
                                        SOFA_SECOND_ORDER_TEMPLATES, NULL};

SOFA_CLASS(FEMMass) = {
    SOFA_NAMED(FEMMass),
    .module = "Sofa.Component.Mass",
    .category = "Mass",
    .help = "The mass of finite elements, consistent or lumped, from densities at the nodes. The "
            "template names the kind of state and the shape of the elements.",
    .equations = "M_{ij} = int rho N_i N_j dV\n"
                 "\"N_i: shape function of point i, rho: density\"",
    .base = &sofa_mass_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = fem_mass_init,
    .reinit = fem_mass_init,
    .destroy = fem_mass_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_MASS, &mass_ops},
                    {SOFA_TOPOLOGY_LISTENER, &listener}),
};
