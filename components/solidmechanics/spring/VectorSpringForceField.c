/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VectorSpringForceField: springs with a rest vector instead of a rest length. */
#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "numerics/io/mesh_readers.h"
#include "numerics/io/object_file.h"
#include "numerics/fem/linear_spring_kernels.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/vec.h"
#include "object/checkpoint.h"

enum { QUIRK_VECTOR_SPRING_NEW = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_VECTOR_SPRING_NEW, "vector-spring-new",
     "VectorSpringForceField exchanges stiffness and viscosity on inserted edges",
     "test_quirks_elements.springs"},
    QUIRK_SPRINGS_WITHOUT_MATRIX_ROW,
    QUIRK_SPRING_DAMPING_MATRIX_ROW,
};

/* Where the springs are. */
typedef enum Joined { JOINED_PAIRS, JOINED_EDGES, JOINED_FILE } Joined;

typedef struct VectorSpringForceField {
  SofaForceField force_field;
  SofaReals values; /* 5 numbers each: ks kd rest */
  SofaFileName filename;
  double stiffness, viscosity; /* N/m, N s/m */
  bool use_topology;
  SofaLink topology;
  /* state */
  struct {
    SofaVectorSpring *data;
    size_t n, capacity;
  } springs;
  Joined joined;
  SofaTopology *mesh;      /* with the edges, or NULL */
  SofaIndices came;        /* points of the first state that have no other yet */
  bool without_matrix;     /* quirk */
  SofaEdgeAssembly *edges; /* of springs of one state, made by the first assembly */
  SofaElementSums sums;    /* of springs */
} VectorSpringForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef VectorSpringForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        values, "springs", NULL, "",
        "5 numbers for each spring: stiffness, damping, rest vector from the first to the second "
        "point; replaces stiffness and viscosity"),
    SOFA_ROW(
        filename, "filename", NULL, "",
        "Xsp file with springs between points of object1 and of object2; of version 4 with rest "
        "vectors, else at rest when the points coincide; replaces all other springs"),
    SOFA_ROW(stiffness, "stiffness", "1", "N/m", "stiffness of all springs",
             .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(viscosity, "viscosity", "1", "N s/m", "damping of all springs",
             .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(
        use_topology, "useTopology", "0", "",
        "springs along the edges of the topology, at rest in the rest positions; else the points "
        "of the same number are joined, at rest when they coincide"),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology with the edges; default: the node's, else the nearest ancestor's",
             .link = &topology_rule),
};

static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(VectorSpringForceField, springs,
                 SOFA_TABLE(SOFA_ENDS(SOFA_STATE_FIRST, SOFA_STATE_SECOND))),
    SOFA_PRIVATE(VectorSpringForceField, came, SOFA_INSERTED_POINTS),
};

/* ---- init ---- */

static SofaErr add_pair(VectorSpringForceField *s, uint32_t point) {
  const SofaVectorSpring spring = {
      .m1 = point, .m2 = point, .stiffness = s->stiffness, .damping = s->viscosity};
  return SOFA_APPEND(s->force_field.object.ctx, &s->springs, &spring);
}

static SofaErr join_pairs(VectorSpringForceField *s) {
  const SofaForceField *ff = &s->force_field;
  const size_t n = sofa_state_size(ff->state[0]), n2 = sofa_state_size(ff->state[1]);
  if (n > n2)
    return sofa_object_fail(&ff->object, SOFA_ERR_RANGE,
                            "object1 has %zu points, object2 only %zu: points of the same number "
                            "are joined",
                            n, n2);
  for (size_t k = 0; k < n; k++) SOFA_TRY(add_pair(s, (uint32_t)k));
  return SOFA_OK;
}

static SofaErr add_edge(VectorSpringForceField *s, size_t e, const SofaEdge *edge) {
  const SofaForceField *ff = &s->force_field;
  const SofaState *state = ff->state[0];
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  SofaVectorSpring spring = {
      .m1 = edge->v[0], .m2 = edge->v[1], .stiffness = s->stiffness, .damping = s->viscosity};
  const uint32_t last = spring.m1 > spring.m2 ? spring.m1 : spring.m2;
  if (last >= rest->n || last >= sofa_state_size(ff->state[1]))
    return sofa_object_fail(&ff->object, SOFA_ERR_RANGE,
                            "edge %zu of the topology has vertex %u, but the states have %zu and "
                            "%zu points",
                            e, last, rest->n, sofa_state_size(ff->state[1]));
  sofa_vec3_sub(rest->data + 3 * (size_t)spring.m2, rest->data + 3 * (size_t)spring.m1,
                spring.rest);
  return SOFA_APPEND(ff->object.ctx, &s->springs, &spring);
}

