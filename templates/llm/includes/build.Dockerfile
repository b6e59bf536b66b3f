# The tiny model: what the image serves until a folder is mounted and SERVE_MODEL_DIR names it.
COPY data data
RUN python -m {{ package }} tiny --out model
