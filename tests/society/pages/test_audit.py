"""What the audit of a site finds, page by page, and that no page can harm it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.society.pages import audit_site, read_page, read_site
from mabos.society.pages.faults import CHECKS
from mabos.society.pages.tree import LARGEST

GOOD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Ledgers for small firms</title>
<meta name="description" content="Keep the books of a small firm in one place, without a spreadsheet or an accountant.">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="canonical" href="https://acme.example/{name}"></head>
<body><h1>Ledgers</h1><h2>Prices</h2>{body}</body></html>"""


def site(root: Path, **pages: str) -> Path:
    """Write pages by name, as `blog__post` for blog/post.html, and return the folder."""
    for name, text in pages.items():
        path = root / f"{name.replace('__', '/')}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def good(body: str = "", name: str = "index.html", **instead: str) -> str:
    text = GOOD.format(name=name, body=body)
    for old, new in instead.items():
        text = text.replace(WHERE[old], new)
    return text


WHERE = {
    "title": "<title>Ledgers for small firms</title>",
    "description": (
        '<meta name="description" content="Keep the books of a small firm in one place, without a spreadsheet or an '
        'accountant.">'
    ),
    "viewport": '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "canonical": '<link rel="canonical" href="https://acme.example/index.html">',
    "lang": ' lang="en"',
    "h1": "<h1>Ledgers</h1>",
}


def checks(root: Path) -> set[str]:
    return {one.check for one in audit_site(read_site(root)).findings}


def test_a_page_without_fault_has_all_points(tmp_path: Path) -> None:
    audit = audit_site(read_site(site(tmp_path, index=good())))
    assert (audit.score, audit.findings, audit.pages) == (100, (), {"index.html": 100})


@pytest.mark.parametrize(
    ("page", "check"),
    [
        (good(title=""), "title_missing"),
        (good(title="<title> </title>"), "title_missing"),
        (good(title=WHERE["title"] + "<title>Another one of them</title>"), "title_several"),
        (good(title="<title>Short</title>"), "title_length"),
        (good(title=f"<title>{'long ' * 20}</title>"), "title_length"),
        (good(description=""), "description_missing"),
        (good(description='<meta name="Description" content="Too short">'), "description_length"),
        (good(description=2 * WHERE["description"]), "description_several"),
        (good(h1=""), "h1_missing"),
        (good("<h1>Again</h1>"), "h1_several"),
        (good("<h4>Deep</h4>"), "heading_skipped"),
        (good("<h2> </h2>"), "heading_empty"),
        (good('<img src="https://cdn.example/a.png">'), "alt_missing"),
        (good('<a href="/"><img src="https://cdn.example/a.png" alt=""></a>'), "link_empty"),
        (good('<a href="gone.html">x</a>'), "link_broken"),
        (good('<a href="Index.html">x</a>'), "link_broken"),
        (good('<a href="../secret.html">x</a>'), "link_broken"),
        (good('<a href="http://[broken">x</a>'), "link_broken"),
        (good('<a href="https://acme.example/gone">x</a>'), "link_broken"),
        (good('<a href="#nowhere">x</a>'), "fragment_broken"),
        (good('<script src="app.js"></script>'), "resource_missing"),
        (good('<link rel="stylesheet" href="/style.css">'), "resource_missing"),
        (good(canonical=""), "canonical_missing"),
        (
            good(canonical=WHERE["canonical"] + '<link rel=canonical href="https://acme.example/x">'),
            "canonical_several",
        ),
        (good(canonical='<link rel=canonical href="/index.html">'), "canonical_relative"),
        (good(canonical='<link rel=canonical href="https://acme.example/gone.html">'), "canonical_broken"),
        (good('<meta name="robots" content="NoIndex, follow">'), "noindex"),
        (good('<meta name="robots" content="noindex">'), "canonical_hidden"),
        (good("x" * 100_000), "page_large"),
        (good(lang=""), "lang_missing"),
        (good(lang=' lang="english language"'), "lang_unknown"),
        (good(viewport=""), "viewport_missing"),
        (good(viewport='<meta name="viewport" content="width=device-width, user-scalable=no">'), "viewport_fixed"),
        (good("<div>" * 5_000), "unread"),
    ],
)
def test_each_fault_is_found_with_its_severity_and_mend(tmp_path: Path, page: str, check: str) -> None:
    audit = audit_site(read_site(site(tmp_path, index=page)))
    found = [one for one in audit.findings if one.check == check]
    assert found, audit.findings
    assert (found[0].page, found[0].severity, found[0].mend) == (
        "index.html", CHECKS[check].severity, CHECKS[check].mend,
    )  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        '<a href="/blog/post">x</a>',
        '<a href="blog/post.html#prices">x</a>',
        '<a href="blog/">x</a>',
        '<a href="./blog/../blog/post.html?from=home">x</a>',
        '<a href="https://acme.example/blog/post.html">x</a>',
        '<a href="https://elsewhere.example/gone">x</a>',
        '<a href="mailto:jane@example.com">x</a>',
        '<a href="#top">x</a>',
        '<img src="data:image/png;base64,AA" alt="a dot">',
        '<img src="https://cdn.example/a.png" alt="">',
        "<svg><title>Not the title of the page</title></svg>",
    ],
)
def test_what_leads_somewhere_is_no_fault(tmp_path: Path, body: str) -> None:
    post = good('<h2 id="prices">Prices</h2>', name="blog/post.html").replace("Ledgers for", "Posts about")
    post = post.replace("Keep the", "Write about the")
    listed = good(name="blog/index.html").replace("Ledgers for", "All posts of").replace("Keep the", "List the")
    root = site(tmp_path, index=good(body), blog__post=post, blog__index=listed)
    assert audit_site(read_site(root)).findings == ()


