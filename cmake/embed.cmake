# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes files as C arrays: cmake -DFOLDER=folder "-DFILES=a;b" -DNAME=table -DOUT=file.c -P embed.cmake
# The array NAME of struct EmbeddedFile (embedded.h) has a row per file and ends with an empty row.
set(text "/* Made by cmake/embed.cmake from the files that it names. */\n#include \"embedded.h\"\n\n")
set(rows "")
foreach(file ${FILES})
  file(READ ${FOLDER}/${file} hex HEX)
  string(MAKE_C_IDENTIFIER ${file} id)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)"
    "\\1\n" bytes "${bytes}")
  string(APPEND text "static const char bytes_${id}[] = {\n${bytes}0};\n")
  string(APPEND rows "    {\"${file}\", bytes_${id}},\n")
endforeach()
string(APPEND text "\nconst EmbeddedFile ${NAME}[] = {\n${rows}    {0}};\n")
file(WRITE ${OUT} "${text}")
