#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tacho::infer {

// Entries of a cache that others can write to. Each is signed for its name, so that one who lacks
// `key` can neither make an entry nor put one in another's place.
std::string seal_entry(std::string_view key, std::string_view name, std::string_view content);

// The content; nothing where the signature is not that of `key` and `name`.
std::optional<std::string_view> open_entry(std::string_view key, std::string_view name,
                                           std::string_view entry);

}  // namespace tacho::infer
