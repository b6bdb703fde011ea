/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedronCompositeFEMForceFieldAndMass: hexahedra of a sparse grid that deform inside as the
 * materials in them would, by static condensation of finer cells. Source: M. Nesme, P. G. Kry, L.
 * Jerabkova, F. Faure, Preserving topology and elasticity for embedded deformable models, SIGGRAPH
 * 2009. */
#include "components/solidmechanics/fem/HexahedronCompositeFEMForceFieldAndMass.h"

#include <string.h>
#include "numerics/direct/blas_threads.h"
#include "components/solidmechanics/fem/hexa_condense.h"

enum { QUIRK_COMPOSITE_INVERSE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_COMPOSITE_INVERSE, "composite-inverse",
     "HexahedronCompositeFEMForceFieldAndMass condenses with the inverse of a badly scaled matrix",
     "test_quirks_elements.inverses"},
};

typedef HexahedronComposite SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(finest_to_coarse, "finestToCoarse", "0", "",
             "condense all fine cells of a hexahedron at once instead of level by level"),
    SOFA_ROW(homogenization_method, "homogenizationMethod", "0", "", "no effect",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(
        complete, "completeInterpolation", "0", "",
        "HexahedronCompositeFEMMapping uses the condensed displacements between all axes, too"),
    SOFA_ROW(use_ramification, "useRamification", "1", "",
             "fine points at one place move apart where the grid is branched"),
    SOFA_ROW_DISPLAY(draw_type, "drawType", "0", "how edges are drawn"),
    SOFA_ROW_DISPLAY(draw_color, "drawColor", "0", "their colour"),
    SOFA_ROW_DISPLAY(draw_size, "drawSize", "-1", "their width"),
};

/* Matrices of a hexahedron of a level. */
typedef struct Part {
  double k[576], m[192];
} Part;

/* What is made on the way. */
typedef struct Builder {
  HexahedronComposite *f;
  SofaContext *ctx;
  const SofaSparseLevel *levels;
  size_t last;
  double **weights; /* by level; NULL above the last that has some */
} Builder;

static void fine_part(const NonUniform *f, uint32_t h, Part *out) {
  NonUniformMatrices own = {{0}, {0}};
  nonuniform_add_cell(f, h, &own);
  memcpy(out->k, own.k, sizeof out->k);
  for (size_t i = 0; i < 192; i++) out->m[i] = own.m[i / 3];
}

/* Fine cells within a hexahedron, and their hexahedra. */
typedef struct Cells {
  HexaFineCell *cells;
  uint32_t *hexa;
  size_t n;
} Cells;

static SofaErr cells_open(SofaContext *ctx, size_t n, Cells *out) {
  *out = (Cells){sofa_alloc(ctx, n, sizeof *out->cells), sofa_alloc(ctx, n, sizeof *out->hexa), n};
  return out->cells && out->hexa ? SOFA_OK : SOFA_ERR_MEMORY;
}

static void cells_free(SofaContext *ctx, Cells *c) {
  sofa_free(ctx, c->cells);
  sofa_free(ctx, c->hexa);
}

static SofaErr condense(Builder *b, size_t level, const Cells *in, int n_side, Part *out) {
  HexaCondensation c = {.n_side = n_side,
                        .join = !b->f->use_ramification,
                        .inverse = sofa_quirk(&b->f->nonuniform.base.hexa.fem.force_field.object,
                                              QUIRK_COMPOSITE_INVERSE),
                        .complete = b->f->complete,
                        .n_unsolved = b->f->n_unsolved};
  SOFA_TRY(hexa_condense(b->ctx, in->cells, in->n, &c));
  b->f->n_unsolved = c.n_unsolved;
  for (size_t i = 0; i < in->n; i++)
    memcpy(b->weights[level] + 576 * (size_t)in->hexa[i], in->cells[i].weight,
           sizeof in->cells[i].weight);
  memcpy(out->k, c.k, sizeof out->k);
  memcpy(out->m, c.m, sizeof out->m);
  return SOFA_OK;
}

/* ---- level by level ---- */

