/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pattern and values of the rows of this process. */
#include "petsc_divided.h"

#include "petsc_process.h"

/* An entry for a row of another process. */
typedef struct Entry {
  uint32_t row, column; /* block, first scalar column: among those of all processes */
  uint16_t n_rows, n_columns;
} Entry;
SOFA_LIST(Entry, Entries);

/* A block of a row. */
typedef struct Cell {
  uint32_t column, n_columns; /* as of Entry */
  PetscSlot slot;
} Cell;
SOFA_LIST(Cell, Cells);

typedef struct Shape {
  const SofaObject *owner;
  SofaContext *ctx;
  PetscDivided *d;
  const SofaDividedPlan *plan;
  const SofaBlockRows *rows;
  const uint32_t *scalar;
  Entries out, in;   /* what is sent, what arrives: neighbour after neighbour */
  SofaIndices start; /* cells of each own row */
  Cells cells;
} Shape;

void petsc_divided_free(SofaContext *ctx, PetscDivided *d) {
  sofa_list_free(ctx, &d->owned);
  sofa_list_free(ctx, &d->neighbours);
  sofa_list_free(ctx, &d->n_send);
  sofa_list_free(ctx, &d->n_receive);
  sofa_list_free(ctx, &d->sent);
  sofa_list_free(ctx, &d->sent_size);
  sofa_list_free(ctx, &d->out);
  sofa_list_free(ctx, &d->in);
  sofa_list_free(ctx, &d->mine);
  sofa_list_free(ctx, &d->received);
  sofa_list_free(ctx, &d->start);
  sofa_list_free(ctx, &d->column);
  sofa_list_free(ctx, &d->far_start);
  sofa_list_free(ctx, &d->far_column);
  sofa_list_free(ctx, &d->values);
}

static inline uint32_t size_of(const uint32_t *scalar, size_t i) {
  return scalar[i + 1] - scalar[i];
}

/* ---- what is sent ---- */

/* Blocks between whole states are equal on all processes: those of the first count. */
static bool counts(const Shape *s, size_t i, size_t j) {
  if (s->d->upper && s->scalar[j] < s->scalar[i]) return false;
  return s->plan->partial.data[i] || s->plan->partial.data[j] || s->d->rank == 0;
}

static int owner_of(const Shape *s, size_t i) {
  const uint32_t *first = s->plan->first_of.data, block = s->plan->block.data[i];
  int low = 0, high = s->d->n_processes;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (first[middle] <= block) low = middle;
    else high = middle;
  }
  return low;
}

static SofaErr find_owned(Shape *s) {
  PetscDivided *d = s->d;
  d->owned.n = 0;
  for (uint32_t i = 0; i < s->rows->n_rows; i++)
    if (s->plan->owned.data[i]) SOFA_TRY(SOFA_APPEND(s->ctx, &d->owned, &i));
  if (d->owned.n == s->plan->n_owned) return SOFA_OK;
  return sofa_object_fail(s->owner, SOFA_ERR_ARGUMENT, "%zu own blocks, %zu in the plan",
                          d->owned.n, (size_t)s->plan->n_owned);
}

static void count_sent(const Shape *s, uint64_t *n) {
  for (size_t i = 0; i < s->rows->n_rows; i++) {
    if (s->plan->owned.data[i]) continue;
    uint64_t *to = n + owner_of(s, i);
    for (uint32_t k = s->rows->start[i]; k < s->rows->start[i + 1]; k++)
      *to += counts(s, i, s->rows->column[k]);
  }
}

/* next: place of the next entry for each process. */
static void fill_sent(Shape *s, uint64_t *next) {
  for (size_t i = 0; i < s->rows->n_rows; i++) {
    if (s->plan->owned.data[i]) continue;
    uint64_t *at = next + owner_of(s, i);
    for (uint32_t k = s->rows->start[i]; k < s->rows->start[i + 1]; k++) {
      const uint32_t j = s->rows->column[k];
      if (!counts(s, i, j)) continue;
      const uint32_t n_rows = size_of(s->rows->row_scalar, i);
      const uint32_t n_columns = size_of(s->rows->column_scalar, j);
      s->d->sent.data[*at] = k;
      s->d->sent_size.data[*at] = n_rows * n_columns;
      s->out.data[(*at)++] = (Entry){.row = s->plan->block.data[i],
                                     .column = s->scalar[j],
                                     .n_rows = (uint16_t)n_rows,
                                     .n_columns = (uint16_t)n_columns};
    }
  }
}

