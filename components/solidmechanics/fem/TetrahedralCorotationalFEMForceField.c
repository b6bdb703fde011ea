/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TetrahedralCorotationalFEMForceField: the elements of TetrahedronFEMForceField without plasticity
 * and without hexahedra to split. */
#include <string.h>
#include "behavior/checks.h"
#include "object/checkpoint.h"
#include "behavior/draw_state.h"
#include "components/solidmechanics/fem/tetra_fem.h"
#include "object/event.h"

static const SofaQuirk quirks[] = {
    QUIRK_TETRA_GLOBAL_MATRIX_ROW,
    QUIRK_POLAR_EDGES_ROW,
};

typedef struct TetrahedralCorotationalFEMForceField {
  SofaTetraFem tetra;
  char *method;
  SofaReals local_stiffness_factor;
  bool update_stiffness_matrix, compute_global_matrix, compute_von_mises;
  char *tetrahedron_info;
  bool drawing;
  SofaColor colors[4];
  bool forceless; /* quirk: this combination of fields gives no force */
} TetrahedralCorotationalFEMForceField;

static const char *const methods[] = {"large", "small", "polar", NULL};
static const SofaTetraMethod method_of[] = {SOFA_TETRA_LARGE, SOFA_TETRA_SMALL,
                                            SOFA_TETRA_DEFORMATION};

typedef TetrahedralCorotationalFEMForceField SofaSelf; /* of SOFA_ROW */
#define COLOR(i, xml, def)                                                                         \
  SOFA_ROW(colors[i], xml, def, "", "colour of a face", .flags = SOFA_FIELD_DISPLAY)

static const SofaField fields[] = {
    SOFA_ROW(tetrahedron_info, "tetrahedronInfo", NULL, "",
             "bookkeeping of SOFA: nothing reads it, no effect", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(method, "method", "large", "",
             "frame of an element: 'large' from two edges, 'polar' by decomposition of its "
             "deformation, 'small' fixed (linear elasticity)",
             .options = methods),
    SOFA_ROW_CONSISTENT(tetra.consistent, "'polar'"),
    SOFA_ROW(local_stiffness_factor, "localStiffnessFactor", NULL, "1",
             "factors of the Young modulus; m factors are spread evenly over the elements in order",
             .range = SOFA_AT_LEAST(0), SOFA_PER_FEM_ELEMENT(.inserted = SOFA_INSERTED_FIRST)),
    SOFA_ROW(update_stiffness_matrix, "updateStiffnessMatrix", "0", "",
             "take the strain matrix from the current shape of the elements (large, polar)"),
    SOFA_ROW(compute_global_matrix, "computeGlobalMatrix", "0", "",
             "sum of the element matrices is wanted; no effect on the motion",
             .aliases = "assembling"),
    SOFA_ROW(drawing, "drawing", "1", "", "draw the elements", .flags = SOFA_FIELD_DISPLAY),
    COLOR(0, "drawColor1", "0 0 1 1"),
    COLOR(1, "drawColor2", "0 0.5 1 1"),
    COLOR(2, "drawColor3", "0 1 1 1"),
    COLOR(3, "drawColor4", "0.5 1 1 1"),
    SOFA_ROW(compute_von_mises, "computeVonMisesStress", "0", "",
             "vonMisesPerElement and vonMisesPerNode are of the corotational strain (large, "
             "polar), those of points plain means of the elements around",
             .flags = SOFA_FIELD_REINIT),
};

static SofaErr build(TetrahedralCorotationalFEMForceField *t) {
  const SofaObject *object = &t->tetra.fem.force_field.object;
  const bool polar = strcmp(t->method, "polar") == 0;
  SofaTetraMethod method = method_of[sofa_linear_fem_option(methods, t->method)];
  const SofaTetras *tetras = sofa_topology_tetrahedra(t->tetra.fem.mesh);
  SOFA_TRY(sofa_check_any(object, t->tetra.fem.mesh, SOFA_ELEMENT_TETRA, tetras->n));
  t->tetra.fem.results.own_mises = t->compute_von_mises;
  if (t->tetra.consistent)
    SOFA_TRY(polar_frame_check(object, "method", t->method,
                               t->update_stiffness_matrix ? "updateStiffnessMatrix" : NULL));
  else if (polar && sofa_quirk(object, QUIRK_POLAR_EDGES)) method = SOFA_TETRA_POLAR;
  t->forceless = t->compute_global_matrix && polar && sofa_quirk(object, QUIRK_TETRA_GLOBAL_MATRIX);
  const bool update = t->update_stiffness_matrix && method != SOFA_TETRA_SMALL;
  return sofa_tetra_fem_make(&t->tetra, method, update, tetras, &t->local_stiffness_factor);
}

static SofaErr mises_of(SofaLinearFem *fem) {
  return sofa_tetra_fem_stress((SofaTetraFem *)fem, SOFA_TETRA_COROTATIONAL, false);
}

/* ---- lifecycle ---- */

static SofaErr check_mises(const TetrahedralCorotationalFEMForceField *t) {
  if (!t->compute_von_mises || strcmp(t->method, "small") != 0) return SOFA_OK;
  return sofa_field_fail(&t->tetra.fem.force_field.object, "computeVonMisesStress",
                         SOFA_ERR_ARGUMENT, "needs a method other than 'small'");
}

static SofaErr tetrahedral_corotational_init(SofaObject *object) {
  TetrahedralCorotationalFEMForceField *t = (TetrahedralCorotationalFEMForceField *)object;
  const SofaErr err = check_mises(t);
  SOFA_TRY(sofa_keep_going(object, err));
  if (err != SOFA_OK) t->compute_von_mises = false;
  t->tetra.fem.mises_of = mises_of;
  return build(t);
}

static SofaErr tetrahedral_corotational_reinit(SofaObject *object) {
  SOFA_TRY(check_mises((TetrahedralCorotationalFEMForceField *)object));
  return build((TetrahedralCorotationalFEMForceField *)object);
}

static void tetrahedral_corotational_destroy(SofaObject *object) {
  sofa_tetra_batch_free(object->ctx, &((SofaTetraFem *)object)->batch);
}

/* ---- forces ---- */

static SofaErr tetrahedral_corotational_add_force(SofaForceField *ff, const SofaMechParams *params,
                                                  const SofaPoint *at, double *const *f) {
  TetrahedralCorotationalFEMForceField *t = (TetrahedralCorotationalFEMForceField *)ff;
  double *const none[] = {NULL};
  if (t->tetra.revision != t->tetra.fem.mesh->revision) SOFA_TRY(build(t));
  return sofa_tetra_fem_add_force(ff, params, at, t->forceless ? none : f); // none: rotations
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = tetrahedral_corotational_add_force,
    .add_dforce = sofa_tetra_fem_add_dforce,
    .add_k = sofa_tetra_fem_add_k,
    .potential_energy = sofa_tetra_fem_potential_energy,
    .approximation = sofa_tetra_fem_approximation,
    .constant_tangent = sofa_tetra_fem_constant,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(TetrahedralCorotationalFEMForceField, tetra.batch),
};

SOFA_CLASS(TetrahedralCorotationalFEMForceField) = {
    SOFA_NAMED(TetrahedralCorotationalFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic tetrahedra, corotational: strains are small, rotations may be large.",
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
    .templates = templates,
    .listening = true,
    .init = tetrahedral_corotational_init,
    .reinit = tetrahedral_corotational_reinit,
    .destroy = tetrahedral_corotational_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_tetra_fem_listener},
                    {SOFA_DRAW, &sofa_draw_field_tetrahedra}),
};
