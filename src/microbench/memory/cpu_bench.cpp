#include "microbench/memory/cpu_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "core/record/statistics.h"
#include "microbench/memory/answer.h"

namespace tacho::bandwidth {
namespace {

constexpr const char* kMemory = "memory";
// Array sizes are multiples of the columns of all matrices times a cache line of rows.
constexpr std::int64_t kGrain = 8192 * kLineElements;

// Returns the elements per array for a working set of three arrays that fills half of the cache.
std::int64_t elements_within(const CacheLevel& cache, int threads) {
  const std::int64_t caches = (threads + cache.sharers - 1) / cache.sharers;
  constexpr std::int64_t kArrays = 3;
  const std::int64_t elements = cache.size.count * caches / 2 / kArrays / kElement;
  const std::int64_t grain = threads * kLineElements;
  return std::max(grain, elements / grain * grain);
}

std::vector<int> thread_counts(int most, bool quick) {
  std::vector<int> counts;
  for (int threads = 1; threads < most && (!quick || threads == 1); threads *= 2) {
    counts.push_back(threads);
  }
  counts.push_back(most);
  return counts;
}

struct Effort {
  Seconds budget;  // per case
  Seconds sample;  // minimum duration
  int samples;     // minimum number
};

Effort effort_of(bool quick) {
  return quick ? Effort{Seconds(0.06), Seconds(1e-3), 5} : Effort{Seconds(0.4), Seconds(2e-3), 9};
}

// Returns the counts per pass.
Counts counts_between(const Counts& before, const Counts& after, std::int64_t passes) {
  Counts counts;
  for (const auto& [name, value] : after) {
    const auto first = before.find(name);
    if (first == before.end()) continue;
    counts[name] = (value - first->second) / static_cast<double>(passes);
  }
  return counts;
}

std::string limit_of(const Form& form, const CpuCase& one) {
  if (one.remote) return "the link between NUMA nodes";
  if (form.set.past_caches && one.level != kMemory) return "stores bypass the caches";
  return std::string(form.limit);
}

class Bench {
 public:
  Bench(Arrays& arrays, Effort effort, const std::function<Counts()>& counted)
      : arrays_(arrays), effort_(effort), counted_(counted) {}

  Result<Measurement> measure(const CpuCase& one, const Shape& shape, Team& team) {
    const Form& form = *one.form;
    arrays_.put_in_order(form.set.order, team);
    auto parts = arrays_.parts(form, one.elements, one.threads);
    const auto pass = [&](int repeats) {
      return team.run([&](int thread) {
        for (int i = 0; i < repeats; ++i) form.kernel(parts[static_cast<std::size_t>(thread)]);
      });
    };
    constexpr std::int64_t kPlaces = 1024;
    Answer answer(form, parts[0], one.elements, kPlaces);
    answer.poison();
    const Seconds first = pass(1);
    double sum = 0;
    for (const Part& part : parts) sum += part.sum;
    TACHO_CHECK(answer.check(sum));

    const int repeats = std::clamp(static_cast<int>(effort_.sample / first) + 1, 1, 1 << 20);
    std::vector<double> samples;
    Seconds spent{};
    if (first < effort_.budget) pass(repeats);  // warm-up
    // A slow form is timed less often, but at least three times.
    constexpr int kFewest = 3;
    constexpr double kPatience = 3;
    const Counts before = counted_ ? counted_() : Counts{};
    while (spent < effort_.budget || std::ssize(samples) < kFewest ||
           (std::ssize(samples) < effort_.samples && spent < kPatience * effort_.budget)) {
      const Seconds time = pass(repeats);
      spent += time;
      samples.push_back(time.count() / repeats);
    }
    const Counts counts =
        counted_ ? counts_between(before, counted_(), std::ssize(samples) * repeats) : Counts{};
    const Traffic traffic = form.traffic(shape);
    const auto [fastest, slowest] = std::ranges::minmax(samples);
    return Measurement{.operation = form.operation,
                       .form = std::string(form.name) + (one.remote ? ", remote node" : ""),
                       .level = one.level,
                       .element = "f32",
                       .threads = one.threads,
                       .set_bytes = 3 * one.elements * kElement,
                       .necessary_bytes = traffic.necessary,
                       .moved_bytes = traffic.moved,
                       .seconds = median(samples),
                       .fastest_seconds = fastest,
                       .slowest_seconds = slowest,
                       .samples = std::ssize(samples),
                       .waste = std::string(form.waste),
                       .limit = limit_of(form, one),
                       .counts = counts};
  }