/* Neighbours, and bytes of entries for and from each. */
static SofaErr find_neighbours(Shape *s, const uint64_t *to, const uint64_t *from) {
  PetscDivided *d = s->d;
  d->neighbours.n = d->n_send.n = d->n_receive.n = 0;
  for (uint32_t r = 0; r < (uint32_t)d->n_processes; r++) {
    const size_t n_send = to[r] * sizeof(Entry), n_receive = from[r] * sizeof(Entry);
    if (!n_send && !n_receive) continue;
    SOFA_TRY(SOFA_APPEND(s->ctx, &d->neighbours, &r));
    SOFA_TRY(SOFA_APPEND(s->ctx, &d->n_send, &n_send));
    SOFA_TRY(SOFA_APPEND(s->ctx, &d->n_receive, &n_receive));
  }
  return SOFA_OK;
}

static SofaErr exchange(SofaContext *ctx, const PetscDivided *d, const void *out, void *in) {
  const SofaExchange e = {.n_neighbours = d->neighbours.n,
                          .neighbours = d->neighbours.data,
                          .n_send = d->n_send.data,
                          .n_receive = d->n_receive.data,
                          .send = out,
                          .receive = in};
  return petsc_exchange(ctx, &e);
}

static SofaErr send_entries(Shape *s) {
  PetscDivided *d = s->d;
  const size_t n = (size_t)d->n_processes;
  const SofaScratchMark mark = sofa_scratch_mark(s->ctx);
  uint64_t *to = SOFA_SCRATCH(s->ctx, uint64_t, 2 * n), n_out = 0, n_in = 0;
  SofaErr err = SOFA_OK;
  if (!to) return SOFA_ERR_MEMORY;
  uint64_t *from = to + n;
  sofa_zero(to, n * sizeof *to);
  count_sent(s, to);
  if (MPI_Alltoall(to, 1, MPI_UINT64_T, from, 1, MPI_UINT64_T, PETSC_COMM_WORLD) != MPI_SUCCESS)
    SOFA_GO(err, done, sofa_object_fail(s->owner, SOFA_ERR_IO, "MPI: no numbers of entries"));
  SOFA_GO(err, done, find_neighbours(s, to, from));
  for (size_t r = 0; r < n; r++) {
    const uint64_t here = to[r];
    to[r] = n_out;
    n_out += here;
    n_in += from[r];
  }
  SOFA_GO(err, done, SOFA_RESIZE(s->ctx, &d->sent, n_out));
  SOFA_GO(err, done, SOFA_RESIZE(s->ctx, &d->sent_size, n_out));
  SOFA_GO(err, done, SOFA_RESIZE(s->ctx, &s->out, n_out));
  SOFA_GO(err, done, SOFA_RESIZE(s->ctx, &s->in, n_in));
  fill_sent(s, to);
  err = exchange(s->ctx, d, s->out.data, s->in.data);
done:
  sofa_scratch_release(s->ctx, mark);
  return err;
}

/* Points come with the own ones first: of one divided state they are beside each other. */
static SofaErr find_place(Shape *s) {
  PetscDivided *d = s->d;
  const uint32_t *owned = d->owned.data;
  d->begin = d->owned.n ? s->rows->row_scalar[owned[0]] : 0;
  d->in_place = true;
  for (size_t r = 1; r < d->owned.n; r++) d->in_place = d->in_place && owned[r] == owned[r - 1] + 1;
  const int mine = d->in_place;
  int all = 0;
  if (MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD) != MPI_SUCCESS)
    return sofa_object_fail(s->owner, SOFA_ERR_IO, "MPI: no places of vectors");
  d->all_in_place = all;
  return SOFA_OK;
}

/* ---- the rows ---- */

