/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strain and stress in the middle of linear elements, computed when they are read. */
#include <math.h>
#include <string.h>

#include "numerics/fem/linear_fem.h"
#include "math/polar.h"
#include "math/vec.h"

/* One element: nodes at rest and now (n_nodes x 3), reals per node beyond the space are 0. */
typedef struct Element {
  SofaShape shape;
  unsigned n_nodes, order, dim; /* order: dimension of the element itself */
  double rest[SOFA_DENSE_ROWS], now[SOFA_DENSE_ROWS];
} Element;

static const double middles[SOFA_N_SHAPES][3] = {[SOFA_SHAPE_TRIANGLE] = {1. / 3, 1. / 3, 0},
                                                 [SOFA_SHAPE_TETRA] = {0.25, 0.25, 0.25},
                                                 [SOFA_SHAPE_PYRAMID] = {0, 0, -0.5},
                                                 [SOFA_SHAPE_PRISM] = {1. / 3, 1. / 3, 0.5}};

/* Axes t (order x 3) of the element at rest: those of the space, or of its plane. */
static void take_axes(const Element *e, double t[9]) {
  static const double space[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double normal[3], other[3];
  memcpy(t, space, sizeof space);
  if (e->order == e->dim) return;
  sofa_vec3_sub(e->rest + 3, e->rest, t);
  sofa_vec3_scale(1 / sofa_vec3_norm(t), t, t);
  if (e->order == 1) return;
  const SofaShape corners = sofa_shape_info(e->shape)->corners;
  sofa_vec3_sub(e->rest + 3 * (sofa_shape_info(corners)->n_nodes - 1), e->rest, other);
  sofa_vec3_cross(t, other, normal);
  sofa_vec3_cross(normal, t, t + 3);
  sofa_vec3_scale(1 / sofa_vec3_norm(t + 3), t + 3, t + 3);
}

/* a (3 x order) = F T: how the axes of the element are stretched and turned. */
static bool take_gradient(const Element *e, const double *t, double a[9]) {
  double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3];
  double g[SOFA_DENSE_ROWS] = {0}, p[SOFA_DENSE_ROWS];
  sofa_shape_functions(e->shape, middles[sofa_shape_info(e->shape)->corners], n, d);
  for (unsigned k = 0; k < e->n_nodes * e->dim; k++) p[k] = e->rest[3 * (k / e->dim) + k % e->dim];
  if (!(fabs(sofa_shape_gradients(e->shape, e->dim, p, d, g)) > 0)) return false;
  memset(a, 0, 9 * sizeof *a);
  for (unsigned k = 0; k < e->n_nodes; k++)
    for (unsigned j = 0; j < e->order; j++) {
      double along = 0;
      for (unsigned c = 0; c < e->dim; c++) along += g[e->dim * k + c] * t[3 * j + c];
      for (unsigned i = 0; i < 3; i++) a[3 * i + j] += e->now[3 * k + i] * along;
    }
  return true;
}

/* u = R^T a without the rotation, order x order in a 3 x 3 matrix. */
static void remove_rotation(unsigned order, const double *a, double u[9]) {
  double r[9], c[9] = {0};
  if (order == 3) {
    sofa_polar(a, r, NULL);
    for (int i = 0; i < 9; i++)
      for (int k = 0; k < 3; k++) u[i] += r[3 * k + i / 3] * a[3 * k + i % 3];
    return;
  }
  // the root of a^T a; of 2 x 2: (C + d I) / sqrt(trace C + 2 d) with d = sqrt(det C)
  for (unsigned i = 0; i < order; i++)
    for (unsigned j = 0; j < order; j++)
      for (unsigned k = 0; k < 3; k++) c[3 * i + j] += a[3 * k + i] * a[3 * k + j];
  const double det = order == 2 ? sqrt(fmax(c[0] * c[4] - c[1] * c[3], 0)) : 0;
  const double root = order == 2 ? sqrt(c[0] + c[4] + 2 * det) : sqrt(c[0]);
  for (unsigned i = 0; i < order; i++)
    for (unsigned j = 0; j < order; j++)
      u[3 * i + j] = root > 0 ? (c[3 * i + j] + (i == j ? det : 0)) / root : 0;
}

