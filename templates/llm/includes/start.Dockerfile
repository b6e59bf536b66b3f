ENV SERVE_HOST=0.0.0.0 SERVE_PORT=8080 SERVE_MODEL_DIR=/opt/app/model
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=600s --retries=3 \
    CMD ["python", "-m", "{{ package }}", "healthcheck"]
CMD ["python", "-m", "{{ package }}", "serve"]
