#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "microbench/memory/survey_record.h"

namespace tacho::bandwidth {

// Stores surveys under the home, one file per survey: lab/KEY.json. Files are never changed.
class SurveyStore {
 public:
  explicit SurveyStore(const std::filesystem::path& home) : folder_(home / "lab") {}

  Result<void> put(const SurveyRecord& record) const;
  // Returns the keys, sorted by time.
  [[nodiscard]] std::vector<std::string> keys() const;
  // `name` is "last", a key, or a unique prefix of a key.
  [[nodiscard]] Result<SurveyRecord> find(std::string_view name) const;
  [[nodiscard]] Result<SurveyRecord> read(std::string_view key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace tacho::bandwidth
