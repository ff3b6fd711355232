# Writes a source file that embeds the files under WEB and the OpenAPI description.
file(GLOB_RECURSE files RELATIVE ${WEB} ${WEB}/*.html ${WEB}/*.js ${WEB}/*.css ${WEB}/*.svg)
list(SORT files)
set(symbols "")
set(entries "")
set(count 0)
macro(embed name path)
  string(APPEND symbols "TACHO_EMBED(${name}, \"${path}\")\n")
endmacro()
embed(api ${API})
foreach(file IN LISTS files)
  embed(file${count} ${WEB}/${file})
  embed(zipped${count} ${WEB}/${file}.gz)
  string(APPEND entries "    PageFile{\"${file}\", bytes(file${count}_begin, file${count}_end),\n"
                        "             bytes(zipped${count}_begin, zipped${count}_end)},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "// Made by cmake/write_page_files.cmake.
#include <array>

#include \"serving/dashboard/pages.h\"

#define TACHO_EMBED(name, path)                                                       \\
  __asm__(\".section .rodata\\n.global \" #name \"_begin\\n.global \" #name \"_end\\n\" #name \\
          \"_begin:\\n.incbin \\\"\" path \"\\\"\\n\" #name \"_end:\\n.byte 0\\n.previous\\n\");    \\
  extern \"C\" const char name##_begin[];                                               \\
  extern \"C\" const char name##_end[];

${symbols}
namespace tacho::serve {
namespace {

std::string_view bytes(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::span<const PageFile> page_files() {
  static const std::array<PageFile, ${count}> files = {
${entries}  };
  return files;
}

std::string_view openapi_text() { return bytes(api_begin, api_end); }

}  // namespace tacho::serve
")
