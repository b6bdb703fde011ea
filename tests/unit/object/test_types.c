/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text grammar of every type: what is read, what is left when text is refused, round trips. */
#include "object_test.h"

#include "behavior/loader.h"
#include "object/object_impl.h"

typedef struct Row {
  const SofaType *type;
  const char *before; /* value before, as text; NULL: zero */
  const char *text;
  SofaErr err;
  const char *after; /* printed value; NULL: same as text */
  const char *why;   /* part of the explanation; NULL: there must be none */
} Row;

static const char *const options[] = {"small", "large", "polar", NULL};
static const SofaField option_field = {.name = "method", .options = options};

static void check(Bench *b, const Row *row, SofaStateKind kind) {
  SofaText why = {0}, out = {0};
  void *value = calloc(1, row->type->size);
  const SofaField *field = row->type == &sofa_type_option ? &option_field : NULL;
  const SofaParse parse = {b->ctx, field, NULL, kind, &why, b->object};
  if (row->before) {
    assert_int_equal(sofa_type_parse(row->type, &parse, row->before, value), SOFA_OK);
  }
  const SofaErr err = sofa_type_parse(row->type, &parse, row->text, value);
  assert_int_equal(sofa_type_print(row->type, b->ctx, field, value, &out), SOFA_OK);
  const char *after = row->after ? row->after : row->text;
  const bool explained = row->why ? why.n && strstr(why.data, row->why) : !why.n;
  if (err != row->err || strcmp(out.data, after) != 0 || !explained) {
    print_error("%s \"%s\": %s, \"%s\" (%s)\nexpected %s, \"%s\" (%s)\n", row->type->name,
                row->text, sofa_err_text(err), out.data, why.n ? why.data : "",
                sofa_err_text(row->err), after, row->why ? row->why : "");
    fail();
  }
  sofa_list_free(b->ctx, &why);
  sofa_list_free(b->ctx, &out);
  sofa_type_free(row->type, b->ctx, value);
  free(value);
}

static void check_rows(const Row *rows, size_t n, SofaStateKind kind) {
  Bench b;
  bench_open(&b);
  for (size_t i = 0; i < n; i++) check(&b, &rows[i], kind);
  bench_close(&b);
}

#define BAD SOFA_ERR_PARSE
#define T(name) &sofa_type_##name

static void scalars(void **state) {
  (void)state;
  static const Row rows[] = {
      {T(bool), "0", "true", SOFA_OK, "1", NULL},
      {T(bool), "0", " 1 ", SOFA_OK, "1", NULL},
      {T(bool), "0", "T", SOFA_OK, "1", NULL},
      {T(bool), "0", "TRUE", SOFA_OK, "1", NULL},
      {T(bool), "1", "False", SOFA_OK, "0", NULL},
      {T(bool), "1", "f", SOFA_OK, "0", NULL},
      {T(bool), "0", "-2", SOFA_OK, "1", NULL},
      {T(bool), "1", "", SOFA_OK, "1", NULL},
      {T(bool), "1", "yes", BAD, "1", "found 'yes'"},
      {T(bool), "0", "on", BAD, "0", "found 'on'"},
      {T(bool), "0", "tomato", BAD, "1", "found 'tomato'"},
      {T(int), "3", "-12", SOFA_OK, NULL, NULL},
      {T(int), "3", "", SOFA_OK, "3", NULL},
      {T(int), "3", "1.5", BAD, "1", "an integer"},
      {T(int), "3", "1.0", SOFA_OK, "1", "read as an integer"},
      {T(int), "3", "1e3", BAD, "1", "an integer"},
      {T(int), "3", "x", BAD, "0", "found 'x'"},
      {T(int), "3", "3000000000", BAD, "2147483647", "out of range"},
      {T(int), "3", "1 2", SOFA_OK, "1", "only the first 1 number is used"},
      {T(uint), "3", "-1", SOFA_OK, "4294967295", NULL},
      {T(uint), "3", "-2", BAD, "4294967294", "out of range"},
      {T(uint), "3", "7", SOFA_OK, NULL, NULL},
      {T(real), "1", "0.5", SOFA_OK, NULL, NULL},
      {T(real), "1", ".5", SOFA_OK, "0.5", NULL},
      {T(real), "1", "1.", SOFA_OK, "1", NULL},
      {T(real), "1", "1e-3", SOFA_OK, "0.001", NULL},
      {T(real), "1", "\n 2\t", SOFA_OK, "2", NULL},
      {T(real), "1", "0.5f", SOFA_OK, "0.5", "ignored"},
      {T(real), "1", "2,5", BAD, "2", "found '2,5'"},
      {T(real), "1", "5d-1", BAD, "5", "found '5d-1'"},
      {T(real), "1", "0x1p1", BAD, "0", "found '0x1p1'"},
      {T(real), "1", "nan", BAD, "0", "found 'nan'"},
      {T(real), "1", "inf", BAD, "0", "found 'inf'"},
      {T(real), "1", "5e", BAD, "0", "found '5e'"},
      {T(real), "1", "abc", BAD, "0", "a number, found 'abc'"},
      {T(real), "1", "1.5.5", BAD, "1.5", "found '1.5.5'"},
      {T(real), "1", "10 m", SOFA_OK, "10", "'m' and the rest is ignored"},
      {T(real), "1", "", SOFA_OK, "1", NULL},
      {T(float), "1", "0.1", SOFA_OK, "0.1", NULL},
      {T(float), "1", "0.25 0.25", BAD, "1", "nothing after it, found '0.25'"},
  };
  check_rows(rows, COUNT(rows), SOFA_NO_KIND);
}