static void strain_of(const Element *e, bool fixed, double strain[6]) {
  static const unsigned row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
  double t[9], a[9], u[9] = {0};
  memset(strain, 0, 6 * sizeof *strain);
  take_axes(e, t);
  if (!take_gradient(e, t, a)) return;
  if (fixed) {
    for (unsigned i = 0; i < e->order; i++)
      for (unsigned j = 0; j < e->order; j++)
        for (unsigned k = 0; k < 3; k++) u[3 * i + j] += t[3 * i + k] * a[3 * k + j];
  } else {
    remove_rotation(e->order, a, u);
  }
  for (int k = 0; k < 6; k++) {
    if (row[k] >= e->order || column[k] >= e->order) continue;
    strain[k] = (u[3 * row[k] + column[k]] + u[3 * column[k] + row[k]]) / 2 - (k < 3);
  }
}

/* The law of the element's forces: lambda belongs to the dimension of the law. */
static void stress_of(const SofaLinearFem *fem, size_t e, size_t n, unsigned order,
                      const double *strain, double *stress) {
  const double *stiffness = NULL, *mass = NULL;
  const SofaReals *f = fem->factors;
  double factor = f && f->n ? f->data[e * f->n / n] : 1;
  if (fem->graded && sofa_topology_factors(fem->mesh, &stiffness, &mass)) factor *= stiffness[e];
  const double young = factor * sofa_linear_fem_young(fem, e), nu = sofa_linear_fem_poisson(fem, e);
  const unsigned dim = fem->law_dim ? fem->law_dim : 3;
  const double mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - (dim - 1) * nu));
  const double trace = strain[0] + strain[1] + strain[2];
  for (unsigned k = 0; k < 6; k++)
    stress[k] = 2 * mu * strain[k] + (k < order ? lambda * trace : 0);
}

/* The elements of the topology, or the own ones. */
static SofaErr elements_of(const SofaLinearFem *fem, const SofaState *state, SofaElementMesh *mesh,
                           size_t *stride) {
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  *stride = fem->split ? fem->split_stride
                       : sofa_shape_info(fem->strain_shape)->n_nodes * sizeof *mesh->vertices;
  if (fem->source)
    return sofa_element_source_mesh(&fem->force_field.object, fem->source, fem->strain_shape, state,
                                    mesh);
  if (!fem->split)
    return sofa_element_mesh(&fem->force_field.object, fem->mesh, fem->strain_shape, state, mesh);
  *mesh = (SofaElementMesh){.shape = fem->strain_shape,
                            .dim = sofa_state_kind_info(state->object.kind)->space,
                            .vertices = fem->split,
                            .n = fem->n_split,
                            .rest = rest->data,
                            .n_points = rest->n};
  return SOFA_OK;
}

/* ---- points ---- */

static double volume_of(const Element *e) {
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  const size_t n_rule = sofa_quadrature(e->shape, SOFA_RULE_STIFFNESS, rule);
  double volume = 0;
  for (size_t q = 0; q < n_rule; q++) {
    double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3], g[3 * SOFA_SHAPE_MAX_NODES];
    sofa_shape_functions(e->shape, rule[q].xi, n, d);
    volume += rule[q].weight * fabs(sofa_shape_gradients(e->shape, 3, e->rest, d, g));
  }
  return volume;
}

static SofaErr begin_points(SofaLinearFem *fem, size_t n) {
  SofaContext *ctx = fem->force_field.object.ctx;
  SOFA_TRY(SOFA_RESIZE(ctx, &fem->node_strain, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &fem->node_stress, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &fem->node_volume, n));
  sofa_zero(fem->node_strain.data, n * sizeof *fem->node_strain.data);
  sofa_zero(fem->node_stress.data, n * sizeof *fem->node_stress.data);
  sofa_zero(fem->node_volume.data, n * sizeof *fem->node_volume.data);
  return SOFA_OK;
}

static void add_to_points(SofaLinearFem *fem, const Element *e, size_t i, const uint32_t *v) {
  const double volume = volume_of(e);
  for (unsigned k = 0; k < e->n_nodes; k++) {
    fem->node_volume.data[v[k]] += volume;
    for (int c = 0; c < 6; c++) {
      fem->node_strain.data[v[k]].v[c] += volume * fem->strain.data[i].v[c];
      fem->node_stress.data[v[k]].v[c] += volume * fem->stress.data[i].v[c];
    }
  }
}

