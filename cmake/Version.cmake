# Writes version.cpp in every build, so that `tacho --version` prints the commit.
set(TACHO_VERSION 0.1.0)
set(TACHO_VERSION_CPP ${CMAKE_BINARY_DIR}/version.cpp)
add_custom_target(tacho_version_cpp
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${TACHO_VERSION}
          -DOUT=${TACHO_VERSION_CPP} -P ${CMAKE_SOURCE_DIR}/cmake/write_version.cmake
  BYPRODUCTS ${TACHO_VERSION_CPP})
