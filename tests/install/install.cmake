# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs BUILD to WORK/prefix, copies the sources of plugins to WORK/project, builds them with
# nothing but the prefix, and loads each in the installed program.
set(prefix ${WORK}/prefix)
set(project ${WORK}/project)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${prefix} ${project})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
# a plugin of the prefix must be one that was built against it
file(REMOVE_RECURSE ${prefix}/lib/csofa ${prefix}/lib64/csofa)
file(GLOB_RECURSE private ${prefix}/include/*_impl.h ${prefix}/include/csofa/components/*)
list(FILTER private EXCLUDE REGEX "components/builtins\\.h$")
if(private)
  message(FATAL_ERROR "private headers are installed: ${private}")
endif()

# sources, away from the rest of the tree
file(COPY ${SOURCE}/tests/install/project/ DESTINATION ${project})
file(COPY ${SOURCE}/plugins/SofaCaribou ${SOURCE}/plugins/ArticulatedSystemPlugin
  ${SOURCE}/plugins/IncrementalPotentialContact ${SOURCE}/plugins/uniform_drag
  DESTINATION ${project})
function(guide page file)
  run(${CMAKE_COMMAND} -DPAGE=${SOURCE}/docs/${page} -DNAME=${file} -DLINES=100
    -DOUT=${project}/${file} -P ${SOURCE}/tests/docs/extract.cmake)
endfunction()
guide(writing-a-force-field.md half_space.c)
guide(writing-a-mapping.md pendulum.c)
guide(writing-a-linear-solver.md bicgstab.c)
guide(writing-a-loader.md section_mesh.c)
guide(writing-an-engine.md bend.c)
guide(writing-a-material.md ciarlet.c)
guide(c.md drop.c)
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=address,undefined -fno-sanitize-recover=undefined")
endif()
run(${CMAKE_COMMAND} -S ${project} -B ${project}/build -G ${GENERATOR}
  -DCMAKE_C_COMPILER=${COMPILER} -DCMAKE_C_FLAGS=${flags} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_INSTALL_PREFIX=${prefix})
run(${CMAKE_COMMAND} --build ${project}/build)
run(${CMAKE_COMMAND} --install ${project}/build)

# the installed program finds and runs them
set(program ${prefix}/bin/runcsofa)
file(GLOB articulated ${prefix}/lib*/csofa/optional/ArticulatedSystemPlugin.so)
set(caribou ${SOURCE}/plugins/SofaCaribou/scenes)
run(${program} -g batch -n 2 ${caribou}/falling_beam.scn)
run(${program} -g batch -n 2 ${caribou}/linear_solvers.scn)
run(${program} -g batch -n 2
  ${SOURCE}/plugins/IncrementalPotentialContact/scenes/falling_die.scn)
run(${program} -g batch -n 2 -l ${articulated}
  ${SOURCE}/plugins/ArticulatedSystemPlugin/scenes/ArticulatedSystemMapping.scn)
run(${program} -g batch -n 2 -l ${project}/build/HalfSpace.so
  ${SOURCE}/tests/docs/half_space.scn)
set(ENV{CSOFA_PLUGIN_PATH} ${project}/build)
foreach(name pendulum bicgstab section_mesh bend ciarlet)
  run(${program} -g batch -n 2 ${SOURCE}/tests/docs/${name}.scn)
endforeach()
run(${program} -g batch -n 2 -l UniformDrag ${SOURCE}/tests/docs/half_space.scn
  -l ${project}/build/HalfSpace.so)
run(${project}/build/fall)
if(NOT output MATCHES "y = -0.98")
  message(FATAL_ERROR "the program says '${output}', expected y = -0.98...")
endif()

run(${project}/build/drop)
if(NOT output MATCHES "E = 4e\\+06 Pa: y = 0")
  message(FATAL_ERROR "the program of docs/c.md says '${output}'")
endif()

# a plugin shows its entry and nothing else
function(one_export plugin)
  run(${NM} -D --defined-only --format=posix ${plugin})
  string(REGEX MATCHALL "(^|\n)[A-Za-z_0-9]+ [A-Z]" shown "${output}")
  list(LENGTH shown n)
  if(NOT n EQUAL 1)
    message(FATAL_ERROR "${plugin} exports ${shown}, expected sofa_plugin_module")
  endif()
endfunction()
one_export(${project}/build/SofaCaribou/SofaCaribou.so)

