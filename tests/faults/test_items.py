"""Which tests hold what was promised of faults and hostile input: a test for each promise, three cousins or more."""

import re
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext

import pytest

from tests.held import TESTS, check_held

WAYS, FAULTS = "faults/test_ways.py", "faults/test_faults.py"
UNPACKING, ENDS, HEADS = "formats/test_unpacking.py", "training/test_ends.py", "corpus/formats/test_tei.py"
REPLAYED = f"{FAULTS}::test_what_is_left_is_old_or_new_and_the_same_call_ends_as_if_nothing_had_been"
BROKEN = f"{FAULTS}::test_files_of_ours_in_broken_forms_are_refused_in_one_line_or_read_as_if_whole"
UNPACKED_TWICE = f"{UNPACKING}::test_what_is_packed_twice"
FLIPPED = f"{WAYS}::test_flipped_bits_are_refused_and_what_the_refusal_advises_mends_them"
ENEMIES = f"{WAYS}::test_no_enemy_ends_in_a_stack_trace"
HELD = {
    "1 nothing outside a folder is removed": [
        "report/test_files.py::test_nothing_outside_the_folder_is_removed_whatever_a_summary_says",
        BROKEN,
    ],
    "2 folders of a corpus that cannot be opened, or are links": [
        f"{WAYS}::test_folders_that_cannot_be_opened_are_named",
        "corpus/evidence/test_sources.py::test_links_packed_copies_and_closed_folders_are_named",
        "corpus/evidence/test_sources.py::test_a_linked_folder_is_read_once_wherever_it_stands",
    ],
    "2 numbers of runs that are none": [f"{WAYS}::test_a_number_of_runs_that_is_none_is_no_silent_loss"],
    "2 groups that a manifest does not name": [
        "runs/test_damage.py::test_groups_that_a_manifest_does_not_name_are_told",
        "runs/test_damage.py::test_a_manifest_without_groups_is_refused",
        BROKEN,
    ],
    "2 sizes and types of a pack": [f"{WAYS}::test_what_a_pack_says_of_its_files_must_be_so"],
    "2 flipped bits": [FLIPPED, f"{WAYS}::test_a_flipped_bit_is_seen_wherever_it_is"],
    "2 info --verify, and what damages it must see": [FLIPPED, f"{WAYS}::test_training_on_a_cut_run_names_the_way_on"],
    "3 comments at the head of a file": [
        f"{HEADS}::test_many_comments_are_passed_in_no_time",
        "test_growth.py::test_functions_of_text_take_linear_time",
    ],
    "3 every expression": [
        "test_growth.py::test_no_expression_takes_more_than_linear_time",
        "test_growth.py::test_expressions_that_are_made_take_linear_time",
        "test_growth.py::test_expressions_that_take_more_are_found",
    ],
    "4 a full disk": [REPLAYED],
    "4 JSON and TOML that are deep, NUL in a path, UTF-16 without a mark": [ENEMIES],
    "4 Ctrl-C at any moment": [
        f"{WAYS}::test_who_stops_a_command_that_is_loading_is_told_in_one_line",
        f"{ENDS}::test_other_signals_are_told_as_ctrl_c_is",
        REPLAYED,
    ],
    "5 comments make no XML of a text": [f"{HEADS}::test_what_stands_at_the_head_makes_no_other_kind_of_a_text"],
    "5 what is finished needs no disk to write to": [
        f"{ENDS}::test_a_finished_training_needs_no_disk_to_write_to",
        f"{ENDS}::test_a_finished_sweep_is_asked_for_no_room",
        f"{ENDS}::test_what_is_finished_needs_no_disk_to_write_to",
    ],
    "5 a part of a run set is a source of runs": [f"{ENDS}::test_a_part_of_a_run_set_is_runs_for_every_command"],
    "6 words of .npz": [f"{UNPACKING}::test_words_of_an_archive", f"{UNPACKING}::test_an_archive_within_an_archive"],
    "6 .docx whose header lies": [
        f"{UNPACKING}::test_a_word_document_whose_header_lies",
        f"{UNPACKING}::test_a_word_document_whose_zip64_header_lies",
    ],
    "6 sizes are counted while unpacking": [
        f"{UNPACKING}::test_tables",
        f"{UNPACKING}::test_feather_is_counted_before_arrow_makes_room",
        f"{UNPACKING}::test_a_word_that_is_there_once_and_meant_many_times",
        f"{UNPACKING}::test_a_header_of_safetensors",
    ],
    "6 a word that is none": [
        "formats/test_long_words.py::test_every_reader_refuses_a_word_that_is_none",
        "formats/test_long_words.py::test_a_long_word_is_refused_before_it_is_copied_much",
        "formats/test_long_words.py::test_a_text_whose_words_are_none_is_refused_before_training",
    ],
    "6 memory for a MB of text, and for many runs": [
        "faults/test_memory.py::test_a_megabyte_of_text_takes_a_few_of_memory",
        "faults/test_memory.py::test_a_summary_is_written_piece_by_piece",
        "faults/test_memory.py::test_the_order_of_runs_takes_a_few_numbers_a_pair",
        "report/svg/test_drawing.py::test_a_large_matrix_holds_every_cell_in_a_few_bytes",
        "report/svg/test_drawing.py::test_cells_of_a_large_matrix_are_made_one_after_another",
        "bench/test_limits.py::test_a_peak_is_that_of_the_call_and_not_of_who_started_it",
    ],
    "6 every small file that unpacks to much": [
        f"{FAULTS}::test_every_bomb_was_refused_or_read_within_a_bound_and_the_page_says_so",
        UNPACKED_TWICE,
        f"{UNPACKING}::test_one_string_of_json",
    ],
    "6 workers end with their parent": [
        f"{ENDS}::test_workers_end_with_their_parent",
        f"{ENDS}::test_other_signals_are_told_as_ctrl_c_is",
    ],
    "6 litter of killed calls": [
        "formats/test_atomic.py::test_of_a_folder_only_our_files_are_cleared",
        "formats/test_atomic.py::test_a_call_that_clears_up_takes_no_file_of_a_living_one",
        f"{WAYS}::test_locks_of_a_call_that_was_killed_are_cleared_by_the_same_call",
    ],
    "7 files that are cut while they are mapped": [
        f"{WAYS}::test_a_file_that_is_cut_while_it_is_mapped_is_refused_and_one_that_is_replaced_is_not",
        f"{WAYS}::test_models_that_are_cut_while_they_are_mapped_are_refused",
    ],
}
FEWEST = 4


