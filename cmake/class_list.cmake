# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes the list of the classes that the sources below a folder declare:
#   cmake -DFOLDER=components -DOUT=builtin_modules.c -P class_list.cmake
# A class is declared by a line that begins with SOFA_CLASS(Name) or a macro whose name ends in
# CLASS or CLASS_OF and whose first argument is the name. Each folder is a module of its own.
file(GLOB_RECURSE sources ${FOLDER}/*.c)
list(SORT sources)
set(folders "")
foreach(source ${sources})
  file(READ ${source} text)
  string(REGEX MATCHALL "\n *[A-Z_]*CLASS(_OF)?\\([A-Z][A-Za-z0-9_]+[,)]" lines "${text}")
  get_filename_component(folder ${source} DIRECTORY)
  file(RELATIVE_PATH folder ${FOLDER} ${folder})
  foreach(line ${lines})
    string(REGEX REPLACE "\n *[A-Z_]*CLASS(_OF)?\\(([A-Za-z0-9_]+)[,)]" "\\2" name "${line}")
    list(FIND folders "${folder}" known)
    if(known EQUAL -1)
      list(APPEND folders "${folder}")
    endif()
    string(APPEND "declared_${folder}" "extern const SofaClass sofa_${name}_class;\n")
    string(APPEND "listed_${folder}" "    &sofa_${name}_class,\n")
  endforeach()
endforeach()
set(text "/* Made by cmake/class_list.cmake from the sources. */\n#include \"object/factory.h\"\n\n")
set(modules "")
foreach(folder ${folders})
  string(MAKE_C_IDENTIFIER "${folder}" id)
  string(APPEND text "${declared_${folder}}"
    "static const SofaClass *const classes_${id}[] = {\n${listed_${folder}}    NULL};\n"
    "static const SofaModule module_${id} = {SOFA_ABI, \"${folder}\", CSOFA_VERSION, classes_${id}};\n\n")
  string(APPEND modules "    &module_${id},\n")
endforeach()
string(APPEND text "extern const SofaModule *const sofa_builtin_modules[];\n"
  "const SofaModule *const sofa_builtin_modules[] = {\n${modules}    NULL};\n")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
  if(old STREQUAL text)
    return()
  endif()
endif()
file(WRITE ${OUT} "${text}")
