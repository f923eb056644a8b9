"""What a picture of weights shows, and what it says to whoever does not see it."""

from __future__ import annotations

from grader.grade.evidence import Picture, Weights
from grader.report.html.heat import WIDEST, drawn, heat_maps
from grader.text.language import ENGLISH, use_language
from tests.support.pages import LEAKS, SUMS, WEIGHTS, WIDE


def test_three_matrices_with_two_scales_and_what_is_no_weight() -> None:
    found = heat_maps(WEIGHTS)

    assert [panel.title for panel in found.panels] == ["yours", "expected", "yours − expected"]
    assert [(scale.least, scale.most) for scale in found.scales] == [
        ("0", "0.750"),
        ("−1.250", "+1.250"),
    ]
    assert [step.text for step in found.legend] == ["below 0", "above 0.750", "not finite"]
    assert "Rows are queries, columns are keys." in found.caption


def test_words_say_where_the_difference_is_largest() -> None:
    yours, _, difference = heat_maps(WEIGHTS).panels

    assert yours.description == "yours: 2 rows and 3 columns of numbers."
    assert difference.description == (
        "yours − expected: 2 rows and 3 columns of numbers. "
        "The largest difference is +1.250, in row 1, column 1."
    )


def test_words_in_korean_end_with_the_number() -> None:
    use_language("ko")
    try:
        difference = heat_maps(Weights(((0.5,),), ((0.248,),))).panels[-1]
    finally:
        use_language(ENGLISH)

    assert difference.description.endswith("열의 +0.252입니다.")


def test_shades_follow_the_numbers() -> None:
    yours, expected, difference = heat_maps(WEIGHTS).panels

    assert [cell.kind for cell in yours.cells] == ["w1", "w9", "w3", "odd", "high", "low"]
    assert [cell.kind for cell in expected.cells] == ["w4", "w5", "w4", "w0", "w3", "w10"]
    assert [cell.kind for cell in difference.cells] == ["d-1", "d2", "d-1", "odd", "d5", "d-5"]


def test_cells_have_their_numbers_and_a_table_has_more_of_them() -> None:
    yours, _, difference = heat_maps(WEIGHTS).panels

    assert [cell.text for cell in yours.cells] == [".10", ".70", ".20", "!", "1.50", "−.50"]
    assert [cell.text for cell in difference.cells[:3]] == ["−.20", "+.30", "−.10"]
    assert yours.table[1] == ("not finite", "1.500", "−0.500")


def test_what_is_the_same_has_no_difference_to_scale() -> None:
    same = heat_maps(Weights(((0.5, 0.5),), ((0.5, 0.50001),)))

    assert {cell.kind for cell in same.panels[2].cells} == {"d0"}
    assert len(same.scales) == 1


def test_of_another_shape_there_is_no_difference() -> None:
    found = heat_maps(Weights(((0.5, 0.5),), ((1.0,), (1.0,))))

    assert [panel.title for panel in found.panels] == ["yours", "expected"]
    assert [len(panel.table) for panel in found.panels] == [1, 2]


def test_a_wide_matrix_is_small_and_leaves_its_numbers_to_the_table() -> None:
    found = heat_maps(WIDE)

    assert {panel.shown for panel in found.panels} == {WIDEST}
    assert {cell.text for panel in found.panels for cell in panel.cells} == {""}
    assert "Only the first rows and columns are drawn." in found.caption


def test_huge_numbers_are_no_error() -> None:
    found = heat_maps(Weights(((1e308, -1e308),), ((0.5, 0.5),)))

    assert [cell.kind for cell in found.panels[0].cells] == ["high", "low"]
    assert found.panels[0].table == (("1e+308", "−1e+308"),)


def test_a_leak_map_counts_in_words_what_is_wrong() -> None:
    found = drawn(LEAKS)

    assert found is not None
    (panel,) = found.panels
    assert panel.description == (
        "what depends on what: 3 rows and 3 columns. “yes, and it must not” stands in 2 cells. "
        "“no, and it should” stands in 1 cell."
    )
    assert panel.table[0] == ("yes", "must not", "–")
    assert [step.kind for step in found.legend] == ["leak0", "leak1", "leak2", "leak3"]


def test_sums_that_are_wrong_stand_out() -> None:
    found = drawn(SUMS)

    assert found is not None
    assert [cell.kind for cell in found.panels[0].cells] == ["fine", "wrong", "wrong"]
    assert found.panels[0].description == "sum of each row, which should be 1: 1, 0.43, 12.5"


def test_of_an_unknown_kind_or_of_nothing_nothing_is_drawn() -> None:
    assert drawn(Picture("values", "numbers", ((1.0,),))) is None
    for kind in ("leaks", "row_sums"):
        empty = drawn(Picture(kind, "empty", ()))
        assert empty is not None
        assert empty.panels[0].cells == ()
