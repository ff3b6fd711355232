#include "tracing/trace/kernel_class.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace tacho {
namespace {

struct Known {
  std::string_view name;
  KernelClass kind;
  bool tensor_cores = false;
};
using K = KernelClass;

// Names from profiles of PyTorch 2, TensorFlow and Tacho.
const std::vector<Known> kKnown = {
    {"sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_"
     "warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn",
     K::convolution, true},
    {"sm80_xmma_dgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_"
     "stage4_warpsize2x2x1_g1_tensor16x8x8_kernel_cudnn",
     K::convolution, true},
    {"sm80_xmma_wgrad_implicit_gemm_indexed_wo_smem_tf32f32_tf32f32_f32_nhwckrsc_nhwc_"
     "tilesize128x32x16_stage1_warpsize4x1x1_g1_tensor16x8x8_kernel_cudnn",
     K::convolution, true},
    {"sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_"
     "warpsize1x2x1_g1_ffma_aligna4_alignc4_execute_kernel__5x_cudnn",
     K::convolution, false},
    {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_s1688wgrad_optimized_tf32_128x128_16x4_nhwc_"
     "align4>(cutlass_tensorop_s1688wgrad_optimized_tf32_128x128_16x4_nhwc_align4::Params)",
     K::convolution, true},
    {"void cutlass_cudnn_train::Kernel2<cutlass_80_tensorop_s16816fprop_optimized_bf16_128x64_32x6_"
     "nhwc_align8>(Params)",
     K::convolution, true},
    {"void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, false, false, true>(int)",
     K::convolution, false},
    {"_5x_cudnn_ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", K::convolution,
     false},
    {"ampere_scudnn_128x64_relu_interior_nn_v1", K::convolution, false},
    {"turing_fp16_s1688cudnn_fp16_256x128_ldg8_relu_f2f_exp_interior_nhwc_tn_v1", K::convolution,
     true},
    {"void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(...)", K::convolution,
     false},
    {"void cudnn::cnn::conv2d_grouped_direct_kernel<false, true, false, false, 0, 0, int>(...)",
     K::convolution, false},
    {"void cudnn::detail::dgrad2d_alg1_1<float, 0, 6, 7, 5, 4, 5, false, true>(int)",
     K::convolution, false},
    {"void cudnn::cnn::wgrad2d_grouped_direct_kernel<__half, float, int, float, false>(...)",
     K::convolution, false},
    {"void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<3, float, int>(...)",
     K::convolution, false},
    {"void cask__5x_cudnn::computeOffsetsKernel<false, false>(cask__5x_cudnn::Params)",
     K::convolution, false},
    {"void fft2d_r2c_32x32<float, false, 0u, false>(float2*, float const*)", K::convolution, false},
    {"void at::native::im2col_kernel<float>(long, float const*)", K::convolution, false},

    {"void cudnn::engines_precompiled::nchwToNhwcKernel<__half, __half, float, false, true, "
     "0>(...)",
     K::copy},
    {"void cudnn::ops::nhwcToNchwKernel<float, float, float, true, false, 0>(...)", K::copy},
    {"void cudnn::ops::convertTensor_kernel<float, __half, float, (cudnnKernelDataType_t)0>(...)",
     K::copy},

    {"ampere_sgemm_128x64_tn", K::product, false},
    {"volta_sgemm_64x32_sliced1x4_nn", K::product, false},
    {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", K::product, true},
    {"ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_f2f_stages_64x5_nn", K::product, true},
    {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn", K::product, true},
    {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>"
     "(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8::Params)",
     K::product, true},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(Params)", K::product,
     false},
    {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x5_tn_align4>(Params)",
     K::product, true},
    {"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", K::product, true},
    {"nvjet_hsh_192x192_64x4_2x1_v_bz_coopB_NNT", K::product, true},
    {"sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize32x32x64_stage5_warpsize2x2x1_tensor16x8x16_"
     "kernel",
     K::product, true},
    {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_"
     "alignc4_execute_kernel__5x_cublas",
     K::product, false},
    {"sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_warpgroupsize1x1x1_execute_segment_k_"
     "off_kernel__5x_cublas",
     K::product, true},
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true, true>(...)",
     K::product, false},
    {"void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false>(...)",
     K::product, false},
    {"void gemvNSP_kernel<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, 1, 32, 4, 1024>(...)",
     K::product, false},
    {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>(...)",
     K::product, true},
    {"void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits>()",
     K::product, true},
    {"fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel)",
     K::product, true},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_6_128x128x128_4x1x1_kernel0",
     K::product, true},
    {"triton_tem_fused_addmm_relu_3", K::product, true},

