/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What force fields of shells share: fields, elements, forces, outputs. */
#include "components/solidmechanics/fem/shell_fem.h"

#include <math.h>
#include <string.h>
#include "base/bytes.h"
#include "behavior/checks.h"
#include "components/solidmechanics/fem/shell_blocks.h"
#include "components/solidmechanics/fem/shell_rest.h"
#include "math/quaternion.h"
#include "numerics/fem/pair_assembly.h"
#include "object/checkpoint.h"

typedef SofaShellFem SofaSelf; /* of SOFA_ROW */

enum { OUTPUT = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK };

static const SofaField fields[] = {
    SOFA_ROW(thickness, "thickness", "0.1", "m", "thickness of the shell",
             .flags = SOFA_FIELD_REQUIRED, .range = SOFA_ABOVE(0)),
    SOFA_ROW(shear_factor, "shearFactor", "0.83333333", "1",
             "factor of the area of a section in shear", .range = SOFA_ABOVE(0)),
    SOFA_ROW(
        drilling_factor, "drillingFactor", "0.01", "1",
        "stiffness of turns about the normal, as a factor of shear modulus times thickness: it "
        "ties them to the rotation of the surface",
        .range = SOFA_ABOVE(0)),
    SOFA_ROW(crease, "creaseAngle", "45", "degrees",
             "elements that meet at a larger angle have a fold between them, not a common normal",
             .range = SOFA_BETWEEN(0, 90)),
    SOFA_ROW(normals, "normals", NULL, "1",
             "normal of the surface at each point, on either side; empty: the mean of the elements "
             "around it. At symmetry planes those of the exact surface converge faster",
             SOFA_PER(SOFA_ELEMENT_POINT, .inserted = SOFA_INSERTED_FIRST)),
    SOFA_ROW(
        membrane_forces, "membraneForces", NULL, "N/m",
        "mean force per length of each element, 11 22 12 in its axes (1 along its first natural "
        "coordinate, the edge 0-1 of a triangle)",
        .flags = OUTPUT),
    SOFA_ROW(
        bending_moments, "bendingMoments", NULL, "N",
        "mean moment per length of each element, 11 22 12 in its axes: 11 > 0 pulls the side of "
        "its normal along 1",
        .flags = OUTPUT),
    SOFA_ROW(membrane_energy, "membraneEnergyPerElement", NULL, "J",
             "energy of each element in its surface", .flags = OUTPUT),
    SOFA_ROW(bending_energy, "bendingEnergyPerElement", NULL, "J",
             "energy of each element in bending and shear across it", .flags = OUTPUT),
};

/* ---- elements ---- */

static unsigned n_nodes_of(const SofaShellFem *t) {
  return t->kind == SOFA_ELEMENT_QUAD ? 4 : 3;
}

static void forget(SofaShellFem *t) {
  SofaContext *ctx = t->fem.force_field.object.ctx;
  sofa_free(ctx, t->elements);
  sofa_free(ctx, t->room);
  sofa_free(ctx, t->point);
  t->elements = NULL;
  t->room = NULL;
  t->point = NULL;
  sofa_element_sums_free(ctx, &t->sums);
  shell_blocks_free(ctx, &t->blocks);
  t->n = t->n_groups = 0;
  t->tangents = false;
}

static SofaErr make_groups(SofaShellFem *t) {
  SofaContext *ctx = t->fem.force_field.object.ctx;
  const size_t n = (t->n + SOFA_LANES - 1) / SOFA_LANES;
  t->room = sofa_alloc(ctx, n * sizeof(SofaShellGroup) + SOFA_SHELL_LINE, 1);
  if (!t->room) return SOFA_ERR_MEMORY;
  SofaShellGroup *groups = sofa_shell_groups(t);
  t->n_groups = n;
  for (size_t i = 0; i < n * SOFA_LANES; i++) {
    const SofaShellElement *e = &t->elements[i < t->n ? i : t->n - 1];
    sofa_shell_group_set(&groups[i / SOFA_LANES], i % SOFA_LANES, e->v, &e->shell);
  }
  return SOFA_OK;
}

