# One library per folder of src/, with the folders that it may include. Folders are in groups:
# src/core/store is the folder `store` of the group `core`.
#
# Headers are included as "core/store/run_store.h". Each target adds an include directory with only
# its own folder in it, so including a folder that is not in MAY_INCLUDE does not compile.

# A folder may include folders of its own group and of groups before it.
set(TACHO_GROUPS
  base core machine microbench tracing training predict experiments serving programs cli)

function(tacho_folders)
  foreach(folder IN LISTS ARGN)
    add_subdirectory(${CMAKE_SOURCE_DIR}/src/${folder} ${CMAKE_BINARY_DIR}/src/${folder})
  endforeach()
endfunction()

# tacho_folder(NAME core/store SOURCES … TESTS … MAY_INCLUDE base record LIBRARIES SQLite::SQLite3)
function(tacho_folder)
  cmake_parse_arguments(FOLDER "" "NAME" "SOURCES;TESTS;MAY_INCLUDE;LIBRARIES" ${ARGN})
  get_filename_component(leaf ${FOLDER_NAME} NAME)
  set(target tacho_${leaf})
  add_library(${target} STATIC ${FOLDER_SOURCES})
  tacho_may_include(${target} ${FOLDER_NAME} ${FOLDER_MAY_INCLUDE})
  target_link_libraries(${target} PUBLIC ${FOLDER_LIBRARIES})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)

  if(FOLDER_TESTS)
    add_executable(${leaf}_test ${FOLDER_TESTS})
    target_link_libraries(${leaf}_test PRIVATE ${target} GTest::gmock_main)
    set_target_properties(${leaf}_test PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test-bin)
    add_test(NAME ${leaf} COMMAND ${leaf}_test)
    # The longest takes about two minutes on two idle cores, and much longer beside other programs.
    set_tests_properties(${leaf} PROPERTIES LABELS unit TIMEOUT 1500)
  endif()
endfunction()

# Lets a target include its own folder and the given ones, and links their libraries.
function(tacho_may_include target folder)
  get_filename_component(leaf ${folder} NAME)
  set(view ${CMAKE_BINARY_DIR}/include/${leaf})
  get_filename_component(parent ${view}/${folder} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${folder} ${view}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${view})

  string(REGEX MATCH "^[^/]+" group ${folder})
  list(FIND TACHO_GROUPS ${group} place)
  if(place EQUAL -1)
    message(FATAL_ERROR "src/${folder}: add the group ${group} to TACHO_GROUPS")
  endif()
  set_target_properties(${target} PROPERTIES TACHO_PLACE ${place})
  foreach(other IN LISTS ARGN)
    if(NOT TARGET tacho_${other})
      message(FATAL_ERROR "src/${folder}: MAY_INCLUDE names ${other}, which is not a folder before it")
    endif()
    get_target_property(other_place tacho_${other} TACHO_PLACE)
    if(other_place GREATER place)
      list(GET TACHO_GROUPS ${other_place} other_group)
      message(FATAL_ERROR
        "src/${folder}: ${group} may not include ${other_group}/${other}, which is in a later group")
    endif()
    target_link_libraries(${target} PUBLIC tacho_${other})
  endforeach()
endfunction()

# Makes a program use the libraries in ../lib/tacho, as in an image, before those of the system, also
# for the libraries that it loads: DT_RPATH, since DT_RUNPATH is not inherited. Has no effect if that
# folder is missing, as in a build.
function(tacho_carries_libraries program)
  set_property(TARGET ${program} APPEND PROPERTY BUILD_RPATH "$ORIGIN/../lib/tacho")
  target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
endfunction()
