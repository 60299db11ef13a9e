"""A growth plot shows the points it was given where the axes say they are."""

from __future__ import annotations

from xml.etree import ElementTree

from scripts.bench_growth import Plot, calculated, drawn

SVG = "{http://www.w3.org/2000/svg}"


def test_a_plot_holds_its_points_and_labels():
    rows = [
        {"x": 100, "p50": 10.0, "p95": 20.0},
        {"x": 1_000, "p50": 15.5, "p95": 40.0},
        {"x": 10_000, "p50": 20.0, "p95": 80.0, "calculated": True},
    ]
    plot = Plot("try", "Turns & threads <now>", "ms", ("p50", "p95"))

    image = ElementTree.fromstring(drawn(plot, "threads", rows))

    texts = [text.text for text in image.iter(f"{SVG}text")]
    told = {"Turns & threads <now>", "threads (log scale)", "ms", "p50", "p95", "10,000", "0", "80"}
    assert told <= set(texts)
    circles = list(image.iter(f"{SVG}circle"))
    titles = [circle.find(f"{SVG}title").text for circle in circles]
    assert titles[1] == "p50: 1,000 → 15.5 ms"
    assert titles[5] == "p95: 10,000 → 80.0 ms (calculated)"
    xs, ys = ([float(circle.get(name)) for circle in circles] for name in ("cx", "cy"))
    assert abs((xs[1] - xs[0]) - (xs[2] - xs[1])) < 0.2  # decades are equally wide
    assert xs[:3] == xs[3:]
    assert ys[2] == ys[3] and abs((ys[3] - ys[4]) * 2 - (ys[4] - ys[5])) < 0.3  # 20 is 20, and 40 → 80 is twice 20 → 40
    assert circles[2].get("fill") == "#ffffff" != circles[1].get("fill")


def test_a_size_beyond_is_calculated_from_the_last_two():
    rows = [{"x": 100, "disk": 3.0}, {"x": 1_100, "disk": 13.0}]

    assert calculated(rows, [2_100]) == [{"x": 2_100, "disk": 23.0, "calculated": True}]
    assert calculated(rows[:1], [2_100]) == []
