# All external libraries. script/bootstrap installs them.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
find_package(benchmark REQUIRED)

# The static library, so that programs run on machines without utf8proc. script/fetch-gpu-deps puts it
# into .cache/deps for machines without package manager.
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h PATHS ${CMAKE_SOURCE_DIR}/.cache/deps/usr/include)
find_library(UTF8PROC_LIBRARY NAMES libutf8proc.a utf8proc
  PATHS ${CMAKE_SOURCE_DIR}/.cache/deps/usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
if(NOT UTF8PROC_INCLUDE_DIR OR NOT UTF8PROC_LIBRARY)
  message(FATAL_ERROR "utf8proc is missing: run apt-get install libutf8proc-dev, or copy the folder "
                      ".cache/deps that script/fetch-gpu-deps makes")
endif()
add_library(utf8proc::utf8proc UNKNOWN IMPORTED)
set_target_properties(utf8proc::utf8proc PROPERTIES
  IMPORTED_LOCATION ${UTF8PROC_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${UTF8PROC_INCLUDE_DIR})

if(NOT TACHO_PARTS STREQUAL "worker")
  if(TACHO_CUDA)  # other builds use installed packages; .cache/deps may have another architecture
    list(APPEND CMAKE_PREFIX_PATH ${CMAKE_SOURCE_DIR}/.cache/deps/usr)
  endif()
  find_package(SQLite3 REQUIRED)
  find_package(CLI11 REQUIRED)
endif()
# Asio and Beast, headers only.
find_package(Boost REQUIRED)
# Without OpenSSL, a served model cannot use a Redis cache over TLS.
if(TACHO_PARTS STREQUAL "all")
  find_package(OpenSSL REQUIRED)
else()
  find_package(OpenSSL)
endif()
# For a library that only some programs of a folder need.
set(CMAKE_LINK_LIBRARY_USING_where_needed
  "LINKER:--push-state,--as-needed" "<LINK_ITEM>" "LINKER:--pop-state")
set(CMAKE_LINK_LIBRARY_USING_where_needed_SUPPORTED ON)
if(TACHO_PARTS STREQUAL "all")
  find_package(LibArchive REQUIRED)
  # To read archives: the static library, if what it needs is here. The shared one, which can also write,
  # loads libxml2 and with it 30 MB of ICU data, for formats that Tacho does not read.
  add_library(tacho_read_archive INTERFACE)
  find_library(ARCHIVE_STATIC libarchive.a)
  foreach(needed nettle lzma zstd bz2)
    find_library(ARCHIVE_NEEDS_${needed} ${needed})
    list(APPEND archive_needs ${ARCHIVE_NEEDS_${needed}})
  endforeach()
  if(ARCHIVE_STATIC AND NOT archive_needs MATCHES "NOTFOUND")
    target_link_libraries(tacho_read_archive INTERFACE ${ARCHIVE_STATIC} ${archive_needs} ZLIB::ZLIB)
  else()
    target_link_libraries(tacho_read_archive INTERFACE LibArchive::LibArchive)
  endif()
  find_package(Protobuf REQUIRED)
  find_library(MATIO_LIBRARY matio REQUIRED)
endif()

if(TACHO_TORCH)
  if(TACHO_TORCH_FROM_PYTHON)
    execute_process(
      COMMAND python3 -c "import torch; print(torch.utils.cmake_prefix_path)"
      OUTPUT_VARIABLE torch_prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "python3 cannot import torch: install PyTorch for python3, "
                          "or build with the release preset, which uses Debian's libtorch-dev")
    endif()
    list(PREPEND CMAKE_PREFIX_PATH ${torch_prefix})
  endif()
  find_package(Torch REQUIRED)
  # SYSTEM, so that its headers cause no warnings. Its flags, such as the ABI, apply only to targets that
  # include it.
  add_library(tacho_torch INTERFACE)
  target_include_directories(tacho_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  # stdc++ first: pip's libtorch exports parts of an older C++ library (such as
  # std::filesystem::remove_all, which crashes), and symbols are taken from the first library.
  target_link_libraries(tacho_torch INTERFACE stdc++ ${TORCH_LIBRARIES})
  # pip's torch includes Gloo, but not the Gloo headers that torch's headers include.
  if(TACHO_TORCH_FROM_PYTHON)
    find_path(GLOO_INCLUDE_DIR gloo/transport/device.h PATHS ${CMAKE_SOURCE_DIR}/.cache/deps/usr/include)
    if(GLOO_INCLUDE_DIR)
      target_include_directories(tacho_torch SYSTEM INTERFACE ${GLOO_INCLUDE_DIR})
    endif()
  endif()
  # pip's torch has newer fmt headers than the installed library: targets that see them use fmt as a
  # header-only library. The versions do not conflict, since each has its own namespace.
  foreach(dir IN LISTS TORCH_INCLUDE_DIRS)
    if(EXISTS ${dir}/fmt/format.h AND NOT dir MATCHES "^/usr/include")
      target_compile_definitions(tacho_torch INTERFACE FMT_HEADER_ONLY)
    endif()
  endforeach()
  separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
  target_compile_options(tacho_torch INTERFACE ${torch_flags})
endif()
