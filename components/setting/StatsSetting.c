/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StatsSetting: what a viewer records beside the motion. */
#include "components/setting/setting.h"

typedef struct StatsSetting {
  SofaObject object;
  bool dump_state, log_time, export_state;
  char *visitors;
} StatsSetting;

#define ROW(member, xml, def, help_text)                                                           \
  SOFA_FIELD(StatsSetting, member, xml, def, "", help_text, .flags = SOFA_FIELD_UNSUPPORTED)

static const SofaField fields[] = {
    ROW(dump_state, "dumpState", "0", "write the states while it runs (runcsofa --states does)"),
    ROW(log_time, "logTime", "0", "write the times (runcsofa --computationTimeSampling does)"),
    ROW(export_state, "exportState", "0", "write meshes (VTKExporter does)"),
    ROW(visitors, "traceVisitors", NULL, "names of traversals to trace"),
};

extern const SofaClass sofa_StatsSetting_class;
const SofaClass sofa_StatsSetting_class = {
    .name = "StatsSetting",
    .module = "Sofa.Component.Setting",
    .category = "Setting",
    .help = "What a viewer records beside the motion.",
    .base = &sofa_object_class,
    .size = sizeof(StatsSetting),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
};
