# wfgate as a container image, for GitLab CI, Jenkins and others:
#   docker build -t wfgate .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work:ro" wfgate gate generated
# As in the GitHub Action, packages are installed by their hashes, and wfgate itself is copied.
ARG BASE=python:3.12-slim-bookworm@sha256:782412e85d0f0984994c290652577d4018aff08145c85b262bb63dc0c7522254

FROM ${BASE} AS build
COPY .ci/action/requirements.txt /tmp/
RUN python3 -m venv --without-pip /opt/wfgate \
  && python3 -m pip --isolated --disable-pip-version-check --python /opt/wfgate/bin/python install --quiet \
    --no-cache-dir --no-deps --require-hashes --only-binary :all: --requirement /tmp/requirements.txt
COPY wfgate /tmp/wfgate
RUN cp -r /tmp/wfgate "$(/opt/wfgate/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
  && /opt/wfgate/bin/python -m compileall -q /opt/wfgate/lib \
  && printf '#!/opt/wfgate/bin/python -I\nfrom wfgate.cli import run\n\nrun()\n' > /opt/wfgate/bin/wfgate \
  && chmod 755 /opt/wfgate/bin/wfgate

# The bill of materials: the packages with versions, licences and hashes, as CycloneDX. Scanners find those of the
# distribution in its own database.
COPY .ci/sbom-requirements.txt pyproject.toml /tmp/
RUN python3 -m venv --without-pip /opt/sbom \
  && python3 -m pip --isolated --disable-pip-version-check --python /opt/sbom/bin/python install --quiet \
    --no-cache-dir --no-deps --require-hashes --only-binary :all: --requirement /tmp/sbom-requirements.txt \
  && /opt/sbom/bin/cyclonedx-py environment --pyproject /tmp/pyproject.toml --mc-type application \
    --output-reproducible --validate --output-file /tmp/sbom.cdx.json /opt/wfgate/bin/python

FROM ${BASE}
# git reads the base revision. Its version is that of the distribution of the pinned base.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends git \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/wfgate /opt/wfgate
COPY --from=build /tmp/sbom.cdx.json /usr/share/doc/wfgate/
COPY LICENSE NOTICE THIRD_PARTY.md /usr/share/doc/wfgate/
# Without a cache no verdict depends on who else can write it. PATH: for jobs that do not use the entry point.
ENV PATH="$PATH:/opt/wfgate/bin" WFGATE_CACHE=off
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["wfgate"]