# other languages, with each compiler that is there
function(page_source file language folder)
  run(${CMAKE_COMMAND} -DPAGE=${SOURCE}/docs/plugins.md -DNAME=${file} -DLINES=100
    -DLANGUAGE=${language} -DOUT=${folder}/${file} -P ${SOURCE}/tests/docs/extract.cmake)
endfunction()
function(other_language folder build plugin scene)
  run(${CMAKE_COMMAND} -S ${folder} -B ${build} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${prefix} ${ARGN})
  run(${CMAKE_COMMAND} --build ${build})
  one_export(${build}/${plugin}.so)
  run(${CMAKE_COMMAND} -E env CSOFA_PLUGIN_PATH=${build} ${program} -g batch -n 2
    ${SOURCE}/tests/docs/${scene}.scn)
endfunction()
if(NOT SANITIZE)
  file(REMOVE_RECURSE ${WORK}/cpp ${WORK}/fortran)
  file(COPY ${SOURCE}/tests/install/cpp ${SOURCE}/tests/install/fortran DESTINATION ${WORK})
  page_source(sphere_shell.cpp cpp ${WORK}/cpp)
  foreach(compiler g++ clang++)
    find_program(found_${compiler} ${compiler} NO_CACHE)
    if(found_${compiler})
      other_language(${WORK}/cpp ${WORK}/cpp/${compiler} SphereShell sphere_shell
        -DCMAKE_CXX_COMPILER=${found_${compiler}})
    else()
      message(STATUS "skipped: no ${compiler}")
    endif()
  endforeach()
  page_source(quartic.f90 fortran ${WORK}/fortran)
  page_source(quartic_class.c c ${WORK}/fortran)
  find_program(fortran gfortran NO_CACHE)
  if(fortran)
    other_language(${WORK}/fortran ${WORK}/fortran/build QuarticSpring quartic
      -DCMAKE_Fortran_COMPILER=${fortran} -DCMAKE_C_COMPILER=${COMPILER})
  else()
    message(STATUS "skipped: no gfortran")
  endif()
endif()

# the folder of --new-plugin builds and passes its tests with the prefix alone
if(NOT SANITIZE)
  file(REMOVE_RECURSE ${WORK}/new)
  file(MAKE_DIRECTORY ${WORK}/new)
  run(${program} --new-plugin MyPlugin ${WORK}/new/MyPlugin)
  run(${CMAKE_COMMAND} -S ${WORK}/new/MyPlugin -B ${WORK}/new/build -G ${GENERATOR}
    -DCMAKE_C_COMPILER=${COMPILER} -DCMAKE_C_FLAGS=-Werror -DCMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${WORK}/new/build)
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/new/build --output-on-failure)
  if(NOT output MATCHES "100% tests passed, 0 tests failed out of 2")
    message(FATAL_ERROR "the tests of the new plugin:\n${output}")
  endif()
  one_export(${WORK}/new/build/MyPlugin.so)
endif()

# the prefix moves: the program finds library and plugins, pkg-config the new place
set(moved ${WORK}/moved)
file(REMOVE_RECURSE ${moved})
file(RENAME ${prefix} ${moved})
unset(ENV{CSOFA_PLUGIN_PATH})
run(${moved}/bin/runcsofa -g batch -n 2 ${caribou}/falling_beam.scn)
file(GLOB pc ${moved}/lib*/pkgconfig ${moved}/lib/*/pkgconfig)
find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${pc})
  foreach(variable prefix includedir libdir plugindir)
    run(${PKG_CONFIG} --variable=${variable} csofa)
    string(STRIP "${output}" folder)
    file(REAL_PATH "${folder}" folder)
    file(REAL_PATH ${moved} root)
    string(FIND "${folder}/" "${root}/" at)
    if(NOT at EQUAL 0 OR NOT EXISTS "${folder}")
      message(FATAL_ERROR "csofa.pc: ${variable} is ${folder}, expected a folder of ${moved}")
    endif()
  endforeach()
endif()

# without symbols for debuggers
file(GLOB library ${moved}/lib*/libcsofa.so.0 ${moved}/lib/*/libcsofa.so.0)
execute_process(COMMAND ${NM} ${library} OUTPUT_VARIABLE symbols ERROR_QUIET)
if(symbols AND NOT SANITIZE AND NOT BUILD_TYPE STREQUAL "Debug")
  message(FATAL_ERROR "the installed library is not stripped")
endif()
