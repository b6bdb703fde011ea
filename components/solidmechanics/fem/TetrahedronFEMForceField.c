/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TetrahedronFEMForceField: linear corotational tetrahedra. */
#include <string.h>
#include "behavior/draw_state.h"
#include "behavior/state_division.h"
#include "object/checkpoint.h"
#include "behavior/rotation_finder.h"
#include "numerics/fem/node_rotations.h"
#include "components/solidmechanics/fem/TetrahedronFEMForceField.h"
#include "object/event.h"

enum { QUIRK_TETRA_LARGE_UPDATE = 1, QUIRK_TETRA_VON_MISES_FRAMES = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_TETRA_LARGE_UPDATE, "tetra-large-update",
     "TetrahedronFEMForceField large + updateStiffnessMatrix updates only part of J",
     "test_tetrahedron_fem.quirks_change_what_contradicts_itself"},
    {QUIRK_TETRA_VON_MISES_FRAMES, "tetra-von-mises-frames",
     "TetrahedronFEMForceField von Mises stress mixes gradients of two frames",
     "test_quirks_elements.elements"},
    QUIRK_TETRA_GLOBAL_MATRIX_ROW,
    QUIRK_POLAR_EDGES_ROW,
};

static const char *const methods[] = {"large", "small", "polar", "svd", NULL};
static const SofaTetraMethod method_of[] = {SOFA_TETRA_LARGE, SOFA_TETRA_SMALL,
                                            SOFA_TETRA_DEFORMATION, SOFA_TETRA_DEFORMATION_STABLE};
static const SofaTetraMethod edge_method_of[] = {SOFA_TETRA_LARGE, SOFA_TETRA_SMALL,
                                                 SOFA_TETRA_POLAR, SOFA_TETRA_SVD};

typedef TetrahedronFEMForceField SofaSelf; /* of SOFA_ROW */
#define DISPLAY .flags = SOFA_FIELD_DISPLAY

