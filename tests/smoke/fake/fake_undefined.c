/* A libcuda.so.1 that needs a symbol which no library has. */
int cuNobodyHasThis(void);

int cuInit(unsigned flags);

int cuInit(unsigned flags)
{
    return cuNobodyHasThis() + (int)flags;
}
