"""Where computed values are kept."""

from pathlib import Path

from wfgate.cli.options import computed


def test_where_the_file_is(monkeypatch, tmp_path):
    for off in ("off", " OFF "):
        monkeypatch.setenv("WFGATE_CACHE", off)
        assert computed() is None
    monkeypatch.setenv("WFGATE_CACHE", str(tmp_path))
    assert computed().path.parent == tmp_path
    monkeypatch.delenv("WFGATE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert computed().path.parent == tmp_path / "xdg" / "wfgate"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert computed().path.parent == tmp_path / "home" / ".cache" / "wfgate"
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError))
    assert computed() is None
