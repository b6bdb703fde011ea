/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Isotropic linear elements of any shape. */
#include <math.h>

#include "behavior/draw_state.h"
#include "behavior/state_division.h"
#include "math/vec.h"
#include "numerics/fem/pair_assembly.h"
#include "topology/element_source.h"
#include "components/solidmechanics/fem/element_fem.h"
#include "object/checkpoint.h"

enum { DILATATION_FULL, DILATATION_MEAN, DILATATION_CONTINUOUS };
static const char *const dilatations[] = {"full", "mean", "continuous", NULL};
static const char *const plane_states[] = {"default", "stress", "strain", NULL};
static const SofaLinkRule elements_rule = {.interface = SOFA_ELEMENT_SOURCE,
                                           .search = SOFA_SEARCH_NONE};
static const char *const strategies[] = {"parallel", "sequenced", NULL};

typedef SofaElementFem SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(elements, "elements", NULL, "",
             "object with the elements instead of the topology, as a CaribouTopology: those of "
             "second order with all their nodes (addition of csofa)",
             .link = &elements_rule),
    SOFA_ROW(plane_state, "planeState", "default", "",
             "law of triangles and quads: plane 'stress' (a thin sheet that may change its "
             "thickness), plane 'strain' (a slice of a long body); 'default': stress in two "
             "dimensions, strain in space",
             .options = plane_states),
    SOFA_ROW(
        dilatation, "dilatation", "full", "",
        "how solid elements measure the change of volume: 'full' at each point of quadrature; "
        "'mean' one per element (B-bar), against locking of nearly incompressible materials; "
        "'continuous' one that is linear between the corners of Tetrahedron10 (Taylor-Hood), for "
        "small strains without rotations (addition of csofa)",
        .options = dilatations),
    SOFA_ROW(n_threads, "nbThreads", "0", "1", "the threads of the run are used",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(scheduler, "taskSchedulerType", "_default", "", "the threads of the run are used",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(stiffness, "elementStiffness", NULL, "N/m",
             "matrices of the elements at rest, row by row, in the axes of the world; without the "
             "part of a continuous dilatation",
             .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK),
    SOFA_ROW(force_strategy, "computeForceStrategy", "parallel", "",
             "'parallel' or 'sequenced': the result is the same, as is the work",
             .options = strategies, .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(derivative_strategy, "computeForceDerivStrategy", "parallel", "",
             "'parallel' or 'sequenced': the result is the same, as is the work",
             .options = strategies, .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(element_space, "elementSpace", "0.125", "1", "gap between drawn elements",
             .flags = SOFA_FIELD_DISPLAY),
};

/* ---- elements ---- */

static SofaErr make_tetrahedra(SofaElementFem *fem) {
  static const SofaTetraMethod methods[] = {
      [SOFA_ROTATION_IDENTITY] = SOFA_TETRA_SMALL,
      [SOFA_ROTATION_EDGES] = SOFA_TETRA_LARGE,
      [SOFA_ROTATION_POLAR] = SOFA_TETRA_MOMENT,
      [SOFA_ROTATION_STABLE] = SOFA_TETRA_MOMENT_STABLE,
  };
  SofaTetraMethod method = methods[fem->rotation];
  // consistent ones take the deformation gradient: the force needs no further term then
  if (fem->tetra.consistent && method == SOFA_TETRA_MOMENT) method = SOFA_TETRA_DEFORMATION;
  if (fem->tetra.consistent && method == SOFA_TETRA_MOMENT_STABLE)
    method = SOFA_TETRA_DEFORMATION_STABLE;
  return sofa_tetra_fem_make(&fem->tetra, method, false,
                             sofa_topology_tetrahedra(fem->tetra.fem.mesh), NULL);
}

static SofaFrame frame_of(const SofaElementFem *fem, unsigned dim) {
  switch (fem->rotation) {
  case SOFA_ROTATION_IDENTITY:
    return SOFA_FRAME_FIXED;
  case SOFA_ROTATION_EDGES:
    return SOFA_FRAME_EDGES;
  case SOFA_ROTATION_STABLE:
    return SOFA_FRAME_ROTATION;
  default:
    // H of a surface or an edge in space is singular: its polar factor is not unique
    return sofa_shape_info(fem->shape)->dim < dim ? SOFA_FRAME_ROTATION : SOFA_FRAME_MOMENT;
  }
}

/* Dimensions of the law in a space of `dim` dimensions: without a choice, a plane is in plane
 * stress, a line in uniaxial stress, and in space all elements have the law of space. */
static unsigned law_dim_of(const SofaElementFem *fem, unsigned dim) {
  const size_t choice = sofa_linear_fem_option(plane_states, fem->plane_state);
  if (sofa_shape_info(fem->shape)->dim != 2 || choice == 0) return dim;
  return choice == 1 ? 2 : 3;
}

/* Lame parameters of an element with a law of `dim` dimensions. */
static void lame_of(const SofaLinearFem *fem, size_t element, unsigned dim, double *lambda,
                    double *mu) {
  const double young = sofa_linear_fem_young(fem, element);
  const double poisson = sofa_linear_fem_poisson(fem, element);
  *mu = young / (2 * (1 + poisson));
  *lambda = young * poisson / ((1 + poisson) * (1 - (dim - 1) * poisson));
}

/* k += factor d d^T with the derivatives d_i of the element's mean dilatation times its volume,
 * factor = lambda over the volume (Hughes 1980). */
static void add_mean(SofaShape shape, const double *p, double lambda, double *k) {
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  const size_t n_rule = sofa_quadrature(shape, SOFA_RULE_STIFFNESS, rule);
  const size_t size = 3 * (size_t)sofa_shape_info(shape)->n_nodes;
  double slope[SOFA_DENSE_ROWS] = {0}, volume = 0;
  for (size_t q = 0; q < n_rule; q++) {
    double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3], g[3 * SOFA_SHAPE_MAX_NODES];
    sofa_shape_functions(shape, rule[q].xi, n, d);
    const double weight = rule[q].weight * fabs(sofa_shape_gradients(shape, 3, p, d, g));
    for (size_t i = 0; i < size; i++) slope[i] += weight * g[i];
    volume += weight;
  }
  for (size_t i = 0; i < size * size; i++)
    k[i] += lambda / volume * slope[i / size] * slope[i % size];
}

/* The matrix of an element with positions p; returns its least measure. */
static double stiffness_of(const SofaElementFem *fem, size_t e, unsigned dim, const double *p,
                           double *k) {
  double lambda, mu;
  lame_of(&fem->tetra.fem, e, law_dim_of(fem, dim), &lambda, &mu);
  const bool full = fem->dilatation.index == DILATATION_FULL;
  const double least = sofa_isotropic_stiffness(fem->shape, dim, p, full ? lambda : 0, mu, k);
  if (fem->dilatation.index == DILATATION_MEAN && (least < 0 || least > 0))
    add_mean(fem->shape, p, lambda, k);
  return least;
}

static SofaErr set_stiffness(SofaElementFem *fem) {
  const SofaObject *object = &fem->tetra.fem.force_field.object;
  SofaElementBatch *b = &fem->dense;
  for (size_t e = 0; e < b->n; e++) {
    double q[SOFA_DENSE_ROWS], k[SOFA_DENSE_ROWS * SOFA_DENSE_ROWS];
    sofa_element_batch_rest(b, e, q);
    const double least = stiffness_of(fem, e, b->dim, q, k);
    if (!(least < 0 || least > 0))
      return sofa_object_fail(object, SOFA_ERR_GEOMETRY, "element %zu is degenerate at rest", e);
    sofa_element_batch_stiffness(b, e, k);
  }
  return sofa_element_batch_compare(object->ctx, b);
}

static SofaErr check_plane_state(const SofaElementFem *fem) {
  const SofaObject *object = &fem->tetra.fem.force_field.object;
  if (sofa_shape_info(fem->shape)->dim == 2 ||
      sofa_linear_fem_option(plane_states, fem->plane_state) == 0)
    return SOFA_OK;
  return sofa_field_fail(object, "planeState", SOFA_ERR_ARGUMENT,
                         "is for triangles and quads, the template is %s", object->template_name);
}

/* The law of three dimensions is singular at 1/2, that of plane stress is not. */
static SofaErr check_poisson(const SofaLinearFem *fem, unsigned dim) {
  for (size_t i = 0; dim == 3 && i < fem->poisson_ratio.n; i++)
    if (!(fem->poisson_ratio.data[i] < 0.5))
      return sofa_field_fail(&fem->force_field.object, "poissonRatio", SOFA_ERR_RANGE,
                             "entry %zu: %g, expected < 0.5 in space and in plane strain", i,
                             fem->poisson_ratio.data[i]);
  return SOFA_OK;
}

/* The exact derivative is that of a rotation in space which the element determines. */
static SofaErr check_consistent(const SofaElementFem *fem, unsigned dim) {
  if (!fem->tetra.consistent || fem->rotation == SOFA_ROTATION_IDENTITY ||
      (dim == 3 && sofa_shape_info(fem->shape)->dim > 1))
    return SOFA_OK;
  return sofa_field_fail(&fem->tetra.fem.force_field.object, "consistent", SOFA_ERR_ARGUMENT,
                         "is for elements of two or three dimensions in space, the template is %s",
                         fem->tetra.fem.force_field.object.template_name);
}

static SofaErr check_dilatation(const SofaElementFem *fem, unsigned dim) {
  const SofaObject *object = &fem->tetra.fem.force_field.object;
  if (fem->dilatation.index == DILATATION_FULL) return SOFA_OK;
  if (dim != 3 || sofa_shape_info(fem->shape)->dim != 3)
    return sofa_field_fail(object, "dilatation", SOFA_ERR_ARGUMENT,
                           "'%s' is for solid elements, the template is %s",
                           dilatations[fem->dilatation.index], object->template_name);
  if (fem->dilatation.index == DILATATION_MEAN) return SOFA_OK;
  if (fem->shape != SOFA_SHAPE_TETRA10)
    return sofa_field_fail(object, "dilatation", SOFA_ERR_ARGUMENT,
                           "'continuous' is stable in elements of kind Tetrahedron10 only, the "
                           "template is %s: 'mean' is for all",
                           object->template_name);
  if (fem->rotation != SOFA_ROTATION_IDENTITY)
    return sofa_object_unsupported(object, "dilatation='continuous' with elements that rotate");
  const SofaReals *nu = &fem->tetra.fem.poisson_ratio;
  for (size_t i = 0; i < nu->n; i++)
    if (!(nu->data[i] > 0))
      return sofa_field_fail(object, "poissonRatio", SOFA_ERR_RANGE,
                             "entry %zu: %g, expected > 0 with dilatation='continuous'", i,
                             nu->data[i]);
  return SOFA_OK;
}

/* The part of the volume of elements with a continuous pressure. */
static SofaErr make_corners(SofaElementFem *fem, const SofaElementMesh *mesh) {
  SofaContext *ctx = fem->tetra.fem.force_field.object.ctx;
  if (sofa_state_division(fem->tetra.fem.force_field.state[0]))
    return sofa_object_undivided(&fem->tetra.fem.force_field.object,
                                 "a pressure that the elements around a corner share, on a mesh "
                                 "that is divided among processes");
  double mu, *lambda = sofa_alloc(ctx, mesh->n, sizeof *lambda);
  if (!lambda) return SOFA_ERR_MEMORY;
  for (size_t e = 0; e < mesh->n; e++) lame_of(&fem->tetra.fem, e, 3, &lambda[e], &mu);
  const SofaErr err = sofa_linear_corners_create(ctx, mesh, lambda, &fem->corners);
  sofa_free(ctx, lambda);
  return err;
}

/* Surfaces that resist no translation and whose forces are linear: their matrix by pairs of points,
 * from those of the elements. */
static SofaErr make_edges(SofaElementFem *fem, const SofaElementMesh *mesh) {
  SofaContext *ctx = fem->tetra.fem.force_field.object.ctx;
  const SofaShapeInfo *shape = sofa_shape_info(fem->shape);
  const unsigned n = shape->n_nodes;
  if (fem->rotation != SOFA_ROTATION_IDENTITY || mesh->dim != 3 || shape->dim != 2 ||
      shape->order != 1)
    return SOFA_OK;
  const SofaElements list = {mesh->vertices, mesh->n, n};
  SOFA_TRY(sofa_edge_matrix_create(ctx, list, mesh->rest, mesh->n_points, &fem->edges));
  for (size_t e = 0; e < mesh->n; e++) {
    double k[SOFA_DENSE_ROWS * SOFA_DENSE_ROWS], block[9];
    sofa_element_batch_matrix(&fem->dense, e, k);
    for (unsigned a = 0; a < n; a++) {
      for (unsigned b = a + 1; b < n; b++) {
        for (unsigned i = 0; i < 9; i++)
          block[i] = -k[3 * (size_t)n * (3 * a + i / 3) + 3 * b + i % 3];
        sofa_edge_matrix_add(&fem->edges, e, a, b, block);
      }
    }
  }
  sofa_edge_matrix_finish(&fem->edges);
  return SOFA_OK;
}

static bool by_edges(const SofaElementFem *fem) {
  return fem->edges.pairs.n > 0;
}

/* Of the topology that the elements were made of. */
static uint32_t revision(const SofaLinearFem *fem) {
  return fem->source ? 0 : fem->mesh->revision;
}

/* Elements of four corners that are computed without a matrix. */
static bool by_tetra_batch(const SofaElementFem *fem) {
  return fem->shape == SOFA_SHAPE_TETRA && !fem->tetra.fem.source;
}

static double energy_of(const SofaLinearFem *base, size_t element) {
  const SofaElementFem *fem = (const SofaElementFem *)base;
  if (element >= fem->dense.n) return NAN;
  return sofa_element_batch_energy_of(&fem->dense, element,
                                      base->force_field.state[0]->position.data);
}

/* s += (pressure - lambda tr e) I */
static void set_pressure(double lambda, double pressure, const double *strain, double *stress) {
  const double change = pressure - lambda * (strain[0] + strain[1] + strain[2]);
  for (int k = 0; k < 3; k++) stress[k] += change;
}

/* lambda times the mean of tr e. */
static void take_mean_pressure(const SofaLinearFem *base, size_t element, unsigned n,
                               SofaElementSample *sample) {
  double lambda, mu, sum = 0, volume = 0;
  lame_of(base, element, 3, &lambda, &mu);
  for (unsigned q = 0; q < n; q++) {
    const double *e = sample->strain[q];
    sum += sample->weight[q] * (e[0] + e[1] + e[2]);
    volume += sample->weight[q];
  }
  const double pressure = lambda * sum / volume;
  for (unsigned q = 0; q < n; q++)
    set_pressure(lambda, pressure, sample->strain[q], sample->stress[q]);
  set_pressure(lambda, pressure, sample->middle_strain, sample->middle_stress);
}

/* s : e / 2 */
static double density_of(const double *stress, const double *strain) {
  return sofa_vec3_dot(stress, strain) / 2 + sofa_vec3_dot(stress + 3, strain + 3);
}

/* Linear between the pressures of the corners. */
static void take_corner_pressures(const SofaLinearFem *base, size_t element, unsigned n,
                                  SofaElementSample *sample) {
  const SofaElementFem *fem = (const SofaElementFem *)base;
  const double *x = base->force_field.state[0]->position.data;
  double lambda, mu, corner[4], mean = 0;
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  sofa_quadrature(fem->shape, SOFA_RULE_STIFFNESS, rule);
  lame_of(base, element, 3, &lambda, &mu);
  for (unsigned a = 0; a < 4; a++) {
    corner[a] = sofa_linear_corners_pressure(&fem->corners, element, a, x);
    mean += corner[a] / 4;
  }
  sample->energy = 0;
  for (unsigned q = 0; q < n; q++) {
    double shape[SOFA_SHAPE_MAX_NODES], slope[SOFA_SHAPE_MAX_NODES][3], pressure = 0;
    sofa_shape_functions(SOFA_SHAPE_TETRA, rule[q].xi, shape, slope);
    for (unsigned a = 0; a < 4; a++) pressure += shape[a] * corner[a];
    set_pressure(lambda, pressure, sample->strain[q], sample->stress[q]);
    sample->energy += sample->weight[q] * density_of(sample->stress[q], sample->strain[q]);
  }
  set_pressure(lambda, mean, sample->middle_strain, sample->middle_stress);
}

SofaErr sofa_element_fem_make(SofaElementFem *fem) {
  SofaLinearFem *base = &fem->tetra.fem;
  const SofaObject *object = &base->force_field.object;
  SofaElementMesh mesh;
  sofa_tetra_batch_free(object->ctx, &fem->tetra.batch);
  sofa_element_batch_free(object->ctx, &fem->dense);
  sofa_linear_corners_free(object->ctx, &fem->corners);
  sofa_edge_matrix_free(object->ctx, &fem->edges);
  sofa_object_changed(&base->force_field.object);
  fem->shape = sofa_element_shape(object);
  if (sofa_shape_info(fem->shape)->order > 1 && !base->source)
    return sofa_field_fail(object, "elements", SOFA_ERR_SCENE,
                           "must be given: a topology has no elements of kind %s, a "
                           "CaribouTopology has",
                           sofa_shape_info(fem->shape)->name);
  SOFA_TRY(sofa_linear_fem_elements(base, fem->shape, &mesh));
  SOFA_TRY(check_plane_state(fem));
  SOFA_TRY(check_consistent(fem, mesh.dim));
  SOFA_TRY(check_poisson(base, law_dim_of(fem, mesh.dim)));
  SOFA_TRY(check_dilatation(fem, mesh.dim));
  base->pressure_of = NULL;
  if (by_tetra_batch(fem)) return make_tetrahedra(fem);
  SOFA_TRY(sofa_element_batch_create(object->ctx, &mesh, frame_of(fem, mesh.dim),
                                     object->ctx->threads, &fem->dense));
  if (fem->tetra.consistent && fem->rotation != SOFA_ROTATION_IDENTITY)
    SOFA_TRY(sofa_element_batch_make_exact(object->ctx, &fem->dense));
  SOFA_TRY(set_stiffness(fem));
  if (fem->dilatation.index == DILATATION_CONTINUOUS) SOFA_TRY(make_corners(fem, &mesh));
  SOFA_TRY(make_edges(fem, &mesh));
  sofa_linear_fem_give_strain(base, fem->shape, fem->rotation == SOFA_ROTATION_IDENTITY,
                              law_dim_of(fem, mesh.dim), NULL);
  base->pressure_of = fem->dilatation.index == DILATATION_MEAN         ? take_mean_pressure
                      : fem->dilatation.index == DILATATION_CONTINUOUS ? take_corner_pressures
                                                                       : NULL;
  base->energy_of = energy_of;
  base->strains_across = law_dim_of(fem, mesh.dim) == mesh.dim;
  fem->tetra.revision = revision(base);
  return SOFA_OK;
}

static void element_fem_destroy(SofaObject *object) {
  SofaElementFem *fem = (SofaElementFem *)object;
  sofa_tetra_batch_free(object->ctx, &fem->tetra.batch);
  sofa_element_batch_free(object->ctx, &fem->dense);
  sofa_linear_corners_free(object->ctx, &fem->corners);
  sofa_edge_matrix_free(object->ctx, &fem->edges);
}

/* ---- forces ---- */

static SofaErr element_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                     const SofaPoint *at, double *const *f) {
  SofaElementFem *fem = (SofaElementFem *)ff;
  if (fem->tetra.revision != revision(&fem->tetra.fem)) SOFA_TRY(sofa_element_fem_make(fem));
  if (by_tetra_batch(fem)) return sofa_tetra_fem_add_force(ff, params, at, f);
  if (by_edges(fem))
    return sofa_edge_matrix_multiply(ff->object.ctx, &fem->edges, 1, at->x[0], fem->edges.rest.data,
                                     f[0]);
  if (fem->corners.stars.n)
    sofa_linear_corners_multiply(&fem->corners, ff->object.ctx, 1, fem->corners.rest, at->x[0],
                                 f[0]);
  return sofa_element_batch_add_force(ff, &fem->dense, at, f);
}

static SofaErr element_fem_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at, const double *const *dx,
                                      double *const *df) {
  SofaElementFem *fem = (SofaElementFem *)ff;
  if (by_tetra_batch(fem)) return sofa_tetra_fem_add_dforce(ff, params, at, dx, df);
  if (by_edges(fem))
    return sofa_edge_matrix_multiply(ff->object.ctx, &fem->edges, sofa_kfactor(ff, params), dx[0],
                                     NULL, df[0]);
  if (fem->corners.stars.n)
    sofa_linear_corners_multiply(&fem->corners, ff->object.ctx, sofa_kfactor(ff, params), NULL,
                                 dx[0], df[0]);
  return sofa_element_batch_add_dforce(ff, &fem->dense, params, dx, df);
}

