/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inverses that are kept: between components, and in files. */
#include "components/linearsolver/precomputed.h"

#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/files.h"
#include "base/text.h"
#include "numerics/io/output_file.h"
#include "object/checkpoint.h"

static const SofaField fields[] = {
    SOFA_FIELD(PrecomputedSolver, two_step, "jmjt_twostep", "1", "",
               "no effect: concerns Lagrange multipliers", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(PrecomputedSolver, use_file, "use_file", "1", "",
               "read the inverse from the file NODE-SIZE-DT.inverse of the current directory when "
               "it is that of the matrix; otherwise write it there"),
};

static void destroy(SofaObject *object) {
  sofa_free(object->ctx, ((PrecomputedSolver *)object)->file);
}

/* ---- what the inverse is of ---- */

/* The factor is made as by the linear solver that is linked, where that is one of CHOLMOD. */
static SofaCholmodKind kind_of(const PrecomputedSolver *p) {
  const SofaObject *linked = p->linear_solver.target;
  if (!linked || !sofa_class_is_a(linked->klass, &sofa_cholmod_linear_solver_class))
    return (SofaCholmodKind){CHOLMOD_KIND_DEFAULT};
  return sofa_cholmod_solver_kind(((const SofaCholmodLinearSolver *)linked)->cholmod);
}

static SofaErr init(SofaObject *object) {
  const SofaObject *linked = ((PrecomputedSolver *)object)->linear_solver.target;
  if (linked && !sofa_class_is_a(linked->klass, &sofa_cholmod_linear_solver_class))
    sofa_object_message(object, SOFA_WARNING,
                        "linearSolver: no inverse can be taken from %s '%s', L D L^T is used",
                        linked->klass->name, linked->name);
  return sofa_cholmod_refuse_single(object);
}

/* Of the matrix, and of what else decides the bits of its factor. */
static uint64_t checksum_of(const PrecomputedSolver *p, const SofaBlockRows *rows) {
  const SofaOrdering *ordering = sofa_solver_ordering(&p->base.solver, &p->base.ordering);
  const char *method = ordering ? ordering->object.klass->name : "";
  const SofaCholmodKind kind = kind_of(p);
  const int words[] = {kind.positive_only, kind.half_after_order, kind.supernodal, kind.ordering};
  uint64_t sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, method, strlen(method));
  sum = sofa_checksum(sum, words, sizeof words);
  sum = sofa_checksum(sum, rows->start, (rows->n_rows + 1) * sizeof *rows->start);
  sum = sofa_checksum(sum, rows->row_scalar, (rows->n_rows + 1) * sizeof *rows->row_scalar);
  for (size_t i = 0; i < rows->n_rows; i++) {
    const size_t n = rows->row_scalar[i + 1] - rows->row_scalar[i];
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const uint32_t j = rows->column[k];
      const size_t columns = rows->column_scalar[j + 1] - rows->column_scalar[j];
      sum = sofa_checksum(sum, &j, sizeof j);
      sum = sofa_checksum(sum, sofa_block_values(rows, k), n * columns * sizeof(double));
    }
  }
  return sum;
}

static SofaErr find_name(PrecomputedSolver *p, size_t size) {
  const SofaObject *object = &p->base.solver.object;
  char dt[32];
  sofa_print_real(dt, object->node->dt, 6);
  sofa_free(object->ctx, p->file);
  p->file = sofa_format(object->ctx, "%s-%zu-%s.inverse", object->node->object.name, size, dt);
  if (!p->file) return SOFA_ERR_MEMORY;
  for (char *at = p->file; *at; at++)
    if (*at == '/') *at = '_';
  return SOFA_OK;
}

/* ---- sharing ---- */

typedef struct Search {
  const PrecomputedSolver *asks;
  PrecomputedSolver *found;
} Search;

