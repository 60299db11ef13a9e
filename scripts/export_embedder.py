"""Writes the bundled embedder as a folder that sentence-transformers reads: `python -m scripts.export_embedder DIR`."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.adapters.embeddings import BUNDLED_FOLDER
from scripts.training.model_folder import write_library_folder


def main() -> None:
    """Write it, and say how to load it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write it")
    folder = parser.parse_args().folder
    write_library_folder(BUNDLED_FOLDER, folder)
    print(f'SentenceTransformer("{folder}")')


if __name__ == "__main__":
    main()
