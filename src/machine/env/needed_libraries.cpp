#include "machine/env/needed_libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/split.h"
#include "base/subprocess.h"
#include "base/terminal.h"

namespace tacho {
namespace {

constexpr std::chrono::minutes kLongestLdd{2};
constexpr std::string_view kArrow = " => ";

bool is_loader(std::string_view path) {
  return std::filesystem::path(path).filename().string().starts_with("ld-");
}

}  // namespace

Result<NeededLibraries> parse_needed_libraries(std::string_view ldd_output) {
  NeededLibraries needed;
  std::map<std::string, std::string> files;
  for (std::string_view line : lines_of(ldd_output)) {
    if (!line.starts_with('\t')) continue;  // name of a program, if there are several
    line.remove_prefix(1);
    if (line.ends_with("=> not found")) {
      return Error{ErrorCode::unavailable,
                   fmt::format("library {} is not on this machine; install its package",
                               printable(line.substr(0, line.find(' '))))};
    }
    line = line.substr(0, line.rfind(" (0x"));
    const auto arrow = line.find(kArrow);
    if (arrow != std::string::npos) {
      files[std::string(line.substr(0, arrow))] = line.substr(arrow + kArrow.size());
    } else if (line.starts_with('/') && is_loader(line)) {
      needed.loader = line;
    }
  }
  if (needed.loader.empty()) {
    return Error{ErrorCode::failed, "ldd names no dynamic loader for these programs"};
  }
  for (auto& [name, file] : files) {
    if (file.starts_with('/') && !is_loader(file)) needed.libraries.push_back({name, file});
  }
  return needed;
}

Result<NeededLibraries> find_needed_libraries(const std::vector<std::filesystem::path>& programs) {
  Command command{.argv = {"ldd"}, .environment = {{"LC_ALL", "C"}}};
  for (const auto& program : programs) {
    // Linked statically, which is an error for ldd.
    if (program.filename() != "tacho-enter") command.argv.push_back(program.string());
  }
  TACHO_TRY(ldd, capture(command, kLongestLdd).in("the libraries of Tacho's programs"));
  if (!ldd.status.success()) {
    return Error{ErrorCode::failed, "ldd: " + printable(ldd.err.substr(0, ldd.err.find('\n')))};
  }
  return parse_needed_libraries(ldd.out).in("the libraries of Tacho's programs");
}

bool is_of_c_library(std::string_view library_name) {
  constexpr std::array<std::string_view, 12> kParts = {
      "libc.so.",   "libm.so.",    "libmvec.so.",  "libpthread.so.",
      "libdl.so.",  "librt.so.",   "libutil.so.",  "libresolv.so.",
      "libanl.so.", "libnsl.so.1", "libnss_files", "libnss_dns"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return library_name.starts_with(part); });
}

}  // namespace tacho