static SofaErr join_edges(VectorSpringForceField *s) {
  const SofaObject *object = &s->force_field.object;
  s->mesh =
      s->topology.target ? (SofaTopology *)s->topology.target : sofa_node_topology(object->node);
  if (!s->mesh)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take edges from");
  const SofaEdges *edges = sofa_topology_edges(s->mesh);
  if (s->mesh->failure) return s->mesh->failure;
  for (size_t e = 0; e < edges->n; e++) SOFA_TRY(add_edge(s, e, &edges->data[e]));
  return SOFA_OK;
}

/* ---- springs that are given one by one ---- */

static SofaErr check_spring(const VectorSpringForceField *s, const char *field, size_t k) {
  const SofaVectorSpring *spring = &s->springs.data[k];
  const double values[2] = {spring->stiffness, spring->damping};
  SOFA_TRY(sofa_spring_check_values(&s->force_field.object, field, values, 2));
  for (int end = 0; end < 2; end++)
    SOFA_TRY(sofa_spring_check_end(&s->force_field, field, k, end, end ? spring->m2 : spring->m1));
  return SOFA_OK;
}

static SofaErr take_values(VectorSpringForceField *s) {
  const SofaObject *object = &s->force_field.object;
  if (s->values.n != 5 * s->springs.n)
    return sofa_field_fail(object, "springs", SOFA_ERR_ARGUMENT,
                           "has %zu numbers, expected %zu: 5 (stiffness, damping, rest vector) for "
                           "each of %zu springs",
                           s->values.n, 5 * s->springs.n, s->springs.n);
  for (size_t k = 0; k < s->springs.n; k++) {
    const double *value = s->values.data + 5 * k;
    SofaVectorSpring *spring = &s->springs.data[k];
    spring->stiffness = value[0];
    spring->damping = value[1];
    sofa_vec3_copy(value + 2, spring->rest);
    SOFA_TRY(check_spring(s, "springs", k));
  }
  return SOFA_OK;
}

static SofaErr read_springs(void *user, const SofaFileBytes *file) {
  VectorSpringForceField *s = user;
  SofaContext *ctx = s->force_field.object.ctx;
  SofaMeshData mesh = {0};
  SofaXspData xsp = {0};
  SofaErr err;
  SOFA_GO(err, done, sofa_xsp_read(ctx, file, &mesh, &xsp));
  for (size_t k = 0; k < mesh.mesh.edges.n; k++) {
    SofaVectorSpring spring = {.m1 = mesh.mesh.edges.data[k].v[0],
                               .m2 = mesh.mesh.edges.data[k].v[1],
                               .stiffness = xsp.stiffness.data[k],
                               .damping = xsp.damping.data[k]};
    sofa_vec3_copy(xsp.rest_vector.data[k].v, spring.rest);
    SOFA_GO(err, done, SOFA_APPEND(ctx, &s->springs, &spring));
  }
done:
  sofa_mesh_data_free(ctx, &mesh);
  sofa_xsp_data_free(ctx, &xsp);
  return err;
}

static SofaErr join(VectorSpringForceField *s) {
  SofaObject *object = &s->force_field.object;
  const bool file = s->filename.text && s->filename.text[0];
  s->mesh = NULL;
  s->joined = file ? JOINED_FILE : s->use_topology ? JOINED_EDGES : JOINED_PAIRS;
  if (file && s->values.n)
    return sofa_field_fail(object, "springs", SOFA_ERR_ARGUMENT,
                           "is set together with filename: give the springs in one of them");
  if (file) {
    SOFA_TRY(sofa_object_read_file(object, "filename", &s->filename, read_springs, s));
    for (size_t k = 0; k < s->springs.n; k++) SOFA_TRY(check_spring(s, "filename", k));
    return SOFA_OK;
  }
  SOFA_TRY(s->joined == JOINED_EDGES ? join_edges(s) : join_pairs(s));
  return s->values.n ? take_values(s) : SOFA_OK;
}

/* How threads share the springs there are. */
static SofaErr make_sums(VectorSpringForceField *s) {
  const SofaSpringPairs pairs = {.ends = s->springs.n ? &s->springs.data->m1 : NULL,
                                 .stride = sizeof(SofaVectorSpring) / sizeof(uint32_t),
                                 .n = s->springs.n};
  return sofa_spring_pair_sums(&pairs, s->force_field.state, &s->sums);
}

static SofaErr vector_spring_bwd_init(SofaObject *object) {
  VectorSpringForceField *s = (VectorSpringForceField *)object;
  s->springs.n = 0;
  SofaErr err = join(s);
  if (err == SOFA_OK) err = make_sums(s);
  if (err != SOFA_OK) s->springs.n = 0;
  s->without_matrix = s->springs.n && sofa_quirk(object, QUIRK_SPRINGS_WITHOUT_MATRIX);
  s->force_field.partial_tangent = s->without_matrix;
  return err;
}