static SofaErr gather(Builder *b, size_t level, uint32_t h, Part *out) {
  const SofaSparseLevel *l = &b->levels[level], *fine = l - 1;
  SofaErr err = SOFA_OK;
  if (level == b->f->nonuniform.finest) {
    fine_part(&b->f->nonuniform, h, out);
    return SOFA_OK;
  }
  const uint32_t begin = l->child_start.data[h], n = l->child_start.data[h + 1] - begin;
  Cells in;
  SOFA_GO(err, done, cells_open(b->ctx, n, &in));
  for (uint32_t i = 0; i < n; i++) {
    const SofaSparseChild *child = &l->children.data[begin + i];
    HexaFineCell *cell = &in.cells[i];
    Part part;
    SOFA_GO(err, done, gather(b, level - 1, child->hexa, &part));
    in.hexa[i] = child->hexa;
    for (int k = 0; k < 3; k++) cell->at[k] = (int)(child->octant >> k & 1);
    cell->points = fine->hexas.data[child->hexa].v;
    memcpy(cell->k, part.k, sizeof part.k);
    memcpy(cell->m, part.m, sizeof part.m);
  }
  err = condense(b, level - 1, &in, 2, out);
done:
  cells_free(b->ctx, &in);
  return err;
}

/* Weights by corners of the coarse hexahedra: those by the next level times that level's. */
static void chain_weights(const Builder *b) {
  for (size_t level = b->last - 1; level-- > b->f->nonuniform.finest;) {
    for (size_t h = 0; h < b->levels[level].at.n; h++) {
      double own[576], *w = b->weights[level] + 576 * h;
      const double *above = b->weights[level + 1] + 576 * (size_t)b->levels[level].parent.data[h];
      memcpy(own, w, sizeof own);
      memset(w, 0, sizeof own);
      for (size_t i = 0; i < 24; i++)
        for (size_t k = 0; k < 24; k++)
          for (size_t j = 0; j < 24; j++) w[24 * i + j] += own[24 * i + k] * above[24 * k + j];
    }
  }
}

/* ---- all levels at once ---- */

/* Appends the finest cells in a hexahedron whose first corner is at the lattice's `at`; without
 * room for them (NULL) it only counts. */
static void list_finest(const Builder *b, size_t level, uint32_t h, const int at[3], Cells *out) {
  const SofaSparseLevel *l = &b->levels[level];
  const NonUniform *f = &b->f->nonuniform;
  if (level == f->finest) {
    if (out->cells) {
      HexaFineCell *cell = &out->cells[out->n];
      Part part;
      fine_part(f, h, &part);
      memcpy(cell->at, at, sizeof cell->at);
      memcpy(cell->k, part.k, sizeof part.k);
      memcpy(cell->m, part.m, sizeof part.m);
      cell->points = l->hexas.data[h].v;
      out->hexa[out->n] = h;
    }
    out->n++;
    return;
  }
  for (uint32_t i = l->child_start.data[h]; i < l->child_start.data[h + 1]; i++) {
    const SofaSparseChild *child = &l->children.data[i];
    int from[3];
    for (int k = 0; k < 3; k++)
      from[k] = at[k] + ((int)(child->octant >> k & 1) << (level - 1 - f->finest));
    list_finest(b, level - 1, child->hexa, from, out);
  }
}

static SofaErr gather_all(Builder *b, uint32_t h, Part *out) {
  static const int origin[3] = {0, 0, 0};
  SofaErr err = SOFA_OK;
  Cells count = {0}, in;
  list_finest(b, b->last, h, origin, &count);
  SOFA_GO(err, done, cells_open(b->ctx, count.n, &in));
  in.n = 0;
  list_finest(b, b->last, h, origin, &in);
  err = condense(b, b->f->nonuniform.finest, &in, 1 << b->f->nonuniform.n_finer, out);
done:
  cells_free(b->ctx, &in);
  return err;
}

/* ---- making ---- */

static SofaErr open_weights(Builder *b) {
  const size_t finest = b->f->nonuniform.finest;
  b->weights = sofa_alloc(b->ctx, b->last, sizeof *b->weights);
  if (!b->weights) return SOFA_ERR_MEMORY;
  for (size_t level = finest; level < (b->f->finest_to_coarse ? finest + 1 : b->last); level++) {
    b->weights[level] = sofa_alloc(b->ctx, b->levels[level].at.n, 576 * sizeof **b->weights);
    if (!b->weights[level]) return SOFA_ERR_MEMORY;
  }
  return SOFA_OK;
}

