/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedralFEMForceField: trilinear corotational hexahedra. */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/solidmechanics/fem/HexahedralFEMForceField.h"

#include "numerics/fem/hexa_element.h"
#include "numerics/fem/tetra_element.h"
#include "object/checkpoint.h"

enum { QUIRK_HEXAHEDRAL_STIFFNESS = 1, QUIRK_HEXAHEDRAL_ROTATION = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_HEXAHEDRAL_STIFFNESS, "hexahedral-stiffness",
     "HexahedralFEMForceField computes all elements as boxes along the axes",
     "test_quirks_elements.elements"},
    {QUIRK_HEXAHEDRAL_ROTATION, "hexahedral-rotation",
     "HexahedralFEMForceField turns the blocks of the assembled matrix the wrong way round",
     "test_quirks_elements.elements"},
    QUIRK_POLAR_EDGES_ROW,
};

static const char *const methods[] = {"large", "polar", NULL};
static const SofaFrame frame_of[] = {SOFA_FRAME_EDGES, SOFA_FRAME_CENTER};

typedef HexahedralFEMForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(method, "method", "large", "",
             "frame of an element: 'large' from its mean edges along xi and eta, 'polar' by "
             "decomposition of its deformation at the center",
             .options = methods),
    SOFA_ROW_CONSISTENT(consistent, "'polar'"),
    SOFA_ROW(hexahedron_info, "hexahedronInfo", NULL, "",
             "bookkeeping of SOFA: nothing reads it, no effect", .flags = SOFA_FIELD_NO_EFFECT),
};

/* ---- elements ---- */

/* Stiffness from the rest shape; box: by the formula of boxes along the world's axes. */
static SofaErr set_stiffness(HexahedralFEMForceField *h, const SofaElementMesh *mesh, bool box) {
  for (size_t e = 0; e < mesh->n; e++) {
    double q[24], k[576], lambda, mu, least = 1;
    sofa_lame(sofa_linear_fem_young(&h->fem, e), sofa_linear_fem_poisson(&h->fem, e), &lambda, &mu);
    if (box) {
      for (size_t i = 0; i < 24; i++)
        q[i] = mesh->rest[3 * (size_t)mesh->vertices[8 * e + i / 3] + i % 3];
      sofa_hexa_stiffness_box(q, lambda, mu, k);
    } else {
      sofa_element_batch_rest(&h->batch, e, q);
      least = sofa_isotropic_stiffness(SOFA_SHAPE_HEXA, 3, q, lambda, mu, k);
    }
    if (!(least > 0))
      return sofa_object_fail(&h->fem.force_field.object, SOFA_ERR_GEOMETRY,
                              "hexahedron %zu is degenerate or inverted at rest", e);
    sofa_element_batch_stiffness(&h->batch, e, k);
  }
  return sofa_element_batch_compare(h->fem.force_field.object.ctx, &h->batch);
}

static double energy_of(const SofaLinearFem *fem, size_t element) {
  const HexahedralFEMForceField *h = (const HexahedralFEMForceField *)fem;
  if (element >= h->batch.n) return NAN;
  return sofa_element_batch_energy_of(&h->batch, element, fem->force_field.state[0]->position.data);
}

static SofaErr build(HexahedralFEMForceField *h) {
  SofaContext *ctx = h->fem.force_field.object.ctx;
  SofaElementMesh mesh;
  const SofaObject *object = &h->fem.force_field.object;
  const bool box = sofa_quirk(object, QUIRK_HEXAHEDRAL_STIFFNESS);
  sofa_element_batch_free(ctx, &h->batch);
  SOFA_TRY(sofa_linear_fem_elements(&h->fem, SOFA_SHAPE_HEXA, &mesh));
  SofaFrame frame = frame_of[sofa_linear_fem_option(methods, h->method)];
  if (h->consistent) SOFA_TRY(polar_frame_check(object, "method", h->method, NULL));
  else if (frame == SOFA_FRAME_CENTER && sofa_quirk(object, QUIRK_POLAR_EDGES))
    frame = SOFA_FRAME_POLAR_EDGES;
  SOFA_TRY(sofa_element_batch_create(ctx, &mesh, frame, ctx->threads, &h->batch));
  if (h->consistent) SOFA_TRY(sofa_element_batch_make_exact(ctx, &h->batch));
  h->batch.turned_blocks = !h->consistent && sofa_quirk(object, QUIRK_HEXAHEDRAL_ROTATION);
  h->fem.force_field.partial_tangent = h->batch.turned_blocks;
  sofa_linear_fem_give_strain(&h->fem, SOFA_SHAPE_HEXA, false, 3, NULL);
  h->fem.energy_of = energy_of;
  SOFA_TRY(set_stiffness(h, &mesh, box));
  h->revision = h->fem.mesh->revision;
  return SOFA_OK;
}

/* ---- lifecycle ---- */

static SofaErr hexahedral_fem_init(SofaObject *object) {
  return build((HexahedralFEMForceField *)object);
}

static void hexahedral_fem_destroy(SofaObject *object) {
  sofa_element_batch_free(object->ctx, &((HexahedralFEMForceField *)object)->batch);
}

/* ---- forces ---- */

SofaErr hexahedral_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  HexahedralFEMForceField *h = (HexahedralFEMForceField *)ff;
  if (h->revision != h->fem.mesh->revision) SOFA_TRY(build(h));
  return sofa_element_batch_add_force(ff, &h->batch, at, f);
}

SofaErr hexahedral_fem_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  return sofa_element_batch_add_dforce(ff, &((HexahedralFEMForceField *)ff)->batch, params, dx, df);
}

SofaErr hexahedral_fem_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  return sofa_element_batch_add_k(ff, &((HexahedralFEMForceField *)ff)->batch, tangent);
}

SofaErr hexahedral_fem_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaPoint *at, double *energy) {
  (void)params;
  *energy = sofa_element_batch_energy(&((HexahedralFEMForceField *)ff)->batch, at->x[0]);
  return SOFA_OK;
}

const SofaApproximation *hexahedral_fem_approximation(const SofaForceField *ff) {
  return sofa_element_batch_approximation(&((const HexahedralFEMForceField *)ff)->batch);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = hexahedral_fem_add_force,
    .add_dforce = hexahedral_fem_add_dforce,
    .add_k = hexahedral_fem_add_k,
    .potential_energy = hexahedral_fem_potential_energy,
    .approximation = hexahedral_fem_approximation,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(HexahedralFEMForceField, batch),
};

SOFA_CLASS(HexahedralFEMForceField) = {
    SOFA_NAMED(HexahedralFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic hexahedra, corotational: strains are small, rotations may be large.",
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
    .init = hexahedral_fem_init,
    .reinit = hexahedral_fem_init,
    .destroy = hexahedral_fem_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit},
                    {SOFA_DRAW, &sofa_draw_field_hexahedra}),
};