static int by_column(const void *a, const void *b) {
  const uint32_t p = ((const Cell *)a)->column, q = ((const Cell *)b)->column;
  return p < q ? -1 : p > q;
}

static SofaErr check_entry(const Shape *s, const Entry *e) {
  const SofaDividedPlan *plan = s->plan;
  if (e->row >= plan->first && e->row - plan->first < plan->n_owned &&
      e->n_rows == size_of(s->rows->row_scalar, s->d->owned.data[e->row - plan->first]))
    return SOFA_OK;
  return sofa_object_fail(s->owner, SOFA_ERR_ARGUMENT,
                          "the processes number the rows of the matrix differently");
}

/* start[r]: place of the cells of own row r, more than there will be */
static SofaErr count_cells(Shape *s) {
  const size_t n = s->d->owned.n;
  SOFA_TRY(SOFA_RESIZE(s->ctx, &s->start, n + 1));
  uint32_t *start = s->start.data;
  sofa_zero(start, (n + 1) * sizeof *start);
  for (size_t r = 0; r < n; r++) {
    const uint32_t i = s->d->owned.data[r];
    start[r + 1] = s->rows->start[i + 1] - s->rows->start[i];
  }
  for (size_t e = 0; e < s->in.n; e++) {
    SOFA_TRY(check_entry(s, &s->in.data[e]));
    start[s->in.data[e].row - s->plan->first + 1]++;
  }
  for (size_t r = 0; r < n; r++) start[r + 1] += start[r];
  return SOFA_RESIZE(s->ctx, &s->cells, start[n]);
}

static void list_own(Shape *s, uint32_t *next) {
  for (size_t r = 0; r < s->d->owned.n; r++) {
    const uint32_t i = s->d->owned.data[r];
    for (uint32_t k = s->rows->start[i]; k < s->rows->start[i + 1]; k++) {
      const uint32_t j = s->rows->column[k];
      if (!counts(s, i, j)) continue;
      s->cells.data[next[r]++] =
          (Cell){.column = s->scalar[j], .n_columns = size_of(s->rows->column_scalar, j)};
    }
  }
}

/* Cells of each row, once each, by their columns. */
static SofaErr list_cells(Shape *s) {
  const size_t n = s->d->owned.n;
  SofaIndices next = {0};
  uint32_t done = 0;
  SOFA_TRY(count_cells(s));
  SOFA_TRY(SOFA_RESIZE(s->ctx, &next, n + 1));
  sofa_copy(next.data, s->start.data, (n + 1) * sizeof *next.data);
  list_own(s, next.data);
  for (size_t e = 0; e < s->in.n; e++) {
    const Entry *in = &s->in.data[e];
    s->cells.data[next.data[in->row - s->plan->first]++] =
        (Cell){.column = in->column, .n_columns = in->n_columns};
  }
  for (size_t r = 0; r < n; r++) {
    const Cell *cells = s->cells.data + s->start.data[r];
    const uint32_t n_cells = next.data[r] - s->start.data[r];
    sofa_sort(s->cells.data + s->start.data[r], n_cells, sizeof *cells, by_column);
    s->start.data[r] = done;
    for (uint32_t c = 0; c < n_cells; c++)
      if (c == 0 || cells[c].column != s->cells.data[done - 1].column)
        s->cells.data[done++] = cells[c];
  }
  s->start.data[n] = done;
  sofa_list_free(s->ctx, &next);
  return SOFA_OK;
}

/* ---- the places of values ---- */

static bool is_near(const Shape *s, const Cell *cell) {
  const uint32_t *first = s->plan->first_scalar.data + s->d->rank;
  return cell->column >= first[0] && cell->column < first[1];
}

/* Scalar columns of a row: those of this process, the others. */
static void widths(const Shape *s, size_t r, uint32_t width[2]) {
  width[0] = width[1] = 0;
  for (uint32_t c = s->start.data[r]; c < s->start.data[r + 1]; c++)
    width[!is_near(s, &s->cells.data[c])] += s->cells.data[c].n_columns;
}

