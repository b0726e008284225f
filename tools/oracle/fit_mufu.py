"""Coefficients of the special function unit from what a GPU answers: src/emu/emu_mufu_table.h.

usage: fit_mufu.py OCTAVES.npz > emu_mufu_table.h      (needs numpy; octaves.npz: test/gpu/mufu.py; two minutes)

In a segment the answer is floor(c0 + c1 * x + c2 * square(x)), x the low bits of the argument, square without the
partial products of its low columns. A least squares fit gives c1 and c2 to within a few units; of the integers near
them, those stay for which one c0 satisfies every x: low <= c0 <= high. There is one pair in every segment of every
function, and one bias modulo the unit of c0 in all segments of a function.
"""
import sys

import numpy


def truncated_square(x, bits, column):
    total, bit = numpy.zeros_like(x), [x >> i & 1 for i in range(bits)]
    for i in range(bits):
        if 2 * i >= column:
            total += bit[i] << 2 * i
        for j in range(i + 1, bits):
            if i + j + 1 >= column:
                total += (bit[i] & bit[j]) << (i + j + 1)
    return total >> column


def fit(low, high, bits, column, c0_shift, c2_shift, bias):
    """(c0, c1, c2) with low <= (c0 << c0_shift) + bias + c1 * x + (c2 * square << c2_shift) < high, for every x."""
    x = numpy.arange(1 << bits, dtype=numpy.int64)
    square = truncated_square(x, bits, column)
    weight = 1.0 / numpy.maximum(high - low, 1)
    columns = numpy.stack([numpy.ones(len(x)), x / 2.0**bits, square / 2.0**(2 * bits - column)], 1)
    near = numpy.linalg.lstsq(columns * weight[:, None], (low + high) / 2 * weight, rcond=None)[0]
    unit = 2.0**(2 * bits - column + c2_shift)
    found = []
    for c2 in range(round(near[2] / unit) - 4, round(near[2] / unit) + 5):
        curved = (c2 * square) << c2_shift
        rest = ((low + high) / 2 - curved) * weight
        slope = numpy.linalg.lstsq(columns[:, :2] * weight[:, None], rest, rcond=None)[0][1] / 2.0**bits
        for c1 in range(round(slope) - 5, round(slope) + 6):
            term = curved + c1 * x
            least, most = int((low - term).max()), int((high - term).min()) - 1
            c0 = -(-(least - bias) >> c0_shift)
            if (c0 << c0_shift) + bias <= most:
                found.append((c0, c1, c2))
    assert len(found) == 1, found
    return found[0]


def fixed_bounds(words, places):
    """[low, high) of magnitudes that are cut off to these floats, with `places` binary places."""
    words = words.astype(numpy.int64) & 0x7fffffff
    exponent, mantissa = words >> 23, words & 0x7fffff | 0x800000
    shift = exponent - 150 + places
    low = numpy.where(words > 0, mantissa << numpy.maximum(shift, 0) >> numpy.maximum(-shift, 0), 0)
    return low, low + (1 << numpy.maximum(shift, 0))


def segments(low, high, count, bits, *units):
    size = 1 << bits
    return [fit(low[s * size:(s + 1) * size], high[s * size:(s + 1) * size], bits, *units) for s in range(count)]


def integer_bounds(words, base, places):
    answer = words.astype(numpy.int64) - base
    return answer << places, (answer + 1) << places


def main():
    data = numpy.load(sys.argv[1])
    one = 0x3f800000
    tables = {'rcp': segments(*integer_bounds(data['rcp_127'], one, 15), 128, 16, 17, 13, 0, 2023)}
    for octave, name in ((127, 'even'), (128, 'odd')):
        low, high = integer_bounds(data['rsq_%d' % octave], one, 16)
        if octave == 127:
            low[0] -= 1 << 16  # of 1 the answer is 1, which the polynomial misses by a bit
        tables['rsq_' + name] = segments(low, high, 64, 17, 19, 14, 2, -1)
        tables['sqrt_' + name] = segments(*integer_bounds(data['sqrt_%d' % octave], one, 17), 64, 17, 19, 15, 1, -1)
    tables['ex2'] = segments(*integer_bounds(data['ex2_127'], 0x40000000, 15), 64, 17, 19, 13, 0, 6114)
    low, high = fixed_bounds(data['lg2_127'], 38)
    low[0], high = 0, numpy.maximum(high, low + 4)  # 36 places leave the polynomial
    high[0] = 1 << 16
    tables['lg2'] = segments(low, high, 64, 17, 19, 12, 1, 837)
    tables['sin'] = segments(*fixed_bounds(data['cos_125'], 37), 64, 17, 19, 11, 0, 0)
    tables['tanh'] = []
    for octave, segment_bits in zip(range(119, 130), (0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3)):
        words = data['tanh_%d' % octave][::1 << (6 - segment_bits)]
        tables['tanh'] += segments(*fixed_bounds(words, 41), 1 << segment_bits, 17, 19, 17, 2, 0)
    for name, rows in tables.items():
        print('static const struct mufu_segment %s_segments[%d] = {' % (name, len(rows)))
        line = '   '
        for row in rows:
            text = ' {%d, %d, %d},' % row
            if len(line) + len(text) > 118:
                print(line)
                line = '   '
            line += text
        print(line + '\n};\n')


main()