enum { LEAST = 256 }; /* elements */

static SofaErr make_elements(SofaShellFem *t, SofaElements list) {
  SofaContext *ctx = t->fem.force_field.object.ctx;
  size_t n_points;
  sofa_linear_fem_rest(&t->fem, &n_points);
  t->n_points = n_points;
  if (!(t->elements = sofa_alloc(ctx, list.n, sizeof *t->elements))) return SOFA_ERR_MEMORY;
  if (!(t->point = sofa_alloc(ctx, 7 * n_points, sizeof *t->point))) return SOFA_ERR_MEMORY;
  t->n = list.n;
  SOFA_TRY(shell_rest_make(t, list));
  const SofaSummed of = {.elements = list,
                         .n_points = n_points,
                         .states = 1,
                         .width = 6,
                         .kind = SOFA_SUM_EACH,
                         .least = LEAST};
  SOFA_TRY(sofa_element_sums_create(ctx, &of, &t->sums));
  return make_groups(t);
}

static SofaErr shell_init(SofaObject *object) {
  SofaShellFem *t = (SofaShellFem *)object;
  forget(t);
  t->fem.elements = t->kind;
  t->fem.parts = 1;
  const bool quads = t->kind == SOFA_ELEMENT_QUAD;
  SofaElements list = {.width = n_nodes_of(t)};
  if (quads) {
    const SofaQuads *all = sofa_topology_quads(t->fem.mesh);
    list.v = (const uint32_t *)all->data;
    list.n = all->n;
  } else {
    const SofaTriangles *all = sofa_topology_triangles(t->fem.mesh);
    list.v = (const uint32_t *)all->data;
    list.n = all->n;
  }
  SOFA_TRY(t->fem.mesh->failure);
  SOFA_TRY(sofa_check_any(object, t->fem.mesh, t->kind, list.n));
  SOFA_TRY(sofa_linear_fem_check_vertices(&t->fem, t->kind, list.v, list.n));
  const SofaErr err = make_elements(t, list);
  if (err != SOFA_OK) forget(t);
  else t->revision = t->fem.mesh->revision;
  return err;
}

static void shell_destroy(SofaObject *object) {
  forget((SofaShellFem *)object);
}

static void poses_of(const SofaShellFem *t, const SofaShellElement *e, const double *x,
                     const double **poses) {
  for (unsigned n = 0; n < n_nodes_of(t); n++) poses[n] = SOFA_POSE(x, e->v[n]);
}

/* ---- forces ---- */

/* A loop over elements. */
typedef struct ShellLoop {
  const SofaShellFem *t;
  const SofaShellKernels *kernels;
  const double *x; /* poses */
  double *f;
} ShellLoop;

/* Gives the forces f of the elements of a group, one after the other. */
static void give_group(const ShellLoop *loop, size_t group, const double (*f)[SOFA_LANES],
                       double *parts) {
  const SofaShellFem *t = loop->t;
  const size_t left = t->n - group * SOFA_LANES, count = left < SOFA_LANES ? left : SOFA_LANES;
  const uint32_t(*v)[SOFA_LANES] = (const uint32_t(*)[SOFA_LANES])sofa_shell_groups(t)[group].v;
  if (parts) {
    for (size_t l = 0; l < count; l++)
      for (unsigned k = 0; k < 6 * n_nodes_of(t); k++) *parts++ = f[k][l];
    return;
  }
  for (size_t l = 0; l < count; l++) {
    for (unsigned n = 0; n < n_nodes_of(t); n++) {
      double *twist = SOFA_TWIST(loop->f, v[n][l]);
      for (unsigned k = 0; k < 6; k++) twist[k] += f[6 * n + k][l];
    }
  }
}

/* Where a group of a range puts its vectors. */
static double *parts_of(const SofaShellFem *t, size_t begin, size_t group, double *parts) {
  return parts ? parts + (group * SOFA_LANES - begin) * 6 * n_nodes_of(t) : NULL;
}

