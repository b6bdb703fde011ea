/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear systems: the assembled matrix against the products of the mechanics, with mapped states,
 * interactions, constraints, and SOFA's oddities on demand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "behavior/linear_system.h"
#include "components/builtins.h"
#include "dense.h"
#include "object/factory.h"
#include "simulation/mechanics.h"
#include "simulation/simulation.h"

/* ---- a force field with random K and B over its one or two states ---- */

typedef struct RandomForce {
  SofaForceField ff;
  Dense k, b;
} RandomForce;

static size_t n_dofs(const SofaState *s) {
  return s ? sofa_state_size(s) * sofa_state_kind_info(s->object.kind)->deriv : 0;
}

static SofaErr random_add_force(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                                double *const *f) {
  (void)at;
  (void)ff, (void)p;
  for (size_t s = 0; s < ff->n_states; s++)
    for (size_t i = 0; i < n_dofs(ff->state[s]); i++) f[s][i] += 0.5 + (double)i;
  return SOFA_OK;
}

static SofaErr random_add_dforce(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                                 const double *const *moves, double *const *changes) {
  (void)at;
  RandomForce *r = (RandomForce *)ff;
  const size_t n0 = n_dofs(ff->state[0]), n = n0 + n_dofs(ff->state[1]);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      const double dx = j < n0 ? moves[0][j] : moves[1][j - n0];
      double *df = i < n0 ? &changes[0][i] : &changes[1][i - n0];
      *df += (sofa_kfactor(ff, p) * *dense_at(&r->k, i, j) + p->b * *dense_at(&r->b, i, j)) * dx;
    }
  }
  return SOFA_OK;
}

static void add_dense(const SofaForceField *ff, Dense *d, const SofaTangent *t) {
  double block[36];
  for (int a = 0; a < 2 && ff->state[a]; a++) {
    for (int b = 0; b < 2 && ff->state[b]; b++) {
      const size_t da = sofa_state_kind_info(ff->state[a]->object.kind)->deriv;
      const size_t db = sofa_state_kind_info(ff->state[b]->object.kind)->deriv;
      for (uint32_t i = 0; i < sofa_state_size(ff->state[a]); i++) {
        for (uint32_t j = 0; j < sofa_state_size(ff->state[b]); j++) {
          for (size_t r = 0; r < da; r++)
            for (size_t c = 0; c < db; c++)
              block[r * db + c] = *dense_at(d, (a ? n_dofs(ff->state[0]) : 0) + i * da + r,
                                            (b ? n_dofs(ff->state[0]) : 0) + j * db + c);
          sofa_tangent_add(t, a, i, b, j, block);
        }
      }
    }
  }
}
static SofaErr random_add_k(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                            const SofaTangent *t) {
  (void)at;
  (void)p;
  add_dense(ff, &((RandomForce *)ff)->k, t);
  return SOFA_OK;
}
static SofaErr random_add_b(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                            const SofaTangent *t) {
  (void)at;
  (void)p;
  add_dense(ff, &((RandomForce *)ff)->b, t);
  return SOFA_OK;
}
static void random_destroy(SofaObject *object) {
  free(((RandomForce *)object)->k.a);
  free(((RandomForce *)object)->b.a);
}

static const SofaForceFieldOps random_ops = {.add_force = random_add_force,
                                             .add_dforce = random_add_dforce,
                                             .add_k = random_add_k,
                                             .add_b = random_add_b};
static const SofaForceFieldOps exact_ops = {.add_force = random_add_force,
                                            .add_dforce = random_add_dforce,
                                            .add_k = random_add_k,
                                            .add_b = random_add_b,
                                            .tangent_is_dforce = true};
static const SofaForceFieldOps no_matrix_ops = {.add_force = random_add_force,
                                                .add_dforce = random_add_dforce};