static const SofaField fields[] = {
    SOFA_ROW(initial_points, "initialPoints", NULL, "m", "rest positions the elements were made of",
             .flags = SOFA_FIELD_OUTPUT,
             SOFA_PER(SOFA_ELEMENT_POINT, .inserted = SOFA_INSERTED_REST)),
    SOFA_ROW(
        method, "method", "large", "",
        "frame of an element: 'large' from two edges, 'polar' and 'svd' by decomposition of its "
        "deformation (svd: also right for inverted elements), 'small' fixed (linear elasticity)",
        .options = methods),
    SOFA_ROW_CONSISTENT(tetra.consistent, "'polar' or 'svd'"),
    SOFA_ROW(local_stiffness_factor, "localStiffnessFactor", NULL, "1",
             "factors of the Young modulus; m factors are spread evenly over the elements in order",
             .range = SOFA_AT_LEAST(0), SOFA_PER_FEM_ELEMENT(.inserted = SOFA_INSERTED_FIRST)),
    SOFA_ROW(update_stiffness_matrix, "updateStiffnessMatrix", "0", "",
             "take the strain matrix from the current shape of the elements (large, polar, svd)"),
    SOFA_ROW(compute_global_matrix, "computeGlobalMatrix", "0", "",
             "sum of the element matrices is wanted; no effect on the motion",
             .aliases = "assembling"),
    SOFA_ROW(plasticity.max, "plasticMaxThreshold", "0", "m^3",
             "greatest norm of the plastic part of 6 volume strain; 0: no plasticity"),
    SOFA_ROW(plasticity.yield, "plasticYieldThreshold", "0.00009999999747378752", "m^3",
             "norm of the elastic part of 6 volume strain beyond which it turns plastic"),
    SOFA_ROW(plasticity.creep, "plasticCreep", "0.89999997615814209", "1",
             "fraction of the elastic part that turns plastic at the end of a step, in [0, 1]"),
    SOFA_ROW(gather_point, "gatherPt", NULL, "", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(gather_size, "gatherBsize", NULL, "", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(draw_heterogeneous, "drawHeterogeneousTetra", "0", "", "colour by stiffness", DISPLAY),
    SOFA_ROW(
        compute_von_mises, "computeVonMisesStress", "0", "",
        "vonMisesPerElement and vonMisesPerNode: 0 of the stresses, 1 of the corotational strain, "
        "2 of the Green strain; those of points are then plain means of the elements around",
        .range = SOFA_WITHIN(0, 2), .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(von_mises_colors, "vonMisesStressColors", NULL, "", "colours of the drawn stress",
             DISPLAY | SOFA_FIELD_OUTPUT),
    SOFA_ROW(color_map, "showStressColorMap", "Blue to Red", "", "colour map of the drawn stress",
             DISPLAY),
    SOFA_ROW(alpha, "showStressAlpha", "1", "1", "opacity of the drawn stress, in [0, 1]", DISPLAY),
    SOFA_ROW(show_per_node, "showVonMisesStressPerNode", "0", "", "draw the stress of points",
             DISPLAY),
    SOFA_ROW(show_per_node_map, "showVonMisesStressPerNodeColorMap", "0", "",
             "draw the stress of points as a colour map", DISPLAY),
    SOFA_ROW(show_per_element, "showVonMisesStressPerElement", "0", "",
             "draw the stress of elements", DISPLAY),
    SOFA_ROW(gap_scale, "showElementGapScale", "0.333", "1",
             "size of drawn elements' gaps, in [0, 1]", DISPLAY),
    SOFA_ROW(update_stiffness, "updateStiffness", "0", "",
             "read youngModulus and poissonRatio again at the beginning of each step"),
};

/* Plastic strains stay with their tetrahedra; new ones have none. */
static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(TetrahedronFEMForceField, plastic,
                 SOFA_PER_FEM_ELEMENT(.width = 6, .inserted = SOFA_INSERTED_ZERO)),
};

/* ---- elements ---- */

/* Vertices of hexahedron i of nx x ny cells per layer after the alternate swaps that make its six
 * tetrahedra fit those of its neighbours. */
static void mirror_hexa(const SofaHexa *hexa, size_t i, size_t nx, size_t ny, uint32_t *v) {
  static const uint8_t swaps[3][8] = {{1, 0, 3, 2, 5, 4, 7, 6},  /* across x */
                                      {3, 2, 1, 0, 7, 6, 5, 4},  /* across y */
                                      {4, 5, 6, 7, 0, 1, 2, 3}}; /* across z */
  const bool mirrored[3] = {i % nx % 2 == 0, i / nx % ny % 2 == 1, i / (nx * ny) % 2 == 1};
  memcpy(v, hexa->v, sizeof hexa->v);
  for (int axis = 0; axis < 3; axis++) {
    uint32_t swapped[8];
    if (!mirrored[axis]) continue;
    for (int k = 0; k < 8; k++) swapped[k] = v[swaps[axis][k]];
    memcpy(v, swapped, sizeof swapped);
  }
}

/* Six tetrahedra for each hexahedron. */
static SofaErr split_hexas(TetrahedronFEMForceField *t, const SofaHexas *hexas, SofaTetras *out) {
  static const uint8_t corners[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                        {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
  const SofaTopology *mesh = t->tetra.fem.mesh;
  const SofaDivision *division = sofa_topology_list_division(mesh, SOFA_ELEMENT_HEXA);
  int n[3];
  size_t nx = 2, ny = 1;
  if (!division && sofa_topology_division(mesh) && hexas->n)
    return sofa_object_undivided(&t->tetra.fem.force_field.object,
                                 "hexahedra that are made of others, on a mesh which is divided "
                                 "among processes");
  if (sofa_topology_counts(t->tetra.fem.mesh, n)) {
    nx = n[0] > 1 ? (size_t)n[0] - 1 : 1;
    ny = n[1] > 1 ? (size_t)n[1] - 1 : 1;
  }
  SOFA_TRY(SOFA_RESIZE(t->tetra.fem.force_field.object.ctx, out, 6 * hexas->n));
  for (size_t i = 0; i < hexas->n; i++) {
    uint32_t v[8];
    // which of them are mirrored depends on their numbers in the whole mesh
    const size_t number = division ? division->elements[SOFA_ELEMENT_HEXA].data[i] : i;
    mirror_hexa(&hexas->data[i], number, nx, ny, v);
    for (int k = 0; k < 24; k++)
      out->data[6 * i + (size_t)k / 4].v[k % 4] = v[corners[k / 4][k % 4]];
  }
  return SOFA_OK;
}

/* Copies the rest positions to the output field. */
static SofaErr keep_initial_points(TetrahedronFEMForceField *t) {
  size_t n;
  const double *rest = sofa_linear_fem_rest(&t->tetra.fem, &n);
  SOFA_TRY(SOFA_RESIZE(t->tetra.fem.force_field.object.ctx, &t->initial_points, n));
  if (n) sofa_copy(t->initial_points.data, rest, 3 * n * sizeof *rest);
  sofa_field_touch_name(&t->tetra.fem.force_field.object, "initialPoints");
  return SOFA_OK;
}

static void forget(TetrahedronFEMForceField *t) {
  SofaContext *ctx = t->tetra.fem.force_field.object.ctx;
  sofa_linear_fem_give_split(&t->tetra.fem, NULL, 0, 0);
  sofa_tetra_batch_free(ctx, &t->tetra.batch);
  sofa_free(ctx, t->full.j);
  t->full = (SofaTetraFull){.partial = false};
  t->built = false;
}

static SofaTetraMethod chosen_method(const TetrahedronFEMForceField *t) {
  const size_t i = sofa_linear_fem_option(methods, t->method);
  const bool edges = i >= 2 && !t->tetra.consistent &&
                     sofa_quirk(&t->tetra.fem.force_field.object, QUIRK_POLAR_EDGES);
  return (edges ? edge_method_of : method_of)[i];
}

/* What SOFA does with combinations of fields that contradict themselves. */
static void choose_quirks(TetrahedronFEMForceField *t) {
  const SofaObject *object = &t->tetra.fem.force_field.object;
  const SofaTetraMethod method = chosen_method(t);
  const bool decomposed = method != SOFA_TETRA_LARGE && method != SOFA_TETRA_SMALL;
  t->full.partial = t->update_stiffness_matrix && method == SOFA_TETRA_LARGE &&
                    sofa_quirk(object, QUIRK_TETRA_LARGE_UPDATE);
  t->forceless = t->compute_global_matrix && (decomposed || t->plasticity.max > 0) &&
                 sofa_quirk(object, QUIRK_TETRA_GLOBAL_MATRIX);
}

static SofaErr make_extras(TetrahedronFEMForceField *t) {
  SofaContext *ctx = t->tetra.fem.force_field.object.ctx;
  const size_t n = t->tetra.batch.n;
  if (t->plasticity.max > 0) {
    t->full.plasticity = &t->plasticity;
    if (!t->keeps_plastic) t->plastic.n = 0;
    SOFA_TRY(SOFA_RESIZE(ctx, &t->plastic, 6 * n));
    t->full.plastic = t->plastic.data;
  }
  // the force at a point, which comes before all others, sets the strain matrices
  if (t->full.partial && !(t->full.j = sofa_alloc(ctx, 72 * n, sizeof(double))))
    return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

/* The strain tensor of the plastic part, in the axes of the world at rest: the list has -6 V times
 * it in the element's, with twice its shear. */
static void plastic_strain(const TetrahedronFEMForceField *t, size_t e, double *out) {
  double local[6];
  SofaTetraOne one;
  sofa_tetra_one(&t->tetra.batch, e, &one);
  for (int k = 0; k < 6; k++)
    local[k] = -t->plastic.data[6 * e + (size_t)k] * 6 * one.scale * one.scale / (k < 3 ? 1 : 2);
  const uint32_t *v = t->tetra.batch.vertices + 4 * e;
  size_t n_points;
  const double *x = sofa_linear_fem_rest(&t->tetra.fem, &n_points);
  double p[12], frame[9];
  for (int k = 0; k < 4; k++) memcpy(p + 3 * k, x + 3 * (size_t)v[k], 3 * sizeof *p);
  sofa_tetra_frame(t->tetra.batch.method, p, frame);
  sofa_tensor_to_scene(frame, local, out);
}

static void plastic_stress(const SofaLinearFem *fem, size_t e, const double *strain,
                           double *stress) {
  const TetrahedronFEMForceField *t = (const TetrahedronFEMForceField *)fem;
  double elastic[6];
  SofaTetraOne one;
  memset(stress, 0, 6 * sizeof *stress);
  if (e >= t->tetra.batch.n || 6 * e + 6 > t->plastic.n) return;
  sofa_tetra_one(&t->tetra.batch, e, &one);
  plastic_strain(t, e, elastic);
  for (int k = 0; k < 6; k++) elastic[k] = strain[k] - elastic[k];
  const double trace = elastic[0] + elastic[1] + elastic[2];
  for (int k = 0; k < 6; k++)
    stress[k] = 2 * one.mu * elastic[k] + (k < 3 ? one.lambda * trace : 0);
}

static SofaErr make_elements(TetrahedronFEMForceField *t, const SofaTetras *tetras) {
  const SofaTetraMethod method = chosen_method(t);
  // the strain matrix of 'small' is the one at rest in any case
  const bool update = t->update_stiffness_matrix && method != SOFA_TETRA_SMALL && !t->full.partial;
  t->tetra.fem.stress_of = t->plasticity.max > 0 ? plastic_stress : NULL;
  return sofa_tetra_fem_make(&t->tetra, method, update, tetras, &t->local_stiffness_factor);
}

static SofaErr build(TetrahedronFEMForceField *t) {
  SofaObject *object = &t->tetra.fem.force_field.object;
  SofaContext *ctx = object->ctx;
  SofaErr err = SOFA_OK;
  SofaTetras split = {0};
  const SofaTetras *tetras = sofa_topology_tetrahedra(t->tetra.fem.mesh);
  const SofaHexas *hexas = sofa_topology_hexahedra(t->tetra.fem.mesh);
  forget(t);
  t->tetra.fem.results.own_mises = t->compute_von_mises != 0;
  choose_quirks(t);
  // other processes may have elements of the kind that this one has none of
  const bool listed = sofa_topology_n_whole(t->tetra.fem.mesh, SOFA_ELEMENT_TETRA) > 0;
  if (!listed && hexas->n) {
    SOFA_GO(err, done, split_hexas(t, hexas, &split));
    tetras = &split;
  }
  if (!tetras->n && !listed && !sofa_topology_n_whole(t->tetra.fem.mesh, SOFA_ELEMENT_HEXA))
    SOFA_GO(err, done,
            sofa_object_fail(object, SOFA_ERR_SCENE,
                             "the topology has neither tetrahedra nor hexahedra"));
  SOFA_GO(err, done, make_elements(t, tetras));
  SOFA_GO(err, done, make_extras(t));
  SOFA_GO(err, done, keep_initial_points(t));
  t->built = true;
done:
  sofa_list_free(ctx, &split);
  if (err != SOFA_OK) forget(t);
  return err;
}

/* ---- stresses ---- */

static SofaErr mises_of(SofaLinearFem *fem) {
  TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)fem;
  const bool mixed = t->compute_von_mises == SOFA_TETRA_COROTATIONAL &&
                     sofa_quirk(&fem->force_field.object, QUIRK_TETRA_VON_MISES_FRAMES);
  return sofa_tetra_fem_stress(&t->tetra, (SofaTetraStrain)t->compute_von_mises, mixed);
}

/* ---- lifecycle ---- */

static SofaErr check_fields(TetrahedronFEMForceField *t) {
  const SofaObject *object = &t->tetra.fem.force_field.object;
  const bool small = strcmp(t->method, "small") == 0;
  if (t->compute_von_mises == SOFA_TETRA_COROTATIONAL && small)
    return sofa_field_fail(object, "computeVonMisesStress", SOFA_ERR_ARGUMENT,
                           "1 (corotational strain) needs a method other than 'small'");
  if (t->tetra.consistent)
    return polar_frame_check(object, "method", t->method,
                             t->update_stiffness_matrix ? "updateStiffnessMatrix"
                             : t->plasticity.max > 0    ? "plasticity"
                                                        : NULL);
  return SOFA_OK;
}

static SofaErr tetrahedron_fem_init(SofaObject *object) {
  TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)object;
  SOFA_TRY(check_fields(t));
  t->tetra.fem.mises_of = mises_of;
  return build(t);
}

static SofaErr tetrahedron_fem_reinit(SofaObject *object) {
  SOFA_TRY(check_fields((TetrahedronFEMForceField *)object));
  return build((TetrahedronFEMForceField *)object);
}

/* Plastic strains move to the positions x. */
static void plastic_flow(TetrahedronFEMForceField *t, const double *x) {
  const SofaContext *ctx = t->tetra.fem.force_field.object.ctx;
  if (!t->full.plasticity) return;
  sofa_element_kernels(ctx)->tetra_force(&t->tetra.batch, ctx, x, NULL);
  sofa_tetra_full_flow(&t->tetra.batch, &t->full, x);
}

/* The first positions may be beyond the yield threshold. */
static SofaErr tetrahedron_fem_bwd_init(SofaObject *object) {
  TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)object;
  if (t->built) plastic_flow(t, t->tetra.fem.force_field.state[0]->position.data);
  return SOFA_OK;
}

static SofaErr tetrahedron_fem_reset(SofaObject *object) {
  TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)object;
  if (t->plastic.n) sofa_zero(t->plastic.data, t->plastic.n * sizeof *t->plastic.data);
  return tetrahedron_fem_bwd_init(object);
}

static SofaErr tetrahedron_fem_handle_event(SofaObject *object, const SofaEvent *event) {
  TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)object;
  if (!t->built) return SOFA_OK;
  if (event->type == SOFA_EVENT_ANIMATE_BEGIN && (t->update_stiffness || t->compute_von_mises))
    sofa_tetra_fem_materials(&t->tetra, &t->local_stiffness_factor);
  return SOFA_OK;
}