static void fixed_vectors(void **state) {
  (void)state;
  static const Row rows[] = {
      {T(vec3), "1 1 1", "5 6 7", SOFA_OK, NULL, NULL},
      {T(vec3), "1 1 1", "5", BAD, "5 1 1", "found only 1"},
      {T(vec3), "1 1 1", "5,6,7", BAD, "5 0 1", "found ',6,7'"},
      {T(vec3), "1 1 1", "5 6 7 8", SOFA_OK, "5 6 7", "only the first 3 numbers are used"},
      {T(vec3), "1 1 1", "", SOFA_OK, "1 1 1", NULL},
      {T(vec3), "1 1 1", "x 2 3", BAD, "0 1 1", "found 'x'"},
      {T(vec3), "1 1 1", "0-0.7.5", SOFA_OK, "0 -0.7 0.5", NULL},
      {T(vec2), NULL, "1 2", SOFA_OK, NULL, NULL},
      {T(quat), NULL, "0 0 0-0.7", SOFA_OK, "0 0 0 -0.7", NULL},
      {T(ints2), "1 1", "2 3", SOFA_OK, NULL, NULL},
      {T(ints3), "1 1 1", "2 3 4", SOFA_OK, NULL, NULL},
      {T(ints3), "1 1 1", "1.5 3 4", BAD, "1 0 1", "found '.5'"},
      {T(box), NULL, "0 0 0 1 1 1", SOFA_OK, NULL, NULL},
      {T(mat3), NULL, "[1 0 0, 0 1 0, 0 0 1]", SOFA_OK, "1 0 0 0 1 0 0 0 1", NULL},
      {T(mat3), NULL, "[[1,0,0],[0,1,0],[0,0,1]]", SOFA_OK, "1 0 0 0 1 0 0 0 1", NULL},
      {T(mat4), NULL, "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", SOFA_OK, NULL, NULL},
      {T(rigid_mass), NULL, "2 1 1 0 0 0 1 0 0 0 1", SOFA_OK, NULL, NULL},
      {T(rigid_mass), NULL, "2 1 [1 2 3,4 5 6,7 8 9]", SOFA_OK, "2 1 1 2 3 4 5 6 7 8 9", NULL},
      {T(rigid_masses), NULL, "1 2 [[3,0,0],[0,4,0],[0,0,5]] 6 7 [8 0 0,0 9 0,0 0 1]", SOFA_OK,
       "1 2 3 0 0 0 4 0 0 0 5 6 7 8 0 0 0 9 0 0 0 1", NULL},
      {T(rigid_mass), NULL, "2 1 1", BAD, "2 1 1", "found only 3 numbers"},
      {T(rigid_mass), "1 1 1 0 0 0 1 0 0 0 1", "2", SOFA_OK, "2 1 1 0 0 0 1 0 0 0 1", "keep"},
      {T(rigid_mass), NULL, "2 1 1 0 x", BAD, "2 1 1", "found 'x'"},
  };
  check_rows(rows, COUNT(rows), SOFA_RIGID3);
  static const Row points[] = {
      {T(rigid_mass), NULL, "2", SOFA_OK, NULL, NULL},
      {T(rigid_mass), NULL, "2 1 1 0 0 0 1 0 0 0 1", SOFA_OK, NULL, NULL},
      {T(rigid_masses), NULL, "2 3 4", SOFA_OK, NULL, NULL},
  };
  check_rows(points, COUNT(points), SOFA_VEC3);
  static const Row flat[] = {
      {T(rigid_mass), NULL, "2 1 3", SOFA_OK, NULL, NULL},
      {T(rigid_masses), NULL, "2 1 3 4 1 5", SOFA_OK, NULL, NULL},
  };
  check_rows(flat, COUNT(flat), SOFA_RIGID2);
}

