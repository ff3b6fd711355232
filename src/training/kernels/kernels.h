#pragma once

// The CUDA kernels as plain C++ functions: callers need neither torch nor CUDA headers. Every
// function enqueues on `stream` and returns; none allocates or waits, so all can be captured into a
// CUDA graph. A launch that fails throws std::runtime_error. Pointers are device memory unless
// stated otherwise.

#include <cstdint>

struct CUstream_st;

namespace tacho::kernels {

using Stream = CUstream_st*;

enum class DataType { f32, bf16, f16 };
// Numbers that a thread handles at once: the channel counts below must be multiples of it.
constexpr int pack_width(DataType type) { return type == DataType::f32 ? 4 : 8; }
// Bytes that are read and written at once: R×C numbers, images and parameters must be aligned to
// it.
constexpr int kPackBytes = 16;

// --- R×C numbers in row order ---

struct Rows {
  int64_t rows;
  int64_t channels;
  DataType type;
};

// Workspace, in floats, for the functions that add up columns.
int64_t column_workspace(const Rows& shape);

// Batch norms of a device must run one after the other, for example on one stream: all
// single-kernel variants synchronise their blocks through the same memory, so two at once would
// deadlock.
struct BatchNormForward {
  Rows shape;
  const void* x;
  const void* residual;  // or null
  void* y;
  uint8_t* passed;  // if a residual is added before a ReLU: passed_bytes(), for backward
  const float* gamma;
  const float* beta;
  float* running_mean;  // updated; or null
  float* running_var;
  float momentum;
  float epsilon;
  bool relu;
  float* mean;       // C, for backward
  float* rstd;       // C, for backward
  float* workspace;  // column_workspace() + 2·C
};
// One bit per number that a ReLU let through, one byte per pack.
constexpr int64_t passed_bytes(const Rows& shape) {
  return shape.rows * shape.channels / pack_width(shape.type);
}
void batch_norm_forward(const BatchNormForward& p, Stream stream);

struct BatchNormBackward {
  Rows shape;
  const void* dy;
  const void* dy_more;  // added to dy if y was used twice; needs dresidual; or null
  const void* x;
  const uint8_t* passed;  // written by forward if a residual was added before the ReLU; else null
  void* dx;
  void* dresidual;  // gradient of the residual: dy after the ReLU gate; or null
  const float* gamma;
  const float* beta;
  const float* mean;
  const float* rstd;
  bool relu;
  float* dgamma;
  float* dbeta;
  float* workspace;  // column_workspace() + 3·C
};
void batch_norm_backward(const BatchNormBackward& p, Stream stream);
// From now on backward leaves room for other kernels (NCCL's): a single kernel that needs all SMs
// at once would wait for them to finish.
void leave_room_in_backward();

// State of torch's generator for a dropout mask: by value, or by address so that a captured graph
// reads it at each replay.
struct MaskKey {
  const int64_t* seed_at;    // null: use the value
  const int64_t* offset_at;  // null: use the value; else added to it
  uint64_t seed;
  uint64_t offset;
};

// gelu with the error function, or with its approximation by tanh.
enum class Pointwise { relu, gelu, gelu_tanh };

// y = dropout(f(x + bias)); dropout only with relu. May be in place for relu.
struct BiasAct {
  Rows shape;
  Pointwise f;
  float dropout;  // probability
  MaskKey mask;   // read if dropout > 0, only forward: backward skips numbers that are 0
};
void bias_act_forward(const BiasAct& p, const void* x, const void* bias, void* y, Stream stream);
// Writes dx and dbias, its column sums. relu expects its result as `x_or_y`.
void bias_act_backward(const BiasAct& p, const void* dy, const void* x_or_y, const void* bias,
                       void* dx, void* dbias, float* workspace, Stream stream);
// Sums the columns: the gradient of a bias that a matrix product has already added.
void column_sums(const Rows& shape, const void* x, void* sums, float* workspace, Stream stream);

// sum = dropout(x + bias) + residual; y = norm(sum)·gamma + beta. C at most 1024.
struct AddNormForward {
  Rows shape;
  const void* x;
  const void* bias;      // or null
  const void* residual;  // residual_rows × C, repeated
  int64_t residual_rows;
  const void* gamma;
  const void* beta;
  float epsilon;
  float dropout;  // probability
  MaskKey mask;   // read if dropout > 0
  void* sum;
  void* y;
  float* mean;  // R
  float* rstd;  // R
};
void add_norm_forward(const AddNormForward& p, Stream stream);

struct AddNormBackward {
  Rows shape;
  const void* dy;
  const void* dsum;  // gradient of the sum from its other use; or null
  const void* sum;
  const void* gamma;
  const float* mean;
  const float* rstd;
  float dropout;
  MaskKey mask;
  void* dx;
  void* dresidual;  // R × C; may be dx without dropout
  void* dbias;      // or null
  void* dgamma;
  void* dbeta;
  float* workspace;  // add_norm_workspace()
};
int64_t add_norm_workspace(const Rows& shape);
void add_norm_backward(const AddNormBackward& p, Stream stream);

// --- max-pooling, images as N×H×W×C ---

struct Pool {
  int64_t images, height, width, channels;
  int64_t out_height, out_width;
  int kernel, stride, padding;  // kernel up to 15: a position in the window is a byte
  DataType type;
};
void max_pool_forward(const Pool& pool, const void* x, void* y, uint8_t* places, Stream stream);
void max_pool_backward(const Pool& pool, const void* dy, const uint8_t* places, void* dx,
                       Stream stream);

// --- the mean of each channel of an image: N×P×C to N×C, and backward; no dimension is 0 ---

struct GlobalPool {
  int64_t images, places, channels;
  DataType type;
};
void global_pool_forward(const GlobalPool& p, const void* x, void* y, Stream stream);
void global_pool_backward(const GlobalPool& p, const void* dy, void* dx, Stream stream);

// --- between the last convolution and the first matrix product ---

// y = dropout(relu(max_pool(x) + bias)) with 2×2 windows, from N×H×W×C to N×(C·H/2·W/2) in the
// order channel, row, column. H and W must be even, C a multiple of kTailChannels, H/2·W/2 at most
// kMostTailPlaces.
struct PoolTail {
  int64_t images, height, width, channels;
  float dropout;  // probability
  MaskKey mask;   // read by forward if dropout > 0
  DataType type;
};
constexpr int kTailChannels = 16;
constexpr int64_t kMostTailPlaces = 512;
// places: one byte per number of y, in the order of x.
void pool_tail_forward(const PoolTail& p, const void* x, const void* bias, void* y, uint8_t* places,
                       Stream stream);
// workspace: N·C floats.
void pool_tail_backward(const PoolTail& p, const void* dy, const void* y, const uint8_t* places,
                        void* dx, void* dbias, float* workspace, Stream stream);

// --- images for a first convolution ---

// N×3×H×W in any memory order; H and W must be even.
struct SpaceToDepth {
  int64_t images, height, width;
  int64_t image_stride, channel_stride, row_stride, column_stride;
  DataType type;
};
constexpr int kPixelChannels = 3;
constexpr int kBlockChannels = 16;  // four pixels of three channels; the rest is 0
// Blocks of zeros around an image, so that a 7×7 window with padding 3 is four blocks wide.
constexpr int kBlocksBefore = 2;
constexpr int kBlocksAfter = 1;
// y: N×(H/2+3)×(W/2+3)×16, the channels of a block's pixels row by row.
void space_to_depth(const SpaceToDepth& p, const void* x, void* y, Stream stream);

// y = relu(3×3 convolution + bias) of single-channel images, N×H×W to N×OH×OW×C, stride 1. C must
// be a power of two, at most kMostGrayChannels. The weights are stored as C×3×3.
struct GrayConv {
  int64_t images, height, width;
  int64_t out_height, out_width, channels;
  int padding;
  DataType type;
};
constexpr int64_t kMostGrayChannels = 128;
void gray_conv_forward(const GrayConv& p, const void* x, const void* weight, const void* bias,
                       void* y, Stream stream);
// In floats.
int64_t gray_conv_workspace(const GrayConv& p);
void gray_conv_backward(const GrayConv& p, const void* x, const void* dy, const void* y,
                        void* dweight, void* dbias, float* workspace, Stream stream);

// --- the optimizer: one kernel for all parameters ---

// Stored in device memory and read by the step kernels, so that a captured graph follows the
// schedule.
struct StepState {
  float rate[2];       // of each group; adam: divided by the first moment's bias correction
  float shrink[2];     // of each group; adamw: factor of a weight before its update
  float second_scale;  // 1 / √(bias correction of the second moment)
  float loss_scale;    // factor by which the gradients are too large
  float squares;       // sum of squares of all gradients, still scaled
  int32_t good_steps;  // since the scale last changed
  int32_t skipped;     // total steps skipped because a gradient overflowed
};

struct Parameter {
  float* weights;  // master copy, fp32
  void* used;      // 16-bit copy that the model computes with; null: it computes with weights
  const void* gradient;
  float* first;   // null: sgd without momentum
  float* second;  // null: sgd
  int64_t count;
  int32_t group;  // of the learning rate: 1 for the model's head, 0 for all else
};

// A part of one parameter, processed by one block.
struct Chunk {
  int32_t parameter;
  int32_t number;
};
constexpr int64_t kChunk = 1 << 12;

struct OptimizerStep {
  const Parameter* parameters;
  const Chunk* chunks;
  int64_t chunk_count;
  DataType gradients;  // of parameters with a 16-bit copy; the others have fp32 gradients
  StepState* state;
  float* squares;  // one per chunk
  bool adam;
  bool decoupled;
  bool nesterov;
  float momentum;
  float beta1;
  float beta2;
  float epsilon;
  float weight_decay;
  float clip_norm;  // 0: none
  bool scaled;      // the loss was scaled: skip the step if a gradient overflowed
};

struct StepFigures {
  double learning_rate;
  double head_factor;  // learning rate of group 1 over that of group 0
  int64_t step;        // counted from 1
  bool adam;
  bool decoupled;
  double beta1;
  double beta2;
  double weight_decay;
};
void begin_step(StepState* state, const StepFigures& figures, Stream stream);
// Must run before step() if clip_norm or scaled is set.
void add_squares(const OptimizerStep& p, Stream stream);
void step(const OptimizerStep& p, Stream stream);
// If scaled: halves the scale after an overflow, doubles it after good_steps_to_grow good steps.
void adapt_scale(StepState* state, int32_t good_steps_to_grow, Stream stream);

// --- embeddings ---

// Writes dweight, words × width: each word's row is the sum of dy at the positions of that word.
struct EmbeddingBackward {
  int64_t words, width;
  int64_t places;  // less than 2³¹
  DataType type;
  const int64_t* tokens;
  int64_t left_out;  // the padding word, which gets no gradient; −1: none
  const void* dy;    // places × width
  void* dweight;
};
int64_t embedding_workspace(const EmbeddingBackward& p);  // in bytes
void embedding_backward(const EmbeddingBackward& p, void* workspace, Stream stream);

// --- the loss ---

// Mean over R rows of the cross entropy of R×C logits, where a label has probability 1 − smoothing
// and all classes share the rest.
struct CrossEntropy {
  int64_t rows;
  int64_t classes;
  DataType type;
  float smoothing;
};
// log_sums: R, for backward; row_losses: R.
void cross_entropy_forward(const CrossEntropy& p, const void* logits, const int64_t* labels,
                           float* log_sums, float* row_losses, float* loss, Stream stream);
// Writes dlogits, multiplied by *dloss.
void cross_entropy_backward(const CrossEntropy& p, const void* logits, const int64_t* labels,
                            const float* log_sums, const float* dloss, void* dlogits,
                            Stream stream);

// The loss of a language model: the same of R rows of logits. A row begins every `stride` numbers;
// those after its classes are ignored. The stride is a multiple of the pack width.
struct TokenLoss {
  int64_t rows, classes, stride;
  DataType type;
  float smoothing;
};
// Writes each row's loss and how many classes have a better score than its label; 0 and −1 for a
// negative label, which does not count. If `overwrite`, replaces the logits by the gradient of
// their row's loss.
void token_loss(const TokenLoss& p, void* logits, const int64_t* labels, bool overwrite,
                float* losses, int32_t* ahead, Stream stream);

// --- Llama's layers; R×C numbers in row order, whole packs ---

// y = silu(gate)·up.
void gated_silu_forward(const Rows& shape, const void* gate, const void* up, void* y,
                        Stream stream);
void gated_silu_backward(const Rows& shape, const void* dy, const void* gate, const void* up,
                         void* dgate, void* dup, Stream stream);

// Rotates the first half of each head against the second. x: tokens × heads × width; cosine and
// sine: length × width, for the positions of tokens 0 to length − 1, 0 to length − 1, …; half a
// head is whole packs.
struct Rotary {
  int64_t tokens, length, heads, width;
  DataType type;
  bool back;  // by the negative angle: the gradient
};
void rotate(const Rotary& p, const void* x, const void* cosine, const void* sine, void* y,
            Stream stream);

// --- statistics of a step ---

// The same as score() from the number of classes ahead of each row's label.
void add_hits(const int32_t* ahead, int64_t rows, const float* loss, double* totals, float* last,
              Stream stream);

// Adds a batch's loss × counted rows, top-1 and top-5 hits, and counted rows to totals[0..3] and
// writes the loss to *last. Rows with a negative label do not count.
void score(const void* logits, DataType type, const int64_t* labels, int64_t rows, int64_t classes,
           const float* loss, double* totals, float* last, Stream stream);

}  // namespace tacho::kernels
