#pragma once

namespace tacho {

// Quantile of the standard normal distribution; q is in (0, 1).
double normal_quantile(double q);
// Quantile of Student's t distribution with at least one degree of freedom.
double student_quantile(double q, int degrees);

}  // namespace tacho
