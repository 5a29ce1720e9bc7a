"""The shared folder is in disorder, the keys are not."""

import grp
import stat
from pathlib import Path


def mode(path: str) -> int:
    return stat.S_IMODE(Path(path).lstat().st_mode)


def test_group_exists():
    assert grp.getgrnam("team").gr_gid == 2000


def test_disorder():
    assert mode("/srv/team") == 0o755
    assert mode("/srv/team/bin/deploy") == 0o600
    assert mode("/srv/team/docs/handbook.md") == 0o777


def test_keys_are_private():
    assert mode("/srv/team/keys") == 0o700
    assert mode("/srv/team/keys/deploy.key") == 0o600
