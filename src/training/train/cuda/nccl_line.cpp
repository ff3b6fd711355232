#include "training/train/cuda/nccl_line.h"

#include <c10/cuda/CUDAGuard.h>

#include "training/kernels/kernels.h"
#include "training/train/guarded.h"

namespace tacho {
namespace {

// Encodes an id as text for the control line.
std::string to_text(const Nccl::Id& id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : id) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

Result<Nccl::Id> id_from_text(std::string_view text) {
  Nccl::Id id{};
  const auto digit = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  if (text.size() != 2 * id.size())
    return Error{ErrorCode::invalid, "rank 0 sent no valid NCCL id"};
  for (std::size_t i = 0; i < id.size(); ++i) {
    id[i] = static_cast<char>(digit(text[2 * i]) << 4U | digit(text[2 * i + 1]));
  }
  return id;
}

class NcclExchange final : public Exchange {
 public:
  NcclExchange(std::shared_ptr<Nccl> nccl, int ranks) : nccl_(std::move(nccl)), ranks_(ranks) {}

  [[nodiscard]] std::string name() const override { return "nccl"; }
  Result<at::Tensor> allocate(std::int64_t count) override { return at::zeros({count}); }
  Result<void> sum(at::Tensor& values) override {
    sent_ += ring_bytes(static_cast<std::int64_t>(values.nbytes()), ranks_);
    return on_gpu(values, [&](const at::Tensor& t, cudaStream_t s) { return nccl_->sum(t, s); });
  }
  Result<void> broadcast(at::Tensor& values) override {
    return on_gpu(values,
                  [&](const at::Tensor& t, cudaStream_t s) { return nccl_->broadcast(t, s); });
  }
  [[nodiscard]] std::int64_t sent_bytes() const override { return sent_; }

 private:
  template <class Work>
  Result<void> on_gpu(at::Tensor& values, const Work& work) {
    const at::Tensor on_device = values.to(at::kCUDA);
    TACHO_CHECK(work(on_device, at::cuda::getCurrentCUDAStream().stream()));
    values.copy_(on_device);
    return {};
  }

  std::shared_ptr<Nccl> nccl_;
  int ranks_;
  std::int64_t sent_ = 0;
};

}  // namespace

NcclLine::NcclLine(std::shared_ptr<Nccl> nccl, const Options& options)
    : nccl_(std::move(nccl)), options_(options), stream_(at::cuda::getStreamFromPool(true)) {}

Result<std::unique_ptr<NcclLine>> NcclLine::connect(const Options& options,
                                                    Rendezvous& rendezvous) {
  std::string text;
  if (options.rank == 0) {
    TACHO_TRY(made, Nccl::make_id());
    text = to_text(made);
  }
  TACHO_TRY(shared, rendezvous.share("NCCL's id", text));
  TACHO_TRY(id, id_from_text(shared));
  TACHO_TRY(nccl, Nccl::join(id, options.rank, options.ranks));
  if (options.ranks > 1) kernels::leave_room_in_backward();
  return std::unique_ptr<NcclLine>(new NcclLine(std::move(nccl), options));
}

std::unique_ptr<Exchange> NcclLine::exchange() {
  return std::make_unique<NcclExchange>(nccl_, options_.ranks);
}

// A stream waits for the state of the event at the time of the call, so one event serves all.
void NcclLine::join(const at::cuda::CUDAStream& first, const at::cuda::CUDAStream& then) {
  reached_.record(first);
  reached_.block(then);
}

Result<void> NcclLine::average(std::size_t bucket, const std::vector<at::Tensor>& values) {
  if (options_.captured || values.size() == 1) return nccl_->average(values, stream_.stream());
  const torch::NoGradGuard no_grad;
  const c10::cuda::CUDAStreamGuard on_stream(stream_);
  Block& block = blocks_[bucket];
  if (block.places.empty()) {
    std::int64_t count = 0;
    for (const at::Tensor& tensor : values) count += tensor.numel();
    block.values = at::empty({count}, values.front().options());
    std::int64_t at = 0;
    for (const at::Tensor& tensor : values) {
      block.places.push_back(block.values.as_strided(tensor.sizes(), tensor.strides(), at));
      at += tensor.numel();
    }
  }
  at::_foreach_copy_(block.places, values);
  TACHO_CHECK(nccl_->average({block.values}, stream_.stream()));
  // The optimizer reads the averages in the block; copying them back would cost the host as much as
  // copying them in.
  for (std::size_t i = 0; i < values.size(); ++i) {
    in_flight_.push_back(values[i].storage());
    values[i].set_data(block.places[i]);
  }
  return {};
}

void NcclLine::send(std::size_t bucket, std::vector<at::Tensor> values) {
  join(at::cuda::getCurrentCUDAStream(), stream_);
  if (const auto sent = average(bucket, values); !sent.ok()) error_ = sent.error();
  for (const at::Tensor& tensor : values) {
    const auto bytes = static_cast<std::int64_t>(tensor.nbytes());
    sent_.payload_bytes += bytes;
    sent_.wire_bytes += ring_bytes(bytes, options_.ranks);
    in_flight_.push_back(tensor.storage());
  }
}

Result<ExchangeTimes> NcclLine::finish() {
  join(stream_, at::cuda::getCurrentCUDAStream());
  in_flight_.clear();
  if (error_) return *error_;
  return std::exchange(sent_, {});
}

}  // namespace tacho
