#include "base/home.h"

#include <cstdlib>
#include <system_error>

namespace tacho {

Result<std::filesystem::path> tacho_home() {
  const auto set = [](const char* name) -> const char* {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
  };
  std::filesystem::path home;
  if (const char* chosen = set("TACHO_HOME")) {
    home = chosen;
  } else if (const char* xdg = set("XDG_DATA_HOME")) {
    home = std::filesystem::path(xdg) / "tacho";
  } else if (const char* user = set("HOME")) {
    home = std::filesystem::path(user) / ".local" / "share" / "tacho";
  } else {
    return Error{ErrorCode::usage,
                 "neither TACHO_HOME nor HOME is set; set TACHO_HOME to a folder"};
  }
  std::error_code error;
  auto absolute = std::filesystem::absolute(home, error);
  if (error) return Error{ErrorCode::io, home.string() + ": " + error.message()};
  return absolute.lexically_normal();
}

std::filesystem::path program_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path(".") : program.parent_path();
}

}  // namespace tacho
