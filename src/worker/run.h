#pragma once

#include <filesystem>

namespace tacho {

// Exit codes beside 0 (ended ok) and 1 (ended otherwise; the "end" event says how).
inline constexpr int kCannotStart = 2;    // no order to read, or the folder is in use
inline constexpr int kCannotReport = 74;  // EX_IOERR: the events could not be written

int run_order(const std::filesystem::path& folder);

}  // namespace tacho
