#pragma once

// The loops of the forms. The scalar ones are compiled without vectorization, the others for every
// vector width; see CMakeLists.txt.

#include "microbench/memory/form.h"

namespace tacho::bandwidth {

void copy_scalar(Part& p);
void copy_strided(Part& p);
void scale_scalar(Part& p);
void triad_scalar(Part& p);
void sum_scalar(Part& p);
void stencil_columns_first(Part& p);
void stencil_scalar(Part& p);

void copy_vectors(Part& p);
void copy_ahead(Part& p);
void copy_library(Part& p);
void scale_vectors(Part& p);
void scale_in_place(Part& p);
void triad_vectors(Part& p);
void triad_ahead(Part& p);
void sum_one_chain(Part& p);
void sum_many_chains(Part& p);
void sum_ahead(Part& p);
void stencil_vectors(Part& p);

void copy_streamed(Part& p);
void copy_streamed_ahead(Part& p);
void scale_streamed(Part& p);
void triad_streamed(Part& p);
void triad_streamed_ahead(Part& p);
void stencil_streamed(Part& p);
#ifdef __aarch64__
void copy_zeroed(Part& p);
void triad_zeroed(Part& p);
#endif
#ifdef __x86_64__
// Returns true if the CPU can store a whole cache line at once (AVX-512).
bool stores_lines();
void copy_line_stores(Part& p);
void triad_line_stores(Part& p);
#endif

void transpose_rows_in(Part& p);
void transpose_rows_out(Part& p);
void transpose_tiles(Part& p);
void transpose_tiles_streamed(Part& p);
void gather_plain(Part& p);
void gather_ahead(Part& p);
void scatter_plain(Part& p);
void scatter_ahead(Part& p);

void normalise_three_passes(Part& p);
void normalise_two_passes(Part& p);
void normalise_rows(Part& p);
void normalise_rows_streamed(Part& p);

}  // namespace tacho::bandwidth
