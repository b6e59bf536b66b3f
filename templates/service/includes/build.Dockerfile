# The model that the image serves.
COPY data data
RUN python -m {{ package }} train --device cpu --out model
