#include "machine/env/image_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/file.h"
#include "machine/env/folder_image.h"
#include "machine/env/image_base.h"
#include "machine/env/image_layer.h"
#include "machine/env/image_maker.h"
#include "machine/env/oci_image.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// The scratch folder for all builds of a home. The holder of its lock removes what a killed build
// has left in it.
class BuildFolder {
 public:
  static Result<BuildFolder> open(const fs::path& home) {
    const fs::path images = home / "images";
    TACHO_CHECK(make_folders(images));
    auto lock = FileLock::take(images / "lock", FileLock::Kind::exclusive);
    if (!lock.ok() && lock.error().code == ErrorCode::unavailable) {
      return Error{ErrorCode::unavailable,
                   "another 'tacho env build' is running; try again when it has finished"};
    }
    TACHO_CHECK(lock.ok() ? Result<void>() : lock.error());
    BuildFolder build(*std::move(lock), images / "making");
    build.clear();
    TACHO_CHECK(make_folders(build.folder_));
    return build;
  }
  BuildFolder(BuildFolder&&) = default;
  BuildFolder& operator=(BuildFolder&&) = delete;
  ~BuildFolder() { clear(); }

  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  BuildFolder(FileLock lock, fs::path folder)
      : lock_(std::move(lock)), folder_(std::move(folder)) {}
  void clear() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  FileLock lock_;
  fs::path folder_;
};

Result<void> check(const ImageOrder& order) {
  TACHO_CHECK(check(EnvironmentSpec{.kind = order.kind, .image = order.image}));
  if (order.kind == EnvironmentKind::bare) {
    return Error{ErrorCode::usage,
                 "'bare' has no image; build one for podman, docker, apptainer "
                 "or charliecloud"};
  }
  // Accepted by every engine, and safe as a file name.
  const auto fits = [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || (c != 0 && std::strchr("./:_-", c));
  };
  const bool begins = std::isalnum(static_cast<unsigned char>(order.image.front())) != 0;
  if (begins && std::all_of(order.image.begin(), order.image.end(), fits)) return {};
  return Error{ErrorCode::usage,
               fmt::format("--tag: '{}' is not a valid image name; use lower-case letters, digits "
                           "and ./:_-, as in localhost/tacho:latest",
                           order.image)};
}

Result<fs::path> base_archive(const ImageOrder& order, const ImageBase& base,
                              const fs::path& scratch, const BuildWatch& watch) {
  if (base.kind == ImageBase::Kind::named) return fs::path();
  if (base.kind == ImageBase::Kind::archive) return fs::path(base.word);
  TACHO_TRY(recipe, recipe_of_this_machine());
  return make_base(recipe, order.new_base, order.home / "images/bases", scratch, watch);
}

Result<ImageParts> gather_parts(const ImageOrder& order, const fs::path& scratch,
                                const BuildWatch& watch) {
  ImageParts parts;
  TACHO_TRY(base, parse_image_base(order.base));
  parts.base = base;
  TACHO_TRY(programs, programs_in(order.programs));
  TACHO_TRY(needed, find_needed_libraries(programs));
  TACHO_TRY(archive, base_archive(order, base, scratch, watch));
  parts.base_archive = archive;
  bool c_library = true;  // assumed for an image from a registry; try_worker() checks it
  if (base.kind == ImageBase::Kind::archive) {
    TACHO_TRY(found, has_c_library(archive));
    c_library = found;
  }
  TACHO_TRY(files, plan_layer(programs, needed, c_library));
  parts.layer = scratch / "layer.tar";
  parts.layer_folders = folders_of(files);
  TACHO_CHECK(pack_layer(files, parts.layer, scratch, watch));
  return parts;
}

// Checks that the worker starts in the image.
Result<void> try_worker(EnvironmentKind kind, const std::string& image, const fs::path& scratch,
                        BuildWatch watch) {
  // Not stopped halfway, which takes a second at most: a daemon may start the program even if its
  // client was stopped.
  watch.stopped = [] { return false; };
  TACHO_TRY(environment, open_environment({.kind = kind, .image = image}));
  const ContainerSpec container{.key = fmt::format("image-{}", ::getpid())};
  // A folder that every image has: binding another one would leave a mount point in the image.
  TACHO_TRY(inside, environment->wrap({.argv = {"tacho-worker", "--version"}, .folder = "/tmp"},
                                      container));
  auto tried = run_step("trying tacho-worker in it", inside, scratch / "log", watch);
  auto cleaned = environment->clean_up(container.key);
  if (!tried.ok() && tried.error().message.find("GLIBC") != std::string::npos) {
    return Error{ErrorCode::failed,
                 tried.error().message + "; use a base that is as new as this machine's system"};
  }
  TACHO_CHECK(std::move(tried));
  return cleaned;
}

Result<void> make_and_keep(ImageMaker& maker, const ImageOrder& order, const ImageParts& parts,
                           const fs::path& scratch, const BuildWatch& watch) {
  TACHO_TRY(made, maker.make(parts));
  TACHO_CHECK(try_worker(order.kind, made, scratch, watch));
  if (watch.stopped()) return stopped_by_user();
  return maker.keep(order.image);
}

}  // namespace

std::unique_ptr<ImageMaker> image_maker(EnvironmentKind kind, const fs::path& home,
                                        const fs::path& scratch, const BuildWatch& watch) {
  if (kind == EnvironmentKind::podman || kind == EnvironmentKind::docker) {
    return std::make_unique<OciImage>(kind, home, scratch, watch);
  }
  return std::make_unique<FolderImage>(kind, home, scratch, watch);
}

Result<BuiltImage> build_image(const ImageOrder& order, const BuildWatch& watch) {
  TACHO_CHECK(check(order));
  const EnvironmentSpec spec{.kind = order.kind, .image = order.image};
  TACHO_TRY(environment, open_environment(spec));
  // Checked first, before anything slow.
  if (const auto engine = environment->version(); !engine.ok()) return engine.error();
  TACHO_TRY(build_folder, BuildFolder::open(order.home));
  const fs::path& scratch = build_folder.folder();
  const auto maker = image_maker(order.kind, order.home, scratch, watch);
  TACHO_CHECK(maker->check());
  TACHO_TRY(parts, gather_parts(order, scratch, watch));
  const auto kept = make_and_keep(*maker, order, parts, scratch, watch);
  maker->clean_up();
  if (!kept.ok()) return kept.error();
  TACHO_TRY(facts, environment->describe());
  return BuiltImage{facts, environment_name(spec), maker->size(order.image)};
}

}  // namespace tacho
