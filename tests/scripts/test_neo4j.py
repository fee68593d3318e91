"""The server without Docker: what it is told, and what it says where it cannot run."""

from pathlib import Path

from scripts import neo4j


def test_bolt_is_the_only_listener_on_this_machine_only_and_asks_for_a_password() -> None:
    found = neo4j.settings(7700)
    assert found["server.bolt.listen_address"] == "127.0.0.1:7700"
    assert found["server.default_listen_address"] == "127.0.0.1"
    assert found["dbms.security.auth_enabled"] == "true"
    assert not [name for name in found if "http" in name]


def test_settings_are_one_line_each() -> None:
    assert neo4j.written({"a.b": "1", "c": "d"}) == "a.b=1\nc=d\n"


def test_the_command_has_the_libraries_the_settings_and_no_password(tmp_path: Path) -> None:
    command = neo4j.server_command("/usr/bin/java", tmp_path / "lib", tmp_path, 7700)
    assert command[0] == "/usr/bin/java"
    assert command[command.index("-cp") + 1] == f"{tmp_path}/lib/*"
    program, data, conf, ready = command[-4:]
    assert Path(program).is_file()
    assert (data, conf) == (str(tmp_path), str(tmp_path / "neo4j.conf"))
    assert "7700" in ready
    assert neo4j.PASSWORD not in " ".join(command), "a command line can be read by everybody on the machine"


def test_what_is_fetched_goes_aside_until_it_is_whole(tmp_path: Path) -> None:
    command = neo4j.fetch_command("mvn", tmp_path, tmp_path / "lib.begun")
    assert command[:2] == ["mvn", "-B"]
    assert command[-1] == f"-DoutputDirectory={tmp_path}/lib.begun"


def test_libraries_that_are_there_are_not_fetched_again(tmp_path: Path) -> None:
    jar = tmp_path / "lib" / f"neo4j-{neo4j.VERSION}.jar"
    jar.parent.mkdir()
    jar.touch()
    neo4j.fetch("/no/such/mvn", tmp_path)
    assert jar.exists()


def test_the_version_of_java_is_read() -> None:
    assert neo4j.java_version('openjdk version "17.0.15" 2025-04-15') == 17
    assert neo4j.java_version('openjdk version "21" 2023-09-19') == 21
    assert neo4j.java_version("no java") == 0


def test_what_is_missing_is_named() -> None:
    assert neo4j.missing("java", "javac", "mvn", 17) == ""
    assert "not found: javac, mvn" in neo4j.missing("java", None, None, 17)
    assert "version 11" in neo4j.missing("java", "javac", "mvn", 11)
