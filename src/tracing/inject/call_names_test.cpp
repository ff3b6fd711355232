#include "tracing/inject/call_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracing/inject/fake_cupti.h"

namespace tacho {
namespace {

std::vector<std::uint32_t>& enabled_one_by_one() {
  static std::vector<std::uint32_t> list;
  return list;
}

TEST(CallName, HasNoVersion) {
  EXPECT_EQ(plain_call_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(plain_call_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(plain_call_name("cuMemcpyHtoDAsync_v2_ptsz"), "cuMemcpyHtoDAsync");
  EXPECT_EQ(plain_call_name("cuLaunchKernelEx"), "cuLaunchKernelEx");
  EXPECT_EQ(plain_call_name("cu_verify"), "cu_verify");
}

TEST(CallName, IsWorthTracingIfItStartsMovesOrWaits) {
  for (const char* name : {"cudaLaunchKernel",
                           "cudaLaunchKernelExC",
                           "cuLaunchKernelEx",
                           "cudaLaunchCooperativeKernel",
                           "cudaGraphLaunch",
                           "cuGraphLaunch",
                           "cudaGraphInstantiateWithFlags",
                           "cudaMemcpyAsync",
                           "cudaMemcpy",
                           "cuMemcpyHtoDAsync",
                           "cudaMemset",
                           "cudaMemsetAsync",
                           "cuMemsetD8Async",
                           "cudaDeviceSynchronize",
                           "cudaStreamSynchronize",
                           "cudaEventSynchronize",
                           "cudaStreamWaitEvent",
                           "cudaEventRecord",
                           "cudaMalloc",
                           "cudaFree",
                           "cudaHostAlloc",
                           "cudaMallocHost",
                           "cudaMallocAsync",
                           "cuMemAlloc",
                           "cuModuleLoadData"}) {
    EXPECT_TRUE(is_worth_tracing(name)) << name;
  }
}

TEST(CallName, IsNotWorthTracingIfItOnlyQueries) {
  for (const char* name :
       {"cudaGetDevice", "cudaSetDevice", "cudaGetLastError", "cudaPeekAtLastError",
        "cudaStreamIsCapturing", "cudaEventQuery", "cudaEventCreateWithFlags",
        "cudaPointerGetAttributes", "cudaDeviceGetAttribute", "cudaFuncSetAttribute",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "cudaGraphAddMemcpyNode",
        "cudaGraphKernelNodeGetAttribute", "cuPointerGetAttribute", "cuCtxGetCurrent"}) {
    EXPECT_FALSE(is_worth_tracing(name)) << name;
  }
}

TEST(CallName, DeterminesTheKindOfWait) {
  EXPECT_EQ(wait_of("cudaEventSynchronize"), SyncKind::event);
  EXPECT_EQ(wait_of("cuStreamSynchronize"), SyncKind::stream);
  EXPECT_EQ(wait_of("cudaDeviceSynchronize"), SyncKind::context);
  EXPECT_EQ(wait_of("cuCtxSynchronize"), SyncKind::context);
  EXPECT_EQ(wait_of("cudaStreamWaitEvent"), SyncKind::stream_waits_event);
  EXPECT_EQ(wait_of("cudaLaunchKernel"), std::nullopt);
  EXPECT_EQ(wait_of("cudaEventRecord"), std::nullopt);
}

TEST(Calls, AreEnabledOneByOneIfSupported) {
  FakeCupti::get().reset(kCuda13_0);
  CuptiApi api = FakeCupti::get().api();
  enabled_one_by_one().clear();
  api.enable_runtime_call = [](std::uint32_t callback, std::uint8_t on) {
    EXPECT_EQ(on, 1);
    enabled_one_by_one().push_back(callback);
    return kCuptiSuccess;
  };
  EXPECT_EQ(enable_calls(api, CallDomain::runtime), kCuptiSuccess);
  EXPECT_THAT(enabled_one_by_one(), testing::ElementsAre(13, 41, 131, 147, 165));
  EXPECT_THAT(FakeCupti::get().enabled, testing::IsEmpty());
}

TEST(Calls, AreAllEnabledOtherwise) {
  FakeCupti::get().reset(kCuda12_0);
  const CuptiApi api = FakeCupti::get().api();
  EXPECT_EQ(enable_calls(api, CallDomain::runtime), kCuptiSuccess);
  EXPECT_EQ(enable_calls(api, CallDomain::driver), kCuptiSuccess);
  EXPECT_THAT(FakeCupti::get().enabled, testing::ElementsAre(5, 4));
}

}  // namespace
}  // namespace tacho
