#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// What stands in place of a secret.
inline constexpr std::string_view kMasked = "***";

// Whether a value under this name is to be kept to oneself: "--api-key", "HF_TOKEN",
// "db.password". "--pad-token" and "--sort-key" are not.
bool names_a_secret(std::string_view name);

// A command's words, or any text, with what looks like secrets masked: values of options and
// variables with such names, what stands for the user in a URL, what follows "Authorization:". What
// has no name that tells (a token alone) is not recognised.
std::vector<std::string> without_secrets(std::vector<std::string> words);
std::string without_secrets(std::string_view text);

}  // namespace tacho