#define FORCE_CLASS(variable, table)                                                               \
  static const SofaClass variable = {.name = #variable,                                            \
                                     .help = "A force of a test.",                                 \
                                     .base = &sofa_object_class,                                   \
                                     .size = sizeof(RandomForce),                                  \
                                     .destroy = random_destroy,                                    \
                                     SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &(table)})}
FORCE_CLASS(random_force, random_ops);
FORCE_CLASS(exact_force, exact_ops);
FORCE_CLASS(force_without_matrix, no_matrix_ops);

/* ---- a mapping with a random J, optionally one that bends forces ---- */

typedef struct RandomMapping {
  SofaMapping mapping;
  SofaState *in[3];
  Dense j[3]; /* zeros are left out of the Jacobian */
  Dense bend; /* dJ^T/dx f_out of input 0, whatever f_out */
  uint32_t *start[3], *column[3];
  double *value[3];
} RandomMapping;

static SofaErr map_none(SofaMapping *m, const SofaPoint *at, double *out) {
  (void)m, (void)at, (void)out;
  return SOFA_OK;
}
static SofaErr map_djt(SofaMapping *mapping, const SofaPoint *at, double factor, const double *f,
                       const double *const *dx, double *const *df) {
  (void)at;
  (void)f;
  RandomMapping *r = (RandomMapping *)mapping;
  for (size_t i = 0; i < r->bend.rows; i++)
    for (size_t j = 0; j < r->bend.rows; j++)
      df[0][i] += factor * *dense_at(&r->bend, i, j) * dx[0][j];
  return SOFA_OK;
}
static SofaErr map_add_djt(SofaMapping *mapping, const SofaPoint *at, const double *f,
                           const SofaTangent *t) {
  (void)at;
  (void)f;
  RandomMapping *r = (RandomMapping *)mapping;
  const size_t d = sofa_state_kind_info(r->in[0]->object.kind)->deriv;
  double block[36];
  for (uint32_t i = 0; i < sofa_state_size(r->in[0]); i++) {
    for (uint32_t j = 0; j < sofa_state_size(r->in[0]); j++) {
      for (size_t e = 0; e < d * d; e++)
        block[e] = *dense_at(&r->bend, i * d + e / d, j * d + e % d);
      sofa_tangent_add(t, 0, i, 0, j, block);
    }
  }
  return SOFA_OK;
}
static SofaErr map_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                            SofaJacobian *out) {
  RandomMapping *r = (RandomMapping *)mapping;
  (void)at;
  Dense *j = &r->j[k];
  uint32_t n = 0;
  for (size_t i = 0; i < j->rows; i++) {
    for (size_t c = 0; c < j->columns; c++) {
      if (*dense_at(j, i, c) == 0) continue;
      r->column[k][n] = (uint32_t)c;
      r->value[k][n++] = *dense_at(j, i, c);
    }
    r->start[k][i + 1] = n;
  }
  *out = (SofaJacobian){j->rows, j->columns, r->start[k], r->column[k], r->value[k]};
  return SOFA_OK;
}
static void map_destroy(SofaObject *object) {
  RandomMapping *r = (RandomMapping *)object;
  for (int k = 0; k < 3; k++)
    free(r->j[k].a), free(r->start[k]), free(r->column[k]), free(r->value[k]);
  free(r->bend.a);
  r->mapping.inputs = NULL; // not owned here
  sofa_mapping_free(&r->mapping);
}

