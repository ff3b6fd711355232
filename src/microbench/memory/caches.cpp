#include "microbench/memory/caches.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/file.h"

namespace tacho::bandwidth {
namespace {

namespace fs = std::filesystem;

std::string word_in(const fs::path& file) {
  const auto text = read_file(file, Bytes{1 << 16});
  return text.ok() ? text->substr(0, text->find_first_of(" \n")) : "";
}

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Parses a CPU list of the kernel, such as "0-3,8".
std::vector<int> listed(std::string_view text) {
  std::vector<int> all;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t dash = part.find('-');
    const auto first = static_cast<int>(number_in(part.substr(0, dash)));
    const int last =
        dash == std::string_view::npos ? first : static_cast<int>(number_in(part.substr(dash + 1)));
    for (int cpu = first; cpu <= last; ++cpu) all.push_back(cpu);
  }
  return all;
}

}  // namespace

std::vector<CacheLevel> read_caches(const fs::path& root) {
  std::vector<CacheLevel> caches;
  constexpr int kMostCaches = 10;
  for (int i = 0; i < kMostCaches; ++i) {
    const fs::path folder = root / fmt::format("sys/devices/system/cpu/cpu0/cache/index{}", i);
    const std::string size = word_in(folder / "size");
    if (size.empty() || word_in(folder / "type") == "Instruction") continue;
    const std::int64_t unit = size.back() == 'K' ? 1 << 10 : size.back() == 'M' ? 1 << 20 : 1;
    const auto sharers =
        static_cast<std::int64_t>(listed(word_in(folder / "shared_cpu_list")).size());
    caches.push_back({"L" + word_in(folder / "level"), Bytes{number_in(size) * unit},
                      std::max<std::int64_t>(1, sharers)});
  }
  std::ranges::sort(caches, {}, [](const CacheLevel& cache) { return cache.size; });
  return caches;
}

std::vector<std::vector<int>> read_nodes(const fs::path& root) {
  std::vector<std::vector<int>> nodes;
  const fs::path folder = root / "sys/devices/system/node";
  for (const int node : listed(word_in(folder / "has_cpu"))) {
    auto cpus = listed(word_in(folder / fmt::format("node{}/cpulist", node)));
    if (!cpus.empty()) nodes.push_back(std::move(cpus));
  }
  return nodes;
}

}  // namespace tacho::bandwidth
