/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FastTetrahedralCorotationalForceField: the elements of TetrahedronFEMForceField with another
 * choice of rotations.
 *
 * The force written with differences of edges (INRIA report 7859, 2012) is the one of
 * tetra_element.h: the edge matrices are the blocks of the element's stiffness. So are rotations:
 * R^T of qr is frame(b - a, c - a)^T frame0, that of polar2 is polar(edges)^T polar(edges0), and
 * both rest frames drop out of an isotropic law. */
#include "behavior/checks.h"
#include "behavior/draw_state.h"
#include "components/solidmechanics/fem/tetra_fem.h"
#include "object/checkpoint.h"

typedef struct FastTetrahedralCorotationalForceField {
  SofaTetraFem tetra;
  char *method;
  char *point_info, *edge_info, *tetrahedron_info;
  bool drawing;
  SofaColor colors[4];
} FastTetrahedralCorotationalForceField;

static const char *const methods[] = {"qr",     "large", "polar", "polar2",
                                      "linear", "small", "none",  NULL};
static const SofaTetraMethod method_of[] = {
    SOFA_TETRA_LARGE, SOFA_TETRA_LARGE, SOFA_TETRA_DEFORMATION, SOFA_TETRA_POLAR,
    SOFA_TETRA_SMALL, SOFA_TETRA_SMALL, SOFA_TETRA_SMALL};

typedef FastTetrahedralCorotationalForceField SofaSelf; /* of SOFA_ROW */
#define COLOR(i, xml, def)                                                                         \
  SOFA_ROW(colors[i], xml, def, "", "colour of a face", .flags = SOFA_FIELD_DISPLAY)

static const SofaField fields[] = {
    SOFA_ROW_BOOKKEEPING(point_info, "pointInfo"),
    SOFA_ROW_BOOKKEEPING(edge_info, "edgeInfo"),
    SOFA_ROW_BOOKKEEPING(tetrahedron_info, "tetrahedronInfo"),
    SOFA_ROW(
        method, "method", "qr", "",
        "rotation of an element: 'qr' or 'large' from two edges, 'polar' by decomposition of the "
        "deformation gradient, 'polar2' of the edges, 'none', 'linear' or 'small' fixed",
        .options = methods),
    SOFA_ROW_CONSISTENT(tetra.consistent, "'polar'"),
    SOFA_ROW(drawing, "drawing", "1", "", "draw the elements", .flags = SOFA_FIELD_DISPLAY),
    COLOR(0, "drawColor1", "0 0 1 1"),
    COLOR(1, "drawColor2", "0 0.5 1 1"),
    COLOR(2, "drawColor3", "0 1 1 1"),
    COLOR(3, "drawColor4", "0.5 1 1 1"),
};

static SofaErr fast_corotational_init(SofaObject *object) {
  FastTetrahedralCorotationalForceField *t = (FastTetrahedralCorotationalForceField *)object;
  if (t->tetra.consistent) SOFA_TRY(polar_frame_check(object, "method", t->method, NULL));
  const SofaTetras *tetras = sofa_topology_tetrahedra(t->tetra.fem.mesh);
  SOFA_TRY(sofa_check_any(object, t->tetra.fem.mesh, SOFA_ELEMENT_TETRA, tetras->n));
  return sofa_tetra_fem_make(&t->tetra, method_of[sofa_linear_fem_option(methods, t->method)],
                             false, tetras, NULL);
}

static void fast_corotational_destroy(SofaObject *object) {
  sofa_tetra_batch_free(object->ctx, &((SofaTetraFem *)object)->batch);
}

static SofaErr fast_corotational_add_force(SofaForceField *ff, const SofaMechParams *params,
                                           const SofaPoint *at, double *const *f) {
  const SofaTetraFem *t = (SofaTetraFem *)ff;
  if (t->revision != t->fem.mesh->revision) SOFA_TRY(fast_corotational_init(&ff->object));
  return sofa_tetra_fem_add_force(ff, params, at, f);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = fast_corotational_add_force,
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
    SOFA_REMADE(FastTetrahedralCorotationalForceField, tetra.batch),
};

SOFA_CLASS(FastTetrahedralCorotationalForceField) = {
    SOFA_NAMED(FastTetrahedralCorotationalForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic tetrahedra, corotational, with a choice of rotations.",
    .equations = "f = -R K (R^T x - X)\n"
                 "K = int B^T D B dV\n"
                 "mu = E/(2 (1 + nu)), lambda = E nu/((1 + nu) (1 - 2 nu))\n"
                 "\"f: forces of an element, R: its rotation, x and X: its positions and rest "
                 "positions, D: Hooke's law\"",
    .base = &sofa_linear_fem_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = fast_corotational_init,
    .reinit = fast_corotational_init,
    .destroy = fast_corotational_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_tetra_fem_listener},
                    {SOFA_DRAW, &sofa_draw_field_tetrahedra}),
};
