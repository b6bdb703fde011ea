/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TransformPosition: moves points by one of several methods. */
#include <math.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "components/engine/engine.h"
#include "numerics/spatial/random.h"
#include "math/quaternion.h"

typedef struct TransformPosition {
  SofaObject object;
  SofaVec3s input, output;
  SofaVec3 origin, normal, translation, rotation, scale;
  SofaMat4 matrix;
  SofaOption method;
  int seed;
  double max_displacement, point_size;
  SofaIndices fixed;
  SofaFileName file;
  bool draw_input, draw_output;
} TransformPosition;

static const char *const methods[] = {
    "projectOnPlane",           "translation", "rotation", "random", "scale", "scaleTranslation",
    "scaleRotationTranslation", "affine",      "fromFile", NULL};
enum {
  PROJECT,
  TRANSLATE,
  ROTATE,
  RANDOM,
  SCALE,
  SCALE_TRANSLATE,
  SCALE_ROTATE_TRANSLATE,
  AFFINE,
  FROM_FILE
};

typedef TransformPosition SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(origin, "origin", "0 0 0", "m", "point of the plane; center of the scaling"),
    SOFA_ROW_INPUT(input, "input_position", NULL, "m", "points to move",
                   .aliases = "inputPosition"),
    SOFA_ROW_OUTPUT(output, "output_position", "m", "moved points", .aliases = "outputPosition"),
    SOFA_ROW_INPUT(normal, "normal", "0 0 0", "", "normal of the plane, any length but 0"),
    SOFA_ROW_INPUT(translation, "translation", "0 0 0", "m", "translation"),
    SOFA_ROW_INPUT(rotation, "rotation", "0 0 0", "deg",
                   "rotation about the x, then y, then z axis"),
    SOFA_ROW_INPUT(scale, "scale", "1 1 1", "1", "scale along the axes"),
    SOFA_ROW_INPUT(matrix, "matrix", "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", "",
                   "4x4 matrix of affine; the result is divided by its fourth number"),
    SOFA_ROW_INPUT(method, "method", "projectOnPlane", "", "operation on the points",
                   .options = methods),
    SOFA_ROW_INPUT(seed, "seedValue", "0", "", "seed of random; 0: the generator's own"),
    SOFA_ROW_INPUT(max_displacement, "maxRandomDisplacement", "1", "m",
                   "random moves points by at most this along each axis"),
    SOFA_ROW_INPUT(fixed, "fixedIndices", NULL, "", "points that are not moved"),
    SOFA_ROW_INPUT(file, "filename", NULL, "",
                   "file of the matrix of fromFile: .trm, .tfm, .xfm or .txt"),
    SOFA_ROW_DISPLAY(draw_input, "drawInput", "0", "draw the points before"),
    SOFA_ROW_DISPLAY(draw_output, "drawOutput", "0", "draw the points after"),
    SOFA_ROW_DISPLAY(point_size, "pointSize", "1", "size of points"),
};

/* ---- files ---- */

static SofaErr bad_file(const TransformPosition *e, const char *what) {
  return sofa_field_fail(&e->object, "filename", SOFA_ERR_PARSE, "%s: %s", e->file.text, what);
}

/* Reads n numbers; nothing but them may stand there. */
static SofaErr read_numbers(const TransformPosition *e, const char *text, size_t n, double *out) {
  for (size_t i = 0; i < n; i++)
    if (!sofa_read_real(&text, &out[i])) return bad_file(e, "numbers are missing");
  return sofa_at_end(&text) ? SOFA_OK : bad_file(e, "too many numbers");
}

/* .tfm: 12 numbers in the line of the word Parameters, 3x3 row by row, then the translation from z
 * to x. */
static SofaErr read_tfm(const TransformPosition *e, char *text, double *m) {
  double v[12];
  char *line = strstr(text, "Parameters");
  if (!line) return bad_file(e, "it has no line with 'Parameters'");
  line[strcspn(line, "\r\n")] = '\0';
  line += strlen("Parameters");
  line += strspn(line, ": \t");
  SOFA_TRY(read_numbers(e, line, 12, v));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) m[4 * i + j] = v[3 * i + j];
    m[4 * i + 3] = v[11 - i];
  }
  return SOFA_OK;
}

/* .trm: the translation, then the rows of the rotation. */
static SofaErr read_trm(const TransformPosition *e, const char *text, double *m) {
  double v[12];
  SOFA_TRY(read_numbers(e, text, 12, v));
  for (int i = 0; i < 3; i++) {
    m[4 * i + 3] = v[i];
    for (int j = 0; j < 3; j++) m[4 * i + j] = v[3 + 3 * i + j];
  }
  return SOFA_OK;
}