 private:
  Arrays& arrays_;
  Effort effort_;
  const std::function<Counts()>& counted_;
};

// Measures cases one after the other, and keeps arrays and threads as long as they fit.
class CaseRunner {
 public:
  explicit CaseRunner(const CpuBenchRequest& request)
      : request_(request), elements_(request.array.count / kElement / kGrain * kGrain) {}

  Result<Measurement> measure(const CpuCase& one, const Shape& shape) {
    if (!arrays_ || pages_ != one.form->set.pages || remote_ != one.remote) {
      TACHO_CHECK(prepare(one.form->set.pages, one.remote));
    }
    if (!team_ || team_->threads() != one.threads || team_remote_ != one.remote) {
      team_.reset();
      team_ = std::make_unique<Team>(one.threads, one.remote ? request_.nodes[1] : request_.cpus);
      team_remote_ = one.remote;
    }
    return Bench(*arrays_, effort_of(request_.quick), request_.counted).measure(one, shape, *team_);
  }

 private:
  Result<void> prepare(PageKind pages, bool remote) {
    arrays_.reset();
    team_.reset();
    // The first writer determines the NUMA node of the data: node 0 for remote cases.
    Team first(request_.threads, remote ? request_.nodes[0] : request_.cpus);
    TACHO_TRY(made, Arrays::make(elements_, pages, first));
    arrays_.emplace(std::move(made));
    pages_ = pages;
    remote_ = remote;
    return {};
  }

  const CpuBenchRequest& request_;
  std::int64_t elements_;
  std::optional<Arrays> arrays_;
  PageKind pages_ = PageKind::huge;
  bool remote_ = false;
  std::unique_ptr<Team> team_;
  bool team_remote_ = false;
};

}  // namespace

Bytes array_beyond_caches(const std::vector<CacheLevel>& caches, Bytes memory) {
  constexpr std::int64_t kLeast = 64 << 20;
  constexpr std::int64_t kTimes = 4;
  const std::int64_t cache = caches.empty() ? 0 : caches.back().size.count;
  std::int64_t wanted = std::max(kLeast, kTimes * cache);
  // Four arrays use at most a third of the memory.
  if (memory.count > 0) wanted = std::min(wanted, memory.count / 12);
  const std::int64_t grain = kGrain * kElement;
  return Bytes{std::max(grain, wanted / grain * grain)};
}

std::vector<CpuCase> plan_cpu(const CpuBenchRequest& request) {
  std::vector<CpuCase> cases;
  const std::int64_t beyond = request.array.count / kElement / kGrain * kGrain;
  for (const CacheLevel& cache : request.caches) {
    for (const Form& form : all_forms()) {
      if (!form.set.in_caches) continue;
      cases.push_back({&form, cache.name, std::min(beyond, elements_within(cache, request.threads)),
                       request.threads, true});
    }
  }
  for (const Form& form : all_forms()) {
    if (request.quick && !form.set.quick) continue;
    if (form.set.pages != PageKind::huge) continue;
    const auto counts = form.set.in_caches ? thread_counts(request.threads, request.quick)
                                           : std::vector<int>{request.threads};
    for (const int threads : counts) cases.push_back({&form, kMemory, beyond, threads, false});
  }
  for (const Form& form : all_forms()) {
    if (form.set.pages != PageKind::small) continue;
    cases.push_back({&form, kMemory, beyond, request.threads, false});
  }
  if (request.nodes.size() > 1) {
    for (const Form& form : all_forms()) {
      if (form.operation == Operation::triad && form.set.in_caches) {
        const int threads = std::min(request.threads, static_cast<int>(request.nodes[1].size()));
        cases.push_back({&form, kMemory, beyond, threads, false, true});
      }
    }
  }
  if (request.only) {
    std::erase_if(cases, [&](const CpuCase& one) { return one.form->operation != *request.only; });
  }
  return cases;
}

Result<std::vector<Measurement>> measure_cpu(const CpuBenchRequest& request,
                                             const std::atomic<int>& interrupts,
                                             const ProgressCallback& on_progress) {
  const auto cases = plan_cpu(request);
  std::vector<Measurement> found;
  CaseRunner runner(request);
  const std::int64_t shared = request.caches.empty() ? 0 : request.caches.back().size.count;
  for (const CpuCase& one : cases) {
    if (interrupts > 0) break;
    on_progress(std::ssize(found), std::ssize(cases),
                fmt::format("{}, {}", kOperations.of(one.form->operation), one.form->name));
    const Shape shape{.elements = one.elements,
                      .columns = columns_of(one.form->operation),
                      .stride = one.form->set.stride,
                      .resident = one.resident,
                      .shared_cache_bytes = shared};
    TACHO_TRY(measured, runner.measure(one, shape));
    found.push_back(std::move(measured));
  }
  return found;
}

}  // namespace tacho::bandwidth
