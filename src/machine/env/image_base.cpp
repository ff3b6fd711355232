#include "machine/env/image_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/file.h"
#include "base/sha256.h"
#include "base/split.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLongestAnswer{2};

// Also safe in a line of a Dockerfile.
bool is_name(const std::string& word) {
  return !word.starts_with('-') && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("./:@_-").find(char(c)) != std::string::npos;
  });
}

bool looks_like_a_file(const std::string& word) {
  return word.starts_with('/') || word.starts_with('.') || word.find(".tar") != std::string::npos;
}

Result<std::string> output_of(std::vector<std::string> argv) {
  const std::string program = argv.front();
  TACHO_TRY(output, capture({.argv = std::move(argv)}, kLongestAnswer));
  if (output.status.success()) return std::move(output.out);
  return Error{ErrorCode::failed, program + ": " + complaint_in(output.err)};
}

}  // namespace

Result<ImageBase> parse_image_base(const std::string& word) {
  using Kind = ImageBase::Kind;
  if (word.empty() || word == "mmdebstrap") return ImageBase{Kind::made, ""};
  std::error_code problem;
  if (fs::is_regular_file(word, problem)) {
    const bool sif = word.ends_with(".sif");
    return ImageBase{sif ? Kind::named : Kind::archive, fs::absolute(word).string()};
  }
  if (fs::is_directory(word, problem)) {
    return Error{ErrorCode::usage,
                 fmt::format("--base {0}: is a folder; pack it first with 'tar -C {0} -cf "
                             "base.tar .'",
                             word)};
  }
  if (looks_like_a_file(word)) {
    return Error{ErrorCode::not_found,
                 fmt::format("--base {}: no such file; leave --base out to create a base with "
                             "mmdebstrap",
                             word)};
  }
  if (is_name(word)) return ImageBase{Kind::named, word};
  return Error{ErrorCode::usage, fmt::format("--base: '{}' is not a valid image name", word)};
}

std::string parse_suite(std::string_view os_release) {
  constexpr std::string_view kKey = "VERSION_CODENAME=";
  for (const std::string_view line : lines_of(os_release)) {
    if (!line.starts_with(kKey)) continue;
    std::string suite(line.substr(kKey.size()));
    std::erase(suite, '"');
    return is_name(suite) ? suite : "";
  }
  return "";
}

std::string parse_sources(std::string_view index_targets, const std::string& suite) {
  std::string sources;
  for (const std::string_view line : lines_of(index_targets)) {
    const auto parts = split(line, '|');
    if (parts.size() != 4) continue;
    const std::string_view uri = parts[0], release = parts[1], component = parts[2],
                           origin = parts[3];
    // Unknown if the lists were never fetched: apt then prints the variable itself.
    const bool own = origin == "Debian" || origin == "Ubuntu" || origin.starts_with("$(");
    const bool wanted =
        release == suite || release == suite + "-updates" || release == suite + "-security";
    if (!own || !wanted || component != "main") continue;
    const std::string entry = fmt::format("deb {} {} main\n", uri, release);
    if (sources.find(entry) == std::string::npos) sources += entry;
  }
  return sources;
}

Result<BaseRecipe> recipe_of_this_machine() {
  const std::string fix = "or name a base: --base debian:bookworm-slim, or --base FILE.tar";
  for (const char* program : {"mmdebstrap", "apt-get"}) {
    if (find_program(program).ok()) continue;
    return Error{ErrorCode::unavailable,
                 fmt::format("{0}, which creates the base, is not installed; apt-get install "
                             "mmdebstrap, {1}",
                             program, fix)};
  }
  BaseRecipe recipe;
  if (const auto release = read_file("/etc/os-release"); release.ok()) {
    recipe.suite = parse_suite(*release);
  }
  TACHO_TRY(targets,
            output_of({"apt-get", "indextargets", "--format",
                       "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)", "Created-By: Packages"}));
  recipe.sources = parse_sources(targets, recipe.suite);
  if (recipe.suite.empty() || recipe.sources.empty()) {
    return Error{ErrorCode::unavailable,
                 fmt::format("apt has no mirror for this machine's release '{}'; fix "
                             "/etc/apt/sources.list, {}",
                             recipe.suite, fix)};
  }
  TACHO_TRY(proxy, output_of({"apt-config", "dump", "--format=%v%n", "Acquire::http::Proxy"}));
  recipe.proxy = proxy.substr(0, proxy.find('\n'));
  return recipe;
}

Command base_command(const BaseRecipe& recipe, const fs::path& sources_file,
                     const fs::path& archive) {
  Command command{.argv = {"mmdebstrap", "--mode=auto", "--format=tar", "--variant=essential",
                           // Engines create devices, and only root can pack them.
                           "--skip=output/dev", "--dpkgopt=path-exclude=/usr/share/doc/*",
                           "--dpkgopt=path-include=/usr/share/doc/*/copyright",
                           "--dpkgopt=path-exclude=/usr/share/man/*",
                           "--dpkgopt=path-exclude=/usr/share/locale/*", recipe.suite,
                           archive.string(), sources_file.string()},
                  .environment = {{"SOURCE_DATE_EPOCH", std::to_string(kImageTime)}}};
  if (!recipe.proxy.empty()) command.environment["http_proxy"] = recipe.proxy;
  return command;
}

Result<fs::path> make_base(const BaseRecipe& recipe, bool rebuild, const fs::path& folder,
                           const fs::path& scratch, const BuildWatch& watch) {
  std::string ingredients;
  for (const std::string& word : base_command(recipe, "", "").argv) ingredients += word + "\n";
  const std::string hash = hex(Sha256::of(ingredients + recipe.sources));
  const fs::path kept = folder / fmt::format("{}-{}.tar", recipe.suite, hash.substr(0, 16));
  std::error_code problem;
  if (!rebuild && fs::exists(kept, problem)) return kept;

  const fs::path sources_file = scratch / "sources.list";
  const fs::path unfinished = scratch / "made-base.tar";
  TACHO_CHECK(write_file_atomically(sources_file, recipe.sources));
  TACHO_CHECK(run_step("creating a Debian base with mmdebstrap",
                       base_command(recipe, sources_file, unfinished), scratch / "log", watch));
  TACHO_CHECK(make_folders(folder));
  // Removes bases of other recipes, which are not needed any more.
  for (const auto& entry : fs::directory_iterator(folder, problem)) fs::remove(entry, problem);
  fs::rename(unfinished, kept, problem);
  if (problem) return system_error(kept, problem.value());
  return kept;
}

Result<bool> has_c_library(const fs::path& archive) {
  TACHO_TRY(listed, capture({.argv = {"tar", "--list", "--file=" + archive.string()}},
                            kLongestAnswer, Bytes{64 << 20}));
  if (!listed.status.success()) {
    return Error{ErrorCode::invalid,
                 fmt::format("--base {}: not a tar archive of a root file system: {}",
                             archive.string(), complaint_in(listed.err))};
  }
  return listed.out.find("/ld-linux") != std::string::npos;
}

}  // namespace tacho