/* The weights of the finest level stay. */
static void close_weights(Builder *b, bool keep) {
  HexahedronComposite *f = b->f;
  for (size_t level = 0; b->weights && level < b->last; level++) {
    if (keep && level == f->nonuniform.finest) {
      f->weights = b->weights[level];
      f->n_weights = b->levels[level].at.n;
    } else {
      sofa_free(b->ctx, b->weights[level]);
    }
  }
  sofa_free(b->ctx, b->weights);
}

static SofaErr build(Builder *b) {
  HexahedronFEMForceFieldAndMass *base = &b->f->nonuniform.base;
  SOFA_TRY(open_weights(b));
  for (uint32_t e = 0; e < base->hexa.batch.n; e++) {
    Part part;
    SOFA_TRY(b->f->finest_to_coarse ? gather_all(b, e, &part) : gather(b, b->last, e, &part));
    sofa_element_batch_stiffness(&base->hexa.batch, e, part.k);
    sofa_mass_matrix_add(&base->m.matrix, e, part.m);
  }
  SOFA_TRY(sofa_element_batch_compare(base->hexa.fem.force_field.object.ctx, &base->hexa.batch));
  if (!b->f->finest_to_coarse) chain_weights(b);
  return SOFA_OK;
}

/* Without finer levels the base class's matrices, three numbers for each of the mass. */
static SofaErr make_uniform(HexahedronComposite *f) {
  HexahedronFEMForceFieldAndMass *base = &f->nonuniform.base;
  for (uint32_t e = 0; e < base->hexa.batch.n; e++) {
    Part part;
    fine_part(&f->nonuniform, e, &part);
    sofa_element_batch_stiffness(&base->hexa.batch, e, part.k);
    sofa_mass_matrix_add(&base->m.matrix, e, part.m);
  }
  return sofa_element_batch_compare(base->hexa.fem.force_field.object.ctx, &base->hexa.batch);
}

static SofaErr make(NonUniform *nonuniform) {
  HexahedronComposite *f = (HexahedronComposite *)nonuniform;
  const SofaObject *object = (const SofaObject *)f;
  Builder b = {.f = f, .ctx = object->ctx, .levels = nonuniform->grid->levels};
  b.last = nonuniform->grid->n_levels - 1;
  sofa_free(b.ctx, f->weights);
  f->weights = NULL;
  f->n_weights = f->n_unsolved = 0;
  if (!nonuniform->n_finer) return make_uniform(f);
  if (f->finest_to_coarse && nonuniform->n_finer > 3)
    return sofa_field_fail(object, "finestToCoarse", SOFA_ERR_RANGE,
                           "condenses at most 3 levels at once, nbVirtualFinerLevels is %d",
                           nonuniform->n_finer);
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  const SofaErr err = build(&b);
  sofa_blas_threads_end(saved);
  close_weights(&b, err == SOFA_OK);
  if (err == SOFA_OK && f->n_unsolved)
    sofa_object_message(object, SOFA_WARNING,
                        "%zu hexahedra have fine cells that hang loose: these move with the "
                        "corners, by their place",
                        f->n_unsolved);
  return err;
}

static SofaErr composite_construct(SofaObject *object) {
  HexahedronComposite *f = (HexahedronComposite *)object;
  f->nonuniform.make = make;
  f->nonuniform.base.m.matrix.width = 3;
  return SOFA_OK;
}

static void composite_destroy(SofaObject *object) {
  sofa_free(object->ctx, ((HexahedronComposite *)object)->weights);
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(HexahedronCompositeFEMForceFieldAndMass) = {
    .name = "HexahedronCompositeFEMForceFieldAndMass",
    .module = "Sofa.Component.SolidMechanics.FEM.NonUniform",
    .category = "Mass",
    .help = "Hexahedra of a sparse grid that deform inside as the materials of their finer cells "
            "would when the corners are displaced.",
    .base = &sofa_NonUniformHexahedronFEMForceFieldAndMass_class,
    .divided = SOFA_DIVIDED_NOT,
    SOFA_QUIRKS(quirks),
    .size = sizeof(HexahedronComposite),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = composite_construct,
    .destroy = composite_destroy,
};