static void lists(void **state) {
  (void)state;
  static const Row rows[] = {
      {T(reals), "9", "1 2.5 -3", SOFA_OK, NULL, NULL},
      {T(reals), "9", "", SOFA_OK, "", NULL},
      {T(reals), "9", "1 2 x 4", BAD, "1 2", "found 'x'"},
      {T(vec3s), "9 9 9", "0 0 0 1 1 1", SOFA_OK, NULL, NULL},
      {T(vec3s), NULL, "0 0 0 1 1", BAD, "0 0 0", "the last one has only 2"},
      {T(vec3s), NULL, "0 0 0\n1 x 1", BAD, "0 0 0", "found 'x'"},
      {T(vec10s), NULL, "0 1 2 3 4 5 6 7 8 9", SOFA_OK, NULL, NULL},
      {T(boxes), NULL, "0 0 0 1 1 1 2 2 2 3 3 3", SOFA_OK, NULL, NULL},
      {T(vec2s), NULL, "0 1 2 3", SOFA_OK, NULL, NULL},
      {T(bools), NULL, "1 0 2", SOFA_OK, "1 0 1", NULL},
      {T(bools), NULL, "true", BAD, "", "found 'true'"},
      {T(edges), NULL, "0 1 1 2", SOFA_OK, NULL, NULL},
      {T(edges), NULL, "0 1 1", BAD, "0 1", "the last one has only 1"},
      {T(triangles), NULL, "0 1 2", SOFA_OK, NULL, NULL},
      {T(quads), NULL, "0 1 2 3", SOFA_OK, NULL, NULL},
      {T(tetras), NULL, "0 1 2 3", SOFA_OK, NULL, NULL},
      {T(pyramids), NULL, "0 1 2 3 4", SOFA_OK, NULL, NULL},
      {T(prisms), NULL, "0 1 2 3 4 5", SOFA_OK, NULL, NULL},
      {T(hexas), NULL, "0 1 2 3 4 5 6 7", SOFA_OK, NULL, NULL},
      {T(hexas), NULL, "0 1 2 3 4 5 6 9999999999", BAD, "", "out of range"},
      {T(rigid_masses), NULL, "2 1 1 0 0 0 1 0 0 0 1", SOFA_OK, NULL, NULL},
      {T(rigid_masses), NULL, "2 1 1 0 0 0 1 0 0 0 1 2 1", BAD, "2 1 1 0 0 0 1 0 0 0 1",
       "the last one has only 2"},
  };
  check_rows(rows, COUNT(rows), SOFA_RIGID3);
}

