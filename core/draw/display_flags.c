/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading of display flags. */
#include "draw/display_flags.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "draw/display_words.h"

const SofaInterface sofa_visual_style_interface = {.name = "visual style"};

static const struct {
  const char *word;
  SofaDisplayFlag parent;
} rows[] = {
#define SOFA_DISPLAY_ROW(symbol, text, parent_symbol) {text, SOFA_DISPLAY_##parent_symbol},
    SOFA_DISPLAY_FLAGS(SOFA_DISPLAY_ROW)
#undef SOFA_DISPLAY_ROW
};

const char *sofa_display_flag_word(SofaDisplayFlag flag) {
  return rows[flag].word;
}

/* Flag of a word without its show or hide; NONE when there is none. */
static SofaDisplayFlag find(const char *word, size_t length) {
  for (int i = 0; i < SOFA_N_DISPLAY_FLAGS; i++)
    if (strlen(rows[i].word) == length && strncasecmp(rows[i].word, word, length) == 0)
      return (SofaDisplayFlag)i;
  return SOFA_DISPLAY_NONE;
}

/* One word; counts in said[] what it says. */
static void read_word(const SofaObject *object, const char *word, size_t length,
                      SofaDisplayFlags *said) {
  static const char old[] = "Rendering";
  SofaDisplayFlag flag = SOFA_DISPLAY_NONE;
  const bool show = length > 4 && strncasecmp(word, "show", 4) == 0;
  const bool hide = length > 4 && strncasecmp(word, "hide", 4) == 0;
  if (show || hide) flag = find(word + 4, length - 4);
  if ((show || hide) && length - 4 == strlen(old) && strncasecmp(word + 4, old, length - 4) == 0) {
    flag = SOFA_DISPLAY_ADVANCED_RENDERING;
    sofa_object_message(object, SOFA_DEPRECATED, "'%.*s' is called '%.4sAdvancedRendering' now",
                        (int)length, word, word);
  }
  if (flag == SOFA_DISPLAY_NONE) {
    sofa_object_message(object, SOFA_WARNING, "displayFlags: '%.*s' is not a flag; it is ignored",
                        (int)length, word);
    return;
  }

  // the case of the letters is forgiven
  const char *right = sofa_display_flag_word(flag);
  if (strncmp(word, show ? "show" : "hide", 4) != 0 ||
      (length - 4 == strlen(right) && strncmp(word + 4, right, length - 4) != 0))
    sofa_object_message(object, SOFA_WARNING, "displayFlags: '%.*s' is written '%s%s'", (int)length,
                        word, show ? "show" : "hide", right);
  if (said->value[flag] != 1) said->value[flag] = show ? 1 : -1;
}

/* Groups come before their members. */
void sofa_display_flags_rule(const SofaDisplayFlags *said, SofaDisplayFlags *out) {
  for (int i = 0; i < SOFA_N_DISPLAY_FLAGS; i++) {
    const SofaDisplayFlag parent = rows[i].parent;
    const signed char above = parent == SOFA_DISPLAY_NONE ? 0 : out->value[parent];
    out->value[i] = above ? above : said->value[i];
  }
}

void sofa_display_flags_parse(const SofaObject *object, const char *text, SofaDisplayFlags *out) {
  SofaDisplayFlags said = {{0}};
  const char *word;
  size_t length;
  while (text && sofa_read_word(&text, &word, &length)) read_word(object, word, length, &said);
  sofa_display_flags_rule(&said, out);
}

void sofa_display_flags_override(SofaDisplayFlags *flags, const SofaDisplayFlags *own) {
  for (int i = 0; i < SOFA_N_DISPLAY_FLAGS; i++)
    if (own->value[i]) flags->value[i] = own->value[i];
}
