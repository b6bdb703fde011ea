/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and writing of view files. */
#include "viewer/view_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/output.h"
#include "base/text.h"
#include "math/quaternion.h"

char *view_file_name(SofaContext *ctx, const char *scene) {
  return sofa_format(ctx, "%s.view", scene);
}

/* ---- writing ---- */

static void put(SofaContext *ctx, SofaText *text, const char *name, const double *v, int n) {
  sofa_text_printf(ctx, text, "  <%s value=\"", name);
  for (int i = 0; i < n; i++) sofa_text_printf(ctx, text, "%s%.17g", i ? " " : "", v[i]);
  sofa_text_printf(ctx, text, "\"/>\n");
}

SofaErr view_file_write(SofaContext *ctx, const char *path, const SofaCamera *camera) {
  SofaText text = {0};
  sofa_text_printf(ctx, &text, "<?xml version=\"1.0\"?>\n<Camera version=\"1.0\">\n");
  put(ctx, &text, "position", camera->position, 3);
  put(ctx, &text, "orientation", camera->orientation, 4);
  put(ctx, &text, "fieldOfView", &camera->field_of_view, 1);
  put(ctx, &text, "distance", &camera->distance, 1);
  put(ctx, &text, "zNear", &camera->z_near, 1);
  put(ctx, &text, "zFar", &camera->z_far, 1);
  sofa_text_printf(ctx, &text, "  <projectionType value=\"%s\"/>\n</Camera>\n",
                   camera->orthographic ? "Orthographic" : "Perspective");
  const SofaOutputSpec spec = {.path = path, .what = "the view", .provenance = SOFA_REMARK_NONE};
  const SofaErr err =
      text.data ? sofa_output_whole(ctx, &spec, text.data, text.n) : SOFA_ERR_MEMORY;
  sofa_list_free(ctx, &text);
  return err;
}

/* ---- reading ---- */

typedef struct Reader {
  SofaContext *ctx;
  const char *path, *text; /* text: without comments */
  SofaErr err;
} Reader;

static SofaErr fail(Reader *r, const char *at, const char *what, const char *name) {
  int line = 1;
  for (const char *c = r->text; c < at; c++) line += *c == '\n';
  r->err =
      sofa_fail(r->ctx, SOFA_ERR_PARSE, &(SofaOrigin){.file = r->path, .line = line}, what, name);
  return r->err;
}

/* Comments become blanks, so that lines keep their numbers. */
static void blank_comments(char *text) {
  for (char *begin = text; (begin = strstr(begin, "<!--"));) {
    char *end = strstr(begin, "-->");
    end = end ? end + 3 : begin + strlen(begin);
    for (; begin < end; begin++)
      if (*begin != '\n') *begin = ' ';
  }
}

/* The element <name ...>; NULL: there is none. */
static const char *element(const Reader *r, const char *name) {
  const size_t n = strlen(name);
  for (const char *at = r->text; (at = strchr(at, '<')); at++)
    if (strncmp(at + 1, name, n) == 0 && strchr(" \t\r\n/>", at[n + 1])) return at;
  return NULL;
}

/* Text of the attribute `value` of an element, in place: its first and last character. */
static bool value_of(const char *at, const char **begin, const char **end) {
  const char *close = strchr(at, '>');
  for (const char *v = at; close && (v = strstr(v, "value")) && v < close; v++) {
    const char *c = v + 5 + strspn(v + 5, " \t\r\n");
    if (*c++ != '=') continue;
    c += strspn(c, " \t\r\n");
    if (*c != '"' && *c != '\'') return false;
    *begin = c + 1;
    *end = strchr(c + 1, *c);
    return *end != NULL;
  }
  return false;
}

