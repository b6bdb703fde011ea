/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of every program in a build with sanitizers. MPI and hwloc keep memory until the process
 * ends, and take their components out of it before leaks are looked for, so that these have no
 * names. Here the components stay, and leaks of these libraries do not count. */
#include <dlfcn.h>
#include <string.h>

int dlclose(void *library);
const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

typedef int (*Close)(void *library);

/* The function of the program comes before that of the C library. Plugins of csofa are closed. */
int dlclose(void *library) {
  Dl_info caller = {0};
  if (!dladdr(__builtin_return_address(0), &caller) || !caller.dli_fname ||
      !strstr(caller.dli_fname, "/libcsofa.so"))
    return 0;
  const Close close_library = (Close)dlsym(RTLD_NEXT, "dlclose");
  return close_library ? close_library(library) : -1;
}

/* Undefined behaviour raises SIGILL: the report has its file and line. Memory that is freed is kept
 * from use for the next 32 MB, not 256: what fits into a cache takes a third off pictures. */
const char *__asan_default_options(void) {
  return "handle_sigill=1:quarantine_size_mb=32";
}

/* By library; the C library's asprintf is used by MPI, never by csofa. */
const char *__lsan_default_suppressions(void) {
  return "leak:libmpi.so\n"
         "leak:libopen-rte.so\n"
         "leak:libopen-pal.so\n"
         "leak:libpmix.so\n"
         "leak:mca_*.so\n"
         "leak:libevent_core\n"
         "leak:libhwloc.so\n"
         "leak:/hwloc_*.so\n"
         "leak:__vasprintf_internal\n";
}

const char *__lsan_default_options(void) {
  return "print_suppressions=0";
}
