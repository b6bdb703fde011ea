/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualManagerSecondaryPass: puts textures of other passes together by a shader. */
#include "components/visual/passes.h"

static const SofaLinkRule rule = {.klass = &sofa_OglShader_class};

typedef VisualManagerSecondaryPass SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(
        inputs, "input_tags", NULL,
        "tags of the passes it reads: textures by their output names, depths with _Z behind"),
    SOFA_ROW_DISPLAY(outputs, "output_tags", NULL, "tags by which further passes read it"),
    SOFA_ROW_DISPLAY(fragment, "fragFilename", NULL, "fragment shader, when no shader is linked"),
    SOFA_ROW_DISPLAY(shader, "shader", NULL,
                     "shader that is drawn over the whole picture; a passive one", .link = &rule),
};

static SofaErr init(SofaObject *object) {
  const VisualManagerSecondaryPass *p = (const VisualManagerSecondaryPass *)object;
  const bool named = p->fragment.text && p->fragment.text[0];
  if (!p->shader.target && !named)
    return sofa_field_fail(object, "fragFilename", SOFA_ERR_NOT_FOUND,
                           "missing, expected a file, or a link in the field 'shader'");
  if (!p->shader.target && !p->fragment.path)
    sofa_object_message(object, SOFA_WARNING, "fragFilename: no file '%s'; nothing is drawn",
                        p->fragment.text);
  return SOFA_OK;
}

SOFA_CLASS(VisualManagerSecondaryPass) = {
    SOFA_NAMED(VisualManagerSecondaryPass),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "Draws a shader over the whole picture, with the textures of passes before it. The "
            "shader also gets zNear, zFar, width and height.",
    .base = &sofa_VisualManagerPass_class,
    SOFA_FIELDS(fields),
    .init = init,
};
