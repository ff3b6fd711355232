#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "base/yaml.h"

namespace tacho {

// These functions convert a scalar; errors contain its position.
Result<std::int64_t> yaml_whole(const YamlNode& node, std::string_view file);
Result<double> yaml_number(const YamlNode& node, std::string_view file);
Result<Seconds> yaml_duration(const YamlNode& node, std::string_view file);  // as parse_duration()
Result<Bytes> yaml_bytes(const YamlNode& node, std::string_view file);       // as parse_bytes()

// Reads one map strictly, as JsonObject does: wrong types and unknown keys are errors that contain
// the position and the nearest known key. Keeps the first error.
class YamlObject {
 public:
  YamlObject(const YamlNode& node, std::string_view file);

  // Leaves `out` unchanged if the key is absent.
  void read(std::string_view key, std::string& out);
  void read(std::string_view key, std::optional<std::int64_t>& out);
  void read(std::string_view key, std::optional<double>& out);
  void read(std::string_view key, std::optional<Seconds>& out);
  void read(std::string_view key, std::optional<Bytes>& out);

  // Reads an enumerator by its name in a Names table.
  template <class NamesTable, class Enum>
  void read_name(std::string_view key, const NamesTable& names, Enum& out) {
    std::string word;
    read(key, word);
    const YamlNode* at = find(key);
    if (error_ || at == nullptr) return;
    const auto parsed = names.parse(word);
    if (parsed.ok()) {
      out = *parsed;
    } else {
      fail(*at, parsed.error().message);
    }
  }

  // Returns a value that the caller reads itself; nullptr if it is absent.
  const YamlNode* part(std::string_view key) { return find(key); }

  // Returns the first error of all reads, or names an unknown key.
  Result<void> finish();

 private:
  const YamlNode* find(std::string_view key);
  void fail(const YamlNode& at, std::string_view what);
  template <class T, class Read>
  void field(std::string_view key, T& out, Read parse);

  const YamlNode& node_;
  std::string file_;
  std::set<std::string, std::less<>> asked_;
  std::optional<Error> error_;
};

}  // namespace tacho
