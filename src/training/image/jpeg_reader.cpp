#include "training/image/jpeg_reader.h"

#include <fmt/format.h>
#include <jerror.h>

#include <algorithm>

#include "training/image/decoding.h"

namespace tacho {
namespace {

// The eighths of the full resolution used for decoding. libjpeg-turbo supports 1 to 8 but has
// vector code only for 2, 4 and 8 (1 is a plain mean), on amd64 and arm64. Milliseconds for 500 x
// 375 pixels of 108 KB on amd64: 1: 0.9, 2: 1.1, 3: 1.2, 4: 1.2, 5: 1.4, 6: 1.6, 7: 1.8, 8: 1.25,
// most of it entropy decoding. libjpeg's faster transform (JDCT_IFAST) saves nothing measurable.
constexpr std::array kEighths = {1, 2, 4, 8};

// A progressive file of thousands of tiny scans takes minutes to decode. Ordinary ones have ten.
constexpr int kMostScans = 100;

// A block of 8 x 8 pixels takes at least one bit.
constexpr std::int64_t kMostPixelsInAByte = 8 * 64;

int scaled_size(const jpeg_component_info& component) {
#if JPEG_LIB_VERSION >= 70
  return component.DCT_h_scaled_size;
#else
  return component.DCT_scaled_size;
#endif
}

// A band is what libjpeg decodes at a time: one row of blocks, or two if colours have half the
// resolution.
int lines_in_band(const jpeg_decompress_struct& info) {
#if JPEG_LIB_VERSION >= 70
  return info.max_v_samp_factor * info.min_DCT_v_scaled_size;
#else
  return info.max_v_samp_factor * info.min_DCT_scaled_size;
#endif
}

int rows_in_band(const jpeg_component_info& component) {
  return component.v_samp_factor * scaled_size(component);
}

unsigned eighths_for(const Crop& crop, ImageSize target) {
  for (const int eighths : kEighths) {
    const bool enough =
        crop.width * eighths >= 8.0 * target.width && crop.height * eighths >= 8.0 * target.height;
    if (enough) return static_cast<unsigned>(eighths);
  }
  return 8;
}

// Within compressed data 0xFF is followed by this byte only at the end of the image.
bool has_end_of_image(std::span<const std::uint8_t> compressed) {
  for (std::size_t i = compressed.size(); i >= 2; --i) {
    if (compressed[i - 2] == 0xFF && compressed[i - 1] == JPEG_EOI) return true;
  }
  return false;
}

// Warnings that do not affect pixels: an unknown version or colour transform, or extra bytes
// between two parts of the file.
bool is_harmless(int warning) {
  return warning == JWRN_JFIF_MAJOR || warning == JWRN_ADOBE_XFORM ||
         warning == JWRN_EXTRANEOUS_DATA;
}

}  // namespace

JpegReader::JpegReader() {
  info_.err = jpeg_std_error(&errors_.manager);
  errors_.manager.error_exit = leave;
  errors_.manager.emit_message = warn;
}

JpegReader::~JpegReader() { jpeg_destroy_decompress(&info_); }

void JpegReader::leave(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  errors->manager.format_message(info, errors->message.data());
  std::longjmp(errors->escape, 1);
}

void JpegReader::warn(j_common_ptr info, int level) {
  constexpr int kWarning = -1;
  if (level == kWarning && !is_harmless(info->err->msg_code)) leave(info);
}

void JpegReader::limit_scans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  auto* errors = reinterpret_cast<Errors*>(info->err);
  *fmt::format_to(errors->message.data(), "more than {} scans", kMostScans) = '\0';
  std::longjmp(errors->escape, 1);
}

// Calls libjpeg. `step` must not hold objects with destructors: an error jumps out of it.
template <class Step>
Result<void> JpegReader::guarded(Step step) {
  if (setjmp(errors_.escape) == 0) {
    step();
    return {};
  }
  if (errors_.manager.msg_code == JERR_OUT_OF_MEMORY) {
    return Error{ErrorCode::out_of_memory, "out of memory while decoding the JPEG"};
  }
  return damaged("JPEG", errors_.message.data());
}

Result<ImageSize> JpegReader::open(std::span<const std::uint8_t> bytes) {
  TACHO_CHECK(guarded([this, bytes] {
    jpeg_create_decompress(&info_);
    progress_.progress_monitor = limit_scans;
    info_.progress = &progress_;
    jpeg_mem_src(&info_, bytes.data(), bytes.size());
    jpeg_read_header(&info_, TRUE);
  }));
  const ImageSize size{static_cast<int>(info_.image_width), static_cast<int>(info_.image_height)};
  TACHO_CHECK(check_size(size));
  if (!info_.arith_code && std::int64_t{size.width} * size.height / kMostPixelsInAByte >
                               static_cast<std::int64_t>(bytes.size())) {
    return damaged("JPEG",
                   fmt::format("{} bytes cannot hold the {} x {} pixels its header declares",
                               bytes.size(), size.width, size.height));
  }
  if (!has_end_of_image({info_.src->next_input_byte, info_.src->bytes_in_buffer})) {
    return damaged("JPEG", "the file is truncated");
  }
  return size;
}

