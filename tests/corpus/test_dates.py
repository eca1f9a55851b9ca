"""Dates as catalogues, archives, mail and programs write them: the year, none, or a refusal, never another year."""

import pytest

from gpustab.corpus.compact import Record
from gpustab.corpus.dates import UnclearDateError, Years, kept_year, read_years
from gpustab.corpus.document_dates import count_dates

YEARS = {
    1679: "Printed in the year 1679|anno 1679|M.DC.LXXIX.|MDCLXXIX|Londini, 1679",
    1790: "8 Jan 1790|Jan. 8, 1790|8. ledna 1790|1790-01-08|1790-01-08T10:00|1790-01-08T10|17900108|179001|Spring 1790|"
    "Post, 4 May 1790",
    1850: """1850|1850.0|1850,0|1850.25|1850e|03/04/1850|3.4.1850|03-04-1850|1850/03/04|1850-03|03/1850|
        04031850|1850-00-00|
        [1850?]|c. 1850|c1850|ca.1850|circa 1850|[ca. 1850]|©1850|um 1850|vers 1850|около 1850 г.|<1850>|185[0]|
        18[50]|1850~|
        1850%|1850 (2nd ed.)|vol. 3 (1850)|1850:03:04 10:11:12|1850 Q3|Q3/1850|1850 A.D.|10:00 a.m. 8 Jan 1850|
        １８５０|١٨٥٠|
        1850年3月4日|MDCCCL|"1850"|1850 and undated|1850-12-31 00:00:00""",
    1969: "1969 summer|Summer, 1969|FY1969|week 3 of 1969|1969-W45|1969-063",
    2020: """20200101|202001|20200101123000|2020-01-01T00:00:00Z|2020-01-01 10:00:00+01:00|2020-01-01T10:00:00.123456|
        Wed Jan 08 10:00:00 +0000 2020|Fri, 21 Nov 2020 09:55:06 -0600|21/Nov/2020:09:55:06 -0600|20200101T101112Z|
        1/1/2020 12:00:00 AM|2020-10-01/2020-10-02""",
    800: "800|0800|AD 800|800 CE|A.D. 800",
    -44: "-44|−44|-0044|-44.0|44 BC|44 B.C.|44 BCE|44 v. Chr.|44 av. J.-C.|44 a.C.|44 до н. э.|44 př. n. l.",
}
SPANS = {
    (
        1850,
        1855,
    ): "1850-1855|1850–1855|1850 — 1855|1850-55|1850-5|1850-1855?|1850?-1855?|between 1850 and 1855|1850..1855|"
    "zwischen 1850 und 1855|1850 x 1855|1850/1855|1850~1855",
    (
        1850,
        1851,
    ): "1850/51|1850-1|1850/1851|1850 or 1851|1850-03-04/1851-02-01|12th Dec 1850 & 3 Jan 1851|1850 [i.e. 1851]",
    (1905, 1906): "1905/06|1905/6",
    (2019, 2020): "2019/20|2019-20|FY 2019/20",
    (1850, 1859): "1850s|1850's|1850ies|1850er|1850er Jahre|années 1850|1850-е|1850-talet|mid-1850s|"
    "185-|185-?|185?|185u|185X|1850年代",
    (1840, 1869): "1840s-1860s|1840s to 1860s",
    (1800, 1899): "1800s|18--|[18--?]|18xx|18??|1800-talet",
    (
        1701,
        1799,
    ): "18th c.|18th century|late 18th century|18. Jh.|18. Jahrhundert|XVIIIe siècle|XVIII век|siglo XVIII|s. XVIII|"
    "sec. XVIII|18e eeuw|18e s.|Saec. XVIII|XVIII w.|18世紀|c. 18th c.|[18th century?]|18 wiek|"
    "2nd half of the 18th century|"
    "18. Jh., 1. Hälfte|début XVIIIe siècle|18:e århundradet",
    (1601, 1799): "17th-18th century|17./18. Jh.|XVII-XVIII вв.|17. u. 18. Jh.|17th and 18th centuries",
    (801, 899): "saec. IX ex.|9th cent.",
    (-499, -401): "5th c. BC|5th century B.C.|V в. до н.э.",
    (-44, -40): "44-40 BC|-44/-40|44–40 v. Chr.",
    (-100, 50): "100 BC - AD 50",
}
NONE = "|  |n.d.|s.d.|[o. J.]|undated|unknown|?|-|--|nan|NaT|None|0000-00-00|0000|0|Victorian|OE"
UNCLEAR = """03/04/50|'50s|31 Dec 49|50|18|3|Nov-97|98-12-31|summer of 69|311298|200101|43831|1577836800|
        19980431|5780 (2020)|
    1260 AH|AH 1260|1441 H|1399 AP|令和2年|An III|民國39年|Shōwa 44 (1969)|1844/1260|1855-1850|2563|9999|before 1850|
        after 1850|
    ante 1850|a1400|not before 1850|1850 or later|1850+|1850-|–1850|-1850|<1850|1850/..|../1850|bis 1850|
        1850 ff.|1.850|
    1,850|1.85e3|MS 12345, 1850|1850, 51|1899-00|1850-13|XVIII|XIX amžius|一八五〇年|
    18th of March|3rd millennium BC|44th c.|
    18th-17th century|y-17e7|P1Y"""


