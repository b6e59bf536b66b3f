/* The ELF note by which cuda-compat names the driver branches on which it works. */
    .section .note.cuda.fwd_compatibility, "a", %note
    .balign 4
    .long 2f - 1f
    .long 4f - 3f
    .long 1
1:  .asciz "NVIDIA Corporation"
2:  .balign 4
3:  .asciz "{\"Format\":1,\"CUDA Version\":\"13.1\",\"Driver\":[535,550,570,580],\"Device\":[1,2,7]}"
4:  .balign 4
    .section .note.GNU-stack, "", %progbits
