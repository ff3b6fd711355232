#include "train/dist/wire.h"

#include "train/guarded.h"

#if defined(USE_C10D_GLOO) && __has_include(<gloo/transport/device.h>)
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#define TACHO_HAS_GLOO
#endif

namespace tacho {

#ifdef TACHO_HAS_GLOO
namespace {

c10d::TCPStoreOptions store_options(std::uint16_t port, bool serves,
                                    std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = port;
  options.isServer = serves;
  options.waitWorkers = false;
  options.timeout = timeout;
#if TORCH_VERSION_MAJOR >= 2
  options.useLibUV = false;
#endif
  return options;
}

class TcpWireStore final : public WireStore {
 public:
  explicit TcpWireStore(const std::string& address)
      : store_(c10::make_intrusive<c10d::TCPStore>(
            address, store_options(0, true, c10d::Store::kDefaultTimeout))) {}
  [[nodiscard]] std::uint16_t port() const override { return store_->getPort(); }

 private:
  c10::intrusive_ptr<c10d::TCPStore> store_;
};

// The group keeps its store, which it needs only to connect. A TCPStore whose server is gone must
// not be kept: torch 1.13's watches for keys in a thread that then spins.
class BriefStore final : public c10d::PrefixStore {
 public:
  explicit BriefStore(c10::intrusive_ptr<c10d::Store> store) : PrefixStore("", std::move(store)) {}
  void forget() { store_ = c10::make_intrusive<c10d::HashStore>(); }
};

class GlooWire final : public Wire {
 public:
  explicit GlooWire(const Options& options) : rank_(options.rank), size_(options.size) {
    auto gloo = c10d::ProcessGroupGloo::Options::create(options.timeout);
    gloo->devices = {c10d::ProcessGroupGloo::createDeviceForHostname(options.address)};
    gloo->threads = 1;
    const auto store = c10::make_intrusive<BriefStore>(c10::make_intrusive<c10d::TCPStore>(
        options.store, store_options(options.port, false, options.timeout)));
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

  // out[i] to rank i, in[i] from it. Gloo's own all_gather and alltoall send first and ask for the
  // other's part behind that, on the same connection: of two ranks one is then silent until it has
  // all of the other's, and half of the line is idle.
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

Result<std::unique_ptr<Wire>> Wire::connect(const Options& options) {
  return guarded([&]() -> Result<std::unique_ptr<Wire>> {
    return std::unique_ptr<Wire>(std::make_unique<GlooWire>(options));
  });
}

Result<std::unique_ptr<WireStore>> WireStore::open(const std::string& address) {
  return guarded([&]() -> Result<std::unique_ptr<WireStore>> {
    return std::unique_ptr<WireStore>(std::make_unique<TcpWireStore>(address));
  });
}

std::string why_no_wire() { return {}; }
#else
namespace {
const Error kNoGloo{ErrorCode::unavailable,
                    "this build has no Gloo; install libgloo-dev and build again, or use --backend "
                    "shm on one machine, nccl on GPUs"};
}  // namespace

std::string why_no_wire() { return kNoGloo.message; }
Result<std::unique_ptr<Wire>> Wire::connect(const Options& /*options*/) { return kNoGloo; }
Result<std::unique_ptr<WireStore>> WireStore::open(const std::string& /*address*/) {
  return kNoGloo;
}
#endif

}  // namespace tacho
