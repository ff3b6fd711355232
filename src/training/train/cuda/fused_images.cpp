// First convolutions, pools, and the operations after the last convolution.
#include <mutex>

#include "training/train/cuda/fused_layers.h"
#include "training/train/cuda/fused_tools.h"

namespace tacho::fused {
namespace {

struct MaxPool : torch::autograd::Function<MaxPool> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, std::int64_t kernel,
                            std::int64_t stride, std::int64_t padding) {
    const kernels::Pool pool{x.size(0),
                             x.size(2),
                             x.size(3),
                             x.size(1),
                             (x.size(2) + 2 * padding - kernel) / stride + 1,
                             (x.size(3) + 2 * padding - kernel) / stride + 1,
                             static_cast<int>(kernel),
                             static_cast<int>(stride),
                             static_cast<int>(padding),
                             data_type(x)};
    at::Tensor y = at::empty({pool.images, pool.channels, pool.out_height, pool.out_width},
                             x.options(), at::MemoryFormat::ChannelsLast);
    const at::Tensor places = at::empty({y.numel()}, x.options().dtype(at::kByte));
    kernels::max_pool_forward(pool, address(x), address(y), places.data_ptr<std::uint8_t>(),
                              stream());
    context->save_for_backward({places});
    context->saved_data["size"] = x.sizes().vec();
    context->saved_data["window"] = std::vector<std::int64_t>{kernel, stride, padding};
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor places = context->get_saved_variables()[0];
    const auto size = context->saved_data["size"].toIntVector();
    const auto window = context->saved_data["window"].toIntVector();
    const at::Tensor dy = to_row_order(gradients[0]);
    const at::Tensor dx = at::empty(size, dy.options(), at::MemoryFormat::ChannelsLast);
    const kernels::Pool pool{size[0],
                             size[2],
                             size[3],
                             size[1],
                             dy.size(2),
                             dy.size(3),
                             static_cast<int>(window[0]),
                             static_cast<int>(window[1]),
                             static_cast<int>(window[2]),
                             data_type(dy)};
    kernels::max_pool_backward(pool, address(dy), places.data_ptr<std::uint8_t>(), address(dx),
                               stream());
    return {dx, {}, {}, {}};
  }
};

struct GlobalPool : torch::autograd::Function<GlobalPool> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    const at::Tensor y = at::empty({x.size(0), x.size(1)}, x.options());
    kernels::global_pool_forward(shape_of(x), address(x), address(y), stream());
    context->saved_data["size"] = x.sizes().vec();
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor dy = to_row_order(gradients[0]);
    const at::Tensor dx = at::empty(context->saved_data["size"].toIntVector(), dy.options(),
                                    at::MemoryFormat::ChannelsLast);
    kernels::global_pool_backward(shape_of(dx), address(dy), address(dx), stream());
    return {dx};
  }

  static kernels::GlobalPool shape_of(const at::Tensor& x) {
    return {x.size(0), x.size(2) * x.size(3), x.size(1), data_type(x)};
  }
};

struct GrayConv : torch::autograd::Function<GrayConv> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, std::int64_t padding) {
    const kernels::GrayConv shape = shape_of(x, weight, padding);
    at::Tensor y = at::empty({shape.images, shape.channels, shape.out_height, shape.out_width},
                             x.options(), at::MemoryFormat::ChannelsLast);
    kernels::gray_conv_forward(shape, address(x), address(weight), address(bias), address(y),
                               stream());
    context->save_for_backward({x, weight, bias, y});
    context->saved_data["padding"] = padding;
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const kernels::GrayConv shape =
        shape_of(saved[0], saved[1], context->saved_data["padding"].toInt());
    const at::Tensor dy = to_row_order(gradients[0]);
    const at::Tensor dweight = at::empty_like(saved[1]);
    const at::Tensor dbias = at::empty_like(saved[2]);
    const at::Tensor workspace = floats(kernels::gray_conv_workspace(shape), dy);
    kernels::gray_conv_backward(shape, address(saved[0]), address(dy), address(saved[3]),
                                address(dweight), address(dbias), floats_of(workspace), stream());
    return {{}, dweight, dbias, {}};
  }

  static kernels::GrayConv shape_of(const at::Tensor& x, const at::Tensor& weight,
                                    std::int64_t padding) {
    return {x.size(0),
            x.size(2),
            x.size(3),
            x.size(2) + 2 * padding - 2,
            x.size(3) + 2 * padding - 2,
            weight.size(0),
            static_cast<int>(padding),
            data_type(x)};
  }
};

struct PoolTail : torch::autograd::Function<PoolTail> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& bias,
                            double dropout) {
    kernels::PoolTail tail = tail_of(x, dropout);
    if (dropout > 0) tail.mask = draw_mask();
    at::Tensor y = at::empty({x.size(0), x.numel() / 4 / x.size(0)}, x.options());
    const at::Tensor places = at::empty({y.numel()}, x.options().dtype(at::kByte));
    kernels::pool_tail_forward(tail, address(x), address(bias), address(y), bytes_of(places),
                               stream());
    context->save_for_backward({y, places, bias});
    context->saved_data["size"] = x.sizes().vec();
    context->saved_data["dropout"] = dropout;
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor dy = to_row_order(gradients[0]);
    const at::Tensor dx = at::empty(context->saved_data["size"].toIntVector(), dy.options(),
                                    at::MemoryFormat::ChannelsLast);
    const at::Tensor dbias = at::empty_like(saved[2]);
    const kernels::PoolTail tail = tail_of(dx, context->saved_data["dropout"].toDouble());
    const at::Tensor workspace = floats(tail.images * tail.channels, dy);
    kernels::pool_tail_backward(tail, address(dy), address(saved[0]), bytes_of(saved[1]),
                                address(dx), address(dbias), floats_of(workspace), stream());
    return {dx, dbias, {}};
  }

  static kernels::PoolTail tail_of(const at::Tensor& x, double dropout) {
    return {x.size(0), x.size(2),   x.size(3), x.size(1), static_cast<float>(dropout),
            {},        data_type(x)};
  }
};

