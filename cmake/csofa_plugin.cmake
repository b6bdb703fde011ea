# SPDX-License-Identifier: LGPL-2.1-or-later
# csofa_add_plugin(NAME [VERSION 1.0] [FOLDER plugins] [NO_INSTALL] SOURCES a.c b.c ...)
#
# A plugin of csofa. Its classes are those of the SOFA_CLASS(Name) lines of the sources, so that no
# list of them is written by hand; a source with SOFA_PLUGIN(...) lists them itself. Nothing but the
# entry is exported. It is installed where csofa searches (FOLDER: below lib/csofa). The sources are C,
# C++ or of another language that CMake knows and that can call C.
include(GNUInstallDirs)

function(csofa_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 plugin "NO_INSTALL" "VERSION;FOLDER" "SOURCES")
  if(NOT plugin_SOURCES OR plugin_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "csofa_add_plugin(${name} ...): give SOURCES; unknown are "
      "'${plugin_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT plugin_VERSION)
    set(plugin_VERSION 1.0)
  endif()
  if(NOT plugin_FOLDER)
    set(plugin_FOLDER plugins)
  endif()
  set(list ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/class_list.cmake)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(entry ${CMAKE_CURRENT_BINARY_DIR}/${name}_entry.c)
  if(NOT "C" IN_LIST languages)
    set(entry ${CMAKE_CURRENT_BINARY_DIR}/${name}_entry.cpp)
  endif()
  set(sources "")
  foreach(source ${plugin_SOURCES})
    get_filename_component(source ${source} ABSOLUTE)
    list(APPEND sources ${source})
  endforeach()
  # written when the list changes only; the stamp says when the sources were read
  add_custom_command(OUTPUT ${entry}.stamp BYPRODUCTS ${entry}
    COMMAND ${CMAKE_COMMAND} -DPLUGIN=${name} -DVERSION=${plugin_VERSION} "-DSOURCES=${sources}"
      -DOUT=${entry} -P ${list}
    COMMAND ${CMAKE_COMMAND} -E touch ${entry}.stamp
    DEPENDS ${sources} ${list} VERBATIM)
  add_custom_target(${name}_entry DEPENDS ${entry}.stamp)
  set_source_files_properties(${entry} PROPERTIES GENERATED ON)
  add_library(${name} MODULE ${sources} ${entry})
  add_dependencies(${name} ${name}_entry)
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden C_STANDARD 11
    C_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON CXX_STANDARD 20
    CXX_STANDARD_REQUIRED ON)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
  # tables leave members out, which are zero then
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fno-math-errno>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>)
  # Debian asks that a library names the C library, even if it needs nothing of it
  target_link_libraries(${name} PRIVATE csofa::csofa m
    "-Wl,--push-state,--no-as-needed -lc -Wl,--pop-state")
  target_link_options(${name} PRIVATE
    LINKER:--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map)
  if(NOT plugin_NO_INSTALL)
    install(TARGETS ${name}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/csofa/${plugin_FOLDER})
  endif()
endfunction()
