/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading of display flags from options. */
#include "draw/display_words.h"

#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/text.h"

static const struct {
  const char *word;
  SofaDisplayFlag flag;
} short_words[] = {{"points", SOFA_DISPLAY_BEHAVIOR_MODELS},
                   {"forces", SOFA_DISPLAY_FORCE_FIELDS},
                   {"contacts", SOFA_DISPLAY_DETECTION_OUTPUTS}};
enum { N_SHORT_WORDS = sizeof short_words / sizeof *short_words };

/* The flag of a word without its show or hide; NONE when there is none. */
static SofaDisplayFlag find_any(const char *word, size_t length) {
  for (int i = 0; i < N_SHORT_WORDS; i++)
    if (strlen(short_words[i].word) == length &&
        strncasecmp(short_words[i].word, word, length) == 0)
      return short_words[i].flag;
  for (int i = 0; i < SOFA_N_DISPLAY_FLAGS; i++) {
    const char *flag = sofa_display_flag_word((SofaDisplayFlag)i);
    if (strlen(flag) == length && strncasecmp(flag, word, length) == 0) return (SofaDisplayFlag)i;
  }
  return SOFA_DISPLAY_NONE;
}

static const char *nearest_flag(const char *word, size_t length) {
  enum { N_NAMES = SOFA_N_DISPLAY_FLAGS + N_SHORT_WORDS };
  const char *names[N_NAMES];
  char name[64] = "";
  for (int i = 0; i < SOFA_N_DISPLAY_FLAGS; i++)
    names[i] = sofa_display_flag_word((SofaDisplayFlag)i);
  for (int i = 0; i < N_SHORT_WORDS; i++) names[SOFA_N_DISPLAY_FLAGS + i] = short_words[i].word;
  if (length < sizeof name) sofa_copy(name, word, length);
  const size_t at = sofa_nearest_word(name, names, N_NAMES);
  return at < N_NAMES ? names[at] : NULL;
}

/* The length of what stands before the flag; *shown: what it says. */
static size_t prefix(const char *word, size_t length, bool *shown) {
  *shown = true;
  if (length > 4 && strncasecmp(word, "show", 4) == 0) return 4;
  *shown = false;
  if (length > 4 && strncasecmp(word, "hide", 4) == 0) return 4;
  *shown = word[0] != '-';
  return word[0] == '-';
}

const char *sofa_display_flags_read(const char *text, SofaDisplayFlags *out, size_t *length,
                                    const char **nearest) {
  static const char between[] = " ,\t\n";
  SofaDisplayFlags said = {{0}};
  for (text += strspn(text, between); *text; text += strspn(text, between)) {
    bool shown;
    *length = strcspn(text, between);
    const size_t at = prefix(text, *length, &shown);
    const SofaDisplayFlag flag = find_any(text + at, *length - at);
    *nearest = flag == SOFA_DISPLAY_NONE ? nearest_flag(text + at, *length - at) : NULL;
    if (flag == SOFA_DISPLAY_NONE) return text;
    said.value[flag] = shown ? 1 : -1;
    text += *length;
  }
  *out = (SofaDisplayFlags){{0}};
  sofa_display_flags_rule(&said, out);
  return NULL;
}
