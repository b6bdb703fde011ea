/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads a scene, makes steps, reads a state, saves the run and goes on from it in another scene:
 * both end at the same numbers, to the bit.
 *
 *   cc -std=c11 restart.c -o restart $(pkg-config --cflags --libs csofa)
 *   ./restart beam.scn /body/state beam.state */
#include <csofa/csofa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE = 10, AFTER = 20 };

/* The positions of a state; *n numbers. NULL on failure. The caller frees. */
static double *read_positions(CsofaScene *scene, const char *path, size_t *n) {
  const CsofaObject state = csofa_find(scene, 0, path);
  size_t points = 0, width = 0;
  if (csofa_field_info(scene, state, "position", NULL, &points, &width, NULL) != CSOFA_OK)
    return NULL;
  *n = points * width;
  double *x = malloc((*n + 1) * sizeof *x);
  if (x && csofa_get_reals(scene, state, "position", 0, *n, x) == CSOFA_OK) return x;
  free(x);
  return NULL;
}

/* Goes on in a scene that has made no step. */
static double *run_rest(CsofaContext *csofa, char **argv, size_t *n) {
  CsofaScene *scene = NULL;
  if (csofa_load(csofa, argv[1], &scene) != CSOFA_OK) return NULL;
  if (csofa_restore_state(scene, argv[3]) != CSOFA_OK) return NULL;
  printf("restored after step %d, t = %g s\n", (int)csofa_steps(scene), csofa_time(scene));
  return csofa_step(scene, AFTER) == CSOFA_OK ? read_positions(scene, argv[2], n) : NULL;
}

static double *run_whole(CsofaContext *csofa, char **argv, size_t *n) {
  CsofaScene *scene = NULL;
  if (csofa_load(csofa, argv[1], &scene) != CSOFA_OK) return NULL;
  if (csofa_step(scene, BEFORE) != CSOFA_OK) return NULL;
  if (csofa_save_state(scene, argv[3]) != CSOFA_OK) return NULL;
  return csofa_step(scene, AFTER) == CSOFA_OK ? read_positions(scene, argv[2], n) : NULL;
}

int main(int argc, char **argv) {
  CsofaContext *csofa = NULL;
  size_t n = 0, m = 0;
  if (argc != 4) {
    fprintf(stderr, "usage: restart SCENE STATE FILE\n");
    return 2;
  }
  if (csofa_create(NULL, &csofa) != CSOFA_OK) return 1;
  double *whole = run_whole(csofa, argv, &n);
  double *rest = whole ? run_rest(csofa, argv, &m) : NULL;
  const int same = whole && rest && n == m && memcmp(whole, rest, n * sizeof *whole) == 0;
  if (!whole || !rest) fprintf(stderr, "%s\n", csofa_last_error(csofa));
  else printf("%zu numbers: %s\n", n, same ? "the same bits" : "they differ");
  free(whole);
  free(rest);
  csofa_destroy(csofa);
  return same ? 0 : 1;
}
