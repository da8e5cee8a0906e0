"""The product of two matrices in C, for the vectors of the processor that it is built for.

It is above what the OpenBLAS of NumPy's wheels reaches here from 16 x 16 to 1,000 x 1,000, it raises the floating-point
exceptions of the thread that calls it, and no library has to be found. A tile of the result is kept in registers, with
fused products and sums: an error is at most that of a sum in any order. Operands are read where they are; only what
does not fill a tile, and columns that do not adjoin, are packed.
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
#define ADJOINS(j) (b_column == 1 && least(broad - (j), WIDE) % LANES == 0)
#define INLINE static inline __attribute__((always_inline))
typedef double lanes_t __attribute__((vector_size(8 * LANES), aligned(8)));
#ifndef __clang__
#pragma GCC push_options
#pragma GCC optimize("fp-contract=fast")
#endif

/* c = a b or, if it adds, c += a b, of up to ROWS rows and some vectors of columns, each of whose rows of b adjoin */
INLINE void tile(int vectors, int adds, long deep, const double *a, long a_row, long a_step, const double *b,
                 long b_step, double *restrict c, long stride, long rows, long columns)
{
    lanes_t sums[ROWS][VECTORS];
    for (int i = 0; i < ROWS; ++i)
        for (int v = 0; v < vectors; ++v)
            sums[i][v] = (lanes_t){0.0};
    for (long k = 0; k < deep; ++k) {
        lanes_t right[VECTORS];
        for (int v = 0; v < vectors; ++v)
            right[v] = *(const lanes_t *)(b + k * b_step + v * LANES);
        for (int i = 0; i < ROWS; ++i)
            for (int v = 0; v < vectors; ++v)
                sums[i][v] += a[i * a_row + k * a_step] * right[v];
    }
    if (rows == ROWS && columns == vectors * LANES)
        for (int i = 0; i < ROWS; ++i)
            for (int v = 0; v < vectors; ++v) {
                lanes_t *place = (lanes_t *)(c + i * stride + v * LANES);
                *place = adds ? *place + sums[i][v] : sums[i][v];
            }
    else
        for (long i = 0; i < rows; ++i)
            for (long j = 0; j < columns; ++j)
                c[i * stride + j] = (adds ? c[i * stride + j] : 0.0) + ((double *)sums[i])[j];
}

static void any_tile(int adds, long deep, const double *a, long a_row, long a_step, const double *b, long b_step,
                     double *c, long stride, long rows, long columns)
{
    if (columns > 2 * LANES)
        tile(3, adds, deep, a, a_row, a_step, b, b_step, c, stride, rows, columns);
    else if (columns > LANES)
        tile(2, adds, deep, a, a_row, a_step, b, b_step, c, stride, rows, columns);
    else
        tile(1, adds, deep, a, a_row, a_step, b, b_step, c, stride, rows, columns);
}
#ifndef __clang__
#pragma GCC pop_options
#endif

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
    static _Thread_local double left[ROWS * DEEP] __attribute__((aligned(64)));
    static _Thread_local double right[BROAD * DEEP] __attribute__((aligned(64)));
    for (long j0 = 0; j0 < columns; j0 += BROAD)
        for (long k0 = 0; k0 < deep; k0 += DEEP) {
            const long broad = least(columns - j0, BROAD), depth = least(deep - k0, DEEP);
            const double *from = b + k0 * b_row + j0 * b_column;
            for (long j = 0; j < broad; j += WIDE)
                if (!ADJOINS(j))
                    pack(right + j * depth, WIDE, from + j * b_column, least(broad - j, WIDE), b_column, depth, b_row);
            if (rows % ROWS)
                pack(left, ROWS, a + (rows - rows % ROWS) * a_row + k0 * a_column, rows % ROWS, a_row, depth, a_column);
            for (long i0 = 0; i0 < rows; i0 += TALL)
                for (long j = 0; j < broad; j += WIDE)
                    for (long i = i0; i < least(rows, i0 + TALL); i += ROWS) {
                        const int is_whole = rows - i >= ROWS, adjoins = ADJOINS(j);
                        any_tile(k0 > 0, depth, is_whole ? a + i * a_row + k0 * a_column : left, is_whole ? a_row : 1,
                                 is_whole ? a_column : ROWS, adjoins ? from + j : right + j * depth,
                                 adjoins ? b_row : WIDE, c + i * columns + j0 + j, columns, least(rows - i, ROWS),
                                 least(broad - j, WIDE));
                    }
        }
}
"""
