# MABOS in a container: `mabos live` by default, any other command after the image's name.
#   docker build --tag mabos .
#   docker run --volume mabos:/workspace mabos init
#   docker run --volume mabos:/workspace mabos business create acme --name Acme --template saas
#   docker compose --profile mabos up --detach        live and dashboard, on one workspace
FROM python:3.13-slim AS build
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
ARG EXTRAS=dashboard,mcp,langchain,anthropic,documents
# git: a workspace is a repository
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(ls /wheels/mabos-*.whl)[${EXTRAS}]"
RUN useradd --create-home --uid 1000 mabos && install --directory --owner mabos /workspace
USER mabos
ENV MABOS_WORKSPACE=/workspace PYTHONUNBUFFERED=1
VOLUME /workspace
EXPOSE 8702
STOPSIGNAL SIGINT
ENTRYPOINT ["mabos"]
CMD ["live"]