static SofaVisit find_in_node(SofaNode *node, void *user) {
  Search *search = user;
  const PrecomputedSolver *asks = search->asks;
  for (size_t i = 0; i < node->objects.n; i++) {
    PrecomputedSolver *p = (PrecomputedSolver *)node->objects.data[i];
    if (!sofa_class_is_a(node->objects.data[i]->klass, &precomputed_solver_class)) continue;
    if (p == asks || !p->share || !p->value_version || p->checksum != asks->checksum) continue;
    if (strcmp(p->file, asks->file) != 0) continue;
    search->found = p;
    return SOFA_STOP;
  }
  return SOFA_CONTINUE;
}

/* Takes the inverse of another component of the scene with the same name of file and matrix. */
static SofaErr share(PrecomputedSolver *p, bool *done) {
  SofaObject *object = &p->base.solver.object;
  Search search = {.asks = p};
  SOFA_TRY(sofa_visit(sofa_node_root(object->node),
                      &(SofaVisitor){find_in_node, NULL, &search, .inactive_too = true}));
  *done = search.found != NULL;
  if (!*done) return SOFA_OK;
  sofa_cholmod_solver_destroy(&p->base.cholmod);
  p->base.cholmod = sofa_cholmod_solver_share(search.found->base.cholmod);
  char *path = sofa_object_path(&search.found->base.solver.object);
  sofa_object_message(object, SOFA_INFO, "shares the inverse of '%s'", path ? path : "");
  sofa_free(object->ctx, path);
  return SOFA_OK;
}

/* ---- files ---- */

static const char magic[8] = {'C', 'S', 'O', 'F', 'A', 'I', 'N', 'V'};
enum { VERSION = 1, BYTES_ORDERED = 0x01020304 };

typedef struct Header {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t size;
  double dt;
  uint64_t matrix, content; /* checksums */
} Header;

static Header header_of(const PrecomputedSolver *p, size_t size) {
  Header h = {.version = VERSION,
              .byte_order = BYTES_ORDERED,
              .size = size,
              .dt = p->base.solver.object.node->dt,
              .matrix = p->checksum};
  memcpy(h.magic, magic, sizeof magic);
  return h;
}

/* Why the bytes are not those of the inverse; NULL: they are. */
static const char *compare(const Header *wanted, const char *bytes, size_t n) {
  Header h;
  if (n < sizeof h) return "is cut off";
  memcpy(&h, bytes, sizeof h);
  if (h.byte_order != wanted->byte_order) return "was written with another byte order";
  if (h.version != wanted->version) return "is of another version of the format";
  if (h.size != wanted->size) return "is the inverse of a matrix of another size";
  if (memcmp(&h.dt, &wanted->dt, sizeof h.dt) != 0) return "is the inverse for another time step";
  if (h.matrix != wanted->matrix) return "is the inverse of another matrix";
  if (h.content != sofa_checksum(SOFA_CHECKSUM_BEGIN, bytes + sizeof h, n - sizeof h))
    return "is damaged";
  return NULL;
}

/* *done: the inverse was read. *ours: there is no file, or one that may be replaced. */
static SofaErr read_file(PrecomputedSolver *p, size_t size, bool *done, bool *ours) {
  SofaObject *object = &p->base.solver.object;
  const Header wanted = header_of(p, size);
  char *bytes = NULL;
  size_t n = 0;
  SofaErr err = SOFA_OK;
  *done = false;
  *ours = true;
  if (access(p->file, F_OK) != 0) return SOFA_OK;
  if (!sofa_is_file(p->file) || access(p->file, R_OK) != 0) {
    *ours = false;
    sofa_object_message(object, SOFA_WARNING, "'%s' cannot be read: the inverse is computed",
                        p->file);
    return SOFA_OK;
  }
  SOFA_TRY(sofa_read_file(object->ctx, p->file, 0, &bytes, &n));
  *ours = n >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
  const char *why = *ours ? compare(&wanted, bytes, n) : "is not an inverse written by csofa";
  if (!why) {
    err = sofa_cholmod_solver_restore(p->base.cholmod, size, bytes + sizeof wanted,
                                      n - sizeof wanted);
    if (err == SOFA_ERR_PARSE) why = "is damaged";
  }
  *done = !why && err == SOFA_OK;
  if (why)
    sofa_object_message(object, SOFA_WARNING, "'%s' %s: the inverse is computed again, the file %s",
                        p->file, why, *ours ? "replaced" : "kept");
  else if (*done) sofa_object_message(object, SOFA_INFO, "inverse read from '%s'", p->file);
  sofa_free(object->ctx, bytes);
  return err == SOFA_ERR_PARSE ? SOFA_OK : err;
}

