#include "core/store/stored_folder.h"

#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <system_error>

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Returns `folder` relative to `home`; empty if it is not below it.
fs::path below(const fs::path& home, const fs::path& folder) {
  const auto [end, behind] = std::mismatch(home.begin(), home.end(), folder.begin(), folder.end());
  fs::path rest;
  if (end != home.end()) return rest;
  for (auto name = behind; name != folder.end(); ++name) rest /= *name;
  return rest;
}

std::string text_of(sqlite3_value* value) {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  return bytes == nullptr
             ? ""
             : std::string(bytes, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

void stored_folder_of_row(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto& home = *static_cast<const fs::path*>(sqlite3_user_data(context));
  const fs::path folder = text_of(values[0]);
  std::string stored = stored_folder(home, folder);
  const fs::path own = fs::path("runs") / text_of(values[1]);
  std::error_code unreadable;
  const bool moved = fs::path(stored).is_absolute() && folder.filename() == own.filename() &&
                     folder.parent_path().filename() == "runs" && !fs::exists(folder, unreadable) &&
                     fs::exists(home / own, unreadable);
  if (moved) stored = own.string();
  sqlite3_result_text(context, stored.data(), static_cast<int>(stored.size()), SQLITE_TRANSIENT);
}

}  // namespace

std::string stored_folder(const fs::path& home, const fs::path& folder) {
  if (const fs::path rest = below(home, folder); !rest.empty()) return rest.string();
  // The home may be a link.
  std::error_code unreadable;
  const fs::path true_home = fs::canonical(home, unreadable);
  if (unreadable) return folder.string();
  const fs::path true_folder = fs::weakly_canonical(folder, unreadable);
  const fs::path rest = unreadable ? fs::path() : below(true_home, true_folder);
  return rest.empty() ? folder.string() : rest.string();
}

fs::path resolved_folder(const fs::path& home, std::string_view stored) {
  return stored.starts_with('/') ? fs::path(stored) : home / stored;
}

int define_stored_folder(sqlite3* database, const fs::path& home) {
  auto own = std::make_unique<fs::path>(home);
  return sqlite3_create_function_v2(database, "stored_folder", 2, SQLITE_UTF8, own.release(),
                                    stored_folder_of_row, nullptr, nullptr,
                                    [](void* path) { delete static_cast<fs::path*>(path); });
}

}  // namespace tacho