static void tetrahedron_fem_destroy(SofaObject *object) {
  forget((TetrahedronFEMForceField *)object);
}

/* ---- forces ---- */

static SofaErr tetrahedron_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                         const SofaPoint *at, double *const *f) {
  (void)params;
  TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)ff;
  const SofaContext *ctx = ff->object.ctx;
  if (t->tetra.revision != t->tetra.fem.mesh->revision) SOFA_TRY(build(t));
  SOFA_TRY(
      sofa_tetra_batch_refresh(ff->object.ctx, &t->tetra.batch, sofa_state_size(ff->state[0])));
  const SofaElementKernels *kernels = sofa_element_kernels(ctx);
  if (t->forceless) {
    // svd does not even follow the rotations
    if (strcmp(t->method, "svd") != 0) kernels->tetra_force(&t->tetra.batch, ctx, at->x[0], NULL);
  } else if (t->full.plasticity || t->full.partial) {
    kernels->tetra_force(&t->tetra.batch, ctx, at->x[0], NULL);
    sofa_tetra_full_force(&t->tetra.batch, &t->full, at->x[0], f[0]);
  } else {
    kernels->tetra_force(&t->tetra.batch, ctx, at->x[0], f[0]);
  }
  return SOFA_OK;
}

static SofaErr tetrahedron_fem_accept(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at) {
  (void)params;
  TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)ff;
  if (t->tetra.revision != t->tetra.fem.mesh->revision) SOFA_TRY(build(t));
  plastic_flow(t, at->x[0]);
  return SOFA_OK;
}

