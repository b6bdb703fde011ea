/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colour maps. The maps of matplotlib (viridis, magma, plasma, inferno; public domain) are given by
 * polynomials of degree 6 fitted to their tables by M. Zucker, accurate to the eye. */
#include "components/visual/color_map.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

const char *const sofa_color_map_names[] = {"viridis",
                                            "magma",
                                            "plasma",
                                            "inferno",
                                            "Grey",
                                            "Cool to Warm",
                                            "Red to Blue",
                                            "Blue to Red",
                                            "HSV",
                                            "Red",
                                            "Green",
                                            "Blue",
                                            "Custom",
                                            "Yellow to Cyan",
                                            "Cyan to Yellow",
                                            "Red to Yellow",
                                            "Yellow to Red",
                                            "Yellow to Green",
                                            "Green to Yellow",
                                            "Green to Cyan",
                                            "Cyan to Green",
                                            "Cyan to Blue",
                                            "Blue to Cyan",
                                            NULL};
enum { GREY = 4, COOL_WARM, RED_BLUE, BLUE_RED, HSV, RED, GREEN, BLUE, CUSTOM, N_SCHEMES = 23 };

/* Coefficients of t^0 .. t^6 for red, green, blue. */
static const double fitted[4][7][3] = {
    {{0.2777273272234177, 0.005407344544966578, 0.3340998053353061},
     {0.1050930431085774, 1.404613529898575, 1.384590162594685},
     {-0.3308618287255563, 0.214847559468213, 0.09509516302823659},
     {-4.634230498983486, -5.799100973351585, -19.33244095627987},
     {6.228269936347081, 14.17993336680509, 56.69055260068105},
     {4.776384997670288, -13.74514537774601, -65.35303263337234},
     {-5.435455855934631, 4.645852612178535, 26.3124352495832}},
    {{-0.002136485053939582, -0.000749655052795221, -0.005386127855323933},
     {0.2516605407371642, 0.6775232436837668, 2.494026599312351},
     {8.353717279216625, -3.577719514958484, 0.3144679030132573},
     {-27.66873308576866, 14.26473078096533, -13.64921318813922},
     {52.17613981234068, -27.94360607168351, 12.94416944238394},
     {-50.76852536473588, 29.04658282127291, 4.23415299384598},
     {18.65570506591883, -11.48977351997711, -5.601961508734096}},
    {{0.05873234392399702, 0.02333670892565664, 0.5433401826748754},
     {2.176514634195958, 0.2383834171260182, 0.7539604599784036},
     {-2.689460476458034, -7.455851135738909, 3.110799939717086},
     {6.130348345893603, 42.3461881477227, -28.51885465332158},
     {-11.10743619062271, -82.66631109428045, 60.13984767418263},
     {10.02306557647065, 71.41361770095349, -54.07218655560067},
     {-3.658713842777788, -22.93153465461149, 18.19190778539828}},
    {{0.0002189403691192265, 0.001651004631001012, -0.01948089843709184},
     {0.1065134194856116, 0.5639564367884091, 3.932712388889277},
     {11.60249308247187, -3.972853965665698, -15.9423941062914},
     {-41.70399613139459, 17.43639888205313, 44.35414519872813},
     {77.162935699427, -33.40235894210092, -81.80730925738993},
     {-71.31942824499214, 32.62606426397723, 73.20951985803202},
     {25.13112622477341, -12.24266895238567, -23.07032500287172}}};

/* Maps that go straight from one colour to another; from three: over the middle one. */
static const struct {
  float from[3], to[3];
} straight[N_SCHEMES] = {
    [GREY] = {{0, 0, 0}, {1, 1, 1}},        [RED] = {{0, 0, 0}, {1, 0, 0}},
    [GREEN] = {{0, 0, 0}, {0, 1, 0}},       [BLUE] = {{0, 0, 0}, {0, 0, 1}},
    [CUSTOM] = {{0, 0, 0}, {1, 1, 1}},      [CUSTOM + 1] = {{1, 1, 0}, {0, 1, 1}},
    [CUSTOM + 2] = {{0, 1, 1}, {1, 1, 0}},  [CUSTOM + 3] = {{1, 0, 0}, {1, 1, 0}},
    [CUSTOM + 4] = {{1, 1, 0}, {1, 0, 0}},  [CUSTOM + 5] = {{1, 1, 0}, {0, 1, 0}},
    [CUSTOM + 6] = {{0, 1, 0}, {1, 1, 0}},  [CUSTOM + 7] = {{0, 1, 0}, {0, 1, 1}},
    [CUSTOM + 8] = {{0, 1, 1}, {0, 1, 0}},  [CUSTOM + 9] = {{0, 1, 1}, {0, 0, 1}},
    [CUSTOM + 10] = {{0, 0, 1}, {0, 1, 1}},
};

