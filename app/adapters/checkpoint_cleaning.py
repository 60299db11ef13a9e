"""Taking threads out of the checkpointer's file so that nothing of them stays on the disk."""

from __future__ import annotations

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

_TABLES = ("checkpoints", "writes")


async def keep_no_traces(saver: AsyncSqliteSaver) -> None:
    """Make this connection overwrite what it deletes."""
    await saver.conn.execute("PRAGMA secure_delete = ON")


async def forget_thread(saver: AsyncSqliteSaver, owner: str, thread_id: str) -> None:
    """Delete the checkpoints of one thread."""
    await saver.adelete_thread(f"{owner}:{thread_id}")
    await _empty_log(saver)


async def forget_owner(saver: AsyncSqliteSaver, owner: str) -> int:
    """Delete the checkpoints of every thread of an owner; answers how many checkpoints that were."""
    start = f"{owner}:"
    async with saver.lock:
        gone = 0
        for table in _TABLES:
            cursor = await saver.conn.execute(
                f"DELETE FROM {table} WHERE substr(thread_id, 1, ?) = ?", (len(start), start)
            )
            gone += cursor.rowcount
        await saver.conn.commit()
    await _empty_log(saver)
    return gone


async def _empty_log(saver: AsyncSqliteSaver) -> None:
    async with saver.lock:
        await saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
