/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MathOp: one operation on several lists, entry by entry. */
#include "components/engine/engine.h"
#include "math/quaternion.h"

enum { QUIRK_MATH_OP_NEGATION = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_MATH_OP_NEGATION, "math-op-negation",
     "MathOp's operations !&, !| and !^ always give false", "test_quirks_sets.engines"},
};

typedef struct MathOp {
  SofaObject object;
  uint32_t n_inputs;
  SofaOption op;
} MathOp;

static const char *const operations[] = {"+", "-",  "*", "/",  "<", ">",  "!",
                                         "|", "!|", "&", "!&", "^", "!^", NULL};
enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, LEAST, LARGEST, NOT, OR, NOR, AND, NAND, XOR, XNOR };

static const SofaField fields[] = {
    SOFA_FIELD(MathOp, n_inputs, "nbInputs", "2", "", "number of inputs"),
    SOFA_FIELD(MathOp, op, "op", "+", "",
               "operation: for numbers all up to > (least and largest), for vectors + and -, for "
               "frames +, for truth values those from ! on, with the default !",
               .flags = SOFA_FIELD_INPUT, .options = operations),
};

enum { OUTPUT, INPUTS };

static const SofaFieldFamily families[] = {
    [OUTPUT] = ENGINE_TEMPLATE_OUTPUT("output", "result, as long as the shortest input", NULL),
    [INPUTS] = {.row = {.name = "input",
                        .help = "values to combine",
                        .unit = "",
                        .flags = SOFA_FIELD_INPUT},
                .count = "nbInputs"},
};

/* ---- one entry ---- */

static double combine(int op, double a, double b) {
  switch (op) {
  case ADD:
    return a + b;
  case SUBTRACT:
    return a - b;
  case MULTIPLY:
    return a * b;
  case DIVIDE:
    return a / b;
  case LEAST:
    return b < a ? b : a;
  default:
    return b > a ? b : a;
  }
}

static void combine_real(int op, size_t n, const double *const *in, unsigned k, double *out) {
  double r = in[0][k];
  if (n == 1 && op == SUBTRACT) r = -r;
  if (n == 1 && op == DIVIDE) r = 1 / r;
  for (size_t j = 1; j < n; j++) r = combine(op, r, in[j][k]);
  out[k] = r;
}

/* Integer arithmetic is done in 64 bits and cut to 32, as the processor does it. */
static SofaErr combine_int(const MathOp *e, size_t n, const int *const *in, int *out) {
  int64_t r = in[0][0];
  const int op = e->op.index;
  if (n == 1 && op == SUBTRACT) r = -r;
  for (size_t j = n == 1 && op == DIVIDE ? 0 : 1; j < n; j++) {
    const int64_t b = in[j][0], a = n == 1 ? 1 : r;
    if (op == DIVIDE && b == 0)
      return sofa_field_fail(&e->object, "op", SOFA_ERR_RANGE, "input %zu has a divisor 0", j + 1);
    r = op == ADD        ? a + b
        : op == SUBTRACT ? a - b
        : op == MULTIPLY ? a * b
        : op == DIVIDE   ? a / b
        : op == LEAST    ? (b < a ? b : a)
                         : (b > a ? b : a);
    r = (int32_t)(uint32_t)(uint64_t)r;
  }
  *out = (int)r;
  return SOFA_OK;
}

static bool combine_bool(const MathOp *e, int op, size_t n, const bool *const *in) {
  bool r = in[0][0];
  if (op == NOT) return !r;
  for (size_t j = 1; j < n; j++) {
    if (op == OR || op == NOR) r = r || in[j][0];
    else if (op == AND || op == NAND) r = r && in[j][0];
    else r = r != in[j][0];
  }
  if (op != NOR && op != NAND && op != XNOR) return r;
  return !r && !sofa_quirk(&e->object, QUIRK_MATH_OP_NEGATION);
}

/* Places add, orientations multiply. */
static void combine_frame(size_t n, const double *const *in, double *out) {
  memcpy(out, in[0], 7 * sizeof *out);
  for (size_t j = 1; j < n; j++) {
    sofa_vec3_add(out, in[j], out);
    sofa_quat_multiply(out + 3, in[j] + 3, out + 3);
  }
}

static SofaErr combine_entry(const MathOp *e, int op, const SofaType *type, size_t n,
                             const void *const *in, void *out) {
  if (type->scalar == SOFA_SCALAR_BOOL)
    *(bool *)out = combine_bool(e, op, n, (const bool *const *)in);
  else if (type->scalar == SOFA_SCALAR_INT) return combine_int(e, n, (const int *const *)in, out);
  else if (type == &sofa_type_vec7s) combine_frame(n, (const double *const *)in, out);
  else
    for (unsigned k = 0; k < type->width; k++)
      combine_real(op, n, (const double *const *)in, k, out);
  return SOFA_OK;
}

/* ---- lists ---- */

static bool allowed(const SofaObject *object, const SofaType *type, int op) {
  if (type->scalar == SOFA_SCALAR_BOOL) return op >= NOT;
  if (type == &sofa_type_vec7s || strstr(object->template_name, "Rigid")) return op == ADD;
  return type->width > 1 ? op <= SUBTRACT : op <= LARGEST;
}

static SofaErr combine_lists(const MathOp *e, int op, const SofaType *type, size_t n_in,
                             const void **in) {
  void *out = sofa_family_value(&e->object, OUTPUT, 0);
  size_t n = SIZE_MAX;
  for (size_t j = 0; j < n_in; j++) {
    const size_t m = engine_list_n(sofa_family_value(&e->object, INPUTS, j));
    if (m < n) n = m;
  }
  if (!n_in) n = 0;
  SOFA_TRY(sofa_list_resize(e->object.ctx, out, engine_entry_size(type), n));
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n_in; j++)
      in[j] = engine_entry(type, sofa_family_value(&e->object, INPUTS, j), i);
    SOFA_TRY(combine_entry(e, op, type, n_in, in, engine_entry(type, out, i)));
  }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  MathOp *e = (MathOp *)object;
  const SofaType *type = sofa_family_type(object, OUTPUT);
  const size_t n_in = sofa_family_n(object, INPUTS);
  const bool logic = type->scalar == SOFA_SCALAR_BOOL;
  const int op = logic && !sofa_field_is_set(object, "op") ? NOT : e->op.index;
  if (!allowed(object, type, op))
    return sofa_field_fail(object, "op", SOFA_ERR_ARGUMENT, "'%s' is not an operation on %s",
                           operations[op], object->template_name);
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  const void **in = SOFA_SCRATCH(object->ctx, const void *, n_in);
  const SofaErr err = in ? combine_lists(e, op, type, n_in, in) : SOFA_ERR_MEMORY;
  sofa_scratch_release(object->ctx, mark);
  return err;
}

static const char *const templates[] = {"vector<RigidCoord2d>",
                                        "vector<RigidCoord3d>",
                                        "vector<RigidDeriv2d>",
                                        "vector<RigidDeriv3d>",
                                        "vector<Vec2d>",
                                        "vector<Vec3d>",
                                        "vector<bool>",
                                        "vector<d>",
                                        "vector<i>",
                                        NULL};

ENGINE_CLASS(MathOp, "Transform", "Combines lists, entry by entry, with one operation.",
             ENGINE_FAMILIES, SOFA_QUIRKS(quirks), .templates = templates, .init = engine_init, );
