/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Preloaded by distributed.py: a disk that fails. FAIL_IO="CALL RANK ERRNO NAME": pread or pwrite
 * of one process of Open MPI fails on files whose path contains NAME. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef ssize_t ReadCall(int fd, void *to, size_t n, off_t at);
typedef ssize_t WriteCall(int fd, const void *from, size_t n, off_t at);

ssize_t pread(int fd, void *to, size_t n, off_t at);
ssize_t pwrite(int fd, const void *from, size_t n, off_t at);

/* Sets errno where the call is to fail. */
static bool fails(const char *call, int fd) {
  const char *asked = getenv("FAIL_IO"), *rank = getenv("OMPI_COMM_WORLD_RANK");
  char name[100], which[20], link[50], path[4096];
  int wanted, code;
  if (!asked || !rank || sscanf(asked, "%19s %d %d %99s", which, &wanted, &code, name) != 4)
    return false;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0 || strcmp(which, call) != 0 || wanted != atoi(rank)) return false;
  path[length] = '\0';
  if (!strstr(path, name)) return false;
  errno = code;
  return true;
}

ssize_t pread(int fd, void *to, size_t n, off_t at) {
  ReadCall *call = NULL;
  void *found = dlsym(RTLD_NEXT, "pread");
  memcpy(&call, &found, sizeof call);
  return fails("pread", fd) ? -1 : call(fd, to, n, at);
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at) {
  WriteCall *call = NULL;
  void *found = dlsym(RTLD_NEXT, "pwrite");
  memcpy(&call, &found, sizeof call);
  return fails("pwrite", fd) ? -1 : call(fd, from, n, at);
}
