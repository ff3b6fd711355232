#include "experiments/exchange/mlflow_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/confined_file.h"
#include "base/parse_number.h"
#include "base/split.h"
#include "base/yaml_object.h"
#include "experiments/exchange/mlflow_run.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMeta = "meta.yaml";
constexpr Bytes kLargestText{1 << 20};

bool has_meta(const fs::path& folder) {
  std::error_code absent;
  return fs::is_regular_file(folder / kMeta, absent);
}

// The folders with a meta.yaml in a folder, in order. Links are not followed, so that a store from
// elsewhere cannot name files outside of it.
std::vector<fs::path> parts_of(const fs::path& folder) {
  std::vector<fs::path> parts;
  std::error_code gone;
  for (fs::directory_iterator at(folder, gone), end; !gone && at != end; at.increment(gone)) {
    if (!at->is_symlink(gone) && has_meta(at->path())) parts.push_back(at->path());
  }
  std::ranges::sort(parts);
  return parts;
}

// One meta.yaml. Which keys it has depends on the version of MLflow.
class Meta {
 public:
  static Result<Meta> read(const fs::path& folder) {
    const std::string file = (folder / kMeta).string();
    TACHO_TRY(text, read_confined(folder, kMeta, kLargestText));
    TACHO_TRY(root, parse_yaml(text, file));
    return Meta(std::move(root), file);
  }

  [[nodiscard]] bool has(std::string_view key) const { return root_.find(key) != nullptr; }
  [[nodiscard]] std::string text(std::string_view key) const {
    const YamlNode* node = root_.find(key);
    return node == nullptr ? "" : node->text;
  }
  [[nodiscard]] Result<std::optional<std::int64_t>> number(std::string_view key) const {
    const YamlNode* node = root_.find(key);
    if (node == nullptr || node->kind == YamlNode::Kind::null || node->text == "null") {
      return std::optional<std::int64_t>();
    }
    TACHO_TRY(value, yaml_whole(*node, file_));
    return std::optional(value);
  }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  Meta(YamlNode root, std::string file) : root_(std::move(root)), file_(std::move(file)) {}

  YamlNode root_;
  std::string file_;
};

// Calls `take(name, text)` for each file of a kind of a run. A name with slashes is a path.
template <class Take>
Result<void> each_file(const fs::path& run, const char* kind, std::int64_t& bytes_left, Take take) {
  const fs::path folder = run / kind;
  std::error_code gone;
  std::vector<fs::path> files;
  if (fs::is_symlink(folder, gone)) return {};
  fs::recursive_directory_iterator at(folder, gone);
  for (const fs::recursive_directory_iterator end; !gone && at != end; at.increment(gone)) {
    std::error_code unreadable;
    if (at->is_regular_file(unreadable)) files.push_back(at->path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    TACHO_TRY(text, read_confined(run, file, Bytes{bytes_left}));
    bytes_left -= static_cast<std::int64_t>(text.size());
    TACHO_CHECK(take(file.lexically_relative(folder).generic_string(), text).in(file.string()));
  }
  return {};
}

// Lines are "time value step", in old files without a step, in new ones perhaps with a dataset.
Result<HistoryPoint> point_of(const std::string& name, std::string_view line) {
  const auto words = split(trimmed(line), ' ');
  const auto ms = parse_number<std::int64_t>(words[0]);
  const auto value = words.size() > 1 ? parse_number<double>(words[1]) : std::nullopt;
  const auto step =
      words.size() > 2 ? parse_number<std::int64_t>(words[2]) : std::optional<std::int64_t>(0);
  if (!ms || !value || !step) {
    return Error{ErrorCode::invalid,
                 fmt::format("'{}' is not 'time value step', as MLflow writes it", line)};
  }
  return mlflow_point(name, *ms, *value, *step);
}

Result<PortableRun> read_run(const fs::path& folder, const Meta& meta,
                             const std::string& experiment) {
  MlflowRun run{.id = meta.text(meta.has("run_id") ? "run_id" : "run_uuid"),
                .name = meta.text("run_name"),
                .experiment = experiment};
  TACHO_TRY(status, meta.number("status"));
  TACHO_TRY(start_ms, meta.number("start_time"));
  TACHO_TRY(end_ms, meta.number("end_time"));
  const std::int64_t number = status.value_or(1);
  if (number < 1 || number > std::ssize(kMlflowStatuses.table)) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: status {} is none of MLflow's", meta.file(), number)};
  }
  run.status = kMlflowStatuses.table[static_cast<std::size_t>(number - 1)].first;
  run.start_ms = start_ms.value_or(0);
  run.end_ms = end_ms;
  std::int64_t left = kLargestImport.count;
  TACHO_CHECK(each_file(folder, "params", left, [&](std::string name, std::string text) {
    run.params.emplace(std::move(name), std::move(text));
    return Result<void>();
  }));
  TACHO_CHECK(each_file(folder, "tags", left, [&](std::string name, std::string text) {
    run.tags.emplace(std::move(name), std::move(text));
    return Result<void>();
  }));
  TACHO_CHECK(each_file(folder, "metrics", left,
                        [&](const std::string& name, const std::string& text) -> Result<void> {
                          for (const std::string_view line : lines_of(text)) {
                            if (line.empty()) continue;
                            TACHO_TRY(point, point_of(name, line));
                            run.points.push_back(std::move(point));
                          }
                          return {};
                        }));
  PortableRun out = portable_run(std::move(run));
  out.source = folder;
  return out;
}

Result<void> add_runs(const fs::path& folder, const Meta& experiment,
                      std::vector<PortableRun>& runs) {
  for (const fs::path& part : parts_of(folder)) {
    TACHO_TRY(meta, Meta::read(part));
    const bool is_run = meta.has("run_id") || meta.has("run_uuid");
    if (!is_run || meta.text("lifecycle_stage") == "deleted") continue;
    TACHO_TRY(run, read_run(part, meta, experiment.text("name")));
    runs.push_back(std::move(run));
  }
  return {};
}

}  // namespace

Result<std::vector<PortableRun>> read_mlflow_folder(const fs::path& folder) {
  std::vector<PortableRun> runs;
  if (!has_meta(folder)) {
    for (const fs::path& part : parts_of(folder)) {
      TACHO_TRY(meta, Meta::read(part));
      if (meta.has("experiment_id") && meta.text("lifecycle_stage") != "deleted") {
        TACHO_CHECK(add_runs(part, meta, runs));
      }
    }
    return runs;
  }
  TACHO_TRY(meta, Meta::read(folder));
  if (meta.has("run_id") || meta.has("run_uuid")) {
    const fs::path above = folder.parent_path();
    std::string experiment;
    if (has_meta(above)) {
      TACHO_TRY(above_meta, Meta::read(above));
      experiment = above_meta.text("name");
    }
    TACHO_TRY(run, read_run(folder, meta, experiment));
    runs.push_back(std::move(run));
  } else if (meta.has("experiment_id")) {
    TACHO_CHECK(add_runs(folder, meta, runs));
  }
  return runs;
}

}  // namespace tacho
