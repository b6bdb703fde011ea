/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one place where the stb libraries are compiled. */
#if defined __clang__
#pragma clang diagnostic ignored "-Weverything"
#else
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#endif
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_NO_STDIO
/* the full packer: Dear ImGui in the same program calls these functions, too, and relies on it */
#define STB_RECT_PACK_IMPLEMENTATION
#include <stb/stb_rect_pack.h>
#define STB_TRUETYPE_IMPLEMENTATION
#include "viewer/render/stb.h"

#include <stb/stb_easy_font.h>

int stb_rectangles_of_text(char *text, void *vertices, int n_bytes) {
  return stb_easy_font_print(0, 0, text, NULL, vertices, n_bytes);
}
