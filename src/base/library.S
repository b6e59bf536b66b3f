/*
 * What the program calls of libraries that library.c loads: each function is a jump to an address
 * that library_load fills in. tools/library-functions writes the list while the program is linked.
 *
 * It was measured that loading libgit2 and libcrypto with the libraries that they bring takes three
 * times as long as everything else that happens until main is reached.
 */
#if defined(__CET__)
#include <cet.h>
#endif
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

#if defined(__x86_64__)
#define JUMP(address) jmp *address(%rip)
#elif defined(__aarch64__)
#define JUMP(address) adrp x16, address; ldr x16, [x16, :lo12:address]; br x16
#else
#error "link this machine's program with its libraries: make LAZY="
#endif

/* A struct library_function, and the function itself, which leads to `until` first. */
#define FUNCTION(file, name, until)                                                                \
    .section .rodata.library, "a";                                                                 \
    1: .asciz file;                                                                                \
    2: .asciz #name;                                                                               \
    .section library_functions, "aw";                                                              \
    .balign 8;                                                                                     \
    .quad 1b, 2b;                                                                                  \
    .Laddress_##name: .quad until;                                                                 \
    .text;                                                                                         \
    .globl name;                                                                                   \
    .type name, %function;                                                                         \
    name: _CET_ENDBR; JUMP(.Laddress_##name);                                                      \
    .size name, . - name;

#include "library_functions.h"

    .section .note.GNU-stack, "", %progbits