static SofaErr read_file(TransformPosition *e, double *m) {
  char *text = NULL;
  size_t size = 0;
  const char *extension = e->file.text ? sofa_path_extension(e->file.text) : "";
  const bool tfm = strcmp(extension, "tfm") == 0, trm = strcmp(extension, "trm") == 0;
  if (!tfm && !trm && strcmp(extension, "txt") != 0 && strcmp(extension, "xfm") != 0)
    return sofa_field_fail(&e->object, "filename", SOFA_ERR_ARGUMENT,
                           "'%s' is not a .trm, .tfm, .xfm or .txt file",
                           e->file.text ? e->file.text : "");
  if (!e->file.path)
    return sofa_field_fail(&e->object, "filename", SOFA_ERR_NOT_FOUND, "there is no file '%s'",
                           e->file.text);
  SOFA_TRY(sofa_read_file(e->object.ctx, e->file.path, 1 << 20, &text, &size));
  const SofaErr err = tfm   ? read_tfm(e, text, m)
                      : trm ? read_trm(e, text, m)
                            : read_numbers(e, text, 16, m);
  sofa_free(e->object.ctx, text);
  return err;
}

/* ---- methods ---- */

/* What is the same for all points. */
typedef struct Move {
  int method;
  double normal[3], q[4];
  const double *m, *t, *s, *o;
  double reach;
  EngineRandom random;
} Move;

static void apply_matrix(const double *m, double *x) {
  double y[4];
  for (int i = 0; i < 4; i++)
    y[i] = m[4 * i] * x[0] + m[4 * i + 1] * x[1] + m[4 * i + 2] * x[2] + m[4 * i + 3];
  if (!(fabs(y[3]) > 1e-10)) return;
  for (int i = 0; i < 3; i++) x[i] = y[i] / y[3];
}

static void move_point(Move *w, double *x) {
  double d[3];
  switch (w->method) {
  case PROJECT:
    sofa_vec3_sub(w->o, x, d);
    sofa_vec3_axpy(sofa_vec3_dot(d, w->normal), w->normal, x);
    return;
  case TRANSLATE:
    sofa_vec3_add(x, w->t, x);
    return;
  case RANDOM:
    for (int k = 0; k < 3; k++) x[k] += engine_random(&w->random, -w->reach, w->reach);
    return;
  case SCALE:
    for (int k = 0; k < 3; k++) x[k] = w->o[k] + (x[k] - w->o[k]) * w->s[k];
    return;
  case AFFINE:
  case FROM_FILE:
    apply_matrix(w->m, x);
    return;
  default:
    break;
  }
  // rotation, scale and translation, those of them that the name has
  for (int k = 0; k < 3 && w->method != ROTATE; k++) x[k] *= w->s[k];
  if (w->method != SCALE_TRANSLATE) sofa_quat_rotate(w->q, x, x);
  if (w->method != ROTATE) sofa_vec3_add(x, w->t, x);
}

static SofaErr prepare(TransformPosition *e, Move *w, double *matrix) {
  const double length = sofa_vec3_norm(e->normal.v);
  *w = (Move){.method = e->method.index,
              .m = e->matrix.m,
              .t = e->translation.v,
              .s = e->scale.v,
              .o = e->origin.v,
              .reach = e->max_displacement,
              .random = e->seed ? engine_random_seed((uint32_t)e->seed) : engine_random_start()};
  if (w->method == PROJECT && !(length > 0))
    return sofa_field_fail(&e->object, "normal", SOFA_ERR_RANGE, "it is zero");
  sofa_vec3_scale(length > 0 ? 1 / length : 0, e->normal.v, w->normal);
  sofa_quat_from_euler_degrees(e->rotation.v, w->q);
  if (w->method != FROM_FILE) return SOFA_OK;
  w->m = matrix;
  return read_file(e, matrix);
}

static SofaErr update(SofaObject *object) {
  TransformPosition *e = (TransformPosition *)object;
  double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  Move w;
  SOFA_TRY(prepare(e, &w, matrix));
  SOFA_TRY(ENGINE_CHECK(object, "fixedIndices", &e->fixed, e->input.n));
  SOFA_TRY(sofa_list_copy(object->ctx, &e->output, &e->input, sizeof(SofaVec3)));
  for (size_t i = 0; i < e->output.n; i++) move_point(&w, e->output.data[i].v);
  for (size_t i = 0; i < e->fixed.n; i++)
    e->output.data[e->fixed.data[i]] = e->input.data[e->fixed.data[i]];
  return SOFA_OK;
}

ENGINE_CLASS(TransformPosition, "Transform", "Moves points by one of several methods.",
             .equations =
                 "x' = x + ((o - x).n) n \"with projectOnPlane\"\n"
                 "x' = x + d \"with translation\", x' = R x \"with rotation\"\n"
                 "x' = o + S (x - o) \"with scale\", x' = d + S x \"with scaleTranslation\"\n"
                 "x' = d + R S x \"with scaleRotationTranslation\"\n"
                 "y = T (x, 1), x' = y/y_w \"with affine and fromFile\"\n"
                 "\"n: unit normal, o: origin, d: translation, R: rotation, S: scale, T: matrix\"",
             .templates = engine_vec3_templates, .init = engine_init, );