    {"void RNN_blockPersist_fp_LSTM<float, float, float, 512, 8, false>(...)", K::product, false},
    {"void RNN_blockPersist_fp_LSTM<__half, __half, float, 512, 8, false>(...)", K::product, true},
    {"void elemWiseRNNcell<float, float, float, (cudnnRNNMode_t)2, (cudnnRNNBiasMode_t)2>(...)",
     K::elementwise},
    {"void LSTM_elementWise_fp<float, float, float, (cudnnRNNBiasMode_t)2>(int, int)",
     K::elementwise},
    {"void at::native::(anonymous namespace)::kernel::lstm_cell_forward<float, float, int, 1>(...)",
     K::elementwise},

    {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(...)",
     K::normalisation},
    {"void cudnn::bn_bw_1C11_kernel_new<__half, float, float2, 512, true, 1>(...)",
     K::normalisation},
    {"void cudnn::batchnorm_fwtr_nhwc_semiPersist<__half2, 512, 1, 2, 20, 1, 1, 1>(...)",
     K::normalisation},
    {"void at::native::batch_norm_collect_statistics_channels_last_kernel<at::native::Var, "
     "float>()",
     K::normalisation},
    {"void at::native::batch_norm_backward_reduce_channels_last_kernel<4, float, float, float>()",
     K::normalisation},
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(...)",
     K::normalisation},
    {"void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<float, float>()",
     K::normalisation},
    {"void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>(long, float)",
     K::normalisation},
    {"triton_red_fused__native_batch_norm_legit_functional_relu_12", K::normalisation},
    {"triton_per_fused_native_layer_norm_0", K::normalisation},

    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
     K::elementwise},
    {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEEEEviT0_T1_",
     K::elementwise},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::"
     "launch_clamp_scalar(at::TensorIteratorBase&)::{lambda()#1}>(int)",
     K::elementwise},
    {"void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<long> >(...)",
     K::elementwise},
    {"void at::native::(anonymous namespace)::max_pool_forward_nhwc<float, int>(float const*)",
     K::elementwise},
    {"void at::native::(anonymous namespace)::max_pool_backward_nchw<float, float>(float const*)",
     K::elementwise},
    {"void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, float, 1, 4>(...)",
     K::elementwise},
    {"triton_poi_fused__to_copy_convolution_7", K::elementwise},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<1>, "
     "ZeroFunctor<float, 1, 1, 0> >(...)",
     K::elementwise},

    {"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::"
     "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}> >(int)",
     K::copy},
    {"void "
     "at::native::unrolled_elementwise_kernel<at::native::bfloat16_copy_kernel_cuda(...)>(int)",
     K::copy},
    {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 64, "
     "64>()",
     K::copy},
    {"void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, unsigned int, "
     "2>()",
     K::copy},

    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::"
     "func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator()> > >(...)",
     K::reduction},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, NormTwoOps<float> > >()",
     K::reduction},
    {"void (anonymous namespace)::cunn_SoftMaxForward<4, float, float, float, LogSoftMaxForward>()",
     K::reduction},
    {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>(...)",
     K::reduction},
    {"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, "
     "float>()",
     K::reduction},
    {"void at::native::(anonymous namespace)::embedding_backward_feature_kernel<float, float>()",
     K::reduction},
    {"triton_red_fused_sum_4", K::reduction},

    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<4>, "
     "at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, ADAM_MODE(1), false> >()",
     K::optimizer},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<2>, "
     "at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus>()",
     K::optimizer},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<3>, "
     "FusedSgdMathFunctor<float, 3> >()",
     K::optimizer},
    {"void at::native::lpnorm_cleanup<float, (at::native::NormType)1, float>(...)", K::optimizer},
    {"at::native::amp_update_scale_cuda_kernel(float*, int*, float const*, double, double, int)",
     K::optimizer},
    {"triton_for_fused_1", K::optimizer},

    {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", K::communication},
    {"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
     K::communication},

    {"void tacho::kernels::(anonymous namespace)::add_norm<__nv_bfloat16, 4>(AddNormForward)",
     K::normalisation},
    {"void tacho::kernels::(anonymous namespace)::scale_shift<float, true, false>(float const*)",
     K::normalisation},
    {"void tacho::kernels::(anonymous namespace)::norm_backward_sums<float, true, true>(...)",
     K::normalisation},
    {"void tacho::kernels::(anonymous namespace)::held_forward<__nv_bfloat16, true, true>(...)",
     K::normalisation},
    {"void tacho::kernels::(anonymous namespace)::held_backward<float, (Gate)2, true, true>(...)",
     K::normalisation},
    {"void tacho::kernels::(anonymous namespace)::bias_act_back<float, (Pointwise)1>(float const*)",
     K::elementwise},
    {"void tacho::kernels::(anonymous namespace)::pool_forward<float>(tacho::kernels::Pool)",
     K::elementwise},
    {"void tacho::kernels::(anonymous namespace)::step_chunks<float>(OptimizerStep)", K::optimizer},
    {"void tacho::kernels::(anonymous namespace)::count<float>(float const*, long const*)",
     K::reduction},

    {"void nhwcAddPaddingKernel<float, float, float, true>(int, cudnn::reduced_divisor)", K::copy},
    {"void "
     "cutlass__5x_cudnn::Kernel<cutlass__5x_cudnn::reduction::kernel::ReduceSplitK<cutlass__5x_"
     "cudnn::MatrixShape<4, 128> > >(Params)",
     K::convolution, false},
    {"void cublasLt::epilogue::impl::globalKernel<8, 32, float, float, float, true, true, 1>(int)",
     K::product, false},
    {"void flip_filter<float, float>(float*, float const*, int, int, int, int)", K::convolution,
     false},
    {"void GENERIC_elementWise_bp2<float, float, float, 4>(int, cudnn::reduced_divisor, float*)",
     K::elementwise},
    {"spin(long)", K::other},
    {"", K::other},
};

