/* Sixteen bytes to text. */
#include <sassprobe/decode.h>
#include <stdio.h>

int main(void)
{
    static const unsigned char code[16] = {0x25, 0x76, 0x02, 0x04, 0x00, 0x58, 0x00, 0x00,
                                           0x05, 0x02, 0x8e, 0x07, 0x00, 0xcc, 0x0f, 0x00};
    struct sp_instruction in;
    char text[SP_TEXT_ROOM];
    if (sp_decode(86, code, sizeof code, 0, &in) != SP_OK)
        return 1;
    sp_instruction_text(&in, NULL, text, sizeof text);
    return puts(text) < 0;
}
