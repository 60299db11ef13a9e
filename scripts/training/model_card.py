"""The model card: what the weights are made of, under which licence, and what they were measured to do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scripts.training.corpus import DEVELOPMENT_SHARE, GRADED_HELD_OUT, LAWS_HELD_OUT, Corpus
from scripts.training.recipe import Recipe

_TEMPLATE = Path(__file__).with_name("model_card.md")

_SOURCES = (
    ("StyleKQC", "stylekqc", "같은 뜻 묶음", "CC BY-SA 4.0", "github.com/cynthia/stylekqc"),
    ("ParaKQC", "parakqc", "같은 뜻 묶음", "CC BY-SA 4.0", "github.com/warnikchow/paraKQC"),
    ("sae4k", "sae4k", "발화와 그 요지", "CC BY-SA 4.0", "github.com/warnikchow/sae4k"),
    ("Question_pair", "question_pair", "같은 질문 쌍", "MIT", "github.com/songys/Question_pair"),
)


def model_card(
    recipe: Recipe, corpus: Corpus, figures: Mapping[str, Mapping[str, float]], pieces: int, seed: int
) -> str:
    """README.md of the model folder."""
    total = sum(recipe.weights.values())
    return _TEMPLATE.read_text(encoding="utf-8").format(
        dimension=recipe.dimension,
        pieces=pieces,
        sources="\n".join(_source_rows(corpus)),
        seed=seed,
        steps=recipe.steps,
        runs=recipe.runs,
        batch=recipe.batch,
        rate=recipe.rate,
        scale=recipe.scale,
        short=recipe.short_dimension,
        short_weight=recipe.short_weight,
        token_dropout=recipe.token_dropout,
        tool_dropout=recipe.tool_dropout,
        joined=recipe.joined_words,
        weights=", ".join(f"{name} {weight / total:.2f}" for name, weight in recipe.weights.items()),
        development=DEVELOPMENT_SHARE,
        graded=GRADED_HELD_OUT,
        laws=LAWS_HELD_OUT,
        figures="\n".join(
            f"| {name} | {', '.join(f'{label} {value:.4g}' for label, value in values.items())} |"
            for name, values in figures.items()
        ),
    )


def _source_rows(corpus: Corpus) -> list[str]:
    rows = [
        f"| {name} | {use} | {len(corpus.groups[key]):,} | {licence} | {where} |"
        for name, key, use, licence, where in _SOURCES
    ]
    utterances = sum(len(lines) for lines in (*corpus.tools.values(), *corpus.others.values(), corpus.wordless))
    return [
        *rows,
        f"| KorSTS (train) | 사람이 매긴 유사도 | {len(corpus.graded):,} | CC BY-SA 4.0 "
        "| github.com/kakaobrain/KorNLUDatasets |",
        f"| 대한민국 법령 조문 | 조문 제목과 본문 | {len(corpus.articles):,} | 저작권법 제7조(보호받지 못하는 저작물) "
        "| law.go.kr (국가법령정보센터) |",
        f"| 보험 상담 발화 | 도구 {len(corpus.tools)}개와 도구 없는 대화의 학습용 줄 | {utterances:,} "
        "| 이 프로젝트에서 작성 | data/tool_cards |",
    ]
