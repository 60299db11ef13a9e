"""Tables of a company's own tools: CSV files in the folder tables/ beside the one that holds their modules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from app.insurance.catalogue_files import DataReader, FaultLog

Row = TypeVar("Row", bound=BaseModel)
TABLES = "tables"


def read_table(module_file: str, name: str, row: type[Row], lists: Sequence[str] = ()) -> tuple[Row, ...]:
    """Every row of tables/`name`, whose columns are the fields of `row`; `lists` names those joined by '|'.

    `module_file` is the module's `__file__`. Raises DataFaults with every fault, each with file and line.
    """
    log = FaultLog()
    root = Path(module_file).resolve().parent.parent
    items = DataReader(root, "", log).csv_list(f"{TABLES}/{name}", row, lists)
    log.check()
    return tuple(item.value for item in items)
