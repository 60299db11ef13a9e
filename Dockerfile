# Build: docker build -t insurance-assistant .
# Run:   docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges -v assistant:/srv/var -p 7860:7860 insurance-assistant
# Everything that is written lies in /srv/var: databases, indexes, both secrets (secret.key, data.key).
FROM node:22-slim AS web
WORKDIR /web
COPY web/package.json web/package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY web/ ./
RUN node build.mjs

FROM python:3.11-slim AS build
WORKDIR /src
RUN python -m venv /opt/venv && /opt/venv/bin/pip install --no-cache-dir --upgrade pip
COPY pyproject.toml requirements.lock constraints.txt README.md ./
# Locked files, each checked by its hash; then the CPU build of torch: the plain index would bring gigabytes for GPUs.
RUN /opt/venv/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock \
 && /opt/venv/bin/pip install --no-cache-dir -c constraints.txt --extra-index-url https://download.pytorch.org/whl/cpu \
      "$(sed -n 's/^ *"\(torch==[^"]*\)".*/\1/p' pyproject.toml)"

FROM python:3.11-slim
RUN useradd --create-home --uid 1000 assistant
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=/srv \
    HOST=0.0.0.0 PORT=7860 DATA_DIR=/srv/var HF_HUB_OFFLINE=1 HOME=/tmp
WORKDIR /srv
COPY --from=build /opt/venv /opt/venv
# Owned by root: the service cannot change its own code or data.
COPY . .
COPY --from=web /web/dist web/dist
RUN python -m compileall -q app scripts && mkdir -p /srv/var && chown assistant /srv/var && chmod 700 /srv/var
USER assistant
VOLUME /srv/var
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/api/health/ready', timeout=4)"]
CMD ["python", "run.py"]
