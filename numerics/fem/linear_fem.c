/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of finite elements with an isotropic linear law. */
#include "base/text.h"
#include "behavior/checks.h"
#include "numerics/fem/linear_fem.h"

#include <string.h>
#include "math/kernels.h"
#include "math/vec.h"
#include "behavior/list_owner.h"
#include "object/checkpoint.h"

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(SofaLinearFem, poisson_ratio, "poissonRatio", "0.45", "1",
               "Poisson ratio; one value, or one per element", .flags = SOFA_FIELD_REQUIRED,
               .range = SOFA_BETWEEN(-1, 0.5), .on_bad = SOFA_BAD_DEFAULT,
               SOFA_PER_FEM_ELEMENT(.inserted = SOFA_INSERTED_FIRST)),
    SOFA_FIELD(SofaLinearFem, young_modulus, "youngModulus", "5000", "Pa",
               "Young modulus; one value, or one per element", .flags = SOFA_FIELD_REQUIRED,
               .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT,
               SOFA_PER_FEM_ELEMENT(.inserted = SOFA_INSERTED_FIRST)),
    SOFA_RESULT_ROWS(
        SofaLinearFem,
        "of a linear law at the strain, in the axes of the rest shape (of a surface: x "
        "along its first edge; of a line: x along it)",
        "linear strain without the rotation of the element's middle, in the same axes; "
        "with a fixed frame without any"),
    SOFA_FIELD(SofaLinearFem, topology, "topology", NULL, "",
               "topology with the elements; default: the node's, else the nearest ancestor's",
               .link = &topology_rule),
};

/* A list that is not given has the default of its row, an empty one, too. */
static SofaErr fill_empty(SofaObject *object, const char *name, SofaReals *list) {
  const char *text = sofa_class_field(object->klass, name)->def;
  double value;
  if (list->n || !sofa_read_real(&text, &value)) return SOFA_OK;
  sofa_object_message(object, SOFA_WARNING, "'%s' is empty: %g is used", name, value);
  return SOFA_APPEND(object->ctx, list, &value);
}

static SofaErr linear_fem_init(SofaObject *object) {
  SofaLinearFem *fem = (SofaLinearFem *)object;
  SOFA_TRY(fill_empty(object, "poissonRatio", &fem->poisson_ratio));
  SOFA_TRY(fill_empty(object, "youngModulus", &fem->young_modulus));
  fem->mesh = fem->topology.target ? (SofaTopology *)fem->topology.target
                                   : sofa_node_topology(object->node);
  fem->source = sofa_link_target(object, "elements");
  if (!fem->mesh && !fem->source)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take elements from");
  return SOFA_OK;
}

static void linear_fem_destroy(SofaObject *object) {
  sofa_element_results_free(object->ctx, &((SofaLinearFem *)object)->results);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaLinearFem, results),
    SOFA_REMADE(SofaLinearFem, results_version),
    SOFA_REMADE(SofaLinearFem, recovered),
    SOFA_REMADE(SofaLinearFem, mises_version),
};

const SofaClass sofa_linear_fem_class = {
    .name = "LinearElasticityFEMForceField",
    .module = "csofa",
    .category = "ForceField",
    .help = "Finite elements of an isotropic linear elastic material.",
    .base = &sofa_force_field_class,
    SOFA_SPARES(spared),
    .size = sizeof(SofaLinearFem),
    SOFA_FIELDS(fields),
    .abstract = true,
    .init = linear_fem_init,
    .compute_output = sofa_linear_fem_compute,
    .reinit = linear_fem_init,
    .destroy = linear_fem_destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit},
                    {SOFA_ELEMENT_RESULTS, &sofa_linear_fem_results}),
};

const double *sofa_linear_fem_rest(const SofaLinearFem *fem, size_t *n) {
  const SofaState *state = fem->force_field.state[0];
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  *n = rest->n;
  return rest->data;
}

SofaErr sofa_linear_fem_check_vertices(const SofaLinearFem *fem, SofaElementKind kind,
                                       const void *vertices, size_t n) {
  const SofaElements elements = {vertices, n, sofa_element_kind_info(kind)->width};
  size_t n_points;
  sofa_linear_fem_rest(fem, &n_points);
  return sofa_check_elements(&fem->force_field.object, kind, elements, n_points);
}

SofaErr sofa_linear_fem_elements(SofaLinearFem *fem, SofaShape shape, SofaElementMesh *mesh) {
  fem->elements = sofa_shape_kind(shape);
  fem->parts = 1;
  if (fem->source)
    return sofa_element_source_mesh(&fem->force_field.object, fem->source, shape,
                                    fem->force_field.state[0], mesh);
  return sofa_element_mesh(&fem->force_field.object, fem->mesh, shape, fem->force_field.state[0],
                           mesh);
}

const SofaApproximation sofa_frames_left_out = {
    "the tangent leaves out the derivative of the elements' rotations", true};

const SofaApproximation *sofa_element_batch_approximation(const SofaElementBatch *batch) {
  const bool exact = batch->frame == SOFA_FRAME_FIXED || batch->turn;
  return exact ? NULL : &sofa_frames_left_out;
}

size_t sofa_linear_fem_option(const char *const *options, const char *word) {
  for (size_t i = 0; word && options[i]; i++) {
    if (strcmp(options[i], word) == 0) return i;
  }
  return 0;
}
