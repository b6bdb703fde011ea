# SPDX-License-Identifier: LGPL-2.1-or-later
# CSOFA_PYTHON: an interpreter that has numpy, else the usual one.
find_package(Python3 COMPONENTS Interpreter REQUIRED)
set(CSOFA_PYTHON ${Python3_EXECUTABLE})
foreach(candidate ${Python3_EXECUTABLE} /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "import numpy" RESULT_VARIABLE status
    OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(CSOFA_PYTHON ${candidate})
    break()
  endif()
endforeach()
