/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of the option table, shared by parsing and by what is printed from it. */
#ifndef RUNCSOFA_OPTION_TABLE_H
#define RUNCSOFA_OPTION_TABLE_H

#include <stddef.h>

/* X(symbol, title) */
#define OPTION_GROUPS(X)                                                                           \
  X(GROUP_SCENE, "Scene")                                                                          \
  X(GROUP_RUN, "Run")                                                                              \
  X(GROUP_OUTPUT, "Output")                                                                        \
  X(GROUP_VIEW, "Pictures, videos and the start of the window")                                    \
  X(GROUP_INFO, "Information")

typedef enum OptionGroup {
#define OPTION_GROUP_ENUM(symbol, title) symbol,
  OPTION_GROUPS(OPTION_GROUP_ENUM)
#undef OPTION_GROUP_ENUM
} OptionGroup;

enum { /* keys of options without a letter */
       OPT_DATA_PATH = 256,
       OPT_NO_CHECK,
       OPT_NO_AUTOLOAD,
       OPT_KEEP_GOING,
       OPT_STRICT,
       OPT_PLUGIN_PATH,
       OPT_TRUST_SCENE,
       OPT_SANDBOX,
       OPT_DISTRIBUTED,
       OPT_REALTIME,
       OPT_QUIRKS,
       OPT_SET,
       OPT_SWEEP,
       OPT_SWEEP_ONLY,
       OPT_SWEEP_SCRIPT,
       OPT_JOBS,
       OPT_OUT,
       OPT_RECORD,
       OPT_RECORD_FILE,
       OPT_RECORD_EVERY,
       OPT_ARGV,
       OPT_TMP,
       OPT_MSAA,
       OPT_HIDE_PROGRESS,
       OPT_THREADS,
       OPT_ISA,
       OPT_STATES,
       OPT_STATES_AT,
       OPT_CONVERGENCE,
       OPT_SAVE_STATE,
       OPT_SAVE_EVERY,
       OPT_RESTORE,
       OPT_CHECK_TANGENT,
       OPT_CHECK_ENERGY,
       OPT_CHECK_MESH,
       OPT_CHECK_REPORT,
       OPT_MODES,
       OPT_BUCKLING,
       OPT_SHAPES,
       OPT_SAMPLING,
       OPT_SCREENSHOT,
       OPT_SCREENSHOT_EVERY,
       OPT_SIZE,
       OPT_VIDEO,
       OPT_SHOW,
       OPT_CAMERA,
       OPT_LOOK_AT,
       OPT_COLOUR,
       OPT_COLOUR_RANGE,
       OPT_LOG,
       OPT_VERSION,
       OPT_LICENSES,
       OPT_LIST,
       OPT_LIST_QUIRKS,
       OPT_DOC,
       OPT_DOC_JSON,
       OPT_XSD,
       OPT_NEW_PLUGIN,
       OPT_MAN,
       OPT_COMPLETION
};

typedef struct Option {
  int key;
  char letter; /* 0: none */
  const char *name;
  const char *argument; /* what stands for the value; NULL: takes none, "[...]": optional */
  OptionGroup group;
  const char *help;
} Option;

extern const Option option_table[];
extern const size_t n_option_table;

/* The values that an option accepts, separated by blanks; NULL: others. */
const char *option_words(int key);

#endif
