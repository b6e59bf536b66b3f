COPY data data
COPY deploy deploy
COPY scripts scripts
