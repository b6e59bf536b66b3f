{#
The distribution's Python as a folder that can be copied, with the libraries it needs and the base has not
(/tmp/base-libraries lists what it has): installed over the base by apt, it would change the base's files.
#}
[ "$PYTHON_SOURCE" = apt ] && [ -x "/usr/bin/python$PYTHON_VERSION" ] || exit 0; set -eu; \
    name=python$PYTHON_VERSION; mkdir -p python/bin python/lib; \
    cp "/usr/bin/$name" python/bin/; \
    ln -s "$name" python/bin/python3; \
    cp -r "/usr/lib/$name" python/lib/; \
    rm -f "python/lib/$name/sitecustomize.py"; \
    ldd "python/bin/$name" "python/lib/$name/lib-dynload/"*.so >/tmp/needed; \
    sed -n 's|.* => \(/[^ ]*\) .*|\1|p' /tmp/needed >/tmp/libraries; \
    while read -r library; do \
        grep -qxF "${library##*/}" /tmp/base-libraries || cp -L "$library" python/lib/; \
    done </tmp/libraries; \
    patchelf --set-rpath "\$ORIGIN/../lib" "python/bin/$name"; \
    patchelf --set-rpath "\$ORIGIN/../.." "python/lib/$name/lib-dynload/"*.so; \
    for library in python/lib/*.so*; do [ ! -f "$library" ] || patchelf --set-rpath "\$ORIGIN" "$library"; done