static void vector_spring_destroy(SofaObject *object) {
  VectorSpringForceField *s = (VectorSpringForceField *)object;
  sofa_edge_assembly_free(object->ctx, &s->edges);
  sofa_element_sums_free(object->ctx, &s->sums);
}

/* ---- topological changes ---- */

/* A spring per edge: it goes and comes with it. SOFA exchanges stiffness and damping of those that
 * come. */
static SofaErr edges_change(VectorSpringForceField *s, const SofaTopologyChange *change) {
  sofa_change_remove_entries(change, &s->springs, sizeof *s->springs.data);
  if (change->kind != SOFA_CHANGE_ADD) return SOFA_OK;
  const SofaEdges *edges = &s->mesh->mesh.edges;
  const bool exchanged = sofa_quirk(&s->force_field.object, QUIRK_VECTOR_SPRING_NEW);
  for (size_t i = 0; i < change->n; i++) {
    SOFA_TRY(add_edge(s, change->ids[i], &edges->data[change->ids[i]]));
    SofaVectorSpring *spring = &s->springs.data[s->springs.n - 1];
    if (!exchanged) continue;
    spring->stiffness = s->viscosity;
    spring->damping = s->stiffness;
  }
  return SOFA_OK;
}

/* Where the points of the same number are joined, so are inserted points. */
static SofaErr join_new(SofaObject *object) {
  VectorSpringForceField *s = (VectorSpringForceField *)object;
  uint32_t point;
  if (s->joined != JOINED_PAIRS) s->came.n = 0;
  while (sofa_change_next_new(&s->came, sofa_state_size(s->force_field.state[1]), &point))
    SOFA_TRY(add_pair(s, point));
  return make_sums(s);
}

static SofaErr vector_spring_listen(SofaObject *object, const SofaTopologyChange *change) {
  VectorSpringForceField *s = (VectorSpringForceField *)object;
  const bool edges = s->mesh && sofa_change_of(change, s->mesh, SOFA_ELEMENT_EDGE);
  return edges ? edges_change(s, change) : SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = vector_spring_listen, .done = join_new};

/* ---- checkpoints ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  (void)object, (void)to;
  return SOFA_OK;
}
/* The springs may be others than those of the start. */
static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  (void)from;
  return make_sums((VectorSpringForceField *)object);
}

static const SofaCheckpointOps checkpoint_ops = {.save = save, .restore = restore};

/* ---- forces ---- */

/* A loop over springs: forces, or products where dx is not NULL. */
typedef struct Loop {
  const SofaVectorSpring *springs;
  const SofaLinearSpringKernels *kernels;
  const SofaPoint *at;
  const double *const *dx;
  SofaSpringFactors by;
  double *const *f;
} Loop;

static void give(void *user, size_t begin, size_t end, double *parts) {
  const Loop *loop = user;
  const SofaVectorSpringRange range = {loop->springs, begin, end, parts};
  if (loop->dx) loop->kernels->vector_product(&range, loop->by.k, loop->by.b, loop->dx, loop->f);
  else loop->kernels->vector_force(&range, loop->at, loop->f);
}

static SofaErr vector_spring_add_force(SofaForceField *ff, const SofaMechParams *params,
                                       const SofaPoint *at, double *const *forces) {
  (void)params;
  const VectorSpringForceField *s = (VectorSpringForceField *)ff;
  Loop loop = {.springs = s->springs.data,
               .kernels = sofa_linear_spring_kernels(ff->object.ctx),
               .at = at,
               .f = forces};
  sofa_element_sums_run(&s->sums, s->springs.n, give, &loop, forces);
  return SOFA_OK;
}

static SofaErr vector_spring_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaPoint *at, const double *const *dx,
                                        double *const *df) {
  (void)at;
  const VectorSpringForceField *s = (VectorSpringForceField *)ff;
  Loop loop = {.springs = s->springs.data,
               .kernels = sofa_linear_spring_kernels(ff->object.ctx),
               .dx = dx,
               .by = sofa_spring_factors(ff, params),
               .f = df};
  sofa_element_sums_run(&s->sums, s->springs.n, give, &loop, df);
  return SOFA_OK;
}