static SofaErr element_fem_add_k(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, const SofaTangent *tangent) {
  SofaElementFem *fem = (SofaElementFem *)ff;
  if (by_tetra_batch(fem)) return sofa_tetra_fem_add_k(ff, params, at, tangent);
  if (by_edges(fem)) {
    sofa_edge_matrix_add_k(ff->object.ctx, &fem->edges, tangent);
    return SOFA_OK;
  }
  SofaElementPairs *wide = &fem->corners.stars.pairs;
  if (wide->n)
    sofa_pairs_add(ff->object.ctx, wide, &(SofaPairBlocks){.dim = 3, .blocks = fem->corners.blocks},
                   tangent);
  return sofa_element_batch_add_k(ff, &fem->dense, tangent);
}

static SofaErr element_fem_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                            const SofaPoint *at, double *energy) {
  SofaElementFem *fem = (SofaElementFem *)ff;
  if (by_tetra_batch(fem)) return sofa_tetra_fem_potential_energy(ff, params, at, energy);
  *energy = sofa_element_batch_energy(&fem->dense, at->x[0]);
  if (fem->corners.stars.n) *energy += sofa_linear_corners_energy(&fem->corners, at->x[0]);
  return SOFA_OK;
}

static const SofaApproximation *element_fem_approximation(const SofaForceField *ff) {
  const SofaElementFem *fem = (const SofaElementFem *)ff;
  if (by_tetra_batch(fem)) return sofa_tetra_fem_approximation(ff);
  return sofa_element_batch_approximation(&fem->dense);
}

