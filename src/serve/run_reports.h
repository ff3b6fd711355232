#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "http/message.h"
#include "report/run_findings.h"
#include "serve/answer.h"
#include "store/run_store.h"
#include "tracefile/gpu_trace.h"

namespace tacho::serve {

// The traces of a run with what was found in them.
struct RunTraces {
  std::vector<GpuTrace> traces;
  std::vector<FoundSteps> steps;  // of each
};

// What takes long to make of a run's folder, made once: kept until the folder changes or others
// were asked for since. Who asks while it is being made waits for the same.
template <class Made>
class Shelf {
 public:
  using Item = std::shared_ptr<const Made>;  // shared by whoever reads it and the shelf
  explicit Shelf(std::size_t most) : most_(most) {}

  Result<Item> get(const std::string& key, const std::function<Result<Made>()>& make) {
    std::promise<Result<Item>> promise;
    std::shared_future<Result<Item>> future;
    bool ours = false;
    {
      const std::lock_guard lock(mutex_);
      const auto at = std::ranges::find(items_, key, &Kept::key);
      if (at != items_.end()) {
        items_.splice(items_.begin(), items_, at);
      } else {
        ours = true;
        items_.push_front({key, promise.get_future().share()});
        if (items_.size() > most_) items_.pop_back();
      }
      future = items_.front().item;
    }
    if (ours) {
      auto made = make();
      promise.set_value(made.ok() ? Result<Item>(std::make_shared<const Made>(*std::move(made)))
                                  : Result<Item>(made.error()));
    }
    return future.get();
  }

 private:
  struct Kept {
    std::string key;
    std::shared_future<Result<Item>> item;
  };
  std::size_t most_;
  std::mutex mutex_;
  std::list<Kept> items_;  // the last used first
};

// Reports, differences and timelines of runs.
class RunReports {
 public:
  // GET /api/v1/runs/{run}/report, as JSON or as one HTML page to keep.
  Answer report(const http::Request& request, RunStore& store);
  // GET /api/v1/diff: where the time of two runs differs.
  Answer difference(const http::Request& request, RunStore& store);
  // GET …/timeline: kernels, copies, calls and ranges between two moments, in as much detail as so
  // many columns of a screen can show.
  Answer timeline(const http::Request& request, RunStore& store);

 private:
  Result<Shelf<RunFindings>::Item> findings(RunStore& store, const std::string& handle);

  Shelf<RunFindings> findings_{8};
  Shelf<RunTraces> traces_{2};
};

}  // namespace tacho::serve
