/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SpringForceField: linear springs between listed points. */
#include "behavior/state_division.h"
#include "change/topology_change.h"
#include "components/solidmechanics/spring/SpringForceField.h"
#include "object/checkpoint.h"
#include "topology/ties.h"

enum { QUIRK_IDLE_SPRING_ENERGY = 1 << 20 };
static const SofaQuirk quirks[] = {
    {QUIRK_IDLE_SPRING_ENERGY, "idle-spring-energy",
     "the energy of linear springs counts those that are disabled, slack or without length",
     "test_quirks_elements.springs"},
    QUIRK_SPRING_DAMPING_MATRIX_ROW,
};

typedef SpringForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(arrow_size, "showArrowSize", "0.01", "m", "size of drawn arrows",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(draw_mode, "drawMode", "0", "", "how springs are drawn", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(stiffness, "stiffness", "100", "N/m",
             "stiffness of the springs; a short list is continued with its last value",
             .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(damping, "damping", "5", "N s/m",
             "damping along the springs; a short list is continued with its last value",
             .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(spring, "spring", NULL, "",
             "springs, 5 numbers each: first point, second point, stiffness, damping, rest length; "
             "replaces all other lists"),
    SOFA_ROW(lengths, "lengths", NULL, "m",
             "rest lengths; a short list is continued with its last value; empty: 0",
             .aliases = "length", .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(elongation_only, "elongationOnly", "0", "", "springs that pull but do not push"),
    SOFA_ROW(enabled, "enabled", "1", "", "springs that act"),
    SOFA_ROW(indices1, "springsIndices1", NULL, "", "first points", .aliases = "indices1"),
    SOFA_ROW(indices2, "springsIndices2", NULL, "", "second points, as many",
             .aliases = "indices2"),
};

static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(SpringForceField, springs,
                 SOFA_TABLE(SOFA_ENDS(SOFA_STATE_FIRST, SOFA_STATE_SECOND))),
};

/* ---- springs ---- */

static SofaErr take_text(SpringForceField *s) {
  SofaObject *object = &s->force_field.object;
  const double *value = s->spring.data;
  if (s->spring.n % 5)
    return sofa_field_fail(object, "spring", SOFA_ERR_PARSE,
                           "%zu numbers are not whole springs of 5 (m1 m2 ks kd L)", s->spring.n);
  SOFA_TRY(SOFA_RESIZE(object->ctx, &s->springs, s->spring.n / 5));
  for (size_t k = 0; k < s->springs.n; k++, value += 5) {
    for (int end = 0; end < 2; end++) {
      if (value[end] >= 0 && value[end] < UINT32_MAX && value[end] == (uint32_t)value[end])
        continue;
      return sofa_field_fail(object, "spring", SOFA_ERR_RANGE,
                             "spring %zu: %g is not an index of a point", k, value[end]);
    }
    SOFA_TRY(sofa_spring_check_values(object, "spring", value + 2, 3));
    s->springs.data[k] = (SofaSpring){.m1 = (uint32_t)value[0],
                                      .m2 = (uint32_t)value[1],
                                      .stiffness = value[2],
                                      .damping = value[3],
                                      .length = value[4],
                                      .enabled = true};
  }
  return SOFA_OK;
}

/* Entry k of a list that goes on with its last value. */
static double real_at(const SofaReals *list, size_t k, double none) {
  return list->n ? list->data[k < list->n ? k : list->n - 1] : none;
}
static bool bool_at(const SofaBools *list, size_t k, bool none) {
  return list->n ? list->data[k < list->n ? k : list->n - 1] : none;
}

/* A list longer than the springs is a mistake, except for one value: the default of no springs. */
static void tell_rest(const SpringForceField *s) {
  const struct {
    const char *name;
    size_t n;
  } list[] = {{"stiffness", s->stiffness.n},
              {"damping", s->damping.n},
              {"lengths", s->lengths.n},
              {"elongationOnly", s->elongation_only.n},
              {"enabled", s->enabled.n}};
  for (size_t i = 0; i < SOFA_COUNT(list); i++)
    if (list[i].n > 1 && list[i].n > s->springs.n)
      sofa_object_message(&s->force_field.object, SOFA_WARNING,
                          "field '%s': has %zu values, expected %zu at most, one for each spring: "
                          "the rest is not used",
                          list[i].name, list[i].n, s->springs.n);
}

static SofaErr take_lists(SpringForceField *s) {
  SofaObject *object = &s->force_field.object;
  if (s->indices1.n != s->indices2.n)
    return sofa_field_fail(object, "springsIndices2", SOFA_ERR_ARGUMENT,
                           "has %zu points, springsIndices1 has %zu", s->indices2.n, s->indices1.n);
  SOFA_TRY(SOFA_RESIZE(object->ctx, &s->springs, s->indices1.n));
  for (size_t k = 0; k < s->springs.n; k++)
    s->springs.data[k] = (SofaSpring){.m1 = s->indices1.data[k],
                                      .m2 = s->indices2.data[k],
                                      .stiffness = real_at(&s->stiffness, k, 0),
                                      .damping = real_at(&s->damping, k, 0),
                                      .length = real_at(&s->lengths, k, 0),
                                      .elongation_only = bool_at(&s->elongation_only, k, false),
                                      .enabled = bool_at(&s->enabled, k, true)};
  // classes that make springs of a mesh have none yet
  if (sofa_object_class_of(object) == &sofa_SpringForceField_class) tell_rest(s);
  return SOFA_OK;
}

/* ---- states that are divided among processes ---- */

/* Before init: the ends of the springs that the scene lists. */
static SofaErr spring_ties(const SofaObject *object, const SofaObject **state, SofaTies *out) {
  const SpringForceField *s = (const SpringForceField *)object;
  const SofaObject *first = s->force_field.object1.target, *second = s->force_field.object2.target;
  const SofaState *own = sofa_node_state(object->node);
  if (!first && own) first = &own->object;
  if (!second && own) second = &own->object;
  if (!first || first != second) return SOFA_OK;
  *state = first;
  for (size_t k = 0; k < s->spring.n / 5; k++) {
    const double *end = s->spring.data + 5 * k;
    if (!(end[0] >= 0 && end[1] >= 0 && end[0] < UINT32_MAX && end[1] < UINT32_MAX)) continue;
    const SofaEdge pair = {{(uint32_t)end[0], (uint32_t)end[1]}};
    SOFA_TRY(SOFA_APPEND(object->ctx, &out->pairs, &pair));
  }
  for (size_t k = 0; !s->spring.n && k < s->indices1.n && k < s->indices2.n; k++) {
    const SofaEdge pair = {{s->indices1.data[k], s->indices2.data[k]}};
    SOFA_TRY(SOFA_APPEND(object->ctx, &out->pairs, &pair));
  }
  return SOFA_OK;
}

/* Local points of the springs. here[k]: this process has both of spring k. */
static SofaErr find_ends(SpringForceField *s, const SofaDivision *division, uint8_t *here) {
  for (size_t k = 0; k < s->springs.n; k++) {
    SofaSpring *spring = &s->springs.data[k];
    uint32_t *const end[2] = {&spring->m1, &spring->m2};
    here[k] = 1;
    for (int i = 0; i < 2; i++) {
      if (*end[i] >= division->n_whole)
        return sofa_field_fail(&s->force_field.object, "spring", SOFA_ERR_RANGE,
                               "spring %zu: point %u does not exist, the whole mesh has %zu points",
                               k, *end[i], division->n_whole);
      *end[i] = sofa_division_local(division, *end[i]);
      here[k] &= *end[i] != SOFA_NO_ELEMENT;
    }
  }
  return SOFA_OK;
}

/* Leaves the springs that this process is the lowest to have both points of. */
static SofaErr keep_own(SpringForceField *s, const uint8_t *all) {
  const SofaContext *ctx = s->force_field.object.ctx;
  const size_t n = s->springs.n, n_processes = (size_t)sofa_process_count(ctx);
  size_t kept = 0;
  for (size_t k = 0; k < n; k++) {
    size_t r = 0;
    while (r < n_processes && !all[r * n + k]) r++;
    if (r == n_processes) sofa_process_refuse(ctx);
    if (r == n_processes)
      return sofa_field_fail(&s->force_field.object, "spring", SOFA_ERR_UNSUPPORTED,
                             "spring %zu is not supported yet: no process has both of its points",
                             k);
    if (r == (size_t)sofa_process_rank(ctx)) s->springs.data[kept++] = s->springs.data[k];
  }
  s->springs.n = kept;
  return SOFA_OK;
}

static bool has_linked_ends(const SofaObject *object) {
  static const char *const names[] = {"spring", "springsIndices1", "springsIndices2"};
  for (size_t i = 0; i < SOFA_COUNT(names); i++)
    if (sofa_field_state(object, sofa_class_field(object->klass, names[i]))->source) return true;
  return false;
}

/* The scene has numbers of the whole mesh. */
static SofaErr divide_springs(SpringForceField *s) {
  const SofaForceField *ff = &s->force_field;
  SofaContext *ctx = ff->object.ctx;
  const SofaDivision *division = sofa_state_division(ff->state[0]);
  const size_t n = s->springs.n;
  if ((division || sofa_state_division(ff->state[1])) && ff->state[0] != ff->state[1])
    return sofa_object_undivided(&ff->object, "springs between two states of which one is "
                                              "divided among processes");
  if (!division || !n) return SOFA_OK;
  if (has_linked_ends(&ff->object))
    return sofa_object_undivided(&ff->object, "springs that other objects list, of a mesh that "
                                              "is divided among processes");
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  uint8_t *here = SOFA_SCRATCH(ctx, uint8_t, n),
          *all = SOFA_SCRATCH(ctx, uint8_t, n * (size_t)sofa_process_count(ctx));
  SofaErr err = here && all ? find_ends(s, division, here) : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = sofa_process_collect(ctx, n, here, all);
  if (err == SOFA_OK) err = keep_own(s, all);
  sofa_scratch_release(ctx, mark);
  return err;
}

/* Checks the points of all springs and makes room for their tangents; states below this node have
 * their size only now. */
static SofaErr spring_bwd_init(SofaObject *object) {
  SpringForceField *s = (SpringForceField *)object;
  for (size_t k = 0; k < s->springs.n; k++) {
    const SofaSpring *spring = &s->springs.data[k];
    for (int end = 0; end < 2; end++) {
      const SofaErr err =
          sofa_spring_check_end(&s->force_field, "spring", k, end, end ? spring->m2 : spring->m1);
      if (err == SOFA_OK) continue;
      s->springs.n = 0;
      return err;
    }
  }
  s->space.sums = &s->sums;
  s->space.edges = &s->edges;
  SOFA_TRY(sofa_spring_sums_make(&s->springs, s->space, s->force_field.state, &s->sums));
  s->n_assembled = s->springs.n;
  sofa_free(object->ctx, s->tangents);
  s->tangents =
      sofa_alloc(object->ctx, sofa_spring_kept(s->springs.n, s->space), sizeof *s->tangents);
  return s->tangents ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr spring_init(SofaObject *object) {
  SpringForceField *s = (SpringForceField *)object;
  s->space = sofa_spring_space(s->force_field.state[0]);
  SOFA_TRY(s->spring.n ? take_text(s) : take_lists(s));
  return object->ctx->processes ? divide_springs(s) : SOFA_OK;
}

/* Springs that were given while the scene is open. Classes that make springs of a mesh do so
 * themselves. */
static SofaErr spring_reinit(SofaObject *object) {
  const SpringForceField *s = (const SpringForceField *)object;
  if (sofa_object_class_of(object) != &sofa_SpringForceField_class) return SOFA_OK;
  if (s->renumbered)
    return sofa_object_fail(object, SOFA_ERR_UNSUPPORTED,
                            "its springs have followed topological changes: others cannot be given "
                            "in this run");
  SOFA_TRY(spring_init(object));
  return spring_bwd_init(object);
}

static void spring_destroy(SofaObject *object) {
  SpringForceField *s = (SpringForceField *)object;
  sofa_free(object->ctx, s->tangents);
  sofa_element_sums_free(object->ctx, &s->sums);
  sofa_edge_assembly_free(object->ctx, &s->edges);
}

/* ---- forces ---- */

static SofaErr spring_add_force(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *const *f) {
  (void)params;
  SpringForceField *s = (SpringForceField *)ff;
  sofa_springs_force(&s->springs, s->space, at, f, s->tangents);
  return SOFA_OK;
}

static SofaErr spring_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  const SpringForceField *s = (SpringForceField *)ff;
  sofa_springs_dforce(&s->springs, s->space, sofa_spring_factors(ff, params), dx, df, s->tangents);
  return SOFA_OK;
}

static SofaErr spring_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                            const SofaTangent *tangent) {
  (void)at;
  const SpringForceField *s = (SpringForceField *)ff;
  const SofaSprings assembled = {.data = s->springs.data, .n = s->n_assembled};
  return sofa_springs_add_k(&assembled, s->space, sofa_springs_only_state(ff), params->descends,
                            tangent, s->tangents);
}

static SofaErr spring_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                            const SofaTangent *tangent) {
  (void)params, (void)at;
  const SpringForceField *s = (SpringForceField *)ff;
  const SofaSprings assembled = {.data = s->springs.data, .n = s->n_assembled};
  if (sofa_spring_damps_late(ff)) return SOFA_OK;
  return sofa_springs_add_b(&assembled, s->space, sofa_springs_only_state(ff), tangent,
                            s->tangents);
}

static SofaErr spring_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                       const SofaPoint *at, double *energy) {
  (void)params;
  const SpringForceField *s = (SpringForceField *)ff;
  const SofaSprings counted = {.data = s->springs.data, .n = s->n_assembled};
  double idle = 0;
  *energy = sofa_springs_energy(&counted, s->space, at->x, &idle);
  if (idle != 0 && sofa_quirk(&ff->object, QUIRK_IDLE_SPRING_ENERGY)) *energy += idle;
  return SOFA_OK;
}

