/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The note of a plugin, read from the file: opening a library runs its constructors, so that
 * nothing is opened that was not built as a plugin for this interface. */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include "object/factory_impl.h"
#include "object/plugin.h"

enum { MOST_SEGMENTS = 256, MOST_NOTES = 1 << 16 };

static bool read_at(FILE *file, uint64_t offset, void *to, size_t size) {
  return offset <= (uint64_t)INT64_MAX && fseeko(file, (off_t)offset, SEEK_SET) == 0 &&
         fread(to, 1, size, file) == size;
}

static size_t padded(size_t n) {
  return (n + 3) & ~(size_t)3;
}

/* The notes of a segment, one behind the other. */
static bool find_note(const char *bytes, size_t size, uint64_t *abi) {
  size_t at = 0;
  while (size - at >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    memcpy(&head, bytes + at, sizeof head);
    at += sizeof head;
    if (head.n_namesz > size - at || padded(head.n_namesz) > size - at) return false;
    const char *name = bytes + at;
    at += padded(head.n_namesz);
    if (head.n_descsz > size - at) return false;
    if (head.n_namesz == sizeof SOFA_PLUGIN_NOTE_NAME && head.n_type == SOFA_PLUGIN_NOTE_TYPE &&
        head.n_descsz == sizeof *abi &&
        sofa_compare(name, SOFA_PLUGIN_NOTE_NAME, head.n_namesz) == 0) {
      memcpy(abi, bytes + at, sizeof *abi);
      return true;
    }
    if (padded(head.n_descsz) > size - at) return false;
    at += padded(head.n_descsz);
  }
  return false;
}

static bool is_native(const ElfW(Ehdr) * head) {
  const int native = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == native &&
         head->e_type == ET_DYN && head->e_phentsize == sizeof(ElfW(Phdr)) &&
         head->e_phnum <= MOST_SEGMENTS;
}

SofaErr sofa_plugin_note_read(SofaContext *ctx, const char *path, uint64_t *abi, bool *found) {
  ElfW(Ehdr) head;
  *found = false;
  SofaErr err = SOFA_OK;
  char *notes = sofa_alloc(ctx, MOST_NOTES, 1);
  FILE *file = fopen(path, "rbe");
  if (!notes) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  if (!file || !read_at(file, 0, &head, sizeof head) || !is_native(&head)) goto done;
  for (unsigned i = 0; i < head.e_phnum && !*found; i++) {
    ElfW(Phdr) segment;
    if (!read_at(file, head.e_phoff + i * sizeof segment, &segment, sizeof segment)) break;
    if (segment.p_type != PT_NOTE || segment.p_filesz > MOST_NOTES) continue;
    if (read_at(file, segment.p_offset, notes, segment.p_filesz))
      *found = find_note(notes, segment.p_filesz, abi);
  }
done:
  if (file) fclose(file);
  sofa_free(ctx, notes);
  return err;
}
