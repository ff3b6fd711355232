# The house: one target a folder of src/, and the folders it may include as an argument.
#
# A folder's headers are reached as "base/result.h". Each target adds an include directory that
# holds that one folder and nothing else, so including a folder that is not in MAY_INCLUDE does
# not compile, let alone link.

function(tacho_rooms)
  foreach(room IN LISTS ARGN)
    add_subdirectory(${CMAKE_SOURCE_DIR}/src/${room} ${CMAKE_BINARY_DIR}/src/${room})
  endforeach()
endfunction()

# tacho_room(NAME store SOURCES … TESTS … MAY_INCLUDE base record LIBRARIES SQLite::SQLite3)
function(tacho_room)
  cmake_parse_arguments(ROOM "" "NAME" "SOURCES;TESTS;MAY_INCLUDE;LIBRARIES" ${ARGN})
  set(target tacho_${ROOM_NAME})
  tacho_view(${ROOM_NAME} view)

  add_library(${target} STATIC ${ROOM_SOURCES})
  target_include_directories(${target} PUBLIC ${view})
  list(TRANSFORM ROOM_MAY_INCLUDE PREPEND tacho_)
  target_link_libraries(${target} PUBLIC ${ROOM_MAY_INCLUDE} ${ROOM_LIBRARIES})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)

  if(ROOM_TESTS)
    add_executable(${ROOM_NAME}_test ${ROOM_TESTS})
    target_link_libraries(${ROOM_NAME}_test PRIVATE ${target} GTest::gmock_main)
    set_target_properties(${ROOM_NAME}_test PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test-bin)
    add_test(NAME ${ROOM_NAME} COMMAND ${ROOM_NAME}_test)
    set_tests_properties(${ROOM_NAME} PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endfunction()

# Makes the include directory through which exactly one folder of src/ can be seen.
function(tacho_view room out)
  set(view ${CMAKE_BINARY_DIR}/house/${room})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${room} ${view}/${room} SYMBOLIC)
  set(${out} ${view} PARENT_SCOPE)
endfunction()

# A program that finds the libraries of an image beside itself, in ../lib/tacho, before those of the
# system, for itself and for the libraries it needs: DT_RPATH, for DT_RUNPATH is not handed down.
# Where that folder is missing, as in a build, nothing changes.
function(tacho_carries_libraries program)
  set_property(TARGET ${program} APPEND PROPERTY BUILD_RPATH "$ORIGIN/../lib/tacho")
  target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
endfunction()