static void ranges(void **state) {
  (void)state;
  static const Row rows[] = {
      {T(indices), NULL, "1 2 3", SOFA_OK, NULL, NULL},
      {T(indices), NULL, "1-4 9", SOFA_OK, "1 2 3 4 9", NULL},
      {T(indices), NULL, "4-1", SOFA_OK, "4 3 2 1", NULL},
      {T(index_lists), NULL, "[0,1] [] [2]", SOFA_OK, NULL, NULL},
      {T(index_lists), "[9]", "[ 0, 1 ] [2 3]", SOFA_OK, "[0,1] [2,3]", NULL},
      {T(index_lists), NULL, "4 5 6", SOFA_OK, "[4,5,6]", NULL},
      {T(index_lists), NULL, "[1] [2", BAD, "[1] [2]", "expected ']'"},
      {T(index_lists), NULL, "[1,x]", BAD, "[1]", "found 'x]'"},
      {T(real_lists), NULL, "[0.5,-1] [2]", SOFA_OK, NULL, NULL},
      {T(indices), NULL, "0-8-3", SOFA_OK, "0 3 6", NULL},
      {T(indices), NULL, "8-0-3", SOFA_OK, "0 3 6", NULL},
      {T(indices), NULL, "8-2--4", SOFA_OK, "8 4 2", NULL},
      {T(indices), NULL, "2-8--4", SOFA_OK, "8 4 2", NULL},
      {T(indices), NULL, "8-1--3", SOFA_OK, "8 5 2 1", NULL},
      {T(indices), NULL, "1-3-0", SOFA_OK, "1 2 3", "step of 0"},
      {T(indices), NULL, "5-5", SOFA_OK, "5", NULL},
      {T(indices), NULL, "1 -1 2", BAD, "1 0 2", "found '-1'"},
      {T(indices), NULL, "1 x 2", BAD, "1 0 2", "found 'x'"},
      {T(indices), NULL, "1.5", BAD, "0", "found '1.5'"},
      {T(indices), NULL, "1- 3", BAD, "0 3", "found '1-'"},
      {T(indices), NULL, "-", BAD, "0", "found '-'"},
      {T(indices), NULL, "0-4294967295", BAD, "", "too long"},
      {T(ints), NULL, "-3--1", SOFA_OK, "-3 -2 -1", NULL},
      {T(ints), NULL, "1--3", SOFA_OK, "1 0 -1 -2 -3", NULL},
      {T(ints), NULL, "8-2--4", SOFA_OK, "8 4", NULL},
      {T(ints), NULL, "-5", SOFA_OK, NULL, NULL},
      {T(ints), NULL, "7 99999999999", BAD, "7 0", "found '99999999999'"},
  };
  check_rows(rows, COUNT(rows), SOFA_NO_KIND);
}

static void texts(void **state) {
  (void)state;
  static const Row rows[] = {
      {T(string), NULL, " as it is, @all ", SOFA_OK, NULL, NULL},
      {T(string), "x", "", SOFA_OK, "", NULL},
      {T(strings), NULL, "[\"a b\", \"c\"]", SOFA_OK, NULL, NULL},
      {T(strings), NULL, "['a', \"b\"]", SOFA_OK, "[\"a\", \"b\"]", NULL},
      {T(strings), NULL, "a b  c", SOFA_OK, "[\"a\", \"b\", \"c\"]", NULL},
      {T(strings), "a", "", SOFA_OK, "[]", NULL},
      {T(strings), NULL, "[]", SOFA_OK, NULL, NULL},
      {T(strings), NULL, "[\"a\", b]", BAD, "[\"a\"]", "quoted"},
      {T(strings), NULL, "[\"a\", \"b]", BAD, "[\"a\"]", "not closed"},
      {T(strings), NULL, "[\"a\"", BAD, "[\"a\"]", "']'"},
      {T(tags), NULL, "a !b  c", SOFA_OK, "a !b c", NULL},
      {T(option), "large", "polar", SOFA_OK, NULL, NULL},
      {T(option), "large", "2", SOFA_OK, "polar", NULL},
      {T(option), "large", "3", BAD, "large", "'small', 'large' or 'polar'"},
      {T(option), "large", "Polar", BAD, "large", "did you mean 'polar'?"},
      {T(option), "large", "", SOFA_OK, "large", NULL},
      {T(filename), NULL, "no/such/file.obj", SOFA_OK, NULL, NULL},
      {T(link), NULL, "@../state", SOFA_OK, NULL, NULL},
      {T(link), NULL, "@a @b", BAD, "@a", "expected one path"},
      {T(link), NULL, "a", BAD, "", "begins with '@'"},
      {T(link), "@a", "", SOFA_OK, "", NULL},
      {T(links), NULL, " @a  @../b", SOFA_OK, "@a @../b", NULL},
      {T(links), NULL, "@a b @c", BAD, "@a @c", "found 'b'"},
      {T(mesh_groups), NULL, "skin red 0 3 4 bone - -1 7 1", SOFA_OK, NULL, NULL},
      {T(mesh_groups), NULL, "skin  -1 0 4384", SOFA_OK, "skin - -1 0 4384", NULL},
      {T(mesh_groups), NULL, "a  -1 0 4 b  -1 4 2 ", SOFA_OK, "a - -1 0 4 b - -1 4 2", NULL},
      {T(mesh_groups), NULL, "skin red 0 3", BAD, "", "name material material-id first count"},
  };
  check_rows(rows, COUNT(rows), SOFA_NO_KIND);
}