#define MAPPING_CLASS(variable, ...)                                                               \
  static const SofaMappingOps variable##_ops = {                                                   \
      .apply = map_none, .jacobian = map_jacobian, __VA_ARGS__};                                   \
  static const SofaClass variable = {.name = #variable,                                            \
                                     .help = "A mapping of a test.",                               \
                                     .base = &sofa_object_class,                                   \
                                     .size = sizeof(RandomMapping),                                \
                                     .destroy = map_destroy,                                       \
                                     SOFA_IMPLEMENTS({SOFA_MAPPING, &variable##_ops})}
MAPPING_CLASS(linear_mapping, .linear = true);
MAPPING_CLASS(bending_mapping, .apply_djt = map_djt, .add_djt = map_add_djt);
MAPPING_CLASS(mute_mapping, .apply_djt = map_djt);

/* ---- the stage ---- */

typedef struct Stage {
  SofaContext *ctx;
  SofaSimulation *simulation;
  SofaMechanics *m;
  uint64_t seed;
  char said[500];
  int n_warnings, n_errors;
  SofaMechPoint at; /* the state, once there is a plan */
} Stage;

static void stage_sink(void *user, const SofaMessage *message) {
  Stage *s = user;
  s->n_warnings += message->severity == SOFA_WARNING;
  s->n_errors += message->severity >= SOFA_ERROR;
  if (message->severity >= SOFA_WARNING) snprintf(s->said, sizeof s->said, "%s", message->text);
}

static void stage_open(Stage *s, bool quirks) {
  *s = (Stage){.seed = 99};
  const SofaContextOptions options = {.sink = stage_sink, .sink_user = s, .quirks = quirks};
  assert_int_equal(sofa_context_create(&options, &s->ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(s->ctx), SOFA_OK);
  assert_int_equal(sofa_simulation_create(s->ctx, &s->simulation), SOFA_OK);
}

static void stage_close(Stage *s) {
  sofa_simulation_destroy(&s->simulation);
  sofa_context_destroy(&s->ctx);
}

static void *stage_object(Stage *s, const SofaClass *klass, const char *name, const char *kind) {
  SofaObject *object = NULL;
  assert_non_null(klass);
  assert_int_equal(sofa_object_create(s->simulation->root, klass, name, kind, &object), SOFA_OK);
  return object;
}

/* A state of n points in a node of its own. */
static SofaState *stage_state(Stage *s, const char *name, const char *kind, int n) {
  SofaNode *node = NULL;
  SofaObject *object = NULL;
  char text[16];
  snprintf(text, sizeof text, "%d", n);
  assert_int_equal(sofa_node_create(s->ctx, s->simulation->root, name, &node), SOFA_OK);
  assert_int_equal(sofa_object_create(node, sofa_factory_find(s->ctx, "MechanicalObject", NULL),
                                      "state", kind, &object),
                   SOFA_OK);
  assert_int_equal(sofa_state_resize((SofaState *)object, (size_t)n), SOFA_OK);
  return (SofaState *)object;
}

static Dense random_dense(Stage *s, size_t rows, size_t columns, double filled) {
  Dense d = dense_new(rows, columns);
  for (size_t k = 0; k < rows * columns; k++) {
    const double v = random_real(&s->seed);
    d.a[k] = (random_real(&s->seed) + 1) / 2 < filled ? v : 0;
  }
  return d;
}

static RandomForce *stage_force(Stage *s, const SofaClass *klass, SofaState *a, SofaState *b) {
  RandomForce *f = stage_object(s, klass, "force", "");
  const size_t n = n_dofs(a) + n_dofs(b);
  assert_int_equal(sofa_force_field_set_n_states(&f->ff, b ? 2 : 1), SOFA_OK);
  f->ff.state[0] = a;
  f->ff.state[1] = b;
  f->k = random_dense(s, n, n, 1);
  f->b = random_dense(s, n, n, 1);
  return f;
}

static RandomMapping *stage_mapping(Stage *s, const SofaClass *klass, SofaState *out, size_t n,
                                    SofaState *const *in) {
  RandomMapping *r = stage_object(s, klass, "mapping", "");
  for (size_t k = 0; k < n; k++) {
    r->in[k] = in[k];
    r->j[k] = random_dense(s, n_dofs(out), n_dofs(in[k]), 0.4);
    const size_t entries = r->j[k].rows * r->j[k].columns;
    r->start[k] = calloc(r->j[k].rows + 1, sizeof(uint32_t));
    r->column[k] = calloc(entries + 1, sizeof(uint32_t));
    r->value[k] = calloc(entries + 1, sizeof(double));
  }
  r->bend = random_dense(s, n_dofs(in[0]), n_dofs(in[0]), 1);
  r->mapping.inputs = r->in;
  r->mapping.n_inputs = n;
  r->mapping.out = out;
  r->mapping.mechanical = r->mapping.map_forces = r->mapping.map_masses = true;
  return r;
}

static void stage_plan(Stage *s) {
  assert_int_equal(sofa_node_mechanics(s->simulation->root, &s->m), SOFA_OK);
  const SofaMechParams p = sofa_mech_params(0.1, 0, 0, 0, 0);
  s->at = sofa_mech_point(s->m, s->m->x, s->m->v, 0);
  assert_int_equal(sofa_mech_compute_force(s->m, &p, &s->at, s->m->f), SOFA_OK);
}

static SofaLinearSystem *stage_system(Stage *s, const char *klass, const char *const *fields) {
  const bool free = strcmp(klass, "MatrixFreeSystem") == 0;
  SofaLinearSystem *system = stage_object(s, sofa_factory_find(s->ctx, klass, NULL), "system",
                                          free ? "GraphScattered" : "CompressedRowSparseMatrixd");
  for (size_t i = 0; fields && fields[i]; i += 2)
    assert_int_equal(sofa_field_set_text(&system->object, fields[i], fields[i + 1], 0), SOFA_OK);
  return system;
}

/* Column by column, the operator of the mechanics' own products. */
static Dense products(Stage *s, const SofaMechParams *p) {
  const size_t n = s->m->n_v_main;
  Dense d = dense_new(n, n);
  double *dx = calloc(s->m->n_v + 1, 8), *df = calloc(s->m->n_v + 1, 8);
  for (size_t j = 0; j < n; j++) {
    memset(dx, 0, s->m->n_v * sizeof *dx);
    memset(df, 0, s->m->n_v * sizeof *df);
    dx[j] = 1;
    assert_int_equal(sofa_mech_propagate_dx(s->m, &s->at, dx), SOFA_OK);
    assert_int_equal(sofa_mech_add_mbk(s->m, p, &s->at, dx, df), SOFA_OK);
    for (size_t i = 0; i < n; i++) *dense_at(&d, i, j) = df[i];
  }
  free(dx), free(df);
  return d;
}

static double worst(const Dense *a, const Dense *b) {
  double size = 0;
  for (size_t k = 0; k < a->rows * a->columns; k++) size = fmax(size, fabs(a->a[k]));
  return dense_difference(a, b) / size;
}

/* Builds twice (the second time nothing may be allocated) and compares with the products. */
static void check_assembled(Stage *s, SofaLinearSystem *system, const SofaMechParams *p) {
  for (int build = 0; build < 3; build++) {
    const uint64_t allocations = s->ctx->n_allocations;
    assert_int_equal(sofa_linear_system_build(system, s->m, p, &s->at), SOFA_OK);
    if (build) assert_int_equal(s->ctx->n_allocations, allocations);
    Dense expected = products(s, p), got = dense_of(sofa_linear_system_matrix(system));
    assert_true(worst(&expected, &got) < 1e-13);
    free(expected.a), free(got.a);
  }
}

/* a: two main states of other kinds, an interaction */
static void main_states(void **state) {
  (void)state;
  Stage s;
  stage_open(&s, false);
  SofaState *a = stage_state(&s, "a", "Vec3d", 4), *b = stage_state(&s, "b", "Rigid3d", 2);
  SofaState *c = stage_state(&s, "c", "Vec1d", 3);
  stage_force(&s, &random_force, a, NULL);
  stage_force(&s, &random_force, b, a);
  stage_force(&s, &random_force, c, c)->ff.rayleigh_stiffness = 0.25;
  SofaLinearSystem *system = stage_system(&s, "MatrixLinearSystem", NULL);
  stage_plan(&s);
  SofaMechParams p = sofa_mech_params(0.1, 0, 2, -0.3, -0.7);
  check_assembled(&s, system, &p);

  /* parts that are switched off, or have no factor */
  p.b = p.r = 0;
  check_assembled(&s, system, &p);
  p = sofa_mech_params(0.1, 0, 2, -0.3, 0);
  p.r = 0;
  check_assembled(&s, system, &p);
  assert_int_equal(s.n_warnings + s.n_errors, 0);
  assert_true(system->matrix_size.v[0] == (double)(12 + 12 + 3));
  stage_close(&s);
}

/* m1 <- a; m2 <- m1 and b; forces on all, interactions across */
static void build_mapped(Stage *s, const SofaClass *force, const SofaClass *mapping) {
  SofaState *a = stage_state(s, "a", "Vec3d", 4), *b = stage_state(s, "b", "Rigid3d", 2);
  SofaState *m1 = stage_state(s, "m1", "Vec3d", 3), *m2 = stage_state(s, "m2", "Vec2d", 2);
  SofaState *const in1[] = {a}, *const in2[] = {m1, b};
  stage_mapping(s, mapping, m1, 1, in1);
  stage_mapping(s, mapping, m2, 2, in2);
  stage_force(s, force, a, NULL);
  stage_force(s, force, m1, NULL);
  stage_force(s, force, m2, NULL);
  stage_force(s, force, m2, b);
  stage_force(s, force, m1, m2);
}

static void mapped_states(void **state) {
  (void)state;
  for (int bending = 0; bending < 2; bending++) {
    Stage s;
    stage_open(&s, false);
    build_mapped(&s, &random_force, bending ? &bending_mapping : &linear_mapping);
    SofaLinearSystem *system = stage_system(&s, "MatrixLinearSystem", NULL);
    stage_plan(&s);
    const SofaMechParams p = sofa_mech_params(0.1, 0, 2, -0.3, -0.7);
    check_assembled(&s, system, &p);

    /* a Jacobian with other values and another pattern */
    for (size_t i = 0; i < s.m->n_mappings; i++) {
      Dense *j = &((RandomMapping *)s.m->mappings[i])->j[0];
      for (size_t k = 0; k < j->rows * j->columns; k += 3) j->a[k] = j->a[k] == 0 ? 1 : 0;
    }
    check_assembled(&s, system, &p);
    stage_close(&s);
  }
}

static void refuses_missing_matrices(void **state) {
  (void)state;
  Stage s;
  stage_open(&s, false);
  build_mapped(&s, &random_force, &mute_mapping);
  SofaLinearSystem *system = stage_system(&s, "MatrixLinearSystem", NULL);
  stage_plan(&s);
  const SofaMechParams p = sofa_mech_params(0.1, 0, 2, -0.3, -0.7);
  assert_int_equal(sofa_linear_system_build(system, s.m, &p, &s.at), SOFA_ERR_UNSUPPORTED);
  assert_non_null(strstr(s.said, "geometric stiffness"));
  stage_close(&s);

  /* a force field that only has products is left out, with one warning */
  stage_open(&s, false);
  SofaState *a = stage_state(&s, "a", "Vec3d", 4);
  stage_force(&s, &force_without_matrix, a, NULL);
  system = stage_system(&s, "MatrixLinearSystem", NULL);
  stage_plan(&s);
  for (int i = 0; i < 2; i++)
    assert_int_equal(sofa_linear_system_build(system, s.m, &p, &s.at), SOFA_OK);
  assert_int_equal(s.n_warnings, 1);
  assert_non_null(strstr(s.said, "explicitly"));
  stage_close(&s);
}

static SofaErr setup_nothing(SofaMapping *mapping) {
  (void)mapping;
  return SOFA_OK;
}
static const SofaMappingOps blind_mapping_ops = {.setup = setup_nothing, .jacobian = map_jacobian};
static const SofaClass blind_mapping = {.name = "blind_mapping",
                                        .help = "A mapping of a test.",
                                        .base = &sofa_object_class,
                                        .size = sizeof(RandomMapping),
                                        .destroy = map_destroy,
                                        SOFA_IMPLEMENTS({SOFA_MAPPING, &blind_mapping_ops})};

/* Positions follow from the Jacobian alone only where the mapping is linear. */
static void refuses_missing_positions(void **state) {
  (void)state;
  Stage s;
  stage_open(&s, false);
  SofaState *in = stage_state(&s, "a", "Vec3d", 2), *out = stage_state(&s, "m1", "Vec3d", 2);
  RandomMapping *r = stage_mapping(&s, &blind_mapping, out, 1, &in);
  assert_int_equal(sofa_mapping_start(&r->mapping), SOFA_ERR_ARGUMENT);
  assert_non_null(strstr(s.said, "positions"));
  stage_close(&s);
}

/* The matrix-free operator, assembled where it can be, is the product. */
static void matrix_free(void **state) {
  (void)state;
  for (int exact = 0; exact < 2; exact++) {
    for (int mapped = 0; mapped < 2; mapped++) {
      Stage s;
      stage_open(&s, false);
      const SofaClass *force = exact ? &exact_force : &random_force;
      if (mapped) build_mapped(&s, force, &linear_mapping);
      stage_force(&s, force, stage_state(&s, "big", "Vec3d", 30), NULL);
      SofaLinearSystem *system = stage_system(&s, "MatrixFreeSystem", NULL);
      stage_plan(&s);
      const SofaMechParams p = sofa_mech_params(0.1, 0, 2, -0.3, -0.7);
      assert_int_equal(sofa_linear_system_build(system, s.m, &p, &s.at), SOFA_OK);
      assert_null(sofa_linear_system_matrix(system));
      Dense expected = products(&s, &p);
      double *x = calloc(s.m->n_v + 1, 8), *y = calloc(s.m->n_v + 1, 8),
             *z = calloc(s.m->n_v + 1, 8);
      for (size_t i = 0; i < s.m->n_v_main; i++) x[i] = random_real(&s.seed);
      dense_times(&expected, x, z);
      assert_int_equal(sofa_linear_system_ops(system)->apply(system, x, y), SOFA_OK);
      for (size_t i = 0; i < s.m->n_v_main; i++) assert_true(fabs(y[i] - z[i]) < 1e-11);
      free(expected.a), free(x), free(y), free(z);
      stage_close(&s);
    }
  }
}

static void enable_assembly(void **state) {
  (void)state;
  Stage s;
  stage_open(&s, false);
  RandomForce *f = stage_force(&s, &random_force, stage_state(&s, "a", "Vec3d", 2), NULL);
  SofaLinearSystem *system = stage_system(&s, "MatrixLinearSystem", NULL);
  stage_plan(&s);
  const SofaMechParams p = sofa_mech_params(0.1, 0, 0, 0, 1);
  system->enable_assembly = false;
  assert_int_equal(sofa_linear_system_build(system, s.m, &p, &s.at), SOFA_ERR_UNSUPPORTED);
  system->enable_assembly = true;
  assert_int_equal(sofa_linear_system_build(system, s.m, &p, &s.at), SOFA_OK);
  const double kept = f->k.a[0];
  f->k.a[0] = 100;
  system->enable_assembly = false;
  assert_int_equal(sofa_linear_system_build(system, s.m, &p, &s.at), SOFA_OK);
  assert_true(sofa_block_matrix_entry(sofa_linear_system_matrix(system), 0, 0) == kept);
  stage_close(&s);
}

/* ---- constraints ---- */

static void fix(Stage *s, SofaState *state, const char *indices, const char *end_time) {
  SofaObject *object = NULL;
  const SofaClass *klass = sofa_factory_find(s->ctx, "FixedProjectiveConstraint", NULL);
  const char *kind = sofa_state_kind_info(state->object.kind)->name;
  assert_int_equal(sofa_object_create(state->object.node, klass, "fixed", kind, &object), SOFA_OK);
  assert_int_equal(sofa_field_set_text(object, "indices", indices, 0), SOFA_OK);
  if (end_time) assert_int_equal(sofa_field_set_text(object, "endTime", end_time, 0), SOFA_OK);
  assert_int_equal(sofa_object_run(object, SOFA_RUN_INIT), SOFA_OK);
}

/* Which scalar rows became those of the identity. */
static void check_discarded(Stage *s, SofaLinearSystem *system, double time, const char *expected) {
  SofaMechParams p = sofa_mech_params(0.1, time, 2, -0.3, -0.7);
  assert_int_equal(sofa_linear_system_build(system, s->m, &p, &s->at), SOFA_OK);
  Dense full = products(s, &p), got = dense_of(sofa_linear_system_matrix(system));
  assert_int_equal(strlen(expected), full.rows);
  for (size_t i = 0; i < full.rows; i++)
    for (size_t j = 0; j < full.rows; j++)
      if (expected[i] == '1' || expected[j] == '1') *dense_at(&full, i, j) = i == j;
  assert_true(worst(&full, &got) < 1e-13);
  free(full.a), free(got.a);
}

static void constraints(void **state) {
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    Stage s;
    stage_open(&s, quirks);
    SofaState *a = stage_state(&s, "a", "Vec3d", 2), *b = stage_state(&s, "b", "Vec3d", 3);
    SofaState *m1 = stage_state(&s, "m1", "Vec3d", 2);
    stage_mapping(&s, &linear_mapping, m1, 1, &b);
    stage_force(&s, &random_force, a, b);
    stage_force(&s, &random_force, m1, NULL);
    fix(&s, b, "2", NULL);
    fix(&s, b, "0", "1.5");
    fix(&s, m1, "1", NULL);
    SofaLinearSystem *system = stage_system(&s, "MatrixLinearSystem", NULL);
    stage_plan(&s);
    check_discarded(&s, system, 0, quirks ? "000111111000111" : "000000111000111");
    assert_int_equal(s.n_warnings, 1); /* of the constraint on the mapped state */
    check_discarded(&s, system, 2, quirks ? "000111111000111" : "000000000000111");
    stage_close(&s);
  }
}

static void without_constraints(void **state) {
  (void)state;
  Stage s;
  stage_open(&s, false);
  SofaState *a = stage_state(&s, "a", "Vec3d", 2);
  stage_force(&s, &random_force, a, NULL);
  fix(&s, a, "1", NULL);
  const char *const fields[] = {"applyProjectiveConstraints", "0", NULL};
  SofaLinearSystem *system = stage_system(&s, "MatrixLinearSystem", fields);
  stage_plan(&s);
  check_discarded(&s, system, 0, "000000");
  stage_close(&s);
}

/* ---- SOFA's spurious blocks ---- */

/* target(row + i, column + j) += factor (L^T K R)(i, j); NULL: identity */
static void add_congruence(Dense *target, Dense *l, Dense *k, Dense *r, double factor, size_t row,
                           size_t column) {
  for (size_t i = 0; i < k->rows; i++)
    for (size_t j = 0; j < k->columns; j++)
      for (size_t a = l ? 0 : i; a < (l ? l->columns : i + 1); a++)
        for (size_t b = r ? 0 : j; b < (r ? r->columns : j + 1); b++)
          if (row + a < target->rows && column + b < target->rows)
            *dense_at(target, row + a, column + b) += factor * (l ? *dense_at(l, i, a) : 1) *
                                                      *dense_at(k, i, j) *
                                                      (r ? *dense_at(r, j, b) : 1);
}

static void cross_pairs(void **state) {
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    Stage s;
    stage_open(&s, quirks);
    SofaState *a = stage_state(&s, "a", "Vec3d", 3), *b = stage_state(&s, "b", "Vec3d", 4);
    SofaState *m1 = stage_state(&s, "m1", "Vec3d", 2);
    RandomMapping *map = stage_mapping(&s, &linear_mapping, m1, 1, &a);
    RandomForce *f = stage_force(&s, &random_force, m1, b);
    SofaLinearSystem *system = stage_system(&s, "MatrixLinearSystem", NULL);
    stage_plan(&s);
    const double k = -0.7;
    const SofaMechParams p = sofa_mech_params(0.1, 0, 0, 0, k);
    Dense expected = products(&s, &p);

    /* the pair (m1, b) and (b, m1): roots of either on both sides */
    const size_t n1 = n_dofs(m1), nb = n_dofs(b), at_b = n_dofs(a);
    Dense k12 = dense_new(n1, nb), k21 = dense_new(nb, n1), *j = &map->j[0];
    for (size_t r = 0; r < n1; r++) {
      for (size_t c = 0; c < nb; c++) {
        *dense_at(&k12, r, c) = *dense_at(&f->k, r, n1 + c);
        *dense_at(&k21, c, r) = *dense_at(&f->k, n1 + c, r);
      }
    }
    if (quirks) {
      add_congruence(&expected, j, &k12, NULL, k, 0, 0);
      add_congruence(&expected, NULL, &k12, NULL, k, at_b, 0);
      add_congruence(&expected, NULL, &k12, NULL, k, at_b, at_b);
      add_congruence(&expected, NULL, &k21, j, k, 0, 0);
      add_congruence(&expected, NULL, &k21, NULL, k, 0, at_b);
      add_congruence(&expected, NULL, &k21, NULL, k, at_b, at_b);
    }
    for (int build = 0; build < 2; build++) {
      assert_int_equal(sofa_linear_system_build(system, s.m, &p, &s.at), SOFA_OK);
      Dense got = dense_of(sofa_linear_system_matrix(system));
      assert_true(worst(&expected, &got) < 1e-13);
      free(got.a);
    }
    free(expected.a), free(k12.a), free(k21.a);
    stage_close(&s);
  }
}

/* ---- masses below mappings ---- */

static void kept_masses(void **state) {
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    Stage s;
    SofaObject *mass = NULL;
    stage_open(&s, quirks);
    SofaState *a = stage_state(&s, "a", "Vec3d", 3), *m1 = stage_state(&s, "m1", "Vec3d", 2);
    stage_mapping(&s, &linear_mapping, m1, 1, &a);
    stage_force(&s, &random_force, m1, NULL);
    assert_int_equal(sofa_object_create(m1->object.node,
                                        sofa_factory_find(s.ctx, "UniformMass", NULL), "mass",
                                        "Vec3d", &mass),
                     SOFA_OK);
    assert_int_equal(sofa_field_set_text(mass, "vertexMass", "2.5", 0), SOFA_OK);
    assert_int_equal(sofa_object_run(mass, SOFA_RUN_INIT), SOFA_OK);
    SofaLinearSystem *system = stage_system(&s, "MatrixLinearSystem", NULL);
    stage_plan(&s);
    for (int build = 1; build <= 4; build++) {
      SofaMechParams p = sofa_mech_params(0.1, 0, build, 0, -0.7);
      assert_int_equal(sofa_linear_system_build(system, s.m, &p, &s.at), SOFA_OK);
      if (quirks && build > 2) p.m = 2;
      Dense expected = products(&s, &p), got = dense_of(sofa_linear_system_matrix(system));
      assert_true(worst(&expected, &got) < 1e-13);
      free(expected.a), free(got.a);
    }
    stage_close(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(main_states),
      cmocka_unit_test(mapped_states),
      cmocka_unit_test(refuses_missing_matrices),
      cmocka_unit_test(refuses_missing_positions),
      cmocka_unit_test(matrix_free),
      cmocka_unit_test(enable_assembly),
      cmocka_unit_test(constraints),
      cmocka_unit_test(without_constraints),
      cmocka_unit_test(cross_pairs),
      cmocka_unit_test(kept_masses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
