#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// One point of a grid: option names and values as written, in the order of the file.
class Configuration {
 public:
  using Option = std::pair<std::string, std::string>;

  Configuration() = default;
  Configuration(std::initializer_list<Option> options) : options_(options) {}

  [[nodiscard]] const std::vector<Option>& options() const { return options_; }
  [[nodiscard]] bool empty() const { return options_.empty(); }
  [[nodiscard]] const std::string* find(std::string_view name) const;
  // Keeps the position of an option that already exists.
  void set(std::string_view name, std::string value);
  // Returns true if this configuration has every option of `part`, with the same value.
  [[nodiscard]] bool has(const Configuration& part) const;
  [[nodiscard]] Configuration without(std::string_view name) const;

  bool operator==(const Configuration&) const = default;

 private:
  std::vector<Option> options_;
};

// "model=mlp batch=32", for people.
std::string to_text(const Configuration& configuration);
// Prints only the named options.
std::string to_text(const Configuration& configuration, const std::vector<std::string>& names);

// Returns the options that not all configurations have with the same value, in order of first
// appearance; for a single configuration, all of its options.
std::vector<std::string> options_that_differ(const std::vector<const Configuration*>& all);

Json to_json(const Configuration& configuration);
Result<Configuration> configuration_from_json(const Json& json);

}  // namespace tacho
