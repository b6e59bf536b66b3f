#!/bin/sh
# Prints the builds for CPUs of the project's pins, as constraints: an index may have the build for CUDA, with
# its gigabytes, under the same version. Only on x86_64: builds for other processors bring no CUDA there, and
# not all of them have the label.
# Environment: CPU_BUILDS (packages whose build for CPUs is VERSION+cpu; ci/framework.sh)
set -eu
cd "$(dirname "$0")/.."
. ci/framework.sh

suffix=
[ ! -e requirements/framework-cpu.txt ] || suffix=-cpu
cat "requirements/framework$suffix.txt" "requirements/indexed$suffix.txt" 2>/dev/null |
    awk -F '[ ;]' -v "packages= ${CPU_BUILDS-} " '{
        split($1, pin, "==")
        if (pin[2] != "" && index(packages, " " pin[1] " "))
            print pin[1] "==" pin[2] "+cpu; platform_machine == \"x86_64\""
    }'
