# Builds the image of Throughline: docker build --build-arg VERSION=0.1.0 --tag throughline .
# A folder made by `npm run bundle` saves the first stage: --build-context bundle=build/throughline

# The platform that builds runs npm; nothing runs on the platform of the image. Pin both by digest where that matters:
# --build-arg BASE_IMAGE=gcr.io/distroless/nodejs24-debian13:nonroot@sha256:…
ARG NODE_IMAGE=docker.io/library/node:24-trixie-slim
ARG BASE_IMAGE=gcr.io/distroless/nodejs24-debian13:nonroot

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund && npm run bundle && npm run sbom

FROM scratch AS bundle
COPY --from=build /src/build/throughline /

# Node and its libraries, without a shell.
FROM ${BASE_IMAGE} AS base

FROM base
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="Throughline" \
      org.opencontainers.image.description="Mobile attribution and deep links that a team runs itself" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/throughline/throughline" \
      org.opencontainers.image.documentation="https://github.com/throughline/throughline/blob/main/docs/guide/docker.md" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

COPY --from=bundle / /app
COPY --chmod=755 deploy/docker/bin/ /usr/local/bin/
# Empty folders of the user, which new volumes take over.
COPY --from=base --chown=65532:65532 /home/nonroot /data
COPY --from=base --chown=65532:65532 /home/nonroot /backups

# Docker starts whatever ends. SQLite sorts large tables in files, for which /tmp is too small.
ENV DATA_DIR=/data WAIT_WHEN_REFUSED=1 SQLITE_TMPDIR=/data
WORKDIR /data
EXPOSE 8080
USER 65532:65532
STOPSIGNAL SIGTERM
# Docker Swarm ends what is not healthy in time: the upgrade of large data takes minutes.
HEALTHCHECK --interval=10s --timeout=5s --start-period=600s --retries=3 CMD ["throughline-health"]
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=16", "/app/throughline.js"]
CMD ["serve"]