static void give_forces(void *user, size_t begin, size_t end, double *parts) {
  const ShellLoop *loop = user;
  const SofaShellFem *t = loop->t;
  for (size_t g = begin / SOFA_LANES; g * SOFA_LANES < end; g++) {
    _Alignas(SOFA_SHELL_LINE) double force[SOFA_SHELL_FREEDOMS][SOFA_LANES];
    loop->kernels->force(n_nodes_of(t), &sofa_shell_groups(t)[g], loop->x, force);
    give_group(loop, g, (const double(*)[SOFA_LANES])force, parts_of(t, begin, g, parts));
  }
}

static SofaErr shell_add_force(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, double *const *f) {
  (void)params;
  SofaShellFem *t = (SofaShellFem *)ff;
  if (t->revision != t->fem.mesh->revision) SOFA_TRY(shell_init(&ff->object));
  sofa_copy(t->point, at->x[0], 7 * t->n_points * sizeof *t->point);
  t->tangents = false;
  ShellLoop loop = {t, sofa_shell_kernels(ff->object.ctx), at->x[0], f[0]};
  sofa_element_sums_run(&t->sums, t->n, give_forces, &loop, f);
  return SOFA_OK;
}

/* What derivatives need and forces do not; with descends the nearest that cannot raise the energy.
 */
static SofaErr ensure_tangents(SofaShellFem *t, bool descends) {
  if (t->tangents && t->descending == descends) return SOFA_OK;
  t->tangents = false;
  SOFA_TRY(shell_blocks_make(t, descends));
  t->tangents = true;
  t->descending = descends;
  return SOFA_OK;
}

static SofaErr shell_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  SofaShellFem *t = (SofaShellFem *)ff;
  if (!t->n) return SOFA_OK;
  SOFA_TRY(ensure_tangents(t, params->descends));
  const SofaPairMatrix matrix = {&t->blocks.pairs, &t->blocks.product, t->blocks.blocks,
                                 t->n_points};
  return sofa_pair_product_add6(ff->object.ctx, &matrix, sofa_kfactor(ff, params), dx[0], df[0]);
}

static SofaErr shell_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                           const SofaTangent *tangent) {
  (void)at;
  SofaShellFem *t = (SofaShellFem *)ff;
  if (!t->n) return SOFA_OK;
  SOFA_TRY(ensure_tangents(t, params->descends));
  const SofaPairBlocks blocks = {.dim = 6, .blocks = t->blocks.blocks};
  sofa_pairs_add(ff->object.ctx, &t->blocks.pairs, &blocks, tangent);
  return SOFA_OK;
}

static SofaErr shell_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at, double *energy) {
  (void)params;
  const SofaShellFem *t = (SofaShellFem *)ff;
  *energy = 0;
  for (size_t i = 0; i < t->n; i++) {
    const double *poses[SOFA_SHELL_NODES];
    poses_of(t, &t->elements[i], at->x[0], poses);
    *energy += sofa_shell_energy(&t->elements[i].shell, poses);
  }
  return SOFA_OK;
}

static const SofaApproximation left_out = {
    "the tangent is the symmetric second derivative of the energy, without the part of the torques "
    "that depends on the order of two turns",
    false};