static SofaErr check_number(const Shape *s, size_t n) {
  if (n < (size_t)PETSC_MAX_INT) return SOFA_OK;
  return sofa_object_fail(s->owner, SOFA_ERR_RANGE,
                          "a process has %zu entries of the matrix, more than PETSc counts with "
                          "its integers of %zu bytes: use more processes",
                          n, sizeof(PetscInt));
}

static SofaErr make_room(Shape *s) {
  PetscDivided *d = s->d;
  size_t n[2] = {0}, n_scalars = 0;
  for (size_t r = 0; r < d->owned.n; r++) {
    uint32_t width[2];
    const uint32_t height = size_of(s->rows->row_scalar, d->owned.data[r]);
    widths(s, r, width);
    for (int f = 0; f < 2; f++) n[f] += (size_t)width[f] * height;
    n_scalars += height;
  }
  SOFA_TRY(check_number(s, n[0] + n[1]));
  d->n_diagonal = n[0];
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->start, n_scalars + 1));
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->far_start, n_scalars + 1));
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->column, n[0] + 1));
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->far_column, n[1] + 1));
  return SOFA_RESIZE(s->ctx, &d->values, n[0] + n[1] + 1);
}

/* The columns of one scalar row. */
static void fill_columns(const Shape *s, size_t r, PetscInt *at[2]) {
  const uint32_t first = s->plan->first_scalar.data[s->d->rank];
  for (uint32_t c = s->start.data[r]; c < s->start.data[r + 1]; c++) {
    const Cell *cell = &s->cells.data[c];
    const bool near = is_near(s, cell);
    for (uint32_t e = 0; e < cell->n_columns; e++)
      *at[!near]++ = (PetscInt)(cell->column + e - (near ? first : 0));
  }
}

static void place_cells(Shape *s, size_t r, const size_t begin[2], uint32_t height) {
  uint32_t width[2], at[2] = {0};
  widths(s, r, width);
  for (uint32_t c = s->start.data[r]; c < s->start.data[r + 1]; c++) {
    Cell *cell = &s->cells.data[c];
    const int far = !is_near(s, cell);
    cell->slot = (PetscSlot){.at = (uint32_t)(begin[far] + at[far]),
                             .stride = width[far],
                             .n_rows = (uint16_t)height,
                             .n_columns = (uint16_t)cell->n_columns};
    at[far] += cell->n_columns;
  }
}

static void fill_rows(Shape *s) {
  PetscDivided *d = s->d;
  PetscInt *at[2] = {d->column.data, d->far_column.data};
  size_t scalar = 0;
  d->start.data[0] = d->far_start.data[0] = 0;
  for (size_t r = 0; r < d->owned.n; r++) {
    const uint32_t height = size_of(s->rows->row_scalar, d->owned.data[r]);
    const size_t begin[2] = {(size_t)(at[0] - d->column.data),
                             d->n_diagonal + (size_t)(at[1] - d->far_column.data)};
    place_cells(s, r, begin, height);
    for (uint32_t h = 0; h < height; h++) {
      fill_columns(s, r, at);
      scalar++;
      d->start.data[scalar] = (PetscInt)(at[0] - d->column.data);
      d->far_start.data[scalar] = (PetscInt)(at[1] - d->far_column.data);
    }
  }
}

/* ---- the same of whole blocks ---- */

static SofaErr make_block_room(Shape *s) {
  PetscDivided *d = s->d;
  const size_t size = (size_t)d->block * d->block, n_rows = d->owned.n;
  size_t n[2] = {0};
  for (uint32_t c = 0; c < s->start.data[n_rows]; c++) n[!is_near(s, &s->cells.data[c])]++;
  SOFA_TRY(check_number(s, (n[0] + n[1]) * size));
  d->n_diagonal = n[0] * size;
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->start, n_rows + 1));
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->far_start, n_rows + 1));
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->column, n[0] + 1));
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->far_column, n[1] + 1));
  return SOFA_RESIZE(s->ctx, &d->values, (n[0] + n[1]) * size + 1);
}

