#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "advise/instance.h"
#include "base/result.h"

namespace tacho {

// Which instances to show or to choose from. Empty lists let everything through.
struct InstanceFilter {
  std::vector<std::string> clouds = {};
  std::vector<std::string> gpus = {};  // whole names or their beginnings: "A100" is every A100
  std::vector<std::string> regions = {};
};

// What can be rented, and the machines one owns. Prices come with Tacho until they are updated;
// both kinds then lie in $TACHO_HOME/catalog.
class Catalog {
 public:
  explicit Catalog(const std::filesystem::path& home) : folder_(home / "catalog") {}

  // Own machines first.
  [[nodiscard]] Result<std::vector<Instance>> instances() const;
  // A name that matches nothing at all is an error with the nearest one.
  static Result<std::vector<Instance>> filtered(std::vector<Instance> instances,
                                                const InstanceFilter& filter);

  // Takes a file of the same form as the only prices from now on; answers how many there are.
  // What is wrong with it leaves everything as it was.
  [[nodiscard]] Result<std::size_t> update(const std::filesystem::path& file) const;
  // The built-in prices again.
  [[nodiscard]] Result<void> forget_update() const;

  // Adds an own machine, or replaces the one of its name.
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