static SofaErr tetrahedron_fem_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                          const SofaPoint *at, const double *const *dx,
                                          double *const *df) {
  TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)ff;
  if (!t->full.partial) return sofa_tetra_fem_add_dforce(ff, params, at, dx, df);
  sofa_tetra_full_dforce(&t->tetra.batch, &t->full, sofa_kfactor(ff, params), dx[0], df[0]);
  return SOFA_OK;
}

/* Element by element, for strain matrices the kernels do not know. */
static void add_full_k(TetrahedronFEMForceField *t, const SofaTangent *tangent) {
  for (size_t e = 0; e < t->tetra.batch.n; e++) {
    const uint32_t *v = t->tetra.batch.vertices + 4 * e;
    double k[144], block[9];
    sofa_tetra_full_stiffness(&t->tetra.batch, &t->full, e, k);
    for (int nm = 0; nm < 16; nm++) {
      const int n = nm / 4, m = nm % 4;
      for (int i = 0; i < 9; i++) block[i] = k[12 * (3 * n + i / 3) + 3 * m + i % 3];
      sofa_tangent_add(tangent, 0, v[n], 0, v[m], block);
    }
  }
}

static SofaErr tetrahedron_fem_add_k(SofaForceField *ff, const SofaMechParams *params,
                                     const SofaPoint *at, const SofaTangent *tangent) {
  TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)ff;
  if (!t->full.partial) return sofa_tetra_fem_add_k(ff, params, at, tangent);
  add_full_k(t, tangent);
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = tetrahedron_fem_add_force,
    .add_dforce = tetrahedron_fem_add_dforce,
    .add_k = tetrahedron_fem_add_k,
    .accept = tetrahedron_fem_accept,
    .potential_energy = sofa_tetra_fem_potential_energy,
    .approximation = sofa_tetra_fem_approximation,
    .constant_tangent = sofa_tetra_fem_constant,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* ---- rotations of points ---- */

