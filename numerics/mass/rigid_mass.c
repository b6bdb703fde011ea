/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mass of one point, rigid bodies included, and the reader of .rigid files. */
#include "numerics/mass/rigid_mass.h"

#include <math.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"

bool sofa_point_mass_turns(const SofaRigidMass *m) {
  for (int k = 0; k < 9; k++)
    if (m->inertia[k] != (k % 4 == 0 ? m->inertia[0] : 0)) return true;
  return false;
}

void sofa_point_mass_add_inertia(const SofaRigidMass *m, const double *q, double *inertia) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int c = 0; c < 3; c++) {
    double column[3];
    point_mass_turned(q, m->inertia, m->mass, axes[c], column);
    for (int r = 0; r < 3; r++) inertia[3 * r + c] += column[r];
  }
}

void sofa_point_mass_block(SofaStateKind kind, const SofaRigidMass *m, const double *q,
                           double *block) {
  double inertia[9] = {0};
  const unsigned deriv = sofa_state_kind_info(kind)->deriv;
  sofa_zero(block, (size_t)deriv * deriv * sizeof *block);
  for (unsigned c = 0; c < deriv; c++) block[c * deriv + c] = m->mass;
  if (kind == SOFA_RIGID2) block[8] = m->mass * m->inertia[0];
  if (kind != SOFA_RIGID3) return;
  sofa_point_mass_add_inertia(m, q, inertia);
  /* symmetric to the bit when the inertia is */
  for (unsigned r = 0; r < 3; r++)
    for (unsigned c = 0; c < 3; c++)
      block[(3 + r) * 6 + 3 + c] =
          q ? 0.5 * (inertia[3 * r + c] + inertia[3 * c + r]) : inertia[3 * r + c];
}

void sofa_point_mass_inverse(SofaStateKind kind, const SofaRigidMass *m, double *inverse) {
  memset(inverse, 0, 9 * sizeof *inverse);
  if (kind == SOFA_RIGID2) {
    const double inertia = m->mass * m->inertia[0];
    inverse[0] = inertia != 0 ? 1 / inertia : 0;
    return;
  }
  if (kind != SOFA_RIGID3) return;
  /* adjugate over determinant */
  const double *a = m->inertia;
  const double c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8],
               c2 = a[3] * a[7] - a[4] * a[6];
  const double det = m->mass * (a[0] * c0 + a[1] * c1 + a[2] * c2);
  if (det == 0) return;
  inverse[0] = c0 / det;
  inverse[1] = (a[2] * a[7] - a[1] * a[8]) / det;
  inverse[2] = (a[1] * a[5] - a[2] * a[4]) / det;
  inverse[3] = c1 / det;
  inverse[4] = (a[0] * a[8] - a[2] * a[6]) / det;
  inverse[5] = (a[2] * a[3] - a[0] * a[5]) / det;
  inverse[6] = c2 / det;
  inverse[7] = (a[1] * a[6] - a[0] * a[7]) / det;
  inverse[8] = (a[0] * a[4] - a[1] * a[3]) / det;
}

/* A massless dof without force stays at rest; one with force gets an infinite acceleration. */
static double divide(double f, double m) {
  return m != 0 || f != 0 ? f / m : 0;
}

void sofa_point_mass_divide(SofaStateKind kind, const SofaRigidMass *m, const double *inverse,
                            const double *q, const double *f, double *a) {
  if (kind == SOFA_RIGID3) {
    for (int c = 0; c < 3; c++) a[c] = divide(f[c], m->mass);
    point_mass_turned(q, inverse, 1, f + 3, a + 3);
  } else if (kind == SOFA_RIGID2) {
    a[0] = divide(f[0], m->mass);
    a[1] = divide(f[1], m->mass);
    a[2] = inverse[0] * f[2];
  } else {
    const unsigned deriv = sofa_state_kind_info(kind)->deriv;
    for (unsigned c = 0; c < deriv; c++) a[c] = divide(f[c], m->mass);
  }
}

