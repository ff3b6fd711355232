#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// The replacement of a secret.
inline constexpr std::string_view kMasked = "***";

// Returns true if values with this name are secret: "--api-key", "HF_TOKEN", "db.password", but not
// "--pad-token" or "--sort-key".
bool names_a_secret(std::string_view name);

// Masks secrets in a command or in any text: values of options and variables with secret names, the
// user and password in a URL, and the text after "Authorization:". Secrets without such a name (a
// token alone) are not recognised.
std::vector<std::string> without_secrets(std::vector<std::string> words);
std::string without_secrets(std::string_view text);

}  // namespace tacho