bool is_stem(const torch::nn::detail::ConvNdOptions<2>& options) {
  const auto all = [](const auto& sides, std::int64_t value) {
    return sides->at(0) == value && sides->at(1) == value;
  };
  return options.in_channels() == kernels::kPixelChannels && all(options.kernel_size(), 7) &&
         all(options.stride(), 2) && all(torch_api::padding_of(options), 3) &&
         all(options.dilation(), 1) && options.groups() == 1 && !options.bias();
}

// Rearranges the weights for 2×2 blocks: adds a row and a column of zeros at the front, then groups
// rows and columns in pairs.
at::Tensor by_blocks(const at::Tensor& weight) {
  const std::int64_t out = weight.size(0);
  const at::Tensor even = at::constant_pad_nd(weight, {1, 0, 1, 0});
  const at::Tensor blocks = even.contiguous()
                                .view({out, kernels::kPixelChannels, 4, 2, 4, 2})
                                .permute({0, 3, 5, 1, 2, 4})
                                .reshape({out, 4 * kernels::kPixelChannels, 4, 4});
  constexpr std::int64_t kMissing = kernels::kBlockChannels - 4 * kernels::kPixelChannels;
  return at::constant_pad_nd(blocks, {0, 0, 0, 0, 0, kMissing})
      .contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace

at::Tensor stem_convolution(const at::Tensor& x, torch::nn::Conv2dImpl& convolution) {
  const bool fits = x.is_cuda() && is_image(x) && has_data_type(x) &&
                    x.scalar_type() != at::kFloat && x.size(2) % 2 == 0 && x.size(3) % 2 == 0 &&
                    x.numel() > 0 && !x.requires_grad();
  if (!fits || x.scalar_type() != convolution.weight.scalar_type() ||
      !is_stem(convolution.options)) {
    return {};
  }
  constexpr std::int64_t kAround = kernels::kBlocksBefore + kernels::kBlocksAfter;
  const at::Tensor blocks = at::empty(
      {x.size(0), kernels::kBlockChannels, x.size(2) / 2 + kAround, x.size(3) / 2 + kAround},
      x.options(), at::MemoryFormat::ChannelsLast);
  kernels::space_to_depth({.images = x.size(0),
                           .height = x.size(2),
                           .width = x.size(3),
                           .image_stride = x.stride(0),
                           .channel_stride = x.stride(1),
                           .row_stride = x.stride(2),
                           .column_stride = x.stride(3),
                           .type = data_type(x)},
                          address(x), address(blocks), stream());
  return at::conv2d(blocks, by_blocks(convolution.weight));
}

at::Tensor gray_conv_relu(const at::Tensor& x, const torch::nn::Conv2dImpl& convolution) {
  const auto& options = convolution.options;
  const auto all = [](const auto& sides, std::int64_t value) {
    return sides->at(0) == value && sides->at(1) == value;
  };
  const auto padding = torch_api::padding_of(options);
  const std::int64_t channels = options.out_channels();
  const bool fitting = x.is_cuda() && is_image(x) && has_data_type(x) && x.numel() > 0 &&
                       !x.requires_grad() && options.in_channels() == 1 && options.bias() &&
                       all(options.kernel_size(), 3) && all(options.stride(), 1) &&
                       all(options.dilation(), 1) && padding->at(0) == padding->at(1) &&
                       x.size(2) + 2 * padding->at(0) >= 3 && x.size(3) + 2 * padding->at(0) >= 3 &&
                       channels % kernels::pack_width(data_type(x)) == 0 &&
                       (channels & (channels - 1)) == 0 && channels <= kernels::kMostGrayChannels;
  if (!fitting || convolution.weight.scalar_type() != x.scalar_type()) return {};
  const bool lies =
      x.is_contiguous() && convolution.weight.is_contiguous() && is_aligned(convolution.bias);
  if (!lies) return {};
  return GrayConv::apply(x, convolution.weight, convolution.bias, padding->at(0));
}

at::Tensor pool_tail(const at::Tensor& x, const at::Tensor& bias, double dropout) {
  if (!is_image(x) || !fits(x) || bias.scalar_type() != x.scalar_type()) return {};
  const bool fitting =
      x.size(2) % 2 == 0 && x.size(3) % 2 == 0 && x.size(1) % kernels::kTailChannels == 0 &&
      x.size(2) * x.size(3) / 4 <= kernels::kMostTailPlaces && x.numel() < (std::int64_t{1} << 32);
  return fitting ? PoolTail::apply(x, bias, dropout) : at::Tensor();
}

at::Tensor max_pool(const at::Tensor& x, std::int64_t kernel, std::int64_t stride,
                    std::int64_t padding) {
  if (!is_image(x) || !fits(x) || kernel > 15) return {};
  return MaxPool::apply(x, kernel, stride, padding);
}

at::Tensor global_average(const at::Tensor& x) {
  return is_image(x) && fits(x) ? GlobalPool::apply(x) : at::Tensor();
}

}  // namespace tacho::fused
