#include "predict/speed/gpu_catalog.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"
#include "predict/speed/gpu_spec_file.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

using testing::HasSubstr;

GpuCatalog shipped() { return *GpuCatalog::parse(shipped_gpus_csv()); }

TEST(GpuCatalog, FindsGpusByNameAndByCommonNames) {
  const GpuCatalog gpus = shipped();
  EXPECT_EQ(gpus.all().size(), 61U);
  for (const auto& [said, meant] : {std::pair{"H100", "H100-SXM5-80GB"},
                                    {"rtx 3090", "RTX3090"},
                                    {"NVIDIA GeForce RTX 3090", "RTX3090"},
                                    {"Tesla T4", "T4"},
                                    {"a100-40gb", "A100-SXM4-40GB"}}) {
    const auto found = gpus.find(said);
    ASSERT_TRUE(found.ok()) << said;
    EXPECT_EQ((*found)->name, meant);
  }
}

TEST(GpuCatalog, SuggestsTheNearestNameForAnUnknownGpu) {
  const auto found = shipped().find("RTX3091");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::usage);
  EXPECT_THAT(found.error().message, HasSubstr("RTX3090"));
}

TEST(GpuCatalog, AFasterGpuIsSlowerInNothing) {
  const GpuCatalog gpus = shipped();
  const auto at_least = [&](const char* a, const char* b) {
    return is_at_least(**gpus.find(a), **gpus.find(b));
  };
  EXPECT_TRUE(at_least("A100-SXM4-80GB", "A100-SXM4-40GB"));
  EXPECT_TRUE(at_least("RTX3090", "RTX3080"));
  EXPECT_FALSE(at_least("RTX3080", "RTX3090"));
  EXPECT_FALSE(at_least("H100-SXM5-80GB", "A100-SXM4-80GB"));  // different architecture
}

TEST(GpuSpecFile, DescribesAGpuByItsDataSheet) {
  const auto gpu = read_gpu_spec(
      "name: B300\narchitecture: Blackwell\nmultiprocessors: 160\nfp32_tflops: 80\n"
      "half_tflops: 2400\nmemory_gb: 288\nmemory_gb_per_s: 8000\n",
      "b300.yaml");
  ASSERT_TRUE(gpu.ok()) << gpu.error().message;
  EXPECT_EQ(gpu->name, "B300");
  EXPECT_EQ(gpu->tf32_tflops, 80);
  EXPECT_EQ(gpu->nvlink_gb_per_s, 0);
}

TEST(GpuSpecFile, RejectsMissingUnknownAndOutOfRangeValues) {
  const auto missing = read_gpu_spec("name: X\n", "x.yaml");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("multiprocessors"));
  const auto unknown = read_gpu_spec("name: X\nmemory_gbs: 3\n", "x.yaml");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("memory_gb"));
  const auto absurd = read_gpu_spec(
      "name: X\nmultiprocessors: 10\nfp32_tflops: -3\nmemory_gb: 3\nmemory_gb_per_s: 100\n",
      "x.yaml");
  ASSERT_FALSE(absurd.ok());
  EXPECT_THAT(absurd.error().message, HasSubstr("-3"));
}

TEST(GpuCatalog, ReadsTheConnectionOrDerivesIt) {
  const GpuCatalog gpus = shipped();
  EXPECT_EQ((*gpus.find("RTX3090"))->peers, Peers::host);
  EXPECT_EQ((*gpus.find("RTX-A6000"))->peers, Peers::pcie);
  EXPECT_EQ((*gpus.find("H100"))->peers, Peers::nvlink);
  const std::string heading =
      "name,arch,sm_count,fp32_tflops,tf32_tflops,fp16_tensor_tflops,mem_gb,mem_bw_gbs,nvlink_gbs,"
      "pcie_gen,tdp_w";
  const std::string row = "X,Made,80,10,,,16,900,{},3,300";
  for (const auto& [nvlink, peers] : {std::pair{"300", Peers::nvlink}, {"100", Peers::pcie}}) {
    const auto guessed =
        GpuCatalog::parse(fmt::format("{}\n{}\n", heading, fmt::format(fmt::runtime(row), nvlink)));
    ASSERT_TRUE(guessed.ok()) << guessed.error().message;
    EXPECT_EQ(guessed->all()[0].peers, peers);
  }
  const auto parsed =
      GpuCatalog::parse(heading + ",peers\n" + fmt::format(fmt::runtime(row), 300) + ",host\n");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed->all()[0].peers, Peers::host);
}

TEST(GpuSpecFile, RejectsAnUnknownConnectionAndNvlinkWithoutABandwidth) {
  const std::string sheet =
      "name: X\nmultiprocessors: 10\nfp32_tflops: 3\nmemory_gb: 3\nmemory_gb_per_s: 100\n";
  const auto unknown = read_gpu_spec(sheet + "peers: nvlnk\n", "x.yaml");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("nvlink"));
  const auto absurd = read_gpu_spec(sheet + "peers: nvlink\n", "x.yaml");
  ASSERT_FALSE(absurd.ok());
  EXPECT_THAT(absurd.error().message, HasSubstr("NVLink"));
}

TEST(GpuCatalog, SurvivesDamage) {
  Random random(1, 7);
  const std::string csv(shipped_gpus_csv().substr(0, 3000));
  for (int i = 0; i < 500; ++i) {
    const auto gpus = GpuCatalog::parse(mutated(csv, random));
    EXPECT_TRUE(gpus.ok() || !gpus.error().message.empty());
  }
}

}  // namespace
}  // namespace tacho
