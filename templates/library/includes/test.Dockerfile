COPY bench bench
