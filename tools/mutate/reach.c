// SPDX-License-Identifier: LGPL-2.1-or-later
// Records the functions that a process runs, of programs and libraries as they are: preloaded, it
// puts a breakpoint on the first byte of each function in the symbol table of every module below
// the folder CSOFA_REACH_UNDER. The first call of a function removes its breakpoint; nothing is
// slow afterwards.
//
// In the folder of the environment variable CSOFA_REACH, which reach.py reads:
//   <pid>.hits     a byte per function, 1 when it ran; mapped memory: a crash loses nothing
//   <pid>.modules  a line per module: first function, number of functions, path
// The functions of a module are those of its .symtab with a size, in the order of the table.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { MAX_FUNCTIONS = 1 << 17, MAX_MODULES = 256, TRAP = 0xcc };

typedef struct Place {
  uint8_t *at;
  uint8_t byte; // what the breakpoint replaced
  uint32_t id;  // rank in hits
} Place;

static uint8_t *hits; // [MAX_FUNCTIONS], NULL when nothing is recorded
static Place places[MAX_FUNCTIONS];
static uint32_t n_ids, n_places;
static uintptr_t modules[MAX_MODULES];
static size_t n_modules;

static int by_address(const void *a, const void *b) {
  const uint8_t *x = ((const Place *)a)->at, *y = ((const Place *)b)->at;
  return (x > y) - (x < y);
}

static void trapped(int signal, siginfo_t *info, void *context) {
  greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  const Place key = {.at = (uint8_t *)(*rip - 1)};
  const Place *p = bsearch(&key, places, n_places, sizeof *places, by_address);
  (void)signal, (void)info;
  if (!p) abort();
  hits[p->id] = 1;
  __atomic_store_n(p->at, p->byte, __ATOMIC_SEQ_CST);
  *rip = (greg_t)p->at;
}

static bool is_function(const Elf64_Sym *s) {
  return ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_size && s->st_shndx != SHN_UNDEF;
}

// Functions of one name and place (aliases) share the first breakpoint.
static void trap(uint8_t *at, uint32_t id) {
  if (*at == TRAP) return;
  places[n_places++] = (Place){at, *at, id};
  *at = TRAP;
}

static void trap_symbols(const uint8_t *file, uintptr_t base, const char *path) {
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
  const Elf64_Shdr *section = (const Elf64_Shdr *)(file + head->e_shoff);
  uint32_t n = 0;
  for (int k = 0; k < head->e_shnum; k++) {
    if (section[k].sh_type != SHT_SYMTAB) continue;
    const Elf64_Sym *s = (const Elf64_Sym *)(file + section[k].sh_offset);
    for (size_t i = 0; i < section[k].sh_size / sizeof *s; i++) {
      if (!is_function(&s[i]) || n_ids + n >= MAX_FUNCTIONS) continue;
      trap((uint8_t *)(base + s[i].st_value), n_ids + n++);
    }
  }
  char name[4096];
  snprintf(name, sizeof name, "%s/%d.modules", getenv("CSOFA_REACH"), (int)getpid());
  FILE *out = fopen(name, "ae");
  if (out) fprintf(out, "%u %u %s\n", n_ids, n, path), fclose(out);
  n_ids += n;
}

static int open_code(struct dl_phdr_info *info, bool write) {
  for (int k = 0; k < info->dlpi_phnum; k++) {
    const Elf64_Phdr *p = &info->dlpi_phdr[k];
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
    const uintptr_t begin = (info->dlpi_addr + p->p_vaddr) & ~(uintptr_t)4095;
    const size_t size = info->dlpi_addr + p->p_vaddr + p->p_memsz - begin;
    if (mprotect((void *)begin, size, PROT_READ | PROT_EXEC | (write ? PROT_WRITE : 0))) return -1;
  }
  return 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  char path[4096];
  const char *under = getenv("CSOFA_REACH_UNDER");
  struct stat status;
  (void)size, (void)data;
  if (!realpath(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", path)) return 0;
  if (!under || strncmp(path, under, strlen(under)) != 0 || strstr(path, "libreach")) return 0;
  for (size_t k = 0; k < n_modules; k++)
    if (modules[k] == info->dlpi_addr + (uintptr_t)info->dlpi_phdr->p_vaddr) return 0;
  if (n_modules == MAX_MODULES) return 0;
  modules[n_modules++] = info->dlpi_addr + (uintptr_t)info->dlpi_phdr->p_vaddr;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status)) return 0;
  const uint8_t *text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (text == MAP_FAILED) return 0;
  if (open_code(info, true) == 0) trap_symbols(text, info->dlpi_addr, path);
  munmap((void *)text, (size_t)status.st_size);
  return 0;
}

static void look(void) {
  if (!hits) return;
  dl_iterate_phdr(visit, NULL);
  qsort(places, n_places, sizeof *places, by_address);
}

__attribute__((constructor)) static void begin(void) {
  char path[4096];
  if (!getenv("CSOFA_REACH")) return;
  snprintf(path, sizeof path, "%s/%d.hits", getenv("CSOFA_REACH"), (int)getpid());
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, MAX_FUNCTIONS)) return;
  void *map = mmap(NULL, MAX_FUNCTIONS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (map == MAP_FAILED) return;
  hits = map;
  struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGTRAP, &action, NULL);
  look();
}

void *dlopen(const char *path, int flags) {
  static void *(*next)(const char *, int);
  if (!next) next = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  void *module = next(path, flags);
  if (module) look();
  return module;
}

// Modules stay: one that is loaded again has its breakpoints.
int dlclose(void *module) {
  (void)module;
  return 0;
}