static void end_points(SofaLinearFem *fem) {
  for (size_t i = 0; i < fem->node_volume.n; i++) {
    const double volume = fem->node_volume.data[i];
    for (int c = 0; c < 6 && volume > 0; c++) {
      fem->node_strain.data[i].v[c] /= volume;
      fem->node_stress.data[i].v[c] /= volume;
    }
  }
}

static void take_principal(const double *s, double *out) {
  const double full[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
  double values[3] = {NAN, NAN, NAN}, v[9];
  if (isfinite(s[0] + s[1] + s[2] + s[3] + s[4] + s[5])) sofa_eigen3(full, values, v);
  for (int k = 0; k < 3; k++) out[k] = values[2 - k];
}

/* From the rest and the current positions of the state. */
static SofaErr compute(SofaLinearFem *fem, const SofaState *state) {
  SofaContext *ctx = fem->force_field.object.ctx;
  const SofaShapeInfo *info = sofa_shape_info(fem->strain_shape);
  SofaElementMesh mesh;
  size_t stride;
  SOFA_TRY(elements_of(fem, state, &mesh, &stride));
  SOFA_TRY(SOFA_RESIZE(ctx, &fem->strain, mesh.n));
  SOFA_TRY(SOFA_RESIZE(ctx, &fem->stress, mesh.n));
  SOFA_TRY(SOFA_RESIZE(ctx, &fem->principal, mesh.n));
  // elements of surfaces and curves have axes of their own
  const bool solid = info->dim == 3 && mesh.dim == 3;
  SOFA_TRY(begin_points(fem, solid ? state->position.n : 0));
  const unsigned width = state->position.width;
  Element e = {
      .shape = fem->strain_shape, .n_nodes = info->n_nodes, .order = info->dim, .dim = mesh.dim};
  for (size_t i = 0; i < mesh.n; i++) {
    const uint32_t *vertices = (const void *)((const char *)mesh.vertices + stride * i);
    for (unsigned k = 0; k < e.n_nodes; k++)
      for (unsigned c = 0; c < mesh.dim; c++) {
        const size_t v = vertices[k];
        e.rest[3 * k + c] = mesh.rest[mesh.dim * v + c];
        e.now[3 * k + c] = state->position.data[width * v + c];
      }
    strain_of(&e, fem->fixed_frame, fem->strain.data[i].v);
    stress_of(fem, i, mesh.n, e.order, fem->strain.data[i].v, fem->stress.data[i].v);
    take_principal(fem->stress.data[i].v, fem->principal.data[i].v);
    if (solid) add_to_points(fem, &e, i, vertices);
  }
  end_points(fem);
  return SOFA_OK;
}

void sofa_linear_fem_give_strain(SofaLinearFem *fem, SofaShape shape, bool fixed, unsigned law_dim,
                                 const SofaReals *factors) {
  fem->gives_strain = true;
  fem->strain_shape = shape;
  fem->fixed_frame = fixed;
  fem->law_dim = law_dim;
  fem->factors = factors;
  fem->strain_version = 0;
}

void sofa_linear_fem_give_split(SofaLinearFem *fem, const uint32_t *vertices, size_t n,
                                size_t stride) {
  fem->split = vertices;
  fem->n_split = n;
  fem->split_stride = stride;
}

SofaErr sofa_linear_fem_compute(SofaObject *object, const SofaField *field) {
  SofaLinearFem *fem = (SofaLinearFem *)object;
  const SofaState *state = fem->force_field.state[0];
  (void)field;
  if (!state || (!fem->mesh && !fem->source) || !fem->gives_strain) return SOFA_OK;
  const SofaField *position = sofa_class_field(state->object.klass, "position");
  const uint32_t version = sofa_field_state(&state->object, position)->version;
  if (version == fem->strain_version) return SOFA_OK;
  if (fem->no_stress)
    return sofa_object_unsupported(object, "strains and stresses with this 'dilatation'");
  SOFA_TRY(compute(fem, state));
  fem->strain_version = version;
  sofa_field_touch_name(object, "elementStrain");
  sofa_field_touch_name(object, "elementStress");
  sofa_field_touch_name(object, "principalStressPerElement");
  sofa_field_touch_name(object, "nodeStrain");
  sofa_field_touch_name(object, "nodeStress");
  return SOFA_OK;
}