def test_titles_and_descriptions_that_are_said_twice_name_the_other_page(tmp_path: Path) -> None:
    root = site(tmp_path, index=good(), copy=good(name="copy.html"))
    found = [one for one in audit_site(read_site(root)).findings if one.check.endswith("_duplicate")]
    assert {(one.page, one.check) for one in found} == {
        (page, check) for page in ("index.html", "copy.html") for check in ("title_duplicate", "description_duplicate")
    }
    assert found[0].message.startswith(("copy.html", "index.html"))


def test_robots_txt_is_held_against_each_page(tmp_path: Path) -> None:
    hidden = good('<meta name="robots" content="noindex">', name="shop/old.html").replace("Ledgers for", "Old things")
    root = site(tmp_path, index=good(), shop__old=hidden, shop__new=good(name="shop/new.html"))
    (root / "robots.txt").write_text("User-agent: *\nDisallow: /shop\n")
    found = {(one.page, one.check) for one in audit_site(read_site(root)).findings if one.check.startswith("robots")}
    assert found == {("shop/old.html", "robots_contradiction"), ("shop/new.html", "robots_disallowed")}


def test_a_robots_txt_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    root = site(tmp_path, index=good())
    (root / "robots.txt").write_text("User-agent: *\nCrawl-delay: ²\n", "utf-8")
    assert "robots_unreadable" in checks(root)


def test_the_points_are_those_of_the_formula(tmp_path: Path) -> None:
    root = site(
        tmp_path, index=good(2 * '<img src="https://cdn.example/a.png">' + '<a href="gone.html">x</a><h4>x</h4>')
    )
    audit = audit_site(read_site(root))
    assert audit.pages == {"index.html": 100 - 15 - 5 - 1}
    assert audit.counts == {"error": 1, "warning": 1, "notice": 1}
    assert next(one.count for one in audit.findings if one.check == "alt_missing") == 2
    (root / "empty.html").write_bytes(b"")
    assert audit_site(read_site(root)).score == (79 + 0) / 2


def test_what_is_too_large_hidden_or_a_link_is_not_read(tmp_path: Path) -> None:
    root = site(tmp_path / "site", index=good())
    (root / "large.html").write_bytes(b"x" * (LARGEST + 1))
    (tmp_path / "secret.html").write_text("<title>secret</title>")
    (root / "secret.html").symlink_to(tmp_path / "secret.html")
    (root / "outside").symlink_to(tmp_path)
    (root / ".hidden").mkdir()
    (root / ".hidden" / "draft.html").write_text("<title>draft</title>")
    found = read_site(root)
    assert list(found.pages) == ["index.html"]
    assert [one.name for one in found.unread] == ["large.html"]


def test_a_page_in_another_encoding_is_read(tmp_path: Path) -> None:
    for name, encoding in (("a", "utf-16"), ("b", "cp1252"), ("c", "utf-8-sig")):
        (tmp_path / f"{name}.html").write_bytes("<title>Bücher für Kölner</title>".encode(encoding))
    assert {page.title for page in read_site(tmp_path).pages.values()} == {"Bücher für Kölner"}


def test_an_entity_that_names_a_file_stays_empty(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the combination is 1234")
    text = f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]><html><body><h1>a</h1>&x;</body></html>'
    page = read_page("a.xhtml", text.encode())
    assert "1234" not in page.text + page.title


@settings(max_examples=50, deadline=None)
@given(
    st.binary(max_size=400) | st.text(alphabet="<>/a='\" \n&;#h1titleimgsrchref\0[]:.", max_size=400).map(str.encode)
)
def test_no_content_makes_reading_fail(content: bytes) -> None:
    for name in ("page.html", "page.md"):
        page = read_page(name, content)
        assert page.size == len(content)


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet="./a[]:#?%2eB\\ @", max_size=30))
def test_no_address_leads_out_of_the_site(tmp_path_factory: pytest.TempPathFactory, target: str) -> None:
    root = tmp_path_factory.mktemp("site")
    (root / "a").mkdir()
    (root / "a" / "index.html").write_text("<title>a</title>")
    found = read_site(root)
    place = found.place(found.pages["a/index.html"], target, "")
    if place is not None and not place.why:
        assert place.name in found.files
