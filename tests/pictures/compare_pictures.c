/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares two PNG files as an eye would that does not look at single pixels: both are averaged
 * over blocks of 4 x 4 pixels in linear light; the distance of two blocks is that of their colours
 * in CIE L*a*b* (about 2.3 is just noticeable side by side). The pictures are the same when the
 * mean is at most 1 and at most one block in a hundred is farther than 12 (an edge moved by a
 * pixel).
 *
 * usage: compare_pictures A.png B.png        status 0: the same, 1: not, 2: unreadable */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "viewer/render/stb.h"

enum { BLOCK = 4 };
static const double mean_limit = 1, far_limit = 12, far_share = 0.01;

static uint8_t *read_picture(const char *path, int *width, int *height) {
  int channels = 0;
  uint8_t *pixels = NULL, *bytes = NULL;
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  if (size > 0) bytes = malloc((size_t)size);
  if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size)
    pixels = stbi_load_from_memory(bytes, (int)size, width, height, &channels, 3);
  free(bytes);
  fclose(file);
  return pixels;
}

static double linear(uint8_t v) {
  const double x = v / 255.;
  return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static double lab_f(double t) {
  return t > 216. / 24389 ? cbrt(t) : (24389. / 27 * t + 16) / 116;
}

/* L*, a*, b* (white D65) of a block. */
static void block_lab(const uint8_t *pixels, int width, int height, int bx, int by, double *lab) {
  double rgb[3] = {0, 0, 0};
  int n = 0;
  for (int y = by; y < by + BLOCK && y < height; y++)
    for (int x = bx; x < bx + BLOCK && x < width; x++, n++)
      for (int k = 0; k < 3; k++) rgb[k] += linear(pixels[3 * (y * width + x) + k]);
  for (int k = 0; k < 3; k++) rgb[k] /= n;
  const double fx = lab_f((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505);
  const double fy = lab_f(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
  const double fz = lab_f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089);
  lab[0] = 116 * fy - 16;
  lab[1] = 500 * (fx - fy);
  lab[2] = 200 * (fy - fz);
}

static int compare(const uint8_t *a, const uint8_t *b, int width, int height) {
  double sum = 0, largest = 0;
  int n = 0, far = 0;
  for (int y = 0; y < height; y += BLOCK)
    for (int x = 0; x < width; x += BLOCK, n++) {
      double p[3], q[3], d = 0;
      block_lab(a, width, height, x, y, p);
      block_lab(b, width, height, x, y, q);
      for (int k = 0; k < 3; k++) d += (p[k] - q[k]) * (p[k] - q[k]);
      d = sqrt(d);
      sum += d;
      far += d > far_limit;
      if (d > largest) largest = d;
    }
  printf(
      "mean difference %.3f (at most %g), blocks above %g: %.2f %% (at most %g %%), largest %.1f\n",
      sum / n, mean_limit, far_limit, 100. * far / n, 100 * far_share, largest);
  return sum / n <= mean_limit && far <= far_share * n ? 0 : 1;
}

int main(int argc, char **argv) {
  int size[2][2] = {{0, 0}, {0, 0}}, status = 2;
  uint8_t *picture[2] = {NULL, NULL};
  if (argc != 3) {
    fprintf(stderr, "usage: compare_pictures A.png B.png\n");
    return 2;
  }
  for (int i = 0; i < 2; i++) {
    picture[i] = read_picture(argv[i + 1], &size[i][0], &size[i][1]);
    if (!picture[i]) fprintf(stderr, "%s is no readable picture\n", argv[i + 1]);
  }
  if (picture[0] && picture[1]) {
    if (size[0][0] == size[1][0] && size[0][1] == size[1][1])
      status = compare(picture[0], picture[1], size[0][0], size[0][1]);
    else printf("sizes differ\n");
    if (size[0][0] != size[1][0] || size[0][1] != size[1][1]) status = 1;
  }
  stbi_image_free(picture[0]);
  stbi_image_free(picture[1]);
  return status;
}
