#include "training/train/ops/op_work.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TracedTensor floats(std::vector<std::int64_t> shape) {
  TracedTensor tensor;
  tensor.shape = std::move(shape);
  tensor.bytes = 4 * tensor.count();
  tensor.is_float = true;
  return tensor;
}

TracedOp op(const char* name, std::vector<TracedTensor> inputs, std::vector<TracedTensor> outputs) {
  return {name, op_kind(name), std::move(inputs), std::move(outputs)};
}

// LeNet-5's second convolution of 64 samples, with each operator that torch may use.
TEST(OpWork, OfAConvolutionFollowsTheFormula) {
  const TracedTensor in = floats({64, 6, 14, 14});
  const TracedTensor weight = floats({16, 6, 5, 5});
  const TracedTensor bias = floats({16});
  const TracedTensor out = floats({64, 16, 10, 10});
  constexpr double kFlops = 2.0 * 64 * 16 * 10 * 10 * 6 * 5 * 5;
  constexpr double kBytes = 4.0 * (64 * 6 * 14 * 14 + 16 * 6 * 5 * 5 + 16 + 64 * 16 * 10 * 10);
  for (const char* name : {"aten::conv2d", "aten::convolution", "aten::_convolution",
                           "aten::mkldnn_convolution", "aten::_slow_conv2d_forward"}) {
    const OpWork work = work_of(op(name, {in, weight, bias}, {out}), {true});
    EXPECT_EQ(work.flops, kFlops) << name;
    EXPECT_EQ(work.bytes, kBytes) << name;
  }
  const TracedOp back = op("aten::convolution_backward", {out, in, weight}, {in, weight, bias});
  EXPECT_EQ(work_of(back, {true, true, true}).flops, 2 * kFlops);
  EXPECT_EQ(work_of(back, {false, true, true}).flops, kFlops) << "an image needs no gradient";
}

TEST(OpWork, OfProductsIsTwoFlopsPerMultiplyAdd) {
  const TracedTensor a = floats({64, 84});
  const TracedTensor b = floats({84, 10});
  const TracedTensor c = floats({64, 10});
  EXPECT_EQ(work_of(op("aten::mm", {a, b}, {c}), {true}).flops, 2.0 * 64 * 84 * 10);
  EXPECT_EQ(work_of(op("aten::addmm", {floats({10}), a, b}, {c}), {true}).flops,
            2.0 * 64 * 84 * 10);
  EXPECT_EQ(work_of(op("aten::linear", {a, floats({10, 84})}, {c}), {true}).flops,
            2.0 * 64 * 84 * 10);
  EXPECT_EQ(
      work_of(op("aten::bmm", {floats({8, 3, 5}), floats({8, 5, 7})}, {floats({8, 3, 7})}), {true})
          .flops,
      2.0 * 8 * 3 * 5 * 7);
}

TEST(OpWork, OfTheRestIsItsBytes) {
  const TracedTensor x = floats({64, 10});
  EXPECT_EQ(work_of(op("aten::relu_", {x}, {x}), {true}).bytes, 2 * 2560);
  EXPECT_EQ(work_of(op("aten::copy_", {x, x}, {x}), {true}).bytes, 2 * 2560) << "not read first";
  EXPECT_EQ(work_of(op("aten::zero_", {x}, {x}), {true}).bytes, 2560);
  EXPECT_EQ(work_of(op("aten::view", {x}, {x}), {true}).bytes, 0);
  EXPECT_EQ(work_of(op("aten::empty_like", {x}, {x}), {true}).bytes, 0);
  EXPECT_EQ(work_of(op("aten::sum", {x}, {floats({})}), {true}).bytes, 2560 + 4);
  TracedTensor same = x;
  same.identity = &same;
  EXPECT_EQ(work_of(op("aten::resolve_conj", {same}, {same}), {true}).bytes, 0);
  EXPECT_EQ(work_of(op("aten::relu_", {same}, {same}), {true}).bytes, 2 * 2560);
  EXPECT_EQ(work_of(op("tacho::bias_relu", {same, x}, {same}), {true}).bytes, 3 * 2560);
  EXPECT_EQ(work_of(op("aten::sum", {x}, {floats({})}), {true}).flops, 0);
}

TEST(OpWork, SurvivesOperatorsWithUnexpectedTensors) {
  for (const char* name :
       {"aten::mm", "aten::addmm", "aten::convolution_backward", "aten::mkldnn_convolution",
        "aten::mkldnn_rnn_layer", "aten::_scaled_dot_product_flash_attention_backward"}) {
    EXPECT_EQ(work_of(op(name, {}, {}), {}).flops, 0) << name;
    EXPECT_EQ(work_of(op(name, {floats({})}, {floats({})}), {true}).flops, 0) << name;
  }
}

}  // namespace
}  // namespace tacho
