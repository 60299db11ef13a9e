"""Traces to an OpenTelemetry collector. Off by default; then nothing is made and nothing leaves."""

from __future__ import annotations

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

from app.errors import StartError
from app.messages import worded
from app.settings import Settings

SERVICE = "insurance-assistant"


class Tracing:
    """The tracer of this process; `tracer` is None while tracing is off."""

    def __init__(self, exporter: SpanExporter | None = None) -> None:
        self._provider: TracerProvider | None = None
        self.tracer: trace.Tracer | None = None
        if exporter is not None:
            self._provider = TracerProvider(resource=Resource.create({"service.name": SERVICE}))
            self._provider.add_span_processor(BatchSpanProcessor(exporter))
            self.tracer = self._provider.get_tracer(SERVICE)

    def flush(self) -> None:
        """Send what is still held."""
        if self._provider is not None:
            self._provider.force_flush()

    def close(self) -> None:
        """Send what is still held, and stop."""
        if self._provider is not None:
            self._provider.shutdown()


def open_tracing(settings: Settings) -> Tracing:
    """Tracing as the settings want it. Raises StartError where the exporter is not installed."""
    if not settings.otel_endpoint:
        return Tracing()
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise StartError(worded("tracing.needs_packages")) from error
    return Tracing(OTLPSpanExporter(endpoint=f"{settings.otel_endpoint.rstrip('/')}/v1/traces"))
