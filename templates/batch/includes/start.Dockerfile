# Runs are kept in /runs: mount a volume there. A run that is stopped saves first: give it time.
ENV BATCH_OUT=/runs/base \
    MPLCONFIGDIR=/tmp/matplotlib
STOPSIGNAL SIGTERM
ENTRYPOINT ["python", "-m", "{{ package }}"]
CMD ["train"]
