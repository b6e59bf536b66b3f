COPY configs /opt/app/configs
RUN install -d -o 10001 -g 10001 /runs /opt/app/data
