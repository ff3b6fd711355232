#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "bandwidth/survey.h"

namespace tacho::bandwidth {

// Surveys under Tacho's home, a file each: lab/KEY.json. Never changed once written.
class Shelf {
 public:
  explicit Shelf(const std::filesystem::path& home) : folder_(home / "lab") {}

  [[nodiscard]] std::filesystem::path file_of(const Survey& survey) const {
    return folder_ / (survey.key + ".json");
  }
  Result<void> put(const Survey& survey) const;
  // Keys in the order of time.
  [[nodiscard]] std::vector<std::string> keys() const;
  // `name`: "last", a key, or a beginning that only one key has.
  [[nodiscard]] Result<Survey> find(std::string_view name) const;
  [[nodiscard]] Result<Survey> read(std::string_view key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace tacho::bandwidth