static SofaState *rotation_state(SofaObject *object) {
  return ((SofaForceField *)object)->state[0];
}

static SofaErr rotations(SofaObject *object, double *r) {
  const TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)object;
  const SofaTetraBatch *b = &t->tetra.batch;
  size_t n = 0;
  const double *x = sofa_linear_fem_rest(&t->tetra.fem, &n);
  sofa_node_rotations_begin(b->n_points, r);
  for (size_t e = 0; e < b->n; e++) {
    const uint32_t *v = b->vertices + 4 * e;
    double p[12], rest[9], now[9];
    for (int k = 0; k < 4; k++) memcpy(p + 3 * k, x + 3 * (size_t)v[k], 3 * sizeof *p);
    sofa_tetra_frame(b->method, p, rest);
    for (int k = 0; k < 9; k++) now[k] = b->rotation[e / SOFA_LANES][k][e % SOFA_LANES];
    sofa_node_rotations_add(rest, now, v, 4, r);
  }
  sofa_node_rotations_end(b->n_points, r);
  return SOFA_OK;
}

static const SofaRotationFinderOps rotation_ops = {.state = rotation_state, .rotations = rotations};

/* ---- topological changes ---- */

static SofaErr tetrahedron_fem_done(SofaObject *object) {
  TetrahedronFEMForceField *t = (TetrahedronFEMForceField *)object;
  if (!t->full.partial && t->built && sofa_tetra_fem_kept(&t->tetra, &t->local_stiffness_factor))
    return SOFA_OK;
  t->keeps_plastic = true;
  const SofaErr err = sofa_listen_reinit(object);
  t->keeps_plastic = false;
  return err;
}