static void looks(void **state) {
  (void)state;
  static const Row rows[] = {
      {T(color), NULL, "1 0.5 0", SOFA_OK, "1 0.5 0 1", NULL},
      {T(color), NULL, "1 0.5 0 0.25", SOFA_OK, NULL, NULL},
      {T(color), NULL, "#ff0000", SOFA_OK, "1 0 0 1", NULL},
      {T(color), NULL, "#f008", SOFA_OK, "1 0 0 0.5333333333333333", NULL},
      {T(color), NULL, "#00ff0000", SOFA_OK, "0 1 0 0", NULL},
      {T(color), NULL, "orange", SOFA_OK, "1 0.5 0 1", NULL},
      {T(color), "1 1 1", "Orange", BAD, "1 1 1 1", "a colour"},
      {T(color), "1 1 1", "#12345", BAD, "1 1 1 1", "a colour"},
      {T(color), "1 1 1", "-1 0 0", BAD, "1 1 1 1", "a colour"},
      {T(color), "1 1 1", ".5 0 0", BAD, "1 1 1 1", "a colour"},
      {T(color), "1 1 1", "1 0", BAD, "1 1 1 1", "a colour"},
      {T(color), "1 1 1", "", SOFA_OK, "1 1 1 1", NULL},
      {T(colors), NULL, "red 0 0 0 1 #fff", SOFA_OK, "1 0 0 1 0 0 0 1 1 1 1 1", NULL},
      {T(material), NULL, "", SOFA_OK, NULL, NULL},
      {T(material), NULL,
       "Default Diffuse 1 1 0.5 0 1 Ambient 0 0 0 0 0 Specular 0 0 0 0 0 Emissive 0 0 0 0 0 "
       "Shininess 1 45",
       SOFA_OK, NULL, NULL},
      {T(material), NULL,
       "m Shininess 0 45 No texture linked to the material No bump texture linked to the "
       "material ",
       SOFA_OK,
       "m Diffuse 0 0 0 0 0 Ambient 0 0 0 0 0 Specular 0 0 0 0 0 Emissive 0 0 0 0 0 Shininess 0 45",
       NULL},
      {T(material), NULL, "m shininess 1 45 diffuse 1 1 0 0 1", SOFA_OK,
       "m Diffuse 1 1 0 0 1 Ambient 0 0 0 0 0 Specular 0 0 0 0 0 Emissive 0 0 0 0 0 "
       "Shininess 1 45",
       NULL},
      {T(material), NULL, "m Glow 1", BAD,
       "m Diffuse 0 0 0 0 0 Ambient 0 0 0 0 0 Specular 0 0 0 0 0 Emissive 0 0 0 0 0 Shininess 0 0",
       "found 'Glow'"},
  };
  check_rows(rows, COUNT(rows), SOFA_NO_KIND);
}

/* Every printed value reads back as the same value, and a copy prints alike. */
static void round_trips(void **state) {
  (void)state;
#define TYPE_ADDRESS(C, name) &sofa_type_##name,
  static const SofaType *const types[] = {SOFA_TYPES(TYPE_ADDRESS)};
#undef TYPE_ADDRESS
  Bench b;
  bench_open(&b);
  for (size_t i = 0; i < COUNT(types); i++) {
    const SofaType *type = types[i];
    SofaText why = {0}, once = {0}, twice = {0};
    void *value = calloc(1, type->size), *copy = calloc(1, type->size);
    const SofaField *field = type == &sofa_type_option ? &option_field : NULL;
    const SofaParse parse = {b.ctx, field, NULL, SOFA_RIGID3, &why, NULL};
    const char *text = "0.1 3 1e-300 4 5 6 0.7 1 2 3 4 5 6 7";
    if (type->scalar == SOFA_SCALAR_INT || type->scalar == SOFA_SCALAR_UINT)
      text = "1 2 3 4 5 6 7 8";
    if (type == &sofa_type_bool || type == &sofa_type_bools) text = "1";
    if (type == &sofa_type_option) text = "polar";
    if (type == &sofa_type_material) text = "m Diffuse 1 0.1 0.2 0.3 1";
    if (type->link) text = "@a";
    sofa_type_parse(type, &parse, text, value); // some are refused: what is left must do as well
    why.n = 0;
    assert_int_equal(sofa_type_print(type, b.ctx, field, value, &once), SOFA_OK);
    assert_int_equal(sofa_type_copy(type, b.ctx, value, copy), SOFA_OK);
    assert_int_equal(sofa_type_print(type, b.ctx, field, copy, &twice), SOFA_OK);
    assert_string_equal(once.data, twice.data);
    assert_int_equal(sofa_type_parse(type, &parse, once.data, copy), SOFA_OK);
    twice.n = 0;
    assert_int_equal(sofa_type_print(type, b.ctx, field, copy, &twice), SOFA_OK);
    assert_string_equal(once.data, twice.data);
    sofa_type_free(type, b.ctx, value);
    sofa_type_free(type, b.ctx, copy);
    free(value);
    free(copy);
    sofa_list_free(b.ctx, &why);
    sofa_list_free(b.ctx, &once);
    sofa_list_free(b.ctx, &twice);
  }
  bench_close(&b);
}

