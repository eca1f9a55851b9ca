import pytest

from tests.studies.calibration.made import pairs_file


@pytest.fixture(scope="session")
def scored(tmp_path_factory):
    """A file of scored pairs of sentences, which a bag of their words can tell."""
    return pairs_file(tmp_path_factory.mktemp("scored") / "sts.tsv")
