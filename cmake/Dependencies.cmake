# Every library from outside, found once. script/bootstrap installs them all.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
find_package(benchmark REQUIRED)

# Its static library, so that programs run where it is not installed. script/fetch-gpu-deps puts it
# into .cache/deps for machines on which nothing can be.
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h PATHS ${CMAKE_SOURCE_DIR}/.cache/deps/usr/include)
find_library(UTF8PROC_LIBRARY NAMES libutf8proc.a utf8proc
  PATHS ${CMAKE_SOURCE_DIR}/.cache/deps/usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
if(NOT UTF8PROC_INCLUDE_DIR OR NOT UTF8PROC_LIBRARY)
  message(FATAL_ERROR "utf8proc is missing: apt-get install libutf8proc-dev, or, where nothing can "
                      "be installed, bring the folder .cache/deps that script/fetch-gpu-deps makes")
endif()
add_library(utf8proc::utf8proc UNKNOWN IMPORTED)
set_target_properties(utf8proc::utf8proc PROPERTIES
  IMPORTED_LOCATION ${UTF8PROC_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${UTF8PROC_INCLUDE_DIR})

if(NOT TACHO_PARTS STREQUAL "worker")
  if(TACHO_CUDA)  # elsewhere it may be of another architecture, and is not what was installed
    list(APPEND CMAKE_PREFIX_PATH ${CMAKE_SOURCE_DIR}/.cache/deps/usr)
  endif()
  find_package(SQLite3 REQUIRED)
  find_package(CLI11 REQUIRED)
endif()
# Asio and Beast, headers alone. A worker without them trains, but serves no model.
if(TACHO_PARTS STREQUAL "worker")
  find_package(Boost)
else()
  find_package(Boost REQUIRED)
endif()
# Without it a model is served with no Redis behind TLS.
if(TACHO_PARTS STREQUAL "all")
  find_package(OpenSSL REQUIRED)
else()
  find_package(OpenSSL)
endif()
# For a library that some of the programs of a folder do without.
set(CMAKE_LINK_LIBRARY_USING_where_needed
  "LINKER:--push-state,--as-needed" "<LINK_ITEM>" "LINKER:--pop-state")
set(CMAKE_LINK_LIBRARY_USING_where_needed_SUPPORTED ON)
if(TACHO_PARTS STREQUAL "all")
  # Debian's package for CMake names a file that is not in it.
  find_library(XGBOOST_LIBRARY xgboost REQUIRED)
  find_package(LibArchive REQUIRED)
  find_package(Protobuf REQUIRED)
  find_library(MATIO_LIBRARY matio REQUIRED)
  find_library(MD_LIBRARY md REQUIRED)
endif()

if(TACHO_TORCH)
  if(TACHO_TORCH_FROM_PYTHON)
    execute_process(
      COMMAND python3 -c "import torch; print(torch.utils.cmake_prefix_path)"
      OUTPUT_VARIABLE torch_prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "python3 cannot import torch: install PyTorch for python3, "
                          "or build with the release preset, which takes Debian's libtorch-dev")
    endif()
    list(PREPEND CMAKE_PREFIX_PATH ${torch_prefix})
  endif()
  find_package(Torch REQUIRED)
  # Its headers are not ours to mend, and its flags (an ABI choice among them) belong to the
  # targets that include it alone.
  add_library(tacho_torch INTERFACE)
  target_include_directories(tacho_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  # stdc++ first: pip's libtorch exports parts of an older C++ library (std::filesystem's
  # remove_all among them, which crashes), and the first library on the line is asked first.
  target_link_libraries(tacho_torch INTERFACE stdc++ ${TORCH_LIBRARIES})
  # Gloo is within pip's torch, but the headers that torch's own asks for do not come with it.
  if(TACHO_TORCH_FROM_PYTHON)
    find_path(GLOO_INCLUDE_DIR gloo/transport/device.h PATHS ${CMAKE_SOURCE_DIR}/.cache/deps/usr/include)
    if(GLOO_INCLUDE_DIR)
      target_include_directories(tacho_torch SYSTEM INTERFACE ${GLOO_INCLUDE_DIR})
    endif()
  endif()
  # pip's torch brings fmt's headers along, newer than the library that is installed: where they
  # are seen, fmt is compiled in instead of linked. Versions do not clash, each has its namespace.
  foreach(dir IN LISTS TORCH_INCLUDE_DIRS)
    if(EXISTS ${dir}/fmt/format.h AND NOT dir MATCHES "^/usr/include")
      target_compile_definitions(tacho_torch INTERFACE FMT_HEADER_ONLY)
    endif()
  endforeach()
  separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  target_compile_options(tacho_torch INTERFACE ${torch_flags})
endif()
