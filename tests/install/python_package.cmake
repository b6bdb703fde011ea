# SPDX-License-Identifier: LGPL-2.1-or-later
# The Python package, used where it is installed and nowhere else: from the Debian packages of BUILD,
# unpacked, and by pip into a new environment, without a network. PYTHON has numpy.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PYTHON} -c "import numpy, setuptools, venv, ensurepip"
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
find_program(DPKG_DEB dpkg-deb)
find_program(SHLIBDEPS dpkg-shlibdeps)
if(NOT status EQUAL 0 OR NOT DPKG_DEB OR NOT SHLIBDEPS)
  message("skipped: no numpy, setuptools or venv of Python, or no dpkg-deb and dpkg-shlibdeps")
  return()
endif()

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${output}")
  endif()
  message("${output}")
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
unset(ENV{PYTHONPATH})
unset(ENV{CSOFA_LIBRARY})
set(ENV{PYTHONDONTWRITEBYTECODE} 1)

# the packages of Debian
run(${CMAKE_COMMAND} -E chdir ${BUILD} ${CMAKE_CPACK_COMMAND} -G DEB -B ${WORK}
  -D "CPACK_COMPONENTS_ALL=library\;python")
file(GLOB packages ${WORK}/*.deb)
foreach(package ${packages})
  run(${DPKG_DEB} -x ${package} ${WORK}/root)
endforeach()
file(GLOB library ${WORK}/root/usr/lib/libcsofa.so.0 ${WORK}/root/usr/lib/*/libcsofa.so.0)
get_filename_component(folder ${library} DIRECTORY)
set(modules ${WORK}/root/usr/lib/python3/dist-packages)
run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder} PYTHONPATH=${modules} ${PYTHON}
  ${CMAKE_CURRENT_LIST_DIR}/python_package.py ${modules} ${library}
  ${WORK}/root/usr/share/doc/python3-csofa/examples)

# pip, from a copy of the sources: building leaves files there
file(COPY ${SOURCE}/python DESTINATION ${WORK}/source PATTERN "__pycache__" EXCLUDE
  PATTERN "build" EXCLUDE PATTERN "*.egg-info" EXCLUDE)
run(${PYTHON} -m venv --system-site-packages ${WORK}/venv)
run(${WORK}/venv/bin/python -m pip install --no-index --no-deps --no-build-isolation
  --disable-pip-version-check ${WORK}/source/python)
run(${CMAKE_COMMAND} -E env CSOFA_LIBRARY=${LIBRARY} ${WORK}/venv/bin/python
  ${CMAKE_CURRENT_LIST_DIR}/python_package.py ${WORK}/venv ${LIBRARY} ${SOURCE}/examples/python)
