import pytest


@pytest.fixture
def save(tmp_path, request):
    """Write a file, which is called as the module says."""
    called = getattr(request.module, "NAME", "x.vec")

    def write(content, name=called):
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / name

    return write
