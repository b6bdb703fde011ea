# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes the list of the classes that sources declare, as C:
#   cmake -DFOLDER=components -DOUT=builtin_modules.c -P class_list.cmake
# makes sofa_builtin_modules, with a module per folder;
#   cmake -DPLUGIN=Name -DVERSION=1.0 "-DSOURCES=a.c;b.c" -DOUT=Name_entry.c -P class_list.cmake
# makes the entry of a plugin, or an empty file when a source has its own (SOFA_PLUGIN).
# A class is declared by a line that begins with SOFA_CLASS(Name) or a macro whose name ends in
# CLASS or CLASS_OF and whose first argument is the name.

# names of the classes that a source declares
function(read_classes source out)
  file(READ ${source} text)
  string(REGEX MATCHALL "\n *[A-Z_]*CLASS(_OF)?\\([ \n]*[A-Z][A-Za-z0-9_]+[,)]" lines "${text}")
  list(TRANSFORM lines REPLACE "\n *[A-Z_]*CLASS(_OF)?\\([ \n]*([A-Za-z0-9_]+)[,)]" "\\2")
  set(${out} ${lines} PARENT_SCOPE)
endfunction()

# text with a line per class: "${before}Name${after}"
function(lines_of list_name before after out)
  set(text "")
  foreach(name ${${list_name}})
    string(APPEND text "${before}${name}${after}\n")
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(text "/* Made by cmake/class_list.cmake from the sources. */\n")
if(PLUGIN)
  set(classes "")
  set(has_entry FALSE)
  foreach(source ${SOURCES})
    read_classes(${source} names)
    list(APPEND classes ${names})
    file(STRINGS ${source} entry REGEX "^SOFA_PLUGIN\\(|^const SofaModule \\*sofa_plugin_module")
    if(entry)
      set(has_entry TRUE)
    endif()
  endforeach()
  if(has_entry)
    string(APPEND text "typedef int ${PLUGIN}_has_its_own_entry;\n")
  elseif(classes)
    lines_of(classes "SOFA_EXTERN const SofaClass sofa_" "_class;" declared)
    lines_of(classes "            &sofa_" "_class," listed)
    string(APPEND text "#include \"object/plugin.h\"\n\n${declared}\n"
      "SOFA_PLUGIN(\"${PLUGIN}\", \"${VERSION}\",\n${listed}            NULL)\n")
  else()
    message(FATAL_ERROR "${PLUGIN}: no source has a line SOFA_CLASS(Name) or SOFA_PLUGIN(...)")
  endif()
else()
  file(GLOB_RECURSE sources ${FOLDER}/*.c)
  list(SORT sources)
  set(folders "")
  foreach(source ${sources})
    read_classes(${source} names)
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${FOLDER} ${folder})
    if(names)
      list(APPEND folders "${folder}")
      list(APPEND "classes_${folder}" ${names})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  string(APPEND text "#include \"components/builtins.h\"\n\n#include \"base/abi.h\"\n\n")
  set(modules "")
  foreach(folder ${folders})
    string(MAKE_C_IDENTIFIER "${folder}" id)
    lines_of("classes_${folder}" "extern const SofaClass sofa_" "_class;" declared)
    lines_of("classes_${folder}" "    &sofa_" "_class," listed)
    string(APPEND text "${declared}"
      "static const SofaClass *const classes_${id}[] = {\n${listed}    NULL};\n"
      "static const SofaModule module_${id} = {\n"
      "    .abi = SOFA_ABI, .name = \"${folder}\", .version = CSOFA_VERSION,\n"
      "    .classes = classes_${id}};\n\n")
    string(APPEND modules "    &module_${id},\n")
  endforeach()
  string(APPEND text "const SofaModule *const sofa_builtin_modules[] = {\n${modules}    NULL};\n")
endif()
if(EXISTS ${OUT})
  file(READ ${OUT} old)
  if(old STREQUAL text)
    return()
  endif()
endif()
file(WRITE ${OUT} "${text}")
