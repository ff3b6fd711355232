#include "predict/speed/cpu_catalog.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/csv_table.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 8> kCpuColumns = {
    "kind", "pattern",          "cpu",   "vector_unit", "flops_per_cycle",
    "ghz",  "threads_per_core", "source"};
// Assumed: a large matrix product reaches this share of the nominal rate, which depends on the
// clock under load and on whether the BLAS knows the CPU. Tacho has measured 0.84 on a Neoverse-N1
// and 0.27 on a Xeon with AVX-512.
constexpr double kShareOfNominal = 0.5;
const double kKnownReach = std::log(2.0);
const double kUnknownReach = std::log(2.5);

}  // namespace

Result<CpuCatalog> CpuCatalog::parse(std::string_view csv) {
  TACHO_TRY(table, CsvTable::parse(csv, kCpuColumns));
  CpuCatalog out;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    CsvRow reader(table, i);
    Row row;
    reader.read("kind", row.kind);
    reader.read("pattern", row.pattern);
    reader.read("cpu", row.cpu);
    reader.read("flops_per_cycle", row.flops_per_cycle);
    reader.read("ghz", row.ghz);
    reader.read("threads_per_core", row.threads_per_core);
    if (!(row.ghz > 0 && row.flops_per_cycle > 0 && row.threads_per_core >= 1)) {
      reader.refuse("ghz", "and flops_per_cycle must be positive, threads_per_core at least 1");
    }
    TACHO_CHECK(reader.finish());
    out.rows_.push_back(std::move(row));
  }
  return out;
}

const CpuCatalog::Row* CpuCatalog::find(std::string_view kind, const std::string& name) const {
  const auto at = std::ranges::find_if(rows_, [&](const Row& row) {
    return row.kind == kind && ::fnmatch(row.pattern.c_str(), name.c_str(), 0) == 0;
  });
  return at == rows_.end() ? nullptr : &*at;
}

std::optional<CpuMachine> CpuCatalog::of_instance(const std::string& name, double vcpus) const {
  const Row* row = find("instance", name);
  if (row == nullptr) return std::nullopt;
  return CpuMachine{.name = name,
                    .cores = std::max(1.0, vcpus / row->threads_per_core),
                    .nominal_gflops = row->flops_per_cycle * row->ghz,
                    .product_gflops = kShareOfNominal * row->flops_per_cycle * row->ghz,
                    .rate_reach = kKnownReach,
                    .rate_basis = "assumed for " + row->cpu};
}

std::optional<CpuMachine> CpuCatalog::of_host(const Host& host,
                                              const std::string& vector_unit) const {
  const Row* named = find("cpu", host.cpu);
  const Row* row = named != nullptr ? named : find("unit", vector_unit);
  if (row == nullptr) return std::nullopt;
  const double ghz = named == nullptr && host.cpu_mhz > 0 ? host.cpu_mhz * 1e-3 : row->ghz;
  return CpuMachine{.name = host.cpu,
                    .cores = static_cast<double>(std::max<std::int64_t>(1, host.cores)),
                    .nominal_gflops = row->flops_per_cycle * ghz,
                    .product_gflops = kShareOfNominal * row->flops_per_cycle * ghz,
                    .rate_reach = named != nullptr ? kKnownReach : kUnknownReach,
                    .rate_basis = "assumed for " + row->cpu};
}

}  // namespace tacho
