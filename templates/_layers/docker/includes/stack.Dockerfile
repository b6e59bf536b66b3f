{% set team = resolution.team_image | default(none) %}
{% set supply = resolution.cuda.supply or 'wheel' %}
{% set indexed = resolution.index_requirements %}
{% set split = indexed and resolution.requirements[0] not in indexed %}
{% set other_on_cpu = resolution.cpu and resolution.cpu.requirements != resolution.requirements %}
{% set beside = resolution.requirements | length > indexed | length + resolution.build_requirements | length %}
{% set stack = ' --requirement requirements/stack.txt' if other_on_cpu and indexed and not split and beside else '' %}
{% set digest = resolution.image.digest %}
{% set image = resolution.image.repository ~ ':' ~ resolution.image.tag %}
{% set pinned = image ~ ('@' ~ digest if digest else '') %}
# The image of {{ name }}: `make image` builds it, a plain `docker build .` too.
{% if team %}
# It begins with the team's image, which many projects share, and adds packages and code of its own.
{% endif %}
#
# In a closed network, or to try another base, change only these arguments:
{% if team %}
#   BASE_IMAGE     the team's image. Where no registry has it yet, or to do without:
#                  {{ pinned }}
#                  What that lacks is installed{{ '; it keeps the compiler, which this stack needs' if supply == 'build' else '' }}.
{% else %}
#   BASE_IMAGE     any Debian or Ubuntu image; its CUDA libraries are {{ {'wheel': 'not needed: the wheels bring them', 'image': 'used', 'install': 'not needed: they are installed from its repositories', 'build': 'used'}[supply] }}
{% if supply == 'build' %}
#   BUILD_IMAGE    the same with CUDA's compiler, for what has to be compiled; it is not shipped
{% endif %}
{% endif %}
{% if resolution.build_requirements %}
#   BUILD_IMAGE    the same distribution with CUDA's compiler, for what has no wheel; it is not shipped
{% endif %}
#   INDEX_URL      one package index for everything, in place of pip's own and the framework's
#   REQUIREMENTS   another file of pinned packages
#   PYTHON_SOURCE  uv: Python {{ resolution.python }} whatever the base image ships; apt: the base image's own
{% if resolution.build_requirements %}
ARG BUILD_IMAGE={{ resolution.build_image.repository }}:{{ resolution.build_image.tag }}
{% endif %}
{% if team %}
ARG BASE_IMAGE={{ team.repository }}:{{ team.tag }}

{% include 'docker/team.Dockerfile' %}
{% else %}
{% if supply == 'build' %}
ARG BUILD_IMAGE={{ pinned }}
ARG BASE_IMAGE={{ image.replace('-devel', '-runtime') }}
{% else %}
ARG BASE_IMAGE={{ pinned }}
{% endif %}

{% include 'docker/straight.Dockerfile' %}
{% endif %}

{% include 'docker/test.Dockerfile' %}

# What is shipped.
FROM image AS runtime
ARG REVISION=unknown
ARG BASE_IMAGE
LABEL org.opencontainers.image.title="{{ name }}" \
    org.opencontainers.image.revision="$REVISION" \
{% if team %}
    org.opencontainers.image.version="$REVISION" \
    org.opencontainers.image.description="the {{ template }} {{ name }}" \
{% endif %}
    org.opencontainers.image.base.name="$BASE_IMAGE" \
    tmplgen.framework="{{ resolution.framework.name }}{{ ' ' ~ resolution.framework.version if resolution.framework.name != 'none' }}" \
    tmplgen.cuda="{{ resolution.cuda.version or 'none' }}" \
    tmplgen.driver.minimum="{{ resolution.driver.minimum or 'none' }}"{{ ' \\' if team }}
{% if team %}
    tmplgen.writes="/opt/app /usr/local/bin/gpu-smoke{{ ' /runs' if template == 'batch' }}"
{% endif %}
USER 10001:10001
{% include template ~ '/start.Dockerfile' %}
