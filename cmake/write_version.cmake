execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed AND NOT "$ENV{TACHO_COMMIT}" STREQUAL "")
  set(commit "$ENV{TACHO_COMMIT}")  # for a copy without git history
elseif(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND commit "+changes")
  endif()
endif()
set(text "#include \"base/version.h\"\n
namespace tacho {
const char* const kVersion = \"${VERSION}\";
const char* const kCommit = \"${commit}\";
}  // namespace tacho\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
