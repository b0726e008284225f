/* Names of types and special registers, and what holds a value of a type. */
#include "front/ptx_internal.h"

static const struct {
    const char *name;
    uint8_t type, bits, uop;
} types[] = {
    {"pred", PTX_PRED, 1, UOP_B1},
    {"b8", PTX_B8, 8, UOP_B32},
    {"u8", PTX_U8, 8, UOP_B32},
    {"s8", PTX_S8, 8, UOP_B32},
    {"b16", PTX_B16, 16, UOP_B32},
    {"u16", PTX_U16, 16, UOP_B32},
    {"s16", PTX_S16, 16, UOP_B32},
    {"f16", PTX_F16, 16, UOP_F16},
    {"bf16", PTX_BF16, 16, UOP_BF16},
    {"b32", PTX_B32, 32, UOP_B32},
    {"u32", PTX_U32, 32, UOP_B32},
    {"s32", PTX_S32, 32, UOP_B32},
    {"f32", PTX_F32, 32, UOP_F32},
    {"f16x2", PTX_F16X2, 32, UOP_B32},
    {"bf16x2", PTX_BF16X2, 32, UOP_B32},
    {"tf32", PTX_TF32, 32, UOP_B32},
    {"b64", PTX_B64, 64, UOP_B64},
    {"u64", PTX_U64, 64, UOP_B64},
    {"s64", PTX_S64, 64, UOP_B64},
    {"f64", PTX_F64, 64, UOP_F64},
    {"f32x2", PTX_F32X2, 64, UOP_B64},
    {"b128", PTX_B128, 128, UOP_B128},
    {"u16x2", PTX_OTHER_TYPE, 32, UOP_B32},
    {"s16x2", PTX_OTHER_TYPE, 32, UOP_B32},
    {"texref", PTX_OTHER_TYPE, 64, UOP_B64},
    {"samplerref", PTX_OTHER_TYPE, 64, UOP_B64},
    {"surfref", PTX_OTHER_TYPE, 64, UOP_B64},
    {"e4m3x2", PTX_OTHER_TYPE, 16, UOP_B32},
    {"e5m2x2", PTX_OTHER_TYPE, 16, UOP_B32},
    {"e4m3", PTX_OTHER_TYPE, 8, UOP_B32},
    {"e5m2", PTX_OTHER_TYPE, 8, UOP_B32},
};

static const struct {
    const char *name;
    int sreg;
} specials[] = {
    {"%tid.x", UOP_SR_TID_X},
    {"%tid.y", UOP_SR_TID_Y},
    {"%tid.z", UOP_SR_TID_Z},
    {"%ntid.x", UOP_SR_NTID_X},
    {"%ntid.y", UOP_SR_NTID_Y},
    {"%ntid.z", UOP_SR_NTID_Z},
    {"%ctaid.x", UOP_SR_CTAID_X},
    {"%ctaid.y", UOP_SR_CTAID_Y},
    {"%ctaid.z", UOP_SR_CTAID_Z},
    {"%nctaid.x", UOP_SR_NCTAID_X},
    {"%nctaid.y", UOP_SR_NCTAID_Y},
    {"%nctaid.z", UOP_SR_NCTAID_Z},
    {"%tid", UOP_SR_TID_X},
    {"%ntid", UOP_SR_NTID_X},
    {"%ctaid", UOP_SR_CTAID_X},
    {"%nctaid", UOP_SR_NCTAID_X},
    {"%laneid", UOP_SR_LANEID},
    {"%lanemask_eq", UOP_SR_EQMASK},
    {"%lanemask_lt", UOP_SR_LTMASK},
    {"%lanemask_le", UOP_SR_LEMASK},
    {"%lanemask_gt", UOP_SR_GTMASK},
    {"%lanemask_ge", UOP_SR_GEMASK},
    {"%clock", UOP_SR_CLOCK_LO},
    {"%clock_hi", UOP_SR_CLOCK_HI},
    {"%globaltimer_lo", UOP_SR_GLOBALTIMER_LO},
    {"%globaltimer_hi", UOP_SR_GLOBALTIMER_HI},
    {"%smid", UOP_SR_SMID},
};

enum ptx_type ptx_type_named(struct ptx_word word)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (ptx_word_is(word, types[i].name))
            return (enum ptx_type)types[i].type;
    return PTX_UNTYPED;
}

unsigned ptx_type_bits(enum ptx_type type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type)
            return types[i].bits;
    return 32;
}

enum uop_type ptx_type_uop(enum ptx_type type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type)
            return (enum uop_type)types[i].uop;
    return UOP_B32;
}

bool ptx_type_is_float(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

bool ptx_type_is_signed(enum ptx_type type)
{
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

int ptx_special(struct ptx_word name)
{
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (ptx_word_is(name, specials[i].name))
            return specials[i].sreg;
    return -1;
}