static bool element_fem_constant(const SofaForceField *ff) {
  return ((const SofaElementFem *)ff)->rotation == SOFA_ROTATION_IDENTITY;
}

const SofaForceFieldOps sofa_element_fem_ops = {
    .add_force = element_fem_add_force,
    .add_dforce = element_fem_add_dforce,
    .add_k = element_fem_add_k,
    .potential_energy = element_fem_potential_energy,
    .approximation = element_fem_approximation,
    .constant_tangent = element_fem_constant,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static SofaErr element_fem_compute(SofaObject *object, const SofaField *field) {
  SofaElementFem *fem = (SofaElementFem *)object;
  SofaLinearFem *base = &fem->tetra.fem;
  SofaElementMesh mesh;
  SOFA_TRY(sofa_linear_fem_elements(base, fem->shape, &mesh));
  const size_t n_nodes = sofa_shape_info(fem->shape)->n_nodes, size = mesh.dim * n_nodes;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &fem->stiffness, size * size * mesh.n));
  for (size_t e = 0; e < mesh.n; e++) {
    double p[SOFA_DENSE_ROWS];
    for (size_t k = 0; k < size; k++) {
      const size_t v = mesh.vertices[n_nodes * e + k / mesh.dim];
      p[k] = mesh.rest[mesh.dim * v + k % mesh.dim];
    }
    stiffness_of(fem, e, mesh.dim, p, fem->stiffness.data + size * size * e);
  }
  sofa_field_touch(object, field);
  return SOFA_OK;
}