static const SofaApproximation *approximation(const SofaForceField *ff) {
  (void)ff;
  return &left_out;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = shell_add_force,
    .add_dforce = shell_add_dforce,
    .add_k = shell_add_k,
    .potential_energy = shell_potential_energy,
    .approximation = approximation,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* ---- outputs ---- */

/* Means over an element: forces and moments; energies. */
typedef struct Means {
  double stress[6], membrane, bending;
} Means;

static void means_of(const SofaShellFem *t, const SofaShellElement *e, const double *x,
                     Means *out) {
  const double *poses[SOFA_SHELL_NODES];
  double area = 0;
  *out = (Means){.membrane = 0};
  poses_of(t, e, x, poses);
  for (unsigned i = 0; i < e->shell.n_points; i++) {
    const double weight = e->shell.point[i].area;
    double strain[SOFA_SHELL_STRAINS], stress[SOFA_SHELL_STRAINS];
    sofa_shell_strain(&e->shell, poses, i, strain);
    sofa_shell_stress(&e->shell, strain, stress);
    area += weight;
    for (int k = 0; k < 6; k++) out->stress[k] += weight * stress[k];
    for (int k = 0; k < 3; k++) out->membrane += weight * strain[k] * stress[k] / 2;
    for (int k = 3; k < 8; k++) out->bending += weight * strain[k] * stress[k] / 2;
  }
  for (int k = 0; k < 6; k++) out->stress[k] /= area;
}

/* N / h +- 6 M / h^2 */
static double von_mises_of(const Means *m, double thickness) {
  double largest = 0;
  for (int side = -1; side < 2; side += 2) {
    double s[3];
    for (int k = 0; k < 3; k++)
      s[k] = m->stress[k] / thickness + side * 6 * m->stress[3 + k] / (thickness * thickness);
    largest = fmax(largest, s[0] * s[0] + s[1] * s[1] - s[0] * s[1] + 3 * s[2] * s[2]);
  }
  return sqrt(largest);
}

/* Axes of a point: the derivatives of the surface at rest along them. */
static void rest_axes(const SofaShellFem *t, const SofaShellElement *e, unsigned point,
                      double *axes) {
  size_t n_points;
  const double *rest = sofa_linear_fem_rest(&t->fem, &n_points);
  memset(axes, 0, 9 * sizeof *axes);
  for (unsigned n = 0; n < n_nodes_of(t); n++)
    for (int a = 0; a < 2; a++)
      sofa_vec3_axpy(e->shell.point[point].slope[n][a], SOFA_POSE(rest, e->v[n]), axes + 3 * a);
  sofa_vec3_cross(axes, axes + 3, axes + 6);
}

/* Forces per length in the middle surface over the thickness. */
static void surface_tensors(const SofaShellFem *t, const double *strain, const double *force,
                            SofaElementSample *out, unsigned q) {
  static const int at[5] = {0, 1, 3, 5, 4}; // 11 22 12, shear 13 and 23
  static const int from[5] = {0, 1, 2, 6, 7};
  memset(out->strain[q], 0, sizeof out->strain[q]);
  memset(out->stress[q], 0, sizeof out->stress[q]);
  for (int k = 0; k < 5; k++) {
    out->strain[q][at[k]] = k < 2 ? strain[from[k]] : strain[from[k]] / 2;
    out->stress[q][at[k]] = force[from[k]] / t->thickness;
  }
}

static void sample(const void *source, size_t i, SofaElementSample *out) {
  const SofaShellFem *t = source;
  const SofaShellElement *e = &t->elements[i];
  const double *x = t->fem.force_field.state[0]->position.data;
  const double *poses[SOFA_SHELL_NODES];
  size_t n_points;
  const double *rest = sofa_linear_fem_rest(&t->fem, &n_points);
  Means means;
  poses_of(t, e, x, poses);
  means_of(t, e, x, &means);
  memset(out->middle_place, 0, sizeof out->middle_place);
  for (unsigned n = 0; n < n_nodes_of(t); n++) {
    out->v[n] = e->v[n];
    sofa_vec3_axpy(1.0 / n_nodes_of(t), SOFA_POSE(rest, e->v[n]), out->middle_place);
  }
  for (unsigned q = 0; q < e->shell.n_points; q++) {
    double strain[SOFA_SHELL_STRAINS], force[SOFA_SHELL_STRAINS];
    sofa_shell_strain(&e->shell, poses, q, strain);
    sofa_shell_stress(&e->shell, strain, force);
    surface_tensors(t, strain, force, out, q);
    rest_axes(t, e, q, out->axes[q]);
    out->weight[q] = e->shell.point[q].area;
    memset(out->place[q], 0, sizeof out->place[q]);
    for (unsigned n = 0; n < n_nodes_of(t); n++)
      sofa_vec3_axpy(e->shell.point[q].shape[n], SOFA_POSE(rest, e->v[n]), out->place[q]);
  }
  memcpy(out->middle_axes, out->axes[0], sizeof out->middle_axes);
  sofa_element_sample_mean(e->shell.n_points, out);
  out->energy = sofa_shell_energy(&e->shell, poses);
  out->mises = von_mises_of(&means, t->thickness);
}

static SofaErr elements(SofaForceField *ff, SofaResultElements *out) {
  const SofaShellFem *t = (const SofaShellFem *)ff;
  const SofaCoords *x = &ff->state[0]->position;
  out->n = 0;
  if (!t->n || t->revision != t->fem.mesh->revision) return SOFA_OK;
  *out = (SofaResultElements){.n = t->n,
                              .n_points = x->n,
                              .n_nodes = n_nodes_of(t),
                              .n_gauss = t->elements->shell.n_points,
                              .dim = 2,
                              .rest_width = 7,
                              .space = 3,
                              .middle = true,
                              .turned = true,
                              .source = t,
                              .sample = sample};
  size_t n_points;
  out->rest = sofa_linear_fem_rest(&t->fem, &n_points);
  return SOFA_OK;
}

static const SofaElementResultsOps results_ops = {.elements = elements};

static SofaErr shell_compute(SofaObject *object, const SofaField *field) {
  SofaShellFem *t = (SofaShellFem *)object;
  const SofaCoords *x = &t->fem.force_field.state[0]->position;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->membrane_forces, t->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->bending_moments, t->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->membrane_energy, t->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &t->bending_energy, t->n));
  for (size_t i = 0; i < t->n; i++) {
    const SofaShellElement *e = &t->elements[i];
    bool there = true;
    for (unsigned n = 0; n < n_nodes_of(t); n++) there &= e->v[n] < x->n;
    if (!there) continue;
    Means means;
    means_of(t, e, x->data, &means);
    sofa_vec3_copy(means.stress, t->membrane_forces.data[i].v);
    sofa_vec3_copy(means.stress + 3, t->bending_moments.data[i].v);
    t->membrane_energy.data[i] = means.membrane;
    t->bending_energy.data[i] = means.bending;
  }
  sofa_field_touch(object, field);
  return SOFA_OK;
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaShellFem, blocks),
    SOFA_REMADE(SofaShellFem, room), // where groups begin in it differs
    SOFA_REMADE(SofaShellFem, point),
    SOFA_REMADE(SofaShellFem, tangents),
};