/* A folder without write permission is reported, and the run continues. */
static SofaErr write_file(PrecomputedSolver *p, size_t size) {
  SofaObject *object = &p->base.solver.object;
  SofaContext *ctx = object->ctx;
  Header h = header_of(p, size);
  SofaText text = {0};
  SofaErr err = SOFA_OK;
  if (access(".", W_OK) != 0 || (access(p->file, F_OK) == 0 && access(p->file, W_OK) != 0)) {
    sofa_object_message(object, SOFA_WARNING, "'%s' may not be written: the inverse is not kept",
                        p->file);
    return SOFA_OK;
  }
  SOFA_GO(err, done, sofa_text_append(ctx, &text, (const char *)&h, sizeof h));
  SOFA_GO(err, done, sofa_cholmod_solver_save(p->base.cholmod, &text));
  h.content = sofa_checksum(SOFA_CHECKSUM_BEGIN, text.data + sizeof h, text.n - sizeof h);
  memcpy(text.data, &h, sizeof h);
  SOFA_GO(err, done, sofa_output_file_replace(object, p->file, text.data, text.n));
  sofa_object_message(object, SOFA_INFO, "inverse written to '%s', %zu bytes", p->file, text.n);
done:
  sofa_list_free(ctx, &text);
  return err == SOFA_ERR_IO && ctx->keep_going ? SOFA_OK : err;
}

/* ---- together ---- */

/* A solver that others use is left to them. */
static SofaErr own_solver(PrecomputedSolver *p) {
  SofaCholmodSolver *own = NULL;
  SOFA_TRY(sofa_cholmod_solver_create(p->base.solver.object.ctx, kind_of(p), &own));
  sofa_cholmod_solver_destroy(&p->base.cholmod);
  p->base.cholmod = own;
  return SOFA_OK;
}

static SofaErr make(PrecomputedSolver *p, const SofaBlockMatrix *matrix,
                    const SofaBlockRows *rows) {
  const size_t n = rows->n_scalar_rows;
  bool done = false, ours = true;
  SOFA_TRY(sofa_symmetry_check(&p->base.solver, matrix, rows, SYMMETRY_HALF, &p->base.symmetry));
  p->checksum = checksum_of(p, rows);
  SOFA_TRY(find_name(p, n));
  if (p->share) SOFA_TRY(share(p, &done));
  if (done) return SOFA_OK;
  SOFA_TRY(own_solver(p));
  if (p->use_file) SOFA_TRY(read_file(p, n, &done, &ours));
  if (done) return SOFA_OK;
  SOFA_TRY(sofa_cholmod_solver_update(&p->base));
  return p->use_file && ours && !p->base.told_singular ? write_file(p, n) : SOFA_OK;
}

SofaErr precomputed_update(PrecomputedSolver *p) {
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(&p->base.solver, &matrix, &rows));
  if (rows.n_scalar_rows == 0 || p->value_version == rows.value_version) return SOFA_OK;
  p->value_version = 0;
  SOFA_TRY(make(p, matrix, &rows));
  p->value_version = rows.value_version;
  return SOFA_OK;
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PrecomputedSolver, checksum),
    SOFA_REMADE(PrecomputedSolver, file),
    SOFA_REMADE(PrecomputedSolver, value_version),
};

const SofaClass precomputed_solver_class = {
    .name = "PrecomputedSolver",
    .module = "csofa",
    .category = "LinearSolver",
    .help = "Solves with the inverse of the first matrix of the run.",
    .base = &sofa_cholmod_linear_solver_class,
    SOFA_SPARES(spared),
    .size = sizeof(PrecomputedSolver),
    SOFA_FIELDS(fields),
    .init = init,
    .destroy = destroy,
    .abstract = true,
};
