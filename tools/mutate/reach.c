// SPDX-License-Identifier: LGPL-2.1-or-later
// Records the blocks of instrumented code that a process runs. Code that clang compiles with
// -fsanitize-coverage=trace-pc-guard,pc-table calls these functions; reach.py reads the files.
//
// In the folder of the environment variable CSOFA_REACH:
//   <pid>.hits     a byte per block, 1 when it ran; mapped memory: a crash loses nothing
//   <pid>.modules  a line per library or program: first block, number of blocks, path
//   <path>.pcs     once for each, with / in the path as !: addresses of its blocks (8 bytes)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_BLOCKS = 1 << 21 };

static uint8_t *hits; // [MAX_BLOCKS], NULL when nothing is recorded
static uint32_t n_blocks = 1;

static const char *folder(void) {
  return getenv("CSOFA_REACH");
}

static void open_hits(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.hits", folder(), (int)getpid());
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, MAX_BLOCKS)) return;
  void *map = mmap(NULL, MAX_BLOCKS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (map != MAP_FAILED) hits = map;
  close(file);
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  Dl_info info;
  if (start == stop || *start || !folder() || !dladdr(start, &info)) return;
  if (!hits) open_hits();
  const size_t n = (size_t)(stop - start);
  if (!hits || n_blocks + n > MAX_BLOCKS) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.modules", folder(), (int)getpid());
  FILE *file = fopen(path, "ae");
  if (!file) return;
  fprintf(file, "%u %zu %s\n", n_blocks, n, info.dli_fname);
  fclose(file);
  for (size_t i = 0; i < n; i++) start[i] = n_blocks++;
}

// pairs of (address, flags), in the order of the guards
void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end);
void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end) {
  Dl_info info;
  char name[2048], path[4096];
  if (begin == end || !folder() || !dladdr(begin, &info)) return;
  snprintf(name, sizeof name, "%s", info.dli_fname);
  for (char *c = name; *c; c++)
    if (*c == '/') *c = '!';
  snprintf(path, sizeof path, "%s/%s.pcs", folder(), name);
  FILE *file = fopen(path, "wxe");
  if (!file) return;
  for (; begin < end; begin += 2) {
    const uint64_t at = begin[0] - (uintptr_t)info.dli_fbase;
    fwrite(&at, sizeof at, 1, file);
  }
  fclose(file);
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  if (!*guard) return;
  hits[*guard] = 1;
  *guard = 0;
}
