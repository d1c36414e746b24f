# The program and the Python package on a small Debian.
#     docker build -t spinney .
#     docker run --rm -v "$PWD:/data" spinney train molecules.csv --target y -o model.json
FROM rust:1.95-slim-bookworm AS build
# The versions are those of this Debian release.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends build-essential python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /spinney
COPY . .
RUN cargo build --release --locked && make wheel

FROM python:3.12-slim-bookworm
COPY --from=build /spinney/target/release/spinney /usr/local/bin/spinney
COPY --from=build /spinney/target/wheels/ /wheels/
RUN pip install --no-cache-dir /wheels/*.whl && rm -r /wheels \
    && useradd --create-home --uid 1000 spinney
USER 1000
WORKDIR /data
ENTRYPOINT ["spinney"]
CMD ["--help"]
