/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of MPI between the processes of PETSC_COMM_WORLD. */
#include "petsc_process.h"

#include <petscsys.h>

#ifndef PETSC_PIECE /* bytes of one message at most; a test makes it small */
#define PETSC_PIECE ((size_t)1 << 30)
#endif
#define PIECE ((size_t)(PETSC_PIECE))
enum { TAG_GATHER = 71, TAG_EXCHANGE };

static SofaErr check(SofaContext *ctx, int code, const char *what) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS) return SOFA_OK;
  MPI_Error_string(code, text, &length);
  return sofa_fail(ctx, SOFA_ERR_IO, NULL, "%s between processes: MPI: %s", what, text);
}

static int piece_of(size_t n, size_t at) {
  return (int)(n - at < PIECE ? n - at : PIECE);
}

static SofaPlace find_place(void) {
  SofaPlace place = {.n = 1};
  MPI_Comm_rank(PETSC_COMM_WORLD, &place.rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &place.n);
  return place;
}

SofaErr petsc_spread(SofaContext *ctx, int root, size_t n, void *data) {
  for (size_t at = 0; at < n; at += PIECE)
    SOFA_TRY(check(ctx,
                   MPI_Bcast((char *)data + at, piece_of(n, at), MPI_BYTE, root, PETSC_COMM_WORLD),
                   "a broadcast"));
  return SOFA_OK;
}

SofaErr petsc_collect(SofaContext *ctx, size_t n, const void *mine, void *all) {
  const SofaPlace place = find_place();
  if (n <= PIECE)
    return check(ctx,
                 MPI_Allgather(mine, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, PETSC_COMM_WORLD),
                 "a collection");
  sofa_copy((char *)all + (size_t)place.rank * n, mine, n);
  for (int r = 0; r < place.n; r++) SOFA_TRY(petsc_spread(ctx, r, n, (char *)all + (size_t)r * n));
  return SOFA_OK;
}

static int send_all(int to, size_t n, const char *data) {
  for (size_t at = 0; at < n; at += PIECE) {
    const int code =
        MPI_Send(data + at, piece_of(n, at), MPI_BYTE, to, TAG_GATHER, PETSC_COMM_WORLD);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

static int receive_all(int from, size_t n, char *data) {
  for (size_t at = 0; at < n; at += PIECE) {
    const int code = MPI_Recv(data + at, piece_of(n, at), MPI_BYTE, from, TAG_GATHER,
                              PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

SofaErr petsc_gather(SofaContext *ctx, int root, const size_t *n, const void *mine, void *all) {
  const SofaPlace place = find_place();
  char *to = all;
  if (place.rank != root) return check(ctx, send_all(root, n[place.rank], mine), "a message");
  for (int r = 0; r < place.n; to += n[r], r++) {
    if (r == root) sofa_copy(to, mine, n[r]);
    else SOFA_TRY(check(ctx, receive_all(r, n[r], to), "a message"));
  }
  return SOFA_OK;
}

/* ---- exchange ---- */

static size_t n_pieces(size_t n) {
  return (n + PIECE - 1) / PIECE;
}

/* Begins the messages from or to one neighbour; returns how many. */
static int begin(bool receives, uint32_t rank, size_t n, char *data, MPI_Request *requests) {
  int code = MPI_SUCCESS;
  for (size_t at = 0; at < n && code == MPI_SUCCESS; at += PIECE) {
    const int size = piece_of(n, at);
    code = receives ? MPI_Irecv(data + at, size, MPI_BYTE, (int)rank, TAG_EXCHANGE,
                                PETSC_COMM_WORLD, requests++)
                    : MPI_Isend(data + at, size, MPI_BYTE, (int)rank, TAG_EXCHANGE,
                                PETSC_COMM_WORLD, requests++);
  }
  return code;
}

/* Messages to one process arrive in the order in which they were sent. */
SofaErr petsc_exchange(SofaContext *ctx, const SofaExchange *e) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  size_t n = 0, sent = 0, received = 0;
  int code = MPI_SUCCESS;
  for (size_t k = 0; k < e->n_neighbours; k++)
    n += n_pieces(e->n_send[k]) + n_pieces(e->n_receive[k]);
  MPI_Request *requests = SOFA_SCRATCH(ctx, MPI_Request, n + 1);
  if (!requests) return SOFA_ERR_MEMORY;
  n = 0;
  for (size_t k = 0; k < e->n_neighbours && code == MPI_SUCCESS; k++) {
    code =
        begin(true, e->neighbours[k], e->n_receive[k], (char *)e->receive + received, requests + n);
    n += n_pieces(e->n_receive[k]);
    received += e->n_receive[k];
  }
  for (size_t k = 0; k < e->n_neighbours && code == MPI_SUCCESS; k++) {
    /* MPI only reads it */
    char *data = (char *)(uintptr_t)e->send + sent;
    code = begin(false, e->neighbours[k], e->n_send[k], data, requests + n);
    n += n_pieces(e->n_send[k]);
    sent += e->n_send[k];
  }
  if (code == MPI_SUCCESS) code = MPI_Waitall((int)n, requests, MPI_STATUSES_IGNORE);
  sofa_scratch_release(ctx, mark);
  return check(ctx, code, "an exchange");
}
