"""What was asked, and what it cost."""

from dataclasses import dataclass

from pydantic import Field

from wfgate.model.workflow import Frozen


class Prices(Frozen):
    """What a service charges per million tokens, in any one currency. wfgate knows no prices: the user says them."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


@dataclass
class Account:
    """What a client asked so far.

    Attributes:
        requests: Requests that were answered.
        known: Answers that had been kept.
        reasks: Requests made because an answer was of no use.
        input_tokens: Tokens sent, as the service counted them.
        output_tokens: Tokens received.
        unmetered: Requests whose tokens the service did not tell.
    """

    requests: int = 0
    known: int = 0
    reasks: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unmetered: int = 0

    def cost(self, prices: Prices) -> float:
        """Return what the tokens cost; a lower bound where requests are `unmetered`.

        Example:
            >>> Account(input_tokens=2_000_000, output_tokens=500_000).cost(Prices(input=2.5, output=10))
            10.0
        """
        return (self.input_tokens * prices.input + self.output_tokens * prices.output) / 1_000_000

    def summary(self, prices: Prices | None = None) -> str:
        """Return the account in one line.

        Example:
            >>> Account(requests=3, known=1, input_tokens=1200, output_tokens=80).summary(Prices(input=1, output=2))
            '3 requests (1 answer known already), 1,200 + 80 tokens, cost 0.0014'
        """
        known = f" ({self.known} answer{'s' * (self.known != 1)} known already)" if self.known else ""
        said = f"{self.requests} request{'s' * (self.requests != 1)}{known}"
        said += f", {self.input_tokens:,} + {self.output_tokens:,} tokens"
        if self.unmetered:
            said += f" and those of {self.unmetered} requests that the service did not count"
        if prices is not None:
            said += f", cost {'at least ' if self.unmetered else ''}{self.cost(prices):.4f}"
        return said
