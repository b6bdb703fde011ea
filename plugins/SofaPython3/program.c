/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which program the interpreter takes itself for: it searches its modules beside it. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "python.h"
#include "base/files.h"
#include "base/text.h"

/* "3.11" of "/usr/lib/libpython3.11.so.1.0", of *n characters; 0: there is none. */
static const char *version_of(const char *library, size_t *n) {
  static const char name[] = "libpython";
  const char *slash = strrchr(library, '/');
  const char *version = slash ? slash + sizeof name : library;
  *n = 0;
  if (!slash || strncmp(slash + 1, name, sizeof name - 1) != 0) return version;
  *n = strspn(version, "0123456789.");
  while (*n > 0 && version[*n - 1] == '.') --*n;
  return version;
}

/* The program of the library's own installation, PREFIX/bin/python3.11 where PREFIX/lib/python3.11
 * is the folder of its modules; NULL: it is not known. */
static char *program_beside(SofaContext *ctx, const char *library) {
  size_t n;
  char path[PATH_MAX], *program = NULL, *slash;
  if (!realpath(library, path)) return NULL;
  const char *version = version_of(path, &n);
  char *digits = n ? sofa_format(ctx, "%.*s", (int)n, version) : NULL;
  while (digits && !program && (slash = strrchr(path, '/')) && slash > path) {
    *slash = 0;
    char *modules = sofa_format(ctx, "%s/lib/python%s", path, digits);
    if (modules && sofa_is_folder(modules))
      program = sofa_format(ctx, "%s/bin/python%s", path, digits);
    sofa_free(ctx, modules);
  }
  sofa_free(ctx, digits);
  return program;
}

/* A path of plain characters: others depend on the locale. */
static bool widen(const char *path, wchar_t *out, size_t most) {
  size_t n = 0;
  for (; path[n] && n + 1 < most; n++) {
    if ((unsigned char)path[n] > 127) return false;
    out[n] = (wchar_t)path[n];
  }
  out[n] = 0;
  return path[n] == 0;
}

void python_name_program(SofaContext *ctx, const Python *p) {
  void (*name_it)(const wchar_t *);
  const char *environment = getenv("VIRTUAL_ENV");
  void *found = dlsym(RTLD_DEFAULT, "Py_SetProgramName"), *address;
  wchar_t wide[PATH_MAX];
  Dl_info info = {0};
  char *program = NULL;
  if (!found) return;
  memcpy(&name_it, &found, sizeof found);
  memcpy(&address, &p->initialize, sizeof address);
  if (environment && *environment) program = sofa_format(ctx, "%s/bin/python3", environment);
  else if (dladdr(address, &info) && info.dli_fname) program = program_beside(ctx, info.dli_fname);
  if (program && widen(program, wide, PATH_MAX)) name_it(wide); // which copies it
  sofa_free(ctx, program);
}
