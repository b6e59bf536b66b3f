COPY --from=build /opt/app/model /opt/app/model