/* ---- topological changes ---- */

static SofaErr spring_done(SofaObject *object) {
  ((SpringForceField *)object)->renumbered = true;
  return sofa_object_run(object, SOFA_RUN_BWD_INIT);
}

static const SofaTopologyListenerOps listener = {.done = spring_done};

static const SofaForceFieldOps force_field_ops = {
    .add_force = spring_add_force,
    .add_dforce = spring_add_dforce,
    .add_k = spring_add_k,
    .add_b = spring_add_b,
    .potential_energy = spring_potential_energy,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* Springs between two bodies count as interactions. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SpringForceField *s = (const SpringForceField *)object;
  const SofaState *state[2] = {s->force_field.state[0], s->force_field.state[1]};
  if (!state[0] || !state[1]) return;
  const SofaDisplayFlag flag =
      state[0] == state[1] ? SOFA_DISPLAY_FORCE_FIELDS : SOFA_DISPLAY_INTERACTION_FORCE_FIELDS;
  if (sofa_display_shows(args->flags, flag))
    sofa_springs_draw(&s->springs, state, s->draw_mode, s->arrow_size, args->list);
}

static const SofaDrawOps draw_ops = {.draw = draw};
static const SofaTiesOps ties_ops = {.ties = spring_ties};

static const char *const templates[] = {"Vec3d", "Rigid3d", "Vec1d", "Vec2d", "Vec6d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SpringForceField, tangents),
    SOFA_REMADE(SpringForceField, edges),
};

SOFA_CLASS(SpringForceField) = {
    SOFA_NAMED(SpringForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Linear damped springs between points of one state or of two. Of rigid frames, the "
            "centres are joined.",
    .equations = "f_1 = (k (l - l_0) + c l') u, f_2 = -f_1\n"
                 "u = (x_2 - x_1)/l, l = |x_2 - x_1|, l' = u.(v_2 - v_1)\n"
                 "\"k, c and l_0: stiffness, damping and rest length of a spring\"",
    .base = &sofa_interaction_force_field_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .init = spring_init,
    .bwd_init = spring_bwd_init,
    .reinit = spring_reinit,
    .destroy = spring_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}, {SOFA_TIES, &ties_ops}),
};
