// All-reduces between the ranks of one host through shared memory and through Gloo, in alternation,
// as with a run's --backend, compared with the minimum of memory traffic.
//
//   exchange_bench [RANKS…]
//
// "shm, copied" sums values in memory that the exchange did not allocate. "of limit": an all-reduce
// must at least read every value of a rank and write its sum. The share is the time for doing only
// that on all ranks at once, divided by the time of the all-reduce.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "base/units.h"
#include "machine/comm/place.h"
#include "machine/comm/rendezvous.h"
#include "machine/comm/tcp.h"
#include "training/train/dist/connect.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

template <class T>
T must(Result<T> result) {
  if (!result.ok()) broken_invariant(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

struct Case {
  std::int64_t bytes;
  int repeats;
  int calls;  // timed together: after a barrier ranks may differ by a microsecond
};
constexpr std::array kCases{Case{1 << 10, 101, 20}, Case{64 << 10, 101, 10}, Case{1 << 20, 41, 4},
                            Case{10 << 20, 25, 1}, Case{100'000'000, 11, 1}};

double median(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

double seconds_since(Clock::time_point start) { return Seconds(Clock::now() - start).count(); }

// Whole numbers this small add up exactly in any order.
at::Tensor numbers(std::int64_t count, int rank) {
  return at::arange(count).mul(7).add(13 * rank).remainder(1024).to(at::kFloat);
}

void verify(Exchange& exchange, at::Tensor& values, const Place& place) {
  values.copy_(numbers(values.numel(), place.rank));
  must(exchange.sum(values));
  at::Tensor expected = at::zeros_like(values);
  for (int rank = 0; rank < place.size; ++rank) expected += numbers(values.numel(), rank);
  if (!values.equal(expected)) broken_invariant(exchange.name() + ": wrong sum");
}

struct Contender {
  std::string name;
  Exchange& exchange;
  at::Tensor values;
  std::vector<double> seconds = {};
};

void report(int ranks, const Case& one, const std::vector<Contender>& contenders, double limit) {
  const double gloo = median(contenders.back().seconds);
  for (const Contender& contender : contenders) {
    const double middle = median(contender.seconds);
    const auto bytes = static_cast<double>(one.bytes);
    fmt::print("{:>5} {:>9} {:<11} {:>10} {:>8.2f} {:>7.1f}x {:>11.2f} {:>9}\n", ranks,
               human(Bytes{one.bytes}), contender.name, human(Seconds(middle)),
               bytes / middle / 1e9, gloo / middle, bytes / limit / 1e9,
               human_share(limit / middle));
  }
  std::fflush(stdout);
}

// All ranks leave it together, as precisely as possible.
void barrier(Exchange& exchange) {
  at::Tensor one = at::zeros({1});
  must(exchange.sum(one));
}

void measure(Exchange& shm, Exchange& gloo, const Case& one, const Place& place) {
  const std::int64_t count = one.bytes / static_cast<std::int64_t>(sizeof(float));
  std::vector<Contender> contenders{{"shm", shm, must(shm.allocate(count))},
                                    {"shm, copied", shm, at::zeros({count})},
                                    {"gloo", gloo, must(gloo.allocate(count))}};
  for (Contender& contender : contenders) {
    verify(contender.exchange, contender.values, place);
    barrier(shm);  // the other ranks have verified, too
    contender.values.zero_();
  }
  std::vector<float> own(static_cast<std::size_t>(count));
  std::vector<double> limits;
  for (int i = 0; i < one.repeats; ++i) {
    for (Contender& contender : contenders) {
      barrier(shm);
      const auto start = Clock::now();
      for (int call = 0; call < one.calls; ++call) must(contender.exchange.sum(contender.values));
      contender.seconds.push_back(seconds_since(start) / one.calls);
    }
    barrier(shm);
    const auto start = Clock::now();
    for (int call = 0; call < one.calls; ++call) {
      for (float& value : own) value += 1;
    }
    limits.push_back(seconds_since(start) / one.calls);
  }
  if (place.rank == 0) report(place.size, one, contenders, median(limits));
}

void run_rank(const Place& place) {
  at::set_num_threads(1);
  const auto rendezvous = must(Rendezvous::meet({place, std::chrono::seconds(15)}, {}));
  const std::string job = must(rendezvous->share("job", fmt::format("bench-{}", ::getpid())));
  DistSpec dist;
  dist.backend = DistBackend::shm;
  const auto shm = must(connect(dist, place.rank, *rendezvous, job));
  dist.backend = DistBackend::gloo;
  const auto gloo = must(connect(dist, place.rank, *rendezvous, job));
  for (const Case& one : kCases) measure(*shm, *gloo, one, place);
  rendezvous->leave("");
}

// fork() is not enough: a child of a process that has used OpenMP hangs.
bool run_ranks(const std::string& program, int ranks) {
  const UniqueFd listener = must(listen_at("127.0.0.1", 0));
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return false;
  std::vector<Process> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    Place place{.rank = rank, .size = ranks, .local_rank = rank, .local_size = ranks};
    place.port = ntohs(address.sin_port);
    Command command{.argv = {program}, .dies_with_parent = true};
    if (rank == 0) {
      place.listen_fd = listener.get();
      command.inherited = {listener.get()};
    }
    for (auto& [name, value] : environment_of(place)) command.environment[name] = value;
    processes.push_back(must(Process::start(command)));
  }
  bool well = true;
  for (Process& process : processes) well = process.wait().success() && well;
  return well;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  using namespace tacho;
  if (const auto place = must(place_from_environment(process_environment()))) {
    run_rank(*place);
    return 0;
  }
  std::vector<int> sizes{2, 4};
  if (argc > 1) sizes.clear();
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));  // NOLINT: a bench by hand
  fmt::print("{:>5} {:>9} {:<11} {:>10} {:>8} {:>8} {:>11} {:>9}\n", "ranks", "payload", "through",
             "median", "GB/s", "to gloo", "limit GB/s", "of limit");
  std::fflush(stdout);
  bool well = true;
  for (const int ranks : sizes) well = run_ranks("/proc/self/exe", ranks) && well;
  return well ? 0 : 1;
}