TEST(KernelClass, ClassifiesKernelsByName) {
  for (const Known& known : kKnown) {
    EXPECT_EQ(kKernelClasses.of(class_of_kernel(known.name)), kKernelClasses.of(known.kind))
        << known.name;
  }
}

TEST(KernelClass, RecognisesTensorCoresByName) {
  for (const Known& known : kKnown) {
    EXPECT_EQ(uses_tensor_cores(known.name), known.tensor_cores) << known.name;
  }
}

TEST(KernelClass, RecognisesGradientsByName) {
  EXPECT_TRUE(is_backward_kernel("sm80_xmma_dgrad_implicit_gemm"));
  EXPECT_TRUE(is_backward_kernel("void cudnn::bn_bw_1C11_kernel_new<float>"));
  EXPECT_TRUE(is_backward_kernel("void pytorch_flash::flash_bwd_dq_dk_dv_loop"));
  EXPECT_TRUE(is_backward_kernel("at::native::nll_loss_backward_reduce_cuda_kernel_2d"));
  EXPECT_FALSE(is_backward_kernel("ampere_sgemm_128x64_tn"));
  EXPECT_FALSE(is_backward_kernel("cudnn::bn_fw_tr_1C11_kernel_NCHW"));
}

TEST(KernelClass, RecognisesLayoutChangesByName) {
  EXPECT_TRUE(changes_layout("void cudnn::ops::nchwToNhwcKernel<float>"));
  EXPECT_TRUE(changes_layout("void cudnn::engines_precompiled::nhwcToNchwKernel<__half>"));
  EXPECT_FALSE(changes_layout("sm80_xmma_fprop_implicit_gemm_nhwckrsc_nchw"));
}

}  // namespace
}  // namespace tacho