static void fill_block_rows(Shape *s) {
  PetscDivided *d = s->d;
  const uint32_t first = s->plan->first_scalar.data[d->rank], size = d->block * d->block;
  uint32_t n[2] = {0};
  d->start.data[0] = d->far_start.data[0] = 0;
  for (size_t r = 0; r < d->owned.n; r++) {
    for (uint32_t c = s->start.data[r]; c < s->start.data[r + 1]; c++) {
      Cell *cell = &s->cells.data[c];
      const bool near = is_near(s, cell);
      const uint32_t at = n[!near]++;
      (near ? &d->column : &d->far_column)->data[at] =
          (PetscInt)((cell->column - (near ? first : 0)) / d->block);
      cell->slot = (PetscSlot){.at = at * size + (near ? 0 : (uint32_t)d->n_diagonal),
                               .stride = d->block,
                               .n_rows = (uint16_t)d->block,
                               .n_columns = (uint16_t)d->block};
    }
    d->start.data[r + 1] = (PetscInt)n[0];
    d->far_start.data[r + 1] = (PetscInt)n[1];
  }
}

static SofaErr place_all(Shape *s) {
  SOFA_TRY(s->d->block ? make_block_room(s) : make_room(s));
  if (s->d->block) fill_block_rows(s);
  else fill_rows(s);
  return SOFA_OK;
}

static PetscSlot find(const Shape *s, size_t r, uint32_t column) {
  const Cell key = {.column = column};
  const uint32_t first = s->start.data[r];
  const Cell *found =
      sofa_search(&key, s->cells.data + first, s->start.data[r + 1] - first, sizeof key, by_column);
  return found->slot;
}

static SofaErr find_slots(Shape *s) {
  PetscDivided *d = s->d;
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->mine, s->rows->start[s->rows->n_rows]));
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->received, s->in.n));
  sofa_zero(d->mine.data, d->mine.n * sizeof *d->mine.data);
  for (size_t r = 0; r < d->owned.n; r++) {
    const uint32_t i = d->owned.data[r];
    for (uint32_t k = s->rows->start[i]; k < s->rows->start[i + 1]; k++)
      if (counts(s, i, s->rows->column[k]))
        d->mine.data[k] = find(s, r, s->scalar[s->rows->column[k]]);
  }
  for (size_t e = 0; e < s->in.n; e++)
    d->received.data[e] = find(s, s->in.data[e].row - s->plan->first, s->in.data[e].column);
  return SOFA_OK;
}

/* From bytes of entries to bytes of values, and the memory of these. */
static SofaErr make_buffers(Shape *s) {
  PetscDivided *d = s->d;
  size_t sent = 0, received = 0, n_out = 0, n_in = 0;
  for (size_t n = 0; n < d->neighbours.n; n++) {
    size_t out = 0, in = 0;
    for (size_t end = sent + d->n_send.data[n] / sizeof(Entry); sent < end; sent++)
      out += d->sent_size.data[sent];
    for (size_t end = received + d->n_receive.data[n] / sizeof(Entry); received < end; received++)
      in += (size_t)s->in.data[received].n_rows * s->in.data[received].n_columns;
    d->n_send.data[n] = out * sizeof(double);
    d->n_receive.data[n] = in * sizeof(double);
    n_out += out;
    n_in += in;
  }
  SOFA_TRY(SOFA_RESIZE(s->ctx, &d->out, n_out));
  return SOFA_RESIZE(s->ctx, &d->in, n_in);
}

static SofaErr shape(Shape *s) {
  SOFA_TRY(find_owned(s));
  SOFA_TRY(find_place(s));
  SOFA_TRY(send_entries(s));
  SOFA_TRY(list_cells(s));
  SOFA_TRY(place_all(s));
  SOFA_TRY(find_slots(s));
  return make_buffers(s);
}

