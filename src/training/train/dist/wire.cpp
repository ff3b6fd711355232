#include "training/train/dist/wire.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "training/train/guarded.h"

#if defined(USE_C10D_GLOO) && __has_include(<gloo/transport/device.h>)
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#define TACHO_HAS_GLOO
#endif

namespace tacho {

#ifdef TACHO_HAS_GLOO
namespace {

// Lets Gloo's peers find each other: values that one rank sets are sent over the control line.
// Implements only what connecting needs. torch's TCPStore listens on every address and answers
// anyone.
class RendezvousStore final : public c10d::HashStore {
 public:
  RendezvousStore(Rendezvous& rendezvous, std::string name, std::chrono::milliseconds timeout)
      : rendezvous_(rendezvous), name_(std::move(name)), longest_(timeout) {}

  void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
    rendezvous_.post(full(key), hex_of(value));
  }
  std::vector<std::uint8_t> get(const std::string& key) override {
    return bytes_of(posted(key, longest_));
  }
  void wait(const std::vector<std::string>& keys) override { wait(keys, longest_); }
  void wait(const std::vector<std::string>& keys,
            const std::chrono::milliseconds& timeout) override {
    for (const std::string& key : keys) posted(key, timeout);
  }
  bool check(const std::vector<std::string>& keys) override {
    return std::all_of(keys.begin(), keys.end(), [this](const std::string& key) {
      return rendezvous_.posted(full(key), std::chrono::milliseconds(0)).ok();
    });
  }
#if TORCH_VERSION_MAJOR >= 2
  [[nodiscard]] bool hasExtendedApi() const override { return false; }
#endif

 private:
  [[nodiscard]] std::string full(const std::string& key) const { return name_ + "/" + key; }
  std::string posted(const std::string& key, std::chrono::milliseconds time) {
    auto text = rendezvous_.posted(full(key), time);
    if (!text.ok()) throw std::runtime_error(text.error().message);
    return *std::move(text);
  }

  static std::string hex_of(const std::vector<std::uint8_t>& bytes) {
    return fmt::format("{:02x}", fmt::join(bytes, ""));
  }
  static std::vector<std::uint8_t> bytes_of(std::string_view text) {
    std::vector<std::uint8_t> bytes(text.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, bytes[i], 16);
    }
    return bytes;
  }

  Rendezvous& rendezvous_;
  const std::string name_;
  const std::chrono::milliseconds longest_;
};

// The group keeps its store, which it needs only to connect, and may outlive what the store uses.
class BriefStore final : public c10d::PrefixStore {
 public:
  explicit BriefStore(c10::intrusive_ptr<c10d::Store> store) : PrefixStore("", std::move(store)) {}
  void forget() { store_ = c10::make_intrusive<c10d::HashStore>(); }
};

class GlooWire final : public Wire {
 public:
  GlooWire(const Options& options, Rendezvous& rendezvous)
      : rank_(options.rank), size_(options.size) {
    auto gloo = c10d::ProcessGroupGloo::Options::create(options.timeout);
    gloo->devices = {c10d::ProcessGroupGloo::createDeviceForHostname(options.address)};
    gloo->threads = 1;
    const auto store = c10::make_intrusive<BriefStore>(
        c10::make_intrusive<RendezvousStore>(rendezvous, options.name, options.timeout));
    group_.emplace(store, rank_, size_, gloo);
    store->forget();
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  Result<void> all_reduce(at::Tensor& sum) override {
    return waited([&] {
      std::vector<at::Tensor> tensors{sum};
      return group_->allreduce(tensors);
    });
  }
  Result<void> broadcast(at::Tensor& values) override {
    return waited([&] {
      std::vector<at::Tensor> tensors{values};
      return group_->broadcast(tensors);
    });
  }
  Result<void> all_gather(const at::Tensor& mine, at::Tensor& all) override {
    return swap(std::vector<at::Tensor>(static_cast<std::size_t>(size_), mine), all.chunk(size_));
  }
  Result<void> all_to_all(const at::Tensor& out, at::Tensor& in) override {
    return swap(out.chunk(size_), in.chunk(size_));
  }

 private:
  template <class Start>
  Result<void> waited(const Start& start) {
    return guarded([&]() -> Result<void> {
      start()->wait();
      return {};
    });
  }

  // Sends out[i] to rank i and receives in[i] from it. Gloo's all_gather and alltoall send first
  // and then receive on the same connection: of two ranks one is then silent until it has received
  // everything, and half of the bandwidth is unused.
  Result<void> swap(const std::vector<at::Tensor>& out, const std::vector<at::Tensor>& in) {
    return guarded([&]() -> Result<void> {
      constexpr int kTag = 0;  // messages between two ranks stay in order
      std::vector<at::Tensor> one(1);
      std::vector<decltype(group_->send(one, 0, kTag))> under_way;
      for (int step = 1; step < size_; ++step) {
        const int from = (rank_ + size_ - step) % size_;
        one[0] = in[static_cast<std::size_t>(from)];
        under_way.push_back(group_->recv(one, from, kTag));
      }
      for (int step = 1; step < size_; ++step) {
        const int to = (rank_ + step) % size_;
        one[0] = out[static_cast<std::size_t>(to)];
        under_way.push_back(group_->send(one, to, kTag));
      }
      const auto own = static_cast<std::size_t>(rank_);
      in[own].copy_(out[own]);
      for (const auto& work : under_way) work->wait();
      return {};
    });
  }

  int rank_;
  int size_;
  std::optional<c10d::ProcessGroupGloo> group_;
};

}  // namespace

Result<std::unique_ptr<Wire>> Wire::connect(const Options& options, Rendezvous& rendezvous) {
  return guarded([&]() -> Result<std::unique_ptr<Wire>> {
    return std::unique_ptr<Wire>(std::make_unique<GlooWire>(options, rendezvous));
  });
}

std::string why_no_wire() { return {}; }
#else
namespace {
const Error kNoGloo{ErrorCode::unavailable,
                    "this build has no Gloo; install libgloo-dev and rebuild, or use --backend "
                    "shm on one machine, nccl on GPUs"};
}  // namespace

std::string why_no_wire() { return kNoGloo.message; }
Result<std::unique_ptr<Wire>> Wire::connect(const Options& /*options*/,
                                            Rendezvous& /*rendezvous*/) {
  return kNoGloo;
}
#endif

}  // namespace tacho
