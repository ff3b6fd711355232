#pragma once

#include <filesystem>
#include <string>
#include <string_view>

struct sqlite3;

namespace tacho {

// Returns the path of a run's folder for the store: relative to the folder of the store's file, so
// that a home that was moved or is mounted elsewhere finds its runs. Folders outside of it stay
// absolute. `home` is absolute.
std::string stored_folder(const std::filesystem::path& home, const std::filesystem::path& folder);
// The inverse of stored_folder().
std::filesystem::path resolved_folder(const std::filesystem::path& home, std::string_view stored);

// Defines the SQL function stored_folder(folder, key) for migrating old rows. In addition, a folder
// that no longer exists is replaced by the one with the run's key in the home, if there is one.
int define_stored_folder(sqlite3* database, const std::filesystem::path& home);

}  // namespace tacho
