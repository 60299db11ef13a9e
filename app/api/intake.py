"""Documents that are taken in behind the caller's back: read, indexed, and swapped in when they are ready."""

from __future__ import annotations

import asyncio
import logging
import shutil
from contextlib import suppress
from pathlib import Path

from app.adapters.document_jobs import DocumentJob, DocumentJobs
from app.api.uploads import Upload
from app.documents.ingest import digest_of
from app.documents.trial import try_file
from app.errors import AppError
from app.services import Services

log = logging.getLogger(__name__)

_TOUCH_S = 20.0
_FAILED = "문서를 읽다가 오류가 났습니다. 문서는 그대로이니 잠시 뒤 다시 올려 주세요."


class Intake:
    """The uploads that this process is reading. Searches go on with what was there until one is ready."""

    def __init__(self, services: Services) -> None:
        self._services, self.jobs = services, DocumentJobs(services.storage.database)
        self._tasks: set[asyncio.Task[None]] = set()

    async def take(self, upload: Upload, project: str, author: str, request_id: str) -> DocumentJob:
        """Begin with a received file, which is copied first: the request's own is gone when it is answered."""
        job = await self.jobs.begin(upload.name, project, author)
        kept = upload.path.with_name(f"{job.job_id}{upload.path.suffix}")
        await asyncio.to_thread(shutil.copyfile, upload.path, kept)
        task = asyncio.create_task(self._read(job, kept, request_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    async def close(self) -> None:
        """Stop what is being read; the index is left as it was or as it is to be, never between."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _read(self, job: DocumentJob, file: Path, request_id: str) -> None:
        alive = asyncio.create_task(self._tell_alive(job.job_id))
        try:
            await self._taken_in(job, file, request_id)
        except AppError as error:
            await self._failed(job, str(error), request_id)
        except Exception:  # whatever a broken file does to its reader, the page must hear of it
            log.exception("upload %s failed", job.job_id)
            await self._failed(job, _FAILED, request_id)
        finally:
            alive.cancel()
            for left in (file, file.with_name(f"{file.name}.before")):
                left.unlink(missing_ok=True)

    async def _taken_in(self, job: DocumentJob, file: Path, request_id: str) -> None:
        services = self._services
        await self.jobs.note(job.job_id, "reading")
        digest = await asyncio.to_thread(digest_of, file)
        await try_file(file, job.name)
        found = await asyncio.to_thread(services.knowledge.documents.read, file, job.name, job.project)
        async with services.tools.changes.changing("documents", job.project, job.author):
            report = await asyncio.to_thread(services.knowledge.documents.add, file, found, job.project)
        details = {"project": job.project, "pages": report.pages, "chunks": report.chunks, "sha256": digest}
        await services.storage.audit.record(
            job.author, "document.add", job.name, details=details, request_id=request_id
        )
        await self.jobs.note(job.job_id, "ready", pages=report.pages, chunks=report.chunks)

    async def _failed(self, job: DocumentJob, reason: str, request_id: str) -> None:
        await self.jobs.note(job.job_id, "failed", reason=reason)
        details = {"project": job.project, "reason": reason}
        await self._services.storage.audit.record(
            job.author, "document.add", job.name, result="failed", details=details, request_id=request_id
        )

    async def _tell_alive(self, job_id: str) -> None:
        while True:
            await asyncio.sleep(_TOUCH_S)
            with suppress(AppError):
                await self.jobs.touch(job_id)