/* Whatever the text, no type crashes, and what is left prints and reads back. */
static void any_text(void **state) {
  (void)state;
#define TYPE_ADDRESS(C, name) &sofa_type_##name,
  static const SofaType *const types[] = {SOFA_TYPES(TYPE_ADDRESS)};
#undef TYPE_ADDRESS
  static const char letters[] = "0123456789  --..,,[]#@\"'tfeEaD|+x\n\t\200";
  Bench b;
  bench_open(&b);
  uint64_t random = 1;
  for (int round = 0; round < 60000; round++) {
    const SofaType *type = types[(size_t)round % COUNT(types)];
    char text[24];
    // numbers stay short, so that ranges do
    random = random * 6364136223846793005u + 1442695040888963407u;
    const size_t n = (random >> 33) % (sizeof text - 1);
    for (size_t i = 0; i < n; i++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      text[i] = letters[(random >> 33) % (sizeof letters - 1)];
      if (i % 4 == 3 && text[i] >= '0' && text[i] <= '9') text[i] = ' ';
    }
    text[n] = '\0';
    SofaText why = {0}, out = {0};
    void *value = calloc(1, type->size);
    const SofaField *field = type == &sofa_type_option ? &option_field : NULL;
    const SofaParse parse = {b.ctx, field, NULL, (SofaStateKind)(random >> 60) % 7, &why, NULL};
    const SofaErr err = sofa_type_parse(type, &parse, text, value);
    assert_true(err == SOFA_OK || (err == BAD && why.n));
    assert_int_equal(sofa_type_print(type, b.ctx, field, value, &out), SOFA_OK);
    assert_int_equal(sofa_type_copy(type, b.ctx, value, value), SOFA_OK);
    sofa_type_free(type, b.ctx, value);
    free(value);
    sofa_list_free(b.ctx, &why);
    sofa_list_free(b.ctx, &out);
  }
  bench_close(&b);
}

static void coords(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  SofaText why = {0};
  SofaCoords list = {0};
  const SofaParse parse = {b.ctx, NULL, NULL, SOFA_RIGID3, &why, NULL};
  // the width comes from the kind; an incomplete entry is dropped
  assert_int_equal(sofa_type_parse(T(coords), &parse, "1 2 3 0 0 0 1 9", &list), BAD);
  assert_int_equal(list.width, 7);
  assert_int_equal(list.n, 1);
  assert_int_equal(sofa_coords_resize(b.ctx, &list, 2), SOFA_OK);
  const double neutral[7] = {0, 0, 0, 0, 0, 0, 1};
  assert_memory_equal(list.data + 7, neutral, sizeof neutral);
  sofa_coords_free(b.ctx, &list);
  sofa_list_free(b.ctx, &why);
  // a view keeps its place for values of its size, and leaves it for others
  double flat[6] = {0}, other[6] = {1, 2, 3, 4, 5, 6};
  SofaCoords view = {flat, 2, 2, 3, true}, source = {other, 2, 2, 3, true};
  assert_int_equal(sofa_type_copy(T(coords), b.ctx, &source, &view), SOFA_OK);
  assert_ptr_equal(view.data, flat);
  assert_memory_equal(flat, other, sizeof flat);
  source.n = 1;
  assert_int_equal(sofa_type_copy(T(coords), b.ctx, &source, &view), SOFA_OK);
  assert_false(view.view);
  assert_ptr_not_equal(view.data, flat);
  assert_int_equal(view.n, 1);
  sofa_coords_free(b.ctx, &view);
  bench_close(&b);
}