Result<void> JpegReader::decode(const Crop& crop, ImageSize target, bool grey, Planes& planes) {
  TACHO_CHECK(choose_components(grey, planes));
  info_.scale_num = eighths_for(crop, target);
  info_.scale_denom = 8;
  info_.raw_data_out = TRUE;
  info_.dct_method = JDCT_ISLOW;
  info_.do_block_smoothing = FALSE;
  TACHO_CHECK(guarded([this] { jpeg_start_decompress(&info_); }));
  describe(planes);
  const SampleRange bands = bands_of(crop, planes);
  for (int i = 0; i < planes.count; ++i) {
    const jpeg_component_info& component = info_.comp_info[i];
    const int height = rows_in_band(component);
    const auto blocks = component.width_in_blocks + static_cast<unsigned>(component.h_samp_factor);
    planes.planes[static_cast<std::size_t>(i)].make_room(
        bands.first * height, (bands.last - bands.first + 1) * height,
        static_cast<std::size_t>(blocks) * static_cast<std::size_t>(scaled_size(component)));
  }
  return guarded([this, bands, &planes] { read_bands(bands, planes); });
}

Result<void> JpegReader::choose_components(bool grey, Planes& planes) {
  planes.count = info_.num_components;
  switch (info_.jpeg_color_space) {
    case JCS_GRAYSCALE:
      planes.model = ColourModel::grey;
      break;
    case JCS_RGB:
      planes.model = ColourModel::rgb;
      break;
    case JCS_YCbCr:
      planes.model = ColourModel::ycc;
      break;
    case JCS_CMYK:
      planes.model = ColourModel::cmyk;
      break;
    case JCS_YCCK:
      planes.model = ColourModel::ycck;
      break;
    default:
      return Error{ErrorCode::invalid,
                   fmt::format("a JPEG of {} colour components, which is neither grey nor RGB nor "
                               "CMYK; convert it to RGB",
                               info_.num_components)};
  }
  if (grey && planes.model == ColourModel::ycc) {
    want(false, planes.count);
    planes.model = ColourModel::grey;
    planes.count = 1;
    want(true, planes.count);
  }
  return {};
}

void JpegReader::describe(Planes& planes) const {
  for (int i = 0; i < planes.count; ++i) {
    const jpeg_component_info& component = info_.comp_info[i];
    Plane& plane = planes.planes[static_cast<std::size_t>(i)];
    plane.width = static_cast<int>(component.downsampled_width);
    plane.height = static_cast<int>(component.downsampled_height);
    const double share = static_cast<double>(scaled_size(component)) / DCTSIZE;
    plane.samples_across = share * component.h_samp_factor / info_.max_h_samp_factor;
    plane.samples_down = share * component.v_samp_factor / info_.max_v_samp_factor;
  }
}

// Returns the bands that contain a row of the crop in any component.
SampleRange JpegReader::bands_of(const Crop& crop, const Planes& planes) const {
  SampleRange bands{static_cast<int>(info_.total_iMCU_rows) - 1, 0};
  for (int i = 0; i < planes.count; ++i) {
    const SampleRange rows = planes.planes[static_cast<std::size_t>(i)].rows_of(crop);
    const int height = rows_in_band(info_.comp_info[i]);
    bands.first = std::min(bands.first, rows.first / height);
    bands.last = std::max(bands.last, rows.last / height);
  }
  return bands;
}

// Bands that are not wanted only pass the entropy decoder, which has to see everything.
void JpegReader::want(bool wanted, int components) {
  for (int i = 0; i < components; ++i) info_.comp_info[i].component_needed = wanted ? TRUE : FALSE;
}

void JpegReader::read_bands(SampleRange bands, Planes& planes) {
  constexpr int kMostRows = MAX_SAMP_FACTOR * DCTSIZE;
  std::array<std::array<JSAMPROW, kMostRows>, 4> rows{};
  std::array<JSAMPARRAY, 4> components{};
  for (std::size_t i = 0; i < components.size(); ++i) components[i] = rows[i].data();
  const auto lines = static_cast<JDIMENSION>(lines_in_band(info_));

  want(false, planes.count);
  for (int band = 0; band < bands.first; ++band) {
    jpeg_read_raw_data(&info_, components.data(), lines);
  }
  want(true, planes.count);
  for (int band = bands.first; band <= bands.last; ++band) {
    for (int i = 0; i < planes.count; ++i) {
      Plane& plane = planes.planes[static_cast<std::size_t>(i)];
      const int height = rows_in_band(info_.comp_info[i]);
      std::uint8_t* row = plane.samples.data() +
                          static_cast<std::size_t>((band - bands.first) * height) * plane.pitch;
      for (int k = 0; k < height; ++k, row += plane.pitch) {
        rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] = row;
      }
    }
    jpeg_read_raw_data(&info_, components.data(), lines);
  }
}

}  // namespace tacho