def spellings(text):
    return [one.strip(" \n") if one.strip() else one for one in text.split("|")]


CLEAR = [(own, years) for years, text in SPANS.items() for own in spellings(text)]
CLEAR += [(own, (year, year)) for year, text in YEARS.items() for own in spellings(text)]


@pytest.mark.parametrize(("text", "years"), CLEAR, ids=[text for text, _ in CLEAR])
def test_a_date_is_the_years_that_it_names_and_is_read_back(text, years):
    found = read_years(text)
    assert found == Years(*years)
    assert read_years(str(found)) == found
    assert read_years(f"  {text}\t") == found


@pytest.mark.parametrize("text", spellings(NONE))
def test_what_has_no_number_names_no_year(text):
    assert read_years(text) is None
    assert kept_year(text) == ""


@pytest.mark.parametrize("text", spellings(UNCLEAR))
def test_what_may_be_several_years_is_not_guessed(text):
    with pytest.raises(UnclearDateError):
        read_years(text)
    assert kept_year(text) == text


@pytest.mark.parametrize("day", ["1", "12", "28"])
@pytest.mark.parametrize("month", ["1", "02", "12"])
@pytest.mark.parametrize("year", ["1503", "1850", "2023"])
def test_the_order_of_day_and_month_does_not_matter(year, month, day):
    for sign in "/.- ":
        for order in ((day, month, year), (month, day, year), (year, month, day)):
            assert read_years(sign.join(order)) == (int(year), int(year))


def test_long_dates_end():
    """A rule that tries every way to cut a text would not."""
    for piece in ("1", "18th ", "m", "- ", "1850", "c. ", "x", "1850-", "iv", " ", "(", "?"):
        for text in (piece * 3000, f"c. 1850 {piece * 3000}"):
            kept_year(text)


@pytest.mark.parametrize(
    ("values", "spans"),
    [
        ("1901-12 1909-10 1912-13", [(1901, 1912), (1909, 1910), (1912, 1913)]),
        ("1899-00 1998-99", [(1899, 1900), (1998, 1999)]),
        ("1901-12 1909-10", [(1901, 1901), (1909, 1909)]),  # months, as ISO has them
        ("1912-11 1913-14", [None, (1913, 1914)]),
    ],
)
def test_a_column_of_spans_has_one_rule(values, spans):
    records = [Record(str(k), {"year": value}, k) for k, value in enumerate(values.split())]
    dates = count_dates(records)
    read = [one for one in spans if one]
    assert (dates.first, dates.last) == (min(first for first, _ in read), max(last for _, last in read))
    assert dates.dated == len(read)
    assert sum(own.documents for own in dates.left) == len(spans) - len(read)