static const SofaTopologyListenerOps listener = {.listen = sofa_tetra_fem_listen,
                                                 .done = tetrahedron_fem_done};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(TetrahedronFEMForceField, tetra.batch),
};

SOFA_CLASS(TetrahedronFEMForceField) = {
    SOFA_NAMED(TetrahedronFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic tetrahedra, corotational: strains are small, rotations may be large. "
            "Without tetrahedra in the topology, hexahedra are split into six.",
    .equations = "f = -R K (R^T x - X)\n"
                 "K = int B^T D B dV\n"
                 "mu = E/(2 (1 + nu)), lambda = E nu/((1 + nu) (1 - 2 nu))\n"
                 "\"f: forces of an element, R: its rotation, x and X: its positions and rest "
                 "positions, D: Hooke's law\"",
    .base = &sofa_linear_fem_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .listening = true,
    .init = tetrahedron_fem_init,
    .reinit = tetrahedron_fem_reinit,
    .bwd_init = tetrahedron_fem_bwd_init,
    .reset = tetrahedron_fem_reset,
    .handle_event = tetrahedron_fem_handle_event,
    .destroy = tetrahedron_fem_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_ROTATION_FINDER, &rotation_ops},
                    {SOFA_TOPOLOGY_LISTENER, &listener}, {SOFA_DRAW, &sofa_draw_field_tetrahedra}),
};
