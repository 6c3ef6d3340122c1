"""The page of a balance analysis: three sentences and one table, all else folded behind links."""

import re

import pytest

from arena.balance.overview import own_rows
from arena.balance.page import SECTIONS
from arena.balance.run import play
from arena.balance.verdict import verdict
from arena.pages.balance import balance_html, write_balance_page


def visible(page):
    return re.sub(r"<(style|script|svg)\b.*?</\1>|<[^>]*>", " ", page, flags=re.S)


@pytest.mark.parametrize("case", [pytest.param("few", marks=pytest.mark.full), "skill", "teams"])
def test_the_lead_stands_first_and_every_table_is_there_folded(analysed, case):
    balance = analysed(case)
    said = verdict(balance)
    page = balance_html(balance, said)
    sections = re.findall(r'<section id="(\w+)"', page)
    assert sections[0] == "short"
    assert sections[-1] == "provenance"
    text = re.sub(r"\s+", " ", visible(page)).replace("&lt;", "<")
    for sentence in said.sentence:
        assert sentence in text
    abouts = said[["game", "variant", "players"]].drop_duplicates().to_dict("records")
    tables = sum(
        len(own_rows(getattr(balance, name), one)) > 0 for one in abouts for name in SECTIONS
    )
    assert page.count("<table>") == tables + 1  # that of the bots
    assert not re.search(r"\b(nan|inf|None|NaN)\b", text)
    assert not re.search(r"url\((?!#)|@import|//(?!www\.w3\.org)[a-z]+\.", page)
    assert balance.record.machines[0].text in text


def test_variants_are_drawn_against_the_baseline_and_use_against_lift(analysed):
    balance = analysed("cards")
    page = balance_html(balance, verdict(balance))
    articles = re.findall(r'<article class="figure.*?</article>', page, re.S)
    drawn = [article for article in articles if "<svg" in article]
    assert all(article.count("<table") == 1 for article in drawn)
    forests = [a for a in drawn if "difference of shares (points)" in a]
    assert len(forests) == 3  # two variants and the self-check
    assert re.search(r"<h4>\d+ of \d+ measures differ from the baseline</h4>", forests[0])
    assert "win share of player 1: " in forests[0]
    scatters = [a for a in drawn if "seats that used it (%)" in a]
    assert len(scatters) == 3
    assert re.search(r'aria-label="ace: used by [^"]* points \[', scatters[0])


def test_a_page_of_one_match_is_sensible(make_config, tmp_path):
    spec = make_config(bots=["random"], deals=1, null_sets=0)
    _, balance = play(spec, tmp_path, workers=0, progress=False)
    write_balance_page(balance, verdict(balance), tmp_path / "pages" / "b.html")
    text = visible((tmp_path / "pages" / "b.html").read_text(encoding="utf-8"))
    assert "Fewer than 10 deals" in text
    assert not re.search(r"\b(nan|inf|None|NaN)\b", text)
