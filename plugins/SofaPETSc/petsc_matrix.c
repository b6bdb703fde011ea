/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block rows of csofa as scalar rows, blocks or upper blocks of PETSc. Blocks of csofa are row
 * major, those of PETSc column major; scalar rows take a row of each block after the other. */
#include "petsc_matrix.h"

#include "base/checksum.h"

void petsc_matrix_free(SofaContext *ctx, PetscMatrix *m) {
  MatDestroy(&m->mat);
  sofa_list_free(ctx, &m->start);
  sofa_list_free(ctx, &m->column);
  sofa_list_free(ctx, &m->values);
  sofa_list_free(ctx, &m->counts);
  sofa_list_free(ctx, &m->offsets);
  petsc_divided_free(ctx, &m->divided);
  m->pattern_version = m->value_version = 0;
}

static inline uint32_t size_of(const uint32_t *scalar, size_t i) {
  return scalar[i + 1] - scalar[i];
}

/* Scalars of all blocks of block row i, beside each other. */
static size_t width_of(const SofaBlockRows *rows, size_t i) {
  size_t width = 0;
  for (uint32_t k = rows->start[i]; k < rows->start[i + 1]; k++)
    width += size_of(rows->column_scalar, rows->column[k]);
  return width;
}

static uint32_t first_block(const SofaBlockRows *rows, PetscStorage storage, size_t i) {
  return storage == PETSC_STORAGE_UPPER ? rows->diagonal[i] : rows->start[i];
}

/* ---- the pattern ---- */

/* Block rows of a process: as many as of all others, or one more. */
static size_t first_of(const PetscMatrix *m, const SofaBlockRows *rows, int rank) {
  return rows->n_rows * (size_t)rank / (size_t)m->n_processes;
}

static int scalar_of(const PetscMatrix *m, const SofaBlockRows *rows, int rank) {
  return (int)rows->row_scalar[first_of(m, rows, rank)];
}

static SofaErr share_rows(SofaContext *ctx, PetscMatrix *m, const SofaBlockRows *rows) {
  MPI_Comm_rank(PETSC_COMM_WORLD, &m->rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &m->n_processes);
  const int n = m->n_processes;
  m->first = first_of(m, rows, m->rank);
  m->last = first_of(m, rows, m->rank + 1);
  m->first_scalar = scalar_of(m, rows, m->rank);
  m->n_scalars = scalar_of(m, rows, m->rank + 1) - m->first_scalar;
  if (n == 1) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->counts, (size_t)n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->offsets, (size_t)n));
  for (int k = 0; k < n; k++) {
    m->offsets.data[k] = scalar_of(m, rows, k);
    m->counts.data[k] = scalar_of(m, rows, k + 1) - m->offsets.data[k];
  }
  return SOFA_OK;
}

static size_t entries(const PetscMatrix *m, const SofaBlockRows *rows, PetscStorage storage) {
  size_t n = 0;
  for (size_t i = m->first; i < m->last; i++) {
    if (storage == PETSC_STORAGE_ROWS) n += width_of(rows, i) * size_of(rows->row_scalar, i);
    else n += rows->start[i + 1] - first_block(rows, storage, i);
  }
  return n;
}

/* The columns of all scalar rows of a block row are the same. */
static void fill_scalar_rows(PetscMatrix *m, const SofaBlockRows *rows) {
  PetscInt *to = m->column.data;
  for (size_t i = m->first; i < m->last; i++) {
    for (uint32_t r = rows->row_scalar[i]; r < rows->row_scalar[i + 1]; r++) {
      for (uint32_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const uint32_t j = rows->column[k];
        for (uint32_t c = rows->column_scalar[j]; c < rows->column_scalar[j + 1]; c++)
          *to++ = (PetscInt)c;
      }
      m->start.data[r - (uint32_t)m->first_scalar + 1] = (PetscInt)(to - m->column.data);
    }
  }
}

static void fill_block_rows(PetscMatrix *m, const SofaBlockRows *rows) {
  PetscInt *to = m->column.data;
  for (size_t i = 0; i < rows->n_rows; i++) {
    for (uint32_t k = first_block(rows, m->storage, i); k < rows->start[i + 1]; k++)
      *to++ = (PetscInt)rows->column[k];
    m->start.data[i + 1] = (PetscInt)(to - m->column.data);
  }
}

