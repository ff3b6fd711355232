#include "training/train/comms/gloo_carrier.h"

#include <cstring>
#include <numeric>

#include "training/train/dist/connect.h"
#include "training/train/dist/wire.h"
#include "training/train/guarded.h"

namespace tacho {
namespace {

class GlooCarrier final : public Carrier {
 public:
  explicit GlooCarrier(std::unique_ptr<Wire> wire) : wire_(std::move(wire)), one_(at::zeros({1})) {}

  Result<void> open(Collective collective, std::int64_t bytes) override {
    return guarded([&]() -> Result<void> {
      collective_ = collective;
      const bool sums = collective == Collective::all_reduce;
      all_ = sums ? at::zeros({bytes / static_cast<std::int64_t>(sizeof(float))}, at::kFloat)
                  : at::zeros({bytes}, at::kByte);
      mine_ = collective == Collective::all_gather
                  ? at::zeros({own_bytes(collective, bytes, wire_->size())}, at::kByte)
                  : all_;
      return {};
    });
  }
  Result<void> put(std::span<const std::byte> mine) override {
    std::memcpy(mine_.data_ptr(), mine.data(), mine.size());
    return {};
  }
  Result<void> call() override {
    switch (collective_) {
      case Collective::all_reduce:
        return wire_->all_reduce(all_);
      case Collective::broadcast:
        return wire_->broadcast(all_);
      case Collective::all_gather:
        return wire_->all_gather(mine_, all_);
    }
    return {};
  }
  Result<void> take(std::span<std::byte> all) override {
    std::memcpy(all.data(), all_.data_ptr(), all.size());
    return {};
  }
  Result<void> meet() override { return wire_->all_reduce(one_); }

 private:
  std::unique_ptr<Wire> wire_;
  Collective collective_ = Collective::all_reduce;
  at::Tensor mine_;
  at::Tensor all_;
  at::Tensor one_;
};

}  // namespace

Result<std::unique_ptr<Carrier>> connect_gloo_carrier(int rank, Rendezvous& rendezvous) {
  std::vector<int> everyone(rendezvous.members().size());
  std::iota(everyone.begin(), everyone.end(), 0);
  TACHO_TRY(wire, connect_wire(everyone, rank, rendezvous));
  return std::unique_ptr<Carrier>(std::make_unique<GlooCarrier>(std::move(wire)));
}

std::string why_no_gloo_carrier() { return why_no_wire(); }

void use_torch_threads(std::int64_t count) { at::set_num_threads(static_cast<int>(count)); }

}  // namespace tacho