def test_every_promise_has_tests_that_there_are():
    for tests in HELD.values():
        for test in tests:
            check_held(test)


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("is not there", "def test_b():\n    assert 1"),
        ("asserts nothing", "def test_a():\n    print(1)"),
        ("is skipped", "@pytest.mark.skip\ndef test_a():\n    assert 1"),
        ("is skipped", "@pytest.mark.skipif(True, reason='')\ndef test_a():\n    assert 1"),
        ("is skipped", "@pytest.mark.xfail\ndef test_a():\n    assert 1"),
        ("is skipped", "pytestmark = pytest.mark.skip\ndef test_a():\n    assert 1"),
        ("may skip itself", "def test_a():\n    pytest.skip('')\n    assert 1"),
        (
            None,
            "@pytest.mark.skipif(os.name != 'posix', reason='')\ndef test_a():\n    with pytest.raises(OSError): f()",
        ),
    ],
)
def test_a_test_that_holds_nothing_is_refused(tmp_path, said, source):
    (tmp_path / "test_it.py").write_text(source)
    with pytest.raises(AssertionError, match=said) if said else nullcontext():
        check_held("test_it.py::test_a", tmp_path)


@pytest.mark.slow
def test_every_promise_has_a_test_and_three_cousins():
    tests = sorted({f"tests/{test}" for tests in HELD.values() for test in tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-o", "addopts=", "-p", "no:cacheprovider"]
    listed = subprocess.run([*command, *tests], cwd=TESTS.parent, capture_output=True, text=True, check=True).stdout
    cases = Counter(re.sub(r"\[.*", "", line).removeprefix("tests/") for line in listed.splitlines() if "::" in line)
    few = {promise: found for promise, tests in HELD.items() if (found := sum(cases[one] for one in tests)) < FEWEST}
    assert not few
