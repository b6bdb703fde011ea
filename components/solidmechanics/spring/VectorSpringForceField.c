/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VectorSpringForceField: springs with a rest vector instead of a rest length. */
#include "base/quirks.h"
#include "behavior/topology.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/vec.h"

/* f1 = ks (x2 - x1 - rest) + kd (v2 - v1), f2 = -f1. */
typedef struct VectorSpring {
  uint32_t m1, m2;
  double rest[3];
} VectorSpring;

typedef struct VectorSpringForceField {
  SofaForceField force_field;
  char *springs_text;
  SofaFileName filename;
  double stiffness, viscosity; /* N/m, N s/m */
  bool use_topology;
  SofaLink topology;
  /* state */
  struct {
    VectorSpring *data;
    size_t n, capacity;
  } springs;
  bool without_matrix; /* quirk */
} VectorSpringForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

#define ROW(member, xml, def, unit, ...)                                                           \
  SOFA_FIELD(VectorSpringForceField, member, xml, def, unit, __VA_ARGS__)

static const SofaField fields[] = {
    ROW(springs_text, "springs", "", "", "the springs themselves", .flags = SOFA_FIELD_UNSUPPORTED),
    ROW(filename, "filename", "", "", "file with springs", .flags = SOFA_FIELD_UNSUPPORTED),
    ROW(stiffness, "stiffness", "1", "N/m", "stiffness of all springs, not negative"),
    ROW(viscosity, "viscosity", "1", "N s/m", "damping of all springs, not negative"),
    ROW(use_topology, "useTopology", "0", "",
        "springs along the edges of the topology, at rest in the rest positions; else the points "
        "of the same number are joined, at rest when they coincide"),
    ROW(topology, "topology", NULL, "",
        "topology with the edges; default: the node's, else the nearest ancestor's",
        .link = &topology_rule),
};

/* ---- init ---- */

static SofaErr join_pairs(VectorSpringForceField *s) {
  const SofaForceField *ff = &s->force_field;
  const size_t n = sofa_state_size(ff->state[0]), n2 = sofa_state_size(ff->state[1]);
  if (n > n2)
    return sofa_object_fail(&ff->object, SOFA_ERR_RANGE,
                            "object1 has %zu points, object2 only %zu: points of the same number "
                            "are joined",
                            n, n2);
  SOFA_TRY(SOFA_RESIZE(ff->object.ctx, &s->springs, n));
  for (size_t k = 0; k < n; k++)
    s->springs.data[k] = (VectorSpring){.m1 = (uint32_t)k, .m2 = (uint32_t)k};
  return SOFA_OK;
}

static SofaErr join_edges(VectorSpringForceField *s) {
  const SofaForceField *ff = &s->force_field;
  SofaTopology *topology =
      s->topology.target ? (SofaTopology *)s->topology.target : sofa_node_topology(ff->object.node);
  if (!topology)
    return sofa_object_fail(&ff->object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take edges from");
  const SofaEdges *edges = sofa_topology_edges(topology);
  if (topology->failure) return topology->failure;
  const SofaState *state = ff->state[0];
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  for (size_t e = 0; e < edges->n; e++) {
    VectorSpring spring = {.m1 = edges->data[e].v[0], .m2 = edges->data[e].v[1]};
    const uint32_t last = spring.m1 > spring.m2 ? spring.m1 : spring.m2;
    if (last >= rest->n || last >= sofa_state_size(ff->state[1]))
      return sofa_object_fail(&ff->object, SOFA_ERR_RANGE,
                              "edge %zu of the topology has vertex %u, but the states have %zu and "
                              "%zu points",
                              e, last, rest->n, sofa_state_size(ff->state[1]));
    sofa_vec3_sub(rest->data + 3 * (size_t)spring.m2, rest->data + 3 * (size_t)spring.m1,
                  spring.rest);
    SOFA_TRY(SOFA_APPEND(ff->object.ctx, &s->springs, &spring));
  }
  return SOFA_OK;
}

static SofaErr vector_spring_bwd_init(SofaObject *object) {
  VectorSpringForceField *s = (VectorSpringForceField *)object;
  SOFA_TRY(sofa_spring_check_values(object, "stiffness", &s->stiffness, 1));
  SOFA_TRY(sofa_spring_check_values(object, "viscosity", &s->viscosity, 1));
  s->springs.n = 0;
  const SofaErr err = s->use_topology ? join_edges(s) : join_pairs(s);
  if (err != SOFA_OK) s->springs.n = 0;
  s->without_matrix = s->springs.n && sofa_quirk(object->ctx, SOFA_QUIRK_SPRINGS_WITHOUT_MATRIX);
  s->force_field.partial_tangent = s->without_matrix;
  return err;
}

static void vector_spring_destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((VectorSpringForceField *)object)->springs);
}

