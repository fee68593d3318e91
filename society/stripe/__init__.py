"""Stripe's products and prices API, served from a business's own files.

Read in this order:

- `request.py`: a request as it came in, its form-encoded parameters, and the errors that an answer may be
- `params.py`: parameters validated as in Stripe, each error with type, code and param
- `fake.py`: the routes: create, retrieve, change, list and delete, with idempotency keys and versions
- `serving.py`: the same over HTTP, for any client

`backends/stripe.py` is the client of the tools, for a server or for this.
"""

from mabos.society.stripe.fake import FakeStripe, LocalStripe
from mabos.society.stripe.request import ApiFault, ApiRequest
from mabos.society.stripe.serving import serve_locally

__all__ = ["ApiFault", "ApiRequest", "FakeStripe", "LocalStripe", "serve_locally"]
