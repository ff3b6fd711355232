#include "training/train/cuda/nccl.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tacho {
namespace {

// Values from NCCL's interface, unchanged since version 2.
enum Status { kSuccess = 0 };
enum Operation { kSum = 0, kAverage = 4 };
enum Type { kByte = 1, kHalf = 6, kFloat = 7, kBfloat16 = 9 };

int type_of(const at::Tensor& values) {
  switch (values.scalar_type()) {
    case at::kHalf:
      return kHalf;
    case at::kBFloat16:
      return kBfloat16;
    default:
      return kFloat;
  }
}

}  // namespace

struct Nccl::Library {
  int (*get_id)(Id*);
  int (*init)(void**, int, Id, int);
  int (*all_reduce)(const void*, void*, std::size_t, int, int, void*, cudaStream_t);
  int (*broadcast)(const void*, void*, std::size_t, int, int, void*, cudaStream_t);
  int (*group_start)();
  int (*group_end)();
  int (*abort)(void*);
  int (*destroy)(void*);
  const char* (*error)(int);
};

Result<const Nccl::Library*> Nccl::library() {
  static const auto found = []() -> Result<Library> {
    void* handle = dlopen("libnccl.so.2", RTLD_NOW);
    if (handle == nullptr) {
      return Error{ErrorCode::unavailable, fmt::format("NCCL cannot be loaded: {}", dlerror())};
    }
    Library api{};
    bool complete = true;
    const auto take = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
      complete = complete && function != nullptr;
    };
    take("ncclGetUniqueId", api.get_id);
    take("ncclCommInitRank", api.init);
    take("ncclAllReduce", api.all_reduce);
    take("ncclBroadcast", api.broadcast);
    take("ncclGroupStart", api.group_start);
    take("ncclGroupEnd", api.group_end);
    take("ncclCommAbort", api.abort);
    take("ncclCommDestroy", api.destroy);
    take("ncclGetErrorString", api.error);
    if (!complete)
      return Error{ErrorCode::unavailable, "libnccl.so.2 lacks functions that Tacho needs"};
    return api;
  }();
  if (!found.ok()) return found.error();
  return &*found;
}

Result<Nccl::Id> Nccl::make_id() {
  TACHO_TRY(api, library());
  Id id{};
  if (const int status = api->get_id(&id); status != kSuccess) {
    return Error{ErrorCode::failed,
                 fmt::format("NCCL: cannot create an id: {}", api->error(status))};
  }
  return id;
}

Result<std::unique_ptr<Nccl>> Nccl::join(const Id& id, int rank, int ranks) {
  TACHO_TRY(api, library());
  void* communicator = nullptr;
  if (const int status = api->init(&communicator, ranks, id, rank); status != kSuccess) {
    return Error{ErrorCode::failed,
                 fmt::format("NCCL: rank {} cannot join: {}; each rank needs a separate GPU", rank,
                             api->error(status))};
  }
  return std::unique_ptr<Nccl>(new Nccl(*api, communicator, ranks));
}

Nccl::~Nccl() {
  if (communicator_ != nullptr) library_.destroy(communicator_);
}

void Nccl::abort() {
  if (communicator_ != nullptr) library_.abort(communicator_);
  communicator_ = nullptr;
}

Result<void> Nccl::checked(int status, const char* what) const {
  if (status == kSuccess) return {};
  return Error{ErrorCode::failed, fmt::format("NCCL: {}: {}", what, library_.error(status))};
}

Result<void> Nccl::reduce(const at::Tensor& values, int operation, cudaStream_t stream) {
  return checked(library_.all_reduce(values.data_ptr(), values.data_ptr(),
                                     static_cast<std::size_t>(values.numel()), type_of(values),
                                     operation, communicator_, stream),
                 "sum");
}

// One launch for all of them. With one rank the average equals the sum, which every NCCL version
// supports.
Result<void> Nccl::average(const std::vector<at::Tensor>& values, cudaStream_t stream) {
  TACHO_CHECK(checked(library_.group_start(), "group"));
  Result<void> done;
  for (const at::Tensor& tensor : values) {
    if (done.ok()) done = reduce(tensor, ranks_ == 1 ? kSum : kAverage, stream);
  }
  const auto ended = checked(library_.group_end(), "group");
  return done.ok() ? ended : done;
}

Result<void> Nccl::sum(const at::Tensor& values, cudaStream_t stream) {
  return reduce(values, kSum, stream);
}

Result<void> Nccl::broadcast(const at::Tensor& values, cudaStream_t stream) {
  return checked(library_.broadcast(values.data_ptr(), values.data_ptr(), values.nbytes(), kByte, 0,
                                    communicator_, stream),
                 "broadcast");
}

}  // namespace tacho
