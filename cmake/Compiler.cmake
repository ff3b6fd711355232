# Language standard, warnings, compiler cache and linker.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

# -Wno-missing-field-initializers: designated initializers may leave out fields.
# -Wno-restrict: GCC 12 reports overlaps in std::string that do not exist (GCC bug 105651).
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;\
-Wnon-virtual-dtor;-Wno-restrict;-Wno-missing-field-initializers;-Werror>")
# GCC 13 reports copies beyond the end of std::vector<int>{n} that do not happen (GCC bug 107852).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-stringop-overflow>")
endif()
if(TACHO_SANITIZE)
  add_compile_options(-fsanitize=${TACHO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TACHO_SANITIZE})
  # Boost.Asio uses fences, which the thread sanitizer does not model: every file that includes it would warn.
  if(TACHO_SANITIZE MATCHES thread)
    add_compile_options(-Wno-tsan)
  endif()
endif()
