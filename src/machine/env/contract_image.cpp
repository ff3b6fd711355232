#include "machine/env/contract_image.h"

#include <unistd.h>

#include <chrono>

#include "base/file.h"
#include "base/subprocess.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLongest{2};
const char* const kPrograms[] = {"sh", "cat", "env", "sleep", "true", "dd", "kill", "pwd", "id"};

bool has_names(EnvironmentKind kind) {
  return kind == EnvironmentKind::podman || kind == EnvironmentKind::docker;
}

Result<void> run(std::vector<std::string> argv) {
  const std::string program = argv.front();
  TACHO_TRY(output, capture({.argv = std::move(argv)}, kLongest));
  if (output.status.success()) return {};
  return Error{ErrorCode::unavailable, program + ": " + output.err};
}

}  // namespace

Result<std::unique_ptr<ContractImage>> ContractImage::make(EnvironmentKind kind) {
  std::unique_ptr<ContractImage> image(new ContractImage(kind));
  if (kind == EnvironmentKind::bare) return image;
  TACHO_CHECK(image->make_root());
  TACHO_CHECK(image->import_image());
  return image;
}

Result<void> ContractImage::make_root() {
  const fs::path root = folder_.path() / "root";
  for (const char* name : {"bin", "tmp", "proc", "sys", "dev", "etc", "root", "mnt"}) {
    TACHO_CHECK(make_folders(root / name));
  }
  auto busybox = find_program("busybox");
  if (!busybox.ok()) {
    return Error{ErrorCode::unavailable,
                 "busybox is not installed; apt-get install busybox-static"};
  }
  std::error_code problem;
  fs::copy_file(*busybox, root / "bin/busybox", problem);
  for (const char* name : kPrograms) {
    fs::create_symlink("busybox", root / "bin" / name, problem);
  }
  TACHO_CHECK(write_file_atomically(root / "etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"));
  TACHO_CHECK(write_file_atomically(root / "etc/group", "root:x:0:\n"));
  TACHO_CHECK(write_file_atomically(root / "etc/hosts", ""));
  return write_file_atomically(root / "etc/resolv.conf", "");
}

Result<void> ContractImage::import_image() {
  const std::string root = folder_.path() / "root";
  if (!has_names(kind_)) {
    name_ = root;
    return {};
  }
  const std::string engine(kEnvironmentKinds.of(kind_));
  if (auto found = find_program(engine); !found.ok()) {
    return Error{ErrorCode::unavailable, found.error().message};
  }
  const std::string archive = folder_.path() / "root.tar";
  TACHO_CHECK(run({"tar", "-C", root, "-cf", archive, "."}));
  const std::string name = "localhost/tacho-contract:" + std::to_string(::getpid());
  TACHO_CHECK(run({engine, "import", archive, name}));
  name_ = name;
  return {};
}

ContractImage::~ContractImage() {
  if (has_names(kind_) && !name_.empty()) {
    (void)run({std::string(kEnvironmentKinds.of(kind_)), "rmi", "--force", name_}).ok();
  }
}

}  // namespace tacho
