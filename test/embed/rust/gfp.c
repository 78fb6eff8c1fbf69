/* What are macros to C. */
#include <dolmen/gfp.h>

extern const gfp_t rust_gfp_kernel, rust_gfp_zero;
const gfp_t rust_gfp_kernel = GFP_KERNEL, rust_gfp_zero = __GFP_ZERO;