/* k I between the ends. */
static void add_block(const SofaForceField *ff, const SofaVectorSpring *s, double k,
                      const SofaTangent *tangent) {
  const double plus[9] = {k, 0, 0, 0, k, 0, 0, 0, k}, minus[9] = {-k, 0, 0, 0, -k, 0, 0, 0, -k};
  const int second = ff->state[0] == ff->state[1] ? 0 : 1;
  sofa_tangent_add(tangent, 0, s->m1, 0, s->m1, minus);
  sofa_tangent_add(tangent, 0, s->m1, second, s->m2, plus);
  sofa_tangent_add(tangent, second, s->m2, 0, s->m1, plus);
  sofa_tangent_add(tangent, second, s->m2, second, s->m2, minus);
}

/* Springs whose stiffness, or damping (rates), is assembled. */
typedef struct Assembled {
  VectorSpringForceField *s;
  bool rates;
} Assembled;

static double factor_of(const Assembled *a, size_t k) {
  const SofaVectorSpring *spring = &a->s->springs.data[k];
  return a->rates ? spring->damping : spring->stiffness;
}

static void make_blocks(void *user, size_t begin, size_t end, double *blocks) {
  for (size_t k = begin; k < end; k++, blocks += 9)
    for (int e = 0; e < 9; e++) blocks[e] = e % 4 == 0 ? factor_of(user, k) : 0;
}

/* Springs of one state. */
static SofaErr add_pairs(Assembled *a, const SofaTangent *tangent) {
  VectorSpringForceField *s = a->s;
  SofaContext *ctx = s->force_field.object.ctx;
  const SofaEdgeList edges = {.ends = &s->springs.data->m1,
                              .stride = sizeof(SofaVectorSpring) / sizeof(uint32_t),
                              .n = s->springs.n,
                              .per_element = 1,
                              .symmetric = true};
  const SofaEdgeBlocks source = {make_blocks, a};
  SOFA_TRY(
      sofa_edge_assembly_follow(ctx, edges, sofa_state_size(s->force_field.state[0]), &s->edges));
  sofa_edge_assembly_add(ctx, s->edges, &source, tangent);
  return SOFA_OK;
}

static SofaErr add_matrix(const SofaForceField *ff, Assembled *a, const SofaTangent *tangent) {
  const size_t n = a->s->springs.n;
  size_t first = 0;
  while (first < n && a->rates && factor_of(a, first) == 0) first++;
  if (first == n || a->s->without_matrix) return SOFA_OK;
  if (ff->state[0] == ff->state[1] && !tangent->by_points) return add_pairs(a, tangent);
  for (size_t k = first; k < n; k++)
    if (!a->rates || factor_of(a, k) != 0)
      add_block(ff, &a->s->springs.data[k], factor_of(a, k), tangent);
  return SOFA_OK;
}

static SofaErr vector_spring_add_k(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  return add_matrix(ff, &(Assembled){(VectorSpringForceField *)ff, false}, tangent);
}

static SofaErr vector_spring_add_b(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  if (sofa_spring_damps_late(ff)) return SOFA_OK;
  return add_matrix(ff, &(Assembled){(VectorSpringForceField *)ff, true}, tangent);
}

static SofaErr vector_spring_energy(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, double *energy) {
  (void)params;
  const VectorSpringForceField *s = (VectorSpringForceField *)ff;
  double sum = 0;
  for (size_t n = 0; n < s->springs.n; n++) {
    const SofaVectorSpring *spring = &s->springs.data[n];
    double d[3];
    sofa_vec3_sub(at->x[1] + 3 * (size_t)spring->m2, at->x[0] + 3 * (size_t)spring->m1, d);
    sofa_vec3_sub(d, spring->rest, d);
    sum += spring->stiffness * sofa_vec3_dot(d, d);
  }
  *energy = 0.5 * sum;
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = vector_spring_add_force,
    .add_dforce = vector_spring_add_dforce,
    .add_k = vector_spring_add_k,
    .add_b = vector_spring_add_b,
    .potential_energy = vector_spring_energy,
    .tangent_is_dforce = true,
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const VectorSpringForceField *f = (const VectorSpringForceField *)object;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)f->force_field.state)) return;
  SofaState *const *state = f->force_field.state;
  for (size_t k = 0; k < f->springs.n && state[1]; k++)
    sofa_draw_link(args->list, (SofaStatePoint){state[0], f->springs.data[k].m1},
                   (SofaStatePoint){state[1], f->springs.data[k].m2}, 1, SOFA_RGB(1, 0, 0));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(VectorSpringForceField) = {
    SOFA_NAMED(VectorSpringForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Linear springs between points of one state or of two that resist every change of the "
            "vector between their ends.",
    .equations = "f_1 = k (x_2 - x_1 - d_0) + c (v_2 - v_1), f_2 = -f_1",
    .base = &sofa_interaction_force_field_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .bwd_init = vector_spring_bwd_init,
    .destroy = vector_spring_destroy,
    .checkpoint = &checkpoint_ops,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
