// tacho-take FOLDER: executes the order in the folder of one run and writes the results there.
//
// A separate program, because a sweep starts one per run, here or on a machine without the store.
// It links neither the store nor the command line, and starts in a fifth of tacho's time.
#include <fmt/format.h>

#include <filesystem>

#include "base/home.h"
#include "base/signals.h"
#include "experiments/runner/runner.h"

namespace tacho {
namespace {

class NoView final : public RunView {
 public:
  void started(std::int64_t /*id*/, const RunOrder& /*order*/) override {}
  void event(const Event& /*event*/) override {}
  void tick() override {}
};

// The exit code tells a scheduler the outcome; the folder has the details.
int exit_code_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return 0;
    case Outcome::running:
    case Outcome::failed:
      return 1;
    case Outcome::out_of_memory:
      return 3;
    case Outcome::cancelled:
      return 4;
    case Outcome::timed_out:
      return 5;
  }
  return 1;
}

int run(int argc, char** argv) {
  constexpr int kUsage = 2;
  if (argc != 2) {
    fmt::print(stderr, "tacho-take: executes one run of a sweep; usage: tacho-take FOLDER\n");
    return kUsage;
  }
  const auto complain = [](const Error& error, int code) {
    fmt::print(stderr, "tacho-take: {}\n", error.message);
    return code;
  };
  catch_interrupts();
  const auto home = tacho_home();
  if (!home.ok()) return complain(home.error(), kUsage);
  std::error_code no_working_folder;
  const auto folder = std::filesystem::absolute(argv[1], no_working_folder).lexically_normal();
  NoView view;
  const auto record = Runner(*home, interrupts()).take(RunFolder(folder), view);
  if (!record.ok()) return complain(record.error(), 1);
  if (!record->reason.empty()) fmt::print(stderr, "tacho-take: {}\n", record->reason);
  return exit_code_of(record->outcome);
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) { return tacho::run(argc, argv); }
