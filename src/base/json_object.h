#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

using Json = nlohmann::ordered_json;

// Never throws; the error names the byte where the text stops being JSON.
Result<Json> parse_json(std::string_view text);

// Never throws: bytes that are not UTF-8 (a path may contain any) become U+FFFD.
std::string json_text(const Json& value, int indent = -1);

// Reads one JSON object strictly: wrong types, missing and unknown keys are errors that name the
// key and the nearest known one. Keeps the first error, so that a reader is a list of read() calls
// with one finish() at the end.
class JsonObject {
 public:
  JsonObject(const Json& value, std::string place);

  void read(std::string_view key, std::string& out) { field(key, out, true); }
  void read(std::string_view key, bool& out) { field(key, out, true); }
  void read(std::string_view key, std::int64_t& out) { field(key, out, true); }
  void read(std::string_view key, double& out) { field(key, out, true); }
  void read(std::string_view key, std::vector<double>& out) { field(key, out, true); }
  void read(std::string_view key, std::vector<std::int64_t>& out) { field(key, out, true); }
  void read(std::string_view key, std::vector<std::string>& out) { field(key, out, true); }

  // Leaves `out` unchanged if the key is absent or null.
  template <class T>
  void read_optional(std::string_view key, T& out) {
    field(key, out, false);
  }
  template <class T>
  void read_optional(std::string_view key, std::optional<T>& out) {
    const Json* value = find(key, false);
    if (value == nullptr) return;
    T inner{};
    field(key, inner, false);
    if (!error_) out = std::move(inner);
  }

  // Reads an enumerator by its name in a Names table.
  template <class NamesTable, class Enum>
  void read_name(std::string_view key, const NamesTable& names, Enum& out) {
    std::string word;
    read(key, word);
    if (error_) return;
    auto parsed = names.parse(word);
    if (parsed.ok()) {
      out = *parsed;
    } else {
      fail(key, parsed.error().message);
    }
  }

  template <class NamesTable, class Enum>
  void read_optional_name(std::string_view key, const NamesTable& names, Enum& out) {
    if (find(key, false) != nullptr) read_name(key, names, out);
  }

  // Returns a value that the caller reads itself; nullptr if it is absent and not required.
  const Json* part(std::string_view key, bool required = true) { return find(key, required); }

  // Keeps the error of a value that the caller read itself.
  void fail(std::string_view key, const std::string& what);
  void keep(const Result<void>& read);

  [[nodiscard]] const std::string& place() const { return place_; }

  // Returns the first error of all reads, or names an unknown key.
  Result<void> finish();

 private:
  const Json* find(std::string_view key, bool required);
  void field(std::string_view key, std::string& out, bool required);
  void field(std::string_view key, bool& out, bool required);
  void field(std::string_view key, std::int64_t& out, bool required);
  void field(std::string_view key, double& out, bool required);
  void field(std::string_view key, std::vector<double>& out, bool required);
  void field(std::string_view key, std::vector<std::int64_t>& out, bool required);
  void field(std::string_view key, std::vector<std::string>& out, bool required);
  template <class T, class Convert>
  void list(std::string_view key, std::vector<T>& out, bool required, const Convert& convert,
            const char* what);

  const Json& object_;
  std::string place_;
  std::set<std::string, std::less<>> asked_;
  std::optional<Error> error_;
};

}  // namespace tacho
