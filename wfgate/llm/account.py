"""Counts requests and tokens of a client, and computes their cost."""

from dataclasses import dataclass

from pydantic import Field

from wfgate.model import Frozen


class Prices(Frozen):
    """Price per million input and output tokens, in any one currency. wfgate ships no prices; users configure them.

    Attributes:
        input: Price of a million tokens of requests.
        output: Price of a million tokens of answers.
    """

    input: float = Field(ge=0)
    output: float = Field(ge=0)


@dataclass
class Account:
    """Number of requests and tokens of a client so far.

    Attributes:
        requests: Number of answered requests.
        cached: Number of answers that came from the cache.
        reasks: Number of requests that were repeated because an answer was invalid.
        input_tokens: Number of sent tokens, as counted by the service.
        output_tokens: Number of received tokens, as counted by the service.
        unmetered: Number of requests for which the service reported no token counts.
    """

    requests: int = 0
    cached: int = 0
    reasks: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unmetered: int = 0

    def cost(self, prices: Prices) -> float:
        """Return the cost of the tokens; the real cost is higher if some requests are `unmetered`.

        Example:
            >>> Account(input_tokens=2_000_000, output_tokens=500_000).cost(Prices(input=2.5, output=10))
            10.0
        """
        return (self.input_tokens * prices.input + self.output_tokens * prices.output) / 1_000_000

    def summary(self, prices: Prices | None = None) -> str:
        """Return the account in one line; tokens are written as input + output.

        Example:
            >>> Account(requests=3, cached=1, input_tokens=1200, output_tokens=80).summary(Prices(input=1, output=2))
            '3 requests (1 answer from the cache), 1,200 + 80 tokens, cost 0.0014'
        """
        cached = f" ({self.cached} answer{'s' * (self.cached != 1)} from the cache)" if self.cached else ""
        text = f"{self.requests} request{'s' * (self.requests != 1)}{cached}"
        text += f", {self.input_tokens:,} + {self.output_tokens:,} tokens"
        if self.unmetered:
            text += f" (without {self.unmetered} requests for which the service reported no token counts)"
        if prices is not None:
            text += f", cost {'at least ' if self.unmetered else ''}{self.cost(prices):.4f}"
        return text
