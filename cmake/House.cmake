# One library per folder of src/ (here called a room), with the folders that it may include.
#
# Headers are included as "base/result.h". Each target adds an include directory with only its own
# folder in it, so including a folder that is not in MAY_INCLUDE does not compile.

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

# Creates an include directory with exactly one folder of src/.
function(tacho_view room out)
  set(view ${CMAKE_BINARY_DIR}/house/${room})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${room} ${view}/${room} SYMBOLIC)
  set(${out} ${view} PARENT_SCOPE)
endfunction()

# Makes a program use the libraries in ../lib/tacho, as in an image, before those of the system, also
# for the libraries that it loads: DT_RPATH, since DT_RUNPATH is not inherited. Has no effect if that
# folder is missing, as in a build.
function(tacho_carries_libraries program)
  set_property(TARGET ${program} APPEND PROPERTY BUILD_RPATH "$ORIGIN/../lib/tacho")
  target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
endfunction()
