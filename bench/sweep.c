/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sweep by the interface of applications: 100 moduli of a beam of 500 points, 10 steps each. It
 * prints the processor time of each in s, and the sum of the last positions of a point.
 * bench/python_sweep.py does the same from Python. */
#include <csofa/csofa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VARIANTS = 100, STEPS = 10, LAST_Y = 3 * 499 + 1 };

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 16);
  if (!file || !text || fread(text, 1, (1 << 16) - 1, file) == 0) {
    free(text);
    text = NULL;
  }
  if (file) fclose(file);
  return text;
}

static CsofaErr run(CsofaContext *csofa, const char *xml, double modulus, double *y) {
  CsofaScene *scene = NULL;
  CsofaErr err = csofa_load_text(csofa, xml, NULL, &scene);
  if (err != CSOFA_OK) return err;
  const CsofaField young =
      csofa_find_field(scene, csofa_find(scene, 0, "/beam/fem"), "youngModulus");
  const CsofaField position =
      csofa_find_field(scene, csofa_find(scene, 0, "/beam/state"), "position");
  err = csofa_field_set_reals(scene, young, 1, &modulus);
  if (err == CSOFA_OK) err = csofa_step(scene, STEPS);
  if (err == CSOFA_OK) err = csofa_field_get_reals(scene, position, LAST_Y, 1, y);
  csofa_destroy_scene(scene);
  return err;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  CsofaContext *csofa = NULL;
  double sum = 0;
  char *xml = argc > 1 ? read_text(argv[1]) : NULL;
  if (!xml || csofa_create("threads=1", &csofa) != CSOFA_OK) return 2;
  for (int i = 0; i < VARIANTS; i++) {
    double y = 0;
    const double start = now();
    if (run(csofa, xml, 1000 + 100 * i, &y) != CSOFA_OK) {
      fprintf(stderr, "%s\n", csofa_last_error(csofa));
      return 1;
    }
    sum += y;
    printf("%.9f ", now() - start);
  }
  printf("%.17g\n", sum);
  csofa_destroy(csofa);
  free(xml);
  return 0;
}
