#include "lab/ranks_apart.h"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>

#include "base/file.h"
#include "lab/worker_group.h"
#include "lab/worker_program.h"
#include "record/run_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

class PassingFolder {
 public:
  static Result<PassingFolder> make() {
    std::error_code unknown;
    const fs::path parent = fs::temp_directory_path(unknown);
    if (unknown) return system_error("the folder for temporary files", unknown.value());
    std::string pattern = (parent / "tacho-rank-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return system_error(pattern, errno);
    return PassingFolder(pattern);
  }
  PassingFolder(PassingFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PassingFolder& operator=(PassingFolder&&) = delete;
  ~PassingFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  explicit PassingFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

}  // namespace

Result<void> run_ranks_apart(const RunOrder& order, const Launch& launch, const fs::path& home,
                             const std::atomic<int>& interrupts) {
  constexpr std::chrono::milliseconds kLookEvery{100};
  const RunSpec& spec = order.spec;
  TACHO_TRY(reads, files_read_by(spec, home));
  TACHO_TRY(worker, choose_worker(order.environment.kind));
  TACHO_TRY(passing, PassingFolder::make());
  const RunFolder folder(passing.path());
  TACHO_CHECK(folder.create(order));
  TACHO_TRY(residence, Residence::open(order, folder, home));
  TACHO_TRY(group, WorkerGroup::start({worker,
                                       home,
                                       folder,
                                       launch,
                                       WorkerGroup::patience_of(spec.dist),
                                       residence,
                                       {},
                                       reads}));
  while (!group.wait_for(kLookEvery)) group.pass_on(interrupts);
  if (group.success()) return {};
  if (group.asked_to_stop()) return Error{ErrorCode::failed, "stopped by the user"};
  passing.keep();
  return Error{ErrorCode::failed,
               fmt::format("{}; its log is {}", group.explain(), group.log_to_read().string())};
}

}  // namespace tacho
