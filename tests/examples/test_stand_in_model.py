"""The stand-in model answers by its rule, in the shape that MABOS asks a model for."""

from http.server import ThreadingHTTPServer
from threading import Thread

from examples.stand_in_model import StandInEndpoint, answer
from mabos.backends.chat import ChatMessage
from mabos.backends.providers import profile_model
from mabos.configs.models import ModelProfile

SHOWN = "Believed:\n[B-1] cash is 43000 (certainty 0.95)\n[B-2] runway_months is 4.8 (certainty 0.95)"


def test_a_belief_about_runway_leads_to_a_wish_that_rests_on_it() -> None:
    (wish,) = answer(SHOWN)["desires"]
    assert wish["evidence"] == ["B-2"]


def test_nothing_is_proposed_where_nothing_of_the_kind_is_shown() -> None:
    assert answer("Believed:\n[B-1] cash is 43000") == {}


def test_it_is_asked_over_http_like_any_endpoint() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandInEndpoint)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        profile = ModelProfile(
            base_url=f"http://127.0.0.1:{server.server_port}/v1",
            model="stand-in",
            api_key_env="",
            timeout_s=30,
            max_retries=0,
        )
        said = profile_model(profile, "none").complete([ChatMessage("user", SHOWN)])
    finally:
        server.shutdown()
        server.server_close()
    assert '"evidence": ["B-2"]' in said.text
    assert said.usage.input_tokens > 0
