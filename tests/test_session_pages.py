"""The pages of a session: what judges are asked, what they may send, and two judges at once in Chromium."""

import html
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from duelbench.cli.session_show import board
from duelbench.errors import UserError
from duelbench.votes.sessions.session import Session
from duelbench.votes.sessions.web import Content, Contents, application, read_contents, read_items
from tests.experiments import PLAIN, command, with_interrupts
from tests.sessions import ARMS, events, session_verb

EVIL = "<script>document.title='run'</script> **bold** [link](javascript:alert(1)) <img src=x onerror=alert(1)>"
ITEMS = {"q1": "How?", "q2": "Why?", "q3": ""}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def pages(tmp_path, monkeypatch, interpreted):
    """A function that returns a browser's side of the pages of a new session in ``s``."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)

    def opened(algorithm="d-ts", contents=(), items=(), token="", arms=ARMS, board=board, **options):
        if not (tmp_path / "s").exists():
            Session.create(tmp_path / "s", algorithm, arms, seed=1, **options)
        sessions = Session.open(tmp_path / "s"), Session.open(tmp_path / "s")
        return application(*sessions, board, Contents(None, contents), dict(items), token).test_client()

    return opened


def send(client, code=200, at="/", **request):
    """Send a request, and return the sentence and the HTML of the reply."""
    reply = client.post(at, json=request)
    assert reply.status_code == code, reply.text
    return reply.json["said"], reply.json.get("html")


def requests(text):
    """Return the requests of the buttons on a page, and the answer of the marked one in a list."""
    buttons = re.findall(r"data-request='([^']*)'([^>]*)", text)
    return [json.loads(html.unescape(request)) for request, _ in buttons], [
        json.loads(request)["answer"] for request, rest in buttons if 'aria-pressed="true"' in rest
    ]


def asked(text):
    """The number of the question on a page."""
    (number,) = {each.get("tell", each.get("correct")) for each in requests(text)[0]} - {None}
    return number


def item_of(text):
    return re.search(r'class="item"[^>]*><p>(.*)</p>', text)[1]


def answered(tmp_path):
    """The events of answers in the log."""
    return [each for each in events(tmp_path / "s") if each["event"] not in ("created", "asked")]


# Questions and answers


def test_answer_undo_correct(pages, tmp_path):
    client = pages()
    _, first = send(client, ask=1, judge="ann")
    assert [each.get("answer") for each in requests(first)[0]] == ["first", "tie", "second", "skip"]
    assert "ann: 0 answered" in first and "undo" not in first
    assert send(client, ask=1, judge="ann")[1] == first, "a question stays until it is answered"
    _, second = send(client, tell=asked(first), answer="first", judge="ann")
    assert "ann: 1 answered" in second and asked(second) != asked(first)
    _, again = send(client, undo=True, judge="ann")
    assert requests(again)[1] == ["first"]
    assert [each for each in requests(again)[0] if "correct" in each] == [
        {"correct": asked(first), "answer": answer} for answer in ("first", "tie", "second")
    ]
    assert send(client, correct=asked(first), answer="second", judge="ann") == ("", second)
    assert requests(send(client, undo=True, judge="ann")[1])[1] == ["second"]
    assert [(each["event"], each["answer"], each["judge"]) for each in answered(tmp_path)] == [
        ("answered", "first", "ann"),
        ("corrected", "second", "ann"),
    ]
    assert asked(send(client, undo=True, judge="bob")[1]) not in (asked(first), asked(second)), "nothing to undo"


def test_skipped_questions_go_to_other_judges(pages, tmp_path):
    client = pages("rucb", arms=["a", "b"], horizon=100)
    _, first = send(client, ask=1, judge="ann")
    said, second = send(client, tell=asked(first), answer="skip", judge="ann")
    assert said.startswith("No other question can be asked") and asked(second) == asked(first) + 1
    assert answered(tmp_path)[0]["event"] == "returned"


def test_items_in_turn(pages):
    client = pages(items=ITEMS)
    _, text = send(client, ask=1, judge="ann")
    seen = []
    for _ in range(4):
        seen.append(item_of(text))
        _, text = send(client, tell=asked(text), answer="skip" if len(seen) == 2 else "tie", judge="ann")
    assert seen == ["How?", "Why?", "q3", "How?"]
    assert item_of(send(client, ask=1, judge="bob")[1]) == "How?"


@pytest.mark.parametrize(("second", "said"), [("first", ""), ("tie", "This question was answered already")])
def test_two_answers_to_one_question(pages, tmp_path, second, said):
    client = pages()
    _, text = send(client, ask=1, judge="ann")
    _, after = send(client, tell=asked(text), answer="first", judge="ann")
    again, page = send(client, tell=asked(text), answer=second, judge="ann")
    assert again.startswith(said) and bool(again) == bool(said) and page == after
    assert [each["answer"] for each in answered(tmp_path)] == ["first"]


def test_questions_of_others(pages, tmp_path):
    client = pages()
    number = asked(send(client, ask=1, judge="ann")[1])
    for wrong in ({"tell": number}, {"correct": number}, {"tell": [1]}, {"tell": "x"}, {"tell": 99}):
        said, text = send(client, **wrong, answer="first", judge="bob")
        assert said.startswith("You were not asked this question") and asked(text) > number
    said, _ = send(client, tell=number, answer="best", judge="ann")
    assert said == "The answer was not recorded: it is first, second or tie."
    assert send(client, withdraw=ARMS[0], judge="ann", answer="skip")[0] == ""
    assert answered(tmp_path) == []


def test_both_orders_do_not_follow_each_other(pages):
    client = pages(orders="both")
    _, text = send(client, ask=1, judge="ann")
    numbers = []
    for _ in range(5):
        numbers.append(asked(text))
        _, text = send(client, tell=numbers[-1], answer="first", judge="ann")
    assert numbers == [1, 3, 2, 4, 5]


def test_nothing_to_ask(pages):
    client = pages("if", horizon=100, arms=["a", "b"])
    _, text = send(client, ask=1, judge="ann")
    assert "Answers of other judges are needed" in send(client, ask=1, judge="bob")[1]
    while '"tell"' in text:
        _, text = send(client, tell=asked(text), answer="first", judge="ann")
    assert "no more answers are needed" in text and "data-wait" in text
    assert "no more answers are needed" in send(client, ask=1, judge="bob")[1]


def standings(client, within):
    """Return the standings page once it contains a text; standings are computed in the background."""
    while within not in (text := client.get("/standings").text):
        time.sleep(0.01)
    return text


def test_standings(pages):
    client = pages(arms=["a", "<b>"])
    assert "&lt;b&gt;" in standings(client, "There are no votes yet")
    number = asked(send(client, ask=1, judge="ann")[1])
    send(client, tell=number, answer="first", judge="ann")
    text = standings(client, "1 vote")
    assert "is recommended, and beats most others with probability" in text
    assert "Votes by judge: ann 1." in text and "The requested probability of 0.95 is not reached: go on." in text


def test_no_standings_for_judges(pages, monkeypatch):
    """Judges see no standings, even at the end, where a program gets the recommended arm."""
    client = pages("if", horizon=20, arms=["a", "b"])
    monkeypatch.setattr(Session, "show", None)
    _, text = send(client, ask=1, judge="ann")
    while '"tell"' in text:
        _, text = send(client, tell=asked(text), answer="first", judge="ann")
    assert "no more answers are needed" in text


# Contents, and who may see them


@pytest.mark.parametrize(
    ("content", "within", "without"),
    [
        ({"text": EVIL}, "&lt;script&gt;document.title", "arm 0"),
        ({"text": EVIL}, "<strong>bold</strong> [link](javascript:alert(1))", "<img"),
        ({"text": EVIL, "plain": True}, '<div class="plain">&lt;script&gt;', "arm 0"),
        ({"text": "![x](https://example.org/x.png)"}, "", "<img"),
        ({"text": "|a|\n|-|\n|b|\none\ntwo"}, "<td>b</td>", "<script"),
        ({"text": " \n"}, '<p class="name">arm 0</p>', "<img"),
    ],
)
def test_contents(pages, content, within, without):
    name, found = EVIL.split()[0], Content("arm 0", None, "", **content)
    client = pages(arms=["arm 0", "<b>"], contents=[found], items={name: EVIL})
    _, text = send(client, ask=1, judge=name)
    assert within in text and without not in text and "<script" not in text and "onerror=alert(1)>" not in text
    assert '<p class="name">&lt;b&gt;</p>' in text
    page = client.get("/", query_string={"judge": '"><script>'})
    assert 'data-judge="&#34;&gt;&lt;script&gt;"' in page.text
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("method", "sent", "code", "said"),
    [
        ("get", {"headers": {"Host": "evil.example"}}, 400, "Please open the link as it was printed"),
        ("post", {"json": {"ask": 1, "judge": "a"}, "headers": {"Host": "evil.example"}}, 400, "Please open the link"),
        ("post", {"data": '{"ask": 1, "judge": "a"}'}, 415, "Answers must be sent as JSON"),
        ("post", {"data": "{", "content_type": "application/json"}, 400, "could not understand"),
        ("post", {"json": {"ask": 1}}, 400, "the name of a judge must be text"),
        ("post", {"json": {"ask": 1, "judge": "x" * 10_000}}, 400, "at most 200 characters"),
        ("post", {"json": {"ask": 1, "judge": "x" * 100_000}}, 413, "This is too long"),
        ("get", {"query_string": {"judge": "x" * 10_000}}, 200, "Your name has at most 200 characters"),
        ("get", {"query_string": {"judge": "a\nb"}}, 200, "Your name is one line of visible characters"),
        ("get", {"headers": {"X-Forwarded-For": "192.0.2.1"}}, 400, "Please open the link as it was printed"),
        ("get", {"headers": {"Forwarded": "for=192.0.2.1"}, "path": "/standings"}, 400, "Please open the link"),
        ("get", {"environ_overrides": {"SERVER_PROTOCOL": "HTTP/1.0"}}, 400, "Please open the link"),
        ("post", {"json": {"ask": 1, "judge": "a"}, "headers": {"Origin": "http://x.example"}}, 400, "Please open the"),
        ("post", {"data": "[" * 9_000, "content_type": "application/json"}, 400, "This is nested too deep"),
        ("get", {"path": "/content/1/first?judge=ann"}, 404, "This link is not valid."),
        ("get", {"path": "/content/../app.py"}, 404, "This link is not valid."),
    ],
)
def test_refused(pages, tmp_path, method, sent, code, said):
    reply = getattr(pages(), method)(**{"path": "/", **sent})
    assert (reply.status_code, said in html.unescape(reply.text)) == (code, True), reply.text
    assert len(events(tmp_path / "s")) == 1


def test_token(pages, tmp_path):
    client = pages(token="secret", arms=["a", "b"], contents=images(tmp_path))
    anywhere = {"base_url": "http://192.168.0.7:8000", "headers": {"X-Forwarded-For": "192.0.2.1"}}
    assert client.get("/secret/?judge=ann", **anywhere).status_code == 200
    assert asked(send(client, ask=1, judge="ann", at="/secret/")[1]) == 1
    assert client.get("/secret/content/1/first?judge=ann", **anywhere).data.startswith(PNG)
    image = "content/1/first?judge=ann"
    for forged in ("/", "/secre/", "/secrets/", "/ſecret/", "/forged/standings", f"/forged/{image}", f"/{image}"):
        reply = client.get(forged, **anywhere)
        assert reply.status_code == 404 and "Please ask the person who sent it" in reply.text, forged
    assert client.post("/forged/", json={"ask": 1, "judge": "bob"}).status_code == 404
    assert len(events(tmp_path / "s")) == 2


def images(tmp_path):
    """Return contents of the arms a and b: images whose data ends with the name of the arm."""
    for name in "ab":
        (tmp_path / f"{name}-secret.png").write_bytes(PNG + name.encode())
    return [Content(name, None, "", image=tmp_path / f"{name}-secret.png") for name in "ab"]


def test_images_do_not_tell_the_arm(pages, tmp_path):
    """Replies for the two arms differ only in the image data, and addresses name questions, not arms."""
    client = pages(arms=["a", "b"], contents=images(tmp_path))
    text, addresses = send(client, ask=1, judge="ann & co")[1], []
    replies = {PNG + b"a": [], PNG + b"b": []}
    for _ in range(12):
        found = [html.unescape(each) for each in re.findall(r'<img src="(.*?)" alt="Image [AB]">', text)]
        assert len(found) == 2 and "secret" not in text
        for address in found:
            reply = client.get(f"/{address}")
            replies[reply.data].append(sorted(reply.headers))
            assert client.get(f"/{address.partition('?')[0]}?judge=bob").status_code == 404, "bob was not asked"
        addresses += found
        text = send(client, tell=asked(text), answer="tie", judge="ann & co")[1]
    assert len(set(addresses)) == 24
    (headers,) = {tuple(map(tuple, each)) for each in replies[PNG + b"a"] + replies[PNG + b"b"]}
    assert {name for name, _ in headers} == {
        "Cache-Control", "Content-Security-Policy", "Content-Type", "Referrer-Policy", "X-Content-Type-Options"
    }  # fmt: skip


def test_faults_of_the_server(pages, tmp_path, monkeypatch, caplog):
    """After an error judges see no path, the log has no token, and the answer can be sent again."""
    client = pages(token="secret")
    number = asked(send(client, ask=1, judge="ann", at="/secret/")[1])
    log = tmp_path / "s" / "session.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole + b"cut off\n")
    answer = {"tell": number, "answer": "first", "judge": "ann"}
    said, text = send(client, 500, at="/secret/", **answer)
    assert said.startswith("The server cannot go on at the moment; earlier answers are kept.") and text is None
    assert str(log) in caplog.text
    with monkeypatch.context() as patched:
        patched.setattr("duelbench.votes.sessions.web.Judging.turn", None)
        assert send(client, 500, at="/secret/", **answer) == (said, None)
    assert "'NoneType' object is not callable" in caplog.text and "secret" not in caplog.text
    log.write_bytes(whole)
    assert send(client, at="/secret/", **answer)[0] == "" and len(answered(tmp_path)) == 1


FILES = {
    "folder/a.md": "A", "folder/b.txt": "B", "folder/q1/a.png": "", "folder/.a.md": "", "folder/notes.pdf": "",
    "folder/aa.md": "typo", "folder/q2/b.md": "no such item", "folder/q1/b.txt": "",
    "two/a.md": "", "two/a.txt": "", "latin/a.txt": "ä",
    "good.csv": 'item,content,arm\n,"A, |\nor",a\nq1,B,b\n', "twice.csv": "arm,content\na,x\n\na,y\n",
    "columns.csv": "arm,text\na,x\n", "one.csv": "item\nq1\n", "short.csv": "arm,content\na\n",
    "items.csv": "item,text\nq1,How?\n q2 ,\n", "again.csv": "item,text\nq1,a\nq1,b\n", "none.csv": "item,text\n",
    "comma.csv": "item,text\nq1,a, b\n",
    "long.csv": "item,text\n" + "x" * 201 + ",a\n",
}  # fmt: skip


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="latin-1" if "latin" in name else "utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").symlink_to(tmp_path / "good.csv")
    return tmp_path


def test_folder(files):
    found = read_contents(Path("folder"))
    assert found.of("a", None).text == found.of("a", "q2").text == "A"
    assert found.of("b", None).plain and found.of("a", "q1").image == Path("folder/q1/a.png")
    assert list(found.problems(["a", "b", "c"], {"q1": ""})) == [
        "folder/aa.md: there is no arm 'aa' (did you mean 'a'?)",
        "folder/q1/b.txt: the content of 'b' is empty: judges see its name instead",
        "folder/q2/b.md: --items has no item 'q2'",
        "folder: there is no content of 'c' on item 'q1': judges see names instead",
    ]
    assert [*found.problems(["a", "b", "aa", "c", "d"], {})][-2:] == [
        "folder: judges see contents on items only with --items",
        "folder: there is no content of 'c', and 1 more: judges see names instead",
    ]


@pytest.mark.parametrize(
    ("name", "read", "said"),
    [
        ("two", read_contents, "two/a.txt: 'a' has a content already (two/a.md): remove one"),
        ("outside", read_contents, "outside/a.md: this is a link to a file outside of outside: copy the file"),
        ("twice.csv", read_contents, "twice.csv:4: 'a' has a content already (twice.csv:2): remove one"),
        ("columns.csv", read_contents, "columns.csv:1: there is no column 'content', but arm, text: rename one"),
        ("short.csv", read_contents, "short.csv:2: the row has fewer cells than the header: correct this row"),
        ("comma.csv", read_items, "comma.csv:2: the row has more cells than the header: correct this row (a text"),
        ("again.csv", read_items, "again.csv:3: item 'q1' comes twice: give each item a different label"),
        ("long.csv", read_items, "long.csv:2: the label of an item has at most 200 characters"),
    ],
)
def test_mistakes_in_files(files, name, read, said):
    with pytest.raises(UserError) as caught:
        read(Path(name))
    assert str(caught.value).startswith(said) and "--delimiter" not in str(caught.value)


# The command


def test_options(pages, tmp_path, monkeypatch):
    pages()
    for option in (["--port", 0], ["--host", "::"], ["--items", "x.csv"], ["--contents", "x"]):
        said = session_verb("serve", tmp_path / "s", *option, code=2).stderr
        assert said == f"error: {option[0]} is about pages for judges: give --http\n"
    said = session_verb("serve", tmp_path / "s", "--http", "--host", "192.0.2.1", code=2).stderr
    assert said.startswith("error: port 8000 of 192.0.2.1 cannot be used (")
    monkeypatch.setitem(sys.modules, "waitress.server", None)
    said = session_verb("serve", tmp_path / "s", "--http", code=2).stderr
    assert said == "error: pages need waitress.server, which is not installed: `pip install 'duelbench[web]'`\n"


NOWHERE = ("--http", "--host", "192.0.2.1")
"""Options with which the command ends in any case: this computer does not have the address."""


def test_token_file(pages, tmp_path):
    pages()
    path, said = tmp_path / "s" / "web-token", session_verb("serve", tmp_path / "s", *NOWHERE, code=2).stderr
    assert said.startswith("error: port 8000 of 192.0.2.1 cannot be used")
    assert path.stat().st_mode & 0o777 == 0o600 and len(path.read_text()) == 32
    path.rename(tmp_path / "kept")

    def refused():
        return session_verb("serve", tmp_path / "s", *NOWHERE, code=2).stderr

    for make in (lambda: path.symlink_to(tmp_path / "kept"), lambda: os.mkfifo(path), path.mkdir):
        make()
        assert refused() == f"error: {path} is not a file that only you can read: remove it for a new token\n"
        path.rmdir() if path.is_dir() else path.unlink()
    for mode, text, reason in (
        (0o644, "x" * 32, "is not a file that only you can read: remove it for a new token"),
        (0o640, "x" * 32, "is not a file that only you can read: remove it for a new token"),
        (0o600, "", "has no token: remove it for a new one"),
        (0o600, "a/../b", "has no token: remove it for a new one"),
    ):
        path.write_text(text)
        path.chmod(mode)
        assert refused() == f"error: {path} {reason}\n"


@pytest.mark.parametrize("name", [".lock", "session.jsonl"])
def test_read_only(pages, tmp_path, monkeypatch, name):
    pages()
    if name == ".lock":
        (tmp_path / "s" / name).unlink()
        (tmp_path / "s" / name).mkdir()
    else:
        opened = Path.open

        def read_only(path, mode="r", *arguments, **options):
            if path.name == name and "+" in mode:
                raise PermissionError(13, "Permission denied", str(path))
            return opened(path, mode, *arguments, **options)

        monkeypatch.setattr(Path, "open", read_only)
    said = session_verb("serve", tmp_path / "s", *NOWHERE, code=2).stderr
    assert said.startswith(f"error: cannot write {tmp_path / 's' / name} (")


@pytest.fixture
def served(tmp_path):
    """A function that starts the server of a session in ``s`` and returns its process and links."""
    started = []

    def start(*options):
        process = subprocess.Popen(
            command("session", "serve", "s", "--http", "--port", 0, *options), cwd=tmp_path, env=PLAIN, text=True,
            stdout=subprocess.PIPE, preexec_fn=with_interrupts,
        )  # fmt: skip
        started.append(process)
        links = [process.stdout.readline().split()[-1] for _ in range(2)]
        return process, links[0].removesuffix("?judge=NAME"), links[1]

    Session.create(tmp_path / "s", "d-ts", ["a", "b", "c"], seed=1)
    yield start
    for each in started:
        each.kill()
        each.wait()
        each.stdout.close()


def post(link, **request):
    sent = urllib.request.Request(link, json.dumps(request).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(sent, timeout=60) as reply:
        return json.load(reply)["html"]


@pytest.mark.slow
def test_two_judges_in_a_browser(browser, served, tmp_path):
    """Two judges answer at once by keys and clicks; a standings page updates without being reloaded."""
    (tmp_path / "contents.csv").write_text(f'arm,content\na,"{EVIL.replace(chr(34), "")}"\nb,"*b*"\nc,c\n')
    _, link, standings = served("--contents", "contents.csv")
    context = browser.new_context(viewport={"width": 390, "height": 844})
    board, ann, bob = (context.new_page() for _ in range(3))
    wrong = []
    for tab in (board, ann, bob):
        tab.on("console", lambda message: wrong.append(message.text))
        tab.on("pageerror", lambda error: wrong.append(str(error)))
    board.goto(standings)
    board.locator("main", has_text="There are no votes yet").wait_for()
    ann.goto(f"{link}?judge=ann")
    bob.goto(link)
    bob.fill("input", "bob")
    bob.click("text=Start")

    def done(tab, number):
        tab.locator("main[aria-busy=false] header", has_text=f": {number} answered").wait_for()
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")

    for tab in (ann, bob):
        done(tab, 0)
    for number, key in enumerate(("ArrowLeft", "ArrowRight", "ArrowDown"), start=1):
        ann.keyboard.press(key)
        bob.locator(f".answers [data-key~={key.lower()}]").click()
        done(ann, number)
        done(bob, number)
    before = ann.locator(".sides").inner_text()
    ann.keyboard.press("u")
    ann.locator("[aria-busy=false] .tie[aria-pressed=true]").wait_for()
    ann.keyboard.press("ArrowLeft")
    ann.locator("[aria-busy=false] .first:not([aria-pressed])").wait_for()
    assert ann.locator(".sides").inner_text() == before
    bob.keyboard.press("s")
    board.locator("main", has_text="6 votes (1 tie)").wait_for()
    assert {ann.title(), bob.title()} == {"Comparisons"}
    context.close()
    assert wrong == []
    session = Session.open(tmp_path / "s")
    assert [*session.answered("ann").values()] == ["first", "second", "first"]
    assert [*session.answered("bob").values()] == ["first", "second", "tie"]


@pytest.fixture
def one_page(browser, served, tmp_path):
    """A function that opens a page of ann with a stopped clock, and returns it with the list of its requests."""
    contexts = []

    def opened(contents="arm,content\na,a\nb,b\nc,c\n", **options):
        (tmp_path / "contents.csv").write_text(contents)
        _, link, _ = served("--contents", "contents.csv")
        contexts.append(browser.new_context(**options))
        page, sent = contexts[-1].new_page(), []
        page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "POST" else None)
        page.clock.install()
        page.goto(link)
        page.clock.pause_at("2100-01-01")
        page.goto(f"{link}?judge=ann")
        page.locator(".answers").wait_for()
        return page, sent

    yield opened
    for each in contexts:
        each.close()


def in_view(page):
    """The question on a page."""
    return json.loads(page.locator(".answers .first").get_attribute("data-request"))["tell"]


def next_question(page, before):
    page.locator(f".answers:not(:has([data-request$='\"tell\": {before}}}']))").wait_for()


WAYS = {
    "mouse": ({}, lambda page: page.locator(".first").click(force=True)),
    "key": ({}, lambda page: page.keyboard.press("ArrowLeft")),
    "phone": (
        {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
        lambda page: page.locator(".first").tap(force=True),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_double_clicks_answer_one_question(one_page, tmp_path, way):
    """Each of 30 double clicks answers one question, even if the next appears up to 0.4 s before the second click."""
    options, press = WAYS[way]
    page, sent = one_page(**options)
    page.clock.run_for(500)
    seen = []
    for number in range(30):
        seen.append(in_view(page))
        press(page)
        next_question(page, seen[-1])
        page.clock.run_for(number * 400 // 29)
        press(page)
        page.clock.run_for(500)
    assert [each.get("tell") for each in sent] == [None, *seen]
    given = Session.open(tmp_path / "s").answered("ann")
    assert [*given] == seen and set(given.values()) == {"first"}
