"""pitwall.toml and PITWALL_*: what counts, and every mistake named with its file and line."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some
from no_privileges import without_privileges
from running_daemon import Daemon
from typed import Typed, typed

from pitwall.commands.settings_file import checked_settings
from pitwall.config import Home
from pitwall.helpers.toml_lines import key_lines
from pitwall.settings import (
    HIDDEN,
    ApiSettings,
    FleetSettings,
    Settings,
    SourceSettings,
    hide_secrets,
    load_settings,
)

GOOD = """\
driver = "Ada"

[sources.gps]            # on the dash
uri = "nmea:tcp://127.0.0.1:5000"

[sources.can]
uri = "can:virtual/test"
dbc = "aim-mxp"
password = "geheim"

[limits]
free_floor_mb = 800
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "pitwall.toml"
    path.write_text(text)
    return path


def test_nothing_written_is_the_defaults(tmp_path: Path) -> None:
    assert load_settings(None, {}).settings == Settings()
    assert load_settings(tmp_path / "nowhere.toml", {}).settings == Settings()


def test_a_german_home_is_told_so_and_goes_on_in_english(tmp_path: Path) -> None:
    path = written(tmp_path, f'language = "de"\n{GOOD}')
    found = load_settings(path, {})
    assert found.wrong == (f"{path}:1: Pitwall speaks English only: remove this line",)
    assert found.settings == load_settings(written(tmp_path, GOOD), {}).settings
    assert load_settings(written(tmp_path, 'language = "en"\n'), {}).wrong == ()


def test_sources_have_their_options_and_every_value_its_place(tmp_path: Path) -> None:
    loaded = load_settings(path := written(tmp_path, GOOD), {})
    assert loaded.settings.driver == "Ada"
    assert loaded.settings.sources["gps"] == SourceSettings(uri="nmea:tcp://127.0.0.1:5000")
    assert loaded.settings.sources["can"].options == {"dbc": "aim-mxp", "password": "geheim"}
    assert loaded.settings.limits.free_floor_mb == 800.0
    assert loaded.where("limits.free_floor_mb") == f"{path}:12"
    assert loaded.where("sources.can.uri") == f"{path}:7"
    assert loaded.where("api.port") == "the defaults"


def test_the_environment_wins(tmp_path: Path) -> None:
    environment = {
        "PITWALL_API_PORT": "9000",
        "PITWALL_API_ENABLED": "false",
        "PITWALL_API_HOSTS": "a:1, b:2",
        "PITWALL_LIMITS_FREE_FLOOR_MB": "1.5",
        "PITWALL_SOURCES_GPS": "nmea:udp://127.0.0.1:1",
        "PITWALL_DRIVER": "Bob",
        "PITWALL_HOME": "/elsewhere",
        "PITWALL_RECORDINGS": "/somewhere",
        "PATH": "/bin",
    }
    loaded = load_settings(written(tmp_path, GOOD), environment)
    settings = loaded.settings
    assert (settings.api.port, settings.api.enabled) == (9000, False)
    assert settings.api.hosts == ("a:1", "b:2")
    assert settings.limits.free_floor_mb == 1.5
    assert settings.sources["gps"].uri == "nmea:udp://127.0.0.1:1"
    assert settings.driver == "Bob"
    assert loaded.where("api.port") == "PITWALL_API_PORT"


