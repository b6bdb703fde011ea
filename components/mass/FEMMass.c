/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FEMMass: the consistent mass matrix of finite elements, from densities at the nodes. */
#include "change/topology_change.h"
#include "components/mass/NodalMassDensity.h"
#include "numerics/mass/mass_matrix.h"
#include "numerics/fem/element_mesh.h"

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
  SofaLink topology, density;
  SofaMassMatrix matrix;
} FEMMass;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};
static const SofaLinkRule density_rule = {.klass = &sofa_NodalMassDensity_class,
                                          .search = SOFA_SEARCH_UP};

static const SofaField fields[] = {
    SOFA_FIELD(FEMMass, topology, "topology", NULL, "", "topology with the elements",
               .link = &topology_rule),
    SOFA_FIELD(FEMMass, density, "nodalMassDensity", NULL, "",
               "densities at the nodes; default: the first one in this node or above",
               .link = &density_rule),
};

/* ---- the matrix ---- */

static void add_element(FEMMass *m, const SofaElementMesh *mesh, const NodalMassDensity *density,
                        SofaRule rule, size_t e) {
  const size_t n_nodes = sofa_shape_info(mesh->shape)->n_nodes, dim = mesh->dim;
  double p[24], rho[8], element[64];
  for (size_t n = 0; n < n_nodes; n++) {
    const size_t v = mesh->vertices[n_nodes * e + n];
    for (size_t i = 0; i < dim; i++) p[dim * n + i] = mesh->rest[dim * v + i];
    rho[n] = nodal_mass_density(density, v);
  }
  sofa_consistent_mass(mesh->shape, mesh->dim, rule, p, rho, element);
  sofa_mass_matrix_add(&m->matrix, e, element);
}

static SofaErr build(FEMMass *m) {
  const SofaObject *object = &m->mass.force_field.object;
  SofaTopology *topology = (SofaTopology *)m->topology.target;
  const NodalMassDensity *density = (const NodalMassDensity *)m->density.target;
  const SofaRule rule =
      sofa_quirk(object, QUIRK_FEM_MASS_QUADRATURE) ? SOFA_RULE_STIFFNESS : SOFA_RULE_MASS;
  SofaElementMesh mesh;
  if (!topology)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above");
  if (!density)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no NodalMassDensity in this node or above");
  SOFA_TRY(sofa_element_mesh(object, topology, sofa_element_shape(object),
                             m->mass.force_field.state[0], &mesh));
  SOFA_TRY(sofa_mass_matrix_create(object->ctx, mesh.n, sofa_shape_info(mesh.shape)->n_nodes,
                                   mesh.vertices, mesh.n_points, &m->matrix));
  for (size_t e = 0; e < mesh.n; e++) add_element(m, &mesh, density, rule, e);
  sofa_mass_matrix_sums(&m->matrix);
  return SOFA_OK;
}

static SofaErr fem_mass_init(SofaObject *object) {
  FEMMass *m = (FEMMass *)object;
  sofa_mass_matrix_free(object->ctx, &m->matrix);
  return build(m);
}

static void fem_mass_destroy(SofaObject *object) {
  sofa_mass_matrix_free(object->ctx, &((FEMMass *)object)->matrix);
}

/* ---- operations ---- */

static size_t deriv_of(const SofaForceField *ff) {
  return sofa_state_kind_info(ff->state[0]->object.kind)->deriv;
}

static SofaErr fem_mass_add_force(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, double *const *f) {
  const FEMMass *m = (FEMMass *)ff;
  (void)params, (void)at;
  if (m->mass.gravity_apart && !sofa_quirk(&ff->object, QUIRK_FEM_MASS_GRAVITY)) return SOFA_OK;
  sofa_mass_diagonal_gravity(m->matrix.row_sum, m->matrix.n, deriv_of(ff),
                             ff->object.node->gravity.v, f[0]);
  return SOFA_OK;
}

static SofaErr fem_mass_add_mdx(SofaMass *mass, const double *x, const double *dx, double *res,
                                double factor) {
  (void)x;
  sofa_mass_matrix_multiply(&((FEMMass *)mass)->matrix, mass->force_field.object.ctx->threads,
                            deriv_of(&mass->force_field), dx, res, factor);
  return SOFA_OK;
}

static SofaErr fem_mass_acc_from_f(SofaMass *mass, const double *x, const double *f, double *a) {
  (void)x;
  (void)f;
  (void)a;
  return sofa_object_fail(&mass->force_field.object, SOFA_ERR_ARGUMENT,
                          "an explicit solver needs a diagonal mass, such as DiagonalMass");
}

static SofaErr fem_mass_add_m(SofaMass *mass, const double *x, const SofaTangent *tangent) {
  (void)x;
  sofa_mass_matrix_add_m(&((FEMMass *)mass)->matrix, deriv_of(&mass->force_field), tangent);
  return SOFA_OK;
}

static bool fem_mass_is_diagonal(const SofaMass *mass) {
  (void)mass;
  return false;
}

static double fem_mass_kinetic_energy(SofaMass *mass, const double *x, const double *v) {
  (void)x;
  return sofa_mass_matrix_kinetic(&((FEMMass *)mass)->matrix, deriv_of(&mass->force_field), v);
}

static double fem_mass_potential_energy(SofaMass *mass, const double *x, const double g[3]) {
  const FEMMass *m = (FEMMass *)mass;
  return sofa_mass_diagonal_potential(m->matrix.row_sum, m->matrix.n, deriv_of(&mass->force_field),
                                      g, x);
}

static double fem_mass_total_mass(const SofaMass *mass) {
  const FEMMass *m = (const FEMMass *)mass;
  double sum = 0;
  for (size_t i = 0; i < m->matrix.n; i++) sum += m->matrix.row_sum[i];
  return sum;
}

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

static const char *const templates[] = {"Vec3d,Tetrahedron", "Vec3d,Hexahedron", "Vec3d,Prism",
                                        "Vec3d,Pyramid",     "Vec3d,Triangle",   "Vec3d,Quad",
                                        "Vec3d,Edge",        "Vec2d,Triangle",   "Vec2d,Quad",
                                        "Vec2d,Edge",        "Vec1d,Edge",       NULL};

SOFA_CLASS(FEMMass) = {
    SOFA_NAMED(FEMMass),
    .module = "Sofa.Component.Mass",
    .category = "Mass",
    .help = "The consistent mass matrix of finite elements of first order, from densities at the "
            "nodes. The template names the kind of state and the shape of the elements.",
    .equations = "M_{ij} = int rho N_i N_j dV\n"
                 "\"N_i: shape function of point i, rho: density\"",
    .base = &sofa_mass_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = fem_mass_init,
    .reinit = fem_mass_init,
    .destroy = fem_mass_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_MASS, &mass_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit}),
};
