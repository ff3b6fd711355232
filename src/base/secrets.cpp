#include "base/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tacho {
namespace {

constexpr std::string_view kNameEnd = "-_.";
constexpr std::string_view kValueEnd = " \t\n;&|)}]\"'`,";

bool is_one_of(std::string_view word, const auto& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || kNameEnd.find(c) != kNameEnd.npos;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of(kNameEnd), name.size());
    if (end > 0) parts.push_back(lower(name.substr(0, end)));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return parts;
}

// Returns the name at the end of `text`.
std::string_view last_name(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_name_char(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Returns the length of the value at the start of `text`: up to the closing quote or a delimiter.
std::size_t value_length(std::string_view text) {
  const bool quoted = text.starts_with('"') || text.starts_with('\'');
  if (quoted) return std::min(text.find(text.front(), 1), text.size() - 1) + 1;
  return std::min(text.find_first_of(kValueEnd), text.size());
}

// Returns the length of the separator between a name and its value at the start of `text`: "=", ":
// " of YAML, quote and colon of JSON; after an option also a space, or the comma of a list. Returns
// 0 if no value follows.
std::size_t separator_length(std::string_view name, std::string_view text) {
  if (name.starts_with("--") && !text.starts_with('=')) {
    const std::size_t end = std::min(text.find_first_not_of(" ,\"'"), text.size());
    const bool separated = text.substr(0, end).find_first_of(" ,") != std::string_view::npos;
    return separated && !text.substr(end).starts_with("--") ? end : 0;
  }
  const bool quoted = text.starts_with("\":") || text.starts_with("':");
  if (!quoted && !text.starts_with(": ") && !text.starts_with('=')) return 0;
  return std::min(text.find_first_not_of(' ', quoted ? 2 : 1), text.size());
}

// Returns the length of "user:password" or "token" in a URL; `text` starts after "://".
std::size_t user_length(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("/?# \t\n\"'"), text.size());
  const std::size_t at = text.substr(0, end).rfind('@');
  return at == std::string_view::npos ? 0 : at;
}

}  // namespace

bool names_a_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kAnywhere = {
      "password",    "passwd",     "passphrase", "secret",    "secrets",
      "credentials", "credential", "apikey",     "authtoken", "accesskey"};
  static constexpr std::array<std::string_view, 12> kOfTokenizers = {
      "pad", "eos", "bos", "mask", "unk", "sep", "cls", "special", "stop", "start", "end", "per"};
  static constexpr std::array<std::string_view, 10> kBeforeKey = {
      "api", "access",     "private", "secret",  "auth",
      "ssh", "encryption", "signing", "account", "license"};
  const auto parts = parts_of(name);
  if (parts.empty()) return false;
  if (std::ranges::any_of(parts, [](const auto& part) { return is_one_of(part, kAnywhere); })) {
    return true;
  }
  const std::string_view before = parts.size() > 1 ? parts[parts.size() - 2] : std::string_view();
  if (parts.back() == "token") return !is_one_of(before, kOfTokenizers);
  if (parts.back() != "key") return parts.back() == "auth";
  const bool variable = std::ranges::none_of(
      name, [](unsigned char c) { return std::islower(c) != 0 || c == '-' || c == '.'; });
  return is_one_of(before, kBeforeKey) || (variable && parts.size() > 1);
}

std::string without_secrets(std::string_view text) {
  static constexpr std::string_view kHeader = "authorization:";
  std::string out;
  std::size_t at = 0;
  const auto mask = [&](std::size_t length) {
    if (length > 0) out += kMasked;
    at += length;
  };
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("://")) {
      out += "://";
      at += 3;
      mask(user_length(text.substr(at)));
      continue;
    }
    const bool header = (rest.front() == 'A' || rest.front() == 'a') &&
                        lower(rest.substr(0, kHeader.size())) == kHeader;
    if (header) {
      out += rest.substr(0, kHeader.size());
      at += kHeader.size();
      mask(std::min(text.substr(at).find_first_of("\"'\n"), text.size() - at));
      continue;
    }
    // Only before a possible separator, so that the time stays linear.
    const bool separates = std::string_view("=:, \"'").find(rest.front()) != std::string_view::npos;
    const std::string_view name = separates ? last_name(text.substr(0, at)) : std::string_view();
    const std::size_t separator = name.empty() ? 0 : separator_length(name, rest);
    if (separator == 0 || !names_a_secret(name)) {
      out += text[at++];
      continue;
    }
    out += rest.substr(0, separator);
    at += separator;
    mask(value_length(text.substr(at)));
  }
  return out;
}

std::vector<std::string> without_secrets(std::vector<std::string> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string& word = words[i];
    const std::size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equals);
    const bool whole = std::ranges::all_of(name, is_name_char);
    if (!whole || !names_a_secret(name)) {
      word = without_secrets(std::string_view(word));
    } else if (equals != std::string::npos) {
      if (equals + 1 < word.size()) word.replace(equals + 1, std::string::npos, kMasked);
    } else if (name.starts_with('-') && i + 1 < words.size() && !words[i + 1].starts_with("--")) {
      words[++i] = kMasked;
    }
  }
  return words;
}

}  // namespace tacho
