"""What a worker leaves behind: its last note and what came after, however much there was and whoever reads it."""

import multiprocessing
import os

import pytest

from duelbench.runs.black_box import note, opened, words

pytestmark = pytest.mark.skipif(os.name != "posix", reason="notes are left in pipes that are files")


@pytest.fixture
def ends():
    reader, writer = opened(multiprocessing.get_context("spawn"))
    yield reader, writer
    reader.close()
    writer.close()


def test_the_last_note_remains_and_what_was_written_after_it(ends):
    reader, writer = ends
    note(writer, "7")
    note(writer, "8")
    os.write(writer.fileno(), b"Fatal Python error: \xff\n")
    assert words(reader) == "8\nFatal Python error: \ufffd\n"
    assert words(reader) == ""


def test_nothing_is_waited_for(ends):
    reader, writer = ends
    assert words(reader) == ""
    for _ in range(20_000):  # more than a pipe takes
        note(writer, "a note that nobody reads")
    assert words(reader) == "a note that nobody reads\n"


def test_a_reader_that_is_gone_is_no_error(ends):
    reader, writer = ends
    reader.close()
    note(writer, "7")
