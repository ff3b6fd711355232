#include "predict/speed/training_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"
#include "predict/speed/made_jobs.h"

namespace tacho {
namespace {

using testing::HasSubstr;

constexpr const char* kHeader =
    "model,family,framework,precision,layout,gpu,num_gpus,num_nodes,batch_per_gpu,gmacs,macts_M,"
    "params_M,input_shape,data_kind\n";

Result<std::vector<TrainingJob>> read(const std::string& text) {
  TACHO_TRY(records, read_csv(text));
  return read_jobs(records, made::gpus());
}

TEST(TrainingJobs, AreReadWithWhatIsUnknownLeftEmpty) {
  const auto jobs =
      read(std::string(kHeader) +
           "resnet50,cnn,\"PyTorch, own\",amp,nhwc,G1,8,2,32,4.1,11,25,3x224x224,real\n"
           "mystery,,,,,g0,,,,,,,,\n");
  ASSERT_TRUE(jobs.ok()) << jobs.error().message;
  EXPECT_EQ((*jobs)[0].framework, "PyTorch, own");
  EXPECT_EQ((*jobs)[0].num_gpus, 8);
  EXPECT_EQ((*jobs)[1].num_gpus, 1);
  EXPECT_EQ((*jobs)[1].gpu, "G0");
  EXPECT_FALSE((*jobs)[1].gmacs);
}

TEST(TrainingJobs, WrongOnesAreRefusedWithTheirLineAndTheFix) {
  const std::string good = "resnet50,cnn,x,amp,,G1,8,2,32,4.1,11,25,,real\n";
  for (const auto& [row, said] : {std::pair{"a,,,,,G9,1,1,32,,,,,\n", "line 3: unknown GPU 'G9'"},
                                  {"a,,,,,G1,1,1,many,,,,,\n", "line 3: batch_per_gpu: 'many'"},
                                  {"a,,,,,G1,1,1,-3,,,,,\n", "line 3: batch_per_gpu: -3"},
                                  {"a,,,,,G1,1,1,inf,,,,,\n", "line 3: batch_per_gpu: 'inf'"},
                                  {"a,,,,,G1,0,1,1,,,,,\n", "num_gpus"},
                                  {"a,,,,,G1,2,4,1,,,,,\n", "num_nodes"},
                                  {"a,,,fp31,,G1,2,1,1,,,,,\n", "fp32"},
                                  {",,,,,G1,2,1,1,,,,,\n", "the model is missing"},
                                  {"a,,,,,,2,1,1,,,,,\n", "the GPU is missing"},
                                  {"a,b\n", "line 3: 2 cells"}}) {
    const auto jobs = read(kHeader + good + row);
    ASSERT_FALSE(jobs.ok()) << row;
    EXPECT_THAT(jobs.error().message, HasSubstr(said));
  }
}

TEST(TrainingJobs, AMissingColumnIsNamedWithTheOneMistakenForIt) {
  const auto jobs = read("model,GPU,num_gpu\nx,y,1\n");
  ASSERT_FALSE(jobs.ok());
  EXPECT_THAT(jobs.error().message, HasSubstr("column 'family' is missing"));
}

TEST(TrainingJobs, AcceleratorsThatAreNoGpusAreTaken) {
  const auto jobs = read(std::string(kHeader) + "a,,,,,TPUv2,8,1,32,,,,,\n");
  ASSERT_TRUE(jobs.ok()) << jobs.error().message;
}

TEST(TrainingJobs, SurviveDamage) {
  Random random(9, 9);
  const std::string text =
      std::string(kHeader) +
      "resnet50,cnn,\"Py\"\"Torch\",amp,nhwc,G1,8,2,32,4.1,11,25,3x224x224,real\n"
      "bert,transformer,,fp32,,G2,1,1,8,,,,seq128,\n";
  for (int i = 0; i < 3000; ++i) {
    const auto jobs = read(mutated(text, random));
    EXPECT_TRUE(jobs.ok() || !jobs.error().message.empty());
  }
}

}  // namespace
}  // namespace tacho
