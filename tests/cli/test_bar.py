"""What is said about time: reckoned from the last beginning, and honest where it was reckoned wrong."""

import io

from rich.console import Console

from gpustab.cli.bar import Bar, Clock


class Time:
    now = 0.0

    def __call__(self):
        return self.now


def test_time_left_is_that_of_the_part_that_is_done():
    time = Time()
    clock = Clock(time)
    time.now = 60  # reading
    clock.tell(0.0)
    assert str(clock) == "0:01:00 so far"
    time.now = 80
    clock.tell(0.25)
    assert str(clock) == "0:01:20 so far, about 0:01:00 left"  # reading does not count
    time.now = 100
    assert str(clock) == "0:01:40 so far, about 0:00:40 left"
    time.now = 150
    assert str(clock) == "0:02:30 so far, longer than reckoned"
    clock.tell(1.0)
    assert str(clock) == "0:02:30 so far"


def test_the_bar_appears_with_the_first_report_and_what_is_printed_stands_above():
    file = io.StringIO()
    bar = Bar(Console(file=file, force_terminal=True, width=90), shown=True)
    bar.print("corpus = 'lee'")
    assert "so far" not in file.getvalue()
    bar("training 0 of 9 runs", 0.0)
    bar.print("more")
    bar.close()
    text = file.getvalue()
    assert text.index("corpus") < text.index("training 0 of 9 runs")
    assert "so far" in text


def test_a_narrow_terminal_cuts_what_is_at_work_and_no_time():
    file = io.StringIO()
    bar = Bar(Console(file=file, force_terminal=True, width=80), shown=True)
    bar("reading", 0.0)
    bar("training 0 of 9 runs; at work: sgns shuffled 0 60%", 0.5)
    bar.close()
    assert "left" in file.getvalue()
    assert "training 0 of…" in file.getvalue()


def test_nobody_looking_sees_nothing():
    file = io.StringIO()
    bar = Bar(Console(file=file), shown=False)
    bar("training", 0.5)
    bar.close()
    assert file.getvalue() == ""
