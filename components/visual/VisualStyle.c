/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualStyle: what a view shows of a node and the nodes below it. */
#include "components/visual/VisualStyle.h"

static const SofaField fields[] = {
    SOFA_FIELD(VisualStyle, display_flags, "displayFlags", "", "",
               "words such as showVisualModels, hideForceFields, showWireframe",
               .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT),
};

static SofaErr read_flags(SofaObject *object) {
  VisualStyle *style = (VisualStyle *)object;
  sofa_display_flags_parse(object, style->display_flags, &style->flags);
  return SOFA_OK;
}

SOFA_CLASS(VisualStyle) = {
    SOFA_NAMED(VisualStyle),
    .module = "Sofa.Component.Visual",
    .category = "Visual",
    .help = "Sets the parts of its node and the nodes below that a view shows: groups and members "
            "of groups, each shown, hidden or as in the node above.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_FIELDS(fields),
    .init = read_flags,
    .reinit = read_flags,
    SOFA_IMPLEMENTS({SOFA_VISUAL_STYLE, SOFA_NO_OPS}),
};