/* ---- drawing, topological changes ---- */

static void element_fem_draw(SofaObject *object, const SofaDrawArgs *args) {
  const SofaLinearFem *fem = &((const SofaElementFem *)object)->tetra.fem;
  if (fem->source) sofa_draw_field_source(fem->force_field.state[0], fem->source, args);
  else sofa_draw_field_mixed.draw(object, args);
}

/* Elements of another object are its own. */
static bool element_fem_can_listen(const SofaObject *object, const char **why) {
  *why = "is about to change, and the object in 'elements' keeps its elements";
  return !((const SofaElementFem *)object)->tetra.fem.source;
}

static const SofaDrawOps draw_ops = {.draw = element_fem_draw};
static const SofaTopologyListenerOps listener = {.done = sofa_listen_reinit,
                                                 .can_listen = element_fem_can_listen};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaElementFem, dense),
    SOFA_REMADE(SofaElementFem, corners),
};

const SofaClass sofa_element_fem_class = {
    .name = "BaseElementLinearFEMForceField",
    .module = "csofa",
    .category = "ForceField",
    .help = "Isotropic linear elements of any shape.",
    .base = &sofa_linear_fem_class,
    SOFA_SPARES(spared),
    .size = sizeof(SofaElementFem),
    SOFA_FIELDS(fields),
    SOFA_RANGES({"poissonRatio", SOFA_BETWEEN(-1, 1), SOFA_BAD_DEFAULT}),
    .abstract = true,
    .compute_output = element_fem_compute,
    .destroy = element_fem_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &sofa_element_fem_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
