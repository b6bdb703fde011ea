/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GlobalSystemMatrixExporter: the matrix of a linear system in a file. */
#include "components/linearsystem/matrix_writer.h"

typedef struct GlobalSystemMatrixExporter {
  MatrixWriter writer;
  SofaOption format;
  int precision;
} GlobalSystemMatrixExporter;

/* in the order of MatrixFormat */
static const char *const formats[] = {"txt", "csv", "mtx", "png", NULL};

static const SofaField fields[] = {
    SOFA_FIELD(
        GlobalSystemMatrixExporter, format, "format", "txt", "",
        "txt: rows in brackets; csv: rows with commas; mtx: Matrix Market, without the zeros; "
        "png: a picture, black where an entry is not zero (mtx, png: additions of csofa)",
        .options = formats),
    SOFA_FIELD(GlobalSystemMatrixExporter, precision, "precision", "6", "1", "digits of a number",
               .range = SOFA_WITHIN(1, 17), .on_bad = SOFA_BAD_CLAMP),
};

static SofaErr init(SofaObject *object) {
  GlobalSystemMatrixExporter *e = (GlobalSystemMatrixExporter *)object;
  e->writer.format = (MatrixFormat)e->format.index;
  e->writer.digits = e->precision;
  return SOFA_OK;
}

SOFA_CLASS(GlobalSystemMatrixExporter) = {
    SOFA_NAMED(GlobalSystemMatrixExporter),
    .module = "SofaMatrix",
    .category = "Exporter",
    .help = "Writes the assembled matrix of a linear system, every so many steps.",
    .base = &matrix_writer_class,
    SOFA_FIELDS(fields),
    .init = init,
};
