#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "base/csv.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/split.h"
#include "base/yaml.h"
#include "experiments/exchange/mlflow_folder.h"
#include "experiments/exchange/mlflow_run.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetaFile = "meta.yaml";

// Returns a name that MLflow accepts, which is also a path below the folder of its kind.
std::string mlflow_name(std::string_view name) {
  std::string out;
  for (const std::string_view part : split(name, '/')) {
    if (!out.empty()) out += '/';
    if (part.empty() || part == "." || part == "..") {
      out += '_';
      continue;
    }
    for (const char c : part) {
      const auto byte = static_cast<unsigned char>(c);
      const bool plain = byte >= 0x80 || std::isalnum(byte) != 0 ||
                         std::string_view("_-. ").find(c) != std::string_view::npos;
      out += plain ? c : '_';
    }
  }
  return out;
}

std::string quoted(const std::string& text) { return json_text(Json(text)); }

std::string file_uri(const fs::path& path) {
  std::string uri = "file://";
  for (const char c : path.generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("/_-.~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

// Returns the folder of the experiment with this name, and makes it if there is none.
Result<fs::path> experiment_folder(const fs::path& root, const std::string& name,
                                   std::int64_t now_ms) {
  std::error_code gone;
  for (fs::directory_iterator at(root, gone), end; !gone && at != end; at.increment(gone)) {
    const auto text = read_file(at->path() / kMetaFile, Bytes{1 << 20});
    if (!text.ok()) continue;
    const auto meta = parse_yaml(*text, kMetaFile);
    const YamlNode* known = meta.ok() ? meta->find("name") : nullptr;
    if (known != nullptr && known->text == name) return at->path();
  }
  // MLflow's experiment "Default" has the number 0.
  std::uint64_t number = 0;
  const std::string digits = hex(Sha256::of(name));
  std::from_chars(digits.data(), digits.data() + 14, number, 16);
  const std::string id = name == "Default" ? "0" : fmt::format("{:018}", number + 1);
  const fs::path folder = root / id;
  TACHO_CHECK(make_folders(folder));
  const std::string meta = fmt::format(
      "artifact_location: {}\ncreation_time: {}\nexperiment_id: '{}'\nlast_update_time: {}\n"
      "lifecycle_stage: active\nname: {}\n",
      quoted(file_uri(folder)), now_ms, id, now_ms, quoted(name));
  TACHO_CHECK(write_file_atomically(folder / kMetaFile, meta));
  return folder;
}

std::string meta_of(const MlflowRun& run, const fs::path& folder) {
  const auto number = static_cast<int>(run.status) + 1;
  constexpr int kLocal = 4;  // kind of source
  return fmt::format(
      "artifact_uri: {}\ndeleted_time: null\nend_time: {}\nentry_point_name: ''\n"
      "experiment_id: '{}'\nlifecycle_stage: active\nrun_id: '{}'\nrun_name: {}\nrun_uuid: '{}'\n"
      "source_name: ''\nsource_type: {}\nsource_version: ''\nstart_time: {}\nstatus: {}\n"
      "tags: []\nuser_id: ''\n",
      quoted(file_uri(folder / "artifacts")), run.end_ms ? std::to_string(*run.end_ms) : "null",
      folder.parent_path().filename().string(), run.id, quoted(run.name), run.id, kLocal,
      run.start_ms, number);
}

// The files of names, by name. A file cannot also be a folder: beside a/b, a becomes a_.
Result<std::map<std::string, std::string>> files_of(
    const std::map<std::string, std::string>& texts) {
  std::map<std::string, std::string> plain;
  for (const auto& [name, text] : texts) plain.emplace(mlflow_name(name), text);
  std::map<std::string, std::string> files;
  for (const auto& [name, text] : plain) {
    const auto below = plain.lower_bound(name + "/");
    const bool is_folder = below != plain.end() && below->first.starts_with(name + "/");
    files.emplace(is_folder ? name + "_" : name, text);
  }
  if (files.size() == texts.size()) return files;
  return Error{ErrorCode::usage,
               "MLflow allows only letters, digits and '_-. /' in names, so that two of them would "
               "become the same; export to another format"};
}

Result<void> write_named(const fs::path& folder, const std::map<std::string, std::string>& texts) {
  TACHO_CHECK(make_folders(folder));
  TACHO_TRY(files, files_of(texts));
  for (const auto& [file, text] : files) {
    TACHO_CHECK(make_folders((folder / file).parent_path()));
    TACHO_CHECK(write_file_atomically(folder / file, text, Outlives::kill));
  }
  return {};
}

}  // namespace

Result<void> write_mlflow_run(const PortableRun& portable, const fs::path& root) {
  std::error_code failure;
  const fs::path store = fs::absolute(root, failure).lexically_normal();
  const MlflowRun run = mlflow_run(portable);
  TACHO_CHECK(make_folders(store));
  TACHO_TRY(experiment, experiment_folder(store, run.experiment, run.start_ms));
  const fs::path folder = experiment / run.id;
  std::map<std::string, std::string> metrics;
  for (const HistoryPoint& point : run.points) {
    for (const auto& [name, value] : point.values) {
      metrics[name] +=
          fmt::format("{} {} {}\n", std::llround(point.unix_seconds * 1000),
                      std::isnan(value) ? "nan" : csv_number(value), point.step.value_or(0));
    }
  }
  TACHO_CHECK(make_folders(folder / "artifacts"));
  TACHO_CHECK(write_named(folder / "metrics", metrics));
  TACHO_CHECK(write_named(folder / "params", run.params));
  TACHO_CHECK(write_named(folder / "tags", run.tags));
  // Last: it makes the folder a run.
  return write_file_atomically(folder / kMetaFile, meta_of(run, folder));
}

}  // namespace tacho
