/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The check of tangents: classes that are wrong on purpose are found, and nothing changes. */
#include <math.h>

#include "base/abi.h"
#include "numerics/check/check.h"
#include "scene/checkpoint.h"
#include "tests/support/scene_run.h"

/* E = k/4 |x|^4 of each point, with a mistake. */
typedef enum Mistake { NONE, TANGENT, MATRIX, ENERGY, ASYMMETRIC, VELOCITY, KNOWN, KINK } Mistake;
typedef struct Quartic {
  SofaForceField force_field;
  int mistake;
} Quartic;

static const SofaField fields[] = {
    SOFA_FIELD(Quartic, mistake, "mistake", "0", "", "which one"),
};

static double square(const double *x) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

static bool has(const SofaForceField *ff, Mistake mistake) {
  return ((const Quartic *)ff)->mistake == (int)mistake;
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                         double *const *f) {
  (void)p;
  for (size_t i = 0; i < ff->state[0]->position.n; i++)
    for (int c = 0; c < 3; c++) {
      const double *x = at->x[0] + 3 * i;
      f[0][3 * i + (size_t)c] -= square(x) * x[c] + (has(ff, KINK) ? fabs(x[0] - 1) : 0);
      if (has(ff, VELOCITY)) f[0][3 * i + (size_t)c] -= 2 * at->v[0][3 * i + (size_t)c];
    }
  return SOFA_OK;
}

static void block_of(const SofaForceField *ff, const double *x, bool matrix, double block[9]) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      block[3 * r + c] = -2 * x[r] * x[c] - (r == c ? square(x) : 0);
      if (has(ff, TANGENT) || (has(ff, MATRIX) && matrix)) block[3 * r + c] *= 1.01;
      if (has(ff, KNOWN) && r == c) block[3 * r + c] = 0;
      if (has(ff, ASYMMETRIC) && r < c) block[3 * r + c] += 0.5;
    }
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  double block[9];
  for (size_t i = 0; i < ff->state[0]->position.n; i++) {
    block_of(ff, at->x[0] + 3 * i, false, block);
    for (size_t e = 0; e < 9; e++)
      df[0][3 * i + e / 3] += sofa_kfactor(ff, p) * block[e] * dx[0][3 * i + e % 3];
    for (size_t c = 0; has(ff, VELOCITY) && c < 3; c++)
      df[0][3 * i + c] -= p->b * 3 * dx[0][3 * i + c];
  }
  return SOFA_OK;
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                     const SofaTangent *tangent) {
  double block[9];
  (void)p;
  for (uint32_t i = 0; i < ff->state[0]->position.n; i++) {
    block_of(ff, at->x[0] + 3 * i, true, block);
    sofa_tangent_add(tangent, 0, i, 0, i, block);
  }
  return SOFA_OK;
}

static SofaErr energy(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                      double *out) {
  (void)p;
  *out = 0;
  for (size_t i = 0; i < ff->state[0]->position.n; i++)
    *out += pow(square(at->x[0] + 3 * i), 2) / (has(ff, ENERGY) ? 5 : 4);
  return SOFA_OK;
}

static const SofaApproximation left_out = {"the tangent leaves out its diagonal", false};
static const SofaApproximation *approximation(const SofaForceField *ff) {
  return has(ff, KNOWN) ? &left_out : NULL;
}
static bool conservative(const SofaForceField *ff) {
  return !has(ff, KINK);
}

static const SofaForceFieldOps ops = {.add_force = add_force,
                                      .add_dforce = add_dforce,
                                      .add_k = add_k,
                                      .potential_energy = energy,
                                      .conservative = conservative,
                                      .approximation = approximation,
                                      .tangent_is_dforce = true};
static const char *const templates[] = {"Vec3d", NULL};
static const SofaClass quartic = {.name = "Quartic",
                                  .module = "tests",
                                  .category = "ForceField",
                                  .help = "A force that may be wrong.",
                                  .base = &sofa_force_field_class,
                                  .size = sizeof(Quartic),
                                  SOFA_FIELDS(fields),
                                  .templates = templates,
                                  SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops})};

/* ---- a mapping x -> x^2 of each number ---- */

typedef struct Squares {
  SofaMapping mapping;
  int mistake;
  size_t n;
  uint32_t *start, *column;
  double *value;
} Squares;
enum { WRONG_J = 1, WRONG_TRANSPOSE, WRONG_GEOMETRIC };

static const SofaField squares_fields[] = {
    SOFA_FIELD(Squares, mistake, "mistake", "0", "", "which one"),
};

