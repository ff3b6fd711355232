#pragma once

#include <filesystem>
#include <string>
#include <string_view>

struct sqlite3;

namespace tacho {

// A run's folder as the store keeps it: relative to the folder that the store's file lies in, so
// that a home which was moved or is mounted elsewhere finds its runs. What lies outside of it stays
// absolute. `home` is absolute.
std::string stored_folder(const std::filesystem::path& home, const std::filesystem::path& folder);
std::filesystem::path found_folder(const std::filesystem::path& home, std::string_view stored);

// Makes SQL's stored_folder(folder, key), for rows of before: as above, and a run's folder that is
// no longer where it was is the home's own if that has one of the run's key.
int define_stored_folder(sqlite3* database, const std::filesystem::path& home);

}  // namespace tacho
