/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json_text.h"

#include "base/text.h"

void json_print_text(FILE *out, const char *text) {
  fputc('"', out);
  while (*text) {
    const size_t n = sofa_printable(text);
    if (*text == '"' || *text == '\\') fprintf(out, "\\%c", *text);
    else if (n > 0) fwrite(text, 1, n, out);
    else text += (text[0] & 0xff) == 0xc2 && (text[1] & 0xc0) == 0x80; // U+0080 to U+009F
    if (n == 0) fprintf(out, "\\u%04x", (unsigned char)*text);
    text += n ? n : 1;
  }
  fputc('"', out);
}