SofaErr petsc_matrix_shape(const SofaObject *owner, PetscMatrix *m, const SofaBlockRows *rows,
                           PetscStorage storage) {
  SofaContext *ctx = owner->ctx;
  const bool blocks = storage != PETSC_STORAGE_ROWS;
  MatDestroy(&m->mat);
  SOFA_TRY(share_rows(ctx, m, rows));
  const size_t n = entries(m, rows, storage), u = rows->uniform, n_values = blocks ? u * u * n : n;
  const size_t n_rows = blocks ? rows->n_rows : (size_t)m->n_scalars;
  m->pattern_version = m->value_version = 0;
  m->storage = storage;
  if (n_values >= (size_t)PETSC_MAX_INT)
    return sofa_object_fail(owner, SOFA_ERR_RANGE,
                            "the matrix has %zu entries, more than PETSc counts with its integers "
                            "of %zu bytes",
                            n_values, sizeof(PetscInt));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->start, n_rows + 1));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->column, n + 1));
  if (blocks) sofa_list_free(ctx, &m->values); /* PETSc has them */
  else SOFA_TRY(SOFA_RESIZE(ctx, &m->values, n_values + 1));
  m->start.data[0] = 0;
  if (blocks) fill_block_rows(m, rows);
  else fill_scalar_rows(m, rows);
  return SOFA_OK;
}

SofaErr petsc_matrix_shape_divided(const SofaObject *owner, PetscMatrix *m,
                                   const SofaBlockRows *rows, const SofaDividedPlan *plan,
                                   const uint32_t *scalar, PetscStorage storage) {
  MatDestroy(&m->mat);
  m->pattern_version = m->value_version = 0;
  m->is_divided = true;
  m->storage = storage;
  m->divided.block = storage == PETSC_STORAGE_ROWS ? 0 : (unsigned)rows->uniform;
  m->divided.upper = storage == PETSC_STORAGE_UPPER;
  SOFA_TRY(petsc_divided_shape(owner, &m->divided, plan, rows, scalar));
  m->rank = m->divided.rank;
  m->n_processes = m->divided.n_processes;
  m->first_scalar = (int)plan->first_scalar.data[m->rank];
  m->n_scalars = (int)m->divided.start.n - 1;
  if (m->divided.block) m->n_scalars *= (int)m->divided.block;
  return SOFA_OK;
}

/* ---- the values ---- */

static void copy_scalar_rows(const PetscMatrix *m, const SofaBlockRows *rows) {
  double *to = m->values.data;
  for (size_t i = m->first; i < m->last; i++) {
    const size_t width = width_of(rows, i), height = size_of(rows->row_scalar, i);
    size_t at = 0;
    for (uint32_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const double *from = sofa_block_values(rows, k);
      const size_t n = size_of(rows->column_scalar, rows->column[k]);
      for (size_t r = 0; r < height; r++)
        for (size_t c = 0; c < n; c++) to[r * width + at + c] = from[r * n + c];
      at += n;
    }
    to += width * height;
  }
}

static void copy_blocks(double *to, const SofaBlockRows *rows, PetscStorage storage) {
  const size_t u = rows->uniform;
  for (size_t i = 0; i < rows->n_rows; i++) {
    for (uint32_t k = first_block(rows, storage, i); k < rows->start[i + 1]; k++, to += u * u) {
      const double *from = sofa_block_values(rows, k);
      for (size_t r = 0; r < u; r++)
        for (size_t c = 0; c < u; c++) to[c * u + r] = from[r * u + c];
    }
  }
}

/* Of all columns and values. */
static uint64_t sum_of(const SofaBlockRows *rows) {
  const uint32_t n = rows->start[rows->n_rows];
  uint64_t sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, rows->column, n * sizeof *rows->column);
  for (size_t i = 0; i < rows->n_rows; i++) {
    const size_t height = size_of(rows->row_scalar, i);
    for (uint32_t k = rows->start[i]; k < rows->start[i + 1]; k++)
      sum = sofa_checksum(sum, sofa_block_values(rows, k),
                          height * size_of(rows->column_scalar, rows->column[k]) * sizeof(double));
  }
  return sum;
}

/* Scalar rows are our arrays, which stay ours; blocks are PETSc's, in the order of our pattern. */
static PetscErrorCode make_rows(PetscMatrix *m, const SofaBlockRows *rows) {
  const PetscInt all = (PetscInt)rows->n_scalar_rows, n = m->n_scalars;
  const PetscInt u = (PetscInt)rows->uniform;
  PetscInt *start = m->start.data, *column = m->column.data;
  double *values = m->values.data;
  if (m->n_processes > 1)
    PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, n, n, all, all, start, column, values,
                                        &m->mat));
  else PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, start, column, values, &m->mat));
  if (u > 1) PetscCall(MatSetBlockSize(m->mat, u));
  return 0;
}

