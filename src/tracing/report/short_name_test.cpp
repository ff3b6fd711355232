#include "tracing/report/short_name.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(ShortKernelName, DropsReturnTypeNamespacesAndParameters) {
  EXPECT_EQ(
      short_kernel_name("void at::native::vectorized_elementwise_kernel<4, "
                        "at::native::FillFunctor<float>>(int, at::native::FillFunctor<float>)"),
      "vectorized_elementwise_kernel<4, FillFunctor<float>>");
  EXPECT_EQ(short_kernel_name("void foo<(anonymous namespace)::bar(int)>(float (*)(int))"),
            "foo<bar(int)>");
  EXPECT_EQ(short_kernel_name("void at::native::norm<float>(torch::Accessor<float"), "norm<float>");
  EXPECT_EQ(short_kernel_name("ampere_sgemm_128x64_nn"), "ampere_sgemm_128x64_nn");
}

TEST(ShortKernelName, LeavesOddNamesAlone) {
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name("(x)"), "(x)");
  EXPECT_EQ(short_kernel_name("a)"), "a)");
}

}  // namespace
}  // namespace tacho