/* Reads n finite numbers into `out`; true: they are there. */
static bool numbers(Reader *r, const char *name, double *out, int n) {
  const char *at = element(r, name), *begin, *end;
  char text[256];
  double v[4];
  if (!at || r->err != SOFA_OK) return false;
  if (!value_of(at, &begin, &end) || end - begin >= (long)sizeof text) {
    fail(r, at, "<%s> has no readable attribute 'value'", name);
    return false;
  }
  snprintf(text, sizeof text, "%.*s", (int)(end - begin), begin);
  const char *word = text;
  int i = 0;
  while (i < n && sofa_read_real(&word, &v[i]) && isfinite(v[i])) i++;
  if (i < n || !sofa_at_end(&word)) {
    fail(r, at,
         n == 1 ? "<%s>: expected a number" : "<%s>: expected finite numbers, 3 or 4 of them",
         name);
    return false;
  }
  sofa_copy(out, v, (size_t)n * sizeof *out);
  return true;
}

static bool positive(Reader *r, const char *name, double *out) {
  double v;
  if (!numbers(r, name, &v, 1)) return false;
  if (v > 0) *out = v;
  else fail(r, element(r, name), "<%s>: expected a number > 0", name);
  return v > 0;
}

static void projection(Reader *r, SofaCamera *camera) {
  const char *at = element(r, "projectionType"), *begin, *end;
  if (!at) at = element(r, "type");
  if (!at || r->err != SOFA_OK) return;
  if (!value_of(at, &begin, &end)) {
    fail(r, at, "<%s> has no readable attribute 'value'", "projectionType");
    return;
  }
  const size_t n = (size_t)(end - begin);
  const bool one = n == 1 && *begin == '1', zero = n == 1 && *begin == '0';
  if (one || (n == 12 && strncmp(begin, "Orthographic", n) == 0)) camera->orthographic = true;
  else if (zero || (n == 11 && strncmp(begin, "Perspective", n) == 0)) camera->orthographic = false;
  else fail(r, at, "<%s>: expected Perspective or Orthographic", "projectionType");
}

static void place(Reader *r, SofaCamera *camera) {
  static const double y[3] = {0, 1, 0};
  double position[3], q[4], at[3], up[3];
  const bool has_position = numbers(r, "position", position, 3);
  const bool has_turn = numbers(r, "orientation", q, 4);
  if (r->err != SOFA_OK) return;
  if (!has_position) {
    fail(r, r->text, "<%s> is missing", "position");
  } else if (has_turn) {
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(norm > 1e-12)) {
      fail(r, element(r, "orientation"), "<%s>: expected a quaternion that is not 0",
           "orientation");
      return;
    }
    for (int i = 0; i < 4; i++) camera->orientation[i] = q[i] / norm;
    const double forward[3] = {0, 0, -camera->distance};
    sofa_vec3_copy(position, camera->position);
    sofa_quat_rotate(camera->orientation, forward, at);
    sofa_vec3_add(position, at, camera->look_at);
  } else if (numbers(r, "lookAt", at, 3)) {
    sofa_quat_rotate(camera->orientation, y, up);
    sofa_camera_place(camera, position, at, up);
  } else if (r->err == SOFA_OK) {
    fail(r, r->text, "<%s> is missing", "orientation");
  }
}

SofaErr view_file_read(SofaContext *ctx, const char *path, SofaCamera *camera) {
  char *text = NULL;
  size_t size = 0;
  SofaCamera read = *camera;
  SOFA_TRY(sofa_read_file(ctx, path, 1 << 16, &text, &size));
  blank_comments(text);
  Reader r = {.ctx = ctx, .path = path, .text = text};
  if (!element(&r, "Camera")) fail(&r, text, "expected an XML file with an element <%s>", "Camera");
  positive(&r, "distance", &read.distance);
  positive(&r, "zNear", &read.z_near);
  positive(&r, "zFar", &read.z_far);
  if (positive(&r, "fieldOfView", &read.field_of_view) && !(read.field_of_view < 180))
    fail(&r, element(&r, "fieldOfView"), "<%s>: expected degrees below 180", "fieldOfView");
  projection(&r, &read);
  if (r.err == SOFA_OK) place(&r, &read);
  if (r.err == SOFA_OK) *camera = read;
  sofa_free(ctx, text);
  return r.err;
}

bool view_file_of_scene(SofaContext *ctx, const char *scene, SofaCamera *camera) {
  char *path = view_file_name(ctx, scene);
  const bool is = path && sofa_is_file(path) && view_file_read(ctx, path, camera) == SOFA_OK;
  sofa_free(ctx, path);
  return is;
}
