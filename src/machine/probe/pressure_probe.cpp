#include "machine/probe/pressure_probe.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "machine/probe/cgroup.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::array kKinds = {"cpu", "memory", "io"};
constexpr std::array kFields = {&UsageSample::cpu_stalled_s, &UsageSample::memory_stalled_s,
                                &UsageSample::io_stalled_s};

// Parses "some avg10=0.00 avg60=0.00 avg300=0.00 total=4242", in microseconds.
std::optional<double> stalled_seconds(std::string_view text) {
  if (!text.starts_with("some ")) return std::nullopt;
  const std::string_view line = text.substr(0, text.find('\n'));
  constexpr std::string_view kTotal = "total=";
  const std::size_t at = line.find(kTotal);
  if (at == std::string_view::npos) return std::nullopt;
  const auto micro = leading_number(line.substr(at + kTotal.size()));
  return micro ? std::optional(1e-6 * static_cast<double>(*micro)) : std::nullopt;
}

}  // namespace

PressureProbe::PressureProbe(pid_t pid, const fs::path& root) {
  auto folders = cgroup_folders(root, "", std::to_string(pid));
  std::reverse(folders.begin(), folders.end());  // its own group before those above it
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    std::vector<fs::path> files;
    for (const fs::path& folder : folders) {
      files.push_back(folder / (std::string(kKinds[i]) + ".pressure"));
    }
    files.push_back(root / "proc/pressure" / kKinds[i]);
    int refused = 0;
    for (const fs::path& file : files) {
      refused = read_again(file, text_);
      if (const auto seconds = stalled_seconds(text_)) {
        sources_[i].emplace(Source{ProcFile(file), *seconds});
        break;
      }
    }
    if (sources_[i]) continue;
    problem_ = refused == ENOENT ? "this kernel has no pressure stall information (CONFIG_PSI)"
                                 : "pressure stall information is off; start the kernel with psi=1";
  }
}

void PressureProbe::look(UsageSample& sample) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (!sources_[i] || sources_[i]->file.read(text_) != 0) continue;
    if (const auto now = stalled_seconds(text_)) {
      sample.*kFields[i] = std::max(0.0, *now - sources_[i]->before_s);
    }
  }
}

}  // namespace tacho
