/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StatsSetting: the statistics of SOFA's viewer. The replacements in csofa are named. */
#include "components/setting/setting.h"

typedef struct StatsSetting {
  SofaObject object;
  bool dump_state, log_time, export_state;
  char *visitors;
} StatsSetting;

typedef StatsSetting SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_NO_EFFECT(dump_state, "dumpState", "0",
                       "no effect: runcsofa --states FILE writes states"),
    SOFA_ROW_NO_EFFECT(log_time, "logTime", "0",
                       "no effect: runcsofa --computationTimeSampling N writes times"),
    SOFA_ROW_NO_EFFECT(export_state, "exportState", "0", "no effect: VTKExporter writes meshes"),
    SOFA_ROW_NO_EFFECT(visitors, "traceVisitors", NULL,
                       "no effect: there are no visitors to trace"),
};

/* What was asked for is done by options of the program and by other components. */
static SofaErr init(SofaObject *object) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (!sofa_field_is_default(object, &fields[i]))
      sofa_object_message(object, SOFA_WARNING, "field '%s' has %s", fields[i].name,
                          fields[i].help);
  return SOFA_OK;
}

SOFA_CLASS(StatsSetting) = {
    SOFA_NAMED(StatsSetting),   .module = "Sofa.Component.Setting",
    .category = "Setting",      .help = "The statistics that SOFA's viewer records; no effect.",
    .base = &sofa_object_class, .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_FIELDS(fields),        .init = init,
};
