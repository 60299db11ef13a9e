"""Limits that count over all workers. Redis' own clock decides, so the workers' clocks may differ."""

from __future__ import annotations

import math
import uuid

from app.adapters.shared import Shared, key

_SLOT_MS = 120_000
_SPEND = """
local now = redis.call('time')
local t = now[1] * 1000 + math.floor(now[2] / 1000)
local size, per_ms, take = tonumber(ARGV[1]), tonumber(ARGV[1]) / 60000, tonumber(ARGV[2])
local kept = redis.call('hmget', KEYS[1], 'left', 'at')
local left = size
if kept[1] then left = math.min(size, tonumber(kept[1]) + (t - tonumber(kept[2])) * per_ms) end
if left < 1 then return math.ceil((1 - left) / per_ms) end
redis.call('hset', KEYS[1], 'left', left - take, 'at', t)
redis.call('pexpire', KEYS[1], 61000)
return 0
"""
_HOLD = """
local now = redis.call('time')
local t = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('zremrangebyscore', KEYS[1], '-inf', t)
if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('zadd', KEYS[1], t + tonumber(ARGV[3]), ARGV[2])
redis.call('pexpire', KEYS[1], ARGV[3])
return 1
"""


async def spend(shared: Shared, bucket: str, name: str, per_minute: int, take: int = 1) -> int:
    """Take from a bucket; the seconds to wait when it is empty, else 0. Raises Unavailable."""
    place = key("limit", bucket, name)
    wait_ms = await shared.call("limit", lambda redis: redis.eval(_SPEND, 1, place, str(per_minute), str(take)))
    return math.ceil(int(wait_ms) / 1000)


async def hold_slot(shared: Shared, name: str, most: int) -> str | None:
    """Hold one of `most` slots; its token, or None when all are taken. Raises Unavailable.

    A slot that nobody gives back (its worker died) is free again after two minutes.
    """
    token, place = uuid.uuid4().hex, key("slots", name)
    got = await shared.call("slot", lambda redis: redis.eval(_HOLD, 1, place, str(most), token, str(_SLOT_MS)))
    return token if int(got) else None


async def free_slot(shared: Shared, name: str, token: str) -> None:
    """Give a slot back. Raises Unavailable."""
    await shared.call("slot", lambda redis: redis.zrem(key("slots", name), token))