/* ---- forces ---- */

static SofaErr vector_spring_add_force(SofaForceField *ff, const SofaMechParams *params,
                                       const SofaForceArgs *args) {
  (void)params;
  const VectorSpringForceField *s = (VectorSpringForceField *)ff;
  for (size_t k = 0; k < s->springs.n; k++) {
    const VectorSpring *spring = &s->springs.data[k];
    const size_t a = 3 * (size_t)spring->m1, b = 3 * (size_t)spring->m2;
    for (size_t i = 0; i < 3; i++) {
      const double f = s->stiffness * (args->x[1][b + i] - args->x[0][a + i] - spring->rest[i]) +
                       s->viscosity * (args->v[1][b + i] - args->v[0][a + i]);
      args->f[0][a + i] += f;
      args->f[1][b + i] -= f;
    }
  }
  return SOFA_OK;
}

static SofaErr vector_spring_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaDForceArgs *args) {
  const VectorSpringForceField *s = (VectorSpringForceField *)ff;
  const double k = s->stiffness * sofa_kfactor(ff, params);
  for (size_t n = 0; n < s->springs.n; n++) {
    const size_t a = 3 * (size_t)s->springs.data[n].m1, b = 3 * (size_t)s->springs.data[n].m2;
    for (size_t i = 0; i < 3; i++) {
      const double f = k * (args->dx[1][b + i] - args->dx[0][a + i]);
      args->df[0][a + i] += f;
      args->df[1][b + i] -= f;
    }
  }
  return SOFA_OK;
}

static SofaErr vector_spring_add_k(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaTangent *tangent) {
  (void)params;
  const VectorSpringForceField *s = (VectorSpringForceField *)ff;
  const int second = ff->state[0] == ff->state[1] ? 0 : 1;
  const double k = s->stiffness;
  const double plus[9] = {k, 0, 0, 0, k, 0, 0, 0, k}, minus[9] = {-k, 0, 0, 0, -k, 0, 0, 0, -k};
  if (s->without_matrix) return SOFA_OK;
  for (size_t n = 0; n < s->springs.n; n++) {
    const uint32_t a = s->springs.data[n].m1, b = s->springs.data[n].m2;
    sofa_tangent_add(tangent, 0, a, 0, a, minus);
    sofa_tangent_add(tangent, 0, a, second, b, plus);
    sofa_tangent_add(tangent, second, b, 0, a, plus);
    sofa_tangent_add(tangent, second, b, second, b, minus);
  }
  return SOFA_OK;
}

static SofaErr vector_spring_energy(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaForceArgs *args, double *energy) {
  (void)params;
  const VectorSpringForceField *s = (VectorSpringForceField *)ff;
  double sum = 0;
  for (size_t n = 0; n < s->springs.n; n++) {
    const VectorSpring *spring = &s->springs.data[n];
    double d[3];
    sofa_vec3_sub(args->x[1] + 3 * (size_t)spring->m2, args->x[0] + 3 * (size_t)spring->m1, d);
    sofa_vec3_sub(d, spring->rest, d);
    sum += sofa_vec3_dot(d, d);
  }
  *energy = 0.5 * s->stiffness * sum;
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = vector_spring_add_force,
    .add_dforce = vector_spring_add_dforce,
    .add_k = vector_spring_add_k,
    .potential_energy = vector_spring_energy,
    .tangent_is_dforce = true,
};

static const char *const templates[] = {"Vec3d", NULL};

extern const SofaClass sofa_VectorSpringForceField_class;
const SofaClass sofa_VectorSpringForceField_class = {
    .name = "VectorSpringForceField",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Linear springs between points of one state or of two that resist every change of the "
            "vector between their ends.",
    .base = &sofa_interaction_force_field_class,
    .size = sizeof(VectorSpringForceField),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .bwd_init = vector_spring_bwd_init,
    .destroy = vector_spring_destroy,
    .ops = {[SOFA_FORCE_FIELD] = &force_field_ops},
};