SofaErr petsc_divided_shape(const SofaObject *owner, PetscDivided *d, const SofaDividedPlan *plan,
                            const SofaBlockRows *rows, const uint32_t *scalar) {
  Shape s = {
      .owner = owner, .ctx = owner->ctx, .d = d, .plan = plan, .rows = rows, .scalar = scalar};
  MPI_Comm_rank(PETSC_COMM_WORLD, &d->rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &d->n_processes);
  d->n_all_scalars = plan->first_scalar.data[d->n_processes];
  SofaErr err = SOFA_OK;
  if (d->n_all_scalars >= (uint64_t)PETSC_MAX_INT)
    err = sofa_object_fail(owner, SOFA_ERR_RANGE,
                           "the matrix has %zu rows, more than PETSc counts with its integers of "
                           "%zu bytes",
                           (size_t)d->n_all_scalars, sizeof(PetscInt));
  if (err == SOFA_OK) err = shape(&s);
  sofa_list_free(s.ctx, &s.out);
  sofa_list_free(s.ctx, &s.in);
  sofa_list_free(s.ctx, &s.start);
  sofa_list_free(s.ctx, &s.cells);
  return err;
}

/* ---- the values ---- */

static void pack_values(PetscDivided *d, const SofaBlockRows *rows) {
  double *to = d->out.data;
  for (size_t k = 0; k < d->sent.n; k++) {
    const size_t n = d->sent_size.data[k];
    sofa_copy(to, sofa_block_values(rows, d->sent.data[k]), n * sizeof *to);
    to += n;
  }
}

/* Returns what follows the block. */
static inline const double *add(const PetscDivided *d, const PetscSlot *slot, const double *block) {
  double *to = d->values.data + slot->at;
  if (d->block) {
    for (unsigned r = 0; r < d->block; r++)
      for (unsigned c = 0; c < d->block; c++) to[c * d->block + r] += *block++;
    return block;
  }
  for (unsigned r = 0; r < slot->n_rows; r++, to += slot->stride)
    for (unsigned c = 0; c < slot->n_columns; c++) to[c] += *block++;
  return block;
}

static void add_own(PetscDivided *d, const SofaBlockRows *rows) {
  for (size_t k = 0; k < d->mine.n; k++)
    if (d->mine.data[k].n_rows) add(d, &d->mine.data[k], sofa_block_values(rows, k));
}

/* The entries of one neighbour. */
static void add_received(PetscDivided *d, size_t n_values, size_t *slot, const double **from) {
  const double *end = *from + n_values;
  while (*from < end) *from = add(d, &d->received.data[(*slot)++], *from);
}

SofaErr petsc_divided_fill(SofaContext *ctx, PetscDivided *d, const SofaBlockRows *rows) {
  const double *from = d->in.data;
  size_t slot = 0, k = 0;
  pack_values(d, rows);
  SOFA_TRY(exchange(ctx, d, d->out.data, d->in.data));
  sofa_zero(d->values.data, d->values.n * sizeof *d->values.data);
  for (; k < d->neighbours.n && (int)d->neighbours.data[k] < d->rank; k++)
    add_received(d, d->n_receive.data[k] / sizeof(double), &slot, &from);
  add_own(d, rows);
  for (; k < d->neighbours.n; k++)
    add_received(d, d->n_receive.data[k] / sizeof(double), &slot, &from);
  return SOFA_OK;
}

/* Blocks of a row by their columns among all processes: those before this process's come first. */
static void list_row(const PetscDivided *d, size_t r, PetscInt first, PetscInt **to) {
  PetscInt far = d->far_start.data[r];
  for (; far < d->far_start.data[r + 1] && d->far_column.data[far] < first; far++)
    *(*to)++ = d->far_column.data[far];
  for (PetscInt k = d->start.data[r]; k < d->start.data[r + 1]; k++)
    *(*to)++ = first + d->column.data[k];
  for (; far < d->far_start.data[r + 1]; far++) *(*to)++ = d->far_column.data[far];
}

