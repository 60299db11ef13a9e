"""Trains the router's heads on every line, calibrates them, and writes the two files that are shipped.

    python -m scripts.routing_train            # writes data/models/routing/; a minute, 1-2 GB at 13,000 lines
    python -m scripts.routing_train --check    # exit code 1 when a shipped file does not fit the data
    CONTENT_DIR=examples/hanbit make train     # the same for a company of its own, into that folder's models/routing

Run it after any change of cards, utterances, no-tool or domain examples, or products. Without it a start trains on a
part of the lines by itself.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from app.adapters.embeddings import build_embedder
from app.editing.opening import load_entries
from app.errors import AppError
from app.insurance.content_folder import settings_in_force
from app.language.features import TextAnalyser
from app.language.particulars import ParticularsMask
from app.language.tokenizer import Tokenizer
from app.routing.learning import SHIPPED, Learned, learn
from app.routing.opening import (
    SHIPPED_CALIBRATION,
    calibrated,
    read_products,
    stored_calibration,
    training_data,
)
from app.settings import Settings
from app.toolbox.modules import ToolModules
from app.toolbox.snapshot import ToolSnapshot


def main(argv: Sequence[str] | None = None) -> int:
    """Train and write, or check; returns the exit code."""
    parser = argparse.ArgumentParser(description="라우터의 분류기를 학습해 저장소에 넣습니다.")
    parser.add_argument("--check", action="store_true", help="들어 있는 파일이 지금 데이터의 것인지만 봅니다")
    options = parser.parse_args(argv)
    own = Settings().content_dir
    modules: ToolModules | None = None
    try:
        settings = settings_in_force(Settings())
        content = settings.content_dir
        modules = ToolModules(content)
        snapshot = ToolSnapshot(1, load_entries(settings, modules))
        sold, tokenizer = read_products(content), Tokenizer()
        training, data_hash = training_data(content, snapshot, tokenizer, sold)
        embedder = build_embedder(settings)
        path, thresholds = own / SHIPPED, own / SHIPPED_CALIBRATION
        if options.check:
            learned = Learned.load(path, tokenizer, data_hash)
            fits = learned is not None and stored_calibration(content, embedder, learned, (thresholds,)) is not None
            print(
                f"{path}: "
                + ("데이터와 맞습니다" if fits else "데이터와 맞지 않습니다. --check 없이 다시 만들어 주세요")
            )
            return 0 if fits else 1
        began = time.perf_counter()
        analyser = TextAnalyser(tokenizer, ParticularsMask(sold, content / "language"))
        learned = learn(training, tokenizer, analyser, data_hash)
        learned.save(path)
        calibrated(content, embedder, analyser, learned).save(thresholds)
    except AppError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        if modules is not None:
            modules.close()
    size = path.stat().st_size / 1e6
    print(f"{len(training):,}문장, {time.perf_counter() - began:.0f}초, {size:.1f} MB, 데이터 {data_hash}: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
