// The contract of every carrier, and detection of wrong results.
#include "microbench/comms/carrier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "machine/comm/shm_test_ranks.h"
#include "microbench/comms/nccl_carrier.h"
#include "microbench/comms/shm_carrier.h"

namespace tacho {
namespace {

using bandwidth::Collective;
using testing::HasSubstr;

constexpr std::array kAll = {Collective::all_reduce, Collective::broadcast, Collective::all_gather};

void expect_correct_results(Carrier& carrier, int rank, int ranks) {
  for (const Collective collective : kAll) {
    for (const std::int64_t size : {8, 1000, 300'001}) {
      const std::int64_t bytes = whole_bytes(collective, size, ranks);
      ASSERT_OK(carrier.open(collective, bytes));
      ASSERT_OK(verify(carrier, collective, bytes, rank, ranks));
      ASSERT_OK(carrier.meet());
      ASSERT_OK(carrier.call());
    }
  }
}

TEST(WholeBytes, AreWholeFloatsForASumAndEqualPartsForAGather) {
  EXPECT_EQ(whole_bytes(Collective::all_reduce, 10, 3), 8);
  EXPECT_EQ(whole_bytes(Collective::all_reduce, 1, 3), 4);
  EXPECT_EQ(whole_bytes(Collective::all_gather, 8, 3), 6);
  EXPECT_EQ(whole_bytes(Collective::all_gather, 8, 16), 16);
  EXPECT_EQ(own_bytes(Collective::all_gather, 6, 3), 2);
  EXPECT_EQ(own_bytes(Collective::broadcast, 6, 3), 6);
}

TEST(ShmCarrier, GivesCorrectResults) {
  for (const int ranks : {1, 2, 3}) {
    const std::string name = unique_name();
    std::vector<TestRank> started;
    for (int rank = 0; rank < ranks; ++rank) {
      started.emplace_back([=]() -> std::string {
        auto group = ShmGroup::join({.name = name, .rank = rank, .size = ranks});
        if (!group.ok()) return group.error().message;
        ShmCarrier carrier(*std::move(group), 300'004);
        expect_correct_results(carrier, rank, ranks);
        return testing::Test::HasFailure() ? "failed" : "";
      });
    }
    for (TestRank& rank : started) EXPECT_EQ(rank.message(), "");
  }
}

// Fake CUDA and NCCL for one rank, whose "GPU" is the memory of this process.
GpuApis fake_apis() {
  GpuApis apis;
  apis.cuda = {.init = [](unsigned) { return 0; },
               .device_count = [](int* count) { return *count = 1, 0; },
               .device_get = [](int* device, int ordinal) { return *device = ordinal, ordinal; },
               .retain_context = [](void**, int) { return 0; },
               .set_context = [](void*) { return 0; },
               .allocate =
                   [](CudaApi::Address* address, std::size_t bytes) {
                     *address = reinterpret_cast<std::uintptr_t>(std::calloc(bytes, 1));
                     return 0;
                   },
               .release =
                   [](CudaApi::Address address) {
                     std::free(reinterpret_cast<void*>(address));  // NOLINT: allocated above
                     return 0;
                   },
               .copy_in =
                   [](CudaApi::Address to, const void* from, std::size_t bytes) {
                     std::memcpy(reinterpret_cast<void*>(to), from, bytes);  // NOLINT
                     return 0;
                   },
               .copy_out =
                   [](void* to, CudaApi::Address from, std::size_t bytes) {
                     std::memcpy(to, reinterpret_cast<void*>(from), bytes);  // NOLINT
                     return 0;
                   },
               .make_stream = [](void**, unsigned) { return 0; },
               .finish_stream = [](void*) { return 0; }};
  apis.nccl = {.get_id = [](NcclApi::Id* id) { return id->fill('\xA7'), 0; },
               .join =
                   [](void** communicator, int ranks, NcclApi::Id id, int rank) {
                     static int world = 0;
                     *communicator = &world;
                     return ranks == 1 && rank == 0 && id.back() == '\xA7' ? 0 : 4;
                   },
               .leave = [](void*) { return 0; },
               .all_reduce = [](const void* from, void* to, std::size_t, int type, int operation,
                                void*, void*) { return from == to && type == 7 ? operation : 4; },
               .broadcast = [](const void* from, void* to, std::size_t, int type, int root, void*,
                               void*) { return from == to && type == 1 ? root : 4; },
               .all_gather = [](const void* from, void* to, std::size_t, int type, void*,
                                void*) { return from == to && type == 1 ? 0 : 4; },
               .error = [](int) { return "invalid argument"; }};
  return apis;
}

TEST(NcclCarrier, CallsNcclCorrectly) {
  const GpuApis apis = fake_apis();
  const auto id = NcclCarrier::make_id(apis.nccl);
  ASSERT_OK(id);
  EXPECT_EQ(id->size(), 2 * NcclApi::kIdBytes);
  EXPECT_TRUE(id->starts_with("a7a7"));
  const auto carrier = NcclCarrier::join(apis, {}, *id);
  ASSERT_OK(carrier);
  expect_correct_results(**carrier, 0, 1);
}

TEST(NcclCarrier, ReturnsTheErrorsOfNccl) {
  GpuApis apis = fake_apis();
  const std::string id(2 * NcclApi::kIdBytes, '0');
  EXPECT_THAT(NcclCarrier::join(apis, {}, id).error().message,
              HasSubstr("NCCL: cannot join: invalid argument"));
  EXPECT_THAT(NcclCarrier::join(apis, {.gpu = 3}, id).error().message, HasSubstr("GPU 3"));
  EXPECT_THAT(NcclCarrier::join(apis, {}, "").error().message, HasSubstr("no NCCL id"));
}

// Corrupts the last byte.
class Lossy final : public Carrier {
 public:
  Result<void> open(Collective, std::int64_t) override { return {}; }
  Result<void> put(std::span<const std::byte> mine) override {
    message_.assign(mine.begin(), mine.end());
    return {};
  }
  Result<void> call() override { return {}; }
  Result<void> take(std::span<std::byte> all) override {
    message_.back() = std::byte{255};
    std::ranges::copy(message_, all.begin());
    return {};
  }
  Result<void> meet() override { return {}; }

 private:
  std::vector<std::byte> message_;
};

TEST(Verify, NamesTheFirstWrongByte) {
  Lossy carrier;
  const auto found = verify(carrier, Collective::broadcast, 64, 0, 1);
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message,
              HasSubstr("broadcast of 64 B: the result of rank 0 is wrong from byte 63"));
}

}  // namespace
}  // namespace tacho
