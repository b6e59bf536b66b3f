#!/bin/sh
# Prints the builds for CPUs of the project's pins, as constraints: an index may have the build for CUDA, with
# its gigabytes, under the same version.
# Environment: CPU_BUILDS (packages whose build for CPUs is VERSION+cpu; ci/framework.sh)
set -eu
cd "$(dirname "$0")/.."
. ci/framework.sh

suffix=
[ ! -e requirements/framework-cpu.txt ] || suffix=-cpu
for package in ${CPU_BUILDS-}; do
    cat "requirements/framework$suffix.txt" "requirements/indexed$suffix.txt" 2>/dev/null |
        sed -n "s/^$package==[^ ;+]*/&+cpu/p"
done