def test_the_paddock_and_its_model_are_set_in_the_file_and_by_the_environment(tmp_path: Path) -> None:
    path = written(tmp_path, '[paddock]\nmetered = true\n[paddock.model]\nkind = "openai"\nname = "small"\n')
    loaded = load_settings(
        path,
        {
            "PITWALL_PADDOCK_MODEL_API_KEY": "geheim",
            "PITWALL_PADDOCK_MODEL_NAME": "large",
            "PITWALL_PADDOCK_MODEL_MAX_ANSWER_TOKENS": "512",
            "PITWALL_PADDOCK_BRIEF_S": "6.5",
        },
    )
    paddock = loaded.settings.paddock
    assert (paddock.metered, paddock.brief_s) == (True, 6.5)
    model = paddock.model
    assert (model.kind, model.name, model.api_key, model.max_answer_tokens) == (
        "openai", "large", "geheim", 512,
    )  # fmt: skip
    assert loaded.where("paddock.model.kind") == f"{path}:4"
    assert loaded.where("paddock.model.name") == "PITWALL_PADDOCK_MODEL_NAME"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("[paddock]\nmodel = 3\n", 2, "paddock.model: expected a table, [paddock.model], got int"),
        ("[paddock.model]\nkey = 'x'\n", 2, "there is no setting paddock.model.key; known here: kind, name"),
        ("[paddock]\nbrief_s = 0\n", 2, "paddock.brief_s: expected float >= 0.1"),
        ("[paddock.model]\n\nkind = 'gpt'\n", 3, "there is no kind 'gpt'; use none, gemini, openai"),
        ("[api]\nprot = 1\n", 2, "there is no setting api.prot; known here: enabled, host, port"),
        ("[api]\nprot = 1\n", 2, "(did you mean port?)"),
        ("\n[limts]\n", 2, "there is no setting limts; known here: sources, audio"),
        ('[api]\nenabled = true\nport = "x"\n', 3, "api.port: expected int, got str"),
        ("[api]\nport = 70000\n", 2, "api.port: expected int <= 65535"),
        ('[audio]\nplayer = "pacat"\n', 2, "audio.player: there is no player 'pacat'; use auto, text, none"),
        ('[audio]\npath = "blutooth"\n', 2, "use wired, bluetooth (did you mean bluetooth?)"),
        ("[sources.gps]\nport = 1\n", 1, "source gps has no uri"),
        ('[sources.GPS]\nuri = "x"\n', 1, "'GPS' can't name a source"),
        ("[sources.gps]\nuri = 3\n", 2, "sources.gps.uri must be text"),
        ("sources.gps = 3\n", 1, "source gps must be a table"),
        ("[limits]\nclose_silent_s = -1\n", 2, "limits.close_silent_s"),
        ('[api]\nhosts = ["a", 3]\n', 2, "api.hosts: expected str, got int"),
        ("[api]\nport = \n", 2, "not TOML"),
        ("a = 1\n[api\n", 2, "not TOML"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_to_do(
    tmp_path: Path, text: str, line: int, what: str
) -> None:
    path = written(tmp_path, f"{text}\n[fleet]\nmetered = true\n")
    loaded = load_settings(path, {})
    assert loaded.wrong[0].startswith(f"{path}:{line}: ")
    assert what in loaded.wrong[0]
    # All that is right counts, and what is wrong is as if it were not there.
    right = Settings(fleet=FleetSettings(metered=True))
    assert loaded.settings in (right, msgspec.structs.replace(right, api=ApiSettings(enabled=True)))


def leaves(kind: type[msgspec.Struct], above: str = "") -> Iterator[tuple[str, str, Any]]:
    for name, type_ in get_type_hints(kind).items():
        if isinstance(type_, type) and issubclass(type_, msgspec.Struct):
            yield from leaves(type_, f"{above}.{name}".lstrip("."))
        elif name != "sources":
            yield above, name, type_


@pytest.mark.parametrize(("table", "name", "type_"), list(leaves(Settings)), ids=lambda each: str(each)[:30])
def test_every_setting_tells_of_a_wrong_value(tmp_path: Path, table: str, name: str, type_: Any) -> None:
    head = f"[{table}]\n" if table else ""
    path = written(tmp_path, f"# ours\n{head}{name} = [[3]]\n")
    [line] = load_settings(path, {}).wrong
    assert line.startswith(f"{path}:{3 if table else 2}: {table}{'.' if table else ''}{name}: ")
    if type(None) not in get_args(type_) and (
        words := [each for each in get_args(type_) if isinstance(each, str)]
    ):
        path.write_text(f'{head}{name} = "loud"\n')
        [line] = load_settings(path, {}).wrong
        assert f"there is no {name} 'loud'; use {', '.join(words)}" in line
        variable = f"PITWALL_{table.replace('.', '_')}{'_' if table else ''}{name}".upper()
        path.write_text(f'{head}{name} = "{words[-1]}"\n')
        loaded = load_settings(path, {variable: "loud"})
        [line] = loaded.wrong
        assert line.startswith(f"{variable}: ")
        assert f"use {', '.join(words)}" in line
        of_file = attrgetter(f"{table}.{name}".lstrip("."))(loaded.settings)
        assert of_file == words[-1], "the file's value holds"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'driver = "Ada"\n[api\nport = 1\n[audio]\nplayer = "text"\n', ":2: not TOML: "),
        (b'driver = "Ada"\n[audio]\nplayer = "text"\npath = "wir', ":4: not TOML: "),
        (b'driver = "Ada"\n[audio]\nplayer = "text"\nplayer = "none"\n', ":4: not TOML: "),
        (b'driver = "Ada"\nvehicle = ' + b"[" * 100_000 + b'\n[audio]\nplayer = "text"\n', None),
        (b'driver = "Ada"\nvehicle = ' + b"9" * 9_000 + b'\n[audio]\nplayer = "text"\n', None),
        (b"\xff\xfe\x00", " is not UTF-8 text (byte 0); save it as UTF-8"),
        (b"\n".join([b"is no settings"] * 50), " is not TOML: nothing in it counts"),
    ],
)
def test_of_a_damaged_file_counts_what_can_be_read(tmp_path: Path, text: bytes, told: str | None) -> None:
    path = tmp_path / "pitwall.toml"
    path.write_bytes(text)
    loaded = load_settings(path, {})
    assert any(line.startswith(f"{path}{told or ''}") for line in loaded.wrong)
    if text.startswith(b"driver") and told:
        assert (loaded.settings.driver, loaded.settings.audio.player) == ("Ada", "text")
    assert loaded.settings.api == ApiSettings()


