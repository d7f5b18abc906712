"""How kernels are compiled, where machine code is kept, and the digest of code that both results and kernels go by."""
