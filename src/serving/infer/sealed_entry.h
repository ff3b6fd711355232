#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tacho::infer {

// Signs entries of a cache that others can write to. The signature covers the name, so that without
// `key` an entry can neither be forged nor moved to another name.
std::string seal_entry(std::string_view key, std::string_view name, std::string_view content);

// Returns the content, or nothing if the signature does not match `key` and `name`.
std::optional<std::string_view> open_entry(std::string_view key, std::string_view name,
                                           std::string_view entry);

}  // namespace tacho::infer
