#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "bandwidth/lab_record.h"

namespace tacho::bandwidth {

// Surveys under Tacho's home, a file each: lab/KEY.json. Never changed once written.
class Shelf {
 public:
  explicit Shelf(const std::filesystem::path& home) : folder_(home / "lab") {}

  Result<void> put(const LabRecord& record) const;
  // Keys in the order of time.
  [[nodiscard]] std::vector<std::string> keys() const;
  // `name`: "last", a key, or a beginning that only one key has.
  [[nodiscard]] Result<LabRecord> find(std::string_view name) const;
  [[nodiscard]] Result<LabRecord> read(std::string_view key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace tacho::bandwidth
