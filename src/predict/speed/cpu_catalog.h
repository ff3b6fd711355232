#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/host.h"
#include "predict/speed/cpu_cost.h"

namespace tacho {

// Nominal rates of CPUs: floating-point operations per cycle and base clock.
class CpuCatalog {
 public:
  // Strict: requires the columns of data/catalog/cpus.csv.
  static Result<CpuCatalog> parse(std::string_view csv);

  // A machine for rent, by the pattern of its name; nothing if its CPU is unknown.
  [[nodiscard]] std::optional<CpuMachine> of_instance(const std::string& name, double vcpus) const;
  // This machine, by the name of its CPU, else by its vector unit ("avx512"); nothing if both are
  // unknown.
  [[nodiscard]] std::optional<CpuMachine> of_host(const Host& host,
                                                  const std::string& vector_unit) const;

 private:
  struct Row {
    std::string kind;     // "instance", "cpu", "unit"
    std::string pattern;  // as of a shell
    std::string cpu;
    double flops_per_cycle = 0;
    double ghz = 0;
    double threads_per_core = 0;
  };
  [[nodiscard]] const Row* find(std::string_view kind, const std::string& name) const;

  std::vector<Row> rows_;
};

}  // namespace tacho
