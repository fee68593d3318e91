"""A local Neo4j without Docker: Community 5.26 from Maven Central, in the foreground.

python3 scripts/neo4j.py                 # bolt://127.0.0.1:7687, user neo4j, password from NEO4J_PASSWORD

Needs a JDK of version 17 or 21, and mvn. The libraries (about 120 MB, once) and the data are stored in `.cache/neo4j`.
Neo4j is under the GPL and not part of MABOS; it is downloaded to run next to it.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

VERSION = "5.26.12"  # of the last line that runs on Java 17
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
JAVAS = (17, 21)
PASSWORD = "mabos-local"  # noqa: S105 - for a server that only this machine reaches; NEO4J_PASSWORD replaces it
ROOT = Path(__file__).resolve().parent.parent
HEAP_MB, PAGE_CACHE_MB = 512, 256

_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
_PROJECT = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>mabos.local</groupId><artifactId>neo4j</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{version}</version></dependency>
  </dependencies>
</project>
"""


def settings(port: int) -> dict[str, str]:
    """Return Neo4j's settings: bolt on this machine only, with a password, and nothing else listening."""
    return {
        "server.default_listen_address": "127.0.0.1",
        "server.bolt.enabled": "true",
        "server.bolt.listen_address": f"127.0.0.1:{port}",
        "dbms.security.auth_enabled": "true",
        "dbms.security.allow_csv_import_from_file_urls": "false",
        "dbms.usage_report.enabled": "false",
        "db.transaction.timeout": "30s",
        "server.memory.pagecache.size": f"{PAGE_CACHE_MB}m",
    }


def written(values: Mapping[str, str]) -> str:
    """Return settings in Neo4j's format."""
    return "".join(f"{name}={value}\n" for name, value in values.items())


def server_command(java: str, libraries: Path, folder: Path, port: int) -> list[str]:
    """Return the command that runs the server from `libraries`, with the settings and data in `folder`."""
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    ready = f"Neo4j answers on bolt://127.0.0.1:{port} (user neo4j); Ctrl-C stops it"
    program = [str(Path(__file__).with_name("Neo4j.java")), str(folder), str(folder / "neo4j.conf"), ready]
    return [java, f"-Xmx{HEAP_MB}m", "-XX:+UseG1GC", *opened, "-cp", f"{libraries}/*", *program]


def fetch_command(mvn: str, folder: Path, into: Path) -> list[str]:
    """Return the command that downloads Neo4j and its dependencies to a folder."""
    wanted = ["-DincludeScope=runtime", f"-DoutputDirectory={into}"]
    return [mvn, "-B", "-q", "-f", str(folder / "pom.xml"), f"{PLUGIN}:copy-dependencies", *wanted]


def java_version(said: str) -> int:
    """Return the major version in what `java -version` says, 0 if there is none."""
    found = re.search(r'version "(\d+)', said)
    return int(found[1]) if found else 0


def missing(java: str | None, javac: str | None, mvn: str | None, version: int) -> str:
    """Return what this machine lacks to run the server, or an empty text."""
    lacks = [name for name, path in (("java", java), ("javac", javac), ("mvn", mvn)) if not path]
    if lacks:
        return f"not found: {', '.join(lacks)}; it takes a JDK (17 or 21) and Maven, or Docker with its compose plugin"
    if version not in JAVAS:
        return f"java is version {version}; Neo4j {VERSION} runs on 17 and 21"
    return ""


def fetch(mvn: str, folder: Path) -> None:
    """Download the libraries to `folder`/lib, unless they are there; a partial download is restarted."""
    libraries, begun = folder / "lib", folder / "lib.begun"
    stamp = libraries / f"neo4j-{VERSION}.jar"
    if stamp.exists():
        return
    print(f"fetching Neo4j {VERSION} into {libraries} (once, about 120 MB)", flush=True)
    for leftover in (libraries, begun):
        shutil.rmtree(leftover, ignore_errors=True)
    (folder / "pom.xml").write_text(_PROJECT.format(version=VERSION), "utf-8")
    subprocess.run(fetch_command(mvn, folder, begun), check=True)
    begun.rename(libraries)


def main() -> int:
    """Download, configure and run the server until it is stopped; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=7687, help="bolt's port on 127.0.0.1")
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache" / "neo4j", help="for libraries and data")
    parser.add_argument("--data", type=Path, help="for the data, where it shall not lie beside the libraries")
    asked = parser.parse_args()
    java, javac, mvn = (shutil.which(name) for name in ("java", "javac", "mvn"))
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr if java else ""
    if lack := missing(java, javac, mvn, java_version(said)):
        print(f"neo4j: {lack}", file=sys.stderr)
        return 1
    assert java is not None  # noqa: S101 - missing() would have said so
    assert mvn is not None  # noqa: S101
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        fetch(mvn, folder)
    except subprocess.CalledProcessError as error:
        print(f"neo4j: mvn ended with code {error.returncode}; see its output above", file=sys.stderr)
        return 1
    data = (asked.data or folder).resolve()
    data.mkdir(parents=True, exist_ok=True)
    (data / "neo4j.conf").write_text(written(settings(asked.port)), "utf-8")
    return serve(server_command(java, folder / "lib", data, asked.port))


def serve(command: list[str]) -> int:
    """Run the server, passing stop requests on to it; return its exit code, 0 after such a request."""
    variables = {"NEO4J_PASSWORD": PASSWORD, **os.environ}
    server = subprocess.Popen(command, env=variables, start_new_session=True)
    asked_to_stop = False

    def stop(*_: object) -> None:
        nonlocal asked_to_stop
        asked_to_stop = True
        server.terminate()

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    code = server.wait()
    return 0 if asked_to_stop else code


if __name__ == "__main__":
    sys.exit(main())