def test_what_stands_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "pitwall.toml"
    path.mkdir()
    assert load_settings(path, {}).wrong == (f"{path} is no file: move it away",)
    path.rmdir()
    path.symlink_to(tmp_path / "gone")
    [line] = load_settings(path, {}).wrong
    assert line.startswith(f"{path} can't be read: No such file")
    path.unlink()
    written(tmp_path, GOOD).chmod(0)
    with without_privileges():
        [line] = load_settings(path, {}).wrong
    assert line.startswith(f"{path} can't be read: Permission denied")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PITWALL_PADDOCK_METERED", "perhaps"),
        ("PITWALL_PADDOCK_MODEL_KIND", "gpt"),
        ("PITWALL_PADDOCK_MODEL_KEY", "geheim"),
        ("PITWALL_API_PORT", "many"),
        ("PITWALL_API_PROT", "1"),
        ("PITWALL_LIMITS_X", "1"),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(variable: str, value: str) -> None:
    loaded = load_settings(None, {variable: value})
    [line] = loaded.wrong
    assert line.startswith(f"{variable}: ")
    assert loaded.settings == Settings()


@given(some.text(max_size=200))
def test_any_text_is_settings_or_clear_lines(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "pitwall.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert all(line.startswith(str(path)) and "\n" not in line for line in load_settings(path, {}).wrong)


def test_keys_in_strings_of_several_lines_are_no_keys() -> None:
    text = 'a = """\n[b]\nc = 1\n"""\n[d]\n"e f" = 1\ng.h = 2\n'
    assert key_lines(text) == {"a": 1, "d": 5, "d.e f": 6, "d.g.h": 7}


def test_secrets_are_never_shown() -> None:
    uri = "nmea:tcp://me:geheim@127.0.0.1:5000?token=geheim&a=1"
    assert hide_secrets(uri) == f"nmea:tcp://me:{HIDDEN}@127.0.0.1:5000?token={HIDDEN}&a=1"
    assert hide_secrets("ws://h:1/?a=1&api_key=x") == f"ws://h:1/?a=1&api_key={HIDDEN}"


def pitwall(home: Path, *words: str, code: int, **environment: str) -> Typed:
    done = typed(home, *words, environment=environment)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


WRONG = '[coach]\nmode = "loud"\n[sources.gps]\nuri = "nmea:tcp://127.0.0.1"\n[api]\nport = 0\n'


def test_a_source_that_is_none_is_told_with_all_else_that_is_wrong(tmp_path: Path) -> None:
    path = written(tmp_path, WRONG)
    mode, source = checked_settings(None, Home(tmp_path)).loaded.wrong
    assert mode == f"{path}:2: coach.mode: there is no mode 'loud'; use learn, coach, numbers, quiet"
    assert source.startswith(f"{path}:4: source gps: ")
    [line] = pitwall(tmp_path, "sessions", code=0).stderr.splitlines()[:1]
    assert line == f"pitwall: {mode}; meanwhile the default counts"


def test_the_daemon_starts_without_what_is_wrong_and_says_so(home: Home) -> None:
    path = written(home.root, WRONG)
    with Daemon(home) as daemon:
        status = daemon.wait_until(lambda status: status["degradations"])
        [lost] = [each for each in status["degradations"] if each["name"] == "settings"]
        assert f"{path}:2: coach.mode: " in lost["reason"]
        assert f"{path}:4: source gps: " in lost["reason"]
        assert lost["reason"].split("; ")[0] in [note.split("; ")[0] for note in status["notes"]]
        assert status["coach"]["mode"] == "coach"
        assert daemon.end() == 0
    assert sum("meanwhile the default counts" in line for line in daemon.log) == 2


def test_an_option_that_a_source_does_not_know_is_named_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    [told] = checked_settings(None, Home(tmp_path)).loaded.wrong
    assert told.startswith(f"{path}:9: source can: ")
    assert "'password'" in told


def test_a_config_folder_that_can_not_be_read_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The system refuses to look at a path this long, whoever asks.
    monkeypatch.setenv("XDG_CONFIG_HOME", "/" + "x" * 300)
    [line] = checked_settings(None, Home(tmp_path)).loaded.wrong
    assert line.startswith("/xxx")
    assert line.endswith("can't be read: File name too long; name another file with --config")


def test_a_file_that_was_named_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "nowhere.toml" in pitwall(tmp_path, "doctor", "--config", "nowhere.toml", code=2).stderr
    monkeypatch.setenv("PITWALL_CONFIG", "/no/such.toml")
    assert "/no/such.toml" in checked_settings(None, Home(tmp_path)).loaded.wrong[0]
