#include "predict/rent/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/nearest.h"
#include "predict/rent/published_instances_csv.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         same_letters(text.substr(0, beginning.size()), beginning);
}

using Match = bool (*)(std::string_view, std::string_view);

// Returns the first of `words` that matches no instance, or nullptr.
const std::string* without_match(const std::vector<Instance>& instances,
                                 const std::vector<std::string>& words,
                                 std::string Instance::*field, Match match) {
  const auto found = std::ranges::find_if(words, [&](const std::string& word) {
    return std::ranges::none_of(instances,
                                [&](const Instance& one) { return match(one.*field, word); });
  });
  return found == words.end() ? nullptr : &*found;
}

bool is_or_continues(std::string_view name, std::string_view word) {
  return begins_with(name, word) && (name.size() == word.size() || name[word.size()] == '-');
}

// Returns the narrowest match with a result: "L4" is the L4, "A100" every A100-…, "RTX" a prefix.
Match match_of_gpu(const std::vector<Instance>& instances, const std::string& word) {
  for (const Match match : {Match(same_letters), Match(is_or_continues)}) {
    if (without_match(instances, {word}, &Instance::gpu, match) == nullptr) return match;
  }
  return begins_with;
}

// Keeps instances that match one of `words`; a word without a match is an error.
Result<void> keep(std::vector<Instance>& instances, const std::vector<std::string>& words,
                  std::string_view kind, std::string Instance::*field, Match match) {
  if (words.empty()) return {};
  if (const std::string* word = without_match(instances, words, field, match)) {
    std::set<std::string_view> known;
    for (const Instance& one : instances) {
      if (!(one.*field).empty()) known.insert(one.*field);
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    return Error{ErrorCode::usage, unknown_name(kind, *word, names)};
  }
  std::erase_if(instances, [&](const Instance& one) {
    return std::ranges::none_of(words, [&](const auto& word) { return match(one.*field, word); });
  });
  return {};
}

}  // namespace

Result<Instance> instance_without_gpu(const std::vector<Instance>& instances,
                                      const std::string& name) {
  std::set<std::string_view> known;
  for (const Instance& one : instances) {
    if (same_letters(one.name, name)) {
      if (one.gpus == 0) return one;
      return Error{ErrorCode::usage, fmt::format("{} has a GPU; use --gpu {}", one.name, one.gpu)};
    }
    if (one.gpus == 0) known.insert(one.name);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  return Error{ErrorCode::usage, unknown_name("machine", name, names)};
}

Result<std::vector<Instance>> Catalog::instances() const {
  TACHO_TRY(all, machines());
  std::string csv(kPublishedInstancesCsv);
  std::string place = "built-in prices";
  if (fs::exists(prices_file())) {
    TACHO_TRY(updated, read_file(prices_file()));
    csv = std::move(updated);
    place = prices_file().string();
  }
  TACHO_TRY(prices, read_instances(csv).in(place));
  all.insert(all.end(), prices.begin(), prices.end());
  return std::move(all);
}

Result<std::vector<Instance>> Catalog::filtered(std::vector<Instance> instances,
                                                const InstanceFilter& filter) {
  const std::string* cloud =
      without_match(instances, filter.clouds, &Instance::cloud, same_letters);
  if (cloud != nullptr && same_letters(*cloud, kOwnCloud)) {
    return Error{ErrorCode::usage,
                 "no own machine in the catalog; add this one with 'tacho catalog add-machine "
                 "here --price DOLLARS_PER_HOUR'"};
  }
  TACHO_CHECK(keep(instances, filter.clouds, "cloud", &Instance::cloud, same_letters));
  TACHO_CHECK(keep(instances, filter.regions, "region", &Instance::region, same_letters));
  TACHO_CHECK(keep(instances, filter.gpus, "GPU", &Instance::gpu, begins_with));
  if (filter.gpus.empty()) return instances;
  std::vector<std::pair<std::string_view, Match>> words;
  for (const std::string& word : filter.gpus) {
    words.emplace_back(word, match_of_gpu(instances, word));
  }
  std::erase_if(instances, [&](const Instance& one) {
    return std::ranges::none_of(words,
                                [&](const auto& word) { return word.second(one.gpu, word.first); });
  });
  return instances;
}

Result<std::size_t> Catalog::update(const fs::path& file) const {
  TACHO_TRY(csv, read_file(file));
  TACHO_TRY(instances, read_instances(csv).in(file.string()));
  if (instances.empty()) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: contains no instance; the prices are unchanged", file.string())};
  }
  for (const Instance& one : instances) {
    if (one.cloud == kOwnCloud) {
      return Error{ErrorCode::invalid,
                   fmt::format("{}: {} has the cloud 'own', which is for own machines; add it with "
                               "'tacho catalog add-machine'",
                               file.string(), one.name)};
    }
  }
  TACHO_CHECK(make_folders(folder_));
  TACHO_CHECK(write_file_atomically(prices_file(), instances_csv(instances)));
  return instances.size();
}

Result<void> Catalog::forget_update() const {
  std::error_code problem;
  fs::remove(prices_file(), problem);
  if (problem) return system_error(prices_file(), problem.value());
  return {};
}

Result<std::vector<Instance>> Catalog::machines() const {
  if (!fs::exists(machines_file())) return std::vector<Instance>{};
  TACHO_TRY(csv, read_file(machines_file()));
  return read_instances(csv).in(machines_file().string());
}

Result<void> Catalog::write_machines(const std::vector<Instance>& machines) const {
  TACHO_CHECK(make_folders(folder_));
  return write_file_atomically(machines_file(), instances_csv(machines));
}

Result<void> Catalog::add_machine(Instance machine) const {
  machine.cloud = kOwnCloud;
  TACHO_CHECK(check(machine));
  TACHO_TRY(all, machines());
  std::erase_if(all, [&](const Instance& one) { return one.name == machine.name; });
  all.push_back(std::move(machine));
  return write_machines(all);
}

Result<void> Catalog::remove_machine(const std::string& name) const {
  TACHO_TRY(all, machines());
  std::vector<std::string> names;
  for (const Instance& one : all) names.push_back(one.name);
  if (std::erase_if(all, [&](const Instance& one) { return one.name == name; }) == 0) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    return Error{ErrorCode::not_found, unknown_name("machine", name, known)};
  }
  return write_machines(all);
}

}  // namespace tacho
