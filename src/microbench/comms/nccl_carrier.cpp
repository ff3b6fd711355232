#include "microbench/comms/nccl_carrier.h"

#include <fmt/format.h>

namespace tacho {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kMeeting = 256;  // bytes after the message; keeps alignment

Result<NcclApi::Id> id_from_text(std::string_view text) {
  NcclApi::Id id{};
  if (text.size() != 2 * id.size()) return Error{ErrorCode::failed, "rank 0 shared no NCCL id"};
  for (std::size_t i = 0; i < id.size(); ++i) {
    const auto high = kDigits.find(text[2 * i]);
    const auto low = kDigits.find(text[2 * i + 1]);
    id[i] = static_cast<char>(high * 16 + low);
  }
  return id;
}

void* pointer_to(CudaApi::Address address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));  // NOLINT: a GPU address
}

}  // namespace

Result<std::string> NcclCarrier::make_id(const NcclApi& nccl) {
  NcclApi::Id id{};
  if (const int status = nccl.get_id(&id); status != 0) {
    return Error{ErrorCode::failed,
                 fmt::format("NCCL: cannot create an id: {}", nccl.error(status))};
  }
  std::string text;
  for (const char byte : id) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value / 16];
    text += kDigits[value % 16];
  }
  return text;
}

Result<std::unique_ptr<NcclCarrier>> NcclCarrier::join(const GpuApis& apis,
                                                       const Position& position,
                                                       std::string_view id) {
  std::unique_ptr<NcclCarrier> carrier(new NcclCarrier(apis, position));
  TACHO_CHECK(carrier->connect(id));
  return carrier;
}

Result<void> NcclCarrier::connect(std::string_view id) {
  TACHO_TRY(read, id_from_text(id));
  int device = 0;
  void* context = nullptr;
  TACHO_CHECK(cuda(apis_.cuda.init(0), "no driver"));
  TACHO_CHECK(cuda(apis_.cuda.device_get(&device, position_.gpu), "no such GPU"));
  TACHO_CHECK(cuda(apis_.cuda.retain_context(&context, device), "no context"));
  TACHO_CHECK(cuda(apis_.cuda.set_context(context), "no context"));
  TACHO_CHECK(cuda(apis_.cuda.make_stream(&stream_, 0), "no stream"));
  return nccl(apis_.nccl.join(&communicator_, position_.ranks, read, position_.rank),
              "cannot join");
}

NcclCarrier::~NcclCarrier() {
  if (communicator_ != nullptr) apis_.nccl.leave(communicator_);
  if (memory_ != 0) apis_.cuda.release(memory_);
}

Result<void> NcclCarrier::cuda(int status, const char* what) const {
  if (status == 0) return {};
  return Error{ErrorCode::failed,
               fmt::format("GPU {}: {} (CUDA driver error {})", position_.gpu, what, status)};
}

Result<void> NcclCarrier::nccl(int status, const char* what) const {
  if (status == 0) return {};
  return Error{ErrorCode::failed, fmt::format("NCCL: {}: {}", what, apis_.nccl.error(status))};
}

Result<void> NcclCarrier::finish() const {
  return cuda(apis_.cuda.finish_stream(stream_), "a collective failed");
}

Result<void> NcclCarrier::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return {};
  if (memory_ != 0) apis_.cuda.release(memory_);
  memory_ = 0;
  capacity_ = 0;
  TACHO_CHECK(cuda(apis_.cuda.allocate(&memory_, bytes + 2 * kMeeting), "no memory for messages"));
  capacity_ = bytes;
  return {};
}

Result<void> NcclCarrier::open(Collective collective, std::int64_t bytes) {
  collective_ = collective;
  bytes_ = bytes;
  return reserve(static_cast<std::size_t>(bytes));
}

// For an in-place all-gather a rank's part must be at its offset in the result.
CudaApi::Address NcclCarrier::own_place() const {
  if (collective_ != Collective::all_gather) return memory_;
  const std::int64_t part = own_bytes(collective_, bytes_, position_.ranks);
  return memory_ + static_cast<CudaApi::Address>(position_.rank * part);
}

Result<void> NcclCarrier::put(std::span<const std::byte> mine) {
  return cuda(apis_.cuda.copy_in(own_place(), mine.data(), mine.size()), "cannot copy a message");
}

Result<void> NcclCarrier::take(std::span<std::byte> all) {
  return cuda(apis_.cuda.copy_out(all.data(), memory_, all.size()), "cannot copy a message");
}

Result<void> NcclCarrier::call() {
  void* message = pointer_to(memory_);
  const auto bytes = static_cast<std::size_t>(bytes_);
  const auto own = static_cast<std::size_t>(own_bytes(collective_, bytes_, position_.ranks));
  int status = 0;
  switch (collective_) {
    case Collective::all_reduce:
      status = apis_.nccl.all_reduce(message, message, bytes / sizeof(float), NcclApi::kFloat,
                                     NcclApi::kSum, communicator_, stream_);
      break;
    case Collective::broadcast:
      status =
          apis_.nccl.broadcast(message, message, bytes, NcclApi::kByte, 0, communicator_, stream_);
      break;
    case Collective::all_gather:
      status = apis_.nccl.all_gather(pointer_to(own_place()), message, own, NcclApi::kByte,
                                     communicator_, stream_);
      break;
  }
  TACHO_CHECK(nccl(status, "a collective failed"));
  return finish();
}

Result<void> NcclCarrier::meet() {
  const auto behind = (capacity_ + kMeeting - 1) / kMeeting * kMeeting;
  void* number = pointer_to(memory_ + behind);
  TACHO_CHECK(nccl(apis_.nccl.all_reduce(number, number, 1, NcclApi::kFloat, NcclApi::kSum,
                                         communicator_, stream_),
                   "the barrier failed"));
  return finish();
}

}  // namespace tacho
