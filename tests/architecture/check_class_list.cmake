# SPDX-License-Identifier: LGPL-2.1-or-later
# The list of classes has every form in which a source declares one, and no other name:
#   cmake -DLIST=class_list.cmake -DWORK=folder -P check_class_list.cmake
file(REMOVE_RECURSE ${WORK})
file(WRITE ${WORK}/made/One.c "int a;\nSOFA_CLASS(One) = {0};\nENGINE_CLASS(Two, \"help\")\n")
file(WRITE ${WORK}/made/Long.c "int a;\nENGINE_CLASS(\n    Three, \"Generate\",\n    \"help\")\n")
file(WRITE ${WORK}/made/Of.c "int a;\n  LIST_CLASS_OF(Four, \"help\")\n#define OTHER_CLASS(Name) 1\n")
execute_process(COMMAND ${CMAKE_COMMAND} -DFOLDER=${WORK} -DOUT=${WORK}/list.c -P ${LIST}
  RESULT_VARIABLE status)
file(STRINGS ${WORK}/list.c lines REGEX "^    &sofa_.*_class,")
string(REGEX MATCHALL "sofa_[A-Za-z]+_class" names "${lines}")
list(SORT names)
if(NOT status EQUAL 0 OR
   NOT names STREQUAL "sofa_Four_class;sofa_One_class;sofa_Three_class;sofa_Two_class")
  message(FATAL_ERROR "status ${status}, classes: ${names}")
endif()
