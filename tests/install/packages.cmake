# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the Debian packages of BUILD, checks their contents, runs scenes from the unpacked packages,
# and asks lintian, where it is installed, for errors.
cmake_minimum_required(VERSION 3.25)
find_program(DPKG_DEB dpkg-deb)
find_program(SHLIBDEPS dpkg-shlibdeps)
if(NOT DPKG_DEB OR NOT SHLIBDEPS)
  message("skipped: no dpkg-deb or dpkg-shlibdeps")
  return()
endif()

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} -E chdir ${BUILD} ${CMAKE_CPACK_COMMAND} -G DEB -B ${WORK})
file(GLOB packages ${WORK}/*.deb)

# the files and the dependencies of each
set(files_libcsofa0 /libcsofa.so.0)
set(files_libcsofa-dev /libcsofa.so /include/csofa/sofa.h /include/csofa/csofa.h /include/csofa/base/abi.h
  /cmake/csofa/csofaConfig.cmake /cmake/csofa/plugin.map /pkgconfig/csofa.pc)
set(files_csofa /bin/runcsofa /csofa/plugins/SofaCaribou.so
  /csofa/optional/ArticulatedSystemPlugin.so /share/man/man1/runcsofa.1.gz
  /share/bash-completion/completions/runcsofa /share/applications/csofa.desktop
  /share/icons/hicolor/scalable/apps/csofa.svg /share/mime/packages/csofa.xml
  /share/csofa/examples/demo/hook.scn /share/csofa/examples/SofaCaribou/falling_beam.scn)
set(files_csofa-doc /share/doc/csofa-doc/user-guide.md /share/doc/csofa-doc/components.md
  /share/doc/csofa-doc/plugins.md /share/doc/csofa-doc/examples/fall.c)
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/../../out/site/index.html)
  list(APPEND files_csofa-doc /share/doc/csofa-doc/html/index.html
    /share/doc/csofa-doc/html/reference/UniformMass.html)
endif()
set(modules /usr/lib/python3/dist-packages)
set(files_python3-csofa ${modules}/csofa/__init__.py ${modules}/Sofa/__init__.py
  ${modules}/SofaRuntime/__init__.py ${modules}/SofaImGui/__init__.py
  ${modules}/SofaTypes/__init__.py ${modules}/Sofa/Units/UnitSystem.py
  /share/doc/python3-csofa/examples/sweep.py)
set(files_csofa-petsc /csofa/plugins/SofaPETSc.so
  /share/csofa/examples/SofaPETSc/PETScLinearSolver.scn)
set(needs_csofa-petsc "libpetsc-real" "csofa \\(= " "libcsofa0 \\(= ")
set(needs_libcsofa0 "libcholmod" "libxml2" "libopenblas")
set(needs_libcsofa-dev "libcsofa0 \\(= ")
set(needs_csofa "libcsofa0 \\(= " "libc6")
set(needs_csofa-doc "")
set(needs_python3-csofa "python3-numpy" "libcsofa0 \\(= ")
set(names "")
foreach(package ${packages})
  run(${DPKG_DEB} -f ${package} Package)
  string(STRIP "${output}" name)
  list(APPEND names ${name})
  run(${DPKG_DEB} -c ${package})
  set(contents "${output}")
  foreach(file ${files_${name}} /share/doc/${name}/copyright /share/doc/${name}/changelog.gz)
    string(FIND "${contents}" "${file}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${name} has no ${file}:\n${contents}")
    endif()
  endforeach()
  run(${DPKG_DEB} -f ${package} Depends)
  foreach(need ${needs_${name}})
    if(NOT output MATCHES "${need}")
      message(FATAL_ERROR "${name} does not depend on ${need}: ${output}")
    endif()
  endforeach()
  run(${DPKG_DEB} -x ${package} ${WORK}/root)
  # compiled modules come and go with the package
  if(name STREQUAL "python3-csofa")
    run(${DPKG_DEB} -I ${package} postinst prerm)
    if(NOT output MATCHES "py3compile -p ${name}.*py3clean -p ${name}")
      message(FATAL_ERROR "${name} leaves compiled modules behind:\n${output}")
    endif()
  endif()
endforeach()
foreach(name libcsofa0 libcsofa-dev csofa csofa-doc)
  if(NOT name IN_LIST names)
    message(FATAL_ERROR "there is no package ${name}, but ${names}")
  endif()
endforeach()

# the unpacked program runs without the build folder
file(GLOB library ${WORK}/root/usr/lib/libcsofa.so.0 ${WORK}/root/usr/lib/*/libcsofa.so.0)
get_filename_component(folder ${library} DIRECTORY)
set(ENV{LD_LIBRARY_PATH} ${folder})
set(examples ${WORK}/root/usr/share/csofa/examples)
run(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/root/usr/bin/runcsofa -g batch -n 10
  ${examples}/springs/hanging_mass.scn)
run(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/root/usr/bin/runcsofa -g batch -n 2
  ${examples}/SofaCaribou/falling_beam.scn)

find_program(LINTIAN lintian)
if(LINTIAN)
  run(${LINTIAN} --fail-on error ${packages})
  message("lintian:\n${output}")
else()
  message("lintian is not installed: packages are not asked for errors")
endif()
