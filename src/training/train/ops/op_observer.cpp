#include "training/train/ops/op_observer.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "training/train/ops/op_table.h"
#include "training/train/torch_api.h"

namespace tacho {

// One table per thread. Torch passes no state to its callbacks, but it stores this object per
// thread and hands it to autograd's threads, where they find it.
class OpObserver::Tables final : public c10::DebugInfoBase {
 public:
  // A kind that torch itself does not read.
  static c10::DebugInfoKind place() { return c10::DebugInfoKind::PRODUCER_INFO; }
  static Tables& current() {
    return *static_cast<Tables*>(c10::ThreadLocalDebugInfo::get(place()));
  }

  // Only its own thread writes to a table; the others are asleep when a step ends.
  OpTable& of(std::uint64_t thread) {
    if (thread == first_thread_) return first_;
    const std::lock_guard lock(mutex_);
    return others_.try_emplace(thread, OpPhase::backward).first->second;
  }

  template <class Visit>
  void each(const Visit& visit) {
    const std::lock_guard lock(mutex_);
    visit(first_);
    for (auto& [thread, table] : others_) visit(table);
  }

 private:
  const std::uint64_t first_thread_ = at::RecordFunction::currentThreadId();
  OpTable first_{OpPhase::other};
  std::mutex mutex_;  // guards the map, not its tables
  std::map<std::uint64_t, OpTable> others_;
};

namespace {

using Key = std::tuple<std::string, std::string, OpPhase>;

}  // namespace

class OpObserver::Listening {
 public:
  explicit Listening(const std::shared_ptr<Tables>& tables)
      : tables_(Tables::place(), tables),
        handle_(at::addThreadLocalCallback(
            at::RecordFunctionCallback(on_begin, on_end)
                .needsInputs(true)
                .needsOutputs(true)
                .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                         at::RecordScope::USER_SCOPE}))) {}
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  ~Listening() { at::removeCallback(handle_); }

 private:
  static std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction& function) {
    Tables::current().of(function.threadId()).begin(function);
    return nullptr;
  }
  static void on_end(const at::RecordFunction& function, at::ObserverContext* /*none*/) {
    Tables::current().of(function.threadId()).end(function);
  }

  c10::DebugInfoGuard tables_;
  at::CallbackHandle handle_;
};

OpObserver::OpObserver() : tables_(std::make_shared<Tables>()) {}
OpObserver::~OpObserver() = default;

void OpObserver::begin_step() {
  drop_step();
  listening_ = std::make_unique<Listening>(tables_);
}

double OpObserver::keep_step() {
  listening_.reset();
  double seconds = 0;
  tables_->each([&](OpTable& table) { seconds += table.keep_step(); });
  return seconds;
}

void OpObserver::drop_step() {
  if (!listening_) return;
  listening_.reset();
  tables_->each([](OpTable& table) { table.drop_step(); });
}

std::vector<OpRow> OpObserver::rows() const {
  std::vector<OpRow> all;
  tables_->each([&](const OpTable& table) { table.add_rows_to(all); });
  std::map<Key, OpRow> sums;
  for (const OpRow& row : all) {
    const auto [at, is_new] = sums.try_emplace({row.name, row.shapes, row.phase}, row);
    if (is_new) continue;
    OpRow& sum = at->second;
    sum.calls += row.calls;
    sum.self_s += row.self_s;
    sum.total_s += row.total_s;
    sum.flops += row.flops;
    sum.bytes += row.bytes;
  }
  std::vector<OpRow> rows;
  for (auto& [key, row] : sums) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const OpRow& a, const OpRow& b) { return a.self_s > b.self_s; });
  return rows;
}

}  // namespace tacho