/* Full colours round the wheel: hue from 0 to 1. */
static SofaRgba of_hue(double hue) {
  const double h = 6 * (hue - floor(hue));
  const double x = 1 - fabs(fmod(h, 2) - 1);
  const double rows[6][3] = {{1, x, 0}, {x, 1, 0}, {0, 1, x}, {0, x, 1}, {x, 0, 1}, {1, 0, x}};
  const double *c = rows[h < 6 ? (int)h : 5];
  return SOFA_RGB(c[0], c[1], c[2]);
}

/* From a to b, evenly. */
static SofaRgba between(const float *a, const float *b, double t) {
  return SOFA_RGB(a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]));
}

SofaRgba sofa_color_scheme_at(int scheme, double t) {
  static const float cool[3] = {0.23f, 0.30f, 0.75f}, pale[3] = {0.87f, 0.87f, 0.87f},
                     warm[3] = {0.71f, 0.02f, 0.15f};
  if (isnan(t)) return SOFA_RGB(0, 0, 0);
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  if (scheme >= 0 && scheme < 4) {
    double c[3] = {0, 0, 0};
    for (int i = 6; i >= 0; i--)
      for (int k = 0; k < 3; k++) c[k] = c[k] * t + fitted[scheme][i][k];
    return SOFA_RGB(c[0], c[1], c[2]);
  }
  if (scheme == COOL_WARM)
    return t < 0.5 ? between(cool, pale, 2 * t) : between(pale, warm, 2 * t - 1);
  if (scheme == RED_BLUE) return of_hue(t * 2 / 3);
  if (scheme == BLUE_RED) return of_hue((1 - t) * 2 / 3);
  if (scheme == HSV) return of_hue(t * 0.999);
  if (scheme < 0 || scheme >= N_SCHEMES) return sofa_color_scheme_at(0, t);
  return between(straight[scheme].from, straight[scheme].to, t);
}

SofaRgba sofa_color_map_at(const SofaColorMap *map, double t) {
  const SofaColors *c = &map->colors;
  if (c->n == 0 || isnan(t)) return sofa_color_scheme_at(map->scheme, t);
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  const double at = t * (double)(c->n - 1);
  const size_t i = (size_t)at, j = i + 1 < c->n ? i + 1 : i;
  SofaRgba out;
  for (int k = 0; k < 4; k++) {
    const double a = c->data[i].rgba[k], b = c->data[j].rgba[k];
    out.v[k] = (float)(a + (at - (double)i) * (b - a));
  }
  return out;
}

/* ---- reading ---- */

static SofaErr read_color(SofaContext *ctx, const char *text, size_t n, SofaColor *color) {
  SofaText why = {0};
  char *word = sofa_strndup(ctx, text, n);
  if (!word) return SOFA_ERR_MEMORY;
  const SofaParse parse = {.ctx = ctx, .kind = SOFA_NO_KIND, .why = &why};
  *color = (SofaColor){{1, 1, 1, 1}};
  const SofaErr err = sofa_type_parse(&sofa_type_color, &parse, word, color);
  const bool more = why.n > 0; // the text says more than one colour
  sofa_list_free(ctx, &why);
  sofa_free(ctx, word);
  return err == SOFA_OK && more ? SOFA_ERR_PARSE : err;
}

SofaErr sofa_color_map_read(const SofaObject *object, const char *field, const char *text,
                            SofaColorMap *map) {
  SofaContext *ctx = object->ctx;
  SofaColor color;
  const char *word, *at = text;
  size_t length;
  map->colors.n = 0;
  map->scheme = 0;
  if (!text || !text[0]) return SOFA_OK;
  for (int i = 0; sofa_color_map_names[i]; i++)
    if (strcasecmp(text, sofa_color_map_names[i]) == 0) {
      map->scheme = i;
      return SOFA_OK;
    }
  SofaErr err = read_color(ctx, text, strlen(text), &color);
  if (err == SOFA_OK) return SOFA_APPEND(ctx, &map->colors, &color);
  while (err != SOFA_ERR_MEMORY && sofa_read_word(&at, &word, &length)) {
    err = read_color(ctx, word, length, &color);
    if (err == SOFA_OK) err = SOFA_APPEND(ctx, &map->colors, &color);
    if (err != SOFA_OK) break;
  }
  if (err == SOFA_OK || err == SOFA_ERR_MEMORY) return err;
  map->colors.n = 0;
  return sofa_field_fail(object, field, SOFA_ERR_PARSE,
                         "'%s': expected the name of a colour map (viridis, magma, Grey, ...) or "
                         "colours",
                         text);
}

void sofa_color_map_free(SofaContext *ctx, SofaColorMap *map) {
  sofa_list_free(ctx, &map->colors);
}
