# Build: docker build -t insurance-assistant .   Run: docker run -p 7860:7860 insurance-assistant
FROM python:3.11-slim AS build
WORKDIR /src
RUN python -m venv /opt/venv && /opt/venv/bin/pip install --no-cache-dir --upgrade pip
COPY pyproject.toml constraints.txt README.md ./
COPY app ./app
COPY scripts ./scripts
# The CPU build of torch: the plain index would bring gigabytes of GPU packages.
RUN /opt/venv/bin/pip install --no-cache-dir -c constraints.txt --extra-index-url https://download.pytorch.org/whl/cpu .

FROM python:3.11-slim
RUN useradd --create-home --uid 1000 assistant
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 HOST=0.0.0.0 PORT=7860 DATA_DIR=/srv/var HF_HUB_OFFLINE=1
WORKDIR /srv
COPY --from=build /opt/venv /opt/venv
COPY --chown=assistant . .
# The modules beside data/ and templates/ are the ones that run; the installed copy only brought the dependencies.
RUN mkdir -p /srv/var && chown assistant /srv/var
ENV PYTHONPATH=/srv
USER assistant
VOLUME /srv/var
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/api/health/ready', timeout=4)"]
CMD ["python", "run.py"]