/* Blocks are PETSc's, in the order of our pattern. */
static PetscErrorCode make_blocks(const PetscDivided *d, Mat *out) {
  const size_t n_rows = d->owned.n;
  const PetscInt u = (PetscInt)d->block, n = (PetscInt)n_rows * u, all = (PetscInt)d->n_all_scalars;
  PetscInt *start, *column, *to, first;
  PetscCall(PetscMalloc2(n_rows + 1, &start, d->column.n + d->far_column.n, &column));
  PetscCall(MatCreate(PETSC_COMM_WORLD, out));
  PetscCall(MatSetSizes(*out, n, n, all, all));
  PetscCall(MatSetType(*out, d->upper ? MATMPISBAIJ : MATMPIBAIJ));
  PetscCall(MatSetBlockSize(*out, u));
  PetscCallMPI(MPI_Exscan(&n, &first, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  if (d->rank == 0) first = 0;
  to = column;
  start[0] = 0;
  for (size_t r = 0; r < n_rows; r++) {
    list_row(d, r, first / u, &to);
    start[r + 1] = (PetscInt)(to - column);
  }
  if (d->upper) PetscCall(MatMPISBAIJSetPreallocationCSR(*out, u, start, column, NULL));
  else PetscCall(MatMPIBAIJSetPreallocationCSR(*out, u, start, column, NULL));
  return PetscFree2(start, column);
}

static PetscErrorCode set_part(Mat part, const double *values, size_t n) {
  PetscScalar *to = NULL;
  PetscCall(MatSeqBAIJGetArray(part, &to));
  sofa_copy(to, values, n * sizeof *values);
  return MatSeqBAIJRestoreArray(part, &to);
}

/* PETSc has the columns of this process as they are here; it does not show those of others, which
 * are few: it finds their places in each row. */
static PetscErrorCode set_upper(const PetscDivided *d, Mat mat) {
  const size_t size = (size_t)d->block * d->block;
  Mat near = NULL;
  PetscScalar *to = NULL;
  PetscInt begin = 0;
  PetscCall(MatGetDiagonalBlock(mat, &near));
  PetscCall(MatSeqSBAIJGetArray(near, &to));
  sofa_copy(to, d->values.data, d->n_diagonal * sizeof *to);
  PetscCall(MatSeqSBAIJRestoreArray(near, &to));
  PetscCall(MatGetOwnershipRange(mat, &begin, NULL));
  PetscCall(MatSetOption(mat, MAT_ROW_ORIENTED, PETSC_FALSE));
  for (size_t r = 0; r < d->owned.n; r++) {
    const PetscInt row = begin / (PetscInt)d->block + (PetscInt)r, far = d->far_start.data[r];
    const PetscInt n = d->far_start.data[r + 1] - far;
    if (n > 0)
      PetscCall(MatSetValuesBlocked(mat, 1, &row, n, d->far_column.data + far,
                                    d->values.data + d->n_diagonal + size * (size_t)far,
                                    INSERT_VALUES));
  }
  return 0;
}

PetscErrorCode petsc_divided_set(const PetscDivided *d, Mat mat) {
  const PetscInt *columns = NULL;
  Mat near = NULL, far = NULL;
  if (d->upper) return set_upper(d, mat);
  PetscCall(MatMPIBAIJGetSeqBAIJ(mat, &near, &far, &columns));
  PetscCall(set_part(near, d->values.data, d->n_diagonal));
  return set_part(far, d->values.data + d->n_diagonal, d->values.n - 1 - d->n_diagonal);
}

PetscErrorCode petsc_divided_make(PetscDivided *d, Mat *out) {
  if (d->block) return make_blocks(d, out);
  const PetscInt n = (PetscInt)d->start.n - 1, all = (PetscInt)d->n_all_scalars;
  return MatCreateMPIAIJWithSplitArrays(PETSC_COMM_WORLD, n, n, all, all, d->start.data,
                                        d->column.data, d->values.data, d->far_start.data,
                                        d->far_column.data, d->values.data + d->n_diagonal, out);
}

/* ---- vectors ---- */

void petsc_divided_pack(const PetscDivided *d, const SofaBlockRows *rows, const double *local,
                        double *own) {
  for (size_t r = 0; r < d->owned.n; r++)
    for (uint32_t s = rows->row_scalar[d->owned.data[r]];
         s < rows->row_scalar[d->owned.data[r] + 1]; s++)
      *own++ = local[s];
}

void petsc_divided_unpack(const PetscDivided *d, const SofaBlockRows *rows, const double *own,
                          double *local) {
  for (size_t r = 0; r < d->owned.n; r++)
    for (uint32_t s = rows->row_scalar[d->owned.data[r]];
         s < rows->row_scalar[d->owned.data[r] + 1]; s++)
      local[s] = *own++;
}