double sofa_point_mass_kinetic(SofaStateKind kind, const SofaRigidMass *m, const double *q,
                               const double *v) {
  double mv[6] = {0}, energy = 0;
  point_mass_apply(kind, m, q, 1, v, mv);
  const unsigned deriv = sofa_state_kind_info(kind)->deriv;
  for (unsigned c = 0; c < deriv; c++) energy += v[c] * mv[c];
  return 0.5 * energy;
}

/* ---- .rigid files ---- */

typedef struct RigidWord {
  const char *word;
  int n;
  size_t offset, flag;
} RigidWord;

static const RigidWord rigid_words[] = {
    {"inrt", 9, offsetof(SofaRigidFile, value.inertia), offsetof(SofaRigidFile, has_inertia)},
    {"vertexMass", 1, offsetof(SofaRigidFile, value.mass), offsetof(SofaRigidFile, has_mass)},
    {"volm", 1, offsetof(SofaRigidFile, value.volume), offsetof(SofaRigidFile, has_volume)},
    {"cntr", 3, 0, 0},
    {"center", 3, 0, 0},
    {"frme", 4, 0, 0},
    {"grav", 3, 0, 0},
    {"visc", 1, 0, 0},
    {"stck", 1, 0, 0},
    {"step", 1, 0, 0},
    {"prec", 1, 0, 0},
};

typedef struct RigidReader {
  const SofaObject *object;
  const char *path, *at;
  int line;
} RigidReader;

static void skip_line(RigidReader *r) {
  while (*r->at && *r->at != '\n') r->at++;
}

static void skip_blanks(RigidReader *r) {
  for (; *r->at && strchr(" \t\r\n", *r->at); r->at++) r->line += *r->at == '\n';
}

static SofaErr complain(const RigidReader *r, const char *what, const char *word, size_t length) {
  const SofaContext *ctx = r->object->ctx;
  const SofaOrigin origin = {.file = r->path, .line = r->line, .emitter = "rigid mass file"};
  sofa_message(r->object->ctx, SOFA_ERROR, &origin, "%s '%.*s'", what, (int)length, word);
  return ctx->keep_going ? SOFA_OK : SOFA_ERR_PARSE;
}

static SofaErr read_numbers(RigidReader *r, const RigidWord *word, SofaRigidFile *out) {
  double values[9];
  for (int i = 0; i < word->n; i++) {
    skip_blanks(r);
    const char *begin = r->at;
    if (!sofa_read_real(&r->at, &values[i])) {
      SOFA_TRY(complain(r, "expected a number of", word->word, strlen(word->word)));
      r->at = begin;
      skip_line(r);
      return SOFA_OK;
    }
  }
  if (!word->flag) return SOFA_OK;
  sofa_copy((char *)out + word->offset, values, (size_t)word->n * sizeof *values);
  *((bool *)out + word->flag) = true;
  return SOFA_OK;
}

static SofaErr read_line(RigidReader *r, SofaRigidFile *out) {
  const char *word = NULL;
  size_t length = 0;
  if (!sofa_read_word(&r->at, &word, &length)) return SOFA_OK;
  if (word[0] == '#') {
    skip_line(r);
    return SOFA_OK;
  }
  for (size_t i = 0; i < sizeof rigid_words / sizeof *rigid_words; i++)
    if (strlen(rigid_words[i].word) == length && !strncmp(rigid_words[i].word, word, length))
      return read_numbers(r, &rigid_words[i], out);
  SOFA_TRY(complain(r, "unknown keyword", word, length));
  skip_line(r);
  return SOFA_OK;
}

SofaErr sofa_rigid_file_read(const SofaObject *object, const char *path, SofaRigidFile *out) {
  SofaContext *ctx = object->ctx;
  char *text = NULL;
  size_t size = 0;
  SofaErr err = SOFA_OK;
  memset(out, 0, sizeof *out);
  SOFA_GO(err, done, sofa_read_file(ctx, path, 1u << 20, &text, &size));
  RigidReader r = {object, path, text, 1};
  /* the first line is a title */
  skip_line(&r);
  for (skip_blanks(&r); *r.at; skip_blanks(&r)) SOFA_GO(err, done, read_line(&r, out));
done:
  sofa_free(ctx, text);
  return err;
}
