"""The product of two matrices in C, for the vectors of the processor that it is built for.

It is at or above what the OpenBLAS of NumPy's wheels reaches here from 32 x 32 on, it raises the floating-point
exceptions of the thread that calls it, and no library has to be found. The operands are packed for a tile of registers,
whose products and sums are fused: an error is at most that of a sum in any order.
"""

MATRIX_PRODUCT = """
#ifdef __AVX512F__
#define LANES 8
#define ROWS 8
#else
#define LANES 4
#define ROWS 4
#endif
#define VECTORS 3
#define WIDE (LANES * VECTORS)
#define DEEP 256
#define TALL 96
#define BROAD 480
typedef double lanes_t __attribute__((vector_size(8 * LANES)));

#ifndef __clang__
__attribute__((optimize("fp-contract=fast")))
#endif
static void add_tile(long deep, const double *restrict a, const double *restrict b, double *restrict c, long stride,
                     long rows, long columns)
{
    lanes_t sums[ROWS][VECTORS];
    memset(sums, 0, sizeof sums);
    for (long k = 0; k < deep; ++k) {
        lanes_t right[VECTORS];
        for (int v = 0; v < VECTORS; ++v)
            right[v] = *(const lanes_t *)(b + k * WIDE + v * LANES);
        for (int i = 0; i < ROWS; ++i)
            for (int v = 0; v < VECTORS; ++v)
                sums[i][v] += a[k * ROWS + i] * right[v];
    }
    for (long i = 0; i < rows; ++i)
        for (long j = 0; j < columns; ++j)
            c[i * stride + j] += ((double *)sums[i])[j];
}

static void pack(double *to, long width, const double *from, long count, long stride, long deep, long step)
{
    if (step == 1)
        for (long n = 0; n < width; ++n)
            for (long k = 0; k < deep; ++k)
                to[k * width + n] = n < count ? from[n * stride + k] : 0.0;
    else
        for (long k = 0; k < deep; ++k)
            for (long n = 0; n < width; ++n)
                to[k * width + n] = n < count ? from[n * stride + k * step] : 0.0;
}

static long least(long a, long b)
{
    return a < b ? a : b;
}

/* c = a b, of which c is stored row by row, and a and b have any distances between rows and columns */
static void matrix_product(double *restrict c, long rows, long columns, long deep, const double *a, long a_row,
                           long a_column, const double *b, long b_row, long b_column)
{
    static _Thread_local double left[TALL * DEEP] __attribute__((aligned(64)));
    static _Thread_local double right[BROAD * DEEP] __attribute__((aligned(64)));
    memset(c, 0, rows * columns * sizeof *c);
    for (long j0 = 0; j0 < columns; j0 += BROAD)
        for (long k0 = 0; k0 < deep; k0 += DEEP) {
            const long broad = least(columns - j0, BROAD), depth = least(deep - k0, DEEP);
            for (long j = 0; j < broad; j += WIDE)
                pack(right + j * depth, WIDE, b + k0 * b_row + (j0 + j) * b_column, least(broad - j, WIDE), b_column,
                     depth, b_row);
            for (long i0 = 0; i0 < rows; i0 += TALL) {
                const long tall = least(rows - i0, TALL);
                for (long i = 0; i < tall; i += ROWS)
                    pack(left + i * depth, ROWS, a + (i0 + i) * a_row + k0 * a_column, least(tall - i, ROWS), a_row,
                         depth, a_column);
                for (long j = 0; j < broad; j += WIDE)
                    for (long i = 0; i < tall; i += ROWS)
                        add_tile(depth, left + i * depth, right + j * depth, c + (i0 + i) * columns + j0 + j, columns,
                                 least(tall - i, ROWS), least(broad - j, WIDE));
            }
        }
}
"""