static SofaErr squares_setup(SofaMapping *map) {
  Squares *s = (Squares *)map;
  SofaContext *ctx = map->object.ctx;
  s->n = map->inputs[0]->position.n;
  if (s->start) return SOFA_OK;
  s->start = sofa_alloc(ctx, s->n + 1, sizeof *s->start);
  s->column = sofa_alloc(ctx, s->n, sizeof *s->column);
  s->value = sofa_alloc(ctx, s->n, sizeof *s->value);
  return sofa_state_resize(map->out, s->n);
}

static SofaErr squares_apply(SofaMapping *map, const SofaPoint *at, double *out) {
  for (size_t i = 0; i < ((Squares *)map)->n; i++) out[i] = at->x[0][i] * at->x[0][i];
  return SOFA_OK;
}

static SofaErr squares_jacobian(SofaMapping *map, const SofaPoint *at, size_t k, SofaJacobian *j) {
  Squares *s = (Squares *)map;
  (void)k;
  for (uint32_t i = 0; i < s->n; i++) {
    s->start[i] = s->column[i] = i;
    s->value[i] = (s->mistake == WRONG_J ? 2.001 : 2) * at->x[0][i];
  }
  s->start[s->n] = (uint32_t)s->n;
  *j = (SofaJacobian){
      .n_rows = s->n, .n_columns = s->n, .start = s->start, .column = s->column, .value = s->value};
  return SOFA_OK;
}

static SofaErr squares_apply_jt(SofaMapping *map, const SofaPoint *at, const double *f_out,
                                double *const *f_in) {
  const Squares *s = (const Squares *)map;
  const double factor = s->mistake == WRONG_J ? 2.001 : s->mistake == WRONG_TRANSPOSE ? -2 : 2;
  for (size_t i = 0; i < s->n; i++) f_in[0][i] += factor * at->x[0][i] * f_out[i];
  return SOFA_OK;
}

static SofaErr squares_apply_djt(SofaMapping *map, const SofaPoint *at, double factor,
                                 const double *f_out, const double *const *dx, double *const *df) {
  const Squares *s = (const Squares *)map;
  (void)at;
  for (size_t i = 0; i < s->n; i++)
    df[0][i] += factor * (s->mistake == WRONG_GEOMETRIC ? 1 : 2) * f_out[i] * dx[0][i];
  return SOFA_OK;
}

static void squares_destroy(SofaObject *object) {
  Squares *s = (Squares *)object;
  sofa_free(object->ctx, s->start);
  sofa_free(object->ctx, s->column);
  sofa_free(object->ctx, s->value);
}

static const SofaMappingOps squares_ops = {.setup = squares_setup,
                                           .apply = squares_apply,
                                           .jacobian = squares_jacobian,
                                           .apply_jt = squares_apply_jt,
                                           .apply_djt = squares_apply_djt};
static const char *const squares_templates[] = {"Vec1d,Vec1d", NULL};
static const SofaClass squares = {.name = "Squares",
                                  .module = "tests",
                                  .category = "Mapping",
                                  .help = "A mapping that may be wrong.",
                                  .base = &sofa_mapping_class,
                                  .size = sizeof(Squares),
                                  SOFA_FIELDS(squares_fields),
                                  .templates = squares_templates,
                                  .destroy = squares_destroy,
                                  SOFA_IMPLEMENTS({SOFA_MAPPING, &squares_ops})};

static const SofaClass *const classes[] = {&quartic, &squares, NULL};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "tests", .version = "1", .classes = classes};

