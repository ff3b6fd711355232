#pragma once

// The CUDA kernels as plain C++ functions: no torch and no CUDA header is needed to call them.
// Every function enqueues on `stream` and returns; nothing is allocated, nothing waits, so all can
// be captured into a CUDA graph. Pointers are device memory unless they say host.

#include <cstdint>

struct CUstream_st;

namespace tacho::kernels {

using Stream = CUstream_st*;

enum class DataType { f32, bf16, f16 };
// Numbers that a thread handles at once: the channel counts below must be multiples of it.
constexpr int pack_width(DataType type) { return type == DataType::f32 ? 4 : 8; }
// Read and written at once: where R×C numbers, images and parameters begin must be a multiple of
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

// Batch norms of a device must run one after the other, as those of one stream do: the blocks of
// all that are one kernel meet in the same place, and of two at once would wait forever.
struct BatchNormForward {
  Rows shape;
  const void* x;
  const void* residual;  // or null
  void* y;
  uint8_t* passed;  // where a residual is added under a ReLU: passed_bytes(), for backward
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
// Which numbers a ReLU let through: a byte for each pack, a bit for each number.
constexpr int64_t passed_bytes(const Rows& shape) {
  return shape.rows * shape.channels / pack_width(shape.type);
}
void batch_norm_forward(const BatchNormForward& p, Stream stream);

struct BatchNormBackward {
  Rows shape;
  const void* dy;
  const void* dy_more;  // added to dy, where y was used twice; needs dresidual; or null
  const void* x;
  const uint8_t*
      passed;  // what forward wrote, where a residual was added under the ReLU; else null
  void* dx;
  void* dresidual;  // where a residual was added: dy as far as the ReLU lets it through; or null
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
// From now on the way back leaves room for kernels of others (NCCL's): one kernel that needs all
// processors at once would wait for them to end.
void leave_room_on_the_way_back();

// Where a dropout mask comes from: the state of torch's generator, by value, or where a captured
// graph finds it anew at each replay.
struct MaskKey {
  const int64_t* seed_at;    // null: the value
  const int64_t* offset_at;  // null: the value; else added to it
  uint64_t seed;
  uint64_t offset;
};

enum class Pointwise { relu, gelu };

// y = dropout(f(x + bias)); only a relu may drop. May be in place for relu.
struct BiasAct {
  Rows shape;
  Pointwise f;
  float dropout;  // probability
  MaskKey mask;   // read if dropout > 0; not by the way back, where a number that is 0 stays out
};
void bias_act_forward(const BiasAct& p, const void* x, const void* bias, void* y, Stream stream);
// dx, and dbias, its column sums. relu reads its own result as `x_or_y`.
void bias_act_backward(const BiasAct& p, const void* dy, const void* x_or_y, const void* bias,
                       void* dx, void* dbias, float* workspace, Stream stream);
// The sums of the columns: the gradient of a bias that a product has added already.
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
  const void* dsum;  // what comes back to the sum besides; or null
  const void* sum;
  const void* gamma;
  const float* mean;
  const float* rstd;
  float dropout;
  MaskKey mask;
  void* dx;
  void* dresidual;  // R × C; may be dx where nothing was dropped
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
  int kernel, stride, padding;  // kernel up to 15: a place in the window is a byte
  DataType type;
};
void max_pool_forward(const Pool& pool, const void* x, void* y, uint8_t* places, Stream stream);
void max_pool_backward(const Pool& pool, const void* dy, const uint8_t* places, void* dx,
                       Stream stream);

// --- the mean of each channel of a picture: N×P×C to N×C, and back; none of them 0 ---

struct GlobalPool {
  int64_t images, places, channels;
  DataType type;
};
void global_pool_forward(const GlobalPool& p, const void* x, void* y, Stream stream);
void global_pool_backward(const GlobalPool& p, const void* dy, void* dx, Stream stream);

// --- what stands between the last convolution and the first product ---

// y = dropout(relu(max_pool(x) + bias)) with windows of 2×2, from N×H×W×C to N×(C·H/2·W/2) in the
// order channel, row, column. H and W even, C a multiple of kTailChannels, H/2·W/2 at most
// kMostTailPlaces.
struct PoolTail {
  int64_t images, height, width, channels;
  float dropout;  // probability
  MaskKey mask;   // read forward, if dropout > 0
  DataType type;
};
constexpr int kTailChannels = 16;
constexpr int64_t kMostTailPlaces = 512;
// places: a byte for each number of y, in the order of x.
void pool_tail_forward(const PoolTail& p, const void* x, const void* bias, void* y, uint8_t* places,
                       Stream stream);
// workspace: N·C floats.
void pool_tail_backward(const PoolTail& p, const void* dy, const void* y, const uint8_t* places,
                        void* dx, void* dbias, float* workspace, Stream stream);

// --- images for a first convolution ---

// N×3×H×W in any order of memory, H and W even.
struct SpaceToDepth {
  int64_t images, height, width;
  int64_t image_stride, channel_stride, row_stride, column_stride;
  DataType type;
};
constexpr int kPixelChannels = 3;
constexpr int kBlockChannels = 16;  // of four pixels; the rest is 0
// Blocks of zeros around an image, such that a 7×7 window with padding 3 is four blocks wide.
constexpr int kBlocksBefore = 2;
constexpr int kBlocksAfter = 1;
// y: N×(H/2+3)×(W/2+3)×16, the channels of a block's pixels row by row.
void space_to_depth(const SpaceToDepth& p, const void* x, void* y, Stream stream);

// y = relu(3×3 convolution + bias) of pictures of one channel, N×H×W to N×OH×OW×C, stride 1. C is a
// power of two, kMostGrayChannels at most. The weights lie as C×3×3.
struct GrayConv {
  int64_t images, height, width;
  int64_t out_height, out_width, channels;
  int padding;
  DataType type;
};
constexpr int64_t kMostGrayChannels = 128;
void gray_conv_forward(const GrayConv& p, const void* x, const void* weight, const void* bias,
                       void* y, Stream stream);
// Workspace in floats.
int64_t gray_conv_workspace(const GrayConv& p);
void gray_conv_backward(const GrayConv& p, const void* x, const void* dy, const void* y,
                        void* dweight, void* dbias, float* workspace, Stream stream);

// --- the optimizer: one kernel for all parameters ---

// Lies in device memory; step kernels read it, so a captured graph follows the schedule.
struct StepState {
  float rate;          // adam: over the first moment's bias correction
  float second_scale;  // 1 / √(bias correction of the second moment)
  float shrink;        // adamw: a weight is multiplied by it first
  float loss_scale;    // gradients are this much too large
  float squares;       // sum of squares of all gradients as they are
  int32_t good_steps;  // since the scale last changed
  int32_t skipped;     // steps left out because a gradient overflowed, in all
};

struct Parameter {
  float* weights;  // what is learned, fp32
  void* used;      // 16-bit copy that the model computes with; null: it computes with weights
  const void* gradient;
  float* first;   // null: sgd without momentum
  float* second;  // null: sgd
  int64_t count;
};

// A part of one parameter: what a block works on.
struct Chunk {
  int32_t parameter;
  int32_t number;
};
constexpr int64_t kChunk = 1 << 12;

struct OptimizerStep {
  const Parameter* parameters;
  const Chunk* chunks;
  int64_t chunk_count;
  DataType gradients;  // of those parameters that have a 16-bit copy; the others' are fp32
  StepState* state;
  float* squares;  // one for each chunk
  bool adam;
  bool decoupled;
  bool nesterov;
  float momentum;
  float beta1;
  float beta2;
  float epsilon;
  float weight_decay;
  float clip_norm;  // 0: none
  bool scaled;      // the loss was scaled: a step whose gradients overflowed is left out
};

struct StepFigures {
  double learning_rate;
  int64_t step;  // counted from 1
  bool adam;
  bool decoupled;
  double beta1;
  double beta2;
  double weight_decay;
};
void begin_step(StepState* state, const StepFigures& figures, Stream stream);
// Needed before step() where clip_norm or scaled is set.
void add_squares(const OptimizerStep& p, Stream stream);
void step(const OptimizerStep& p, Stream stream);
// Where scaled: halves the scale after an overflow, doubles it after so many good steps.
void adapt_scale(StepState* state, int32_t good_steps_to_grow, Stream stream);

// --- embeddings ---

// dweight, words × width, of a table whose rows tokens name: the sum of what comes back at a word's
// places.
struct EmbeddingBackward {
  int64_t words, width;
  int64_t places;  // less than 2³¹
  DataType type;
  const int64_t* tokens;
  int64_t left_out;  // gets no gradient: the padding; −1: none
  const void* dy;    // places × width
  void* dweight;
};
int64_t embedding_workspace(const EmbeddingBackward& p);  // in bytes
void embedding_backward(const EmbeddingBackward& p, void* workspace, Stream stream);

// --- the loss ---

// Mean over R rows of the cross entropy of R×C logits, where a label has 1 − smoothing and all
// classes share the rest.
struct CrossEntropy {
  int64_t rows;
  int64_t classes;
  DataType type;
  float smoothing;
};
// log_sums: R, for the way back; row_losses: R.
void cross_entropy_forward(const CrossEntropy& p, const void* logits, const int64_t* labels,
                           float* log_sums, float* row_losses, float* loss, Stream stream);
// dlogits, times *dloss.
void cross_entropy_backward(const CrossEntropy& p, const void* logits, const int64_t* labels,
                            const float* log_sums, const float* dloss, void* dlogits,
                            Stream stream);

// --- what a step leaves behind ---

// Adds a batch's loss × rows, top-1 and top-5 hits to totals[0..2] and writes the loss to *last.
void score(const void* logits, DataType type, const int64_t* labels, int64_t rows, int64_t classes,
           const float* loss, double* totals, float* last, Stream stream);

}  // namespace tacho::kernels