/* Converts text of one type into another, prints. */
static void convert(Bench *b, const SofaType *from, const char *text, const SofaType *to,
                    const char *expected) {
  SofaText why = {0}, out = {0};
  void *source = calloc(1, from->size), *target = calloc(1, to->size);
  const SofaParse parse = {b->ctx, NULL, NULL, SOFA_RIGID3, &why, NULL};
  const SofaParse other = {b->ctx, NULL, NULL, SOFA_VEC3, &why, NULL};
  sofa_type_parse(to, &other, "", target);
  assert_int_equal(sofa_type_parse(from, &parse, text, source), SOFA_OK);
  assert_true(sofa_type_convertible(from, to));
  assert_int_equal(sofa_type_convert(b->ctx, from, source, to, target), SOFA_OK);
  assert_int_equal(sofa_type_print(to, b->ctx, NULL, target, &out), SOFA_OK);
  assert_string_equal(out.data, expected);
  sofa_list_free(b->ctx, &why);
  sofa_list_free(b->ctx, &out);
  sofa_type_free(from, b->ctx, source);
  sofa_type_free(to, b->ctx, target);
  free(source);
  free(target);
}

static void conversions(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  // rigid frames to points keep the positions; points to rigid frames get the identity
  convert(&b, T(coords), "1 2 3 0 0 0 1 4 5 6 0 0 1 0", T(vec3s), "1 2 3 4 5 6");
  convert(&b, T(coords), "1 2 3 0 0 0 1 4 5 6 0 0 1 0", T(coords), "1 2 3 4 5 6");
  convert(&b, T(vec3s), "1 2 3 4 5 6", T(coords), "1 2 3 4 5 6");
  convert(&b, T(reals), "1.9 -2.9", T(ints), "1 -2");
  convert(&b, T(reals), "1 2 3 4", T(vec3), "1 2 3");
  convert(&b, T(vec3), "1 2 3", T(vec3s), "1 2 3");
  convert(&b, T(tetras), "0 1 2 3 4 5 6 7", T(triangles), "0 1 2 4 5 6");
  convert(&b, T(int), "-1", T(uint), "4294967295");
  convert(&b, T(real), "1e20", T(int), "2147483647");
  convert(&b, T(vec3), "1 2 3", T(string), "1 2 3");
  convert(&b, T(string), "1 2 3", T(vec3s), "1 2 3");
  convert(&b, T(tags), "a b", T(string), "a b");
  assert_false(sofa_type_convertible(T(link), T(string)));
  assert_false(sofa_type_convertible(T(tags), T(reals)));
  bench_close(&b);
}

static void kinds(void **state) {
  (void)state;
  bool old = true;
  assert_string_equal(sofa_template_alias("Vec3", &old), "Vec3d");
  assert_false(old);
  assert_string_equal(sofa_template_alias("Rigid", &old), "Rigid3d");
  assert_true(old);
  assert_string_equal(sofa_template_alias("Rigid3f", &old), "Rigid3d");
  assert_true(old);
  assert_string_equal(sofa_template_alias("Other", &old), "Other");
  assert_int_equal(sofa_state_kind_from_name("Rigid2"), SOFA_RIGID2);
  assert_int_equal(sofa_state_kind_from_name("Vec4d"), SOFA_NO_KIND);
  assert_int_equal(sofa_state_kind_info(SOFA_RIGID3)->coord, 7);
  assert_null(sofa_state_kind_info(SOFA_NO_KIND));
}

static void single_precision(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  const SofaObject object = {.quirks = SOFA_QUIRK_FLOAT_ATTRIBUTES};
  b.object = &object;
  const Row row = {T(float), "1", "0.1", SOFA_OK, "0.10000000149011612", NULL};
  check(&b, &row, SOFA_NO_KIND);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalars),     cmocka_unit_test(fixed_vectors),
      cmocka_unit_test(lists),       cmocka_unit_test(ranges),
      cmocka_unit_test(texts),       cmocka_unit_test(looks),
      cmocka_unit_test(round_trips), cmocka_unit_test(coords),
      cmocka_unit_test(any_text),    cmocka_unit_test(conversions),
      cmocka_unit_test(kinds),       cmocka_unit_test(single_precision),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
