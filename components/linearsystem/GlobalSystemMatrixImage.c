/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GlobalSystemMatrixImage: the pattern of a linear system's matrix as a picture. */
#include "components/linearsystem/matrix_writer.h"

typedef struct GlobalSystemMatrixImage {
  MatrixWriter writer;
  char *bitmap;
} GlobalSystemMatrixImage;

static const SofaField fields[] = {
    SOFA_FIELD(GlobalSystemMatrixImage, bitmap, "bitmap", NULL, "",
               "picture for a graphical interface", .flags = SOFA_FIELD_DISPLAY),
};

static SofaErr init(SofaObject *object) {
  ((MatrixWriter *)object)->format = MATRIX_PNG;
  return SOFA_OK;
}

SOFA_CLASS(GlobalSystemMatrixImage) = {
    SOFA_NAMED(GlobalSystemMatrixImage),
    .module = "SofaMatrix",
    .category = "Exporter",
    .help = "Writes the assembled matrix of a linear system as a PNG, black where an entry is not "
            "zero. SOFA's component of this name shows it in the graphical interface.",
    .base = &matrix_writer_class,
    SOFA_FIELDS(fields),
    .init = init,
};