static PetscErrorCode make_divided(PetscMatrix *m, const SofaBlockRows *rows) {
  PetscCall(petsc_divided_make(&m->divided, &m->mat));
  if (rows->uniform > 1 && !m->divided.block)
    PetscCall(MatSetBlockSize(m->mat, (PetscInt)rows->uniform));
  return 0;
}

static PetscErrorCode make(PetscMatrix *m, const SofaBlockRows *rows) {
  const PetscInt n = (PetscInt)rows->n_scalar_rows, u = (PetscInt)rows->uniform;
  PetscInt *start = m->start.data, *column = m->column.data;
  if (m->is_divided) return make_divided(m, rows);
  if (m->storage == PETSC_STORAGE_ROWS) return make_rows(m, rows);
  PetscCall(MatCreate(PETSC_COMM_SELF, &m->mat));
  PetscCall(MatSetSizes(m->mat, n, n, n, n));
  if (m->storage == PETSC_STORAGE_BLOCKS) {
    PetscCall(MatSetType(m->mat, MATSEQBAIJ));
    return MatSeqBAIJSetPreallocationCSR(m->mat, u, start, column, NULL);
  }
  PetscCall(MatSetType(m->mat, MATSEQSBAIJ));
  return MatSeqSBAIJSetPreallocationCSR(m->mat, u, start, column, NULL);
}

static PetscErrorCode fill_blocks(PetscMatrix *m, const SofaBlockRows *rows) {
  PetscScalar *to = NULL;
  if (m->is_divided) return petsc_divided_set(&m->divided, m->mat);
  if (m->storage == PETSC_STORAGE_BLOCKS) {
    PetscCall(MatSeqBAIJGetArray(m->mat, &to));
    copy_blocks(to, rows, m->storage);
    return MatSeqBAIJRestoreArray(m->mat, &to);
  }
  PetscCall(MatSeqSBAIJGetArray(m->mat, &to));
  copy_blocks(to, rows, m->storage);
  return MatSeqSBAIJRestoreArray(m->mat, &to);
}

PetscErrorCode petsc_matrix_fill(PetscMatrix *m, const SofaBlockRows *rows) {
  const bool made = m->mat != NULL;
  if (m->storage == PETSC_STORAGE_ROWS && !m->is_divided) copy_scalar_rows(m, rows);
  if (!made) PetscCall(make(m, rows));
  m->pattern_version = rows->pattern_version;
  if (m->storage != PETSC_STORAGE_ROWS) PetscCall(fill_blocks(m, rows));
  else if (made && m->n_processes > 1 && !m->is_divided)
    PetscCall(MatUpdateMPIAIJWithArray(m->mat, m->values.data));
  PetscCall(MatAssemblyBegin(m->mat, MAT_FINAL_ASSEMBLY)); /* the values are others now */
  PetscCall(MatAssemblyEnd(m->mat, MAT_FINAL_ASSEMBLY));
  m->value_version = rows->value_version;
  return 0;
}

/* ---- several processes ---- */

PetscErrorCode petsc_matrix_vector(const PetscMatrix *m, bool own, Vec *out) {
  PetscInt u = 1;
  PetscCall(MatGetBlockSize(m->mat, &u));
  if (m->n_processes > 1 && own)
    return VecCreateMPI(PETSC_COMM_WORLD, m->n_scalars, PETSC_DETERMINE, out);
  if (m->n_processes > 1)
    return VecCreateMPIWithArray(PETSC_COMM_WORLD, u, m->n_scalars, PETSC_DETERMINE, NULL, out);
  if (own) return VecCreateSeq(PETSC_COMM_SELF, m->n_scalars, out);
  return VecCreateSeqWithArray(PETSC_COMM_SELF, u, m->n_scalars, NULL, out);
}

PetscErrorCode petsc_matrix_gather(const PetscMatrix *m, double *x) {
  if (m->n_processes == 1) return 0;
  PetscCallMPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, x, m->counts.data, m->offsets.data,
                              MPI_DOUBLE, PETSC_COMM_WORLD));
  return 0;
}

PetscErrorCode petsc_matrix_agree(PetscMatrix *m, const SofaBlockRows *rows, const double *b,
                                  bool *same) {
  int n = 1;
  *same = true;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &n));
  if (n == 1) return 0;
  if (m->summed_version != rows->value_version) m->sum = sum_of(rows);
  m->summed_version = rows->value_version;
  const uint64_t sum = sofa_checksum(m->sum, b, rows->n_scalar_rows * sizeof *b);
  const uint64_t mine[2] = {sum, ~sum};
  uint64_t most[2];
  PetscCallMPI(MPI_Allreduce(mine, most, 2, MPI_UINT64_T, MPI_MAX, PETSC_COMM_WORLD));
  *same = most[0] == ~most[1];
  return 0;
}
