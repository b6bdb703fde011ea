/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target without libFuzzer: over the files of the folders given, then over changed
 * copies of them (cut off, bytes replaced, parts repeated), the same ones in every run. */
#include <dirent.h>
#include <stdio.h>
#include "fuzz.h"

enum { CHANGES = 300, MAX_SIZE = 1 << 16 };

static uint64_t random_state = 1;
static uint32_t draw(size_t n) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((random_state >> 33) % (n ? n : 1));
}

/* One to four changes of the bytes; returns the new size. */
static size_t change(uint8_t *bytes, size_t size) {
  static const char *const words[] = {"-1", "99999999999", "nan", "1e999", "0", "\n", "/", " "};
  for (uint32_t k = draw(4) + 1; k > 0 && size > 0; k--) {
    const size_t at = draw(size);
    const char *word = words[draw(sizeof words / sizeof *words)];
    switch (draw(5)) {
    case 0:
      size = at;
      break;
    case 1:
      bytes[at] = (uint8_t)draw(256);
      break;
    case 2:
      bytes[at] ^= (uint8_t)(1u << draw(8));
      break;
    case 3: // a word in place of what was there
      for (size_t i = 0; word[i] && at + i < size; i++) bytes[at + i] = (uint8_t)word[i];
      break;
    default: // a part again, behind
      if (size + (size - at) <= MAX_SIZE) {
        memcpy(bytes + size, bytes + at, size - at);
        size += size - at;
      }
    }
  }
  return size;
}

static int run_file(const char *path) {
  static uint8_t original[MAX_SIZE], changed[MAX_SIZE];
  FILE *file = fopen(path, "rb");
  if (!file) return -1;
  const size_t size = fread(original, 1, sizeof original, file);
  fclose(file);
  LLVMFuzzerTestOneInput(original, size);
  for (int k = 0; k < CHANGES; k++) {
    memcpy(changed, original, size);
    LLVMFuzzerTestOneInput(changed, change(changed, size));
  }
  return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

int main(int argc, char **argv) {
  int n_files = 0;
  for (int i = 1; i < argc; i++) {
    struct dirent **entries = NULL;
    const int n = scandir(argv[i], &entries, NULL, by_name);
    for (int k = 0; k < n; k++) {
      char path[4096];
      snprintf(path, sizeof path, "%s/%s", argv[i], entries[k]->d_name);
      if (entries[k]->d_name[0] != '.' && run_file(path) == 0) n_files++;
      free(entries[k]);
    }
    free(entries);
  }
  printf("%d files, %d inputs each\n", n_files, CHANGES + 1);
  return n_files ? 0 : 1;
}
