#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "predict/rent/instance.h"

namespace tacho {

// Selects instances. Empty lists match everything.
struct InstanceFilter {
  std::vector<std::string> clouds = {};
  // Names or their beginnings: "A100" selects every A100, "L4" only the L4 and not the L40.
  std::vector<std::string> gpus = {};
  std::vector<std::string> regions = {};
};

// Returns the machine without a GPU that has this name; several regions have the same.
Result<Instance> instance_without_gpu(const std::vector<Instance>& instances,
                                      const std::string& name);

// Instances for rent and own machines. Prices come with Tacho until they are updated; updates and
// own machines are in $TACHO_HOME/catalog.
class Catalog {
 public:
  explicit Catalog(const std::filesystem::path& home) : folder_(home / "catalog") {}

  // Returns own machines first.
  [[nodiscard]] Result<std::vector<Instance>> instances() const;
  // A name without a match is an error that suggests the nearest one.
  static Result<std::vector<Instance>> filtered(std::vector<Instance> instances,
                                                const InstanceFilter& filter);

  // Replaces all prices by those of a file with the same columns and returns their number. An
  // invalid file changes nothing.
  [[nodiscard]] Result<std::size_t> update(const std::filesystem::path& file) const;
  // Restores the built-in prices.
  [[nodiscard]] Result<void> forget_update() const;

  // Adds or replaces an own machine.
  [[nodiscard]] Result<void> add_machine(Instance machine) const;
  [[nodiscard]] Result<void> remove_machine(const std::string& name) const;

 private:
  [[nodiscard]] Result<std::vector<Instance>> machines() const;
  [[nodiscard]] Result<void> write_machines(const std::vector<Instance>& machines) const;
  [[nodiscard]] std::filesystem::path prices_file() const { return folder_ / "instances.csv"; }
  [[nodiscard]] std::filesystem::path machines_file() const { return folder_ / "machines.csv"; }

  std::filesystem::path folder_;
};

}  // namespace tacho
