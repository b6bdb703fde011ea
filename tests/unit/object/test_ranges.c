/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranges of fields: what is inside, messages, edits, links, keep_going, tables of classes; and
 * every range of every registered class. */
#include <math.h>
#include "components/builtins.h"
#include "object/object_impl.h"
#include "object_test.h"
#include "base/abi.h"

/* ---- a class with ranges ---- */

typedef struct Ranged {
  SofaObject object;
  double least, above, between, kept, given, finite;
  int from;
  uint32_t count, some;
  SofaVec3 size;
  SofaReals list, open;
  SofaVec3s points, axes;
  SofaVec3 axis;
  int n_init, n_reinit;
} Ranged;

#define ROW(member, def, ...) SOFA_FIELD(Ranged, member, #member, def, "", "a number", __VA_ARGS__)
static const SofaField ranged_fields[] = {
    ROW(least, "1", .range = SOFA_AT_LEAST(0)),
    ROW(above, "1", .range = SOFA_ABOVE(0), .on_bad = SOFA_BAD_DEFAULT),
    ROW(between, "0", .range = SOFA_BETWEEN(-1, 0.5)),
    ROW(kept, "0", .range = SOFA_AT_MOST(5), .on_bad = SOFA_BAD_KEEP, .flags = SOFA_FIELD_REINIT),
    ROW(given, NULL, .range = SOFA_ABOVE(0), .flags = SOFA_FIELD_REQUIRED),
    ROW(finite, "0", .range = SOFA_FINITE_AT_LEAST(0)),
    ROW(from, "3", .range = SOFA_WITHIN(1, 17), .on_bad = SOFA_BAD_CLAMP),
    ROW(count, "25", .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    ROW(some, "1", .range = SOFA_AT_LEAST(1), .on_bad = SOFA_BAD_CLAMP),
    ROW(size, "1 2 3", .range = SOFA_ABOVE(0), .on_bad = SOFA_BAD_DEFAULT),
    ROW(list, "0.5", .range = SOFA_FROM_BELOW(0, 1), .on_bad = SOFA_BAD_DEFAULT),
    ROW(open, NULL, .range = SOFA_ABOVE_TO(0, 1), .on_bad = SOFA_BAD_DEFAULT),
    ROW(points, NULL, .range = SOFA_BELOW(9)),
    ROW(axis, "0 0 1", .range = SOFA_DIRECTION),
    ROW(axes, NULL, .range = SOFA_DIRECTION, .on_bad = SOFA_BAD_KEEP),
};

static SofaErr ranged_init(SofaObject *object) {
  ((Ranged *)object)->n_init++;
  return SOFA_OK;
}

static SofaErr ranged_reinit(SofaObject *object) {
  ((Ranged *)object)->n_reinit++;
  return SOFA_OK;
}

static const SofaClass ranged_class = {.name = "Ranged",
                                       .module = "Test",
                                       .help = "Numbers in ranges.",
                                       .size = sizeof(Ranged),
                                       SOFA_FIELDS(ranged_fields),
                                       .init = ranged_init,
                                       .reinit = ranged_reinit};
static const SofaClass wider_class = {.name = "Wider",
                                      .module = "Test",
                                      .help = "Another range of one field.",
                                      .base = &ranged_class,
                                      .size = sizeof(Ranged),
                                      SOFA_RANGES({"between", SOFA_BETWEEN(-1, 1), SOFA_BAD_KEEP})};

static Ranged *add_ranged(Bench *b, const SofaClass *klass) {
  return (Ranged *)add(b->root, klass, "r");
}

/* Init with one field set: refused with the words, or accepted when words is NULL. */
static void init_with(Bench *b, const SofaClass *klass, const char *field, const char *text,
                      const char *words) {
  Ranged *r = add_ranged(b, klass);
  assert_int_equal(set(r, field, text), SOFA_OK);
  assert_int_equal(sofa_object_run(&r->object, SOFA_RUN_INIT), words ? SOFA_ERR_RANGE : SOFA_OK);
  assert_int_equal(r->n_init, words ? 0 : 1);
  if (words) bench_said(b, words);
  else bench_silent(b);
  SofaObject *object = &r->object;
  sofa_object_destroy(&object);
}

static void ends(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  const SofaClass *k = &ranged_class;
  init_with(&b, k, "least", "0", NULL);
  init_with(&b, k, "least", "-0.5", "error:7:/r: field 'least': -0.5, expected >= 0\n");
  init_with(&b, k, "above", "1e-300", NULL);
  init_with(&b, k, "above", "0", "'above': 0, expected > 0\n");
  init_with(&b, k, "between", "-0.999", NULL);
  init_with(&b, k, "between", "-1", "'between': -1, expected in (-1, 0.5)");
  init_with(&b, k, "between", "0.5", "'between': 0.5, expected in (-1, 0.5)");
  init_with(&b, k, "kept", "5", NULL);
  init_with(&b, k, "kept", "5.5", "'kept': 5.5, expected <= 5");
  init_with(&b, k, "given", "0", "'given': 0, expected > 0");
  init_with(&b, k, "finite", "-1", "'finite': -1, expected >= 0 and finite");
  init_with(&b, k, "from", "17", NULL);
  init_with(&b, k, "from", "18", "'from': 18, expected in [1, 17]");
  init_with(&b, k, "from", "-2", "'from': -2, expected in [1, 17]");
  init_with(&b, k, "count", "0", NULL);
  init_with(&b, k, "count", "4000000000", NULL);
  init_with(&b, k, "count", "-1", "'count': -1, expected >= 0");
  init_with(&b, k, "some", "0", "'some': 0, expected >= 1");
  init_with(&b, k, "size", "1 0 -2", "'size': component 1: 0, expected > 0");
  init_with(&b, k, "list", "", NULL);
  init_with(&b, k, "list", "0 0.5 0.99", NULL);
  init_with(&b, k, "list", "0 0.5 1 2", "'list': entry 2: 1, expected in [0, 1)");
  init_with(&b, k, "open", "1", NULL);
  init_with(&b, k, "open", "0", "'open': entry 0: 0, expected in (0, 1]");
  init_with(&b, k, "points", "1 2 3 4 5 9", "'points': entry 1, component 2: 9, expected < 9");
  init_with(&b, k, "axis", "0 0 -1e-9", NULL);
  init_with(&b, k, "axis", "0 0 0", "'axis': has no direction, expected a length > 0");
  init_with(&b, k, "axes", "", NULL);
  init_with(&b, k, "axes", "0 1 0 0 0 0", "'axes': entry 1: has no direction");
  init_with(&b, &wider_class, "between", "0.7", NULL);
  init_with(&b, &wider_class, "between", "1", "'between': 1, expected in (-1, 1)");
  init_with(&b, &wider_class, "least", "-1", "'least': -1, expected >= 0");
  bench_close(&b);
}

static void nan_and_infinity(void **state) {
  (void)state;
  static const SofaRange any = SOFA_AT_LEAST(0), finite = SOFA_FINITE, both = SOFA_BETWEEN(-1, 1);
  char text[SOFA_RANGE_TEXT];
  assert_false(sofa_range_has(&any, NAN) || sofa_range_has(&finite, NAN));
  assert_true(sofa_range_has(&any, INFINITY));
  assert_false(sofa_range_has(&finite, INFINITY) || sofa_range_has(&finite, -INFINITY));
  assert_true(sofa_range_has(&finite, -1e300) && sofa_range_has(&both, 0));
  assert_string_equal(sofa_range_text(&finite, text), "finite");
  assert_string_equal(sofa_range_text(&(SofaRange){0}, text), "");
  Bench b;
  bench_open(&b);
  Ranged *r = add_ranged(&b, &ranged_class);
  r->least = INFINITY;
  assert_int_equal(sofa_object_run(&r->object, SOFA_RUN_INIT), SOFA_OK);
  Ranged *bad = add_ranged(&b, &ranged_class);
  bad->least = NAN;
  assert_int_equal(sofa_object_run(&bad->object, SOFA_RUN_INIT), SOFA_ERR_RANGE);
  bench_said(&b, "'least': nan, expected >= 0");
  bench_close(&b);
}

/* All fields outside are reported, once. */
static void all_at_once(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Ranged *r = add_ranged(&b, &ranged_class);
  assert_int_equal(set(r, "least", "-1"), SOFA_OK);
  assert_int_equal(set(r, "count", "-1"), SOFA_OK);
  assert_int_equal(sofa_object_run(&r->object, SOFA_RUN_INIT), SOFA_ERR_RANGE);
  assert_non_null(strstr(b.messages, "'least'"));
  bench_said(&b, "'count'");
  assert_int_equal(sofa_object_run(&r->object, SOFA_RUN_INIT), SOFA_ERR_RANGE);
  bench_silent(&b);
  bench_close(&b);
}

/* ---- edits ---- */

static void live_edit(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Ranged *r = add_ranged(&b, &ranged_class);
  assert_int_equal(sofa_object_run(&r->object, SOFA_RUN_INIT), SOFA_OK);
  for (int going = 0; going < 2; going++) {
    b.ctx->keep_going = going;
    const uint32_t version =
        sofa_field_state(&r->object, sofa_class_field(&ranged_class, "kept"))->version;
    assert_int_equal(set(r, "kept", "6"), SOFA_ERR_RANGE);
    bench_said(&b, "'kept': 6, expected <= 5");
    assert_int_equal(set(r, "list", "0.1 1"), SOFA_ERR_RANGE);
    bench_said(&b, "'list': entry 1: 1, expected in [0, 1)");
    assert_true(r->kept == 0 && r->list.n == 1 && r->list.data[0] == 0.5);
    assert_int_equal(sofa_field_state(&r->object, sofa_class_field(&ranged_class, "kept"))->version,
                     version);
    assert_false(sofa_field_is_set(&r->object, "list"));
  }
  assert_int_equal(r->n_reinit, 0);
  assert_int_equal(set(r, "kept", "4"), SOFA_OK);
  assert_int_equal(set(r, "above", ""), SOFA_OK); // an empty text leaves the value
  assert_true(r->kept == 4 && r->above == 1 && r->n_reinit == 1);
  bench_silent(&b);
  assert_int_equal(set(r, "kept", "six"), SOFA_ERR_PARSE);
  bench_said(&b, "cannot read \"six\"");
  bench_close(&b);
}

/* ---- links ---- */

static void links(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Thing *t = add_thing(b.root, "t");
  Ranged *r = add_ranged(&b, &ranged_class);
  assert_int_equal(set(r, "list", "@t.values"), SOFA_OK);
  assert_int_equal(set(t, "values", "0.1 0.2"), SOFA_OK);
  assert_int_equal(sofa_data_pull(&r->object, NULL), SOFA_OK);
  assert_int_equal(sofa_object_run(&r->object, SOFA_RUN_INIT), SOFA_OK);
  assert_int_equal(set(t, "values", "0.1 -2"), SOFA_OK);
  assert_int_equal(sofa_data_pull(&r->object, NULL), SOFA_ERR_RANGE);
  bench_said(&b, "error:7:/r: field 'list': entry 1: -2, expected in [0, 1)");
  // it stays refused; reported once per version of the source
  assert_int_equal(sofa_data_pull(&r->object, NULL), SOFA_ERR_RANGE);
  bench_silent(&b);
  b.ctx->keep_going = true;
  assert_int_equal(set(t, "values", "0.1 -3 0.7"), SOFA_OK);
  assert_int_equal(sofa_data_pull(&r->object, NULL), SOFA_OK);
  bench_said(&b,
             "warning:0:/r: field 'list': entry 1: -3, expected in [0, 1): the default is used");
  expect_field(&r->object, "list", "0.1 0.5 0.7");
  bench_close(&b);
}

/* ---- keep_going ---- */

static void expect_mended(Bench *b, const char *field, const char *text, const char *words,
                          const char *value) {
  Ranged *r = add_ranged(b, &ranged_class);
  assert_int_equal(set(r, field, text), SOFA_OK);
  assert_int_equal(sofa_object_run(&r->object, SOFA_RUN_INIT), SOFA_OK);
  assert_int_equal(r->n_init, 1);
  expect_field(&r->object, field, value);
  bench_said(b, words);
  SofaObject *object = &r->object;
  sofa_object_destroy(&object);
}

static void keep_going(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  b.ctx->keep_going = true;
  init_with(&b, &ranged_class, "least", "-1", "error:7:/r: field 'least': -1, expected >= 0\n");
  expect_mended(&b, "above", "-1", "expected > 0: the default is used", "1");
  expect_mended(&b, "size", "4 -1 5", "component 1: -1, expected > 0: the default is used",
                "4 2 5");
  expect_mended(&b, "list", "-1 0.25 7", "entry 0: -1, expected in [0, 1): the default",
                "0.5 0.25 0.5");
  expect_mended(&b, "open", "0.5 7", "the default is used", "");
  expect_mended(&b, "from", "99", "the nearest end is used", "17");
  expect_mended(&b, "from", "-99", "the nearest end is used", "1");
  expect_mended(&b, "some", "-1", "'some': -1, expected >= 1: the nearest end is used", "1");
  expect_mended(&b, "count", "-1", "warning:0:/r: field 'count': -1, expected >= 0: it is kept",
                "4294967295");
  expect_mended(&b, "kept", "8", "it is kept", "8");
  expect_mended(&b, "axes", "0 0 0", "it is kept", "0 0 0");
  bench_close(&b);
}

/* ---- lists of what they belong to ---- */

/* Lists of 3 points, or of 3 triangles with 2 numbers each. */
typedef struct Listed {
  SofaObject object;
  SofaIndices dropped, reset, refused, column, followed;
  SofaReals values, pairs;
  bool unused, unknown;
} Listed;

#define LIST(member, def, ...)                                                                     \
  SOFA_FIELD(Listed, member, #member, def, "", "a list", .flags = SOFA_FIELD_REINIT, __VA_ARGS__)
static const SofaField listed_fields[] = {
    LIST(dropped, NULL, .on_bad = SOFA_BAD_DROP,
         SOFA_INDICES_OF(SOFA_ELEMENT_POINT, .unused = offsetof(Listed, unused))),
    LIST(reset, "1", .on_bad = SOFA_BAD_DEFAULT, SOFA_INDICES_OF(SOFA_ELEMENT_POINT)),
    LIST(refused, NULL, SOFA_INDICES_OF(SOFA_ELEMENT_POINT)),
    LIST(column, NULL, .on_bad = SOFA_BAD_KEEP, SOFA_TABLE(SOFA_ENDS(SOFA_STATE_SECOND))),
    LIST(values, NULL,
         SOFA_PER(SOFA_ELEMENT_POINT,
                  .lengths = SOFA_LENGTH_ONE | SOFA_LENGTH_ALL | SOFA_LENGTH_NONE)),
    LIST(pairs, NULL,
         SOFA_PER(SOFA_ELEMENT_POINT, .width = 2, .lengths = SOFA_LENGTH_NONE | SOFA_LENGTH_ALL)),
};

static bool three_points(const SofaObject *object, const SofaBelongs *belongs, SofaListOwner *out) {
  (void)belongs;
  *out = (SofaListOwner){3, "point", "points", "the state"};
  return !((const Listed *)object)->unknown;
}

static const SofaClass listed_class = {.name = "Listed",
                                       .module = "Test",
                                       .help = "Lists of points.",
                                       .size = sizeof(Listed),
                                       SOFA_FIELDS(listed_fields),
                                       .init = sofa_object_check_lists,
                                       .reinit = sofa_object_check_lists,
                                       .list_owner = three_points};

/* Init, then a live edit with one list. words NULL: accepted. With keep_going init leaves `value`;
 * NULL: it refuses. */
static void list_with(Bench *b, const char *field, const char *text, const char *words,
                      const char *value) {
  for (int going = 0; going < 2; going++) {
    b->ctx->keep_going = going;
    Listed *l = (Listed *)add(b->root, &listed_class, "l");
    assert_int_equal(set(l, field, text), SOFA_OK);
    const bool refused = words && (!going || !value);
    assert_int_equal(sofa_object_run(&l->object, SOFA_RUN_INIT),
                     refused ? SOFA_ERR_RANGE : SOFA_OK);
    if (words) bench_said(b, words);
    else bench_silent(b);
    if (!refused) expect_field(&l->object, field, words ? value : text);
    SofaObject *object = &l->object;
    sofa_object_destroy(&object);
  }
  b->ctx->keep_going = false;
  Listed *live = (Listed *)add(b->root, &listed_class, "l");
  assert_int_equal(sofa_object_run(&live->object, SOFA_RUN_INIT), SOFA_OK);
  assert_int_equal(set(live, field, text), words ? SOFA_ERR_RANGE : SOFA_OK);
  if (words) bench_said(b, words);
  else bench_silent(b);
  assert_true(sofa_field_is_set(&live->object, field) == !words);
  SofaObject *object = &live->object;
  sofa_object_destroy(&object);
}

static void lists(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  const char *none = "index 3 is not a point of the state, which has 3 points";
  list_with(&b, "dropped", "2 0 2", NULL, NULL);
  list_with(&b, "dropped", "3 0 9 1", none, "1 0");
  list_with(&b, "reset", "0 3", none, "1");
  list_with(&b, "refused", "3", none, NULL);
  list_with(&b, "column", "3", none, "3");
  list_with(&b, "values", "", NULL, NULL);
  list_with(&b, "values", "5", NULL, NULL);
  list_with(&b, "values", "5 6 7", NULL, NULL);
  list_with(&b, "values", "5 6",
            "'values': has 2 entries, expected none or 1 or 3, 1 for each point of the state",
            NULL);
  list_with(&b, "pairs", "1 2 3 4 5 6", NULL, NULL);
  list_with(&b, "pairs", "1 2 3",
            "'pairs': has 3 entries, expected none or 6, 2 for each point of the state", NULL);
  bench_close(&b);
}

/* Lists that are not looked at, owners that are not known, values that come through links. */
static void lists_not_checked(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  Listed *l = (Listed *)add(b.root, &listed_class, "l");
  l->unused = true;
  assert_int_equal(set(l, "dropped", "7"), SOFA_OK);
  assert_int_equal(sofa_object_run(&l->object, SOFA_RUN_INIT), SOFA_OK);
  l->unused = false;
  assert_int_equal(sofa_object_run(&l->object, SOFA_RUN_REINIT), SOFA_ERR_RANGE);
  bench_said(&b, "index 7 is not a point");
  l->unknown = true;
  assert_int_equal(sofa_object_run(&l->object, SOFA_RUN_REINIT), SOFA_OK);
  l->unknown = false;
  bench_silent(&b);
  assert_int_equal(set(l, "dropped", "1"), SOFA_OK);
  Thing *t = add_thing(b.root, "t");
  assert_int_equal(set(t, "values", "1 2 3"), SOFA_OK);
  assert_int_equal(set(l, "values", "@t.values"), SOFA_OK);
  assert_int_equal(sofa_data_pull(&l->object, NULL), SOFA_OK);
  assert_int_equal(set(t, "values", "1 2"), SOFA_OK);
  assert_int_equal(sofa_data_pull(&l->object, NULL), SOFA_ERR_RANGE);
  bench_said(&b, "'values': has 2 entries");
  bench_close(&b);
}

/* ---- tables ---- */

static void refuse_class(const SofaField *row, const SofaFieldRange *ranges, const char *words) {
  Bench b;
  bench_open(&b);
  const SofaClass klass = {.name = "Bad",
                           .module = "Test",
                           .help = "Bad.",
                           .base = ranges ? &ranged_class : NULL,
                           .size = sizeof(Ranged) + sizeof(Thing),
                           .fields = row,
                           .n_fields = row ? 1 : 0,
                           .ranges = ranges};
  const SofaModule module = {.abi = SOFA_ABI,
                             .name = "Test",
                             .version = "1",
                             .classes = (const SofaClass *const[]){&klass, NULL}};
  assert_int_equal(sofa_factory_register(b.ctx, &module), SOFA_ERR_ARGUMENT);
  bench_said(&b, words);
  bench_close(&b);
}

static void bad_tables(void **state) {
  (void)state;
#define REFUSE(words, member, def, ...)                                                            \
  do {                                                                                             \
    const SofaField row = ROW(member, def, __VA_ARGS__);                                           \
    refuse_class(&row, NULL, words);                                                               \
  } while (0)
  REFUSE("class 'Bad', field above: 0, expected > 0", above, "0", .range = SOFA_ABOVE(0));
  REFUSE("field above: 0, expected > 0", above, NULL, .range = SOFA_ABOVE(0));
  REFUSE("entry 1: 3, expected < 3", list, "1 3", .range = SOFA_BELOW(3));
  REFUSE("has no end to clamp to", above, "1", .range = SOFA_ABOVE(0), .on_bad = SOFA_BAD_CLAMP);
  REFUSE("has an empty range", above, "1", .range = SOFA_FROM_BELOW(1, 1));
  REFUSE("an action for values outside a range, but no range", above, "1", .on_bad = SOFA_BAD_KEEP);
  REFUSE("has no indices to take out", list, "1", .on_bad = SOFA_BAD_DROP);
  REFUSE("has a range but no numbers", above, "1", .range = SOFA_DIRECTION);
  REFUSE("has no direction to use in place of none", axis, "1 0 0", .range = SOFA_DIRECTION,
         .on_bad = SOFA_BAD_DEFAULT);
  const SofaField name = SOFA_FIELD(Thing, text, "text", "", "", "t", .range = SOFA_AT_LEAST(0));
  refuse_class(&name, NULL, "has a range but no numbers");
  const SofaField state_row =
      SOFA_FIELD(Thing, position, "position", NULL, "", "t", .range = SOFA_AT_LEAST(0));
  refuse_class(&state_row, NULL, "has a range but no numbers");
  const SofaFieldRange unknown[] = {{"nothing", SOFA_AT_LEAST(0), 0}, {.field = NULL}};
  refuse_class(NULL, unknown, "field nothing: has a range but is not a field of a base");
  const SofaFieldRange bad[] = {{"from", SOFA_AT_LEAST(4), 0}, {.field = NULL}};
  refuse_class(NULL, bad, "field from: 3, expected >= 4");
}

/* ---- every range of every class ---- */

/* A text with one number outside, in all components of one entry; false: none can be written. */
static bool text_outside(const SofaField *field, const SofaRange *r, bool high, char text[512]) {
  const bool real = field->type->scalar == SOFA_SCALAR_REAL;
  if (r->direction) {
    for (unsigned i = 0; i < field->type->width; i++) strcpy(text + 2 * i, "0 ");
    return !high;
  }
  if (high ? !r->high : !r->low) return false;
  const double by = real ? 0.25 : 1;
  const double x = high ? r->max + (r->high == SOFA_END_OPEN ? 0 : by)
                        : r->min - (r->low == SOFA_END_OPEN ? 0 : by);
  size_t n = 0;
  for (unsigned i = 0; i < field->type->width; i++)
    n += (size_t)snprintf(text + n, 512 - n, "%s%.17g", i ? " " : "", x);
  return true;
}

static SofaObject *fresh(Bench *b, const SofaClass *klass, const char *field, const char *text) {
  SofaObject *object = add(b->root, klass, "o");
  b->ctx->keep_going = false;
  // directions have to be given
  for (size_t i = 0; i < sofa_class_n_fields(klass); i++) {
    const SofaField *row = sofa_class_field_at(klass, i);
    if (row->range.direction && !row->type->list)
      assert_int_equal(set(object, row->name, row->type->width == 3 ? "0 0 1" : "0 0 0 1"), 0);
  }
  bench_clear(b);
  // lists of indices do not read -1
  if (text && set(object, field, text) != SOFA_OK) {
    bench_said(b, "cannot read");
    sofa_object_destroy(&object);
  }
  return object;
}

static bool inside(SofaObject *object, const SofaField *field, const SofaRange *range) {
  SofaText why = {0};
  assert_int_equal(
      sofa_range_why(object->ctx, range, field->type, sofa_field_value(object, field), &why),
      SOFA_OK);
  const bool is = why.n == 0;
  sofa_list_free(object->ctx, &why);
  return is;
}

static void try_field(Bench *b, const SofaClass *klass, const SofaField *field, bool high) {
  const SofaFieldRange rule = sofa_class_range(klass, field);
  char text[512], words[600], range[SOFA_RANGE_TEXT];
  if (!text_outside(field, &rule.range, high, text)) return;
  snprintf(words, sizeof words, "expected %s", sofa_range_text(&rule.range, range));
  // refused at init, with the name
  SofaObject *o = fresh(b, klass, field->name, text);
  if (!o) return;
  assert_int_equal(sofa_object_run(o, SOFA_RUN_INIT), SOFA_ERR_RANGE);
  if (!strstr(b->messages, field->name))
    fail_msg("%s.%s: %s", klass->name, field->name, b->messages);
  bench_said(b, words);
  sofa_object_destroy(&o);
  // an edit is refused
  o = fresh(b, klass, field->name, NULL);
  const bool before = inside(o, field, &rule.range);
  o->initialised = true;
  assert_int_equal(set(o, field->name, text), SOFA_ERR_RANGE);
  assert_int_equal(inside(o, field, &rule.range), before);
  sofa_object_destroy(&o);
  // keep_going
  o = fresh(b, klass, field->name, text);
  b->ctx->keep_going = true;
  const bool refused = rule.on_bad == SOFA_BAD_REFUSE;
  assert_int_equal(sofa_ranges_settle(o, true), refused ? SOFA_ERR_RANGE : SOFA_OK);
  assert_int_equal(inside(o, field, &rule.range), !refused && rule.on_bad != SOFA_BAD_KEEP);
  bench_said(b, words);
  b->ctx->keep_going = false;
  sofa_object_destroy(&o);
}

static void every_class(void **state) {
  (void)state;
  Bench b;
  size_t n_ranges = 0;
  bench_open(&b);
  assert_int_equal(sofa_register_builtins(b.ctx), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(b.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(b.ctx, i);
    for (size_t k = 0; !klass->abstract && k < sofa_class_n_fields(klass); k++) {
      const SofaField *field = sofa_class_field_at(klass, k);
      const SofaFieldRange rule = sofa_class_range(klass, field);
      if (!sofa_range_given(&rule.range)) continue;
      n_ranges++;
      try_field(&b, klass, field, false);
      try_field(&b, klass, field, true);
    }
  }
  print_message("%zu ranges\n", n_ranges);
  assert_true(n_ranges > 100);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends),        cmocka_unit_test(nan_and_infinity),
      cmocka_unit_test(all_at_once), cmocka_unit_test(live_edit),
      cmocka_unit_test(links),       cmocka_unit_test(keep_going),
      cmocka_unit_test(lists),       cmocka_unit_test(lists_not_checked),
      cmocka_unit_test(bad_tables),  cmocka_unit_test(every_class),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
