/* Embeds files of the source tree into the program as texts. */
#pragma once

/* Defines `const char NAME[]`: the text of the file at that path, from the top of the tree. */
#define EMBED(name, path)                                                                          \
    extern const char name[];                                                                      \
    __asm__(".pushsection .rodata\n.globl " #name "\n.hidden " #name "\n" #name                    \
            ":\n.incbin \"" path "\"\n.byte 0\n.popsection\n")
