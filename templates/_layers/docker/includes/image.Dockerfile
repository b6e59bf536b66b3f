{% include template ~ '/image.Dockerfile' ignore missing %}
COPY --from=build /opt/app/site /opt/app/site
ENV PATH=/opt/app/venv/bin:$PATH \
    PYTHONPATH=/opt/app/site \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp
{% if resolution %}
{% for key, value in resolution.env.items() %}
ENV {{ key }}={{ value | tojson }}
{% endfor %}
{% endif %}
WORKDIR /opt/app
