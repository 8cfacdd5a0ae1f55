"""The workflows of a folder, and the reason why each other file is none."""

from wfgate.read import readable_below


def test_every_file_is_read_or_skipped_with_a_reason(tmp_path):
    files = {
        "a/deploy.md": "# Deploy\n\n1. Build the image\n2. Push the image\n",
        "a/deploy.yaml": 'wfgate: "1"\nsteps: [Build, Push]\n',
        "a/deploy.yaml.approvals": '{"format": 1, "approvals": []}',
        "broken.json": '{"steps": [\n  "Build",,\n]}',
        "empty.yaml": 'wfgate: "1"\nsteps: []\n',
        "plans/db.plan": "1. Stop the writers\n2. Copy the data\n",
        "ignored.yaml": "a: 1\n",
        "notes.md": "Nothing to do here.\n",
        "logo.png": "x",
        "LICENSE": "MIT",
        ".git/config": "[core]",
        "node_modules/x/package.json": "{}",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "linked").symlink_to(tmp_path / "a")
    patterns = {f"{tmp_path.as_posix()}/plans/*": "markdown", f"{tmp_path.as_posix()}/ignored.yaml": "ignored"}

    readings, skipped = readable_below(tmp_path, patterns)

    read = {path.relative_to(tmp_path).as_posix(): reading.format for path, reading in readings.items()}
    assert read == {"a/deploy.md": "markdown", "a/deploy.yaml": "native", "plans/db.plan": "markdown"}
    said = {str(found).removeprefix(f"{tmp_path}/") for found in skipped}
    reasons = {found.path.relative_to(tmp_path).as_posix(): found.reason for found in skipped}
    assert f"broken.json:2:11: {reasons.pop('broken.json')}" in said
    assert f"notes.md:1:1: {reasons.pop('notes.md')}" in said
    assert reasons == {
        "LICENSE": "a file without a suffix",
        "a/deploy.yaml.approvals": "a record that wfgate wrote",
        "empty.yaml": "the workflow has no steps",
        "ignored.yaml": "ignored in [formats] of wfgate.toml",
        "linked": "a link to a folder or to nothing",
        "logo.png": "the suffix '.png' belongs to no format",
    }
    assert "LICENSE: a file without a suffix" in said
