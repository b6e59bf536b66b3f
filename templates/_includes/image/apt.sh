{#
Installs `packages` within a RUN. Lists and archives are kept in a cache mount, not in the image. Where the
stage is `shipped`, what packages write of their own installation goes too, but for dpkg's own list: it tells
when that was, and would differ each time.
#}
set -eu; export DEBIAN_FRONTEND=noninteractive; \
    apt="apt-get --option Dir::State::Lists=/var/cache/debs/lists --option Dir::Cache::Archives=/var/cache/debs \
        --option APT::Keep-Downloaded-Packages=true"; \
    mkdir -p /var/cache/debs/partial /var/cache/debs/lists/partial; \
    $apt update; \
    $apt install --yes --no-install-recommends {{ packages }}{% if shipped %}; \
    rm -rf /var/log/apt /var/log/dpkg.log /var/log/alternatives.log /var/cache/apt /var/cache/debconf \
        /var/cache/ldconfig /var/lib/dpkg/*-old{% endif %}