static void open_scene(SceneRun *run, const char *format, int mistake) {
  char text[2000];
  snprintf(text, sizeof text, format, mistake);
  memset(run, 0, sizeof *run);
  scene_run_context(run, NULL);
  assert_int_equal(sofa_factory_register(run->ctx, &module), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(run->ctx, text, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
}

#define FIELD_SCENE                                                                                \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                           \
  "<MechanicalObject name='state' position='1 0.2 0.3 0.5 -0.7 1.1' velocity='1 2 3 4 5 6'/>"      \
  "<Quartic name='force' mistake='%d'/></Node>"
#define MAP_SCENE                                                                                  \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                           \
  "<MechanicalObject name='in' template='Vec1d' position='1 0.2 -0.3'/><Node name='mapped'>"       \
  "<MechanicalObject name='out' template='Vec1d'/>"                                                \
  "<Squares name='map' mistake='%d' input='@../in' output='@out'/></Node></Node>"

/* Checks the scene; the one finding has the verdict, and its text holds the word. */
static void expect(const char *scene, int mistake, SofaCheckVerdict verdict, const char *word) {
  SceneRun run;
  SofaText before = {0}, after = {0};
  open_scene(&run, scene, mistake);
  SofaCheckReport report = {.ctx = run.ctx};
  assert_int_equal(sofa_checkpoint_print(run.simulation, &before), SOFA_OK);
  assert_int_equal(sofa_check_tangent(run.simulation, &report), SOFA_OK);
  assert_int_equal(sofa_checkpoint_print(run.simulation, &after), SOFA_OK);
  assert_string_equal(before.data, after.data);
  assert_int_equal(report.findings.n, 1);
  const SofaFinding *f = &report.findings.data[0];
  if (f->verdict != verdict || !strstr(f->text, word))
    fail_msg("mistake %d: %s: %s", mistake, sofa_check_verdict_text(f->verdict), f->text);
  assert_int_equal(report.n_wrong, verdict == SOFA_CHECK_WRONG);
  assert_true(verdict == SOFA_CHECK_OK ? f->error < 1e-5 : f->error > 1e-5);
  sofa_check_report_free(&report);
  sofa_list_free(run.ctx, &before);
  sofa_list_free(run.ctx, &after);
  scene_run_close(&run);
}

static void force_fields(void **state) {
  (void)state;
  expect(FIELD_SCENE, NONE, SOFA_CHECK_OK, "energy");
  expect(FIELD_SCENE, TANGENT, SOFA_CHECK_WRONG, "tangent 0.0099");
  expect(FIELD_SCENE, MATRIX, SOFA_CHECK_WRONG, "matrix 0.0099");
  expect(FIELD_SCENE, ENERGY, SOFA_CHECK_WRONG, "energy 0.1");
  expect(FIELD_SCENE, ASYMMETRIC, SOFA_CHECK_WRONG, "symmetry");
  expect(FIELD_SCENE, VELOCITY, SOFA_CHECK_WRONG, "derivative by velocities 0.33");
  expect(FIELD_SCENE, KNOWN, SOFA_CHECK_APPROXIMATE, "leaves out its diagonal");
  expect(FIELD_SCENE, KINK, SOFA_CHECK_KINK, "kink");
}

static void mappings(void **state) {
  (void)state;
  expect(MAP_SCENE, 0, SOFA_CHECK_OK, "geometric stiffness");
  expect(MAP_SCENE, WRONG_J, SOFA_CHECK_WRONG, "J 0.0005");
  expect(MAP_SCENE, WRONG_TRANSPOSE, SOFA_CHECK_WRONG, "transpose 1");
  expect(MAP_SCENE, WRONG_GEOMETRIC, SOFA_CHECK_WRONG, "geometric stiffness 0.");
}

/* A state that is not finite, and one without points. */
static void states_that_cannot_be_checked(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, FIELD_SCENE, NONE);
  SofaCheckReport report = {.ctx = run.ctx};
  SofaState *s = scene_run_state(&run, "/state");
  s->position.data[4] = NAN;
  assert_int_equal(sofa_check_tangent(run.simulation, &report), SOFA_OK);
  assert_int_equal(report.findings.data[0].verdict, SOFA_CHECK_WRONG);
  assert_int_equal(sofa_state_resize(s, 0), SOFA_OK);
  assert_int_equal(sofa_check_tangent(run.simulation, &report), SOFA_OK);
  assert_int_equal(report.findings.data[1].verdict, SOFA_CHECK_SKIPPED);
  sofa_check_report_free(&report);
  scene_run_close(&run);
}

static void report_as_text_and_json(void **state) {
  (void)state;
  SceneRun run;
  SofaText text = {0}, json = {0};
  open_scene(&run, FIELD_SCENE, ENERGY);
  SofaCheckReport report = {.ctx = run.ctx};
  assert_int_equal(sofa_check_tangent(run.simulation, &report), SOFA_OK);
  assert_int_equal(sofa_check_print(&report, &text), SOFA_OK);
  assert_non_null(strstr(text.data, "tangent: wrong: /force (Quartic): tangent "));
  assert_non_null(strstr(text.data, "\n1 wrong, 0 warnings\n"));
  assert_int_equal(sofa_check_json(&report, &json), SOFA_OK);
  assert_non_null(strstr(json.data, "\"path\": \"/force\", \"class\": \"Quartic\", "
                                    "\"verdict\": \"wrong\""));
  assert_non_null(strstr(json.data, "\"wrong\": 1}"));
  sofa_list_free(run.ctx, &text);
  sofa_list_free(run.ctx, &json);
  sofa_check_report_free(&report);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_fields),
      cmocka_unit_test(mappings),
      cmocka_unit_test(states_that_cannot_be_checked),
      cmocka_unit_test(report_as_text_and_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
