# SPDX-License-Identifier: MIT OR Apache-2.0
# How a folder under src/ becomes part of an archive, and its *_test.c files tests.

# cuzk_archive(TARGET FOLDER...): a static archive of the folders' .c and .S files, tests left out.
function(cuzk_archive target)
  set(sources "")
  foreach(folder ${ARGN})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.c ${CMAKE_SOURCE_DIR}/src/${folder}/*.S)
    list(FILTER found EXCLUDE REGEX "_test\\.c$")
    list(APPEND sources ${found})
  endforeach()
  if(NOT sources)
    file(WRITE ${CMAKE_BINARY_DIR}/${target}_empty.c "extern int ${target}_empty;\n")
    set(sources ${CMAKE_BINARY_DIR}/${target}_empty.c)
  endif()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
endfunction()

# cuzk_test(NAME SOURCE LIBRARY...): one CTest executable on cmocka.
# Exit status 77 means skipped; tests say what they skipped.
function(cuzk_test name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${ARGN} PkgConfig::CMOCKA)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
endfunction()

# cuzk_tests(FOLDER...): each src/FOLDER/X_test.c becomes the test FOLDER_X.
function(cuzk_tests)
  foreach(folder ${ARGN})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*_test.c)
    foreach(source ${found})
      get_filename_component(stem ${source} NAME_WE)
      string(REGEX REPLACE "_test$" "" stem ${stem})
      cuzk_test(${folder}_${stem} ${source} cuzk_seal cuzk_core)
    endforeach()
  endforeach()
endfunction()
