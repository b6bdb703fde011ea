/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The material of docs/writing-a-material.md, which gives no stress of its own: the elements make
 * it of the derivatives. Along y alone the Cauchy stresses differ by mu (s^2 - 1) / s. */
#include <csofa/csofa.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const double mu = 400, s = 1.5, expected = mu * (s * s - 1) / s;
  CsofaContext *csofa = NULL;
  CsofaScene *scene = NULL;
  double stress = 0;
  if (argc != 2 || csofa_create("", &csofa) != CSOFA_OK) return 2;
  if (csofa_load(csofa, argv[1], &scene) == CSOFA_OK && csofa_step(scene, 1) == CSOFA_OK)
    csofa_get_reals(scene, csofa_find(scene, 0, "/cube/elements"), "vonMisesPerElement", 0, 1,
                    &stress);
  printf("%s von Mises stress %.9f, expected %.9f\n", csofa_last_error(csofa), stress, expected);
  csofa_destroy(csofa);
  return !(fabs(stress - expected) < 1e-6);
}