const SofaClass sofa_shell_fem_class = {
    .name = "ShellFEMForceField",
    .module = "csofa",
    .category = "ForceField",
    .help = "Shells with bending between frames.",
    .equations =
        "x(z) = sum_i N_i (x_i + z R_i D_i)\n"
        "e = 1/2 (x_{,a} . x_{,b} - X_{,a} . X_{,b})\n"
        "k = 1/2 (x_{,a} . d_{,b} + x_{,b} . d_{,a}) - k_0\n"
        "g = x_{,a} . d - g_0, w = 1/2 (t_2 . x_{,1} - t_1 . x_{,2}) - w_0\n"
        "W = 1/2 int (h e . C e + h^3/12 k . C k + k_s G h g^2 + c G h w^2) dA\n"
        "\"e, k, g, w: strains of membrane, bending, shear and drilling, 0: at rest; d = sum N_i "
        "R_i D_i: director, t_1, t_2: axes that turn with the frames; C: plane stress\"",
    .base = &sofa_linear_fem_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    SOFA_SPARES(spared),
    .size = sizeof(SofaShellFem),
    SOFA_FIELDS(fields),
    .abstract = true,
    .init = shell_init,
    .reinit = shell_init,
    .compute_output = shell_compute,
    .destroy = shell_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_ELEMENT_RESULTS, &results_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit}),
};
